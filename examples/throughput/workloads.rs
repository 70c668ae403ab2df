//! What is measured: worlds, and what happens in them.

use crate::{fields, water};
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{HumidityWorld, Sweep};
use floodplain::water::WaterWorld;
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Automaton, CHUNK_CELLS, Region, Sheet, StepReport};
use std::error::Error;

/// Makes a world as it is before its first tick.
type Build = fn() -> Result<Box<dyn World + Send>, Box<dyn Error>>;

/// A world and so many ticks of it.
pub struct Workload {
    pub name: &'static str,
    pub ticks: u64,
    pub build: Build,
}

/// A world that is measured.
pub trait World {
    /// Returns the number of chunks that the next tick updates: those with awake cells.
    fn awake_chunks(&self) -> usize;
    /// Makes the edits before a tick and runs it. Returns the cells visited.
    fn tick(&mut self, tick: u64) -> u64;
    /// Returns the bytes that the world holds.
    fn memory_bytes(&self) -> usize;
    /// Returns the hash of its state, by which runs of the same work are known.
    fn state_hash(&self) -> u64;
}

/// Water, and the edits before its ticks.
pub struct Water {
    pub world: WaterWorld,
    pub edit: fn(&mut WaterWorld, u64),
}

impl World for Water {
    fn awake_chunks(&self) -> usize {
        self.world.awake_chunks().count()
    }

    fn tick(&mut self, tick: u64) -> u64 {
        (self.edit)(&mut self.world, tick);
        self.world.step().visited
    }

    fn memory_bytes(&self) -> usize {
        self.world.memory_bytes()
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}

/// A field of which every cell is awake.
struct Field<W>(W);

impl<W: Automaton> World for Field<W> {
    fn awake_chunks(&self) -> usize {
        self.0.awake_cells().div_ceil(CHUNK_CELLS)
    }

    fn tick(&mut self, _: u64) -> u64 {
        let StepReport { visited, .. } = self.0.step();
        visited
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    fn state_hash(&self) -> u64 {
        self.0.state_hash()
    }
}

/// Returns 512² cells, as 64 chunks.
fn square() -> Region {
    fields::chunks([8, 8, 1])
}

fn humidity() -> HumidityWorld<Sheet> {
    fields::humidity(Sweep::Conservative, square())
}

fn diffusive() -> BlastWorld<Sheet> {
    fields::blast(blast::Rules::default(), square())
}

fn wave() -> BlastWorld<Sheet> {
    fields::blast(blast::Rules::wave(0.25, 0.9), square())
}

fn settling() -> Water2dWorld {
    fields::water2d(water2d::Rules::default(), square())
}

/// Returns all workloads: the six of water, then the automata on fields of 512² cells.
pub fn all() -> Vec<Workload> {
    vec![
        // 1,024 springs on a floor of 256².
        Workload { name: "floor", ticks: 100, build: || Ok(Box::new(water::springs(0))) },
        // The same 63 cells above it, until all of it is wet: Luanti's own job.
        Workload { name: "falls", ticks: 103, build: || Ok(Box::new(water::springs(63))) },
        // 400 drops a tick on real ground, 403 × 344 columns.
        Workload { name: "storm", ticks: 80, build: || Ok(Box::new(water::storm()?)) },
        // A lake of 256² × 16 cells with a hole in its floor.
        Workload { name: "lake", ticks: 1_000, build: || Ok(Box::new(water::lake())) },
        // A channel of 10,000 cells in steady flow.
        Workload { name: "river", ticks: 500, build: || Ok(Box::new(water::river())) },
        // A sea that breaks into a cave below its level.
        Workload { name: "sea", ticks: 400, build: || Ok(Box::new(water::sea()?)) },
        Workload { name: "humidity", ticks: 100, build: || Ok(Box::new(Field(humidity()))) },
        Workload { name: "explosion", ticks: 100, build: || Ok(Box::new(Field(diffusive()))) },
        Workload { name: "wave", ticks: 100, build: || Ok(Box::new(Field(wave()))) },
        Workload { name: "water2d", ticks: 50, build: || Ok(Box::new(Field(settling()))) },
    ]
}

/// Returns the region of this size that begins at zero.
pub fn region(size: IVec3) -> Region {
    Region::new(IVec3::ZERO, size - IVec3::ONE)
}
