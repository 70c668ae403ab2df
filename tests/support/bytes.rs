//! Choices made of bytes: the operations of an automaton, drawn alike by fuzz targets and by property tests. When the bytes
//! have come to an end, every choice is the first one.

use floodplain::Region;
use floodplain::glam::IVec3;

/// Bytes that are not used up yet.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.byte()) % from.len()]
    }

    /// A world of this size across one border of two chunks, across a corner, or at an end of the range.
    pub fn bounds(&mut self, size: IVec3) -> Region {
        let last = size - 1;
        let half = size / 2;
        let min = match self.byte() % 16 {
            0..=7 => IVec3::new(-half.x, 2, 0),
            8..=11 => IVec3::new(3, -half.y, 0),
            12 | 13 => -half,
            14 => IVec3::MAX - last,
            _ => IVec3::MIN,
        };
        Region::new(min, min + last)
    }

    /// A cell within bounds, seldom one just beyond.
    pub fn cell(&mut self, bounds: Region) -> IVec3 {
        let size = IVec3::from_array(bounds.size().map(|side| side as i32));
        let place = i32::from(self.byte()) | i32::from(self.byte()) << 8;
        let local = IVec3::new(place % size.x, place / size.x % size.y, place / size.x / size.y % size.z);
        if place < 0xfa00 { bounds.min() + local } else { bounds.max().saturating_add(IVec3::X) }
    }

    /// A region between two cells.
    pub fn region(&mut self, bounds: Region) -> Region {
        Region::new(self.cell(bounds), self.cell(bounds))
    }

    /// Operations, as many as the bytes make, up to a limit.
    pub fn operations<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut all = Vec::new();
        while !self.0.is_empty() && all.len() < most {
            all.push(one(self));
        }
        all
    }
}
