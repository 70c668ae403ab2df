//! Edits of the parts that leave the ground as it is; those that would change it are refused.

use crate::automata::blast::extent;
use crate::automata::humidity::step::still::set_still;
use crate::coords::{ChunkPos, Cube, Region, Shape};
use crate::simulation::EditValue;
use crate::world::World;
use crate::world::pressure::charge::set_pressure;
use crate::world::pressure::{Matter, charge, matter_at};
use crate::world::rules::error::EditError;
use crate::world::tick::contacts::note_still;
use crate::world::tick::touched::{touch, touch_pressure};
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
            note_still(self, chunk);
            touch(self, chunk);
        }
    }

    /// Freezes or thaws the soil and the pressure of a chunk, as its water.
    pub(in crate::world) fn set_still(&mut self, chunk: ChunkPos, is_still: bool) {
        set_still(&mut self.soil, chunk, is_still);
        extent::set_still(&mut self.blast, chunk, is_still);
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
                touch(self, Cube::chunk_of(cell));
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
        touch_pressure(self);
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
                if matter_at(self, cell) != Matter::Open {
                    return Err(blast::EditError::Solid(cell).into());
                }
                let is_sum = matches!(edit, Edit::AddPressure { .. });
                let before = if is_sum { self.blast.pressure(cell) } else { 0.0 };
                set_pressure(self, Region::cell(cell), before + value, edit)
            }
            Edit::FillPressure { region, pressure } => set_pressure(self, region, pressure, edit),
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

    /// Sets off a charge: adds pressure around a cell as
    /// [`BlastWorld::add_charge`](crate::blast::BlastWorld::add_charge) does, `pressure` at the
    /// centre, falling off smoothly to 0 at `radius` cells. Returns the sum of the pressure added.
    ///
    /// It is laid in open cells only: solid ground takes none, nor does water that [stops
    /// pressure](crate::world::UnderWater). So a charge inside a wall pushes at both its sides, one
    /// that is wholly in ground or deep in water does nothing, and adds 0.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 7, |_| soil, air);
    /// world.insert_chunk(ChunkPos::ZERO, ground)?;
    /// assert!(world.charge(IVec3::new(8, 8, 8), 3.0, 200.0)? > 1_000.0);
    /// assert_eq!(world.pressure(IVec3::new(8, 8, 8)), 200.0);
    /// assert_eq!(world.pressure(IVec3::new(8, 7, 8)), 0.0, "soil");
    /// assert_eq!(world.charge(IVec3::new(8, 2, 8), 3.0, 200.0)?, 0.0, "all soil");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Pressure enters loaded chunks only, within [`blast_reach`](crate::world::Rules::blast_reach)
    /// chunks of the centre's chunk. Pressure that gets to the end of these chunks leaves the
    /// world; the ledger of pressure counts it as left.
    ///
    /// By default, over flat ground of the [natural palette](crate::world::Palette::natural), a
    /// charge in the first cell above the ground leaves a crater of this many cells, and is silent
    /// within twelve ticks:
    ///
    /// | radius | pressure | sand | soil | rock |
    /// |---|---|---|---|---|
    /// | 3 | 200 | 79, 3 deep | 44, 4 deep | 5, 1 deep |
    /// | 4 | 400 | 390, 6 deep | 250, 6 deep | 21, 1 deep |
    /// | 4 | 800 | 877, 9 deep | 571, 8 deep | 78, 3 deep |
    /// | 6 | 800 | 1964, 12 deep | 1465, 10 deep | 223, 3 deep |
    ///
    /// # Errors
    /// The centre is not loaded; a radius above [`most_radius`](crate::world::Rules::most_radius);
    /// a pressure, or the resulting pressure of a cell, above
    /// [`most_pressure`](crate::world::Rules::most_pressure) in size; the errors of
    /// [`BlastWorld::add_charge`](crate::blast::BlastWorld::add_charge), as [`EditError::Blast`].
    pub fn charge(&mut self, centre: IVec3, radius: f32, pressure: f32) -> Result<f64, EditError> {
        charge::charge(self, centre, radius, pressure)
    }
}

/// Refuses an edit of a part that would change its ground.
fn changes_ground<T>(part: &'static str, edit: &'static str) -> Result<T, EditError> {
    Err(EditError::ChangesGround { part, edit })
}
