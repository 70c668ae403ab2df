//! Walls that break when the pressure difference across them exceeds their strength.

use super::ground::Ground;
use super::space::{Beyond, inner_step};
use crate::automata::blast::{BlastShape, BlastWorld};
use crate::coords::Face;
use crate::grid::Slot;
use glam::IVec3;

/// A wall that broke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Broken<P = IVec3> {
    /// The step, from 1, at whose start it broke.
    pub tick: u64,
    /// The wall's cell or node.
    pub place: P,
    /// The pressure difference across it.
    pub difference: f64,
    /// The strength that this exceeded.
    pub strength: f64,
}

impl<P> Broken<P> {
    /// Returns the event of a wall that breaks: `None` if it withstands the difference.
    pub(crate) fn check(tick: u64, place: P, difference: f64, strength: f64) -> Option<Self> {
        (difference > strength).then_some(Broken { tick, place, difference, strength })
    }
}

/// Returns the pressure difference across a wall, from the pressures of the open places that it is
/// linked to: the highest less the lowest, or a single one's difference to 0.
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

impl<S: BlastShape> BlastWorld<S> {
    /// Opens every wall whose pressure difference exceeds its strength. All are checked before the
    /// first one opens.
    ///
    /// Only walls in awake chunks are checked: nothing has changed around others since their last
    /// check. Returns where walls broke: their surroundings must be checked again, even if no
    /// pressure changes.
    pub(crate) fn break_walls(&mut self) -> Vec<IVec3> {
        let awake = self.pressure.awake_slots();
        let mut broken: Vec<Broken> =
            awake.iter().flat_map(|&slot| self.breaking_in(slot)).collect();
        broken.sort_unstable_by_key(|broken| (broken.place.y, broken.place.z, broken.place.x));
        let places: Vec<IVec3> = broken.iter().map(|wall| wall.place).collect();
        for &place in &places {
            self.open_wall(place);
            // Without walls the chunk may be freed in this step, and then reports what had been
            // marked.
            if let Some((slot, index)) = self.place(place) {
                self.pressure.mark_changed_at(slot, index);
            }
        }
        self.events.append(&mut broken);
        places
    }

    /// Returns the walls of a chunk that are about to break.
    pub(crate) fn breaking_in(&self, slot: Slot) -> impl Iterator<Item = Broken> {
        let ground = self.ground(slot);
        let strengths = ground.into_iter().flat_map(|ground| &ground.strengths);
        strengths.filter_map(move |(&index, &strength)| {
            if ground.is_some_and(|ground| Self::is_buried(ground, index)) {
                return None;
            }
            let place = S::cell_at(self.pressure.position_at(slot), index);
            let difference = difference(self.pressures_at(place, (slot, index)));
            Broken::check(self.tick, place, difference, f64::from(strength))
        })
    }

    /// Whether all neighbours of a cell are removed cells of its chunk, as in most of a thick wall:
    /// then no pressure reaches it.
    fn is_buried(ground: &Ground, index: usize) -> bool {
        let is_removed = |&face: &Face| {
            inner_step::<S>(index, face).is_some_and(|there| ground.solid.contains(there))
        };
        Self::FACES.iter().all(is_removed)
    }

    /// Takes the walls that broke since the last call, by step, then in order of position.
    pub fn take_events(&mut self) -> Vec<Broken> {
        core::mem::take(&mut self.events)
    }

    /// Returns the pressures of the open cells that a cell has links to. `here` is its place.
    fn pressures_at(&self, cell: IVec3, here: (Slot, usize)) -> impl Iterator<Item = f64> {
        Self::FACES.iter().filter_map(move |&face| {
            let link = self.link_of(cell, Some(here), face);
            match link.beyond {
                Beyond::There(_) if link.weight > 0.0 && !self.is_removed_at(link.there) => {
                    Some(link.there.map_or(0.0, |(slot, index)| {
                        f64::from(self.pressure.chunk_at(slot).get(index))
                    }))
                }
                Beyond::Open => Some(0.0),
                _ => None,
            }
        })
    }
}
