//! Walls that break when the pressure difference across them exceeds their strength.

use super::ground::Ground;
use super::space::{Beyond, inner_step};
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::grid::Slot;
use glam::IVec3;

/// A wall that broke.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::blast")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Broken<P = IVec3> {
    /// The wall broke at the start of this step. Steps are counted from 1.
    pub tick: u64,
    /// The wall's cell or node.
    pub place: P,
    /// The pressure difference across the wall.
    pub difference: f64,
    /// The strength that the difference exceeded.
    pub strength: f64,
}

impl<P> Broken<P> {
    /// Returns the event of a wall that breaks; `None` if it withstands the difference.
    pub(crate) fn check(tick: u64, place: P, difference: f64, strength: f64) -> Option<Self> {
        (difference > strength).then_some(Broken { tick, place, difference, strength })
    }
}

/// Returns the pressure difference across a wall, from the pressures of the open places that it is
/// linked to: the highest less the lowest, or the difference between a single pressure and 0.
pub(crate) fn difference(pressures: impl Iterator<Item = f64>) -> f64 {
    let (mut low, mut high, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for pressure in pressures {
        (low, high, count) = (low.min(pressure), high.max(pressure), count + 1);
    }
    match count {
        0 => 0.0,
        1 => high.abs(),
        _ => high - low,
    }
}

/// Opens each wall if the pressure difference across it exceeds its strength. All walls are checked
/// before the first one opens.
///
/// Only walls in awake chunks are checked: the surroundings of all other walls have not changed
/// since their last check. `broken` are the walls found
/// [ahead](crate::automata::blast::step::ahead::step_ahead), and `unchecked` the chunks that were
/// not checked then. Returns the cells where walls broke: their surroundings must be checked again,
/// even if no pressure changes.
pub(crate) fn break_walls<S: BlastShape>(
    world: &mut BlastWorld<S>,
    mut broken: Vec<Broken>,
    unchecked: &[Slot],
) -> Vec<IVec3> {
    broken.extend(unchecked.iter().flat_map(|&slot| breaking_in(world, slot)));
    broken.sort_unstable_by_key(|broken| (broken.place.y, broken.place.z, broken.place.x));
    let places: Vec<IVec3> = broken.iter().map(|wall| wall.place).collect();
    for &place in &places {
        world.open_wall(place);
        // Without walls the chunk may be freed in this step, and the freed chunk then reports these
        // marks.
        if let Some((slot, index)) = world.place(place) {
            world.pressure.mark_changed_at(slot, index);
        }
    }
    world.events.append(&mut broken);
    places
}

/// Returns the walls of a chunk that break in the next step, in index order.
pub(crate) fn breaking_in<S: BlastShape>(world: &BlastWorld<S>, slot: Slot) -> Vec<Broken> {
    let Some(ground) = world.ground(slot).filter(|ground| may_break(world, slot, ground)) else {
        return Vec::new();
    };
    let broken = |index: usize| {
        let strength = ground.strength(index)?;
        let place = S::cell_at(world.pressure.position_at(slot), index);
        let difference = difference(pressures_at(world, place, (slot, index)));
        Broken::check(world.tick.wrapping_add(1), place, difference, f64::from(strength))
    };
    ground.exposed::<S>().iter().filter_map(broken).collect()
}

/// Returns whether the pressures in and beside a chunk may differ by more than its weakest wall
/// withstands: two pressures differ by at most twice the highest absolute value.
fn may_break<S: BlastShape>(world: &BlastWorld<S>, slot: Slot, ground: &Ground) -> bool {
    let most = f64::from(ground.least_strength()) / 2.0;
    let around = world.chunks_behind(slot).into_iter().map(|(_, there)| there);
    let mut chunks = core::iter::once(slot).chain(around);
    chunks.any(|slot| f64::from(world.states[slot.index()].highest) > most)
}

/// Returns the pressures of the open cells that a cell has links to. `here` is the place of the
/// cell.
fn pressures_at<S: BlastShape>(
    world: &BlastWorld<S>,
    cell: IVec3,
    here: (Slot, usize),
) -> impl Iterator<Item = f64> {
    let (slot, index) = here;
    // Fast path: all cells of the chunk are linked, with weights of 1.
    let is_whole = world.space.has_all_of::<S>(S::chunk_of(cell));
    let plain = world.ground(slot).filter(|ground| is_whole && ground.weights.is_empty());
    BlastWorld::<S>::FACES.iter().filter_map(move |&face| {
        if let (Some(ground), Some(there)) = (plain, inner_step::<S>(index, face)) {
            let is_open = !ground.solid.contains(there);
            return is_open.then(|| f64::from(world.pressure.chunk_at(slot).get(there)));
        }
        let link = world.link_of(cell, Some(here), face);
        match link.beyond {
            Beyond::There(_) if link.weight > 0.0 && !world.is_removed_at(link.there) => {
                Some(link.there.map_or(0.0, |(slot, index)| {
                    f64::from(world.pressure.chunk_at(slot).get(index))
                }))
            }
            Beyond::Open => Some(0.0),
            _ => None,
        }
    })
}
