//! A world of materials whose chunks come and go, and its file: what is opened is what was prepared
//! last, though only what was touched was copied, and all of its water is loaded or in the file,
//! whenever the disk fails.

use crate::disk::{Disk, Unsynced};
use crate::homes::{self, Counts, Home, home_functions};
use crate::path;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::save_file::{Part, SaveError, SaveFile, Stream};
use floodplain::snapshot::Saved;
use floodplain::water;
use floodplain::world::{ChunkRecord, Edit, Feed, MaterialId, Rules, World};
use floodplain::{
    ChunkPos, Cube, DecodeError, DecodeProblem, Format, Region, Shape, blast, humidity,
};
use support::snapshot::forgery::framed;
use support::world::apart::{random_edit, random_world};
use support::world::{id, palette, rules, world};

impl Home for World {
    home_functions!();

    /// A world of several chunks, with all that passes between its parts; every other one at rest.
    fn born(seed: u64) -> World {
        if seed.is_multiple_of(2) {
            random_world(&mut Rng::with_seed(seed), rules())
        } else {
            still()
        }
    }

    fn live(&mut self, rng: &mut Rng) {
        live(self, rng);
    }

    fn happen(&mut self, _: &mut Rng) {
        // Refused where no chunk is loaded.
        let _ = self.charge(IVec3::new(4, 2, 0), 4.0, 300.0);
        self.run(2);
    }

    fn positions(&self) -> Vec<ChunkPos> {
        Cube::chunks_of(self.bounds()).collect()
    }

    fn content(record: &ChunkRecord) -> (ChunkPos, u64) {
        (record.position(), record.water().units())
    }

    fn units_away(&self) -> u64 {
        self.ledger().water.unloaded - self.ledger().water.loaded
    }
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

#[test]
fn opening_gives_the_last_prepared_save() {
    let counts = homes::opening_gives_the_last_prepared_save::<World>(7, 10);
    let Counts { held, chunks, ahead, unloaded } = counts;
    assert!(held < chunks && ahead > 1 && unloaded > 17, "{counts:?}");
}

/// Whenever a save is begun, in whatever piece of a tick, and however much happens while it is
/// held: it is of that moment, and the world goes on as one that is never saved.
#[test]
fn a_save_that_is_held_is_of_the_moment_at_which_it_was_begun() {
    let [mut amid, mut moist, mut pressed] = [0; 3];
    for seed in 0..3 {
        let mut rng = Rng::with_seed(seed);
        let [mut world, mut other] = [(); 2].map(|()| World::born(2 * seed));
        let disk = Disk::default();
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let mut stream = file.stream();
        for round in 0..4 {
            let bounds = world.bounds();
            let (humidity, pressure) = (f64::from(rng.u16(..900)), 90.0);
            let size = bounds.size().map(|side| rng.i32(0..side as i32));
            let cell = bounds.min() + IVec3::from_array(size);
            let (few, slices) = (rng.u64(..3), rng.usize(..9));
            let budget = rng.u64(..9_000);
            let live = |world: &mut World| {
                // Refused where there is no soil, or no air.
                let edit = humidity::Edit::SetHumidity { cell, humidity };
                let _ = world.apply(Edit::Soil(edit));
                let _ = world.charge(cell, 3.0, pressure);
                world.run(few);
                (0..slices).for_each(|_| _ = world.step_within(budget));
            };
            [&mut world, &mut other].into_iter().for_each(live);
            let saved = world.save();
            amid += u32::from(world.water().ticks() > world.ticks());
            moist += u32::from(!world.soil().is_at_rest());
            pressed += u32::from(!world.blast().is_at_rest());
            let job = stream.prepare(&mut world);
            for _ in 0..rng.usize(..4) {
                [&mut world, &mut other].into_iter().for_each(live);
            }
            file.commit(job).unwrap();
            let story = format!("seed {seed}, round {round}");
            let (_, opened) = SaveFile::<World>::open_on(disk.after_power_loss(Unsynced::Lost))
                .unwrap_or_else(|error| panic!("{story}: {error}"));
            assert!(opened.save() == saved, "{story}: another world");
            assert!(world.save() == other.save(), "{story}: not as if it were never saved");
        }
    }
    assert!(amid > 1 && moist > 1 && pressed > 1, "{amid}, {moist}, {pressed}");
}

#[test]
fn a_record_that_is_inserted_without_being_taken_is_not_in_the_file() {
    homes::a_record_that_is_inserted_untaken_is_not_in_the_file::<World>();
}

#[test]
fn whichever_operation_fails_all_water_is_in_the_file() {
    homes::whichever_operation_fails_the_file_has_all::<World>(5);
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

/// Saves a world, and returns how many chunks were copied.
fn save(file: &mut SaveFile<World>, stream: &mut Stream<World>, world: &mut World) -> usize {
    let job = stream.prepare(world);
    let copied = job.chunks_copied();
    file.commit(job).unwrap();
    copied
}

#[test]
fn a_job_copies_only_what_was_touched() {
    let mut world = still();
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    let mut stream = file.stream();
    let mut copied = |world: &mut World| save(&mut file, &mut stream, world);
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
    let mut copied = |world: &mut World| save(&mut file, &mut stream, world);
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

#[test]
fn records_that_are_none_are_refused_by_their_position() {
    const TABLE: redb::TableDefinition<'static, &[u8; 12], &[u8]> =
        redb::TableDefinition::new("unloaded");
    let path = path("world_stream");
    let mut world = still();
    let mut file = SaveFile::create(&path, &world).unwrap();
    let mut stream = file.stream();
    let whole = world.remove_chunks([ChunkPos::ZERO, ChunkPos::new(1, 0, 0)]).unwrap();
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
        forge(&sealed(&key(0), &framed(value)));
        let (file, _) = SaveFile::<World>::open(&path).unwrap();
        file.stream().take([ChunkPos::ZERO]).map(|records: Vec<ChunkRecord>| records.len())
    };
    let bytes = whole[0].to_bytes();
    assert_eq!(refused(&bytes).unwrap(), 1);
    let error = |value: &[u8]| match refused(value).unwrap_err() {
        SaveError::Malformed { part: Part::Unloaded(position), error } => (position, error),
        other => panic!("{other}"),
    };
    let length = bytes.len() - 1;
    let of_record =
        |at, problem| (ChunkPos::ZERO, DecodeError { format: Format::Record, at, problem });
    let truncated = of_record(length, DecodeProblem::EndsEarly);
    assert_eq!(error(&bytes[..length]), truncated);
    let trailing = of_record(bytes.len(), DecodeProblem::Trailing { bytes: 1 });
    assert_eq!(error(&[&bytes[..], &[0]].concat()), trailing);
    let wrong = of_record(0, DecodeProblem::Version { found: 9, wanted: 1 });
    assert_eq!(error(&[&[9], &bytes[1..]].concat()), wrong);
    // That of another place.
    let elsewhere = refused(&whole[1].to_bytes()).unwrap_err();
    assert!(matches!(elsewhere, SaveError::Damaged { part: Part::Unloaded(_) }), "{elsewhere}");
    std::fs::remove_file(&path).unwrap();
}
