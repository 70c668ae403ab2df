//! The values of water as bytes, beside those of the whole crate (see [`codec`](crate::codec)): in
//! edits, records and snapshots.
//!
//! | value | bytes |
//! |---|---|
//! | voxel | its [word](Voxel::word), a `u16`, or a mark beyond the world's end |
//! | edge | a `u8`: 0 wall, 1 drain, 2 held, 3 level; after a 3, the y of the level, an `i32` |
//! | rules | evaporation and film evaporation, `f64`; supply and throughput, `u8`; the six outer edges and the unloaded one; pools and many parents, a `bool` each |
//! | fixture | a `u8`: 0 drain, 1 tap, 2 to 7 a valve towards the face of index 0 to 5; then the rate, a `u8` |
//! | record | the number of its bytes, a `u32`, then its [bytes](ChunkRecord::to_bytes) |

use crate::codec::{DecodeError, Field, Format, Reader, put_sized};
use crate::water::fixture::Fixture;
use crate::water::record::ChunkRecord;
use crate::water::rules::{Edge, Edges, Rules};
use crate::water::voxel::Voxel;

/// Values out of range are refused by the code that receives the rules, not here.
impl Field for Rules {
    fn put(&self, out: &mut Vec<u8>) {
        let Rules {
            evaporation,
            film_evaporation,
            source_supply,
            throughput,
            edges: Edges { outer, unloaded },
            pools,
            many_parents,
        } = self;
        [evaporation, film_evaporation].iter().for_each(|share| share.put(out));
        [source_supply, throughput].iter().for_each(|units| units.put(out));
        outer.iter().chain([unloaded]).for_each(|edge| edge.put(out));
        [pools, many_parents].iter().for_each(|switch| switch.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (evaporation, film_evaporation) = (from.take()?, from.take()?);
        let (source_supply, throughput) = (from.take()?, from.take()?);
        let mut outer = [Edge::Wall; 6];
        for edge in &mut outer {
            *edge = from.take()?;
        }
        Ok(Rules {
            evaporation,
            film_evaporation,
            source_supply,
            throughput,
            edges: Edges { outer, unloaded: from.take()? },
            pools: from.take()?,
            many_parents: from.take()?,
        })
    }
}

impl Field for Edge {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Edge::Wall => out.push(0),
            Edge::Drain => out.push(1),
            Edge::Held => out.push(2),
            Edge::Level(y) => {
                out.push(3);
                y.put(out);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (at, found) = (from.at(), from.take::<u8>()?);
        match found {
            0 => Ok(Edge::Wall),
            1 => Ok(Edge::Drain),
            2 => Ok(Edge::Held),
            3 => Ok(Edge::Level(from.take()?)),
            _ => Err(from.refused(at, "0 to 3, an edge", found)),
        }
    }
}

impl Field for Voxel {
    fn put(&self, out: &mut Vec<u8>) {
        self.word().put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (at, word) = (from.at(), from.take()?);
        let mark = Voxel::from_raw(word);
        if [Voxel::DRAIN, Voxel::HELD, Voxel::WALL].contains(&mark) {
            return Ok(mark);
        }
        Voxel::from_word(word).map_err(|_| from.refused(at, "the word of a voxel", word))
    }
}

/// A rate out of range is refused by the code that receives the fixture, not here.
impl Field for Fixture {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.bytes());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (at, bytes) = (from.at(), from.array()?);
        let wrong = || from.refused(at, "0 to 7, a fixture", bytes[0]);
        Fixture::from_bytes(bytes).ok_or_else(wrong)
    }
}

impl Field for ChunkRecord {
    fn put(&self, out: &mut Vec<u8>) {
        put_sized(out, &self.to_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        ChunkRecord::read(from.sized(Format::Record)?)
    }

    fn heap_bytes(&self) -> usize {
        self.memory_bytes()
    }
}
