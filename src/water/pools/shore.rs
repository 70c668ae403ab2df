//! Where the pieces of a body give and take water in a pass, and how much: groups of cells at one
//! level, and the level that the body is brought to.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::cell::FULL;
use crate::water::pools::layer::{Levels, heights, of_height, spring_level, y_of};
use crate::water::pools::walk::{Walk, pool_key};
use crate::water::scratch::Tick;
use crate::water::store::faces::Ring;
use crate::water::store::sea::SeaLevels;
use crate::water::store::{Place, head};
use smallvec::SmallVec;

/// Cells of a layer at one level.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) layer: LayerId,
    pub(crate) cells: LayerMask,
    pub(crate) level: i64,
    /// The units that each cell may give, or has room for.
    pub(crate) most: u8,
    /// The units that each cell takes for each unit of the goal's level above its own: all its
    /// room, if water falls into it.
    rate: i64,
    /// The face through which water enters; `None` where it rises in water.
    pub(crate) entry: Option<Face>,
}

impl Group {
    fn count(&self) -> i64 {
        i64::from(self.cells.count())
    }

    /// Returns the units that each cell takes if the body is brought to a level.
    pub(crate) fn taken_by_each(&self, level: i64) -> i64 {
        (self.rate * (level - self.level)).clamp(0, i64::from(self.most))
    }
}

/// The cells of a piece that give and take.
pub(crate) struct Shore {
    pub(crate) piece: usize,
    pub(crate) layer: LayerId,
    /// The groups that give, from the lowest level up.
    pub(crate) gives: SmallVec<[Group; 4]>,
    /// The groups that take, from the lowest level up.
    pub(crate) takes: SmallVec<[Group; 4]>,
    pub(crate) sea: Option<SeaLevels>,
}

impl Shore {
    /// Returns the bytes held on the heap.
    pub(crate) fn memory_bytes(&self) -> usize {
        let groups = [&self.gives, &self.takes].into_iter().filter(|groups| groups.spilled());
        groups.map(|groups| groups.capacity() * size_of::<Group>()).sum()
    }
}

/// How cells that belong to no body take water: from a level up, a number of units for each unit
/// above the level, through a face if they are dry.
#[derive(Clone, Copy)]
struct Inlet {
    level: i64,
    rate: i64,
    entry: Option<Face>,
}

/// Units that a group of few cells takes in a tick.
const NARROW: i64 = 64;

/// The rate of cells into which water falls: each takes all its room at once.
const FALLING: i64 = FULL as i64;

/// A body is steep if its levels differ by at least this much. Then the highest third gives to the
/// lowest third, so that slopes fall evenly.
const STEEP: i64 = 9;

/// The levels that a body is brought to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Goal {
    /// Cells above this level give, down to it.
    pub(crate) give: i64,
    /// Cells below this level take, up to it.
    pub(crate) take: i64,
    /// Units that are still missing after cells above `give` have given down to it: each cell at or
    /// above `give` that can gives one more.
    pub(crate) lack: Share,
    /// Units that remain after cells below `take` have taken up to it: each cell at or below `take`
    /// that has room takes one more.
    pub(crate) excess: Share,
    /// The sea gives where it stands at this level or higher.
    pub(crate) sea_gives: Option<i64>,
    /// The sea takes where it stands at the goal's level.
    pub(crate) sea_takes: bool,
}

/// Units, and the cells among which they are shared.
#[derive(Clone, Copy, Default)]
pub(crate) struct Share {
    pub(crate) units: i64,
    pub(crate) cells: i64,
}

impl Share {
    pub(crate) fn is_some(self) -> bool {
        self.units > 0
    }

    /// Returns how many of the units go to `cells` of the cells: their share, rounded at random.
    pub(crate) fn of(self, cells: i64, random: u64) -> i64 {
        if self.cells == 0 {
            return 0;
        }
        let exact = i128::from(self.units.min(self.cells)) * i128::from(cells);
        let all = i128::from(self.cells);
        (exact / all) as i64 + i64::from(exact % all > i128::from(random) % all)
    }
}

impl Shore {
    /// Returns the cells at which the sea gives.
    pub(crate) fn sea_that_gives(&self, goal: &Goal) -> LayerMask {
        match (&self.sea, goal.sea_gives) {
            (Some(sea), Some(least)) if sea.high.0 >= least => {
                sea.high.1 - self.sea_that_takes(goal)
            }
            _ => LayerMask::NONE,
        }
    }

    /// Returns the cells at which the sea takes.
    pub(crate) fn sea_that_takes(&self, goal: &Goal) -> LayerMask {
        let sea = self.sea.as_ref().filter(|sea| goal.sea_takes && sea.low.0 <= goal.take);
        sea.map_or(LayerMask::NONE, |sea| sea.low.1)
    }
}

impl Walk {
    /// Returns the cells that give and take in a piece, if there are any. A cell that touches two
    /// pieces belongs to the shore that was found first.
    pub(super) fn shore(&mut self, tick: &Tick, piece: usize) -> Option<Shore> {
        let rim = self.rim(tick, piece);
        if rim.is_empty() {
            return None;
        }
        let at = *self.layer(self.pieces[piece].layer);
        let y = y_of(tick, at.layer);
        let mut shore = Shore {
            piece,
            layer: at.layer,
            gives: SmallVec::new(),
            takes: SmallVec::new(),
            sea: rim.sea,
        };
        self.add_beside(tick, &mut shore, &rim.beside, (head(y, 0), 1, true));
        self.add_springs_beside(tick, &mut shore, &rim.beside_springs);
        let planes = heights(tick, &at, rim.partial);
        let steady = tick.store.steady_cells(at.layer);
        for height in 1..=FULL {
            let own =
                if height == FULL { at.full } else { of_height(&planes, rim.partial, height) };
            let group = Group {
                layer: at.layer,
                cells: (own & rim.givers) - steady,
                level: head(y, height),
                most: height,
                rate: 1,
                entry: None,
            };
            // A cell that steady flow passes keeps a unit.
            let kept = Group { cells: own & rim.givers & steady, most: height - 1, ..group };
            shore.gives.extend([group, kept].into_iter().filter(|group| group.cells.any()));
            if height < FULL && own.any() {
                shore.takes.push(Group { cells: own, most: FULL - height, ..group });
            }
        }
        if let Some(above) = tick.store.upper_layer(at.layer)
            && rim.below_springs.any()
        {
            self.add_springs(tick, &mut shore, above, rim.below_springs);
        }
        if let Some(above) = tick.store.upper_layer(at.layer)
            && rim.lifting.any()
        {
            let entry = Some(Face::Down);
            let inlet = Inlet { level: head(y, FULL), rate: 1, entry };
            self.add_gaps(tick, &mut shore, above, rim.lifting, inlet);
        }
        self.add_beside(tick, &mut shore, &rim.beside_shallows, (head(y, FULL), FALLING, false));
        self.add_shallows_behind(tick, &mut shore, &rim.beside_shallows);
        self.add_beside(tick, &mut shore, &rim.beside_lanes, (head(y, FULL), FALLING, true));
        Some(shore)
    }

    /// Adds the springs across the lateral faces of cells of the piece. `cells` has the cells for
    /// each face.
    fn add_springs_beside(&mut self, tick: &Tick, shore: &mut Shore, cells: &[LayerMask; 4]) {
        for (layer, cells) in tick.store.spread(shore.layer, cells) {
            self.add_springs(tick, shore, layer, cells);
        }
    }

    /// Adds springs of a layer, unless another piece has claimed them. They give while the water
    /// stands below their cells.
    fn add_springs(&mut self, tick: &Tick, shore: &mut Shore, layer: LayerId, cells: LayerMask) {
        let index = self.index_or_read(tick, layer);
        let cells = self.claim(index, cells);
        if cells.any() {
            let most = tick.limits.supply.min(tick.limits.throughput);
            let level = spring_level(y_of(tick, layer));
            shore.gives.push(Group { layer, cells, level, most, rate: 1, entry: None });
        }
    }

    /// Adds the cells across the lateral faces of cells of the piece, at this level, dry or not.
    /// `cells` has the cells for each face. Cells that touch several cells of the piece come first,
    /// so that the outline stays short.
    fn add_beside(
        &mut self,
        tick: &Tick,
        shore: &mut Shore,
        cells: &[LayerMask; 4],
        (level, rate, is_dry): (i64, i64, bool),
    ) {
        if LayerMask::union(*cells).is_empty() {
            return;
        }
        let across = |side: usize| cells[side].across(Face::LATERAL[side].opposite());
        let inside: [LayerMask; 4] = core::array::from_fn(across);
        let (mut once, mut twice) = (LayerMask::NONE, LayerMask::NONE);
        for inside in inside {
            twice |= once & inside;
            once |= inside;
        }
        let turn = pool_key(tick, self.first_cell(shore.piece)) as usize;
        for at in 0..8 {
            let (side, is_first) = ((at + turn % 4) % 4, at < 4);
            let part = if is_first { twice } else { !twice };
            let face = Face::LATERAL[side];
            let entry = is_dry.then(|| face.opposite());
            let inside = inside[side] & part;
            self.add_gaps(tick, shore, shore.layer, inside, Inlet { level, rate, entry });
            let there = tick.store.neighbour(shore.layer.slot, face);
            let leaving = cells[side].leaving()[side];
            if !is_first && there.is_some() {
                self.add_gaps(
                    tick,
                    shore,
                    shore.layer.in_chunk(there),
                    leaving,
                    Inlet { level, rate, entry },
                );
            }
        }
    }

    /// Adds the shallows behind the shallows across the lateral faces of these cells of the piece,
    /// ring by ring, until there is room for all units that the first ring lets through. So a bed
    /// that a spring feeds through a narrow passage fills at once, not by the flow from cell to
    /// cell.
    fn add_shallows_behind(&mut self, tick: &Tick, shore: &mut Shore, beside: &[LayerMask; 4]) {
        if LayerMask::union(*beside).is_empty() {
            return;
        }
        let mut ring = tick.store.spread(shore.layer, beside);
        let mut seen = ring.clone();
        let narrow = i32::from(tick.limits.throughput);
        let mut lacking: i32 = 0;
        for &(layer, cells) in &ring {
            lacking += narrow * cells.count() as i32 - room(tick, layer, cells);
        }
        for _ in 0..RINGS {
            if lacking <= 0 {
                break;
            }
            let mut next = Ring::new();
            for (layer, cells) in ring {
                for (layer, cells) in tick.store.spread(layer, &[cells; 4]) {
                    let index = self.index_or_read(tick, layer);
                    let known =
                        LayerMask::union(seen.iter().filter(|of| of.0 == layer).map(|of| of.1));
                    let cells = (cells & self.layer(index).shallows) - known;
                    if cells.any() {
                        seen.push((layer, cells));
                        next.push((layer, cells));
                    }
                }
            }
            for &(layer, cells) in &next {
                let level = head(y_of(tick, layer), FULL);
                let inlet = Inlet { level, rate: FALLING, entry: None };
                self.add_gaps(tick, shore, layer, cells, inlet);
                lacking -= room(tick, layer, cells);
            }
            ring = next;
        }
    }

    /// Adds cells of a layer that belong to no body and take water at a level, through the face
    /// `entry` if they are dry, unless another piece has claimed them.
    fn add_gaps(
        &mut self,
        tick: &Tick,
        shore: &mut Shore,
        layer: LayerId,
        cells: LayerMask,
        Inlet { level, rate, entry }: Inlet,
    ) {
        if cells.is_empty() {
            return;
        }
        let index = self.index_or_read(tick, layer);
        let cells = self.claim(index, cells);
        if cells.any() {
            shore.takes.push(Group { layer, cells, level, most: FULL, rate, entry });
        }
    }
}

/// The most rings of shallows into which water is pressed in a tick.
const RINGS: usize = 8;

// All that a pass over a body reads and writes lies within a chunk of the body's columns, so a
// thread that has a tile and the columns around it may level the bodies of the tile.
const _: () = assert!(RINGS + 4 < 16);

/// Returns the room in cells of a layer.
fn room(tick: &Tick, layer: LayerId, cells: LayerMask) -> i32 {
    let rooms = cells.iter().map(|cell| tick.store.read(Place::in_layer(layer, cell)).room());
    rooms.map(i32::from).sum()
}

/// Returns the levels that a body is brought to. Its surfaces are within `levels`.
pub(crate) fn goal(shores: &[Shore], levels: Levels) -> Goal {
    let seas = shores.iter().filter_map(|shore| shore.sea.as_ref());
    let sea = seas
        .fold(Levels::NONE, |levels, sea| levels.and(Levels { low: sea.low.0, high: sea.high.0 }));
    let gives = || shores.iter().flat_map(|shore| &shore.gives);
    let takes = || shores.iter().flat_map(|shore| &shore.takes);
    let over = |level: i64| -> i64 {
        let units = |group: &Group| (group.level - level).clamp(0, i64::from(group.most));
        gives().map(|group| units(group) * group.count()).sum()
    };
    let wanted = |level: i64| -> i64 {
        takes().map(|group| group.taken_by_each(level) * group.count()).sum()
    };
    if sea != Levels::NONE {
        let (over, wanted) = (over(sea.low), wanted(sea.low));
        // Two seas at different levels flow through the body.
        let higher = sea.differ_by(2).then_some(sea.low + 2);
        return Goal {
            give: sea.low + 1,
            take: sea.low,
            sea_gives: higher.or((wanted > over).then_some(sea.low)),
            sea_takes: higher.is_some() || over > wanted,
            ..Goal::default()
        };
    }
    // The greatest level at which the demand does not exceed the supply (bisection).
    let (mut level, mut above) = (levels.low, levels.high);
    while above - level > 1 {
        let middle = level + (above - level) / 2;
        if over(middle) >= wanted(middle) { level = middle } else { above = middle }
    }
    if levels.differ_by(STEEP) {
        let high = third(gives(), |group| core::cmp::Reverse(group.level));
        let low = third(takes(), |group| group.level);
        let give = high.clamp(level + 1, (level + 1).max(levels.high - STEEP / 2));
        let take = low.clamp(level.min(levels.low + STEEP / 2), level);
        // Through a narrow passage, the highest third may have less to give than can be taken.
        let mut give = give;
        while give > level + 1 && over(give) < wanted(take).min(NARROW) {
            give -= (give - level) / 2;
        }
        if give < levels.high && take > levels.low {
            return Goal { give, take, ..Goal::default() };
        }
    }
    let (sure, needed) = (over(level + 1), wanted(level));
    let givers = gives().filter(|group| group.level > level).map(Group::count).sum();
    let takers = takes().filter(|group| group.level <= level).map(Group::count).sum();
    Goal {
        give: level + 1,
        take: level,
        lack: Share { units: (needed - sure).max(0), cells: givers },
        excess: Share { units: (sure - needed).max(0), cells: takers },
        ..Goal::default()
    }
}

/// Returns the level by which a third of the cells of some groups, in this order, has been visited.
fn third<'a, K: Ord>(groups: impl Iterator<Item = &'a Group>, order: impl Fn(&Group) -> K) -> i64 {
    let mut groups: Vec<&Group> = groups.collect();
    groups.sort_unstable_by_key(|group| order(group));
    let all: i64 = groups.iter().map(|group| group.count()).sum();
    let mut seen = 0;
    let at = groups.iter().find(|group| {
        seen += group.count();
        3 * seen > all
    });
    at.map_or(0, |group| group.level)
}
