//! The laws of two-dimensional water, on random worlds across chunk borders, which are watched with
//! their model.

use floodplain::glam::IVec3;
use floodplain::testing::{Op, Watched};
use floodplain::water2d::{Cell, EditError, MAX_LEVEL, Rule, Rules, Water2dWorld};
use floodplain::{Chunk, ChunkPos, Region, Shape, Sheet};
use proptest::prelude::*;
use strategies::runs;

/// Steps within which worlds of this size come to rest.
const PATIENCE: u64 = 4000;

/// What the documentation says of water that is filled up after each step.
#[test]
fn the_far_arm_of_a_u_rises_as_high_as_a_spring_less_a_unit() {
    let mut world = Water2dWorld::new(7, Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::SOLID)).unwrap();
    for (from, to) in [([1, 1, 0], [7, 1, 0]), ([1, 2, 0], [1, 10, 0]), ([7, 2, 0], [7, 10, 0])] {
        world.fill_water(Region::new(from.into(), to.into()), 0).unwrap();
    }
    let spring = IVec3::new(1, 7, 0);
    for _ in 0..2000 {
        let missing = 100_u32.saturating_sub(world.level(spring));
        world.pour(spring, missing).unwrap();
        world.step();
    }
    let arm = |x: i32| [6, 7, 8].map(|y| world.level(IVec3::new(x, y, 0)));
    assert_eq!([arm(1), arm(7)], [[104, 100, 0], [104, 99, 0]]);
    assert_eq!(world.total(), world.ledger().total());
}

/// A drawn world: its lower left corner, its width, and its cells row by row from the bottom, −1
/// for ground.
#[derive(Clone, Debug)]
struct Drawn {
    origin: IVec3,
    width: i32,
    cells: Vec<i32>,
}

impl Drawn {
    fn region(&self) -> Region {
        let height = self.cells.len() as i32 / self.width;
        Region::new(self.origin, self.origin + IVec3::new(self.width - 1, height - 1, 0))
    }

    fn world(&self, seed: u64, rules: Rules) -> Water2dWorld {
        let region = self.region();
        let mut world = Water2dWorld::with_bounds(seed, rules, region).unwrap();
        for chunk in Sheet::chunks_of(region) {
            world.insert_chunk(chunk, Chunk::uniform(Cell::SOLID)).unwrap();
        }
        for (cell, &level) in region.positions().zip(&self.cells) {
            if let Ok(level) = u32::try_from(level) {
                world.fill_water(Region::cell(cell), level).unwrap();
            }
        }
        world
    }
}

fn cells(world: &Water2dWorld) -> Vec<Option<Cell>> {
    world.bounds().positions().map(|cell| world.cell(cell)).collect()
}

/// Ground, air and water, with all kinds of levels, across the corner of four chunks.
fn drawn() -> impl Strategy<Value = Drawn> {
    let cell = prop_oneof![3 => Just(-1), 4 => Just(0), 2 => 1..=100i32, 2 => Just(100), 1 => 101..=700i32];
    let corner = (1..24i32, 1..20i32, prop::sample::select(vec![0, 64, -64, 640_000]));
    (2..26i32, 2..22i32, corner).prop_flat_map(move |(width, height, (west, down, shift))| {
        let origin = IVec3::new(shift - west, shift - down, 0);
        prop::collection::vec(cell.clone(), (width * height) as usize)
            .prop_map(move |cells| Drawn { origin, width, cells })
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    (prop::bool::ANY, 1..=100u32).prop_map(|(literal, pressure_flow)| Rules {
        rule: if literal { Rule::Literal } else { Rule::Settling },
        pressure_flow,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_edit_is_the_models_and_every_step_the_oracles(run in runs::<Water2dWorld>(0..16)) {
        run.check().unwrap();
    }

    #[test]
    fn literal_levels_are_those_of_the_text_cell_by_cell(drawn in drawn(), seed: u64) {
        Watched::new(|| drawn.world(seed, Rules::literal())).play(&[Op::Step(30)]).unwrap();
    }

    #[test]
    fn settling_levels_are_those_of_units_moved_one_by_one(drawn in drawn(), flow in 1..=100u32) {
        let rules = Rules { pressure_flow: flow, ..Rules::default() };
        Watched::new(|| drawn.world(0, rules)).play(&[Op::Step(30)]).unwrap();
    }

    #[test]
    fn settling_worlds_come_to_rest_level_and_every_change_on_the_way_costs_energy(drawn in drawn(), flow in 1..=100u32) {
        let rules = Rules { pressure_flow: flow, ..Rules::default() };
        let mut watched = Watched::new(|| drawn.world(0, rules));
        let total = watched.world().total();
        while watched.world().ticks() == 0 || !watched.world().is_at_rest() {
            prop_assert!(watched.world().ticks() < PATIENCE, "no rest in time");
            watched.step();
        }
        watched.check_laws().unwrap();
        prop_assert_eq!(watched.world().total(), total);
    }

    #[test]
    fn the_mirrored_world_prefers_the_other_side(drawn in drawn(), seed: u64) {
        let mut mirrored = drawn.clone();
        for row in mirrored.cells.chunks_mut(drawn.width as usize) {
            row.reverse();
        }
        let left = drawn.world(seed, Rules::literal());
        let other = (0..).find(|&other| mirrored.world(other, Rules::literal()).prefers_left() != left.prefers_left());
        let (mut world, mut mirror) = (left, mirrored.world(other.unwrap(), Rules::literal()));
        world.run(12);
        mirror.run(12);
        let (min, max) = (drawn.region().min(), drawn.region().max());
        for cell in drawn.region().positions() {
            let reflected = IVec3::new(max.x - (cell.x - min.x), cell.y, 0);
            prop_assert_eq!(world.cell(cell), mirror.cell(reflected));
        }
    }

    /// While chunks are loaded, emptied, removed and put back, and cells are built, dug, filled and
    /// scooped.
    #[test]
    fn a_world_that_sleeps_equals_one_that_never_does(
        drawn in drawn(), seed: u64, rules in rules(), edits in prop::collection::vec((0..9u8, any::<u32>()), 1..24)
    ) {
        let (mut sleeper, mut waker) = (drawn.world(seed, rules), drawn.world(seed, rules));
        let mut kept = Vec::new();
        for (kind, number) in edits {
            let cells = drawn.region().volume() as u32;
            let cell = drawn.region().positions().nth((number % cells) as usize).unwrap();
            let chunk = Sheet::chunk_of(cell);
            for (world, is_first) in [(&mut sleeper, true), (&mut waker, false)] {
                // Some edits are refused, and both worlds refuse the same.
                let _ = match kind {
                    0 => world.set_solid(cell).is_ok(),
                    1 => world.clear_solid(cell).is_ok(),
                    2 => world.pour(cell, number % 900).is_ok(),
                    3 => world.scoop(cell, number % 900).is_ok(),
                    4 => world.fill_water(Region::cell(cell), number % 300).is_ok(),
                    5 => {
                        let taken = world.remove_chunk(chunk);
                        if is_first {
                            kept.extend(taken.clone().ok().map(|cells| (chunk, cells)));
                        }
                        taken.is_ok()
                    }
                    6 => match kept.last() {
                        Some((position, chunk)) => world.insert_chunk(*position, chunk.clone()).is_ok(),
                        None => false,
                    },
                    _ => false,
                };
            }
            for _ in 0..number % 40 {
                sleeper.step();
                waker.wake_all();
                waker.step();
                prop_assert_eq!(sleeper.state_hash(), waker.state_hash());
            }
            prop_assert_eq!(sleeper.validate(), Ok(()));
        }
    }

    #[test]
    fn neither_levels_nor_sums_overflow_from_the_highest_levels(
        cells in prop::collection::vec(
            prop_oneof![Just(-1), Just(0), Just(MAX_LEVEL as i32), MAX_LEVEL as i32 - 10..=MAX_LEVEL as i32], 48
        ),
        rules in rules(),
    ) {
        let drawn = Drawn { origin: IVec3::new(-3, -4, 0), width: 6, cells };
        let mut world = drawn.world(1, rules);
        let total = world.total();
        for _ in 0..50 {
            world.step();
            // Counts every cell, and checks its range.
            prop_assert_eq!((world.validate(), world.total()), (Ok(()), total));
        }
    }

    #[test]
    fn the_order_of_loading_leaves_no_trace(drawn in drawn(), rules in rules()) {
        let mut first = drawn.world(3, rules);
        let chunks: Vec<_> = first.chunks().map(|(position, chunk)| (position, chunk.clone())).collect();
        let load = |order: &mut dyn Iterator<Item = &(ChunkPos, Chunk<Cell>)>| {
            let mut world = Water2dWorld::with_bounds(3, rules, drawn.region()).unwrap();
            order.for_each(|(position, chunk)| world.insert_chunk(*position, chunk.clone()).unwrap());
            world
        };
        let (mut second, mut third) = (load(&mut chunks.iter()), load(&mut chunks.iter().rev()));
        first.run(40);
        second.run(40);
        for _ in 0..40 {
            third.step();
        }
        prop_assert_eq!(second.state_hash(), third.state_hash());
        prop_assert_eq!(cells(&first), cells(&second));
        prop_assert_eq!(second.take_changes(), third.take_changes());
    }
}

#[test]
fn refused_edits_change_nothing() {
    let bounds = Region::new(IVec3::new(-70, -70, 0), IVec3::new(70, 70, 0));
    let mut world = Water2dWorld::with_bounds(5, Rules::default(), bounds).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
    world.set_solid(IVec3::ONE.with_z(0)).unwrap();
    world.pour(IVec3::ZERO, MAX_LEVEL).unwrap();
    world.run(3);
    let before = (world.state_hash(), world.awake_cells());
    let (solid, far, absent) = (IVec3::ONE.with_z(0), IVec3::new(71, 0, 0), IVec3::new(-1, 0, 0));
    let wide = Region::new(IVec3::ZERO, absent);
    assert_eq!(world.pour(solid, 1), Err(EditError::Solid(solid)));
    assert_eq!(world.scoop(solid, 1), Err(EditError::Solid(solid)));
    assert_eq!(world.pour(far, 1), Err(EditError::OutOfBounds(far)));
    assert_eq!(
        world.pour(IVec3::new(0, 0, 1), 1),
        Err(EditError::OutOfBounds(IVec3::new(0, 0, 1)))
    );
    assert_eq!(world.set_solid(absent), Err(EditError::NotLoaded(absent)));
    assert_eq!(world.clear_solid(absent), Err(EditError::NotLoaded(absent)));
    assert_eq!(world.fill_water(wide, 3), Err(EditError::NotLoaded(absent)));
    assert_eq!(world.fill_solid(Region::EVERYWHERE), Err(EditError::OutOfBounds(IVec3::MIN)));
    assert!(matches!(
        world.fill_water(Region::cell(solid), MAX_LEVEL + 1),
        Err(EditError::Level { .. })
    ));
    assert!(matches!(world.pour(IVec3::new(3, 3, 0), MAX_LEVEL + 1), Err(EditError::Level { .. })));
    assert!(matches!(world.pour(IVec3::ZERO, u32::MAX), Err(EditError::Level { .. })));
    let air = || Chunk::uniform(Cell::AIR);
    assert_eq!(
        world.insert_chunk(ChunkPos::ZERO, air()),
        Err(EditError::ChunkPresent(ChunkPos::ZERO))
    );
    assert_eq!(
        world.insert_chunk(ChunkPos::new(2, 0, 0), air()),
        Err(EditError::ChunkOutOfBounds(ChunkPos::new(2, 0, 0)))
    );
    assert_eq!(
        world.insert_chunks([(absent.into(), air()), (absent.into(), air())]),
        Err(EditError::ChunkPresent(absent.into()))
    );
    assert_eq!(world.remove_chunk(absent.into()), Err(EditError::ChunkAbsent(absent.into())));
    assert!(Water2dWorld::new(0, Rules { pressure_flow: 0, ..Rules::default() }).is_err());
    assert_eq!((world.state_hash(), world.awake_cells()), before);
}
