//! The conductances of a chunk's links: coefficient times weight, 0 where no pressure passes. They
//! follow from weights and removed cells, are computed for whole chunks when a step needs them, and
//! are kept until the ground there changes.

use super::flows::{Conductances, Planes};
use super::space::{Beyond, axis, inner_step, is_positive, outermost, plane_cells};
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, ChunkPos, Face};
use crate::grid::Slot;
use glam::IVec3;

/// Returns the conductance of a link of a loaded chunk.
pub(crate) fn conductance_at<S: BlastShape>(
    world: &BlastWorld<S>,
    slot: Slot,
    index: usize,
    face: Face,
) -> f32 {
    match &world.states[slot.index()].conductances {
        Conductances::Unknown => {
            world.conductance(S::cell_at(world.pressure.position_at(slot), index), face)
        }
        Conductances::Uniform => world.unit_conductance(),
        Conductances::Weighted(planes) => planes[face.index()][index],
    }
}

/// Computes the conductances of a chunk's links, if they are unknown.
pub(crate) fn ensure_conductances<S: BlastShape>(world: &mut BlastWorld<S>, slot: Slot) {
    if let Conductances::Unknown = world.states[slot.index()].conductances {
        world.states[slot.index()].conductances = compute_conductances(world, slot);
    }
}

/// Computes the conductances of a chunk's links from weights and removed cells.
pub(crate) fn compute_conductances<S: BlastShape>(
    world: &BlastWorld<S>,
    slot: Slot,
) -> Conductances {
    let chunk = world.pressure.position_at(slot);
    let is_plain = |there: ChunkPos| {
        world.pressure.slot(there).is_none_or(|slot| world.ground(slot).is_none())
    };
    let is_whole = |&face: &Face| {
        let side = world.space.side::<S>(chunk, face);
        // The conductance at a rigid border is irrelevant, as each cell's own pressure is mirrored.
        side.plane == outermost::<S>(face)
            && !matches!(side.beyond, Beyond::There(there) if !is_plain(there))
    };
    if is_plain(chunk) && BlastWorld::<S>::FACES.iter().all(is_whole) {
        return Conductances::Uniform;
    }
    let mut planes = inner_conductances(world, slot);
    for &face in BlastWorld::<S>::FACES {
        put_outer_conductances(world, slot, face, &mut planes[face.index()]);
    }
    if !world.space.has_all_of::<S>(chunk) {
        let is_inside = |index| world.space.bounds.contains(S::cell_at(chunk, index));
        for index in (0..CHUNK_CELLS).filter(|&index| !is_inside(index)) {
            planes.iter_mut().for_each(|plane| plane[index] = 0.0);
        }
    }
    let whole = world.unit_conductance();
    let is_whole = planes.iter().all(|plane| plane.iter().all(|&link| link == whole));
    if is_whole { Conductances::Uniform } else { Conductances::Weighted(planes) }
}

/// Returns the conductances of the links inside a chunk. The values for links to other chunks are
/// meaningless.
fn inner_conductances<S: BlastShape>(world: &BlastWorld<S>, slot: Slot) -> Planes {
    let whole = world.unit_conductance();
    let Some(ground) = world.ground(slot) else {
        return vec![[whole; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice();
    };
    let mut open = [1.0; CHUNK_CELLS];
    ground.solid.iter().for_each(|index| open[index] = 0.0);
    let mut planes = vec![[0.0; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice();
    for &face in BlastWorld::<S>::FACES {
        let (stride, plane) = (S::STRIDES[axis(face)], &mut planes[face.index()]);
        let (from, there) = if is_positive(face) { (0, stride) } else { (stride, 0) };
        let ends = open[from..].iter().zip(&open[there..]);
        plane[from..].iter_mut().zip(ends).for_each(|(link, ends)| *link = whole * ends.0 * ends.1);
    }
    for (&(along, index), &weight) in &ground.weights {
        let conductance = (world.rules.rule.coefficient() * f64::from(weight)) as f32;
        let (low, high) = (2 * along, 2 * along + 1);
        if let Some(there) = inner_step::<S>(index, Face::ALL[high]) {
            let link = conductance * open[index] * open[there];
            (planes[high][index], planes[low][there]) = (link, link);
        }
    }
    planes
}

/// Sets the conductances of the links at a face of a chunk, or at the edge of the world within it.
fn put_outer_conductances<S: BlastShape>(
    world: &BlastWorld<S>,
    slot: Slot,
    face: Face,
    plane: &mut [f32; CHUNK_CELLS],
) {
    let side = world.space.side::<S>(world.pressure.position_at(slot), face);
    let neighbours = world.pressure.neighbours_of(slot);
    let there = world.slot_behind(&neighbours, face, &side);
    for index in plane_cells::<S>(axis(face), side.plane) {
        plane[index] = match side.beyond {
            Beyond::Rigid => 0.0,
            Beyond::Open if world.is_removed_at(Some((slot, index))) => 0.0,
            Beyond::Open => world.unit_conductance(),
            Beyond::There(_) => {
                let beyond = index_behind(world, index, face, side.is_border);
                let there = there.is_some().then_some((there, beyond));
                world.conductance_between(Some((slot, index)), there, face)
            }
        };
    }
}

/// Returns the index of the cell across a face of a chunk or, at a border, across the border.
fn index_behind<S: BlastShape>(
    world: &BlastWorld<S>,
    index: usize,
    face: Face,
    is_border: bool,
) -> usize {
    let axis = axis(face);
    let plane = match is_border {
        true => world.space.opposite_plane::<S>(face),
        false => outermost::<S>(face.opposite()),
    };
    let local = (index / S::STRIDES[axis]) & ((1 << S::BITS[axis]) - 1);
    index + plane * S::STRIDES[axis] - local * S::STRIDES[axis]
}

/// Recomputes the conductances of a cell's links, at both ends. Ends the flows over links that no
/// longer conduct.
pub(crate) fn update_links<S: BlastShape>(world: &mut BlastWorld<S>, cell: IVec3) {
    update_conductances(world, cell);
    for &face in BlastWorld::<S>::FACES {
        if world.conductance(cell, face) == 0.0 {
            world.scale_flow(cell, face, 0.0);
        }
    }
}

/// Recomputes the conductances of a cell's links, at both ends.
pub(crate) fn update_conductances<S: BlastShape>(world: &mut BlastWorld<S>, cell: IVec3) {
    for &face in BlastWorld::<S>::FACES {
        let conductance = world.conductance(cell, face);
        set_conductance(world, world.place(cell), face, conductance);
        if let Beyond::There(there) = world.space.beyond_cell::<S>(cell, face) {
            set_conductance(world, world.place(there), face.opposite(), conductance);
        }
    }
}

/// Clears the conductances of a chunk after a change of its ground. Recomputes the conductances of
/// its neighbours at the common faces.
pub(crate) fn renew_conductances<S: BlastShape>(
    world: &mut BlastWorld<S>,
    slot: Slot,
    changed: &CellMask,
) {
    world.states[slot.index()].conductances = Conductances::Unknown;
    let position = world.pressure.position_at(slot);
    for (face, there) in world.chunks_behind(slot) {
        if matches!(world.states[there.index()].conductances, Conductances::Unknown) {
            continue;
        }
        let side = world.space.side::<S>(position, face);
        for index in plane_cells::<S>(axis(face), side.plane).filter(|&at| changed.contains(at)) {
            let beyond = (there, index_behind(world, index, face, side.is_border));
            let conductance = world.conductance_between(Some((slot, index)), Some(beyond), face);
            set_conductance(world, Some(beyond), face.opposite(), conductance);
        }
    }
}

fn set_conductance<S: BlastShape>(
    world: &mut BlastWorld<S>,
    place: Option<(Slot, usize)>,
    face: Face,
    conductance: f32,
) {
    let whole = world.unit_conductance();
    let Some((slot, index)) = place else { return };
    let conductances = &mut world.states[slot.index()].conductances;
    if matches!(conductances, Conductances::Uniform) && conductance != whole {
        *conductances =
            Conductances::Weighted(vec![[whole; CHUNK_CELLS]; S::NEIGHBOURS].into_boxed_slice());
    }
    if let Conductances::Weighted(planes) = conductances {
        planes[face.index()][index] = conductance;
    }
}
