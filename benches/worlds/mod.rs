//! Worlds that more than one bench builds.

pub mod fields;
pub mod water;
