//! Chunks that stand still: no step visits them, and nothing passes their faces, as if rock lay
//! behind. They can be read and edited as others.

use super::{HumidityShape, HumidityWorld};
use crate::coords::Face;
use glam::IVec3;

impl<S: HumidityShape> HumidityWorld<S> {
    /// Lets a chunk, loaded or not, stand still, or go on.
    pub(crate) fn set_still(&mut self, chunk: IVec3, is_still: bool) {
        if self.store.is_still(chunk) == is_still {
            return;
        }
        self.store.set_still(chunk, is_still);
        let moisture = &mut self.store.moisture;
        for there in Face::ALL.into_iter().filter_map(|face| face.step(chunk)) {
            if let Some(slot) = moisture.slot(there) {
                self.kernel.forget(slot);
                moisture.wake_chunk_at(slot);
            }
        }
        let Some(slot) = moisture.slot(chunk) else { return };
        self.kernel.forget(slot);
        self.steady.forget(slot);
        if is_still {
            moisture.shelve(&[slot]);
        } else {
            moisture.unshelve(&[slot]);
            moisture.wake_chunk_at(slot);
        }
    }

    /// Lets a chunk stand still as it did when it was saved: wakes nothing.
    #[cfg(feature = "snapshot")]
    pub(crate) fn restore_still(&mut self, chunk: IVec3) {
        self.store.set_still(chunk, true);
        if let Some(slot) = self.store.moisture.slot(chunk) {
            self.steady.forget(slot);
            self.store.moisture.shelve(&[slot]);
        }
    }
}
