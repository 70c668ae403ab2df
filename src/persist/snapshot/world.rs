//! Saves and loads worlds of any kind.

use super::bytes::{Content, Encode};
use super::error::SnapshotError;
use super::sections::{Kind, Reader, Writer};
#[cfg(feature = "store")]
use crate::water::Since;
use glam::IVec3;

/// A world that can be saved. Implemented by the automata of this crate only; each implementation
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
    fn chunk_positions(&self) -> Vec<IVec3>;

    /// Appends the record of an existing chunk.
    #[doc(hidden)]
    fn put_chunk(&self, position: IVec3, out: &mut Vec<u8>);

    /// Reads a world without chunks.
    #[doc(hidden)]
    fn take_world(rules: &mut Content<'_>, state: &mut Content<'_>) -> Result<Self, SnapshotError>;

    /// Reads the record of a new chunk.
    #[doc(hidden)]
    fn take_chunk(
        &mut self,
        position: IVec3,
        record: &mut Content<'_>,
    ) -> Result<(), SnapshotError>;

    /// Returns the present as a time since which chunks are touched, if the world knows that.
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
        let mut writer = Writer::new(Self::KIND);
        writer.section("RULE", |out| self.put_rules(out));
        writer.section("WRLD", |out| self.put_state(out));
        writer.section("CHNK", |out| {
            let positions = self.chunk_positions();
            (positions.len() as u64).put(out);
            for position in positions {
                position.put(out);
                self.put_chunk(position, out);
            }
        });
        writer.finish()
    }

    /// Returns the world from the bytes of [`save`](Saved::save).
    ///
    /// # Errors
    /// The bytes are not a snapshot of this kind of world, are damaged, or describe a world that
    /// breaks a law.
    fn load(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let world: Self = read(bytes)?;
        world.check()?;
        Ok(world)
    }

    /// Refuses a world that breaks a law.
    #[doc(hidden)]
    fn check(&self) -> Result<(), SnapshotError> {
        self.broken_law().map_or(Ok(()), |law| Err(SnapshotError::unlawful(law)))
    }
}

/// Returns the world of these bytes without checking its laws.
fn read<W: Saved>(bytes: &[u8]) -> Result<W, SnapshotError> {
    let mut reader = Reader::new(bytes, W::KIND)?;
    let (mut rules, mut state) = (reader.section("RULE")?, reader.section("WRLD")?);
    let mut chunks = reader.section("CHNK")?;
    reader.finish()?;
    let mut world = W::take_world(&mut rules, &mut state)?;
    rules.finish()?;
    state.finish()?;
    take_chunks(&mut world, &mut chunks)?;
    chunks.finish()?;
    Ok(world)
}

/// Checks that sleeping cells would not change if they were awake, for worlds whose `validate` does
/// not: two copies run two steps, one of them wholly awake. Two, because in some rules two kinds of
/// step alternate. `step` runs one and returns the hash of the state.
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

fn take_chunks<W: Saved>(world: &mut W, content: &mut Content<'_>) -> Result<(), SnapshotError> {
    // A position, and a record of at least one byte.
    let count = content.count(13)?;
    let mut last = None;
    for _ in 0..count {
        let wrong = content.malformed("a chunk position after the one before");
        let position: IVec3 = content.take()?;
        let key = [position.y, position.z, position.x];
        if last.replace(key).is_some_and(|last| last >= key) {
            return Err(wrong);
        }
        world.take_chunk(position, content)?;
    }
    Ok(())
}
