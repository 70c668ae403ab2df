//! What all automata stand on: positions, one chunk, and the chunk store.

mod chunk;
mod coords;
mod grid;
