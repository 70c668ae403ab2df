//! Humidity.

mod golden;
mod laws;
