//! Whole worlds as bytes.

mod forged;
mod laws;
mod materials;
mod refusals;
mod sections;
mod sleep;
mod versions;
