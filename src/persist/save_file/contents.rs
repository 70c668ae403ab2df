//! The contents of a save: rules, state, the chunks that differ from the last save, and the
//! unloaded chunks that came and went.

use crate::coords::ChunkPos;
use crate::snapshot::Saved;

/// The contents of a save.
pub(super) struct Contents<'a> {
    pub(super) rules: Vec<u8>,
    pub(super) state: Vec<u8>,
    /// The positions of all loaded chunks, in order.
    pub(super) positions: Vec<ChunkPos>,
    /// Appends the record of the chunk at a position, and is called for each position in turn.
    /// Returns `false` if the chunk is as it was in the last save.
    pub(super) record: Record<'a>,
    /// Chunks that are unloaded, with the bytes of their records.
    pub(super) unloaded: Unloaded<'a>,
    /// Unloaded chunks that were taken out of the file, whose records are to be removed.
    pub(super) taken: &'a [ChunkPos],
}

pub(super) type Unloaded<'a> = Box<dyn ExactSizeIterator<Item = (ChunkPos, Vec<u8>)> + 'a>;
pub(super) type Record<'a> = Box<dyn FnMut(ChunkPos, &mut Vec<u8>) -> bool + 'a>;

impl<'a> Contents<'a> {
    /// Returns the contents of a save of a whole world, which leaves the unloaded chunks in the
    /// file as they are.
    pub(super) fn of<W: Saved>(world: &'a W) -> Self {
        let (mut rules, mut state) = (Vec::new(), Vec::new());
        world.put_rules(&mut rules);
        world.put_state(&mut state);
        let record = |position, out: &mut Vec<u8>| {
            world.put_chunk(position, out);
            true
        };
        let positions = world.chunk_positions();
        let (record, unloaded) = (Box::new(record), Box::new(core::iter::empty()));
        Contents { rules, state, positions, record, unloaded, taken: &[] }
    }
}
