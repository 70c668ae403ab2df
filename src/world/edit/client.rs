//! Edits that clients send, within limits.

use crate::limits::{ClientEditError, Demand, EditKinds, Limits};
use crate::world::World;
use crate::world::edit::{Edit, Outcome};
use crate::world::rules::error::EditError;
use crate::{blast, humidity};

impl Edit {
    /// Returns what the edit asks for, as far as there are limits of it.
    pub(crate) fn demand(&self) -> Demand {
        let of = Demand::new;
        match *self {
            Edit::SetMaterial { cell, .. } => of("SetMaterial", EditKinds::GROUND).at(cell),
            Edit::FillMaterial { region, .. } => {
                of("FillMaterial", EditKinds::GROUND).within(region)
            }
            Edit::Rain { from, units } => of("Rain", EditKinds::MOISTURE).at(from).units(units),
            Edit::Charge { centre, radius, pressure } => {
                of("Charge", EditKinds::PRESSURE).charge(centre, radius, pressure)
            }
            Edit::Water(ref edit) => edit.demand(),
            Edit::Soil(ref edit) => of_soil(edit),
            Edit::Blast(ref edit) => of_blast(edit),
            Edit::InsertChunk { .. } => of("InsertChunk", EditKinds::WORLD),
            Edit::RemoveChunk(_) => of("RemoveChunk", EditKinds::WORLD),
            Edit::RemoveChunks(_) => of("RemoveChunks", EditKinds::WORLD),
            Edit::InsertRecords(_) => of("InsertRecords", EditKinds::WORLD),
            Edit::WakeAll => of("WakeAll", EditKinds::WORLD),
        }
    }
}

/// Of moisture, those edits that a world takes. The others change its ground.
fn of_soil(edit: &humidity::Edit) -> Demand {
    use humidity::Edit;
    let of = Demand::new;
    match *edit {
        // These create moisture that no limit counts.
        Edit::SetHumidity { cell, .. } => of("SetHumidity", EditKinds::WORLD).at(cell),
        Edit::SetRain { cell, .. } => of("SetRain", EditKinds::WORLD).at(cell),
        Edit::ClearRain(cell) => of("ClearRain", EditKinds::MOISTURE).at(cell),
        _ => of("an edit of soil", EditKinds::WORLD),
    }
}

/// Of pressure, those edits that a world takes. The others change its ground.
fn of_blast(edit: &blast::Edit) -> Demand {
    use blast::Edit;
    let of = |edit| Demand::new(edit, EditKinds::PRESSURE);
    match *edit {
        Edit::SetPressure { cell, pressure } => of("SetPressure").at(cell).pressure(pressure),
        Edit::AddPressure { cell, more } => of("AddPressure").at(cell).pressure(more),
        Edit::FillPressure { region, pressure } => {
            of("FillPressure").within(region).pressure(pressure)
        }
        Edit::AddCharge { centre, radius, pressure } => {
            of("AddCharge").charge(centre, radius, pressure)
        }
        _ => Demand::new("an edit of explosions", EditKinds::WORLD),
    }
}

impl World {
    /// Makes an edit that a client has sent, if it keeps within limits; see
    /// [`apply`](World::apply).
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{Edit, Palette, Rules, World};
    /// use floodplain::{ClientEditError, EditKinds, LimitError, Limits};
    ///
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let limits = Limits { kinds: EditKinds::PRESSURE, ..Limits::default() };
    /// let charge = Edit::Charge { centre: IVec3::ZERO, radius: 3.0, pressure: 1e18 }.to_bytes();
    /// let error = LimitError::Pressure { pressure: 1e18, most: 1_000.0 };
    /// assert_eq!(world.apply_bytes(&charge, &limits), Err(ClientEditError::Limit(error)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// and reports wait than these say; see [`queue`](World::queue).
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
