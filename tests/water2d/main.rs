//! Two-dimensional water.

mod ends;
mod golden;
mod laws;
