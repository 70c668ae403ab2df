//! What a world must do so that ranks can share it out. The automata do it by
//! [`InParts`]; a world of water joins by its own implementation.

use floodplain::parts::{InParts, News, PartError, PartHash, Plan, Round};
use floodplain::{ChunkPos, ColumnPos};

/// A world of which each rank has a part.
pub trait Shared {
    /// The rounds of messages in a step.
    const ROUNDS: usize;

    /// Makes the world the part of a rank.
    fn divide(&mut self, plan: &Plan, rank: usize) -> Result<(), PartError>;
    /// Does some work that needs no message of the last round; returns whether there was any.
    fn step_inside(&mut self) -> bool;
    /// Runs a round of a step.
    fn advance(&mut self, round: usize) -> Round;
    /// Hears what another rank has told in this round.
    fn hear(&mut self, news: &News) -> Result<(), PartError>;
    /// Returns the steps run.
    fn ticks(&self) -> u64;
    /// Returns the positions of this part's chunks in a column.
    fn chunks_in(&self, column: ColumnPos) -> Vec<ChunkPos>;
    /// Returns the positions of the ghosts.
    fn ghosts(&self) -> Vec<ChunkPos>;
    /// Returns a chunk as bytes.
    fn record(&self, chunk: ChunkPos) -> Option<Vec<u8>>;
    /// Puts a chunk in place of the one there.
    fn restore(&mut self, chunk: ChunkPos, record: &[u8]) -> Result<(), PartError>;
    /// Removes a chunk.
    fn drop_chunk(&mut self, chunk: ChunkPos);
    /// Returns the awake cells by chunk.
    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)>;
    /// Returns the sums of what entered and left this part, in whole units.
    fn account(&self) -> Vec<i128>;
    /// Returns the hash of this part; those of all ranks add up.
    fn hash_part(&self) -> PartHash;
}

impl<W: InParts> Shared for W {
    const ROUNDS: usize = <W as InParts>::ROUNDS;

    fn divide(&mut self, plan: &Plan, rank: usize) -> Result<(), PartError> {
        InParts::divide(self, plan, rank)
    }

    fn step_inside(&mut self) -> bool {
        InParts::step_inside(self)
    }

    fn advance(&mut self, round: usize) -> Round {
        InParts::advance(self, round)
    }

    fn hear(&mut self, news: &News) -> Result<(), PartError> {
        InParts::hear(self, news)
    }

    fn ticks(&self) -> u64 {
        floodplain::Simulation::ticks(self)
    }

    fn chunks_in(&self, column: ColumnPos) -> Vec<ChunkPos> {
        self.chunks_of(column)
    }

    fn ghosts(&self) -> Vec<ChunkPos> {
        InParts::ghosts(self)
    }

    fn record(&self, chunk: ChunkPos) -> Option<Vec<u8>> {
        InParts::record(self, chunk)
    }

    fn restore(&mut self, chunk: ChunkPos, record: &[u8]) -> Result<(), PartError> {
        InParts::restore(self, chunk, record)
    }

    fn drop_chunk(&mut self, chunk: ChunkPos) {
        InParts::drop_chunk(self, chunk);
    }

    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)> {
        InParts::awake_chunks(self)
    }

    fn account(&self) -> Vec<i128> {
        InParts::account(self)
    }

    fn hash_part(&self) -> PartHash {
        InParts::hash_part(self)
    }
}
