//! The spans that a profiler sees, through the backend `tracing` of the crate profiling.

use floodplain::glam::IVec3;
use floodplain::save_file::SaveFile;
use floodplain::snapshot::Saved;
use floodplain::water::{Feed, Rules, Voxel, WaterView, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::world::{self, ChunkContent, Palette, World};
use floodplain::{Chunk, ChunkPos, Region, water2d};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// How often each span was opened, by its name, and how many are open.
#[derive(Clone, Default)]
struct Spans {
    opened: Arc<Mutex<BTreeMap<&'static str, usize>>>,
    depth: Arc<Mutex<usize>>,
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("floodplain")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        *self.opened.lock().unwrap().entry(span.metadata().name()).or_default() += 1;
        Id::from_u64(1)
    }

    fn enter(&self, _: &Id) {
        *self.depth.lock().unwrap() += 1;
    }

    fn exit(&self, _: &Id) {
        *self.depth.lock().unwrap() -= 1;
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
}

/// Returns how often each span is opened by some work. All are closed after it.
fn spans_of<T>(work: impl FnOnce() -> T) -> BTreeMap<&'static str, usize> {
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), work);
    assert_eq!(*spans.depth.lock().unwrap(), 0);
    core::mem::take(&mut *spans.opened.lock().unwrap())
}

/// A heap of water on a floor.
fn heap() -> WaterWorld {
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world.fill_water(Region::new(IVec3::splat(4), IVec3::splat(9)), 7).unwrap();
    world
}

#[test]
fn a_whole_tick_opens_each_phase_once() {
    let mut world = heap();
    let spans = spans_of(|| world.step());
    let phases =
        ["water draw", "water ebb", "water end", "water flow", "water pools", "water steady"];
    assert!(spans.keys().copied().eq(phases), "{spans:?}");
    // Begin and Steady may be two spans of the steady flow, Flood and Level of the pools.
    let most = |name: &str| if ["water pools", "water steady"].contains(&name) { 2 } else { 1 };
    assert!(spans.iter().all(|(name, &times)| times <= most(name)), "{spans:?}");
}

#[test]
fn a_tick_in_slices_opens_a_span_for_each_slice_at_least() {
    let mut world = heap();
    let mut slices = 0;
    let spans = spans_of(|| {
        while !world.step_within(1).finished {
            slices += 1;
        }
    });
    assert!(slices > 10 && spans.values().sum::<usize>() >= slices, "{slices}: {spans:?}");
}

#[test]
fn meshes_feeds_and_saves_have_spans() {
    let mut world = heap();
    let mut feed = Feed::new(&mut world);
    world.step();
    let file = std::env::temp_dir().join(format!("spans-{}.redb", std::process::id()));
    let spans = spans_of(|| {
        assert!(!world.surface_mesh(ChunkPos::ZERO, None).is_empty());
        assert!(!feed.take(&mut world).chunks().is_empty());
        assert!(!world.save().is_empty());
        SaveFile::create(&file, &world).unwrap();
    });
    std::fs::remove_file(file).unwrap();
    let names = ["feed", "mesh", "save file", "snapshot"];
    assert!(spans.into_iter().eq(names.map(|name| (name, 1))));
}

#[test]
fn a_tick_of_a_world_of_materials_has_those_of_its_parts_within_it() {
    let palette = Palette::natural();
    let [air, soil] = ["air", "soil"].map(|name| palette.id(name).unwrap());
    let mut world = World::new(7, palette, world::Rules::default()).unwrap();
    let ground = |cell: IVec3| if cell.y < 8 { soil } else { air };
    let content = ChunkContent::from_fn(ChunkPos::ZERO, ground);
    world.insert_chunk(ChunkPos::ZERO, content).unwrap();
    world.rain(IVec3::new(8, 12, 8), 7).unwrap();
    world.charge(IVec3::new(8, 9, 8), 3.0, 300.0).unwrap();
    let ticks = u64::from(world.rules().soil_period);
    let spans = spans_of(|| world.run(ticks));
    assert_eq!(spans["world"] as u64, ticks);
    for part in ["water flow", "humidity", "explosions"] {
        assert!(spans.contains_key(part), "{part}: {spans:?}");
    }
}

#[test]
fn steps_of_2d_water_have_a_span() {
    let mut world = Water2dWorld::new(7, water2d::Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::AIR)).unwrap();
    world.pour(IVec3::new(8, 8, 0), 100).unwrap();
    assert_eq!(spans_of(|| world.run(3))["2D water"], 3);
}
