//! Streaming to a file: unloaded chunks are kept in the file. A separate thread writes each save,
//! as one transaction over all chunks and the ledger.

use crate::border::{
    Handle, border, enter, free, give, list, out, out_or_none, positions, room, text,
};
use crate::make::give_world;
use crate::places::{chunk_at, chunk_numbers};
use crate::save_files::FpSaveReport;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{FpWorld, Kept, Played, State};
use core::ffi::c_char;
use floodplain::save_file::{SaveError, SaveFile, SaveJob, SaveReport, Stream, Streamed};
use floodplain::water::WaterWorld;
use floodplain::world::World;
use floodplain::{ChunkPos, water, world};
use std::thread::JoinHandle;

/// The file that a world streams its chunks to. Opaque. Free it with `fp_stream_free`,
/// which closes the file.
pub struct FpStream {
    _opaque: [u8; 0],
}

impl Handle for FpStream {
    type Inner = Streams;
    const MARK: u64 = u64::from_le_bytes(*b"fp strm\0");
    const NAME: &'static str = "stream";
}

/// The file of each kind of world that has them.
pub(crate) enum Streams {
    Water(Side<WaterWorld>),
    Materials(Side<World>),
}

type Written<W> = (Result<SaveReport, SaveError>, SaveFile<W>);

/// The game's side of a file, and the file, or the thread that writes it.
pub(crate) struct Side<W: Streamed> {
    stream: Stream<W>,
    /// `None` while a save is written.
    file: Option<SaveFile<W>>,
    writer: Option<JoinHandle<Written<W>>>,
    /// What the last save wrote, or why it failed, until that is asked for.
    last: Option<Answer<FpSaveReport>>,
}

/// A world that can stream its chunks to a file.
pub(crate) trait Coming: Streamed + Played {
    fn removal(chunks: Vec<ChunkPos>) -> Self::Edit;
    fn removed(outcome: Self::Outcome) -> Vec<Self::Record>;
    fn insertion(records: Vec<Self::Record>) -> Self::Edit;
    /// Returns the position of a record.
    fn place(record: &Self::Record) -> ChunkPos;
}

macro_rules! coming {
    ($world:ty, $part:ident) => {
        impl Coming for $world {
            fn removal(chunks: Vec<ChunkPos>) -> Self::Edit {
                $part::Edit::RemoveChunks(chunks)
            }
            fn removed(outcome: Self::Outcome) -> Vec<Self::Record> {
                match outcome {
                    $part::Outcome::Records(records) => records,
                    _ => Vec::new(),
                }
            }
            fn insertion(records: Vec<Self::Record>) -> Self::Edit {
                $part::Edit::InsertRecords(records)
            }
            fn place(record: &Self::Record) -> ChunkPos {
                record.position()
            }
        }
    };
}
coming!(WaterWorld, water);
coming!(World, world);

impl<W: Coming> Side<W> {
    fn new(file: SaveFile<W>) -> Side<W> {
        Side { stream: file.stream(), file: Some(file), writer: None, last: None }
    }

    /// Unloads chunks, and keeps their records.
    fn unload(&mut self, kept: &mut Kept<W>, chunks: Vec<ChunkPos>) -> Answer {
        let outcome = kept.apply(W::removal(chunks))?;
        self.stream.put(W::removed(outcome));
        Ok(())
    }

    /// Loads those chunks whose records are here. Returns which of them were.
    fn load(&mut self, kept: &mut Kept<W>, chunks: &[ChunkPos]) -> Answer<Vec<u8>> {
        let records = self.stream.take(chunks.iter().copied())?;
        let found: Vec<ChunkPos> = records.iter().map(W::place).collect();
        // Records are kept by reference here, so that a copy of them is cheap beside loading.
        if let Err(refusal) = kept.apply(W::insertion(records.clone())) {
            self.stream.put(records);
            return Err(refusal);
        }
        Ok(chunks.iter().map(|chunk| found.contains(chunk).into()).collect())
    }

    /// Fetches the file from a thread that is done, or waits for it.
    fn fetch(&mut self, waits: bool) {
        let Some(writer) = self.writer.take_if(|writer| waits || writer.is_finished()) else {
            return;
        };
        match writer.join() {
            Ok((report, file)) => {
                self.file = Some(file);
                self.last = Some(report.map(FpSaveReport::from).map_err(Fault::from));
            }
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Prepares a save and has it written, unless one is being written. Returns whether it does.
    fn save(&mut self, kept: &mut Kept<W>) -> bool
    where
        W: Send + 'static,
        SaveJob<W>: Send,
    {
        self.fetch(false);
        let Some(mut file) = self.file.take() else { return false };
        let job = self.stream.prepare(kept.lists());
        self.writer = Some(std::thread::spawn(move || (file.commit(job), file)));
        true
    }

    /// Waits for a save that is being written. Returns what the last one wrote.
    fn wait(&mut self) -> Answer<FpSaveReport> {
        self.fetch(true);
        self.last.take().unwrap_or(Ok(FpSaveReport::default()))
    }
}

impl<W: Streamed> Drop for Side<W> {
    /// The file is closed when this returns.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // A save that panicked is not in the file, as one that failed.
            drop(writer.join());
        }
    }
}

/// Runs an expression over the file and the world of the same kind.
macro_rules! with_both {
    ($streams:expr, $state:expr, ($side:ident, $kept:ident) => $body:expr) => {
        match ($streams, $state) {
            (Streams::Water($side), State::Water($kept)) => $body,
            (Streams::Materials($side), State::Materials($kept)) => $body,
            (_, other) => other.refuse(),
        }
    };
}

/// Runs an expression over the file of any kind.
macro_rules! with_side {
    ($streams:expr, $side:ident => $body:expr) => {
        match $streams {
            Streams::Water($side) => $body,
            Streams::Materials($side) => $body,
        }
    };
}

/// Creates a file that a world of water or of materials streams its chunks to, and saves it there.
///
/// `path` is in UTF-8, ended by a byte of 0. `stream` becomes a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_FILE`, also if there is a file; `FP_STATUS_KIND` for other worlds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_create(
    path: *const c_char,
    world: *const FpWorld,
    stream: *mut *mut FpStream,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (path, world, place) =
            unsafe { (text(path, "path")?, enter(world)?, out(stream, "stream")?) };
        let streams = match world.read() {
            State::Water(kept) => Streams::Water(Side::new(SaveFile::create(path, kept.world())?)),
            State::Materials(kept) => {
                Streams::Materials(Side::new(SaveFile::create(path, kept.world())?))
            }
            other => return other.refuse(),
        };
        place.put(give::<FpStream>(streams));
        Ok(())
    })
}

/// Opens a file of `fp_stream_create` or `fp_save_create` and makes the world of its last save,
/// also after a crash.
///
/// `path` is in UTF-8, ended by a byte of 0. `kind` is the world's `FpKind`. `stream` and `world`
/// become new handles, which the caller owns.
///
/// Errors: `FP_STATUS_FILE`, also for a file of another kind of world; `FP_STATUS_TAG`,
/// `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_open(
    path: *const c_char,
    kind: u32,
    stream: *mut *mut FpStream,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (path, stream, world) =
            unsafe { (text(path, "path")?, out(stream, "stream")?, out(world, "world")?) };
        let (streams, opened) = match FpKind::of(kind)? {
            FpKind::Water => {
                let (file, opened) = SaveFile::<WaterWorld>::open(path)?;
                (Streams::Water(Side::new(file)), give_world(opened))
            }
            FpKind::Materials => {
                let (file, opened) = SaveFile::<World>::open(path)?;
                (Streams::Materials(Side::new(file)), give_world(opened))
            }
            _ => return Err(Fault::kind("chunks of worlds of this kind cannot be unloaded")),
        };
        stream.put(give::<FpStream>(streams));
        world.put(opened);
        Ok(())
    })
}

/// Unloads chunks of the world of a file, all or none. Their records are in the file with the next
/// save, and in memory until then.
///
/// `chunks` are `count` chunk positions of three numbers.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_KIND` for a world of another kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_unload(
    stream: *mut FpStream,
    world: *mut FpWorld,
    chunks: *const i32,
    count: usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut stream, mut world, chunks) =
            unsafe { (enter(stream)?, enter(world)?, positions(chunks, count)?) };
        let chunks = chunks.iter().copied().map(chunk_at).collect();
        with_both!(&mut *stream, world.change(), (side, kept) => side.unload(kept, chunks))
    })
}

/// Loads those of some chunks that were unloaded, from memory or from the file, which they leave
/// with the next save.
///
/// `chunks` are `count` chunk positions of three numbers. `found` has room for `count` bytes, which
/// become 1 for a chunk that was loaded and 0 for one of which there is no record.
///
/// Errors: `FP_STATUS_FILE` if the disk fails or a record is damaged; `FP_STATUS_CHUNK_PRESENT`,
/// `FP_STATUS_OUT_OF_BOUNDS`, `FP_STATUS_REFUSED`; `FP_STATUS_KIND` for a world of another kind.
/// None is loaded then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_load(
    stream: *mut FpStream,
    world: *mut FpWorld,
    chunks: *const i32,
    count: usize,
    found: *mut u8,
) -> FpStatus {
    border(|| {
        let mut length = 0;
        // SAFETY: the caller's promises.
        let (mut stream, mut world, chunks) =
            unsafe { (enter(stream)?, enter(world)?, positions(chunks, count)?) };
        // SAFETY: the caller's promises.
        let (_, room) = unsafe {
            (list(found.cast_const(), count, "found")?, room(found, count, &mut length)?)
        };
        let chunks: Vec<ChunkPos> = chunks.iter().copied().map(chunk_at).collect();
        let loaded = with_both!(&mut *stream, world.change(), (side, kept) => {
            side.load(kept, &chunks)
        })?;
        room.fill(&loaded)
    })
}

/// Lists the unloaded chunks, in memory and in the file, in order of position.
///
/// `out` has room for `capacity` numbers, three for each chunk position; `length` becomes how many
/// there are.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_FILE` if the disk fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_unloaded(
    stream: *mut FpStream,
    out: *mut i32,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut stream, room) = unsafe { (enter(stream)?, room(out, capacity, length)?) };
        let unloaded = with_side!(&mut *stream, side => side.stream.unloaded())?;
        let numbers: Vec<i32> = unloaded.into_iter().flat_map(chunk_numbers).collect();
        room.fill(&numbers)
    })
}

/// Begins to save a world into its file: copies what was touched since the last save, and has a
/// thread write it. The save is of this moment, in one transaction; of a tick that is underway it
/// has the world before it.
///
/// `begun` becomes 1, or 0 if the save before is still being written: then nothing is saved. It may
/// be null.
///
/// Errors: `FP_STATUS_KIND` for a world of another kind. Those of the disk are `fp_stream_wait`'s.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_save(
    stream: *mut FpStream,
    world: *mut FpWorld,
    begun: *mut u32,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut stream, mut world, place) =
            unsafe { (enter(stream)?, enter(world)?, out_or_none(begun, "begun")?) };
        let begun = with_both!(&mut *stream, world.change(), (side, kept) => Ok(side.save(kept)))?;
        place.put(begun.into());
        Ok(())
    })
}

/// Waits until the save that was begun is on the disk.
///
/// `report` becomes what the last save wrote, zeros if none was begun since the last wait; it may
/// be null.
///
/// Errors: `FP_STATUS_FILE` if it failed: the file then holds this save or the last one, and the
/// next save writes the whole world.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_wait(
    stream: *mut FpStream,
    report: *mut FpSaveReport,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut stream, place) = unsafe { (enter(stream)?, out_or_none(report, "report")?) };
        place.put(with_side!(&mut *stream, side => side.wait())?);
        Ok(())
    })
}

/// Closes a file, after the save that is being written. Null is none. The handle is not to be used
/// again. What was not saved is not in the file.
///
/// Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: it stays open then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_stream_free(stream: *mut FpStream) -> FpStatus {
    // SAFETY: the caller's promises.
    border(|| unsafe { free(stream) })
}
