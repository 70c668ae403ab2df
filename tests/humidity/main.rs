//! Humidity.

mod golden;
mod laws;
mod random;
mod rest;
