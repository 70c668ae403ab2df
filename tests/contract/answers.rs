//! Queries of worlds and graphs: their rules, their cells, their memory.

use floodplain::Displaced;
use floodplain::blast::{self, BlastGraph, BlastWorld, Borders, Probe};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld, ROCK};
use floodplain::scenario::Scenario;
use floodplain::water::{self, Voxel, WaterCell, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{CellMask, Chunk, ChunkPos, Cube, Face, Grid, GridError, Region, Simulation};

const HERE: IVec3 = IVec3::new(3, 4, 0);
const OUTSIDE: IVec3 = IVec3::new(300, 4, 0);

fn bounds() -> Region {
    Region::new(IVec3::ZERO, IVec3::new(20, 20, 0))
}

/// A world's memory grows with its contents; a step adds at most its scratch memory.
fn grows<W: Simulation>(world: &mut W, load: impl FnOnce(&mut W)) {
    let empty = world.memory_bytes();
    load(world);
    let loaded = world.memory_bytes();
    assert!(loaded > empty, "{loaded} bytes, {empty} when empty");
    world.step();
    assert!((1..1 << 21).contains(&world.memory_bytes()), "{} bytes", world.memory_bytes());
    assert_eq!(Simulation::ticks(world), 1);
}

#[test]
fn water_says_what_stands_where() {
    let rules = water::Rules { throughput: 3, ..water::Rules::lossless() };
    let mut world = WaterWorld::with_bounds(17, rules, bounds()).unwrap();
    grows(&mut world, |world| {
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
        world.fill_water(Region::cell(HERE), 5).unwrap();
    });
    assert_eq!((world.rules(), world.bounds(), world.seed()), (&rules, bounds(), 17));
    assert_eq!(
        (world.units(HERE), world.units(OUTSIDE), world.current(OUTSIDE)),
        (5, 0, IVec3::ZERO)
    );
    let cell = world.cell(HERE).unwrap();
    assert!(
        !cell.is_source()
            && !cell.has_source()
            && !cell.is_dry()
            && !cell.has_flow_out()
            && !cell.has_several_parents()
    );
    assert!(
        WaterCell::SOURCE.is_source()
            && WaterCell::DRY.is_dry()
            && WaterCell::default() == WaterCell::DRY
    );
}

/// All of a chunk of springs is springs, whichever way the chunk came.
#[test]
fn a_chunk_of_springs_is_a_chunk_of_springs() {
    let mut world = WaterWorld::new(17, water::Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::water(WaterCell::SOURCE))).unwrap();
    assert_eq!((world.total(), world.validate()), (7 * 4096, Ok(())));
    assert_eq!(world.add_source(IVec3::ONE), Ok(false), "it is one");
    assert_eq!(world.scoop(IVec3::ONE, 4), Ok(4), "it does not run dry");
    assert_eq!(
        (world.units(IVec3::ONE), world.ledger().injected, world.ledger().removed),
        (7, 4, 4)
    );
    assert_eq!(world.remove_source(IVec3::ONE), Ok(true));
    assert_eq!(world.remove_source(IVec3::ONE), Ok(false));
    assert_eq!(world.scoop(IVec3::ONE, 4), Ok(4));
    assert_eq!((world.units(IVec3::ONE), world.validate()), (3, Ok(())));
    assert_eq!(world.scoop(IVec3::ONE, 4), Ok(3));
    assert_eq!(world.scoop(IVec3::ONE, 4), Ok(0));
    assert_eq!(world.set_solid(IVec3::ONE), Ok(Displaced::default()));
    assert_eq!(world.set_solid(IVec3::ONE), Ok(Displaced::default()), "solid already");
    assert_eq!(
        (world.clear_solid(IVec3::ONE), world.clear_solid(IVec3::ONE)),
        (Ok(true), Ok(false))
    );
    world.wake_all();
    world.run(3);
    assert_eq!(world.validate(), Ok(()));
    assert_eq!(world.total(), 7 * 4096, "the springs fill the hole, and all is full");
}

#[test]
fn humidity_says_what_stands_where() {
    for sweep in
        [humidity::Sweep::Conservative, humidity::Sweep::InPlace, humidity::Sweep::Synchronous]
    {
        let rules = humidity::Rules::with_sweep(sweep);
        let mut world: HumidityWorld = HumidityWorld::with_bounds(rules, bounds()).unwrap();
        grows(&mut world, |world| {
            world
                .insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(5.0, 2.0)))
                .unwrap();
            world.set_rock(HERE).unwrap();
            world.set_rain(HERE + IVec3::Y, 9.0).unwrap();
        });
        assert_eq!((world.rules(), world.bounds()), (&rules, bounds()));
        assert_eq!((world.impermeability(HERE), world.impermeability(OUTSIDE)), (ROCK, ROCK));
        assert_eq!((world.humidity(HERE), world.humidity(OUTSIDE)), (5.0, 0.0));
        assert!(world.is_rock(HERE) && world.is_rock(OUTSIDE) && !world.is_rock(HERE + IVec3::X));
        assert!(world.is_rain(HERE + IVec3::Y) && !world.is_rain(HERE) && !world.is_rain(OUTSIDE));
        assert_eq!(world.clear_rain(HERE + IVec3::Y), Ok(true));
        assert_eq!(world.clear_rain(HERE + IVec3::Y), Ok(false));
    }
}

#[test]
fn two_dimensional_water_says_what_stands_where() {
    for rules in [water2d::Rules::default(), water2d::Rules::literal()] {
        let mut world = Water2dWorld::with_bounds(17, rules, bounds()).unwrap();
        grows(&mut world, |world| {
            world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::SOLID)).unwrap();
            world.fill_water(Region::cell(HERE), 250).unwrap();
        });
        assert_eq!((world.rules(), world.bounds(), world.seed()), (&rules, bounds(), 17));
        assert_eq!((world.level(HERE), world.level(OUTSIDE)), (250, 0));
        assert!(
            !world.is_solid(HERE) && world.is_solid(HERE + IVec3::X) && !world.is_solid(OUTSIDE)
        );
        assert_eq!(
            format!("{:?} {:?}", world.cell(HERE).unwrap(), water2d::Cell::SOLID),
            "Water(250) Solid"
        );
        // Water displaced by the wall has one way out.
        world.clear_solid(HERE + IVec3::Y).unwrap();
        assert_eq!(world.set_solid(HERE), Ok(Displaced { moved: 250, removed: 0 }));
        assert_eq!(world.fill_solid(Region::cell(HERE + IVec3::Y)), Ok(250));
        world.wake_all();
        assert_eq!((world.total(), world.validate()), (0, Ok(())));
    }
    assert_eq!(water2d::Cell::default(), water2d::Cell::AIR);
}

#[test]
fn explosions_say_what_stands_where() {
    let rules = blast::Rules::default();
    let mut world: BlastWorld =
        BlastWorld::with_bounds(rules, bounds(), Borders::default()).unwrap();
    grows(&mut world, |world| {
        world.set_wall(HERE, 5.0).unwrap();
        world.set_pressure(HERE + IVec3::X * 3, 2.0).unwrap();
        world.set_link(HERE + IVec3::Y * 3, Face::East, 0.5).unwrap();
    });
    assert_eq!(
        (world.rules(), world.bounds(), world.borders()),
        (&rules, bounds(), Borders::default())
    );
    assert_eq!((world.strength(HERE), world.strength(OUTSIDE)), (Some(5.0), None));
    assert_eq!(world.link(HERE + IVec3::Y * 3, Face::East), Some(0.5));
    assert_eq!(
        (world.link(OUTSIDE, Face::East), world.link(IVec3::ZERO, Face::West)),
        (None, None)
    );
    assert_eq!(
        (world.flow(OUTSIDE), world.exposure(OUTSIDE), world.exposure(HERE)),
        (DVec3::ZERO, 0.0, 0.0)
    );
    let mut probe = Probe::new(HERE, 2.0).unwrap();
    probe.move_to(HERE + IVec3::X);
    assert_eq!(*probe.place(), HERE + IVec3::X);
}

#[test]
fn graphs_say_what_stands_where() {
    let rules = blast::Rules { threshold: 1.0, ..blast::Rules::wave(0.1, 0.9) };
    let mut graph = BlastGraph::new(rules).unwrap();
    let empty = graph.memory_bytes();
    let [a, b] = [DVec3::ZERO, DVec3::X].map(|place| graph.add_node(place, 0.0).unwrap());
    graph.add_link(a, b, 0.5).unwrap();
    graph.set_wall(b, 7.0).unwrap();
    assert!(graph.memory_bytes() > empty);
    assert_eq!((graph.rules(), graph.ticks(), graph.awake_nodes()), (&rules, 0, 2));
    assert_eq!(
        (graph.position(b), graph.strength(b), graph.pressure(b)),
        (Some(DVec3::X), Some(7.0), Some(0.0))
    );
    assert_eq!(
        (graph.link(a, b), graph.link(b, a), graph.link(a, a)),
        (Some(0.5), Some(0.5), None)
    );
    assert_eq!((graph.clear_wall(b), graph.clear_wall(b)), (Ok(true), Ok(false)));
    assert_eq!(graph.set_link(a, b, 1.0), Ok(0.5));
    graph.set_pressure(a, 30.0).unwrap();
    graph.step();
    let out = 0.9 * 0.1 * 30.0;
    assert!(
        (graph.flow(a) - DVec3::X * out).length() < 1e-12
            && (graph.exposure(b) - out).abs() < 1e-12
    );
    assert_eq!(graph.set_link(a, b, 0.0), Ok(1.0));
    assert_eq!((graph.flow(a), graph.exposure(b)), (DVec3::ZERO, 0.0), "nothing passes any more");
    // Too little to hear is absorbed as a whole.
    graph.set_pressure(a, 0.5).unwrap();
    graph.set_pressure(b, 0.25).unwrap();
    graph.step();
    assert_eq!(graph.total(), 0.0);
    graph.step();
    assert!(graph.is_at_rest() && graph.awake_nodes() == 0 && graph.take_events().is_empty());
    graph.wake_all();
    assert_eq!((graph.is_at_rest(), graph.take_changes()), (false, vec![a, b]));
    assert_eq!(graph.remove_node(a), Ok(0.0));
    assert_eq!((graph.nodes().collect::<Vec<_>>(), graph.position(a)), (vec![b], None));
    assert_eq!(graph.validate(), Ok(()));
}

/// The sum of no floating-point numbers is −0, which is printed with its sign.
#[test]
fn nothing_adds_up_to_zero_and_not_to_a_zero_below_it() {
    let world: BlastWorld =
        BlastWorld::with_bounds(blast::Rules::default(), bounds(), Borders::default()).unwrap();
    let mut graph = BlastGraph::new(blast::Rules::default()).unwrap();
    let mut sums =
        vec![world.total(), world.exposure(HERE), world.exposure(OUTSIDE), graph.total()];
    let alone = graph.add_node(DVec3::ZERO, 0.0).unwrap();
    sums.push(graph.exposure(alone));
    for sweep in
        [humidity::Sweep::Conservative, humidity::Sweep::InPlace, humidity::Sweep::Synchronous]
    {
        let world: HumidityWorld = HumidityWorld::new(humidity::Rules::with_sweep(sweep)).unwrap();
        sums.push(world.total());
    }
    for (at, sum) in sums.into_iter().enumerate() {
        assert_eq!(sum.to_string(), "0", "sum {at}");
    }
}

#[test]
fn regions_of_the_wrong_length_are_not_copied() {
    let mut grid = Grid::<u16, Cube>::new(0);
    let wrong = GridError::SliceLength { slice: 5, region: 6 };
    let region = Region::new(IVec3::ZERO, IVec3::new(2, 1, 0));
    assert_eq!(grid.copy_in(region, &[1; 5]), Err(wrong));
    assert_eq!(grid.copy_out(region, &mut [1; 5]), Err(wrong));
    assert_eq!(grid.chunk_count(), 0);
    assert_eq!(grid.wake(IVec3::ZERO), Err(GridError::NoChunk(ChunkPos::ZERO)));
    let mut mask = CellMask::FULL;
    mask.remove(9);
    assert_eq!((mask.len(), CellMask::default()), (4095, CellMask::EMPTY));
}

#[test]
fn a_scenario_says_what_it_is() {
    let text = "automaton = \"humidity\"\nticks = 9\n[[layer]]\nrows = [\"..\", \"S \"]";
    let scenario = Scenario::from_toml(text).unwrap();
    assert_eq!((scenario.automaton(), scenario.ticks(), scenario.cells()), ("humidity", 9, 4));
}
