//! Worlds of materials: runs of them, small worlds, and the parts run apart, coupled by hand.

pub mod apart;
mod exchange;
pub mod feed;
pub mod hostile;
pub mod runs;
mod saves;
mod throws;

pub use floodplain::testing::palette;
use floodplain::testing::{Small, Start};
use floodplain::world::{Couplings, MaterialId, Rules, UnderWater, World};
use floodplain::{Region, water};

/// The number of a material of [`palette`].
pub fn id(name: &str) -> MaterialId {
    palette().id(name).expect("of the palette")
}

/// Rules with a short clock, without evaporation, and with soil that soaks up water fast.
pub fn rules() -> Rules {
    let couplings = Couplings { seepage: 0.3, ..Couplings::default() };
    let water = water::Rules::lossless();
    Rules { water, soil_period: 2, blast_steps: 3, couplings, ..Rules::default() }
}

/// The same rules without all that passes between explosions and water.
pub fn uncoupled(rules: Rules) -> Rules {
    Rules { spilling: false, under_water: UnderWater::Passes, throw_flow: None, ..rules }
}

/// A world all of whose chunks are loaded: air over a floor of soil.
pub fn world(seed: u64, rules: Rules, bounds: Region) -> World {
    World::build(&Start { seed, rules, bounds })
}
