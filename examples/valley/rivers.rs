//! Drainage of the map: the downhill path from every cell, its catchment, and the valley heads
//! (priority flood; Barnes et al. 2014).

use super::dem::Dem;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most springs.
const MOST_HEADS: usize = 8;

/// A valley begins where this fraction (one in so many) of the map's cells drains through a cell,
/// and at least this many cells.
const VALLEY_SHARE: usize = 300;
const LEAST_VALLEY: u32 = 8;

/// How the map drains if every pit is filled to its brim: each cell drains to the neighbour from
/// which the rising flood reached it. Neighbours are the four sides, as for water.
pub struct Rivers {
    /// The height in metres at which a pit overflows; elsewhere the ground.
    pub brim: Vec<u16>,
    /// Cells that drain through this one, itself included.
    pub gathered: Vec<u32>,
    /// Steps to the edge of the map along the path.
    distance: Vec<u32>,
    /// The next cell downhill; the cell itself at the edge of the map.
    down: Vec<u32>,
}

impl Rivers {
    pub fn of(dem: &Dem) -> Rivers {
        let cells = dem.cells();
        let mut brim = dem.metres.clone();
        let mut down: Vec<u32> = vec![u32::MAX; cells];
        let mut distance = vec![0; cells];
        let mut front = BinaryHeap::new();
        for cell in (0..cells).filter(|&cell| at_edge(dem, cell)) {
            down[cell] = cell as u32;
            front.push(Reverse((brim[cell], front.len() as u32, cell as u32)));
        }
        let mut order = Vec::with_capacity(cells);
        let mut pushed = front.len() as u32;
        while let Some(Reverse((level, _, cell))) = front.pop() {
            order.push(cell);
            for next in neighbours(dem, cell as usize) {
                if down[next] != u32::MAX {
                    continue;
                }
                down[next] = cell;
                distance[next] = distance[cell as usize] + 1;
                brim[next] = brim[next].max(level);
                front.push(Reverse((brim[next], pushed, next as u32)));
                pushed += 1;
            }
        }
        let mut gathered = vec![1; cells];
        for &cell in order.iter().rev() {
            let next = down[cell as usize];
            if next != cell {
                gathered[next as usize] += gathered[cell as usize];
            }
        }
        Rivers { brim, gathered, distance, down }
    }

    /// Returns the heads of the longest valleys, well apart, longest first.
    pub fn heads(&self, dem: &Dem) -> Vec<usize> {
        let valley = ((dem.cells() / VALLEY_SHARE) as u32).max(LEAST_VALLEY);
        let fed = |cell: usize| {
            neighbours(dem, cell)
                .any(|from| self.down[from] as usize == cell && self.gathered[from] >= valley)
        };
        let mut heads: Vec<usize> =
            (0..dem.cells()).filter(|&cell| self.gathered[cell] >= valley && !fed(cell)).collect();
        heads.sort_by_key(|&cell| (Reverse(self.distance[cell]), cell));
        let apart = (dem.width.min(dem.depth) / 6) as i64;
        let mut chosen: Vec<usize> = Vec::new();
        for head in heads {
            if chosen.len() < MOST_HEADS
                && chosen.iter().all(|&other| squared(dem, head, other) >= apart * apart)
            {
                chosen.push(head);
            }
        }
        chosen
    }
}

fn at_edge(dem: &Dem, cell: usize) -> bool {
    let (x, z) = (cell % dem.width, cell / dem.width);
    x == 0 || z == 0 || x + 1 == dem.width || z + 1 == dem.depth
}

fn neighbours(dem: &Dem, cell: usize) -> impl Iterator<Item = usize> {
    let (x, z, width) = (cell % dem.width, cell / dem.width, dem.width);
    let west = (x > 0).then(|| cell - 1);
    let east = (x + 1 < width).then(|| cell + 1);
    let north = (z > 0).then(|| cell - width);
    let south = (z + 1 < dem.depth).then(|| cell + width);
    [west, east, north, south].into_iter().flatten()
}

fn squared(dem: &Dem, a: usize, b: usize) -> i64 {
    let along =
        |step: fn(usize, usize) -> usize| step(a, dem.width) as i64 - step(b, dem.width) as i64;
    let (x, z) = (along(|cell, width| cell % width), along(|cell, width| cell / width));
    x * x + z * z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A valley that falls to the south along x = 20, between slopes, with a pit of 5 metres at its
    /// middle.
    fn valley() -> Dem {
        let (width, depth) = (41, 200);
        let height = |cell: usize| {
            let (x, z) = (cell % width, cell / width);
            (300 - z + 3 * x.abs_diff(20)) as u16
        };
        let mut metres: Vec<u16> = (0..width * depth).map(height).collect();
        metres[30 * width + 20] -= 5;
        Dem { width, depth, metres }
    }

    #[test]
    fn water_gathers_in_the_valley_and_pits_fill_to_the_brim() {
        let dem = valley();
        let rivers = Rivers::of(&dem);
        let mouth = 199 * 41 + 20;
        assert_eq!(rivers.gathered.iter().max(), Some(&rivers.gathered[mouth]));
        assert!(rivers.gathered[mouth] > 5000);
        assert_eq!(dem.metres[30 * 41 + 20], 265);
        assert_eq!(rivers.brim[30 * 41 + 20], 269, "the cell below it");
        let ends: u32 = (0..dem.cells())
            .filter(|&cell| rivers.down[cell] == cell as u32)
            .map(|c| rivers.gathered[c])
            .sum();
        assert_eq!(ends as usize, dem.cells(), "every cell drains once");
    }

    #[test]
    fn the_spring_lies_at_the_head_of_the_valley() {
        let dem = valley();
        let heads = Rivers::of(&dem).heads(&dem);
        assert!(!heads.is_empty() && heads.len() <= MOST_HEADS);
        let (x, z) = (heads[0] % 41, heads[0] / 41);
        assert!(x == 20 && z < 10, "at {x} {z}");
    }

    #[test]
    fn the_smallest_maps_have_no_valley_heads() {
        for (width, depth) in [(1, 1), (2, 1), (3, 3)] {
            let dem = Dem { width, depth, metres: vec![9; width * depth] };
            let rivers = Rivers::of(&dem);
            assert_eq!(rivers.brim, dem.metres);
            assert!(rivers.heads(&dem).is_empty());
        }
    }
}
