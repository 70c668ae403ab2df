//! What the automata share: rules run over the rows of a chunk, the rims that chunks show each
//! other, which cells changed, which chunks are awake, worker threads, and time skewing. Knows no
//! automaton.

pub(crate) mod changes;
pub(crate) mod front;
pub(crate) mod rims;
pub(crate) mod rows;
pub(crate) mod tiles;
pub(crate) mod workers;
