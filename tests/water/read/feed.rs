//! The feed of changes: mirrors have the heights and the ground of the world, causes are those of
//! the changes, and any bytes are an update or an error.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::testing::look;
use floodplain::water::{
    Cause, ChunkEvent, ChunkUpdate, Edge, Edit, Feed, Mirror, MirrorError, Rules, Update, Voxel,
    WaterCell, WaterWorld,
};
use floodplain::{Chunk, ChunkPos, Cube, DecodeError, DecodeProblem, Face, Format, Region, Shape};
use support::edit_bytes::parsed_update;
use support::worlds;

fn bounds() -> Region {
    Region::new(IVec3::new(-18, -16, -7), IVec3::new(17, 3, 15))
}

/// Compares every cell, and the chunks that the mirror holds.
fn check(mirror: &Mirror, world: &WaterWorld, is_followed: impl Fn(ChunkPos) -> bool, at: &str) {
    let loaded = world.chunks().map(|(position, _)| position).filter(|&chunk| is_followed(chunk));
    assert_eq!(mirror.chunks(), loaded.collect::<Vec<_>>(), "{at}");
    assert_eq!(mirror.ticks(), world.ticks(), "{at}");
    for cell in bounds().positions().filter(|&cell| is_followed(Cube::chunk_of(cell))) {
        let (copied, voxel) = (mirror.look(cell), world.voxel(cell));
        assert_eq!(mirror.units(cell), world.units(cell), "{at}: {cell}");
        assert_eq!(mirror.is_solid(cell), world.is_solid(cell), "{at}: {cell}");
        assert_eq!(copied.is_some(), voxel.is_some(), "{at}: {cell}");
        let passing = voxel.and_then(look).and_then(|(_, passing)| passing);
        let copied = copied.and_then(|look| look.passing().zip(look.direction()));
        assert_eq!(copied, passing, "{at}: {cell}");
    }
}

fn position(rng: &mut Rng) -> IVec3 {
    let (min, max) = (bounds().min(), bounds().max());
    IVec3::new(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z))
}

/// One edit, made at once or queued, or one of a chunk that comes, goes, or is loaded anew.
fn edit(world: &mut WaterWorld, rng: &mut Rng) {
    let chunk = Cube::chunk_of(position(rng));
    let voxels = [Voxel::OPEN, Voxel::SOLID, Voxel::water(WaterCell::STILL)];
    let new = Chunk::uniform(voxels[rng.usize(..3)]);
    match rng.u8(..8) {
        0 => _ = world.insert_chunk(chunk, new),
        1 if world.remove_chunk(chunk).is_ok() => {
            world.insert_chunk(chunk, new).expect("it was removed");
        }
        2 => _ = world.queue(Edit::ClearSolid(position(rng))),
        3 => _ = world.queue(Edit::Pour { cell: position(rng), units: 7 }),
        4 => _ = world.queue(Edit::InsertChunk { position: chunk, chunk: new }),
        _ => worlds::edit_water(world, rng),
    }
}

/// What goes over the network.
fn sent(update: &Update, seed: u64) -> Update {
    let received = Update::from_bytes(&update.to_bytes());
    assert_eq!(received.as_ref(), Ok(update), "seed {seed}");
    received.expect("it is the update")
}

fn loaded(world: &WaterWorld) -> Vec<ChunkPos> {
    world.chunks().map(|(position, _)| position).collect()
}

/// Some follow from the beginning, some join late, some follow a part of the world; updates are
/// taken at any moment, also in the middle of a tick.
#[test]
fn mirrors_have_the_heights_and_the_ground_of_the_world() {
    let (mut changed, mut loads, mut unloads, mut joins) = (0, 0, 0, 0);
    for seed in 0..10 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water_within(seed, bounds());
        let mut feed = Feed::new(&mut world);
        let is_west = |chunk: ChunkPos| chunk.x < 0;
        let join = |feed: &mut Feed, world: &WaterWorld, is_followed: &dyn Fn(ChunkPos) -> bool| {
            let mut mirror = Mirror::new(100);
            let whole = feed.whole(world, loaded(world)).only(is_followed);
            mirror.apply(&sent(&whole, seed)).expect("whole chunks");
            mirror
        };
        let mut mirror = join(&mut feed, &world, &|_| true);
        let mut west = join(&mut feed, &world, &is_west);
        let mut late = mirror.clone();
        for round in 0..40 {
            let at = format!("seed {seed}, round {round}");
            (0..rng.usize(..3)).for_each(|_| edit(&mut world, &mut rng));
            match rng.u8(..3) {
                0 => _ = world.step_within(rng.u64(..600)),
                1 => _ = world.run(rng.u64(..4)),
                _ => {}
            }
            if rng.u8(..4) == 0 {
                late = join(&mut feed, &world, &|_| true);
                check(&late, &world, |_| true, &at);
                joins += 1;
            }
            let update = sent(&feed.take(&mut world), seed);
            mirror.apply(&update).expect("the next update");
            late.apply(&update).expect("the next update");
            west.apply(&sent(&update.only(is_west), seed)).expect("the next update");
            check(&mirror, &world, |_| true, &at);
            check(&late, &world, |_| true, &at);
            check(&west, &world, is_west, &at);
            let of = |event| update.chunks().iter().filter(move |chunk| chunk.event == event);
            changed += of(ChunkEvent::Changed).map(|chunk| chunk.cells().len()).sum::<usize>();
            loads += of(ChunkEvent::Loaded).count();
            unloads += of(ChunkEvent::Unloaded).count();
        }
    }
    assert!(
        changed > 3_000 && loads > 16 && unloads > 6 && joins > 30,
        "{changed} cells changed, {loads} chunks loaded, {unloads} unloaded, {joins} joins"
    );
}

/// Returns whether water leaves the world from a cell: below, beside or above it is a drain.
fn drains(world: &WaterWorld, cell: IVec3) -> bool {
    let edges = world.rules().edges;
    Face::ALL.into_iter().any(|face| {
        let there = cell + face.offset();
        if !world.bounds().contains(there) {
            edges.outer[face.index()] == Edge::Drain
        } else {
            world.voxel(there).is_none() && edges.unloaded == Edge::Drain
        }
    })
}

/// Returns the faces of the chunk that its cells lie at.
fn faces(update: &ChunkUpdate) -> Vec<Face> {
    let cells: Vec<IVec3> =
        update.cells().iter().map(|index| Cube::cell_at(update.position, index)).collect();
    let is_at = |face: &Face| {
        let is_beyond = |&cell: &IVec3| Cube::chunk_of(cell + face.offset()) != update.position;
        cells.iter().any(is_beyond)
    };
    Face::ALL.into_iter().filter(is_at).collect()
}

#[test]
fn causes_and_faces_are_those_of_the_changes() {
    let mut counts = [0; 4];
    for seed in 0..32 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water_within(seed, bounds());
        let mut feed = Feed::new(&mut world);
        for _ in 0..40 {
            let is_edited = rng.bool();
            let known = loaded(&world);
            if is_edited {
                worlds::edit_water(&mut world, &mut rng);
            } else {
                world.step();
            }
            let update = feed.take(&mut world);
            for chunk in update.chunks() {
                assert_eq!(chunk.faces().collect::<Vec<_>>(), faces(chunk), "seed {seed}");
                match chunk.event {
                    ChunkEvent::Unloaded => assert!(known.contains(&chunk.position)),
                    ChunkEvent::Loaded => panic!("seed {seed}: no chunk was loaded"),
                    ChunkEvent::Changed => {}
                }
                for span in &chunk.spans {
                    for cell in span.indices().map(|index| Cube::cell_at(chunk.position, index)) {
                        let cause = match (is_edited, drains(&world, cell)) {
                            (true, _) => Cause::Edit,
                            (false, true) => Cause::Drain,
                            (false, false) => Cause::Flow,
                        };
                        assert_eq!(span.cause, cause, "seed {seed}: {cell}");
                        counts[cause as usize] += 1;
                    }
                }
            }
        }
    }
    assert!(counts[..3].iter().all(|&count| count > 500), "{counts:?}");
}

/// A feed that is not read holds up nobody, and each refusal leaves the mirror as it was.
#[test]
fn a_mirror_refuses_what_does_not_come_next() {
    let mut world = worlds::water_within(5, bounds());
    let mut feed = Feed::new(&mut world);
    let all = loaded(&world);
    let mut mirror = Mirror::new(all.len());
    let first = feed.take(&mut world);
    assert_eq!(mirror.apply(&first), Err(MirrorError::NotJoined { found: 1 }));
    assert_eq!((mirror.number(), mirror.chunks()), (None, vec![]));

    let old = feed.whole(&world, all.iter().copied());
    mirror.apply(&old).expect("whole chunks");
    assert_eq!(mirror.apply(&first), Err(MirrorError::Gap { expected: 2, found: 1 }));
    world.run(3);
    let (second, third) = (feed.take(&mut world), feed.take(&mut world));
    assert_eq!(mirror.apply(&third), Err(MirrorError::Gap { expected: 2, found: 3 }));
    // Some of the chunks do not make up for what was missed, all of them do.
    let some = feed.whole(&world, all[1..].iter().copied());
    assert_eq!(mirror.apply(&some), Err(MirrorError::Gap { expected: 2, found: 3 }));
    assert_eq!(mirror.number(), Some(1));
    let mut again = mirror.clone();
    mirror.apply(&feed.whole(&world, mirror.chunks())).expect("all chunks");
    assert_eq!(mirror.apply(&old), Err(MirrorError::Gap { expected: 4, found: 1 }));
    for update in [&second, &third] {
        again.apply(update).expect("the next update");
    }
    for mirror in [&mirror, &again] {
        check(mirror, &world, |_| true, "after the gap");
    }

    world.remove_chunk(all[0]).expect("loaded");
    feed.take(&mut world);
    let whole = feed.whole(&world, all.iter().copied());
    assert_eq!(whole.chunks()[0].event, ChunkEvent::Unloaded);
    mirror.apply(&whole).expect("all chunks");
    check(&mirror, &world, |_| true, "after a chunk was unloaded");
    let error = MirrorError::TooManyChunks { most: 1, wanted: all.len() - 1 };
    assert_eq!(Mirror::new(1).apply(&whole), Err(error));
}

/// A chunk that comes and goes between two updates, and is shown to a client that joins meanwhile,
/// stayed there for ever.
#[test]
fn a_chunk_that_was_shown_is_unloaded_on_the_client_too() {
    let open = || Chunk::uniform(Voxel::OPEN);
    let mut world = WaterWorld::new(7, Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, open()).unwrap();
    let mut feed = Feed::new(&mut world);
    let (mut first, mut second) = (Mirror::new(9), Mirror::new(9));
    first.apply(&feed.whole(&world, loaded(&world))).unwrap();
    world.insert_chunk(ChunkPos::new(1, 0, 0), open()).unwrap();
    second.apply(&feed.whole(&world, loaded(&world))).unwrap();
    world.remove_chunk(ChunkPos::new(1, 0, 0)).unwrap();
    let update = feed.take(&mut world);
    for mirror in [&mut first, &mut second] {
        mirror.apply(&update).unwrap();
        assert_eq!(mirror.chunks(), [ChunkPos::ZERO]);
    }
    // One that stays is told to those who have not been shown it.
    world.insert_chunk(ChunkPos::new(1, 0, 0), open()).unwrap();
    second.apply(&feed.whole(&world, loaded(&world))).unwrap();
    let update = feed.take(&mut world);
    for mirror in [&mut first, &mut second] {
        mirror.apply(&update).unwrap();
        assert_eq!(mirror.chunks(), [ChunkPos::ZERO, ChunkPos::new(1, 0, 0)]);
    }
}

/// Each of several feeds, read at its own moments, tells all, and so does `take_changes` beside
/// them: it lists what it does in a twin without feeds, also once the world was saved and loaded.
#[test]
fn feeds_and_lists_of_changes_take_nothing_from_each_other() {
    let mut listed = 0;
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let [mut world, mut twin] = [(); 2].map(|()| worlds::water_within(seed, bounds()));
        assert_eq!(world.take_changes(), twin.take_changes());
        let mut often = Feed::new(&mut world);
        let (mut first, mut second) = (Mirror::new(100), Mirror::new(100));
        first.apply(&often.whole(&world, loaded(&world))).unwrap();
        let mut rarely = Feed::new(&mut world);
        second.apply(&rarely.whole(&world, loaded(&world))).unwrap();
        for round in 0..20 {
            edit(&mut twin, &mut rng.clone());
            edit(&mut world, &mut rng);
            let ticks = rng.u64(..3);
            [&mut world, &mut twin].into_iter().for_each(|world| _ = world.run(ticks));
            first.apply(&often.take(&mut world)).unwrap();
            let at = format!("seed {seed}, round {round}");
            check(&first, &world, |_| true, &at);
            if rng.u8(..4) == 0 {
                second.apply(&rarely.take(&mut world)).unwrap();
                check(&second, &world, |_| true, &at);
            }
            if rng.u8(..4) == 0 {
                let mut loaded = WaterWorld::load(&world.save()).unwrap();
                let changes = twin.take_changes();
                assert_eq!(loaded.take_changes(), changes, "{at}");
                assert_eq!(world.take_changes(), changes, "{at}");
                assert_eq!(world.take_changes(), [], "{at}");
                listed += changes.len();
            }
        }
        drop((often, rarely));
        world.run(3);
        twin.run(3);
        assert_eq!(world.take_changes(), twin.take_changes(), "seed {seed}: without feeds again");
    }
    assert!(listed > 25, "{listed} chunks were listed");
}

/// A client that walks is sent what comes into sight and the changes of what is in sight. What it
/// leaves behind must not stay with it as it was.
#[test]
fn a_client_that_walks_forgets_what_it_leaves_behind() {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    let row = (0..40).map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN)));
    world.insert_chunks(row).unwrap();
    let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(5));
    mirror.apply(&feed.whole(&world, [])).unwrap();
    for player in 2..38 {
        let is_near = |chunk: ChunkPos| (player - 2..=player + 2).contains(&chunk.x);
        mirror.retain(is_near);
        let near = (player - 2..=player + 2).map(|x| ChunkPos::new(x, 0, 0));
        let new: Vec<ChunkPos> = near.filter(|&chunk| mirror.chunk(chunk).is_none()).collect();
        world.pour(IVec3::new(player * 16, 15, 8), 7).unwrap();
        world.step();
        mirror.apply(&feed.take(&mut world).only(is_near)).unwrap();
        mirror.apply(&feed.whole(&world, new)).unwrap();
        assert_eq!(mirror.chunks().len(), 5, "at {player}");
        for chunk in mirror.chunks() {
            for cell in Cube::region_of(chunk).positions() {
                assert_eq!(mirror.units(cell), world.units(cell), "at {player}: {cell}");
            }
        }
    }
}

/// Such an update was read as one of a chunk in which nothing changes, and sent on as one of a
/// chunk that is unloaded.
#[test]
fn a_cause_without_cells_is_refused() {
    let (number, ticks, chunks, position, edit, end) = (1, 9, 1, [1, 1, 1], 8, 255);
    let bytes = [&[1, 0, number, ticks, chunks], &position[..], &[edit, end]].concat();
    let wanted = "a cell with this cause";
    let problem = DecodeProblem::Value { wanted, found: Some(end.into()) };
    let error = DecodeError { format: Format::Update, at: 9, problem };
    assert_eq!(Update::from_bytes(&bytes), Err(error));
}

#[test]
fn any_bytes_are_an_update_or_an_error_that_names_the_place() {
    let mut read = 0;
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed % 20);
        let mut feed = Feed::new(&mut world);
        worlds::edit_water(&mut world, &mut rng);
        world.run(rng.u64(..3));
        let all = loaded(&world);
        let update = if rng.bool() { feed.take(&mut world) } else { feed.whole(&world, all) };
        let mut bytes = update.to_bytes();
        for _ in 0..rng.usize(..4) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.insert(at, rng.u8(..)),
                2 => _ = bytes.splice(at..at, [rng.u8(..); 12]),
                _ => bytes[at] = rng.u8(..),
            }
        }
        read += usize::from(parsed_update(&bytes).is_some());
    }
    assert!((50..350).contains(&read), "{read} of 400 were read");
}
