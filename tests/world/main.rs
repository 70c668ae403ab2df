//! Worlds of materials.

mod laws;
mod palettes;
mod parts;
mod records;
