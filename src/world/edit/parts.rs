//! Edits of the parts that leave the ground as it is; those that would change it are refused.

use crate::automata::blast::extent;
use crate::automata::humidity::step::still::set_still;
use crate::coords::{ChunkPos, Cube, Region, Shape};
use crate::edit_table::Tabled;
use crate::world::World;
use crate::world::pressure::charge::set_pressure;
use crate::world::pressure::{Matter, charge, matter_at};
use crate::world::rules::error::EditError;
use crate::world::tick::contacts::note_still;
use crate::world::tick::touched::{touch, touch_pressure};
use crate::{blast, humidity, water};
use glam::IVec3;

impl World {
    /// Makes an edit of water. Those that make cells water or sea must find them open.
    pub(in crate::world) fn edit_water(
        &mut self,
        edit: water::Edit,
    ) -> Result<water::Outcome, EditError> {
        use water::{Edit, Outcome};
        check_ground_stays("water", &edit)?;
        match edit {
            Edit::FillWater { region, .. } | Edit::FillSea(region) => self.check_open(region)?,
            Edit::SetSea(cell) => self.check_open(Region::cell(cell))?,
            Edit::Freeze(chunks) => return self.freeze(chunks).map(Outcome::Changed),
            Edit::Thaw(chunks) => return self.thaw(chunks).map(Outcome::Changed),
            Edit::SetRules(rules) => {
                return self.set_water_rules(rules).map(|()| Outcome::Done);
            }
            _ => {}
        }
        Ok(self.water.apply(edit)?)
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
        check_ground_stays("soil", &edit)?;
        if let Edit::SetHumidity { cell, .. } | Edit::SetRain { cell, .. } | Edit::ClearRain(cell) =
            edit
        {
            self.check_permeable(cell)?;
            // Where it stands still, it does not count as awake.
            touch(self, Cube::chunk_of(cell));
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
        check_ground_stays("blast", &edit)?;
        match edit {
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
            _ => Ok(self.blast.apply(edit)?),
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
fn check_ground_stays(part: &'static str, edit: &impl Tabled) -> Result<(), EditError> {
    if edit.scope().changes_ground() {
        return Err(EditError::ChangesGround { part, edit: edit.name() });
    }
    Ok(())
}
