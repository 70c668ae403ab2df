//! Water: edits and their model, and the laws of whole runs.

pub mod bodies;
pub mod cells;
pub mod edits;
pub mod limits;
pub mod orders;
pub mod queued;
pub mod simulation;
pub mod small;
pub mod values;
pub mod words;
