//! Water from above: it falls on water, or on soil that has room for it.

use crate::coords::{Face, Region};
use crate::world::World;
use crate::world::rules::error::EditError;
use glam::IVec3;

/// What straight below a cell stops rain, and the lowest open cell above that.
struct Landing {
    /// The lowest open cell that the rain passes: it holds the first water, or lies on ground.
    open: IVec3,
    /// The permeable cell below it, if it is dry and lies on one.
    soil: Option<IVec3>,
}

impl World {
    /// Lets units of water fall from a cell straight down, until they meet water or ground. On soil
    /// they are soaked up as far as its [capacity](crate::world::Material::capacity) goes. The
    /// others stand in the lowest open cell, those for which it has no room in the one above it,
    /// and so on up to the cell that they came from. Returns how many found a place; they count as
    /// placed, as water or in soil.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{Content, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = Content::from_heights(ChunkPos::ZERO, |_, _| 3, |_| soil, air);
    /// world.insert_chunk(ChunkPos::ZERO, ground)?;
    /// assert_eq!(world.rain(IVec3::new(2, 15, 2), 8)?, 8);
    /// assert_eq!(world.moisture(IVec3::new(2, 3, 2)), 6 * world.rules().moisture_per_unit);
    /// assert_eq!(world.units(IVec3::new(2, 4, 2)), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn rain(&mut self, from: IVec3, units: u32) -> Result<u32, EditError> {
        self.settle();
        self.check_loaded(Region::cell(from))?;
        let material = self.ground.get(from);
        if self.palette.traits(material).solid {
            return Err(EditError::Ground { cell: from, material });
        }
        let Landing { open, soil } = self.landing(from);
        let mut left = units;
        if let Some(soil) = soil {
            left -= self.soak(soil, left);
        }
        for y in open.y..=from.y {
            left -= self.water.pour(open.with_y(y), left)?;
            if left == 0 {
                break;
            }
        }
        Ok(units - left)
    }

    /// Returns where rain lands that falls from an open cell.
    fn landing(&self, from: IVec3) -> Landing {
        let mut open = from;
        while self.water.units(open) == 0 {
            let Some(below) = Face::Down.step(open) else { break };
            let Some(material) = self.material(below) else { break };
            let traits = self.palette.traits(material);
            if traits.solid {
                return Landing { open, soil: traits.is_permeable().then_some(below) };
            }
            open = below;
        }
        Landing { open, soil: None }
    }

    /// Puts whole units of water into permeable ground, as many as it has room for. Returns how
    /// many: none in soil that is rain, which keeps what it holds.
    pub(in crate::world) fn soak(&mut self, cell: IVec3, units: u32) -> u32 {
        let scale = self.rules.scale();
        let capacity = self.palette.traits(self.ground.get(cell)).capacity;
        let held = self.soil.units(cell).unwrap_or(0);
        let room = (u64::from(capacity) * scale).saturating_sub(held.into()) / scale;
        // A capacity is at most the cap, so all of it has room.
        let soaked = room.min(units.into()) * scale;
        (u64::from(self.soil.add_units(cell, soaked as u32)) / scale) as u32
    }
}
