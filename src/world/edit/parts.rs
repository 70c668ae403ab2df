//! Edits of the parts that leave the ground as it is; those that would change it are refused.

use crate::coords::{ChunkPos, Cube, Region, Shape};
use crate::world::World;
use crate::world::pressure::Matter;
use crate::world::rules::error::EditError;
use crate::{blast, humidity, water};
use glam::IVec3;

impl World {
    /// Makes an edit of water, as the function of its name does. Those that make cells water or sea
    /// must find them open.
    pub(in crate::world) fn edit_water(
        &mut self,
        edit: water::Edit,
    ) -> Result<water::Outcome, EditError> {
        use water::{Edit, Outcome};
        let units = |units: u32| Outcome::Units(units.into());
        match edit {
            Edit::SetSolid(_)
            | Edit::ClearSolid(_)
            | Edit::FillSolid(_)
            | Edit::InsertChunk { .. }
            | Edit::InsertChunks(_)
            | Edit::RemoveChunk(_)
            | Edit::RemoveChunks(_)
            | Edit::InsertRecords(_) => changes_ground("water", edit.name()),
            Edit::AddSource(cell) => self.add_source(cell).map(Outcome::Changed),
            Edit::RemoveSource(cell) => self.remove_source(cell).map(Outcome::Changed),
            Edit::Pour { cell, units: most } => self.pour(cell, most).map(units),
            Edit::Scoop { cell, units: most } => self.scoop(cell, most).map(units),
            Edit::DrainBody { cell, units: most } => self.drain_body(cell, most).map(units),
            Edit::FillBody { cell, units: most } => self.fill_body(cell, most).map(units),
            Edit::FillWater { region, height } => {
                self.fill_water(region, height).map(Outcome::Units)
            }
            Edit::SetSea(cell) => {
                self.check_open(Region::cell(cell))?;
                Ok(self.water.apply(edit)?)
            }
            Edit::ClearSea(cell) => self.clear_sea(cell).map(Outcome::Changed),
            Edit::FillSea(region) => self.fill_sea(region).map(Outcome::Units),
            Edit::SetEdge { column, edge } => Ok(Outcome::Changed(self.set_edge(column, edge))),
            Edit::SetFixture { cell, fixture } => {
                self.set_fixture(cell, fixture).map(Outcome::Changed)
            }
            Edit::Freeze(chunks) => self.freeze(chunks).map(Outcome::Changed),
            Edit::Thaw(chunks) => self.thaw(chunks).map(Outcome::Changed),
            Edit::SetRules(rules) => self.set_water_rules(rules).map(|()| Outcome::Done),
            Edit::WakeAll => Ok(self.water.apply(edit)?),
        }
    }

    /// Freezes or thaws the soil and the pressure of chunks, as their water.
    pub(in crate::world) fn follow_stillness(&mut self, chunks: &[ChunkPos]) {
        for &chunk in chunks {
            self.set_still(chunk, self.water.is_frozen(chunk));
            self.note_still(chunk);
            self.touch(chunk);
        }
    }

    /// Freezes or thaws the soil and the pressure of a chunk, as its water.
    pub(in crate::world) fn set_still(&mut self, chunk: ChunkPos, is_still: bool) {
        self.soil.set_still(chunk, is_still);
        self.blast.set_still(chunk, is_still);
    }

    /// Makes an edit of the moisture of permeable cells.
    pub(in crate::world) fn edit_soil(
        &mut self,
        edit: humidity::Edit,
    ) -> Result<humidity::Outcome, EditError> {
        use humidity::Edit;
        match edit {
            Edit::SetImpermeability { .. }
            | Edit::SetRock(_)
            | Edit::SetCell { .. }
            | Edit::FillCells { .. }
            | Edit::InsertChunk { .. }
            | Edit::RemoveChunk(_) => return changes_ground("soil", edit.name()),
            Edit::SetHumidity { cell, .. } | Edit::SetRain { cell, .. } | Edit::ClearRain(cell) => {
                self.check_permeable(cell)?;
                // Where it stands still, it does not count as awake.
                self.touch(Cube::chunk_of(cell));
            }
            Edit::WakeAll => {}
        }
        Ok(self.soil.apply(edit)?)
    }

    /// Makes an edit of pressure, after lending the ground where it is made.
    pub(in crate::world) fn edit_blast(
        &mut self,
        edit: blast::Edit,
    ) -> Result<blast::Outcome, EditError> {
        use blast::Edit;
        self.touch_pressure();
        match edit {
            Edit::SetSolid(_)
            | Edit::SetWall { .. }
            | Edit::ClearSolid(_)
            | Edit::FillSolid(_)
            | Edit::FillWall { .. }
            | Edit::SetLink { .. }
            | Edit::InsertChunk { .. }
            | Edit::RemoveChunk(_) => changes_ground("blast", edit.name()),
            Edit::SetPressure { cell, pressure: value }
            | Edit::AddPressure { cell, more: value } => {
                if self.matter_at(cell) != Matter::Open {
                    return Err(blast::EditError::Solid(cell).into());
                }
                let is_sum = matches!(edit, Edit::AddPressure { .. });
                let before = if is_sum { self.blast.pressure(cell) } else { 0.0 };
                self.set_pressure(Region::cell(cell), before + value, edit)
            }
            Edit::FillPressure { region, pressure } => self.set_pressure(region, pressure, edit),
            Edit::AddCharge { centre, radius, pressure } => {
                self.charge(centre, radius, pressure).map(blast::Outcome::Sum)
            }
            Edit::WakeAll => Ok(self.blast.apply(edit)?),
        }
    }

    /// Refuses a region with a cell that is not loaded, or solid.
    pub(in crate::world) fn check_open(&self, region: Region) -> Result<(), EditError> {
        self.check_loaded(region)?;
        for cell in region.positions() {
            let material = self.ground.get(cell);
            if self.palette.traits(material).solid {
                return Err(EditError::Ground { cell, material });
            }
        }
        Ok(())
    }

    fn check_permeable(&self, cell: IVec3) -> Result<(), EditError> {
        self.check_loaded(Region::cell(cell))?;
        let material = self.ground.get(cell);
        if self.palette.traits(material).is_permeable() {
            Ok(())
        } else {
            Err(EditError::Impermeable { cell, material })
        }
    }
}

/// Refuses an edit of a part that would change its ground.
fn changes_ground<T>(part: &'static str, edit: &'static str) -> Result<T, EditError> {
    Err(EditError::ChangesGround { part, edit })
}
