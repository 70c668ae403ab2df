//! Saves and loads worlds of any kind.

use super::sections::{begin, put_section, take_header, take_section};
use crate::codec::{DecodeError, Field, Format, Kind, Reader, put_packed};
use crate::coords::ChunkPos;
#[cfg(feature = "store")]
use crate::water::Since;

/// A world that can be saved. Only the worlds of this crate implement it; each implementation
/// documents the contents of its rules, state and records.
pub trait Saved: Sized {
    /// The number of this kind of world.
    const KIND: Kind;

    /// Appends the rules.
    #[doc(hidden)]
    fn put_rules(&self, out: &mut Vec<u8>);

    /// Appends the state that belongs to no chunk.
    #[doc(hidden)]
    fn put_state(&self, out: &mut Vec<u8>);

    /// Returns the positions of all chunks, in order.
    #[doc(hidden)]
    fn chunk_positions(&self) -> Vec<ChunkPos>;

    /// Appends the record of an existing chunk.
    #[doc(hidden)]
    fn put_chunk(&self, position: ChunkPos, out: &mut Vec<u8>);

    /// Appends what decides the future of an existing chunk: its record, without the cells that a
    /// list of changes will name. Worlds that can be divided override it.
    #[doc(hidden)]
    fn put_future(&self, position: ChunkPos, out: &mut Vec<u8>) {
        self.put_chunk(position, out);
    }

    /// Reads a world without chunks.
    #[doc(hidden)]
    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError>;

    /// Reads the record of a new chunk.
    #[doc(hidden)]
    fn take_chunk(
        &mut self,
        position: ChunkPos,
        record: &mut Reader<'_>,
    ) -> Result<(), DecodeError>;

    /// Returns the present, so that the chunks touched since can be found later; `None` if the
    /// world does not keep track of them, or a tick is underway.
    #[cfg(feature = "store")]
    #[doc(hidden)]
    fn since_now(&self) -> Option<Since> {
        None
    }

    /// Returns the first broken law, in words.
    #[doc(hidden)]
    fn broken_law(&self) -> Option<String>;

    /// Returns the whole world as bytes. Equal worlds give equal bytes.
    fn save(&self) -> Vec<u8> {
        crate::spans::span!("snapshot");
        let mut out = begin(Self::KIND);
        put_section(&mut out, Format::Rules, |out| self.put_rules(out));
        put_section(&mut out, Format::State, |out| self.put_state(out));
        put_section(&mut out, Format::Chunks, |out| put_chunks(self, out));
        out
    }

    /// Returns the world that [`save`](Saved::save) wrote as `bytes`.
    ///
    /// # Errors
    /// The bytes are not a snapshot of this kind of world, are damaged, or describe a world that
    /// breaks a law.
    fn load(bytes: &[u8]) -> Result<Self, DecodeError> {
        let world: Self = read(bytes)?;
        world.check()?;
        Ok(world)
    }

    /// Refuses a world that breaks a law.
    #[doc(hidden)]
    fn check(&self) -> Result<(), DecodeError> {
        match self.broken_law() {
            None => Ok(()),
            Some(law) => Err(Reader::new(Format::Snapshot, &[]).unlawful(law)),
        }
    }
}

/// Returns the world that `bytes` describe, without checking its laws.
pub(crate) fn read<W: Saved>(bytes: &[u8]) -> Result<W, DecodeError> {
    let mut from = Reader::new(Format::Snapshot, bytes);
    take_header(&mut from, W::KIND)?;
    let mut rules = take_section(&mut from, Format::Rules)?;
    let mut state = take_section(&mut from, Format::State)?;
    let mut chunks = take_section(&mut from, Format::Chunks)?;
    from.finish(())?;
    let mut world = W::take_world(&mut rules, &mut state)?;
    rules.finish(())?;
    state.finish(())?;
    take_chunks(&mut world, &mut chunks)?;
    chunks.finish(world)
}

/// Returns the broken law if a sleeping cell would change when awake, for worlds whose `validate`
/// does not check that. Two copies of the world, one of them wholly awake, run two steps, because
/// in some rules two kinds of step alternate. `step` runs a step and returns the hash of the state.
pub(super) fn restless<W: Saved>(
    world: &W,
    wake_all: fn(&mut W),
    step: fn(&mut W) -> u64,
) -> Option<String> {
    let bytes = world.save();
    let (mut asleep, mut awake) = match (read::<W>(&bytes), read::<W>(&bytes)) {
        (Ok(asleep), Ok(awake)) => (asleep, awake),
        (Err(error), _) | (_, Err(error)) => return Some(error.to_string()),
    };
    let differs = (0..2).any(|_| {
        wake_all(&mut awake);
        step(&mut awake) != step(&mut asleep)
    });
    differs.then(|| "a sleeping cell would change if it were awake".to_owned())
}

/// Appends the number of chunks, then the position and the record of each.
fn put_chunks<W: Saved>(world: &W, out: &mut Vec<u8>) {
    let positions = world.chunk_positions();
    (positions.len() as u64).put(out);
    let mut record = Vec::new();
    for position in positions {
        position.put(out);
        record.clear();
        world.put_chunk(position, &mut record);
        put_packed(out, &record);
    }
}

fn take_chunks<W: Saved>(world: &mut W, content: &mut Reader<'_>) -> Result<(), DecodeError> {
    // A chunk takes at least 13 bytes: 12 for its position, and one for its record's length.
    let count = content.count(13)?;
    let mut last = None;
    for _ in 0..count {
        let wrong = content.malformed("a chunk position after the one before");
        let position: ChunkPos = content.take()?;
        let key = [position.y, position.z, position.x];
        if last.replace(key).is_some_and(|last| last >= key) {
            return Err(wrong);
        }
        let record = content.packed()?;
        let mut record = record.reader();
        world.take_chunk(position, &mut record)?;
        record.finish(())?;
    }
    Ok(())
}
