//! What a pass is to change, cell by cell.

use crate::coords::Face;
use crate::water::store::Place;
use hashbrown::HashMap;

/// How a cell changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Units enter it, in a dry one through a face.
    Rise(Option<Face>),
    Give,
    /// Units pass from it into the sea.
    IntoSea,
}

/// Units that enter or leave a cell.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    pub(crate) units: u8,
}

/// The changes of a pass, at most one of each kind in a cell.
#[derive(Default)]
pub(crate) struct Plan {
    changes: Vec<Change>,
    /// The index of each.
    at: HashMap<(Place, Kind), usize>,
    /// Units that were to be given, and that no cell has.
    pub(crate) unfounded: i32,
}

impl Plan {
    /// Adds up to `most` units to what changes in a cell, for which there is room for `room` in
    /// all. Returns the units added.
    pub(crate) fn add(&mut self, place: Place, kind: Kind, most: u8, room: u8) -> u8 {
        let index = *self.at.entry((place, kind)).or_insert_with(|| {
            self.changes.push(Change { place, kind, units: 0 });
            self.changes.len() - 1
        });
        let change = &mut self.changes[index];
        let units = most.min(room.saturating_sub(change.units));
        change.units += units;
        units
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    pub(crate) fn changes_mut(&mut self) -> &mut [Change] {
        &mut self.changes
    }

    /// Returns the units to be given.
    pub(crate) fn given(&self) -> i32 {
        let gives = self.changes.iter().filter(|change| matches!(change.kind, Kind::Give));
        gives.map(|change| i32::from(change.units)).sum()
    }

    /// Takes back the units that no cell has from those that were to enter cells, the last first.
    pub(crate) fn take_back_unfounded(&mut self) {
        let mut units = core::mem::take(&mut self.unfounded);
        let enter = self.changes.iter_mut().rev();
        for change in enter.filter(|change| !matches!(change.kind, Kind::Give)) {
            let less = units.min(i32::from(change.units));
            change.units -= less as u8;
            units -= less;
        }
    }
}
