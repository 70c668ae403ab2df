//! The contents of messages and records of regions as bytes: ghosts, heads, bodies, feeds, springs,
//! outlets, and maps of these.

use crate::codec::{DecodeError, Field, Reader};
#[cfg(feature = "snapshot")]
use crate::regions::face::{Inlet, Key, Outlet};
use crate::regions::message::{Body, Feed, Ghost};
use crate::water::query::heads::Heads;
#[cfg(feature = "snapshot")]
use std::collections::BTreeMap;

/// The bytes are a row of 16 bits for each layer of a chunk.
impl Field for [u16; 16] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|row| row.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut rows = [0; 16];
        for row in &mut rows {
            *row = from.take()?;
        }
        Ok(rows)
    }
}

impl Field for Ghost {
    fn put(&self, out: &mut Vec<u8>) {
        self.cell.put(out);
        self.word.put(out);
        self.hops.put(out);
        self.body.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (cell, word) = (from.take()?, from.take()?);
        Ok(Ghost { cell, word, hops: from.take()?, body: from.take()? })
    }
}

impl Field for Heads {
    fn put(&self, out: &mut Vec<u8>) {
        let Heads { low, high, sum, area } = *self;
        [low, high, sum, area].iter().for_each(|head| head.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (low, high) = (from.take()?, from.take()?);
        Ok(Heads { low, high, sum: from.take()?, area: from.take()? })
    }
}

impl Field for Body {
    fn put(&self, out: &mut Vec<u8>) {
        self.near.iter().for_each(|heads| heads.put(out));
        self.low.put(out);
        self.relays.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut near = [Heads::NONE; 4];
        for heads in &mut near {
            *heads = from.take()?;
        }
        Ok(Body { near, low: from.take()?, relays: from.take()? })
    }
}

impl Field for Feed {
    fn put(&self, out: &mut Vec<u8>) {
        self.cell.put(out);
        self.hops.put(out);
        self.units.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Feed { cell: from.take()?, hops: from.take()?, units: from.take()? })
    }
}

#[cfg(feature = "snapshot")]
impl Field for Key {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|axis| axis.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok([from.take()?, from.take()?, from.take()?])
    }
}

#[cfg(feature = "snapshot")]
impl Field for Inlet {
    fn put(&self, out: &mut Vec<u8>) {
        self.credit.put(out);
        self.hops.put(out);
        self.granted.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Inlet { credit: from.take()?, hops: from.take()?, granted: from.take()? })
    }
}

#[cfg(feature = "snapshot")]
impl Field for Outlet {
    fn put(&self, out: &mut Vec<u8>) {
        self.outstanding.put(out);
        self.hops.put(out);
        self.idle.put(out);
        self.granted.put(out);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (outstanding, hops) = (from.take()?, from.take()?);
        Ok(Outlet { outstanding, hops, idle: from.take()?, granted: from.take()? })
    }
}

/// Appends the number of the entries of a map, a `u32`, and the entries in order.
#[cfg(feature = "snapshot")]
pub(super) fn put_map<K: Field, V: Field>(out: &mut Vec<u8>, map: &BTreeMap<K, V>) {
    (map.len() as u32).put(out);
    for (key, value) in map {
        key.put(out);
        value.put(out);
    }
}

/// Reads what [`put_map`] wrote.
#[cfg(feature = "snapshot")]
pub(super) fn take_map<K: Field + Ord, V: Field>(
    from: &mut Reader<'_>,
) -> Result<BTreeMap<K, V>, DecodeError> {
    let (count, mut map) = (from.take::<u32>()?, BTreeMap::new());
    for _ in 0..count {
        let wrong = from.malformed("a key after the one before");
        let (key, value) = (from.take()?, from.take()?);
        if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
            return Err(wrong);
        }
        map.insert(key, value);
    }
    Ok(map)
}
