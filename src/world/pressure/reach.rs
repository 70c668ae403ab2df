//! How far explosions reach: through loaded chunks, so many from where pressure was put into the
//! world. Pressure that comes to the end of these leaves. So a charge costs no more than the chunks
//! within its reach, however strong it is, and no chunk is made for it where none is loaded.

use crate::coords::{Region, sort_key};
use crate::world::World;
use glam::IVec3;

impl World {
    /// Lets pressure enter the loaded chunks within reach of these, until all is silent again.
    pub(in crate::world) fn reach_from(&mut self, chunks: Region) {
        for origin in chunks.positions().filter(|&chunk| self.ground.chunk(chunk).is_some()) {
            if self.origins.insert(sort_key(origin)) {
                let reach = IVec3::splat(self.rules.blast_reach as i32);
                let within =
                    Region::new(origin.saturating_sub(reach), origin.saturating_add(reach));
                for slot in self.ground.slots_in(within) {
                    self.blast.admit(self.ground.position_at(slot));
                }
            }
        }
    }

    /// Returns whether a chunk is within reach of where pressure was put into the world.
    pub(in crate::world) fn is_within_reach(&self, chunk: IVec3) -> bool {
        self.origins().any(|origin| {
            let away = [0, 1, 2].map(|axis| chunk[axis].abs_diff(origin[axis]));
            away.into_iter().all(|away| away <= self.rules.blast_reach)
        })
    }

    /// Returns the chunks in which pressure was put into the world since all was silent, in order
    /// of position.
    pub(crate) fn origins(&self) -> impl ExactSizeIterator<Item = IVec3> {
        self.origins.iter().map(|&[y, z, x]| IVec3::new(x, y, z))
    }

    /// Forgets where pressure was put into the world, if all is silent.
    pub(in crate::world) fn forget_origins(&mut self) {
        if self.blast.is_empty() && !self.origins.is_empty() {
            self.origins.clear();
            self.blast.confine();
        }
    }
}
