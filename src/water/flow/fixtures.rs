//! The fixtures of a layer act before its water flows: drains take, taps add.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::context::Tick;
use crate::water::fixture::Fixture;
use crate::water::store::Place;
use smallvec::SmallVec;

impl Tick<'_> {
    /// Lets the fixtures in awake cells of a layer act.
    #[inline]
    pub(super) fn run_fixtures(&mut self, layer: LayerId) {
        if self.store.fixtures(layer.slot).is_some() {
            self.run_all_fixtures(layer);
        }
    }

    fn run_all_fixtures(&mut self, layer: LayerId) {
        let awake = self.awake(layer);
        let acts = |&(cell, _): &(usize, Fixture)| {
            awake.contains(cell) && self.store.has_work(Place::in_layer(layer, cell))
        };
        let here: SmallVec<[(usize, Fixture); 8]> =
            self.store.fixtures_in(layer).filter(acts).collect();
        for (cell, fixture) in here {
            match fixture {
                Fixture::Drain(rate) => self.drain(Place::in_layer(layer, cell), rate),
                Fixture::Valve { .. } => {}
                Fixture::Tap(rate) => {
                    self.ledger.injected += self.fill(layer, LayerMask::single(cell), rate);
                }
            }
        }
    }

    /// Takes up to `rate` units out of a cell, which pass on across its floor.
    fn drain(&mut self, place: Place, rate: u8) {
        let (layer, cell) = (place.layer_id(), place.cell());
        let voxel = self.store.read(place);
        let units =
            rate.min(voxel.height()).min(self.limits.left(voxel, self.scratch.passed(place)));
        if units == 0 {
            return;
        }
        self.put(place, voxel.with_height(voxel.height() - units));
        self.pass_on(place, Face::Down, units);
        self.scratch.record_mut(self.store, layer).touched.insert(cell);
        self.ledger.drained += u64::from(units);
        self.wake_givers(layer, LayerMask::single(cell));
    }
}
