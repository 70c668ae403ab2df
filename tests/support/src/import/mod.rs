//! Files of other programs: naive writers and readers of them, and what every file must keep to.

pub mod gorge;
mod laws;
pub mod nbt;
pub mod region;
pub mod sea;
pub mod vox;

pub use laws::{heightmap_laws, region_laws, vox_laws};
