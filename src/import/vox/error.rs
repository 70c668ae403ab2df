//! Why a MagicaVoxel file was refused.

use crate::import::MAX_CHUNKS;
use crate::import::budget::OverBudget;
use core::fmt;

/// Why a MagicaVoxel file was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VoxError {
    /// The file does not follow the format.
    Malformed {
        /// The offset in the file at which reading stopped.
        at: usize,
        /// What the format requires there.
        wanted: &'static str,
    },
    /// The file has no models.
    NoModels,
    /// The models are compressed by Teardown, in the chunk `TDCZ`, which is not supported.
    Compressed {
        /// The offset in the file at which the chunk begins.
        at: usize,
    },
    /// A node of the scene is missing.
    NoNode {
        /// The number of the node.
        node: u32,
    },
    /// A model is missing.
    NoModel {
        /// The number of the model; the first is 0.
        model: u32,
    },
    /// The rotation of a node is not a permutation of the axes.
    Rotation {
        /// The node's number.
        node: u32,
        /// The rotation.
        rotation: u8,
    },
    /// The scene has more nodes than `limit`, counting a node once for each placement, or is
    /// cyclic.
    TooManyNodes {
        /// The limit.
        limit: usize,
    },
    /// A model lies beyond the `i32` positions of cells.
    Position {
        /// The number of the model.
        model: u32,
    },
    /// The box around all models has more than [`MAX_CHUNKS`] chunks.
    TooLarge,
    /// The scene needs more work than the file's [`Budget`](crate::import::Budget).
    OverBudget {
        /// The units that the file may take.
        units: u64,
    },
}

impl From<OverBudget> for VoxError {
    fn from(OverBudget { units }: OverBudget) -> Self {
        VoxError::OverBudget { units }
    }
}

impl fmt::Display for VoxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VoxError::Malformed { at, wanted } => write!(f, "byte {at}: expected {wanted}"),
            VoxError::NoModels => write!(f, "the file has no models"),
            VoxError::Compressed { at } => {
                write!(f, "byte {at}: models that Teardown compressed (TDCZ) are not read")
            }
            VoxError::NoNode { node } => write!(f, "the scene has no node {node}"),
            VoxError::NoModel { model } => write!(f, "there is no model {model}"),
            VoxError::Rotation { node, rotation } => {
                write!(f, "node {node} of the scene has no rotation {rotation}")
            }
            VoxError::TooManyNodes { limit } => {
                write!(f, "the scene has more than {limit} nodes, or is a circle")
            }
            VoxError::Position { model } => {
                write!(f, "model {model} lies beyond the range of i32")
            }
            VoxError::TooLarge => write!(f, "the models need more than {MAX_CHUNKS} chunks"),
            VoxError::OverBudget { units } => {
                write!(f, "the scene asks for more than its {units} units of work")
            }
        }
    }
}

impl core::error::Error for VoxError {}
