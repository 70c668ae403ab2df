//! What water meets across the faces of cells.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

impl Store {
    /// Returns the voxel across `face`, or the mark of the edge where no chunk is loaded.
    #[inline]
    pub(crate) fn look(&self, place: Place, face: Face) -> Voxel {
        let there = self.step(place, face);
        if there.is_some() {
            self.read(there)
        } else {
            self.beyond(place.slot, face, place.layer())
        }
    }

    /// Returns the voxel below, as water falls on it: the sea has room.
    #[inline]
    pub(crate) fn floor(&self, place: Place) -> Voxel {
        let below = self.look(place, Face::Down);
        if below.is_sea() { Voxel::SINK } else { below }
    }

    /// Returns the cells of a layer that have no room below.
    pub(crate) fn firm(&self, layer: LayerId) -> LayerMask {
        match self.lower_layer(layer) {
            Some(layer) => self.layer(layer).closed - self.sea(layer),
            None => LayerMask::all_if(self.beyond(layer.slot, Face::Down, layer.y).is_closed()),
        }
    }
}
