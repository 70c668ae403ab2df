//! Worlds in parts: random worlds divided at random, in one process, against the undivided world.

mod beside;
mod edits;
mod laws;
mod loading;
mod moves;
mod refusals;
mod worlds;
