//! Edits between steps: charges, removed cells, walls that break, weights of links, whole chunks. A
//! refused edit changes nothing.

use super::error::EditError;
use super::field::ChunkState;
use super::field::space::{Beyond, axis, is_positive, plane_cells};
use super::ledger::sums_by_sign;
use super::rules::{FILL_CHUNK_LIMIT, WEIGHT_LIMIT};
#[cfg(doc)]
use super::rules::{LEAST_CHARGE_RADIUS, PRESSURE_LIMIT};
use super::{BlastShape, BlastWorld, Edit};
use crate::automata::blast::charge::{around, bump, check_charge};
use crate::automata::blast::extent::admits;
use crate::automata::blast::field::conductances::update_links;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, ChunkRegion, Face, Region};
use crate::edit_table::Tabled;
use crate::grid::Slot;
use glam::IVec3;
use smallvec::SmallVec;

/// Added to whatever an edit writes, to turn −0 into 0, so that equal worlds have equal bytes.
pub(super) const POSITIVE_ZERO: f32 = 0.0;

/// The new state of a cell in an edit.
#[derive(Clone, Copy)]
pub(super) enum Matter {
    Open,
    Solid,
    /// Solid until the pressure difference across the cell exceeds this strength.
    Wall(f32),
}

impl<S: BlastShape> BlastWorld<S> {
    /// Sets a cell's pressure, as an exploding charge does. Returns the old pressure.
    ///
    /// # Errors
    /// The cell is removed or out of bounds, or the pressure is out of range.
    pub fn set_pressure(&mut self, cell: IVec3, pressure: f32) -> Result<f32, EditError> {
        self.edit_cells(&Edit::SetPressure { cell, pressure }).map(|old| old as f32)
    }

    /// Adds to a cell's pressure. Returns the new pressure.
    ///
    /// # Errors
    /// The cell is removed or out of bounds, or the sum would be out of range.
    pub fn add_pressure(&mut self, cell: IVec3, more: f32) -> Result<f32, EditError> {
        self.edit_cells(&Edit::AddPressure { cell, more }).map(|sum| sum as f32)
    }

    /// Sets the pressure of every cell of a region except removed ones. Takes time in proportion to
    /// the number of cells.
    ///
    /// # Errors
    /// A corner is out of bounds, the region touches too many chunks, or the pressure is out of
    /// range.
    pub fn fill_pressure(&mut self, region: Region, pressure: f32) -> Result<(), EditError> {
        self.edit_cells(&Edit::FillPressure { region, pressure }).map(drop)
    }

    /// Removes a cell, so that it is an obstacle. Returns the pressure that was in it, which the
    /// ledger counts as removed, or as placed if it is below 0.
    ///
    /// # Errors
    /// The cell is out of bounds.
    pub fn set_solid(&mut self, cell: IVec3) -> Result<f32, EditError> {
        self.edit_cells(&Edit::SetSolid(cell)).map(|old| old as f32)
    }

    /// Removes a cell until the pressure difference across it exceeds `strength`. The wall then
    /// breaks: the cell becomes open space at pressure 0, and
    /// [`take_events`](BlastWorld::take_events) lists it. Returns the pressure that was in the
    /// cell.
    ///
    /// The difference is the highest less the lowest pressure of the open cells that the wall is
    /// linked to. If there is only one such cell, the difference is between its pressure and 0.
    ///
    /// # Errors
    /// The cell is out of bounds, or the strength is not a number above 0.
    pub fn set_wall(&mut self, cell: IVec3, strength: f32) -> Result<f32, EditError> {
        self.edit_cells(&Edit::SetWall { cell, strength }).map(|old| old as f32)
    }

    /// Makes a removed cell open space at pressure 0. Returns `false` if it was open already.
    ///
    /// # Errors
    /// The cell is out of bounds.
    pub fn clear_solid(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.edit_cells(&Edit::ClearSolid(cell)).map(|cleared| cleared != 0.0)
    }

    /// Removes every cell of a region. Returns the sum of the pressures that were in the cells.
    ///
    /// # Errors
    /// A corner is out of bounds, or the region touches too many chunks.
    pub fn fill_solid(&mut self, region: Region) -> Result<f64, EditError> {
        self.edit_cells(&Edit::FillSolid(region))
    }

    /// Makes every cell of a region a wall that breaks, as [`set_wall`](BlastWorld::set_wall) does
    /// for one cell. Returns the sum of the pressures that were in the cells.
    ///
    /// # Errors
    /// A corner is out of bounds, the region touches too many chunks, or the strength is not a
    /// number above 0.
    pub fn fill_wall(&mut self, region: Region, strength: f32) -> Result<f64, EditError> {
        self.edit_cells(&Edit::FillWall { region, strength })
    }

    /// Sets the weight of the link behind a face of a cell: 1 for open air, 0 for no link, and
    /// values in between for obstacles that let pressure through slowly. Returns the old weight.
    /// The weight is kept even where an end of the link is removed.
    ///
    /// Under the wave rule a lower weight reduces the link's flow in proportion. If it did not,
    /// links that open and close periodically would feed energy to the wave.
    ///
    /// # Errors
    /// The cell is out of bounds, there is no cell behind the face, the weight is out of range, or
    /// the rule would be unstable with it at either end of the link.
    pub fn set_link(&mut self, cell: IVec3, face: Face, weight: f32) -> Result<f32, EditError> {
        self.edit_cells(&Edit::SetLink { cell, face, weight }).map(|old| old as f32)
    }

    /// Makes an edit of cells. In a part of a divided world, edits the part's own cells and its
    /// ghosts. Returns the sum of what [`edit_cell`](BlastWorld::edit_cell) returns for each own
    /// cell.
    fn edit_cells(&mut self, edit: &Edit) -> Result<f64, EditError> {
        self.check_edit(edit)?;
        let mut sum = 0.0;
        if !self.pressure.is_divided() {
            // A loop over the flattened option is compiled to a test of unset memory, at which
            // memcheck stops.
            if let Some(region) = self.region_of(edit) {
                region.positions().for_each(|cell| sum += self.edit_cell(edit, cell));
            }
            return Ok(sum);
        }
        for region in self.regions_of(edit) {
            let is_own = !self.is_foreign_cell(region.min());
            for cell in region.positions() {
                let value = self.edit_cell(edit, cell);
                sum += if is_own { value } else { 0.0 };
            }
        }
        Ok(sum)
    }

    /// Returns the region of an edit.
    #[inline]
    fn region_of(&self, edit: &Edit) -> Option<Region> {
        match *edit {
            Edit::AddCharge { centre, radius, .. } => Some(around(self, centre, radius)),
            _ => edit.scope().region(),
        }
    }

    /// Returns the intersections of the region of an edit with a part's own chunks and with its
    /// ghosts.
    pub(super) fn regions_of(&self, edit: &Edit) -> SmallVec<[Region; 1]> {
        let region = self.region_of(edit);
        let chunks = region.into_iter().flat_map(|region| ChunkRegion::of::<S>(region).positions());
        let near = chunks.filter(|&chunk| self.pressure.is_near_own(chunk));
        near.filter_map(|chunk| S::region_of(chunk).intersection(&region?)).collect()
    }

    /// Checks an edit of cells. In a part of a divided world, the pressure and the links of a cell
    /// are checked by the part that owns it.
    pub(super) fn check_edit(&self, edit: &Edit) -> Result<(), EditError> {
        match *edit {
            Edit::SetPressure { cell, pressure } => {
                self.check_pressure(cell, pressure)?;
                self.check_open(cell)
            }
            Edit::AddPressure { cell, more } => {
                if !self.is_foreign_cell(cell) || self.check_inside(cell).is_err() {
                    self.check_pressure(cell, self.pressure(cell) + more)?;
                }
                self.check_open(cell)
            }
            Edit::FillPressure { region, pressure } => self.check_fill(region, pressure),
            Edit::SetSolid(cell) | Edit::ClearSolid(cell) => self.check_inside(cell),
            Edit::SetWall { cell, strength } => {
                self.check_inside(cell)?;
                check_strength(cell, strength)
            }
            Edit::FillSolid(region) => self.check_region(region),
            Edit::FillWall { region, strength } => {
                check_strength(region.min(), strength)?;
                self.check_region(region)
            }
            Edit::SetLink { cell, face, weight } => match self.check_link(cell, face, weight) {
                // A part has all links of a cell only if it owns the cell or a cell beside it.
                Err(EditError::Unstable { .. }) if self.is_foreign_cell(cell) => Ok(()),
                checked => checked,
            },
            Edit::AddCharge { centre, radius, pressure } => {
                let takes_none = |cell| self.is_foreign_cell(cell) || self.is_removed(cell);
                let check_sum = |cell, sum| self.check_pressure(cell, sum);
                check_charge(self, centre, radius, pressure, takes_none, check_sum).map(drop)
            }
            Edit::InsertChunk { .. } | Edit::RemoveChunk(_) | Edit::WakeAll => Ok(()),
        }
    }

    /// Makes an edit on one cell of its region. The pressure of a ghost may be out of date; a ghost
    /// for which the new pressure would be out of range is left as it is. Returns a number that
    /// depends on the edit: the new pressure for `AddPressure`, the change for `AddCharge`, the old
    /// weight for `SetLink`, 1 for `ClearSolid` of a removed cell and 0 of an open cell, and the
    /// old pressure for all other edits of cells.
    fn edit_cell(&mut self, edit: &Edit, cell: IVec3) -> f64 {
        match *edit {
            Edit::SetPressure { pressure, .. } | Edit::FillPressure { pressure, .. } => {
                self.put_pressure(cell, pressure).into()
            }
            Edit::AddPressure { more, .. } => {
                self.put_pressure(cell, self.pressure(cell) + more);
                self.pressure(cell).into()
            }
            Edit::SetSolid(_) | Edit::FillSolid(_) => self.set_matter(cell, Matter::Solid).into(),
            Edit::SetWall { strength, .. } | Edit::FillWall { strength, .. } => {
                self.set_matter(cell, Matter::Wall(strength)).into()
            }
            Edit::ClearSolid(_) => {
                let was_removed = self.is_removed(cell);
                if was_removed {
                    self.set_matter(cell, Matter::Open);
                }
                was_removed.into()
            }
            Edit::SetLink { face, weight, .. } => self.put_link(cell, face, weight).into(),
            Edit::AddCharge { centre, radius, pressure } => {
                self.add_bump(cell, pressure * bump(cell, centre, radius))
            }
            Edit::InsertChunk { .. } | Edit::RemoveChunk(_) | Edit::WakeAll => 0.0,
        }
    }

    /// Sets the pressure of a cell, unless the cell is removed or the new pressure is out of range.
    /// Returns the old pressure.
    fn put_pressure(&mut self, cell: IVec3, pressure: f32) -> f32 {
        let old = self.pressure(cell);
        if old != pressure && !self.is_removed(cell) && self.check_pressure(cell, pressure).is_ok()
        {
            self.write(cell, pressure);
        }
        old
    }

    /// Adds the pressure of a charge to a cell if the cell is open, its chunk admits pressure, and
    /// the sum is in range. Returns the pressure added.
    fn add_bump(&mut self, cell: IVec3, more: f32) -> f64 {
        let old = self.pressure(cell);
        let sum = old + more;
        let takes_it = more != 0.0
            && !self.is_removed(cell)
            && admits(self, S::chunk_of(cell))
            && self.check_pressure(cell, sum).is_ok();
        if !takes_it {
            return 0.0;
        }
        self.write(cell, sum);
        f64::from(sum) - f64::from(old)
    }

    fn is_foreign_cell(&self, cell: IVec3) -> bool {
        self.pressure.is_foreign(S::chunk_of(cell))
    }

    /// Checks that a cell is in the world and not removed. A cell of another part is only checked
    /// to be in the world.
    fn check_open(&self, cell: IVec3) -> Result<(), EditError> {
        self.check_inside(cell)?;
        match !self.is_foreign_cell(cell) && self.is_removed(cell) {
            true => Err(EditError::Solid(cell)),
            false => Ok(()),
        }
    }

    /// Checks a new weight of a link.
    fn check_link(&self, cell: IVec3, face: Face, weight: f32) -> Result<(), EditError> {
        self.check_inside(cell)?;
        if !(0.0..=WEIGHT_LIMIT).contains(&weight) {
            return Err(EditError::Weight { cell, face, value: weight });
        }
        let there = match self.space.beyond_cell::<S>(cell, face) {
            Beyond::There(there) if face.index() < S::NEIGHBOURS => there,
            _ => return Err(EditError::NoLink(cell, face)),
        };
        let old = self.weight(cell, face);
        for end in [cell, there] {
            let sum: f64 = Self::FACES.iter().map(|&face| f64::from(self.weight(end, face))).sum();
            // The link from a cell to itself, in a periodic world one cell wide, counts twice.
            let times = if cell == there { 2.0 } else { 1.0 };
            let weights = sum + times * (f64::from(weight) - f64::from(old));
            if weight > old && !self.rules.rule.is_stable(weights) {
                return Err(EditError::Unstable {
                    cell: end,
                    weights,
                    limit: self.rules.rule.limit(),
                });
            }
        }
        Ok(())
    }

    /// Sets the weight of the link behind a face of a cell. Returns the old weight. Leaves a
    /// ghost's link as it is, and returns 0, if the chunk behind the face is neither the part's own
    /// nor a ghost.
    fn put_link(&mut self, cell: IVec3, face: Face, weight: f32) -> f32 {
        let Beyond::There(there) = self.space.beyond_cell::<S>(cell, face) else { return 0.0 };
        if !self.pressure.is_near_own(S::chunk_of(there)) {
            return 0.0;
        }
        let weight = weight + POSITIVE_ZERO;
        let old = self.weight(cell, face);
        if old == weight {
            return old;
        }
        let owner = if is_positive(face) { cell } else { there };
        let slot = self.ensure_chunk(S::chunk_of(owner));
        self.ground_mut(slot).set_weight(axis(face), S::index_of(owner), weight);
        self.drop_plain_ground(slot);
        if weight < old {
            self.scale_flow(cell, face, weight / old);
        }
        update_links(self, cell);
        self.touch(cell);
        self.touch(there);
        old
    }

    /// Wakes every chunk. Has no other effect: a world with sleeping chunks equals one that never
    /// slept.
    pub fn wake_all(&mut self) {
        for slot in self.pressure.sorted_slots() {
            self.pressure.wake_chunk_at(slot);
        }
    }

    /// Makes a cell open space at pressure 0, solid, or a wall. Returns the pressure that was in
    /// it.
    fn set_matter(&mut self, cell: IVec3, matter: Matter) -> f32 {
        let slot = self.ensure_chunk(S::chunk_of(cell));
        let index = S::index_of(cell);
        let old = self.pressure.chunk_at_mut(slot).set(index, 0.0);
        self.rims.invalidate(slot);
        self.states[slot.index()].needs_audibility_check |= old != 0.0;
        self.post(slot, old, 0.0);
        let ground = self.ground_mut(slot);
        ground.solid.set(index, !matches!(matter, Matter::Open));
        let strength = if let Matter::Wall(strength) = matter { strength } else { 0.0 };
        ground.set_strength(index, strength);
        self.drop_plain_ground(slot);
        update_links(self, cell);
        self.touch(cell);
        old
    }

    /// Opens a wall that has broken.
    pub(super) fn open_wall(&mut self, cell: IVec3) {
        self.set_matter(cell, Matter::Open);
    }

    fn write(&mut self, cell: IVec3, pressure: f32) {
        let slot = self.ensure_chunk(S::chunk_of(cell));
        let index = S::index_of(cell);
        let old = self.pressure.chunk_at_mut(slot).set(index, pressure + POSITIVE_ZERO);
        self.rims.invalidate(slot);
        let state = &mut self.states[slot.index()];
        state.highest = state.highest.max(pressure.abs());
        self.states[slot.index()].is_audible |= pressure.abs() >= self.audible();
        self.states[slot.index()].needs_audibility_check |= pressure.abs() < old.abs();
        self.post(slot, old, pressure);
        self.touch(cell);
    }

    /// Posts a changed pressure to the ledger. The pressure of a ghost is in its owner's ledger.
    fn post(&mut self, slot: Slot, old: f32, pressure: f32) {
        if !self.pressure.is_ghost_at(slot) {
            self.books.change(f64::from(old), f64::from(pressure));
        }
    }

    /// Wakes a chunk and the chunks behind its faces.
    pub(super) fn wake_with_neighbours(&mut self, slot: Slot) {
        self.pressure.wake_chunk_at(slot);
        for (_, there) in self.chunks_behind(slot) {
            self.pressure.wake_chunk_at(there);
        }
    }

    /// Makes the same checks as [`fill_pressure`](BlastWorld::fill_pressure), in the same order.
    pub(crate) fn check_fill(&self, region: Region, pressure: f32) -> Result<(), EditError> {
        self.check_pressure(region.min(), pressure)?;
        self.check_region(region)
    }

    pub(crate) fn check_pressure(&self, cell: IVec3, value: f32) -> Result<(), EditError> {
        let fits = self.rules.rule.admits(f64::from(value));
        if fits { Ok(()) } else { Err(EditError::Pressure { cell, value }) }
    }

    pub(super) fn check_inside(&self, cell: IVec3) -> Result<(), EditError> {
        if self.space.bounds.contains(cell) { Ok(()) } else { Err(EditError::OutOfBounds(cell)) }
    }

    pub(super) fn check_region(&self, region: Region) -> Result<(), EditError> {
        self.check_inside(region.min())?;
        self.check_inside(region.max())?;
        let chunks = ChunkRegion::of::<S>(region).volume();
        if chunks > FILL_CHUNK_LIMIT { Err(EditError::RegionTooLarge { chunks }) } else { Ok(()) }
    }

    /// Adds the pressure of a charge around a cell: `pressure` at the centre, and `pressure · (1 −
    /// r²/R²)²` at a distance of `r` cells, less than the radius `R`. Under the wave rule a ring
    /// (on cubes a sphere) as wide as the charge runs out from the centre; pressure set in a single
    /// cell leaves speckles behind. Returns the sum of the pressure added: without obstacles about
    /// `1.05 R²` times the pressure on a sheet, where the charge fills only its own layer, and
    /// `0.96 R³` times the pressure on cubes.
    ///
    /// Removed cells are left out, and so are cells beyond the bounds, even at periodic borders.
    /// The centre may be one of the removed cells.
    ///
    /// ```
    /// use floodplain::blast::{BlastWorld, Rules};
    /// use floodplain::glam::IVec3;
    ///
    /// let mut world: BlastWorld = BlastWorld::new(Rules::wave(0.25, 0.98))?;
    /// let added = world.add_charge(IVec3::ZERO, 4.0, 100.0)?;
    /// assert!((added / (1.05 * 4.0 * 4.0 * 100.0) - 1.0).abs() < 0.01);
    /// assert_eq!(world.pressure(IVec3::ZERO), 100.0);
    /// assert_eq!(world.pressure(IVec3::new(0, 2, 0)), 56.25, "¾ squared");
    /// assert_eq!(world.pressure(IVec3::new(4, 0, 0)), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The centre is out of bounds; the radius is not a number from [`LEAST_CHARGE_RADIUS`] on; the
    /// charge touches more chunks than [`FILL_CHUNK_LIMIT`]; the pressure is not a number up to
    /// [`PRESSURE_LIMIT`] in size; or the pressure of a cell would be out of range.
    pub fn add_charge(
        &mut self,
        centre: IVec3,
        radius: f32,
        pressure: f32,
    ) -> Result<f64, EditError> {
        self.edit_cells(&Edit::AddCharge { centre, radius, pressure })
    }

    /// Loads a chunk of pressures. Cells beyond the bounds are ignored. The ledger counts pressures
    /// above 0 as placed, and pressures below 0 as removed.
    ///
    /// # Errors
    /// There is a chunk already, the chunk lies outside the world, or a pressure is out of range,
    /// even in a cell beyond the bounds.
    pub fn insert_chunk(
        &mut self,
        position: ChunkPos,
        mut chunk: Chunk<f32>,
    ) -> Result<(), EditError> {
        if self.pressure.slot(position).is_some() {
            return Err(EditError::ChunkPresent(position));
        }
        let bounds = self.space.bounds;
        let inside = self.inside_of(position)?;
        let is_wrong = |value: f32| !self.rules.rule.admits(f64::from(value));
        let wrong = match chunk.as_dense() {
            Some(cells) => cells.iter().position(|&value| is_wrong(value)),
            None => is_wrong(chunk.get(0)).then_some(0),
        };
        if let Some(index) = wrong {
            return Err(EditError::Pressure {
                cell: S::cell_at(position, index),
                value: chunk.get(index),
            });
        }
        let is_whole = inside == S::region_of(position);
        for (index, pressure) in chunk.cells_mut().iter_mut().enumerate() {
            let is_inside = is_whole || bounds.contains(S::cell_at(position, index));
            *pressure = if is_inside { *pressure + POSITIVE_ZERO } else { POSITIVE_ZERO };
        }
        let slot = self.add_chunk(position, chunk);
        self.states[slot.index()].is_unreported = false;
        self.states[slot.index()].is_audible = self.reaches_threshold(slot);
        let signed = sums_by_sign(self.pressure.chunk_at(slot));
        self.books.place(signed);
        self.wake_with_neighbours(slot);
        Ok(())
    }

    /// Unloads a chunk and returns its pressures. The ledger counts pressures above 0 as removed,
    /// and pressures below 0 as placed. Its walls, removed cells and weights are forgotten: it
    /// becomes open space at pressure 0.
    ///
    /// # Errors
    /// There is no such chunk, or a cell next to it would become unstable because the links that
    /// belong to the chunk fall back to weight 1.
    pub fn remove_chunk(&mut self, position: ChunkPos) -> Result<Chunk<f32>, EditError> {
        let slot = self.pressure.slot(position).ok_or(EditError::ChunkAbsent(position))?;
        self.check_removal(position, slot)?;
        self.wake_with_neighbours(slot);
        self.end_flows_into(slot);
        self.states[slot.index()] = ChunkState::default();
        let chunk = self.pressure.remove(position).ok_or(EditError::ChunkAbsent(position))?;
        self.books.remove(sums_by_sign(&chunk));
        for &face in Self::FACES {
            let side = self.space.side::<S>(position, face);
            for index in plane_cells::<S>(axis(face), side.plane) {
                let cell = S::cell_at(position, index);
                if let (true, Beyond::There(there)) =
                    (self.space.bounds.contains(cell), self.space.beyond_cell::<S>(cell, face))
                {
                    update_links(self, there);
                }
            }
        }
        Ok(chunk)
    }

    /// Returns the cells of a chunk that belong to the world.
    pub(super) fn inside_of(&self, position: ChunkPos) -> Result<Region, EditError> {
        S::holds_chunk(position)
            .then(|| self.space.bounds.intersection(&S::region_of(position)))
            .flatten()
            .ok_or(EditError::ChunkOutOfBounds(position))
    }

    /// Checks that every cell next to a chunk stays stable if the chunk's own links fall back to
    /// weight 1.
    fn check_removal(&self, position: ChunkPos, slot: Slot) -> Result<(), EditError> {
        if self.ground(slot).is_none() {
            return Ok(());
        }
        let is_owned = |cell: IVec3, face: Face| match self.space.beyond_cell::<S>(cell, face) {
            Beyond::There(there) => {
                S::chunk_of(if is_positive(face) { cell } else { there }) == position
            }
            _ => false,
        };
        for &face in Self::FACES {
            let side = self.space.side::<S>(position, face);
            for index in plane_cells::<S>(axis(face), side.plane) {
                let Beyond::There(there) =
                    self.space.beyond_cell::<S>(S::cell_at(position, index), face)
                else {
                    continue;
                };
                let weight = |&face: &Face| {
                    if is_owned(there, face) { 1.0 } else { self.weight(there, face) }
                };
                let weights: f64 = Self::FACES.iter().map(|face| f64::from(weight(face))).sum();
                if S::chunk_of(there) != position && !self.rules.rule.is_stable(weights) {
                    return Err(EditError::Unstable {
                        cell: there,
                        weights,
                        limit: self.rules.rule.limit(),
                    });
                }
            }
        }
        Ok(())
    }
}

fn check_strength(cell: IVec3, value: f32) -> Result<(), EditError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(EditError::Strength { cell, value }) }
}
