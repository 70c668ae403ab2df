//! From text to values: the TOML tree, the drawing, the legend.

pub(crate) mod drawing;
pub(crate) mod legend;
pub(crate) mod tree;
