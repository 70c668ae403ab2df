//! Worlds of materials.

mod blasts;
mod exchange;
mod laws;
mod palettes;
mod parts;
mod records;
