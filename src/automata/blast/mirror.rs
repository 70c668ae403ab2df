//! Mirrored ground: the ground of another world is copied chunk by chunk. Obstacles of a chunk are
//! replaced as a whole, the chunks that pressure has reached are listed, and the ground of silent
//! chunks is dropped.
//!
//! The resulting state is the same as after single edits, but not every link of every cell is
//! visited. Conductances follow from the ground: the chunk's conductances are dropped, and the
//! first step that needs them computes them. In the chunk's neighbours only the planes at the
//! common faces are recomputed.

use super::edit::POSITIVE_ZERO;
use super::error::EditError;
use super::field::flows::Conductances;
use super::field::space::{axis, plane_cells};
use super::{BlastShape, BlastWorld, Ground};
use crate::automata::blast::extent::is_still;
use crate::automata::blast::field::conductances::renew_conductances;
use crate::automata::engine::changes::differing;
use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::grid::Slot;

/// Replaces the obstacles in a chunk's cells. Cells in `solid` are removed, and so are cells with a
/// strength, until they break at that difference; all other cells are open. Pressures of cells that
/// stay open and weights of links are kept. Cells beyond the bounds are ignored, and a missing
/// chunk is created if there is any obstacle.
///
/// Has the same effect as [`set_solid`](BlastWorld::set_solid), [`set_wall`](BlastWorld::set_wall)
/// and [`clear_solid`](BlastWorld::clear_solid) for each cell that differs, in index order; the
/// ledger counts the lost pressures in the same way. Returns how many cells differ.
///
/// Strengths are 0 where there is no wall, and above 0 where there is one.
///
/// # Errors
/// The chunk would hold no cell inside the bounds.
pub(crate) fn set_ground<S: BlastShape>(
    world: &mut BlastWorld<S>,
    position: ChunkPos,
    solid: &CellMask,
    strengths: &Chunk<f32>,
) -> Result<u64, EditError> {
    let inside = world.inside_of(position)?;
    let (mut solid, mut strengths) = (solid.clone(), strengths.clone());
    if inside != S::region_of(position) {
        for index in 0..CHUNK_CELLS {
            if !inside.contains(S::cell_at(position, index)) {
                solid.remove(index);
                strengths.set(index, 0.0);
            }
        }
        strengths.canonicalize();
    }
    solid.union_with(&walls_of(&strengths));
    let changed = differing_cells(world, position, &solid, &strengths);
    if changed.is_empty() {
        return Ok(0);
    }
    let slot = world.ensure_chunk(position);
    empty_cells(world, slot, &changed);
    world.ground_mut(slot).replace(solid, strengths);
    world.drop_plain_ground(slot);
    end_flows_at(world, slot, &changed);
    renew_conductances(world, slot, &changed);
    world.pressure.mark_changes_at(slot, &changed);
    world.pressure.wake_chunk_at(slot);
    for (face, there) in world.chunks_behind(slot) {
        let plane = world.space.side::<S>(position, face).plane;
        if plane_cells::<S>(axis(face), plane).any(|index| changed.contains(index)) {
            world.pressure.wake_chunk_at(there);
        }
    }
    Ok(changed.len() as u64)
}

/// Frees a chunk that has no pressure and no flow, if none reaches the threshold in the chunks next
/// to it, and forgets its obstacles: it becomes open space at pressure 0. Its neighbours wake.
/// Returns whether the chunk was freed; `false` also if it is not loaded or has weights of links.
pub(crate) fn drop_ground<S: BlastShape>(world: &mut BlastWorld<S>, position: ChunkPos) -> bool {
    let Some(slot) = world.pressure.slot(position) else { return false };
    let has_weights = world.ground(slot).is_some_and(|ground| !ground.weights.is_empty());
    if has_weights || !world.is_blank(slot) || !world.is_quiet_around(slot) {
        return false;
    }
    for (_, there) in world.chunks_behind(slot) {
        world.states[there.index()].conductances = Conductances::Unknown;
        world.pressure.wake_chunk_at(there);
    }
    world.free(slot);
    true
}

/// Replaces the removed cells of a chunk as [`set_ground`](set_ground) does, and keeps its walls.
/// Costs little if the same cells are removed already.
///
/// # Errors
/// The chunk would hold no cell inside the bounds.
pub(crate) fn set_solid_cells<S: BlastShape>(
    world: &mut BlastWorld<S>,
    position: ChunkPos,
    solid: &CellMask,
) -> Result<u64, EditError> {
    let before = ground_at(world, position);
    if *solid == *before.map_or(&CellMask::EMPTY, |ground| &ground.solid) {
        return Ok(0);
    }
    let strengths = before.map_or(Chunk::uniform(0.0), |ground| ground.strengths().clone());
    set_ground(world, position, solid, &strengths)
}

/// Multiplies the pressures of cells of a chunk by `part`, 0 to 1. The lost pressure counts as
/// removed, or as placed if it was below 0. If any pressure changes, the chunk wakes with its
/// neighbours. Returns how many pressures change.
pub(crate) fn damp<S: BlastShape>(
    world: &mut BlastWorld<S>,
    position: ChunkPos,
    cells: &CellMask,
    part: f32,
) -> u64 {
    let Some(slot) = world.pressure.slot(position) else { return 0 };
    let chunk = world.pressure.chunk_at_mut(slot);
    if chunk.as_uniform() == Some(0.0) {
        return 0;
    }
    let mut changed = CellMask::EMPTY;
    for index in cells.iter() {
        let old = chunk.get(index);
        let new = old * part + POSITIVE_ZERO;
        if new != old {
            chunk.set(index, new);
            changed.insert(index);
            world.books.change(f64::from(old), f64::from(new));
        }
    }
    if !changed.is_empty() {
        world.rims.invalidate(slot);
        world.states[slot.index()].needs_audibility_check = true;
        world.pressure.mark_changes_at(slot, &changed);
        world.wake_with_neighbours(slot);
    }
    changed.len() as u64
}

/// Returns whether a chunk has obstacles, or its links have weights.
pub(crate) fn has_ground_at<S: BlastShape>(world: &BlastWorld<S>, position: ChunkPos) -> bool {
    ground_at(world, position).is_some()
}

fn ground_at<S: BlastShape>(world: &BlastWorld<S>, position: ChunkPos) -> Option<&Ground> {
    world.pressure.slot(position).and_then(|slot| world.ground(slot))
}

/// Returns whether no chunk is loaded.
pub(crate) fn is_empty<S: BlastShape>(world: &BlastWorld<S>) -> bool {
    world.pressure.chunk_count() == 0
}

/// Returns the loaded chunks, awake or asleep but not frozen, in which a pressure or a flow reaches
/// the threshold, in order of position. Ground next to them is never [dropped](drop_ground).
pub(crate) fn audible_chunks<S: BlastShape>(world: &BlastWorld<S>) -> Vec<ChunkPos> {
    let mut slots = world.pressure.sorted_slots();
    slots.retain(|slot| world.states[slot.index()].is_audible);
    let chunks = slots.into_iter().map(|slot| world.pressure.position_at(slot));
    chunks.filter(|&chunk| !is_still(world, chunk)).collect()
}

/// Returns whether a chunk is audible or shares a face, through which pressure may pass, with an
/// audible chunk.
pub(crate) fn is_beside_audible<S: BlastShape>(world: &BlastWorld<S>, chunk: ChunkPos) -> bool {
    let around = BlastWorld::<S>::FACES.iter().filter_map(|&face| chunk.step(face));
    let around = around.filter(|&there| !world.space.is_parted([chunk, there]));
    core::iter::once(chunk)
        .chain(around)
        .filter_map(|chunk| world.pressure.slot(chunk))
        .any(|slot| world.states[slot.index()].is_audible)
}

/// Returns the awake chunks that have a pressure or flow, in order of position. The next step
/// changes only these chunks and the chunks next to them.
pub(crate) fn stirred_chunks<S: BlastShape>(world: &BlastWorld<S>) -> Vec<ChunkPos> {
    let mut slots: Vec<Slot> = world
        .pressure
        .awake_slots()
        .iter()
        .copied()
        .filter(|&slot| !world.is_blank(slot))
        .collect();
    world.pressure.sort_slots(&mut slots);
    slots.into_iter().map(|slot| world.pressure.position_at(slot)).collect()
}

/// Returns the cells of a chunk that are removed in the world but not in `solid`, or the reverse,
/// and the walls that have another strength in `strengths`.
fn differing_cells<S: BlastShape>(
    world: &BlastWorld<S>,
    position: ChunkPos,
    solid: &CellMask,
    strengths: &Chunk<f32>,
) -> CellMask {
    let mut changed = solid.clone();
    let Some(before) = ground_at(world, position) else {
        // A cell with a strength is removed.
        return changed;
    };
    for (word, before) in changed.words_mut().iter_mut().zip(before.solid.words()) {
        *word ^= before;
    }
    if strengths.as_uniform().is_none_or(|each| before.strengths().as_uniform() != Some(each)) {
        let differs = |&index: &usize| strengths.get(index) != before.strengths().get(index);
        (0..CHUNK_CELLS).filter(differs).for_each(|index| _ = changed.insert(index));
    }
    changed
}

/// Takes the pressure out of cells.
fn empty_cells<S: BlastShape>(world: &mut BlastWorld<S>, slot: Slot, cells: &CellMask) {
    world.rims.invalidate(slot);
    let chunk = world.pressure.chunk_at_mut(slot);
    if chunk.as_uniform() == Some(0.0) {
        return;
    }
    for index in cells.iter() {
        let old = chunk.set(index, 0.0);
        world.states[slot.index()].needs_audibility_check |= old != 0.0;
        world.books.change(f64::from(old), 0.0);
    }
}

/// Ends the flows over the links of cells that became obstacles. Cells that were obstacles before
/// had no flow over their links.
fn end_flows_at<S: BlastShape>(world: &mut BlastWorld<S>, slot: Slot, cells: &CellMask) {
    if world.states[slot.index()].flows.is_none() {
        return;
    }
    let position = world.pressure.position_at(slot);
    for index in cells.iter() {
        if world.is_removed_at(Some((slot, index))) {
            for &face in BlastWorld::<S>::FACES {
                world.scale_flow(S::cell_at(position, index), face, 0.0);
            }
        }
    }
}

/// Returns the cells that have a strength.
fn walls_of(strengths: &Chunk<f32>) -> CellMask {
    let mut walls = CellMask::EMPTY;
    match strengths.as_dense() {
        None if strengths.get(0) > 0.0 => walls = CellMask::FULL,
        None => {}
        Some(strengths) => {
            for (word, strengths) in walls.words_mut().iter_mut().zip(strengths.as_chunks().0) {
                *word = differing(strengths, &[0.0; 64]);
            }
        }
    }
    walls
}

#[cfg(test)]
mod tests {
    use super::super::{Border, Borders, Rules};
    use super::*;
    use crate::coords::{ChunkRegion, Cube, Face, Region, Sheet};
    use glam::IVec3;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Returns the obstacles of a chunk: some cells removed for good, some until they break.
    fn ground(rng: &mut fastrand::Rng) -> (CellMask, Chunk<f32>) {
        let (mut solid, mut walls) = (CellMask::EMPTY, Chunk::uniform(0.0));
        let odds = [1, 40, 1000][rng.usize(..3)];
        for index in (0..4096).filter(|_| odds > 1) {
            match rng.u32(..odds) {
                0 => _ = solid.insert(index),
                1 => _ = walls.set(index, 1.0 + rng.f32() * 40.0),
                _ => {}
            }
        }
        if rng.bool() {
            solid.union_with(&walls_of(&walls));
        }
        (solid, walls)
    }

    /// Makes the single edits that lead to this ground, in index order. Returns the number of
    /// edits.
    fn build<S: BlastShape>(
        world: &mut BlastWorld<S>,
        position: ChunkPos,
        solid: &CellMask,
        walls: &Chunk<f32>,
    ) -> u64 {
        let mut count = 0;
        for index in 0..4096 {
            let cell = S::cell_at(position, index);
            if !world.bounds().contains(cell) {
                continue;
            }
            let wall = Some(walls.get(index)).filter(|&strength| strength > 0.0);
            let stands = (world.is_solid(cell), world.strength(cell));
            if stands == (wall.is_some() || solid.contains(index), wall) {
                continue;
            }
            count += 1;
            match wall {
                Some(strength) => _ = world.set_wall(cell, strength).unwrap(),
                None if solid.contains(index) => _ = world.set_solid(cell).unwrap(),
                None => _ = world.clear_solid(cell).unwrap(),
            }
        }
        count
    }

    /// Returns all observable state of a world, including its ledger and its marks.
    fn all<S: BlastShape>(world: &mut BlastWorld<S>) -> String {
        let awake: Vec<_> = world.pressure.awake_chunks().map(|(chunk, _)| chunk).collect();
        let (hash, ledger) = (world.state_hash(), world.ledger());
        format!("{hash} {ledger:?} {awake:?} {:?} {:?}", world.take_changes(), world.events)
    }

    fn whole_ground_is_the_single_edits<S: BlastShape>(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rules = [Rules::diffusive(0.16), Rules::wave(0.25, 0.9)][rng.usize(..2)];
        let rules = Rules { threshold: [0.0, 0.5][rng.usize(..2)], ..rules };
        let border = [Border::Rigid, Border::Periodic, Border::Open][rng.usize(..3)];
        let last = S::region_of(ChunkPos::new(rng.i32(0..3), rng.i32(0..2), 0)).max();
        let cut = if rng.bool() { IVec3::new(3, 5, 0) } else { IVec3::ZERO };
        let bounds = Region::new(cut, last);
        let new = || BlastWorld::<S>::with_bounds(rules, bounds, Borders::all(border)).unwrap();
        let (mut whole, mut single) = (new(), new());
        for _ in 0..8 {
            let position =
                S::chunk_of(IVec3::new(rng.i32(cut.x..=last.x), rng.i32(cut.y..=last.y), cut.z));
            let cell = S::cell_at(position, rng.usize(..4096));
            let (pressure, steps) = (rng.f32() * 900.0, rng.u64(..4));
            let face = [Face::East, Face::Up][rng.usize(..2)];
            for world in [&mut whole, &mut single] {
                if bounds.contains(cell) {
                    _ = world.set_pressure(cell, pressure);
                    _ = world.set_link(cell, face, 0.5);
                }
                world.run(steps);
            }
            let (solid, walls) = ground(&mut rng);
            let count = build(&mut single, position, &solid, &walls);
            assert_eq!(set_ground(&mut whole, position, &solid, &walls), Ok(count), "seed {seed}");
            assert_eq!(all(&mut whole), all(&mut single), "seed {seed}");
            assert_eq!(whole.validate(), Ok(()), "seed {seed}");
            assert_eq!(whole.step(), single.step(), "seed {seed}");
        }
        assert_eq!(all(&mut whole), all(&mut single), "seed {seed}");
    }

    fn damped_is_set<S: BlastShape>(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rules = [Rules::diffusive(0.16), Rules::wave(0.25, 0.9)][rng.usize(..2)];
        let [mut damped, mut set] = [(); 2].map(|()| BlastWorld::<S>::new(rules).unwrap());
        let start = S::cell_at(ChunkPos::ZERO, rng.usize(..4096));
        for world in [&mut damped, &mut set] {
            world.set_pressure(start, 900.0).unwrap();
            world.run(12);
        }
        for _ in 0..6 {
            let position = ChunkPos::new(rng.i32(-1..2), rng.i32(-1..2), 0);
            let (cells, part) = (ground(&mut rng).0, [0.0, 0.5, 1.0][rng.usize(..3)]);
            damp(&mut damped, position, &cells, part);
            for index in cells.iter() {
                let cell = S::cell_at(position, index);
                set.set_pressure(cell, set.pressure(cell) * part).unwrap();
            }
            assert_eq!(damped.state_hash(), set.state_hash(), "seed {seed}");
            assert_eq!(damped.ledger(), set.ledger(), "seed {seed}");
            assert_eq!(damped.take_changes(), set.take_changes(), "seed {seed}");
            assert_eq!(damped.validate(), Ok(()), "seed {seed}");
            assert_eq!(damped.step(), set.step(), "seed {seed}");
            assert_eq!(damped.state_hash(), set.state_hash(), "seed {seed}");
        }
    }

    /// A world, the solid cells for its four by three chunks, and the chunks to which they were
    /// copied.
    struct Lazy<S: BlastShape> {
        world: BlastWorld<S>,
        solid: BTreeMap<ChunkPos, CellMask>,
        mirrored: Vec<ChunkPos>,
    }

    impl<S: BlastShape> Lazy<S> {
        fn mirror(&mut self, chunk: ChunkPos) {
            if let Some(solid) = self.solid.get(&chunk)
                && !self.mirrored.contains(&chunk)
            {
                set_ground(&mut self.world, chunk, solid, &Chunk::uniform(0.0)).unwrap();
                self.mirrored.push(chunk);
            }
        }

        /// Steps the world. Ground is lent only where there is pressure or where pressure may
        /// arrive.
        fn step(&mut self) {
            for chunk in stirred_chunks(&self.world) {
                Face::ALL
                    .iter()
                    .filter_map(|&face| chunk.step(face))
                    .for_each(|there| self.mirror(there));
            }
            self.world.step();
            self.mirrored.retain(|&chunk| !drop_ground(&mut self.world, chunk));
        }
    }

    fn dropped_ground_that_comes_back_changes_nothing<S: BlastShape>(seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let rules = [Rules::diffusive(0.16), Rules::wave(0.25, 0.8)][rng.usize(..2)];
        let rules = Rules { threshold: 0.5, ..rules };
        let bounds = Region::new(IVec3::ZERO, S::region_of(ChunkPos::new(3, 2, 0)).max());
        let new = || BlastWorld::<S>::with_bounds(rules, bounds, Borders::default()).unwrap();
        let chunks = ChunkRegion::new(ChunkPos::ZERO, ChunkPos::new(3, 2, 0)).positions();
        let solid: BTreeMap<_, _> = chunks.map(|at| (at, ground(&mut rng).0)).collect();
        let mut whole = new();
        for (&chunk, solid) in &solid {
            set_ground(&mut whole, chunk, solid, &Chunk::uniform(0.0)).unwrap();
        }
        let mut lazy = Lazy { world: new(), solid, mirrored: Vec::new() };
        for step in 0..60 {
            if step % 20 == 0 {
                let chunk = ChunkPos::new(rng.i32(0..4), rng.i32(0..3), 0);
                let cell = S::cell_at(chunk, rng.usize(..4096));
                lazy.mirror(chunk);
                let worlds = [&mut lazy.world, &mut whole];
                let were_set = worlds.map(|world| world.set_pressure(cell, 90.0).is_ok());
                assert_eq!(were_set[0], were_set[1], "seed {seed}");
            }
            lazy.step();
            whole.step();
            assert_eq!(lazy.world.total(), whole.total(), "seed {seed}, step {step}");
            assert_eq!(lazy.world.validate(), Ok(()), "seed {seed}, step {step}");
        }
        for _ in 0..2000 {
            if lazy.world.is_at_rest() {
                break;
            }
            lazy.step();
        }
        assert!(lazy.world.is_at_rest() && lazy.world.chunks().next().is_none(), "seed {seed}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) })]

        #[test]
        fn ground_that_is_replaced_as_a_whole_is_the_single_edits(seed: u64) {
            whole_ground_is_the_single_edits::<Sheet>(seed);
            whole_ground_is_the_single_edits::<Cube>(seed);
        }

        #[test]
        fn cells_that_are_damped_have_their_pressure_set(seed: u64) {
            damped_is_set::<Sheet>(seed);
            damped_is_set::<Cube>(seed);
        }

        #[test]
        fn ground_that_is_dropped_and_comes_back_changes_nothing(seed: u64) {
            dropped_ground_that_comes_back_changes_nothing::<Sheet>(seed);
            dropped_ground_that_comes_back_changes_nothing::<Cube>(seed);
        }
    }
}
