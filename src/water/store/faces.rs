//! Which faces of cells pass water, and what water meets across them. All rules of movement use
//! these functions.
//!
//! | question | of one cell | of the cells of a layer |
//! |---|---|---|
//! | Which cell can water reach across a face? | [`across`](Store::across) | [`beside`](Store::beside), [`vertical`](Store::vertical); towards it, [`spread`](Store::spread) |
//! | What does it meet there? | [`look`](Store::look), [`floor`](Store::floor) | [`supported`](Store::supported), [`capped`](Store::capped), [`roomy`](Store::roomy) |
//! | Is the water there of the same body? | [`is_one_body`] | [`joints`](Store::joints) |
//!
//! The kernel reads its window, which holds what `look` and `floor` return: `least_across` in
//! [`window`](crate::water::flow::window). Within a layer, pieces of bodies are joined by `joined`
//! in [`pools::layer`](crate::water::pools::layer).
//!
//! A face passes water if the chunks on both sides are loaded, and both or neither frozen. Ground,
//! including valves, needs no test of its faces, since it has neither water nor room; how much a
//! cell holds is a property of its [`Voxel`]. Wakes, notes and parents use [`step`](Store::step),
//! which returns the same cell without an `Option`.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// Cells at one height in several chunks.
pub(crate) type Ring = SmallVec<[(LayerId, LayerMask); 5]>;

/// Returns the empty sets that [`beside`](Store::beside) uses where no water passes to a layer.
pub(crate) fn nothing<const N: usize>(_: Face) -> [LayerMask; N] {
    [LayerMask::NONE; N]
}

/// Returns whether the cell `there`, which lies across a face of the wet cell `here`, holds water
/// of the same body.
#[inline]
pub(crate) fn is_one_body(face: Face, here: Voxel, there: Voxel) -> bool {
    let is_joined = match face {
        Face::Up => here.is_closed(),
        Face::Down => there.is_closed(),
        _ => true,
    };
    is_joined && there.is_wet()
}

impl Store {
    /// Returns the cell across a face that passes water, else `None`.
    #[inline]
    pub(crate) fn across(&self, place: Place, face: Face) -> Option<Place> {
        let there = self.step(place, face);
        there.is_some().then_some(there)
    }

    /// Returns the voxel that water meets across a face: the mark of the edge where no chunk is
    /// loaded.
    #[inline]
    pub(crate) fn look(&self, place: Place, face: Face) -> Voxel {
        match self.across(place, face) {
            Some(there) => self.read(there),
            None => self.beyond(place.slot, face, place.layer()),
        }
    }

    /// Returns the voxel below a cell as falling water finds it: sea is a sink, which has room.
    #[inline]
    pub(crate) fn floor(&self, place: Place) -> Voxel {
        let below = self.look(place, Face::Down);
        if below.is_sea() { Voxel::SINK } else { below }
    }

    /// Returns the voxel that water meets across a lateral face, and the voxel on which it would
    /// fall there.
    #[inline]
    pub(crate) fn look_over(&self, place: Place, face: Face) -> [Voxel; 2] {
        match self.across(place, face) {
            Some(there) => [self.read(there), self.floor(there)],
            None => [self.beyond(place.slot, face, place.layer()), Voxel::WALL],
        }
    }

    /// Returns the cells of a layer that have no room below, wet or dry. In
    /// [`pools`](crate::water::pools), only the cells among them that hold water of bodies are
    /// called supported.
    pub(crate) fn supported(&self, layer: LayerId) -> LayerMask {
        match self.lower_layer(layer) {
            Some(layer) => self.layer(layer).closed - self.sea(layer),
            None => LayerMask::all_if(self.beyond(layer.slot, Face::Down, layer.y).is_closed()),
        }
    }

    /// Returns the cells of a layer that have no room above.
    pub(crate) fn capped(&self, layer: LayerId) -> LayerMask {
        match self.upper_layer(layer) {
            Some(layer) => self.layer(layer).closed,
            None => LayerMask::all_if(self.beyond(layer.slot, Face::Up, layer.y).is_closed()),
        }
    }

    /// Returns the cells of a layer that have room beside them.
    pub(crate) fn roomy(&self, layer: LayerId) -> LayerMask {
        let room = |layer| [!self.layer(layer).closed];
        let beyond =
            |face| [LayerMask::all_if(!self.beyond(layer.slot, face, layer.y).is_closed())];
        let [sides] = self.beside(layer, LayerMask::ALL, room(layer), room, beyond);
        LayerMask::union(sides)
    }

    /// Returns, for each of some sets and each lateral face, the cells among `cells` of a layer
    /// with a cell of the set across that face. `own` are the sets in the layer, `of` returns the
    /// sets in another chunk's layer, and `beyond` returns the sets where no water passes to
    /// another chunk.
    #[inline]
    pub(crate) fn beside<const N: usize>(
        &self,
        layer: LayerId,
        cells: LayerMask,
        own: [LayerMask; N],
        mut of: impl FnMut(LayerId) -> [LayerMask; N],
        beyond: impl Fn(Face) -> [LayerMask; N],
    ) -> [[LayerMask; 4]; N] {
        let mut there = [[LayerMask::NONE; 4]; N];
        for ((side, face), leaving) in Face::LATERAL.into_iter().enumerate().zip(cells.leaving()) {
            if leaving.any() {
                let sets = match self.neighbour(layer.slot, face) {
                    Slot::NONE => beyond(face),
                    slot => of(layer.in_chunk(slot)),
                };
                for (there, set) in there.iter_mut().zip(sets) {
                    there[side] = set;
                }
            }
        }
        for (there, own) in there.iter_mut().zip(own) {
            *there = own.shifted(there).map(|sides| sides & cells);
        }
        there
    }

    /// Returns, for each of some sets, the cells of a layer with a cell of the set above or below
    /// them, across `face`. `of` and `beyond` are as for [`beside`](Self::beside).
    #[inline]
    pub(crate) fn vertical<const N: usize>(
        &self,
        layer: LayerId,
        face: Face,
        of: impl FnOnce(LayerId) -> [LayerMask; N],
        beyond: impl FnOnce(Face) -> [LayerMask; N],
    ) -> [LayerMask; N] {
        self.layer_across(layer, face).map_or_else(|| beyond(face), of)
    }

    /// Returns the cells of a layer that lie over water.
    #[inline]
    pub(crate) fn over_water(&self, layer: LayerId) -> LayerMask {
        let [wet] = self.vertical(layer, Face::Down, |below| [self.layer(below).wet], nothing);
        wet
    }

    /// Returns the cells across each lateral face from `cells[side]` of a layer, by face and layer.
    pub(crate) fn spread(&self, layer: LayerId, cells: &[LayerMask; 4]) -> Ring {
        let mut ring = Ring::new();
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let inside = cells[side].across(face.opposite());
            if inside.any() {
                ring.push((layer, inside));
            }
            let leaving = cells[side].leaving_across(face);
            if leaving.any()
                && let Some(there) = self.layer_across(layer, face)
            {
                ring.push((there, leaving));
            }
        }
        ring
    }

    /// Returns the layer across a face of a layer, if water passes there.
    #[inline]
    pub(crate) fn layer_across(&self, layer: LayerId, face: Face) -> Option<LayerId> {
        match face {
            Face::Up => self.upper_layer(layer),
            Face::Down => self.lower_layer(layer),
            _ => {
                let there = self.neighbour(layer.slot, face);
                there.is_some().then_some(layer.in_chunk(there))
            }
        }
    }

    /// Returns the cells of the layer across a face that, if they hold water, are of the same body
    /// as water in `cells` of a layer: beside `cells`, the cells of another chunk; above, the cells
    /// over full cells; below, the full cells.
    #[inline]
    pub(crate) fn joints(&self, layer: LayerId, face: Face, cells: LayerMask) -> LayerMask {
        let full = |layer| cells & self.layer(layer).full();
        match face {
            Face::Up => full(layer),
            Face::Down => self.lower_layer(layer).map_or(LayerMask::NONE, full),
            _ => cells.leaving_across(face),
        }
    }
}

#[cfg(test)]
mod tests;
