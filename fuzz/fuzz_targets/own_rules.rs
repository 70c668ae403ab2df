//! Your own rules, with a law of your own, under any edits.

#![no_main]

use floodplain::testing::{Run, Small, Start, Watched};
use floodplain::water::{Rules, WaterWorld};
use libfuzzer_sys::fuzz_target;

/// The rules of your game.
fn rules() -> Rules {
    Rules { throughput: 3, source_supply: 2, ..Rules::lossless() }
}

/// What your game relies on.
fn springs_are_full(world: &WaterWorld) -> Result<(), String> {
    let is_dry = |&cell: &_| {
        let water = world.cell(cell);
        water.is_some_and(|water| water.is_source() && water.height() < 7)
    };
    match world.bounds().positions().find(is_dry) {
        None => Ok(()),
        Some(cell) => Err(format!("the spring at {cell}")),
    }
}

fuzz_target!(|run: Run<WaterWorld>| {
    let start = Start { rules: rules(), ..run.start };
    let world = || WaterWorld::build(&start);
    let mut watched = Watched::new(world).with_law("springs_are_full", springs_are_full);
    if let Err(broken) = watched.play(&run.ops) {
        panic!("{broken}");
    }
});
