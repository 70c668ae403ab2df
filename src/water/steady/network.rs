//! The flow network: which faces steady flow may cross, how much a cell lets through, what a spring
//! supplies, and where the network ends.

use crate::coords::Face;
use crate::water::context::Tick;
use crate::water::store::flow::steady::FaceFlows;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// The faces across which an end drains, in order of preference.
const EXITS: [Face; 6] = [Face::Down, Face::West, Face::East, Face::North, Face::South, Face::Up];

impl Store {
    /// Returns whether steady flow may pass from a cell to the one across a face. Both are
    /// connected to a spring. Downwards it passes wherever water falls or presses; sideways over
    /// firm ground, over a ledge, and further as a jet; upwards out of a full cell, under pressure.
    pub(crate) fn carries(&self, from: Place, face: Face, to: Place) -> bool {
        if !to.is_some() {
            return false;
        }
        let (here, there) = (self.read(from), self.read(to));
        if !here.is_connected() || !there.is_connected() {
            return false;
        }
        match face {
            Face::Down => !self.jets(from, here),
            Face::Up => here.is_closed() && there.is_wet(),
            _ if self.hangs(from) => self.flies(from, here, face) && self.hangs(to),
            _ => here.is_wet() && (there.is_wet() || self.hangs(to)),
        }
    }

    /// Returns whether water falls out of a cell.
    fn hangs(&self, place: Place) -> bool {
        self.floor(place).room() > 0
    }

    /// Returns whether water in the air passes on sideways instead of falling, as a jet.
    fn jets(&self, place: Place, voxel: Voxel) -> bool {
        voxel.direction().filter(|face| face.is_lateral()).is_some_and(|face| {
            let ahead = self.step(place, face);
            self.hangs(place)
                && self.flies(place, voxel, face)
                && ahead.is_some()
                && self.read(ahead).is_connected()
                && self.hangs(ahead)
        })
    }

    /// Returns whether the water of a cell in the air is a jet that passes on sideways: see `jet`
    /// in [`kernel`](crate::water::flow::kernel).
    fn flies(&self, place: Place, voxel: Voxel, face: Face) -> bool {
        let behind = self.step(place, face.opposite());
        voxel.direction() == Some(face)
            && behind.is_some()
            && self.read(behind).direction() == Some(face)
            && !self.hangs(behind)
    }

    /// Returns the face across which steady flow leaves the world at a cell, upwards only out of a
    /// full one; `None` if it is no end of the network.
    pub(super) fn exit_of(&self, place: Place) -> Option<Face> {
        let is_end = self.outlets(place.slot).is_some_and(|cells| cells.contains(place.index));
        if !is_end {
            return None;
        }
        let is_full = self.read(place).is_closed();
        let may_pass = |face: &Face| *face != Face::Up || is_full;
        let mut exits = EXITS.into_iter().filter(may_pass);
        exits.find(|&face| self.look(place, face) == Voxel::DRAIN)
    }

    /// Returns the units of steady flow that enter a cell.
    pub(super) fn steady_inflow(&self, place: Place) -> u8 {
        let from = |face: Face| {
            let there = self.step(place, face);
            if there.is_some() { self.steady(there).across(face.opposite()) } else { 0 }
        };
        Face::ALL.into_iter().map(from).sum()
    }

    /// Adds units to the steady flow that leaves a cell across a face, or subtracts them.
    pub(super) fn add_steady(&mut self, place: Place, face: Face, units: i8) {
        let flows = self.steady(place);
        let sum = flows.across(face).saturating_add_signed(units);
        self.set_steady(place, flows.with(face, sum));
    }
}

impl Tick<'_> {
    /// Returns the most steady flow that a cell lets through: none if it is not connected.
    pub(super) fn steady_capacity(&self, place: Place) -> u8 {
        let voxel = self.store.read(place);
        if !voxel.is_connected() {
            return 0;
        }
        let passed = if self.is_yielding { self.passed(place) } else { 0 };
        self.limits.left(voxel, passed)
    }

    /// Returns the units that a cell gives to the steady flow besides the units that enter it: 0
    /// except for springs.
    pub(super) fn steady_supply(&self, place: Place) -> u8 {
        if self.store.read(place).is_source() { self.steady_capacity(place) } else { 0 }
    }

    /// Returns the units that a spring still has for the steady flow.
    pub(super) fn unused_supply(&self, place: Place, flows: FaceFlows) -> u8 {
        let given = flows.through().saturating_sub(self.store.steady_inflow(place));
        self.steady_supply(place).saturating_sub(given)
    }
}
