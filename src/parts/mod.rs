//! Worlds in parts: one world whose columns of chunks are shared out among several owners, each of
//! which steps its own, to the bytes and accounts of the undivided world. Feature `snapshot`.
//!
//! The method is that of halo exchange codes (domain decomposition): each part has *ghosts*, the
//! chunks beside its own, which it reads and never steps, and after each step the parts tell each
//! other their rims. This module moves no bytes itself: what carries them, such as MPI, is the
//! caller's. `examples/cluster` is one.
//!
//! A step has one or several [rounds](InParts::ROUNDS). In each, every part first
//! [advances](InParts::advance), then [hears](InParts::hear) what the others have told it:
//!
//! ```
//! use floodplain::humidity::{Cell, HumidityWorld, Rules};
//! use floodplain::parts::{InParts, Plan};
//! use floodplain::{Chunk, ChunkPos, ColumnPos, Region, Sheet, glam::IVec3};
//!
//! let bounds = Region::new(IVec3::ZERO, IVec3::new(127, 63, 0));
//! let build = || {
//!     let mut world = HumidityWorld::<Sheet>::with_bounds(Rules::default(), bounds)?;
//!     for x in 0..2 {
//!         world.insert_chunk(ChunkPos::new(x, 0, 0), Chunk::uniform(Cell::soil(0.0, 1.0)))?;
//!     }
//!     world.set_rain(IVec3::new(63, 8, 0), 1024.0)?;
//!     Ok::<_, Box<dyn std::error::Error>>(world)
//! };
//! let plan = Plan::stripes([ColumnPos::new(0, 0), ColumnPos::new(1, 0)], 2)?;
//! let mut parts = [build()?, build()?];
//! for (number, part) in parts.iter_mut().enumerate() {
//!     part.divide(&plan, number)?;
//! }
//! for _ in 0..100 {
//!     for round in 0..HumidityWorld::<Sheet>::ROUNDS {
//!         let told = [0, 1].map(|number| parts[number].advance(round).news);
//!         for (number, part) in parts.iter_mut().enumerate() {
//!             told[1 - number].iter().try_for_each(|news| part.hear(news))?;
//!         }
//!     }
//! }
//! let mut whole = build()?;
//! whole.run(100);
//! let [west, east] = &parts;
//! assert_eq!(west.hash_part() + east.hash_part(), whole.hash_part());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `plan` | [`Plan`]: which part owns which column; stripes, and balance by load |
//! | `error` | [`PartError`]: why a world does not fit a plan, or news a part |
//! | `hash` | [`PartHash`]: hashes of parts, which add up |
//! | `fringe` | [`Fringed`]: several steps without news, beside a copy of the columns around |
//! | `humidity`, `blast`, `water2d` | [`InParts`] for each kind of world |

mod blast;
mod error;
mod fringe;
mod hash;
mod humidity;
mod plan;
mod water2d;

pub use error::PartError;
pub use fringe::Fringed;
pub use hash::PartHash;
pub use plan::Plan;

use crate::codec::{DecodeError, Format, Reader};
use crate::coords::{ChunkPos, ColumnPos};
use crate::persist::snapshot::Saved;
use crate::simulation::{Simulation, StepReport};
use hash::hash_of_record;

/// What a part tells the others of a chunk. Those that own its column or one beside it must hear
/// it, except the part that tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// The chunk's position, in chunks.
    pub chunk: ChunkPos,
    /// What there is to hear; for [`InParts::hear`] of the same kind of world.
    pub bytes: Vec<u8>,
}

/// What a round of a step did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// What the step did to the chunks of this part; of the last round only. The reports of all
    /// parts add up to that of the undivided world.
    pub report: StepReport,
    /// What other parts must hear before the next round.
    pub news: Vec<News>,
}

/// A world that can be a part of a divided one. Implemented by the automata of this crate on grids.
///
/// A part holds the chunks of its own columns, and as ghosts those of the columns beside them.
/// Ghosts can be read, and are in no list, sum, ledger, report, hash or save. A ledger has what a
/// part has entered itself, so only the sum of all [accounts](InParts::account) balances.
///
/// Edits are made before a world is divided. [`Simulation::step`] and [`Simulation::run`] would run
/// a step without hearing the other parts: use [`advance`](InParts::advance).
pub trait InParts: Simulation + Saved {
    /// The rounds of a step: 1, or of explosions 4.
    const ROUNDS: usize;

    /// Returns for how many steps a copy of this many columns beside a part stands for the rest of
    /// the world: as many as the first cell of which a step could differ takes to reach the part.
    fn steps_beside(columns: u32) -> u64;

    /// Makes this world a part: it owns the columns of the part of this number, and keeps the
    /// chunks beside them as ghosts. Other chunks are dropped. A part may be divided again by
    /// another plan; then the chunks of new columns are to be [restored](InParts::restore), and so
    /// are ghosts that were none before.
    ///
    /// # Errors
    /// The world does not fit the plan; then nothing is changed.
    fn divide(&mut self, plan: &Plan, part: usize) -> Result<(), PartError> {
        self.check_plan(plan, part)?;
        // A ghost of a column that becomes own may be older than its owner's chunk.
        for chunk in self.ghosts() {
            if plan.owner(ColumnPos::new(chunk.x, chunk.z)) == Some(part) {
                self.drop_chunk(chunk);
            }
        }
        self.own(plan, part);
        for chunk in self.ghosts() {
            let column = ColumnPos::new(chunk.x, chunk.z);
            if !plan.is_beside(column, part) {
                self.drop_chunk(chunk);
            }
        }
        Ok(())
    }

    /// Steps some of the chunks that no ghost is beside, ahead of the next step, while news of the
    /// last one are under way. Returns whether there were any. Allowed before the first round of a
    /// step only.
    fn step_inside(&mut self) -> bool;

    /// Runs a round of a step, 0 to [`ROUNDS`](InParts::ROUNDS) − 1, in order. All that was told in
    /// the round before must have been heard.
    fn advance(&mut self, round: usize) -> Round;

    /// Hears what another part has told in this round. News of one round may come in any order;
    /// those of the last round wake the chunks beside what changed.
    ///
    /// # Errors
    /// The news are not for this part or round, or damaged; then nothing is changed.
    fn hear(&mut self, news: &News) -> Result<(), PartError>;

    /// Returns a chunk as bytes, with all that decides its future; `None` if it is not loaded. Of a
    /// ghost they are as old as the last record, save for its rims.
    fn record(&self, chunk: ChunkPos) -> Option<Vec<u8>> {
        let mut record = Vec::new();
        self.put_chunk(chunk, &mut record);
        (!record.is_empty()).then_some(record)
    }

    /// Puts a chunk of the divided world in place of the one there, if there is one, without an
    /// entry in the ledger: own or a ghost, by its column. Wakes nothing else.
    ///
    /// # Errors
    /// The bytes are no [record](InParts::record) of a chunk that fits; then there is no chunk.
    fn restore(&mut self, chunk: ChunkPos, record: &[u8]) -> Result<(), PartError> {
        self.drop_chunk(chunk);
        let mut reader = Reader::new(Format::Record, record);
        let taken = self.take_chunk(chunk, &mut reader).and_then(|()| reader.finish(()));
        if let Err(error) = taken {
            self.drop_chunk(chunk);
            return Err(PartError::Record { chunk, error });
        }
        self.forget_derived_of(chunk);
        Ok(())
    }

    /// Removes a chunk, own or a ghost, without an entry in the ledger. Wakes nothing.
    fn drop_chunk(&mut self, chunk: ChunkPos);

    /// Returns the positions of the chunks of a column, without ghosts, in order.
    fn chunks_of(&self, column: ColumnPos) -> Vec<ChunkPos> {
        let is_there = |chunk: &ChunkPos| ColumnPos::new(chunk.x, chunk.z) == column;
        self.chunk_positions().into_iter().filter(is_there).collect()
    }

    /// Returns the positions of the ghosts, in order.
    fn ghosts(&self) -> Vec<ChunkPos>;

    /// Returns the chunks with awake cells, each with the number of these, in order of position.
    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)>;

    /// Returns the ledger in whole units, field by field; of explosions in units of 2⁻⁴⁰, each
    /// entry of a chunk and step rounded. Empty where there is none. The sums over all parts are
    /// those of the undivided world.
    fn account(&self) -> Vec<i128>;

    /// Sets the steps run, and the account that the world has from now on: of a world that is put
    /// together from records.
    ///
    /// # Errors
    /// The account is not one of this kind of world.
    fn resume(&mut self, ticks: u64, account: &[i128]) -> Result<(), PartError>;

    /// Returns the hash of this part: of its steps run, and of the records of all its chunks, with
    /// their positions. Those of all parts add up to that of the undivided world, in any order.
    fn hash_part(&self) -> PartHash {
        let mut sum = PartHash::default();
        for chunk in self.chunk_positions() {
            sum =
                sum + hash_of_record(chunk, self.ticks(), &self.record(chunk).unwrap_or_default());
        }
        sum
    }

    /// Returns the error if this kind of world cannot be divided by a plan.
    #[doc(hidden)]
    fn check_plan(&self, plan: &Plan, part: usize) -> Result<(), PartError>;

    /// Owns the columns of a part.
    #[doc(hidden)]
    fn own(&mut self, plan: &Plan, part: usize);

    /// Drops what was derived from other contents of a chunk.
    #[doc(hidden)]
    fn forget_derived_of(&mut self, chunk: ChunkPos);
}

/// Returns the error of news that a world refuses.
fn refused(news: &News, result: Result<(), DecodeError>) -> Result<(), PartError> {
    result.map_err(|error| PartError::News { chunk: news.chunk, error })
}

/// Returns the account of as many fields as a kind of world has.
fn fields<const N: usize>(account: &[i128]) -> Result<[i128; N], PartError> {
    account.try_into().map_err(|_| PartError::Account { fields: account.len(), wanted: N })
}
