//! What a region sends its neighbour across a face after a tick, as bytes: ghosts (ground and water
//! of the cells at the face), heads of bodies, and units that pass.
//!
//! The bytes are the number of the tick, the side of the regions, and [lists](crate::codec) in the
//! order of [`Content`]; cells are named by their position in the world. Before the receiver
//! changes anything, it checks the content by [`Content::check`].

use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::{ChunkPos, Cube, Face, Region, Shape};
use crate::water::query::heads::Heads;
use crate::water::{FULL, Voxel};
use glam::{IVec2, IVec3};
use std::collections::BTreeSet;

/// The message of a region to its neighbour across a face after a tick; see
/// [`RegionWorld::advance`](crate::regions::RegionWorld::advance).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceMessage {
    /// The region that sends, counted in regions along x and z.
    pub from: IVec2,
    /// The region that is to receive the message.
    pub to: IVec2,
    /// The content, for [`RegionWorld::receive`](crate::regions::RegionWorld::receive).
    pub bytes: Vec<u8>,
}

/// A ghost: a cell with water or sea at the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ghost {
    pub(super) cell: IVec3,
    /// The word of its voxel.
    pub(super) word: u16,
    /// How many faces lie between the cell and the spring that feeds it; [`NOT_FED`] if no spring
    /// does.
    pub(super) hops: u8,
    /// The number of the cell's body, or [`NO_BODY`].
    pub(super) body: u32,
}

impl Ghost {
    /// Returns whether a cell can have this ghost, if there are `bodies` bodies.
    pub(super) fn is_lawful(&self, bodies: usize) -> bool {
        let has_body = self.body == NO_BODY || (self.body as usize) < bodies;
        has_body && Voxel::from_word(self.word).is_ok()
    }
}

/// Hops of a cell that no spring feeds.
pub(super) const NOT_FED: u8 = u8::MAX;

/// The body of a cell whose body is not known.
pub(super) const NO_BODY: u32 = u32::MAX;

/// A body in a message: its surfaces, and the surfaces of the bodies that it touches across the
/// other faces of the region, as last received. So heads travel through bodies without a surface,
/// as in a culvert, and a lake over many regions reaches one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Body {
    /// The surfaces of the body, and of the bodies 1 to 3 faces behind it. A body that is reached
    /// by several ways counts several times. Farther bodies are left out, because a sum is older
    /// the farther it has travelled, and levels would swing if much older sums counted.
    pub(super) near: [Heads; 4],
    /// The lowest surface of the body and of the bodies up to [`FAR`] faces behind it.
    pub(super) low: i64,
    /// How many faces lie between the body and its lowest surface in `low`.
    pub(super) relays: u8,
}

/// The most faces over which the lowest surface travels.
const FAR: u8 = 32;

impl Body {
    pub(super) fn new(own: Heads) -> Self {
        let mut near = [Heads::NONE; 4];
        near[0] = own;
        Body { near, low: own.low, relays: 0 }
    }

    /// Adds the surfaces received from a body across another face.
    pub(super) fn add(&mut self, other: &Body) {
        for (own, other) in self.near[1..].iter_mut().zip(&other.near) {
            *own = own.with(other);
        }
        if other.low < self.low && other.relays < FAR {
            (self.low, self.relays) = (other.low, other.relays + 1);
        }
    }

    /// Returns whether a body can have these surfaces.
    pub(super) fn is_lawful(&self) -> bool {
        self.near.iter().all(are_surfaces)
    }

    /// Returns the surfaces of the body and of all bodies near it.
    pub(super) fn around(&self) -> Heads {
        self.near.iter().fold(Heads::NONE, |sum, of| sum.with(of))
    }
}

/// An outlet of the sender: its cell at the face, the hops of that cell, and the units sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Feed {
    pub(super) cell: IVec3,
    pub(super) hops: u8,
    pub(super) units: u8,
}

/// The content of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// The ticks that the sender has run.
    pub(super) tick: u64,
    /// The side of the sender's regions.
    pub(super) side: i32,
    /// For each chunk at the face, its cells there that are not ground: a row of 16 bits for each
    /// layer.
    pub(super) open: Vec<(ChunkPos, [u16; 16])>,
    pub(super) ghosts: Vec<Ghost>,
    /// Whether the message has bodies, and the ghosts name theirs.
    pub(super) has_heads: bool,
    pub(super) bodies: Vec<Body>,
    /// Units for cells of the receiver.
    pub(super) units: Vec<(IVec3, u64)>,
    pub(super) feeds: Vec<Feed>,
    /// The units that the sender's springs at this face have given, by the receiver's cell that
    /// feeds each spring.
    pub(super) used: Vec<(IVec3, u8)>,
}

impl Content {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.tick.put(&mut out);
        self.side.put(&mut out);
        self.open.put(&mut out);
        self.ghosts.put(&mut out);
        self.has_heads.put(&mut out);
        self.bodies.put(&mut out);
        self.units.put(&mut out);
        self.feeds.put(&mut out);
        self.used.put(&mut out);
        out
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Content, DecodeError> {
        let mut from = Reader::new(Format::Message, bytes);
        let content = Content {
            tick: from.take()?,
            side: from.take()?,
            open: from.take()?,
            ghosts: from.take()?,
            has_heads: from.take()?,
            bodies: from.take()?,
            units: from.take()?,
            feeds: from.take()?,
            used: from.take()?,
        };
        from.finish(content)
    }

    /// Returns whether a region can take over the content: all cells and chunks lie at its face, on
    /// the side where they belong, no chunk, ghost or feed is named twice, and all values are in
    /// range. `face` is the receiver's face, `area` the receiver's own cells.
    pub(super) fn check(&self, face: Face, area: Region) -> bool {
        let plane = Plane::new(face, area);
        let bodies = if self.has_heads { self.bodies.len() } else { 0 };
        are_distinct(self.open.iter().map(|(chunk, _)| IVec3::from(*chunk)))
            && are_distinct(self.ghosts.iter().map(|ghost| ghost.cell))
            && are_distinct(self.feeds.iter().map(|feed| feed.cell))
            && self.open.iter().all(|&(chunk, _)| plane.has_chunk_beyond(chunk))
            && self
                .ghosts
                .iter()
                .all(|ghost| plane.is_beyond(ghost.cell) && ghost.is_lawful(bodies))
            && self.bodies.iter().all(Body::is_lawful)
            && self.units.iter().all(|&(cell, units)| plane.is_own(cell) && units <= MOST_UNITS)
            && self.feeds.iter().all(|feed| plane.is_beyond(feed.cell) && feed.units <= FULL)
            && self.used.iter().all(|&(cell, units)| plane.is_own(cell) && units <= FULL)
    }
}

/// The most units for one cell in a message: more than any face passes, and few enough that sums do
/// not overflow.
const MOST_UNITS: u64 = u32::MAX as u64;

fn are_distinct(cells: impl Iterator<Item = IVec3>) -> bool {
    let mut met = BTreeSet::new();
    cells.into_iter().all(|cell| met.insert(cell.to_array()))
}

/// Returns whether a body can have these surfaces.
pub(super) fn are_surfaces(heads: &Heads) -> bool {
    match heads.area {
        0 => true,
        area => area > 0 && heads.low <= heads.high,
    }
}

/// The cells on both sides of a face of a region.
pub(super) struct Plane {
    area: Region,
    axis: usize,
    own: i32,
    beyond: i32,
}

impl Plane {
    pub(super) fn new(face: Face, area: Region) -> Self {
        let offset = face.offset();
        let axis = if offset.x != 0 { 0 } else { 2 };
        let is_least = offset.min_element() < 0;
        let own = if is_least { area.min()[axis] } else { area.max()[axis] };
        Plane { area, axis, own, beyond: own + offset[axis] }
    }

    /// Returns whether a cell is a cell of the region, at the face.
    pub(super) fn is_own(&self, cell: IVec3) -> bool {
        self.area.contains(cell) && cell[self.axis] == self.own
    }

    /// Returns whether a cell lies across the face from a cell of the region.
    pub(super) fn is_beyond(&self, mut cell: IVec3) -> bool {
        let is_there = cell[self.axis] == self.beyond;
        cell[self.axis] = self.own;
        is_there && self.is_own(cell)
    }

    /// Returns whether a chunk has cells that lie across the face from cells of the region.
    pub(super) fn has_chunk_beyond(&self, chunk: ChunkPos) -> bool {
        let [mut min, mut max] = [self.area.min(), self.area.max()];
        (min[self.axis], max[self.axis]) = (self.beyond, self.beyond);
        let [min, max] = [min, max].map(|cell| IVec3::from(Cube::chunk_of(cell)));
        Region::new(min, max).contains(IVec3::from(chunk))
    }
}
