//! Pressure on grids and graphs: edits, models, and probes.

pub mod graph;
pub mod graph_ops;
pub mod grid;
pub mod map;
pub mod probes;
