//! Snapshots: samples of every kind, and forged ones.

pub mod forgery;
pub mod samples;
