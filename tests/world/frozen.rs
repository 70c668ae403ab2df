//! Chunks that are frozen: water, moisture and pressure stand still in them.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{self, Ring, SimulationDistance};
use floodplain::world::{ChunkContent, Edit, Palette, Rules, World};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Region, Shape};
use support::world::apart::random_world;
use support::world::rules;

fn freeze(world: &mut World, chunks: Vec<ChunkPos>) {
    world.apply(Edit::Water(water::Edit::Freeze(chunks))).unwrap();
}

fn chunks(world: &World) -> Vec<ChunkPos> {
    world.chunks().map(|(chunk, _)| chunk).collect()
}

/// Moisture fell and cells of soil ran on where all chunks were frozen.
#[test]
fn a_world_that_is_all_frozen_is_at_rest_with_all_that_was_underway() {
    let mut world = random_world(&mut Rng::with_seed(3), rules());
    world.charge(IVec3::new(4, 3, 1), 3.0, 400.0).unwrap();
    world.run(2);
    world.take_changes();
    assert!(world.soil().awake_cells() > 0 && world.blast().awake_cells() > 0);
    let all = chunks(&world);
    let look = |world: &World| -> Vec<(u8, u32, u32)> {
        let look = |cell| (world.units(cell), world.moisture(cell), world.pressure(cell));
        let cells = world.bounds().positions().map(look);
        cells.map(|(water, soil, blast)| (water, soil, blast.to_bits())).collect()
    };
    let before = look(&world);
    freeze(&mut world, all.clone());
    assert_eq!(world.awake_cells(), 0);
    for _ in 0..20 {
        let report = world.step();
        assert_eq!((report.visited, report.moved), (0, 0));
    }
    assert!(look(&world) == before, "nothing moved");
    assert!(world.is_at_rest());
    assert_eq!(world.validate(), Ok(()));
    world.apply(Edit::Water(water::Edit::Thaw(all))).unwrap();
    assert!(world.soil().awake_cells() > 0 && world.blast().awake_cells() > 0);
    world.run(3);
    assert!(look(&world) != before, "it goes on");
    assert_eq!(world.validate(), Ok(()));
}

/// The rows of a neighbour that its last change had stirred were forgotten as it froze, and units
/// that came from within were not taken in: these three worlds lost or made a flow.
#[test]
fn chunks_that_freeze_just_after_moisture_has_passed_their_faces_leave_the_account_right() {
    for seed in [4, 15, 28] {
        let mut rng = Rng::with_seed(seed);
        let (palette, rules) = (Palette::natural(), Rules { soil_period: 1, ..Rules::default() });
        let soil = palette.id("soil").unwrap();
        let mut world = World::new(7, palette, rules).unwrap();
        let chunk = |number: i32| IVec3::new(number % 3, number / 6, number / 3 % 2);
        for number in 0..12 {
            let moisture: [u32; CHUNK_CELLS] = core::array::from_fn(|_| match rng.u16(..) {
                0..60 => rng.u32(0..300 << 16),
                _ => 0,
            });
            let moisture = Some(Chunk::from_cells(&moisture));
            let content = ChunkContent { moisture, ..Chunk::uniform(soil).into() };
            world.insert_chunk(chunk(number).into(), content).unwrap();
        }
        for _ in 0..150 {
            let at = [chunk(rng.i32(0..12)).into()];
            _ = if rng.u8(..3) == 0 { world.freeze(at) } else { world.thaw(at) };
            world.step();
        }
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
    }
}

/// For the others, a frozen chunk is one that is not loaded, behind an edge that holds water.
#[test]
fn water_and_moisture_continue_as_if_frozen_chunks_were_not_loaded() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        assert_eq!(rules().water.edges.unloaded, water::Edge::Held);
        let mut world = random_world(&mut rng.clone(), rules());
        let mut without = random_world(&mut rng, rules());
        let all = chunks(&world);
        let still = all[rng.usize(..all.len())];
        freeze(&mut world, vec![still]);
        without.remove_chunks([still]).unwrap();
        for _ in 0..8 {
            world.step();
            without.step();
        }
        for cell in all.iter().filter(|&&chunk| chunk != still).flat_map(|&chunk| {
            world.bounds().intersection(&Cube::region_of(chunk)).unwrap().positions()
        }) {
            let looks = [&world, &without].map(|world| (world.units(cell), world.moisture(cell)));
            assert_eq!(looks[0], looks[1], "seed {seed}, {cell}");
        }
        assert_eq!(world.validate(), Ok(()), "seed {seed}");
    }
}

/// Edits that waited in the queue of the world were made once more in each call.
#[test]
fn a_simulation_distance_looks_at_the_queue_of_the_world() {
    let palette = Palette::natural();
    let air = palette.id("air").unwrap();
    let mut world = World::new(7, palette, Rules::default()).unwrap();
    let row = Region::new(IVec3::ZERO, IVec3::new(9, 0, 0)).positions().map(ChunkPos::from);
    world.insert_chunks(row.map(|at| (at, ChunkContent::from_fn(at, |_| air)))).unwrap();
    let distance = SimulationDistance::new([Ring::always(2)]).unwrap().with_hysteresis(0);
    let mut switched = 0;
    for _ in 0..10 {
        for edit in distance.edits(&world, &[ChunkPos::ZERO]) {
            let Edit::Water(water::Edit::Freeze(chunks)) = &edit else { panic!("{edit:?}") };
            switched += chunks.len();
            world.queue(edit);
        }
    }
    assert_eq!((switched, world.queued_edits().len()), (7, 1));
    world.step();
    assert_eq!(world.water().frozen_chunks().count(), 7);
    // What is queued to go is not frozen, what is queued to come is.
    world.queue(Edit::RemoveChunk(ChunkPos::new(1, 0, 0)));
    world.queue(Edit::Water(water::Edit::Thaw(vec![ChunkPos::new(9, 0, 0)])));
    let edits = distance.edits(&world, &[ChunkPos::ZERO]);
    assert_eq!(edits, [Edit::Water(water::Edit::Freeze(vec![ChunkPos::new(9, 0, 0)]))]);
    assert!(distance.edits(&world, &[ChunkPos::new(9, 0, 0)]).len() == 2);
}

/// Charges near the players held the distance at its shortest, though little water was awake.
#[test]
fn awake_chunks_near_the_players_do_not_shorten_the_distance() {
    let palette = Palette::natural();
    let [air, rock] = ["air", "rock"].map(|name| palette.id(name).unwrap());
    let mut world = World::new(7, palette, Rules::default()).unwrap();
    let row = Region::new(IVec3::ZERO, IVec3::new(9, 0, 0)).positions().map(ChunkPos::from);
    let content = |at| ChunkContent::from_heights(at, |_, _| 3, |_| rock, air);
    world.insert_chunks(row.map(|at| (at, content(at)))).unwrap();
    world.run(40);
    let distance = SimulationDistance::new([Ring::always(6)]).unwrap();
    assert_eq!(distance.far_share(&world, &[ChunkPos::ZERO]), 0.0);
    world.charge(IVec3::new(8, 8, 8), 3.0, 400.0).unwrap();
    world.rain(IVec3::new(130, 15, 8), 5).unwrap();
    let share = distance.far_share(&world, &[ChunkPos::ZERO]);
    assert!(share > 0.0 && share < 0.05, "{share}");
    assert!(distance.far_share(&world, &[ChunkPos::new(9, 0, 0)]) > 0.95);
    assert_eq!(distance.far_share(&world, &[]), 1.0);
}

/// Cells of soil counted as cells of water do, though a step of 4,096 costs as much as the visit of
/// 28 of these: springs far away were 0.93 of the time beside soil near a player, and 0.07 by that.
#[test]
fn water_that_is_far_away_is_to_blame_beside_soil_that_is_near() {
    let palette = Palette::natural();
    let [air, rock, soil] = ["air", "rock", "soil"].map(|name| palette.id(name).unwrap());
    let mut world = World::new(7, palette, Rules::default()).unwrap();
    let row = Region::new(IVec3::ZERO, IVec3::new(20, 0, 0)).positions().map(ChunkPos::from);
    let ground = |at: IVec3| if at.x < 2 { soil } else { rock };
    let content = |at| ChunkContent::from_heights(at, |_, _| 3, |_| ground(at.into()), air);
    world.insert_chunks(row.map(|at| (at, content(at)))).unwrap();
    for x in [8, 24] {
        world.apply(soil_edit(IVec3::new(x, 2, 8))).unwrap();
    }
    (0..40).for_each(|x| _ = world.add_source(IVec3::new(170 + 4 * x, 4, 8)).unwrap());
    world.run(8);
    assert!(world.soil().awake_cells() >= 2 * 4096, "soil near the player is awake");
    let distance = SimulationDistance::new([Ring::always(6)]).unwrap();
    let share = distance.far_share(&world, &[ChunkPos::ZERO]);
    assert!(share > 0.5, "{share}");
}

fn soil_edit(cell: IVec3) -> Edit {
    Edit::Soil(floodplain::humidity::Edit::SetHumidity { cell, humidity: 900.0 })
}
