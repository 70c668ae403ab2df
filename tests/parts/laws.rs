//! The law: parts have the bytes, accounts, reports and changes of the undivided world.

use crate::worlds::{Blast, DeepBlast, DeepSoil, Divided, Drawn, Soil};
use floodplain::water2d::Water2dWorld;

/// Runs random worlds from a seed on, 1,000 in all over the tests of this file.
fn parts_equal_the_whole<W: Drawn>(worlds: u64, steps: u64) {
    let mut several = 0;
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw(seed);
        several += u64::from(divided.parts.len() > 1);
        for step in 1..=steps {
            let (report, expected) = (divided.step(), divided.whole.step());
            let replay = format!("seed {seed}, step {step}, {} parts", divided.parts.len());
            assert_eq!(report, expected, "{replay}");
            if step % 5 != 0 && step != steps {
                continue;
            }
            let (account, hash) = divided.sums();
            assert_eq!(account, divided.whole.account(), "{replay}");
            assert_eq!(hash, divided.whole.hash_part(), "{replay}");
            let events: usize = divided.parts.iter_mut().map(|part| part.take_events().len()).sum();
            assert_eq!(events, divided.whole.take_events().len(), "{replay}");
            let changes = format!("{:?}", divided.whole.take_changes());
            assert_eq!(divided.changes(), changes, "{replay}");
        }
        let awake: usize = divided.parts.iter().map(|part| part.awake_cells()).sum();
        assert_eq!(awake, divided.whole.awake_cells(), "seed {seed}");
        for part in &divided.parts {
            assert_eq!(part.validate(), Ok(()), "seed {seed}");
        }
    }
    assert!(several > worlds / 2, "{several} of {worlds} worlds were divided");
}

#[test]
fn parts_of_soil_equal_the_whole() {
    parts_equal_the_whole::<Soil>(150, 20);
    parts_equal_the_whole::<DeepSoil>(150, 20);
}

#[test]
fn parts_of_slices_of_water_equal_the_whole() {
    parts_equal_the_whole::<Water2dWorld>(200, 30);
}

#[test]
fn parts_of_explosions_equal_the_whole() {
    parts_equal_the_whole::<Blast>(150, 40);
    parts_equal_the_whole::<DeepBlast>(350, 40);
}
