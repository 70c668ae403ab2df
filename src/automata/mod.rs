//! The automata that update every cell of a chunk by the same rule, and what their kernels share.
//! None imports another.

pub mod blast;
mod engine;
pub mod humidity;
#[cfg(test)]
mod same_bytes;
mod shape;
pub mod water2d;

pub use engine::rows::RowShape;
pub use shape::FieldShape;
