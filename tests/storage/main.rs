//! What all automata are built on: positions, one chunk, and the chunk store.

mod chunk;
mod coords;
mod grid;
