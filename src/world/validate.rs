//! The laws of a world: the laws of its parts, the equality of their ground, and the sum of the
//! ledger.

use super::World;
use super::pressure::Matter;
use super::rules::UnderWater;
use super::tick::Stage;
use crate::automata::blast::extent::{admits, is_still};
use crate::automata::blast::mirror::has_ground_at;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Region, Shape};
use crate::humidity::Cell;
use crate::world::pressure::{is_lent, lent, matter_at, matter_in_blast, matter_of};
use crate::world::tick::contacts::are_contacts_quiet;
use crate::world::tick::seabed::seabed_of;
use crate::{blast, humidity, water};
use core::fmt;
use glam::IVec3;

/// A broken law of a world. This happens only if this crate has a bug.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Violation {
    /// A law of water.
    Water(water::validate::Violation),
    /// A law of moisture.
    Soil(humidity::validate::Violation),
    /// A law of pressure.
    Blast(blast::validate::Violation),
    /// A law of the chunk store of the ground.
    Storage,
    /// A part has the chunk at this chunk position although it should not, or the other way round.
    Chunk {
        /// `"water"`, `"soil"` or `"blast"`.
        part: &'static str,
        /// The chunk position.
        chunk: ChunkPos,
    },
    /// The ground of a part in this cell differs from the cell's material.
    Ground {
        /// `"water"`, `"soil"` or `"blast"`.
        part: &'static str,
        /// The cell.
        cell: IVec3,
    },
    /// In the chunk at this chunk position, the sea feeds soil that is not beside it, or does not
    /// feed soil that is.
    Seabed(ChunkPos),
    /// Water and moisture differ from the units that came in less the units that went out.
    Account {
        /// The units in cells and in soil, in units of moisture.
        counted: u128,
        /// The units that came in, in units of moisture.
        came_in: u128,
        /// The units that went out, in units of moisture.
        went_out: u128,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Water(law) => write!(f, "water: {law}"),
            Violation::Soil(law) => write!(f, "soil: {law}"),
            Violation::Blast(law) => write!(f, "blast: {law}"),
            Violation::Storage => f.write_str("the store of the ground is inconsistent"),
            Violation::Chunk { part, chunk } => {
                write!(f, "chunk {chunk} of {part} is there, or is missing")
            }
            Violation::Ground { part, cell } => {
                write!(f, "cell {cell} of {part} is not what its material is")
            }
            Violation::Seabed(chunk) => {
                write!(f, "the sea does not feed the soil of chunk {chunk} that lies beside it")
            }
            Violation::Account { counted, came_in, went_out } => {
                write!(f, "{counted} units of moisture, but {came_in} came in and {went_out} left")
            }
        }
    }
}

impl core::error::Error for Violation {}

/// Checks every law, and returns the first broken one as a typed error.
pub(crate) fn check_laws(world: &World) -> Result<(), Violation> {
    water::validate::check_laws(&world.water).map_err(Violation::Water)?;
    world.soil.check_laws().map_err(Violation::Soil)?;
    world.blast.check_laws().map_err(Violation::Blast)?;
    world.ground.validate().map_err(|_| Violation::Storage)?;
    validate_chunks(world)?;
    for (chunk, _) in world.ground.chunks() {
        cells_within(world, chunk).try_for_each(|cell| validate_cell(world, cell))?;
    }
    validate_seabed(world)?;
    validate_account(world)
}

/// Checks which soil the sea keeps full, unless the next exchange has to find that out.
fn validate_seabed(world: &World) -> Result<(), Violation> {
    if !are_contacts_quiet(world) {
        return Ok(());
    }
    let differs = |&chunk: &ChunkPos| world.soil.fed(chunk) != seabed_of(world, chunk);
    world.soil.chunk_positions().find(differs).map_or(Ok(()), |at| Err(Violation::Seabed(at)))
}

/// Returns the cells of a chunk that are in bounds.
pub(super) fn cells_within(world: &World, chunk: ChunkPos) -> impl Iterator<Item = IVec3> {
    let inside = world.bounds().intersection(&Cube::region_of(chunk));
    inside.into_iter().flat_map(Region::positions)
}

/// Checks which chunks each part has.
fn validate_chunks(world: &World) -> Result<(), Violation> {
    let missing = |part, chunk| Err(Violation::Chunk { part, chunk });
    for (chunk, _) in world.ground.chunks() {
        if world.water.chunk(chunk).is_none() {
            return missing("water", chunk);
        }
        if world.soil.chunk_units(chunk).is_some() != world.has_soil(chunk) {
            return missing("soil", chunk);
        }
        if !is_lent_rightly(world, chunk) {
            return missing("blast", chunk);
        }
    }
    let is_ground = |chunk: ChunkPos| world.ground.chunk(chunk).is_some();
    if let Some((chunk, _)) = world.water.chunks().find(|(chunk, _)| !is_ground(*chunk)) {
        return missing("water", chunk);
    }
    if let Some(chunk) = world.soil.chunk_positions().find(|&chunk| !is_ground(chunk)) {
        return missing("soil", chunk);
    }
    lent(world).find(|&chunk| !is_ground(chunk)).map_or(Ok(()), |at| missing("blast", at))?;
    // Where no ground is lent, all cells are open.
    for (chunk, _) in world.blast.chunks() {
        if !is_ground(chunk) || !admits(&world.blast, chunk) {
            return missing("blast", chunk);
        }
        let mut cells = (0..CHUNK_CELLS).map(|index| Cube::cell_at(chunk, index));
        if !is_lent(world, chunk)
            && let Some(cell) = cells.find(|&cell| world.blast.is_solid(cell))
        {
            return Err(Violation::Ground { part: "blast", cell });
        }
    }
    Ok(())
}

fn validate_cell(world: &World, cell: IVec3) -> Result<(), Violation> {
    let material = world.ground.get(cell);
    let traits = world.palette.traits(material);
    let soil = world.soil.cell(cell).unwrap_or(Cell::ROCK);
    let is_soil = if traits.is_permeable() {
        soil.impermeability == traits.impermeability
    } else {
        soil == Cell::ROCK
    };
    let part = if world.water.is_solid(cell) != traits.solid {
        "water"
    } else if !is_soil {
        "soil"
    } else if !is_lent_as_it_is(world, cell) {
        "blast"
    } else {
        return Ok(());
    };
    Err(Violation::Ground { part, cell })
}

/// Returns whether the ground of a chunk is lent exactly if the blast has pressure or ground there.
/// During the steps of explosions, chunks that they have just entered are not lent yet.
fn is_lent_rightly(world: &World, chunk: ChunkPos) -> bool {
    let (is_lent, is_blank) = (is_lent(world, chunk), world.blast.is_blank_at(chunk));
    if is_between_blasts(world) {
        is_lent != (is_blank && !has_ground_at(&world.blast, chunk))
    } else {
        is_lent || is_blank || !world.has_solid(chunk)
    }
}

/// Returns whether the ground of a cell in the blast agrees with the cell's material and water.
/// After edits, it may still agree with the water from before them; in a chunk that stands still,
/// it may do so until the chunk resumes. Where no ground is lent, the cell must be open in the
/// blast.
fn is_lent_as_it_is(world: &World, cell: IVec3) -> bool {
    let matter = matter_in_blast(world, cell);
    if !is_lent(world, Cube::chunk_of(cell)) {
        return matter == Matter::Open;
    }
    let is_still = is_still(&world.blast, Cube::chunk_of(cell));
    let is_known = !world.is_water_edited && is_between_blasts(world) && !is_still;
    let of_material = matter_of(world, world.ground.get(cell));
    let may_be_water = of_material == Matter::Open && world.rules.under_water == UnderWater::Stops;
    matter == matter_at(world, cell)
        || !is_known && may_be_water && matches!(matter, Matter::Open | Matter::Solid)
}

/// Returns whether the last steps of explosions are complete, and the water has not changed since.
fn is_between_blasts(world: &World) -> bool {
    matches!(world.stage, Stage::Rest | Stage::Water)
}

fn validate_account(world: &World) -> Result<(), Violation> {
    let (counted, ledger) = (world.total(), world.ledger());
    let (came_in, went_out) = (ledger.came_in(), ledger.went_out());
    if counted.checked_add(went_out) == Some(came_in) {
        Ok(())
    } else {
        Err(Violation::Account { counted, came_in, went_out })
    }
}
