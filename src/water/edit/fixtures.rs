//! Edits of what is built into single cells.

use crate::coords::{Cube, Shape};
use crate::water::WaterWorld;
use crate::water::edit::EditError;
use crate::water::fixture::Fixture;
use glam::IVec3;

impl WaterWorld {
    /// Builds a [`Fixture`] into a cell in place of the one that is there, or removes it. Returns
    /// `false`, and changes nothing, if it is so already.
    ///
    /// A fixture stays in its cell, whatever that becomes. In ground, in the sea and in a spring a
    /// drain or a tap does nothing, and out of ground a valve does nothing, until the cell is as
    /// before. It is saved with the world, and
    /// travels in [records](WaterWorld::remove_chunks); a chunk that
    /// [`remove_chunk`](WaterWorld::remove_chunk) returns has none. The edit moves no water. The
    /// cell is listed as changed.
    ///
    /// ```
    /// use floodplain::water::{Fixture, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
    /// let [tap, drain] = [IVec3::new(2, 5, 5), IVec3::new(9, 5, 5)];
    /// world.fill_water(Region::new(tap, drain), 0)?;
    /// world.set_fixture(tap, Some(Fixture::Tap(2)))?;
    /// world.set_fixture(drain, Some(Fixture::Drain(7)))?;
    /// world.run(100);
    /// let before = world.ledger();
    /// world.run(100);
    /// assert_eq!(world.ledger().injected - before.injected, 200);
    /// assert!((150..=250).contains(&(world.ledger().drained - before.drained)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A rate is not 1 to 7, or the cell is not loaded or out of bounds.
    pub fn set_fixture(
        &mut self,
        cell: IVec3,
        fixture: Option<Fixture>,
    ) -> Result<bool, EditError> {
        self.make_queued_edits();
        if let Some(wrong) = fixture.filter(|fixture| !fixture.is_valid()) {
            return Err(EditError::Rate(wrong.rate()));
        }
        if self.store.fixture(self.place(cell)?) == fixture {
            return Ok(false);
        }
        let place = self.place_to_edit(cell)?;
        self.store.set_fixture(place, fixture);
        self.store.note_change(place);
        Ok(true)
    }

    /// Returns what is built into a cell; `None` for nothing, or if it is not loaded or out of
    /// bounds.
    pub fn fixture(&self, cell: IVec3) -> Option<Fixture> {
        self.place(cell).ok().and_then(|place| self.store.fixture(place))
    }

    /// Returns all fixtures with their cells, by chunk in order of position, then in order of the
    /// cells in it.
    pub fn fixtures(&self) -> impl Iterator<Item = (IVec3, Fixture)> {
        let slots = self.store.grid().sorted_slots().into_iter();
        slots.flat_map(|slot| {
            let chunk = self.store.grid().position_at(slot);
            let all = self.store.fixtures(slot).into_iter().flatten();
            all.map(move |(&index, &fixture)| (Cube::cell_at(chunk, index.into()), fixture))
        })
    }
}
