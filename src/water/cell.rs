//! The two bytes of a water cell: layout, fields, flags, and which words are canonical.

use crate::coords::Face;
use bitflags::bitflags;
use core::fmt;

bitflags! {
    /// The four flags of a water cell, at their bit positions in the word.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub(crate) struct CellFlags: u16 {
        /// The cell is a spring: it never runs dry.
        const IS_SOURCE = 1 << 6;
        /// The cell is a spring, or is connected to one through its parents: water from that spring
        /// could reach it, if only through water that flowed or stood here before.
        const HAS_SOURCE = 1 << 7;
        /// Steady flow passes the cell: it lies on a way that water takes from a spring to a
        /// draining edge of the world.
        const FLOW_OUT = 1 << 14;
        /// The cell has two or more parents. Its direction gives the first parent; the world keeps
        /// all of them outside the word.
        const EXTRA = 1 << 15;
    }
}

/// Units of water in a full cell.
pub const FULL: u8 = 7;

/// The activity of a cell in which water flows.
pub(crate) const MOST_ACTIVE: u8 = 7;

/// Mask of a three-bit field, unshifted. Height is the one field at bit 0.
pub(crate) const HEIGHT: u16 = 0b111;
pub(crate) const DIRECTION_SHIFT: u32 = 3;
pub(crate) const LARGEST_SHIFT: u32 = 8;
pub(crate) const ACTIVE_SHIFT: u32 = 11;
pub(crate) const LARGEST: u16 = HEIGHT << LARGEST_SHIFT;
pub(crate) const ACTIVE: u16 = HEIGHT << ACTIVE_SHIFT;

/// One cell of open space and the water in it, in two bytes.
///
/// | byte | bit 7 | bit 6 | bits 5–3 | bits 2–0 |
/// |---|---|---|---|---|
/// | Data (low) | HasSource | IsSource | Direction | Height |
/// | Data2 (high) | Extra | FlowOut | Active | Largest |
///
/// Direction is 0 for none, else [`Face::index`] + 1. The other three fields hold 0 to 7.
///
/// A `WaterCell` always holds a canonical word: a word that a cell of a world can have between two
/// ticks. See [`from_word`](WaterCell::from_word). The default is a dry cell, the word 0.
///
/// ```
/// use floodplain::water::{CellError, WaterCell};
/// let cell = WaterCell::with_height(5)?;
/// assert_eq!(cell.word(), 5);
/// assert_eq!(WaterCell::from_word(0b111_000), Err(CellError::Direction(7)));
/// # Ok::<(), CellError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
pub struct WaterCell(u16);

/// Why a value is not a water cell. Variants hold the rejected height, direction code or word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CellError {
    /// A height above 7.
    Height(u8),
    /// A direction code above 6. 0 is none, 1 to 6 are the faces.
    Direction(u8),
    /// A source that is not full, lacks HasSource, or has a direction or Extra.
    Source(u16),
    /// HasSource without IsSource or a direction: a cell that is not a source is connected to a
    /// source only through its parent.
    SourceWithoutParent(u16),
    /// Extra without HasSource, or without a direction, which names the first parent.
    ExtraWithoutParent(u16),
    /// Largest above 0 without a direction: Largest is the bottleneck of the path through the
    /// parents.
    LargestWithoutParent(u16),
    /// A height of 0 in a word other than 0, without a direction or activity. An empty cell is
    /// either dry (word 0) or passes water on; a cell that passes water on has a direction and is
    /// active.
    DryButMarked(u16),
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CellError::Height(height) => write!(f, "a height of {height}, above 7"),
            CellError::Direction(code) => write!(f, "direction code {code}, above 6"),
            CellError::Source(word) => {
                write!(f, "word {word:#06x}: a source must be full, have HasSource, and no parents")
            }
            CellError::SourceWithoutParent(word) => {
                write!(f, "word {word:#06x}: HasSource without a parent")
            }
            CellError::ExtraWithoutParent(word) => {
                write!(f, "word {word:#06x}: Extra without a parent")
            }
            CellError::LargestWithoutParent(word) => {
                write!(f, "word {word:#06x}: Largest without a parent")
            }
            CellError::DryButMarked(word) => {
                write!(f, "word {word:#06x}: no water, but neither dry nor passing water on")
            }
        }
    }
}

impl core::error::Error for CellError {}

impl WaterCell {
    /// A dry cell: neither water nor flow.
    pub const DRY: WaterCell = WaterCell(0);

    /// A full cell of still water.
    pub const STILL: WaterCell = WaterCell(FULL as u16);

    /// A spring, which is always full.
    pub const SOURCE: WaterCell = WaterCell(
        FULL as u16 | CellFlags::IS_SOURCE.bits() | CellFlags::HAS_SOURCE.bits() | LARGEST,
    );

    /// Returns still water of `height` units, 0 to 7.
    ///
    /// # Errors
    /// The height is above 7: [`CellError::Height`].
    pub const fn with_height(height: u8) -> Result<WaterCell, CellError> {
        if height > FULL { Err(CellError::Height(height)) } else { Ok(WaterCell(height as u16)) }
    }

    /// Returns the cell of a word, with Data in the low byte and Data2 in the high one.
    ///
    /// # Errors
    /// The word is not canonical: no cell has it between two ticks. The [`CellError`] says which
    /// law the word breaks.
    pub const fn from_word(word: u16) -> Result<WaterCell, CellError> {
        let cell = WaterCell(word);
        let direction = cell.direction_code();
        if direction > 6 {
            return Err(CellError::Direction(direction));
        }
        let orphan = direction == 0;
        if word & CellFlags::IS_SOURCE.bits() != 0 {
            let own = word & CellFlags::HAS_SOURCE.bits() != 0;
            let extra = word & CellFlags::EXTRA.bits() != 0;
            return if own && orphan && !extra && cell.height() == FULL {
                Ok(cell)
            } else {
                Err(CellError::Source(word))
            };
        }
        if orphan && word & CellFlags::HAS_SOURCE.bits() != 0 {
            return Err(CellError::SourceWithoutParent(word));
        }
        let is_fed = !orphan && word & CellFlags::HAS_SOURCE.bits() != 0;
        if !is_fed && word & CellFlags::EXTRA.bits() != 0 {
            return Err(CellError::ExtraWithoutParent(word));
        }
        if orphan && cell.largest() != 0 {
            return Err(CellError::LargestWithoutParent(word));
        }
        if cell.height() == 0 && word != 0 && (orphan || cell.active() == 0) {
            return Err(CellError::DryButMarked(word));
        }
        Ok(cell)
    }

    /// Returns the two bytes, Data in the low one and Data2 in the high one.
    pub const fn word(self) -> u16 {
        self.0
    }

    /// Returns the units of water in the cell, 0 to 7.
    pub const fn height(self) -> u8 {
        (self.0 & HEIGHT) as u8
    }

    /// Returns the direction of the flow, or `None` for still water and for sources. The flow came
    /// from the opposite side, where the first parent of a cell with HasSource is.
    pub const fn direction(self) -> Option<Face> {
        match self.direction_code() {
            0 => None,
            code => Face::from_index(code - 1),
        }
    }

    /// Returns the largest flow, in units a tick, that can pass from the root of this cell's flow
    /// to the cell, 0 to 7.
    pub const fn largest(self) -> u8 {
        (self.0 >> LARGEST_SHIFT & HEIGHT) as u8
    }

    /// Returns the activity, 0 (inactive) to 7: 7 after a tick in which water has flowed through
    /// the cell. The activity falls afterwards, and is 0 after 49 to 64 ticks without flow. An
    /// empty cell is active only if a spring feeds it.
    pub const fn active(self) -> u8 {
        (self.0 >> ACTIVE_SHIFT & HEIGHT) as u8
    }

    /// Returns whether the cell is a spring: it never runs dry. This is the flag IsSource.
    pub const fn is_source(self) -> bool {
        self.0 & CellFlags::IS_SOURCE.bits() != 0
    }

    /// Returns whether the cell is a spring, or is connected to one through its parents: water from
    /// that spring could reach it, if only through water that flowed or stood here before. This is
    /// the flag HasSource.
    pub const fn has_source(self) -> bool {
        self.0 & CellFlags::HAS_SOURCE.bits() != 0
    }

    /// Returns whether steady flow passes the cell: it lies on a way that water takes from a spring
    /// to a draining edge of the world. This is the flag FlowOut.
    pub const fn has_flow_out(self) -> bool {
        self.0 & CellFlags::FLOW_OUT.bits() != 0
    }

    /// Returns whether the cell has two or more parents. Its direction gives the first parent; the
    /// world keeps all of them outside the word. This is the flag Extra.
    pub const fn has_several_parents(self) -> bool {
        self.0 & CellFlags::EXTRA.bits() != 0
    }

    /// Returns whether the cell has neither water nor flow.
    pub const fn is_dry(self) -> bool {
        self.0 == 0
    }

    const fn direction_code(self) -> u8 {
        (self.0 >> DIRECTION_SHIFT & HEIGHT) as u8
    }
}

impl fmt::Debug for WaterCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_dry() {
            return f.write_str("dry");
        }
        write!(f, "{}/7", self.height())?;
        if let Some(direction) = self.direction() {
            write!(f, " {direction:?}")?;
        }
        write!(f, " largest {} active {}", self.largest(), self.active())?;
        for (name, _) in CellFlags::from_bits_truncate(self.0).iter_names() {
            write!(f, " {name}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_round_trips_or_is_rejected() {
        let mut canonical = 0;
        for word in 0..=u16::MAX {
            match WaterCell::from_word(word) {
                Ok(cell) => {
                    canonical += 1;
                    assert_eq!(cell.word(), word);
                    let direction = cell.direction().map_or(0, |face| face.index() as u16 + 1);
                    let rebuilt = u16::from(cell.height())
                        | direction << 3
                        | u16::from(cell.largest()) << 8
                        | u16::from(cell.active()) << 11
                        | CellFlags::from_bits_truncate(cell.0).bits();
                    assert_eq!(rebuilt, word, "the fields of {cell:?} make up its word");
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        // Counted by hand. Sources: 2 FlowOut × 8 active × 8 largest. Without a direction: the word
        // 0, and 7 heights × 8 active × 2 FlowOut. With a direction: 6 directions × 8 largest × 2
        // FlowOut × 3 of HasSource and Extra × (7 heights × 8 active + height 0 × 7 active).
        assert_eq!(canonical, 128 + (1 + 7 * 8 * 2) + 6 * 8 * 6 * (7 * 8 + 7));
    }

    #[test]
    fn errors_name_the_law() {
        let source = WaterCell::SOURCE.word();
        assert_eq!(WaterCell::from_word(source - 1), Err(CellError::Source(source - 1)));
        assert_eq!(WaterCell::from_word(0x0087), Err(CellError::SourceWithoutParent(0x0087)));
        assert_eq!(WaterCell::from_word(0x8001), Err(CellError::ExtraWithoutParent(0x8001)));
        assert_eq!(WaterCell::from_word(0x0101), Err(CellError::LargestWithoutParent(0x0101)));
        assert_eq!(WaterCell::from_word(0x0008), Err(CellError::DryButMarked(0x0008)));
        assert_eq!(WaterCell::with_height(8), Err(CellError::Height(8)));
    }

    #[test]
    fn debug_reads_like_a_sentence() {
        assert_eq!(
            format!("{:?}", WaterCell::SOURCE),
            "7/7 largest 7 active 0 IS_SOURCE HAS_SOURCE"
        );
        assert_eq!(format!("{:?}", WaterCell::DRY), "dry");
    }
}
