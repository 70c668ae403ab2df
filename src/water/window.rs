//! Local flow: one layer of one chunk with its surroundings in fixed-size arrays, and the rules by which a cell gives to
//! the cell below and to its sides.

use super::bits::{self, LayerBits, NONE};
use super::cell::CellFlags;
use super::chance::{Queue, mix};
use super::store::{LAYER_CELLS, Store};
use super::voxel::Voxel;
use super::workspace::{add_flow, passed};
use crate::coords::Face;
use crate::grid::Slot;

/// Cells along one side of a window: a layer and one cell all round.
const SIDE: usize = 18;
const AREA: usize = SIDE * SIDE;

/// What a step across each lateral face adds to a window index, in the order of [`Face::LATERAL`].
const STEP: [isize; 4] = [-1, 1, -(SIDE as isize), SIDE as isize];

/// All orders of the four sides.
const SIDE_ORDERS: [[u8; 4]; 24] = side_orders();

const fn side_orders() -> [[u8; 4]; 24] {
    let mut orders = [[0; 4]; 24];
    let mut count = 0;
    let mut code = 0;
    while code < 256 {
        let order = [code as u8 & 3, (code >> 2) as u8 & 3, (code >> 4) as u8 & 3, (code >> 6) as u8 & 3];
        if 1 << order[0] | 1 << order[1] | 1 << order[2] | 1 << order[3] == 15 {
            orders[count] = order;
            count += 1;
        }
        code += 1;
    }
    orders
}

/// A layer of a chunk with the cells beside and below it.
pub(super) struct Window {
    own: [u16; AREA],
    below: [u16; AREA],
}

/// What local flow did to a window.
pub(super) struct LocalFlow {
    /// Cells of the layer whose word changed.
    pub(super) changed: LayerBits,
    /// Cells of the layer below that received.
    pub(super) fell: LayerBits,
    /// Cells of the layer that gave, so that their neighbours may now give to them. Sources are not among them.
    pub(super) gave: LayerBits,
    /// Sources of the layer that gave.
    pub(super) sprang: LayerBits,
    /// Cells of the layer that may not pass on any more in this tick.
    pub(super) exhausted: LayerBits,
    /// For each lateral face, the cells of the chunk across it that received; bits of that chunk's layer.
    pub(super) left: [LayerBits; 4],
    pub(super) drained: u64,
    pub(super) injected: u64,
    pub(super) moved: u64,
}

/// The limits that hold for every cell in a tick, in units.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) throughput: u8,
    pub(super) supply: u8,
}

impl Limits {
    /// What a cell may still pass on in this tick, if it has passed on `passed`.
    #[inline]
    pub(super) fn left(&self, voxel: Voxel, passed: u8) -> u8 {
        let limit = if voxel.has(CellFlags::IS_SOURCE) { self.supply.min(self.throughput) } else { self.throughput };
        limit.saturating_sub(passed)
    }
}

#[inline]
fn window_index(cell: usize) -> usize {
    (cell >> 4) * SIDE + (cell & 15) + SIDE + 1
}

impl Window {
    pub(super) fn new() -> Self {
        Window { own: [0; AREA], below: [0; AREA] }
    }

    /// The voxel of a cell of the layer.
    #[inline]
    pub(super) fn own(&self, cell: usize) -> Voxel {
        Voxel::from_raw(self.own[window_index(cell)])
    }

    /// The voxel under a cell of the layer.
    #[inline]
    pub(super) fn below(&self, cell: usize) -> Voxel {
        Voxel::from_raw(self.below[window_index(cell)])
    }

    /// The voxel of a cell of the chunk across a lateral face (index into [`Face::LATERAL`]), by its index in that
    /// chunk's layer; only its border cells are there.
    #[inline]
    pub(super) fn beside(&self, side: usize, cell: usize) -> Voxel {
        let index = match side {
            0 => (cell >> 4) * SIDE + SIDE,
            1 => (cell >> 4) * SIDE + SIDE + 17,
            2 => (cell & 15) + 1,
            _ => (cell & 15) + 1 + 17 * SIDE,
        };
        Voxel::from_raw(self.own[index])
    }

    /// Copies the window's own layer back.
    pub(super) fn copy_to(&self, cells: &mut [Voxel; LAYER_CELLS]) {
        for (row, cells) in cells.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            for (to, &from) in cells.iter_mut().zip(&self.own[window_index(row * 16)..][..16]) {
                *to = Voxel::from_raw(from);
            }
        }
    }

    /// Copies a layer (0 to 15) of a chunk and what surrounds it.
    pub(super) fn gather(&mut self, store: &Store, slot: Slot, layer: usize) {
        copy_layer(&mut self.own, store, slot, layer);
        match lower_layer(store, slot, layer) {
            Some((slot, layer)) => copy_layer(&mut self.below, store, slot, layer),
            None => {
                let beyond = store.beyond(slot, Face::Down).word();
                for row in 0..16 {
                    self.below[window_index(row * 16)..][..16].fill(beyond);
                }
            }
        }
        for (side, face) in Face::LATERAL.into_iter().enumerate() {
            let neighbour = store.neighbour(slot, face);
            if neighbour.is_some() {
                copy_border(&mut self.own, store, neighbour, layer, side);
                match lower_layer(store, neighbour, layer) {
                    Some((slot, layer)) => copy_border(&mut self.below, store, slot, layer, side),
                    None => fill_border(&mut self.below, store.beyond(neighbour, Face::Down), side),
                }
            } else {
                fill_border(&mut self.own, store.beyond(slot, face), side);
                fill_border(&mut self.below, Voxel::WALL, side);
            }
        }
    }

    /// The cells that would give, if it were their turn.
    pub(super) fn givers(&self) -> LayerBits {
        // The height from which water goes into a cell: one more than its own where it would fall there, else two more.
        let mut least = [0u8; AREA];
        for ((least, &own), &below) in least.iter_mut().zip(&self.own).zip(&self.below) {
            let there = (own & 7) as u8;
            let slides = there < 7 && below & 7 < 7 || own == Voxel::DRAIN.word();
            *least = there + 2 - u8::from(slides);
        }
        let mut gives = [0u8; LAYER_CELLS];
        for (row, gives) in gives.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let at = window_index(row * 16);
            let (own, below) = (&self.own[at..][..16], &self.below[at..][..16]);
            let [west, east] = [&least[at - 1..][..16], &least[at + 1..][..16]];
            let [north, south] = [&least[at - SIDE..][..16], &least[at + SIDE..][..16]];
            for x in 0..16 {
                let lowest = west[x].min(east[x]).min(north[x]).min(south[x]);
                let height = (own[x] & 7) as u8;
                gives[x] = u8::from((own[x] >> 3 & 7 != 7) & (height > 0) & ((height >= lowest) | (below[x] & 7 < 7)));
            }
        }
        bits::plane(&gives, 0)
    }

    /// Lets cells give to below and sideways, in random order, beginning with those in `givers`. A cell that a move sets
    /// free to give has its turn in the same layer if its turn is still to come.
    ///
    /// `flow` and `inflow` are the layer's records; outflow and the sides water came from are entered there.
    pub(super) fn run(
        &mut self,
        givers: LayerBits,
        limits: Limits,
        seeds: (u64, u64),
        flow: &mut [u16; LAYER_CELLS],
        inflow: &mut [LayerBits; 6],
    ) -> LocalFlow {
        let mut queue = Queue::new(seeds.0);
        bits::iter(givers).for_each(|cell| queue.push(cell));
        let mut done = LocalFlow {
            changed: NONE,
            fell: NONE,
            gave: NONE,
            sprang: NONE,
            exhausted: NONE,
            left: [NONE; 4],
            drained: 0,
            injected: 0,
            moved: 0,
        };
        while let Some(cell) = queue.pop() {
            let voxel = self.own(cell);
            let left = limits.left(voxel, passed(flow[cell]));
            if left == 0 || !voxel.is_wet() {
                continue;
            }
            let mut turn = Turn { cell, height: voxel.height(), left, endless: voxel.has(CellFlags::IS_SOURCE) };
            self.fall(&mut turn, &mut flow[cell], &mut done);
            if turn.height > 0 && turn.left > 0 && self.below(cell).room() == 0 {
                let seed = mix(seeds.1, cell as u64);
                self.settle(&mut turn, voxel, seed, &mut flow[cell], inflow, &mut queue, &mut done);
            }
            let units = left - turn.left;
            if units == 0 {
                continue;
            }
            done.moved += u64::from(units);
            if turn.left == 0 {
                bits::insert(&mut done.exhausted, cell);
            }
            if turn.endless {
                done.injected += u64::from(units);
                bits::insert(&mut done.sprang, cell);
                continue;
            }
            self.own[window_index(cell)] = voxel.with_height(turn.height).word();
            bits::insert(&mut done.changed, cell);
            bits::insert(&mut done.gave, cell);
            for near in lateral_cells(cell).into_iter().flatten() {
                if self.own(near).is_wet() {
                    queue.push(near);
                }
            }
        }
        done
    }

    /// Down first: any water over a cell with room falls.
    #[inline]
    fn fall(&mut self, turn: &mut Turn, flow: &mut u16, done: &mut LocalFlow) {
        let below = self.below(turn.cell);
        if below == Voxel::DRAIN {
            done.drained += u64::from(turn.give(turn.height, Face::Down, flow));
            return;
        }
        let units = turn.give(below.room(), Face::Down, flow);
        if units > 0 {
            self.below[window_index(turn.cell)] += u16::from(units);
            bits::insert(&mut done.fell, turn.cell);
        }
    }

    /// Then sideways: on a way to the world's end first, then on in the flow's direction, then at random.
    #[allow(clippy::too_many_arguments)]
    fn settle(
        &mut self,
        turn: &mut Turn,
        voxel: Voxel,
        seed: u64,
        flow: &mut u16,
        inflow: &mut [LayerBits; 6],
        queue: &mut Queue,
        done: &mut LocalFlow,
    ) {
        let centre = window_index(turn.cell);
        let mut open = 0u8;
        let mut flow_out = 0u8;
        for (side, step) in STEP.into_iter().enumerate() {
            let index = centre.wrapping_add_signed(step);
            if self.flows_to(index, turn.height) > 0 {
                open |= 1 << side;
                let beside = Voxel::from_raw(self.own[index]);
                if beside == Voxel::DRAIN || beside.has(CellFlags::FLOW_OUT) {
                    flow_out |= 1 << side;
                }
            }
        }
        if open == 0 {
            return;
        }
        let momentum = match voxel.direction_code() {
            code @ 1..=2 => 1u8 << (code - 1),
            code @ 5..=6 => 1 << (code - 3),
            _ => 0,
        };
        let order = &SIDE_ORDERS[(((seed >> 32) * 24) >> 32) as usize];
        while open != 0 && turn.height > 0 && turn.left > 0 {
            let preferred = [open & flow_out, open & momentum, open].into_iter().find(|&set| set != 0).unwrap_or(0);
            let Some(&side) = order.iter().find(|&&side| preferred >> side & 1 != 0) else { return };
            open &= !(1 << side);
            let side = usize::from(side);
            let index = centre.wrapping_add_signed(STEP[side]);
            let face = Face::LATERAL[side];
            let units = turn.give(self.flows_to(index, turn.height), face, flow);
            if units == 0 {
                continue;
            }
            if self.own[index] == Voxel::DRAIN.word() {
                done.drained += u64::from(units);
                continue;
            }
            self.own[index] += u16::from(units);
            match lateral_cells(turn.cell)[side] {
                Some(near) => {
                    bits::insert(&mut done.changed, near);
                    bits::insert(&mut inflow[face.opposite().index()], near);
                    queue.push(near);
                }
                None => bits::insert(&mut done.left[side], across(turn.cell, side)),
            }
        }
    }

    /// Units that a cell of this height gives to the neighbour at a window index: all, to a drain; all that fits, where
    /// the neighbour would let it fall; else half of the difference.
    #[inline]
    fn flows_to(&self, index: usize, height: u8) -> u8 {
        let beside = self.own[index];
        if beside == Voxel::DRAIN.word() {
            return height;
        }
        let there = (beside & 7) as u8;
        if there < 7 && self.below[index] & 7 < 7 && height > there {
            return height.min(7 - there);
        }
        height.saturating_sub(there) / 2
    }
}

/// A cell that is having its turn.
struct Turn {
    cell: usize,
    height: u8,
    /// Units that it may still pass on.
    left: u8,
    /// A source: giving does not lower it.
    endless: bool,
}

impl Turn {
    /// Gives up to `wanted` units across a face; returns how many.
    #[inline]
    fn give(&mut self, wanted: u8, face: Face, flow: &mut u16) -> u8 {
        let units = wanted.min(self.height).min(self.left);
        self.left -= units;
        if !self.endless {
            self.height -= units;
        }
        add_flow(flow, face, units);
        units
    }
}

/// The neighbours of a cell inside its layer, in the order of [`Face::LATERAL`].
#[inline]
fn lateral_cells(cell: usize) -> [Option<usize>; 4] {
    [
        (cell & 15 > 0).then(|| cell - 1),
        (cell & 15 < 15).then(|| cell + 1),
        (cell >= 16).then(|| cell - 16),
        (cell < 240).then(|| cell + 16),
    ]
}

/// The index, in the neighbouring chunk's layer, of the cell across a lateral face of a border cell.
#[inline]
fn across(cell: usize, side: usize) -> usize {
    match side {
        0 => cell + 15,
        1 => cell - 15,
        2 => cell + 240,
        _ => cell - 240,
    }
}

/// The layer under a layer: in the same chunk or at the top of the one below, if that is loaded.
#[inline]
pub(super) fn lower_layer(store: &Store, slot: Slot, layer: usize) -> Option<(Slot, usize)> {
    if layer > 0 {
        return Some((slot, layer - 1));
    }
    let below = store.neighbour(slot, Face::Down);
    below.is_some().then_some((below, 15))
}

/// The layer above a layer, if it is loaded.
#[inline]
pub(super) fn upper_layer(store: &Store, slot: Slot, layer: usize) -> Option<(Slot, usize)> {
    if layer < 15 {
        return Some((slot, layer + 1));
    }
    let above = store.neighbour(slot, Face::Up);
    above.is_some().then_some((above, 0))
}

fn copy_layer(window: &mut [u16; AREA], store: &Store, slot: Slot, layer: usize) {
    let chunk = store.grid.chunk_at(slot);
    match chunk.as_dense() {
        Some(cells) => {
            let rows = cells[layer * LAYER_CELLS..][..LAYER_CELLS].as_chunks::<16>().0;
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

/// Copies the row or column of a neighbour's layer that lies along the window's side.
fn copy_border(window: &mut [u16; AREA], store: &Store, slot: Slot, layer: usize, side: usize) {
    let chunk = store.grid.chunk_at(slot);
    let Some(cells) = chunk.as_dense() else {
        fill_border(window, chunk.get(0), side);
        return;
    };
    let cells = &cells[layer * LAYER_CELLS..][..LAYER_CELLS];
    let (from, stride) = [(15, 16), (0, 16), (240, 1), (0, 1)][side];
    for (at, index) in border(side).enumerate() {
        window[index] = cells[from + at * stride].word();
    }
}

fn fill_border(window: &mut [u16; AREA], voxel: Voxel, side: usize) {
    for index in border(side) {
        window[index] = voxel.word();
    }
}

/// The sixteen window indices beside the layer on one side.
#[inline]
fn border(side: usize) -> impl Iterator<Item = usize> {
    let (start, stride) = [(SIDE, SIDE), (2 * SIDE - 1, SIDE), (1, 1), (17 * SIDE + 1, 1)][side];
    (0..16).map(move |at| start + at * stride)
}
