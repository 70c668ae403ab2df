//! What a game does to a world, recorded.

mod differences;
mod format;
mod laws;
