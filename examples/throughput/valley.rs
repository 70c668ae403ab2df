//! The water of the example `valley`: a storm over real ground, then springs at its valley heads.

#[cfg_attr(not(test), expect(dead_code, reason = "the example itself uses the rest"))]
#[path = "../valley/dem.rs"]
mod dem;
#[path = "../valley/ground.rs"]
mod ground;
#[path = "../valley/rivers.rs"]
mod rivers;
#[expect(dead_code, reason = "the example itself uses the rest")]
#[path = "../valley/storm.rs"]
mod storm;

use crate::workloads::World;
use dem::Dem;
use floodplain::water::{Rules, WaterWorld};
use ground::Ground;
use rivers::Rivers;
use std::error::Error;
use std::io::Cursor;
use storm::Storm;

/// The length, the seed and the metres of a voxel that the example takes without options.
const TICKS: u64 = 480;
const SEED: u64 = 7;
const METRES: f64 = 4.0;

pub struct Valley {
    world: WaterWorld,
    ground: Ground,
    storm: Storm,
}

impl Valley {
    /// Returns the valley after a number of ticks.
    pub fn new(ticks: u64) -> Result<Valley, Box<dyn Error>> {
        let dem = Dem::decode(Cursor::new(include_bytes!("../data/jacksboro_dem_m.png")))?;
        let rivers = Rivers::of(&dem);
        let ground = Ground::new(&dem, &rivers, METRES)?;
        let world = ground.world(SEED, Rules::default())?;
        let storm = Storm::new(SEED, TICKS, &ground, rivers.heads(&dem));
        let mut valley = Valley { world, ground, storm };
        for _ in 0..ticks {
            valley.prepare(0);
            valley.tick(0);
        }
        Ok(valley)
    }
}

impl World for Valley {
    /// The weather, by the ticks of the world: the example's own part.
    fn prepare(&mut self, _: u64) {
        let Valley { world, ground, storm } = self;
        storm.weather(world.ticks(), ground, world).expect("the map is loaded");
    }

    fn awake_chunks(&self) -> usize {
        self.world.awake_chunks().count()
    }

    fn tick(&mut self, _: u64) -> u64 {
        self.world.step().visited
    }

    fn memory_bytes(&self) -> usize {
        self.world.memory_bytes()
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}
