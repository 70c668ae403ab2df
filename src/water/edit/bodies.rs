//! Edits of bodies of water: units taken from the surface of one, and added at it.

use crate::water::WaterWorld;
use crate::water::body::BodySearch;
use crate::water::edit::EditError;
use crate::water::edit::displace::REACH;
use glam::IVec3;

impl WaterWorld {
    /// Takes up to `units` out of the [body](WaterWorld::body_at) of water that a cell belongs to,
    /// as a bucket, a pump or a pipe does. Returns how many it gave; they count as removed.
    ///
    /// 0 if the cell holds no water, though some may stand beside or below it: an intake that the
    /// water has fallen below sucks air. Put it at the bottom, where the body is last to end.
    ///
    /// They come from the top: first from the surface straight above the cell, then from the cells
    /// around that, the nearest first, then from the layer below, and so on, as far as they are
    /// joined to the cell; if the body rises higher elsewhere, from there as soon as the search has
    /// found it. A spring that it reaches gives the rest without end, and so does the sea where it
    /// is beside or above a cell: these units count as injected, or as given by the sea, too. At
    /// most 16,384 cells are looked at.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let intake = IVec3::new(8, 0, 8);
    /// assert_eq!(world.drain_body(intake, 20)?, 20);
    /// assert_eq!(world.units(IVec3::new(8, 9, 8)), 0, "from the surface above it");
    /// assert_eq!(world.units(intake), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn drain_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.make_queued_edits();
        let start = self.open_place_to_edit(cell)?;
        let voxel = self.store.read(start);
        if voxel.is_sea() {
            self.take_from_sea(units);
            return Ok(units);
        }
        if !voxel.is_wet() {
            return Ok(0);
        }
        let (mut search, mut left) = (BodySearch::new(self, start, REACH), units);
        while left > 0 {
            let Some(place) = search.next(self) else { break };
            let voxel = self.store.read(place);
            if voxel.is_source() {
                self.take_out(place, left);
                left = 0;
            } else if self.sea_fills(place) {
                self.take_from_sea(left);
                left = 0;
            } else {
                let given = left.min(voxel.height().into());
                self.take_out(place, given);
                left -= given;
            }
        }
        self.searched += REACH - search.left();
        Ok(units - left)
    }

    /// Adds up to `units` to the [body](WaterWorld::body_at) of water that a cell belongs to, or at
    /// a cell without water. Returns how many found room; they count as placed.
    ///
    /// They go into the cell, as far as it has room, and then to the nearest room, as the water
    /// does that [`set_solid`](WaterWorld::set_solid) displaces: straight up through full cells to
    /// the surface, and from there to the sides. At a dry cell with room below they fall. Springs
    /// pass them on. The sea takes all that is added at a cell of it; they count as taken by the
    /// sea, too. At most 16,384 cells are looked at.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 9, 15)), 7)?;
    /// let outlet = IVec3::new(8, 0, 8);
    /// assert_eq!(world.fill_body(outlet, 20)?, 20);
    /// assert_eq!(world.units(IVec3::new(8, 10, 8)), 7, "on the surface above it");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is solid, not loaded or out of bounds.
    pub fn fill_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        self.make_queued_edits();
        let start = self.open_place_to_edit(cell)?;
        let is_sea = self.store.read(start).is_sea();
        let left = if is_sea { 0 } else { self.fill_from(start, units.into()) as u32 };
        let added = units - left;
        self.ledger.placed += u64::from(added);
        if is_sea {
            self.ledger.into_sea += u64::from(added);
        }
        Ok(added)
    }
}
