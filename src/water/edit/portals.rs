//! The portals of a world that is a region of a divided world, opened and closed between ticks, and
//! water that is taken at the region's face. `store/flow/portals.rs` says what portals are.

use crate::chunk::Chunk;
use crate::coords::{Cube, Face, Shape};
use crate::water::WaterWorld;
use crate::water::body::BodySearch;
use crate::water::cell::FULL;
use crate::water::edit::EditError;
use crate::water::store::Place;
use crate::water::store::flow::portals::Portal;
use crate::water::voxel::Voxel;
use glam::IVec3;

impl WaterWorld {
    /// Opens a portal, a spring or an outlet, in a cell beyond the region's face; its quota is 0.
    /// The ledger enters the units of a spring as injected. If the chunk of the cell is not loaded,
    /// it is loaded as solid ground.
    ///
    /// # Errors
    /// The cell is out of bounds.
    pub(crate) fn open_portal(&mut self, cell: IVec3, is_spring: bool) -> Result<(), EditError> {
        let chunk = Cube::chunk_of(cell);
        if self.store.grid().slot(chunk).is_none() {
            self.insert_chunk(chunk, Chunk::uniform(Voxel::SOLID))?;
        }
        self.clear_solid(cell)?;
        if is_spring {
            self.add_source(cell)?;
        }
        let place = self.place(cell)?;
        self.store.portals_mut().insert(place, Portal { is_spring, ..Portal::default() });
        Ok(())
    }

    /// Closes a portal. Returns the units of water that were in its cell; the ledger enters them as
    /// removed.
    ///
    /// # Errors
    /// The cell is out of bounds or not loaded.
    pub(crate) fn close_portal(&mut self, cell: IVec3) -> Result<u8, EditError> {
        let place = self.place(cell)?;
        self.store.portals_mut().remove(&place);
        self.remove_source(cell)?;
        let units = self.scoop(cell, FULL.into())?;
        self.set_solid(cell)?;
        Ok(units as u8)
    }

    /// Returns the portals: the cell of each, whether it is a spring, and its quota.
    pub(crate) fn portals(&self) -> impl Iterator<Item = (IVec3, (bool, u8))> {
        let portals = self.store.portals().iter();
        portals.map(|(&place, of)| (self.store.position(place), (of.is_spring, of.quota)))
    }

    /// Makes a cell of a loaded world a portal again, with the quota that it had when the world was
    /// saved.
    ///
    /// # Errors
    /// The cell is out of bounds or not loaded.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restore_portal(
        &mut self,
        cell: IVec3,
        (is_spring, quota): (bool, u8),
    ) -> Result<(), EditError> {
        let place = self.place(cell)?;
        let portal = Portal { is_spring, quota, ..Portal::default() };
        self.store.portals_mut().insert(place, portal);
        Ok(())
    }

    /// Begins a tick's account of a portal, with a quota. If the quota is higher than before, wakes
    /// the cell of the portal and the cells beside it.
    pub(crate) fn set_quota(&mut self, cell: IVec3, quota: u8) {
        let Ok(place) = self.place(cell) else { return };
        let Some(portal) = self.store.portals_mut().get_mut(&place) else { return };
        let before = core::mem::replace(&mut portal.quota, quota);
        portal.passed = 0;
        // Only flow that is passed on by a record is noted at its portal.
        self.store.note_unrest(place.slot);
        if quota < before {
            self.store.note_unbalanced(place.slot);
        }
        if quota > before {
            self.store.wake(place);
            for face in Face::LATERAL {
                let beside = self.store.step(place, face);
                if beside.is_some() {
                    self.store.wake(beside);
                }
            }
        }
    }

    /// Returns the units that a portal has passed in the last tick.
    pub(crate) fn passed_portal(&self, cell: IVec3) -> u8 {
        let portal = self.place(cell).ok().and_then(|place| self.store.portals().get(&place));
        portal.map_or(0, |portal| portal.passed)
    }

    /// Returns the spring at the root of a cell's flow, along first parents; `None` if the cell is
    /// not connected to one.
    pub(crate) fn root_of(&self, cell: IVec3) -> Option<IVec3> {
        let mut place = self.place(cell).ok()?;
        loop {
            let voxel = self.store.read(place);
            if voxel.is_source() {
                return Some(self.store.position(place));
            }
            if !voxel.is_connected() {
                return None;
            }
            place = self.store.across(place, voxel.parent_face()?)?;
        }
    }

    /// Takes up to `units` out of the highest cells of a body for which `may_give` is true, as
    /// [`drain_body`](WaterWorld::drain_body) does, but not from springs or the sea. Returns the
    /// number of units taken; the ledger enters them as removed.
    pub(crate) fn lower_body(
        &mut self,
        cell: IVec3,
        units: u64,
        reach: u64,
        may_give: impl Fn(IVec3) -> bool,
    ) -> u64 {
        let Ok(start) = self.place(cell) else { return 0 };
        if !self.store.read(start).is_wet() {
            return 0;
        }
        let (mut search, mut left) = (BodySearch::new(self, start, reach), units);
        while left > 0 {
            let Some(place) = search.next(self) else { break };
            let voxel = self.store.read(place);
            if voxel.is_source() || !may_give(self.store.position(place)) {
                continue;
            }
            let given = left.min(voxel.height().into());
            self.take_out(place, given as u32);
            left -= given;
        }
        units - left
    }

    /// Returns the voxel of a cell; `None` if it is not loaded or out of bounds.
    pub(crate) fn voxel_now(&self, cell: IVec3) -> Option<Voxel> {
        self.place(cell).ok().map(|place: Place| self.store.read(place))
    }
}
