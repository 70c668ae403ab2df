//! Pieces and bodies of water: union–find (disjoint sets, by size) over pieces, and for each body
//! its extremes in ordered maps.
//!
//! A piece joins the body of a neighbour in the time of the smaller body. What is cut off leaves
//! the body piece by piece, see `splits`. Nodes of the forest are counted references.

use crate::chunk::LayerMask;
use crate::grid::Slot;
use crate::water::pools::slab::Slab;
use crate::water::store::Place;
use std::collections::BTreeMap;

/// The index of a piece.
pub(crate) type PieceId = u32;

/// The index of a node of the union–find forest; a body goes by its root.
pub(crate) type NodeId = u32;

/// The difference of levels at which water moves in a body that is not stirred, and in one that is.
const STILL_STEP: i64 = 2;
const STIRRED_STEP: i64 = 3;

/// No node.
const NONE: NodeId = NodeId::MAX;

/// The highest or the lowest level in a piece, in units above y = 0, and how many of its cells have
/// it. The level means nothing if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extreme {
    pub(crate) level: i64,
    pub(crate) cells: u32,
}

impl Extreme {
    pub(crate) fn is_some(self) -> bool {
        self.cells > 0
    }
}

/// What of a piece matters to its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Its highest surface.
    pub(crate) high: Extreme,
    /// The lowest place in it, beside it or on it that takes water.
    pub(crate) low: Extreme,
    /// Its springs that can give in this tick, and the level to which they lift water.
    pub(crate) springs: Extreme,
    /// Whether these would be others if nothing had moved or been spent in this tick.
    pub(crate) is_stirred: bool,
}

/// A connected component of the supported cells of one layer of one chunk.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) slot: Slot,
    pub(crate) layer: u8,
    pub(crate) cells: LayerMask,
    node: NodeId,
    /// Whether it is still to be joined with its neighbours.
    pub(crate) is_fresh: bool,
    /// A hash of where it lies: an order that is the same in all worlds with the same water.
    pub(crate) key: u64,
    pub(crate) levels: Levels,
    /// The round of levelling in which no way was found from or to it.
    pub(crate) dead: u64,
    /// For each of two searches underway, the last one that met it.
    pub(crate) met: [u64; 2],
    /// Its group in the search for a split that met it.
    pub(crate) group: u32,
}

/// The pieces of a body by one of their extremes: level and key, then cells and piece.
type ByLevel = BTreeMap<(i64, u64), (u32, PieceId)>;

/// A connected component of pieces; of more than one while a split has not been looked for.
#[derive(Default)]
pub(crate) struct Body {
    pieces: usize,
    /// How many of them are stirred.
    stirred: usize,
    pub(crate) high: ByLevel,
    pub(crate) low: ByLevel,
    pub(crate) springs: ByLevel,
    /// Cells beside what has gone. The body is connected if their pieces are connected in it.
    pub(crate) fractures: Vec<Place>,
    is_watched: bool,
}

impl Body {
    /// Returns the number of its pieces.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces
    }

    /// Returns the level of the highest surface, or that to which a spring lifts water if it is
    /// higher.
    pub(crate) fn top(&self) -> Option<i64> {
        let last = |map: &ByLevel| map.last_key_value().map(|(&(level, _), _)| level);
        last(&self.high).max(last(&self.springs))
    }

    /// Returns the level of the lowest place that takes water.
    pub(crate) fn bottom(&self) -> Option<i64> {
        self.low.first_key_value().map(|(&(level, _), _)| level)
    }

    /// Returns whether a piece of it is stirred.
    pub(crate) fn is_stirred(&self) -> bool {
        self.stirred > 0
    }

    /// Returns the difference of levels at which water moves: two units; in a body that is stirred,
    /// three, since what flows evens out differences of two by itself, or makes new ones.
    pub(crate) fn step(&self) -> i64 {
        if self.is_stirred() { STIRRED_STEP } else { STILL_STEP }
    }

    /// Returns whether water should move, in a body whose fractures are settled.
    pub(crate) fn is_unlevel(&self) -> bool {
        self.differs_by(self.step())
    }

    /// Returns whether water may have to move, once the fractures are settled: what is stirred may
    /// then be no part of it, nor of what is split off.
    pub(crate) fn may_be_unlevel(&self) -> bool {
        self.differs_by(if self.fractures.is_empty() { self.step() } else { STILL_STEP })
    }

    fn differs_by(&self, step: i64) -> bool {
        matches!((self.top(), self.bottom()), (Some(top), Some(bottom)) if top >= bottom + step)
    }
}

struct Node {
    parent: NodeId,
    /// The pieces and nodes that refer to it.
    references: u32,
    /// `Some` exactly in a root.
    body: Option<Box<Body>>,
}

/// All pieces and bodies.
#[derive(Default)]
pub(crate) struct Bodies {
    pieces: Slab<Piece>,
    nodes: Slab<Node>,
    /// Bodies that were seen to be unlevel. Some may have ended since.
    pub(crate) watch: Vec<NodeId>,
}

impl Bodies {
    #[inline]
    pub(crate) fn piece(&self, piece: PieceId) -> &Piece {
        &self.pieces[piece]
    }

    #[inline]
    pub(crate) fn piece_mut(&mut self, piece: PieceId) -> &mut Piece {
        &mut self.pieces[piece]
    }

    /// Returns the first cell of a piece, 0 to 255.
    pub(crate) fn first_cell(&self, piece: PieceId) -> usize {
        self.piece(piece).cells.iter().next().unwrap_or_default()
    }

    /// Returns the body of a root; `None` if the node is no root (any more).
    pub(crate) fn get(&self, root: NodeId) -> Option<&Body> {
        self.nodes.get(root)?.body.as_deref()
    }

    /// Returns the body of a root.
    pub(crate) fn body(&self, root: NodeId) -> &Body {
        self.get(root).expect("a root has a body")
    }

    pub(crate) fn body_mut(&mut self, root: NodeId) -> &mut Body {
        self.nodes[root].body.as_mut().expect("a root has a body")
    }

    /// Adds a body without pieces. A piece must be moved to it at once.
    pub(crate) fn add_body(&mut self) -> NodeId {
        self.nodes.add(Node { parent: NONE, references: 0, body: Some(Box::default()) })
    }

    /// Removes a reference to a node, and the node with the last one.
    fn release(&mut self, mut at: NodeId) {
        while at != NONE {
            let node = &mut self.nodes[at];
            node.references -= 1;
            if node.references > 0 {
                return;
            }
            node.body = None;
            let parent = node.parent;
            self.nodes.free(at);
            at = parent;
        }
    }

    /// Returns the root of a piece's body.
    pub(crate) fn root_of(&mut self, piece: PieceId) -> NodeId {
        let node = self.pieces[piece].node;
        let mut root = node;
        while self.nodes[root].parent != NONE {
            root = self.nodes[root].parent;
        }
        if root != node {
            self.pieces[piece].node = root;
            self.nodes[root].references += 1;
            self.release(node);
        }
        root
    }

    /// Adds a piece to a body.
    pub(crate) fn add_piece(
        &mut self,
        (slot, layer): (Slot, usize),
        cells: LayerMask,
        key: u64,
        root: NodeId,
    ) -> PieceId {
        let piece = Piece {
            slot,
            layer: layer as u8,
            cells,
            node: root,
            is_fresh: true,
            key,
            levels: Levels::default(),
            dead: 0,
            met: [0; 2],
            group: 0,
        };
        self.nodes[root].references += 1;
        self.body_mut(root).pieces += 1;
        self.pieces.add(piece)
    }

    /// Removes a piece, and its body with the last one.
    pub(crate) fn remove_piece(&mut self, piece: PieceId) {
        self.set_levels(piece, Levels::default());
        let root = self.root_of(piece);
        self.body_mut(root).pieces -= 1;
        self.release(root);
        self.pieces.free(piece);
    }

    /// Moves a piece to another body.
    pub(crate) fn move_piece(&mut self, piece: PieceId, to: NodeId) {
        let levels = self.pieces[piece].levels;
        self.set_levels(piece, Levels::default());
        let from = self.root_of(piece);
        self.body_mut(from).pieces -= 1;
        self.pieces[piece].node = to;
        self.nodes[to].references += 1;
        self.body_mut(to).pieces += 1;
        self.release(from);
        self.set_levels(piece, levels);
    }

    /// Sets the levels of a piece, and keeps the extremes of its body.
    pub(crate) fn set_levels(&mut self, piece: PieceId, levels: Levels) {
        let before = core::mem::replace(&mut self.pieces[piece].levels, levels);
        if before == levels {
            return;
        }
        let root = self.root_of(piece);
        let key = self.pieces[piece].key;
        let body = self.body_mut(root);
        body.stirred += usize::from(levels.is_stirred);
        body.stirred -= usize::from(before.is_stirred);
        for (map, before, now) in [
            (&mut body.high, before.high, levels.high),
            (&mut body.low, before.low, levels.low),
            (&mut body.springs, before.springs, levels.springs),
        ] {
            if before == now {
                continue;
            }
            if before.is_some() && !(now.is_some() && now.level == before.level) {
                map.remove(&(before.level, key));
            }
            if now.is_some() {
                map.insert((now.level, key), (now.cells, piece));
            }
        }
        self.watch_if_unlevel(root);
    }

    /// Joins the bodies of two pieces: the smaller one's pieces to the larger one. Returns how many
    /// extremes moved.
    pub(crate) fn join(&mut self, a: PieceId, b: PieceId) -> usize {
        let (mut a, mut b) = (self.root_of(a), self.root_of(b));
        if a == b {
            return 0;
        }
        if self.body(a).pieces < self.body(b).pieces {
            core::mem::swap(&mut a, &mut b);
        }
        let node = &mut self.nodes[b];
        node.parent = a;
        let mut small = node.body.take().expect("a root has a body");
        self.nodes[a].references += 1;
        let (large, mut moved) = (self.body_mut(a), 0);
        large.pieces += small.pieces;
        large.stirred += small.stirred;
        for (large, small) in [
            (&mut large.high, &mut small.high),
            (&mut large.low, &mut small.low),
            (&mut large.springs, &mut small.springs),
        ] {
            if large.len() < small.len() {
                core::mem::swap(large, small);
            }
            moved += small.len();
            large.extend(core::mem::take(small));
        }
        large.fractures.append(&mut small.fractures);
        self.watch_if_unlevel(a);
        moved
    }

    /// Adds a body that may not be level to those to be levelled.
    pub(crate) fn watch_if_unlevel(&mut self, root: NodeId) {
        let body = self.body_mut(root);
        if !body.is_watched && body.may_be_unlevel() {
            body.is_watched = true;
            self.watch.push(root);
        }
    }

    /// Takes a body from the watch list. Returns whether it may be unlevel; `false` if it has ended.
    pub(crate) fn unwatch(&mut self, root: NodeId) -> bool {
        let body = self.nodes.get_mut(root).and_then(|node| node.body.as_mut());
        body.is_some_and(|body| core::mem::take(&mut body.is_watched) && body.may_be_unlevel())
    }

    /// Returns the bytes held. An entry of an ordered map is counted with the room that B-trees
    /// leave on average.
    pub(crate) fn memory_bytes(&self) -> usize {
        const ENTRY: usize = (size_of::<((i64, u64), (u32, PieceId))>() * 3).div_ceil(2);
        let body = |body: &Body| {
            size_of::<Body>()
                + (body.high.len() + body.low.len() + body.springs.len()) * ENTRY
                + body.fractures.capacity() * size_of::<Place>()
        };
        self.nodes.iter().filter_map(|node| node.body.as_deref()).map(body).sum::<usize>()
            + self.pieces.memory_bytes()
            + self.nodes.memory_bytes()
            + self.watch.capacity() * size_of::<NodeId>()
    }
}
