//! The interface of an automaton in a divided world (halo exchange): each automaton implements
//! [`HaloExchange`] and [`PartEdits`] beside its step. The public trait over both is in
//! [`parts`](crate::parts).

use crate::codec::DecodeError;
use crate::coords::{ChunkPos, ColumnPos, Region, Shape};
use crate::grid::Grid;
use crate::limits::EditScope;
use crate::simulation::{Simulation, StepReport};
use hashbrown::HashSet;
use std::sync::Arc;

/// Takes the bytes about a chunk that other parts must get.
pub(crate) type Outbox<'s> = &'s mut dyn FnMut(ChunkPos, Vec<u8>);

/// Why no world with these rules can be divided.
#[derive(Clone, Copy, Debug)]
pub enum Indivisible {
    /// A step depends on the order of chunks.
    InPlace,
    /// A body of water moves as a whole however far it reaches.
    Settling,
    /// The border along this axis, across columns, is periodic.
    Periodic(char),
}

/// An automaton on a grid, as a part of a divided world.
pub trait HaloExchange {
    /// The type of a cell.
    type Value: Copy + PartialEq;
    /// The shape of the automaton's chunks.
    type Shape: Shape;
    /// The number of exchanges of messages in a step.
    const EXCHANGES: usize;

    /// Returns for how many steps copies of the rest of the world, this many columns deep beside a
    /// part, stay equal to the original.
    fn steps_for(columns: u32) -> u64;

    /// Returns why the world cannot be divided, if it cannot.
    fn indivisible(&self) -> Option<Indivisible>;

    /// Returns the cells.
    fn cells(&self) -> &Grid<Self::Value, Self::Shape>;

    /// Returns the bounds of the whole world.
    fn extent(&self) -> Region;

    /// Makes this part the owner of these columns from now on.
    fn set_columns(&mut self, columns: Arc<HashSet<ColumnPos>>);

    /// Removes a chunk, without an entry in the ledger. Wakes nothing.
    fn discard(&mut self, chunk: ChunkPos);

    /// Whether columns may be loaded and unloaded while the world runs. If `false`, `post_loaded`
    /// and `unload_chunks` are never called. An automaton whose steps create chunks does not allow
    /// it.
    const LOADS_COLUMNS: bool = true;

    /// Posts restored chunks to the ledger as placed, except ghosts. Wakes these chunks and the
    /// chunks beside them.
    ///
    /// # Errors
    /// The ledger has no room for the units. The error is these units, and nothing is changed.
    fn post_loaded(&mut self, _chunks: &[ChunkPos]) -> Result<(), i128> {
        Ok(())
    }

    /// Removes chunks, posts them to the ledger as removed, except ghosts, and wakes the chunks
    /// beside them.
    ///
    /// # Errors
    /// The ledger has no room for the units. The error is these units, and nothing is changed.
    fn unload_chunks(&mut self, _chunks: &[ChunkPos]) -> Result<(), i128> {
        Ok(())
    }

    /// Drops the data that was derived from the contents of a chunk before it was restored.
    fn forget_derived_of(&mut self, _chunk: ChunkPos) {}

    /// Steps ahead some of the chunks that have no ghost beside them. Returns whether there were
    /// any such chunks.
    fn step_interior(&mut self) -> bool;

    /// Runs the part of a step before an exchange, and sends what other parts must get in that
    /// exchange.
    fn step_and_send(&mut self, exchange: usize, send: Outbox<'_>) -> StepReport;

    /// Applies the bytes about a chunk that another part has sent in an exchange.
    ///
    /// # Errors
    /// The bytes are damaged, or are not for this part or exchange. Nothing is changed.
    fn apply_halo(&mut self, chunk: ChunkPos, bytes: &[u8]) -> Result<(), DecodeError>;

    /// Returns the ledger in whole units, field by field; empty if there is no ledger.
    fn ledger_units(&self) -> Vec<i128>;

    /// Sets the number of steps run and all fields of the ledger.
    ///
    /// # Errors
    /// A field is out of range. The error is the first such field, and nothing is changed.
    fn set_ledger(&mut self, ticks: u64, units: &[i128]) -> Result<(), i128>;
}

/// Edits of a divided world between steps: all parts check an edit, and make it if none refuses it.
pub trait PartEdits: Simulation {
    /// Returns how many steps sooner copies of columns cease to equal the rest of the world because
    /// of an edit that is made between two steps of a block.
    fn steps_for_edit(edit: &Self::Edit) -> u64;

    /// Returns the scope of an edit, as in the table of edits.
    fn scope(edit: &Self::Edit) -> EditScope;

    /// Whether an edit is refused if a chunk of its region is not loaded. Otherwise the edit
    /// creates the chunk.
    const NEEDS_LOADED_CHUNKS: bool = true;

    /// Checks the values of an edit, and the cells that it finds in the columns of this part.
    ///
    /// # Errors
    /// An undivided world would refuse the edit. The error says why.
    fn check_own(&self, edit: &Self::Edit) -> Result<(), Self::EditError>;

    /// Makes an edit on the chunks of this part, and on ghosts as far as their owners do not send
    /// the result, and sends what other parts must get. A cell that refuses the edit is left as it
    /// is. Returns the outcome; `None` if the edit is on no chunk of this part.
    fn make_edit(&mut self, edit: &Self::Edit, send: Outbox<'_>) -> Option<Self::Outcome>;
}
