//! What the ebb of a layer leaves for later: work that affects other cells too, and the cell at
//! which the budget has interrupted it.

use crate::water::store::Place;
use crate::water::store::parents::Ascent;
use crate::water::tiles::OutOfScope;
use crate::water::voxel::Voxel;

/// Work that the ebb finds and defers to the end of the tick, because it affects other cells too.
#[derive(Default)]
pub(crate) struct Afterwards {
    /// Cells whose HasSource flag may differ from that of their parents.
    pub(crate) stale: Vec<Place>,
    /// Cells without water or flow, tile by tile; at the end of the tick, the last first.
    pub(crate) dried: Vec<Place>,
    /// The others without water or flow, and those of `dried` that affect more than a tile's scope.
    pub(crate) feeding: Vec<Place>,
    /// Open cells over which the sea closes.
    pub(crate) closing: Vec<Place>,
    /// Cells that lost water by evaporation.
    pub(crate) evaporated: Vec<Place>,
    /// Connected cells that could feed wet cells which are not connected.
    pub(crate) feeders: Vec<Place>,
    /// Cells with a new parent.
    pub(crate) reparented: Vec<Place>,
    /// Cells whose search for cycles would leave the scope of their tile, with the faces through
    /// which they were fed.
    pub(crate) put_off: Vec<(Place, u8)>,
    /// The cell that is adopting parents, if the budget was spent meanwhile.
    pub(crate) adoption: Option<Adoption>,
}

impl Afterwards {
    /// Adds what another part of the ebb has found.
    #[cfg(feature = "rayon")]
    pub(crate) fn append(&mut self, other: &mut Afterwards) {
        self.stale.append(&mut other.stale);
        self.dried.append(&mut other.dried);
        self.feeding.append(&mut other.feeding);
        self.closing.append(&mut other.closing);
        self.evaporated.append(&mut other.evaporated);
        self.feeders.append(&mut other.feeders);
        self.reparented.append(&mut other.reparented);
        self.put_off.append(&mut other.put_off);
    }
}

/// A cell that adopts neighbours as parents, and how far that has come.
pub(crate) struct Adoption {
    pub(super) place: Place,
    /// The cell and its parents before.
    pub(super) before: (Voxel, u8),
    /// The cell with the parents that it has so far.
    pub(super) voxel: Voxel,
    /// Whether it gets a first parent, instead of further ones.
    pub(super) is_first: bool,
    /// The faces still to be tried.
    pub(super) faces: u8,
    /// The search for cycles underway.
    pub(super) ascent: Option<Box<Ascent>>,
    /// Whether some have to wait for a larger scope.
    pub(super) left: Option<OutOfScope>,
}
