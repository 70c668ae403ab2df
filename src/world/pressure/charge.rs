//! Charges, and other pressure added to a world: only to cells that are open to pressure at that
//! time.

use crate::blast;
use crate::coords::{ChunkRegion, Cube, Region};
use crate::world::World;
use crate::world::pressure::Matter;
use crate::world::rules::error::EditError;
use glam::IVec3;

impl World {
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
    /// use floodplain::world::{Content, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = Content::from_heights(ChunkPos::ZERO, |_, _| 7, |_| soil, air);
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
        self.settle();
        self.touch_pressure();
        let most = self.rules.most_radius;
        if radius > most {
            return Err(EditError::Radius { centre, value: radius, most });
        }
        self.check_pressure(centre, pressure)?;
        let takes_none =
            |cell| self.material(cell).is_none() || self.matter_at(cell) != Matter::Open;
        let check_sum = |cell, sum| self.check_pressure(cell, sum);
        let region = self.blast.check_charge(centre, radius, pressure, takes_none, check_sum)?;
        self.check_loaded(Region::cell(centre))?;
        self.reach_from(ChunkRegion::of::<Cube>(Region::cell(centre)));
        self.lend_region(region)?;
        let added = self.blast.add_charge(centre, radius, pressure)?;
        self.lend_region(region)?;
        self.forget_origins();
        Ok(added)
    }

    /// Lends the ground there, then sets the pressure of a region or a cell by an edit that open
    /// cells do not refuse.
    pub(in crate::world) fn set_pressure(
        &mut self,
        region: Region,
        pressure: f32,
        edit: blast::Edit,
    ) -> Result<blast::Outcome, EditError> {
        // Before any ground is lent: a refused edit changes nothing.
        self.blast.check_fill(region, pressure)?;
        self.check_loaded(region)?;
        self.check_pressure(region.min(), pressure)?;
        self.reach_from(ChunkRegion::of::<Cube>(region));
        self.lend_region(region)?;
        let outcome = self.blast.apply(edit)?;
        self.lend_region(region)?;
        self.forget_origins();
        Ok(outcome)
    }

    /// Checks a resulting pressure against the limit of the rules.
    fn check_pressure(&self, cell: IVec3, value: f32) -> Result<(), EditError> {
        self.blast.check_pressure(cell, value)?;
        let most = self.rules.most_pressure;
        if value.abs() > most {
            return Err(EditError::Pressure { cell, value, most });
        }
        Ok(())
    }
}
