//! What a charge costs, how far it reaches, and what crater it leaves.

use floodplain::glam::IVec3;
use floodplain::world::{ChunkContent, Edit, EditError, Palette, Rules, UnderWater, World};
use floodplain::{ChunkPos, Region, blast};

/// Ground of a material up to y = −1 in these chunks, in a world without bounds.
fn flat(material: &str, rules: Rules, chunks: Region) -> World {
    let palette = Palette::natural();
    let [air, ground] = ["air", material].map(|name| palette.id(name).unwrap());
    let mut world = World::new(7, palette, rules).unwrap();
    let content = |at| ChunkContent::from_heights(at, |_, _| -1, |_| ground, air);
    world
        .insert_chunks(chunks.positions().map(ChunkPos::from).map(|at| (at, content(at))))
        .unwrap();
    world.run(8);
    world
}

/// Chunks to all sides of the origin, so many below and above.
fn around(aside: i32, below: i32, above: i32) -> Region {
    Region::new(IVec3::new(-aside, -below, -aside), IVec3::new(aside, above, aside))
}

/// What a charge came to.
#[derive(Debug, Default)]
struct Blast {
    ticks: u64,
    /// The cells that all steps visited, and how many were awake at most.
    visited: u64,
    most: usize,
    /// The cells that became air, and how deep the deepest of them lies.
    cells: usize,
    depth: i32,
}

/// Lets a charge go off at the origin, and waits until all is silent.
fn blow(world: &mut World, radius: f32, pressure: f32) -> Blast {
    let air = world.palette().id("air").unwrap();
    let loaded: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
    let mut blast = Blast::default();
    world.charge(IVec3::ZERO, radius, pressure).unwrap();
    while world.blast().awake_cells() > 0 {
        blast.most = blast.most.max(world.blast().awake_cells());
        blast.visited += world.step().visited;
        blast.ticks += 1;
        assert!(blast.ticks < 100, "it ends");
        for broken in world.take_events().into_iter().filter(|broken| broken.into == air) {
            blast.cells += 1;
            blast.depth = blast.depth.max(-broken.cell.y);
        }
        let outside = world.blast().chunks().find(|(chunk, _)| !loaded.contains(chunk));
        assert!(outside.is_none(), "{outside:?}");
    }
    assert_eq!(world.blast().chunks().count(), 0, "all that was lent is given back");
    blast
}

/// The documentation of [`World::charge`] has a table of craters.
#[test]
fn craters_are_those_of_the_table_in_the_documentation() {
    let documentation = include_str!("../../src/world/edit/parts.rs");
    let charges = [(3, 200), (4, 400), (4, 800), (6, 800)];
    let row = |(radius, pressure): (u8, u16)| {
        let crater = |material| {
            let mut world = flat(material, Rules::default(), around(1, 2, 1));
            let Blast { cells, depth, .. } = blow(&mut world, radius.into(), pressure.into());
            format!("{cells}, {depth} deep")
        };
        let [sand, soil, rock] = ["sand", "soil", "rock"].map(crater);
        format!("    /// | {radius} | {pressure} | {sand} | {soil} | {rock} |\n")
    };
    let rows: String = charges.map(row).concat();
    assert!(documentation.contains(&rows), "{rows}");
}

/// With rules under which waves went on for long, one charge woke 4.5 million cells, and its steps
/// visited 720 million.
#[test]
fn by_default_a_charge_is_spent_within_half_a_second_and_costs_little() {
    let blast = blow(&mut flat("soil", Rules::default(), around(5, 1, 3)), 4.0, 400.0);
    assert!(blast.ticks <= 12, "{blast:?}");
    assert!(blast.most <= 150_000 && blast.visited <= 7_000_000, "{blast:?}");
}

/// Pressure made chunks where none was loaded, 6,500 of them for one charge.
#[test]
fn no_charge_reaches_beyond_loaded_ground_or_its_reach() {
    let far = Rules { blast_fading: 0.0, blast_reach: 64, most_pressure: 1e18, ..Rules::default() };
    // Near the end of what is loaded, the strongest there is.
    let mut world = flat("rock", far, around(0, 1, 1));
    assert_eq!(world.blast().chunks().count(), 0);
    world.charge(IVec3::new(8, 20, 8), 16.0, 1e18).unwrap();
    let mut ticks = 0;
    while world.blast().awake_cells() > 0 && ticks < 400 {
        world.step();
        ticks += 1;
        assert!(world.blast().chunks().count() <= 3);
    }
    assert!(world.blast().ledger().left > 0.0, "it left");
    assert!(ticks < 400 && world.validate().is_ok(), "{:?}", world.validate());
    // Within its reach: nothing comes to the third chunk.
    let near = Rules { blast_reach: 1, blast_fading: 0.0, ..Rules::default() };
    let mut world = flat("rock", near, around(3, 0, 0));
    world.charge(IVec3::new(8, 3, 8), 4.0, 10_000.0).unwrap();
    for _ in 0..6 {
        world.step();
        let chunks = world.blast().chunks().map(|(chunk, _)| chunk);
        assert!(chunks.into_iter().all(|chunk| IVec3::from(chunk).abs().max_element() <= 1));
        assert_eq!(world.validate(), Ok(()));
    }
    assert!(world.blast().chunks().count() > 4);
    // Where none is loaded, no charge is laid.
    let centre = IVec3::new(8, 40, 8);
    assert_eq!(world.charge(centre, 4.0, 9.0), Err(EditError::NotLoaded(centre)));
}

/// A chunk that comes while a blast is underway is entered by it, and one that goes takes its
/// share.
#[test]
fn chunks_come_and_go_while_pressure_is_near() {
    let rules = Rules { blast: blast::Rules::wave(0.25, 0.98), ..Rules::default() };
    let mut world = flat("rock", rules, Region::new(IVec3::ZERO, IVec3::X));
    let away = world.remove_chunks([ChunkPos::new(1, 0, 0)]).unwrap();
    world.charge(IVec3::new(13, 5, 8), 4.0, 900.0).unwrap();
    world.step();
    assert_eq!((world.blast().chunks().count(), world.pressure(IVec3::new(16, 5, 8))), (1, 0.0));
    world.insert_records(away).unwrap();
    assert_eq!(world.validate(), Ok(()));
    world.step();
    assert_eq!(world.validate(), Ok(()));
    assert!(world.pressure(IVec3::new(17, 5, 8)) != 0.0, "it came in");
    world.remove_chunks([ChunkPos::ZERO]).unwrap();
    assert_eq!(world.validate(), Ok(()));
    (0..60).for_each(|_| _ = world.step());
    assert!(world.is_at_rest() && world.blast().chunks().count() == 0);
}

/// What was let off in a room that is shut stayed there for ever.
#[test]
fn in_a_room_that_is_shut_it_is_silent_in_the_end() {
    let mut world = flat("rock", Rules { breaking: false, ..Rules::default() }, around(0, 0, 0));
    let palette = Palette::natural();
    let [air, rock] = ["air", "rock"].map(|name| palette.id(name).unwrap());
    let shell = Region::new(IVec3::new(1, 1, 1), IVec3::new(14, 14, 14));
    world.fill_material(shell, rock).unwrap();
    world.fill_material(Region::new(IVec3::splat(2), IVec3::splat(13)), air).unwrap();
    let most = world.rules().most_pressure;
    world.charge(IVec3::splat(8), 10.0, most).unwrap();
    let ticks = (1..).find(|_| {
        world.step();
        world.blast().awake_cells() == 0
    });
    assert!(ticks < Some(60), "{ticks:?}");
    assert!(world.is_at_rest() && world.blast().chunks().count() == 0);
    assert_eq!(world.validate(), Ok(()));
}

/// Pressure that an edit takes away before any step leaves a chunk with nothing in it. It was still
/// counted as lent, which no saved world may say of such a chunk (found by `world_hostile`).
#[test]
fn pressure_that_is_put_in_and_taken_out_leaves_no_trace() {
    let (cell, radius, pressure) = (IVec3::new(5, 2, 4), 2.5, 50.0);
    let region = Region::new(cell, cell + IVec3::new(20, 1, 0));
    let fill = |pressure| blast::Edit::FillPressure { region, pressure };
    let set = |pressure| blast::Edit::SetPressure { cell, pressure };
    let add = |more| blast::Edit::AddPressure { cell, more };
    let charge = |pressure| blast::Edit::AddCharge { centre: cell, radius, pressure };
    let edits: [&dyn Fn(f32) -> blast::Edit; 4] = [&fill, &set, &add, &charge];
    for under_water in [UnderWater::Stops, UnderWater::Damps(0.5), UnderWater::Passes] {
        for (edit, reset) in edits.into_iter().zip([0.0, 0.0, -pressure, -pressure]) {
            let rules = Rules { under_water, ..Rules::default() };
            let mut world = flat("rock", rules, around(1, 1, 1));
            for pressure in [pressure, reset] {
                world.apply(Edit::Blast(edit(pressure))).unwrap();
                assert_eq!(world.validate(), Ok(()), "{under_water:?}: {:?}", edit(pressure));
            }
            assert_eq!(world.blast().total(), 0.0, "{under_water:?}: {:?}", edit(reset));
        }
    }
}

/// Pressure that a frozen chunk holds kept the places of all later charges, each of which lets
/// pressure go on as far as it reaches.
#[test]
fn pressure_that_stands_still_lets_later_charges_reach_no_farther() {
    let rules = Rules { blast_reach: 1, blast_fading: 0.0, ..Rules::default() };
    let palette = Palette::natural();
    let air = palette.id("air").unwrap();
    let build = || {
        let mut world = World::new(7, Palette::natural(), rules).unwrap();
        let row = (0..24).map(|x| ChunkPos::new(x, 0, 0));
        world.insert_chunks(row.map(|at| (at, ChunkContent::from_fn(at, |_| air)))).unwrap();
        world
    };
    // Of charges in chunks 10 to 13 one after the other, the chunks that the last one enters.
    let entered = |world: &mut World| {
        let mut entered = std::collections::BTreeSet::new();
        for at in 10..14 {
            entered.clear();
            world.charge(IVec3::new(16 * at + 8, 8, 8), 6.0, 10_000.0).unwrap();
            for _ in 0..400 {
                entered.extend(world.blast().chunks().map(|(chunk, _)| chunk.x));
                world.step();
            }
            assert_eq!(world.validate(), Ok(()));
        }
        entered.remove(&0);
        entered
    };
    let expected = entered(&mut build());
    assert_eq!(expected.iter().copied().collect::<Vec<_>>(), [12, 13, 14]);
    let mut world = build();
    world.charge(IVec3::splat(8), 3.0, 300.0).unwrap();
    world.freeze([ChunkPos::ZERO]).unwrap();
    assert_eq!(entered(&mut world), expected);
    assert!(world.blast().total() > 0.0, "some stands still");
    world.thaw([ChunkPos::ZERO]).unwrap();
    world.run(400);
    assert_eq!(world.validate(), Ok(()));
}
