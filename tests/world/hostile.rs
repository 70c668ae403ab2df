//! Clients that send anything: no panic, no broken law, and what is refused changes nothing.

use fastrand::Rng;
use support::world::hostile::{Counts, WHAT, run};

/// The same runs as those of the fuzz target `world_hostile`.
#[test]
fn no_client_breaks_a_world() {
    let mut rng = Rng::with_seed(11);
    let mut all = Counts::new();
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..rng.usize(64..256)).map(|_| rng.u8(..)).collect();
        // The last ones printed replay what fails.
        println!("{bytes:?}");
        run(&bytes).into_iter().for_each(|(what, times)| *all.entry(what).or_default() += times);
    }
    println!("{all:?}");
    WHAT.iter().for_each(|what| assert!(all.get(what) > Some(&4), "{what}: {all:?}"));
}
