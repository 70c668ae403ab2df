//! Water: laws under random edits, and what every tick must and must not do.

mod arrival;
mod chunks;
mod edits;
mod laws;
mod random;
mod read;
mod record;
mod tick;
