//! What errors say: every message names the thing and its figures, in one line.

use floodplain::glam::IVec3;
use floodplain::water::{CellError, EditError, Rules, RulesError, Violation, Voxel, WaterCell, WaterWorld};
use floodplain::{Cube, Grid, GridError};
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
    says(&GridError::ChunkOutOfRange(HERE), &["[-4, 5, 61]", "i32"]);
    says(&GridError::NoChunk(HERE), &["[-4, 5, 61]"]);
    says(&GridError::SliceLength { slice: 12, region: 13 }, &["12", "13"]);
    says(&GridError::RegionTooLarge { chunks: 1 << 40 }, &["1099511627776"]);
}

#[test]
fn refused_edits_name_cell_or_chunk() {
    for error in [
        EditError::NotLoaded(HERE),
        EditError::OutOfBounds(HERE),
        EditError::Solid(HERE),
        EditError::ChunkPresent(HERE),
        EditError::ChunkAbsent(HERE),
        EditError::ChunkOutOfBounds(HERE),
    ] {
        says(&error, &["[-4, 5, 61]"]);
    }
    says(&EditError::Height(9), &["9", "7"]);
    says(&CellError::Height(8), &["8", "7"]);
}

#[test]
fn refused_rules_name_rule_and_value() {
    says(&RulesError::Chance { rule: "evaporation", value: 1.5 }, &["evaporation", "1.5"]);
    says(&RulesError::Units { rule: "throughput", value: 0, least: 1 }, &["throughput", "0", "1 to 7"]);
}

#[test]
fn broken_laws_name_place_and_figures() {
    says(&Violation::Ledger { counted: 11, booked: 12 }, &["11", "12", "ledger"]);
    says(&Violation::Storage, &["store"]);
    says(&Violation::Word { cell: HERE, word: 0x0180 }, &["[-4, 5, 61]", "0x0180"]);
    says(&Violation::Largest { cell: HERE, largest: 6 }, &["[-4, 5, 61]", "6"]);
    says(&Violation::Unlevel { cell: HERE, neighbour: THERE }, &["[-4, 5, 61]", "[-3, 5, 61]"]);
    says(&Violation::Uneven { high: HERE, low: THERE, difference: 3 }, &["[-4, 5, 61]", "[-3, 5, 61]", "3"]);
    for violation in [
        Violation::Masks(HERE),
        Violation::Bounds(HERE),
        Violation::Parent(HERE),
        Violation::ParentLoop(HERE),
        Violation::Extra(HERE),
        Violation::Asleep(HERE),
        Violation::HasSource(HERE),
        Violation::Unsupported(HERE),
    ] {
        says(&violation, &["[-4, 5, 61]"]);
    }
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
        printed.contains("Cube") && printed.contains("background: 4") && printed.contains("chunks: 1"),
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
    world.insert_chunk(IVec3::ZERO, floodplain::Chunk::uniform(Voxel::SOLID)).unwrap();
    assert!(world.is_solid(IVec3::ONE) && world.cell(IVec3::ONE).is_none());
    assert!(world.memory_bytes() > empty);
    assert!(Rules { activity_decay: -0.1, ..rules }.check().is_err());
    assert!(WaterWorld::new(17, Rules { evaporation: f64::INFINITY, ..rules }).is_err());
}
