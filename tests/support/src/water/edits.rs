//! Edits and ticks of a water world, and what must hold after every one of them.
//!
//! [`Watched`] keeps two worlds that differ in one thing: the second is woken before each tick, and
//! takes lists of chunks in the reverse order. They must stay equal. Every edit is also made in the
//! naive model of `cells.rs`, and every tick is held against the laws that can be seen from
//! outside. Property tests and the fuzz targets `water_edits` and `water_stream` make the edits.

use super::cells::{Cells, Content};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Progress, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Automaton, CHUNK_CELLS, Chunk, Cube, Region, Shape, StepReport};
use std::collections::BTreeSet;

/// Every public function that changes a water world.
#[derive(Clone, Debug)]
pub enum Edit {
    SetSolid(IVec3),
    ClearSolid(IVec3),
    AddSource(IVec3),
    RemoveSource(IVec3),
    Pour(IVec3, u32),
    Scoop(IVec3, u32),
    FillSolid(Region),
    FillWater(Region, u8),
    RemoveChunk(IVec3),
    /// The chunk that was last removed from there, or an open one.
    InsertChunk(IVec3),
    /// A chunk of another world, of other rules, perhaps read in the middle of a tick; or of words
    /// at random.
    InsertForeign(IVec3, u64),
    /// All chunks that were removed and are not back, at once.
    InsertChunks,
    WakeAll,
    TakeChanges,
    Run(u8),
    /// One tick in slices of so many cells, saved and loaded after the first.
    Sliced(u64),
    SaveAndLoad,
}

/// The most looks at a cell that one tick takes in its passes.
const PASSES: u64 = 4;

/// The most draws from one body in a tick; each looks at every cell once at most, and at the dry
/// cells beside it.
const DRAWS: u64 = 96;

/// Two worlds and the model; see above.
pub struct Watched {
    pub world: WaterWorld,
    awake: WaterWorld,
    rules: Rules,
    cells: Cells,
    /// Removed chunks, last removed last.
    removed: Vec<(IVec3, Chunk<Voxel>)>,
    /// Cells that were seen to change since the changes were last taken.
    seen: BTreeSet<[i32; 3]>,
}

impl Watched {
    /// A world within `bounds`, all of whose chunks are loaded and open, on a floor of solid
    /// ground.
    pub fn new(seed: u64, rules: Rules, bounds: Region) -> Watched {
        let world = || {
            let mut world =
                WaterWorld::with_bounds(seed, rules, bounds).expect("rules within their ranges");
            for chunk in
                Region::new(Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max())).positions()
            {
                world
                    .insert_chunk(chunk, Chunk::uniform(Voxel::OPEN))
                    .expect("a chunk of the bounds");
            }
            world
                .fill_solid(Region::new(bounds.min(), bounds.max().with_y(bounds.min().y)))
                .expect("loaded");
            world.take_changes();
            world
        };
        let (world, awake) = (world(), world());
        let cells = Cells::of(&world);
        Watched { world, awake, rules, cells, removed: Vec::new(), seen: BTreeSet::new() }
    }

    /// Makes an edit, or runs ticks, and checks everything.
    pub fn apply(&mut self, edit: &Edit) {
        if let &Edit::Run(ticks) = edit {
            (0..ticks).for_each(|_| self.tick(|world| world.step_within(u64::MAX)));
            return;
        }
        if let &Edit::Sliced(budget) = edit {
            self.tick(|world| slices(world, budget));
            return;
        }
        let (before, then) = (self.world.state_hash(), self.cells.clone());
        let refused = self.edit(edit);
        assert!(
            !refused || self.world.state_hash() == before,
            "a refused edit changed the world: {edit:?}"
        );
        let now = Cells::of(&self.world);
        self.note_changes(&then, &now);
        for (cell, (now, then)) in
            now.region.positions().zip(now.contents.iter().zip(&self.cells.contents))
        {
            assert_eq!(now, then, "cell {cell} after {edit:?}");
        }
        assert_eq!(now.ledger, self.cells.ledger, "after {edit:?}");
        assert_eq!(self.world.state_hash(), self.awake.state_hash(), "never slept, after {edit:?}");
    }

    /// The world's own check of all its laws. Ticks do it by themselves; after edits it is for the
    /// caller.
    pub fn validate(&self) {
        if let Err(law) = Automaton::validate(&self.world) {
            panic!("tick {}: {law}", self.world.ticks());
        }
    }

    /// Makes an edit in both worlds and in the model; whether it was refused.
    fn edit(&mut self, edit: &Edit) -> bool {
        let Watched { world, awake, cells, removed, .. } = self;
        // The two worlds and the model must give the same answer.
        macro_rules! same {
            ($call:ident($($argument:expr),*), $model:expr) => {{
                let answer = world.$call($($argument),*);
                assert_eq!(answer, awake.$call($($argument),*), "two equal worlds: {edit:?}");
                assert_eq!(answer, $model, "{edit:?}");
                answer.is_err()
            }};
        }
        match *edit {
            Edit::SetSolid(cell) => same!(set_solid(cell), cells.set_solid(cell)),
            Edit::ClearSolid(cell) => same!(clear_solid(cell), cells.clear_solid(cell)),
            Edit::AddSource(cell) => same!(add_source(cell), cells.set_source(cell, true)),
            Edit::RemoveSource(cell) => same!(remove_source(cell), cells.set_source(cell, false)),
            Edit::Pour(cell, units) => same!(pour(cell, units), cells.pour(cell, units)),
            Edit::Scoop(cell, units) => same!(scoop(cell, units), cells.scoop(cell, units)),
            Edit::FillSolid(region) => same!(fill_solid(region), cells.fill(region, None)),
            Edit::FillWater(region, height) => {
                same!(fill_water(region, height), cells.fill(region, Some(height)))
            }
            Edit::InsertChunk(position) => {
                let chunk = match removed.iter().position(|(chunk, _)| *chunk == position) {
                    Some(at) => removed.remove(at).1,
                    None => Chunk::uniform(Voxel::OPEN),
                };
                same!(insert_chunk(position, chunk.clone()), cells.insert_chunk(position, &chunk))
            }
            Edit::InsertForeign(position, seed) => {
                let chunk = foreign_chunk(seed);
                same!(insert_chunk(position, chunk.clone()), cells.insert_chunk(position, &chunk))
            }
            Edit::RemoveChunk(position) => self.remove_chunk(position),
            Edit::InsertChunks => self.insert_chunks(),
            Edit::WakeAll => {
                world.wake_all();
                false
            }
            Edit::TakeChanges => {
                self.take_changes();
                false
            }
            Edit::SaveAndLoad => {
                *world = saved_and_loaded(world);
                false
            }
            Edit::Run(_) | Edit::Sliced(_) => false,
        }
    }

    fn remove_chunk(&mut self, position: IVec3) -> bool {
        let removed = self.world.remove_chunk(position);
        assert_eq!(removed, self.awake.remove_chunk(position), "two equal worlds");
        let held = self.cells.remove_chunk(position);
        let Ok(chunk) = removed else {
            assert_eq!(removed.err(), held.err());
            return true;
        };
        for (cell, content) in held.expect("the model has the chunk") {
            assert_eq!(
                Content::of(chunk.get(Cube::index_of(cell))),
                content,
                "cell {cell} of the removed chunk"
            );
        }
        let beyond = |&index: &usize| !self.cells.region.contains(Cube::cell_at(position, index));
        assert!(
            (0..CHUNK_CELLS).filter(beyond).all(|index| chunk.get(index) == Voxel::OPEN),
            "cells beyond the end"
        );
        self.seen.retain(|&cell| Cube::chunk_of(cell.into()) != position);
        self.removed.retain(|(chunk, _)| *chunk != position);
        self.removed.push((position, chunk));
        false
    }

    /// Both directions of the list, and a list with a chunk twice, which is refused.
    fn insert_chunks(&mut self) -> bool {
        let loaded = |position: IVec3| self.world.chunks().any(|(chunk, _)| chunk == position);
        let list: Vec<_> = self.removed.drain(..).collect();
        let list: Vec<_> = list.into_iter().filter(|(position, _)| !loaded(*position)).collect();
        if let Some(first) = list.first().cloned() {
            let twice = list.iter().cloned().chain([first]);
            assert!(self.world.insert_chunks(twice).is_err(), "a chunk twice in a list");
        }
        assert_eq!(self.world.insert_chunks(list.iter().cloned()), Ok(()));
        assert_eq!(self.awake.insert_chunks(list.iter().rev().cloned()), Ok(()));
        for (position, chunk) in &list {
            assert_eq!(self.cells.insert_chunk(*position, chunk), Ok(()));
        }
        false
    }

    fn take_changes(&mut self) {
        let mut reported = BTreeSet::new();
        for changes in self.world.take_changes() {
            let cells =
                changes.cells.iter().map(|index| Cube::cell_at(changes.chunk, index).to_array());
            reported.extend(cells);
        }
        if let Some(cell) = self.seen.difference(&reported).next() {
            panic!("cell {cell:?} changed and was not reported");
        }
        self.seen.clear();
        self.awake.take_changes();
    }

    /// Keeps which cells differ. Loading is no change.
    fn note_changes(&mut self, then: &Cells, now: &Cells) {
        for (cell, (now, then)) in
            now.region.positions().zip(now.contents.iter().zip(&then.contents))
        {
            if now != then && *now != Content::NotLoaded && *then != Content::NotLoaded {
                self.seen.insert(cell.to_array());
            }
        }
    }

    /// One tick of both worlds, of the first in the given way, with the laws that can be seen from
    /// outside.
    fn tick(&mut self, step: impl FnOnce(&mut WaterWorld) -> Progress) {
        let voxels = |world: &WaterWorld| {
            world.bounds().positions().map(|cell| world.voxel(cell)).collect::<Vec<_>>()
        };
        let (before, rested) = (voxels(&self.world), self.world.is_at_rest());
        let Progress { report, looked_at, .. } = step(&mut self.world);
        self.awake.wake_all();
        let report_awake = self.awake.step();
        let tick = self.world.ticks();
        assert_eq!(
            (report.changed, report.moved),
            (report_awake.changed, report_awake.moved),
            "tick {tick}"
        );
        let after = voxels(&self.world);
        let positions = self.cells.region.positions().zip(after.iter().zip(&before));
        let changed: Vec<_> = positions
            .filter(|(_, (now, then))| now != then)
            .map(|(cell, _)| cell.to_array())
            .collect();
        assert_eq!(
            report.changed,
            changed.len() as u64,
            "the changed cells that tick {tick} reports"
        );
        assert!(
            !rested || report == StepReport::default(),
            "a world at rest, and tick {tick} did {report:?}"
        );
        let cells = before.len() as u64;
        assert!(report.visited <= PASSES * cells, "tick {tick} visited {} cells", report.visited);
        // No two bodies share a cell, so what is looked at in the levelling of all of them is at
        // most that of one.
        let most = (PASSES + 3 * DRAWS) * cells;
        assert!(
            looked_at <= most,
            "tick {tick} looked at {looked_at} cells, {} of them awake",
            report.visited
        );
        self.seen.extend(changed);
        let now = Cells::of(&self.world);
        self.check_cells(&now, tick);
        self.check_account(&now, tick);
        self.cells = now;
        self.validate();
        assert_eq!(self.world.state_hash(), self.awake.state_hash(), "never slept, tick {tick}");
    }

    /// Ground and springs stay; no cell gives more than its throughput.
    fn check_cells(&self, now: &Cells, tick: u64) {
        let throughput = self.rules.throughput;
        let loss = throughput + u8::from(self.rules.evaporation > 0.0);
        for (cell, (now, then)) in
            now.region.positions().zip(now.contents.iter().zip(&self.cells.contents))
        {
            match (now, then) {
                (
                    Content::Open { height, source },
                    Content::Open { height: before, source: was },
                ) => {
                    assert_eq!(source, was, "a spring came or went at {cell}, tick {tick}");
                    assert!(!source || *height == 7, "a spring is not full at {cell}, tick {tick}");
                    assert!(
                        height + loss >= *before,
                        "cell {cell} fell from {before} to {height}, tick {tick}"
                    );
                }
                _ => assert_eq!(now, then, "ground at {cell}, tick {tick}"),
            }
            let flow = self.world.current(cell).abs().element_sum();
            assert!(flow <= i32::from(throughput), "cell {cell} passed {flow} on, tick {tick}");
        }
    }

    /// Ticks enter what springs, drains and evaporation did, and nothing else.
    fn check_account(&self, now: &Cells, tick: u64) {
        let (then, now_) = (self.cells.ledger, now.ledger);
        assert_eq!(
            (then.placed, then.removed),
            (now_.placed, now_.removed),
            "tick {tick} entered an edit"
        );
        let springs =
            self.cells.contents.iter().filter(|content| content.is_source()).count() as u64;
        let supply = springs * u64::from(self.rules.source_supply.min(self.rules.throughput));
        assert!(
            (then.injected..=then.injected + supply).contains(&now_.injected),
            "tick {tick}: supply of springs"
        );
        let edges = self.rules.edges;
        let drains = edges.outer.contains(&Edge::Drain) || edges.unloaded == Edge::Drain;
        assert!(
            now_.drained == then.drained || drains && now_.drained > then.drained,
            "tick {tick}: drained"
        );
        let loses = self.rules.evaporation > 0.0;
        assert!(
            now_.evaporated == then.evaporated || loses && now_.evaporated > then.evaporated,
            "tick {tick}: gone"
        );
        assert_eq!(now.total(), now_.total(), "the ledger, tick {tick}");
    }
}

/// A tick that is done in slices. After the first of them the world is saved and loaded, and the
/// tick starts again.
fn slices(world: &mut WaterWorld, budget: u64) -> Progress {
    let mut sum = world.step_within(budget);
    if !sum.finished {
        assert_eq!(Automaton::validate(world), Ok(()), "a tick underway");
        let open = |cell: &IVec3| world.voxel(*cell).is_some_and(|voxel| !voxel.is_solid());
        let dry = world.bounds().positions().filter(open).find(|&cell| world.cell(cell).is_none());
        assert_eq!(dry, None, "an open cell that is none, in a tick underway");
        *world = saved_and_loaded(world);
        assert_eq!(world.backlog(), 0, "a loaded world is between ticks");
        sum = world.step_within(budget);
    }
    while !sum.finished {
        assert!(
            world.backlog() > 0 && !world.is_at_rest(),
            "a tick underway with nothing left to do"
        );
        let Progress { report, looked_at, finished, .. } = world.step_within(budget);
        sum.report += report;
        sum.looked_at += looked_at;
        sum.finished = finished;
    }
    sum
}

/// A chunk of a world with a spring in it, of any throughput, as it is between two ticks or in the
/// middle of one; for one seed in four, of words at random.
fn foreign_chunk(seed: u64) -> Chunk<Voxel> {
    let mut random = fastrand::Rng::with_seed(seed);
    if random.u8(..4) == 0 {
        let mut voxel = || WaterCell::from_word(random.u16(..)).map_or(Voxel::SOLID, Voxel::water);
        return Chunk::from_cells(&std::array::from_fn(|_| voxel()));
    }
    let rules = Rules { throughput: random.u8(1..=7), ..Rules::lossless() };
    let mut world = WaterWorld::new(seed, rules).expect("rules within their ranges");
    world.insert_chunk(IVec3::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    let floor = random.i32(0..12);
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, floor, 15))).expect("loaded");
    let mut place = || IVec3::new(random.i32(0..16), random.i32(floor + 1..16), random.i32(0..16));
    let (spring, puddle) = (place(), place());
    world.fill_water(Region::new(puddle, puddle), 7).expect("loaded");
    world.add_source(spring).expect("open");
    world.run(random.u64(1..20));
    (0..random.u32(..12)).for_each(|_| _ = world.step_within(0));
    let (_, chunk) = world.chunks().next().expect("the one that was put in");
    chunk.clone()
}

fn saved_and_loaded(world: &WaterWorld) -> WaterWorld {
    let bytes = world.save();
    let loaded =
        WaterWorld::load(&bytes).unwrap_or_else(|error| panic!("a world that was saved: {error}"));
    assert!(loaded.save() == bytes, "other bytes from a world that was loaded");
    assert_eq!(
        loaded.state_hash(),
        world.state_hash(),
        "another hash from a world that was loaded"
    );
    loaded
}
