//! A window: one layer of a chunk with its surroundings (halo), copied into fixed-size arrays.

use crate::chunk::LAYER_CELLS;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::flow::kernel::least_height;
use crate::water::flow_record::NO_FLOW;
use crate::water::store::{Place, Store};
use crate::water::voxel::Voxel;

/// Cells along one side of a window: 16 of the layer, and one of the halo at each end.
pub(crate) const SIDE: usize = 18;
pub(crate) const AREA: usize = SIDE * SIDE;

/// A layer of a chunk with the cells beside and below it. A window that is
/// [gathered](Window::gather) holds all of these cells. A window that is [begun](Window::begin)
/// holds the cells that have been [read](Window::read_around) since then.
pub(crate) struct Window {
    pub(crate) own: [u16; AREA],
    pub(crate) below: [u16; AREA],
    /// The least height from which water flows sideways into each cell; see
    /// [`least_height`](crate::water::flow::kernel::least_height).
    pub(crate) least: [u8; AREA],
    /// Whether any cell is a drain or has the FlowOut flag.
    pub(crate) has_exit: bool,
    /// The flow record of each cell of the layer.
    pub(crate) flow: [u16; LAYER_CELLS],
    /// The cells that the window holds, by bit.
    held: [u64; AREA.div_ceil(64)],
}

/// Where the kernel finds cells that its window may not hold.
pub(crate) trait Surroundings {
    /// Loads a cell of the layer and the cells beside it, so that the window holds them.
    fn load_around(&self, window: &mut Window, index: usize);
}

/// Surroundings of a window that holds all cells.
pub(crate) struct Gathered;

impl Surroundings for Gathered {
    #[inline]
    fn load_around(&self, _: &mut Window, _: usize) {}
}

/// Surroundings of a window that reads cells of this layer when the kernel reaches them.
pub(crate) struct Thin<'s>(pub(crate) &'s Store, pub(crate) LayerId);

impl Surroundings for Thin<'_> {
    #[inline]
    fn load_around(&self, window: &mut Window, index: usize) {
        window.read_around(self.0, self.1, index);
    }
}

/// Returns the window index of a cell of the layer (0 to 255).
#[inline]
pub(crate) fn window_index(cell: usize) -> usize {
    (cell >> 4) * SIDE + (cell & 15) + SIDE + 1
}

/// Returns the side opposite to `side`: the lateral faces come in pairs, 0 and 1, 2 and 3.
#[inline]
pub(crate) const fn opposite(side: usize) -> usize {
    side ^ 1
}

/// The differences of the window indices across each side.
const STEPS: [isize; 4] = [-1, 1, -(SIDE as isize), SIDE as isize];

/// Returns the window index of the cell across a side.
#[inline]
pub(crate) fn step(index: usize, side: usize) -> usize {
    index.wrapping_add_signed(STEPS[side])
}

/// Returns the window indices beside `index`, in the order of [`Face::LATERAL`].
#[inline]
pub(crate) fn around(index: usize) -> [usize; 4] {
    [index - 1, index + 1, index - SIDE, index + SIDE]
}

impl Window {
    pub(crate) fn new() -> Self {
        Window {
            own: [0; AREA],
            below: [0; AREA],
            least: [0; AREA],
            has_exit: false,
            flow: [NO_FLOW; LAYER_CELLS],
            held: [0; AREA.div_ceil(64)],
        }
    }

    /// Begins a window that holds no cell yet.
    pub(crate) fn begin(&mut self) {
        self.held = [0; AREA.div_ceil(64)];
        self.has_exit = true;
    }

    /// Reads a cell of the layer and the cells beside it, unless the window holds them.
    #[inline]
    pub(crate) fn read_around(&mut self, store: &Store, layer: LayerId, index: usize) {
        let [west, east, north, south] = around(index);
        for index in [index, west, east, north, south] {
            if self.held[index / 64] >> (index % 64) & 1 == 0 {
                self.read(store, layer, index);
            }
        }
    }

    fn read(&mut self, store: &Store, layer: LayerId, index: usize) {
        self.held[index / 64] |= 1 << (index % 64);
        let (x, z) = (index % SIDE, index / SIDE);
        let (near_x, near_z) = (x.clamp(1, 16), z.clamp(1, 16));
        let place = Place::in_layer(layer, (near_z - 1) * 16 + near_x - 1);
        let [own, below] = if (x, z) == (near_x, near_z) {
            [store.read(place), store.floor(place)]
        } else {
            let face = match (x, z) {
                (0, _) => Face::West,
                (17, _) => Face::East,
                (_, 0) => Face::North,
                _ => Face::South,
            };
            store.look_over(place, face)
        };
        (self.own[index], self.below[index]) = (own.word(), below.word());
        self.least[index] = least_height(own.word(), below.word());
    }

    /// Returns the least height from which water flows out of a cell across a side.
    #[inline]
    pub(crate) fn least_across(&self, index: usize, side: usize) -> u8 {
        self.least_into(step(index, side))
    }

    /// Returns the least height from which water flows into a cell: the same across all sides.
    #[inline]
    pub(crate) fn least_into(&self, index: usize) -> u8 {
        self.least[index]
    }

    /// Returns the least height from which water flows out of a cell across any side.
    #[inline]
    pub(crate) fn lowest_beside(&self, index: usize) -> u8 {
        let [west, east, north, south] = around(index).map(|beside| self.least[beside]);
        west.min(east).min(north).min(south)
    }

    /// Returns, for each side, [`least_across`](Self::least_across) of the 16 cells from an index
    /// on. The results are slices, so that the minimum of the four vectorises.
    #[inline]
    pub(crate) fn least_across_row(&self, index: usize) -> [&[u8]; 4] {
        let row = |first: usize| &self.least[first..][..16];
        [row(index - 1), row(index + 1), row(index - SIDE), row(index + SIDE)]
    }

    /// Returns the voxel of a cell of the layer.
    #[inline]
    pub(crate) fn at(&self, cell: usize) -> Voxel {
        Voxel::from_raw(self.own[window_index(cell)])
    }

    /// Returns the voxel below a cell of the layer.
    #[inline]
    pub(crate) fn below(&self, cell: usize) -> Voxel {
        Voxel::from_raw(self.below[window_index(cell)])
    }

    /// Returns the voxel of a border cell of the chunk across a lateral face (index into
    /// [`Face::LATERAL`]), by its index in that chunk's layer.
    #[inline]
    pub(crate) fn beside(&self, side: usize, cell: usize) -> Voxel {
        let index = match side {
            0 => (cell >> 4) * SIDE + SIDE,
            1 => (cell >> 4) * SIDE + SIDE + 17,
            2 => (cell & 15) + 1,
            _ => (cell & 15) + 1 + 17 * SIDE,
        };
        Voxel::from_raw(self.own[index])
    }

    /// Copies the window's own layer into `cells`.
    pub(crate) fn copy_to(&self, cells: &mut [Voxel; LAYER_CELLS]) {
        for (row, cells) in cells.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            for (to, &from) in cells.iter_mut().zip(&self.own[window_index(row * 16)..][..16]) {
                *to = Voxel::from_raw(from);
            }
        }
    }

    /// Copies a layer, its halo, and the cells below both. Sea below is copied as a sink, into
    /// which water falls.
    pub(crate) fn gather(&mut self, store: &Store, layer: LayerId) {
        let mut is_over_sea = false;
        copy_layer(&mut self.own, store, layer);
        match store.lower_layer(layer) {
            Some(layer) => {
                is_over_sea |= store.has_sea(layer.slot);
                copy_layer(&mut self.below, store, layer);
            }
            None => {
                let beyond = store.beyond(layer.slot, Face::Down, layer.y).word();
                for row in 0..16 {
                    self.below[window_index(row * 16)..][..16].fill(beyond);
                }
            }
        }
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let neighbour = store.neighbour(layer.slot, face);
            if neighbour.is_some() {
                copy_border(&mut self.own, store, layer.in_chunk(neighbour), side);
                match store.lower_layer(layer.in_chunk(neighbour)) {
                    Some(layer) => {
                        is_over_sea |= store.has_sea(layer.slot);
                        copy_border(&mut self.below, store, layer, side);
                    }
                    None => {
                        let beyond = store.beyond(neighbour, Face::Down, layer.y);
                        fill_border(&mut self.below, beyond, side);
                    }
                }
            } else {
                fill_border(&mut self.own, store.beyond(layer.slot, face, layer.y), side);
                fill_border(&mut self.below, Voxel::WALL, side);
            }
        }
        if is_over_sea {
            let sea = |word: &&mut u16| **word == Voxel::SEA.word();
            self.below.iter_mut().filter(sea).for_each(|word| *word = Voxel::SINK.word());
        }
        self.prepare();
    }
}

fn copy_layer(window: &mut [u16; AREA], store: &Store, layer: LayerId) {
    let chunk = store.grid().chunk_at(layer.slot);
    match chunk.as_dense() {
        Some(cells) => {
            let rows = cells[layer.y * LAYER_CELLS..][..LAYER_CELLS].as_chunks::<16>().0;
            for (row, cells) in rows.iter().enumerate() {
                for (to, from) in window[window_index(row * 16)..][..16].iter_mut().zip(cells) {
                    *to = from.word();
                }
            }
        }
        None => {
            let word = chunk.get(0).word();
            for row in 0..16 {
                window[window_index(row * 16)..][..16].fill(word);
            }
        }
    }
}

/// Copies the row or column of a neighbour's layer that adjoins the window's side.
fn copy_border(window: &mut [u16; AREA], store: &Store, layer: LayerId, side: usize) {
    let chunk = store.grid().chunk_at(layer.slot);
    let Some(cells) = chunk.as_dense() else {
        fill_border(window, chunk.get(0), side);
        return;
    };
    let cells = cells[layer.y * LAYER_CELLS..][..LAYER_CELLS].as_chunks::<16>().0;
    match side {
        0 => put_border(window, side, |at| cells[at][15]),
        1 => put_border(window, side, |at| cells[at][0]),
        2 => put_border(window, side, |at| cells[15][at]),
        _ => put_border(window, side, |at| cells[0][at]),
    }
}

fn fill_border(window: &mut [u16; AREA], voxel: Voxel, side: usize) {
    put_border(window, side, |_| voxel);
}

/// Writes the sixteen cells of the halo on one side.
#[inline]
fn put_border(window: &mut [u16; AREA], side: usize, voxel: impl Fn(usize) -> Voxel) {
    let rows: &mut [[u16; SIDE]] = window.as_chunks_mut().0;
    match side {
        0 | 1 => (0..16).for_each(|at| rows[at + 1][side * (SIDE - 1)] = voxel(at).word()),
        _ => (0..16).for_each(|at| rows[(side - 2) * (SIDE - 1)][at + 1] = voxel(at).word()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{CHUNK_CELLS, Region};
    use crate::water::rules::{Edge, Edges};
    use crate::water::scratch::test_worlds;
    use crate::water::store::{Place, chunks};
    use glam::IVec3;

    #[test]
    fn a_window_agrees_with_reading_each_cell() {
        let mut random = fastrand::Rng::with_seed(11);
        let mut window = Window::new();
        for round in 0..12 {
            let edges = Edges {
                outer: [Edge::Drain; 6],
                unloaded: [Edge::Wall, Edge::Drain, Edge::Held][round % 3],
            };
            let bounds = Region::new(IVec3::new(-16, -13, -16), IVec3::new(15, 15, 12));
            let mut store = Store::new(bounds, edges);
            for chunk in Region::new(IVec3::NEG_ONE, IVec3::ZERO).positions() {
                let cells: [Voxel; CHUNK_CELLS] =
                    core::array::from_fn(|_| test_worlds::voxel(&mut random));
                match random.u8(..4) {
                    0 => {}
                    1 => drop(chunks::insert(&mut store, chunk.into(), Chunk::uniform(cells[0]))),
                    _ => drop(chunks::insert(&mut store, chunk.into(), Chunk::from_cells(&cells))),
                }
            }
            for layer in store
                .grid()
                .sorted_slots()
                .into_iter()
                .flat_map(|slot| [0, 1, 15].map(|y| LayerId { slot, y }))
            {
                // The content of an earlier layer must not remain.
                window.own.fill_with(|| random.u16(..));
                window.below.fill_with(|| random.u16(..));
                window.gather(&store, layer);
                let mut own = [Voxel::OPEN; LAYER_CELLS];
                window.copy_to(&mut own);
                for (cell, &copied) in own.iter().enumerate() {
                    let place = Place::in_layer(layer, cell);
                    let index = SIDE * (cell / 16 + 1) + cell % 16 + 1;
                    assert_eq!(
                        window.own[index],
                        store.read(place).word(),
                        "round {round}: {place:?}"
                    );
                    assert_eq!(copied, store.read(place), "round {round}: {place:?}");
                    let below = store.floor(place);
                    assert_eq!(
                        (window.below[index], window.below(cell)),
                        (below.word(), below),
                        "round {round}"
                    );
                    let sides = [index - 1, index + 1, index - SIDE, index + SIDE];
                    let lowest = (0..4).map(|side| window.least_across(index, side)).min();
                    assert_eq!(Some(window.lowest_beside(index)), lowest, "round {round}");
                    let row = window.least_across_row(index - cell % 16).into_iter();
                    assert_eq!(row.map(|row| row[cell % 16]).min(), lowest, "round {round}");
                    for (side, face) in Face::LATERAL.into_iter().enumerate() {
                        let [beside, floor] = store.look_over(place, face);
                        let least = least_height(beside.word(), floor.word());
                        assert_eq!(
                            (window.own[sides[side]], window.below[sides[side]]),
                            (beside.word(), floor.word()),
                            "round {round}: {side}"
                        );
                        assert_eq!(window.least_across(index, side), least, "round {round}");
                        let there = store.step(place, face);
                        if there.is_some() && there.slot != layer.slot {
                            let seen = window.beside(side, there.cell());
                            assert_eq!(seen, store.read(there), "round {round}: {side}");
                        }
                    }
                }
            }
        }
    }
}
