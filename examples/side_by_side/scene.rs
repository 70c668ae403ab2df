//! The place of the breach: a lake behind a dam, and below it a floor with a pit and a wall, which
//! has a culvert at its foot and a yard behind it.

use floodplain::Region;
use floodplain::glam::IVec3;

/// Cells along each axis; invisible walls are around them.
pub const SIZE: IVec3 = IVec3::new(46, 14, 28);

/// What a cell is before the breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    Air,
    Water,
    Ground,
    Stone,
    /// The part of the dam that the breach takes away.
    Gap,
}

/// The highest ground of the floor, and the lake's surface.
const FLOOR: i32 = 3;
const LAKE: i32 = 11;

pub fn region() -> Region {
    Region::new(IVec3::ZERO, SIZE - 1)
}

/// Returns what a cell is before the breach.
pub fn block(cell: IVec3) -> Block {
    let IVec3 { x, y, z } = cell;
    let is_culvert = (18..22).contains(&z) && (FLOOR + 1..=FLOOR + 2).contains(&y);
    match x {
        20..27 if (5..13).contains(&z) && (1..=FLOOR).contains(&y) => Block::Air,
        _ if y <= FLOOR => Block::Ground,
        14..16 if y <= LAKE + 1 && (11..17).contains(&z) => Block::Gap,
        14..16 if y <= LAKE + 1 => Block::Stone,
        ..14 if y <= LAKE => Block::Water,
        34..36 if y <= FLOOR + 5 && !is_culvert => Block::Stone,
        _ => Block::Air,
    }
}

/// The cells that the breach opens.
pub fn gap() -> impl Iterator<Item = IVec3> {
    region().positions().filter(|&cell| block(cell) == Block::Gap)
}

/// Returns the cells of water before the breach.
pub fn lake() -> usize {
    region().positions().filter(|&cell| block(cell) == Block::Water).count()
}

/// Returns all cells as text, for other programs: a line with the three sizes, then a line for each
/// row along x, rows along z first, layers from the bottom up.
pub fn text() -> String {
    let mut text = format!("{} {} {}\n", SIZE.x, SIZE.y, SIZE.z);
    for row in (0..SIZE.y * SIZE.z).map(|row| IVec3::new(0, row / SIZE.z, row % SIZE.z)) {
        text.extend((0..SIZE.x).map(|x| match block(row.with_x(x)) {
            Block::Air => '.',
            Block::Water => 'w',
            Block::Ground => '#',
            Block::Stone => 's',
            Block::Gap => 'g',
        }));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_holds_the_lake_back_and_the_culvert_leads_through_the_wall() {
        assert_eq!(gap().count(), 2 * 6 * 9);
        assert_eq!(lake(), 14 * 28 * 8);
        assert_eq!(block(IVec3::new(34, 5, 20)), Block::Air);
        assert_eq!(block(IVec3::new(34, 6, 20)), Block::Stone);
        assert_eq!(text().lines().count(), 1 + 14 * 28);
    }
}
