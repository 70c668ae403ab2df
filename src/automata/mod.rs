//! The automata that update every cell of a chunk by the same rule, and what their kernels share. None imports another.

pub mod blast;
mod front;
pub mod humidity;
mod rims;
mod rows;
pub mod water2d;

pub use rows::FieldShape;
