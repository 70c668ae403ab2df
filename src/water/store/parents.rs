//! Parents and children of water that is connected to a spring: which cell feeds which. The links
//! form a directed acyclic graph, since a cell gets its parents when it becomes connected, from
//! cells that were connected before. Brent's algorithm finds cycles in loaded chunks.
//!
//! A cell's first parent is its neighbour opposite to its direction; a cell with the Extra flag has
//! several. [`Store::unlink`] cuts a link. Water that is not connected has no parents: its
//! direction only records where it came from.

use crate::chunk::{CellMask, LayerMask, ones};
use crate::coords::{CHUNK_CELLS, Face};
use crate::grid::{LayerId, Slot};
use crate::water::cell::CellFlags;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;
use hashbrown::HashSet;
use smallvec::{SmallVec, smallvec};

/// The set of cells that a search has visited: the first few in a list, the rest in a hash table.
#[derive(Default)]
pub(crate) struct Met {
    few: SmallVec<[Place; 16]>,
    many: Option<HashSet<Place>>,
}

impl Met {
    /// Adds a cell. Returns whether it was new.
    pub(crate) fn insert(&mut self, place: Place) -> bool {
        if self.few.contains(&place) {
            return false;
        }
        if self.few.len() < self.few.inline_size() {
            self.few.push(place);
            return true;
        }
        self.many.get_or_insert_default().insert(place)
    }
}

/// The work left after a parent of a cell was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlinked {
    /// The neighbour was no parent.
    NoParent,
    /// The cell has lost its last parent, and holds water.
    Done,
    /// The cell has other parents. Its descendants wake.
    HasOthers,
    /// The cell is dry. Its children lose it as a parent, too.
    Dry,
}

/// A depth-first search over the descendants of a cell.
pub(crate) struct DescendantSearch {
    start: Place,
    open: SmallVec<[Place; 32]>,
    branches: Met,
}

impl From<Place> for DescendantSearch {
    fn from(place: Place) -> Self {
        DescendantSearch { start: place, open: smallvec![place], branches: Met::default() }
    }
}

impl Store {
    /// Returns the faces across which the cell has parents, by bit; 0 if it has none.
    #[inline]
    pub(crate) fn parents_of(&self, place: Place) -> u8 {
        self.parents_in(place, self.read(place))
    }

    /// Like [`parents_of`](Self::parents_of), for a cell whose voxel has been read.
    #[inline]
    pub(crate) fn parents_in(&self, place: Place, voxel: Voxel) -> u8 {
        if !voxel.is_connected() {
            return 0;
        }
        if voxel.has(CellFlags::EXTRA) {
            return self.extras_of(place);
        }
        match voxel.parent_face() {
            Some(face) => 1 << face.index(),
            None => 0,
        }
    }

    fn extras_of(&self, Place { slot, index }: Place) -> u8 {
        let Some(extras) = self.extras(slot) else { return 0 };
        (0..6).fold(0, |faces, face| faces | u8::from(extras[face].contains(index)) << face)
    }

    /// Returns, for each face, the cells of a layer with a parent across it.
    #[inline]
    pub(crate) fn parent_planes(&self, layer: LayerId) -> [LayerMask; 6] {
        let mut planes = match self.cells(layer) {
            Some(cells) => {
                // Marks have code 7. With 0, layers of rock and still water take the fast path of
                // `planes`.
                direction_planes(LayerMask::planes(cells, |voxel| {
                    if voxel.is_mark() { 0 } else { voxel.direction_code() as u8 }
                }))
            }
            None => {
                let behind = self.grid.chunk_at(layer.slot).get(0).parent_face();
                Face::ALL.map(|face| LayerMask::all_if(behind == Some(face)))
            }
        };
        if let Some(extras) = self.extras(layer.slot) {
            for (plane, extra) in planes.iter_mut().zip(extras.iter()) {
                *plane |= extra.layer(layer.y);
            }
        }
        let connected = self.connected(layer);
        planes.map(|plane| plane & connected)
    }

    /// Stores `faces` as the cell's parents, and returns the voxel with the Extra flag updated. The
    /// caller sets the direction and writes the voxel.
    pub(crate) fn keep_parents(
        &mut self,
        Place { slot, index }: Place,
        faces: u8,
        voxel: Voxel,
    ) -> Voxel {
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

    /// Returns the faces of a set of face bits.
    #[inline]
    pub(crate) fn faces(bits: u8) -> impl Iterator<Item = Face> {
        ones(u64::from(bits)).filter_map(|bit| Face::from_index(bit as u8))
    }

    /// Returns the faces across which a cell has children, by bit.
    pub(crate) fn children_of(&self, place: Place) -> u8 {
        let Place { slot, index } = place;
        let (x, y, z) = (index & 15, index >> 8, index >> 4 & 15);
        if let Some(cells) = self.grid.chunk_at(slot).as_dense()
            && (1..15).contains(&x)
            && (1..15).contains(&z)
        {
            // Fast path: the lateral neighbours are in the same layer of the chunk.
            let beside = |there: usize, face: Face| {
                self.is_child(Place::new(slot, there), cells[there & (CHUNK_CELLS - 1)], face)
            };
            let lateral = beside(index - 1, Face::West)
                | beside(index + 1, Face::East)
                | beside(index - 16, Face::North)
                | beside(index + 16, Face::South);
            let below = if y > 0 {
                beside(index - 256, Face::Down)
            } else {
                self.child_across(place, Face::Down)
            };
            let above = if y < 15 {
                beside(index + 256, Face::Up)
            } else {
                self.child_across(place, Face::Up)
            };
            return lateral | below | above;
        }
        // Unrolled, so that the compiler specialises each step.
        self.child_across(place, Face::West)
            | self.child_across(place, Face::East)
            | self.child_across(place, Face::Down)
            | self.child_across(place, Face::Up)
            | self.child_across(place, Face::North)
            | self.child_across(place, Face::South)
    }

    /// Returns the bit of `face` if the cell across it is a child, else 0.
    #[inline(always)]
    fn child_across(&self, place: Place, face: Face) -> u8 {
        let there = self.step(place, face);
        if there.is_some() { self.is_child(there, self.read(there), face) } else { 0 }
    }

    /// Returns the bit of `face` if `there`, the cell across it with this voxel, is a child, else
    /// 0.
    #[inline(always)]
    fn is_child(&self, there: Place, voxel: Voxel, face: Face) -> u8 {
        // A child's direction points away from its first parent.
        let fed = voxel.direction() == Some(face)
            || voxel.has(CellFlags::EXTRA)
                && self.parents_in(there, voxel) & 1 << face.opposite().index() != 0;
        u8::from(fed && voxel.is_connected()) << face.index()
    }

    /// Returns the children of a cell.
    pub(crate) fn children(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        Self::faces(self.children_of(place)).map(move |face| self.step(place, face))
    }

    /// Removes the neighbour across `face` from a cell's parents. A cell without any parent loses
    /// its direction; if it holds no water it becomes dry, and its children lose it as a parent,
    /// too.
    pub(crate) fn unlink(&mut self, place: Place, face: Face) {
        let mut open: SmallVec<[(Place, Face); 8]> = smallvec![(place, face)];
        while let Some((place, face)) = open.pop() {
            if self.unlink_one(place, face) {
                open.extend(self.child_links(place));
            }
        }
    }

    /// Removes the neighbour across `face` from a cell's parents, if it is one, and wakes the
    /// affected cells. Returns whether the cell is now dry, so that its children lose it as a
    /// parent, too.
    pub(super) fn unlink_one(&mut self, place: Place, face: Face) -> bool {
        let unlinked = self.remove_parent(place, face);
        if unlinked == Unlinked::HasOthers {
            self.wake_descendants(place);
        }
        unlinked == Unlinked::Dry
    }

    /// Removes the neighbour across `face` from a cell's parents, if it is one, and wakes the cells
    /// around the cell. Returns the work left for the caller.
    pub(crate) fn remove_parent(&mut self, place: Place, face: Face) -> Unlinked {
        let unlinked = self.take_parent(place, face);
        if unlinked != Unlinked::NoParent {
            self.note_change(place);
        }
        unlinked
    }

    /// Removes the neighbour across `face` from a cell's parents, if it is one. Returns the work
    /// left for the caller, who also wakes the cells around the cell.
    pub(super) fn take_parent(&mut self, place: Place, face: Face) -> Unlinked {
        let parents = self.parents_of(place);
        let left = parents & !(1 << face.index());
        if left == parents {
            return Unlinked::NoParent;
        }
        let voxel = with_parents(self.keep_parents(place, left, self.read(place)), left);
        self.write(place, voxel);
        // The cell may have been asleep or awake: an empty cell has nothing to do.
        if voxel == Voxel::OPEN
            && let Some(awake) = self.grid.awake_at_mut(place.slot)
        {
            awake.remove(place.index);
        }
        match voxel {
            _ if left != 0 => Unlinked::HasOthers,
            Voxel::OPEN => Unlinked::Dry,
            _ => Unlinked::Done,
        }
    }

    /// Returns the links from a cell's children to it, as arguments of [`unlink`](Store::unlink).
    pub(crate) fn child_links(&self, place: Place) -> Vec<(Place, Face)> {
        Self::faces(self.children_of(place))
            .map(|face| (self.step(place, face), face.opposite()))
            .collect()
    }

    /// Cuts all links of a cell, to its parents and from its children.
    pub(crate) fn cut_ties(&mut self, place: Place) {
        self.keep_parents(place, 0, self.read(place));
        for (child, face) in self.child_links(place) {
            self.unlink(child, face);
        }
    }

    /// Wakes all descendants of a cell: their path to a source has changed, and so have the units
    /// that they can draw.
    pub(crate) fn wake_descendants(&mut self, place: Place) {
        let mut descent = DescendantSearch::from(place);
        while self.wake_next(&mut descent) {}
    }

    /// Wakes the children of the next cell of a descent; returns `false` if none is left.
    pub(crate) fn wake_next(&mut self, descent: &mut DescendantSearch) -> bool {
        let Some(place) = descent.open.pop() else { return false };
        for face in Self::faces(self.children_of(place)) {
            let child = self.step(place, face);
            self.wake_at(child);
            // Paths meet only in cells with several parents. Records that are being linked in may
            // have cycles, and a cycle without such a cell leads back to the start.
            let is_branch = self.parents_of(child).count_ones() > 1;
            let is_met = child == descent.start || is_branch && !descent.branches.insert(child);
            if !is_met {
                descent.open.push(child);
            }
        }
        true
    }

    /// Wakes the cells of a chunk just loaded, and cuts parents that have neither water nor flow,
    /// are not in the world, or lead in a cycle. Clears Extra flags, since a chunk that is inserted
    /// without a record has no additional parents.
    pub(crate) fn adopt(&mut self, slot: Slot) {
        if self.grid.chunk_at(slot).as_uniform().is_some_and(Voxel::is_inert) {
            return;
        }
        let has_further = |voxel: Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
        for layer in slot.layers() {
            if !self.has(layer, has_further) {
                continue;
            }
            for cell in self.select(layer, has_further).iter() {
                let place = Place::in_layer(layer, cell);
                self.write(place, self.read(place).with(CellFlags::EXTRA, false));
            }
        }
        let mut sound = CellMask::EMPTY;
        for layer in slot.layers() {
            if !self.has(layer, |voxel| !voxel.is_inert()) {
                continue;
            }
            let lively = self.select(layer, |voxel| !voxel.is_inert());
            if self.connected(layer).is_empty() {
                self.wake_layer(layer, lively);
                continue;
            }
            // Cell by cell: unlinking one cell can leave it and its descendants dry, and dry cells
            // stay asleep.
            for cell in lively.iter() {
                let place = Place::in_layer(layer, cell);
                let voxel = self.read(place);
                match voxel.parent_face().filter(|_| voxel.is_connected()) {
                    Some(face) if !self.leads_to_a_root(place, &mut sound) => {
                        self.unlink(place, face)
                    }
                    _ => self.wake(place),
                }
            }
        }
    }

    /// Returns whether the path along first parents from a cell ends at a root. `sound` caches the
    /// cells of its chunk whose paths end at a root.
    fn leads_to_a_root(&self, start: Place, sound: &mut CellMask) -> bool {
        let mut passed = Vec::new();
        // Brent's cycle detection: the marker jumps to the walker at every power of two.
        let (mut marker, mut steps, mut jump) = (start, 0u64, 1u64);
        let mut place = start;
        loop {
            if place.slot == start.slot {
                if sound.contains(place.index) {
                    break;
                }
                passed.push(place.index);
            }
            let voxel = self.read(place);
            let parent = voxel.parent_face().filter(|_| voxel.is_connected());
            let Some(face) = parent else { break };
            let parent = self.step(place, face);
            if !parent.is_some() || self.read(parent).is_mark() || self.read(parent) == Voxel::OPEN
            {
                // This link leads to no root. It is cut at its own cell; then the cell's
                // descendants are sound.
                if place == start {
                    return false;
                }
                if place.slot == start.slot {
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

/// Returns, for each face, the cells with their first parent across it, from the bit planes of
/// their direction codes. The parent is opposite to the direction.
#[inline]
pub(crate) fn direction_planes([low, middle, high]: [LayerMask; 3]) -> [LayerMask; 6] {
    let (small, large) = (!high, high - (low & middle));
    let west = (small & middle) - low;
    let east = (small & low) - middle;
    let down = large - (low | middle);
    let up = small & low & middle;
    let north = large & middle;
    let south = large & low;
    [west, east, down, up, north, south]
}

/// Returns the voxel when only its parents across the faces `left`, by bit, remain. The first
/// parent stays the first; if it is lost, the parent across the lowest face takes its place.
pub(crate) fn with_parents(voxel: Voxel, left: u8) -> Voxel {
    let voxel = voxel.with(CellFlags::EXTRA, left.count_ones() > 1);
    match Store::faces(left).next() {
        None => orphaned(voxel),
        Some(_) if voxel.parent_face().is_some_and(|face| left & 1 << face.index() != 0) => voxel,
        Some(next) => voxel.with_parent(next),
    }
}

/// Returns the voxel without parents: no direction, HasSource, Extra or Largest; dry if it holds no
/// water.
pub(crate) fn orphaned(voxel: Voxel) -> Voxel {
    if voxel.height() == 0 {
        return Voxel::OPEN;
    }
    voxel
        .with_direction(None)
        .with_largest(0)
        .with(CellFlags::HAS_SOURCE, false)
        .with(CellFlags::EXTRA, false)
}

impl Store {
    /// Returns the index of each cell with several parents, and a bit for each face across which a
    /// parent lies.
    pub(crate) fn further_parents(&self, slot: Slot) -> Vec<(u16, u8)> {
        let several = |voxel: &Voxel| !voxel.is_mark() && voxel.has(CellFlags::EXTRA);
        let chunk = self.grid.chunk_at(slot);
        // Mostly there are no such cells, and testing all words without an early exit is faster.
        let any = match chunk.as_dense() {
            None => several(&chunk.get(0)),
            Some(cells) => cells.iter().fold(false, |any, voxel| any | several(voxel)),
        };
        if !any {
            return Vec::new();
        }
        let faces = |index: u16| (index, self.parents_of(Place::new(slot, usize::from(index))));
        (0..CHUNK_CELLS as u16)
            .filter(|&index| several(&chunk.get(usize::from(index))))
            .map(faces)
            .collect()
    }

    /// Stores the parents of a cell with the Extra flag. Returns `false` if the cell lacks the flag
    /// or `faces` are not two faces or more.
    pub(crate) fn restore_parents(&mut self, slot: Slot, index: u16, faces: u8) -> bool {
        let place = Place::new(slot, usize::from(index));
        let voxel = self.read(place);
        let fits = !voxel.is_mark()
            && voxel.has(CellFlags::EXTRA)
            && faces < 1 << 6
            && faces.count_ones() > 1;
        if fits {
            self.keep_parents(place, faces, voxel);
        }
        fits
    }
}

#[cfg(test)]
mod tests;
