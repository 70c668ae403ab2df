//! What is done to a world: edits of cells, bodies, fixtures and the sea, queued edits, new rules.

mod bodies;
mod displaced;
mod ends;
mod fixtures;
mod queue;
mod sea;
mod season;
