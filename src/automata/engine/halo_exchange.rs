//! The interface of an automaton in a divided world (halo exchange): each implements
//! [`HaloExchange`] and [`PartEdits`] beside its step. The public trait over both is in
//! [`parts`](crate::parts).

use crate::codec::DecodeError;
use crate::coords::{ChunkPos, ColumnPos, Region, Shape};
use crate::grid::Grid;
use crate::limits::EditScope;
use crate::simulation::{Simulation, StepReport};
use hashbrown::HashSet;
use std::sync::Arc;

/// Takes the bytes that other parts must get of a chunk.
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
    /// The shape of its chunks.
    type Shape: Shape;
    /// The exchanges of messages in a step.
    const EXCHANGES: usize;

    /// Returns for how many steps copies of columns of this depth equal the rest of the world.
    fn steps_for(columns: u32) -> u64;

    /// Returns why the world cannot be divided, if it cannot.
    fn indivisible(&self) -> Option<Indivisible>;

    /// Returns the cells.
    fn cells(&self) -> &Grid<Self::Value, Self::Shape>;

    /// Returns the bounds of the whole world.
    fn extent(&self) -> Region;

    /// Owns these columns from now on.
    fn set_columns(&mut self, columns: Arc<HashSet<ColumnPos>>);

    /// Removes a chunk, without an entry in the ledger. Wakes nothing.
    fn discard(&mut self, chunk: ChunkPos);

    /// Whether columns may be loaded and unloaded while the world runs. If `false`, `post_loaded`
    /// and `unload_chunks` are never called. An automaton whose steps create chunks cannot do it.
    const LOADS_COLUMNS: bool = true;

    /// Posts restored chunks to the ledger as placed, except ghosts. Wakes them and those beside.
    ///
    /// # Errors
    /// The units that the ledger has no room for; then nothing is changed.
    fn post_loaded(&mut self, _chunks: &[ChunkPos]) -> Result<(), i128> {
        Ok(())
    }

    /// Removes chunks, posts them to the ledger as removed, except ghosts, and wakes those beside.
    ///
    /// # Errors
    /// The units that the ledger has no room for; then nothing is changed.
    fn unload_chunks(&mut self, _chunks: &[ChunkPos]) -> Result<(), i128> {
        Ok(())
    }

    /// Drops what was derived from other contents of a chunk that was restored.
    fn forget_derived_of(&mut self, _chunk: ChunkPos) {}

    /// Steps some of the chunks that no ghost is beside ahead. Returns whether there were any.
    fn step_interior(&mut self) -> bool;

    /// Runs the part of a step before an exchange, and hands over what others must get in it.
    fn step_and_send(&mut self, exchange: usize, send: Outbox<'_>) -> StepReport;

    /// Takes what another part has sent of a chunk in an exchange.
    ///
    /// # Errors
    /// The bytes are not for this part or exchange, or damaged; then nothing is changed.
    fn apply_halo(&mut self, chunk: ChunkPos, bytes: &[u8]) -> Result<(), DecodeError>;

    /// Returns the ledger in whole units, field by field; empty if there is none.
    fn ledger_units(&self) -> Vec<i128>;

    /// Sets the steps run and the ledger, of as many fields as it has.
    ///
    /// # Errors
    /// The first field that is out of range; then nothing is changed.
    fn set_ledger(&mut self, ticks: u64, units: &[i128]) -> Result<(), i128>;
}

/// Edits of a divided world between steps: all parts check an edit, and make it if none refuses it.
pub trait PartEdits: Simulation {
    /// Returns by how many steps less copies of columns equal the rest of the world after an edit
    /// that is made between two steps of a block.
    fn steps_for_edit(edit: &Self::Edit) -> u64;

    /// Returns the scope of an edit, as in the table of edits.
    fn scope(edit: &Self::Edit) -> EditScope;

    /// Whether an edit is refused if a chunk of its region is not loaded. Otherwise the edit
    /// creates the chunk.
    const NEEDS_LOADED_CHUNKS: bool = true;

    /// Checks what an edit asks for, and what it finds in the columns of this part.
    ///
    /// # Errors
    /// Why an undivided world would refuse it.
    fn check_own(&self, edit: &Self::Edit) -> Result<(), Self::EditError>;

    /// Makes an edit on the chunks of this part, and on ghosts as far as their owners do not send
    /// it, and hands over what other parts must get. Where a cell refuses the edit, it is left as
    /// it is. Returns the outcome; `None` if the edit is on no chunk of this part.
    fn make_edit(&mut self, edit: &Self::Edit, send: Outbox<'_>) -> Option<Self::Outcome>;
}
