//! Drawing and swimming: the heights of the water's surface, a mesh of it, its falls, levels and
//! buoyancy at points, and currents smoothed in space and time; for a world, or for a mirror on a
//! client. This module only reads the water, and changes nothing.
//!
//! **The surface.** A cell with water is filled up to its height over [`FULL`](crate::water::FULL),
//! and to its top if there is water above it. A *corner* is a point of the lattice of cells in one
//! layer. As in block games, the surface at a corner follows from the up to four cells with water
//! around it:
//!
//! - the top of the layer, if one of the four has water above it;
//! - else the mean of their heights.
//!
//! This is a function of eight cells alone, so all chunks that share a corner have the same `f32`.
//! Each cell is covered by two triangles, which meet in the diagonal from its north-west corner to
//! its south-east one. Cells that are not loaded count as ground.
//!
//! | file | what |
//! |---|---|
//! | `view` | [`WaterView`]: the cells of a world or a mirror, and how both are drawn |
//! | `corners` | heights and slopes at corners; a layer of a chunk with a rim of its neighbours |
//! | `flow` | [`FlowField`]: exponential smoothing in time, diffusion in space |
//! | `merge` | greedy meshing: equal cells of a layer as few rectangles |
//! | `mesh` | [`SurfaceMesh`], and which chunks to mesh again |
//! | `falls` | [`Fall`]: water that nothing holds up, or that passes through empty cells |
//! | `level` | level, depth and the submerged part of a box |

mod corners;
mod falls;
mod flow;
mod level;
mod merge;
mod mesh;
mod view;

pub use falls::Fall;
pub use flow::FlowField;
pub use level::{Submerged, SubmergedError};
pub use mesh::{SurfaceMesh, meshes_touched};
pub use view::WaterView;
