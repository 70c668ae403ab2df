//! The feed of changes: mirrors have the materials, the water and the moisture of the world, what
//! broke is told once, and any bytes are an update or an error.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::water::{ChunkEvent, FlowField, MirrorError, SurfaceMesh, WaterView};
use floodplain::world::{
    Broken, Edit, Feed, MOISTURE_STEP, MaterialId, Mirror, Rules, Update, World, WorldView,
};
use floodplain::{ChunkChanges, ChunkPos, Cube, Face, Region, Shape};
use support::edit_bytes::parsed_world_update;
use support::world::apart::{random_edit, random_world};
use support::world::feed::{assert_mirrored, assert_mirrors, joined, sent};
use support::world::{id, palette, rules, world};

/// What happened in all runs.
#[derive(Debug, Default)]
struct Counts {
    materials: usize,
    moisture: usize,
    chunks: usize,
    events: usize,
}

/// One edit, made at once or queued, or one of a chunk that comes, goes, or is put back.
fn edit(world: &mut World, rng: &mut Rng, gone: &mut Vec<Edit>) {
    let bounds = world.bounds();
    let size = bounds.size().map(|side| side as i32);
    let cell = bounds.min() + IVec3::from_array(size.map(|side| rng.i32(0..side)));
    let material = MaterialId(rng.u8(..palette().len() as u8));
    let edit = match rng.u8(..12) {
        0..=3 => Edit::SetMaterial { cell, material },
        4 => Edit::FillMaterial {
            region: Region::new(cell, cell.min(bounds.max() - 2) + 2),
            material,
        },
        5 | 10 => Edit::RemoveChunks(vec![Cube::chunk_of(cell)]),
        6 | 7 if !gone.is_empty() => gone.swap_remove(rng.usize(..gone.len())),
        8 => Edit::Rain { from: cell, units: 40 },
        9 => Edit::Charge { centre: cell, radius: 4.0, pressure: 300.0 },
        _ => random_edit(rng, bounds),
    };
    if rng.bool() && !matches!(edit, Edit::RemoveChunks(_)) {
        world.queue(edit);
    } else if let Ok(floodplain::world::Outcome::Records(records)) = world.apply(edit) {
        gone.push(Edit::InsertRecords(records));
    }
}

/// Some follow from the beginning, some join late, some follow a part of the world; updates are
/// taken at any moment, also in the middle of a tick. A twin without a feed has the same events.
fn mirrors_follow(seed: u64, counts: &mut Counts) {
    let mut rng = Rng::with_seed(seed);
    let rules = Rules { blast_steps: 6, ..rules() };
    let mut twin = random_world(&mut rng.clone(), rules);
    let mut world = random_world(&mut rng, rules);
    let (bounds, is_west) = (world.bounds(), |chunk: ChunkPos| chunk.x < 0);
    let mut feed = Feed::new(&mut world);
    let mut mirror = joined(&mut feed, &world);
    let mut west = Mirror::new(100);
    let all = world.chunks().map(|(chunk, _)| chunk).collect::<Vec<_>>();
    west.apply(&feed.whole(&world, all).only(is_west)).unwrap();
    let mut late = mirror.clone();
    let (mut gone, mut gone_of_twin) = (Vec::new(), Vec::new());
    let (mut told, mut happened): (Vec<Broken>, Vec<Broken>) = Default::default();
    for _ in 0..20 {
        for _ in 0..rng.usize(..3) {
            edit(&mut twin, &mut rng.clone(), &mut gone_of_twin);
            edit(&mut world, &mut rng, &mut gone);
        }
        let (budget, ticks) = (rng.u64(..3_000), rng.u64(..4));
        for world in [&mut world, &mut twin] {
            if budget % 3 == 0 { _ = world.step_within(budget) } else { _ = world.run(ticks) }
        }
        let update = sent(&feed.take(&mut world));
        mirror.apply(&update).unwrap();
        late.apply(&update).unwrap();
        west.apply(&sent(&update.only(is_west))).unwrap();
        if rng.u8(..4) == 0 {
            late = joined(&mut feed, &world);
        }
        assert_mirrors(&mirror, &world, bounds);
        assert_mirrors(&late, &world, bounds);
        let is_followed = |cell: &IVec3| is_west(Cube::chunk_of(*cell));
        for cell in bounds.positions().filter(is_followed) {
            assert_mirrored(&west, &world, cell);
        }
        told.extend(update.events());
        happened.extend(twin.take_events());
        assert_eq!(told, happened, "seed {seed}");
        check_shape(&update);
        count(&update, counts);
    }
    counts.events += told.len();
    assert_eq!(world.state_hash(), twin.state_hash(), "a feed changes nothing");
}

/// Faces are those of the cells, and the changes are those of all parts.
fn check_shape(update: &Update) {
    let changes = update.changes();
    for chunk in update.ground() {
        let cells = chunk.cells();
        let is_at = |face: &Face| {
            let mut at = cells.iter().map(|index| Cube::cell_at(chunk.position, index));
            at.any(|cell| Cube::chunk_of(cell + face.offset()) != chunk.position)
        };
        assert!(chunk.faces().eq(Face::ALL.into_iter().filter(is_at)));
        let all = changes.iter().find(|changes| changes.chunk == chunk.position).unwrap();
        assert!(cells.iter().all(|index| all.cells.contains(index)));
    }
    for chunk in update.water().chunks() {
        let all = changes.iter().find(|changes| changes.chunk == chunk.position).unwrap();
        assert!(chunk.cells().iter().all(|index| all.cells.contains(index)));
    }
}

fn count(update: &Update, counts: &mut Counts) {
    let chunks = update.water().chunks().iter();
    counts.chunks += chunks.filter(|chunk| chunk.event != ChunkEvent::Changed).count();
    for chunk in update.ground() {
        counts.materials += chunk.materials.len();
        counts.moisture += chunk.moisture.len();
    }
}

#[test]
fn mirrors_have_the_materials_the_water_and_the_moisture_of_the_world() {
    let mut counts = Counts::default();
    (0..4).for_each(|seed| mirrors_follow(seed, &mut counts));
    let Counts { materials, moisture, chunks, events } = counts;
    assert!(materials > 500 && moisture > 5_000 && chunks > 12 && events > 10, "{counts:?}");
}

/// Moisture changes in nearly every tick, but is sent only when it has come to another step.
#[test]
fn moisture_is_sent_when_it_reaches_another_step() {
    let bounds = Region::new(IVec3::ZERO, IVec3::splat(15));
    let mut world = world(7, rules(), bounds);
    world.run(10);
    let mut feed = Feed::new(&mut world);
    let cell = IVec3::new(8, 0, 8);
    let set = |world: &mut World, humidity| {
        let edit = floodplain::humidity::Edit::SetHumidity { cell, humidity };
        world.apply(Edit::Soil(edit)).unwrap();
    };
    set(&mut world, 7.99);
    assert!(feed.take(&mut world).ground().is_empty());
    set(&mut world, 16.0);
    let update = feed.take(&mut world);
    let [chunk] = update.ground() else { panic!("{update:?}") };
    assert_eq!((chunk.materials.len(), chunk.moisture.len()), (0, 1));
    assert_eq!((chunk.moisture[0].value, chunk.moisture[0].cells), (2 * MOISTURE_STEP, 1));
    let (mut changed, mut told) = (0, 0);
    for _ in 0..200 {
        set(&mut world, 300.0);
        world.step();
        let before = world.soil().awake_cells();
        changed += before;
        told += feed.take(&mut world).ground().len();
    }
    assert!(told > 0 && told * 40 < changed, "{told} of {changed}");
    world.set_material(cell, id("rock")).unwrap();
    let update = feed.take(&mut world);
    let chunk = &update.ground()[0];
    assert_eq!((chunk.materials[0].value, chunk.moisture[0].value), (id("rock"), 0));
}

#[test]
fn a_mirror_refuses_what_does_not_come_next() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
    let mut world = world(7, rules(), bounds);
    let mut feed = Feed::new(&mut world);
    let mut mirror = Mirror::new(2);
    let first = feed.take(&mut world);
    assert_eq!(mirror.apply(&first), Err(MirrorError::NotJoined { found: 1 }));
    let mut mirror = joined(&mut feed, &world);
    world.set_material(IVec3::ZERO, id("rock")).unwrap();
    let missed = feed.take(&mut world);
    world.rain(IVec3::new(20, 9, 3), 5).unwrap();
    let next = feed.take(&mut world);
    assert_eq!(mirror.apply(&next), Err(MirrorError::Gap { expected: 2, found: 3 }));
    assert_eq!(mirror.material(IVec3::ZERO), Some(id("soil")), "unchanged");
    let mut again = mirror.clone();
    mirror.apply(&feed.whole(&world, mirror.chunks())).unwrap();
    again.apply(&missed).unwrap();
    again.apply(&next).unwrap();
    assert_mirrors(&mirror, &world, bounds);
    assert_mirrors(&again, &world, bounds);
    assert_eq!(mirror.chunk(ChunkPos::new(1, 0, 0)).map(|chunk| chunk.get(0)), Some(id("soil")));
    let whole = feed.whole(&world, mirror.chunks());
    let error = MirrorError::TooManyChunks { most: 1, wanted: 2 };
    assert_eq!(Mirror::new(1).apply(&whole), Err(error));
}

/// The material and moisture of each cell, the meshes of water, and the solid cells of chunks.
type Drawn = (Vec<(Option<MaterialId>, u32)>, Vec<SurfaceMesh>, usize);

/// What a renderer reads of ground and of water, of a world or of its mirror.
fn drawn<W: WorldView>(world: &W, cells: Region, flow: &mut FlowField) -> Drawn {
    flow.update(world.water());
    let ground =
        cells.positions().map(|cell| (world.material(cell), world.moisture(cell) / MOISTURE_STEP));
    let chunks: Vec<ChunkPos> =
        Region::new(cells.min() >> 4, cells.max() >> 4).positions().map(ChunkPos::from).collect();
    let meshes = chunks.iter().map(|&chunk| world.water().surface_mesh(chunk, Some(flow)));
    let solid = chunks.iter().filter_map(|&chunk| world.materials(chunk));
    let solid =
        solid.map(|chunk| (0..4096).filter(|&cell| chunk.get(cell) != MaterialId(0)).count());
    (ground.collect(), meshes.collect(), solid.sum())
}

#[test]
fn a_mirror_is_drawn_as_its_world_with_its_ground() {
    let (mut triangles, mut solid) = (0, 0);
    for seed in 0..4 {
        let mut rng = Rng::with_seed(seed);
        let mut world = random_world(&mut rng, rules());
        let mut feed = Feed::new(&mut world);
        feed.send_currents();
        let mut mirror = joined(&mut feed, &world);
        let [mut flow, mut copied] = [(); 2].map(|()| FlowField::new());
        for _ in 0..6 {
            edit(&mut world, &mut rng, &mut Vec::new());
            world.run(rng.u64(..3));
            mirror.apply(&sent(&feed.take(&mut world))).unwrap();
            let here = drawn(&world, world.bounds(), &mut flow);
            let there = drawn(&mirror, world.bounds(), &mut copied);
            assert!(here == there, "seed {seed}: {here:?} is drawn as {there:?}");
            triangles += here.1.iter().map(|mesh| mesh.indices.len() / 3).sum::<usize>();
            solid += here.2;
        }
    }
    assert!(triangles > 100 && solid > 1_000, "{triangles} triangles, {solid} solid cells");
}

/// A feed that was made after the first call for the list of events took all events from it, until
/// the next call.
#[test]
fn a_feed_made_after_the_first_call_takes_no_event_from_the_list() {
    let new = || {
        let bounds = Region::new(IVec3::ZERO, IVec3::splat(15));
        let mut world = world(1, rules(), bounds);
        let wall = Region::new(IVec3::new(3, 3, 3), IVec3::new(9, 5, 9));
        world.fill_material(wall, id("glass")).unwrap();
        assert_eq!(world.take_events(), []);
        world.charge(IVec3::new(6, 8, 6), 4.0, 900.0).unwrap();
        world
    };
    let (mut twin, mut world) = (new(), new());
    let mut feed = Feed::new(&mut world);
    let mut told = Vec::new();
    for _ in 0..6 {
        [&mut world, &mut twin].into_iter().for_each(|world| _ = world.step());
        told.extend(feed.take(&mut world).events().to_vec());
    }
    let events = twin.take_events();
    assert!(events.len() > 20, "{} cells broke", events.len());
    assert!(told == events && world.take_events() == events);
}

/// As of water alone, and with what broke.
#[test]
fn feeds_and_lists_take_nothing_from_each_other() {
    let (mut broke, mut listed) = (0, 0);
    for seed in 0..2 {
        let mut rng = Rng::with_seed(seed);
        let rules = Rules { blast_steps: 6, ..rules() };
        let mut twin = random_world(&mut rng.clone(), rules);
        let mut world = random_world(&mut rng, rules);
        let (bounds, mut gone, mut gone_of_twin) = (world.bounds(), Vec::new(), Vec::new());
        assert_eq!(world.take_events(), twin.take_events());
        assert_eq!(world.take_changes(), twin.take_changes());
        let [mut often, mut rarely] = [(); 2].map(|()| Feed::new(&mut world));
        let (mut first, mut second) = (joined(&mut often, &world), joined(&mut rarely, &world));
        let (mut told, mut happened): (Vec<Broken>, Vec<Broken>) = Default::default();
        for _ in 0..16 {
            edit(&mut twin, &mut rng.clone(), &mut gone_of_twin);
            edit(&mut world, &mut rng, &mut gone);
            let ticks = rng.u64(..4);
            [&mut world, &mut twin].into_iter().for_each(|world| _ = world.run(ticks));
            let update = often.take(&mut world);
            told.extend(update.events());
            first.apply(&update).unwrap();
            if rng.u8(..3) == 0 {
                assert_mirrors(&first, &world, bounds);
                second.apply(&rarely.take(&mut world)).unwrap();
                assert_mirrors(&second, &world, bounds);
                let changes = twin.take_changes();
                listed += changes.len();
                // Besides, it may list pressure that is gone: its chunk drops its own list.
                let all = world.take_changes();
                for ChunkChanges { chunk, cells } in changes {
                    let here = all.iter().find(|changes| changes.chunk == chunk);
                    let has = |index| here.is_some_and(|here| here.cells.contains(index));
                    assert!(cells.iter().all(has), "seed {seed}: {chunk}");
                }
                assert_eq!(world.take_changes(), [], "seed {seed}");
            }
            if rng.bool() {
                let events = twin.take_events();
                assert_eq!(world.take_events(), events, "seed {seed}");
                happened.extend(events);
            }
        }
        happened.extend(twin.take_events());
        assert_eq!(told, happened, "seed {seed}");
        broke += told.len();
    }
    assert!(broke > 0 && listed > 10, "{broke} cells broke, {listed} chunks were listed");
}

/// As of water alone; ground and moisture go with the chunk.
#[test]
fn a_chunk_that_was_shown_is_unloaded_on_the_client_too() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
    let mut world = world(7, rules(), bounds);
    let mut records = world.remove_chunks([ChunkPos::new(1, 0, 0)]).unwrap();
    let mut feed = Feed::new(&mut world);
    world.insert_records(core::mem::take(&mut records)).unwrap();
    let mut mirror = joined(&mut feed, &world);
    assert_eq!(mirror.chunks(), [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)]);
    world.remove_chunks([ChunkPos::new(1, 0, 0)]).unwrap();
    mirror.apply(&feed.take(&mut world)).unwrap();
    assert_eq!(
        (mirror.chunks(), mirror.chunk(ChunkPos::new(1, 0, 0)).is_none()),
        (vec![ChunkPos::ZERO], true)
    );
    assert_mirrors(&mirror, &world, bounds);
}

#[test]
fn a_mirror_forgets_the_chunks_named_to_it() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
    let mut world = world(7, rules(), bounds);
    let mut feed = Feed::new(&mut world);
    let mut mirror = joined(&mut feed, &world);
    mirror.retain(|chunk| chunk == ChunkPos::new(1, 0, 0));
    assert_eq!(
        (mirror.chunks(), mirror.material(IVec3::ZERO)),
        (vec![ChunkPos::new(1, 0, 0)], None)
    );
    world.set_material(IVec3::ZERO, id("rock")).unwrap();
    mirror.apply(&feed.take(&mut world)).unwrap();
    assert_eq!(mirror.chunk(ChunkPos::ZERO), None, "its changes are skipped");
    mirror.apply(&feed.whole(&world, [ChunkPos::ZERO])).unwrap();
    assert_mirrors(&mirror, &world, bounds);
}

#[test]
fn any_bytes_are_an_update_or_an_error_that_names_the_place() {
    let mut read = 0;
    for seed in 0..10 {
        let mut rng = Rng::with_seed(seed);
        let mut world = random_world(&mut rng, rules());
        let mut feed = Feed::new(&mut world);
        world.charge(IVec3::new(4, 3, 0), 5.0, 400.0).unwrap();
        _ = world.apply(random_edit(&mut rng, world.bounds()));
        world.run(2);
        let all: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
        let update = if rng.bool() { feed.take(&mut world) } else { feed.whole(&world, all) };
        let whole = update.to_bytes();
        for _ in 0..20 {
            let mut bytes = whole.clone();
            for _ in 0..rng.usize(..4) {
                let at = rng.usize(..bytes.len());
                match rng.u8(..4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes.insert(at, rng.u8(..)),
                    2 => _ = bytes.splice(at..at, [rng.u8(..); 12]),
                    _ => bytes[at] = rng.u8(..),
                }
            }
            read += usize::from(parsed_world_update(&bytes).is_some());
        }
    }
    assert!((25..175).contains(&read), "{read} of 200 were read");
}
