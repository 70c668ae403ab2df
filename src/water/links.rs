//! Parents and children: who feeds whom, kept free of circles.
//!
//! A cell's parent is its neighbour against its direction; a cell with the Extra flag has several. Ties are made in one
//! place ([`Store::attach`] and [`Store::add_parent`]) and cut in one ([`Store::unlink`]).

use super::bits::{self, LayerBits, and, minus};
use super::cell::CellFlags;
use super::store::{LAYER_CELLS, Place, Store};
use super::voxel::Voxel;
use crate::chunk::{CellMask, ones};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::Slot;
use hashbrown::HashSet;
use smallvec::{SmallVec, smallvec};

/// Cells that a search for circles looks at before it gives up and leaves the tie unmade.
const SEARCH_LIMIT: usize = 1 << 16;

/// A set of cells that a search has met: a few in a list, more in a table.
#[derive(Default)]
pub(super) struct Met {
    few: SmallVec<[Place; 16]>,
    many: Option<HashSet<Place>>,
}

impl Met {
    /// Adds a cell; `true` if it was not there.
    pub(super) fn insert(&mut self, place: Place) -> bool {
        if self.few.contains(&place) {
            return false;
        }
        if self.few.len() < self.few.inline_size() {
            self.few.push(place);
            return true;
        }
        self.many.get_or_insert_default().insert(place)
    }

    /// Whether the cell is in the set.
    pub(super) fn contains(&self, place: Place) -> bool {
        self.few.contains(&place) || self.many.as_ref().is_some_and(|many| many.contains(&place))
    }
}

impl Store {
    /// The faces behind which the cell's parents lie, by bit. 0 for a cell without a parent.
    #[inline]
    pub(super) fn parents_of(&self, place: Place) -> u8 {
        self.parents_in(place, self.read(place))
    }

    /// The same for a cell whose voxel is at hand.
    #[inline]
    pub(super) fn parents_in(&self, place: Place, voxel: Voxel) -> u8 {
        if voxel.has(CellFlags::EXTRA) && !voxel.is_mark() {
            return self.extras_of(place);
        }
        match parent_face(voxel) {
            Some(face) => 1 << face.index(),
            None => 0,
        }
    }

    fn extras_of(&self, (slot, index): Place) -> u8 {
        let Some(extras) = self.extras(slot) else { return 0 };
        (0..6).fold(0, |faces, face| faces | u8::from(extras[face].contains(index)) << face)
    }

    /// For each face, the cells of a layer (0 to 15) with a parent behind it.
    #[inline]
    pub(super) fn parent_planes(&self, slot: Slot, layer: usize) -> [LayerBits; 6] {
        let mut planes = match self.cells(slot, layer) {
            Some(cells) => direction_planes(&bits::bytes(cells, |voxel| voxel.direction_code() as u8)),
            None => {
                let behind = parent_face(self.grid.chunk_at(slot).get(0));
                Face::ALL.map(|face| if behind == Some(face) { bits::ALL } else { bits::NONE })
            }
        };
        if let Some(extras) = self.extras(slot) {
            for (plane, extra) in planes.iter_mut().zip(extras.iter()) {
                *plane = bits::or(*plane, extra.layer(layer));
            }
        }
        planes
    }

    /// Makes `faces` (one bit or more) the cell's parents; returns the voxel with the Extra flag that fits. The caller
    /// sees to the direction and writes the voxel.
    pub(super) fn keep_parents(&mut self, (slot, index): Place, faces: u8, voxel: Voxel) -> Voxel {
        let several = faces.count_ones() > 1;
        let kept = self.extras_mut(slot);
        if several || voxel.has(CellFlags::EXTRA) {
            let extras = kept.get_or_insert_default();
            for (face, extra) in extras.iter_mut().enumerate() {
                extra.set(index, several && faces >> face & 1 != 0);
            }
        }
        voxel.with(CellFlags::EXTRA, several)
    }

    /// The faces in a set of face bits, as [`Store::parents_of`] gives them.
    #[inline]
    pub(super) fn faces(bits: u8) -> impl Iterator<Item = Face> {
        ones(u64::from(bits)).filter_map(|bit| Face::from_index(bit as u8))
    }

    /// The faces across which a cell has children, by bit.
    pub(super) fn children_of(&self, place: Place) -> u8 {
        let (slot, index) = place;
        let (x, y, z) = (index & 15, index >> 8, index >> 4 & 15);
        if let Some(cells) = self.grid.chunk_at(slot).as_dense()
            && (1..15).contains(&x)
            && (1..15).contains(&z)
        {
            // The four beside it lie in the same layer: no chunk to look up.
            let beside =
                |there: usize, face: Face| self.is_child((slot, there), cells[there & (CHUNK_CELLS - 1)], face);
            let lateral = beside(index - 1, Face::West)
                | beside(index + 1, Face::East)
                | beside(index - 16, Face::North)
                | beside(index + 16, Face::South);
            let below = if y > 0 { beside(index - 256, Face::Down) } else { self.child_across(place, Face::Down) };
            let above = if y < 15 { beside(index + 256, Face::Up) } else { self.child_across(place, Face::Up) };
            return lateral | below | above;
        }
        // Face by face, so that each step is worked out when compiled.
        self.child_across(place, Face::West)
            | self.child_across(place, Face::East)
            | self.child_across(place, Face::Down)
            | self.child_across(place, Face::Up)
            | self.child_across(place, Face::North)
            | self.child_across(place, Face::South)
    }

    /// The bit of a face, if there is a child across it.
    #[inline(always)]
    fn child_across(&self, place: Place, face: Face) -> u8 {
        let there = self.step(place, face);
        if there.0.is_some() { self.is_child(there, self.read(there), face) } else { 0 }
    }

    /// The bit of `face`, if the cell beyond it, of this voxel, is a child.
    #[inline(always)]
    fn is_child(&self, there: Place, voxel: Voxel, face: Face) -> u8 {
        // A child's flow heads away from here, unless it has several parents.
        let fed = voxel.direction_code() == face.index() + 1
            || voxel.has(CellFlags::EXTRA) && self.parents_in(there, voxel) & 1 << face.opposite().index() != 0;
        u8::from(fed) << face.index()
    }

    /// The children of a cell.
    pub(super) fn children(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        Self::faces(self.children_of(place)).map(move |face| self.step(place, face))
    }

    /// Gives a cell without a parent the one across `face`, if that cannot close a circle: the voxel with its new
    /// direction, not yet written, or `None`.
    ///
    /// A cell without children is nobody's ancestor, so it may take any parent. One with children may join a flow that
    /// has a source: then the way up is walked, and must end at the source.
    pub(super) fn attach(&self, place: Place, face: Face, voxel: Voxel) -> Option<Voxel> {
        let parent = self.step(place, face);
        if !parent.0.is_some() || self.read(parent).is_mark() {
            return None;
        }
        let sourced = self.read(parent).has(CellFlags::HAS_SOURCE);
        if self.children_of(place) == 0 || sourced && !self.descends_from(parent, place) {
            return Some(voxel.with_direction_code(face.opposite().index() + 1).with(CellFlags::HAS_SOURCE, sourced));
        }
        None
    }

    /// Adds a parent to a cell that has one, if that cannot close a circle: the voxel with the Extra flag, not yet
    /// written, or `None`.
    pub(super) fn add_parent(&mut self, place: Place, face: Face, voxel: Voxel) -> Option<Voxel> {
        let parents = self.parents_of(place);
        let closes_a_circle = || self.children_of(place) != 0 && self.descends_from(self.step(place, face), place);
        if parents & 1 << face.index() != 0 || closes_a_circle() {
            return None;
        }
        Some(self.keep_parents(place, parents | 1 << face.index(), voxel))
    }

    /// Whether `ancestor` is among the parents, grandparents and so on of `place`, or the search grew too long to tell.
    fn descends_from(&self, place: Place, ancestor: Place) -> bool {
        let mut open: SmallVec<[Place; 32]> = smallvec![place];
        let mut branches = Met::default();
        let mut steps = 0;
        while let Some(place) = open.pop() {
            steps += 1;
            if place == ancestor || steps > SEARCH_LIMIT {
                return true;
            }
            let parents = self.parents_of(place);
            // Only where ways part can a search meet a cell twice.
            if parents & parents.wrapping_sub(1) != 0 && !branches.insert(place) {
                continue;
            }
            open.extend(Self::faces(parents).map(|face| self.step(place, face)).filter(|parent| parent.0.is_some()));
        }
        false
    }

    /// Takes the neighbour across `face` from a cell's parents. A cell left without any has no direction, and if it
    /// holds no water either it is dry, which orphans its own children.
    pub(super) fn unlink(&mut self, place: Place, face: Face) {
        let mut open: SmallVec<[(Place, Face); 8]> = smallvec![(place, face)];
        while let Some((place, face)) = open.pop() {
            let parents = self.parents_of(place);
            let left = parents & !(1 << face.index());
            if left == parents {
                continue;
            }
            let mut voxel = self.keep_parents(place, left, self.read(place));
            let first = parent_face(voxel);
            match Self::faces(left).next() {
                Some(next) if first == Some(face) => {
                    voxel = voxel.with_direction_code(next.opposite().index() + 1);
                }
                Some(_) => {}
                None => voxel = orphaned(voxel),
            }
            if voxel == Voxel::OPEN {
                open.extend(self.cut_children(place));
            }
            self.write(place, voxel);
            self.note_change(place);
            if left != 0 {
                self.wake_descendants(place);
            }
        }
    }

    /// The ties from a cell's children to it, for [`unlink`](Store::unlink).
    fn cut_children(&self, place: Place) -> Vec<(Place, Face)> {
        Self::faces(self.children_of(place)).map(|face| (self.step(place, face), face.opposite())).collect()
    }

    /// Cuts all ties of a cell, to its parents and from its children.
    pub(super) fn cut_ties(&mut self, place: Place) {
        self.keep_parents(place, 0, self.read(place));
        for (child, face) in self.cut_children(place) {
            self.unlink(child, face);
        }
    }

    /// Wakes all that is fed by a cell, however far: the way to its source has changed, so what it may draw has too.
    pub(super) fn wake_descendants(&mut self, place: Place) {
        let mut open: SmallVec<[Place; 32]> = smallvec![place];
        let mut branches = Met::default();
        while let Some(place) = open.pop() {
            for face in Self::faces(self.children_of(place)) {
                let child = self.step(place, face);
                self.grid.wake_at(child.0, child.1);
                let met = self.parents_of(child).count_ones() > 1 && !branches.insert(child);
                if !met {
                    open.push(child);
                }
            }
        }
    }

    /// Marks a cell changed and wakes it with its neighbours, and with the cells beside the one above, which may slide
    /// into it.
    pub(super) fn note_change(&mut self, place: Place) {
        self.note_ties();
        self.grid.mark_changed_at(place.0, place.1);
        self.wake(place);
        for face in Face::ALL {
            self.wake(self.step(place, face));
        }
        let above = self.step(place, Face::Up);
        if above.0.is_some() {
            for face in Face::LATERAL {
                self.wake(self.step(above, face));
            }
        }
    }

    /// Wakes a loaded cell if anything is in it.
    pub(super) fn wake(&mut self, place: Place) {
        if place.0.is_some() && !self.read(place).is_inert() {
            self.grid.wake_at(place.0, place.1);
        }
    }

    /// Clears the ties of a chunk just loaded that lead to no water, over the edge, or in a circle. Further parents are
    /// not part of a chunk, so the Extra flag goes.
    pub(super) fn adopt(&mut self, slot: Slot) {
        if self.grid.chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert) {
            return;
        }
        let has_further = |voxel: Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
        for layer in 0..16 {
            if !self.has(slot, layer, has_further) {
                continue;
            }
            for cell in bits::iter(self.select(slot, layer, has_further)) {
                let place = (slot, layer * LAYER_CELLS + cell);
                self.write(place, self.read(place).with(CellFlags::EXTRA, false));
            }
        }
        let mut sound = CellMask::EMPTY;
        for layer in 0..16 {
            if !self.has(slot, layer, |voxel| !voxel.is_inert()) {
                continue;
            }
            let lively = self.select(slot, layer, |voxel| !voxel.is_inert());
            let tied = self.select(slot, layer, |voxel| parent_face(voxel).is_some());
            if !bits::any(tied) {
                self.grid.wake_layer_at(slot, layer, lively);
                continue;
            }
            // A tie that is cut may leave its cell, and those it fed, dry: then they are not to wake.
            for cell in bits::iter(lively) {
                let place = (slot, layer * LAYER_CELLS + cell);
                match parent_face(self.read(place)) {
                    Some(face) if !self.leads_to_a_head(place, &mut sound) => self.unlink(place, face),
                    _ => self.wake(place),
                }
            }
        }
    }

    /// Whether the way up from a cell of a chunk ends. `sound` are cells of that chunk known to have such a way; those
    /// passed are added.
    fn leads_to_a_head(&self, start: Place, sound: &mut CellMask) -> bool {
        let mut passed = Vec::new();
        // Brent's search for circles: the marker jumps to the walker at every power of two.
        let (mut marker, mut steps, mut jump) = (start, 0u64, 1u64);
        let mut place = start;
        loop {
            if place.0 == start.0 {
                if sound.contains(place.1) {
                    break;
                }
                passed.push(place.1);
            }
            let Some(face) = parent_face(self.read(place)) else { break };
            let parent = self.step(place, face);
            if !parent.0.is_some() || self.read(parent).is_mark() || self.read(parent) == Voxel::OPEN {
                // This tie leads nowhere. It is its own cell's to cut: cells further down are sound once it is.
                if place == start {
                    return false;
                }
                if place.0 == start.0 {
                    passed.pop();
                }
                break;
            }
            place = parent;
            if place == marker {
                return false;
            }
            steps += 1;
            if steps == jump {
                (marker, steps, jump) = (place, 0, jump * 2);
            }
        }
        for index in passed {
            sound.insert(index);
        }
        true
    }
}

/// The face behind which the cell's first parent lies: opposite to where its flow is heading.
#[inline]
pub(super) fn parent_face(voxel: Voxel) -> Option<Face> {
    match voxel.direction_code() {
        0 | 7 => None,
        code => Face::from_index(code as u8 - 1).map(Face::opposite),
    }
}

/// For each face, the cells with a parent behind it, from their direction codes: the parent lies against the direction.
#[inline]
pub(super) fn direction_planes(codes: &[u8; LAYER_CELLS]) -> [LayerBits; 6] {
    let (low, middle, high) = (bits::plane(codes, 0), bits::plane(codes, 1), bits::plane(codes, 2));
    let (small, large) = (minus(bits::ALL, high), minus(high, and(low, middle)));
    let west = minus(and(small, middle), low);
    let east = minus(and(small, low), middle);
    let down = minus(minus(large, low), middle);
    let up = and(and(small, low), middle);
    let north = and(large, middle);
    let south = and(large, low);
    [west, east, down, up, north, south]
}

/// A voxel without parents: no direction, no source, no bottleneck; dry if it holds no water.
pub(super) fn orphaned(voxel: Voxel) -> Voxel {
    if voxel.height() == 0 {
        return Voxel::OPEN;
    }
    voxel.with_direction_code(0).with_largest(0).with(CellFlags::HAS_SOURCE, false).with(CellFlags::EXTRA, false)
}

#[cfg(test)]
mod tests {
    use super::super::rules::Edges;
    use super::super::sample::{self, ancestors};
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use glam::IVec3;

    #[test]
    fn planes_and_children_agree_with_parents() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for chunk in [IVec3::ZERO, IVec3::X, IVec3::Y] {
            store.insert(chunk, Chunk::uniform(Voxel::OPEN));
        }
        let slots = store.grid.sorted_slots();
        for _ in 0..20_000 {
            let place = (slots[random.usize(..3)], random.usize(..CHUNK_CELLS));
            let voxel = Voxel::OPEN.with_height(random.u8(1..8)).with_direction_code(random.usize(..8));
            let faces = random.u8(..64);
            let first = parent_face(voxel).map_or(0, |face| 1 << face.index());
            let faces = if first == 0 { 0 } else { faces | first };
            let voxel =
                store.keep_parents(place, faces, voxel.with(CellFlags::EXTRA, store.read(place).has(CellFlags::EXTRA)));
            store.write(place, voxel);
        }
        // Uniform chunks too, far from each other.
        for code in 0..8 {
            let voxel = Voxel::OPEN.with_height(3).with_direction_code(code);
            store.insert(IVec3::new(0, 0, 3 + 2 * code as i32), Chunk::uniform(voxel));
        }
        for slot in store.grid.sorted_slots() {
            for layer in 0..16 {
                let planes = store.parent_planes(slot, layer);
                for cell in 0..LAYER_CELLS {
                    let place = (slot, layer * LAYER_CELLS + cell);
                    let parents = store.parents_of(place);
                    for face in Face::ALL {
                        let has = parents & 1 << face.index() != 0;
                        assert_eq!(bits::contains(&planes[face.index()], cell), has);
                        let parent = store.step(place, face);
                        if parent.0.is_some() {
                            assert_eq!(store.children_of(parent) & 1 << face.opposite().index() != 0, has);
                        }
                    }
                }
            }
        }
    }

    /// Ties come and go at random in a corner of two chunks; each is made unless it would close a circle, by the rules of
    /// [`Store::attach`] and [`Store::add_parent`].
    #[test]
    fn ties_are_made_unless_they_close_a_circle() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        for chunk in [IVec3::ZERO, IVec3::X] {
            store.insert(chunk, Chunk::uniform(Voxel::OPEN.with_height(3)));
        }
        let slots = store.grid.sorted_slots();
        let mut outcomes = [[0; 2]; 2];
        for round in 0..20_000 {
            let (x, y, z) = (random.usize(13..18), random.usize(..2), random.usize(..3));
            let place = (slots[x / 16], x % 16 + 16 * z + 256 * y);
            let face = Face::ALL[random.usize(..6)];
            let (there, voxel, parents) = (store.step(place, face), store.read(place), store.parents_of(place));
            if random.u8(..12) == 0 {
                store.unlink(place, face);
                let left = parents & !(1 << face.index());
                let first = parent_face(voxel).filter(|&first| first != face).or_else(|| Store::faces(left).next());
                assert_eq!((store.parents_of(place), parent_face(store.read(place))), (left, first), "round {round}");
                continue;
            }
            if !there.0.is_some() {
                assert_eq!(store.attach(place, face, voxel), None, "round {round}");
                continue;
            }
            let children = Face::ALL.into_iter().filter(|&face| {
                let child = store.step(place, face);
                child.0.is_some() && store.parents_of(child) & 1 << face.opposite().index() != 0
            });
            let has_children = children.count() > 0;
            let closes = ancestors(&store, there).contains(&place);
            let sourced = store.read(there).has(CellFlags::HAS_SOURCE);
            let tied = if parents == 0 {
                let tied = store.attach(place, face, voxel);
                assert_eq!(tied.is_some(), !has_children || sourced && !closes, "round {round}");
                if let Some(tied) = tied {
                    assert_eq!((parent_face(tied), tied.has(CellFlags::HAS_SOURCE)), (Some(face), sourced));
                }
                tied
            } else {
                let tied = store.add_parent(place, face, voxel);
                let is_new = parents & 1 << face.index() == 0;
                assert_eq!(tied.is_some(), is_new && !(has_children && closes), "round {round}");
                tied
            };
            outcomes[usize::from(parents == 0)][usize::from(tied.is_some())] += 1;
            if let Some(tied) = tied {
                // Some cells are heads with a source, so that what has children may be tied as well.
                let on = tied.is_sourced() || random.u8(..4) == 0;
                store.write(place, tied.with(CellFlags::HAS_SOURCE, on));
                assert_eq!(store.parents_of(place), parents | 1 << face.index(), "round {round}");
                assert!(is_free_of_circles(&store, place), "round {round}");
            }
        }
        assert!(outcomes.iter().flatten().all(|&count| count > 50), "{outcomes:?}");
    }

    /// A chunk of ties at random has circles with long tails, and ties over its edge, to dry cells and to rock. Across one
    /// face lies a chunk that is there already, each of whose ties leads to a head.
    #[test]
    fn a_loaded_chunk_keeps_the_ties_that_lead_to_a_head() {
        let mut random = fastrand::Rng::with_seed(15);
        let (mut kept, mut cut) = (0, 0);
        for round in 0..16 {
            let free = [2, 8, 64, 512][round % 4];
            let mut cells = || -> [Voxel; CHUNK_CELLS] {
                core::array::from_fn(|_| {
                    let code = if random.u32(..free) == 0 { 0 } else { random.usize(1..=6) };
                    match random.u8(..32) {
                        0 => Voxel::OPEN,
                        1 => Voxel::SOLID,
                        _ => Voxel::OPEN.with_height(random.u8(1..8)).with_direction_code(code),
                    }
                })
            };
            let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
            let beside = store.insert(IVec3::X, Chunk::from_cells(&cells())).expect("none is there");
            store.adopt(beside);
            let cells = cells();
            let slot = store.insert(IVec3::ZERO, Chunk::from_cells(&cells)).expect("none is there");
            // Where the way up from a cell leads, by the ties as they were: its head, unless it ends or goes round before.
            let leads = |start: usize| {
                let mut at = (slot, start);
                for _ in 0..2 * CHUNK_CELLS {
                    let Some(face) = parent_face(store.read(at)) else { return true };
                    let parent = store.step(at, face);
                    if !parent.0.is_some() || store.read(parent).is_inert() {
                        // The tie of the last cell is cut; who is fed by that keeps its own.
                        return at != (slot, start);
                    }
                    at = parent;
                }
                false
            };
            let sound: Vec<bool> = (0..CHUNK_CELLS).map(leads).collect();
            store.adopt(slot);
            for (index, &sound) in sound.iter().enumerate() {
                let parents = store.parents_of((slot, index));
                if sound {
                    assert_eq!(store.read((slot, index)), cells[index], "round {round}: {index} has lost its tie");
                    kept += u32::from(parents != 0);
                } else {
                    cut += u32::from(parents == 0);
                }
                let leads_to_water = |face: Face| !store.look((slot, index), face).is_inert();
                assert!(Store::faces(parents).all(leads_to_water), "round {round}: {index} has kept its tie");
                assert!(is_free_of_circles(&store, (slot, index)), "round {round}: {index}");
            }
        }
        assert!(kept > 1_000 && cut > 1_000, "{kept} ties kept, {cut} cut");
    }

    /// A row of cells, each fed by the next, as long as a search may be and one longer.
    #[test]
    fn a_search_gives_up_after_65_536_cells() {
        const LONGEST: usize = 65_536;
        let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
        let row = Chunk::uniform(Voxel::OPEN.with_height(3).with_direction_code(Face::West.index() + 1));
        for x in 0..=(LONGEST / 16) as i32 {
            store.insert(IVec3::new(x, 0, 0), row.clone());
        }
        let slots = store.grid.sorted_slots();
        let cell = |x: usize| (slots[x / 16], x % 16);
        // The last cell of the last chunk is the head of the row: what is fed across the edge is nobody's child.
        let last = slots.len() * 16 - 1;
        let other_row = (slots[0], 16);
        assert!(!store.descends_from(cell(last + 1 - LONGEST), other_row));
        assert!(store.descends_from(cell(last - LONGEST), other_row), "too long to tell");
        assert!(store.descends_from(cell(last - 5), cell(last)) && !store.descends_from(cell(last), cell(last - 5)));
    }

    #[test]
    fn a_cell_that_keeps_a_parent_wakes_all_that_it_feeds() {
        let mut woken = 0;
        for seed in 0..12 {
            let mut world = sample::springs(seed);
            let places = sample::places(&world);
            let store = &mut world.store;
            for place in places.iter().copied() {
                let Some(face) = Store::faces(store.parents_of(place)).nth(1) else { continue };
                sample::put_to_sleep(store);
                store.unlink(place, face);
                assert_ne!(store.parents_of(place), 0);
                for &there in places.iter().filter(|&&there| there != place && store.parents_of(there) != 0) {
                    if ancestors(store, there).contains(&place) {
                        let awake = store.grid.awake_at(there.0).is_some_and(|mask| mask.contains(there.1));
                        assert!(awake, "seed {seed}: {there:?} below {place:?}");
                        woken += 1;
                    }
                }
            }
        }
        assert!(woken > 100, "{woken} cells woke");
    }

    /// Walked way by way, this would never end, and the search would give up.
    #[test]
    fn each_cell_is_walked_through_once_however_many_ways_lead_there() {
        let mut world = sample::weave();
        let slot = world.store.grid.sorted_slots()[0];
        let (corner, opposite) = ((slot, 0), (slot, CHUNK_CELLS - 1));
        assert!(world.store.descends_from(opposite, corner));
        assert!(!world.store.descends_from(opposite, (Slot::NONE, 0)));
        sample::put_to_sleep(&mut world.store);
        world.store.wake_descendants(corner);
        let awake = world.store.grid.awake_at(slot).expect("some are awake").len();
        assert_eq!(awake, CHUNK_CELLS - 1);
    }

    #[test]
    fn met_is_a_set() {
        let mut random = fastrand::Rng::with_seed(16);
        let slots = {
            let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
            for chunk in [IVec3::ZERO, IVec3::X] {
                store.insert(chunk, Chunk::uniform(Voxel::OPEN));
            }
            store.grid.sorted_slots()
        };
        for _ in 0..20 {
            let (mut met, mut expected) = (Met::default(), HashSet::new());
            for _ in 0..60 {
                let place = (slots[random.usize(..2)], random.usize(..30));
                assert_eq!(met.contains(place), expected.contains(&place));
                assert_eq!(met.insert(place), expected.insert(place));
            }
        }
    }

    #[test]
    fn all_that_a_cell_feeds_wakes_and_nothing_else() {
        let mut woken = 0;
        for seed in 0..12 {
            let mut world = sample::springs(seed);
            let places = sample::places(&world);
            let store = &mut world.store;
            let tied = |place: &Place| store.parents_of(*place) | store.children_of(*place) != 0;
            let places: Vec<Place> = places.into_iter().filter(tied).collect();
            let above: Vec<HashSet<Place>> = places.iter().map(|&place| ancestors(store, place)).collect();
            for &place in places.iter().step_by(5) {
                sample::put_to_sleep(store);
                store.wake_descendants(place);
                for (&there, above) in places.iter().zip(&above) {
                    let awake = store.grid.awake_at(there.0).is_some_and(|mask| mask.contains(there.1));
                    let fed = there != place && above.contains(&place);
                    assert_eq!(awake, fed, "seed {seed}: {there:?} below {place:?}");
                    woken += usize::from(awake);
                }
            }
        }
        assert!(woken > 1_000, "{woken} cells woke");
    }

    /// Whether no way up from a cell comes back to it.
    fn is_free_of_circles(store: &Store, place: Place) -> bool {
        let parents = Store::faces(store.parents_of(place)).map(|face| store.step(place, face));
        parents.filter(|parent| parent.0.is_some()).all(|parent| !ancestors(store, parent).contains(&place))
    }
}
