//! The content of one cell of a water world: solid ground, the sea, open space with its water, or a
//! mark of the space beyond the world's edge.

use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::{CHUNK_CELLS, Face};
use crate::water::cell::{
    ACTIVE, ACTIVE_SHIFT, CellError, CellFlags, DIRECTION_SHIFT, FULL, HEIGHT, LARGEST,
    LARGEST_SHIFT, WaterCell,
};
use core::fmt;

/// A cell of a water world in two bytes: solid ground, the sea, or open space and the water in it.
///
/// An open cell has the word of its [`WaterCell`]. Solid ground and the sea have words that no
/// water cell has (direction code 7), so they take no further memory, and one read is enough to
/// judge a neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
pub struct Voxel(u16);

/// Direction code 7, which no water cell has: the code of solid ground, the sea, and marks of the
/// world's edge.
const MARK: u16 = HEIGHT << DIRECTION_SHIFT;

impl Voxel {
    /// Solid ground, which holds no water.
    pub const SOLID: Voxel = Voxel(MARK | FULL as u16);
    /// An open, dry cell: no water, no flow.
    pub const OPEN: Voxel = Voxel(0);
    /// The sea: always full. The sea fills open cells beside and below it, and takes water that
    /// falls on it or is pressed into it. See [`set_sea`](crate::water::WaterWorld::set_sea).
    pub const SEA: Voxel = Voxel(MARK | FULL as u16 | 1 << 10);

    /// The mark beyond a draining edge: water that flows here leaves the world.
    pub(crate) const DRAIN: Voxel = Voxel(MARK);
    /// The mark beyond an edge that holds water back until a chunk is loaded.
    pub(crate) const HELD: Voxel = Voxel(MARK | FULL as u16 | 1 << 8);
    /// The mark beyond a wall at the world's edge.
    pub(crate) const WALL: Voxel = Voxel(MARK | FULL as u16 | 1 << 9);
    /// The mark that stands for the sea below a cell: unlimited room. No cell holds this word.
    pub(crate) const SINK: Voxel = Voxel(MARK | 1 << 10);

    /// Returns open space with the water of `cell`.
    pub const fn water(cell: WaterCell) -> Voxel {
        Voxel(cell.word())
    }

    /// Returns whether this is solid ground.
    pub const fn is_solid(self) -> bool {
        self.0 == Voxel::SOLID.0
    }

    /// Returns whether this is the sea.
    #[inline]
    pub const fn is_sea(self) -> bool {
        self.0 == Voxel::SEA.0
    }

    /// Returns the water, or `None` for solid ground and the sea.
    pub const fn cell(self) -> Option<WaterCell> {
        match WaterCell::from_word(self.0) {
            Ok(cell) => Some(cell),
            Err(_) => None,
        }
    }

    /// Returns the voxel for a world with this throughput: `largest` is limited to it.
    pub(crate) const fn lowered_to(self, throughput: u8) -> Voxel {
        if self.is_mark() || self.is_source() || self.largest() <= throughput {
            self
        } else {
            self.with_largest(throughput)
        }
    }

    /// Returns whether this is a mark of the world's edge or of a chunk that is not loaded. The sea
    /// does not count, though it also lies beyond edges.
    pub(crate) const fn is_outside(self) -> bool {
        self.is_mark() && !self.is_solid() && !self.is_sea()
    }

    /// Returns whether this is solid ground, the sea or a mark of the world's edge.
    #[inline]
    pub(crate) const fn is_mark(self) -> bool {
        self.0 & MARK == MARK
    }

    /// Returns whether there is nothing to visit: solid ground, the sea, a mark, or dry open space.
    #[inline]
    pub(crate) const fn is_inert(self) -> bool {
        self.is_mark() || self.0 == Voxel::OPEN.0
    }

    /// Returns whether this is a spring.
    #[inline]
    pub(crate) const fn is_source(self) -> bool {
        !self.is_mark() && self.has(CellFlags::IS_SOURCE)
    }

    /// Returns the two bytes of the voxel, for storage: the [`WaterCell::word`] of an open cell, or
    /// the word of solid ground or of the sea. [`from_word`](Voxel::from_word) is the inverse.
    ///
    /// ```
    /// use floodplain::water::{CellError, Voxel};
    /// assert_eq!(Voxel::from_word(Voxel::SOLID.word()), Ok(Voxel::SOLID));
    /// assert_eq!(Voxel::from_word(Voxel::OPEN.word()), Ok(Voxel::OPEN));
    /// assert!(matches!(Voxel::from_word(u16::MAX), Err(CellError::Direction(_))));
    /// ```
    pub const fn word(self) -> u16 {
        self.0
    }

    /// Returns the voxel of a [`word`](Voxel::word).
    ///
    /// # Errors
    /// The word does not belong to solid ground, the sea or a water cell; the error comes from
    /// [`WaterCell::from_word`].
    pub const fn from_word(word: u16) -> Result<Voxel, CellError> {
        if word == Voxel::SOLID.0 || word == Voxel::SEA.0 {
            return Ok(Voxel(word));
        }
        match WaterCell::from_word(word) {
            Ok(cell) => Ok(Voxel::water(cell)),
            Err(error) => Err(error),
        }
    }

    /// Returns the voxel of any word, unchecked, for words that the kernels wrote.
    pub(crate) const fn from_raw(word: u16) -> Voxel {
        Voxel(word)
    }

    /// Returns the height bits. Solid ground, the sea and most marks have [`FULL`]; marks with
    /// unlimited room have 0.
    #[inline]
    pub(crate) const fn height_bits(self) -> u8 {
        (self.0 & HEIGHT) as u8
    }

    /// Returns the units of water that the ledger counts, 0 to 7; 0 for solid ground, the sea and
    /// marks.
    ///
    /// ```
    /// use floodplain::water::{Voxel, WaterCell};
    /// assert_eq!(Voxel::water(WaterCell::STILL).height(), 7);
    /// assert_eq!(Voxel::SOLID.height(), 0);
    /// ```
    #[inline]
    pub const fn height(self) -> u8 {
        if self.is_mark() { 0 } else { self.height_bits() }
    }

    /// Returns the visible units of water: the [`height`](Voxel::height), and a full cell for the
    /// sea.
    #[inline]
    pub(crate) const fn seen_height(self) -> u8 {
        if self.is_sea() { FULL } else { self.height() }
    }

    /// Returns the units that still fit, 0 to 7. The result is 7 for a draining mark, whose room is
    /// unlimited.
    #[inline]
    pub(crate) const fn room(self) -> u8 {
        FULL - self.height_bits()
    }

    /// Returns a number that differs between voxels that a game draws differently. It depends on
    /// whether the voxel is ground, the sea or a mark, on the height, and on whether water passes
    /// through an empty cell. For an empty cell that water passes through, it also depends on the
    /// direction and the bottleneck, since only these determine how a fall is drawn. The bottleneck
    /// only rises while water passes, so it seldom changes.
    #[inline]
    pub(crate) const fn look(self) -> u16 {
        const PASSES: u16 = 1 << ACTIVE_SHIFT;
        if self.is_mark() {
            self.0
        } else if self.0 & HEIGHT != 0 {
            self.0 & HEIGHT
        } else if self.0 != 0 {
            self.0 & (LARGEST | MARK) | PASSES
        } else {
            0
        }
    }

    #[inline]
    pub(crate) const fn is_wet(self) -> bool {
        self.height() > 0
    }

    /// Returns whether the cell has no room: full, solid, the sea, or a mark other than a drain.
    #[inline]
    pub(crate) const fn is_closed(self) -> bool {
        self.0 & HEIGHT == FULL as u16
    }

    /// Returns whether the cell holds as much water as it can.
    #[inline]
    pub(crate) const fn is_full(self) -> bool {
        self.is_closed() && !self.is_mark()
    }

    /// Returns the units that may move on: a cell that steady flow passes keeps one, so that the
    /// flow does not break where it is thin.
    #[inline]
    pub(crate) const fn loose(self) -> u8 {
        let is_kept = self.0 & (CellFlags::FLOW_OUT.bits() | CellFlags::IS_SOURCE.bits());
        self.height().saturating_sub((is_kept == CellFlags::FLOW_OUT.bits()) as u8)
    }

    /// Returns whether the cell is a source or connected to one.
    #[inline]
    pub(crate) const fn is_connected(self) -> bool {
        !self.is_mark() && self.has(CellFlags::HAS_SOURCE)
    }

    /// Returns whether a fall feeds this cell: it is connected to a spring, and its water came from
    /// above.
    #[inline]
    pub(crate) const fn is_fall(self) -> bool {
        const FALLS: u16 =
            (Face::Down.index() as u16 + 1) << DIRECTION_SHIFT | CellFlags::HAS_SOURCE.bits();
        self.0 & (MARK | CellFlags::HAS_SOURCE.bits()) == FALLS
    }

    /// Returns whether this is a cell of a fall that has passed on as many units as a full cell
    /// holds: full, with full activity and bottleneck, connected, fed from above alone, and without
    /// steady flow.
    #[inline]
    pub(crate) const fn is_steady_fall(self) -> bool {
        const STEADY: u16 = FULL as u16
            | ACTIVE
            | CellFlags::HAS_SOURCE.bits()
            | (Face::Down.index() as u16 + 1) << DIRECTION_SHIFT
            | (FULL as u16) << LARGEST_SHIFT;
        self.0 == STEADY
    }

    #[inline]
    pub(crate) const fn with_height(self, height: u8) -> Voxel {
        Voxel(self.0 & !HEIGHT | height as u16)
    }

    /// Returns the three direction bits: 0 for none, [`Face::index`] + 1 for a direction, 7 for
    /// solid ground, the sea and marks. The bits index tables and bit planes.
    #[inline]
    pub(crate) const fn direction_code(self) -> usize {
        (self.0 >> DIRECTION_SHIFT & HEIGHT) as usize
    }

    /// Returns where the flow is heading; `None` for still water, sources and marks.
    #[inline]
    pub(crate) const fn direction(self) -> Option<Face> {
        match self.direction_code() {
            0 => None,
            code => Face::from_index(code as u8 - 1),
        }
    }

    #[inline]
    pub(crate) const fn with_direction(self, direction: Option<Face>) -> Voxel {
        let code = match direction {
            None => 0,
            Some(face) => face.index() + 1,
        };
        Voxel(self.0 & !MARK | (code as u16) << DIRECTION_SHIFT)
    }

    /// Returns the face across which the first parent is, opposite to the direction.
    #[inline]
    pub(crate) fn parent_face(self) -> Option<Face> {
        self.direction().map(Face::opposite)
    }

    /// Returns the voxel with its first parent across `face`, and thus with the opposite direction.
    #[inline]
    pub(crate) const fn with_parent(self, face: Face) -> Voxel {
        self.with_direction(Some(face.opposite()))
    }

    #[inline]
    pub(crate) const fn largest(self) -> u8 {
        (self.0 >> LARGEST_SHIFT & HEIGHT) as u8
    }

    #[inline]
    pub(crate) const fn with_largest(self, largest: u8) -> Voxel {
        Voxel(self.0 & !LARGEST | (largest as u16) << LARGEST_SHIFT)
    }

    #[inline]
    pub(crate) const fn active(self) -> u8 {
        (self.0 >> ACTIVE_SHIFT & HEIGHT) as u8
    }

    #[inline]
    pub(crate) const fn is_active(self) -> bool {
        !self.is_mark() && self.0 & ACTIVE != 0
    }

    #[inline]
    pub(crate) const fn with_active(self, active: u8) -> Voxel {
        Voxel(self.0 & !ACTIVE | (active as u16) << ACTIVE_SHIFT)
    }

    #[inline]
    pub(crate) const fn has(self, flag: CellFlags) -> bool {
        self.0 & flag.bits() != 0
    }

    #[inline]
    pub(crate) const fn with(self, flag: CellFlags, on: bool) -> Voxel {
        if on { Voxel(self.0 | flag.bits()) } else { Voxel(self.0 & !flag.bits()) }
    }
}

impl From<WaterCell> for Voxel {
    fn from(cell: WaterCell) -> Voxel {
        Voxel::water(cell)
    }
}

impl Chunk<Voxel> {
    /// Returns the units of water in the chunk, springs included.
    ///
    /// ```
    /// use floodplain::{Chunk, water::Voxel};
    /// let mut chunk = Chunk::uniform(Voxel::OPEN);
    /// chunk.set(17, Voxel::from_word(5)?);
    /// assert_eq!(chunk.units(), 5);
    /// # Ok::<(), floodplain::water::CellError>(())
    /// ```
    pub fn units(&self) -> u64 {
        match (self.as_uniform(), self.as_dense()) {
            (Some(voxel), _) => u64::from(voxel.height()) * CHUNK_CELLS as u64,
            // A layer holds at most 1,792 units, so sums of 16 bits suffice, which vectorise
            // better.
            (_, Some(cells)) => {
                let in_layer = |layer: &[Voxel; LAYER_CELLS]| {
                    layer.iter().map(|voxel| u16::from(voxel.height())).sum::<u16>()
                };
                cells.as_chunks().0.iter().map(|layer| u64::from(in_layer(layer))).sum()
            }
            _ => 0,
        }
    }
}

impl fmt::Debug for Voxel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Voxel::SOLID => f.write_str("solid"),
            Voxel::SEA => f.write_str("sea"),
            Voxel::DRAIN => f.write_str("drain"),
            Voxel::HELD => f.write_str("held"),
            Voxel::WALL => f.write_str("wall"),
            _ => match WaterCell::from_word(self.0) {
                Ok(cell) => cell.fmt(f),
                Err(_) => write!(f, "word {:#06x}", self.0),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snapshots contain the words of these marks.
    #[test]
    fn marks_have_names_and_the_words_of_the_format() {
        let marks = [Voxel::SOLID, Voxel::DRAIN, Voxel::HELD, Voxel::WALL, Voxel::SEA];
        assert_eq!(marks.map(Voxel::word), [0x003f, 0x0038, 0x013f, 0x023f, 0x043f]);
        assert_eq!(format!("{marks:?}"), "[solid, drain, held, wall, sea]");
    }

    #[test]
    fn only_what_passes_through_a_cell_is_lowered() {
        let words = (0..=u16::MAX).filter(|&word| Voxel::from_word(word).is_ok());
        let mut lowered = 0;
        for (word, throughput) in words.flat_map(|word| (1..=7).map(move |most| (word, most))) {
            let voxel = Voxel::from_word(word).expect("filtered");
            let after = voxel.lowered_to(throughput);
            let most = if voxel.is_mark() || voxel.is_source() { FULL } else { throughput };
            assert_eq!(after.word() & !LARGEST, word & !LARGEST, "{voxel:?}");
            assert_eq!(after.largest(), voxel.largest().min(most), "{voxel:?}");
            assert_eq!(Voxel::from_word(after.word()), Ok(after), "{voxel:?}");
            lowered += u32::from(after != voxel);
        }
        assert!(lowered > 1_000, "{lowered} lowered");
    }

    #[test]
    fn units_are_those_of_all_cells() {
        let mut random = fastrand::Rng::with_seed(14);
        for height in 0..8 {
            assert_eq!(
                Chunk::uniform(Voxel::OPEN.with_height(height)).units(),
                4096 * u64::from(height)
            );
            let cells = core::array::from_fn(|_| Voxel::OPEN.with_height(random.u8(..=height)));
            let expected: u64 = cells.iter().map(|voxel| u64::from(voxel.height())).sum();
            assert_eq!(Chunk::from_cells(&cells).units(), expected);
        }
        assert_eq!(Chunk::uniform(Voxel::SOLID).units(), 0);
    }
}
