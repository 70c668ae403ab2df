//! A write buffer between redb and the disk, so that opening changes nothing before the save is
//! accepted.
//!
//! redb writes while it opens: a mark that the file is in use, and repairs after a crash. This
//! buffer keeps the operations in memory, in order. If the save is refused, they are dropped. If it
//! is sound, they are carried out in the same order, syncs included, so that a crash in between
//! leaves what redb expects.

use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A deferred operation of redb on the disk.
#[derive(Debug)]
enum Operation {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

impl Operation {
    fn carry_out(&self, disk: &dyn StorageBackend) -> io::Result<()> {
        match self {
            Operation::Write(offset, data) => disk.write(*offset, data),
            Operation::SetLen(len) => disk.set_len(*len),
            Operation::Sync => disk.sync_data(),
        }
    }
}

/// A disk and its deferred operations. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Staged {
    disk: Arc<dyn StorageBackend>,
    /// `None` once operations are no longer deferred.
    deferred: Arc<Mutex<Option<Vec<Operation>>>>,
}

impl Staged {
    /// Defers everything until [`accept`](Staged::accept).
    pub(super) fn deferring(disk: Arc<dyn StorageBackend>) -> Self {
        Staged { disk, deferred: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// Defers nothing.
    pub(super) fn passing(disk: Arc<dyn StorageBackend>) -> Self {
        Staged { disk, deferred: Arc::default() }
    }

    /// Carries out the deferred operations, and defers nothing from here on.
    pub(super) fn accept(&self) -> io::Result<()> {
        let mut deferred = self.deferred();
        for operation in deferred.take().into_iter().flatten() {
            operation.carry_out(&*self.disk)?;
        }
        Ok(())
    }

    fn deferred(&self) -> MutexGuard<'_, Option<Vec<Operation>>> {
        // No panic can leave the list incomplete, so a poisoned lock is harmless.
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, operation: Operation) -> io::Result<()> {
        match &mut *self.deferred() {
            Some(deferred) => {
                deferred.push(operation);
                Ok(())
            }
            None => operation.carry_out(&*self.disk),
        }
    }
}

impl StorageBackend for Staged {
    fn len(&self) -> io::Result<u64> {
        let set_len = |operation: &Operation| {
            if let Operation::SetLen(len) = operation { Some(*len) } else { None }
        };
        match self.deferred().iter().flatten().rev().find_map(set_len) {
            Some(len) => Ok(len),
            None => self.disk.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let deferred = self.deferred();
        let Some(deferred) = &*deferred else { return self.disk.read(offset, out) };
        let on_disk = self.disk.len()?.saturating_sub(offset).min(out.len() as u64) as usize;
        let (from_disk, beyond) = out.split_at_mut(on_disk);
        if !from_disk.is_empty() {
            self.disk.read(offset, from_disk)?;
        }
        beyond.fill(0);
        let mut readable = on_disk;
        for operation in deferred {
            match operation {
                Operation::Write(at, data) => overlay(offset, out, *at, data),
                Operation::SetLen(len) => {
                    readable = len.saturating_sub(offset).min(out.len() as u64) as usize;
                    out[readable..].fill(0);
                }
                Operation::Sync => {}
            }
        }
        if readable == out.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.run(Operation::SetLen(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.run(Operation::Sync)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.run(Operation::Write(offset, data.to_vec()))
    }

    fn close(&self) -> io::Result<()> {
        self.disk.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.disk.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.query_lock_range(start, end)
    }
}

/// Copies the part of `data`, which starts at `at`, that overlaps `out`, which starts at `offset`.
fn overlay(offset: u64, out: &mut [u8], at: u64, data: &[u8]) {
    let start = offset.max(at);
    let end = (offset + out.len() as u64).min(at + data.len() as u64);
    if start < end {
        let length = (end - start) as usize;
        out[(start - offset) as usize..][..length]
            .copy_from_slice(&data[(start - at) as usize..][..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    fn content(disk: &dyn StorageBackend) -> Vec<u8> {
        let mut bytes = vec![0; disk.len().unwrap() as usize];
        disk.read(0, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn deferred_operations_read_as_done_and_are_done_when_accepted() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (below, plain) = (Arc::new(InMemoryBackend::new()), InMemoryBackend::new());
            for disk in [&*below, &plain] {
                disk.set_len(40).unwrap();
                disk.write(10, &[1; 20]).unwrap();
            }
            let before = content(&*below);
            let staged = Staged::deferring(below.clone());
            for _ in 0..rng.usize(..12) {
                let len = plain.len().unwrap();
                let at = rng.u64(..=len);
                let data = vec![rng.u8(..); rng.usize(..=(len - at) as usize)];
                if rng.bool() {
                    [&staged as &dyn StorageBackend, &plain]
                        .iter()
                        .for_each(|disk| disk.write(at, &data).unwrap());
                } else {
                    let len = rng.u64(..80);
                    [&staged as &dyn StorageBackend, &plain]
                        .iter()
                        .for_each(|disk| disk.set_len(len).unwrap());
                }
                staged.sync_data().unwrap();
                assert!(content(&staged) == content(&plain), "seed {seed}");
                let (at, mut out) = (rng.u64(..90), vec![0; rng.usize(1..20)]);
                let within = at + out.len() as u64 <= plain.len().unwrap();
                assert_eq!(staged.read(at, &mut out).is_ok(), within, "seed {seed}");
                if within {
                    assert!(out == content(&plain)[at as usize..][..out.len()], "seed {seed}");
                }
            }
            assert!(content(&*below) == before, "seed {seed}: an operation was not deferred");
            staged.accept().unwrap();
            assert!(content(&*below) == content(&plain), "seed {seed}");
        }
    }
}
