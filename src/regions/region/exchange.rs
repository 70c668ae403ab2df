//! What leaves a region across a face besides steady flow, and where springs' water is sent: local
//! flow by the rule of the kernel into ghost voxels, bodies by their heads, and the outlets.

use crate::coords::{Cube, Shape};
use crate::regions::face::{Key, Outlet};
use crate::regions::message::{Content, Ghost, NO_BODY, NOT_FED};
use crate::regions::region::{HEADS_PERIOD, REACH, WaterRegion};
use crate::water::heads::Heads;
use crate::water::Voxel;
use glam::IVec3;
use std::collections::BTreeMap;

/// The most faces that springs' water crosses. Where a ring of regions would feed itself after its
/// spring has gone, hops rise with every tick up to this, and the ring breaks.
const MOST_HOPS: u8 = 64;

/// Where two bodies touch across a face: the first cell inside, its ghost beyond, and the number of
/// cells.
struct Contact {
    inside: Ghost,
    beyond: IVec3,
    cells: u64,
}

impl WaterRegion {
    /// Lets water flow from the cells at a face into the ghost voxels beyond, as the kernel lets it
    /// flow sideways.
    pub(super) fn flow_out(&mut self, number: usize, content: &mut Content) {
        let beyond = self.faces[number].face.offset();
        let cells: Vec<IVec3> = self.face_water(number);
        for cell in cells {
            let units = self.local_flow(number, cell, cell + beyond);
            let taken = if units > 0 { self.take(cell, units.into()) } else { 0 };
            if taken > 0 {
                content.units.push((cell + beyond, taken));
            }
        }
    }

    /// Returns the cells at a face with water or sea.
    fn face_water(&self, number: usize) -> Vec<IVec3> {
        let face = self.faces[number].face;
        let mut cells = Vec::new();
        for chunk in self.chunks_at(face) {
            let first = Cube::cell_at(chunk, 0);
            for at in 0..256 {
                let cell = self.cell_at(face, first, [at & 15, at >> 4]);
                let is_water = |voxel: Voxel| voxel.is_wet() || voxel.is_sea();
                if self.world.voxel_now(cell).is_some_and(is_water) {
                    cells.push(cell);
                }
            }
        }
        cells
    }

    /// Returns the units that flow from a cell at a face into the ghost voxel beyond.
    fn local_flow(&self, number: usize, cell: IVec3, beyond: IVec3) -> u8 {
        let face = &self.faces[number];
        let key = beyond.to_array();
        if !face.is_open(beyond)
            || face.outlets.contains_key(&key)
            || face.inlets.contains_key(&key)
            || face.pushed.contains_key(&key) && face.beyond(beyond).is_closed()
        {
            return 0;
        }
        let Some(here) = self.world.voxel_now(cell) else { return 0 };
        let there = face.beyond(beyond);
        if here.is_sea() {
            return if there.is_sea() { 0 } else { there.room() };
        }
        let floor = self.world.voxel_now(cell - IVec3::Y);
        let falls = floor.is_some_and(|floor| !floor.is_mark() && floor.room() > 0);
        if here.is_source() || falls || there.is_mark() {
            return 0;
        }
        let below = beyond - IVec3::Y;
        let slides = face.is_open(below) && {
            let below = face.beyond(below);
            below.is_sea() || below.room() > 0
        };
        match (slides, here.loose(), there.height()) {
            (true, own, other) if own > other => own.min(there.room()),
            (false, own, other) if own >= other + 2 => (own - other) / 2,
            _ => 0,
        }
    }

    /// Moves units from bodies at a face to the lower bodies that they touch beyond, toward the
    /// level at which both would stand: half of the way, so that it comes to rest. Both sides
    /// reckon with the heads of the same two messages.
    pub(super) fn exchange(&mut self, number: usize, content: &mut Content) {
        for ((own, other), contact) in self.contacts(number) {
            let face = &self.faces[number];
            let (Some(&here), Some(&there)) = (face.own_bodies.get(own), face.bodies.get(other))
            else {
                continue;
            };
            let is_first = face.face.offset().min_element() == 0;
            let units = due(here, there, is_first).min(7 * HEADS_PERIOD * contact.cells);
            let cell = contact.inside.cell;
            let taken = match Voxel::from_raw(contact.inside.word).is_sea() {
                _ if units == 0 => 0,
                true => self.world.drain_body(cell, units as u32).map_or(0, u64::from),
                false => {
                    let area = self.area;
                    self.world.lower_body(cell, units, REACH as u64, |cell| area.contains(cell))
                }
            };
            self.portals.removed += taken;
            if taken > 0 {
                content.units.push((contact.beyond, taken));
            }
        }
    }

    /// Returns the pairs of bodies that touch across a face, by their numbers in the last messages.
    fn contacts(&self, number: usize) -> BTreeMap<(usize, usize), Contact> {
        let face = &self.faces[number];
        let mut contacts = BTreeMap::new();
        for &inside in &face.own_ghosts {
            let beyond = inside.cell + face.face.offset();
            let Some(ghost) = face.ghost(beyond) else { continue };
            let both_sea = [inside, *ghost].iter().all(|of| Voxel::from_raw(of.word).is_sea());
            if inside.body == NO_BODY || ghost.body == NO_BODY || both_sea {
                continue;
            }
            let pair = (inside.body as usize, ghost.body as usize);
            contacts.entry(pair).or_insert(Contact { inside, beyond, cells: 0 }).cells += 1;
        }
        contacts
    }

    /// Opens outlets where a spring's water is at a face and the cell beyond is fed from farther
    /// away or not at all, and closes those that nothing asks for any more.
    pub(super) fn link(&mut self, number: usize, content: &mut Content) {
        let wanted = self.wanted(number, &content.ghosts);
        for (&cell, &hops) in &wanted {
            if !self.faces[number].outlets.contains_key(&cell) {
                self.hold_beyond(cell.into());
                if self.world.open_portal(cell.into(), false).is_ok() {
                    let outlet = Outlet::new(hops);
                    self.faces[number].outlets.insert(cell, outlet);
                }
            }
        }
        let outlets = &mut self.faces[number].outlets;
        let over = outlets.iter_mut().filter_map(|(cell, outlet)| {
            outlet.is_over(wanted.get(cell).copied()).then_some(*cell)
        });
        for cell in over.collect::<Vec<Key>>() {
            self.faces[number].outlets.remove(&cell);
            let units = self.world.close_portal(cell.into()).map_or(0, u64::from);
            self.portals.removed += units;
            if units > 0 {
                content.units.push((cell.into(), units));
            }
        }
    }

    /// Returns the cells beyond a face that are to be fed, with the hops of the cells that feed.
    fn wanted(&self, number: usize, ghosts: &[Ghost]) -> BTreeMap<Key, u8> {
        let face = &self.faces[number];
        let is_wanted = |&&Ghost { cell, hops, .. }: &&Ghost| {
            let beyond = cell + face.face.offset();
            let there = face.beyond(beyond);
            hops < MOST_HOPS
                && face.is_open(beyond)
                && !there.is_mark()
                && !face.inlets.contains_key(&beyond.to_array())
                && (face.hops(beyond) == NOT_FED || face.hops(beyond) > hops)
        };
        let wanted = ghosts.iter().filter(is_wanted);
        wanted.map(|ghost| ((ghost.cell + face.face.offset()).to_array(), ghost.hops)).collect()
    }
}

/// Returns the units that one body owes another.
fn due(here: Heads, there: Heads, is_first: bool) -> u64 {
    if here.area == 0 || there.area == 0 || here.high - there.low < 2 {
        return 0;
    }
    let (own, other) = (i128::from(here.area), i128::from(there.area));
    let gap = i128::from(here.sum) * other - i128::from(there.sum) * own;
    if gap < 0 || gap == 0 && !is_first {
        return 0;
    }
    (gap / (own + other) / 2).max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(levels: &[i64]) -> Heads {
        Heads {
            low: *levels.iter().min().unwrap(),
            high: *levels.iter().max().unwrap(),
            sum: levels.iter().sum(),
            area: levels.len() as i64,
        }
    }

    #[test]
    fn units_are_due_from_the_higher_body_until_their_surfaces_differ_by_a_unit() {
        let full = 7;
        assert_eq!(due(heads(&[10 * full; 4]), heads(&[6 * full; 4]), true), 28);
        assert_eq!(due(heads(&[6 * full; 4]), heads(&[10 * full; 4]), true), 0);
        assert_eq!(due(heads(&[8, 8, 7]), heads(&[7, 7, 7]), true), 0, "within a unit");
        let (one, other) = (heads(&[7, 8]), heads(&[6, 9]));
        assert_eq!((due(one, other, true), due(other, one, false)), (1, 0), "one side gives");
    }
}
