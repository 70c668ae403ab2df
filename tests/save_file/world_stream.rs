//! A world of materials whose chunks come and go, and its file: what is opened is what was prepared
//! last, though only what was touched was copied, and all of its water is loaded or in the file,
//! whenever the disk fails.

use crate::disk::{Disk, Fault, Unsynced};
use crate::path;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::save_file::{Part, SaveError, SaveFile, Stream};
use floodplain::snapshot::Saved;
use floodplain::water::{self, RecordBytesError};
use floodplain::world::{ChunkRecord, Edit, Feed, MaterialId, Rules, World};
use floodplain::{Cube, Region, Shape, blast, humidity};
use support::world::apart::{random_edit, random_world};
use support::world::{id, palette, rules, world};

/// A world of several chunks, with all that passes between its parts; every other one at rest.
fn born(seed: u64) -> World {
    if seed.is_multiple_of(2) { random_world(&mut Rng::with_seed(seed), rules()) } else { still() }
}

fn positions(world: &World) -> Vec<IVec3> {
    let bounds = world.bounds();
    Region::new(Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max())).positions().collect()
}

/// Lets a little happen, or nothing: edits of all kinds, ticks, perhaps one that is not complete.
fn live(world: &mut World, rng: &mut Rng) {
    if rng.bool() {
        return;
    }
    for _ in 0..rng.usize(..3) {
        let bounds = world.bounds();
        let size = bounds.size().map(|side| side as i32);
        let cell = bounds.min() + IVec3::from_array(size.map(|side| rng.i32(0..side)));
        let chunk = Cube::chunk_of(cell);
        match rng.u8(..14) {
            0 => drop(world.take_changes()),
            1 => drop(Feed::new(world)),
            2 => _ = world.apply(Edit::Water(water::Edit::Freeze(vec![chunk]))),
            3 => _ = world.apply(Edit::Water(water::Edit::Thaw(vec![chunk]))),
            4 => _ = world.charge(cell, 3.0, 200.0),
            5 => _ = world.settle_now(Region::cell(cell), 20),
            6 => _ = world.queue(Edit::Rain { from: cell, units: 9 }),
            7 => world.wake_all(),
            8 => _ = world.apply(Edit::Soil(humidity::Edit::SetRain { cell, humidity: 90.0 })),
            9 => _ = world.apply(Edit::Soil(humidity::Edit::ClearRain(cell))),
            10 | 11 => {
                let material = MaterialId(rng.u8(..palette().len() as u8));
                _ = world.set_material(cell, material);
            }
            _ => _ = world.apply(random_edit(rng, bounds)),
        }
    }
    world.run(rng.u64(..3));
    if rng.bool() {
        world.step_within(rng.u64(..9_000));
    }
}

/// Some chunks go into the stream and some come back from it.
fn travel(world: &mut World, stream: &mut Stream<World>, rng: &mut Rng) {
    for _ in 0..rng.usize(..3) {
        let some: Vec<IVec3> = positions(world).into_iter().filter(|_| rng.u8(..4) == 0).collect();
        if rng.bool() {
            let is_loaded = |chunk: &IVec3| world.chunk(*chunk).is_some();
            let loaded: Vec<IVec3> = some.into_iter().filter(is_loaded).collect();
            stream.put(world.remove_chunks(loaded).unwrap());
        } else {
            world.insert_records(stream.take(some).unwrap()).unwrap();
        }
    }
}

/// Opens a disk. Every law holds, no chunk is twice in it or missing, and all that was unloaded is
/// there.
fn open(disk: Disk, story: &str) -> Result<World, SaveError> {
    let (file, mut world) = SaveFile::<World>::open_on(disk)?;
    let saved = world.save();
    let mut stream = file.stream();
    let mut here: Vec<IVec3> = world.chunks().map(|(position, _)| position).collect();
    here.extend(stream.unloaded().unwrap());
    here.sort_unstable_by_key(|position| [position.y, position.z, position.x]);
    assert_eq!(here, positions(&world), "{story}: chunks");
    let all = stream.unloaded().unwrap();
    let records = stream.take(all).unwrap();
    let units: u64 = records.iter().map(|record| record.water().units()).sum();
    let ledger = world.ledger().water;
    assert_eq!(units, ledger.unloaded - ledger.loaded, "{story}");
    world.insert_records(records).unwrap();
    assert_eq!(world.validate(), Ok(()), "{story}");
    Ok(World::load(&saved).unwrap())
}

#[test]
fn what_is_opened_is_what_was_prepared_last() {
    let (mut copied, mut ahead, mut chunks, mut travelled) = (0, 0, 0, 0);
    for seed in 0..10 {
        let mut rng = Rng::with_seed(seed);
        let disk = Disk::default();
        let mut world = born(seed);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let mut stream = file.stream();
        for round in 0..10 {
            for _ in 0..2 {
                live(&mut world, &mut rng);
                travel(&mut world, &mut stream, &mut rng);
                if rng.bool() {
                    stream.copy_ahead(&mut world, rng.usize(..6));
                }
            }
            live(&mut world, &mut rng);
            let saved = world.save();
            let job = stream.prepare(&mut world);
            (copied, chunks) = (copied + job.chunks(), chunks + world.chunk_positions().len());
            ahead += job.chunks() - job.chunks_copied();
            // The game goes on meanwhile.
            live(&mut world, &mut rng);
            travel(&mut world, &mut stream, &mut rng);
            travelled += file.commit(job).unwrap().chunks_unloaded;
            let story = format!("seed {seed}, round {round}");
            let opened = open(disk.after_power_loss(Unsynced::Lost), &story).unwrap();
            assert!(opened.save() == saved, "{story}: another world");
            if rng.u8(..4) == 0 {
                // The first job of a stream follows what was opened or saved.
                drop(file);
                let unsaved = stream;
                (file, world) = SaveFile::open_on(disk.clone()).unwrap();
                stream = file.stream();
                drop(unsaved);
            }
        }
    }
    assert!(
        copied < chunks && ahead > 5 && travelled > 50,
        "{copied} of {chunks} copied, {ahead} of them ahead, {travelled} travelled"
    );
}

/// A world of nine chunks at rest, in which pressure fades soon.
fn still() -> World {
    let blast = blast::Rules { threshold: 1.0, ..blast::Rules::wave(0.25, 0.8) };
    let rules = Rules { blast, ..rules() };
    let mut world = world(3, rules, Region::new(IVec3::ZERO, IVec3::new(47, 15, 47)));
    world.run(60);
    assert!(world.is_at_rest());
    world
}

#[test]
fn a_job_copies_only_what_was_touched() {
    let mut world = still();
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let mut stream = file.stream();
    let mut copied = |world: &mut World| {
        let job = stream.prepare(world);
        let copied = job.chunks_copied();
        file.commit(job).unwrap();
        copied
    };
    assert_eq!(copied(&mut world), 0, "the file has all");
    let cell = IVec3::new(8, 0, 8);
    world.set_material(cell, id("rock")).unwrap();
    assert_eq!(copied(&mut world), 1);
    world.set_material(cell, id("clay")).unwrap();
    world.run(60);
    assert_eq!(copied(&mut world), 1);
    assert_eq!(copied(&mut world), 0);
    // Moisture that spreads over a face.
    let edit = humidity::Edit::SetHumidity { cell: IVec3::new(14, 0, 8), humidity: 300.0 };
    world.apply(Edit::Soil(edit)).unwrap();
    world.run(60);
    assert!((2..5).contains(&copied(&mut world)));
}

/// Where pressure comes and goes, chunks are touched, also those that are only lent their ground.
#[test]
fn a_job_copies_where_pressure_was() {
    let mut world = still();
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let mut stream = file.stream();
    let mut copied = |world: &mut World| {
        let job = stream.prepare(world);
        let copied = job.chunks_copied();
        file.commit(job).unwrap();
        copied
    };
    world.charge(IVec3::new(24, 8, 24), 4.0, 90.0).unwrap();
    assert!(copied(&mut world) > 0);
    while world.blast().chunks().next().is_some() {
        world.step();
    }
    assert!(copied(&mut world) > 0, "the ground is no longer lent");
    assert_eq!((world.is_at_rest(), copied(&mut world)), (true, 0));
    world.set_material(IVec3::new(8, 0, 8), id("rock")).unwrap();
    world.run(60);
    assert_eq!((copied(&mut world), copied(&mut world)), (1, 0));
    world.take_changes();
    assert_eq!(copied(&mut world), 1, "what is to be listed is saved, too");
    assert_eq!(copied(&mut still()), 9, "another world");
}

/// The worlds that a disk may hold when a session ended, as snapshots.
#[derive(Default)]
struct Ending {
    acknowledged: Option<Vec<u8>>,
    under_way: Option<Vec<u8>>,
    has_failed: bool,
}

/// Creates a file and saves on with chunks that come and go, until that is done or something fails.
fn session(disk: &Disk) -> Ending {
    let mut ending = Ending::default();
    let mut rng = Rng::with_seed(11);
    let mut world = born(11);
    ending.under_way = Some(world.save());
    let Ok(mut file) = SaveFile::create_on(disk.clone(), &world) else {
        return Ending { has_failed: true, ..ending };
    };
    ending.acknowledged = ending.under_way.take();
    let mut stream = file.stream();
    for _ in 0..3 {
        world.charge(IVec3::new(4, 2, 0), 4.0, 300.0).unwrap();
        world.run(2);
        // A chunk that cannot be read stays where it is.
        let all = positions(&world);
        if let Ok(records) = stream.take(all.into_iter().filter(|_| rng.bool())) {
            world.insert_records(records).unwrap();
        }
        let some = world.chunks().map(|(position, _)| position).filter(|_| rng.u8(..3) == 0);
        let some: Vec<IVec3> = some.collect();
        stream.put(world.remove_chunks(some).unwrap());
        ending.under_way = Some(world.save());
        if file.commit(stream.prepare(&mut world)).is_err() {
            return Ending { has_failed: true, ..ending };
        }
        ending.acknowledged = ending.under_way.take();
    }
    ending
}

#[test]
fn whichever_operation_fails_all_water_is_in_the_file() {
    let whole = Disk::default();
    assert!(!session(&whole).has_failed);
    let (operations, mut failed) = (whole.operations(), 0);
    for at in (0..operations).step_by(5) {
        let fault = [Fault::Once, Fault::ForGood, Fault::Torn][at as usize % 3];
        let disk = Disk::default();
        disk.fail_at(at, fault);
        let ending = session(&disk);
        failed += u64::from(ending.has_failed);
        for unsynced in [Unsynced::Kept, Unsynced::Lost, Unsynced::Some(at)] {
            let story = format!("{fault:?} at operation {at}, unsynced writes {unsynced:?}");
            match open(disk.after_power_loss(unsynced), &story) {
                Ok(world) => {
                    let opened = Some(world.save());
                    let is_one = opened == ending.acknowledged || opened == ending.under_way;
                    assert!(is_one, "{story}: neither the last save nor the one under way");
                }
                Err(error) => assert!(ending.acknowledged.is_none(), "{story}: {error}"),
            }
        }
    }
    assert!(failed * 8 > operations, "only {failed} sessions of {operations} operations failed");
}

#[test]
fn records_that_are_none_are_refused_by_their_position() {
    const TABLE: redb::TableDefinition<'static, &[u8; 12], &[u8]> =
        redb::TableDefinition::new("unloaded");
    let path = path("world_stream");
    let mut world = still();
    let mut file = SaveFile::create(&path, &world).unwrap();
    let mut stream = file.stream();
    let whole = world.remove_chunks([IVec3::ZERO, IVec3::X]).unwrap();
    stream.put(whole.iter().cloned());
    file.commit(stream.prepare(&mut world)).unwrap();
    drop((file, stream));
    let key = |x: i32| {
        let [y, z, x] = [0, 0, x].map(|axis: i32| (axis ^ i32::MIN).to_be_bytes());
        <[u8; 12]>::try_from([y, z, x].concat()).unwrap()
    };
    let sealed = |key: &[u8], value: &[u8]| {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(key);
        hasher.update(value);
        [value, &hasher.finalize().to_le_bytes()].concat()
    };
    let forge = |value: &[u8]| {
        let database = redb::Database::open(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        transaction.open_table(TABLE).unwrap().insert(&key(0), value).unwrap();
        transaction.commit().unwrap();
    };
    let refused = |value: &[u8]| {
        forge(&sealed(&key(0), value));
        let (file, _) = SaveFile::<World>::open(&path).unwrap();
        file.stream().take([IVec3::ZERO]).map(|records: Vec<ChunkRecord>| records.len())
    };
    let bytes = whole[0].to_bytes();
    assert_eq!(refused(&bytes).unwrap(), 1);
    let error = |value: &[u8]| match refused(value).unwrap_err() {
        SaveError::Record { position, error } => (position, error),
        other => panic!("{other}"),
    };
    let length = bytes.len() - 1;
    let truncated = RecordBytesError::Truncated { length };
    assert_eq!(error(&bytes[..length]), (IVec3::ZERO, truncated));
    let trailing = RecordBytesError::Trailing { at: bytes.len(), bytes: 1 };
    assert_eq!(error(&[&bytes[..], &[0]].concat()), (IVec3::ZERO, trailing));
    let wrong = error(&[&[9], &bytes[1..]].concat()).1;
    assert!(matches!(wrong, RecordBytesError::Value { at: 0, found: 9, .. }), "{wrong}");
    // That of another place.
    let elsewhere = refused(&whole[1].to_bytes()).unwrap_err();
    assert!(matches!(elsewhere, SaveError::Damaged { part: Part::Unloaded(_) }), "{elsewhere}");
    std::fs::remove_file(&path).unwrap();
}
