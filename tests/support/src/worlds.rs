//! Small random worlds of every automaton in motion, and random edits of them. The seed determines
//! everything.

use fastrand::Rng;
use floodplain::blast::{self, BlastGraph, BlastWorld, NodeId};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::water::{self, Fixture, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::{self, World};
use floodplain::{Chunk, ChunkPos, Cube, Face, FieldShape, Region, Shape, Sheet};

/// A box of cells on both sides of a chunk border; flat for worlds without depth.
pub fn bounds(is_flat: bool) -> Region {
    let depth = if is_flat { 0 } else { 3 };
    Region::new(IVec3::new(-4, 1, 0), IVec3::new(3, 6, depth))
}

fn cell(rng: &mut Rng, bounds: Region) -> IVec3 {
    let (min, max) = (bounds.min(), bounds.max());
    IVec3::new(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z))
}

/// Water with springs, pools, drains and missing chunks.
pub fn water(seed: u64) -> WaterWorld {
    water_within(seed, Region::new(IVec3::new(-6, -5, -6), IVec3::new(5, 6, 5)))
}

/// The same within any bounds near the origin.
pub fn water_within(seed: u64, bounds: Region) -> WaterWorld {
    let mut rng = Rng::with_seed(seed);
    let mut edge = || [water::Edge::Wall, water::Edge::Drain, water::Edge::Held][rng.usize(..3)];
    let edges = water::Edges { outer: core::array::from_fn(|_| edge()), unloaded: edge() };
    let rules = water::Rules {
        evaporation: 1.0 / 1024.0,
        film_evaporation: 1.0 / 256.0,
        edges,
        ..water::Rules::default()
    };
    let (low, high) = (bounds.min(), bounds.max());
    let mut world = WaterWorld::with_bounds(seed, rules, bounds).unwrap();
    for chunk in Cube::chunks_of(bounds) {
        world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).unwrap();
    }
    world.fill_solid(Region::new(low, IVec3::new(high.x, low.y + 1, high.z))).unwrap();
    for _ in 0..rng.usize(1..12) {
        edit_water(&mut world, &mut rng);
        world.run(rng.u64(..6));
    }
    world
}

/// Water with a few drains, taps and valves.
pub fn water_with_fixtures(seed: u64) -> WaterWorld {
    let (mut world, mut rng) = (water(seed), Rng::with_seed(seed));
    for _ in 0..12 {
        let (at, rate) = (cell(&mut rng, world.bounds()), rng.u8(1..=7));
        let towards = Face::from_index(rng.u8(..6)).expect("one of six");
        let valve = Fixture::Valve { towards, rate };
        let fixture = [Fixture::Drain(rate), Fixture::Tap(rate), valve][rng.usize(..3)];
        if rng.bool() {
            // In a chunk that is missing, both are refused.
            let _ = world.set_solid(at);
        }
        let _ = world.set_fixture(at, Some(fixture));
    }
    world.run(2);
    world
}

/// One edit, which may be refused.
pub fn edit_water(world: &mut WaterWorld, rng: &mut Rng) {
    let (at, there) = (cell(rng, world.bounds()), cell(rng, world.bounds()));
    let _ = match rng.u8(..6) {
        0 => world.set_solid(at).is_ok(),
        1 => world.fill_water(Region::new(at, at.min(there)), rng.u8(..=7)).is_ok(),
        2 | 3 => world.pour(at, 7).is_ok(),
        4 => world.remove_chunk(Cube::chunk_of(at)).is_ok(),
        _ => world.add_source(at).is_ok(),
    };
}

/// Soil with rain and rock, the sweep chosen by the seed.
pub fn humidity<S: FieldShape>(seed: u64) -> HumidityWorld<S> {
    let mut rng = Rng::with_seed(seed);
    let sweep = [Sweep::Conservative, Sweep::InPlace, Sweep::Synchronous][(seed % 3) as usize];
    let mut border = || if rng.bool() { humidity::Border::Drain } else { humidity::Border::Wall };
    // Humidity falls in every other world of the sweep that has that.
    let fall = if seed % 6 == 3 { 1.0 / 32.0 } else { 0.0 };
    let rules = humidity::Rules {
        borders: core::array::from_fn(|_| border()),
        cap: 64.0,
        fall,
        ..humidity::Rules::with_sweep(sweep)
    };
    let mut world = HumidityWorld::with_bounds(rules, bounds(S::NEIGHBOURS == 4)).unwrap();
    for _ in 0..rng.usize(2..8) {
        edit_humidity(&mut world, &mut rng);
        world.run(rng.u64(..4));
    }
    // At least one chunk with water on its way.
    let _ = world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(3.0, 1.0)));
    world.set_rain(IVec3::new(2, 3, 0), 40.0).unwrap();
    world.run(2);
    world
}

/// One edit, which may be refused.
pub fn edit_humidity<S: FieldShape>(world: &mut HumidityWorld<S>, rng: &mut Rng) {
    let (at, there) = (cell(rng, world.bounds()), cell(rng, world.bounds()));
    let soil = humidity::Cell::soil(100.0 * rng.f64(), 0.5 + 4.0 * rng.f32());
    let chunk = S::chunk_of(at);
    let _ = match rng.u8(..12) {
        0 => world.set_rock(at).is_ok(),
        1 => world.set_rain(at, 80.0 * rng.f64()).is_ok(),
        2 => world.clear_rain(at).is_ok(),
        3 => world.set_humidity(at, 200.0 * rng.f64()).is_ok(),
        4 => world.set_impermeability(at, 0.5 + rng.f32()).is_ok(),
        5 => world.fill_cells(Region::new(at, there), soil).is_ok(),
        6 => world.remove_chunk(chunk).is_ok(),
        7 => world.set_cell(at, soil).is_ok(),
        8 => {
            world.take_changes();
            true
        }
        _ => world.insert_chunk(chunk, Chunk::uniform(soil)).is_ok(),
    };
}

/// Explosions among obstacles and walls that break, with whole and with partial links, the rule
/// chosen by the seed.
pub fn blast<S: FieldShape>(seed: u64) -> BlastWorld<S> {
    blast_within(
        seed,
        if seed.is_multiple_of(3) { Region::EVERYWHERE } else { bounds(S::NEIGHBOURS == 4) },
    )
}

/// The same within any bounds near the origin.
pub fn blast_within<S: FieldShape>(seed: u64, bounds: Region) -> BlastWorld<S> {
    let mut rng = Rng::with_seed(seed);
    let mut border =
        || [blast::Border::Rigid, blast::Border::Periodic, blast::Border::Open][rng.usize(..3)];
    let borders = blast::Borders { x: border(), y: border(), z: border() };
    let rules = match seed % 2 {
        0 => blast::Rules::wave(0.15, 0.95),
        _ => blast::Rules::diffusive(0.15),
    };
    let mut world = BlastWorld::with_bounds(rules, bounds, borders).unwrap();
    for _ in 0..rng.usize(2..8) {
        edit_blast(&mut world, &mut rng);
        world.run(rng.u64(..4));
    }
    // At least an explosion behind a wall, beside a link that is half open.
    world.clear_solid(IVec3::new(1, 3, 0)).unwrap();
    world.set_pressure(IVec3::new(1, 3, 0), 90.0).unwrap();
    world.set_wall(IVec3::new(2, 3, 0), 1000.0).unwrap();
    world.set_link(IVec3::new(1, 4, 0), Face::Down, 0.5).unwrap();
    world.run(2);
    world
}

/// One edit, which may be refused.
pub fn edit_blast<S: FieldShape>(world: &mut BlastWorld<S>, rng: &mut Rng) {
    let near = bounds(S::NEIGHBOURS == 4);
    let (at, there) = (cell(rng, near), cell(rng, near));
    let pressure = 50.0 * rng.f32();
    let _ = match rng.u8(..14) {
        0 => world.set_solid(at).is_ok(),
        1 => world.set_wall(at, 5.0 * rng.f32()).is_ok(),
        2 => world.clear_solid(at).is_ok(),
        3 => world.set_link(at, Face::ALL[rng.usize(..6)], rng.f32()).is_ok(),
        4 => world.fill_pressure(Region::new(at, there), pressure).is_ok(),
        5 => world.fill_wall(Region::new(at, at), pressure).is_ok(),
        6 => world.remove_chunk(S::chunk_of(at)).is_ok(),
        7 => world.insert_chunk(S::chunk_of(at), Chunk::uniform(0.1 * pressure)).is_ok(),
        8 => {
            world.take_changes();
            world.take_events();
            true
        }
        9 => world.set_pressure(at, 0.0).is_ok(),
        _ => world.add_pressure(at, pressure).is_ok(),
    };
}

/// A mesh of nodes, some of them closed, with vents.
pub fn graph(seed: u64) -> BlastGraph {
    let mut rng = Rng::with_seed(seed);
    let rules = match seed % 2 {
        0 => blast::Rules::wave(0.05, 0.95),
        _ => blast::Rules::diffusive(0.05),
    };
    let mut graph = BlastGraph::new(rules).unwrap();
    for _ in 0..rng.usize(10..40) {
        edit_graph(&mut graph, &mut rng);
        graph.run(rng.u64(..2));
    }
    // At least a charge that vents, linked to a closed node.
    let charge = graph.add_node(DVec3::ZERO, 100.0).unwrap();
    let closed = graph.add_node(DVec3::X, 0.0).unwrap();
    graph.set_wall(closed, 1000.0).unwrap();
    graph.add_link(charge, closed, 1.0).unwrap();
    graph.add_vent(charge, 0.5, DVec3::Y).unwrap();
    graph.run(2);
    graph
}

/// One edit, which may be refused.
pub fn edit_graph(graph: &mut BlastGraph, rng: &mut Rng) {
    let nodes: Vec<NodeId> = graph.nodes().collect();
    let place = DVec3::new(rng.f64(), rng.f64(), rng.f64());
    let (Some(&a), Some(&b)) = (rng.choice(&nodes), rng.choice(&nodes)) else {
        graph.add_node(place, 100.0).unwrap();
        return;
    };
    let _ = match rng.u8(..20) {
        0 => graph.set_wall(a, 5.0 * rng.f64()).is_ok(),
        1 => graph.clear_wall(a).is_ok(),
        2 => graph.remove_node(a).is_ok(),
        3 => graph.remove_link(a, b).is_ok(),
        4 => graph.set_link(a, b, rng.f64()).is_ok(),
        5 => graph.add_vent(a, rng.f64(), place).is_ok(),
        6 => graph.remove_vent(a).is_ok(),
        7 => {
            graph.take_changes();
            graph.take_events();
            true
        }
        8 => graph.set_pressure(a, 100.0 * rng.f64()).is_ok(),
        9..13 => graph.add_node(place, 10.0 * rng.f64()).is_ok(),
        13 => graph.add_link_along(a, b, rng.f64(), place).is_ok(),
        _ => graph.add_link(a, b, 2.0 * rng.f64()).is_ok(),
    };
}

/// A slice of ground with water, the rule chosen by the seed.
pub fn water_2d(seed: u64) -> Water2dWorld {
    let mut rng = Rng::with_seed(seed);
    let rules =
        if seed.is_multiple_of(2) { water2d::Rules::default() } else { water2d::Rules::literal() };
    let mut world = Water2dWorld::with_bounds(seed, rules, bounds(true)).unwrap();
    for _ in 0..rng.usize(2..10) {
        edit_water_2d(&mut world, &mut rng);
        world.run(rng.u64(..5));
    }
    // At least one chunk with water on its way.
    let _ = world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::AIR));
    world.clear_solid(IVec3::new(1, 5, 0)).unwrap();
    world.pour(IVec3::new(1, 5, 0), 300).unwrap();
    world.run(2);
    world
}

/// One edit, which may be refused.
pub fn edit_water_2d(world: &mut Water2dWorld, rng: &mut Rng) {
    let (at, there) = (cell(rng, world.bounds()), cell(rng, world.bounds()));
    let chunk = Sheet::chunk_of(at);
    let _ = match rng.u8(..12) {
        0 => world.set_solid(at).is_ok(),
        1 => world.clear_solid(at).is_ok(),
        2 => world.scoop(at, rng.u32(..200)).is_ok(),
        3 => world.fill_solid(Region::new(at, at.with_x(there.x))).is_ok(),
        4 => world.fill_water(Region::new(at, there), rng.u32(..150)).is_ok(),
        5 => world.remove_chunk(chunk).is_ok(),
        6 => {
            world.take_changes();
            true
        }
        7..9 => world.insert_chunk(chunk, Chunk::uniform(water2d::Cell::AIR)).is_ok(),
        _ => world.pour(at, rng.u32(..500)).is_ok(),
    };
}

/// Ground of all materials with water, moisture, and pressure that breaks it, the rule of pressure
/// chosen by the seed.
pub fn materials(seed: u64) -> World {
    let mut rng = Rng::with_seed(seed);
    let mut world = crate::world::world(seed, rules_of_materials(seed), bounds(false));
    for _ in 0..rng.usize(2..8) {
        edit_materials(&mut world, &mut rng);
        world.run(rng.u64(..4));
    }
    // At least water over moist soil, and a wall that broke before a charge.
    let (low, wall) = (IVec3::new(1, 1, 0), IVec3::new(2, 4, 1));
    let chunk = Cube::chunk_of(low);
    let content = world::ChunkContent::from_heights(
        chunk,
        |_, _| low.y,
        |_| crate::world::id("soil"),
        crate::world::id("air"),
    );
    // Refused where it is loaded.
    let _ = world.insert_chunk(chunk, content);
    let soil = humidity::Edit::SetHumidity { cell: low, humidity: 90.0 };
    world.set_material(low, crate::world::id("sand")).unwrap();
    world.apply(world::Edit::Soil(soil)).unwrap();
    world.set_material(low + IVec3::Y, crate::world::id("air")).unwrap();
    world.rain(low + IVec3::Y, 9).unwrap();
    world.set_material(wall, crate::world::id("glass")).unwrap();
    world.set_material(wall + IVec3::Y, crate::world::id("air")).unwrap();
    let charge = blast::Edit::SetPressure { cell: wall + IVec3::Y, pressure: 300.0 };
    world.apply(world::Edit::Blast(charge)).unwrap();
    world.run(2);
    world
}

/// With all that passes between the parts, with other rules of it, or without any.
fn rules_of_materials(seed: u64) -> world::Rules {
    let blast = match seed % 2 {
        0 => blast::Rules::wave(0.15, 0.95),
        _ => blast::Rules::diffusive(0.15),
    };
    let all = world::Rules { blast, ..crate::world::rules() };
    match seed / 2 % 4 {
        0 => all,
        1 => {
            let soil = humidity::Rules { fall: 0.0, ..all.soil };
            let under_water = world::UnderWater::Passes;
            world::Rules { soil, under_water, throw_flow: Some(0.5), ..all }
        }
        2 => {
            let water = water::Rules { evaporation: 0.05, film_evaporation: 0.05, ..all.water };
            world::Rules { water, soil_period: 1, spilling: false, throw_flow: Some(1.0), ..all }
        }
        _ => {
            let couplings = world::Couplings::OFF;
            crate::world::uncoupled(world::Rules { couplings, ..all })
        }
    }
}

/// One edit, which may be refused.
pub fn edit_materials(world: &mut World, rng: &mut Rng) {
    use world::Edit;
    let (at, there) = (cell(rng, world.bounds()), cell(rng, world.bounds()));
    let material = world::MaterialId(rng.u8(..world.palette().len() as u8));
    let (air, soil) = (crate::world::id("air"), crate::world::id("soil"));
    let edit = match rng.u8(..16) {
        0..3 => Edit::SetMaterial { cell: at, material },
        3 => Edit::FillMaterial { region: Region::new(at, there), material },
        4 => Edit::Rain { from: at, units: rng.u32(..30) },
        5 => Edit::Water(water::Edit::AddSource(at)),
        6 => Edit::Water(water::Edit::Pour { cell: at, units: 7 }),
        7 => Edit::Soil(humidity::Edit::SetHumidity { cell: at, humidity: 200.0 * rng.f64() }),
        8 => Edit::Soil(humidity::Edit::SetRain { cell: at, humidity: 200.0 * rng.f64() }),
        9 => Edit::RemoveChunk(Cube::chunk_of(at)),
        10 | 11 => {
            let position = Cube::chunk_of(at);
            let content =
                world::ChunkContent::from_heights(position, |_, _| there.y, |_| soil, air);
            Edit::InsertChunk { position, content }
        }
        12 => {
            world.take_changes();
            world.take_events();
            return;
        }
        _ => Edit::Blast(blast::Edit::AddPressure { cell: at, more: 200.0 * rng.f32() }),
    };
    let _ = world.apply(edit);
}
