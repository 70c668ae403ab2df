//! The names of the laws that [`Watched`](super::Watched) checks.
//!
//! A law keeps its name; new ones may come in any release.

/// Worlds that are made in the same way are the same.
pub const MADE_ALIKE: &str = "made_alike";
/// `validate` of the world finds nothing.
pub const VALID: &str = "valid";
/// A world that sleeps equals one that is woken before each tick, and reports the same.
pub const NEVER_SLEPT: &str = "never_slept";
/// Ticks in slices, or several by one call, come to what single ones come to.
pub const IN_SLICES: &str = "in_slices";
/// What holds between two slices of a tick.
pub const UNDERWAY: &str = "underway";
/// A world that was saved and loaded goes on as if it had not been.
pub const SAVED_AND_LOADED: &str = "saved_and_loaded";
/// An edit has the same outcome in equal worlds, made as a value or by the function of its name,
/// its list of chunks in this order or in another.
pub const EDIT_ALIKE: &str = "edit_alike";
/// An edit is the same once it was sent as bytes.
pub const EDIT_AS_BYTES: &str = "edit_as_bytes";
/// An edit that is refused changes nothing.
pub const REFUSED: &str = "refused";
/// Every cell that differs is among the changes, once, and as visible if it looks different.
pub const CHANGES_LISTED: &str = "changes_listed";
/// The report of a tick counts the cells that changed.
pub const CHANGES_COUNTED: &str = "changes_counted";
/// A world at rest does nothing.
pub const REST: &str = "rest";
/// Each edit does what its documentation says: its outcome is that of the naive model.
pub const EDIT: &str = "edit";
/// The cells are those of the naive model.
pub const CELLS: &str = "cells";
/// The ledger is that of the naive model after edits, and equals the sum over all cells.
pub const LEDGER: &str = "ledger";
/// What is built in is what the naive model has.
pub const FIXTURES: &str = "fixtures";
/// Frozen chunks are those of the naive model, and no tick changes a cell of theirs.
pub const FROZEN: &str = "frozen";
/// A body of water is what a naive flood fill finds.
pub const BODY: &str = "body";
/// A tick neither makes nor takes ground and springs, and makes sea only over holes in it.
pub const GROUND: &str = "ground";
/// No cell passes on more in a tick than the throughput.
pub const THROUGHPUT: &str = "throughput";
/// A tick enters in the ledger what springs, drains, the sea and evaporation may have done, and
/// nothing else.
pub const ACCOUNT: &str = "account";
/// What a tick looks at is bounded by the cells of the world.
pub const COST: &str = "cost";
