//! One slice of ground and water, as the formulas of a step see it.

/// The levels by height, then from west to east; `None` in ground and where no chunk is loaded.
#[derive(Clone, PartialEq)]
pub(super) struct Slice {
    pub(super) levels: Vec<Option<i64>>,
    width: usize,
    /// The height of the lowest row: 0 or 1, as it is even or odd in the world.
    lowest: i64,
}

impl Slice {
    pub(super) fn of(levels: Vec<Option<i64>>, width: usize, is_odd: bool) -> Slice {
        Slice { levels, width, lowest: i64::from(is_odd) }
    }

    pub(super) fn height(&self, at: usize) -> i64 {
        self.lowest + (at / self.width) as i64
    }

    pub(super) fn below(&self, at: usize) -> Option<usize> {
        at.checked_sub(self.width)
    }

    pub(super) fn above(&self, at: usize) -> Option<usize> {
        Some(at + self.width).filter(|&above| above < self.levels.len())
    }

    pub(super) fn west(&self, at: usize) -> Option<usize> {
        at.checked_sub(1).filter(|_| !at.is_multiple_of(self.width))
    }

    pub(super) fn east(&self, at: usize) -> Option<usize> {
        Some(at + 1).filter(|east| !east.is_multiple_of(self.width))
    }

    /// Returns the place and the level of an open cell; `None` for any other place.
    pub(super) fn open(&self, at: Option<usize>) -> Option<(usize, i64)> {
        Some((at?, self.levels[at?]?))
    }

    /// Returns all open cells, from the lowest row up.
    pub(super) fn all_open(&self) -> impl Iterator<Item = (usize, i64)> {
        self.levels.iter().enumerate().filter_map(|(at, level)| Some((at, (*level)?)))
    }

    /// Adds units to an open cell, or takes some if `units` is below 0.
    pub(super) fn add(&mut self, at: usize, units: i64) {
        if let Some(level) = &mut self.levels[at] {
            *level += units;
        }
    }
}
