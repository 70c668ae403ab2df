//! Saves on a disk that fails, tears writes, fills up or loses its power, at every single operation
//! in turn: the error is returned, and what survives is the last acknowledged save or the current
//! way, with its ledger balanced.

use crate::disk::{Disk, Fault, Unsynced};
use crate::living::{born, live};
use fastrand::Rng;
use floodplain::save_file::{SaveError, SaveFile};
use floodplain::snapshot::Saved;
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos};
use std::io;

const FAULTS: [Fault; 3] = [Fault::Once, Fault::ForGood, Fault::Torn];

/// What a disk may hold when a session ended: the worlds, as snapshots, that an opening may give.
struct Ending {
    /// `None` before the first save was acknowledged.
    acknowledged: Option<Vec<u8>>,
    /// The world whose save failed.
    under_way: Option<Vec<u8>>,
    error: Option<SaveError>,
}

/// Creates a save and saves on, until that is done or something fails.
fn session(disk: &Disk) -> Ending {
    let mut ending = Ending { acknowledged: None, under_way: None, error: None };
    let mut rng = Rng::with_seed(5);
    let mut world = born(5);
    let mut file = match SaveFile::create_on(disk.clone(), &world) {
        Ok(file) => file,
        Err(error) => {
            return Ending { under_way: Some(world.save()), error: Some(error), ..ending };
        }
    };
    ending.acknowledged = Some(world.save());
    for _ in 0..4 {
        live(&mut world, &mut rng);
        if let Err(error) = file.save(&world) {
            return Ending { under_way: Some(world.save()), error: Some(error), ..ending };
        }
        ending.acknowledged = Some(world.save());
    }
    ending
}

/// What is left of a disk must open as one of the worlds that it may hold.
fn check(left: &Disk, ending: &Ending, story: &str) {
    match SaveFile::<WaterWorld>::open_on(left.clone()) {
        Ok((_, world)) => {
            let opened = Some(world.save());
            let expected = opened == ending.acknowledged || opened == ending.under_way;
            assert!(expected, "{story}: neither the last save nor the one under way");
            assert_eq!(world.validate(), Ok(()), "{story}");
            assert_eq!(world.total(), world.ledger().total(), "{story}");
        }
        Err(error) => assert!(ending.acknowledged.is_none(), "{story}: {error}"),
    }
}

/// States in which the disk may be found, two of them chosen by `seed`.
fn outcomes(seed: u64) -> [Unsynced; 4] {
    [Unsynced::Kept, Unsynced::Lost, Unsynced::Some(2 * seed), Unsynced::Some(2 * seed + 1)]
}

#[test]
fn whichever_operation_fails_the_last_save_or_the_one_under_way_survives() {
    let whole = Disk::default();
    assert!(session(&whole).error.is_none());
    let operations = whole.operations();
    let mut failed = 0;
    for at in 0..operations {
        for fault in FAULTS {
            let disk = Disk::default();
            disk.fail_at(at, fault);
            let ending = session(&disk);
            failed += u64::from(ending.error.is_some());
            for unsynced in outcomes(at) {
                let story = format!("{fault:?} at operation {at}, unsynced writes {unsynced:?}");
                check(&disk.after_power_loss(unsynced), &ending, &story);
            }
        }
    }
    println!("{operations} operations, {failed} of {} sessions failed", 3 * operations);
    assert!(failed > operations, "only {failed} sessions failed");
}

#[test]
fn whichever_operation_of_an_opening_fails_after_a_crash_the_save_survives() {
    let mut rng = Rng::with_seed(6);
    for crash in 0..2 {
        let disk = Disk::default();
        disk.fail_at(rng.u64(30..80), Fault::Torn);
        let ending = session(&disk);
        let crashed = disk.after_power_loss(Unsynced::Some(crash));
        let whole = Disk::holding(crashed.bytes());
        drop(SaveFile::<WaterWorld>::open_on(whole.clone()));
        for at in 0..whole.operations() {
            for fault in FAULTS {
                let disk = Disk::holding(crashed.bytes());
                disk.fail_at(at, fault);
                drop(SaveFile::<WaterWorld>::open_on(disk.clone()));
                for unsynced in [Unsynced::Lost, Unsynced::Some(at)] {
                    let story = format!(
                        "crash {crash}, {fault:?} at operation {at}, unsynced writes {unsynced:?}"
                    );
                    check(&disk.after_power_loss(unsynced), &ending, &story);
                }
            }
        }
    }
}

#[test]
fn after_a_fault_that_passes_the_next_save_writes_the_whole_world() {
    let mut recovered = 0;
    // A save of this world takes about a dozen operations.
    for at in 0..20 {
        let disk = Disk::default();
        let mut rng = Rng::with_seed(5);
        let mut world = born(5);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        live(&mut world, &mut rng);
        disk.fail_at(disk.operations() + at, Fault::Once);
        if file.save(&world).is_err() {
            recovered += 1;
            live(&mut world, &mut rng);
            assert_eq!(file.save(&world).unwrap().chunks_written, world.chunks().count());
            live(&mut world, &mut rng);
            file.save(&world).unwrap();
            let (_, opened) =
                SaveFile::<WaterWorld>::open_on(disk.after_power_loss(Unsynced::Lost)).unwrap();
            assert!(opened.save() == world.save(), "a fault at operation {at}");
        }
    }
    assert!(recovered > 3, "only {recovered} saves failed");
}

/// After an error it is not known which chunks the file holds, so none that have gone may be left
/// over.
#[test]
fn a_chunk_that_went_before_a_failed_save_is_not_in_the_next() {
    let mut failed = 0;
    for at in 0..20 {
        let disk = Disk::default();
        let mut world = born(5);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        world.remove_chunk(ChunkPos::ZERO).unwrap();
        disk.fail_at(disk.operations() + at, Fault::Once);
        if file.save(&world).is_err() {
            failed += 1;
            let report = file.save(&world).unwrap();
            assert_eq!((report.chunks_written, report.chunks_removed), (world.chunks().count(), 0));
        }
        drop(file);
        let (_, opened) = SaveFile::<WaterWorld>::open_on(disk).unwrap();
        assert!(opened.save() == world.save(), "a fault at operation {at}");
    }
    assert!(failed > 3, "only {failed} saves failed");
}

/// A chunk in which no two cells near each other are equal, so that it takes room.
fn noise(seed: u64) -> Chunk<Voxel> {
    let mut rng = Rng::with_seed(seed);
    let mut cell = || match rng.u8(..9) {
        8 => Voxel::SOLID,
        height => Voxel::water(WaterCell::with_height(height).unwrap()),
    };
    let cells: [Voxel; CHUNK_CELLS] = core::array::from_fn(|_| cell());
    Chunk::from_cells(&cells)
}

#[test]
fn a_full_disk_keeps_the_last_save_and_takes_the_next_when_there_is_room() {
    let disk = Disk::default();
    let mut world = WaterWorld::new(8, Rules::default()).unwrap();
    let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
    disk.limit(Some(disk.bytes().len() + (2 << 20)));
    let mut last = world.save();
    let mut chunks = 0;
    let error = loop {
        for _ in 0..40 {
            world.insert_chunk(ChunkPos::new(2 * chunks, 0, 0), noise(chunks as u64)).unwrap();
            chunks += 1;
        }
        assert!(chunks < 4000, "the disk never fills up");
        match file.save(&world) {
            Ok(_) => last = world.save(),
            Err(error) => break error,
        }
    };
    assert!(
        matches!(&error, SaveError::Io(error) if error.kind() == io::ErrorKind::StorageFull),
        "{error}"
    );
    for unsynced in outcomes(1) {
        let (_, opened) = SaveFile::<WaterWorld>::open_on(disk.after_power_loss(unsynced)).unwrap();
        assert!(opened.save() == last, "unsynced writes {unsynced:?}");
        assert_eq!(opened.validate(), Ok(()));
    }
    assert!(file.save(&world).is_err(), "still full");
    disk.limit(None);
    file.save(&world).unwrap();
    drop(file);
    let (_, opened) = SaveFile::<WaterWorld>::open_on(disk).unwrap();
    assert!(opened.save() == world.save());
}

#[test]
fn a_disk_too_small_for_any_save_is_an_error() {
    let disk = Disk::default();
    for capacity in [0, 100, 4096, 65536, 1 << 20] {
        disk.limit(Some(capacity));
        let error = SaveFile::create_on(disk.clone(), &born(1)).expect_err("no room");
        assert!(
            matches!(&error, SaveError::Io(error) if error.kind() == io::ErrorKind::StorageFull),
            "{error}"
        );
        assert_eq!(disk.bytes().len(), 0);
    }
}
