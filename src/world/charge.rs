//! Charges, and other pressure that is added to a world: to the cells that are open to it now.

use super::World;
use super::error::EditError;
use super::pressure::Matter;
use crate::blast;
use crate::coords::Region;
use glam::IVec3;

impl World {
    /// Lets a charge go off: adds pressure around a cell as
    /// [`BlastWorld::add_charge`](crate::blast::BlastWorld::add_charge) does, `pressure` at the
    /// centre, falling off smoothly to 0 at `radius` cells. Returns the sum of what was added.
    ///
    /// It is laid in open cells only: solid ground takes none, nor does water that
    /// [stops pressure](super::Submerged). So a charge inside a wall pushes at both its sides, one
    /// that is wholly in ground or deep in water does nothing, and adds 0.
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{Content, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// world.insert_chunk(IVec3::ZERO, Content::from_heights(IVec3::ZERO, |_, _| 7, |_| soil, air))?;
    /// assert!(world.charge(IVec3::new(8, 8, 8), 3.0, 200.0)? > 1_000.0);
    /// assert_eq!(world.pressure(IVec3::new(8, 8, 8)), 200.0);
    /// assert_eq!(world.pressure(IVec3::new(8, 7, 8)), 0.0, "soil");
    /// assert_eq!(world.charge(IVec3::new(8, 2, 8), 3.0, 200.0)?, 0.0, "all soil");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BlastWorld::add_charge`](crate::blast::BlastWorld::add_charge), as
    /// [`EditError::Blast`].
    pub fn charge(&mut self, centre: IVec3, radius: f32, pressure: f32) -> Result<f64, EditError> {
        self.settle();
        self.touch_pressure();
        let is_removed = |cell| self.matter_at(cell) != Matter::Open;
        let region = self.blast.check_charge(centre, radius, pressure, is_removed)?;
        self.lend_region(region)?;
        let added = self.blast.add_charge(centre, radius, pressure)?;
        self.lend_region(region)?;
        Ok(added)
    }

    /// Sets the pressure of a region or a cell by an edit that is not refused if all of it is open,
    /// after lending the ground there.
    pub(super) fn set_pressure(
        &mut self,
        region: Region,
        pressure: f32,
        edit: blast::Edit,
    ) -> Result<blast::Outcome, EditError> {
        // Before anything is lent: a refused edit changes nothing.
        self.blast.check_fill(region, pressure)?;
        self.lend_region(region)?;
        let outcome = self.blast.apply(edit)?;
        self.lend_region(region)?;
        Ok(outcome)
    }
}
