//! Reading a world while a tick is underway: what is read is the world after its last complete
//! tick.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::testing::look;
use floodplain::water::{Ledger, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkChanges, ChunkPos, Cube, Region, Shape, StepReport};
use std::collections::BTreeMap;
use support::worlds;

/// All that can be read of a cell.
type Cell = (Option<Voxel>, u8, bool, IVec3);

/// All that can be read of a world.
type Seen = (Vec<Cell>, Vec<(ChunkPos, Chunk<Voxel>)>, Ledger, u64, usize, u64);

fn seen(world: &WaterWorld) -> Seen {
    let cell = |cell| {
        let voxel = world.voxel(cell);
        assert_eq!(world.cell(cell), voxel.and_then(Voxel::cell), "{cell}");
        (voxel, world.units(cell), world.is_solid(cell), world.current(cell))
    };
    let chunks = world.chunks().map(|(position, chunk)| {
        assert_eq!(world.chunk(position).as_ref(), Some(&chunk), "{position}");
        (position, chunk.into_owned())
    });
    let cells = world.bounds().positions().map(cell).collect();
    assert_eq!(world.ledger().total(), world.total());
    (
        cells,
        chunks.collect(),
        world.ledger(),
        world.ticks(),
        world.awake_cells(),
        world.state_hash(),
    )
}

#[test]
fn queries_in_the_middle_of_a_tick_return_the_world_before_it() {
    let (mut stops, mut moved) = (0, 0);
    for seed in 0..40 {
        let mut world = worlds::water(seed);
        let mut rng = Rng::with_seed(seed);
        for tick in 0..4 {
            let before = seen(&world);
            let most = [1, 30, 300][rng.usize(..3)];
            loop {
                let progress = world.step_within(rng.u64(..most));
                moved += progress.report.moved;
                if progress.finished {
                    break;
                }
                assert!(seen(&world) == before, "seed {seed}, tick {tick}");
                stops += 1;
            }
            worlds::edit_water(&mut world, &mut rng);
        }
    }
    assert!(stops > 1_000 && moved > 10_000, "{stops} stops, {moved} units moved");
}

/// Words from the middle of a tick were refused by `from_word`.
#[test]
fn every_word_that_is_read_in_the_middle_of_a_tick_is_a_voxels() {
    let mut underway = 0;
    for seed in 0..20 {
        let mut world =
            worlds::water_within(seed, Region::new(IVec3::splat(-16), IVec3::splat(15)));
        for _ in 0..60 {
            underway += u32::from(!world.step_within(20).finished);
            for (position, chunk) in world.chunks() {
                for index in 0..floodplain::CHUNK_CELLS {
                    let voxel = chunk.get(index);
                    assert_eq!(
                        Voxel::from_word(voxel.word()),
                        Ok(voxel),
                        "seed {seed}: {}",
                        Cube::cell_at(position, index)
                    );
                }
            }
        }
    }
    assert!(underway > 500, "{underway} ticks underway");
}

/// A chunk that was cloned while a tick was underway differed from the one that was removed, since
/// removing it completes the tick: between two ticks nothing comes in between.
#[test]
fn a_chunk_cloned_after_finishing_the_tick_is_the_one_that_is_removed() {
    let mut done = StepReport::default();
    for seed in 0..40 {
        let region = Region::new(IVec3::splat(-16), IVec3::splat(15));
        let mut world = worlds::water_within(seed, region);
        world.step_within(30);
        let ticks = world.ticks();
        let underway = world.backlog() > 0;
        done += world.finish_tick();
        assert_eq!(world.ticks(), ticks + u64::from(underway), "seed {seed}");
        assert_eq!(world.finish_tick(), StepReport::default(), "seed {seed}");
        let Some((position, cloned)) =
            world.chunks().next().map(|(position, chunk)| (position, chunk.into_owned()))
        else {
            continue;
        };
        let before = world.ledger();
        assert_eq!(world.remove_chunk(position).as_ref(), Ok(&cloned), "seed {seed}");
        let held = |index| u64::from(cloned.get(index).cell().map_or(0, |cell| cell.height()));
        let units = (0..floodplain::CHUNK_CELLS).map(held).sum::<u64>();
        assert_eq!(world.ledger().removed, before.removed + units, "seed {seed}");
    }
    assert!(done.moved > 100, "{done:?}");
}

/// A copy of the chunks of a world, in another process for example, kept up to date by the changes
/// that are listed.
#[derive(Default)]
struct Mirror {
    chunks: BTreeMap<ChunkPos, Chunk<Voxel>>,
}

impl Mirror {
    fn follow(&mut self, world: &WaterWorld, changes: &[ChunkChanges]) {
        for ChunkChanges { chunk, cells } in changes {
            let Some(copy) = self.chunks.get_mut(chunk) else { continue };
            for index in cells.iter() {
                let cell = Cube::cell_at(*chunk, index);
                copy.set(index, world.voxel(cell).expect("a changed cell is loaded"));
            }
        }
    }

    /// Compares with the world as `same` says.
    fn check(&self, world: &WaterWorld, same: impl Fn(Voxel, Voxel) -> bool, seed: u64) {
        for (&position, copy) in &self.chunks {
            let chunk = world.chunk(position).expect("no chunk is removed");
            for index in 0..floodplain::CHUNK_CELLS {
                let (copied, there) = (copy.get(index), chunk.get(index));
                assert!(
                    same(copied, there),
                    "seed {seed}: {copied:?} was copied, {there:?} is at {}",
                    Cube::cell_at(position, index)
                );
            }
        }
    }
}

/// Clients join at any moment: each copies a chunk, and then follows the list of changes. Copies
/// made in the middle of a tick stayed wrong.
#[test]
fn a_client_that_copies_chunks_at_any_moment_and_follows_the_changes_is_exact() {
    let (mut joins, mut followed) = (0, 0);
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let mut world = WaterWorld::new(seed, Rules::lossless()).unwrap();
        for chunk in Region::new(IVec3::splat(-1), IVec3::ZERO).positions() {
            world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN)).unwrap();
        }
        let cell = |rng: &mut Rng| IVec3::from_array([(); 3].map(|()| rng.i32(-16..16)));
        for _ in 0..12 {
            let corner = cell(&mut rng);
            let size = IVec3::new(rng.i32(0..9), rng.i32(0..3), rng.i32(0..9));
            let _ = world.fill_solid(Region::new(corner, (corner + size).min(IVec3::splat(15))));
            let _ = world.add_source(cell(&mut rng));
        }
        let (mut words, mut looks) = (Mirror::default(), Mirror::default());
        for _ in 0..160 {
            if rng.u8(..12) == 0 {
                let at = cell(&mut rng);
                let _ = match rng.u8(..4) {
                    0 => world.set_solid(at).is_ok(),
                    1 => world.clear_solid(at).is_ok(),
                    2 => world.pour(at, 7).is_ok(),
                    _ => world.fill_water(Region::new(at, at.min(cell(&mut rng))), 5).is_ok(),
                };
            }
            world.step_within(rng.u64(..400));
            if rng.u8(..4) == 0 {
                let position = Cube::chunk_of(cell(&mut rng));
                let chunk = world.chunk(position).expect("all are loaded");
                // One follows the list of all changes, the other of those that can be seen.
                for mirror in [&mut words, &mut looks] {
                    mirror.chunks.insert(position, chunk.clone().into_owned());
                }
                joins += 1;
            }
            if rng.u8(..3) == 0 {
                let (all, visible) = (world.take_all_changes(), world.take_changes());
                followed += all.iter().map(|changes| changes.cells.len()).sum::<usize>();
                words.follow(&world, &all);
                looks.follow(&world, &visible);
                words.check(&world, |copied, there| copied == there, seed);
                looks.check(&world, |copied, there| look(copied) == look(there), seed);
            }
        }
    }
    assert!(joins > 500 && followed > 10_000, "{joins} joins, {followed} cells followed");
}
