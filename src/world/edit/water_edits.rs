//! Edits of the water in a world: units, springs, the sea, fixtures, edges, rules, and which chunks
//! stand still. Each works like the function of [`WaterWorld`](crate::water::WaterWorld) of the
//! same name, whose documentation says what becomes of the water. None of them changes the ground.

use crate::coords::{ChunkPos, ColumnPos, Region};
use crate::water::{self, Edge, Fixture};
use crate::world::World;
use crate::world::edit::rain;
use crate::world::rules::error::EditError;
use glam::IVec3;

impl World {
    /// Pours up to `units` into a cell, as [`WaterWorld::pour`](crate::water::WaterWorld::pour)
    /// does. Returns the number of units that had room, 0 to 7, which count as placed. Water from
    /// [`rain`](World::rain) instead falls to the ground first, and soaks in.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, MaterialId, Palette, Rules, World};
    ///
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let air = ChunkContent::from_fn(ChunkPos::ZERO, |_| MaterialId(0));
    /// world.insert_chunk(ChunkPos::ZERO, air)?;
    /// let (pond, bucket) = (IVec3::new(8, 0, 8), 9);
    /// let poured = world.pour(pond, bucket)?;
    /// assert_eq!((poured, bucket - poured), (7, 2), "two stay in the bucket");
    /// assert_eq!(world.scoop(pond, 9)?, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds, as [`EditError::Water`].
    pub fn pour(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.settle();
        Ok(self.water.pour(cell, units)?)
    }

    /// Takes up to `units` out of a cell, as [`WaterWorld::scoop`](crate::water::WaterWorld::scoop)
    /// does. Returns the number of units taken, 0 to 7, which count as removed.
    ///
    /// # Errors
    /// The errors of [`pour`](World::pour).
    pub fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.settle();
        Ok(self.water.scoop(cell, units)?)
    }

    /// Takes up to `units` from the surface of the body of water that a cell belongs to, as
    /// [`WaterWorld::drain_body`](crate::water::WaterWorld::drain_body) does. Returns the number of
    /// units taken, which count as removed.
    ///
    /// ```
    /// use floodplain::{ChunkPos, Region};
    /// use floodplain::glam::IVec3;
    /// use floodplain::world::{ChunkContent, MaterialId, Palette, Rules, World};
    ///
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let air = ChunkContent::from_fn(ChunkPos::ZERO, |_| MaterialId(0));
    /// world.insert_chunk(ChunkPos::ZERO, air)?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let pump = IVec3::new(8, 0, 8);
    /// let taken = world.drain_body(pump, 20)?;
    /// assert_eq!((taken, world.units(pump)), (20, 7), "from the surface above it");
    /// assert_eq!(world.fill_body(pump, taken)?, 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`pour`](World::pour).
    pub fn drain_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.settle();
        Ok(self.water.drain_body(cell, units)?)
    }

    /// Adds up to `units` to the body of water that a cell belongs to, as
    /// [`WaterWorld::fill_body`](crate::water::WaterWorld::fill_body) does. Returns the number of
    /// units that found room, which count as placed.
    ///
    /// # Errors
    /// The errors of [`pour`](World::pour).
    pub fn fill_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.settle();
        Ok(self.water.fill_body(cell, units)?)
    }

    /// Makes every cell of an open region hold `height` units of still water, 0 to 7. Returns the
    /// units that were in it, which count as removed; see
    /// [`WaterWorld::fill_water`](crate::water::WaterWorld::fill_water).
    ///
    /// # Errors
    /// A cell of the region is solid, not loaded or out of bounds; or the height is above 7, as
    /// [`EditError::Water`].
    pub fn fill_water(&mut self, region: Region, height: u8) -> Result<u64, EditError> {
        self.settle();
        self.check_open(region)?;
        Ok(self.water.fill_water(region, height)?)
    }

    /// Makes a cell a spring, full for ever; what it gives counts as injected. Returns `false`, and
    /// changes nothing, if it already is a spring; see
    /// [`WaterWorld::add_source`](crate::water::WaterWorld::add_source).
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 3, |_| soil, air);
    /// world.insert_chunk(ChunkPos::ZERO, ground)?;
    /// let spring = IVec3::new(8, 4, 8);
    /// assert!(world.add_source(spring)?);
    /// world.run(40);
    /// assert!(world.moisture(spring - IVec3::Y) > 0, "the soil below it is wet");
    /// assert!(world.remove_source(spring)? && !world.remove_source(spring)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`pour`](World::pour).
    pub fn add_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.settle();
        Ok(self.water.add_source(cell)?)
    }

    /// Makes a spring an ordinary full cell. Returns `false`, and changes nothing, if the cell is
    /// no spring; see [`WaterWorld::remove_source`](crate::water::WaterWorld::remove_source).
    ///
    /// # Errors
    /// The errors of [`pour`](World::pour).
    pub fn remove_source(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.settle();
        Ok(self.water.remove_source(cell)?)
    }

    /// Makes every cell of an open region sea. Returns the units of water that were in it, which
    /// count as removed; see [`WaterWorld::fill_sea`](crate::water::WaterWorld::fill_sea).
    ///
    /// # Errors
    /// A cell of the region is solid, not loaded or out of bounds.
    pub fn fill_sea(&mut self, region: Region) -> Result<u64, EditError> {
        self.settle();
        self.check_open(region)?;
        Ok(self.water.fill_sea(region)?)
    }

    /// Empties a cell of the sea. Returns `false`, and changes nothing, if the cell is not sea. Sea
    /// closes over the cell again while there is sea beside or above it; see
    /// [`WaterWorld::clear_sea`](crate::water::WaterWorld::clear_sea).
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds, as [`EditError::Water`].
    pub fn clear_sea(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.settle();
        Ok(self.water.clear_sea(cell)?)
    }

    /// Sets what water does at the faces of a column of chunks while its chunks are not loaded;
    /// `None` restores the edge of the rules. `column` is the x and z of the column's chunk
    /// positions. Returns `false`, and changes nothing, if this edge is set already; see
    /// [`WaterWorld::set_edge`](crate::water::WaterWorld::set_edge).
    pub fn set_edge(&mut self, column: ColumnPos, edge: Option<Edge>) -> bool {
        self.settle();
        self.water.set_edge(column, edge)
    }

    /// Builds a drain, a tap or a valve into a cell, or removes its fixture. Returns `false`, and
    /// changes nothing, if the cell has this fixture already, or none to remove; see
    /// [`WaterWorld::set_fixture`](crate::water::WaterWorld::set_fixture).
    ///
    /// # Errors
    /// A rate is not 1 to 7, or the cell is not loaded or out of bounds, as [`EditError::Water`].
    pub fn set_fixture(
        &mut self,
        cell: IVec3,
        fixture: Option<Fixture>,
    ) -> Result<bool, EditError> {
        self.settle();
        Ok(self.water.set_fixture(cell, fixture)?)
    }

    /// Makes the chunks at these chunk positions stand still: their water, as
    /// [`WaterWorld::freeze`](crate::water::WaterWorld::freeze) does, their moisture and their
    /// pressure. Returns `false`, and changes nothing, if all of the chunks stand still already.
    /// [`SimulationDistance`](crate::water::SimulationDistance) chooses chunks by the positions of
    /// players.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, MaterialId, Palette, Rules, World};
    ///
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let air = ChunkContent::from_fn(ChunkPos::ZERO, |_| MaterialId(0));
    /// world.insert_chunk(ChunkPos::ZERO, air)?;
    /// let cell = IVec3::new(8, 9, 8);
    /// world.pour(cell, 5)?;
    /// assert!(world.freeze([ChunkPos::ZERO])?);
    /// world.run(20);
    /// assert_eq!(world.units(cell), 5, "it hangs in the air");
    /// assert!(world.thaw([ChunkPos::ZERO])?);
    /// world.run(20);
    /// assert_eq!(world.units(cell), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions, as [`EditError::Water`]. Then none is frozen.
    pub fn freeze(
        &mut self,
        chunks: impl IntoIterator<Item = ChunkPos>,
    ) -> Result<bool, EditError> {
        self.settle();
        let chunks: Vec<ChunkPos> = chunks.into_iter().collect();
        let is_changed = self.water.freeze(chunks.iter().copied())?;
        self.follow_stillness(&chunks);
        Ok(is_changed)
    }

    /// Resumes chunks that [stand still](World::freeze). Returns `false`, and changes nothing, if
    /// none of the chunks stands still.
    ///
    /// # Errors
    /// No chunk is loaded at one of the positions, as [`EditError::Water`]. Then none is thawed.
    pub fn thaw(&mut self, chunks: impl IntoIterator<Item = ChunkPos>) -> Result<bool, EditError> {
        self.settle();
        let chunks: Vec<ChunkPos> = chunks.into_iter().collect();
        let is_changed = self.water.thaw(chunks.iter().copied())?;
        self.follow_stillness(&chunks);
        Ok(is_changed)
    }

    /// Replaces the [rules of water](crate::world::Rules::water), as for a dry season; see
    /// [`WaterWorld::set_rules`](crate::water::WaterWorld::set_rules). The other rules of a world
    /// never change.
    ///
    /// # Errors
    /// A rule is out of range, as [`EditError::Water`].
    pub fn set_water_rules(&mut self, rules: water::Rules) -> Result<(), EditError> {
        self.settle();
        self.water.set_rules(rules).map_err(water::EditError::Rules)?;
        self.rules.water = rules;
        Ok(())
    }

    /// Makes units of water fall from a cell straight down, until they meet water or ground. Soil
    /// soaks them up as far as its [capacity](crate::world::Material::capacity) goes. The remaining
    /// units fill the lowest open cell, then the cells above it, up to the cell that they came
    /// from. Returns the number of units that found a place, which count as placed, as water or in
    /// soil.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, Palette, Rules, World};
    ///
    /// let palette = Palette::natural();
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let mut world = World::new(7, palette, Rules::default())?;
    /// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 3, |_| soil, air);
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
        rain::rain(self, from, units)
    }
}
