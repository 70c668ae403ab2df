//! A server of a world of materials that trusts nobody. Edits come as bytes that may be anything,
//! whole ticks and slices lie between them, updates are lost, cut, altered or come twice, clients
//! come and go, and the world is saved and loaded at any moment.
//!
//! For the fuzz target `world_hostile` and a test. No twin is run beside the world, so a run takes
//! a twentieth of the time of one of `world_edits`, which has the twins.

use floodplain::snapshot::Saved;
use floodplain::testing::{Bytes, Small, Start, mirrors, palette};
use floodplain::water;
use floodplain::water::MirrorError;
use floodplain::world::{
    ChunkContent, ChunkRecord, Edit, Feed, Mirror, Outcome, Rules, Update, World,
};
use floodplain::{
    Chunk, ChunkPos, ClientEditError, ColumnPos, Cube, EditKinds, EditReport, EditValue, Limits,
    Region, Shape, Simulation,
};
use std::collections::BTreeMap;

/// The most operations of a run.
const MOST_OPS: usize = 40;
/// The most clients at a time.
const MOST_CLIENTS: usize = 3;

/// Integers at the ends of their ranges: as coordinates, counts and units.
const INTEGERS: [i32; 8] =
    [i32::MAX, i32::MIN, -1, 0, i32::MAX - 15, 1 << 16, 1 << 30, i32::MIN + 1];
/// Numbers that are none, have no bound, or are far from all others: as pressures and radii.
const FLOATS: [f32; 8] =
    [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e18, -1e18, f32::MAX, 1e-45, -0.0];

/// How often what is checked has happened, by name.
pub type Counts = BTreeMap<&'static str, usize>;

/// What happens in the runs.
pub const WHAT: [&str; 9] = [
    "made",
    "refused as bytes",
    "refused by limits",
    "refused by the world",
    "reports",
    "updates in mid-tick",
    "updates after one that was missed",
    "joined again",
    "loaded in mid-tick",
];
/// Does what the bytes say, whatever they are, with checks at some places and at the end.
///
/// # Panics
/// A law is broken.
pub fn run(bytes: &[u8]) -> Counts {
    let mut bytes = Bytes(bytes);
    let mut server = Server::draw(&mut bytes);
    for _ in 0..MOST_OPS {
        if bytes.0.is_empty() {
            break;
        }
        server.operation(&mut bytes);
    }
    server.end();
    server.counts
}

/// What a client has of the world, and whether it has missed something.
struct Client {
    feed: Feed,
    mirror: Mirror,
    has_missed: bool,
}

struct Server {
    world: World,
    /// The cells in which most happens.
    home: Region,
    limits: Limits,
    clients: Vec<Client>,
    /// Chunks that were taken out and may come back, even twice.
    records: Vec<Vec<ChunkRecord>>,
    /// The ticket of the next report.
    ticket: u64,
    is_underway: bool,
    /// The hash of the world's state, as long as nothing has changed it.
    hash: Option<u64>,
    counts: Counts,
}

impl Server {
    /// A small world. One in four has no bounds, so that edits may lie anywhere.
    fn draw(bytes: &mut Bytes<'_>) -> Server {
        let Start { seed, rules, bounds: home } = Start::<Rules>::draw_of::<World>(bytes);
        let bounds = if seed % 4 == 3 { Region::EVERYWHERE } else { home };
        let mut world =
            World::with_bounds(seed, palette(), rules, bounds).expect("rules within their ranges");
        let [air, soil] = ["air", "soil"].map(|name| palette().id(name).expect("of the palette"));
        for at in Cube::chunks_of(home) {
            let content = ChunkContent::from_heights(at, |_, _| home.min().y, |_| soil, air);
            world.insert_chunk(at, content).expect("none is there");
        }
        let mut counts = Counts::new();
        // The first client is there from the start.
        let clients = vec![Client::joined(&mut world, 1_000, home, &mut counts)];
        Server {
            limits: limits(bytes, home),
            world,
            home,
            clients,
            records: Vec::new(),
            ticket: 0,
            is_underway: false,
            hash: None,
            counts,
        }
    }

    fn operation(&mut self, bytes: &mut Bytes<'_>) {
        match bytes.byte() % 32 {
            0..=9 => self.apply(bytes),
            10..=13 => self.queue(bytes),
            14..=16 => self.slice(16 * u64::from(bytes.byte())),
            17 => self.slice(0),
            18 | 19 => self.tick(),
            20 => self.run(u64::from(bytes.byte() % 8)),
            21 => self.join(bytes),
            22..=26 => self.update(bytes),
            27 => self.join_again(bytes),
            28 => self.leave(bytes),
            29 => self.load(bytes),
            30 => self.take_reports(),
            _ => self.validate(),
        }
    }

    fn hash(&mut self) -> u64 {
        *self.hash.get_or_insert_with(|| self.world.state_hash())
    }

    /// A client's edit, made at once. If it is refused, nothing has changed.
    fn apply(&mut self, bytes: &mut Bytes<'_>) {
        let sent = self.sent(bytes);
        let before = self.hash();
        // Before it is refused by the world, a tick underway is completed and those in line are
        // made.
        let is_settled = !self.is_underway && self.world.queued_edits().len() == 0;
        let answer = self.world.apply_bytes(&sent, &self.limits);
        let has_settled = matches!(answer, Ok(_) | Err(ClientEditError::Edit(_)));
        self.is_underway &= !has_settled;
        match answer {
            Ok(outcome) => {
                self.hash = None;
                count(&mut self.counts, "made");
                if let Outcome::Records(records) = outcome {
                    self.records.push(records);
                }
                return;
            }
            Err(ClientEditError::Bytes(_)) => count(&mut self.counts, "refused as bytes"),
            Err(ClientEditError::Limit(_)) => count(&mut self.counts, "refused by limits"),
            Err(ClientEditError::Edit(_)) => count(&mut self.counts, "refused by the world"),
        }
        if is_settled || !has_settled {
            assert_eq!(self.world.state_hash(), before, "a refused edit: {sent:?}");
        } else {
            self.hash = None;
        }
    }

    /// A client's edit in line, sometimes twice.
    fn queue(&mut self, bytes: &mut Bytes<'_>) {
        let sent = self.sent(bytes);
        for _ in 0..1 + bytes.byte() % 2 {
            let before = self.hash();
            let waiting = self.world.queued_edits().len();
            match self.world.queue_bytes(&sent, &self.limits) {
                Ok(ticket) => {
                    self.hash = None;
                    assert!(ticket.0 >= self.ticket + waiting as u64, "{ticket}");
                }
                Err(ClientEditError::Edit(error)) => panic!("refused before its turn: {error}"),
                Err(_) => {
                    assert_eq!(self.world.queued_edits().len(), waiting);
                    assert_eq!(self.world.state_hash(), before, "a refused edit: {sent:?}");
                }
            }
        }
    }

    /// Returns the bytes of a client's edit: in most cases of one that the world may take.
    fn sent(&self, bytes: &mut Bytes<'_>) -> Vec<u8> {
        let mut sent = self.edit(bytes).to_bytes();
        match bytes.byte() % 16 {
            0..=7 => {}
            8..=12 => (0..1 + bytes.byte() % 3).for_each(|_| overwrite(&mut sent, bytes)),
            13 => sent.truncate(place(bytes, sent.len())),
            14 => flip(&mut sent, bytes),
            _ => sent.push(bytes.byte()),
        }
        sent
    }

    fn edit(&self, bytes: &mut Bytes<'_>) -> Edit {
        match bytes.byte() % 16 {
            0..=11 => World::edit(bytes, self.home),
            12 => {
                let list = usize::from(bytes.byte()) % self.records.len().max(1);
                Edit::InsertRecords(self.records.get(list).cloned().unwrap_or_default())
            }
            13 => Edit::Water(water::Edit::SetRules(bytes.any())),
            14 => {
                let chunk = Cube::chunk_of(bytes.cell(self.home));
                let edge = Some(bytes.any());
                Edit::Water(water::Edit::SetEdge { column: ColumnPos::new(chunk.x, chunk.z), edge })
            }
            _ => {
                let position = Cube::chunk_of(bytes.cell(self.home));
                Edit::InsertChunk { position, content: Chunk::uniform(bytes.any()).into() }
            }
        }
    }

    fn slice(&mut self, budget: u64) {
        self.hash = None;
        self.is_underway = !self.world.step_within(budget).finished;
    }

    fn tick(&mut self) {
        self.hash = None;
        self.world.step();
        self.is_underway = false;
    }

    fn run(&mut self, ticks: u64) {
        self.hash = None;
        self.world.run(ticks);
        self.is_underway &= ticks == 0;
    }

    /// Another client, with room for few chunks or for many.
    fn join(&mut self, bytes: &mut Bytes<'_>) {
        if self.clients.len() == MOST_CLIENTS {
            return;
        }
        let most = bytes.pick(&[1_000, 1_000, 2]);
        let client = Client::joined(&mut self.world, most, self.home, &mut self.counts);
        self.clients.push(client);
    }

    fn client(&mut self, bytes: &mut Bytes<'_>) -> Option<(&mut Client, &mut World, &mut Counts)> {
        let which = usize::from(bytes.byte()).checked_rem(self.clients.len())?;
        Some((&mut self.clients[which], &mut self.world, &mut self.counts))
    }

    /// The next update of a client, which is lost, damaged, or comes twice at times.
    fn update(&mut self, bytes: &mut Bytes<'_>) {
        let (home, is_underway) = (self.home, self.is_underway);
        let Some((client, world, counts)) = self.client(bytes) else { return };
        let sent = client.feed.take(world).to_bytes();
        match bytes.byte() % 8 {
            0 => {
                client.has_missed = true;
                return;
            }
            1 => {
                let cut = Update::from_bytes(&sent[..place(bytes, sent.len())]);
                assert!(cut.is_err(), "{cut:?}");
            }
            2 => {
                let mut altered = sent.clone();
                flip(&mut altered, bytes);
                if let Ok(update) = Update::from_bytes(&altered) {
                    let _ = client.mirror.clone().apply(&update);
                }
            }
            _ => {}
        }
        if is_underway {
            count(counts, "updates in mid-tick");
        }
        client.receive(&sent, world, home, counts);
        if bytes.byte().is_multiple_of(4) && !client.has_missed {
            let again = client.mirror.apply(&Update::from_bytes(&sent).expect("it was read"));
            assert!(matches!(again, Err(MirrorError::Gap { .. })), "{again:?}");
            client.is_as(world, home);
        }
    }

    /// A client asks for its chunks anew.
    fn join_again(&mut self, bytes: &mut Bytes<'_>) {
        let home = self.home;
        let Some((client, world, counts)) = self.client(bytes) else { return };
        if client.has_missed {
            count(counts, "joined again");
        }
        client.ask(world, home, counts);
    }

    fn leave(&mut self, bytes: &mut Bytes<'_>) {
        if let Some(which) = usize::from(bytes.byte()).checked_rem(self.clients.len()) {
            self.clients.swap_remove(which);
        }
    }

    /// The world is saved and loaded, perhaps in the middle of a tick. Its clients are gone then.
    fn load(&mut self, bytes: &mut Bytes<'_>) {
        self.take_reports();
        let saved = self.world.save();
        let cut = World::load(&saved[..place(bytes, saved.len())]);
        assert!(cut.is_err(), "a part of a save is a world");
        let loaded = World::load(&saved).expect("a world that was saved");
        assert_eq!(loaded.state_hash(), self.hash(), "another world than was saved");
        assert!(loaded.save() == saved, "other bytes, once loaded");
        if self.is_underway {
            count(&mut self.counts, "loaded in mid-tick");
        }
        self.world = loaded;
        self.clients.clear();
    }

    /// Reports come once each, in the order of the tickets.
    fn take_reports(&mut self) {
        for EditReport { ticket, tick, .. } in self.world.take_edit_reports() {
            assert!(ticket.0 == self.ticket && tick <= self.world.ticks(), "{ticket} in {tick}");
            self.ticket += 1;
            count(&mut self.counts, "reports");
        }
        assert!(self.world.take_edit_reports().is_empty(), "reports twice");
    }

    fn validate(&self) {
        if let Err(law) = self.world.validate() {
            panic!("{law}");
        }
    }

    /// All that is promised, at the end.
    fn end(&mut self) {
        self.tick();
        self.validate();
        self.take_reports();
        for client in &mut self.clients {
            client.ask(&mut self.world, self.home, &mut self.counts);
        }
        self.world.take_changes();
        assert!(self.world.take_changes().is_empty(), "changes twice");
    }
}

impl Client {
    fn joined(world: &mut World, most: usize, home: Region, counts: &mut Counts) -> Client {
        let feed = Feed::new(world);
        let mut client = Client { feed, mirror: Mirror::new(most), has_missed: true };
        client.ask(world, home, counts);
        client
    }

    /// Takes what the server sends: the next update, unless one was missed.
    fn receive(&mut self, sent: &[u8], world: &World, home: Region, counts: &mut Counts) {
        let update = Update::from_bytes(sent).expect("it was sent");
        match self.mirror.apply(&update) {
            Ok(()) => {
                assert!(!self.has_missed, "an update after one that was missed");
                self.is_as(world, home);
            }
            Err(MirrorError::TooManyChunks { .. }) => self.has_missed = true,
            Err(gap) => {
                assert!(self.has_missed, "{gap}");
                count(counts, "updates after one that was missed");
            }
        }
    }

    /// Asks for all chunks, and for the next update.
    fn ask(&mut self, world: &mut World, home: Region, counts: &mut Counts) {
        let loaded = world.chunks().map(|(chunk, _)| chunk);
        let chunks: Vec<ChunkPos> = loaded.chain(self.mirror.chunks()).collect();
        let whole = self.feed.whole(world, chunks);
        match self.mirror.apply(&whole) {
            Ok(()) => self.has_missed = false,
            Err(MirrorError::TooManyChunks { .. }) => self.has_missed = true,
            Err(error) => panic!("whole chunks: {error}"),
        }
        let sent = self.feed.take(world).to_bytes();
        self.receive(&sent, world, home, counts);
    }

    /// The mirror has what the world has.
    fn is_as(&self, world: &World, home: Region) {
        let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        assert_eq!(self.mirror.chunks(), chunks);
        assert_eq!(self.mirror.ticks(), world.ticks());
        let afar = chunks.iter().flat_map(|&chunk| Cube::region_of(chunk).positions().step_by(61));
        if let Err(differs) = mirrors(&self.mirror, world, home.positions().chain(afar)) {
            panic!("{differs}");
        }
    }
}

fn count(counts: &mut Counts, what: &'static str) {
    *counts.entry(what).or_default() += 1;
}

/// Returns what clients may do: all that a server may, in half of the cases.
fn limits(bytes: &mut Bytes<'_>, home: Region) -> Limits {
    let kinds = EditKinds::ALL;
    match bytes.byte() % 4 {
        0 | 1 => Limits {
            most_bytes: 1 << 20,
            kinds,
            reach: Region::EVERYWHERE,
            most_cells: u64::MAX,
            most_units: u64::MAX,
            most_radius: f32::INFINITY,
            most_pressure: f32::INFINITY,
            most_waiting: 6,
        },
        2 => Limits { kinds, most_waiting: 3, ..Limits::default() },
        _ => Limits { reach: home, most_cells: 30, most_units: 60, ..Limits::default() },
    }
}

/// Returns a place among so many bytes, of which there is at least one.
fn place(bytes: &mut Bytes<'_>, length: usize) -> usize {
    (usize::from(bytes.byte()) | usize::from(bytes.byte()) << 8) % length
}

fn flip(sent: &mut [u8], bytes: &mut Bytes<'_>) {
    let at = place(bytes, sent.len());
    sent[at] ^= 1 << (bytes.byte() % 8);
}

/// Writes a hostile number over a field of an edit. They begin after the tag, or, in an edit of a
/// part, after the length and the tag of that, and are of four bytes each, moisture of eight.
fn overwrite(sent: &mut [u8], bytes: &mut Bytes<'_>) {
    let (which, number) = (bytes.byte(), bytes.byte());
    let at = [1, 6][usize::from(which % 2)] + usize::from(which / 2 % 8) * 4;
    let value = usize::from(number) % 8;
    let hostile: Vec<u8> = match number / 8 % 4 {
        0 | 1 => INTEGERS[value].to_le_bytes().into(),
        2 => FLOATS[value].to_le_bytes().into(),
        _ => f64::from(FLOATS[value]).to_le_bytes().into(),
    };
    if let Some(field) = sent.get_mut(at..at + hostile.len()) {
        field.copy_from_slice(&hostile);
    }
}
