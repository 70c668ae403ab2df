//! What leaves a region across a face besides steady flow, and where springs' water is sent: local
//! flow by the rule of the kernel into ghost voxels, the exchange between bodies by their heads,
//! and the outlets.

use crate::coords::{Cube, Face, Shape};
use crate::regions::face::{Key, Outlet, RegionFace};
use crate::regions::message::{Body, Content, Ghost, NO_BODY, NOT_FED};
use crate::regions::region::{HEADS_PERIOD, REACH, WaterRegion};
use crate::water::Voxel;
use crate::water::query::heads::Heads;
use glam::IVec3;
use std::collections::BTreeMap;

/// The most faces that springs' water crosses. If a ring of regions would feed itself after its
/// spring has gone, the hops rise with every tick up to this number, and the ring breaks.
const MOST_HOPS: u8 = 64;

/// A contact of a body with a body of the neighbour across a face: the numbers of the bodies in the
/// messages, the first cell inside, the cell beyond that cell, and the number of cells.
pub(super) struct Contact {
    pub(super) own: usize,
    pub(super) other: usize,
    inside: Ghost,
    beyond: IVec3,
    cells: u64,
}

impl WaterRegion {
    /// Moves water from the cells at a face into the ghost voxels beyond, by the kernel's rule for
    /// sideways flow.
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

    /// Returns the cells at a face that hold water or sea.
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
        let floor = Face::Down.step(cell).and_then(|floor| self.world.voxel_now(floor));
        let falls = floor.is_some_and(|floor| !floor.is_mark() && floor.room() > 0);
        if here.is_source() || falls || there.is_mark() {
            return 0;
        }
        let below = Face::Down.step(beyond).filter(|&below| face.is_open(below));
        let slides = below.is_some_and(|below| {
            let below = face.beyond(below);
            below.is_sea() || below.room() > 0
        });
        match (slides, here.loose(), there.height()) {
            (true, own, other) if own > other => own.min(there.room()),
            (false, own, other) if own >= other + 2 => (own - other) / 2,
            _ => 0,
        }
    }

    /// Moves units from bodies at the faces toward the level at which they and the bodies beyond
    /// would stand, an eighth of the way, so that the exchange comes to rest. Both sides use the
    /// heads of the same two messages. `period` counts the exchanges.
    pub(super) fn exchange(&mut self, period: u64, contents: &mut [Content]) {
        for (number, content) in contents.iter_mut().enumerate() {
            for contact in self.contacts(number, &self.faces[number].own_ghosts) {
                let units = self.due_across(number, &contact, period);
                let taken = if units > 0 { self.give(&contact.inside, units) } else { 0 };
                if taken > 0 {
                    content.units.push((contact.beyond, taken));
                }
            }
        }
        (0..contents.len()).for_each(|number| self.pass_through(number, contents));
    }

    /// Returns the units due from a body to a body beyond a face, as far as their contact passes
    /// them.
    fn due_across(&self, number: usize, contact: &Contact, period: u64) -> u64 {
        let face = &self.faces[number];
        let (here, there) = (self.bodies.get(contact.own), face.bodies.get(contact.other));
        let (Some(here), Some(there)) = (here, there) else { return 0 };
        let is_first = face.face.offset().min_element() == 0;
        due(here, there, is_first, period).min(7 * HEADS_PERIOD * contact.cells)
    }

    /// Takes units from the body or sea at a cell. Returns the number of units taken.
    fn give(&mut self, inside: &Ghost, units: u64) -> u64 {
        let area = self.area;
        let taken = match Voxel::from_raw(inside.word).is_sea() {
            true => self.world.drain_body(inside.cell, units as u32).map_or(0, u64::from),
            false => {
                self.world.lower_body(inside.cell, units, REACH as u64, |cell| area.contains(cell))
            }
        };
        self.note_taken(taken);
        taken
    }

    /// Sends units on that have arrived for a body without a surface, as in a culvert. They go to
    /// the lowest body that this body touches across another face.
    fn pass_through(&mut self, number: usize, contents: &mut [Content]) {
        let body_of = |face: &RegionFace, cell: &Key| {
            let ghost = face.own_ghosts.iter().find(|ghost| ghost.cell.to_array() == *cell)?;
            let body = ghost.body as usize;
            self.bodies.get(body).is_some_and(|heads| heads.area == 0).then_some(body)
        };
        let face = &self.faces[number];
        let mut moves = Vec::new();
        for (cell, &units) in &face.waiting {
            let Some(body) = body_of(face, cell) else { continue };
            let ways = (0..contents.len()).filter(|&other| other != number).flat_map(|other| {
                let contacts = self.contacts(other, &self.faces[other].own_ghosts);
                let here = contacts.into_iter().filter(|contact| contact.own == body);
                here.map(move |contact| (other, contact))
            });
            let level = |(other, contact): &(usize, Contact)| {
                let there = self.faces[*other].bodies.get(contact.other)?.around();
                (there.area > 0).then(|| there.sum / there.area)
            };
            let lowest = ways.filter_map(|way| Some((level(&way)?, way))).min_by_key(|way| way.0);
            if let Some((_, (other, contact))) = lowest {
                moves.push((*cell, other, contact.beyond, units));
            }
        }
        for (cell, other, beyond, units) in moves {
            self.faces[number].waiting.remove(&cell);
            self.faces[number].passed_in += units;
            contents[other].units.push((beyond, units));
        }
    }

    /// Returns the pairs of bodies that touch across a face, given the region's own ghosts there.
    pub(super) fn contacts(&self, number: usize, own: &[Ghost]) -> Vec<Contact> {
        let face = &self.faces[number];
        let mut contacts: BTreeMap<(usize, usize), Contact> = BTreeMap::new();
        for &inside in own {
            let beyond = inside.cell + face.face.offset();
            let Some(ghost) = face.headed(beyond) else { continue };
            let both_sea = [inside, *ghost].iter().all(|of| Voxel::from_raw(of.word).is_sea());
            if inside.body == NO_BODY || ghost.body == NO_BODY || both_sea {
                continue;
            }
            let (own, other) = (inside.body as usize, ghost.body as usize);
            let first = Contact { own, other, inside, beyond, cells: 0 };
            contacts.entry((own, other)).or_insert(first).cells += 1;
        }
        contacts.into_values().collect()
    }

    /// Opens outlets where a spring's water is at a face and the cell beyond is fed over more faces
    /// or not at all, and closes outlets that are no longer wanted.
    pub(super) fn link(&mut self, number: usize, content: &mut Content) {
        let wanted = self.wanted(number, &content.ghosts);
        for (&cell, &hops) in &wanted {
            if !self.faces[number].outlets.contains_key(&cell)
                && self.world.open_portal(cell.into(), false).is_ok()
            {
                self.faces[number].outlets.insert(cell, Outlet::new(hops));
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
        self.hold();
    }

    /// Returns the cells beyond a face that are to be fed, each with the hops of the cell that
    /// feeds it.
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

/// Returns the units due from one body to another body and the bodies behind that. If less than one
/// unit is due, a single unit goes for the lowest surface alone, in one of `2 · relays + 1`
/// exchanges, as rarely as the head of that surface has to travel.
fn due(here: &Heads, there: &Body, is_first: bool, period: u64) -> u64 {
    let around = there.around();
    if here.area == 0 || around.area == 0 || here.high.saturating_sub(there.low) < 2 {
        return 0;
    }
    let (own, other) = (i128::from(here.area), i128::from(around.area));
    let gap = i128::from(here.sum) * other - i128::from(around.sum) * own;
    if gap < 0 || gap == 0 && !is_first {
        return 0;
    }
    match (gap / (own + other) / 8) as u64 {
        0 => u64::from(period.is_multiple_of(2 * u64::from(there.relays) + 1)),
        units => units,
    }
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
        let due = |here: &[i64], there: &[i64], is_first| {
            super::due(&heads(here), &Body::new(heads(there)), is_first, 0)
        };
        assert_eq!(due(&[70; 4], &[42; 4], true), 7, "an eighth of the way");
        assert_eq!(due(&[42; 4], &[70; 4], true), 0);
        assert_eq!(due(&[8, 8, 7], &[7, 7, 7], true), 0, "within a unit");
        assert_eq!((due(&[7, 8], &[6, 9], true), due(&[6, 9], &[7, 8], false)), (1, 0));
    }
}
