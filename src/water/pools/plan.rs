//! The changes that a pass makes, cell by cell.

use crate::coords::Face;
use crate::water::store::Place;
use hashbrown::HashMap;

/// How a cell changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Units enter the cell, through a face if it is dry.
    Rise(Option<Face>),
    Give,
    /// Units pass from the cell into the sea.
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
    /// The index of each change.
    at: HashMap<(Place, Kind), usize>,
    /// Units that were to be given, but that no cell gives.
    pub(crate) unfounded: i32,
}

impl Plan {
    /// Adds up to `most` units to the change of this kind in a cell, which has room for `room`
    /// units in total. Returns the units added.
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

    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.changes.capacity() * size_of::<Change>() + self.at.allocation_size()
    }

    /// Returns the units to be given.
    pub(crate) fn given(&self) -> i32 {
        let gives = self.changes.iter().filter(|change| matches!(change.kind, Kind::Give));
        gives.map(|change| i32::from(change.units)).sum()
    }

    /// Returns by how many units the cells and the sea have received more than cells have given,
    /// once the first `done` changes are carried out.
    pub(crate) fn ahead(&self, done: usize) -> i64 {
        let signed = |change: &Change| match change.kind {
            Kind::Give => -i64::from(change.units),
            Kind::Rise(_) | Kind::IntoSea => i64::from(change.units),
        };
        self.changes[..done].iter().map(signed).sum()
    }

    /// Removes the units that no cell gives from the cells that were to take them, the last first.
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
