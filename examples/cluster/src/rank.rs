//! A rank: its part of the world and its messages. The messages of a step are under way while the
//! inside of the next one is stepped.

use crate::exchange::Ranks;
use crate::faults::Fault;
use crate::meter::{Cost, Meter, processor_time};
use crate::options::Options;
use crate::roam::Records;
use crate::wire;
use floodplain::parts::{InParts, Message, PartHash, Plan};
use floodplain::{CHUNK_CELLS, ColumnPos, StepReport};
use std::collections::BTreeMap;
use std::time::Duration;

/// One rank's part of a world.
pub struct Rank<W> {
    ranks: Ranks,
    world: W,
    plan: Plan,
    /// The ranks that own columns beside this one's.
    peers: Vec<usize>,
    /// The bytes of the last round of a step for each peer, not sent yet.
    unsent: Option<Vec<(usize, Vec<u8>)>>,
    report: StepReport,
    /// Pieces of work done while messages were under way.
    ahead: u64,
    /// Columns that came from other ranks.
    moved: u64,
    /// The records of columns that this rank has unloaded.
    archive: BTreeMap<ColumnPos, Records>,
    /// Columns of this rank that were loaded and unloaded.
    loaded: [u64; 2],
    /// The tick of the save that this run began from, or 0.
    begun: u64,
    cost: Cost,
    meter: Meter,
}

/// The sums over all ranks.
pub struct Sums {
    ranks: usize,
    ticks: u64,
    hash: PartHash,
    account: Vec<i128>,
    report: [u64; 3],
    messages: u64,
    bytes: u64,
    ahead: u64,
    moved: u64,
    loaded: [u64; 2],
    begun: u64,
}

impl<W: InParts> Rank<W> {
    /// Returns the rank of a part that was divided by this plan. Its ghosts are to be renewed.
    pub fn new(ranks: Ranks, world: W, plan: Plan) -> Self {
        let peers = peers_of(&plan, ranks.me());
        let report = StepReport::default();
        let begun = world.ticks();
        Rank {
            ranks,
            world,
            plan,
            peers,
            unsent: None,
            report,
            ahead: 0,
            moved: 0,
            archive: BTreeMap::new(),
            loaded: [0; 2],
            begun,
            cost: Cost::default(),
            meter: Meter::default(),
        }
    }

    pub fn me(&self) -> usize {
        self.ranks.me()
    }

    pub fn ticks(&self) -> u64 {
        self.world.ticks()
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn world(&self) -> &W {
        &self.world
    }

    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }

    pub fn ranks_mut(&mut self) -> &mut Ranks {
        &mut self.ranks
    }

    /// Returns the records of columns that this rank has unloaded.
    pub fn archive(&self) -> &BTreeMap<ColumnPos, Records> {
        &self.archive
    }

    pub fn archive_mut(&mut self) -> &mut BTreeMap<ColumnPos, Records> {
        &mut self.archive
    }

    /// Counts a column of this rank that was loaded.
    pub fn note_loaded(&mut self) {
        self.loaded[0] += 1;
    }

    /// Counts a column of this rank that was unloaded.
    pub fn note_unloaded(&mut self) {
        self.loaded[1] += 1;
    }

    /// Adds what steps did that this rank ran by other means.
    pub fn add_report(&mut self, report: StepReport) {
        self.report += report;
    }

    /// Takes over another plan, by which the world was divided.
    pub fn set_plan(&mut self, plan: Plan, moved: u64) {
        self.peers = peers_of(&plan, self.me());
        self.plan = plan;
        self.moved += moved;
    }

    /// Takes the world out, and puts another in its place.
    pub fn swap_world(&mut self, world: W) -> W {
        std::mem::replace(&mut self.world, world)
    }

    /// Runs a step. The messages of its last round are sent with the next step.
    pub fn step(&mut self) -> Result<(), Fault> {
        self.settle()?;
        for round in 0..W::ROUNDS {
            let begin = processor_time();
            let done = self.world.advance(round);
            let stepped = processor_time();
            self.report += done.report;
            let messages = self.bytes_for_peers(&done.messages);
            self.cost.compute += stepped - begin;
            self.cost.exchange += processor_time() - stepped;
            self.cost.chunks += done.report.visited / CHUNK_CELLS as u64;
            self.cost.changed += done.report.changed;
            if round + 1 < W::ROUNDS {
                let came = self.ranks.exchange(&messages, || false);
                self.receive(&came)?;
            } else {
                self.unsent = Some(messages);
            }
        }
        self.cost.ticks += 1;
        self.meter.note(self.cost());
        Ok(())
    }

    /// Returns what the steps so far have cost.
    fn cost(&self) -> Cost {
        let Ranks { messages, bytes, exchanges, busy, .. } = self.ranks;
        let exchange = self.cost.exchange + busy;
        Cost { ahead: self.ahead, messages, bytes, rounds: exchanges, exchange, ..self.cost }
    }

    /// Writes what the steps have cost, if asked to.
    pub fn write_costs(&mut self, options: &Options) -> Result<(), Fault> {
        self.meter.write(options, &mut self.ranks)
    }

    /// Exchanges messages between ranks, and counts the pieces of work that are done meanwhile.
    pub fn exchange_ahead(
        &mut self,
        messages: &[(usize, Vec<u8>)],
        mut step_inside: impl FnMut() -> bool,
    ) -> Vec<Vec<u8>> {
        let ahead = &mut self.ahead;
        self.ranks.exchange(messages, || {
            let is_any = step_inside();
            *ahead += u64::from(is_any);
            is_any
        })
    }

    /// Exchanges the messages of the last step, and steps the inside meanwhile.
    pub fn settle(&mut self) -> Result<(), Fault> {
        let Some(messages) = self.unsent.take() else { return Ok(()) };
        let (world, ahead, cost) = (&mut self.world, &mut self.ahead, &mut self.cost);
        let came = self.ranks.exchange(&messages, || {
            let begin = processor_time();
            let is_any = world.step_inside();
            cost.compute += processor_time() - begin;
            *ahead += u64::from(is_any);
            is_any
        });
        let begin = processor_time();
        self.receive(&came)?;
        self.cost.exchange += processor_time() - begin;
        Ok(())
    }

    /// Returns, for each peer, the messages that it must receive, as bytes.
    fn bytes_for_peers(&self, messages: &[Message]) -> Vec<(usize, Vec<u8>)> {
        let mut by_peer: Vec<(usize, Vec<u8>)> =
            self.peers.iter().map(|&peer| (peer, Vec::new())).collect();
        let me = self.me();
        for Message { chunk, bytes } in messages {
            for receiver in self.plan.receivers(*chunk, me) {
                if let Ok(at) = self.peers.binary_search(&receiver) {
                    wire::put(&mut by_peer[at].1, *chunk, bytes);
                }
            }
        }
        by_peer
    }

    fn receive(&mut self, came: &[Vec<u8>]) -> Result<(), Fault> {
        for message in came {
            for (chunk, bytes) in wire::take_all(message)? {
                self.world.receive(&Message { chunk, bytes })?;
            }
        }
        Ok(())
    }

    /// Replaces all ghosts by what their owners have.
    pub fn renew_ghosts(&mut self) -> Result<(), Fault> {
        let mut messages: Vec<(usize, Vec<u8>)> =
            self.peers.iter().map(|&peer| (peer, Vec::new())).collect();
        for column in self.columns() {
            for (peer, message) in &mut messages {
                if self.plan.is_beside(column, *peer) {
                    self.put_column(column, message);
                }
            }
        }
        let came = self.ranks.exchange(&messages, || false);
        for ghost in self.world.ghosts() {
            self.world.drop_chunk(ghost);
        }
        for message in came {
            for (chunk, record) in wire::take_all(&message)? {
                self.world.restore(chunk, &record)?;
            }
        }
        Ok(())
    }

    /// Returns the columns of this rank.
    pub fn columns(&self) -> Vec<ColumnPos> {
        let own = self.plan.columns().filter(|&(_, owner)| owner == self.me());
        own.map(|(column, _)| column).collect()
    }

    /// Appends the records of all chunks of a column.
    pub fn put_column(&self, column: ColumnPos, out: &mut Vec<u8>) {
        for chunk in self.world.chunks_of(column) {
            if let Some(record) = self.world.record(chunk) {
                wire::put(out, chunk, &record);
            }
        }
    }

    /// Returns the sums over all ranks, on each.
    pub fn sums(&mut self) -> Result<Sums, Fault> {
        self.settle()?;
        let mut bytes = Vec::new();
        let StepReport { visited, changed, moved } = self.report;
        let hash = self.world.hash_part().0;
        let (messages, sent) = (self.ranks.messages, self.ranks.bytes);
        let [loaded, unloaded] = self.loaded;
        let work = [messages, sent, self.ahead, self.moved, loaded, unloaded];
        for number in [hash, visited, changed, moved].into_iter().chain(work) {
            bytes.extend(number.to_le_bytes());
        }
        wire::put_account(&mut bytes, &self.world.account());
        let (mut sums, mut account) = ([0u64; 10], Vec::new());
        for bytes in self.ranks.gather(bytes) {
            let mut from = wire::Reader(&bytes);
            for sum in &mut sums {
                *sum = sum.wrapping_add(from.u64()?);
            }
            wire::add_account(&mut account, &wire::take_account(&mut from)?);
        }
        let [hash, visited, changed, units, messages, bytes, ahead, columns, loaded, unloaded] =
            sums;
        Ok(Sums {
            ranks: self.ranks.count(),
            ticks: self.world.ticks(),
            hash: PartHash(hash),
            account,
            report: [visited, changed, units],
            messages,
            bytes,
            ahead,
            moved: columns,
            loaded: [loaded, unloaded],
            begun: self.begun,
        })
    }
}

impl Sums {
    /// Returns all as a line of JSON. What is under `world` is the same for any number of ranks.
    pub fn to_json(&self, options: &Options, time: Duration) -> String {
        let account: Vec<String> = self.account.iter().map(i128::to_string).collect();
        let [visited, changed, moved] = self.report;
        format!(
            "{{\"scene\":\"{:?}\",\"ranks\":{},\"world\":{{\"ticks\":{},\"hash\":\"{}\",\
             \"account\":[{}]}},\"visited\":{visited},\"changed\":{changed},\"moved\":{moved},\
             \"messages\":{},\"bytes\":{},\"ahead\":{},\"columns_moved\":{},\"columns_loaded\":{},\
             \"columns_unloaded\":{},\"from\":{},\"seconds\":{:.3}}}",
            options.scene,
            self.ranks,
            self.ticks,
            self.hash,
            account.join(","),
            self.messages,
            self.bytes,
            self.ahead,
            self.moved,
            self.loaded[0],
            self.loaded[1],
            self.begun,
            time.as_secs_f64()
        )
    }
}

/// Returns the ranks that own columns beside those of a rank.
fn peers_of(plan: &Plan, me: usize) -> Vec<usize> {
    let own = plan.columns().filter(|&(_, owner)| owner == me);
    let mut peers: Vec<usize> =
        own.flat_map(|(column, _)| plan.receivers(column.chunk(0), me)).collect();
    peers.sort_unstable();
    peers.dedup();
    peers
}
