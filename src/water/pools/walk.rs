//! The pieces of bodies, and where they touch. Pieces are the connected components of the supported
//! cells of a chunk's layer, found by flood fill of bit masks; in deep water, columns of whole
//! layers. Also what cells have passed on in the tick, and what they may still pass on.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::pools::column::{Depth, depth_of, inner_layers};
use crate::water::pools::layer::{AROUND, Layer, Levels, Rim, contact, levels_of, look, rim};
use crate::water::random::{Purpose, mix};
use crate::water::scratch::Tick;
use crate::water::scratch::tiles::Rank;
use crate::water::store::Place;
use core::ops::Range;

/// The index of no piece.
const NONE: u32 = u32::MAX;

/// A connected component of the supported cells of a layer of a chunk, or a column of whole layers.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// The index in the walk of the piece's layer, the lowest of a column.
    pub(crate) layer: u32,
    /// The number of layers: 1, or more in a column.
    pub(crate) layers: u32,
    pub(crate) depth: Depth,
    /// The piece of the layer that was found before this one.
    next: u32,
    /// The cells in each layer.
    pub(crate) cells: LayerMask,
}

impl Piece {
    /// Returns the number of cells.
    pub(crate) fn count(&self) -> u32 {
        self.layers * self.cells.count()
    }
}

/// A layer that the walk has read, or all layers of a column.
struct Seen {
    /// The layer, the lowest of a column.
    layer: Layer,
    /// The number of layers.
    layers: u32,
    depth: Depth,
    /// The piece of the layer that was found last.
    last: u32,
    /// The cells outside all bodies that a piece beside or below them may fill.
    claimed: LayerMask,
}

/// Where two pieces touch.
pub(crate) struct Contact {
    pub(crate) pieces: [u32; 2],
    pub(crate) touch: Touch,
    pub(crate) cells: i32,
    /// The units that may still pass through the contact in this tick.
    pub(crate) capacity: i32,
}

/// The result of a search for the extent of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The whole body.
    Whole,
    /// The pieces of the body have more layers than the limit and water flows in it, or an earlier
    /// survey of the same walk stopped in the body for this reason.
    Larger,
    /// The body reaches beyond the part of the world to which the walk is confined.
    Beyond,
}

/// The part of the world to which a walk is confined.
#[derive(Clone, Copy, Default)]
pub(crate) enum Within {
    #[default]
    World,
    Tile(Rank),
}

impl Within {
    fn contains(self, tick: &Tick, slot: Slot) -> bool {
        match self {
            Within::World => true,
            Within::Tile(tile) => tick.scratch.schedule.tile_of(tick.store, slot) == tile,
        }
    }
}

/// The pieces that have been found since the walk was begun. The water must not change
/// meanwhile.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) pieces: Vec<Piece>,
    layers: Vec<Seen>,
    /// For each layer of each slot, the number of the walk that last read it and its index in that
    /// walk.
    at: Vec<(u32, u32)>,
    /// For each slot, the number of the walk that last determined the inner layers of the chunk,
    /// and these layers, by bit.
    inner: Vec<(u32, u16)>,
    number: u32,
    pub(crate) within: Within,
    /// The cells charged since they were last taken.
    charged: usize,
    /// Where the pieces touch, if contacts are kept.
    pub(crate) contacts: Option<Vec<Contact>>,
}

/// Where a piece touches another: across a face, in a layer `there` of the other. Two columns touch
/// in several layers, from `there` up; each of them has the same cells.
#[derive(Clone, Copy)]
pub(crate) struct Touch {
    pub(crate) face: Face,
    pub(crate) there: LayerId,
    pub(crate) layers: usize,
}

/// The capacity of a contact with at most this many cells in a layer excludes the units that have
/// already passed in this tick. In wider contacts, these units matter little.
const NARROW: u32 = 32;

/// The number of pieces for which walks keep room from one tick to the next.
const ROOM: usize = 1 << 10;

impl Walk {
    /// Forgets all results, and begins walks that are confined to a part of the world.
    pub(crate) fn begin(&mut self, within: Within, keeps_contacts: bool) {
        (self.within, self.charged) = (within, 0);
        self.pieces.clear();
        self.layers.clear();
        self.pieces.shrink_to(ROOM);
        self.layers.shrink_to(ROOM);
        self.contacts = keeps_contacts.then(Vec::new);
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.at.clear();
            self.inner.clear();
            self.number = 1;
        }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<Piece>()
            + self.layers.capacity() * size_of::<Seen>()
            + self.at.capacity() * size_of::<(u32, u32)>()
            + self.inner.capacity() * size_of::<(u32, u16)>()
            + self.contacts.as_ref().map_or(0, |all| all.capacity() * size_of::<Contact>())
    }

    /// Returns a layer by its index.
    pub(crate) fn layer(&self, index: u32) -> &Layer {
        &self.layers[index as usize].layer
    }

    /// Returns the cells of the piece to which a supported cell of a layer belongs. In deep water,
    /// the water below joins all cells of the layer.
    pub(crate) fn joined(&self, layer: u32, cell: usize) -> LayerMask {
        let Seen { layer, depth, .. } = &self.layers[layer as usize];
        match depth {
            Depth::Shallow => layer.joined(LayerMask::single(cell), layer.supported),
            _ => layer.supported,
        }
    }

    /// Returns the index of a layer, which is read if it is new.
    pub(crate) fn index_or_read(&mut self, tick: &Tick, layer: LayerId) -> u32 {
        let at = layer.slot.index() * 16 + layer.y;
        if at >= self.at.len() {
            self.at.resize((layer.slot.index() + 1) * 16, (0, 0));
        }
        if self.at[at].0 != self.number {
            self.read(tick, layer);
        }
        self.at[at].1
    }

    /// Reads a layer, or the column to which it belongs.
    fn read(&mut self, tick: &Tick, layer: LayerId) {
        let Walk { inner, number, .. } = self;
        let mut inner_of = |slot: Slot| {
            if inner.len() <= slot.index() {
                inner.resize(slot.index() + 1, (0, 0));
            }
            let (last, layers) = &mut inner[slot.index()];
            if *last != *number {
                (*last, *layers) = (*number, inner_layers(tick, slot));
            }
            *layers
        };
        // The inner layers depend on the chunks beside the chunk. Where the chunk itself is outside
        // the walk's part of the world, a thread may not hold these.
        let (layers, depth) = match self.within.contains(tick, layer.slot) {
            true => depth_of(tick, layer, &mut inner_of),
            false => (layer.y..layer.y + 1, Depth::Shallow),
        };
        let lowest = LayerId::new(layer.slot, layers.start);
        let first = layer.slot.index() * 16;
        let entry = (self.number, self.layers.len() as u32);
        self.at[first + layers.start..first + layers.end].fill(entry);
        self.layers.push(Seen {
            layer: look(tick, lowest),
            layers: layers.len() as u32,
            depth,
            last: NONE,
            claimed: LayerMask::NONE,
        });
    }

    /// Returns the layers of a piece, from the lowest up.
    pub(crate) fn layers_of(&self, piece: &Piece) -> impl Iterator<Item = LayerId> + use<> {
        let LayerId { slot, y } = self.layer(piece.layer).layer;
        (y..y + piece.layers as usize).map(move |y| LayerId { slot, y })
    }

    /// Returns the index of the layer of a cell, if the layer was read.
    pub(crate) fn index_of(&self, place: Place) -> Option<u32> {
        let at = place.is_some().then(|| place.slot.index() * 16 + place.layer())?;
        let &(number, index) = self.at.get(at)?;
        (number == self.number).then_some(index)
    }

    /// Returns the piece of a cell, if it was found.
    pub(crate) fn piece_of(&self, place: Place) -> Option<u32> {
        self.piece_at(self.index_of(place)?, place.cell())
    }

    /// Returns where the pieces touch.
    pub(crate) fn contacts(&self) -> &[Contact] {
        self.contacts.as_deref().unwrap_or_default()
    }

    /// Claims cells of a layer. Returns the cells that were not claimed before.
    pub(crate) fn claim(&mut self, layer: u32, cells: LayerMask) -> LayerMask {
        let claimed = &mut self.layers[layer as usize].claimed;
        let cells = cells - *claimed;
        *claimed |= cells;
        cells
    }

    /// Returns the piece of a cell of a layer, if it was found.
    pub(crate) fn piece_at(&self, layer: u32, cell: usize) -> Option<u32> {
        self.of_layer(layer).find(|&piece| self.pieces[piece as usize].cells.contains(cell))
    }

    fn of_layer(&self, layer: u32) -> impl Iterator<Item = u32> {
        let some = |piece: u32| (piece != NONE).then_some(piece);
        let last = some(self.layers[layer as usize].last);
        core::iter::successors(last, move |&at| some(self.pieces[at as usize].next))
    }

    /// Adds the piece of a supported cell. The walk must not have found it yet. Returns its index.
    pub(super) fn add_first(&mut self, tick: &Tick, (layer, cell): (u32, usize)) -> usize {
        let first = self.pieces.len();
        let start = Touch { face: Face::Up, there: self.layer(layer).layer, layers: 1 };
        self.reach(tick, layer, LayerMask::single(cell), start, NONE);
        first
    }

    /// Returns whether water has flowed in a piece in this tick, so that the piece stays awake.
    pub(super) fn is_flowing(&self, tick: &Tick, piece: usize) -> bool {
        let piece = &self.pieces[piece];
        self.layers_of(piece).any(|layer| (piece.cells & flowed_unsteadily(tick, layer)).any())
    }

    /// Returns whether steady flow passes a body, and no other water has flowed in it.
    pub(crate) fn is_steady(&self, tick: &Tick, body: Range<usize>) -> bool {
        let is_passed = |piece: usize| {
            let piece = &self.pieces[piece];
            self.layers_of(piece).any(|layer| (piece.cells & passed_steadily(tick, layer)).any())
        };
        body.clone().any(is_passed) && !body.into_iter().any(|piece| self.is_flowing(tick, piece))
    }

    /// Finds the pieces that touch a piece. Returns [`Extent::Beyond`] if one of them is not within
    /// the part of the world to which the walk is confined, and [`Extent::Larger`] if one was found
    /// before `first`, by a survey that stopped in the same body.
    pub(super) fn expand(&mut self, tick: &Tick, piece: u32, first: u32) -> Extent {
        let Piece { layer, cells, layers, .. } = self.pieces[piece as usize];
        let LayerId { slot, y: lowest } = self.layer(layer).layer;
        let top = lowest + layers as usize;
        let mut is_new = true;
        for face in AROUND {
            let (mut y, end) = match face {
                Face::Up => (top - 1, top),
                Face::Down => (lowest, lowest + 1),
                _ => (lowest, top),
            };
            while y < end {
                let Some((there, joints)) = contact(tick, LayerId { slot, y }, face, cells) else {
                    y += 1;
                    continue;
                };
                let layer = self.index_or_read(tick, there);
                if there.slot != slot
                    && (joints & self.layer(layer).supported).any()
                    && !self.within.contains(tick, there.slot)
                {
                    return Extent::Beyond;
                }
                let layers = if face.is_lateral() { self.top_of(layer).min(end) - y } else { 1 };
                let touch = Touch { face, there, layers };
                is_new &= self.reach(tick, layer, joints, touch, piece) >= first;
                y += layers;
            }
        }
        if is_new { Extent::Whole } else { Extent::Larger }
    }

    /// Returns the y above a layer of the walk, or above the column to which it belongs.
    fn top_of(&self, layer: u32) -> usize {
        let Seen { layer, layers, .. } = &self.layers[layer as usize];
        layer.layer.y + *layers as usize
    }

    /// Finds the pieces of a layer that contain any of `cells`, which the piece `from` touches.
    /// Returns the oldest of the pieces found.
    fn reach(&mut self, tick: &Tick, layer: u32, cells: LayerMask, touch: Touch, from: u32) -> u32 {
        let here = *self.layer(layer);
        let (mut left, mut oldest) = (cells & here.supported, NONE);
        let mut at = self.layers[layer as usize].last;
        while left.any() && at != NONE {
            let piece = self.pieces[at as usize];
            let shared = left & piece.cells;
            if shared.any() {
                left -= shared;
                oldest = oldest.min(at);
                if at > from {
                    self.note_contact(tick, touch, shared, [from, at]);
                }
            }
            at = piece.next;
        }
        while let Some(cell) = left.iter().next() {
            let cells = self.joined(layer, cell);
            let id = self.pieces.len() as u32;
            let Seen { last, layers, depth, .. } = &mut self.layers[layer as usize];
            let (next, layers, depth) = (core::mem::replace(last, id), *layers, *depth);
            self.pieces.push(Piece { layer, layers, depth, next, cells });
            self.note_contact(tick, touch, left & cells, [from, id]);
            left -= cells;
            oldest = oldest.min(id);
        }
        oldest
    }

    /// Notes that two pieces touch at these cells of the second.
    fn note_contact(&mut self, tick: &Tick, touch: Touch, cells: LayerMask, pieces: [u32; 2]) {
        let Some(contacts) = &mut self.contacts else { return };
        if pieces[0] != NONE {
            let Touch { there, layers, .. } = touch;
            let count = (layers as u32 * cells.count()) as i32;
            let capacity = match cells.count() <= NARROW {
                true => {
                    let layers = (there.y..there.y + layers).map(|y| LayerId { y, ..there });
                    layers.map(|layer| left_in(tick, layer, cells)).sum()
                }
                false => i32::from(tick.limits.throughput) * count,
            };
            contacts.push(Contact { pieces, touch, cells: count, capacity });
        }
    }

    /// Returns where a piece gives and takes.
    pub(crate) fn rim(&mut self, tick: &Tick, piece: usize) -> Rim {
        let Piece { layer, cells, depth, .. } = self.pieces[piece];
        if depth == Depth::Column {
            return Rim::default();
        }
        let at = *self.layer(layer);
        rim(tick, &at, cells, |layer| {
            let index = self.index_or_read(tick, layer);
            *self.layer(index)
        })
    }

    /// Returns the levels at which a piece gives and takes.
    pub(super) fn levels_of_piece(&mut self, tick: &Tick, piece: usize) -> Levels {
        let rim = self.rim(tick, piece);
        if rim.is_empty() {
            return Levels::NONE;
        }
        let at = *self.layer(self.pieces[piece].layer);
        levels_of(tick, &at, &rim)
    }

    /// Charges cells to the piece of the tick.
    pub(super) fn charge(&mut self, cells: usize) {
        self.charged += cells;
    }

    /// Returns the cells charged since the last call.
    pub(super) fn take_charged(&mut self) -> usize {
        core::mem::take(&mut self.charged)
    }

    /// Returns the first cell of a piece.
    pub(crate) fn first_cell(&self, piece: usize) -> Place {
        let Piece { layer, cells, .. } = self.pieces[piece];
        let at = self.layer(layer);
        Place::in_layer(at.layer, cells.iter().next().unwrap_or_default())
    }

    /// Chooses a piece of a body at random for this tick. Returns the random number and the first
    /// cell of the piece.
    pub(crate) fn anchor(&self, tick: &Tick, body: Range<usize>) -> Option<(u64, Place)> {
        let key = |piece: usize| {
            let place = self.first_cell(piece);
            (pool_key(tick, place), place)
        };
        body.map(key).min_by_key(|&(key, place)| (key, tick.store.position(place).to_array()))
    }
}

/// Returns a random number of a cell for this tick.
pub(crate) fn pool_key(tick: &Tick, place: Place) -> u64 {
    let seed = tick.scratch.seed(tick.store, place.layer_id());
    mix(Purpose::Pool.seed(seed), place.cell() as u64)
}

/// Returns the cells of a layer in which water has flowed in this tick.
pub(crate) fn flowed(tick: &Tick, layer: LayerId) -> LayerMask {
    tick.flow_of(layer).flowed() | tick.store.passed_in_runs(layer)
}

/// Returns the cells of a layer that steady flow has passed in this tick; it does not change their
/// levels. There are none in a tick in which steady flow yields, since it then passes after
/// bodies are levelled.
pub(crate) fn passed_steadily(tick: &Tick, layer: LayerId) -> LayerMask {
    tick.flow_of(layer).steady()
}

/// Returns the cells of a layer in which water has flowed in this tick, except cells that steady
/// flow has passed.
pub(crate) fn flowed_unsteadily(tick: &Tick, layer: LayerId) -> LayerMask {
    flowed(tick, layer) - passed_steadily(tick, layer)
}

/// Returns the units that cells of a layer, springs left out, may still pass on in this tick.
pub(crate) fn left_in(tick: &Tick, layer: LayerId, cells: LayerMask) -> i32 {
    let all = i32::from(tick.limits.throughput) * cells.count() as i32;
    let flow = tick.flow_of(layer);
    all - (cells & flow.flowed()).iter().map(|cell| i32::from(flow.passed(cell))).sum::<i32>()
}

/// Returns the least number of units that any cell of some pieces may still pass on.
pub(crate) fn least_left(tick: &Tick, walk: &Walk, pieces: &[usize]) -> i32 {
    let has_weak_springs = tick.limits.supply < tick.limits.throughput;
    let left = pieces.iter().flat_map(|&piece| {
        let piece = walk.pieces[piece];
        walk.layers_of(&piece).flat_map(move |layer| {
            let flowed = flowed(tick, layer);
            let cells = if has_weak_springs { piece.cells } else { piece.cells & flowed };
            cells.iter().map(move |cell| left_at(tick, Place::in_layer(layer, cell)))
        })
    });
    left.min().unwrap_or(i32::from(tick.limits.throughput))
}

/// Returns the units that a cell may still pass on, including units that it does not hold yet.
pub(crate) fn left_at(tick: &Tick, place: Place) -> i32 {
    i32::from(tick.limits.left(tick.store.read(place), tick.passed(place)))
}
