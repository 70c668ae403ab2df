//! Two-dimensional water: edits and their model, and the oracle of a step.

pub mod edits;
pub mod oracle;
