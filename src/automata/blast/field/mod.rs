//! What a world of pressure consists of beside pressures: its space, the links of its cells, what
//! stands in them, what flowed over them, and the walls that break.

pub(super) mod flows;
pub(super) mod ground;
pub(super) mod links;
pub(super) mod space;
pub(super) mod walls;

use crate::chunk::Chunk;
use flows::{ChunkFlows, Conductances, reaches};
use ground::Ground;

/// What a chunk has beside its pressures.
#[derive(Default)]
pub(crate) struct ChunkState {
    /// None for open space with whole links.
    pub(crate) ground: Option<Box<Ground>>,
    pub(crate) conductances: Conductances,
    /// None if nothing flowed in the last step of the wave rule.
    pub(crate) flows: Option<ChunkFlows>,
    /// Whether a pressure or a flow reached the threshold after the last step; an edit that raises
    /// one tells at once.
    pub(crate) is_audible: bool,
    /// An edit has lowered a pressure or a flow since: whether the chunk is audible still is asked
    /// before the next step.
    pub(crate) needs_audibility_check: bool,
    /// It was made by the front or by an edit, and no list of changes has named it.
    pub(crate) is_unreported: bool,
}

impl ChunkState {
    /// Whether a pressure of the chunk or a flow is at least `least` in size.
    pub(crate) fn reaches(&self, pressure: &Chunk<f32>, least: f32) -> bool {
        pressure.as_dense().map_or(pressure.get(0).abs() >= least, |cells| reaches(cells, least))
            || self.flows.as_ref().is_some_and(|flows| flows.reach(least))
    }
}
