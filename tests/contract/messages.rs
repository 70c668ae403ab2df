//! What errors say: every message names the thing and its figures, in one line.

use floodplain::blast::{self, BlastGraph, BlastWorld, FILL_CHUNK_LIMIT};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld};
use floodplain::save_file::{Part, SaveError};
use floodplain::snapshot::Kind;
use floodplain::water::{CellError, EditError, Rules, Voxel, WaterCell, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{
    Chunk, ChunkPos, Cube, DecodeError, DecodeProblem, Face, Format, Grid, GridError, Region,
};
use std::error::Error;

const HERE: IVec3 = IVec3::new(-4, 5, 61);
const THERE: IVec3 = IVec3::new(-3, 5, 61);

#[track_caller]
fn says(error: &dyn Error, parts: &[&str]) {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

#[test]
fn store_errors_name_chunk_and_sizes() {
    says(&GridError::ChunkOutOfRange(HERE.into()), &["[-4, 5, 61]", "i32"]);
    says(&GridError::NoChunk(HERE.into()), &["[-4, 5, 61]"]);
    says(&GridError::SliceLength { slice: 12, region: 13 }, &["12", "13"]);
    says(&GridError::RegionTooLarge { chunks: 1 << 40 }, &["1099511627776"]);
}

#[test]
fn refused_edits_name_cell_or_chunk() {
    for error in [
        EditError::NotLoaded(HERE),
        EditError::OutOfBounds(HERE),
        EditError::Solid(HERE),
        EditError::ChunkPresent(HERE.into()),
        EditError::ChunkAbsent(HERE.into()),
        EditError::ChunkOutOfBounds(HERE.into()),
    ] {
        says(&error, &["[-4, 5, 61]"]);
    }
    says(&EditError::Height(9), &["9", "7"]);
    says(&EditError::Rate(9), &["9", "1 to 7"]);
    says(&CellError::Height(8), &["8", "7"]);
}

#[test]
fn refused_rules_name_rule_and_value() {
    let refused = |rules: Rules| rules.check().unwrap_err();
    let rules = Rules { evaporation: 1.5, ..Rules::default() };
    says(&refused(rules), &["evaporation", "1.5", "a chance from 0 to 1"]);
    let rules = Rules { throughput: 0, ..Rules::default() };
    says(&refused(rules), &["throughput", "0", "1 to 7"]);
}

/// Values out of range of explosions once came back without the cell or the node that they were
/// for.
#[test]
fn refused_edits_of_explosions_name_place_and_value() {
    let mut world: BlastWorld<Cube> = BlastWorld::new(blast::Rules::diffusive(0.15)).unwrap();
    let at = "[-4, 5, 61]";
    let box_here = Region::new(HERE, THERE);
    says(&world.set_pressure(HERE, -2.5).unwrap_err(), &[at, "-2.5"]);
    says(&world.add_pressure(HERE, f32::NAN).unwrap_err(), &[at, "NaN"]);
    says(&world.fill_pressure(box_here, f32::INFINITY).unwrap_err(), &[at, "inf"]);
    says(&world.set_wall(HERE, 0.0).unwrap_err(), &[at, "a strength of 0"]);
    says(&world.fill_wall(box_here, -7.0).unwrap_err(), &[at, "-7"]);
    says(&world.set_link(HERE, Face::Up, -0.5).unwrap_err(), &[at, "Up", "-0.5"]);
    says(&world.set_link(HERE, Face::Up, 4.0).unwrap_err(), &[at, "9", "1"]);
    let mut chunk = Chunk::uniform(0.0);
    chunk.set(5, -3.0);
    says(
        &world.insert_chunk(ChunkPos::new(-1, -1, -1), chunk).unwrap_err(),
        &["[-11, -16, -16]", "-3"],
    );
    says(
        &world.insert_chunk(ChunkPos::new(-1, -1, -1), Chunk::uniform(-3.0)).unwrap_err(),
        &["[-16, -16, -16]", "-3"],
    );
    world.set_solid(HERE).unwrap();
    says(&world.set_pressure(HERE, 1.0).unwrap_err(), &[at]);
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(0.0)).unwrap();
    says(
        &world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(0.0)).unwrap_err(),
        &["[0, 0, 0]", "already"],
    );
}

#[test]
fn refused_edits_of_graphs_name_nodes_and_value() {
    let mut graph = BlastGraph::new(blast::Rules::diffusive(0.25)).unwrap();
    let [a, b, c] = [0, 1, 2].map(|x| graph.add_node(DVec3::X * f64::from(x), 0.0).unwrap());
    graph.add_link(a, b, 1.0).unwrap();
    says(&graph.add_node(DVec3::X, -2.5).unwrap_err(), &["-2.5", "new node"]);
    says(&graph.add_node(DVec3::NAN, 2.5).unwrap_err(), &["NaN", "new node"]);
    says(&graph.set_pressure(b, -2.5).unwrap_err(), &["-2.5", "node 1"]);
    says(&graph.set_wall(b, 0.0).unwrap_err(), &["a strength of 0", "node 1"]);
    says(&graph.add_link(b, c, -1.0).unwrap_err(), &["-1", "nodes 1 and 2"]);
    says(&graph.set_link(a, b, f64::NAN).unwrap_err(), &["NaN", "nodes 0 and 1"]);
    says(&graph.add_vent(c, 2e6, DVec3::X).unwrap_err(), &["2000000", "vent of node 2"]);
    says(&graph.add_vent(c, 1.0, DVec3::INFINITY).unwrap_err(), &["inf", "vent of node 2"]);
    says(&graph.add_link_along(b, c, 1.0, DVec3::NAN).unwrap_err(), &["NaN", "nodes 1 and 2"]);
    says(&graph.add_link(a, b, 1.0).unwrap_err(), &["nodes 0 and 1", "already"]);
    says(&graph.add_link(a, a, 1.0).unwrap_err(), &["node 0", "itself"]);
    says(&graph.add_link(b, c, 3.5).unwrap_err(), &["node 1", "4.5", "above 1"]);
    says(&graph.remove_link(a, c).unwrap_err(), &["nodes 0 and 2"]);
    says(&graph.remove_vent(a).unwrap_err(), &["node 0", "vent"]);
    graph.add_vent(c, 1.0, DVec3::X).unwrap();
    says(&graph.add_vent(c, 1.0, DVec3::X).unwrap_err(), &["node 2", "vent already"]);
    graph.set_wall(c, 1.0).unwrap();
    says(&graph.set_pressure(c, 1.0).unwrap_err(), &["node 2", "closed"]);
    graph.remove_node(b).unwrap();
    says(&graph.clear_wall(b).unwrap_err(), &["no node 1"]);
    says(&blast::GraphError::Full, &["2³²"]);
    assert_eq!(graph.validate(), Ok(()));
}

#[test]
fn refused_levels_of_2d_water_name_cell_and_level() {
    let mut world = Water2dWorld::new(0, water2d::Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(water2d::Cell::AIR)).unwrap();
    let (cell, most) = (IVec3::new(4, 5, 0), water2d::MAX_LEVEL);
    assert_eq!(world.pour(cell, 7), Ok(7));
    says(&world.pour(cell, most).unwrap_err(), &["[4, 5, 0]", "1000007", "1000000"]);
    says(&world.pour(cell, u32::MAX).unwrap_err(), &["[4, 5, 0]", "4294967302"]);
    says(&world.fill_water(Region::cell(cell), most + 1).unwrap_err(), &["[4, 5, 0]", "1000001"]);
    assert_eq!(world.total(), 7);
}

#[test]
fn broken_laws_of_explosions_and_2d_water_name_place_and_figures() {}

#[test]
fn refused_edits_name_cell_or_chunk_in_every_automaton() {
    let at = &["[-4, 5, 61]"];
    for error in [
        blast::EditError::OutOfBounds(HERE),
        blast::EditError::NoLink(HERE, Face::Up),
        blast::EditError::ChunkAbsent(HERE.into()),
        blast::EditError::ChunkOutOfBounds(HERE.into()),
    ] {
        says(&error, at);
    }
    let radius = blast::EditError::Radius { centre: HERE, value: 1.5 };
    says(&radius, &["[-4, 5, 61]", "radius 1.5", "at least 2"]);
    for error in [
        water2d::EditError::NotLoaded(HERE),
        water2d::EditError::OutOfBounds(HERE),
        water2d::EditError::Solid(HERE),
        water2d::EditError::ChunkPresent(HERE.into()),
        water2d::EditError::ChunkAbsent(HERE.into()),
        water2d::EditError::ChunkOutOfBounds(HERE.into()),
    ] {
        says(&error, at);
    }
    says(&water2d::EditError::LedgerFull { units: 77 }, &["77", "ledger"]);
    for error in [
        humidity::EditError::NotLoaded(HERE),
        humidity::EditError::OutOfBounds(HERE),
        humidity::EditError::ChunkPresent(HERE.into()),
        humidity::EditError::ChunkAbsent(HERE.into()),
        humidity::EditError::ChunkOutOfBounds(HERE.into()),
    ] {
        says(&error, at);
    }
}

#[test]
fn refused_edits_of_humidity_name_cell_and_value() {
    let mut world: HumidityWorld = HumidityWorld::new(humidity::Rules::default()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(1.0, 1.0))).unwrap();
    let cell = IVec3::new(4, 5, 0);
    says(&world.set_humidity(cell, -2.5).unwrap_err(), &["[4, 5, 0]", "-2.5", "32767"]);
    says(&world.set_rain(cell, f64::NAN).unwrap_err(), &["[4, 5, 0]", "NaN"]);
    says(&world.set_impermeability(cell, 0.25).unwrap_err(), &["[4, 5, 0]", "0.25", "0.5"]);
    says(&world.set_humidity(IVec3::X * 64, 1.0).unwrap_err(), &["[64, 0, 0]"]);
    let beyond = world
        .fill_cells(Region::new(cell, IVec3::new(70, 5, 0)), humidity::Cell::ROCK)
        .unwrap_err();
    says(&beyond, &["[64, 5, 0]"]);
}

#[test]
fn refused_rules_of_every_automaton_name_value_and_limit() {
    says(&blast::Rules::diffusive(-2.5).check(4.0).unwrap_err(), &["coefficient", "-2.5"]);
    says(&blast::Rules::wave(0.1, 1.5).check(4.0).unwrap_err(), &["damping", "1.5", "1"]);
    says(
        &BlastWorld::<Cube>::new(blast::Rules::wave(0.1, 0.99)).err().unwrap(),
        &["damping", "0.99", "0.98"],
    );
    says(
        &blast::Rules { threshold: -0.5, ..blast::Rules::default() }.check(4.0).unwrap_err(),
        &["threshold", "-0.5"],
    );
    says(&BlastWorld::<Cube>::new(blast::Rules::default()).err().unwrap(), &["0.24", "6", "1"]);
    says(&blast::Probe::new(HERE, -0.5).unwrap_err(), &["cross_section", "-0.5"]);
    let rules = water2d::Rules { pressure_flow: 101, ..water2d::Rules::default() };
    says(&Water2dWorld::new(0, rules).err().unwrap(), &["pressure_flow", "101", "100"]);
    let refused = |rules: humidity::Rules| HumidityWorld::<Cube>::new(rules).err().unwrap();
    says(&refused(humidity::Rules { cap: -1.5, ..Default::default() }), &["cap", "-1.5", "32767"]);
    says(
        &refused(humidity::Rules { coefficient: 0.5, ..Default::default() }),
        &["coefficient", "0.5", "0.0416"],
    );
    let least = humidity::Rules { least_impermeability: 0.0, ..humidity::Rules::default() };
    says(&refused(least), &["least_impermeability", "1e-30", "1e30"]);
    let fall = humidity::Rules { fall: 0.5, ..humidity::Rules::default() };
    says(&refused(fall), &["fall", "0.5", "0.0625"]);
    let synchronous = humidity::Rules { sweep: humidity::Sweep::Synchronous, ..fall };
    says(&refused(synchronous), &["fall", "0.5", "Synchronous"]);
}

#[test]
fn bytes_that_are_refused_name_the_part() {
    let error = |format, problem| DecodeError { format, at: 17, problem };
    let of = |problem| error(Format::Snapshot, problem);
    says(&of(DecodeProblem::Magic { wanted: "FLDPLAIN" }), &["snapshot", "FLDPLAIN"]);
    says(&of(DecodeProblem::Version { found: 9, wanted: 1 }), &["9", "1"]);
    says(&of(DecodeProblem::Kind { found: 9, wanted: Kind::Water }), &["9", "Water"]);
    says(&of(DecodeProblem::EndsEarly), &["snapshot", "17", "ends"]);
    says(&of(DecodeProblem::Trailing { bytes: 8 }), &["17", "8"]);
    says(&of(DecodeProblem::Law { law: "11 units".to_owned() }), &["snapshot", "11 units"]);
    says(&of(DecodeProblem::Tag { found: 99 }), &["17", "tag 99"]);
    let checksum = DecodeProblem::Checksum { found: 0xab, computed: 0xcd };
    says(&error(Format::State, checksum), &["WRLD", "checksum", "0x000000ab", "0x000000cd"]);
    let value = |found| DecodeProblem::Value { wanted: "a mask", found };
    says(&error(Format::Edit, value(Some(-3))), &["edit", "17", "a mask", "-3"]);
    for (format, name) in [
        (Format::Rules, "RULE"),
        (Format::Chunks, "CHNK"),
        (Format::Record, "record"),
        (Format::Update, "update"),
        (Format::Recording, "recording"),
        (Format::SaveFile, "save file"),
    ] {
        says(&error(format, value(None)), &[name, "17", "a mask"]);
    }
    let malformed = || error(Format::State, value(None));
    for error in
        [SaveError::Exists, SaveError::Empty, SaveError::NotADatabase, SaveError::OtherProgram]
    {
        says(&error, &["save"]);
        assert!(error.source().is_none());
    }
    says(&SaveError::InUse, &["open already"]);
    says(&SaveError::DamagedDatabase { reason: "torn".to_owned() }, &["torn"]);
    says(&SaveError::Damaged { part: Part::Entry("rules") }, &["entry rules"]);
    says(&SaveError::Damaged { part: Part::Chunks }, &["table of chunks"]);
    let chunk = SaveError::Malformed { part: Part::Chunk(HERE.into()), error: malformed() };
    says(&chunk, &["[-4, 5, 61]", "a mask"]);
    assert_eq!(chunk.source().unwrap().to_string(), malformed().to_string());
    says(&SaveError::Unlawful { law: "11 units".to_owned() }, &["11 units"]);
    let disk = SaveError::from(std::io::Error::other("no more room"));
    says(&disk, &["no more room"]);
    assert_eq!(disk.source().unwrap().to_string(), "no more room");
    let database = SaveError::Database("gone".into());
    says(&database, &["gone"]);
    assert!(database.source().is_some());
}

/// A fill of a million chunks was let through, and took tens of gigabytes.
#[test]
fn a_fill_of_explosions_is_bounded_and_says_so() {
    let mut world: BlastWorld<Cube> = BlastWorld::new(blast::Rules::diffusive(0.15)).unwrap();
    let side = |chunks: i32| Region::new(IVec3::ZERO, IVec3::new(16 * chunks - 1, 15, 15));
    let (most, empty) = (FILL_CHUNK_LIMIT as i32, world.memory_bytes());
    for refused in [
        world.fill_solid(side(most + 1)).unwrap_err(),
        world.fill_wall(side(most + 1), 1.0).unwrap_err(),
        world.fill_pressure(side(most + 1), 1.0).unwrap_err(),
    ] {
        says(&refused, &["4097", "4096"]);
    }
    assert_eq!((world.chunks().count(), world.memory_bytes()), (0, empty));
    // What a fill that is let through builds, per chunk.
    world.fill_wall(side(8), 1.0).unwrap();
    assert!(
        world.memory_bytes() * FILL_CHUNK_LIMIT as usize / 8 < 1 << 30,
        "{}",
        world.memory_bytes()
    );
}

#[test]
fn cells_and_grids_print_what_they_are() {
    assert_eq!(format!("{:?}", Voxel::SOLID), "solid");
    assert_eq!(format!("{:?}", Voxel::OPEN), "dry");
    assert_eq!(format!("{:?}", Voxel::from(WaterCell::SOURCE)), format!("{:?}", WaterCell::SOURCE));
    let mut grid = Grid::<u16, Cube>::new(4);
    grid.set(HERE, 5);
    let printed = format!("{grid:?}");
    assert!(
        printed.contains("Cube")
            && printed.contains("background: 4")
            && printed.contains("chunks: 1"),
        "{printed}"
    );
}

#[test]
fn a_world_says_what_it_was_made_with() {
    let rules = Rules { throughput: 3, ..Rules::lossless() };
    let mut world = WaterWorld::new(17, rules).unwrap();
    assert_eq!((world.rules(), world.seed(), world.ticks()), (&rules, 17, 0));
    assert!(!world.is_solid(HERE) && world.voxel(HERE).is_none() && world.cell(HERE).is_none());
    let empty = world.memory_bytes();
    world.insert_chunk(ChunkPos::ZERO, floodplain::Chunk::uniform(Voxel::SOLID)).unwrap();
    assert!(world.is_solid(IVec3::ONE) && world.cell(IVec3::ONE).is_none());
    assert!(world.memory_bytes() > empty);
    assert!(Rules { film_evaporation: -0.1, ..rules }.check().is_err());
    assert!(WaterWorld::new(17, Rules { evaporation: f64::INFINITY, ..rules }).is_err());
}
