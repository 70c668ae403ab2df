//! Contacts of water, for code above it that exchanges units with it: which cells have a unit to
//! give or room for one, and in which chunks these may have changed.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::{ChunkPos, Cube, Face, Region, Shape};
use crate::grid::{LayerId, Slot};
use crate::water::WaterWorld;
use crate::water::store::Store;
use crate::water::store::changed::changes;
use glam::IVec3;

/// A chunk and its neighbours, by [`Face::index`]; [`Slot::NONE`] for a chunk that is frozen or not
/// loaded.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings {
    chunk: Slot,
    across: [Slot; 6],
}

/// Which cells of a layer to find.
#[derive(Clone, Copy)]
pub(crate) enum Contact {
    /// Cells with a unit to give: wet, or sea.
    Giver,
    /// Cells with room for a unit: open and not full. Sea is full.
    Taker,
    /// Sea.
    Sea,
}

impl Contact {
    fn of(self, store: &Store, layer: LayerId) -> LayerMask {
        if !layer.slot.is_some() {
            return LayerMask::NONE;
        }
        let state = store.layer(layer);
        let cells = match self {
            Contact::Giver => state.wet | store.sea(layer),
            Contact::Taker => LayerMask::ALL - state.closed - store.sea(layer),
            Contact::Sea => store.sea(layer),
        };
        // Beyond the bounds there are sea and marks of drains, but no cells.
        cells & cells_inside(&store.bounds(), store.grid().position_at(layer.slot), layer.y)
    }
}

/// Returns the cells of a layer (0 to 15) of a chunk that are inside bounds.
pub(crate) fn cells_inside(bounds: &Region, chunk: ChunkPos, layer: usize) -> LayerMask {
    let first = Cube::cell_at(chunk, layer * LAYER_CELLS);
    let cells = Region::new(first, first + IVec3::new(15, 0, 15));
    match bounds.intersection(&cells) {
        None => LayerMask::NONE,
        Some(inside) if inside == cells => LayerMask::ALL,
        Some(inside) => inside.positions().map(|cell| Cube::index_of(cell) % LAYER_CELLS).collect(),
    }
}

/// Returns a chunk position's surroundings, for [`contacts`](contacts). They are valid until a
/// chunk is loaded, unloaded, frozen or thawed.
pub(crate) fn surroundings(world: &WaterWorld, chunk: ChunkPos) -> Surroundings {
    let slot = |position: Option<ChunkPos>| {
        let slot = position.and_then(|position| world.store.grid().slot(position));
        slot.filter(|&slot| !world.store.is_frozen(slot)).unwrap_or(Slot::NONE)
    };
    Surroundings { chunk: slot(Some(chunk)), across: Face::ALL.map(|face| slot(chunk.step(face))) }
}

/// Returns, by [`Face::index`], the cells of a layer (0 to 15) whose neighbour across that face is
/// a cell of this kind. Cells of frozen chunks do not count.
pub(crate) fn contacts(
    world: &WaterWorld,
    around: &Surroundings,
    layer: usize,
    contact: Contact,
) -> [LayerMask; 6] {
    let of = |layer| contact.of(&world.store, layer);
    let across = |face: Face| around.across[face.index()];
    let beyond = Face::LATERAL.map(|face| of(LayerId::new(across(face), layer)));
    let [west, east, north, south] = of(LayerId::new(around.chunk, layer)).shifted(&beyond);
    let down = match layer {
        0 => of(LayerId::new(across(Face::Down), 15)),
        _ => of(LayerId::new(around.chunk, layer - 1)),
    };
    let up = match layer {
        15 => of(LayerId::new(across(Face::Up), 0)),
        _ => of(LayerId::new(around.chunk, layer + 1)),
    };
    [west, east, down, up, north, south]
}

/// Returns whether a chunk holds any sea; `false` if it is not loaded.
pub(crate) fn has_sea(world: &WaterWorld, chunk: ChunkPos) -> bool {
    world.store.grid().slot(chunk).is_some_and(|slot| world.store.has_sea(slot))
}

/// Begins to record in which chunks cells change, unless these are recorded already.
pub(crate) fn note_altered(world: &mut WaterWorld) {
    changes::note_altered(&mut world.store);
}

/// Returns whether [`take_altered`](take_altered) would return any chunk.
pub(crate) fn has_altered(world: &WaterWorld) -> bool {
    changes::has_altered(&world.store)
}

/// Returns the loaded chunks in which a cell may have changed in any bit since the last call, in no
/// particular order; none unless [`note_altered`] has been called.
pub(crate) fn take_altered(world: &mut WaterWorld) -> Vec<ChunkPos> {
    changes::take_altered(&mut world.store)
}
