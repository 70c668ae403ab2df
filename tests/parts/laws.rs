//! The law: parts have the bytes, accounts, reports and changes of the undivided world.

use crate::worlds::{Blast, DeepBlast, DeepSoil, Divided, Drawn, Soil};
use floodplain::water2d::Water2dWorld;

/// Runs random worlds from a seed on, 320 in all over the tests of this file.
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

/// A list of changes that is taken changes no hash; a step does.
fn hashes_have_no_marks_of_changes<W: Drawn>(worlds: u64) {
    let mut marked = 0;
    for seed in 0..worlds {
        let (mut world, _) = W::draw(seed);
        world.run(7);
        let before = world.hash_part();
        marked += world.take_changes().len();
        assert_eq!(world.hash_part(), before, "seed {seed}");
        world.step();
        let is_empty = world.chunk_positions().is_empty();
        assert_eq!(world.hash_part() == before, is_empty, "seed {seed}");
    }
    assert!(marked > 0, "nothing was marked");
}

#[test]
fn marks_of_changes_are_in_no_hash() {
    hashes_have_no_marks_of_changes::<Soil>(10);
    hashes_have_no_marks_of_changes::<DeepSoil>(10);
    hashes_have_no_marks_of_changes::<Water2dWorld>(10);
    hashes_have_no_marks_of_changes::<Blast>(10);
    hashes_have_no_marks_of_changes::<DeepBlast>(10);
}

/// Messages are about chunks that were awake before the step. Parts in which all are asleep beside
/// others send none.
fn only_awake_chunks_are_sent<W: Drawn>(worlds: u64, steps: u64) {
    let (mut sent, mut asleep) = (0, 0);
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw(seed);
        for _ in 0..steps {
            divided.step_checking(|awake, messages| {
                sent += messages.len();
                asleep += usize::from(awake.is_empty());
                let is_awake = |chunk| awake.iter().any(|&(other, _)| other == chunk);
                for message in messages {
                    assert!(is_awake(message.chunk), "seed {seed}: {}", message.chunk);
                }
            });
        }
    }
    assert!(sent > 0 && asleep > 0, "{sent} messages, {asleep} steps of parts asleep");
}

#[test]
fn only_awake_chunks_are_in_messages() {
    only_awake_chunks_are_sent::<Soil>(20, 60);
    only_awake_chunks_are_sent::<DeepSoil>(20, 60);
    only_awake_chunks_are_sent::<Water2dWorld>(20, 60);
}

#[test]
fn parts_of_soil_equal_the_whole() {
    parts_equal_the_whole::<Soil>(50, 20);
    parts_equal_the_whole::<DeepSoil>(50, 20);
}

#[test]
fn parts_of_slices_of_water_equal_the_whole() {
    parts_equal_the_whole::<Water2dWorld>(80, 30);
}

#[test]
fn parts_of_explosions_equal_the_whole() {
    parts_equal_the_whole::<Blast>(50, 40);
    parts_equal_the_whole::<DeepBlast>(90, 40);
}
