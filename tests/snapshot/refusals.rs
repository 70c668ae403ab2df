//! What the format does not allow is refused at its place, with valid checksums: the section,
//! the byte, and what should have been there. What it just has is not.

use super::sections::{content, forged, start_of};
use floodplain::blast::{self, BlastGraph, BlastWorld};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::snapshot::Saved;
use floodplain::water::{self, Fixture, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, DecodeProblem, Face, Format, Region, Sheet};
use support::snapshot::forgery::number;

/// Bytes of a count, of a region, and of a position.
const COUNT: usize = 8;
const REGION: usize = 24;
const POSITION: usize = 12;

/// What an error says: the section, the offset in its content, and the words.
type Said = Option<(&'static str, usize, String)>;

/// What is said of a snapshot with changed content of a section.
fn said<W: Saved>(forged: &[u8]) -> Said {
    let error = W::load(forged).err()?;
    let section = match error.format {
        Format::Rules => "RULE",
        Format::State => "WRLD",
        Format::Chunks => "CHNK",
        _ => "",
    };
    let words = match &error.problem {
        DecodeProblem::Value { wanted, .. } => (*wanted).to_owned(),
        problem => problem.to_string(),
    };
    let message = error.to_string();
    let parts = [section, &format!("byte {}", error.at), &words];
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    let start = if section.is_empty() { 0 } else { start_of(forged, section) };
    Some((section, error.at.wrapping_sub(start), words))
}

/// What is said when these bytes are at this place of a section.
fn with<W: Saved>(saved: &[u8], section: &str, at: usize, bytes: &[u8]) -> Said {
    said::<W>(&forged(saved, section, |mut content| {
        content[at..at + bytes.len()].copy_from_slice(bytes);
        content
    }))
}

/// What is said when a section ends at this place and these bytes follow.
fn ending<W: Saved>(saved: &[u8], section: &str, at: usize, bytes: &[u8]) -> Said {
    said::<W>(&forged(saved, section, |content| [&content[..at], bytes].concat()))
}

/// That something else was expected there.
fn refused(section: &'static str, at: usize, wanted: &str) -> Said {
    Some((section, at, wanted.to_owned()))
}

fn is_well_formed(said: Said) -> bool {
    said.is_none_or(|(_, _, words)| words.contains("breaks a law"))
}

/// The only place of these bytes in a section.
fn place_of(saved: &[u8], section: &str, bytes: &[u8]) -> usize {
    let content = content(saved, section);
    let places: Vec<usize> =
        (0..content.len()).filter(|&at| content[at..].starts_with(bytes)).collect();
    assert_eq!(places.len(), 1, "it stands there once");
    places[0]
}

/// A world of one sheet, with two walls and two links that are half open.
fn walls() -> Vec<u8> {
    let mut world = BlastWorld::<Sheet>::new(blast::Rules::diffusive(0.1)).unwrap();
    for (x, strength, weight) in [(1, 7.25, 0.375), (5, 9.5, 0.625)] {
        world.set_wall(IVec3::new(x, 1, 0), strength).unwrap();
        world.set_link(IVec3::new(x, 9, 0), Face::East, weight).unwrap();
    }
    world.save()
}

fn graph() -> Vec<u8> {
    let mut graph = BlastGraph::new(blast::Rules::diffusive(0.1)).unwrap();
    graph.add_node(DVec3::ZERO, 0.0).unwrap();
    graph.run(3);
    graph.take_changes();
    graph.save()
}

fn water() -> WaterWorld {
    let mut world = WaterWorld::with_bounds(
        1,
        water::Rules { film_evaporation: 0.001, evaporation: 0.001, ..water::Rules::default() },
        Region::new(IVec3::ZERO, IVec3::splat(15)),
    )
    .unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    world
}

#[test]
fn a_section_ends_where_its_content_does() {
    let saved = water().save();
    for section in ["RULE", "WRLD", "CHNK"] {
        let length = content(&saved, section).len();
        assert_eq!(
            ending::<WaterWorld>(&saved, section, length, &[7]),
            refused(section, length, "it should end here, before 1 more bytes")
        );
    }
    let more = "it ends here, where more should follow";
    assert_eq!(ending::<WaterWorld>(&saved, "RULE", 0, &[]), refused("RULE", 0, more));
    assert_eq!(ending::<WaterWorld>(&saved, "CHNK", 0, &[]), refused("CHNK", 0, more));
}

#[test]
fn a_section_of_another_name_is_damaged_though_its_checksum_is_right() {
    let mut saved = water().save();
    let at = saved.windows(4).position(|name| name == b"WRLD").unwrap();
    saved[at..at + 4].copy_from_slice(b"WORD");
    let saved = forged(&saved, "", |content| content);
    let problem = DecodeProblem::Magic { wanted: "WRLD" };
    let error = WaterWorld::load(&saved).err().unwrap();
    assert_eq!((error.format, error.at, error.problem), (Format::State, at, problem));
}

#[test]
fn a_count_of_more_than_the_bytes_hold_is_refused_where_it_stands() {
    let a_count = "a count of what follows";
    let chunks = water().save();
    let most = (content(&chunks, "CHNK").len() as u64 - 8) / 13;
    assert_ne!(
        with::<WaterWorld>(&chunks, "CHNK", 0, &most.to_le_bytes()),
        refused("CHNK", 0, a_count)
    );
    assert_eq!(
        with::<WaterWorld>(&chunks, "CHNK", 0, &(most + 1).to_le_bytes()),
        refused("CHNK", 0, a_count)
    );

    // Chunks of pressure that were removed: a position and a mask.
    let (saved, record) =
        (walls(), |x: i32| [&[x, 0, 0].map(i32::to_le_bytes).concat()[..], &[1; 512]].concat());
    let at = content(&saved, "WRLD").len() - 8;
    let gone =
        |count: u64| [count.to_le_bytes().to_vec(), (0..25).flat_map(record).collect()].concat();
    assert_eq!(ending::<BlastWorld<Sheet>>(&saved, "WRLD", at, &gone(25)), None);
    assert_eq!(
        ending::<BlastWorld<Sheet>>(&saved, "WRLD", at, &gone(26)),
        refused("WRLD", at, a_count)
    );

    // Walls of a graph that broke, and then no node that changed.
    let saved = graph();
    let at = content(&saved, "WRLD").len() - 16;
    let broken =
        |count: u64| [&count.to_le_bytes()[..], &wall(2.0, 1.0), &wall(4.0, 3.0), &[0; 8]].concat();
    assert_eq!(ending::<BlastGraph>(&saved, "WRLD", at, &broken(2)), None);
    assert_eq!(ending::<BlastGraph>(&saved, "WRLD", at, &broken(3)), refused("WRLD", at, a_count));
    let changed = |count: u64| [&count.to_le_bytes()[..], &0u32.to_le_bytes()].concat();
    assert_eq!(ending::<BlastGraph>(&saved, "WRLD", at + 8, &changed(1)), None);
    assert_eq!(
        ending::<BlastGraph>(&saved, "WRLD", at + 8, &changed(2)),
        refused("WRLD", at + 8, a_count)
    );
}

/// A wall of node 0 that broke in the first step.
fn wall(difference: f64, strength: f64) -> Vec<u8> {
    [
        &1u64.to_le_bytes()[..],
        &0u32.to_le_bytes(),
        &difference.to_le_bytes(),
        &strength.to_le_bytes(),
    ]
    .concat()
}

#[test]
fn a_wall_broke_by_a_difference_above_its_strength() {
    let saved = graph();
    let at = content(&saved, "WRLD").len() - 16;
    let load = |difference: f64, strength: f64| {
        let broken = [&1u64.to_le_bytes()[..], &wall(difference, strength), &[0; 8]].concat();
        ending::<BlastGraph>(&saved, "WRLD", at, &broken)
    };
    assert_eq!(load(2.0, 1.0), None);
    for (difference, strength) in [(2.0, 2.0), (2.0, 3.0), (2.0, 0.0), (2.0, -1.0), (-2.0, -1.0)] {
        let wanted = "a wall that broke, by a difference above its strength";
        assert_eq!(
            load(difference, strength),
            refused("WRLD", at + 8, wanted),
            "{difference}, {strength}"
        );
    }
    for difference in [f64::INFINITY, f64::NAN] {
        assert_eq!(load(difference, 1.0), refused("WRLD", at + 8 + 12, "a number in its range"));
    }
}

#[test]
fn a_graph_has_no_chunks() {
    let chunk = [&1u64.to_le_bytes()[..], &[0; 13]].concat();
    assert_eq!(
        ending::<BlastGraph>(&graph(), "CHNK", 0, &chunk),
        refused("CHNK", 21, "no chunk in a graph")
    );
}

#[test]
fn walls_and_links_stand_in_order_at_cells_of_the_chunk() {
    let saved = walls();
    let load =
        |at: usize, index: u16| with::<BlastWorld<Sheet>>(&saved, "CHNK", at, &index.to_le_bytes());
    let [first, second] =
        [7.25f32, 9.5].map(|strength| place_of(&saved, "CHNK", &strength.to_le_bytes()) - 2);
    let wanted = "the index of a cell after the one before";
    assert_eq!(load(second, 4096), refused("CHNK", second, wanted));
    assert_eq!(load(second, 64 + 1), refused("CHNK", second, wanted), "the wall before");
    assert_eq!(load(first, 4095), refused("CHNK", second, wanted), "before the wall before");
    let [first, second] =
        [0.375f32, 0.625].map(|weight| place_of(&saved, "CHNK", &weight.to_le_bytes()) - 2);
    let wanted = "the axis and the index of a link after the one before";
    assert_eq!(load(second, 4096), refused("CHNK", second - 1, wanted));
    assert_eq!(load(second, 9 * 64 + 1), refused("CHNK", second - 1, wanted), "the link before");
    assert_eq!(load(first, 4095), refused("CHNK", second - 1, wanted), "before the link before");
}

#[test]
fn a_pressure_is_a_number_up_to_its_limit_and_not_minus_zero() {
    let mut world = BlastWorld::<Sheet>::new(blast::Rules::diffusive(0.1)).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(0.0)).unwrap();
    let saved = world.save();
    // After the count, the position, and the number of bytes of the record.
    let chunk = content(&saved, "CHNK");
    let (_, record) = number(&chunk[COUNT + POSITION..]);
    let plane = chunk.len() - record.len();
    for pressure in [-0.0, 1.1e24, -1.1e24, f32::INFINITY, f32::NAN] {
        let said = with::<BlastWorld<Sheet>>(&saved, "CHNK", plane + 1, &pressure.to_le_bytes());
        assert_eq!(
            said,
            refused("CHNK", plane, "numbers up to 10²⁴, none of them −0"),
            "{pressure}"
        );
    }
    assert!(is_well_formed(with::<BlastWorld<Sheet>>(
        &saved,
        "CHNK",
        plane + 1,
        &1e-9f32.to_le_bytes()
    )));
    for bits in [16, 32, 64, 128] {
        let wanted = "bits for audible, removed cells, flows and made since changes were asked for";
        assert_eq!(
            with::<BlastWorld<Sheet>>(&saved, "CHNK", plane + 5, &[bits]),
            refused("CHNK", plane + 5, wanted)
        );
    }
}

#[test]
fn only_the_wave_rule_has_damping() {
    let saved = walls();
    let said = with::<BlastWorld<Sheet>>(&saved, "RULE", 1 + 8, &0.5f64.to_le_bytes());
    assert_eq!(said, refused("RULE", 1 + 8, "no damping in the diffusive rule"));
}

#[test]
fn the_sums_of_water_stay_below_half_of_half_of_their_range() {
    let saved = water().save();
    for sum in 0..5 {
        // After the bounds, the seed and the ticks.
        let at = REGION + 16 + 8 * sum;
        let load = |units: u64| with::<WaterWorld>(&saved, "WRLD", at, &units.to_le_bytes());
        assert!(is_well_formed(load((1 << 62) - 1)));
        assert_eq!(load(1 << 62), refused("WRLD", at, "a number below 2⁶²"));
    }
}

/// Fixtures stand in a chunk's record in order of index.
#[test]
fn fixtures_stand_in_order_and_in_range() {
    let mut world = water();
    for (y, fixture) in [(1, Fixture::Tap(7)), (2, Fixture::Drain(3))] {
        world.set_fixture(IVec3::new(0, y, 0), Some(fixture)).unwrap();
    }
    let saved = world.save();
    // Two fixtures, at 256 and 512, and no steady flow.
    let fixtures = [2, 0x80, 2, 1, 7, 0x80, 4, 0, 3, 0];
    let first = place_of(&saved, "CHNK", &fixtures) + 1;
    let loaded = WaterWorld::load(&saved).unwrap();
    assert!(loaded.save() == saved && loaded.fixtures().eq(world.fixtures()));
    let (order, rate) =
        ("the index of a cell after the one before", "1 to 7, the rate of a fixture");
    for (at, bytes, named, wanted) in [
        (first, &[0xff, 0x7f][..], first, order),
        (first + 2, &[8], first + 2, "0 to 7, a fixture"),
        (first + 3, &[0], first + 3, rate),
        (first + 3, &[8], first + 3, rate),
        (first + 4, &[0x80, 2], first + 4, order),
        (first + 6, &[255], first + 6, "0 to 7, a fixture"),
    ] {
        let said = with::<WaterWorld>(&saved, "CHNK", at, bytes);
        assert_eq!(said, refused("CHNK", named, wanted), "{bytes:?}");
    }
}

/// Two springs that pour into each other's way: the parents of cells with two stand in the record
/// by index.
#[test]
fn further_parents_are_those_that_their_cells_can_have() {
    let mut world = water();
    world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, 8, 15))).unwrap();
    for x in [3, 5] {
        world.add_source(IVec3::new(x, 9, 4)).unwrap();
    }
    world.run(12);
    let bounds = world.bounds();
    let has_further =
        |cell: &IVec3| world.cell(*cell).is_some_and(|cell| cell.has_several_parents());
    let count = bounds.positions().filter(has_further).count();
    assert!(count >= 2);
    let saved = world.save();
    // They come last, before the numbers of fixtures and of cells with steady flow, none.
    let chunk = content(&saved, "CHNK");
    let parents = chunk.len() - 2 - count;
    assert_eq!(chunk[chunk.len() - 2..], [0, 0]);
    assert!(chunk[parents..chunk.len() - 2].iter().all(|faces| faces.count_ones() >= 2));
    let wanted = "the faces of a cell's parents";
    for at in [parents, parents + 1] {
        for faces in [0, 1, 0b0100_0001] {
            let said = with::<WaterWorld>(&saved, "CHNK", at, &[faces]);
            assert_eq!(said, refused("CHNK", at, wanted), "parents {faces:#b}");
        }
    }
}

#[test]
fn the_account_of_humidity_is_far_from_its_ends_and_no_more_out_than_in() {
    let world = |sweep: Sweep| {
        HumidityWorld::<Sheet>::new(humidity::Rules::with_sweep(sweep)).unwrap().save()
    };
    let load = |saved: &[u8], [placed, rained, removed, runoff, drained]: [i128; 5]| {
        let sums = [placed, rained, removed, runoff, drained].map(i128::to_le_bytes).concat();
        with::<HumidityWorld<Sheet>>(saved, "WRLD", REGION + 8, &sums)
    };
    let at = REGION + 8;
    let wanted =
        "a ledger: at most 2¹⁰⁰, with no less in than out, and empty in a sweep without one";
    let saved = world(Sweep::Conservative);
    let most = 1 << 100;
    for lawful in [
        [12, 0, 3, 4, 5],
        [10, 2, 3, 4, 5],
        [12, -1, 3, 4, 4],
        [most, 0, most, 0, 0],
        [0, most, 0, most, 0],
    ] {
        assert!(is_well_formed(load(&saved, lawful)), "{lawful:?}");
    }
    for unlawful in
        [[11, 0, 3, 4, 5], [10, 1, 3, 4, 5], [12, -1, 3, 4, 5], [most + 1, 0, most, 0, 0]]
    {
        assert_eq!(load(&saved, unlawful), refused("WRLD", at, wanted), "{unlawful:?}");
    }
    for out in 2..5 {
        let mut sums = [most, most, 0, 0, 0];
        sums[out] = most + 1;
        assert_eq!(load(&saved, sums), refused("WRLD", at, wanted), "{sums:?}");
    }
    for sweep in [Sweep::InPlace, Sweep::Synchronous] {
        let saved = world(sweep);
        assert_eq!(load(&saved, [0; 5]), None);
        assert_eq!(load(&saved, [1, 0, 0, 0, 0]), refused("WRLD", at, wanted));
        assert_eq!(load(&saved, [1, 0, 1, 0, 0]), refused("WRLD", at, wanted));
    }
}

#[test]
fn no_more_two_dimensional_water_is_removed_than_was_placed() {
    let saved = Water2dWorld::new(1, water2d::Rules::default()).unwrap().save();
    // After the bounds, the seed and the ticks.
    let at = REGION + 16;
    let load = |placed: u64, removed: u64| {
        with::<Water2dWorld>(
            &saved,
            "WRLD",
            at,
            &[placed.to_le_bytes(), removed.to_le_bytes()].concat(),
        )
    };
    assert_eq!([load(0, 0), load(5, 5)], [None, None]);
    assert!(is_well_formed(load(6, 5)));
    assert_eq!(load(5, 6), refused("WRLD", at, "a ledger: no more removed than was placed"));
}
