//! Worlds of materials.

mod exchange;
mod laws;
mod palettes;
mod parts;
mod records;
