//! The chunk store and one chunk against plain maps, arrays and sets.

pub mod chunk;
pub mod grid;
