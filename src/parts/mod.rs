//! Worlds in parts: one world whose columns of chunks are shared out among several owners. Each
//! owner steps its own columns, and the results equal the bytes and accounts of the undivided
//! world. Feature `snapshot`.
//!
//! The method is that of halo exchange codes (domain decomposition): each part has *ghosts*, the
//! chunks beside its own chunks, which it reads and never steps. After each step the parts send
//! each other their rims. This module moves no bytes itself: the caller provides what carries them,
//! such as MPI. `examples/cluster` is such a caller.
//!
//! A step has one or several [rounds](InParts::ROUNDS). In each round, every part first
//! [advances](InParts::advance), then [receives](InParts::receive) the messages of the other parts:
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
//!         let sent = [0, 1].map(|number| parts[number].advance(round).messages);
//!         for (number, part) in parts.iter_mut().enumerate() {
//!             sent[1 - number].iter().try_for_each(|message| part.receive(message))?;
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
//! | `error` | [`PartError`]: why a world does not fit a plan, or a message a part |
//! | `hash` | [`PartHash`]: hashes of parts, which add up |
//! | `editing` | edits between steps, which all parts first check and then make |
//! | `loading` | columns that are loaded and unloaded while the world runs |
//! | `fringe` | [`Fringed`]: several steps without messages, beside a copy of the columns around a part |

mod editing;
mod error;
mod fringe;
mod hash;
mod loading;
mod plan;

pub use editing::Edited;
pub use error::{PartEditError, PartError};
pub use fringe::Fringed;
pub use hash::PartHash;
pub use plan::Plan;

use crate::automata::engine::halo_exchange::{HaloExchange, PartEdits};
use crate::codec::{Format, Reader};
use crate::coords::{ChunkPos, ColumnPos};
use crate::persist::snapshot::Saved;
use crate::simulation::{Simulation, StepReport};
use hash::hash_of_chunk;

/// A message of a part about a chunk, for all other parts that own the chunk's column or a column
/// beside it: the [receivers](Plan::receivers).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The chunk's position, in chunks.
    pub chunk: ChunkPos,
    /// The content, for [`InParts::receive`] of the same kind of world.
    pub bytes: Vec<u8>,
}

/// What a round of a step did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// What the step did to the chunks of this part; filled in the last round only. The reports of
    /// all parts add up to the report of the undivided world.
    pub report: StepReport,
    /// The messages that other parts must receive before the next round.
    pub messages: Vec<Message>,
}

/// A world that can be a part of a divided one. Implemented by the automata of this crate on grids:
/// humidity by the synchronous and the conservative sweep, explosions, and literal 2D water.
///
/// A part holds the chunks of its own columns, and as ghosts the chunks of the columns beside them.
/// Ghosts can be read, and are in no list, sum, ledger, report, hash or save. The ledger of a part
/// has what that part has entered itself, so only the sum of all [accounts](InParts::account)
/// balances.
///
/// Between steps, all parts together [edit](InParts::edit) the world, and
/// [load](InParts::load_column) and [unload](InParts::unload_column) columns. An edit by
/// [`Simulation::apply`] in one part would leave the ghosts in other parts, and the awake cells of
/// those parts, as they were. [`take_changes`](Simulation::take_changes) and
/// [`take_events`](Simulation::take_events) list what concerns a part's own columns.
/// [`Simulation::step`] and [`Simulation::run`] would run a step without the messages of other
/// parts: use [`advance`](InParts::advance).
pub trait InParts: Simulation + Saved + HaloExchange + PartEdits {
    /// The rounds of a step: 4 for explosions, 1 for all other worlds.
    const ROUNDS: usize = Self::EXCHANGES;

    /// Returns for how many steps a copy of the columns beside a part, of depth `columns`, equals
    /// the rest of the world. After that, what the copy lacks can have reached the part.
    fn steps_beside(columns: u32) -> u64 {
        Self::steps_for(columns)
    }

    /// Makes this world the part with number `part`: it owns the columns of that part, and keeps
    /// the chunks beside them as ghosts. All other chunks are dropped. A part may be divided again
    /// by another plan. Then the chunks of new columns have to be [restored](InParts::restore), and
    /// so have chunks that become ghosts.
    ///
    /// # Errors
    /// The world does not fit the plan. Then nothing is changed.
    fn divide(&mut self, plan: &Plan, part: usize) -> Result<(), PartError> {
        check_plan(self, plan, part)?;
        // A ghost in a column that becomes an own column may be older than its owner's chunk.
        for chunk in self.ghosts() {
            if plan.owner(chunk.column()) == Some(part) {
                self.drop_chunk(chunk);
            }
        }
        self.set_columns(plan.owned_by(part));
        for chunk in self.ghosts() {
            let column = chunk.column();
            if !plan.is_beside(column, part) {
                self.drop_chunk(chunk);
            }
        }
        Ok(())
    }

    /// Steps some of the chunks that have no ghost beside them ahead of the next step, while
    /// messages of the last step are under way. Returns whether there were any such chunks. Allowed
    /// before the first round of a step only.
    fn step_inside(&mut self) -> bool {
        self.step_interior()
    }

    /// Runs a round of a step, 0 to [`ROUNDS`](InParts::ROUNDS) − 1, in order. All messages of
    /// the previous round must have been received.
    fn advance(&mut self, round: usize) -> Round {
        let mut messages = Vec::new();
        let report =
            self.step_and_send(round, &mut |chunk, bytes| messages.push(Message { chunk, bytes }));
        Round { report, messages }
    }

    /// Takes over what another part has sent in this round. The messages of a round may arrive in
    /// any order. The messages of a step's last round wake the chunks beside what changed.
    ///
    /// # Errors
    /// The message is not for this part or round, or is damaged. Then nothing is changed.
    fn receive(&mut self, message: &Message) -> Result<(), PartError> {
        let Message { chunk, ref bytes } = *message;
        self.apply_halo(chunk, bytes).map_err(|error| PartError::Message { chunk, error })
    }

    /// Returns a chunk as bytes, with all that decides its future; `None` if it is not loaded. The
    /// bytes of a ghost are as old as its last record, except for its rims.
    fn record(&self, chunk: ChunkPos) -> Option<Vec<u8>> {
        let mut record = Vec::new();
        self.put_chunk(chunk, &mut record);
        (!record.is_empty()).then_some(record)
    }

    /// Puts a chunk of the divided world in place of the chunk at this position, if there is one,
    /// without an entry in the ledger. The chunk is own or a ghost, depending on its column. Wakes
    /// nothing else.
    ///
    /// # Errors
    /// The bytes are no [record](InParts::record) of a chunk that fits. Then no chunk is left at
    /// the position.
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
    fn drop_chunk(&mut self, chunk: ChunkPos) {
        self.discard(chunk);
    }

    /// Returns the positions of the chunks of a column, without ghosts, in order.
    fn chunks_of(&self, column: ColumnPos) -> Vec<ChunkPos> {
        match self.cells().is_foreign(column.chunk(0)) {
            true => Vec::new(),
            false => self.cells().positions_in(column, self.extent()),
        }
    }

    /// Loads a column from [records](InParts::record) of its chunks, and wakes these chunks and the
    /// chunks beside them. The part that owns the column enters their content in its ledger as
    /// placed.
    ///
    /// To be called with the same records by all parts that own the column or a column beside it;
    /// the call leaves other parts as they are. First divide all parts by a plan
    /// [with](Plan::with_columns) the column. After loading, renew the ghosts by records, because
    /// the owner may have had no ghosts around the column. An undivided world can load columns,
    /// too, and then equals its parts. Not to be called between the rounds of a step.
    ///
    /// # Errors
    /// The column is [loaded](PartError::Loaded) already, a record does not fit or is of another
    /// column, the ledger is full, or the world is one of explosions. Then nothing is changed.
    fn load_column(
        &mut self,
        column: ColumnPos,
        records: &[(ChunkPos, Vec<u8>)],
    ) -> Result<(), PartError> {
        loading::load(self, column, records)
    }

    /// Unloads a column, wakes the chunks beside it, and returns the [records](InParts::record) of
    /// its chunks. Their content is entered in the ledger as removed. To be called by all parts as
    /// [`load_column`](InParts::load_column) is; only the owner gets records. The column stays in
    /// the plan until the world is divided by a plan [without](Plan::without_columns) it.
    ///
    /// # Errors
    /// The column is [not loaded](PartError::NotLoaded), the ledger is full, or the world is one of
    /// explosions. Then nothing is changed.
    fn unload_column(&mut self, column: ColumnPos) -> Result<Vec<(ChunkPos, Vec<u8>)>, PartError> {
        loading::unload(self, column)
    }

    /// Checks an edit that all parts are to make, before any of them makes it: what the edit asks
    /// for, and what it finds in the columns of this part. Changes nothing.
    ///
    /// A part has no data of the cells, loaded chunks and ledgers of other parts. So an edit is
    /// refused if any part refuses it: each part sends the others a single bit that says whether it
    /// refuses, and then all parts [make](InParts::edit) the edit or none does. Then exactly those
    /// edits are made that the undivided world would make, and at least one part has the error of
    /// that world. There are three exceptions: a ledger is full by the entries of its own part,
    /// which are fewer; an edit in a column that is in no part is refused for the column, not for
    /// its chunks; edits that load or unload single chunks are refused.
    ///
    /// # Errors
    /// The undivided world would refuse the edit, the plan gives a column to [no
    /// part](PartError::Column), or the edit loads or unloads a [whole
    /// chunk](PartError::WholeChunk).
    fn check_edit(
        &self,
        plan: &Plan,
        edit: &Self::Edit,
    ) -> Result<(), PartEditError<Self::EditError>> {
        editing::check(self, plan, edit)
    }

    /// Makes an edit that no part [refuses](InParts::check_edit). To be called by all parts with
    /// the same edits in the same order, between steps; the messages of an edit must have been
    /// [received](InParts::receive) before the next edit is checked. The ledger and the list of
    /// changes of a part have what the edit did in the part's own columns.
    ///
    /// # Errors
    /// The edit is refused as by [`check_edit`](InParts::check_edit). Then nothing is changed in
    /// this part.
    ///
    /// ```
    /// use floodplain::humidity::{Cell, Edit, HumidityWorld, Rules};
    /// use floodplain::parts::{InParts, Plan};
    /// use floodplain::{Chunk, ChunkPos, ColumnPos, Region, Sheet, glam::IVec3};
    ///
    /// let bounds = Region::new(IVec3::ZERO, IVec3::new(127, 63, 0));
    /// let build = || {
    ///     let mut world = HumidityWorld::<Sheet>::with_bounds(Rules::default(), bounds)?;
    ///     for x in 0..2 {
    ///         world.insert_chunk(ChunkPos::new(x, 0, 0), Chunk::uniform(Cell::soil(0.0, 1.0)))?;
    ///     }
    ///     Ok::<_, Box<dyn std::error::Error>>(world)
    /// };
    /// let plan = Plan::stripes([ColumnPos::new(0, 0), ColumnPos::new(1, 0)], 2)?;
    /// let mut parts = [build()?, build()?];
    /// for (number, part) in parts.iter_mut().enumerate() {
    ///     part.divide(&plan, number)?;
    /// }
    /// let cloud = Region::new(IVec3::new(60, 8, 0), IVec3::new(67, 8, 0));
    /// let edit = Edit::FillCells { region: cloud, value: Cell::rain(900.0, 1.0) };
    /// if parts.iter().all(|part| part.check_edit(&plan, &edit).is_ok()) {
    ///     let mut sent = Vec::new();
    ///     for part in &mut parts {
    ///         sent.push(part.edit(&plan, &edit)?.messages);
    ///     }
    ///     for (number, part) in parts.iter_mut().enumerate() {
    ///         sent[1 - number].iter().try_for_each(|message| part.receive(message))?;
    ///     }
    /// }
    /// let mut whole = build()?;
    /// whole.apply(edit)?;
    /// let [west, east] = &parts;
    /// assert_eq!(west.hash_part() + east.hash_part(), whole.hash_part());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn edit(
        &mut self,
        plan: &Plan,
        edit: &Self::Edit,
    ) -> Result<Edited<Self::Outcome>, PartEditError<Self::EditError>> {
        editing::check(self, plan, edit)?;
        Ok(editing::make(self, edit))
    }

    /// Returns the positions of the ghosts, in order.
    fn ghosts(&self) -> Vec<ChunkPos> {
        self.cells().ghost_positions()
    }

    /// Returns the chunks with awake cells in order of position, each with the number of its awake
    /// cells.
    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)> {
        self.cells().awake_chunks().map(|(chunk, cells)| (chunk, cells.len())).collect()
    }

    /// Returns the ledger in whole units, field by field; empty if there is no ledger. For
    /// explosions, the units are 2⁻⁴⁰, and each entry of a chunk and step is rounded. The
    /// sums over all parts are those of the undivided world.
    ///
    /// A snapshot of explosions has their ledger in `f64` only, so the account of a loaded world
    /// continues from the loaded sums, rounded to units. To continue from the units themselves,
    /// save the account beside the snapshot, and [`resume`](InParts::resume).
    fn account(&self) -> Vec<i128> {
        self.ledger_units()
    }

    /// Sets the number of steps run, and the account that the world has from now on. For a world
    /// that is put together from records.
    ///
    /// # Errors
    /// The account has another number of fields than the ledger, or a field is out of range. Then
    /// nothing is changed.
    fn resume(&mut self, ticks: u64, account: &[i128]) -> Result<(), PartError> {
        let (fields, wanted) = (account.len(), self.ledger_units().len());
        if fields != wanted {
            return Err(PartError::Account { fields, wanted });
        }
        self.set_ledger(ticks, account).map_err(PartError::Units)
    }

    /// Returns the hash of this part: of the number of steps run, and of what decides the future of
    /// each of its chunks, with their positions. The hashes of all parts, added up in any order,
    /// give the hash of the undivided world.
    ///
    /// The hash covers which cells are awake, since the next step visits them. It does not cover
    /// what [`take_changes`](Simulation::take_changes) will list, so taking a list changes no hash.
    fn hash_part(&self) -> PartHash {
        let hash = |chunk| {
            let mut bytes = Vec::new();
            self.put_future(chunk, &mut bytes);
            hash_of_chunk(chunk, self.ticks(), &bytes)
        };
        self.chunk_positions().into_iter().map(hash).sum()
    }
}

impl<W: Simulation + Saved + HaloExchange + PartEdits> InParts for W {}

/// Checks that a world can be divided by a plan.
fn check_plan<W: InParts>(world: &W, plan: &Plan, part: usize) -> Result<(), PartError> {
    if let Some(why) = world.indivisible() {
        return Err(why.into());
    }
    plan.check_part(part)?;
    if !W::LOADS_COLUMNS {
        return plan.check_bounds::<W::Shape>(world.extent());
    }
    let columns = world.chunk_positions().into_iter().map(ChunkPos::column);
    match columns.into_iter().find(|&column| plan.owner(column).is_none()) {
        Some(column) => Err(PartError::Column(column)),
        None => Ok(()),
    }
}
