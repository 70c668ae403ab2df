//! The engine shared by the automata: rules run over the rows of a chunk, rims for neighbouring
//! chunks, changed cells, awake chunks, worker threads, and time skewing. Independent of any
//! automaton.

pub(crate) mod changes;
pub(crate) mod front;
pub(crate) mod rims;
pub(crate) mod rows;
pub(crate) mod tiles;
pub(crate) mod workers;
