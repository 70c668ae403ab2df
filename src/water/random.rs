//! Counter-based random numbers (the splitmix64 mixer): a choice depends only on seed, tick, place
//! and purpose, so the order of evaluation cannot change it.

use crate::chunk::LAYER_CELLS;
use crate::chunk::LayerMask;
use crate::coords::{ChunkPos, Face};
use glam::IVec3;

/// The purpose of a random choice. Choices for different purposes are independent.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Order = 1,
    Sides,
    Draws,
    Evaporation,
    Parent,
    Pool,
    Tiles,
    /// The exchange of water and soil; used in `crate::world`.
    Exchange,
}

/// Mixes two words into one, each bit of which depends on all bits of both (splitmix64).
#[inline]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut z = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Returns the seed of all random choices in a chunk, from a seed of the world or of its tick.
pub(crate) fn chunk_seed(seed: u64, chunk: ChunkPos) -> u64 {
    position_seed(seed, chunk.into())
}

/// Returns the seed of all random choices at a position, of a chunk or of a cell.
pub(crate) fn position_seed(seed: u64, position: IVec3) -> u64 {
    let IVec3 { x, y, z } = position;
    let place = mix(u64::from(x as u32) | u64::from(z as u32) << 32, u64::from(y as u32));
    mix(seed, place)
}

/// Returns the seed of all random choices in a layer (0 to 15) of a chunk during one tick. `tick`
/// is the mix of the world's seed and the tick.
pub(crate) fn layer_seed(tick: u64, chunk: ChunkPos, layer: usize) -> u64 {
    mix(chunk_seed(tick, chunk), layer as u64)
}

impl Purpose {
    /// Returns the seed of a layer's choices for this purpose.
    #[inline]
    pub(crate) fn seed(self, layer_seed: u64) -> u64 {
        mix(layer_seed, self as u64)
    }
}

/// Returns a chance in 65,536ths, rounded up, so that a chance above 0 stays above 0.
pub(crate) fn fraction(chance: f64) -> u32 {
    (chance * 65_536.0).ceil() as u32
}

/// Returns a random set that holds each cell of a layer with the chance `fraction` / 65,536.
pub(crate) fn chosen(seed: u64, fraction: u32) -> LayerMask {
    if fraction >= 1 << 16 {
        return LayerMask::ALL;
    }
    if fraction == 0 {
        return LayerMask::NONE;
    }
    let mut words = [0; 4];
    let mut random = fastrand::Rng::with_seed(seed);
    // Compares a random binary fraction of each cell with `fraction`, one digit at a time, lowest
    // digit first. A cell is in the set if its random number is below `fraction`.
    for digit in fraction.trailing_zeros()..16 {
        let one = fraction >> digit & 1 != 0;
        for word in &mut words {
            let bits = random.u64(..);
            *word = if one { *word | bits } else { *word & bits };
        }
    }
    LayerMask::from_words(words)
}

/// Puts items into a random order, by Fisher and Yates. `fastrand::Rng::shuffle` draws a `usize`,
/// so its order would differ on platforms where a `usize` has 32 bits.
pub(crate) fn shuffle<T>(seed: u64, items: &mut [T]) {
    let mut random = fastrand::Rng::with_seed(seed);
    for last in 1..items.len() {
        items.swap(last, random.u64(..=last as u64) as usize);
    }
}

/// A random order of the 256 cells of a layer, computed by a bijection on bytes.
#[derive(Clone, Copy)]
pub(crate) struct Order {
    before: u8,
    first: u8,
    second: u8,
    after: u8,
}

impl Order {
    pub(crate) fn new(seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed).u32(..).to_le_bytes();
        // Multiplication by an odd number, xor, and xor with a shift are bijections on bytes.
        Order { before: random[0], first: random[1] | 1, second: random[2] | 1, after: random[3] }
    }

    /// Returns the cell's rank in the order, 0 to 255.
    #[inline]
    pub(crate) fn rank(&self, cell: usize) -> usize {
        let value = (cell as u8 ^ self.before).wrapping_mul(self.first);
        let value = (value ^ value >> 4).wrapping_mul(self.second);
        usize::from(value ^ value >> 5 ^ self.after)
    }
}

/// A priority queue of the cells of a layer, by their rank in a random order. Cells can be added
/// while others are popped.
pub(crate) struct Queue {
    order: Order,
    /// The ranks of the queued cells, by bit.
    ranks: [u64; 4],
    cell_at: [u8; LAYER_CELLS],
    /// The first word of `ranks` that may have a bit set.
    word: usize,
    /// One more than the rank popped last.
    next: usize,
}

impl Queue {
    pub(crate) fn new(seed: u64) -> Self {
        Queue {
            order: Order::new(seed),
            ranks: [0; 4],
            cell_at: [0; LAYER_CELLS],
            word: 0,
            next: 0,
        }
    }

    /// Adds a cell, unless a cell of the same or a higher rank has been popped.
    #[inline]
    pub(crate) fn push(&mut self, cell: usize) {
        let rank = self.order.rank(cell);
        if rank >= self.next {
            self.ranks[rank >> 6] |= 1 << (rank & 63);
            self.cell_at[rank] = cell as u8;
        }
    }

    /// Removes and returns the cell of the lowest rank.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<usize> {
        while self.word < 4 {
            let bits = self.ranks[self.word];
            if bits != 0 {
                self.ranks[self.word] = bits & (bits - 1);
                let rank = self.word * 64 + bits.trailing_zeros() as usize;
                self.next = rank + 1;
                return Some(usize::from(self.cell_at[rank]));
            }
            self.word += 1;
        }
        None
    }
}

/// For each direction code, the 24 orders of the four sides, with the side to which a lateral flow
/// is heading moved to the front. Each side takes two bits; the first side is in the lowest bits.
pub(crate) static SIDE_ORDERS: [[u8; 24]; 8] = side_orders();

const fn side_orders() -> [[u8; 24]; 8] {
    let mut orders = [[0; 24]; 8];
    let mut count = 0;
    let mut code = 0;
    while code < 256 {
        let order = code as u8;
        if 1 << (order & 3) | 1 << (order >> 2 & 3) | 1 << (order >> 4 & 3) | 1 << (order >> 6)
            == 15
        {
            let mut direction = 0;
            while direction < 8 {
                orders[direction][count] = order;
                direction += 1;
            }
            let mut side = 0;
            while side < 4 {
                let direction = Face::LATERAL[side].index() + 1;
                orders[direction][count] = sides_first(order, 1 << side);
                side += 1;
            }
            count += 1;
        }
        code += 1;
    }
    orders
}

/// Returns the order with the sides in `set` moved to the front.
pub(crate) const fn sides_first(order: u8, set: u8) -> u8 {
    let mut sides = 0;
    let mut length = 0;
    let mut pass = 0;
    while pass < 2 {
        let mut at = 0;
        while at < 8 {
            let side = order >> at & 3;
            if set >> side & 1 == 1 - pass {
                sides |= side << length;
                length += 2;
            }
            at += 2;
        }
        pass += 1;
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_permutation_and_differs_by_seed() {
        let orders: Vec<Vec<usize>> = (0..50)
            .map(|seed| {
                let mut queue = Queue::new(seed);
                (0..256).for_each(|cell| queue.push(cell));
                core::iter::from_fn(|| queue.pop()).collect()
            })
            .collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..256).collect::<Vec<_>>());
        }
        assert_ne!(orders[0], orders[1]);
    }

    #[test]
    fn a_cell_can_be_queued_only_before_its_rank_is_popped() {
        let mut queue = Queue::new(3);
        (0..256).for_each(|cell| queue.push(cell));
        let first = queue.pop().unwrap();
        queue.push(first);
        assert_eq!(core::iter::from_fn(|| queue.pop()).count(), 255);
    }

    #[test]
    fn there_are_all_orders_of_the_sides_with_the_heading_first() {
        let sides = |order: u8| [order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6];
        for (code, orders) in SIDE_ORDERS.into_iter().enumerate() {
            let heading = Face::LATERAL.into_iter().position(|face| face.index() + 1 == code);
            for (order, plain) in orders.into_iter().zip(SIDE_ORDERS[0]) {
                let mut sorted = sides(order);
                sorted.sort_unstable();
                assert_eq!(sorted, [0, 1, 2, 3]);
                assert!(heading.is_none_or(|side| usize::from(order & 3) == side));
                let rest = |order: u8| {
                    sides(order).into_iter().filter(move |&side| Some(usize::from(side)) != heading)
                };
                assert!(rest(order).eq(rest(plain)), "the others keep their order");
            }
        }
        let mut plain = SIDE_ORDERS[0];
        plain.sort_unstable();
        assert!(plain.windows(2).all(|pair| pair[0] < pair[1]), "24 different ones");
    }

    #[test]
    fn cells_are_chosen_as_often_as_their_chance_says() {
        for (chance, least, most) in
            [(0.0, 0, 0), (1.0, 256_000, 256_000), (0.25, 63_000, 65_000), (0.001, 200, 320)]
        {
            let hits: u32 = (0..1000).map(|seed| chosen(seed, fraction(chance)).count()).sum();
            assert!((least..=most).contains(&hits), "{chance}: {hits} of 256,000");
        }
    }
}
