//! What a region tells its neighbour across a face after a tick, as bytes: ghosts (ground and water
//! of the cells at the face), heads of bodies, and units that pass.
//!
//! The bytes are lists in the order of [`Content`], each a `u32` count and its items; cells are
//! named by their position in the world.

use crate::codec::{DecodeError, Field, Format, Reader};
use crate::coords::ChunkPos;
use crate::water::heads::Heads;
use glam::{IVec2, IVec3};

/// What one region sends its neighbour across a face after a tick; see
/// [`RegionWorld::advance`](crate::regions::RegionWorld::advance).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceMessage {
    /// The region that sends, counted in regions along x and z.
    pub from: IVec2,
    /// The region that is to receive it.
    pub to: IVec2,
    /// The content, for [`RegionWorld::receive`](crate::regions::RegionWorld::receive).
    pub bytes: Vec<u8>,
}

/// Water or sea in a cell at the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ghost {
    pub(super) cell: IVec3,
    /// The word of its voxel.
    pub(super) word: u16,
    /// How many faces lie between the cell and the spring that feeds it; [`NOT_FED`] if none does.
    pub(super) hops: u8,
    /// The number of its body, or [`NO_BODY`].
    pub(super) body: u32,
}

/// Hops of a cell that no spring feeds.
pub(super) const NOT_FED: u8 = u8::MAX;

/// The body of a cell whose body is not known.
pub(super) const NO_BODY: u32 = u32::MAX;

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
    /// For each chunk at the face, the cells there that are no ground: a row of 16 for each layer.
    pub(super) open: Vec<(ChunkPos, [u16; 16])>,
    pub(super) ghosts: Vec<Ghost>,
    pub(super) bodies: Vec<Heads>,
    /// Units for cells of the receiver.
    pub(super) units: Vec<(IVec3, u64)>,
    pub(super) feeds: Vec<Feed>,
    /// What the sender's springs at this face have given, by the receiver's cell that feeds them.
    pub(super) used: Vec<(IVec3, u8)>,
}

fn put_list<T>(out: &mut Vec<u8>, list: &[T], put: impl Fn(&T, &mut Vec<u8>)) {
    (list.len() as u32).put(out);
    list.iter().for_each(|item| put(item, out));
}

fn take_list<T>(
    from: &mut Reader<'_>,
    take: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let count: u32 = from.take()?;
    (0..count).map(|_| take(from)).collect()
}

impl Content {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_list(&mut out, &self.open, |(chunk, rows), out| {
            chunk.put(out);
            rows.iter().for_each(|row| row.put(out));
        });
        put_list(&mut out, &self.ghosts, |ghost, out| {
            ghost.cell.put(out);
            ghost.word.put(out);
            ghost.hops.put(out);
            ghost.body.put(out);
        });
        put_list(&mut out, &self.bodies, |heads, out| {
            [heads.low, heads.high, heads.sum, heads.area].iter().for_each(|head| head.put(out));
        });
        put_list(&mut out, &self.units, |(cell, units), out| {
            cell.put(out);
            units.put(out);
        });
        put_list(&mut out, &self.feeds, |feed, out| {
            feed.cell.put(out);
            feed.hops.put(out);
            feed.units.put(out);
        });
        put_list(&mut out, &self.used, |(cell, units), out| {
            cell.put(out);
            units.put(out);
        });
        out
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Content, DecodeError> {
        let mut from = Reader::new(Format::Message, bytes);
        let content = Content {
            open: take_list(&mut from, |from| {
                let chunk = from.take()?;
                let mut rows = [0; 16];
                for row in &mut rows {
                    *row = from.take()?;
                }
                Ok((chunk, rows))
            })?,
            ghosts: take_list(&mut from, |from| {
                let (cell, word) = (from.take()?, from.take()?);
                Ok(Ghost { cell, word, hops: from.take()?, body: from.take()? })
            })?,
            bodies: take_list(&mut from, |from| {
                let (low, high) = (from.take()?, from.take()?);
                Ok(Heads { low, high, sum: from.take()?, area: from.take()? })
            })?,
            units: take_list(&mut from, |from| Ok((from.take()?, from.take()?)))?,
            feeds: take_list(&mut from, |from| {
                Ok(Feed { cell: from.take()?, hops: from.take()?, units: from.take()? })
            })?,
            used: take_list(&mut from, |from| Ok((from.take()?, from.take()?)))?,
        };
        from.finish(content)
    }
}
