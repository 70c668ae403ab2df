//! Edits as values, of all automata alike: made, sent as bytes, and made of any bytes. Those of
//! water that wait in a queue are in `tests/water/edits/queue.rs`.

use fastrand::Rng;
use floodplain::blast::{self, BlastGraph, BlastWorld, GraphEdit, GraphOutcome};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld};
use floodplain::snapshot::Saved;
use floodplain::testing::{Op, Run, Small};
use floodplain::water::{Rules, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world;
use floodplain::world::World;
use floodplain::{
    Chunk, ChunkPos, ColumnPos, Cube, DecodeError, DecodeProblem, EditValue, Face, Format, Region,
    Sheet, Simulation, water,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use support::edit_bytes::{parsed, sent};
use support::worlds;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn an_edit_is_the_same_after_it_was_sent_as_bytes(
        bytes in prop::collection::vec(any::<u8>(), 0..192)
    ) {
        sent_edits_are_the_same::<WaterWorld>(&bytes);
        sent_edits_are_the_same::<World>(&bytes);
        sent_edits_are_the_same::<HumidityWorld<Sheet>>(&bytes);
        sent_edits_are_the_same::<HumidityWorld<Cube>>(&bytes);
        sent_edits_are_the_same::<Water2dWorld>(&bytes);
        sent_edits_are_the_same::<BlastWorld<Sheet>>(&bytes);
        sent_edits_are_the_same::<BlastWorld<Cube>>(&bytes);
        sent_edits_are_the_same::<BlastGraph>(&bytes);
    }
}

/// Makes edits in one world as they are, in another as they arrive, once they were sent as bytes.
/// Both save to the same bytes after each.
fn sent_edits_are_the_same<W: Small<Edit: EditValue> + Saved>(bytes: &[u8]) {
    let run: Run<W> = Run::from_bytes(bytes);
    let [mut here, mut there] = [(); 2].map(|()| W::build(&run.start));
    for op in &run.ops {
        match op {
            Op::Edit(edit) => {
                let (of_sent, of_edit) = (there.apply(sent(edit)), here.apply(edit.clone()));
                // As text, since errors may hold what is no number.
                assert_eq!(format!("{of_sent:?}"), format!("{of_edit:?}"), "{edit:?}");
            }
            Op::Step(ticks) | Op::Run(ticks) => {
                (0..*ticks).for_each(|_| assert_eq!(there.step(), here.step()));
            }
            Op::TakeChanges => assert_eq!(there.take_changes(), here.take_changes()),
            _ => there = there.saved_and_loaded().unwrap(),
        }
        assert!(there.save() == here.save(), "other bytes after {op:?}");
    }
}

/// Random runs make every edit that is in the table of its world, so that none escapes the laws.
#[test]
fn every_edit_of_the_tables_is_drawn() {
    fn check<W: Small<Edit: EditValue>>(beyond: &[&str]) {
        let mut random = Rng::with_seed(3);
        let mut names = BTreeSet::new();
        for _ in 0..400 {
            let bytes: Vec<u8> = (0..192).map(|_| random.u8(..)).collect();
            let run: Run<W> = Run::from_bytes(&bytes);
            names.extend(run.ops.iter().filter_map(|op| match op {
                Op::Edit(edit) => Some(edit.name()),
                _ => None,
            }));
        }
        names.extend(beyond);
        let of_table: BTreeSet<&str> = W::Edit::NAMES.iter().copied().collect();
        assert_eq!(of_table.len(), W::Edit::NAMES.len(), "a name twice");
        assert_eq!(names, of_table);
    }
    // Runs put records back that were taken out, and keep the rules that their laws go by.
    check::<WaterWorld>(&["InsertRecords", "SetRules"]);
    check::<World>(&["InsertRecords"]);
    check::<HumidityWorld<Cube>>(&[]);
    check::<Water2dWorld>(&[]);
    check::<BlastWorld<Cube>>(&[]);
    check::<BlastGraph>(&[]);
}

const CELL: IVec3 = IVec3::new(1, -2, 3);
const CELL_BYTES: [u8; 12] = [1, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 3, 0, 0, 0];

fn region() -> Region {
    Region::new(CELL, IVec3::splat(256))
}

fn region_bytes() -> Vec<u8> {
    [CELL_BYTES, [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]].concat()
}

/// A chunk of two kinds of cells, in turns, and its bytes: a run of 16 cells as they are, and one
/// of 4080 that repeats those 16 before.
fn chunk<T: Copy + PartialEq>(
    even: T,
    odd: T,
    bytes: impl Fn(T) -> Vec<u8>,
) -> (Chunk<T>, Vec<u8>) {
    let cells = core::array::from_fn(|index| if index % 2 == 0 { even } else { odd });
    let first: Vec<u8> = cells[..16].iter().flat_map(|&cell| bytes(cell)).collect();
    (Chunk::from_cells(&cells), [&[1, 0x80, 1][..], &first, &[0x82, 0xff, 1]].concat())
}

/// An edit with the bytes that are promised for it: a tag and its fields.
type Written<E> = (E, Vec<u8>);

fn written<E>(edit: E, tag: u8, fields: &[&[u8]]) -> Written<E> {
    (edit, [&[tag], &fields.concat()[..]].concat())
}

fn of_water() -> Vec<Written<water::Edit>> {
    use water::{Edge, Edges, Edit, Fixture, Voxel, WaterCell};
    let (cell, units) = (CELL, 70_000u32);
    let units_bytes = units.to_le_bytes();
    let word = |voxel: Voxel| voxel.word().to_le_bytes().to_vec();
    let still = Voxel::water(WaterCell::STILL);
    let (dense, dense_bytes) = chunk(Voxel::SOLID, still, word);
    let uniform = [&[0][..], &word(still)].concat();
    let two = [&[2, 0, 0, 0][..], &CELL_BYTES, &region_bytes()[12..]].concat();
    let positions = || vec![CELL.into(), ChunkPos::new(256, 256, 256)];
    let rules = Rules {
        evaporation: 0.25,
        film_evaporation: 0.5,
        source_supply: 3,
        throughput: 5,
        edges: Edges { unloaded: Edge::Held, ..Edges::WALLS.with(Face::Up, Edge::Level(-2)) },
        pools: true,
        many_parents: false,
    };
    let rules_bytes = [
        &0.25f64.to_le_bytes()[..],
        &0.5f64.to_le_bytes(),
        &[3, 5],
        &[0, 0, 0, 3, 0xfe, 0xff, 0xff, 0xff, 0, 0, 2],
        &[1, 0],
    ]
    .concat();
    let record = {
        let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world.remove_chunks([ChunkPos::ZERO]).unwrap().remove(0)
    };
    let record_bytes = record.to_bytes();
    let records =
        [&[1, 0, 0, 0][..], &(record_bytes.len() as u32).to_le_bytes(), &record_bytes].concat();
    let at_units: &[&[u8]] = &[&CELL_BYTES, &units_bytes];
    let valve = Fixture::Valve { towards: Face::South, rate: 4 };
    vec![
        written(Edit::SetSolid(cell), 0, &[&CELL_BYTES]),
        written(Edit::ClearSolid(cell), 1, &[&CELL_BYTES]),
        written(Edit::AddSource(cell), 2, &[&CELL_BYTES]),
        written(Edit::RemoveSource(cell), 3, &[&CELL_BYTES]),
        written(Edit::Pour { cell, units }, 4, at_units),
        written(Edit::Scoop { cell, units }, 5, at_units),
        written(Edit::FillSolid(region()), 6, &[&region_bytes()]),
        written(Edit::FillWater { region: region(), height: 5 }, 7, &[&region_bytes(), &[5]]),
        written(
            Edit::InsertChunk { position: cell.into(), chunk: dense.clone() },
            8,
            &[&CELL_BYTES, &dense_bytes],
        ),
        written(
            Edit::InsertChunks(vec![(cell.into(), dense), (positions()[1], Chunk::uniform(still))]),
            9,
            &[&[2, 0, 0, 0], &CELL_BYTES, &dense_bytes, &region_bytes()[12..], &uniform],
        ),
        written(Edit::RemoveChunk(cell.into()), 10, &[&CELL_BYTES]),
        written(Edit::WakeAll, 11, &[]),
        written(Edit::SetRules(rules), 12, &[&rules_bytes]),
        written(Edit::SetSea(cell), 14, &[&CELL_BYTES]),
        written(Edit::ClearSea(cell), 15, &[&CELL_BYTES]),
        written(Edit::FillSea(region()), 16, &[&region_bytes()]),
        written(
            Edit::SetEdge { column: ColumnPos::new(-2, 3), edge: Some(Edge::Drain) },
            17,
            &[&CELL_BYTES[4..], &[1, 1]],
        ),
        written(
            Edit::SetEdge { column: ColumnPos::new(-2, 3), edge: None },
            17,
            &[&CELL_BYTES[4..], &[0]],
        ),
        written(Edit::Freeze(positions()), 18, &[&two]),
        written(Edit::Thaw(positions()), 19, &[&two]),
        written(Edit::RemoveChunks(positions()), 20, &[&two]),
        written(Edit::InsertRecords(vec![record]), 21, &[&records]),
        written(Edit::DrainBody { cell, units }, 30, at_units),
        written(Edit::FillBody { cell, units }, 31, at_units),
        written(
            Edit::SetFixture { cell, fixture: Some(Fixture::Drain(3)) },
            32,
            &[&CELL_BYTES, &[1, 0, 3]],
        ),
        written(
            Edit::SetFixture { cell, fixture: Some(Fixture::Tap(2)) },
            32,
            &[&CELL_BYTES, &[1, 1, 2]],
        ),
        written(Edit::SetFixture { cell, fixture: Some(valve) }, 32, &[&CELL_BYTES, &[1, 7, 4]]),
        written(Edit::SetFixture { cell, fixture: None }, 32, &[&CELL_BYTES, &[0]]),
    ]
}

fn of_humidity() -> Vec<Written<humidity::Edit>> {
    use humidity::{Cell, Edit};
    let (cell, humidity, impermeability) = (CELL, 900.25, 0.75f32);
    let value = Cell { humidity, impermeability, rain: true };
    let value_bytes = |cell: Cell| {
        let humidity = cell.humidity.to_le_bytes();
        [&humidity[..], &cell.impermeability.to_le_bytes(), &[u8::from(cell.rain)]].concat()
    };
    let (dense, dense_bytes) = chunk(value, Cell::ROCK, value_bytes);
    let [of_value, of_humidity] = [&value_bytes(value)[..], &humidity.to_le_bytes()];
    let uniform = [&[0], of_value].concat();
    vec![
        written(Edit::SetHumidity { cell, humidity }, 0, &[&CELL_BYTES, of_humidity]),
        written(
            Edit::SetImpermeability { cell, impermeability },
            1,
            &[&CELL_BYTES, &impermeability.to_le_bytes()],
        ),
        written(Edit::SetRock(cell), 2, &[&CELL_BYTES]),
        written(Edit::SetRain { cell, humidity }, 3, &[&CELL_BYTES, of_humidity]),
        written(Edit::ClearRain(cell), 4, &[&CELL_BYTES]),
        written(Edit::SetCell { cell, value }, 5, &[&CELL_BYTES, of_value]),
        written(Edit::FillCells { region: region(), value }, 6, &[&region_bytes(), of_value]),
        written(
            Edit::InsertChunk { position: cell.into(), chunk: Chunk::uniform(value) },
            7,
            &[&CELL_BYTES, &uniform],
        ),
        written(
            Edit::InsertChunk { position: cell.into(), chunk: dense },
            7,
            &[&CELL_BYTES, &dense_bytes],
        ),
        written(Edit::RemoveChunk(cell.into()), 8, &[&CELL_BYTES]),
        written(Edit::WakeAll, 9, &[]),
    ]
}

fn of_water_2d() -> Vec<Written<water2d::Edit>> {
    use water2d::{Cell, Edit};
    let (cell, units) = (CELL, 70_000u32);
    let units_bytes = units.to_le_bytes();
    let water = Cell::water(units).unwrap();
    let value = |cell: Cell| {
        let value = if cell.is_solid() { -1 } else { cell.level() as i32 };
        value.to_le_bytes().to_vec()
    };
    let (dense, dense_bytes) = chunk(Cell::SOLID, water, value);
    let uniform = [&[0], &units_bytes[..]].concat();
    let chunks =
        vec![(CELL.into(), dense.clone()), (ChunkPos::new(256, 256, 256), Chunk::uniform(water))];
    vec![
        written(Edit::SetSolid(cell), 0, &[&CELL_BYTES]),
        written(Edit::ClearSolid(cell), 1, &[&CELL_BYTES]),
        written(Edit::Pour { cell, units }, 2, &[&CELL_BYTES, &units_bytes]),
        written(Edit::Scoop { cell, units }, 3, &[&CELL_BYTES, &units_bytes]),
        written(Edit::FillSolid(region()), 4, &[&region_bytes()]),
        written(
            Edit::FillWater { region: region(), level: units },
            5,
            &[&region_bytes(), &units_bytes],
        ),
        written(
            Edit::InsertChunk { position: cell.into(), chunk: dense },
            6,
            &[&CELL_BYTES, &dense_bytes],
        ),
        written(
            Edit::InsertChunks(chunks),
            7,
            &[&[2, 0, 0, 0], &CELL_BYTES, &dense_bytes, &region_bytes()[12..], &uniform],
        ),
        written(Edit::RemoveChunk(cell.into()), 8, &[&CELL_BYTES]),
        written(Edit::WakeAll, 9, &[]),
    ]
}

fn of_blast() -> Vec<Written<blast::Edit>> {
    use blast::Edit;
    let (cell, pressure) = (CELL, -12.5f32);
    let number = pressure.to_le_bytes();
    let (dense, dense_bytes) = chunk(pressure, 4.0, |cell| cell.to_le_bytes().to_vec());
    let filled = region_bytes();
    vec![
        written(Edit::SetPressure { cell, pressure }, 0, &[&CELL_BYTES, &number]),
        written(Edit::AddPressure { cell, more: pressure }, 1, &[&CELL_BYTES, &number]),
        written(Edit::FillPressure { region: region(), pressure }, 2, &[&filled, &number]),
        written(Edit::SetSolid(cell), 3, &[&CELL_BYTES]),
        written(Edit::SetWall { cell, strength: pressure }, 4, &[&CELL_BYTES, &number]),
        written(Edit::ClearSolid(cell), 5, &[&CELL_BYTES]),
        written(Edit::FillSolid(region()), 6, &[&filled]),
        written(Edit::FillWall { region: region(), strength: pressure }, 7, &[&filled, &number]),
        written(
            Edit::SetLink { cell, face: Face::Up, weight: pressure },
            8,
            &[&CELL_BYTES, &[Face::Up.index() as u8], &number],
        ),
        written(
            Edit::InsertChunk { position: cell.into(), chunk: dense },
            9,
            &[&CELL_BYTES, &dense_bytes],
        ),
        written(Edit::RemoveChunk(cell.into()), 10, &[&CELL_BYTES]),
        written(Edit::WakeAll, 11, &[]),
        written(
            Edit::AddCharge { centre: cell, radius: 4.0, pressure },
            12,
            &[&CELL_BYTES, &4f32.to_le_bytes(), &number],
        ),
    ]
}

fn of_graphs() -> Vec<Written<GraphEdit>> {
    let mut graph = BlastGraph::new(blast::Rules::default()).unwrap();
    let [a, b] = [0.0, 1.0].map(|x| graph.add_node(DVec3::new(x, 0.0, 0.0), 0.0).unwrap());
    let ([a_bytes, b_bytes], ends) = ([[0u8, 0, 0, 0], [1, 0, 0, 0]], [0u8, 0, 0, 0, 1, 0, 0, 0]);
    let (value, place) = (0.3f64, DVec3::new(0.5, -7.0, 1e300));
    let number = value.to_le_bytes();
    let place_bytes = place.to_array().map(f64::to_le_bytes).concat();
    let (weight, direction) = (value, place);
    vec![
        written(
            GraphEdit::AddNode { position: place, pressure: value },
            0,
            &[&place_bytes, &number],
        ),
        written(GraphEdit::RemoveNode(b), 1, &[&b_bytes]),
        written(GraphEdit::AddLink { a, b, weight }, 2, &[&ends, &number]),
        written(
            GraphEdit::AddLinkAlong { a, b, weight, direction },
            3,
            &[&ends, &number, &place_bytes],
        ),
        written(
            GraphEdit::AddVent { node: a, weight, direction },
            4,
            &[&a_bytes, &number, &place_bytes],
        ),
        written(GraphEdit::RemoveLink { a, b }, 5, &[&ends]),
        written(GraphEdit::RemoveVent(b), 6, &[&b_bytes]),
        written(GraphEdit::SetLink { a, b, weight }, 7, &[&ends, &number]),
        written(GraphEdit::SetPressure { node: a, pressure: value }, 8, &[&a_bytes, &number]),
        written(GraphEdit::SetWall { node: a, strength: value }, 9, &[&a_bytes, &number]),
        written(GraphEdit::ClearWall(b), 10, &[&b_bytes]),
        written(GraphEdit::WakeAll, 11, &[]),
    ]
}

fn of_worlds() -> Vec<Written<world::Edit>> {
    use world::{ChunkContent, Edit, MaterialId, Palette, Rules, World};
    let (cell, material, units) = (CELL, MaterialId(7), 70_000u32);
    let (materials, dense_bytes) = chunk(material, MaterialId(200), |id| vec![id.0]);
    let (water, water_bytes) =
        chunk(water::Voxel::SOLID, water::Voxel::OPEN, |voxel| voxel.word().to_le_bytes().to_vec());
    let content =
        ChunkContent { materials, water: Some(water), moisture: Some(Chunk::uniform(units)) };
    let content_bytes =
        [&dense_bytes[..], &[1], &water_bytes, &[1, 0], &units.to_le_bytes()].concat();
    let rock = ChunkContent::from(Chunk::uniform(material));
    let mut world = World::new(7, Palette::natural(), Rules::default()).unwrap();
    let sand = MaterialId(3);
    world.insert_chunk(cell.into(), Chunk::uniform(sand).into()).unwrap();
    let spring = humidity::Edit::SetRain { cell: cell * 16 + IVec3::X, humidity: 0.0 };
    world.apply(Edit::Soil(spring)).unwrap();
    let records = world.remove_chunks([cell.into()]).unwrap();
    let water = records[0].water().to_bytes();
    let record = [
        &[1][..],
        &(water.len() as u32).to_le_bytes(),
        &water,
        &[0, 3],
        &[1, 0, 0, 0, 0, 0],
        &[1, 0, 0, 0, 1, 0],
    ]
    .concat();
    let length = (record.len() as u32).to_le_bytes();
    let of_part = |tag: u8| [&[tag][..], &CELL_BYTES].concat();
    vec![
        written(Edit::SetMaterial { cell, material }, 0, &[&CELL_BYTES, &[7]]),
        written(Edit::FillMaterial { region: region(), material }, 1, &[&region_bytes(), &[7]]),
        written(
            Edit::InsertChunk { position: cell.into(), content },
            2,
            &[&CELL_BYTES, &content_bytes],
        ),
        written(
            Edit::InsertChunk { position: cell.into(), content: rock },
            2,
            &[&CELL_BYTES, &[0, 7, 0, 0]],
        ),
        written(Edit::RemoveChunk(cell.into()), 3, &[&CELL_BYTES]),
        written(Edit::Rain { from: cell, units }, 4, &[&CELL_BYTES, &units.to_le_bytes()]),
        written(Edit::Water(water::Edit::AddSource(cell)), 5, &[&of_part(2)]),
        written(Edit::Soil(humidity::Edit::ClearRain(cell)), 6, &[&of_part(4)]),
        written(Edit::Blast(blast::Edit::ClearSolid(cell)), 7, &[&of_part(5)]),
        written(Edit::WakeAll, 8, &[]),
        written(Edit::RemoveChunks(vec![cell.into()]), 9, &[&[1, 0, 0, 0], &CELL_BYTES]),
        written(Edit::InsertRecords(records), 10, &[&[1, 0, 0, 0], &length, &record]),
        written(
            Edit::Charge { centre: cell, radius: 2.5, pressure: -300.0 },
            11,
            &[&CELL_BYTES, &2.5f32.to_le_bytes(), &(-300.0f32).to_le_bytes()],
        ),
    ]
}

/// The bytes are promised: kept edits are read by later versions. No edit of a table is left out.
#[test]
fn edits_have_the_bytes_that_are_written_down() {
    fn check<E: EditValue + PartialEq>(edits: Vec<Written<E>>) {
        let names: BTreeSet<&str> = edits.iter().map(|(edit, _)| edit.name()).collect();
        assert_eq!(names, E::NAMES.iter().copied().collect());
        for (edit, bytes) in edits {
            assert!(edit.to_bytes() == bytes, "{edit:?}");
            assert!(sent(&edit) == edit, "{edit:?}");
        }
    }
    check(of_water());
    check(of_humidity());
    check(of_water_2d());
    check(of_blast());
    check(of_graphs());
    check(of_worlds());
}

/// Bytes at random, zeros after a tag, and edits with a few bytes changed or cut off.
#[test]
fn any_bytes_are_an_edit_or_an_error_that_names_the_place() {
    fn check<E: EditValue>(edits: Vec<Written<E>>) {
        let (mut rng, mut read) = (Rng::with_seed(5), 0);
        for round in 0..2_000 {
            let mut bytes = match round % 4 {
                0 => (0..rng.usize(..40)).map(|_| rng.u8(..)).collect(),
                1 => [&[rng.u8(..14)][..], &[0; 40][..rng.usize(..40)]].concat(),
                _ => edits[rng.usize(..edits.len())].1.clone(),
            };
            for _ in 0..rng.usize(..3) {
                let at = rng.usize(..bytes.len().clamp(1, 60));
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = rng.u8(..));
            }
            bytes.truncate(if rng.bool() { rng.usize(..=bytes.len()) } else { bytes.len() });
            read += usize::from(parsed::<E>(&bytes).is_some());
        }
        assert!((200..1_800).contains(&read), "{read} of 2,000 are edits");
    }
    check(of_water());
    check(of_humidity());
    check(of_water_2d());
    check(of_blast());
    check(of_graphs());
    check(of_worlds());
}

#[test]
fn values_out_of_range_are_refused_with_their_offset() {
    fn value<E>(at: usize, wanted: &'static str, found: i64) -> Result<E, DecodeError> {
        let problem = DecodeProblem::Value { wanted, found: Some(found) };
        Err(DecodeError { format: Format::Edit, at, problem })
    }
    fn error<E>(at: usize, problem: DecodeProblem) -> Result<E, DecodeError> {
        Err(DecodeError { format: Format::Edit, at, problem })
    }
    let position = [0; 12];
    let cell = [&[6][..], &position, &[0], &(-2i32).to_le_bytes()].concat();
    let wanted = "-1 for ground, or a level of at most 1,000,000";
    assert_eq!(water2d::Edit::from_bytes(&cell), value(14, wanted, -2));
    let form = [&[6][..], &position, &[2]].concat();
    assert_eq!(water2d::Edit::from_bytes(&form), value(13, "0 or 1, the form of a chunk", 2));
    let edge = [&[17][..], &[0; 8], &[2]].concat();
    assert_eq!(water::Edit::from_bytes(&edge), value(9, "0, or 1 for a value that follows", 2));
    let edge = [&[17][..], &[0; 8], &[1, 5]].concat();
    assert_eq!(water::Edit::from_bytes(&edge), value(10, "0 to 3, an edge", 5));
    let rules = [&[12][..], &[0; 18], &[4]].concat();
    assert_eq!(water::Edit::from_bytes(&rules), value(19, "0 to 3, an edge", 4));
    let rain = [&[5][..], &position, &[0; 12], &[7]].concat();
    assert_eq!(humidity::Edit::from_bytes(&rain), value(25, "0, or 1 for rain", 7));
    let face = [&[8][..], &position, &[6]].concat();
    assert_eq!(blast::Edit::from_bytes(&face), value(13, "0 to 5, a face", 6));
    let region = [&[6][..], &position, &[0; 4], &(-1i32).to_le_bytes(), &[0; 4]].concat();
    let wanted = "a greatest cell that is not below the least one";
    assert_eq!(blast::Edit::from_bytes(&region), value(17, wanted, -1));
    // Of an edit of a part, with the offset in that of the world.
    let in_world = |tag: u8, edit: &[u8]| world::Edit::from_bytes(&[&[tag][..], edit].concat());
    assert_eq!(in_world(6, &rain), value(26, "0, or 1 for rain", 7));
    assert_eq!(in_world(7, &[99]), error(1, DecodeProblem::Tag { found: 99 }));
    assert_eq!(in_world(7, &[3, 0]), error(3, DecodeProblem::EndsEarly));
    let trailing = DecodeProblem::Trailing { bytes: 1 };
    assert_eq!(in_world(5, &[&[2][..], &position, &[0]].concat()), error(14, trailing));
    let flag = [&[2][..], &position, &[0, 7, 2]].concat();
    let wanted = "0, or 1 for a value that follows";
    assert_eq!(world::Edit::from_bytes(&flag), value(15, wanted, 2));
    assert_eq!(GraphEdit::from_bytes(&[12]), error(0, DecodeProblem::Tag { found: 12 }));
}

/// Everything comes to rest; then one edit wakes it, and nothing else happens.
#[test]
fn wake_all_wakes_all() {
    fn check<W: Simulation>(mut world: W, wake: impl Fn(&mut W) -> bool) {
        world.run(3_000);
        assert!(world.is_at_rest());
        let hash = world.state_hash();
        assert!(wake(&mut world));
        assert_eq!((world.is_at_rest(), world.state_hash()), (false, hash));
    }
    let mut soil: HumidityWorld = HumidityWorld::new(humidity::Rules::default()).unwrap();
    soil.insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(1.0, 1.0))).unwrap();
    check(soil, |world| world.apply(humidity::Edit::WakeAll) == Ok(humidity::Outcome::Done));
    let mut slice = Water2dWorld::new(7, water2d::Rules::default()).unwrap();
    slice.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::SOLID)).unwrap();
    check(slice, |world| world.apply(water2d::Edit::WakeAll) == Ok(water2d::Outcome::Done));
    let mut field: BlastWorld<Sheet> = BlastWorld::new(blast::Rules::default()).unwrap();
    field.set_solid(IVec3::ZERO).unwrap();
    check(field, |world| world.apply(blast::Edit::WakeAll) == Ok(blast::Outcome::Done));
    let mut graph = BlastGraph::new(blast::Rules::default()).unwrap();
    graph.add_node(DVec3::ZERO, 0.0).unwrap();
    graph.run(9);
    assert!(graph.is_at_rest());
    assert_eq!(graph.apply(GraphEdit::WakeAll), Ok(GraphOutcome::Done));
    assert!(!graph.is_at_rest());
}

/// A damaged record within an edit is refused with the offset in the edit.
#[test]
fn damage_to_a_record_in_an_edit_is_named_by_its_offset_in_the_edit() {
    use floodplain::water::Edit;
    let mut world = worlds::water(3);
    let first = world.chunks().next().map(|(position, _)| position);
    let records = world.remove_chunks(first).unwrap();
    let bytes = Edit::InsertRecords(records.clone()).to_bytes();
    let (start, end) = (9, bytes.len());
    let refusal = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = bytes.clone();
        change(&mut changed);
        let error = Edit::from_bytes(&changed).expect_err("damage");
        assert_eq!(error.format, Format::Record, "{error}");
        error.at
    };
    assert_eq!(refusal(&|bytes| bytes[start] = 9), start, "its version");
    assert_eq!(refusal(&|bytes| bytes[start + 5] ^= 1), end - 4, "its checksum");
    assert_eq!(refusal(&|bytes| bytes[5..9].copy_from_slice(&[0; 4])), start, "its length");
    let seal = |bytes: &mut Vec<u8>| {
        let checksum = crc32fast::hash(&bytes[start..end - 4]);
        bytes[end - 4..].copy_from_slice(&checksum.to_le_bytes());
    };
    // After the version and the position, the form of the chunk.
    assert_eq!(bytes[start + 13], 1);
    let no_run = |bytes: &mut Vec<u8>| {
        bytes[start + 14] = 0;
        seal(bytes);
    };
    assert_eq!(refusal(&no_run), start + 14, "a run of no cells");
    let mut twin = WaterWorld::new(3, Rules::lossless()).unwrap();
    assert!(twin.apply(Edit::from_bytes(&bytes).unwrap()).is_ok());
    assert_eq!(twin.remove_chunks(first).unwrap().len(), records.len());
}
