//! The flow kernel, THE RULE by which water moves: a cell gives water to the cell below (fall),
//! then to its sides (spread), first in its direction (momentum). A strong flow over a ledge passes
//! on sideways before it falls (jet; for steady flow, `flies` in `steady/network.rs` decides the
//! same). It is an asynchronous cellular automaton: the cells of one layer's window are updated one
//! by one in random order.

use crate::chunk::{LAYER_CELLS, LayerMask};
use crate::coords::Face;
use crate::water::cell::CellFlags;
use crate::water::flow::window::{Surroundings, Window, around, opposite, step, window_index};
use crate::water::flow_record::{add_flow, passed};
use crate::water::random::{Queue, SIDE_ORDERS, mix, sides_first};
use crate::water::scratch::limits::Limits;
use crate::water::voxel::Voxel;

/// The least flow, in units, that shoots out over a ledge: more than half of a full cell.
const JET: u8 = 4;

/// The difference between a cell's index in its layer and the index of each lateral neighbour.
const CELL_STEP: [isize; 4] = [-1, 1, -16, 16];

/// The effect of the kernel on a window; counts are in units.
#[derive(Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(crate) struct LayerFlow {
    /// Cells of the layer whose word changed.
    pub(crate) changed: LayerMask,
    /// Cells of the layer below that received water.
    pub(crate) fell: LayerMask,
    /// Cells of the layer that gave water, so that their neighbours can now give to them. Excludes
    /// springs.
    pub(crate) gave: LayerMask,
    /// Cells of the layer that a fall feeds and that gave water down.
    pub(crate) fallen: LayerMask,
    /// Springs of the layer that gave water.
    pub(crate) sprang: LayerMask,
    /// For each lateral face, the cells of the layer that received water through it.
    pub(crate) entered: [LayerMask; 4],
    /// For each lateral face, the cells of the chunk across it that received water, as bits of that
    /// chunk's layer.
    pub(crate) left: [LayerMask; 4],
    pub(crate) drained: u64,
    pub(crate) into_sea: u64,
    pub(crate) injected: u64,
    pub(crate) moved: u64,
}

impl Window {
    /// Computes `least` and `has_exit` from the cells.
    pub(crate) fn prepare(&mut self) {
        let mut out = 0;
        for ((least, &own), &below) in self.least.iter_mut().zip(&self.own).zip(&self.below) {
            *least = least_height(own, below);
            out |= (own & CellFlags::FLOW_OUT.bits()) | u16::from(own == Voxel::DRAIN.word());
        }
        self.has_exit = out != 0;
    }

    /// Returns the cells that would give water if they were updated now.
    pub(crate) fn givers(&self) -> LayerMask {
        let mut gives = [0u8; LAYER_CELLS];
        for (row, gives) in gives.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let at = window_index(row * 16);
            let (own, below) = (&self.own[at..][..16], &self.below[at..][..16]);
            let [west, east, north, south] = self.least_across_row(at);
            for x in 0..16 {
                let lowest = west[x].min(east[x]).min(north[x]).min(south[x]);
                gives[x] = u8::from(can_give(own[x], below[x], lowest));
            }
        }
        LayerMask::plane(&gives, 0)
    }

    /// Queues a cell if it would give water.
    #[inline]
    fn queue_if_giving(&mut self, near: &impl Surroundings, cell: usize, queue: &mut Queue) {
        let index = window_index(cell);
        near.load_around(self, index);
        if can_give(self.own[index], self.below[index], self.lowest_beside(index)) {
            queue.push(cell);
        }
    }

    /// Updates `least` after a change of a cell of the window or of the cell below it.
    #[inline]
    fn refresh(&mut self, index: usize) {
        self.least[index] = least_height(self.own[index], self.below[index]);
    }

    /// Updates the cells of the layer in random order, starting with `givers`. A move queues the
    /// cells that can give water because of it, unless the order has passed them.
    ///
    /// Adds the outflow of each cell to its flow record in the window. `seeds` are the seeds of the
    /// order and of the choice of sides.
    pub(crate) fn run(
        &mut self,
        surroundings: &impl Surroundings,
        givers: LayerMask,
        limits: Limits,
        seeds: (u64, u64),
    ) -> LayerFlow {
        let mut queue = Queue::new(seeds.0);
        givers.iter().for_each(|cell| queue.push(cell));
        let mut done = LayerFlow::default();
        while let Some(cell) = queue.pop() {
            let index = window_index(cell);
            surroundings.load_around(self, index);
            let voxel = Voxel::from_raw(self.own[index]);
            let left = limits.left(voxel, passed(self.flow[cell]));
            let mut giver = Giver {
                cell,
                index,
                height: voxel.loose(),
                left,
                endless: voxel.has(CellFlags::IS_SOURCE),
            };
            if left == 0 || giver.height == 0 {
                continue;
            }
            if let Some(side) = self.jet(&giver, voxel) {
                let all = giver.height;
                self.give_sideways(surroundings, &mut giver, side, all, &mut queue, &mut done);
            }
            if limits.may_fall(voxel, Voxel::from_raw(self.below[index]))
                && self.fall(&mut giver, &mut done) > 0
                && voxel.is_fall()
            {
                done.fallen.insert(cell);
            }
            // Any water left rests on a full or solid cell, exceeds the throughput, or is held.
            if giver.height > 0 && giver.left > 0 {
                self.spread(surroundings, &mut giver, voxel, seeds.1, &mut queue, &mut done);
            }
            let units = left - giver.left;
            if units == 0 {
                continue;
            }
            done.moved += u64::from(units);
            if giver.endless {
                done.injected += u64::from(units);
                done.sprang.insert(cell);
                continue;
            }
            let kept = voxel.height() - voxel.loose();
            self.own[index] = voxel.with_height(giver.height + kept).word();
            self.refresh(index);
            done.changed.insert(cell);
            done.gave.insert(cell);
            let (inside, least) = (sides_inside(cell), self.least_into(index));
            for (side, near) in around(index).into_iter().enumerate() {
                if Voxel::from_raw(self.own[near]).height() >= least && inside >> side & 1 != 0 {
                    queue.push(cell.wrapping_add_signed(CELL_STEP[side]));
                }
            }
        }
        done
    }

    /// Fall: gives as much water to the cell below as fits. Returns the units.
    #[inline]
    fn fall(&mut self, giver: &mut Giver, done: &mut LayerFlow) -> u8 {
        let flow = &mut self.flow[giver.cell];
        let below = Voxel::from_raw(self.below[giver.index]);
        if below.is_closed() {
            return 0;
        }
        let units = giver.give(falling(giver.height, giver.left, below), Face::Down, flow);
        if below.is_mark() {
            let gone = if below == Voxel::DRAIN { &mut done.drained } else { &mut done.into_sea };
            *gone += u64::from(units);
            return units;
        }
        self.below[giver.index] += u16::from(units);
        self.refresh(giver.index);
        done.fell.insert(giver.cell);
        units
    }

    /// Spread: gives water to lower sides. Tries sides on a path to a draining edge first, then the
    /// cell's direction (momentum), then the other sides in random order. Across a side with a
    /// drain, a cell that steady flow passes gives no water here, so that a lane keeps its water.
    #[inline]
    fn spread(
        &mut self,
        surroundings: &impl Surroundings,
        giver: &mut Giver,
        voxel: Voxel,
        seed: u64,
        queue: &mut Queue,
        done: &mut LayerFlow,
    ) {
        if giver.height < self.lowest_beside(giver.index) {
            return;
        }
        let random = mix(seed, giver.cell as u64) >> 32;
        let mut order = SIDE_ORDERS[voxel.direction_code()][((random * 24) >> 32) as usize];
        if self.has_exit {
            order = sides_first(order, self.exits(&around(giver.index)));
        }
        for rank in 0..4 {
            let side = usize::from(order >> (2 * rank) & 3);
            if giver.height < self.least_across(giver.index, side) || giver.left == 0 {
                continue;
            }
            if self.own[step(giver.index, side)] == Voxel::DRAIN.word()
                && voxel.has(CellFlags::FLOW_OUT)
            {
                continue;
            }
            let wanted = self.flows_to(giver.index, side, giver.height);
            self.give_sideways(surroundings, giver, side, wanted, queue, done);
        }
    }

    /// Gives up to `wanted` units to the neighbour on a side.
    #[inline]
    fn give_sideways(
        &mut self,
        surroundings: &impl Surroundings,
        giver: &mut Giver,
        side: usize,
        wanted: u8,
        queue: &mut Queue,
        done: &mut LayerFlow,
    ) {
        let index = step(giver.index, side);
        let units = giver.give(wanted, Face::LATERAL[side], &mut self.flow[giver.cell]);
        if self.own[index] == Voxel::DRAIN.word() {
            done.drained += u64::from(units);
            return;
        }
        self.own[index] += u16::from(units);
        self.refresh(index);
        if sides_inside(giver.cell) >> side & 1 == 0 {
            done.left[side].insert(across(giver.cell, side));
            return;
        }
        let near = giver.cell.wrapping_add_signed(CELL_STEP[side]);
        done.changed.insert(near);
        done.entered[opposite(side)].insert(near);
        self.queue_if_giving(surroundings, near, queue);
    }

    /// Jet: returns the side to which a strong flow shoots out over a ledge before it falls. The
    /// giver hangs in the air, and the cell behind it, on the ground, flows in the same direction;
    /// so the water had momentum before the ledge. A weak flow, or the water of a spring at the
    /// ledge, falls straight down.
    #[inline]
    fn jet(&self, giver: &Giver, voxel: Voxel) -> Option<usize> {
        if giver.height < JET || Voxel::from_raw(self.below[giver.index]).is_closed() {
            return None;
        }
        let heading = voxel.direction()?;
        let side = heading.side()?;
        let [ahead, behind] = [side, opposite(side)].map(|side| step(giver.index, side));
        let (there, from) = (Voxel::from_raw(self.own[ahead]), Voxel::from_raw(self.own[behind]));
        let flies = from.direction() == Some(heading)
            && !from.is_mark()
            && Voxel::from_raw(self.below[behind]).is_closed()
            && !there.is_mark()
            && there.room() >= giver.height
            && self.slides(giver.index, side);
        flies.then_some(side)
    }

    /// Returns which of four cells, by bit, are drains or have the FlowOut flag.
    #[inline]
    fn exits(&self, around: &[usize; 4]) -> u8 {
        if !self.has_exit {
            return 0;
        }
        (0..4).fold(0, |exits, side| {
            let beside = Voxel::from_raw(self.own[around[side]]);
            exits | u8::from(beside == Voxel::DRAIN || beside.has(CellFlags::FLOW_OUT)) << side
        })
    }

    /// Returns the units that a cell of this height gives across a side: as much as fits if the
    /// water slides, else half of the difference. The height must be at least the least from which
    /// water flows across the side.
    #[inline]
    fn flows_to(&self, index: usize, side: usize, height: u8) -> u8 {
        let there = Voxel::from_raw(self.own[step(index, side)]);
        match self.slides(index, side) {
            true => height.min(there.room()),
            false => (height - there.height_bits()) / 2,
        }
    }

    /// Returns whether water that flows out of a cell across a side would fall there or leave the
    /// world.
    #[inline]
    fn slides(&self, index: usize, side: usize) -> bool {
        let level = Voxel::from_raw(self.own[step(index, side)]).height_bits();
        self.least_across(index, side) == level + 1
    }
}

/// Returns the least height from which water flows sideways into a cell: one more than the cell's
/// own height if water would fall there or leave the world, else two more.
#[inline]
pub(crate) fn least_height(own: u16, below: u16) -> u8 {
    let (own, below) = (Voxel::from_raw(own), Voxel::from_raw(below));
    let slides = !own.is_closed() & !below.is_closed() | (own == Voxel::DRAIN);
    own.height_bits() + 2 - u8::from(slides)
}

/// Returns the units that fall into `below` from a cell of this height that may still pass on
/// `left` units.
#[inline]
pub(crate) fn falling(height: u8, left: u8, below: Voxel) -> u8 {
    below.room().min(height).min(left)
}

/// Returns whether a cell would give water down or sideways; `lowest` is the lowest
/// [`least_height`] of its lateral neighbours.
#[inline]
fn can_give(own: u16, below: u16, lowest: u8) -> bool {
    let (own, below) = (Voxel::from_raw(own), Voxel::from_raw(below));
    let height = own.loose();
    !own.is_mark() & (height > 0) & ((height >= lowest) | !below.is_closed())
}

/// A cell that gives water.
struct Giver {
    cell: usize,
    /// The window index of the cell.
    index: usize,
    height: u8,
    /// The units that the cell can still pass on in this tick.
    left: u8,
    /// Whether the cell is a spring, which stays full.
    endless: bool,
}

impl Giver {
    /// Gives up to `wanted` units across a face and records them. Returns the units given.
    #[inline]
    fn give(&mut self, wanted: u8, face: Face, flow: &mut u16) -> u8 {
        let units = wanted.min(self.height).min(self.left);
        self.left -= units;
        if !self.endless {
            self.height -= units;
        }
        add_flow(flow, face, units);
        units
    }
}

/// Returns the lateral faces, by bit in the order of [`Face::LATERAL`], across which a cell has a
/// neighbour in its own layer.
#[inline]
fn sides_inside(cell: usize) -> u8 {
    let (x, z) = (cell & 15, cell >> 4);
    u8::from(x > 0) | u8::from(x < 15) << 1 | u8::from(z > 0) << 2 | u8::from(z < 15) << 3
}

/// Returns the index, in the neighbouring chunk's layer, of the cell across a lateral face of a
/// border cell.
#[inline]
fn across(cell: usize, side: usize) -> usize {
    match side {
        0 => cell + 15,
        1 => cell - 15,
        2 => cell + 240,
        _ => cell - 240,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::water::flow::window::Gathered;

    fn voxel(random: &mut fastrand::Rng) -> Voxel {
        match random.u8(..16) {
            0 => Voxel::SOLID,
            1 => Voxel::DRAIN,
            2 => Voxel::HELD,
            3 => Voxel::water(crate::water::WaterCell::SOURCE),
            4 => Voxel::OPEN,
            5 => Voxel::SEA,
            kind => {
                let flowing = Voxel::OPEN
                    .with_height(random.u8(..8))
                    .with_direction(Face::from_index(random.u8(..7)));
                flowing.with(CellFlags::FLOW_OUT, kind == 6)
            }
        }
    }

    fn window(random: &mut fastrand::Rng) -> Window {
        let mut window = Window::new();
        window.own.fill_with(|| voxel(random).word());
        let is_firm = random.bool();
        window.below.fill_with(|| match voxel(random) {
            _ if is_firm => Voxel::SOLID.word(),
            Voxel::SEA => Voxel::SINK.word(),
            below => below.word(),
        });
        window.prepare();
        window
    }

    /// Returns whether a cell would give water, by the rule for a single cell.
    fn would_give(window: &Window, cell: usize) -> bool {
        let at = (cell / 16 + 1) * 18 + cell % 16 + 1;
        // A cell that steady flow passes keeps a unit.
        let own = Voxel::from_raw(window.own[at]);
        let keeps = own.has(CellFlags::FLOW_OUT) && !own.is_source();
        let height = own.height().saturating_sub(u8::from(keeps));
        let gives_sideways = |there: usize| {
            let beside = Voxel::from_raw(window.own[there]);
            let falls = Voxel::from_raw(window.below[there]).room() > 0;
            beside == Voxel::DRAIN
                || beside.room() > 0 && falls && height > beside.height_bits()
                || height >= beside.height_bits() + 2
        };
        height > 0
            && (Voxel::from_raw(window.below[at]).room() > 0
                || [at - 1, at + 1, at - 18, at + 18].into_iter().any(gives_sideways))
    }

    #[test]
    fn givers_are_the_cells_that_would_give() {
        let mut random = fastrand::Rng::with_seed(17);
        for _ in 0..300 {
            let window = window(&mut random);
            let givers = window.givers();
            for cell in 0..LAYER_CELLS {
                assert_eq!(givers.contains(cell), would_give(&window, cell), "cell {cell}");
            }
        }
    }

    /// Updating only the givers, and cells queued by moves, has the same result as updating all
    /// cells.
    #[test]
    fn beginning_with_the_givers_changes_nothing() {
        let mut random = fastrand::Rng::with_seed(18);
        for round in 0..300 {
            let limits = Limits {
                throughput: random.u8(1..8),
                supply: random.u8(..8),
                holds_ends: random.bool(),
            };
            let first = window(&mut random);
            let runs = [false, true].map(|all_cells| {
                let mut window = Window::new();
                (window.own, window.below) = (first.own, first.below);
                window.prepare();
                let givers = window.givers();
                let begin = if all_cells { LayerMask::ALL } else { givers };
                let done = window.run(&Gathered, begin, limits, (round, round + 1));
                (
                    window.own,
                    window.below,
                    window.flow,
                    done.entered,
                    done.moved,
                    done.changed,
                    done.fell,
                    done.left,
                )
            });
            assert!(runs[0] == runs[1], "round {round}");
            assert!(runs[0].4 > 0, "something moved");
        }
    }

    #[test]
    fn units_drained_and_injected_balance() {
        let mut random = fastrand::Rng::with_seed(19);
        let (mut drained, mut into_sea, mut injected) = (0, 0, 0);
        for round in 0..300 {
            let limits = Limits {
                throughput: random.u8(1..8),
                supply: random.u8(..8),
                holds_ends: random.bool(),
            };
            let mut window = window(&mut random);
            let units = |window: &Window| {
                let voxels =
                    window.own.iter().chain(&window.below).map(|&word| Voxel::from_raw(word));
                voxels.map(|voxel| u64::from(voxel.height())).sum::<u64>()
            };
            let before = units(&window);
            let givers = window.givers();
            let done = window.run(&Gathered, givers, limits, (round, round + 1));
            let gone = done.drained + done.into_sea;
            assert_eq!(units(&window) + gone, before + done.injected, "round {round}");
            drained += done.drained;
            into_sea += done.into_sea;
            injected += done.injected;
        }
        assert!(drained > 1_000 && injected > 1_000, "{drained} drained, {injected} injected");
        assert!(into_sea > 1_000, "{into_sea} fell into the sea");
    }
}
