//! Small worlds of the automata other than water, and the hash of what each goes through.
//!
//! Each grid has at least 16 chunks awake, from which on the threads of a pool share a step, where
//! they share steps at all: not in the in-place sweep, the settling rule and graphs. The sheets of
//! the synchronous and the conservative sweep have so many that `run` does several steps per pass,
//! where the threads are not too many for that.

use fastrand::Rng;
use floodplain::blast::{self, BlastGraph, BlastWorld, Borders};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{
    CHUNK_CELLS, Chunk, Cube, Face, FieldShape, Region, Sheet, Simulation, StepReport,
};
use std::error::Error;

type Hashed = Result<u64, Box<dyn Error>>;

/// The name of a world, and what makes and runs it.
type World = (&'static str, fn() -> Hashed);

/// The worlds, in the order of the record.
pub const WORLDS: [World; 11] = [
    ("humidity_in_place", || go(humidity::<Sheet>(Sweep::InPlace, SQUARE)?)),
    ("humidity_synchronous", || go(humidity::<Sheet>(Sweep::Synchronous, LARGE_SQUARE)?)),
    ("humidity_conservative", || go(humidity::<Sheet>(Sweep::Conservative, LARGE_SQUARE)?)),
    ("humidity_cubes", || go(humidity::<Cube>(Sweep::Synchronous, BLOCK)?)),
    ("blast_diffusive", || go(blast::<Sheet>(blast::Rules::diffusive(0.24), WIDE_SQUARE)?)),
    ("blast_wave", || go(blast::<Sheet>(blast::Rules::wave(0.25, 0.98), SQUARE)?)),
    ("blast_cubes", || go(blast::<Cube>(blast::Rules::wave(0.2, 0.9), BLOCK)?)),
    ("blast_graph_diffusive", || go_graph(graph(blast::Rules::diffusive(0.24))?)),
    ("blast_graph_wave", || go_graph(graph(blast::Rules::wave(0.25, 0.98))?)),
    ("water_2d_literal", || go(water_2d(water2d::Rules::literal())?)),
    ("water_2d_settling", || go(water_2d(water2d::Rules::default())?)),
];

/// The last chunks of worlds whose first is at zero: 36, of which 16 lie amid others.
const SQUARE: IVec3 = IVec3::new(5, 5, 0);
/// 64.
const WIDE_SQUARE: IVec3 = IVec3::new(7, 7, 0);
/// 144.
const LARGE_SQUARE: IVec3 = IVec3::new(11, 11, 0);
/// 18 cubes.
const BLOCK: IVec3 = IVec3::new(2, 2, 1);

/// Steps in one call.
const RUNS: [u64; 6] = [1, 1, 10, 1, 16, 1];

fn go<A: Simulation>(mut world: A) -> Hashed {
    mix(|steps| (if steps == 1 { world.step() } else { world.run(steps) }, world.state_hash()))
}

fn go_graph(mut graph: BlastGraph) -> Hashed {
    mix(|steps| (if steps == 1 { graph.step() } else { graph.run(steps) }, graph.state_hash()))
}

/// The hashes after every run, mixed into one. Fails if nothing changes, for then the rest would be
/// no test.
fn mix(mut run: impl FnMut(u64) -> (StepReport, u64)) -> Hashed {
    RUNS.iter().try_fold(0_u64, |mixed, &steps| match run(steps) {
        (StepReport { changed: 0, .. }, _) => {
            Err(format!("nothing changed in {steps} steps").into())
        }
        (_, hash) => Ok(mixed.rotate_left(7) ^ hash),
    })
}

/// Wet ground with rocks and rain, which drains in the south.
fn humidity<S: FieldShape>(sweep: Sweep, last: IVec3) -> Result<HumidityWorld<S>, Box<dyn Error>> {
    let mut rng = Rng::with_seed(1);
    let rules = humidity::Rules { cap: 700.0, ..humidity::Rules::with_sweep(sweep) };
    let rules = rules.with_border(Face::Down, humidity::Border::Drain);
    let bounds = Region::new(IVec3::ZERO, S::region_of(last.into()).max());
    let mut world = HumidityWorld::with_bounds(rules, bounds)?;
    for chunk in Region::new(IVec3::ZERO, last).positions() {
        let cells = core::array::from_fn(|_| match rng.u32(..50) {
            0 => humidity::Cell::ROCK,
            1 => humidity::Cell::rain(1024.0 * rng.f64(), 1.0),
            _ => humidity::Cell::soil(100.0 * rng.f64(), 0.75 + 2.0 * rng.f32()),
        });
        world.insert_chunk(chunk.into(), Chunk::<humidity::Cell>::from_cells(&cells))?;
    }
    Ok(world)
}

/// Pressure in all chunks but the last, which the front opens. In the first, a charge before walls
/// of which some break, links of many weights and obstacles. Periodic along x, open along y, rigid
/// along z.
fn blast<S: FieldShape>(rules: blast::Rules, last: IVec3) -> Result<BlastWorld<S>, Box<dyn Error>> {
    let mut rng = Rng::with_seed(2);
    let bounds = Region::new(IVec3::ZERO, S::region_of(last.into()).max());
    let borders =
        Borders { x: blast::Border::Periodic, y: blast::Border::Open, z: blast::Border::Rigid };
    let mut world = BlastWorld::with_bounds(rules, bounds, borders)?;
    for chunk in Region::new(IVec3::ZERO, last).positions().filter(|&chunk| chunk != last) {
        let cells: [f32; CHUNK_CELLS] = core::array::from_fn(|_| 100.0 * rng.f32());
        world.insert_chunk(chunk.into(), Chunk::from_cells(&cells))?;
    }
    world.set_pressure(IVec3::new(5, 6, 0), 3000.0)?;
    for y in 2..12 {
        world.set_wall(IVec3::new(3, y, 0), 30.0 * y as f32)?;
        world.set_link(IVec3::new(7, y, 0), Face::East, rng.f32())?;
        world.set_solid(IVec3::new(11, y, 0))?;
    }
    Ok(world)
}

/// Nodes near the places of a square lattice, with links of many weights, periodic along x and with
/// vents at one end of y; a charge and walls of which some break.
fn graph(rules: blast::Rules) -> Result<BlastGraph, Box<dyn Error>> {
    const SIDE: usize = 40;
    let mut rng = Rng::with_seed(3);
    let mut graph = BlastGraph::new(rules)?;
    let mut nodes = Vec::new();
    for place in 0..SIDE * SIDE {
        let lattice = DVec3::new((place % SIDE) as f64, (place / SIDE) as f64, 0.0);
        let off = DVec3::new(rng.f64(), rng.f64(), rng.f64());
        nodes.push(graph.add_node(lattice + 0.4 * off, 100.0 * rng.f64())?);
    }
    for (row, line) in nodes.chunks(SIDE).enumerate() {
        for pair in line.windows(2) {
            graph.add_link(pair[0], pair[1], rng.f64())?;
        }
        graph.add_link_along(line[SIDE - 1], line[0], rng.f64(), DVec3::X)?;
        for (&node, &above) in line.iter().zip(nodes.get((row + 1) * SIDE..).unwrap_or_default()) {
            graph.add_link(node, above, rng.f64())?;
        }
    }
    for (x, &node) in nodes[..SIDE].iter().enumerate() {
        graph.add_vent(node, rng.f64(), DVec3::NEG_Y)?;
        graph.set_wall(nodes[5 * SIDE + x], 20.0 * x as f64 + 10.0)?;
    }
    graph.set_pressure(nodes[6 * SIDE + 6], 3000.0)?;
    Ok(graph)
}

/// Rocks, air and water, much of it under pressure.
fn water_2d(rules: water2d::Rules) -> Result<Water2dWorld, Box<dyn Error>> {
    let mut rng = Rng::with_seed(4);
    let mut world = Water2dWorld::new(5, rules)?;
    for chunk in Region::new(IVec3::ZERO, SQUARE).positions() {
        let mut chunk_of_cells = Chunk::uniform(water2d::Cell::AIR);
        for cell in chunk_of_cells.cells_mut() {
            *cell = match rng.u32(..100) {
                0..15 => water2d::Cell::SOLID,
                15..50 => water2d::Cell::AIR,
                level => water2d::Cell::water(2 * level).expect("below the highest"),
            };
        }
        chunk_of_cells.canonicalize();
        world.insert_chunk(chunk.into(), chunk_of_cells)?;
    }
    Ok(world)
}
