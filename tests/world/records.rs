//! Chunks that travel.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::humidity::Cell;
use floodplain::world::{
    ChunkContent, ChunkRecord, EditError, Material, MaterialId, Palette, World,
};
use floodplain::{Chunk, ChunkPos, DecodeError, DecodeProblem, Format, Region, humidity};
use support::world::apart::random_world;
use support::world::{id, rules, world};

/// All that a world holds in its parts, but for the accounts.
#[derive(PartialEq)]
struct Held {
    contents: Vec<ChunkContent>,
    soil: Vec<(ChunkPos, Chunk<Cell>)>,
    water: u64,
    total: u128,
}

fn held(world: &World) -> Held {
    Held {
        contents: world.chunks().map(|(chunk, _)| world.chunk(chunk).unwrap()).collect(),
        soil: world.soil().chunks().collect(),
        water: world.water().state_hash(),
        total: world.total(),
    }
}

#[test]
fn records_that_are_put_back_leave_what_was_there() {
    for seed in 0..4 {
        let mut world = random_world(&mut Rng::with_seed(seed), rules());
        let bounds = world.bounds();
        for cell in bounds.positions().step_by(101) {
            let rain = humidity::Edit::SetRain { cell, humidity: 70.0 };
            _ = world.apply(floodplain::world::Edit::Soil(rain));
        }
        world.run(5);
        let before = held(&world);
        let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).step_by(2).collect();
        let records = world.remove_chunks(chunks.clone()).unwrap();
        assert!(chunks.iter().all(|&chunk| world.chunk(chunk).is_none()));
        assert_eq!(world.validate(), Ok(()));
        let sent = records.iter().rev().map(|record| {
            let bytes = record.to_bytes();
            ChunkRecord::from_bytes(&bytes).unwrap()
        });
        world.insert_records(sent).unwrap();
        assert!(held(&world) == before, "seed {seed}");
        assert_eq!(world.validate(), Ok(()));
        world.run(5);
        assert_eq!(world.validate(), Ok(()));
    }
}

/// A chunk of soil with a spring of moisture in it, as a record.
fn record() -> (World, ChunkRecord) {
    let bounds = Region::new(IVec3::ZERO, IVec3::splat(15));
    let mut world = world(7, rules(), bounds);
    let cell = IVec3::new(3, 0, 3);
    let rain = humidity::Edit::SetRain { cell, humidity: 9.0 };
    world.apply(floodplain::world::Edit::Soil(rain)).unwrap();
    let record = world.remove_chunks([ChunkPos::ZERO]).unwrap().remove(0);
    (world, record)
}

#[test]
fn records_that_do_not_go_with_a_world_are_refused() {
    let (mut home, record) = record();
    let twice = home.insert_records([record.clone(), record.clone()]);
    assert_eq!(twice, Err(EditError::ChunkPresent(ChunkPos::ZERO)));
    assert_eq!(home.remove_chunks([ChunkPos::ZERO]), Err(EditError::ChunkAbsent(ChunkPos::ZERO)));
    let bounds = Region::new(IVec3::splat(16), IVec3::splat(31));
    let outside = world(7, rules(), bounds).insert_records([record.clone()]);
    assert_eq!(outside, Err(EditError::ChunkOutOfBounds(ChunkPos::ZERO)));
    let foreign = |materials: Vec<Material>| {
        let palette = Palette::new(materials).unwrap();
        let mut world = World::with_bounds(7, palette, rules(), home.bounds()).unwrap();
        let refused = world.insert_records([record.clone()]).unwrap_err();
        assert_eq!((world.chunks().count(), world.validate()), (0, Ok(())));
        refused
    };
    let (air, rock) = (|| Material::open("air"), || Material::solid("rock"));
    let few = foreign(vec![air(), rock()]);
    assert_eq!(few, EditError::Material(id("soil")));
    // Soil that is open there, or that nothing seeps into.
    let corner = IVec3::ZERO;
    let cell = IVec3::new(3, 0, 3);
    let open = foreign(vec![air(), rock(), Material::open("mist")]);
    assert_eq!(open, EditError::Impermeable { cell, material: MaterialId(2) });
    let full = foreign(
        vec![Material::solid("ice"), rock(), rock().permeable(1.0, 1)]
            .into_iter()
            .enumerate()
            .map(|(at, material)| Material { name: at.to_string(), ..material })
            .collect(),
    );
    assert_eq!(full, EditError::Ground { cell: corner.with_y(1), material: MaterialId(0) });
    home.insert_records([record]).unwrap();
    assert!(home.soil().is_rain(cell));
}

#[test]
fn bytes_that_are_no_record_are_refused_with_their_offset() {
    let (_, record) = record();
    let bytes = record.to_bytes();
    let refused = |bytes: &[u8]| ChunkRecord::from_bytes(bytes).unwrap_err();
    let error = |at, problem| DecodeError { format: Format::Record, at, problem };
    let length = bytes.len() - 1;
    assert_eq!(refused(&bytes[..length]), error(length, DecodeProblem::EndsEarly));
    let more = [&bytes[..], &[0]].concat();
    assert_eq!(refused(&more), error(bytes.len(), DecodeProblem::Trailing { bytes: 1 }));
    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        refused(&bytes)
    };
    let version = DecodeProblem::Version { found: 2, wanted: 1 };
    assert_eq!(changed(0, 2), error(0, version), "its version");
    // The list of one index is the last: its length, then the index.
    let error = changed(length, 0x10);
    assert!(matches!(error.problem, DecodeProblem::Value { .. }), "{error}");
    assert_eq!(error.at, length - 5, "4096 or more");
}
