//! The state of a world of pressure besides the pressures: its space, links, solid cells and walls,
//! and the flows of the last step.

pub(crate) mod conductances;
pub(super) mod flows;
pub(super) mod ground;
pub(super) mod links;
pub(super) mod space;
pub(super) mod walls;

use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;
use crate::simd;
use flows::{ChunkFlows, Conductances, reaches};
use ground::Ground;

/// A chunk's state besides its pressures.
#[derive(Default)]
pub(crate) struct ChunkState {
    /// `None` for open space with links of weight 1.
    pub(crate) ground: Option<Box<Ground>>,
    pub(crate) conductances: Conductances,
    /// `None` if there was no flow in the last step of the wave rule.
    pub(crate) flows: Option<ChunkFlows>,
    /// An upper bound of the absolute values of the chunk's pressures.
    pub(crate) highest: f32,
    /// Whether a pressure or a flow reached the threshold after the last step. An edit that raises
    /// a pressure to the threshold updates this at once.
    pub(crate) is_audible: bool,
    /// Whether an edit has lowered a pressure or a flow since the last step, so that `is_audible`
    /// must be recomputed before the next step.
    pub(crate) needs_audibility_check: bool,
    /// Whether the chunk was created by the front or by an edit and no list of changes has included
    /// it.
    pub(crate) is_unreported: bool,
    /// Of a ghost, whether it is at pressure 0 and has no flows, since its cells do not show this.
    pub(crate) ghost_is_blank: Option<bool>,
    /// In a divided world, the state last sent to other parts: whether the chunk is audible, and
    /// whether it is at pressure 0 and has no flows.
    #[cfg(feature = "snapshot")]
    pub(crate) sent: Option<[bool; 2]>,
}

impl ChunkState {
    /// Returns whether a pressure or a flow of the chunk is at least `least` in absolute value.
    pub(crate) fn reaches(&self, pressure: &Chunk<f32>, least: f32) -> bool {
        any_reaches(pressure, self.flows.as_ref(), least)
    }
}

/// Returns whether a pressure or a flow of a chunk is at least `least` in absolute value.
pub(crate) fn any_reaches(pressure: &Chunk<f32>, flows: Option<&ChunkFlows>, least: f32) -> bool {
    pressure.as_dense().map_or(pressure.get(0).abs() >= least, |cells| reaches(cells, least))
        || flows.is_some_and(|flows| flows.reach(least))
}

/// Returns the highest absolute value in a chunk.
pub(crate) fn highest(chunk: &Chunk<f32>) -> f32 {
    chunk.as_dense().map_or(chunk.get(0).abs(), |cells| simd::run(Highest(cells)))
}

struct Highest<'a>(&'a [f32; CHUNK_CELLS]);

impl simd::Kernel for Highest<'_> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        // Absolute values are in the order of their bits, and the maximum of the bits vectorises.
        f32::from_bits(self.0.iter().fold(0, |most, pressure| most.max(pressure.abs().to_bits())))
    }
}
