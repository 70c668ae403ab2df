//! The simulation distance: which of the loaded chunks stand still, by the positions of the
//! players. The choice uses no clock and no random number, and changes a world by edits alone.

use crate::coords::{ChunkPos, ColumnPos, Cube, Shape};
use crate::rules_error::RulesError;
use crate::simulation::Simulation;
use crate::water::{Edit, WaterWorld};
use core::cmp::Reverse;
use hashbrown::{HashMap, HashSet};

/// The default limit on the chunks that one call switches: less than 1 ms of work.
const LIMIT: usize = 256;
/// The number of server ticks, of every 100, that must complete a tick of the world.
const ENOUGH: u128 = 95;
/// The chunks that may be frozen count as the cause of lag from this share of the work on.
const BLAME: f64 = 0.05;
/// The number of calls of [`SimulationDistance::adapt`] in a row without lag after which the
/// distances grow.
const CALM: u32 = 10;

/// The columns of chunks around the players that are simulated in some of the ticks. Distances are
/// counted in chunks, along x or z, whichever is longer: 5×5 columns are within a distance of 2 of
/// a player. Height does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ring {
    /// The greatest distance from a player.
    pub distance: u32,
    /// The number of ticks in a row in which the ring is simulated, from 1 to `period`. The ring
    /// then stands still for the rest of the period.
    pub active: u64,
    /// The number of ticks after which the turn of the ring begins again.
    pub period: u64,
}

impl Ring {
    /// Returns a ring that is simulated in every tick.
    pub const fn always(distance: u32) -> Ring {
        Ring { distance, active: 1, period: 1 }
    }
}

/// A world whose chunks a [`SimulationDistance`] freezes and thaws: a [`WaterWorld`] or a
/// [`World`](crate::world::World).
pub trait Simulated: Simulation {
    /// Returns an edit of water as an edit of this kind of world.
    fn edit_of(water: Edit) -> Self::Edit;

    /// Returns the number of ticks that will be complete when an edit queued now is made.
    fn ticks_begun(&self) -> u64;

    /// Visits the chunks that will be loaded once all queued edits are made, each with whether it
    /// will be frozen, in no particular order.
    fn foresee(&self, visit: &mut dyn FnMut(ChunkPos, bool));

    /// Visits the chunks that the next ticks visit, each with the number of its awake cells or of
    /// cells that cost as much, in no particular order. A chunk that is awake in several parts of
    /// the world, such as water and soil, comes several times.
    fn visit_awake(&self, visit: &mut dyn FnMut(ChunkPos, usize));
}

/// Chooses the chunks near the players that are simulated: which chunks are to be
/// [frozen](WaterWorld::freeze) and [thawed](WaterWorld::thaw) before the next tick.
///
/// Each tick simulates the [rings](Ring) whose turn it is, by the number of the tick. Chunks
/// farther away than the farthest of these rings stand still. Without players, all chunks stand
/// still. Freezing and thawing neither move nor lose a unit of water.
///
/// - **A limit.** A call switches at most a given number of chunks
///   ([`with_limit`](Self::with_limit)), so no tick takes long because many chunks freeze at once.
///   The chunks nearest to a player are thawed first, and the chunks farthest from all players are
///   frozen first. If there are many chunks to thaw and many to freeze, each kind gets half of the
///   limit. A ring that is simulated in turns needs turns of more ticks than the number of its
///   chunks divided by the limit.
/// - **Hysteresis.** A chunk is thawed within the distance, and frozen where it is farther away by
///   more than a number of chunks ([`with_hysteresis`](Self::with_hysteresis)), so a player who
///   walks to and fro switches nothing. Between these two distances, a chunk stays as it is: after
///   the turn of a wider ring, chunks there that belong to it continue with the nearer ring.
/// - **Lag.** [`adapt`](Self::adapt) shortens the distances when the world does not keep up because
///   of distant chunks, and lengthens them again when it does.
///
/// The world is a [`WaterWorld`] or a [`World`](crate::world::World). In a frozen chunk of a
/// `World`, soil and explosions stand still, too.
///
/// The edits are a function of the rings, the world, its queued edits, and the players' positions.
/// With the same input, all machines make the same edits. Alternatively, record them like the edits
/// of players.
///
/// ```
/// use floodplain::water::{Ring, Rules, SimulationDistance, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// let chunks = (0..10).map(|x| ChunkPos::new(x, 0, 0));
/// world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN))))?;
///
/// // Within 2 chunks in every tick, up to 4 in 8 ticks of 32, four chunks at most a call.
/// let rings = [Ring::always(2), Ring { distance: 4, active: 8, period: 32 }];
/// let distance = SimulationDistance::new(rings)?.with_limit(4).with_hysteresis(0);
/// let player = ChunkPos::ZERO;
/// for tick in 0..32 {
///     for edit in distance.edits(&world, &[player]) {
///         world.queue(edit);
///     }
///     world.step();
///     let live = 10 - world.frozen_chunks().count();
///     match tick {
///         0 => assert_eq!(live, 6, "the farthest four are frozen"),
///         1..8 => assert_eq!(live, 5, "x = 0 to 4"),
///         _ => assert_eq!(live, 3, "x = 0 to 2"),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulationDistance {
    /// The rings, in order of distance.
    rings: Vec<Ring>,
    hysteresis: u32,
    limit: usize,
    least: u32,
    /// The number of chunks by which the distances are shortened at present.
    reduction: u32,
    /// The number of calls of [`adapt`](Self::adapt) in a row without lag.
    calm: u32,
}

impl SimulationDistance {
    /// Returns a simulation distance of these rings, given the nearest first, with a hysteresis of
    /// one chunk and a limit of 256 chunks.
    ///
    /// # Errors
    /// There is no ring, a ring is not farther away than the one before it, or a ring is simulated
    /// in no tick or in more ticks than its period has. The error counts rings from 0.
    pub fn new(rings: impl IntoIterator<Item = Ring>) -> Result<Self, RulesError> {
        let rings: Vec<Ring> = rings.into_iter().collect();
        if rings.is_empty() {
            return Err(RulesError::new("rings", "none", "at least one"));
        }
        for (ring, &Ring { distance, active, period }) in rings.iter().enumerate() {
            if !(1..=period).contains(&active) {
                let wanted = format!("1 to {period} of {period} ticks in ring {ring}");
                return Err(RulesError::new("active", active, wanted));
            }
            let before = ring.checked_sub(1).map(|before| rings[before].distance);
            if let Some(before) = before.filter(|&before| before >= distance) {
                let wanted = format!("above {before} in ring {ring}");
                return Err(RulesError::new("distance", distance, wanted));
            }
        }
        Ok(SimulationDistance {
            rings,
            hysteresis: 1,
            limit: LIMIT,
            least: 1,
            reduction: 0,
            calm: 0,
        })
    }

    /// Freezes only chunks that are farther away than the distance by more than this number of
    /// chunks.
    #[must_use]
    pub fn with_hysteresis(self, chunks: u32) -> Self {
        SimulationDistance { hysteresis: chunks, ..self }
    }

    /// Switches at most this number of chunks in a call. Freezing or thawing a chunk takes about 2
    /// µs.
    #[must_use]
    pub fn with_limit(self, chunks: usize) -> Self {
        SimulationDistance { limit: chunks, ..self }
    }

    /// Never shortens a distance below this number of chunks for lag; 1 by default. A ring whose
    /// given distance is shorter than that keeps its distance.
    #[must_use]
    pub fn with_least(self, chunks: u32) -> Self {
        SimulationDistance { least: chunks, ..self }
    }

    /// Shortens all distances by a chunk if the world lags because of distant chunks. The world
    /// lags if fewer than 95 of 100 server ticks have completed a tick of the world: `completed` of
    /// the `ticks` since the last call. The distant chunks are the cause if the chunks that may be
    /// frozen have at least a twentieth of the work, by [`far_share`](Self::far_share). Lengthens
    /// the distances by a chunk, up to the given distances, after ten calls in a row in which every
    /// server tick completed a tick of the world or the distant chunks were not the cause. Call
    /// this about once a second. Lag depends on the machine, so these numbers are part of the
    /// input.
    ///
    /// ```
    /// use floodplain::water::{Ring, SimulationDistance};
    ///
    /// let mut distance = SimulationDistance::new([Ring::always(6)])?;
    /// distance.adapt(18, 20, 0.5);
    /// assert_eq!((distance.reduction(), distance.reach(0)), (1, Some(5)));
    /// // Something else takes the time.
    /// distance.adapt(18, 20, 0.01);
    /// assert_eq!(distance.reduction(), 1);
    /// (0..9).for_each(|_| distance.adapt(20, 20, 0.5));
    /// assert_eq!(distance.reach(0), Some(6));
    /// # Ok::<(), floodplain::RulesError>(())
    /// ```
    pub fn adapt(&mut self, completed: u64, ticks: u64, far_share: f64) {
        let is_to_blame = far_share >= BLAME;
        self.calm = if completed >= ticks || !is_to_blame { self.calm + 1 } else { 0 };
        let farthest = self.rings.last().map_or(0, |ring| ring.distance);
        if is_to_blame && u128::from(completed) * 100 < u128::from(ticks) * ENOUGH {
            let most = farthest.saturating_sub(self.least);
            self.reduction = most.min(self.reduction + 1);
        } else if self.calm == CALM {
            (self.reduction, self.calm) = (self.reduction.saturating_sub(1), 0);
        }
    }

    /// Returns the share of the awake cells of a world, 0 to 1, in chunks that may be frozen for
    /// lag: chunks farther from all players than the least distance. The result estimates the share
    /// of the time of a tick that these chunks take, in all parts of the world; rivers whose cells
    /// sleep are left out. It is 0 if no cell is awake.
    pub fn far_share<W: Simulated>(&self, world: &W, players: &[ChunkPos]) -> f64 {
        let mut columns = Columns::of(players);
        let (mut far, mut all) = (0, 0);
        world.visit_awake(&mut |chunk, cells| {
            all += cells;
            if columns.distance(chunk).is_none_or(|distance| distance > self.least) {
                far += cells;
            }
        });
        if all == 0 { 0.0 } else { far as f64 / all as f64 }
    }

    /// Returns the number of chunks by which the distances are shortened at present because of lag.
    pub fn reduction(&self) -> u32 {
        self.reduction
    }

    /// Returns the distance within which chunks are to be simulated in the tick after `tick` ticks;
    /// `None` if it is no ring's turn.
    pub fn reach(&self, tick: u64) -> Option<u32> {
        let turn = self.rings.iter().rfind(|ring| tick % ring.period < ring.active)?;
        let shorter = turn.distance.saturating_sub(self.reduction);
        Some(shorter.max(self.least.min(turn.distance)))
    }

    /// Returns the edits to be [queued](WaterWorld::queue) for the next tick: at most one that
    /// freezes chunks, then at most one that thaws chunks. The world is a [`WaterWorld`] or a
    /// [`World`](crate::world::World); `players` holds the positions of the players, in chunks.
    ///
    /// Edits in the queue of the world are treated as made, unless they will be refused. So this
    /// may be called in the middle of a tick, and in each tick of a server whose world lags behind.
    /// Takes time linear in the number of chunks, and in the number of columns times the number of
    /// players.
    pub fn edits<W: Simulated>(&self, world: &W, players: &[ChunkPos]) -> Vec<W::Edit> {
        let reach = self.reach(world.ticks_begun());
        let mut columns = Columns::of(players);
        let (mut freezing, mut thawing) = (Vec::new(), Vec::new());
        world.foresee(&mut |chunk, is_frozen| {
            let distance = columns.distance(chunk);
            let is_within = |more: u32| {
                let reach = reach.map(|reach| reach.saturating_add(more));
                distance.is_some_and(|distance| reach.is_some_and(|reach| distance <= reach))
            };
            // Chunks come column by column.
            let order = [chunk.x, chunk.z, chunk.y];
            if is_frozen && is_within(0) {
                thawing.push((distance, order));
            } else if !is_frozen && !is_within(self.hysteresis) {
                freezing.push((Reverse(distance.unwrap_or(u32::MAX)), order));
            }
        });
        let (frozen, thawed) = self.shares(freezing.len(), thawing.len());
        let (freezing, thawing) = (first(freezing, frozen), first(thawing, thawed));
        let edits = [Edit::Freeze as fn(_) -> _, Edit::Thaw].into_iter().zip([freezing, thawing]);
        edits
            .filter(|(_, chunks)| !chunks.is_empty())
            .map(|(edit, chunks)| W::edit_of(edit(chunks)))
            .collect()
    }

    /// Returns how many of the chunks to freeze and how many of the chunks to thaw are switched:
    /// half of the limit each, plus what the other kind leaves of its half.
    fn shares(&self, freezing: usize, thawing: usize) -> (usize, usize) {
        let half = self.limit.div_ceil(2);
        let thawed = thawing.min(half.max(self.limit.saturating_sub(freezing)));
        (freezing.min(self.limit - thawed), thawed)
    }
}

/// Returns the first `count` chunks in order.
fn first<K: Ord + Copy>(mut chunks: Vec<(K, [i32; 3])>, count: usize) -> Vec<ChunkPos> {
    if count < chunks.len() {
        chunks.select_nth_unstable(count);
        chunks.truncate(count);
    }
    chunks.sort_unstable();
    chunks.into_iter().map(|(_, [x, z, y])| ChunkPos::new(x, y, z)).collect()
}

/// The distances of columns of chunks from the nearest player.
struct Columns {
    players: Vec<ColumnPos>,
    known: HashMap<ColumnPos, Option<u32>>,
    /// The column queried last, and its distance: chunks of a column mostly come one after the
    /// other.
    last: Option<(ColumnPos, Option<u32>)>,
}

impl Columns {
    fn of(players: &[ChunkPos]) -> Columns {
        let mut players: Vec<ColumnPos> = players.iter().map(|&player| player.column()).collect();
        players.sort_unstable();
        players.dedup();
        Columns { players, known: HashMap::new(), last: None }
    }

    /// Returns the distance of a chunk's column in chunks; `None` if there are no players.
    fn distance(&mut self, chunk: ChunkPos) -> Option<u32> {
        let column = chunk.column();
        if let Some((_, distance)) = self.last.filter(|&(last, _)| last == column) {
            return distance;
        }
        let players = &self.players;
        let apart =
            |player: &ColumnPos| player.x.abs_diff(column.x).max(player.z.abs_diff(column.z));
        let nearest = || players.iter().map(apart).min();
        let distance = *self.known.entry(column).or_insert_with(nearest);
        self.last = Some((column, distance));
        distance
    }
}

impl Simulated for WaterWorld {
    fn edit_of(water: Edit) -> Edit {
        water
    }

    fn ticks_begun(&self) -> u64 {
        self.ticks().wrapping_add(self.queue.has_begun().into())
    }

    fn foresee(&self, visit: &mut dyn FnMut(ChunkPos, bool)) {
        let mut foresight = Foresight::of(self);
        self.queued_edits().for_each(|edit| foresight.note_water(edit));
        foresight.visit(visit);
    }

    fn visit_awake(&self, visit: &mut dyn FnMut(ChunkPos, usize)) {
        self.awake_chunks().for_each(|(chunk, cells)| visit(chunk, cells.len()));
    }
}

/// The effect of an edit on chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Comes,
    Goes,
    Freezes,
    Thaws,
}

/// The chunks that will be loaded once edits are made, and which of them will be frozen.
pub(crate) struct Foresight<'w> {
    water: &'w WaterWorld,
    /// For each chunk that changes, whether it will be frozen; `None` if it will not be loaded.
    changed: HashMap<ChunkPos, Option<bool>>,
}

impl<'w> Foresight<'w> {
    /// Returns the foresight of a world without edits: its present state.
    pub(crate) fn of(water: &'w WaterWorld) -> Self {
        Foresight { water, changed: HashMap::new() }
    }

    /// Notes the effect of an edit of water on chunks.
    pub(crate) fn note_water(&mut self, edit: &Edit) {
        match edit {
            Edit::InsertChunk { position, .. } => self.note(Fate::Comes, &[*position]),
            Edit::InsertChunks(list) => {
                self.note(Fate::Comes, &list.iter().map(|&(at, _)| at).collect::<Vec<_>>());
            }
            Edit::InsertRecords(list) => {
                let positions: Vec<ChunkPos> =
                    list.iter().map(|record| record.position()).collect();
                self.note(Fate::Comes, &positions);
            }
            Edit::RemoveChunk(position) => self.note(Fate::Goes, &[*position]),
            Edit::RemoveChunks(list) => self.note(Fate::Goes, list),
            Edit::Freeze(list) => self.note(Fate::Freezes, list),
            Edit::Thaw(list) => self.note(Fate::Thaws, list),
            _ => {}
        }
    }

    /// Notes the effect of an edit on chunks, unless the edit will be refused.
    pub(crate) fn note(&mut self, fate: Fate, chunks: &[ChunkPos]) {
        let is_loaded = |chunk: ChunkPos| match self.changed.get(&chunk) {
            Some(is_frozen) => is_frozen.is_some(),
            None => self.water.store.grid().slot(chunk).is_some(),
        };
        let bounds = self.water.bounds();
        let is_within = |chunk| bounds.intersection(&Cube::region_of(chunk)).is_some();
        let mut seen = HashSet::new();
        let mut fits = |chunk: ChunkPos| match fate {
            Fate::Freezes | Fate::Thaws => is_loaded(chunk),
            Fate::Goes => is_loaded(chunk) && seen.insert(chunk),
            Fate::Comes => !is_loaded(chunk) && is_within(chunk) && seen.insert(chunk),
        };
        if chunks.iter().all(|&chunk| fits(chunk)) {
            let then = (fate != Fate::Goes).then_some(fate == Fate::Freezes);
            self.changed.extend(chunks.iter().map(|&chunk| (chunk, then)));
        }
    }

    /// Visits the chunks that will be loaded, each with whether it will be frozen, in no particular
    /// order.
    pub(crate) fn visit(self, visit: &mut dyn FnMut(ChunkPos, bool)) {
        let store = &self.water.store;
        let grid = store.grid();
        for slot in grid.occupied() {
            let position = grid.position_at(slot);
            if self.changed.is_empty() || !self.changed.contains_key(&position) {
                visit(position, store.is_frozen(slot));
            }
        }
        for (position, is_frozen) in self.changed {
            if let Some(is_frozen) = is_frozen {
                visit(position, is_frozen);
            }
        }
    }
}
