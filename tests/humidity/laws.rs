//! The laws of humidity on random worlds: the synchronous and the in-place sweep equal a scalar
//! oracle to the bit, the conservative one a naive oracle to the unit; it loses nothing and stays
//! within the neighbours' range; sleep changes nothing; a refused edit changes nothing. Every
//! failure prints the seed and the operations that replay it.

use super::random::{Edit, HIGH, LOW, apply, counted, edit, rules, small, step, world};
use floodplain::glam::{IVec3, Vec3Swizzles};
use floodplain::humidity::{Border, Cell, HumidityWorld, ROCK, Rules, Sweep};
use floodplain::{Chunk, Cube, Face, FieldShape, Region, Shape, Sheet};
use proptest::prelude::*;
use support::humidity::{edits, oracle::Oracle};

fn laws_hold<S: FieldShape>(rules: Rules, edits: &[Edit]) {
    let mut sleeper = small::<S>(rules);
    let mut awake = small::<S>(rules);
    for (at, edit) in edits.iter().enumerate() {
        apply(&mut sleeper, edit, &mut step);
        apply(&mut awake, edit, &mut |world| {
            world.wake_all();
            world.step();
        });
        assert_eq!(sleeper.validate(), Ok(()), "after edit {at} {edit:?}");
        assert_eq!(
            sleeper.state_hash(),
            awake.state_hash(),
            "the sleeper after edit {at} {edit:?}"
        );
    }
}

/// Steps a world that may sleep, or one that is woken before each step.
fn the_oracle_agrees<S: FieldShape>(rules: Rules, edits: &[Edit], sleeps: bool) {
    let mut world = small::<S>(rules);
    for edit in edits {
        apply(&mut world, edit, &mut |world| {
            let mut oracle = Oracle::of(world, Region::new(LOW, HIGH));
            let before = world.ledger();
            if !sleeps {
                world.wake_all();
            }
            let moved = i128::from(world.step().moved);
            oracle.step();
            oracle.compare(world);
            // What flows through a chunk without changing it is not counted while it sleeps.
            assert!(
                if sleeps { moved <= oracle.moved } else { moved == oracle.moved },
                "{moved} of {}",
                oracle.moved
            );
            if let (Some(before), Some(after)) = (before, world.ledger()) {
                assert_eq!(after.rained - before.rained, oracle.rained, "rained");
                assert_eq!((after.runoff - before.runoff) as i128, oracle.runoff, "run off");
                assert_eq!((after.drained - before.drained) as i128, oracle.drained, "drained");
            }
        });
    }
}

/// `take_changes` reports the cells that change, and no others.
fn changes_are_exact<S: FieldShape>(rules: Rules, edits: &[Edit]) {
    let mut world = small::<S>(rules);
    for edit in edits {
        apply(&mut world, edit, &mut |world| {
            world.take_changes();
            let before: Vec<Option<Cell>> =
                Region::new(LOW, HIGH).positions().map(|at| world.cell(at)).collect();
            let report = world.step();
            let mut told = Vec::new();
            for changes in world.take_changes() {
                told.extend(changes.cells.iter().map(|index| S::cell_at(changes.chunk, index)));
            }
            assert_eq!(told.len() as u64, report.changed);
            for (at, before) in Region::new(LOW, HIGH).positions().zip(before) {
                assert_eq!(before != world.cell(at), told.contains(&at), "{at}");
            }
        });
    }
}

/// After each step, each cell of soil lies between the least and the most of itself, its neighbours
/// and, at a draining border, nothing; and below the cap. Where humidity falls, between nothing and
/// the cap.
fn stays_in_range<S: FieldShape>(rules: Rules, edits: &[Edit]) {
    let mut world = small::<S>(rules);
    for edit in edits {
        apply(&mut world, edit, &mut |world| {
            let oracle = Oracle::of(world, Region::new(LOW, HIGH));
            world.step();
            for at in Region::new(LOW, HIGH).positions() {
                let Some(cell) = world.cell(at).filter(|cell| !cell.rain && !cell.is_rock()) else {
                    continue;
                };
                let [least, most] = oracle.range(at);
                let cap = f64::from(rules.cap);
                assert!(
                    least.min(cap) <= cell.humidity && cell.humidity <= most.min(cap),
                    "{at}: {cell:?}"
                );
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn every_law_holds_after_every_edit_and_sleep_changes_nothing(
        rules in rules(), edits in prop::collection::vec(edit(), 1..25)
    ) {
        laws_hold::<Sheet>(rules, &edits);
        laws_hold::<Cube>(rules, &edits);
    }

    #[test]
    fn every_edit_is_the_models_and_every_step_the_oracles(
        run in prop::collection::vec(any::<u8>(), 0..192).prop_map(|bytes| edits::Run::from_bytes(&bytes))
    ) {
        edits::check(&run);
    }

    #[test]
    fn each_step_is_the_oracles(rules in rules(), edits in prop::collection::vec(edit(), 1..25)) {
        for sleeps in [true, false] {
            the_oracle_agrees::<Sheet>(rules, &edits, sleeps);
            the_oracle_agrees::<Cube>(rules, &edits, sleeps);
        }
    }

    #[test]
    fn changes_are_told_one_by_one(rules in rules(), edits in prop::collection::vec(edit(), 1..15)) {
        changes_are_exact::<Sheet>(rules, &edits);
        changes_are_exact::<Cube>(rules, &edits);
    }

    #[test]
    fn the_conservative_sweep_stays_within_the_neighbours_range(
        rules in rules(), edits in prop::collection::vec(edit(), 1..25)
    ) {
        let rules = Rules { sweep: Sweep::Conservative, ..rules };
        stays_in_range::<Sheet>(rules, &edits);
        stays_in_range::<Cube>(rules, &edits);
    }

    #[test]
    fn the_conservative_sweep_neither_makes_nor_loses_a_unit(
        rules in rules(), edits in prop::collection::vec(edit(), 1..25)
    ) {
        let mut world = small::<Cube>(Rules { sweep: Sweep::Conservative, ..rules });
        for edit in &edits {
            apply(&mut world, edit, &mut step);
            let kept: i128 = {
                let ledger = world.ledger().unwrap();
                let gone = ledger.runoff + ledger.drained + ledger.removed;
                counted(&world) + gone as i128 - ledger.rained - ledger.placed as i128
            };
            prop_assert_eq!(kept, 0, "after {:?}", edit);
        }
    }

    #[test]
    fn chunks_taken_out_and_put_back_are_as_they_were(
        rules in rules(), edits in prop::collection::vec(edit(), 1..15)
    ) {
        let mut world = small::<Sheet>(rules);
        for edit in &edits {
            apply(&mut world, edit, &mut step);
        }
        let before: Vec<(IVec3, Chunk<Cell>)> = world.chunks().collect();
        for (at, chunk) in &before {
            prop_assert_eq!(&world.remove_chunk(*at).unwrap(), chunk);
        }
        prop_assert_eq!(world.total(), 0.0);
        for (at, chunk) in before.iter().rev() {
            world.insert_chunk(*at, chunk.clone()).unwrap();
        }
        prop_assert_eq!(world.chunks().collect::<Vec<_>>(), before);
        prop_assert_eq!(world.validate(), Ok(()));
    }
}

/// The same ground mirrored gives the same humidity mirrored: no direction is preferred. In place
/// one is, by its nature; the sums of the synchronous mean depend on their order in the last bit.
#[test]
fn the_conservative_sweep_prefers_no_direction() {
    let mut rng = fastrand::Rng::with_seed(17);
    let region = Region::new(IVec3::splat(-9), IVec3::splat(9));
    let mut there = world::<Cube>(Rules::default(), region);
    let mut mirrored = world::<Cube>(Rules::default(), region);
    for at in region.positions() {
        let ground = if rng.u32(..5) == 0 { ROCK } else { 0.5 + 3.0 * rng.f32() };
        let cell =
            Cell { humidity: rng.f64() * 900.0, impermeability: ground, rain: rng.u32(..50) == 0 };
        there.set_cell(at, cell).unwrap();
        mirrored.set_cell(-at.zxy(), cell).unwrap();
    }
    there.run(60);
    mirrored.run(60);
    for at in region.positions() {
        assert_eq!(there.cell(at), mirrored.cell(-at.zxy()), "{at}");
    }
    assert_eq!(there.ledger(), mirrored.ledger());
}

/// Where the chunks begin makes no difference to any sweep, nor in which order they were loaded.
#[test]
fn chunk_borders_and_the_order_of_loading_make_no_difference() {
    for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
        let build = |offset: IVec3, reverse: bool| {
            let mut rng = fastrand::Rng::with_seed(23);
            let region = Region::new(offset, offset + IVec3::new(99, 69, 0));
            let mut world =
                HumidityWorld::<Sheet>::with_bounds(Rules::with_sweep(sweep), region).unwrap();
            let chunks = Region::new(Sheet::chunk_of(region.min()), Sheet::chunk_of(region.max()));
            let mut chunks: Vec<IVec3> = chunks.positions().collect();
            if reverse {
                chunks.reverse();
            }
            for chunk in chunks {
                world.insert_chunk(chunk, Chunk::uniform(Cell::soil(1.0, 2.0))).unwrap();
            }
            for at in region.positions() {
                let cell = Cell {
                    humidity: rng.f64() * 2000.0,
                    impermeability: 0.5 + rng.f32(),
                    rain: false,
                };
                world.set_cell(at, Cell { rain: rng.u32(..40) == 0, ..cell }).unwrap();
            }
            world.run(40);
            (region.positions().map(|at| world.cell(at)).collect::<Vec<_>>(), world.state_hash())
        };
        let (cells, hash) = build(IVec3::ZERO, false);
        assert_eq!(build(IVec3::ZERO, true), (cells.clone(), hash), "{sweep:?}: order of loading");
        for offset in [IVec3::new(-50, -33, 7), IVec3::new(i32::MAX - 99, i32::MIN, i32::MAX)] {
            assert_eq!(build(offset, false).0, cells, "{sweep:?} at {offset}");
        }
    }
}

/// At the ends of the `i32` range a chunk has no neighbour beyond, and nothing comes out at the
/// opposite end.
#[test]
fn the_ends_of_the_range_are_borders_like_any_other() {
    let rules = Rules::default().with_border(Face::West, Border::Drain);
    for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
        let mut world = HumidityWorld::<Cube>::new(Rules { sweep, ..rules }).unwrap();
        for end in [IVec3::MIN, IVec3::MAX] {
            world.insert_chunk(Cube::chunk_of(end), Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
        }
        world.set_rain(IVec3::MIN, 100.0).unwrap();
        world.run(40);
        assert!(world.humidity(IVec3::MIN + IVec3::ONE) > 0.0, "{sweep:?}");
        assert_eq!(world.humidity(IVec3::MAX), 0.0, "{sweep:?}");
        assert!(world.ledger().is_none_or(|ledger| ledger.drained > 0));
        assert_eq!(world.validate(), Ok(()));
        world.remove_chunk(Cube::chunk_of(IVec3::MIN)).unwrap();
        world.run(3);
        assert_eq!((world.is_at_rest(), world.validate()), (true, Ok(())));
    }
}

/// Rock that was given as nine tenths of `f32::MAX` was kept so, and let through what no other rock
/// does.
#[test]
fn all_rock_is_alike() {
    let least = f32::MAX / 5.0 * 4.0;
    let rock = |impermeability: f32, sweep: Sweep| {
        let mut world = HumidityWorld::<Sheet>::new(Rules::with_sweep(sweep)).unwrap();
        world.insert_chunk(IVec3::ZERO, Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
        world
            .set_cell(IVec3::new(1, 1, 0), Cell { humidity: 900.0, impermeability, rain: false })
            .unwrap();
        let old = world.set_impermeability(IVec3::new(5, 5, 0), impermeability).unwrap();
        assert_eq!((old, world.impermeability(IVec3::new(5, 5, 0))), (1.0, ROCK));
        world.run(3);
        assert_eq!(world.validate(), Ok(()));
        world.state_hash()
    };
    for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
        assert_eq!(rock(least, sweep), rock(ROCK, sweep));
        assert_eq!(rock(f32::MAX * 0.9, sweep), rock(ROCK, sweep));
        let mut world = HumidityWorld::<Sheet>::new(Rules::with_sweep(sweep)).unwrap();
        let below = Chunk::uniform(Cell::soil(0.0, least.next_down()));
        assert!(world.insert_chunk(IVec3::ZERO, below).is_err(), "neither soil nor rock");
    }
}
