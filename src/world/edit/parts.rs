//! Edits of the parts that leave the ground as it is; edits that would change the ground are
//! refused. What an edit needs of the ground stands in its row of the part's table. Here is only
//! what such needs mean in a world of materials, and the edits that concern more than one part.

use crate::automata::blast::extent;
use crate::automata::humidity::step::still::set_still;
use crate::coords::{ChunkPos, ChunkRegion, Cube, Region};
use crate::edit_table::Tabled;
use crate::limits::{EditScope, GroundUse};
use crate::world::World;
use crate::world::pressure::charge::set_pressure;
use crate::world::pressure::{Matter, charge, matter_at};
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use crate::world::rules::palette::Traits;
use crate::world::tick::contacts::note_still;
use crate::world::tick::touched::{touch, touch_pressure};
use crate::{blast, humidity, water};
use glam::IVec3;

impl World {
    /// Makes an edit of water.
    pub(in crate::world) fn edit_water(
        &mut self,
        edit: water::Edit,
    ) -> Result<water::Outcome, EditError> {
        use water::{Edit, Outcome};
        self.check_ground("water", &edit.scope())?;
        match edit {
            Edit::Freeze(chunks) => self.freeze(chunks).map(Outcome::Changed),
            Edit::Thaw(chunks) => self.thaw(chunks).map(Outcome::Changed),
            Edit::SetRules(rules) => self.set_water_rules(rules).map(|()| Outcome::Done),
            _ => Ok(self.water.apply(edit)?),
        }
    }

    /// Freezes the soil and the pressure of each of `chunks` if its water is frozen, and thaws them
    /// otherwise.
    pub(in crate::world) fn follow_stillness(&mut self, chunks: &[ChunkPos]) {
        for &chunk in chunks {
            self.set_still(chunk, self.water.is_frozen(chunk));
            note_still(self, chunk);
            touch(self, chunk);
        }
    }

    /// Freezes or thaws the soil and the pressure of a chunk.
    pub(in crate::world) fn set_still(&mut self, chunk: ChunkPos, is_still: bool) {
        set_still(&mut self.soil, chunk, is_still);
        extent::set_still(&mut self.blast, chunk, is_still);
    }

    /// Makes an edit of the moisture of permeable cells.
    pub(in crate::world) fn edit_soil(
        &mut self,
        edit: humidity::Edit,
    ) -> Result<humidity::Outcome, EditError> {
        let scope = edit.scope();
        self.check_ground("soil", &scope)?;
        if let Some(region) = scope.region() {
            // Chunks that stand still do not count as awake, so they are noted here.
            ChunkRegion::of::<Cube>(region).positions().for_each(|chunk| touch(self, chunk));
        }
        Ok(self.soil.apply(edit)?)
    }

    /// Makes an edit of pressure, after lending the ground where it is made.
    pub(in crate::world) fn edit_blast(
        &mut self,
        edit: blast::Edit,
    ) -> Result<blast::Outcome, EditError> {
        touch_pressure(self);
        let scope = edit.scope();
        refuse_change("blast", &scope)?;
        if let blast::Edit::AddCharge { centre, radius, pressure } = edit {
            return self.charge(centre, radius, pressure).map(blast::Outcome::Sum);
        }
        let Some(region) = scope.region() else { return Ok(self.blast.apply(edit)?) };
        let cell = region.min();
        // Full cells of water may be closed to pressure.
        if scope.ground_use() == GroundUse::Open && matter_at(self, cell) != Matter::Open {
            return Err(blast::EditError::Solid(cell).into());
        }
        set_pressure(self, region, scope.pressure_after(self.blast.pressure(cell)), edit)
    }

    /// Refuses an edit of a part that would change its ground, or that does not fit the ground.
    fn check_ground(&self, part: &'static str, scope: &EditScope) -> Result<(), EditError> {
        refuse_change(part, scope)?;
        match (scope.ground_use(), scope.region()) {
            (GroundUse::Open, Some(region)) => self.check_open(region),
            (GroundUse::Permeable, Some(region)) => self.check_permeable(region),
            _ => Ok(()),
        }
    }

    /// Refuses a region with a cell that is not loaded, or solid.
    pub(in crate::world) fn check_open(&self, region: Region) -> Result<(), EditError> {
        match self.find_ground(region, |traits| traits.solid)? {
            Some((cell, material)) => Err(EditError::Ground { cell, material }),
            None => Ok(()),
        }
    }

    /// Refuses a region with a cell that is not loaded, or not permeable.
    fn check_permeable(&self, region: Region) -> Result<(), EditError> {
        match self.find_ground(region, |traits| !traits.is_permeable())? {
            Some((cell, material)) => Err(EditError::Impermeable { cell, material }),
            None => Ok(()),
        }
    }

    /// Returns the first cell of a loaded region whose material is of some kind.
    fn find_ground(
        &self,
        region: Region,
        is_of_kind: fn(Traits) -> bool,
    ) -> Result<Option<(IVec3, MaterialId)>, EditError> {
        self.check_loaded(region)?;
        let ground = region.positions().map(|cell| (cell, self.ground.get(cell)));
        Ok({ ground }.find(|&(_, material)| is_of_kind(self.palette.traits(material))))
    }

    /// Sets off a charge: adds pressure around a cell as
    /// [`BlastWorld::add_charge`](crate::blast::BlastWorld::add_charge) does, `pressure` at the
    /// centre, falling off smoothly to 0 at `radius` cells. Returns the sum of the pressure added.
    ///
    /// Pressure is added to open cells only: solid ground takes none, nor does water that [stops
    /// pressure](crate::world::UnderWater). So a charge inside a wall pushes at both sides of the
    /// wall, and a charge that is wholly in ground or deep in water adds 0.
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
    /// The centre is not loaded; the radius is above
    /// [`most_radius`](crate::world::Rules::most_radius); the pressure, or the resulting pressure
    /// of a cell, is above [`most_pressure`](crate::world::Rules::most_pressure) in size; or
    /// [`BlastWorld::add_charge`](crate::blast::BlastWorld::add_charge) refuses the charge, as
    /// [`EditError::Blast`].
    pub fn charge(&mut self, centre: IVec3, radius: f32, pressure: f32) -> Result<f64, EditError> {
        charge::charge(self, centre, radius, pressure)
    }
}

/// Refuses an edit of a part that would change its ground.
fn refuse_change(part: &'static str, scope: &EditScope) -> Result<(), EditError> {
    if scope.ground_use() == GroundUse::Changes {
        return Err(EditError::ChangesGround { part, edit: scope.edit_name() });
    }
    Ok(())
}
