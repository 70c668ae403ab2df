//! What is measured: worlds, and what happens in them.

use crate::server::Server;
use crate::valley::Valley;
use crate::{fields, jobs, water};
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{HumidityWorld, Sweep};
use floodplain::water::WaterWorld;
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{CHUNK_CELLS, Region, Sheet, Simulation, StepReport};
use std::error::Error;

/// Makes a world as it is before its first tick.
type Build = fn() -> Result<Box<dyn World + Send>, Box<dyn Error>>;

/// A world and the number of its ticks, which end earlier if it is done.
pub struct Workload {
    pub name: &'static str,
    pub ticks: u64,
    pub build: Build,
}

/// A world that is measured.
pub trait World {
    /// Does what is not measured before a tick.
    fn prepare(&mut self, _tick: u64) {}
    /// Returns whether the run ends before its last tick.
    fn is_done(&self) -> bool {
        false
    }
    /// Returns the number of chunks that the next tick updates: those with awake cells.
    fn awake_chunks(&self) -> usize;
    /// Makes the edits before a tick and runs it. Returns the cells visited.
    fn tick(&mut self, tick: u64) -> u64;
    /// Returns the units that pressure has moved; 0 in workloads that do not measure it.
    fn units_by_pressure(&self) -> u64 {
        0
    }
    /// Returns the bytes that the world holds.
    fn memory_bytes(&self) -> usize;
    /// Returns the hash of its state, by which runs of the same work are known.
    fn state_hash(&self) -> u64;
}

/// Water, and what is done to it.
pub struct Water {
    pub world: WaterWorld,
    /// Not measured.
    pub prepare: fn(&mut WaterWorld, u64),
    /// Measured with its tick.
    pub edit: fn(&mut WaterWorld, u64),
    /// World ticks in a tick of the workload.
    pub steps: u64,
    pub until_at_rest: bool,
    pub units_by_pressure: fn(&WaterWorld) -> u64,
}

impl From<WaterWorld> for Water {
    fn from(world: WaterWorld) -> Water {
        Water {
            world,
            prepare: |_, _| {},
            edit: |_, _| {},
            steps: 1,
            until_at_rest: false,
            units_by_pressure: |_| 0,
        }
    }
}

impl World for Water {
    fn prepare(&mut self, tick: u64) {
        (self.prepare)(&mut self.world, tick);
    }

    fn is_done(&self) -> bool {
        self.until_at_rest && self.world.is_at_rest()
    }

    fn awake_chunks(&self) -> usize {
        self.world.awake_chunks().count()
    }

    fn tick(&mut self, tick: u64) -> u64 {
        (self.edit)(&mut self.world, tick);
        (0..self.steps).map(|_| self.world.step().visited).sum()
    }

    fn units_by_pressure(&self) -> u64 {
        (self.units_by_pressure)(&self.world)
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

impl<W: Simulation> World for Field<W> {
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

/// Writes down a workload of a number of ticks.
macro_rules! workload {
    ($name:literal, $ticks:literal, $world:expr) => {
        Workload { name: $name, ticks: $ticks, build: || Ok(Box::new($world)) }
    };
}

/// Returns the workloads of a run without `--only`: six of water, then the automata on fields of
/// 512² cells.
pub fn usual() -> Vec<Workload> {
    vec![
        // 1,024 springs on a floor of 256².
        workload!("floor", 100, water::springs(0)),
        // The same 63 cells above it, until all of it is wet: Luanti's own job.
        workload!("falls", 103, water::springs(63)),
        // 400 drops a tick on real ground, 403 × 344 columns.
        workload!("storm", 80, water::storm()?),
        // A lake of 256² × 16 cells with a hole in its floor.
        workload!("lake", 1_000, water::lake()),
        // A channel of 10,000 cells in steady flow.
        workload!("river", 500, water::river()),
        // A sea that breaks into a cave below its level.
        workload!("sea", 400, water::sea()?),
        workload!("humidity", 100, Field(humidity())),
        workload!("explosion", 100, Field(diffusive())),
        workload!("wave", 100, Field(wave())),
        workload!("water2d", 50, Field(settling())),
    ]
}

/// Returns the other workloads: longer jobs of water, as players and servers have them.
pub fn long() -> Vec<Workload> {
    vec![
        // A wall of 64×24×96 cells of water let into a valley 256 long; then until at rest.
        workload!("dam", 400, Water::from(jobs::dam())),
        workload!("dam_until_rest", 4_000, water::dam_until_rest()),
        // Two tanks whose levels differ, joined by a pipe.
        workload!("tanks", 400, water::tanks()),
        // A still lake of 128² cells into which 63 units a tick are poured.
        workload!("lake_filled", 400, water::filled_lake()),
        // Drops on each 256th column of hills that are wet already.
        workload!("rain", 60, Water { edit: jobs::storm, ..jobs::hills().into() }),
        // The water of `server_tick --all` for 15 seconds, in whole ticks; its rivers alone.
        workload!("server", 300, Server::new()?),
        workload!("server_rivers", 300, Server::rivers()?),
        // The example `valley`: its storm, and its springs afterwards.
        workload!("valley_rain", 144, Valley::new(0)?),
        workload!("valley_springs", 336, Valley::new(144)?),
        // A spring on a plain.
        workload!("plain", 1_500, Water::from(jobs::plain())),
        // A spring of a unit a tick feeds a still lake of 160×24×160 cells.
        workload!("trickle", 10_000, Water::from(jobs::fed_lake(IVec3::new(160, 24, 160)))),
        // All 65,536 cells of a sealed lake are woken before each tick.
        workload!("recheck", 1_000, water::recheck()),
        // 20,000 chunks at rest: a thousand ticks at a time.
        workload!("asleep", 100, Water { steps: 1_000, ..jobs::puddles(20_000).into() }),
    ]
}

/// Returns the region of this size that begins at zero.
pub fn region(size: IVec3) -> Region {
    Region::new(IVec3::ZERO, size - IVec3::ONE)
}
