//! The visible state of a cell.

use crate::coords::Face;
use crate::water::cell::FULL;
use crate::water::voxel::Voxel;
use core::fmt;

/// The visible state of a cell: ground, the sea, its height, or, while its height is 0, whether
/// water of a spring passes through it, how much, and in which direction.
/// [`take_changes`](crate::water::WaterWorld::take_changes) lists the cells in which this differs.
///
/// ```
/// use floodplain::water::{Look, Voxel, WaterCell};
/// assert_eq!(Look::of(Voxel::SOLID), Look::GROUND);
/// assert_eq!(Look::of(Voxel::water(WaterCell::with_height(3)?)).height(), 3);
/// # Ok::<(), floodplain::water::CellError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Look(u8);

/// The code of water that passes down through an empty cell with a thickness of 0. The codes of the
/// thicknesses 1 to 7 follow, then the codes of the other directions in the same order.
const PASSING: u8 = 11;
/// The number of thicknesses of passing water, 0 to 7.
const THICKNESSES: u8 = FULL + 1;

impl Look {
    /// An open cell without water.
    pub const DRY: Look = Look(0);
    /// Solid ground.
    pub const GROUND: Look = Look(FULL + 1);
    /// A cell out of the world's bounds, in a chunk that has cells within the bounds.
    pub const BEYOND: Look = Look(FULL + 2);
    /// The sea.
    pub const SEA: Look = Look(FULL + 3);
    /// The number of looks.
    pub(super) const COUNT: u8 = PASSING + THICKNESSES * 6;
    /// The number of common looks, which have the lowest codes: all looks except water that passes
    /// in a direction other than down.
    pub(super) const COMMON: u8 = PASSING + THICKNESSES;

    /// Returns the look of a voxel. A feed shows a cell beyond the world's bounds as
    /// [`BEYOND`](Look::BEYOND), whatever its voxel.
    pub const fn of(voxel: Voxel) -> Look {
        if voxel.is_solid() {
            Look::GROUND
        } else if voxel.is_sea() {
            Look::SEA
        } else if voxel.is_mark() {
            Look::BEYOND
        } else if voxel.height() > 0 {
            Look(voxel.height())
        } else if voxel.word() == Voxel::OPEN.word() {
            Look::DRY
        } else {
            // Water passes through no cell without a direction.
            let direction = (voxel.direction_code() as u8).saturating_sub(1);
            Look(PASSING + THICKNESSES * down_first(direction) + voxel.largest())
        }
    }

    /// Returns the units of water, 0 to 7; 0 for ground, 7 for the sea.
    pub const fn height(self) -> u8 {
        match self {
            Look(height) if height <= FULL => height,
            Look::SEA => FULL,
            _ => 0,
        }
    }

    /// Returns whether this is solid ground.
    pub const fn is_solid(self) -> bool {
        self.0 == Look::GROUND.0
    }

    /// Returns whether this is the sea.
    pub const fn is_sea(self) -> bool {
        self.0 == Look::SEA.0
    }

    /// Returns the thickness of the fall, 0 to 7 units a tick, if water passes through the cell
    /// while its height is 0. It is [`WaterCell::largest`](crate::water::WaterCell::largest).
    pub const fn passing(self) -> Option<u8> {
        match self.0.checked_sub(PASSING) {
            Some(passing) => Some(passing % THICKNESSES),
            None => None,
        }
    }

    /// Returns where water that [passes](Look::passing) through the cell is heading.
    pub const fn direction(self) -> Option<Face> {
        match self.0.checked_sub(PASSING) {
            Some(passing) => Face::from_index(down_first(passing / THICKNESSES)),
            None => None,
        }
    }

    /// Returns whether the cell holds water that may flow, or water passes through it. The sea does
    /// not flow.
    pub(crate) const fn may_flow(self) -> bool {
        self.0 >= PASSING || self.0 > 0 && self.0 <= FULL
    }

    /// Returns the number of the look, below [`COUNT`](Look::COUNT).
    pub(super) const fn code(self) -> u8 {
        self.0
    }

    /// Returns the look of a number, which is taken modulo [`COUNT`](Look::COUNT).
    pub(super) const fn from_code(code: u8) -> Look {
        Look(code % Look::COUNT)
    }
}

/// Returns the [index](Face::index) of a direction, with the index of down and the index 0
/// exchanged, so that most falls have the lowest numbers. It is its own inverse.
const fn down_first(index: u8) -> u8 {
    const DOWN: u8 = Face::Down.index() as u8;
    match index {
        DOWN => 0,
        0 => DOWN,
        index => index,
    }
}

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self, self.passing(), self.direction()) {
            (Look::GROUND, ..) => f.write_str("ground"),
            (Look::BEYOND, ..) => f.write_str("beyond"),
            (Look::SEA, ..) => f.write_str("sea"),
            (_, Some(units), Some(face)) => write!(f, "passing {units} {face:?}"),
            (_, Some(units), None) => write!(f, "passing {units}"),
            (_, None, _) => write!(f, "height {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_differ_where_those_of_voxels_do() {
        let marks = [Voxel::SOLID, Voxel::DRAIN, Voxel::HELD, Voxel::WALL];
        let words = (0..=u16::MAX).filter_map(|word| Voxel::from_word(word).ok());
        let mut looks = hashbrown::HashMap::new();
        for voxel in words.chain(marks) {
            let look = Look::of(voxel);
            assert!(look.code() < Look::COUNT && Look::from_code(look.code()) == look);
            assert_eq!(look.height(), voxel.seen_height());
            assert_eq!(look.is_solid(), voxel.is_solid());
            assert_eq!(look.is_sea(), voxel.is_sea());
            assert_eq!(look.may_flow(), !voxel.is_inert());
            if look.passing().is_some() {
                assert_eq!(look.direction(), voxel.direction());
            }
            if !voxel.is_outside() {
                assert_eq!(*looks.entry(voxel.look()).or_insert(look), look, "{voxel:?}");
            }
        }
        // All looks except `BEYOND`, which three marks share.
        let distinct: hashbrown::HashSet<Look> = looks.values().copied().collect();
        let all = usize::from(Look::COUNT) - 1;
        assert_eq!((looks.len(), distinct.len()), (all, all));
    }
}
