//! Worlds of materials.

mod blasts;
mod exchange;
mod feed;
mod laws;
mod palettes;
mod parts;
mod records;
mod settle;
