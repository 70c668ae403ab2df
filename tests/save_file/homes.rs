//! Worlds of water and of materials whose chunks come and go, and their files: what is opened is
//! what was prepared last, though only what was touched was copied, and the units in the file,
//! loaded or not, are those of its ledger, whenever the disk fails.

use crate::disk::{Disk, Fault, Unsynced};
use fastrand::Rng;
use floodplain::ChunkPos;
use floodplain::save_file::{SaveError, SaveFile, Stream, Streamed};

/// A world whose chunks come and go.
pub trait Home: Streamed {
    fn born(seed: u64) -> Self;
    /// Lets a little happen, or nothing: edits, ticks, perhaps one that is not complete.
    fn live(&mut self, rng: &mut Rng);
    /// What happens before each save of a session.
    fn happen(&mut self, rng: &mut Rng);
    /// The positions of all chunks, loaded or not, in order.
    fn positions(&self) -> Vec<ChunkPos>;
    /// Those that are loaded, in order.
    fn loaded(&self) -> Vec<ChunkPos>;
    fn remove(&mut self, chunks: Vec<ChunkPos>) -> Vec<Self::Record>;
    fn insert(&mut self, records: Vec<Self::Record>);
    /// The position of a record, and its units of water.
    fn content(record: &Self::Record) -> (ChunkPos, u64);
    /// The units unloaded less those loaded, by the ledger.
    fn units_away(&self) -> u64;
    fn assert_lawful(&self, story: &str);
}

/// Implements the functions that are written alike for both kinds.
macro_rules! home_functions {
    () => {
        fn loaded(&self) -> Vec<ChunkPos> {
            self.chunks().map(|(position, _)| position).collect()
        }

        fn remove(&mut self, chunks: Vec<ChunkPos>) -> Vec<ChunkRecord> {
            self.remove_chunks(chunks).unwrap()
        }

        fn insert(&mut self, records: Vec<ChunkRecord>) {
            self.insert_records(records).unwrap();
        }

        fn assert_lawful(&self, story: &str) {
            assert_eq!(self.validate(), Ok(()), "{story}");
        }
    };
}
pub(crate) use home_functions;

/// Some chunks go into the stream and some come back from it.
pub fn travel<W: Home>(world: &mut W, stream: &mut Stream<W>, rng: &mut Rng) {
    for _ in 0..rng.usize(..3) {
        let mut some: Vec<ChunkPos> =
            world.positions().into_iter().filter(|_| rng.u8(..4) == 0).collect();
        if rng.bool() {
            let loaded = world.loaded();
            some.retain(|chunk| loaded.contains(chunk));
            stream.put(world.remove(some));
        } else {
            world.insert(stream.take(some).unwrap());
        }
    }
}

/// Opens a disk. Every law holds, no chunk is twice in it or missing, and all that was unloaded is
/// there.
pub fn open<W: Home>(disk: Disk, story: &str) -> Result<W, SaveError> {
    let (file, mut world) = SaveFile::<W>::open_on(disk)?;
    world.assert_lawful(story);
    let (saved, mut stream) = (world.save(), file.stream());
    let away = stream.unloaded().unwrap();
    let mut all = [world.loaded(), away.clone()].concat();
    all.sort_unstable();
    assert_eq!(all, world.positions(), "{story}: chunks");
    let records = stream.take(away.iter().copied()).unwrap();
    assert!(records.iter().map(|record| W::content(record).0).eq(away), "{story}: records");
    let units: u64 = records.iter().map(|record| W::content(record).1).sum();
    assert_eq!(units, world.units_away(), "{story}");
    // All of them fit together.
    world.insert(records);
    world.assert_lawful(story);
    Ok(W::load(&saved).unwrap())
}

/// What happened in all runs.
#[derive(Debug, Default)]
pub struct Counts {
    /// Chunks in jobs, of `chunks` that there were to save.
    pub held: usize,
    pub chunks: usize,
    /// Of those in jobs, the ones copied ahead.
    pub ahead: usize,
    pub unloaded: usize,
}

/// Saves of worlds that live on, some of them opened in between.
pub fn opening_gives_the_last_prepared_save<W: Home>(seeds: u64, rounds: u32) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..seeds {
        let mut rng = Rng::with_seed(seed);
        let disk = Disk::default();
        let mut world = W::born(seed);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let mut stream = file.stream();
        for round in 0..rounds {
            for _ in 0..2 {
                world.live(&mut rng);
                travel(&mut world, &mut stream, &mut rng);
                if rng.bool() {
                    stream.copy_ahead(&mut world, rng.usize(..6));
                }
            }
            world.live(&mut rng);
            let saved = world.save();
            let job = stream.prepare(&mut world);
            counts.held += job.chunks();
            counts.chunks += world.chunk_positions().len();
            counts.ahead += job.chunks() - job.chunks_copied();
            // The game goes on meanwhile.
            world.live(&mut rng);
            travel(&mut world, &mut stream, &mut rng);
            counts.unloaded += file.commit(job).unwrap().chunks_unloaded;
            let story = format!("seed {seed}, round {round}");
            let opened: W = open(disk.after_power_loss(Unsynced::Lost), &story).unwrap();
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
    counts
}

/// Chunks that go into the stream and are inserted again without being taken from it are in the
/// file once, whether their records were in a save in between or not.
pub fn a_record_that_is_inserted_untaken_is_not_in_the_file<W: Home>() {
    for is_saved in [false, true] {
        let disk = Disk::default();
        let mut world = W::born(4);
        let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
        let mut stream = file.stream();
        let some: Vec<ChunkPos> = world.loaded().into_iter().step_by(2).collect();
        let records = world.remove(some.clone());
        stream.put(records.iter().cloned());
        assert_eq!(stream.unloaded().unwrap(), some);
        if is_saved {
            let report = file.commit(stream.prepare(&mut world)).unwrap();
            assert_eq!(report.chunks_unloaded, some.len());
        }
        world.insert(records);
        let report = file.commit(stream.prepare(&mut world)).unwrap();
        assert_eq!((report.chunks_unloaded, stream.unloaded().unwrap()), (0, vec![]));
        let opened: W = open(disk.after_power_loss(Unsynced::Lost), "untaken").unwrap();
        assert!(opened.save() == world.save(), "another world");
    }
}

/// The worlds that a disk may hold when a session ended, as snapshots.
#[derive(Default)]
struct Ending {
    acknowledged: Option<Vec<u8>>,
    under_way: Option<Vec<u8>>,
    has_failed: bool,
}

/// Creates a file and saves on with chunks that come and go, until that is done or something fails.
fn session<W: Home>(disk: &Disk) -> Ending {
    let mut ending = Ending::default();
    let mut rng = Rng::with_seed(11);
    let mut world = W::born(11);
    ending.under_way = Some(world.save());
    let Ok(mut file) = SaveFile::create_on(disk.clone(), &world) else {
        return Ending { has_failed: true, ..ending };
    };
    ending.acknowledged = ending.under_way.take();
    let mut stream = file.stream();
    for _ in 0..4 {
        world.happen(&mut rng);
        // A chunk that cannot be read stays where it is.
        let all = world.positions();
        if let Ok(records) = stream.take(all.into_iter().filter(|_| rng.bool())) {
            world.insert(records);
        }
        let some = world.loaded().into_iter().filter(|_| rng.u8(..3) == 0).collect();
        stream.put(world.remove(some));
        ending.under_way = Some(world.save());
        if file.commit(stream.prepare(&mut world)).is_err() {
            return Ending { has_failed: true, ..ending };
        }
        ending.acknowledged = ending.under_way.take();
    }
    ending
}

/// Lets every operation of the disk in a session fail that `every` divides: each in every way if
/// that is all of them, else in one. At least a part of the sessions must fail.
pub fn whichever_operation_fails_the_file_has_all<W: Home>(every: usize) {
    const FAULTS: [Fault; 3] = [Fault::Once, Fault::ForGood, Fault::Torn];
    let whole = Disk::default();
    assert!(!session::<W>(&whole).has_failed);
    let (mut sessions, mut failed) = (0, 0);
    for at in (0..whole.operations()).step_by(every) {
        let faults = if every == 1 { &FAULTS[..] } else { &FAULTS[at as usize % 3..][..1] };
        for &fault in faults {
            let disk = Disk::default();
            disk.fail_at(at, fault);
            let ending = session::<W>(&disk);
            (sessions, failed) = (sessions + 1, failed + u64::from(ending.has_failed));
            for unsynced in [Unsynced::Kept, Unsynced::Lost, Unsynced::Some(at)] {
                let story = format!("{fault:?} at operation {at}, unsynced writes {unsynced:?}");
                match open::<W>(disk.after_power_loss(unsynced), &story) {
                    Ok(world) => {
                        let opened = Some(world.save());
                        let is_one = opened == ending.acknowledged || opened == ending.under_way;
                        assert!(is_one, "{story}: neither the last save nor the one under way");
                    }
                    Err(error) => assert!(ending.acknowledged.is_none(), "{story}: {error}"),
                }
            }
        }
    }
    assert!(failed * 3 > sessions, "only {failed} of {sessions} sessions failed");
}
