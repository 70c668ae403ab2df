//! Laws of liveness of a world of water without edits. Water of springs arrives,
//! whatever stood in its way initially, or fills the space that it cannot leave, and closed worlds
//! are soon level.

use super::cells::{Cell, Cells};
use super::ends::Ends;
use super::fill::below_springs;
use super::level::unlevel;
use super::steady::Bed;
use super::{REST_CELLS, is_closed, is_shut};
use crate::Face;
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Watch;
use crate::water::{Edge, Edit, WaterWorld};
use glam::IVec3;

/// The ticks within which closed worlds are level.
const LEVEL_TICKS: u64 = 600;

/// The ticks until flow is steady, after the ticks in which the springs can fill all cells twice.
const SETTLE_TICKS: u64 = 300;

/// The most ticks until flow is steady; a world that takes longer is not checked.
const MOST_TICKS: u64 = 4_000;

/// The ticks over which the outflow is counted.
const COUNTED_TICKS: u64 = 128;

/// The most times that the outflow is counted until it is enough. In a dry maze whose first end
/// takes the water of one spring, the remaining water finds the next end by films alone.
const COUNTS: usize = 12;

/// The ticks within which a cell that connected water heads into is connected.
const REACH_TICKS: u64 = 32;

/// Leaves a world with water to itself, and checks that flowing water arrives: the laws `outflow`,
/// `reach`, `history`, `filled` and `level_in_time`. `water` returns the water of the world, and
/// `edit` makes an edit of water one of the world. A game's own type that implements [`Watch`]
/// calls this in its [`let_alone`](Watch::let_alone).
///
/// The laws are not checked in worlds of more than 4,096 cells, without
/// [`pools`](crate::water::Rules::pools) or [`many_parents`](crate::water::Rules::many_parents), or
/// with evaporation, sea, fixtures or frozen chunks.
pub fn check_arrival<W: Watch>(
    world: &mut W,
    water: impl Fn(&W) -> &WaterWorld,
    edit: impl Fn(Edit) -> W::Edit,
    found: &mut Findings,
) {
    if !is_plain(water(world)) {
        return;
    }
    if is_closed(water(world)) {
        return check_level(world, water, found);
    }
    if is_shut(water(world)) {
        return check_filled(world, water, found);
    }
    let Some(course) = course(water(world)) else { return };
    let others = [0, 7].map(|height| with_height(world, &water, &edit, height));
    let most = course.most * COUNTED_TICKS;
    let own = outflow(world, &water, course, found);
    found.hold(law::OUTFLOW, arrives(own, most), || {
        format!("{own} units left in {COUNTED_TICKS} ticks, {most} can")
    });
    for (other, was) in others.into_iter().zip(["dry", "full"]) {
        let Some(mut other) = other else { continue };
        let left = outflow(&mut other, &water, course, &mut Findings::default());
        found.hold(law::HISTORY, arrives(left, most), || {
            format!("{left} units left in {COUNTED_TICKS} ticks when {was} at first, {most} can")
        });
    }
}

/// Returns whether `units` is at least nine tenths of the most that can leave.
fn arrives(units: u64, most: u64) -> bool {
    units * 10 >= most * 9
}

/// Returns whether the world is small, and only springs, ground and edges decide how water flows.
fn is_plain(world: &WaterWorld) -> bool {
    let rules = world.rules();
    let is_level = |edge: Edge| matches!(edge, Edge::Level(_));
    world.bounds().volume() <= REST_CELLS
        && rules.pools
        && rules.many_parents
        && rules.evaporation == 0.0
        && rules.film_evaporation == 0.0
        && !Ends::of(world).all().any(is_level)
        && world.fixtures().next().is_none()
        && world.frozen_chunks().next().is_none()
        && world.queued_edits().len() == 0
}

/// What to expect of the springs of a world.
#[derive(Clone, Copy)]
struct Course {
    /// The ticks after which the flow is steady.
    settle: u64,
    /// The most units that the springs at one height can deliver to the ends in a tick once the
    /// flow is steady. Springs at other heights take nothing away from that, but how much they add
    /// depends on which water comes first.
    most: u64,
}

/// Returns the course of a world; `None` if nothing reaches its ends, if that takes too long, or if
/// there is sea.
fn course(world: &WaterWorld) -> Option<Course> {
    let bed = Bed::of(world);
    let most = bed.outflow_of_one_height();
    let settle = settle_ticks(&bed).filter(|_| most > 0 && !bed.has_sea())?;
    Some(Course { settle, most })
}

/// Returns the ticks after which the springs of a world have filled all cells that they can; `None`
/// if that takes too long.
fn settle_ticks(bed: &Bed) -> Option<u64> {
    let is_open = |content: &&Cell| matches!(content, Cell::Open { .. });
    let open = bed.cells.contents.iter().filter(is_open).count() as u64;
    let settle = SETTLE_TICKS + 2 * 7 * open / bed.offer().max(1);
    (settle <= MOST_TICKS).then_some(settle)
}

/// Returns the ticks within which a world that springs fill and that no water leaves comes to rest;
/// `None` for any other world, if that takes too long, or if there is sea.
pub(super) fn fills_within(world: &WaterWorld) -> Option<u64> {
    if !is_plain(world) || !is_shut(world) {
        return None;
    }
    let bed = Bed::of(world);
    settle_ticks(&bed).filter(|_| bed.offer() > 0 && !bed.has_sea())
}

/// Returns a copy of the world with this height in each open cell except its springs.
fn with_height<W: Watch>(
    world: &W,
    water: impl Fn(&W) -> &WaterWorld,
    edit: impl Fn(Edit) -> W::Edit,
    height: u8,
) -> Option<W> {
    let mut other = world.saved_and_loaded().ok()?;
    for cell in water(world).bounds().positions() {
        let Some(is) = water(world).cell(cell).filter(|cell| !cell.is_source()) else { continue };
        let change = match height {
            0 => Edit::Scoop { cell, units: is.height().into() },
            _ => Edit::Pour { cell, units: (height - is.height()).into() },
        };
        other.apply(edit(change)).ok()?;
    }
    Some(other)
}

/// Runs the world until the flow is steady, and returns the units that leave in a period: the first
/// period in which enough units leave, or else the last. Meanwhile connected water must reach the
/// cells that it heads into.
fn outflow<W: Watch>(
    world: &mut W,
    water: impl Fn(&W) -> &WaterWorld,
    Course { settle, most }: Course,
    found: &mut Findings,
) -> u64 {
    (0..settle).for_each(|_| _ = world.step());
    let (mut units, mut waiting) = (0, Waiting::default());
    for _ in 0..COUNTS {
        let drained = water(world).ledger().drained;
        for _ in 0..COUNTED_TICKS {
            world.step();
            waiting.look(water(world));
        }
        units = water(world).ledger().drained - drained;
        if arrives(units, most * COUNTED_TICKS) {
            break;
        }
    }
    let longest = waiting.0.iter().find(|&&(_, ticks)| ticks >= REACH_TICKS);
    found.hold(law::REACH, longest.is_none(), || {
        format!("connected water has headed into that at {:?} for {REACH_TICKS} ticks", longest)
    });
    units
}

/// The cells of unconnected water into which connected water heads, and for how many ticks it has
/// done so.
#[derive(Default)]
struct Waiting(Vec<(IVec3, u64)>);

impl Waiting {
    /// Looks at the world after a tick.
    fn look(&mut self, world: &WaterWorld) {
        let heads = |cell: IVec3| {
            let from = world.cell(cell)?;
            // Up is left out: how far water is pressed up depends on its spring.
            let into = from.direction().filter(|&face| face != Face::Up)?.step(cell)?;
            let is_wet = |cell: &_| from.height() > 0 && world.units(*cell) > 0;
            let is_connected = |cell| world.cell(cell).is_some_and(|cell| cell.has_source());
            // Water with room below falls there. Its direction says from where it came.
            let below = Face::Down.step(cell).and_then(|below| world.cell(below));
            let falls = into.y == cell.y && below.is_some_and(|below| below.height() < 7);
            let is_waiting = is_connected(cell) && is_wet(&into) && !is_connected(into);
            (is_waiting && !falls).then_some(into)
        };
        let now = world.bounds().positions().filter_map(heads);
        let before = |cell| self.0.iter().find(|(waits, _)| *waits == cell).map_or(0, |is| is.1);
        self.0 = now.map(|cell| (cell, before(cell) + 1)).collect();
    }
}

/// Checks that a closed world is level in time.
fn check_level<W: Watch>(world: &mut W, water: impl Fn(&W) -> &WaterWorld, found: &mut Findings) {
    let mut ticks = 0;
    while ticks < LEVEL_TICKS && !world.is_at_rest() {
        world.step();
        ticks += 1;
    }
    let unlevel = unlevel(water(world));
    found.hold(law::LEVEL_IN_TIME, unlevel.is_none(), || {
        format!("the surfaces (units, cell) {unlevel:?} of a body, {ticks} ticks after this one")
    });
}

/// Checks that springs fill a world that no water leaves.
fn check_filled<W: Watch>(world: &mut W, water: impl Fn(&W) -> &WaterWorld, found: &mut Findings) {
    let Some(most) = fills_within(water(world)) else { return };
    let mut ticks = 0;
    while ticks < most && !world.is_at_rest() {
        world.step();
        ticks += 1;
    }
    let cells = below_springs(&Cells::of(water(world)));
    let units: u64 = cells.iter().map(|&cell| u64::from(water(world).units(cell))).sum();
    let most = 7 * cells.len() as u64;
    found.hold(law::FILLED, arrives(units, most), || {
        format!("{units} of {most} units stand below springs, {ticks} ticks after this one")
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::ChunkRegion;
    use crate::water::{Edges, Rules, Voxel};
    use crate::{Chunk, Cube, Region};

    /// Water of a spring that falls into a deep shaft does not head into the film beyond it, though
    /// its direction says so: it came from there. The shaft takes a thousand ticks to fill.
    #[test]
    fn water_that_falls_past_a_film_does_not_head_into_it() {
        let mut edges = Edges { unloaded: Edge::Held, ..Edges::WALLS };
        for (face, edge) in [
            (Face::West, Edge::Drain),
            (Face::Up, Edge::Held),
            (Face::North, Edge::Held),
            (Face::South, Edge::Drain),
        ] {
            edges = edges.with(face, edge);
        }
        let box_of = |min: [i32; 3], max: [i32; 3]| Region::new(min.into(), max.into());
        let (bounds, rules) =
            (box_of([-10, -14, 2], [3, -1, 9]), Rules { edges, ..Rules::lossless() });
        let mut directed = 0;
        for seed in 0..4 {
            let mut in_a_row = 0;
            let mut world = WaterWorld::with_bounds(seed, rules, bounds).unwrap();
            for chunk in ChunkRegion::of::<Cube>(bounds).positions() {
                world.insert_chunk(chunk, Chunk::uniform(Voxel::OPEN)).unwrap();
            }
            world.fill_solid(box_of([-10, -14, 2], [-4, -4, 9])).unwrap();
            world.fill_solid(box_of([-3, -14, 2], [0, -6, 9])).unwrap();
            for spring in [[-9, -3, 9], [-8, -2, 6], [2, -2, 6]] {
                world.add_source(spring.into()).unwrap();
            }
            world.fill_water(box_of([-10, -5, 7], [1, -1, 8]), 2).unwrap();
            world.run(10);
            world.fill_water(box_of([-8, -14, 2], [-8, -1, 9]), 0).unwrap();
            world.run(300);
            let mut waiting = Waiting::default();
            for _ in 0..2 * REACH_TICKS {
                world.step();
                waiting.look(&world);
                let cell = world.cell(IVec3::new(-8, -5, 8)).expect("open");
                let beyond = world.cell(IVec3::new(-7, -5, 8)).expect("open");
                let is_beside = cell.has_source() && !beyond.has_source() && beyond.height() > 0;
                let is_directed = is_beside && cell.direction() == Some(Face::East);
                in_a_row = if is_directed { in_a_row + 1 } else { 0 };
            }
            directed += u32::from(in_a_row >= REACH_TICKS);
            let longest = waiting.0.iter().map(|&(_, ticks)| ticks).max();
            assert!(longest < Some(REACH_TICKS), "seed {seed}: {longest:?} ticks");
        }
        assert!(directed > 0, "no water seemed to head into the film for so long");
    }
}
