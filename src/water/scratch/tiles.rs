//! Tiles: squares of chunk columns. Flow, Flood, Level and Ebb work through them one after another
//! (domain decomposition with graph colouring).
//!
//! While a tile is worked through, its own columns and the columns around them are read and
//! written: its [`Scope`]. Tiles have one of four colours, like the squares of a 2×2 pattern, so
//! the scopes of two tiles of one colour have no column in common. Tiles of one colour do not
//! affect each other, and threads share them. Work that reaches further is deferred until all tiles
//! are done.
//!
//! Each tick shifts the tiles and draws a new order of the colours, so that water shows no trace of
//! the tiles.

use crate::coords::ChunkPos;
use crate::water::random::{Purpose, mix};

/// The side of a tile, in chunks. With 4, a tile's scope has 2.25 times its columns. A smaller tile
/// costs more to hand to a thread; a larger one leaves threads idle in small worlds.
const SIDE: i32 = 4;

/// How a tick divides the world.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tiling {
    random: u64,
    shift: [i32; 2],
    /// The turn of each colour.
    turns: [u64; 4],
}

/// The place of a tile in the order of a tick: its colour's turn in the upper two bits, then a hash
/// of its position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rank(u64);

impl Rank {
    /// Returns the turn of the tile's colour, 0 to 3.
    #[cfg(feature = "rayon")]
    pub(crate) fn turn(self) -> u64 {
        self.0 >> 62
    }
}

/// The columns of a tile and the columns around them, diagonal ones included.
#[cfg(feature = "rayon")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    min: [i32; 2],
}

#[cfg(feature = "rayon")]
impl Scope {
    /// Returns whether a chunk is in the scope.
    #[inline]
    pub(crate) fn contains(self, chunk: ChunkPos) -> bool {
        let within = |at: i32, min: i32| (min..min + SIDE + 2).contains(&at);
        within(chunk.x, self.min[0]) && within(chunk.z, self.min[1])
    }
}

impl Tiling {
    /// Returns the tiling of a tick. `random` is the mix of the world's seed and the tick.
    pub(crate) fn new(random: u64) -> Self {
        let random = Purpose::Tiles.seed(random);
        let side = SIDE as u64;
        let shift = [random % side, random / side % side].map(|shift| shift as i32);
        let drawn = [0, 1, 2, 3].map(|colour| mix(random, colour));
        let turns = drawn.map(|own| drawn.iter().filter(|&&other| other < own).count() as u64);
        Tiling { random, shift, turns }
    }

    /// Returns the position of a chunk's tile, in tiles.
    fn tile_of(self, chunk: ChunkPos) -> [i32; 2] {
        let [x, z] = self.shift;
        [(chunk.x + x).div_euclid(SIDE), (chunk.z + z).div_euclid(SIDE)]
    }

    /// Returns the place of a chunk's tile in the order of the tick.
    pub(crate) fn rank_of(self, chunk: ChunkPos) -> Rank {
        let [x, z] = self.tile_of(chunk);
        let turn = self.turns[(x & 1 | (z & 1) << 1) as usize];
        let tile = u64::from(x as u32) | u64::from(z as u32) << 32;
        Rank(turn << 62 | mix(self.random, tile) >> 2)
    }

    /// Returns the scope of a chunk's tile.
    #[cfg(feature = "rayon")]
    pub(crate) fn scope_of(self, chunk: ChunkPos) -> Scope {
        let ([x, z], tile) = (self.shift, self.tile_of(chunk));
        Scope { min: [tile[0] * SIDE - x - 1, tile[1] * SIDE - z - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::IVec3;
    use hashbrown::HashMap;

    /// Returns chunks at a few heights around the origin, and around the ends of the range.
    fn chunks() -> impl Iterator<Item = ChunkPos> {
        let ends = [0, 1 << 27, -(1 << 27)];
        let around = |end: i32| (-9..9).map(move |by| end + by);
        let columns = ends.into_iter().flat_map(move |x| {
            around(x).flat_map(move |x| ends.into_iter().flat_map(around).map(move |z| (x, z)))
        });
        columns.map(|(x, z)| ChunkPos::new(x, x ^ z, z))
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn tiles_of_one_turn_have_no_column_in_common_with_each_others_scopes() {
        for tick in 0..64 {
            let tiling = Tiling::new(tick);
            let mut scopes: HashMap<[i32; 2], (Rank, ChunkPos)> = HashMap::new();
            for chunk in chunks() {
                let scope = tiling.scope_of(chunk);
                let (rank, _) = *scopes.entry(scope.min).or_insert((tiling.rank_of(chunk), chunk));
                assert_eq!(rank, tiling.rank_of(chunk), "one tile, tick {tick}");
                for (x, z) in (-1..=1).flat_map(|x| (-1..=1).map(move |z| (x, z))) {
                    let near = chunk + IVec3::new(x, 7, z);
                    assert!(scope.contains(near), "{near} beside {chunk}, tick {tick}");
                }
            }
            let all: Vec<(&[i32; 2], &(Rank, ChunkPos))> = scopes.iter().collect();
            for (at, &(a, &(rank, _))) in all.iter().enumerate() {
                for &(b, &(other, _)) in &all[at + 1..] {
                    assert_ne!(rank, other, "tick {tick}");
                    let meet = (0..2).all(|axis| (a[axis] - b[axis]).abs() < SIDE + 2);
                    let is_same_turn = rank.0 >> 62 == other.0 >> 62;
                    assert!(!(meet && is_same_turn), "{a:?} and {b:?}, tick {tick}");
                }
            }
        }
    }

    #[test]
    fn every_shift_and_every_order_of_colours_comes_up() {
        let (mut shifts, mut orders) = ([0u32; (SIDE * SIDE) as usize], HashMap::new());
        for tick in 0..4_000 {
            let tiling = Tiling::new(mix(1, tick));
            shifts[(tiling.shift[0] * SIDE + tiling.shift[1]) as usize] += 1;
            let turn = |x: i32, z: i32| {
                let at = IVec3::new(x * SIDE - tiling.shift[0], 0, z * SIDE - tiling.shift[1]);
                tiling.rank_of(at.into()).0 >> 62
            };
            let order = [turn(0, 0), turn(1, 0), turn(0, 1), turn(1, 1)];
            *orders.entry(order).or_insert(0u32) += 1;
        }
        assert!(shifts.iter().all(|&times| (180..320).contains(&times)), "{shifts:?}");
        assert_eq!(orders.len(), 24);
        assert!(orders.values().all(|&times| (100..240).contains(&times)), "{orders:?}");
    }
}
