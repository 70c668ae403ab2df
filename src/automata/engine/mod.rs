//! The engine shared by the automata: rules run over the rows of a chunk, rims for neighbouring
//! chunks, changed cells, awake chunks, worker threads, time skewing, and halo exchange. It does
//! not depend on any automaton.

pub(crate) mod changes;
pub(crate) mod front;
#[cfg(feature = "snapshot")]
pub(crate) mod halo_exchange;
pub(crate) mod rims;
pub(crate) mod rows;
pub(crate) mod tiles;
pub(crate) mod workers;
