//! What is opened is what was saved, and each save writes exactly the chunks that differ.

use crate::disk::{Disk, Unsynced};
use crate::living::{born, live, records};
use crate::path;
use floodplain::ChunkPos;
use floodplain::save_file::{SaveError, SaveFile, SaveReport};
use floodplain::snapshot::Saved;
use floodplain::water::WaterWorld;
use std::collections::BTreeMap;
use std::fs;
use support::snapshot::forgery::packed;

/// Bytes of the keys and values of a save of this world that writes the records given, each value
/// with its checksum.
fn bytes_of<'r>(world: &WaterWorld, records: impl Iterator<Item = &'r Vec<u8>>) -> u64 {
    const CHECKSUM: usize = 4;
    let (mut rules, mut state) = (Vec::new(), Vec::new());
    world.put_rules(&mut rules);
    world.put_state(&mut state);
    let entries = [("format", 12), ("rules", rules.len()), ("state", state.len()), ("count", 8)];
    let head: usize = entries.iter().map(|(name, value)| name.len() + value + CHECKSUM).sum();
    (head + records.map(|record| 12 + packed(record).len() + CHECKSUM).sum::<usize>()) as u64
}

#[test]
fn opening_gives_the_saved_world_and_only_changes_are_written() {
    for seed in 0..40 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut disk = Disk::default();
        let mut world = born(seed);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let mut last = records(&world);
        for round in 0..10 {
            live(&mut world, &mut rng);
            let now = records(&world);
            let mut written: BTreeMap<_, _> = now.iter().collect();
            written.retain(|&position, &mut record| last.get(position) != Some(record));
            let expected = SaveReport {
                chunks_written: written.len(),
                chunks_removed: last.keys().filter(|&position| !now.contains_key(position)).count(),
                chunks_unloaded: 0,
                bytes: bytes_of(&world, written.into_values()),
            };
            assert_eq!(file.save(&world).unwrap(), expected, "seed {seed}, round {round}");
            last = now;
            if rng.bool() {
                if rng.bool() {
                    drop(file);
                }
                disk = disk.after_power_loss(Unsynced::Lost);
                let opened;
                (file, opened) = SaveFile::<WaterWorld>::open_on(disk.clone()).unwrap();
                assert!(opened.save() == world.save(), "seed {seed}, round {round}: another world");
                assert_eq!(opened.validate(), Ok(()), "seed {seed}, round {round}");
                world = opened;
            }
        }
    }
}

#[test]
fn a_save_of_another_world_replaces_the_whole() {
    let disk = Disk::default();
    let mut file = SaveFile::create_on(disk.clone(), &born(1)).unwrap();
    let mut other = born(2);
    other.remove_chunk(ChunkPos::ZERO).unwrap();
    other.run(3);
    assert_eq!(file.save(&other).unwrap().chunks_removed, 1);
    drop(file);
    let (_, opened) = SaveFile::<WaterWorld>::open_on(disk).unwrap();
    assert!(opened.save() == other.save());
}

#[test]
fn a_file_is_created_once_and_opened_by_one_at_a_time() {
    let path = path("once");
    let world = born(3);
    let file = SaveFile::create(&path, &world).unwrap();
    assert!(matches!(SaveFile::create(&path, &world), Err(SaveError::Exists)));
    assert!(matches!(SaveFile::<WaterWorld>::open(&path), Err(SaveError::InUse)));
    drop(file);
    let (file, opened) = SaveFile::<WaterWorld>::open(&path).unwrap();
    assert!(opened.save() == world.save());
    drop(file);
    fs::remove_file(&path).unwrap();
    assert!(matches!(SaveFile::<WaterWorld>::open(&path), Err(SaveError::Io(_))));
    let disk = Disk::holding(vec![0]);
    assert!(matches!(SaveFile::create_on(disk.clone(), &world), Err(SaveError::Exists)));
    assert_eq!(disk.bytes(), [0]);
    let nowhere = path.join("no/such/folder");
    assert!(matches!(SaveFile::create(nowhere, &world), Err(SaveError::Io(_))));
}
