//! Edits that clients send, within limits.

use crate::limits::{ClientEditError, Demand, EditKinds, Limits};
use crate::water::edit::{Edit, EditError, Outcome};
use crate::water::{WaterWorld, cell::FULL};

impl Edit {
    /// Returns what the edit asks for, as far as there are limits of it.
    pub(crate) fn demand(&self) -> Demand {
        let of = Demand::new;
        match *self {
            Edit::SetSolid(cell) => of("SetSolid", EditKinds::GROUND).at(cell),
            Edit::ClearSolid(cell) => of("ClearSolid", EditKinds::GROUND).at(cell),
            Edit::FillSolid(region) => of("FillSolid", EditKinds::GROUND).within(region),
            Edit::Pour { cell, units } => of("Pour", EditKinds::WATER).at(cell).units(units),
            Edit::Scoop { cell, units } => of("Scoop", EditKinds::WATER).at(cell).units(units),
            Edit::DrainBody { cell, units } => {
                of("DrainBody", EditKinds::WATER).at(cell).units(units)
            }
            Edit::FillBody { cell, units } => {
                of("FillBody", EditKinds::WATER).at(cell).units(units)
            }
            Edit::FillWater { region, height } => {
                of("FillWater", EditKinds::WATER).within(region).units_each(height.min(FULL))
            }
            Edit::AddSource(cell) => of("AddSource", EditKinds::SPRINGS).at(cell),
            Edit::RemoveSource(cell) => of("RemoveSource", EditKinds::SPRINGS).at(cell),
            Edit::SetFixture { cell, .. } => of("SetFixture", EditKinds::SPRINGS).at(cell),
            Edit::SetSea(cell) => of("SetSea", EditKinds::SEA).at(cell),
            Edit::ClearSea(cell) => of("ClearSea", EditKinds::SEA).at(cell),
            Edit::FillSea(region) => of("FillSea", EditKinds::SEA).within(region),
            Edit::InsertChunk { .. } => of("InsertChunk", EditKinds::WORLD),
            Edit::InsertChunks(_) => of("InsertChunks", EditKinds::WORLD),
            Edit::RemoveChunk(_) => of("RemoveChunk", EditKinds::WORLD),
            Edit::RemoveChunks(_) => of("RemoveChunks", EditKinds::WORLD),
            Edit::InsertRecords(_) => of("InsertRecords", EditKinds::WORLD),
            Edit::WakeAll => of("WakeAll", EditKinds::WORLD),
            Edit::SetRules(_) => of("SetRules", EditKinds::WORLD),
            Edit::SetEdge { .. } => of("SetEdge", EditKinds::WORLD),
            Edit::Freeze(_) => of("Freeze", EditKinds::WORLD),
            Edit::Thaw(_) => of("Thaw", EditKinds::WORLD),
        }
    }
}

impl WaterWorld {
    /// Makes an edit that a client has sent, if it keeps within limits; see
    /// [`apply`](WaterWorld::apply).
    ///
    /// # Errors
    /// The bytes are no edit, it breaks a limit, or the world refuses it. It changed nothing.
    pub fn apply_bytes(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Outcome, ClientEditError<EditError>> {
        let edit = limits.read(bytes, Edit::from_bytes, Edit::demand)?;
        self.apply(edit).map_err(ClientEditError::Edit)
    }

    /// Puts an edit in line that a client has sent, if it keeps within limits, and no more edits
    /// and reports wait than these say; see [`queue`](WaterWorld::queue).
    ///
    /// # Errors
    /// The bytes are no edit, it breaks a limit, or too many wait. Whether the world refuses it is
    /// in its report.
    pub fn queue_bytes(
        &mut self,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<u64, ClientEditError<EditError>> {
        limits.check_waiting(self.queue.all())?;
        Ok(self.queue(limits.read(bytes, Edit::from_bytes, Edit::demand)?))
    }
}
