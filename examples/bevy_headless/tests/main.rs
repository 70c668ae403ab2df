//! The plugin for Bevy, in apps without a window: what an app does with worlds is what calls do.

mod app;
mod automata;
mod budget;
mod chunks;
mod edits;
mod laws;
mod materials;
mod measures;
#[path = "../../../tests/water/random.rs"]
mod random;
mod reflection;
mod rest;
