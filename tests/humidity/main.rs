//! Humidity.

mod fall;
mod golden;
mod laws;
mod random;
mod rest;
mod steady;
