//! The automata that update every cell of a chunk by the same rule, and what their kernels share.
//! None imports another.

pub mod blast;
mod changed;
mod front;
pub mod humidity;
mod rims;
mod rows;
#[cfg(test)]
mod same_bytes;
mod shape;
mod skew;
pub mod water2d;
mod workers;

pub use shape::FieldShape;
