//! How much springs can deliver to the ends of a world once all that fills is full: a max flow with
//! node capacities. Where water in three dimensions leaves a choice, the flow is bounded from
//! below.

use super::cells::{Cell, Cells};
use super::ends::Ends;
use super::max_flow::{Network, UNLIMITED};
use crate::water::{Edge, WaterWorld};
use crate::{Face, Region};
use glam::IVec3;

/// Returns the units that springs can deliver to the draining edges of a world in each tick, once
/// all that fills is full. This is the max flow from springs to edges in which each cell passes on
/// at most the [throughput](crate::water::Rules::throughput), and the cell of a spring at most its
/// [supply](crate::water::Rules::source_supply), whatever else would pass through it.
///
/// Water moves down; sideways, where the cell below is ground or fills; and up, through cells that
/// fill, below the height of the lowest spring. The water of any spring rises that far; where the
/// water of higher springs rises farther, more may leave. A cell fills if no way down or sideways
/// leads from it to an end. The sea and fixtures are left out of account.
///
/// This visits all cells within the bounds several times, so it is for small worlds.
///
/// ```
/// use floodplain::testing::max_outflow;
/// use floodplain::water::{Edges, Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
///
/// let bounds = Region::new(IVec3::ZERO, IVec3::new(5, 1, 2));
/// let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::lossless() };
/// let mut world = WaterWorld::with_bounds(1, rules, bounds)?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
/// for x in 1..6 {
///     world.clear_solid(IVec3::new(x, 1, 1))?;
/// }
/// assert_eq!(max_outflow(&world), 0);
/// world.add_source(IVec3::new(1, 1, 1))?;
/// assert_eq!(max_outflow(&world), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn max_outflow(world: &WaterWorld) -> u64 {
    Bed::of(world).max_outflow()
}

/// The ground of a world, and where water runs off.
pub(super) struct Bed<'a> {
    world: &'a WaterWorld,
    pub(super) cells: Cells,
    ends: Ends,
    /// Whether a way down or sideways leads from an open cell to an end, in the order of `cells`.
    runs_off: Vec<bool>,
}

impl<'a> Bed<'a> {
    pub(super) fn of(world: &'a WaterWorld) -> Bed<'a> {
        let cells = Cells::of(world);
        let runs_off = vec![false; cells.contents.len()];
        let mut bed = Bed { world, cells, ends: Ends::of(world), runs_off };
        bed.find_what_runs_off();
        bed
    }

    fn is_open(&self, cell: IVec3) -> bool {
        matches!(self.cells.at(cell), Ok(Cell::Open { .. }))
    }

    /// Returns the open cell across a face.
    pub(super) fn beside(&self, cell: IVec3, face: Face) -> Option<IVec3> {
        face.step(cell).filter(|&there| self.is_open(there))
    }

    fn runs_off(&self, cell: IVec3) -> bool {
        self.cells.slot(cell).is_some_and(|slot| self.runs_off[slot])
    }

    /// Returns whether water leaves the world across a face.
    fn drains(&self, cell: IVec3, face: Face) -> bool {
        let is_loaded = face.step(cell).is_some_and(|there| self.cells.at(there).is_ok());
        !is_loaded && self.ends.beyond(cell, face) == Edge::Drain
    }

    /// Returns whether water falls from an open cell, rather than spreads.
    pub(super) fn falls(&self, cell: IVec3) -> bool {
        let below = self.beside(cell, Face::Down);
        self.drains(cell, Face::Down) || below.is_some_and(|below| self.runs_off(below))
    }

    /// Returns whether an end takes what an open cell passes on.
    fn is_outlet(&self, cell: IVec3) -> bool {
        match self.falls(cell) {
            true => self.drains(cell, Face::Down),
            false => Face::LATERAL.into_iter().any(|side| self.drains(cell, side)),
        }
    }

    /// Finds the cells from which water runs off: layer by layer from the bottom, and in a layer
    /// back from the cells where water falls or leaves.
    fn find_what_runs_off(&mut self) {
        let (min, max) = (self.cells.region.min(), self.cells.region.max());
        for y in min.y..=max.y {
            let layer = Region::new(min.with_y(y), max.with_y(y));
            let is_start =
                |&cell: &IVec3| self.is_open(cell) && (self.falls(cell) || self.is_outlet(cell));
            let mut found: Vec<IVec3> = layer.positions().filter(is_start).collect();
            while let Some(cell) = found.pop() {
                let slot = self.cells.slot(cell).expect("an open cell");
                if std::mem::replace(&mut self.runs_off[slot], true) {
                    continue;
                }
                found.extend(Face::LATERAL.iter().filter_map(|&side| self.beside(cell, side)));
            }
        }
    }

    fn springs(&self) -> impl Iterator<Item = IVec3> {
        let is_spring = |cell: &IVec3| self.cells.at(*cell).is_ok_and(Cell::is_source);
        self.cells.region.positions().filter(is_spring)
    }

    pub(super) fn has_sea(&self) -> bool {
        self.cells.contents.contains(&Cell::Sea)
    }

    /// Returns the units that all springs together can give in a tick.
    pub(super) fn offer(&self) -> u64 {
        self.springs().count() as u64 * u64::from(self.supply())
    }

    fn supply(&self) -> u8 {
        self.world.rules().source_supply.min(self.world.rules().throughput)
    }

    /// Returns the max flow from all springs to ends.
    pub(super) fn max_outflow(&self) -> u64 {
        self.outflow_of(|_| true)
    }

    /// Returns the largest of the max flows from springs at one height, as if there were no others.
    pub(super) fn outflow_of_one_height(&self) -> u64 {
        let mut heights: Vec<i32> = self.springs().map(|spring| spring.y).collect();
        heights.sort_unstable();
        heights.dedup();
        let outflows = heights.iter().map(|&height| self.outflow_of(|spring| spring.y == height));
        outflows.max().unwrap_or(0)
    }

    /// Returns the max flow to the ends from the springs for which `gives` returns `true`.
    fn outflow_of(&self, gives: impl Fn(IVec3) -> bool) -> u64 {
        let giving = self.springs().filter(|&spring| gives(spring));
        let Some(head) = giving.map(|spring| spring.y).min() else { return 0 };
        let count = self.cells.contents.len();
        let (source, sink) = (2 * count, 2 * count + 1);
        let mut network = Network::new(2 * count + 2);
        let [throughput, supply] = [self.world.rules().throughput, self.supply()].map(u32::from);
        let open =
            self.cells.region.positions().enumerate().filter(|&(_, cell)| self.is_open(cell));
        for (slot, cell) in open {
            let is_spring = self.cells.contents[slot].is_source();
            network.connect(2 * slot, 2 * slot + 1, if is_spring { supply } else { throughput });
            if is_spring && gives(cell) {
                network.connect(source, 2 * slot, supply);
            }
            if self.is_outlet(cell) {
                network.connect(2 * slot + 1, sink, UNLIMITED);
            }
            for there in self.onward(cell, head).filter_map(|there| self.cells.slot(there)) {
                network.connect(2 * slot + 1, 2 * there, UNLIMITED);
            }
        }
        network.send(source, sink)
    }

    /// Returns the open cells into which water flows on from an open cell, if it rises to the
    /// height `head`.
    fn onward(&self, cell: IVec3, head: i32) -> impl Iterator<Item = IVec3> {
        let falls = self.falls(cell);
        let rises = !self.runs_off(cell) && i64::from(cell.y) + 1 < i64::from(head);
        let may_pass = move |face: &Face| match face {
            Face::Down => true,
            Face::Up => rises,
            _ => !falls,
        };
        Face::ALL.into_iter().filter(may_pass).filter_map(move |face| self.beside(cell, face))
    }
}
