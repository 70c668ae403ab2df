//! What stands in one cell of a water world: solid, open with its water, or one of the marks of the
//! world's end.

use crate::coords::Face;
use crate::water::cell::{
    ACTIVE_SHIFT, CellError, CellFlags, DIRECTION_SHIFT, FULL, HEIGHT, LARGEST, LARGEST_SHIFT,
    WaterCell,
};
use core::fmt;

/// A cell of a water world in two bytes: solid ground, or open space and the water in it.
///
/// Open cells hold the word of their [`WaterCell`]. Solid ground is one of the words that no water
/// cell has (direction code 7), so that solidity costs no memory of its own and a neighbour is
/// judged by one read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Voxel(u16);

/// Direction code 7, which no water cell has.
const MARK: u16 = HEIGHT << DIRECTION_SHIFT;

impl Voxel {
    /// Solid ground.
    pub const SOLID: Voxel = Voxel(MARK | FULL as u16);
    /// Open and dry.
    pub const OPEN: Voxel = Voxel(0);

    /// Beyond the world's end, where water leaves.
    pub(crate) const DRAIN: Voxel = Voxel(MARK);
    /// Beyond the world's end or in a chunk that is not loaded, where water waits.
    pub(crate) const HELD: Voxel = Voxel(MARK | FULL as u16 | 1 << 8);
    /// Beyond the world's end, where a wall stands.
    pub(crate) const WALL: Voxel = Voxel(MARK | FULL as u16 | 1 << 9);

    /// Open space with this water.
    pub const fn water(cell: WaterCell) -> Voxel {
        Voxel(cell.word())
    }

    /// Whether this is solid ground.
    pub const fn is_solid(self) -> bool {
        self.0 == Voxel::SOLID.0
    }

    /// The water here, or `None` in solid ground. A cell that has run empty in a tick underway is
    /// dry.
    pub const fn cell(self) -> Option<WaterCell> {
        if self.is_mark() {
            return None;
        }
        match WaterCell::from_word(self.0) {
            Ok(cell) => Some(cell),
            Err(_) => match WaterCell::with_height(self.height()) {
                Ok(cell) => Some(cell),
                Err(_) => None,
            },
        }
    }

    /// The same as a world with this throughput has it between ticks: with a word of a water cell,
    /// which claims no more flow than that.
    pub(crate) fn between_ticks(self, throughput: u8) -> Voxel {
        match self.cell() {
            Some(cell) if !cell.is_source() && cell.largest() > throughput => {
                Voxel::water(cell).with_largest(throughput)
            }
            Some(cell) => Voxel::water(cell),
            None => self,
        }
    }

    /// Whether [`between_ticks`](Voxel::between_ticks) may be another voxel: a quick answer, which
    /// is right when it is no.
    #[inline]
    pub(crate) const fn is_doubtful(self, throughput: u8) -> bool {
        let ran_dry = (self.0 & HEIGHT == 0) & (self.0 != 0);
        let is_orphan = self.0 & MARK == 0;
        let of_a_child = CellFlags::HAS_SOURCE.bits() | CellFlags::EXTRA.bits() | LARGEST;
        let is_source = self.0 & CellFlags::IS_SOURCE.bits() != 0;
        ran_dry
            | is_source
            | (is_orphan & (self.0 & of_a_child != 0))
            | (self.largest() > throughput)
    }

    /// Whether this lies beyond the world's end (or is not loaded).
    pub(crate) const fn is_outside(self) -> bool {
        self.is_mark() && !self.is_solid()
    }

    /// Solid, or beyond the world's end.
    #[inline]
    pub(crate) const fn is_mark(self) -> bool {
        self.0 & MARK == MARK
    }

    /// Nothing here moves by itself: ground, the world's end, or open space with neither water nor
    /// flow.
    #[inline]
    pub(crate) const fn is_inert(self) -> bool {
        self.is_mark() || self.0 == Voxel::OPEN.0
    }

    /// A cell that never runs dry.
    #[inline]
    pub(crate) const fn is_source(self) -> bool {
        !self.is_mark() && self.has(CellFlags::IS_SOURCE)
    }

    /// The two bytes that stand for this voxel, to keep it elsewhere: of a water cell its
    /// [`WaterCell::word`](WaterCell::word), and one more for solid ground.
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

    /// The voxel of a [`word`](Voxel::word).
    ///
    /// # Errors
    /// The word is neither that of solid ground nor of a water cell, by [`WaterCell::from_word`].
    pub const fn from_word(word: u16) -> Result<Voxel, CellError> {
        if word == Voxel::SOLID.0 {
            return Ok(Voxel::SOLID);
        }
        match WaterCell::from_word(word) {
            Ok(cell) => Ok(Voxel::water(cell)),
            Err(error) => Err(error),
        }
    }

    /// A voxel of any word, for words that the kernels have made.
    pub(crate) const fn from_raw(word: u16) -> Voxel {
        Voxel(word)
    }

    /// The height bits: of marks, [`FULL`] where nothing fits and 0 in a drain.
    #[inline]
    pub(crate) const fn height_bits(self) -> u8 {
        (self.0 & HEIGHT) as u8
    }

    /// Units of water: 0 in solid ground and beyond the end.
    #[inline]
    pub(crate) const fn height(self) -> u8 {
        if self.is_mark() { 0 } else { self.height_bits() }
    }

    /// Units that would still fit: 0 in solid ground. A drain, whose room is endless, says 7.
    #[inline]
    pub(crate) const fn room(self) -> u8 {
        FULL - self.height_bits()
    }

    #[inline]
    pub(crate) const fn is_wet(self) -> bool {
        self.height() > 0
    }

    /// Nothing fits: full, solid, or the end of the world other than a drain.
    #[inline]
    pub(crate) const fn is_closed(self) -> bool {
        self.0 & HEIGHT == FULL as u16
    }

    /// A source, or connected to one.
    #[inline]
    pub(crate) const fn is_sourced(self) -> bool {
        !self.is_mark() && self.has(CellFlags::HAS_SOURCE)
    }

    #[inline]
    pub(crate) const fn with_height(self, height: u8) -> Voxel {
        Voxel(self.0 & !HEIGHT | height as u16)
    }

    /// The three direction bits: 0 for none, else the index of [`direction`](Voxel::direction)
    /// plus 1; 7 for marks. For tables and bit planes.
    #[inline]
    pub(crate) const fn direction_code(self) -> usize {
        (self.0 >> DIRECTION_SHIFT & HEIGHT) as usize
    }

    /// Where the flow is heading; `None` for still water, sources and marks.
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

    /// The face behind which the first parent lies: opposite to where the flow is heading.
    #[inline]
    pub(crate) fn parent_face(self) -> Option<Face> {
        self.direction().map(Face::opposite)
    }

    /// The voxel with its first parent behind `face`: its flow is heading to the opposite side.
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

impl fmt::Debug for Voxel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Voxel::SOLID => f.write_str("solid"),
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

    /// Snapshots hold these words.
    #[test]
    fn marks_have_names_and_the_words_of_the_format() {
        let marks = [Voxel::SOLID, Voxel::DRAIN, Voxel::HELD, Voxel::WALL];
        assert_eq!(marks.map(Voxel::word), [0x003f, 0x0038, 0x013f, 0x023f]);
        assert_eq!(format!("{marks:?}"), "[solid, drain, held, wall]");
    }

    #[test]
    fn between_ticks_every_word_is_a_water_cells_or_a_mark() {
        let marks = [Voxel::SOLID, Voxel::DRAIN, Voxel::HELD, Voxel::WALL];
        let words =
            (0..=u16::MAX).map(Voxel).filter(|voxel| !voxel.is_mark() || marks.contains(voxel));
        for (voxel, throughput) in
            words.flat_map(|voxel| (1..=7).map(move |throughput| (voxel, throughput)))
        {
            let after = voxel.between_ticks(throughput);
            assert_eq!(after.height(), voxel.height(), "{voxel:?}");
            assert!(after == voxel || voxel.is_doubtful(throughput), "{voxel:?}, {throughput}");
            match WaterCell::from_word(voxel.0) {
                _ if voxel.is_mark() => assert_eq!((after, voxel.cell()), (voxel, None)),
                Ok(cell) if cell.is_source() || cell.largest() <= throughput => {
                    assert_eq!(after, voxel)
                }
                Ok(_) => assert_eq!(after, voxel.with_largest(throughput)),
                Err(_) => assert_eq!(after, Voxel::OPEN.with_height(voxel.height())),
            }
        }
    }
}
