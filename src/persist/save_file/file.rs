//! Creates and opens a file with a world, and saves to it.

use super::Part;
use super::contents::Contents;
use super::error::SaveError;
use super::fingerprints::{Entry, Fingerprints, Known};
use super::header;
use super::job::{Base, Progress, SaveJob, Turns};
use super::load::load;
use super::staged::Staged;
use super::stream::{Shared, Stream};
use super::streamed::Streamed;
use super::tables::{self, CHUNKS, COUNT, FORMAT, HEAD, Key, RULES, STATE, UNLOADED};
use crate::snapshot::{Kind, Saved};
use core::fmt;
use core::marker::PhantomData;
use redb::backends::FileBackend;
use redb::{
    Builder, Database, Durability, StorageBackend, Table, TableHandle, UntypedTableHandle,
    WriteTransaction,
};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// The number of bytes of the file that the database caches. A save reads little: the path in the
/// B-tree to each chunk that it writes.
const CACHE: usize = 64 << 20;

/// The report of one save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaveReport {
    /// Chunks that are new or differ from the last save.
    pub chunks_written: usize,
    /// Chunks of the last save that are gone.
    pub chunks_removed: usize,
    /// Chunks that were unloaded since the last save, whose records were written.
    pub chunks_unloaded: usize,
    /// Bytes of the keys and values written. The file grows by more: whole pages of 4 KiB, and
    /// inner pages of the B-tree.
    pub bytes: u64,
}

/// A file that holds a world of kind `W`. One process at a time can have it open.
pub struct SaveFile<W> {
    disk: Arc<dyn StorageBackend>,
    /// The database; `None` after an error, when the content of the file is unknown.
    database: Shared,
    /// The records of the last save; `None` if the next save must write everything.
    last: Option<Known>,
    turns: Turns,
    /// The turn of the last save, 0 for none.
    written: u64,
    /// The stream and the number of the last job, if that job was the last save.
    job: Option<(Arc<Progress>, u64)>,
    /// The last save, if it was of a whole world that notes the chunks touched after the save.
    base: Option<Base>,
    fingerprints: Fingerprints,
    world: PhantomData<fn(&W)>,
}

impl<W: Saved> SaveFile<W> {
    /// Creates a file with this world in it.
    ///
    /// # Errors
    /// There is a file of that name, or the disk fails. If the disk fails, the new file is removed.
    pub fn create(path: impl AsRef<Path>, world: &W) -> Result<Self, SaveError> {
        let path = path.as_ref();
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let created = FileBackend::new(file)
            .map_err(SaveError::of)
            .and_then(|file| SaveFile::create_on(file, world))
            .and_then(|created| sync_folder_of(path).map(|()| created).map_err(SaveError::from));
        if created.is_err() {
            // The first error is the one to return.
            let _ = fs::remove_file(path);
        }
        created
    }

    /// Opens a file and returns it with the world of its last save.
    ///
    /// # Errors
    /// The file does not exist, may not be written, is open already, or is not the save of a lawful
    /// world of kind `W`. It is unchanged.
    pub fn open(path: impl AsRef<Path>) -> Result<(Self, W), SaveError> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        SaveFile::open_on(FileBackend::new(file).map_err(SaveError::of)?)
    }

    /// Opens a file and returns it with the world of its last save. If there is no file of that
    /// name, creates one with the world that `make` returns.
    ///
    /// # Errors
    /// The errors of [`open`](SaveFile::open) and [`create`](SaveFile::create).
    pub fn open_or_create(
        path: impl AsRef<Path>,
        make: impl FnOnce() -> W,
    ) -> Result<(Self, W), SaveError> {
        let path = path.as_ref();
        match SaveFile::open(path) {
            Err(SaveError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                let world = make();
                Ok((SaveFile::create(path, &world)?, world))
            }
            opened => opened,
        }
    }

    /// Like [`create`](SaveFile::create), on a disk of your own.
    ///
    /// # Errors
    /// The disk is not empty, or it fails.
    pub fn create_on(disk: impl StorageBackend, world: &W) -> Result<Self, SaveError> {
        if disk.len()? != 0 {
            return Err(SaveError::Exists);
        }
        let mut file = SaveFile::on(disk);
        file.save(world)?;
        Ok(file)
    }

    /// Like [`open`](SaveFile::open), on a disk of your own.
    ///
    /// # Errors
    /// The disk does not hold the save of a lawful world of kind `W`. The disk is unchanged.
    pub fn open_on(disk: impl StorageBackend) -> Result<(Self, W), SaveError> {
        let mut file = SaveFile::on(disk);
        let staged = Staged::deferring(Arc::clone(&file.disk));
        if let Some(header) = header::to_show(&*file.disk)? {
            staged.write(0, &header)?;
        }
        let database = open_database(staged.clone())?;
        let (world, last): (W, _) = load(&database, &file.fingerprints)?;
        staged.accept()?;
        *file.database.write().unwrap_or_else(PoisonError::into_inner) = Some(database);
        file.last = Some(last);
        file.base = Base::of(&world);
        Ok((file, world))
    }

    fn on(disk: impl StorageBackend) -> Self {
        SaveFile {
            disk: Arc::new(disk),
            database: Shared::default(),
            last: None,
            turns: Turns::default(),
            written: 0,
            job: None,
            base: None,
            fingerprints: Fingerprints::default(),
            world: PhantomData,
        }
    }

    /// Writes the differences from the last save, in one transaction. When the call returns, the
    /// world is on the disk. Unloaded chunks stay in the file, except those that are loaded in
    /// `world`.
    ///
    /// # Errors
    /// The disk fails or is full. The file then holds either the last save or this one; only
    /// opening it shows which. The next call reopens the file and writes the whole world, which is
    /// all that a passing error, such as a full disk, costs.
    pub fn save(&mut self, world: &W) -> Result<SaveReport, SaveError> {
        (self.job, self.base) = (None, None);
        let turn = self.turns.next();
        let report = self.put(Contents::of(world))?;
        self.written = turn;
        self.base = Base::of(world);
        Ok(report)
    }

    fn put(&mut self, contents: Contents<'_>) -> Result<SaveReport, SaveError> {
        let last = self.last.take();
        let lock = || self.database.write().unwrap_or_else(PoisonError::into_inner);
        let mut open = lock();
        if open.is_none() {
            *open = Some(open_database(Staged::passing(Arc::clone(&self.disk)))?);
        }
        drop(open);
        // Streams can read while the save is written.
        let open = self.database.read().unwrap_or_else(PoisonError::into_inner);
        let database = open.as_ref().ok_or(SaveError::Closed)?;
        let written = write::<W>(database, last.as_deref(), contents, &self.fingerprints);
        drop(open);
        match written {
            Ok((report, known)) => {
                self.last = Some(known);
                Ok(report)
            }
            Err(error) => {
                *lock() = None;
                Err(error)
            }
        }
    }
}

impl<W: Streamed> SaveFile<W> {
    /// Returns the game's side of this file, for a world whose chunks come and go. If the last save
    /// was made between two ticks by [`create`](SaveFile::create) or [`save`](SaveFile::save), or
    /// if there was no save since [`open`](SaveFile::open), the first job of the stream copies what
    /// has been touched since, as all later jobs do. Otherwise the first job holds the whole world.
    /// A file has one stream at a time: jobs of another stream are refused unless they hold the
    /// whole world.
    pub fn stream(&self) -> Stream<W> {
        Stream::new(Arc::clone(&self.database), self.turns.clone(), self.base.clone())
    }

    /// Writes a save that was [prepared](super::Stream::prepare), in one transaction: the loaded
    /// chunks that differ, the unloaded chunks that came and went, rules and state. When the call
    /// returns, all of them are on the disk.
    ///
    /// # Errors
    /// The job does not follow the last job written, the job holds the whole world as it was before
    /// the last save, or the disk fails or is full. After a failure of the disk, the file holds
    /// either the last save or this one; only opening it shows which. In all cases the next job
    /// that is prepared holds the whole world, and writing it makes up for the failure.
    pub fn commit(&mut self, mut job: SaveJob<W>) -> Result<SaveReport, SaveError> {
        let base = self.base.take().filter(|_| self.last.is_some());
        let (progress, last) = match self.job.take() {
            Some((progress, number)) if self.last.is_some() => (progress, number),
            _ => (Arc::default(), 0),
        };
        if !job.follows(&progress, last, self.written) && !job.is_first_after(base.as_ref()) {
            let of_stream = if Arc::ptr_eq(&progress, &job.progress) { last } else { 0 };
            return Err(SaveError::OutOfOrder { job: job.number, last: of_stream });
        }
        let report = self.put(job.contents())?;
        self.written = job.turn;
        self.job = Some((Arc::clone(&job.progress), job.number));
        job.succeed();
        Ok(report)
    }
}

impl<W> Drop for SaveFile<W> {
    /// Closes the file. Its streams may outlive it.
    fn drop(&mut self) {
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl<W> fmt::Debug for SaveFile<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveFile").field("disk", &self.disk).finish_non_exhaustive()
    }
}

fn open_database(disk: Staged) -> Result<Database, SaveError> {
    Builder::new().set_cache_size(CACHE).create_with_backend(disk).map_err(SaveError::of)
}

/// Makes the name of a new file durable: syncs its folder.
#[cfg(unix)]
fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Does nothing, since folders can be synced on Unix only.
#[cfg(not(unix))]
fn sync_folder_of(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes a world over the last save and returns the fingerprints of its chunks.
fn write<W: Saved>(
    database: &Database,
    last: Option<&[Entry]>,
    mut contents: Contents<'_>,
    fingerprints: &Fingerprints,
) -> Result<(SaveReport, Known), SaveError> {
    crate::spans::span!("save file");
    let mut report = SaveReport::default();
    let mut transaction = database.begin_write().map_err(SaveError::of)?;
    transaction.set_durability(Durability::Immediate).map_err(SaveError::of)?;
    // After a one-phase commit, which needs half the syncs, redb cannot tell a save that was
    // damaged later from one that was interrupted: after a crash it would silently return the
    // save before.
    transaction.set_two_phase_commit(true);
    if last.is_none() {
        transaction.delete_table(CHUNKS).map_err(SaveError::of)?;
    }
    let known = {
        let mut table = transaction.open_table(CHUNKS).map_err(SaveError::of)?;
        let last = last.unwrap_or_default();
        write_chunks(&mut table, &mut contents, last, fingerprints, &mut report)?
    };
    write_unloaded(&transaction, &mut contents, last.unwrap_or_default(), &known, &mut report)?;
    write_head(&transaction, W::KIND, contents, known.len(), &mut report)?;
    transaction.commit().map_err(SaveError::of)?;
    Ok((report, known))
}

fn write_head(
    transaction: &WriteTransaction,
    kind: Kind,
    contents: Contents<'_>,
    chunks: usize,
    report: &mut SaveReport,
) -> Result<(), SaveError> {
    let mut table = transaction.open_table(HEAD).map_err(SaveError::of)?;
    let Contents { rules, state, .. } = contents;
    let count = (chunks as u64).to_le_bytes().to_vec();
    for (name, mut value) in
        [(FORMAT, tables::format_of(kind)), (RULES, rules), (STATE, state), (COUNT, count)]
    {
        tables::seal(name.as_bytes(), &mut value);
        report.bytes += (name.len() + value.len()) as u64;
        table.insert(name, value.as_slice()).map_err(SaveError::of)?;
    }
    Ok(())
}

/// Writes the chunks that differ from their entries in `last`, and removes the chunks that are
/// gone, by a merge of two lists in order of position.
fn write_chunks(
    table: &mut Table<&Key, &[u8]>,
    contents: &mut Contents<'_>,
    last: &[Entry],
    fingerprints: &Fingerprints,
    report: &mut SaveReport,
) -> Result<Known, SaveError> {
    let mut last = last.iter().peekable();
    let mut gone = Vec::new();
    let mut known = Known::with_capacity(contents.positions.len());
    let mut record = Vec::new();
    for &position in &contents.positions {
        let key = tables::key_of(position);
        while let Some(before) = last.next_if(|last| last.key < key) {
            gone.push(before.key);
        }
        record.clear();
        let before = last.next_if(|last| last.key == key);
        if !(contents.record)(position, &mut record) {
            // The chunk is in the last save; otherwise it would have been touched since.
            known.push(*before.ok_or(SaveError::Damaged { part: Part::Chunk(position) })?);
            continue;
        }
        let chunk = fingerprints.entry(key, &record);
        if before != Some(&chunk) {
            let value = tables::packed(&key, &record);
            report.chunks_written += 1;
            report.bytes += (key.len() + value.len()) as u64;
            table.insert(&key, value.as_slice()).map_err(SaveError::of)?;
        }
        known.push(chunk);
    }
    gone.extend(last.map(|last| last.key));
    for key in &gone {
        table.remove(key).map_err(SaveError::of)?;
    }
    report.chunks_removed = gone.len();
    Ok(known)
}

/// Writes the records of chunks that were unloaded, and removes those of chunks that were taken or
/// are loaded. A loaded chunk can have such a record only if it was not loaded in the last save.
fn write_unloaded(
    transaction: &WriteTransaction,
    contents: &mut Contents<'_>,
    last: &[Entry],
    known: &[Entry],
    report: &mut SaveReport,
) -> Result<(), SaveError> {
    let is_unloaded = |table: &UntypedTableHandle| table.name() == UNLOADED.name();
    let has_table =
        || transaction.list_tables().map(|mut tables| tables.any(|table| is_unloaded(&table)));
    if contents.unloaded.len() == 0 && !has_table().map_err(SaveError::of)? {
        return Ok(());
    }
    let mut table = transaction.open_table(UNLOADED).map_err(SaveError::of)?;
    for &position in contents.taken {
        table.remove(&tables::key_of(position)).map_err(SaveError::of)?;
    }
    for (position, record) in contents.unloaded.by_ref() {
        let key = tables::key_of(position);
        let value = tables::packed(&key, &record);
        report.chunks_unloaded += 1;
        report.bytes += (key.len() + value.len()) as u64;
        table.insert(&key, value.as_slice()).map_err(SaveError::of)?;
    }
    let was_loaded = |key: Key| last.binary_search_by_key(&key, |last| last.key).is_ok();
    for Entry { key, .. } in known.iter().filter(|entry| !was_loaded(entry.key)) {
        table.remove(key).map_err(SaveError::of)?;
    }
    Ok(())
}
