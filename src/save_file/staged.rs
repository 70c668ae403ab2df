//! A disk on which an opening changes nothing before it is accepted.
//!
//! redb writes while it opens: a mark that the file is in use, and what it mends after a crash.
//! Here all of that is kept in memory first, in order. If the save turns out to be none, it is
//! dropped; if the save is sound, it is carried out as if it had never been held back, so that a
//! crash in the middle finds what redb expects.

use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What redb wants done.
#[derive(Debug)]
enum Order {
    Write(u64, Vec<u8>),
    SetLen(u64),
    Sync,
}

impl Order {
    fn carry_out(&self, disk: &dyn StorageBackend) -> io::Result<()> {
        match self {
            Order::Write(offset, data) => disk.write(*offset, data),
            Order::SetLen(len) => disk.set_len(*len),
            Order::Sync => disk.sync_data(),
        }
    }
}

/// A disk, and what is held back from it. Clones are the same disk.
#[derive(Clone, Debug)]
pub(super) struct Staged {
    disk: Arc<dyn StorageBackend>,
    /// `None` from the moment that nothing is held back any more.
    held: Arc<Mutex<Option<Vec<Order>>>>,
}

impl Staged {
    /// Holds everything back until [`accept`](Staged::accept).
    pub(super) fn holding(disk: Arc<dyn StorageBackend>) -> Self {
        Staged { disk, held: Arc::new(Mutex::new(Some(Vec::new()))) }
    }

    /// Holds nothing back.
    pub(super) fn passing(disk: Arc<dyn StorageBackend>) -> Self {
        Staged { disk, held: Arc::default() }
    }

    /// Carries out what was held back, and holds nothing back from here on.
    pub(super) fn accept(&self) -> io::Result<()> {
        let mut held = self.held();
        for order in held.take().into_iter().flatten() {
            order.carry_out(&*self.disk)?;
        }
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, Option<Vec<Order>>> {
        // A list of orders is whole whenever its lock is free.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn order(&self, order: Order) -> io::Result<()> {
        match &mut *self.held() {
            Some(held) => {
                held.push(order);
                Ok(())
            }
            None => order.carry_out(&*self.disk),
        }
    }
}

impl StorageBackend for Staged {
    fn len(&self) -> io::Result<u64> {
        let set_len =
            |order: &Order| if let Order::SetLen(len) = order { Some(*len) } else { None };
        match self.held().iter().flatten().rev().find_map(set_len) {
            Some(len) => Ok(len),
            None => self.disk.len(),
        }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let held = self.held();
        let Some(held) = &*held else { return self.disk.read(offset, out) };
        let on_disk = self.disk.len()?.saturating_sub(offset).min(out.len() as u64) as usize;
        let (from_disk, beyond) = out.split_at_mut(on_disk);
        if !from_disk.is_empty() {
            self.disk.read(offset, from_disk)?;
        }
        beyond.fill(0);
        let mut readable = on_disk;
        for order in held {
            match order {
                Order::Write(at, data) => overlay(offset, out, *at, data),
                Order::SetLen(len) => {
                    readable = len.saturating_sub(offset).min(out.len() as u64) as usize;
                    out[readable..].fill(0);
                }
                Order::Sync => {}
            }
        }
        if readable == out.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.order(Order::SetLen(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.order(Order::Sync)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.order(Order::Write(offset, data.to_vec()))
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

/// Copies the part of `data`, which lies at `at`, that falls into `out`, which lies at `offset`.
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
    fn what_is_held_back_reads_as_if_it_were_done_and_is_done_when_accepted() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (below, plain) = (Arc::new(InMemoryBackend::new()), InMemoryBackend::new());
            for disk in [&*below, &plain] {
                disk.set_len(40).unwrap();
                disk.write(10, &[1; 20]).unwrap();
            }
            let before = content(&*below);
            let staged = Staged::holding(below.clone());
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
            assert!(content(&*below) == before, "seed {seed}: nothing was held back");
            staged.accept().unwrap();
            assert!(content(&*below) == content(&plain), "seed {seed}");
        }
    }
}
