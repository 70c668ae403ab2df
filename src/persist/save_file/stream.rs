//! The game's side of a save file with loaded and unloaded chunks. It keeps records that are not in
//! the file yet, reads records that are, and prepares saves.

use super::Part;
use super::error::SaveError;
use super::job::{Base, Copied, Progress, SaveJob, Turns};
use super::streamed::Streamed;
use super::tables::{self, UNLOADED};
use crate::codec::{Format, Reader};
use crate::coords::ChunkPos;
use crate::water::{Since, WaterWorld};
use core::fmt;
use hashbrown::HashMap;
use redb::{Database, ReadableDatabase, ReadableTable, TableError};
use std::sync::{Arc, PoisonError, RwLock};

/// The database of a file, shared by the file and its streams; `None` while it is closed.
pub(super) type Shared = Arc<RwLock<Option<Database>>>;

/// The game's side of a [`SaveFile`](super::SaveFile) of a world whose chunks come and go. It stays
/// on the thread of the game, while the file goes to the thread that writes.
///
/// A stream works the same way for a [`World`](crate::world::World) as for a [`WaterWorld`], with
/// the records of that kind of world. The records that [`remove_chunks`](WaterWorld::remove_chunks)
/// returns are [`put`](Stream::put) into the stream. The next save that it
/// [`prepare`](Stream::prepare)s contains them, in one transaction with the loaded chunks and the
/// ledger, so that the file never holds a chunk twice or not at all. A chunk that is to be loaded
/// is [`take`](Stream::take)n from the stream and inserted into the world; it leaves the file with
/// the next save. So, if all chunks pass through the stream, the unloaded chunks in a file hold the
/// units that its ledger counts as unloaded, less those that it counts as loaded. Records that were
/// put into a stream and not saved are lost when the stream is dropped. When the file is dropped,
/// it is closed, and the stream can no longer read from it.
///
/// ```
/// use floodplain::save_file::SaveFile;
/// use floodplain::water::{Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// # let name = format!("floodplain-stream-{}.redb", std::process::id());
/// # let path = std::env::temp_dir().join(name);
/// # drop(std::fs::remove_file(&path));
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunks([0, 1].map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))))?;
/// world.pour(IVec3::new(20, 0, 8), 7)?;
/// let mut file = SaveFile::create(&path, &world)?;
/// let mut stream = file.stream();
///
/// stream.put(world.remove_chunks([ChunkPos::new(1, 0, 0)])?);
/// let job = stream.prepare(&mut world);
/// let writer = std::thread::spawn(move || (file.commit(job), file));
/// // Later the game needs the chunk again.
/// world.insert_records(stream.take([ChunkPos::new(1, 0, 0)])?)?;
/// assert_eq!(world.units(IVec3::new(20, 0, 8)), 7);
/// let (report, file) = writer.join().unwrap();
/// assert_eq!(report?.chunks_unloaded, 1);
/// # drop(file);
///
/// // The machine fails before the next save: the chunk is in the file, and not in the world.
/// let (file, world) = SaveFile::<WaterWorld>::open(&path)?;
/// assert_eq!((world.total(), world.ledger().unloaded), (0, 7));
/// assert_eq!(file.stream().take([ChunkPos::new(1, 0, 0)])?[0].units(), 7);
/// # drop(file);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stream<W: Streamed = WaterWorld> {
    database: Shared,
    progress: Arc<Progress>,
    turns: Turns,
    /// The number of the last job that was prepared, 0 for none.
    last: u64,
    /// The save of the file that the first job follows, until that job is prepared.
    base: Option<Base>,
    since: Option<Since>,
    /// The copies made ahead of the next job, each with the time of the copy.
    ahead: HashMap<ChunkPos, (Since, W::Copy)>,
    /// The records put into the stream that may not be in the file yet, each with the number of the
    /// first job that contains it.
    kept: HashMap<ChunkPos, (u64, Arc<W::Record>)>,
    /// The chunks taken from the stream whose records may still be in the file, each with the
    /// number of the first job that removes its record.
    taken: HashMap<ChunkPos, u64>,
}

impl<W: Streamed> Stream<W> {
    pub(super) fn new(database: Shared, turns: Turns, base: Option<Base>) -> Stream<W> {
        Stream {
            database,
            progress: Arc::default(),
            turns,
            last: 0,
            since: base.as_ref().map(|base| base.since),
            base,
            ahead: HashMap::new(),
            kept: HashMap::new(),
            taken: HashMap::new(),
        }
    }

    /// Keeps the records of unloaded chunks, in memory until they are in the file. Of two records
    /// at one position, the last counts. A record whose chunk is loaded when the next save is
    /// prepared, although it was not taken, is dropped: the save contains the chunk as a loaded
    /// one.
    pub fn put(&mut self, records: impl IntoIterator<Item = W::Record>) {
        let next = self.last + 1;
        for record in records {
            self.kept.insert(W::position_of(&record), (next, Arc::new(record)));
        }
    }

    /// Takes the records of the unloaded chunks at `positions`, and returns them in the same order,
    /// to be inserted into the world. The stream no longer keeps the records, and they leave the
    /// file with the next save.
    ///
    /// # Errors
    /// A record in the file is damaged, the file is closed, or the disk fails. No record is taken
    /// then.
    pub fn take(
        &mut self,
        positions: impl IntoIterator<Item = ChunkPos>,
    ) -> Result<Vec<W::Record>, SaveError> {
        self.forget_committed();
        let positions: Vec<ChunkPos> = positions.into_iter().collect();
        let is_elsewhere = |position: &ChunkPos| {
            !self.kept.contains_key(position) && !self.taken.contains_key(position)
        };
        let elsewhere: Vec<ChunkPos> = positions.iter().copied().filter(is_elsewhere).collect();
        let mut read = self.read(&elsewhere)?;
        let mut records = Vec::new();
        for position in positions {
            let kept = self.kept.remove(&position).map(|(_, record)| Arc::unwrap_or_clone(record));
            let Some(record) = kept.or_else(|| read.remove(&position)) else { continue };
            self.taken.insert(position, self.last + 1);
            records.push(record);
        }
        Ok(records)
    }

    /// Returns the positions of the unloaded chunks in the stream and in the file, in order (y,
    /// then z, then x).
    ///
    /// # Errors
    /// The file is closed, after a failed save or because it was dropped, or the disk fails.
    pub fn unloaded(&mut self) -> Result<Vec<ChunkPos>, SaveError> {
        self.forget_committed();
        let mut positions = self.in_file()?;
        positions.retain(|position| {
            !self.kept.contains_key(position) && !self.taken.contains_key(position)
        });
        positions.extend(self.kept.keys());
        positions.sort_unstable();
        Ok(positions)
    }

    /// Returns a job that saves the world as it is at this moment.
    /// [`SaveFile::commit`](super::SaveFile::commit) writes the job, at any time and on any thread.
    /// The job holds copies of the chunks that have changed since the last job, the records put
    /// into the stream, and the positions of the records taken. A chunk is copied only if it has
    /// been touched (written, awake, or listed as changed) and has not been [copied
    /// ahead](Stream::copy_ahead) since. Its cells are copied only when the world writes them.
    ///
    /// The first job of a stream holds what has been touched since the last save of the file, as
    /// far as that is known (see [`SaveFile::stream`](super::SaveFile::stream)). A job of another
    /// world holds the whole of it, and so does the next job after one that was not written. Jobs
    /// must be written in the order in which they were prepared. While a tick of water is underway,
    /// the world is saved as it was when that tick began.
    pub fn prepare(&mut self, world: &mut W) -> SaveJob<W> {
        self.forget_committed();
        self.kept.retain(|&chunk, _| !world.has_chunk(chunk));
        self.last += 1;
        let since = self.since_last();
        let base = self.base.take();
        let (chunks, now) = world.touched_since(since);
        let is_whole = !since.is_some_and(|since| since.is_of_world(now));
        self.since = Some(now);
        let (mut rules, mut state) = (Vec::new(), Vec::new());
        world.put_rules(&mut rules);
        world.put_state(&mut state);
        let (touched, copied) = self.take_copies(world, &chunks);
        SaveJob {
            number: self.last,
            turn: self.turns.next(),
            is_whole,
            base,
            progress: Arc::clone(&self.progress),
            rules,
            state,
            positions: world.present(),
            touched,
            copied,
            unloaded: self.kept.values().map(|(_, record)| Arc::clone(record)).collect(),
            taken: self.taken.keys().copied().collect(),
        }
    }

    /// Copies up to `most` chunks that the next job is to hold, so that preparing the job takes
    /// less time at once. Call this in each tick before a save of many chunks, or in every tick.
    /// Only chunks that take no part in ticks, at rest or frozen, are copied: the next tick would
    /// touch an awake chunk. Returns the number of chunks still to be copied. A copy takes memory
    /// until the next job is prepared, or until its chunk is touched or gone; its cells take memory
    /// only once the world writes them.
    ///
    /// A chunk that is touched after it was copied is copied again, by the next call or by
    /// [`prepare`](Stream::prepare). So a save holds the world as it was when the job was prepared,
    /// whatever was copied before.
    ///
    /// ```
    /// use floodplain::save_file::SaveFile;
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// # let name = format!("floodplain-ahead-{}.redb", std::process::id());
    /// # let path = std::env::temp_dir().join(name);
    /// # drop(std::fs::remove_file(&path));
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// let mut file = SaveFile::create(&path, &world)?;
    /// let mut stream = file.stream();
    /// world.insert_chunks((0..8).map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))))?;
    /// assert_eq!(stream.copy_ahead(&mut world, 5), 3);
    /// assert_eq!(stream.copy_ahead(&mut world, 5), 0);
    /// world.pour(IVec3::new(20, 3, 8), 7)?;
    /// let job = stream.prepare(&mut world);
    /// assert_eq!((job.chunks(), job.chunks_copied()), (8, 1));
    /// file.commit(job)?;
    /// # drop((file, stream));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_ahead(&mut self, world: &mut W, most: usize) -> usize {
        let since = self.since_last();
        self.since = since;
        let (mut chunks, now) = world.touched_since(since);
        // Chunks that are gone count as touched.
        self.ahead.retain(|&chunk, (since, _)| !world.is_touched_since(chunk, *since));
        let is_behind = |chunk: ChunkPos| !self.ahead.contains_key(&chunk);
        // While a tick is underway, chunks that may take part in it count as touched even after
        // `now`.
        let rests = |chunk| !world.is_touched_since(chunk, now) && world.rests(chunk);
        chunks.retain(|&chunk| rests(chunk) && is_behind(chunk));
        let left = chunks.len().saturating_sub(most);
        for chunk in chunks.into_iter().take(most) {
            self.ahead.insert(chunk, (now, world.copy(chunk)));
        }
        left
    }

    /// Returns copies of `chunks`, and the number of new ones among them. Copies made ahead are
    /// used for chunks that have not been touched since; the other chunks are copied now.
    fn take_copies(&mut self, world: &mut W, chunks: &[ChunkPos]) -> (Vec<Copied<W>>, usize) {
        let mut ahead = core::mem::take(&mut self.ahead);
        let (mut copies, mut copied) = (Vec::with_capacity(chunks.len()), 0);
        for &chunk in chunks {
            let copy = ahead.remove(&chunk);
            let copy = copy.filter(|(since, _)| !world.is_touched_since(chunk, *since));
            copied += usize::from(copy.is_none());
            copies.push((chunk, copy.map_or_else(|| world.copy(chunk), |(_, copy)| copy)));
        }
        (copies, copied)
    }

    /// Takes the time of the last job, or of the save that the first job follows; `None` if the
    /// next job must hold the whole world.
    fn since_last(&mut self) -> Option<Since> {
        if self.progress.take_failure() {
            (self.since, self.base) = (None, None);
        }
        self.since.take()
    }

    /// Drops the entries of jobs that are in the file now.
    fn forget_committed(&mut self) {
        let committed = self.progress.committed();
        self.kept.retain(|_, (job, _)| *job > committed);
        self.taken.retain(|_, job| *job > committed);
    }

    /// Returns the records of unloaded chunks at `positions` that are in the file.
    fn read(&self, positions: &[ChunkPos]) -> Result<HashMap<ChunkPos, W::Record>, SaveError> {
        if positions.is_empty() {
            return Ok(HashMap::new());
        }
        self.with_table(|table| {
            let mut records = HashMap::new();
            for &position in positions {
                let key = tables::key_of(position);
                let Some(sealed) = table.get(&key).map_err(SaveError::of)? else { continue };
                let part = Part::Unloaded(position);
                let bytes = tables::unseal(&key, sealed.value(), part)?;
                let record = Reader::new(Format::Record, bytes).packed();
                let record = record.and_then(|record| W::record_of(record.bytes()));
                let record = record.map_err(SaveError::in_part(part))?;
                if W::position_of(&record) != position {
                    return Err(SaveError::Damaged { part });
                }
                records.insert(position, record);
            }
            Ok(records)
        })
    }

    /// Returns the positions of the unloaded chunks whose records are in the file.
    fn in_file(&self) -> Result<Vec<ChunkPos>, SaveError> {
        self.with_table(|table| {
            let key =
                |entry: Result<(redb::AccessGuard<'_, &tables::Key>, _), redb::StorageError>| {
                    let (key, _): (_, redb::AccessGuard<'_, &[u8]>) =
                        entry.map_err(SaveError::of)?;
                    Ok(tables::position_of(key.value()))
                };
            table.iter().map_err(SaveError::of)?.map(key).collect()
        })
    }

    /// Returns what `read` makes of the table of unloaded chunks as of the last save, or the
    /// default if the file has no such table yet.
    fn with_table<T: Default>(
        &self,
        read: impl FnOnce(
            redb::ReadOnlyTable<&'static tables::Key, &'static [u8]>,
        ) -> Result<T, SaveError>,
    ) -> Result<T, SaveError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = database.as_ref().ok_or(SaveError::Closed)?;
        let transaction = database.begin_read().map_err(SaveError::of)?;
        match transaction.open_table(UNLOADED) {
            Ok(table) => read(table),
            Err(TableError::TableDoesNotExist(_)) => Ok(T::default()),
            Err(TableError::Storage(error)) => Err(SaveError::of(error)),
            Err(_) => Err(SaveError::Damaged { part: Part::UnloadedChunks }),
        }
    }
}

impl<W: Streamed> fmt::Debug for Stream<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("last", &self.last).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::SaveFile;
    use crate::chunk::Chunk;
    use crate::coords::ChunkPos;
    use crate::water::{Rules, Voxel, WaterWorld};
    use glam::IVec3;
    use redb::backends::InMemoryBackend;

    /// A player walks on for hours in a game that copies ahead in each tick and never saves.
    #[test]
    fn copies_of_chunks_that_are_gone_are_let_go() {
        let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
        let file = SaveFile::create_on(InMemoryBackend::new(), &world).unwrap();
        let mut stream = file.stream();
        for x in 0..40 {
            world.insert_chunk(ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN)).unwrap();
            assert_eq!(stream.copy_ahead(&mut world, 9), 0);
            assert_eq!(stream.ahead.len(), world.chunks().count(), "chunk {x}");
            if x > 2 {
                world.remove_chunk(ChunkPos::new(x - 3, 0, 0)).unwrap();
            }
        }
        // The copy of a chunk that has been touched since is dropped.
        world.pour(IVec3::new(16 * 39, 3, 3), 7).unwrap();
        stream.copy_ahead(&mut world, 0);
        assert!(!stream.ahead.contains_key(&ChunkPos::new(39, 0, 0)));
        assert_eq!(stream.prepare(&mut world).chunks(), 3);
        assert!(stream.ahead.is_empty());
    }
}
