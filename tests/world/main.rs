//! Worlds of materials.

mod blasts;
mod laws;
mod palettes;
mod parts;
mod records;
