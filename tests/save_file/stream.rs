//! A world whose chunks come and go, and its file: what is opened is what was prepared last, and
//! the units in the file, loaded or not, are those of its ledger, whenever the disk or the process
//! fails.

use crate::disk::{Disk, Fault, Unsynced};
use crate::homes::{self, Counts, Home, home_functions};
use crate::living::born;
use crate::path;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::save_file::{Part, SaveError, SaveFile, SaveJob};
use floodplain::snapshot::Saved;
use floodplain::water::{ChunkRecord, Edit, Rules, WaterWorld};
use floodplain::{ChunkPos, Cube, Region, Shape};
use std::fs;
use support::water::small::{self, HIGH, LOW};

fn positions() -> impl Iterator<Item = ChunkPos> {
    Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions().map(ChunkPos::from)
}

impl Home for WaterWorld {
    home_functions!();

    fn born(seed: u64) -> WaterWorld {
        born(seed)
    }

    fn live(&mut self, rng: &mut Rng) {
        live(self, rng);
    }

    fn happen(&mut self, rng: &mut Rng) {
        for spring in [IVec3::new(-3, 4, -3), IVec3::new(3, 4, 2)] {
            // Refused where it is solid, or not loaded.
            let _ = self.add_source(spring);
        }
        live(self, rng);
    }

    fn positions(&self) -> Vec<ChunkPos> {
        positions().collect()
    }

    fn content(record: &ChunkRecord) -> (ChunkPos, u64) {
        (record.position(), record.units())
    }

    fn units_away(&self) -> u64 {
        self.ledger().unloaded - self.ledger().loaded
    }
}

/// Lets a little happen, or nothing: edits, ticks, perhaps one that is not complete.
fn live(world: &mut WaterWorld, rng: &mut Rng) {
    let cell = |rng: &mut Rng| {
        IVec3::new(rng.i32(LOW.x..=HIGH.x), rng.i32(LOW.y..=HIGH.y), rng.i32(LOW.z..=HIGH.z))
    };
    for _ in 0..rng.usize(..3) {
        let at = cell(rng);
        let there = at.min(cell(rng));
        let throughput = rng.u8(1..8);
        // What is refused is as good as none.
        let _ = match rng.u8(..14) {
            0 => world.set_solid(at).is_ok(),
            1 => world.fill_water(Region::new(at, there), rng.u8(..=7)).is_ok(),
            2 | 3 => world.pour(at, 7).is_ok(),
            4 => world.take_changes().is_empty(),
            5 => world.take_all_changes().is_empty(),
            6 => world.remove_source(at).is_ok(),
            7 => world.set_rules(Rules { throughput, ..*world.rules() }).is_ok(),
            8 => world.queue(Edit::Pour { cell: at, units: 3 }).0 > 0,
            9 => world.fill_solid(Region::new(at, there)).is_ok(),
            10 => world.freeze([Cube::chunk_of(at), Cube::chunk_of(there)]).is_ok(),
            11 => world.thaw([Cube::chunk_of(at)]).is_ok(),
            _ => world.add_source(at).is_ok(),
        };
    }
    world.run(rng.u64(..4));
    if rng.bool() {
        world.step_within(rng.u64(..100));
    }
}

fn open(disk: Disk, story: &str) -> WaterWorld {
    homes::open(disk, story).unwrap()
}

#[test]
fn opening_gives_the_last_prepared_save() {
    let counts = homes::opening_gives_the_last_prepared_save::<WaterWorld>(24, 12);
    let Counts { held, chunks, ahead, unloaded } = counts;
    assert!(held < chunks && ahead > 40 && unloaded > 120, "{counts:?}");
}

#[test]
fn a_record_that_is_inserted_without_being_taken_is_not_in_the_file() {
    homes::a_record_that_is_inserted_untaken_is_not_in_the_file::<WaterWorld>();
}

#[test]
fn whichever_operation_fails_the_units_in_the_file_are_those_of_its_ledger() {
    homes::whichever_operation_fails_the_file_has_all::<WaterWorld>(1);
}

/// A world at rest that was saved: nothing is copied.
#[test]
fn a_job_copies_only_what_was_touched() {
    let mut world = born(3);
    world.run(200);
    assert!(world.awake_cells() == 0);
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let mut stream = file.stream();
    world.pour(HIGH, 3).unwrap();
    let first = stream.prepare(&mut world);
    assert_eq!(first.chunks_copied(), 1, "the file has the others");
    file.commit(first).unwrap();
    world.run(200);
    file.commit(stream.prepare(&mut world)).unwrap();
    assert_eq!(stream.prepare(&mut world).chunks_copied(), 0);
    // That job was dropped, so the next is whole again.
    let again = stream.prepare(&mut world);
    assert_eq!((again.chunks_copied(), file.commit(again).unwrap().chunks_written), (8, 0));
    world.set_solid(HIGH).unwrap();
    let job = stream.prepare(&mut world);
    assert_eq!((job.chunks_copied(), file.commit(job).unwrap().chunks_written), (1, 1));
    assert_eq!(stream.prepare(&mut born(4)).chunks_copied(), 8, "another world");
}

/// The file has the world as it was created, opened or saved, so the first job of a stream needs
/// what was touched since: whatever happened before and after, in the middle of a tick, too.
#[test]
fn the_first_job_of_a_stream_holds_what_was_touched_since_the_last_save() {
    let (mut held, mut chunks) = (0, 0);
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let disk = Disk::default();
        let mut world = born(seed);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        for round in 0..4 {
            if rng.bool() {
                live(&mut world, &mut rng);
                file.save(&world).unwrap();
            }
            if rng.bool() {
                drop(file);
                (file, world) = SaveFile::open_on(disk.clone()).unwrap();
            }
            let mut stream = file.stream();
            for job in 0..2 {
                live(&mut world, &mut rng);
                let saved = world.save();
                let prepared = stream.prepare(&mut world);
                if job == 0 {
                    (held, chunks) = (held + prepared.chunks(), chunks + world.chunks().count());
                }
                live(&mut world, &mut rng);
                file.commit(prepared).unwrap();
                let story = format!("seed {seed}, round {round}, job {job}");
                let opened = open(disk.after_power_loss(Unsynced::Lost), &story);
                assert!(opened.save() == saved, "{story}: another world");
            }
        }
    }
    assert!(held < chunks * 4 / 5, "{held} of {chunks} chunks held");
}

/// A stream that was made before the last save is refused unless it holds the whole world.
#[test]
fn a_first_job_follows_no_save_but_the_one_before_its_stream() {
    let mut world = born(4);
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let [mut early, mut late] = [file.stream(), file.stream()];
    world.pour(HIGH, 3).unwrap();
    file.save(&world).unwrap();
    let refused = file.commit(early.prepare(&mut world)).unwrap_err();
    assert!(matches!(refused, SaveError::OutOfOrder { job: 1, last: 0 }), "{refused}");
    file.commit(early.prepare(&mut world)).unwrap();
    let refused = file.commit(late.prepare(&mut world)).unwrap_err();
    assert!(matches!(refused, SaveError::OutOfOrder { job: 1, last: 0 }), "{refused}");
    let whole = late.prepare(&mut world);
    assert_eq!(whole.chunks(), 8);
    file.commit(whole).unwrap();
    // One that saves another world than the file holds.
    let mut other = SaveFile::create_on(Disk::default(), &world).unwrap();
    let job = other.stream().prepare(&mut born(5));
    assert_eq!(job.chunks(), 8);
    other.commit(job).unwrap();
}

/// What is awake in a chunk that stands still is no reason to copy it in every save.
#[test]
fn a_frozen_chunk_is_copied_when_it_was_touched_and_then_no_more() {
    let mut world = small::world(3, Rules::lossless());
    // All ground goes, and the lower five layers are nearly full.
    world.fill_water(Region::new(LOW, HIGH.with_y(-1)), 6).unwrap();
    world.run(200);
    assert!(world.is_at_rest());
    let cell = IVec3::new(0, -1, 0);
    let chunk = Cube::chunk_of(cell);
    world.scoop(cell, 7).unwrap();
    let disk = Disk::default();
    let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
    let mut stream = file.stream();
    world.freeze([chunk]).unwrap();
    world.run(200);
    let mut save = |world: &mut WaterWorld| {
        let job = stream.prepare(world);
        let held = job.chunks();
        file.commit(job).unwrap();
        let (_, opened) = SaveFile::<WaterWorld>::open_on(disk.after_power_loss(Unsynced::Lost))
            .expect("just saved");
        assert!(opened.save() == world.save(), "another world");
        held
    };
    assert!(save(&mut world) > 0);
    assert_eq!(save(&mut world), 0, "nothing has happened");
    world.remove_chunks([chunk + IVec3::NEG_X]).unwrap();
    assert!(save(&mut world) > 0, "cells woke where the next chunk was");
    world.run(200);
    save(&mut world);
    assert_eq!((save(&mut world), world.awake_cells()), (0, 0));
    world.thaw([chunk]).unwrap();
    assert!(world.awake_cells() > 0, "cells have waited in it");
}

#[test]
fn after_a_job_that_failed_the_next_holds_the_whole_world_and_all_records() {
    let mut recovered = 0;
    for at in 0..24 {
        let disk = Disk::default();
        let mut rng = Rng::with_seed(at);
        let mut world = born(5);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let mut stream = file.stream();
        file.commit(stream.prepare(&mut world)).unwrap();
        live(&mut world, &mut rng);
        stream.put(world.remove_chunks([ChunkPos::ZERO, ChunkPos::new(-1, 0, 0)]).unwrap());
        disk.fail_at(disk.operations() + at, Fault::Once);
        let (failing, mut next) = (stream.prepare(&mut world), None);
        if at % 2 == 0 {
            next = Some(stream.prepare(&mut world));
        }
        if file.commit(failing).is_ok() {
            continue;
        }
        recovered += 1;
        assert!(matches!(stream.unloaded(), Err(SaveError::Closed)));
        assert!(matches!(stream.take([IVec3::Y.into()]), Err(SaveError::Closed)));
        if let Some(job) = next {
            let refused = file.commit(job).unwrap_err();
            assert!(matches!(refused, SaveError::OutOfOrder { job: 3, last: 0 }), "{refused}");
        }
        live(&mut world, &mut rng);
        world.insert_records(stream.take([IVec3::NEG_X.into()]).unwrap()).unwrap();
        let saved = world.save();
        let report = file.commit(stream.prepare(&mut world)).unwrap();
        assert_eq!((report.chunks_written, report.chunks_unloaded), (7, 1));
        let opened = open(disk.after_power_loss(Unsynced::Lost), "recovered");
        assert!(opened.save() == saved, "a fault at operation {at}");
    }
    assert!(recovered > 3, "only {recovered} jobs failed");
}

#[test]
fn jobs_are_written_in_the_order_in_which_they_were_prepared() {
    let mut world = born(6);
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let mut stream = file.stream();
    let whole = stream.prepare(&mut world);
    let [second, third]: [SaveJob; 2] = core::array::from_fn(|_| stream.prepare(&mut world));
    file.commit(whole).unwrap();
    let refused = file.commit(third).unwrap_err();
    assert!(matches!(refused, SaveError::OutOfOrder { job: 3, last: 1 }), "{refused}");
    let refused = file.commit(second).unwrap_err();
    assert!(
        matches!(refused, SaveError::OutOfOrder { job: 2, .. }),
        "after a refusal, a whole one"
    );
    let mut other = file.stream();
    file.commit(stream.prepare(&mut world)).unwrap();
    let of_other = other.prepare(&mut world);
    file.commit(of_other).unwrap();
    let refused = file.commit(stream.prepare(&mut world)).unwrap_err();
    assert!(matches!(refused, SaveError::OutOfOrder { job: 5, last: 0 }), "{refused}");
    file.commit(stream.prepare(&mut world)).unwrap();
}

/// Whoever made the newer save: the stream of the job, the file itself, or another stream.
#[test]
fn an_older_job_of_a_whole_world_does_not_overwrite_a_newer_save() {
    for newer in 0..3 {
        let mut world = born(6);
        let disk = Disk::default();
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let (mut stream, mut other) = (file.stream(), file.stream());
        drop(stream.prepare(&mut world));
        let older = stream.prepare(&mut world);
        world.pour(HIGH, 7).unwrap();
        world.run(3);
        match newer {
            0 => {
                drop(stream.prepare(&mut world));
                _ = file.commit(stream.prepare(&mut world)).unwrap();
            }
            1 => _ = file.save(&world).unwrap(),
            _ => _ = file.commit(other.prepare(&mut world)).unwrap(),
        }
        let refused = file.commit(older).unwrap_err();
        assert!(matches!(refused, SaveError::OutOfOrder { job: 2, .. }), "{newer}: {refused}");
        drop(file);
        let (mut file, saved) = SaveFile::<WaterWorld>::open_on(disk).unwrap();
        assert_eq!(saved.state_hash(), world.state_hash(), "{newer}");
        // The next job makes up for it.
        let mut saved = saved;
        file.commit(file.stream().prepare(&mut saved)).unwrap();
    }
}

/// A save on another thread, while the game takes chunks from the file.
#[test]
fn chunks_are_read_while_a_job_is_written() {
    let mut world = born(7);
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let mut stream = file.stream();
    world.fill_water(Region::new(LOW, HIGH), 5).unwrap();
    let total = world.total();
    stream.put(world.remove_chunks(positions().take(6)).unwrap());
    file.commit(stream.prepare(&mut world)).unwrap();
    for chunk in positions().take(6) {
        let job = stream.prepare(&mut world);
        let writer = std::thread::spawn(move || {
            file.commit(job).unwrap();
            file
        });
        world.insert_records(stream.take([chunk]).unwrap()).unwrap();
        assert!(stream.take([chunk]).unwrap().is_empty(), "once only");
        file = writer.join().unwrap();
    }
    assert_eq!(world.total(), total);
    file.commit(stream.prepare(&mut world)).unwrap();
    assert_eq!(stream.unloaded().unwrap(), []);
}

type Unloaded<'t> = redb::Table<'t, &'static [u8; 12], &'static [u8]>;

#[test]
fn damaged_records_are_refused_by_their_position() {
    const TABLE: redb::TableDefinition<'static, &[u8; 12], &[u8]> =
        redb::TableDefinition::new("unloaded");
    let path = path("stream");
    let mut world = born(8);
    let mut file = SaveFile::create(&path, &world).unwrap();
    let mut stream = file.stream();
    stream.put(world.remove_chunks(positions()).unwrap());
    file.commit(stream.prepare(&mut world)).unwrap();
    drop(file);
    assert!(matches!(stream.take(positions()), Err(SaveError::Closed)));
    let mut keys = Vec::new();
    let forge = |forge: &mut dyn FnMut(&mut Unloaded<'_>)| {
        let database = redb::Database::open(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        forge(&mut transaction.open_table(TABLE).unwrap());
        transaction.commit().unwrap();
    };
    forge(&mut |table| {
        use redb::ReadableTable;
        let entries = table.iter().unwrap().map(Result::unwrap);
        keys = entries.map(|(key, value)| (*key.value(), value.value().to_vec())).collect();
    });
    let sealed = |key: &[u8], value: &[u8]| {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(key);
        hasher.update(value);
        [value, &hasher.finalize().to_le_bytes()].concat()
    };
    let bare = |at: usize| &keys[at].1[..keys[at].1.len() - 4];
    forge(&mut |table| {
        table.insert(&keys[0].0, &b"no checksum"[..]).unwrap();
        table.insert(&keys[1].0, &*sealed(&keys[1].0, b"no record")).unwrap();
        table.insert(&keys[2].0, &*sealed(&keys[2].0, bare(3))).unwrap();
    });
    let (file, _) = SaveFile::<WaterWorld>::open(&path).unwrap();
    let mut stream = file.stream();
    let chunks: Vec<ChunkPos> = positions().collect();
    for (at, is_expected) in [
        (
            0,
            (|error| matches!(error, SaveError::Damaged { part: Part::Unloaded(_) }))
                as fn(&_) -> _,
        ),
        (1, |error| matches!(error, SaveError::Malformed { part: Part::Unloaded(_), .. })),
        (2, |error| matches!(error, SaveError::Damaged { part: Part::Unloaded(_) })),
    ] {
        let found = stream.take([chunks[3], chunks[at]]).unwrap_err();
        let ChunkPos { x, y, z } = chunks[at];
        assert!(is_expected(&found), "{found}");
        assert!(found.to_string().contains(&format!("[{x}, {y}, {z}]")), "{found}");
    }
    assert_eq!(stream.take([chunks[3]]).unwrap().len(), 1);
    drop((file, stream));
    fs::remove_file(&path).unwrap();
}
