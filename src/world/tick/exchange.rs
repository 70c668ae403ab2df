//! Units of water that pass into soil and out of it.
//!
//! In each exchange, all soil with room first soaks up water, then all soil that holds too much
//! gives some back: chunk by chunk in order of position, cell by cell. A cell of soil takes or
//! gives at most one unit, and acts on the changes of the cells before it. A tick can stop, and be
//! saved, after any chunk of either half.
//!
//! Why a closed world comes to rest: soil alone lowers a convex potential, Σ (Φ(hᵢ) + yᵢ·hᵢ), see
//! `automata/humidity/step/conservative.rs`. Let a unit of water at y have the potential of
//! moisture in soil at y that holds c, the highest capacity. A unit that soaks in comes from the
//! same level or from above, and the soil then holds c or less. Soil that gives a unit below or
//! beside it still holds c or more; soil that gives a unit to the cell above still holds enough for
//! c to be at rest above it. Since Φ is strictly convex, each unit that passes lowers the sum, and
//! so does water that falls. There are finitely many states, so this ends.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::simulation::StepReport;
use crate::water::ebb::lost::cells_evaporated;
use crate::water::query::contact::{Contact, contacts, surroundings};
use crate::water::random::{Purpose, chunk_seed, mix};
use crate::world::World;
use crate::world::edit::rain::soak;
use crate::world::rules::couplings::Couplings;
use crate::world::rules::limits::MOST_DEPTH;
use crate::world::tick::contacts::{Bank, are_contacts_quiet, find_a_contact, find_some_contacts};
use crate::world::tick::{Piece, Stage};
use glam::IVec3;

/// The largest distance down to the soil that takes an evaporated unit, in cells.
const EBB_REACH: usize = 16;

/// The units of water that have passed between water and soil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::world) struct Passed {
    /// The units that soaked from water into soil.
    pub(in crate::world) soaked: u64,
    /// The units that soil gave back to water.
    pub(in crate::world) sprung: u64,
    /// The units that evaporated from water into soil.
    pub(in crate::world) ebbed: u64,
}

/// One of the two halves of an exchange, soaking or springing.
pub(in crate::world) trait Passing {
    const CONTACT: Contact;

    /// The next stage of the tick after this half.
    const NEXT: Stage;

    /// Returns the stage of the tick in which this half resumes after `chunk`.
    fn after(chunk: ChunkPos) -> Stage;

    fn is_on(couplings: &Couplings) -> bool;

    /// Returns the count of the units that have passed.
    fn count(passed: &mut Passed) -> &mut u64;

    /// Returns the cells of a bank that take part.
    fn cells(bank: &Bank) -> &CellMask;

    /// Returns the cells of a layer (0 to 15) at which a unit may pass. `across` has, by face, the
    /// cells whose neighbour there takes part.
    fn open_cells(bank: &Bank, layer: usize, across: &[LayerMask; 6]) -> LayerMask;

    /// Passes a unit, by chance, between a cell of soil and a cell across one of the faces for
    /// which `across` is true. Returns whether a unit passed.
    fn pass(world: &mut World, cell: IVec3, draw: u64, across: impl Fn(Face) -> bool) -> bool;
}

/// Water soaks into soil.
pub(in crate::world) struct Soaking;

impl Passing for Soaking {
    const CONTACT: Contact = Contact::Giver;
    // Springing comes second, since a cell that has lost a unit to soil has room for one.
    const NEXT: Stage = Stage::Springing(None);

    fn after(chunk: ChunkPos) -> Stage {
        Stage::Soaking(Some(chunk))
    }

    fn is_on(couplings: &Couplings) -> bool {
        couplings.seepage > 0.0
    }

    fn count(passed: &mut Passed) -> &mut u64 {
        &mut passed.soaked
    }

    fn cells(bank: &Bank) -> &CellMask {
        &bank.roomy
    }

    fn open_cells(bank: &Bank, layer: usize, across: &[LayerMask; 6]) -> LayerMask {
        let [west, east, _, up, north, south] = *across;
        bank.roomy.layer(layer) & (up | west | east | north | south)
    }

    fn pass(world: &mut World, cell: IVec3, draw: u64, across: impl Fn(Face) -> bool) -> bool {
        let chances = *world.limits.chances(world.ground.get(cell).0);
        let luck = draw as u16;
        // The deepest water has the highest chance.
        if u32::from(luck) >= chances[MOST_DEPTH - 1] {
            return false;
        }
        let faces = [Face::Up].into_iter().chain(sides(draw)).filter(|&face| across(face));
        let mut wet = faces.filter_map(|face| face.step(cell));
        let Some(from) = wet.find(|&there| world.water.units(there) > 0) else { return false };
        u32::from(luck) < chances[depth_at(world, from) - 1]
            && world.water.scoop(from, 1) == Ok(1)
            && soak(world, cell, 1) == 1
    }
}

/// Soil gives water.
pub(in crate::world) struct Springing;

impl Passing for Springing {
    const CONTACT: Contact = Contact::Taker;
    const NEXT: Stage = Stage::Soil;

    fn after(chunk: ChunkPos) -> Stage {
        Stage::Springing(Some(chunk))
    }

    fn is_on(couplings: &Couplings) -> bool {
        couplings.springs
    }

    fn count(passed: &mut Passed) -> &mut u64 {
        &mut passed.sprung
    }

    fn cells(bank: &Bank) -> &CellMask {
        &bank.brimming
    }

    fn open_cells(bank: &Bank, layer: usize, across: &[LayerMask; 6]) -> LayerMask {
        let [west, east, down, up, north, south] = *across;
        let lower = bank.brimming.layer(layer) & (down | west | east | north | south);
        lower | bank.rising.layer(layer) & up
    }

    fn pass(world: &mut World, cell: IVec3, draw: u64, across: impl Fn(Face) -> bool) -> bool {
        let rises = world.soil.units(cell).is_some_and(|held| held >= world.limits.brim_above);
        let above = rises.then_some(Face::Up);
        let faces = [Face::Down].into_iter().chain(sides(draw)).chain(above);
        for there in faces.filter(|&face| across(face)).filter_map(|face| face.step(cell)) {
            if world.water.pour(there, 1) == Ok(1) {
                world.soil.take_units(cell, world.rules.scale() as u32);
                return true;
            }
        }
        false
    }
}

/// Returns the sides in an order drawn at random (Fisher–Yates).
fn sides(draw: u64) -> [Face; 4] {
    let mut sides = Face::LATERAL;
    for last in 1..4 {
        let bits = draw >> (16 * last) & 0xffff;
        sides.swap(last, bits as usize % (last + 1));
    }
    sides
}

/// Runs a piece of one half of an exchange, before a step of soil: finds some of the contacts, or
/// exchanges units in the next chunk after `after`.
pub(in crate::world) fn exchange_piece<P: Passing>(
    world: &mut World,
    after: Option<ChunkPos>,
) -> Piece {
    let is_due = world.has_soil_step() && world.rules.couplings.exchange();
    if !is_due || world.soil.is_at_rest() && are_contacts_quiet(world) {
        // Contacts are also found in the other ticks, to relieve the ticks with a step of soil.
        if let Some(cells) = find_a_contact(world) {
            return Piece::ahead(cells);
        }
        world.stage = Stage::Soil;
        return Piece::NONE;
    }
    if let Some(cells) = find_some_contacts(world) {
        return Piece::ahead(cells);
    }
    let is_on = P::is_on(&world.rules.couplings);
    let Some(chunk) = is_on.then(|| world.contacts.next_due(after)).flatten() else {
        world.stage = P::NEXT;
        if world.stage == Stage::Soil {
            world.contacts.end_exchange();
        }
        return Piece::NONE;
    };
    world.stage = P::after(chunk);
    let report = pass_at::<P>(world, chunk);
    Piece { report, visited: report.visited + LAYER_CELLS as u64 }
}

/// Passes units wherever they may pass in a chunk, if it has a bank.
fn pass_at<P: Passing>(world: &mut World, chunk: ChunkPos) -> StepReport {
    let Some(mut bank) = world.contacts.banks.remove(&chunk) else {
        return StepReport::default();
    };
    let passed = pass_in::<P>(world, chunk, &mut bank);
    world.contacts.banks.insert(chunk, bank);
    if passed.visited > 0 {
        world.contacts.open.push(chunk);
    }
    *P::count(&mut world.passed) += passed.moved;
    passed
}

/// Passes units wherever they may pass in a chunk. In the report, `visited` counts the cells of
/// soil at which a unit may pass.
fn pass_in<P: Passing>(world: &mut World, chunk: ChunkPos, bank: &mut Bank) -> StepReport {
    let mut report = StepReport::default();
    if P::cells(bank).is_empty() || world.water.is_frozen(chunk) {
        return report;
    }
    let around = surroundings(&world.water, chunk);
    let random = exchange_seed(world, chunk);
    for layer in 0..16 {
        if P::cells(bank).layer(layer).is_empty() {
            continue;
        }
        let across = contacts(&world.water, &around, layer, P::CONTACT);
        for at in P::open_cells(bank, layer, &across).iter() {
            let index = layer * LAYER_CELLS + at;
            let (cell, draw) = (Cube::cell_at(chunk, index), mix(random, index as u64));
            report.visited += 1;
            if P::pass(world, cell, draw, |face| across[face.index()].contains(at)) {
                (report.moved, report.changed) = (report.moved + 1, report.changed + 2);
                let held = world.soil.units(cell).unwrap_or(0);
                bank.note(&world.limits, index, world.ground.get(cell).0, held);
            }
        }
    }
    report
}

/// Returns the seed of a chunk's random choices in the exchange of this tick.
fn exchange_seed(world: &World, chunk: ChunkPos) -> u64 {
    let tick = mix(world.seed(), world.tick.wrapping_add(1));
    Purpose::Exchange.seed(chunk_seed(tick, chunk))
}

/// Returns the number of cells of water in a column, from a wet cell upwards, 1 to [`MOST_DEPTH`].
fn depth_at(world: &World, cell: IVec3) -> usize {
    let above = (1..MOST_DEPTH as i32).map(|up| cell.with_y(cell.y.saturating_add(up)));
    1 + above.take_while(|&above| world.water.units(above) > 0).count()
}

/// Puts the units that evaporated in the completed tick of water into the soil below. Returns the
/// number of units that soil took.
pub(in crate::world) fn ebb(world: &mut World) -> u64 {
    let mut changed = 0;
    for at in 0..cells_evaporated(&world.water).len() {
        let cell = cells_evaporated(&world.water)[at];
        if let Some(soil) = soil_below(world, cell) {
            let soaked = u64::from(soak(world, soil, 1));
            world.passed.ebbed += soaked;
            changed += soaked;
        }
    }
    changed
}

/// Returns the first ground straight below an open cell, if it is permeable, within reach, and not
/// frozen.
fn soil_below(world: &World, cell: IVec3) -> Option<IVec3> {
    let mut below = cell;
    for _ in 0..EBB_REACH {
        below = Face::Down.step(below)?;
        let traits = world.palette.traits(world.material(below)?);
        if traits.solid {
            let is_frozen = world.water.is_frozen(Cube::chunk_of(below));
            return (traits.is_permeable() && !is_frozen).then_some(below);
        }
    }
    None
}
