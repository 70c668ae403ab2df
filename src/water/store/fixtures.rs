//! The fixtures of a water world, in a table for each chunk that has any.

use crate::chunk::LAYER_CELLS;
use crate::grid::Slot;
use crate::water::fixture::Fixture;
use crate::water::store::{Place, Store};
use std::collections::BTreeMap;

/// The fixtures of a chunk, by index; never empty.
pub(crate) type Fixtures = BTreeMap<u16, Fixture>;

impl Store {
    /// Returns the fixtures of a chunk, if there are any.
    #[inline]
    pub(crate) fn fixtures(&self, slot: Slot) -> Option<&Fixtures> {
        self.beside[slot.index()].fixtures.as_deref()
    }

    /// Returns the fixtures of a chunk in order of index.
    pub(crate) fn fixture_list(&self, slot: Slot) -> Vec<(u16, Fixture)> {
        let fixtures = self.fixtures(slot).into_iter().flatten();
        fixtures.map(|(&index, &fixture)| (index, fixture)).collect()
    }

    /// Returns the fixtures of a layer (0 to 15) with their cells, in order.
    pub(crate) fn fixtures_in(
        &self,
        slot: Slot,
        layer: usize,
    ) -> impl Iterator<Item = (usize, Fixture)> {
        let first = (layer * LAYER_CELLS) as u16;
        let range = first..first + LAYER_CELLS as u16;
        let fixtures =
            self.fixtures(slot).into_iter().flat_map(move |all| all.range(range.clone()));
        fixtures.map(move |(&index, &fixture)| (usize::from(index - first), fixture))
    }

    /// Returns the fixture of a loaded cell.
    #[inline]
    pub(crate) fn fixture(&self, Place { slot, index }: Place) -> Option<Fixture> {
        self.fixtures(slot)?.get(&(index as u16)).copied()
    }

    /// Sets the fixture of a loaded cell. The caller wakes what may move.
    pub(crate) fn set_fixture(&mut self, Place { slot, index }: Place, fixture: Option<Fixture>) {
        self.touch(slot);
        let kept = &mut self.beside[slot.index()].fixtures;
        match fixture {
            Some(fixture) => _ = kept.get_or_insert_default().insert(index as u16, fixture),
            None => {
                kept.iter_mut().for_each(|fixtures| _ = fixtures.remove(&(index as u16)));
                kept.take_if(|fixtures| fixtures.is_empty());
            }
        }
        self.note_valves(slot);
    }

    /// Sets the fixture of a cell of a chunk that was just inserted, unless it lies out of bounds.
    pub(crate) fn restore_fixture(&mut self, slot: Slot, index: u16, fixture: Fixture) {
        let place = Place::new(slot, index.into());
        if self.bounds.contains(self.position(place)) {
            self.set_fixture(place, Some(fixture));
        }
    }

    /// Wakes the cells of a chunk's fixtures, where there may be something to do.
    pub(crate) fn wake_fixtures(&mut self, slot: Slot) {
        for (index, _) in self.fixture_list(slot) {
            self.wake(Place::new(slot, index.into()));
        }
    }

    /// Returns whether the fixture of a loaded cell would act if the cell were awake: a drain in
    /// water, a tap with room. Ground, the sea and springs have no use for these. Valves act
    /// whether any cell is awake or not.
    pub(crate) fn has_work(&self, place: Place) -> bool {
        let voxel = self.read(place);
        if voxel.is_mark() || voxel.is_source() {
            return false;
        }
        match self.fixture(place) {
            Some(Fixture::Drain(_)) => voxel.is_wet(),
            Some(Fixture::Tap(_)) => voxel.room() > 0,
            Some(Fixture::Valve { .. }) | None => false,
        }
    }
}
