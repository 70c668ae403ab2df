//! Messages between ranks: non-blocking sends, and receives as they arrive.

use crate::meter::processor_time;
use mpi::Tag;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// The number of tags. They may repeat, because MPI keeps the order of messages between two ranks.
const TAGS: u32 = 1 << 14;

/// All ranks, as seen from this one.
pub struct Ranks {
    world: SimpleCommunicator,
    rounds: u32,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Exchanges made.
    pub exchanges: u64,
    /// Processor time in which messages were sent and taken, without waiting, in nanoseconds.
    pub busy: u64,
}

impl Ranks {
    pub fn new(world: SimpleCommunicator) -> Ranks {
        Ranks { world, rounds: 0, messages: 0, bytes: 0, exchanges: 0, busy: 0 }
    }

    /// Returns the number of this rank.
    pub fn me(&self) -> usize {
        self.world.rank() as usize
    }

    /// Returns the number of ranks.
    pub fn count(&self) -> usize {
        self.world.size() as usize
    }

    /// Waits for all ranks.
    pub fn barrier(&self) {
        self.world.barrier();
    }

    /// Sends a message to each of some ranks, and returns those that these send in the same round,
    /// in the same order. While they are under way, does work until `work` has none.
    pub fn exchange(
        &mut self,
        messages: &[(usize, Vec<u8>)],
        mut work: impl FnMut() -> bool,
    ) -> Vec<Vec<u8>> {
        self.rounds = (self.rounds + 1) % TAGS;
        let tag = self.rounds as Tag;
        self.exchanges += u64::from(!messages.is_empty());
        self.messages += messages.len() as u64;
        self.bytes += messages.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        let mut received: Vec<Option<Vec<u8>>> = vec![None; messages.len()];
        let mut busy = 0;
        mpi::request::scope(|scope| {
            let begin = processor_time();
            let requests: Vec<_> = messages
                .iter()
                .map(|(rank, bytes)| {
                    let process = self.world.process_at_rank(*rank as i32);
                    process.immediate_send_with_tag(scope, &bytes[..], tag)
                })
                .collect();
            busy += processor_time() - begin;
            while received.iter().any(Option::is_none) {
                let has_worked = work();
                let begin = processor_time();
                if self.receive_what_came(messages, tag, &mut received) {
                    busy += processor_time() - begin;
                } else if !has_worked {
                    // Where ranks share a core, the one that is waited for may need it.
                    std::thread::yield_now();
                }
            }
            requests.into_iter().for_each(|request| _ = request.wait());
        });
        self.busy += busy;
        received.into_iter().flatten().collect()
    }

    /// Returns whether a message came.
    fn receive_what_came(
        &self,
        messages: &[(usize, Vec<u8>)],
        tag: Tag,
        received: &mut [Option<Vec<u8>>],
    ) -> bool {
        let mut has_come = false;
        for ((rank, _), message) in messages.iter().zip(received) {
            if message.is_none() {
                let process = self.world.process_at_rank(*rank as i32);
                let came = process.immediate_matched_probe_with_tag(tag);
                *message = came.map(|came| came.matched_receive_vec().0);
                has_come |= message.is_some();
            }
        }
        has_come
    }

    /// Sends each rank its message, and returns the messages to this rank, both indexed by rank (an
    /// all-to-all).
    pub fn exchange_all(&mut self, mut messages: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let me = self.me();
        let own = std::mem::take(&mut messages[me]);
        let others: Vec<(usize, Vec<u8>)> =
            messages.into_iter().enumerate().filter(|&(rank, _)| rank != me).collect();
        let mut all = self.exchange(&others, || false);
        all.insert(me, own);
        all
    }

    /// Returns the bytes of every rank, indexed by rank (an all-gather).
    pub fn gather(&mut self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        self.exchange_all(vec![bytes; self.count()])
    }
}
