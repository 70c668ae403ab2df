//! Time skewing, a form of loop tiling: several steps of many chunks, ordered so that a chunk's
//! next step soon follows its last one, while the chunk is still in the cache. So a world larger
//! than the cache is read and written once for several steps. After D. Wonnacott, "Using time
//! skewing to eliminate idle time due to memory bandwidth and network limitations" (2000), with
//! chunks in place of cells.
//!
//! A chunk's step needs its own cells and the rims around it as they were before that step. So step
//! s of the chunk at (x, y) belongs to the tile (⌊(x + s)/side⌋, ⌊(y + s)/side⌋): its inputs are in
//! that tile or in a tile with smaller coordinates. Within a tile, steps run in order. Tiles whose
//! coordinates have the same sum do not depend on one another, and no chunk is in two of them, so
//! threads share them. A single thread goes along rows of tiles, where each tile shares most of its
//! chunks with the one before it. Two rims of each chunk are kept, as a neighbour may be a step
//! behind.
//!
//! All awake chunks are stepped, and all chunks around them, which might wake meanwhile; a step
//! leaves sleeping chunks unchanged. Which chunks were awake in which step is computed afterwards,
//! from the recorded changes.
//!
//! Only [`Sheet`](crate::Sheet)s are stepped in tiles: tiles of cubes would have a third axis.

use super::changes::Changes;
use super::rims::{Before, Rims};
use super::rows::{RowShape, Value};
use super::workers::{self, Workers};
use crate::coords::ChunkPos;
use crate::grid::{Grid, Slot};
use core::ops::Range;
use glam::IVec3;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// The most steps of one plan. A change spreads by one cell in a step, so a chunk two chunks away
/// from the awake ones stays unchanged.
pub(crate) const MAX_STEPS: u64 = 16;

/// The number of chunks along each side of a tile. Together with the data that a step of humidity
/// reads, the chunks of a tile take 1.2 MB, which fits 2 MB of second-level cache. This is the
/// fastest of the sizes measured in `benches/README.md`.
const TILE_SIDE: i32 = 5;

/// The least number of awake chunks for which a plan pays off: fewer chunks fit the cache.
const MIN_AWAKE: usize = 64;

/// The least ratio of awake to sleeping chunks for which a plan pays off: stepping sleeping chunks
/// is wasted work.
const AWAKE_PER_ASLEEP: usize = 8;

/// A chunk to step, with the data that a step reads and writes.
pub(crate) trait Job<T: Value, S: RowShape>: Send + Sync {
    /// The result of a step besides cells.
    type Yield: Send + Sync;

    /// Returns the cells that the last step changed.
    fn changes(&self) -> &Changes;

    /// Returns the rims after the last step.
    fn rims(&mut self) -> &mut Box<S::Rims<T>>;

    /// Takes the result of the last step.
    fn take_yield(&mut self) -> Self::Yield;
}

/// A chunk that is stepped.
pub(crate) struct Member<T: Value, S: RowShape, J: Job<T, S>> {
    pub(crate) job: J,
    /// The rims before steps with even numbers, and before steps with odd numbers.
    rims: [Box<S::Rims<T>>; 2],
    /// The results, by step.
    steps: Vec<Stepped<J::Yield>>,
}

/// A member's place in a list; empty while a tile has taken the member, or while the member is
/// stepped.
type Seat<T, S, J> = Option<Box<Member<T, S, J>>>;

struct Stepped<Y> {
    changed: usize,
    /// By face, whether cells at the face changed; `None` if no cell of the chunk changed.
    touched: Option<[bool; 6]>,
    yielded: Y,
}

/// A member's chunk and its neighbours.
struct Site {
    slot: Slot,
    is_awake: bool,
    /// The neighbours, by face.
    around: [Neighbour; 6],
}

#[derive(Clone, Copy)]
enum Neighbour {
    /// A member, by its index in `sites`.
    Member(u32),
    /// A chunk that is not stepped, or a missing one.
    Outside(Slot),
}

/// The chunks to step together, and the tiles in which they are stepped.
pub(crate) struct Plan {
    sites: Vec<Site>,
    steps: usize,
    tiles: Tiles,
}

/// The parts of each tile, by stage, then by the tile's x and its chunks' z.
type Tiles = BTreeMap<(Stage, [i32; 2]), Vec<Part>>;

/// The stage at which a tile is run. Tiles of one stage do not depend on one another.
type Stage = [i32; 2];

/// The steps of a member that belong to a tile.
struct Part {
    member: u32,
    steps: Range<usize>,
}

impl Plan {
    /// Plans `steps` steps of all awake chunks, at most [`MAX_STEPS`], if that pays off: on sheets,
    /// with more chunks than fit the cache, most of which are awake, in enough tiles for all
    /// threads.
    pub(crate) fn if_worthwhile<T: Copy + PartialEq, S: RowShape>(
        grid: &Grid<T, S>,
        steps: u64,
    ) -> Option<Self> {
        let awake = grid.awake_slots().len();
        if S::NEIGHBOURS != 4 || steps < 2 || awake < MIN_AWAKE {
            return None;
        }
        let slots = members(grid);
        if AWAKE_PER_ASLEEP * (slots.len() - awake) > awake {
            return None;
        }
        let plan = Plan::new(grid, &slots, steps, TILE_SIDE, workers::threads());
        plan.keeps_busy(workers::threads()).then_some(plan)
    }

    /// Plans `steps` steps, at most [`MAX_STEPS`], of these chunks, which [`members`] returns, in
    /// tiles of `side` chunks along each side, for `threads` threads.
    pub(crate) fn new<T: Copy + PartialEq, S: RowShape>(
        grid: &Grid<T, S>,
        slots: &[Slot],
        steps: u64,
        side: i32,
        threads: usize,
    ) -> Self {
        let steps = steps.min(MAX_STEPS) as usize;
        // The numbers fit `u32`: there are fewer than 2³²−1 slots.
        let numbers: HashMap<Slot, u32> = slots.iter().copied().zip(0..).collect();
        let mut tiles = Tiles::new();
        for (&slot, member) in slots.iter().zip(0..) {
            let chunk = grid.position_at(slot);
            for (tile, steps) in tiles_of(chunk, steps, side) {
                let site = (stage(tile, threads), [tile[0], chunk.z]);
                tiles.entry(site).or_default().push(Part { member, steps });
            }
        }
        let site = |&slot: &Slot| {
            let mut neighbours = grid.neighbours_of(slot);
            neighbours[S::NEIGHBOURS..].fill(Slot::NONE);
            let number = |there: Slot| numbers.get(&there).map(|&number| Neighbour::Member(number));
            let around = neighbours.map(|there| number(there).unwrap_or(Neighbour::Outside(there)));
            Site { slot, is_awake: grid.awake_at(slot).is_some(), around }
        };
        Plan { sites: slots.iter().map(site).collect(), steps, tiles }
    }

    /// Returns whether this many threads would be idle for at most a fifth of the time, waiting for
    /// the last tile of a stage.
    fn keeps_busy(&self, threads: usize) -> bool {
        // Work in chunks times steps: of each stage, and of its largest tile.
        let mut stages = BTreeMap::<Stage, [usize; 2]>::new();
        for (&(stage, _), parts) in &self.tiles {
            let work: usize = parts.iter().map(|part| part.steps.len()).sum();
            let [all, largest] = stages.entry(stage).or_default();
            (*all, *largest) = (*all + work, work.max(*largest));
        }
        let all: usize = stages.values().map(|[all, _]| all).sum();
        let time: usize =
            stages.values().map(|&[all, largest]| largest.max(all.div_ceil(threads))).sum();
        4 * time * threads <= 5 * all
    }

    /// Returns the chunks to step.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        self.sites.iter().map(|site| site.slot).collect()
    }

    /// Returns the number of steps.
    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    /// Steps the chunks, each with its job, and returns the members in the order of
    /// [`slots`](Plan::slots). `rims` holds the rims of all members and of the chunks around them.
    pub(crate) fn run<T: Value, S: RowShape, J: Job<T, S>, W: Send>(
        &self,
        rims: &Rims<T, S>,
        workers: &mut Workers<W>,
        jobs: Vec<J>,
        step: impl Fn(&mut W, &mut J, Before<T, S>) + Sync,
    ) -> Vec<Member<T, S, J>> {
        let member = |(site, job): (&Site, J)| {
            let (before, steps) = (Box::new(*rims.at(site.slot)), Vec::with_capacity(self.steps));
            Some(Box::new(Member { job, rims: [before.clone(), before], steps }))
        };
        let mut members: Vec<_> = self.sites.iter().zip(jobs).map(member).collect();
        let mut tiles = self.tiles.iter().peekable();
        while let Some(&(&(stage, _), _)) = tiles.peek() {
            let mut together = Vec::new();
            while let Some((_, parts)) = tiles.next_if(|((of_tile, _), _)| *of_tile == stage) {
                let taken = parts.iter().map(|part| members[part.member as usize].take()).collect();
                together.push(Tile { plan: self, parts, members: taken });
            }
            workers.each_large(&mut together, |scratch, tile| {
                tile.run(rims, &members, |job, before| step(scratch, job, before));
            });
            for tile in together {
                for (part, member) in tile.parts.iter().zip(tile.members) {
                    members[part.member as usize] = member;
                }
            }
        }
        let done = |member: Seat<T, S, J>| {
            let mut member = member.expect("all tiles are done");
            core::mem::swap(&mut member.rims[self.steps % 2], member.job.rims());
            *member
        };
        members.into_iter().map(done).collect()
    }

    /// Replays which chunks were awake in each step. Calls `visit` step by step, for each member in
    /// order of position, with whether the member was awake, its number of changed cells and the
    /// result of the step. Returns which members are awake after the last step, and the results of
    /// that step.
    pub(crate) fn replay<T: Value, S: RowShape, J: Job<T, S>>(
        &self,
        members: &[Member<T, S, J>],
        mut visit: impl FnMut(bool, usize, &J::Yield),
    ) -> (Vec<bool>, Vec<J::Yield>)
    where
        J::Yield: Clone,
    {
        let mut awake: Vec<bool> = self.sites.iter().map(|site| site.is_awake).collect();
        for step in 0..self.steps {
            let before = core::mem::replace(&mut awake, vec![false; members.len()]);
            for (number, was_awake) in before.into_iter().enumerate() {
                let stepped = &members[number].steps[step];
                visit(was_awake, stepped.changed, &stepped.yielded);
                if !was_awake {
                    debug_assert_eq!(stepped.changed, 0, "what sleeps stays as it is");
                    continue;
                }
                awake[number] |= stepped.changed > 0;
                for (neighbour, touched) in
                    self.sites[number].around.iter().zip(stepped.touched.unwrap_or_default())
                {
                    if let (Neighbour::Member(there), true) = (neighbour, touched) {
                        awake[*there as usize] = true;
                    }
                }
            }
        }
        let last = members.iter().map(|member| member.steps[self.steps - 1].yielded.clone());
        (awake, last.collect())
    }
}

/// Returns the chunks to step, in order of position: the awake chunks and the chunks around them.
pub(crate) fn members<T: Copy + PartialEq, S: RowShape>(grid: &Grid<T, S>) -> Vec<Slot> {
    let around = |&slot: &Slot| {
        let chunk = grid.position_at(slot);
        let sides = (-1..2).flat_map(|y| (-1..2).map(move |x| IVec3::new(x, y, 0)));
        sides.filter_map(move |side| grid.slot(chunk + side))
    };
    let mut slots: Vec<Slot> = grid.awake_slots().iter().flat_map(around).collect();
    slots.sort_unstable();
    slots.dedup();
    grid.sort_slots(&mut slots);
    slots
}

/// Returns the stage of a tile, for this many threads.
fn stage([x, y]: [i32; 2], threads: usize) -> Stage {
    if threads > 1 { [x + y, 0] } else { [y, x] }
}

/// Returns the tiles in which a chunk is stepped, with the steps in each.
fn tiles_of(
    chunk: ChunkPos,
    steps: usize,
    side: i32,
) -> impl Iterator<Item = ([i32; 2], Range<usize>)> {
    // The range of chunk coordinates is far smaller than the range of `i32`.
    let tile = move |step: usize| [chunk.x, chunk.y].map(|at| (at + step as i32).div_euclid(side));
    let mut first = 0;
    core::iter::from_fn(move || {
        let begin = first;
        (begin < steps).then(|| {
            first = (begin..steps).find(|&step| tile(step) != tile(begin)).unwrap_or(steps);
            (tile(begin), begin..first)
        })
    })
}

/// Some steps of some chunks.
struct Tile<'p, T: Value, S: RowShape, J: Job<T, S>> {
    plan: &'p Plan,
    parts: &'p [Part],
    /// The members, by part.
    members: Vec<Seat<T, S, J>>,
}

/// Where the rims of a neighbour are.
#[derive(Clone, Copy)]
enum RimSource {
    /// A part of the tile.
    Here(usize),
    /// A member in another tile.
    There(usize),
    Outside(Slot),
}

impl<T: Value, S: RowShape, J: Job<T, S>> Tile<'_, T, S, J> {
    /// Steps the tile's chunks. `others` are the members that no tile of this stage has taken.
    fn run(
        &mut self,
        rims: &Rims<T, S>,
        others: &[Seat<T, S, J>],
        mut step: impl FnMut(&mut J, Before<T, S>),
    ) {
        let sources = self.sources();
        for number in 0..self.plan.steps {
            let version = number % 2;
            for (part, sources) in sources.iter().enumerate() {
                if !self.parts[part].steps.contains(&number) {
                    continue;
                }
                let mut member =
                    self.members[part].take().expect("a part is stepped by one tile at a time");
                let around = sources.map(|source| match source {
                    RimSource::Here(there) => {
                        &self.members[there].as_ref().expect("another part").rims[version]
                    }
                    RimSource::There(there) => {
                        &others[there].as_ref().expect("in no tile of this stage").rims[version]
                    }
                    RimSource::Outside(slot) => rims.at(slot),
                });
                step(&mut member.job, Before { own: &member.rims[version], around });
                member.record(version ^ 1);
                self.members[part] = Some(member);
            }
        }
    }

    /// Returns where the rims of the neighbours are, by part and face.
    fn sources(&self) -> Vec<[RimSource; 6]> {
        let parts: HashMap<u32, usize> =
            self.parts.iter().zip(0..).map(|(part, at)| (part.member, at)).collect();
        let of_part = |part: &Part| {
            self.plan.sites[part.member as usize].around.map(|neighbour| match neighbour {
                Neighbour::Outside(slot) => RimSource::Outside(slot),
                Neighbour::Member(there) => parts
                    .get(&there)
                    .map_or(RimSource::There(there as usize), |&at| RimSource::Here(at)),
            })
        };
        self.parts.iter().map(of_part).collect()
    }
}

impl<T: Value, S: RowShape, J: Job<T, S>> Member<T, S, J> {
    /// Records the result of a step. The rims after the step go to `rims[version]`.
    fn record(&mut self, version: usize) {
        core::mem::swap(&mut self.rims[version], self.job.rims());
        let changes = self.job.changes();
        let (changed, touched) = (changes.count(), changes.touched());
        self.steps.push(Stepped { changed, touched, yielded: self.job.take_yield() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{Region, Shape, Sheet};

    /// Checks that the inputs of every step of every chunk come from earlier stages or the same
    /// tile, and that no other tile of the same stage uses the chunk.
    #[test]
    fn tiles_wait_only_for_tiles_of_earlier_stages() {
        for side in [1, 4, TILE_SIDE, 8] {
            tiles_wait_only_for_earlier_ones(side, 1);
            tiles_wait_only_for_earlier_ones(side, 2);
        }
    }

    fn tiles_wait_only_for_earlier_ones(side: i32, threads: usize) {
        let steps = MAX_STEPS as usize;
        let mut tiles = HashMap::new();
        for (y, x) in (-20..20).flat_map(|y| (-20..20).map(move |x| (y, x))) {
            let mut next = 0;
            for (tile, in_tile) in tiles_of(ChunkPos::new(x, y, 0), steps, side) {
                assert_eq!(in_tile.start, next, "one step after the other");
                next = in_tile.end;
                in_tile.for_each(|step| assert!(tiles.insert((x, y, step), tile).is_none()));
            }
            assert_eq!(next, steps);
        }
        let stage = |tile: [i32; 2]| stage(tile, threads);
        for (&(x, y, step), &tile) in &tiles {
            let around =
                [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)].map(|(dx, dy)| (x + dx, y + dy));
            for other in
                around.into_iter().filter_map(|(x, y)| tiles.get(&(x, y, step.checked_sub(1)?)))
            {
                assert!(
                    *other == tile || stage(*other) < stage(tile),
                    "({x}, {y}), step {step}: {other:?}, {tile:?}"
                );
            }
            // Chunks whose rims are read are in no other tile of the stage, which might write them
            // meanwhile.
            for (x, y) in around {
                let elsewhere = (0..steps).filter_map(|step| tiles.get(&(x, y, step)));
                assert!(
                    elsewhere
                        .into_iter()
                        .all(|other| *other == tile || stage(*other) != stage(tile))
                );
            }
        }
    }

    /// Plans a large square of awake chunks, and 64 small squares, one at each z.
    #[test]
    fn a_plan_needs_tiles_for_all_threads() {
        let plan = |chunks: IVec3, threads: usize| {
            let mut grid = Grid::<u8, Sheet>::new(0);
            for chunk in Region::new(IVec3::ZERO, chunks - 1).positions() {
                grid.insert(chunk.into(), Chunk::uniform(0)).unwrap();
                grid.wake(Sheet::cell_at(chunk.into(), 0)).unwrap();
            }
            Plan::new(&grid, &members(&grid), MAX_STEPS, TILE_SIDE, threads)
        };
        let square = IVec3::new(32, 32, 1);
        let fits = [1, 2, 4, 16].map(|threads| plan(square, threads).keeps_busy(threads));
        assert_eq!(fits, [true, true, true, false]);
        let towers = IVec3::new(2, 2, 64);
        assert!(plan(towers, 16).keeps_busy(16), "what lies on one another is apart");
    }
}
