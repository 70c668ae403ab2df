//! A disk in memory that counts its operations, fails or tears on demand, fills up, and loses
//! its power.

use floodplain::save_file::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

/// What happens at the operation chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails; nothing of it is done. Later ones go well.
    Once,
    /// It and all later ones fail.
    ForGood,
    /// It fails after half of a write was done; a sync or a change of length is done, and its
    /// success not reported. Later ones fail.
    Torn,
}

#[derive(Clone, Debug)]
enum Order {
    Write(usize, Vec<u8>),
    SetLen(usize),
}

impl Order {
    fn carry_out(&self, bytes: &mut Vec<u8>) {
        match self {
            Order::Write(at, data) => {
                bytes.resize(bytes.len().max(at + data.len()), 0);
                bytes[*at..at + data.len()].copy_from_slice(data);
            }
            Order::SetLen(len) => bytes.resize(*len, 0),
        }
    }
}

/// What of the writes since the last sync is there after the power went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsynced {
    /// All: as when the process dies and not the machine.
    Kept,
    /// None.
    Lost,
    /// Some, chosen by the seed, each whole or a random choice of its sectors of 512 bytes.
    Some(u64),
}

#[derive(Debug, Default)]
struct State {
    bytes: Vec<u8>,
    synced: Vec<u8>,
    unsynced: Vec<Order>,
    operations: u64,
    fault: Option<(u64, Fault)>,
    capacity: Option<usize>,
}

/// A handle on the disk; clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct Disk(Arc<Mutex<State>>);

impl Disk {
    pub fn holding(bytes: Vec<u8>) -> Self {
        let state = State { synced: bytes.clone(), bytes, ..State::default() };
        Disk(Arc::new(Mutex::new(state)))
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.state().bytes.clone()
    }

    /// Reads, writes, syncs and changes of length so far.
    pub fn operations(&self) -> u64 {
        self.state().operations
    }

    /// Lets operation `at`, the first being 0, go wrong.
    pub fn fail_at(&self, at: u64, fault: Fault) {
        self.state().fault = Some((at, fault));
    }

    /// The most bytes that the disk holds.
    pub fn limit(&self, capacity: Option<usize>) {
        self.state().capacity = capacity;
    }

    /// A new disk with what is there after the power went.
    pub fn after_power_loss(&self, unsynced: Unsynced) -> Disk {
        let state = self.state();
        let mut bytes = state.synced.clone();
        match unsynced {
            Unsynced::Kept => bytes.clone_from(&state.bytes),
            Unsynced::Lost => {}
            Unsynced::Some(seed) => {
                let mut rng = fastrand::Rng::with_seed(seed);
                for order in &state.unsynced {
                    match (order, rng.u8(..3)) {
                        (_, 0) => {}
                        (Order::Write(at, data), 1) => {
                            for (sector, data) in
                                data.chunks(512).enumerate().filter(|_| rng.bool())
                            {
                                Order::Write(at + 512 * sector, data.to_vec())
                                    .carry_out(&mut bytes);
                            }
                        }
                        _ => order.carry_out(&mut bytes),
                    }
                }
            }
        }
        Disk::holding(bytes)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    /// Counts an operation; what goes wrong with it, if anything.
    fn begin(&mut self) -> Option<Fault> {
        let now = self.operations;
        self.operations += 1;
        let (at, fault) = self.fault?;
        match fault {
            _ if now == at => Some(fault),
            Fault::Once => None,
            Fault::ForGood | Fault::Torn => (now > at).then_some(Fault::ForGood),
        }
    }

    fn carry_out(&mut self, order: Order) {
        order.carry_out(&mut self.bytes);
        self.unsynced.push(order);
    }

    fn sync(&mut self) {
        for order in self.unsynced.drain(..) {
            order.carry_out(&mut self.synced);
        }
    }

    fn check_room(&self, end: usize) -> io::Result<()> {
        match self.capacity {
            Some(capacity) if end > capacity.max(self.bytes.len()) => {
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }
}

fn broken() -> io::Error {
    io::Error::other("the disk was told to fail")
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().bytes.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        if state.begin().is_some() {
            return Err(broken());
        }
        let bytes = state.bytes.get(offset as usize..).and_then(|bytes| bytes.get(..out.len()));
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        let fault = state.begin();
        if matches!(fault, Some(Fault::Once | Fault::ForGood)) {
            return Err(broken());
        }
        state.check_room(len as usize)?;
        state.carry_out(Order::SetLen(len as usize));
        fault.map_or(Ok(()), |_| Err(broken()))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state();
        let fault = state.begin();
        if matches!(fault, Some(Fault::Once | Fault::ForGood)) {
            return Err(broken());
        }
        state.sync();
        fault.map_or(Ok(()), |_| Err(broken()))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let fault = state.begin();
        if matches!(fault, Some(Fault::Once | Fault::ForGood)) {
            return Err(broken());
        }
        state.check_room(offset as usize + data.len())?;
        let data = if fault.is_some() { &data[..data.len() / 2] } else { data };
        state.carry_out(Order::Write(offset as usize, data.to_vec()));
        fault.map_or(Ok(()), |_| Err(broken()))
    }
}
