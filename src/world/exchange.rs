//! Units of water that pass into soil and out of it.
//!
//! In each exchange first all soil with room soaks up water, then all soil that holds too much
//! gives it back: chunk by chunk in order of position, cell by cell. A cell of soil takes or gives
//! at most one unit. Each cell sees what those before it left.
//!
//! Why a closed world comes to rest: soil alone lowers a convex potential, Σ (Φ(hᵢ) + yᵢ·hᵢ), see
//! `automata/humidity/conservative.rs`. Let a unit of water at y have the potential of moisture in
//! soil there that holds c, the highest capacity. What soaks in comes from the same level or from
//! above and is then in soil that holds c or less; what soil gives below or beside it leaves c or
//! more behind, and what it gives above it leaves so much that c would be at rest above it. Since Φ
//! is strictly convex, each unit that passes lowers the sum, and so does water that falls. There
//! are finitely many states.

use super::World;
use super::contacts::{Bank, Contacts};
use super::limits::MOST_DEPTH;
use crate::automaton::StepReport;
use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{Cube, Face, Shape};
use crate::water::contact::Contact;
use crate::water::random::{Purpose, chunk_seed, mix};
use glam::IVec3;

/// How far down a unit that evaporates finds soil, in cells.
const EBB_REACH: usize = 16;

/// The units of water that have passed between water and soil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    /// From water into soil.
    pub(super) soaked: u64,
    /// From soil into water.
    pub(super) sprung: u64,
    /// From water into soil, as they evaporated.
    pub(super) ebbed: u64,
}

/// What passes at a contact: one of the two halves of an exchange.
trait Passing {
    const CONTACT: Contact;

    /// Returns the cells of a bank that take part.
    fn cells(bank: &Bank) -> &CellMask;

    /// Returns those of a layer (0 to 15) at which a unit may pass. `across` are the cells with a
    /// neighbour that takes part, by face.
    fn open_cells(bank: &Bank, layer: usize, across: &[LayerMask; 6]) -> LayerMask;

    /// Lets a unit pass between a cell of soil and one of those across these faces, by chance.
    /// Returns whether one did.
    fn pass(world: &mut World, cell: IVec3, draw: u64, across: impl Fn(Face) -> bool) -> bool;
}

/// Water soaks into soil.
struct Soaking;

impl Passing for Soaking {
    const CONTACT: Contact = Contact::Giver;

    fn cells(bank: &Bank) -> &CellMask {
        &bank.thirsty
    }

    fn open_cells(bank: &Bank, layer: usize, across: &[LayerMask; 6]) -> LayerMask {
        let [west, east, _, up, north, south] = *across;
        bank.thirsty.layer(layer) & (up | west | east | north | south)
    }

    fn pass(world: &mut World, cell: IVec3, draw: u64, across: impl Fn(Face) -> bool) -> bool {
        let chances = *world.limits.chances(world.ground.get(cell).0);
        let luck = draw as u16;
        // The deepest water gives likeliest.
        if u32::from(luck) >= chances[MOST_DEPTH - 1] {
            return false;
        }
        let faces = [Face::Up].into_iter().chain(sides(draw)).filter(|&face| across(face));
        let mut wet = faces.filter_map(|face| face.step(cell));
        let Some(from) = wet.find(|&there| world.water.height(there) > 0) else { return false };
        u32::from(luck) < chances[world.depth_at(from) - 1]
            && world.water.scoop(from, 1) == Ok(1)
            && world.soak(cell, 1) == 1
    }
}

/// Soil gives water.
struct Springing;

impl Passing for Springing {
    const CONTACT: Contact = Contact::Taker;

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

impl World {
    /// Lets water and soil exchange units, before a step of soil.
    pub(super) fn exchange(&mut self) -> StepReport {
        let mut report = StepReport::default();
        if !self.rules.couplings.exchange() || self.soil.is_at_rest() && self.are_contacts_quiet() {
            return report;
        }
        let mut due = self.find_contacts();
        let mut contacts = core::mem::take(&mut self.contacts);
        if self.rules.couplings.seepage > 0.0 {
            report += self.pass_all::<Soaking>(&due, &mut contacts);
            self.passed.soaked += report.moved;
            // What has lost a unit has room for one.
            contacts.add_beside(&self.water.take_altered(), &mut due);
        }
        if self.rules.couplings.springs {
            let springs = self.pass_all::<Springing>(&due, &mut contacts);
            self.passed.sprung += springs.moved;
            report += springs;
        }
        self.contacts = contacts;
        report
    }

    /// Lets units pass wherever they may in these chunks.
    fn pass_all<P: Passing>(&mut self, due: &[IVec3], contacts: &mut Contacts) -> StepReport {
        let mut report = StepReport::default();
        for &chunk in due {
            if let Some(bank) = contacts.banks.get_mut(&chunk) {
                let passed = self.pass_in::<P>(chunk, bank);
                if passed.visited > 0 {
                    contacts.open.push(chunk);
                }
                report += passed;
            }
        }
        report
    }

    /// Lets units pass wherever they may in a chunk. The report counts the cells of soil at which
    /// one might.
    fn pass_in<P: Passing>(&mut self, chunk: IVec3, bank: &mut Bank) -> StepReport {
        let mut report = StepReport::default();
        if P::cells(bank).is_empty() || self.water.is_frozen(chunk) {
            return report;
        }
        let around = self.water.surroundings(chunk);
        let random = self.exchange_seed(chunk);
        for layer in 0..16 {
            if P::cells(bank).layer(layer).is_empty() {
                continue;
            }
            let across = self.water.contacts(&around, layer, P::CONTACT);
            for at in P::open_cells(bank, layer, &across).iter() {
                let index = layer * LAYER_CELLS + at;
                let (cell, draw) = (Cube::cell_at(chunk, index), mix(random, index as u64));
                report.visited += 1;
                if P::pass(self, cell, draw, |face| across[face.index()].contains(at)) {
                    (report.moved, report.changed) = (report.moved + 1, report.changed + 2);
                    let held = self.soil.units(cell).unwrap_or(0);
                    bank.note(&self.limits, index, self.ground.get(cell).0, held);
                }
            }
        }
        report
    }

    /// Returns the seed of a chunk's random choices in the exchange of this tick.
    fn exchange_seed(&self, chunk: IVec3) -> u64 {
        let tick = mix(self.seed(), self.tick.wrapping_add(1));
        Purpose::Exchange.seed(chunk_seed(tick, chunk))
    }

    /// Returns how many cells of water stand above one another from a wet one on, 1 to
    /// [`MOST_DEPTH`].
    fn depth_at(&self, cell: IVec3) -> usize {
        let above = (1..MOST_DEPTH as i32).map(|up| cell.with_y(cell.y.saturating_add(up)));
        1 + above.take_while(|&above| self.water.height(above) > 0).count()
    }

    /// Lets what evaporated in the tick of water that is complete go into the soil below. Returns
    /// how many times a cell of soil took some.
    pub(super) fn ebb(&mut self) -> u64 {
        let mut changed = 0;
        for at in 0..self.water.evaporated().len() {
            let cell = self.water.evaporated()[at];
            if let Some(soil) = self.soil_below(cell) {
                let soaked = u64::from(self.soak(soil, 1));
                self.passed.ebbed += soaked;
                changed += soaked;
            }
        }
        changed
    }

    /// Returns the permeable ground straight below an open cell, if that is the first ground there,
    /// within reach, and does not stand still.
    fn soil_below(&self, cell: IVec3) -> Option<IVec3> {
        let mut below = cell;
        for _ in 0..EBB_REACH {
            below = Face::Down.step(below)?;
            let traits = self.palette.traits(self.material(below)?);
            if traits.solid {
                let is_frozen = self.water.is_frozen(Cube::chunk_of(below));
                return (traits.is_permeable() && !is_frozen).then_some(below);
            }
        }
        None
    }
}
