//! The work that the ebb of a layer defers, since the work also affects other cells.

use crate::water::ebb::reach::CellFaces;
use crate::water::store::Place;

/// Work that the ebb finds and defers to the end of the tick, because it also affects other cells.
#[derive(Default)]
pub(crate) struct Deferred {
    /// Cells whose HasSource flag may differ from that of their parents.
    pub(crate) stale: Vec<Place>,
    /// Cells without water or flow, which may still be parents of other cells.
    pub(crate) dried: Vec<Place>,
    /// Open cells over which the sea closes.
    pub(crate) closing: Vec<Place>,
    /// Cells that lost water by evaporation.
    pub(crate) evaporated: Vec<Place>,
    /// Connected cells that could feed wet cells that are not connected, across these faces.
    pub(crate) feeders: Vec<CellFaces>,
    /// Cells that were not connected and that connected cells fed in this tick, each with the
    /// faces, by bit, across which the connected cells are.
    pub(crate) fed: Vec<(Place, u8)>,
    /// Cells of falls that may enter runs.
    pub(crate) falls: Vec<Place>,
}

impl Deferred {
    /// Moves all work of `other` to this list.
    #[cfg(feature = "rayon")]
    pub(crate) fn append(&mut self, other: &mut Deferred) {
        self.stale.append(&mut other.stale);
        self.dried.append(&mut other.dried);
        self.closing.append(&mut other.closing);
        self.evaporated.append(&mut other.evaporated);
        self.feeders.append(&mut other.feeders);
        self.fed.append(&mut other.fed);
        self.falls.append(&mut other.falls);
    }
}
