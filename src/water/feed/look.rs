//! What can be seen of a cell.

use crate::water::cell::FULL;
use crate::water::voxel::Voxel;
use core::fmt;

/// What can be seen of a cell: ground, its height (the sea is full), or whether water passes
/// through it while its height is 0. [`take_changes`](crate::water::WaterWorld::take_changes) lists
/// the cells of which this differs.
///
/// ```
/// use floodplain::water::{Look, Voxel, WaterCell};
/// assert_eq!(Look::of(Voxel::SOLID), Look::GROUND);
/// assert_eq!(Look::of(Voxel::water(WaterCell::with_height(3)?)).height(), 3);
/// # Ok::<(), floodplain::water::CellError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Look(u8);

/// Water that passes through an empty cell, with a thickness of 0; those of 1 to 7 follow.
const PASSING: u8 = 10;

impl Look {
    /// An open cell without water.
    pub const DRY: Look = Look(0);
    /// Solid ground.
    pub const GROUND: Look = Look(FULL + 1);
    /// A cell out of the world's bounds, in a chunk that has cells within them.
    pub const BEYOND: Look = Look(FULL + 2);
    /// The number of values.
    pub(super) const COUNT: u8 = PASSING + FULL + 1;

    /// Returns what can be seen of a voxel.
    pub const fn of(voxel: Voxel) -> Look {
        if voxel.is_solid() {
            Look::GROUND
        } else if voxel.is_sea() {
            Look(FULL)
        } else if voxel.is_mark() {
            Look::BEYOND
        } else if voxel.height() > 0 {
            Look(voxel.height())
        } else if voxel.word() == Voxel::OPEN.word() {
            Look::DRY
        } else {
            Look(PASSING + voxel.largest())
        }
    }

    /// Returns the units of water, 0 to 7; 0 for ground, 7 for the sea.
    pub const fn height(self) -> u8 {
        if self.0 <= FULL { self.0 } else { 0 }
    }

    /// Returns whether this is solid ground.
    pub const fn is_solid(self) -> bool {
        self.0 == Look::GROUND.0
    }

    /// Returns the thickness of the fall, 0 to 7 units a tick, if water passes through the cell
    /// while its height is 0. It is [`WaterCell::largest`](crate::water::WaterCell::largest).
    pub const fn passing(self) -> Option<u8> {
        self.0.checked_sub(PASSING)
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

impl fmt::Debug for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self, self.passing()) {
            (Look::GROUND, _) => f.write_str("ground"),
            (Look::BEYOND, _) => f.write_str("beyond"),
            (_, Some(units)) => write!(f, "passing {units}"),
            (_, None) => write!(f, "height {}", self.0),
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
            if !voxel.is_outside() {
                assert_eq!(*looks.entry(voxel.look()).or_insert(look), look, "{voxel:?}");
            }
        }
        // All but `BEYOND`, which three marks share.
        let distinct: hashbrown::HashSet<Look> = looks.values().copied().collect();
        assert_eq!((looks.len(), distinct.len()), (17, 17));
    }
}
