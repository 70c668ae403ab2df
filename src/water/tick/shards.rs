//! Threads in a tick: threads share the tiles of one turn, and each thread works on chunks that are
//! lent to it (domain decomposition).
//!
//! A thread's part, its [`Shard`], is a store and a workspace like the world's own, so the phases
//! need no case for threads. It holds the chunks that its work may read or write. The thread that
//! ticks the world takes a share too, on the world itself. The results of the shards are merged in
//! the order of the tiles, so the bytes do not depend on threads. Draws reach further than tiles:
//! threads share flows that lie apart ([`flow_groups`](crate::water::tick::flow_groups)).

use crate::coords::Face;
use crate::grid::Slot;
use crate::simulation::StepReport;
use crate::water::draw::{Demands, begin_draws, draw_next};
use crate::water::ebb::deferred::Deferred;
use crate::water::ebb::ebb_chunk;
use crate::water::flow::flow_layer;
use crate::water::flow::window::Window;
use crate::water::ledger::Ledger;
use crate::water::pools::Pools;
use crate::water::pools::walk::Walk;
use crate::water::scratch::Tick;
use crate::water::scratch::layers::TickScratch;
use crate::water::scratch::tiles::{Rank, Scope};
use crate::water::store::{Store, lend};
use crate::water::tick::flow_groups::{groups_of, is_near_flow};
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of awake layers from which threads pay off. Sharing Flow and Ebb takes about 0.2
/// milliseconds on two cores: chunks are lent and threads woken for each of four turns, and so they
/// are in Flood and Level. Unit tests share even the smallest ticks.
const LEAST_LAYERS: usize = if cfg!(test) { 1 } else { 1536 };

/// The part of the world that is lent to a thread.
struct Shard {
    store: Store,
    scratch: TickScratch,
    tools: Tools,
    /// The units that entered and left the world in this shard.
    ledger: Ledger,
    report: StepReport,
    lent: Vec<Slot>,
    tiles: Vec<Tile>,
}

/// What a thread needs besides the world.
struct Tools {
    window: Window,
    walk: Walk,
    demands: Demands,
}

impl Default for Tools {
    fn default() -> Self {
        Tools { window: Window::new(), walk: Walk::default(), demands: Demands::default() }
    }
}

impl Tools {
    fn memory_bytes(&self) -> usize {
        self.walk.memory_bytes() + self.demands.memory_bytes()
    }
}

/// A tile with work, or a group of flows: the members of the schedule in it.
struct Tile {
    rank: Rank,
    members: Vec<Slot>,
    reach: Reach,
    /// The number of layers with a record.
    layers: usize,
}

/// How far the work on a tile reaches.
enum Reach {
    /// The scope of a tile.
    Within(Scope),
    /// The chunks with connected cells that are joined to the members, and two chunks around them.
    AlongFlows,
}

/// The shards of a world, kept from tick to tick.
#[derive(Default)]
pub(crate) struct Shards {
    shards: Vec<Shard>,
    /// The tools of the thread that ticks the world.
    tools: Option<Box<Tools>>,
    /// By slot: the search that last reached the chunk.
    reached: Vec<u64>,
    searches: u64,
}

impl Shards {
    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let shard = |shard: &Shard| {
            let Shard { store, scratch, tools, .. } = shard;
            let tools = tools.memory_bytes();
            size_of::<Shard>() + store.memory_bytes() + scratch.memory_bytes() + tools
        };
        self.shards.iter().map(shard).sum::<usize>()
            + self.tools.as_ref().map_or(0, |tools| size_of::<Tools>() + tools.memory_bytes())
            + self.reached.capacity() * size_of::<u64>()
    }

    /// Adds to `slots` the chunks that the work on a tile may read or write.
    fn reach(&mut self, store: &Store, tile: &Tile, slots: &mut Vec<Slot>) {
        self.reached.resize(store.grid().slot_capacity(), 0);
        self.searches += 1;
        let mut at = slots.len();
        let mut meet = |slot: Slot, slots: &mut Vec<Slot>| {
            let last = &mut self.reached[slot.index()];
            if core::mem::replace(last, self.searches) != self.searches {
                slots.push(slot);
            }
        };
        tile.members.iter().for_each(|&slot| meet(slot, slots));
        while let Some(&slot) = slots.get(at) {
            at += 1;
            if matches!(tile.reach, Reach::AlongFlows) && !is_near_flow(store, slot) {
                continue;
            }
            for there in Face::ALL.map(|face| store.neighbour(slot, face)) {
                let is_in_reach = |there: Slot| match tile.reach {
                    Reach::Within(scope) => scope.contains(store.grid().position_at(there)),
                    Reach::AlongFlows => true,
                };
                if there.is_some() && is_in_reach(there) {
                    meet(there, slots);
                }
            }
        }
    }
}

/// The work of a phase in a tile, on the layers of the schedule that are in the tile.
type Phase<'p, R> = &'p (dyn Fn(&mut Tick, &mut Tools, &Tile) -> R + Sync);

/// Returns whether sharing the tick among threads pays off.
pub(crate) fn is_worth_sharing(tick: &Tick) -> bool {
    rayon::current_num_threads() > 1 && tick.scratch.awake_layers() >= LEAST_LAYERS
}

/// Runs the flow of all tiles. Returns the number of cells visited.
pub(crate) fn flow_shared(tick: &mut Tick, shards: &mut Shards) -> u64 {
    crate::spans::span!("water flow");
    let before = tick.report.visited;
    let flow = |tick: &mut Tick, tools: &mut Tools, tile: &Tile| {
        tick.scratch.schedule.begin_tile(tile.rank);
        while let Some(layer) = tick.scratch.next_layer(tick.store) {
            flow_layer(tick, &mut tools.window, layer);
        }
    };
    share(tick, shards, &flow);
    tick.report.visited - before
}

/// Makes the draws of all films if these belong to several flows that lie apart. Returns the number
/// of cells visited; `None` if no draw was made, because threads would not pay off.
pub(crate) fn draw_shared(tick: &mut Tick, shards: &mut Shards) -> Option<u64> {
    crate::spans::span!("water draw");
    if open_layers_of(tick, tick.scratch.schedule.members()) < LEAST_LAYERS {
        return None;
    }
    let flows = flows_of(tick);
    if flows.len() < 2 {
        return None;
    }
    let draw = |tick: &mut Tick, tools: &mut Tools, _: &Tile| {
        let mut visited = 0;
        begin_draws(tick, &mut tools.demands);
        while let Some(cells) = draw_next(tick, &mut tools.demands) {
            visited += cells;
        }
        visited
    };
    // The films of all flows of a part draw layer by layer.
    let parts = parts_of(flows).into_iter().map(|flows| vec![merged(tick, flows)]).collect();
    Some(share_parts(tick, shards, parts, &draw).into_iter().sum())
}

/// Finds the bodies that are not level: those within tiles, then those beyond.
pub(crate) fn find_bodies_shared(tick: &mut Tick, shards: &mut Shards, pools: &mut Pools) {
    crate::spans::span!("water pools");
    pools.refresh_labels(tick);
    let labelled = &*pools;
    let find = |tick: &mut Tick, tools: &mut Tools, tile: &Tile| {
        labelled.find_in_tile(tick, &mut tools.walk, tile.rank, &tile.members)
    };
    let found = share(tick, shards, &find);
    pools.find_beyond(tick, found);
}

/// Levels the bodies within tiles, then those that have grown beyond their tile.
pub(crate) fn level_bodies_shared(tick: &mut Tick, shards: &mut Shards, pools: &mut Pools) {
    crate::spans::span!("water pools");
    let found = &*pools;
    let level = |tick: &mut Tick, tools: &mut Tools, tile: &Tile| {
        found.level_in_tile(tick, &mut tools.walk, tile.rank)
    };
    let levelled = share(tick, shards, &level);
    pools.level_outgrown(tick, levelled);
}

/// Applies the ebb to all tiles. Returns the number of cells visited.
pub(crate) fn ebb_shared(tick: &mut Tick, shards: &mut Shards, deferred: &mut Deferred) -> u64 {
    crate::spans::span!("water ebb");
    let visited = AtomicU64::new(0);
    let ebb = |tick: &mut Tick, _: &mut Tools, tile: &Tile| {
        let mut deferred = Deferred::default();
        tick.scratch.begin_sweep_over(&tile.members);
        while let Some(slot) = tick.scratch.next_chunk_in_sweep() {
            let cells = ebb_chunk(tick, &mut deferred, slot);
            visited.fetch_add(cells as u64, Ordering::Relaxed);
        }
        deferred
    };
    share(tick, shards, &ebb).iter_mut().for_each(|found| deferred.append(found));
    visited.into_inner()
}

/// Runs a phase in all tiles, turn by turn. Returns its results in the order of the tiles.
fn share<R: Send>(tick: &mut Tick, shards: &mut Shards, phase: Phase<R>) -> Vec<R> {
    let mut results = Vec::new();
    for turn in 0..4 {
        let parts = parts_of(tiles_of(tick, turn));
        results.extend(share_parts(tick, shards, parts, phase));
    }
    results
}

/// Runs a phase in tiles that do not affect each other, each part of them on a thread. Returns its
/// results in the order of the tiles.
fn share_parts<R: Send>(
    tick: &mut Tick,
    shards: &mut Shards,
    mut parts: Vec<Vec<Tile>>,
    phase: Phase<R>,
) -> Vec<R> {
    let mut own = parts.pop().unwrap_or_default();
    lend(tick, shards, parts);
    let lent = shards.shards.iter_mut().filter(|shard| !shard.tiles.is_empty());
    let own_tools = shards.tools.get_or_insert_default();
    let (rules, limits, number) = (tick.rules, tick.limits, tick.tick);
    let found = Mutex::new(Vec::new());
    rayon::scope(|scope| {
        for shard in lent {
            scope.spawn(|_| {
                let mut tick = Tick {
                    store: &mut shard.store,
                    scratch: &mut shard.scratch,
                    ledger: &mut shard.ledger,
                    rules,
                    limits,
                    tick: number,
                    is_yielding: false,
                    report: StepReport::default(),
                };
                let tiles = core::mem::take(&mut shard.tiles);
                do_tiles(&mut tick, &mut shard.tools, tiles, &found, phase);
                shard.report = tick.report;
            });
        }
        own.sort_unstable_by_key(|tile| tile.rank);
        do_tiles(tick, own_tools, own, &found, phase);
    });
    take_back(tick, shards);
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|&(rank, _)| rank);
    found.into_iter().map(|(_, result)| result).collect()
}

/// Runs a phase in some tiles, and adds its results to `found`.
fn do_tiles<R>(
    tick: &mut Tick,
    tools: &mut Tools,
    tiles: Vec<Tile>,
    found: &Mutex<Vec<(Rank, R)>>,
    phase: Phase<R>,
) {
    for tile in tiles {
        let result = phase(tick, tools, &tile);
        found.lock().unwrap_or_else(PoisonError::into_inner).push((tile.rank, result));
    }
}

/// Returns the tiles of a turn that have work.
fn tiles_of(tick: &Tick, turn: u64) -> Vec<Tile> {
    let tile = |(rank, members): (Rank, &[Slot])| Tile {
        rank,
        members: members.into(),
        reach: Reach::Within(tick.scratch.schedule.scope_of(tick.store, members[0])),
        layers: open_layers_of(tick, members),
    };
    tick.scratch.schedule.tiles_of(tick.store, turn).map(tile).collect()
}

/// Returns the groups of flows in the schedule of the draws, each as a tile.
fn flows_of(tick: &Tick) -> Vec<Tile> {
    let flow = |members: Vec<Slot>| Tile {
        rank: Rank::default(),
        layers: open_layers_of(tick, &members),
        reach: Reach::AlongFlows,
        members,
    };
    groups_of(tick.store, tick.scratch.schedule.members()).into_iter().map(flow).collect()
}

/// Returns several groups of flows as one, its members in the order of the draws.
fn merged(tick: &Tick, flows: Vec<Tile>) -> Tile {
    let layers = flows.iter().map(|flow| flow.layers).sum();
    let mut members: Vec<Slot> = flows.into_iter().flat_map(|flow| flow.members).collect();
    tick.scratch.schedule.sort(tick.store, &mut members);
    Tile { rank: Rank::default(), members, reach: Reach::AlongFlows, layers }
}

/// Returns the number of layers of chunks that have a record.
fn open_layers_of(tick: &Tick, chunks: &[Slot]) -> usize {
    chunks.iter().map(|&slot| tick.scratch.open_layers(slot).count_ones() as usize).sum()
}

/// Divides tiles into as many parts as there are threads, and returns the parts. The largest tile
/// comes first; each tile goes to the part with the fewest layers so far (longest processing time
/// first).
fn parts_of(mut tiles: Vec<Tile>) -> Vec<Vec<Tile>> {
    tiles.sort_by_key(|tile| core::cmp::Reverse(tile.layers));
    let count = rayon::current_num_threads().min(tiles.len()).max(1);
    let mut parts: Vec<(usize, Vec<Tile>)> = (0..count).map(|_| (0, Vec::new())).collect();
    for tile in tiles {
        if let Some((layers, part)) = parts.iter_mut().min_by_key(|(layers, _)| *layers) {
            *layers += tile.layers;
            part.push(tile);
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Lends the chunks that parts need to shards.
fn lend(tick: &mut Tick, shards: &mut Shards, parts: Vec<Vec<Tile>>) {
    while shards.shards.len() < parts.len() {
        shards.shards.push(Shard {
            store: lend::borrower(tick.store),
            scratch: TickScratch::default(),
            tools: Tools::default(),
            ledger: Ledger::default(),
            report: StepReport::default(),
            lent: Vec::new(),
            tiles: Vec::new(),
        });
    }
    for (at, mut tiles) in parts.into_iter().enumerate() {
        tiles.sort_unstable_by_key(|tile| tile.rank);
        let mut slots = Vec::new();
        tiles.iter().for_each(|tile| shards.reach(tick.store, tile, &mut slots));
        let members = tiles.iter().flat_map(|tile| tile.members.iter().copied()).collect();
        let shard = &mut shards.shards[at];
        lend::lend(tick.store, &mut shard.store, &slots);
        tick.scratch.lend(&mut shard.scratch, &slots, members);
        (shard.lent, shard.tiles) = (slots, tiles);
    }
}

/// Takes back the chunks lent to shards, and the results.
fn take_back(tick: &mut Tick, shards: &mut Shards) {
    for shard in &mut shards.shards {
        let lent = core::mem::take(&mut shard.lent);
        lend::take_back(tick.store, &mut shard.store, &lent);
        tick.scratch.take_back(&mut shard.scratch, &lent, tick.store);
        tick.report += core::mem::take(&mut shard.report);
        tick.ledger.add(core::mem::take(&mut shard.ledger));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkPos, ColumnPos, Region};
    use crate::water::{Edge, Edges, Rules, Voxel, WaterWorld};
    use glam::IVec3;

    /// A world of several tiles: rocks, pools, sea, springs and rain over 12×2×12 chunks, some of
    /// which are not loaded.
    fn world(seed: u64) -> WaterWorld {
        let mut random = fastrand::Rng::with_seed(seed);
        let bounds = Region::new(IVec3::new(-96, 0, -96), IVec3::new(95, 31, 95));
        let unloaded = [Edge::Wall, Edge::Drain, Edge::Held, Edge::Level(9)][random.usize(..4)];
        let rules = Rules {
            throughput: random.u8(2..=7),
            pools: random.bool(),
            edges: Edges { unloaded, ..Edges::WALLS },
            ..[Rules::lossless(), Rules::default()][random.usize(..2)]
        };
        let mut world = WaterWorld::with_bounds(seed, rules, bounds).expect("rules in range");
        for chunk in
            Region::new(IVec3::new(-6, 0, -6), IVec3::new(5, 1, 5)).positions().map(ChunkPos::from)
        {
            if random.u8(..12) > 0 {
                world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("in bounds");
            }
        }
        let mut cell = || IVec3::new(random.i32(-96..96), random.i32(0..32), random.i32(-96..96));
        for _ in 0..80 {
            let (rock, pool, rain) = (cell(), cell(), cell());
            // Where no chunk is loaded, the next random cell is tried.
            let _ = world
                .fill_solid(Region::new(rock, (rock + IVec3::new(12, 1, 12)).min(bounds.max())));
            let _ = world.fill_water(Region::new(pool, (pool + 5).min(bounds.max())), 6);
            let _ = world.add_source(cell());
            let sea = cell();
            let shore = (sea + IVec3::new(14, 3, 9)).min(bounds.max());
            let _ = world.fill_sea(Region::new(sea, shore));
            let _ = world.pour(rain, 3);
        }
        // A deep lake over the borders of tiles, higher on one side, with springs beside it.
        let _ = world.fill_solid(Region::new(IVec3::new(16, 0, 16), IVec3::new(95, 31, 81)));
        for (x, height) in (32..80).map(|x| (x, if x < 40 { 20 } else { 14 })) {
            for cell in Region::new(IVec3::new(x, 1, 32), IVec3::new(x, 28, 63)).positions() {
                let _ = world.clear_solid(cell);
            }
            let water = Region::new(IVec3::new(x, 1, 32), IVec3::new(x, height, 63));
            let _ = world.fill_water(water, 7);
        }
        for cell in [IVec3::new(80, 5, 40), IVec3::new(31, 9, 50), IVec3::new(60, 12, 64)] {
            let _ = world.clear_solid(cell);
            let _ = world.add_source(cell);
        }
        // A river through all tiles, whose paths are longer than a scope is wide.
        for z in -50..-44 {
            for x in -96..96 {
                let _ = world.set_solid(IVec3::new(x, 20, z));
                let _ = world.clear_solid(IVec3::new(x, 21, z));
            }
            let _ = world.add_source(IVec3::new(-90, 21, z));
        }
        world
    }

    /// Runs a tick whole, or begins it in slices and completes it by threads.
    fn tick_by_threads(world: &mut WaterWorld, random: &mut fastrand::Rng) -> StepReport {
        let mut report = StepReport::default();
        for _ in 0..[0, 0, random.u32(..40), random.u32(..400)][random.usize(..4)] {
            let progress = world.step_within(random.u64(1..400));
            report += progress.report;
            if progress.finished {
                return report;
            }
        }
        report += world.step();
        report
    }

    /// A world that ticks in slices, and equal worlds that tick by threads.
    struct Twins {
        in_slices: WaterWorld,
        shared: Vec<(rayon::ThreadPool, WaterWorld)>,
        random: fastrand::Rng,
    }

    impl Twins {
        fn new(seed: u64, build: impl Fn(u64) -> WaterWorld) -> Self {
            let shared = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                (pool.build().expect("a pool"), build(seed))
            };
            Twins {
                in_slices: build(seed),
                shared: [1, 2, 3, 8].into_iter().map(shared).collect(),
                random: fastrand::Rng::with_seed(seed),
            }
        }

        fn all(&mut self) -> impl Iterator<Item = &mut WaterWorld> {
            self.shared.iter_mut().map(|(_, world)| world).chain([&mut self.in_slices])
        }

        /// Does a tick in each world and compares them. Returns the units moved.
        fn tick(&mut self, at: &str) -> u64 {
            let Twins { in_slices, shared, random } = self;
            let mut report = StepReport::default();
            loop {
                let progress = in_slices.step_within(1_000);
                report += progress.report;
                if progress.finished {
                    break;
                }
            }
            let (changes, words) = (in_slices.take_changes(), in_slices.take_all_changes());
            for (pool, world) in shared {
                let at = format!("{at}, {}", pool.current_num_threads());
                let of_whole = pool.install(|| tick_by_threads(world, random));
                assert_eq!(world.state_hash(), in_slices.state_hash(), "{at}");
                assert_eq!(world.validate(), Ok(()), "{at}");
                assert_eq!(world.ledger(), in_slices.ledger(), "{at}");
                assert_eq!(of_whole, report, "{at}");
                assert_eq!(world.awake_cells(), in_slices.awake_cells(), "{at}");
                assert_eq!(world.take_changes(), changes, "{at}");
                assert_eq!(world.take_all_changes(), words, "{at}");
            }
            report.moved
        }
    }

    #[test]
    fn any_number_of_threads_does_what_slices_do() {
        let mut moved = 0;
        for seed in 0..2 {
            let mut twins = Twins::new(seed, world);
            for tick in 0..12 {
                if tick == 3 || tick == 9 {
                    // Some chunks stand still beside chunks that do not.
                    let still = [[0, 0, 0], [1, 1, 2], [-4, 0, -4]].map(ChunkPos::from);
                    for world in twins.all() {
                        let loaded =
                            still.into_iter().filter(|&chunk| world.chunk(chunk).is_some());
                        let loaded: Vec<ChunkPos> = loaded.collect();
                        let done =
                            if tick == 3 { world.freeze(loaded) } else { world.thaw(loaded) };
                        done.expect("all are loaded");
                    }
                }
                if tick == 6 {
                    // Threads that have already worked for the world get the new edges, too.
                    let outer = [
                        Edge::Drain,
                        Edge::Level(6),
                        Edge::Wall,
                        Edge::Wall,
                        Edge::Level(20),
                        Edge::Drain,
                    ];
                    let edges = Edges { outer, unloaded: Edge::Level(4) };
                    let pools = !twins.in_slices.rules().pools;
                    let rules = Rules { edges, pools, ..*twins.in_slices.rules() };
                    for world in twins.all() {
                        world.set_rules(rules).expect("rules in range");
                        world.set_edge(ColumnPos::new(1, 1), Some(Edge::Drain));
                    }
                }
                moved += twins.tick(&format!("seed {seed}, tick {tick}"));
            }
        }
        assert!(moved > 20_000, "{moved} units moved");
    }

    /// A world of rivers in basins of stone that lie apart, with rain between them.
    fn rivers(seed: u64) -> WaterWorld {
        let mut random = fastrand::Rng::with_seed(seed);
        let bounds = Region::new(IVec3::new(0, 0, 0), IVec3::new(63, 31, 255));
        let pools = random.bool();
        let rules = Rules { pools, source_supply: random.u8(3..=7), ..Rules::lossless() };
        let mut world = WaterWorld::with_bounds(seed, rules, bounds).expect("rules in range");
        for chunk in Region::new(IVec3::ZERO, IVec3::new(3, 1, 15)).positions().map(ChunkPos::from)
        {
            world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).expect("in bounds");
        }
        for first in [0, 96, 192] {
            let at = |x: i32, y: i32, z: i32| IVec3::new(x, y, first + z);
            for (z, top) in (0..32).map(|z| (z, if z == 0 || z == 31 { 18 } else { 15 })) {
                world.fill_solid(Region::new(at(0, 15, z), at(63, top, z))).expect("in bounds");
            }
            for _ in 0..24 {
                let rock = at(random.i32(0..64), 16, random.i32(0..32));
                world.set_solid(rock).expect("in bounds");
                // A rock refuses a spring.
                let _ = world.add_source(at(random.i32(0..20), 16, random.i32(0..32)));
            }
            for _ in 0..100 {
                let rain = at(random.i32(0..64), 30, random.i32(0..64));
                world.pour(rain, 5).expect("in bounds");
            }
        }
        world
    }

    #[test]
    fn the_draws_of_rivers_that_lie_apart_do_by_threads_what_slices_do() {
        let (mut moved, mut apart) = (0, 0);
        for seed in 0..3 {
            let mut twins = Twins::new(seed, rivers);
            for tick in 0..30 {
                moved += twins.tick(&format!("seed {seed}, tick {tick}"));
                let store = &twins.in_slices.store;
                let mut flows = store.grid().sorted_slots();
                flows.retain(|&slot| store.has_connected(slot));
                apart += u32::from(groups_of(store, &flows).len() == 3);
            }
        }
        assert!(moved > 20_000 && apart > 60, "{moved} units moved, {apart} ticks of three rivers");
    }
}
