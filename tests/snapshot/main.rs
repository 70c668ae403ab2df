//! Whole worlds as bytes.

mod forged;
mod laws;
mod refusals;
mod sections;
mod sleep;
mod versions;
