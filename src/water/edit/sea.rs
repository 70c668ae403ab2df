//! Edits of the sea: cells and regions of sea, and the edges of single columns that are not loaded.

use crate::coords::{ColumnPos, Region};
use crate::water::WaterWorld;
use crate::water::edit::EditError;
use crate::water::rules::Edge;
use crate::water::voxel::Voxel;
use glam::IVec3;

impl WaterWorld {
    /// Makes a cell [sea](Voxel::SEA), whatever it holds. Its water counts as removed. Returns
    /// `false`, and changes nothing, if the cell is sea already.
    ///
    /// The sea stays full for ever, and is at rest until something touches it. It fills the open
    /// cells beside and below it, each by at most the throughput in a tick. With
    /// [`Rules::pools`](crate::water::Rules::pools), it also fills the water joined to these cells,
    /// up to the level of the sea: the top of the sea straight above the cell of sea that the water
    /// comes through. Water that falls on the sea is gone, and so is water that higher water
    /// presses into it. The sea closes over an open cell that lies on sea and is also beside or
    /// below sea: the cell is sea at the end of the tick. So a hole in the sea heals, while a cave
    /// that the sea breaks into fills with water but is no sea. The
    /// [`Ledger`](crate::water::Ledger) counts the units that the sea gives and takes, not the
    /// units that it holds.
    ///
    /// ```
    /// use floodplain::water::{Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
    /// world.fill_sea(Region::new(IVec3::ZERO, IVec3::new(7, 9, 15)))?;
    /// // A cave behind a wall, from 3 to 12.
    /// world.fill_water(Region::new(IVec3::new(9, 3, 4), IVec3::new(12, 12, 6)), 0)?;
    /// world.run(20);
    /// assert_eq!(world.total(), 0);
    /// world.clear_solid(IVec3::new(8, 4, 5))?;
    /// world.run(400);
    /// assert!(world.units(IVec3::new(12, 9, 6)) >= 6, "up to the level of the sea");
    /// assert_eq!(world.units(IVec3::new(12, 10, 6)), 0);
    /// assert!(world.is_sea(IVec3::new(7, 4, 5)) && world.awake_cells() == 0);
    /// assert_eq!(world.total(), world.ledger().from_sea);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn set_sea(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        if self.store.read(self.place(cell)?).is_sea() {
            return Ok(false);
        }
        let place = self.place_to_edit(cell)?;
        let old = self.store.read(place);
        self.ledger.removed += u64::from(old.height());
        if !old.is_solid() {
            self.forget(place);
        }
        self.replace(place, Voxel::SEA);
        Ok(true)
    }

    /// Makes a cell of sea open and dry. Returns `false`, and changes nothing, if the cell is no
    /// sea. The next tick fills the cell from the sea around it, or makes it sea again.
    ///
    /// # Errors
    /// The cell is not loaded or out of bounds.
    pub fn clear_sea(&mut self, cell: IVec3) -> Result<bool, EditError> {
        self.make_queued_edits();
        if !self.store.read(self.place(cell)?).is_sea() {
            return Ok(false);
        }
        let place = self.place_to_edit(cell)?;
        self.replace(place, Voxel::OPEN);
        Ok(true)
    }

    /// Makes every cell of a region [sea](Voxel::SEA), as [`set_sea`](WaterWorld::set_sea) does, in
    /// place of ground, springs and water. Returns the number of units removed.
    ///
    /// # Errors
    /// A cell of the region is not loaded or out of bounds.
    pub fn fill_sea(&mut self, region: Region) -> Result<u64, EditError> {
        self.fill(region, Voxel::SEA)
    }

    /// Sets what water does at the faces of a column of chunks while its chunks are not loaded, in
    /// place of [`Edges::unloaded`](crate::water::Edges::unloaded); `None` restores the edge of the
    /// rules. `column` is the x and z of the column's chunk positions. Returns `false`, and changes
    /// nothing, if this edge is set already. The outer faces of the world's bounds keep the edges
    /// of the rules.
    ///
    /// So a river can run out at the edge of the loaded chunks while the sea beside it stays. The
    /// edge that is set stays when chunks of the column are loaded and unloaded, and is saved.
    /// Water at the column's faces, and above chunks of the column that are not loaded, wakes. No
    /// water is moved. Takes time linear in the number of loaded chunks, some 20 ns for each.
    ///
    /// ```
    /// use floodplain::water::{Edge, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, ColumnPos, glam::{IVec2, IVec3}};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
    /// // In the east, the sea continues up to y = 3.
    /// assert!(world.set_edge(ColumnPos::new(1, 0), Some(Edge::Level(3))));
    /// world.run(300);
    /// assert!(world.units(IVec3::new(0, 3, 0)) >= 6);
    /// assert_eq!(world.units(IVec3::new(0, 4, 0)), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_edge(&mut self, column: ColumnPos, edge: Option<Edge>) -> bool {
        self.make_queued_edits();
        if self.edge(column) == edge {
            return false;
        }
        self.finish_tick();
        self.store.set_column_edge(column, edge);
        self.store.refresh_columns(column);
        true
    }

    /// Returns the edge that [`set_edge`](WaterWorld::set_edge) has set for a column; `None` if
    /// none is set.
    pub fn edge(&self, column: ColumnPos) -> Option<Edge> {
        self.store.column_edges()?.get(&column).copied()
    }

    /// Returns the columns with edges that [`set_edge`](WaterWorld::set_edge) has set, and these
    /// edges, in order of x, then z.
    pub fn column_edges(&self) -> impl ExactSizeIterator<Item = (ColumnPos, Edge)> {
        let all: Vec<_> = self.store.column_edges().into_iter().flatten().collect();
        all.into_iter().map(|(&column, &edge)| (column, edge))
    }
}
