//! The laws of humidity on random worlds, which are watched with their model: the synchronous and
//! the in-place sweep equal the formulas to the bit, the conservative one to the unit; it loses
//! nothing and stays within the neighbours' range; sleep changes nothing; a refused edit changes
//! nothing. Every failure prints the operations that replay it.

use super::random::{HIGH, LOW, apply, counted, op, rules, small, step, world};
use floodplain::glam::{IVec3, Vec3Swizzles};
use floodplain::humidity::{Border, Cell, Edit, HumidityWorld, ROCK, Rules, Sweep};
use floodplain::testing::{Op, Watched};
use floodplain::{Chunk, ChunkPos, Cube, Face, FieldShape, Region, Shape, Sheet};
use proptest::prelude::*;
use strategies::runs;

fn laws_hold<S: FieldShape>(rules: Rules, ops: &[Op<Edit>]) {
    Watched::new(|| small::<S>(rules)).play(ops).unwrap();
}

/// `take_changes` reports the cells that change, and no others.
fn changes_are_exact<S: FieldShape>(rules: Rules, ops: &[Op<Edit>]) {
    let mut world = small::<S>(rules);
    for op in ops {
        apply(&mut world, op, &mut |world| {
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn every_law_holds_after_every_edit_and_step(
        rules in rules(), ops in prop::collection::vec(op(), 1..25)
    ) {
        laws_hold::<Sheet>(rules, &ops);
        laws_hold::<Cube>(rules, &ops);
    }

    #[test]
    fn every_edit_and_step_on_sheets_is_the_models(run in runs::<HumidityWorld<Sheet>>(0..16)) {
        run.check().unwrap();
    }

    #[test]
    fn every_edit_and_step_on_cubes_is_the_models(run in runs::<HumidityWorld<Cube>>(0..16)) {
        run.check().unwrap();
    }

    #[test]
    fn changes_are_reported_one_by_one(rules in rules(), ops in prop::collection::vec(op(), 1..15)) {
        changes_are_exact::<Sheet>(rules, &ops);
        changes_are_exact::<Cube>(rules, &ops);
    }

    #[test]
    fn the_conservative_sweep_neither_makes_nor_loses_a_unit(
        rules in rules(), ops in prop::collection::vec(op(), 1..25)
    ) {
        let mut world = small::<Cube>(Rules { sweep: Sweep::Conservative, ..rules });
        for op in &ops {
            apply(&mut world, op, &mut step);
            let kept: i128 = {
                let ledger = world.ledger().unwrap();
                let gone = ledger.runoff + ledger.drained + ledger.removed;
                counted(&world) + gone as i128 - ledger.rained - ledger.placed as i128
            };
            prop_assert_eq!(kept, 0, "after {:?}", op);
        }
    }

    #[test]
    fn chunks_taken_out_and_put_back_are_as_they_were(
        rules in rules(), ops in prop::collection::vec(op(), 1..15)
    ) {
        let mut world = small::<Sheet>(rules);
        for op in &ops {
            apply(&mut world, op, &mut step);
        }
        let before: Vec<(ChunkPos, Chunk<Cell>)> = world.chunks().collect();
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

/// The same ground mirrored gives the same humidity mirrored, but for some units, as what fluxes
/// see of a cell is rounded at each face at other numbers: no direction is preferred. In place one
/// is, by its nature; the sums of the synchronous mean depend on their order in the last bit.
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
        let [here, mirrored] = [there.humidity(at), mirrored.humidity(-at.zxy())];
        assert!((here - mirrored).abs() < 0.001, "{at}: {here} and {mirrored}");
    }
    let rained = [&there, &mirrored].map(|world| world.ledger().unwrap().rained);
    assert!(rained[0].abs_diff(rained[1]) < 65_536, "{rained:?}");
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

            let mut chunks: Vec<ChunkPos> = Sheet::chunks_of(region).collect();
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
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
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
        assert!(world.insert_chunk(ChunkPos::ZERO, below).is_err(), "neither soil nor rock");
    }
}

/// The factor that the README gives: a step of the source text's mean evens out 32·i/(i² + 4) times
/// as much of a difference as one of the conservative sweep by default.
#[test]
fn the_conservative_sweep_is_slower_than_the_text_by_the_factor_of_the_readme() {
    for impermeability in [1.0, 2.0, 4.0, 16.0_f32] {
        let passed = |sweep| {
            let rules = Rules { sweep, ..Rules::default() };
            let mut world = HumidityWorld::<Sheet>::new(rules).unwrap();
            let soil = Chunk::uniform(Cell::soil(0.0, impermeability));
            world.insert_chunk(ChunkPos::ZERO, soil).unwrap();
            let cell = IVec3::new(30, 30, 0);
            world.set_humidity(cell, 512.0).unwrap();
            world.step();
            world.humidity(cell + IVec3::X)
        };
        let factor = passed(Sweep::Synchronous) / passed(Sweep::Conservative);
        let i = f64::from(impermeability);
        let wanted = 32.0 * i / (i * i + 4.0);
        assert!((factor / wanted - 1.0).abs() < 1e-3, "{i}: {factor}, not {wanted}");
    }
}
