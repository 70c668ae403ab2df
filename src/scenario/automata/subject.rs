//! The worlds that scenarios run: the interface to the rest of `scenario` ([`Setup`], [`Subject`])
//! and the trait that an automaton implements ([`ScenarioWorld`]).

use super::picture::{Layout, Picture, check_one_layer};
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::{Drawing, NOWHERE};
use crate::simulation::{Simulation, StepReport};
use core::error::Error;
use core::fmt;
use glam::IVec3;
use std::collections::BTreeMap;

/// Why a world refused a drawing or an edit.
pub(crate) type Refusal = Box<dyn Error>;

/// The part of a file about its automaton: rules, legend, edges.
pub(crate) trait Setup: fmt::Debug + Send + Sync {
    /// Returns whether a character has a meaning.
    fn knows(&self, character: char) -> bool;

    /// Returns the quantities of a cell that only this automaton has.
    fn quantities(&self) -> &'static [Quantity];

    /// Returns the names of the account's entries that a check can use.
    fn counts(&self) -> &'static [&'static str];

    /// Returns the number for which a name stands as a value of a quantity; `None` if the quantity
    /// has no such name.
    fn number_of(&self, quantity: &str, name: &str) -> Option<f64>;

    /// Returns the column of water that a drawn cell belongs to, and its height there in cells.
    fn column(&self, drawing: &Drawing, cell: IVec3) -> ([i32; 2], i32);

    /// Refuses drawings that the automaton cannot run.
    fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError>;

    /// Returns the world as it is drawn.
    fn start<'a>(
        &'a self,
        seed: u64,
        drawing: &'a Drawing,
    ) -> Result<Box<dyn Subject + 'a>, Refusal>;
}

/// A quantity of a cell, by its name in `[[expect.check]]`.
#[derive(Debug)]
pub(crate) struct Quantity {
    pub(crate) name: &'static str,
    /// Whether the quantity is true or false rather than a number.
    pub(crate) is_flag: bool,
}

/// The amounts that entered and left a world since its start, and the amount that must be in it
/// now.
pub(crate) struct Account {
    /// The ledger's entries by name, in the order of the report.
    pub(crate) entries: Vec<(&'static str, f64)>,
    /// The amount that must be in the world, by the entries.
    pub(crate) total: f64,
    /// The amount that sources supplied.
    pub(crate) injected: f64,
    /// The amount that left across the edges.
    pub(crate) drained: f64,
}

impl Account {
    /// Returns the entry of this name.
    pub(crate) fn entry(&self, name: &str) -> f64 {
        self.entries.iter().filter(|entry| entry.0 == name).map(|entry| entry.1).sum()
    }
}

/// A running world. Cells are cells of the drawing.
pub(crate) trait Subject {
    /// Writes the meaning of a character into cells.
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), Refusal>;

    /// Loads a chunk as it is drawn.
    fn load(&mut self, chunk: ChunkPos) -> Result<(), Refusal>;

    /// Runs one tick.
    fn step(&mut self) -> StepReport;

    /// Returns the number of cells that the next step will visit.
    fn active_cells(&self) -> usize;

    /// Returns whether the world will not change until the next edit.
    fn is_at_rest(&self) -> bool;

    /// Counts the content of the world, cell by cell.
    fn count(&self) -> f64;

    fn account(&self) -> Account;

    /// Returns whether the count equals the account's total, within the automaton's rounding error.
    fn is_balanced(&self) -> bool;

    /// Returns the report's value of a cell: −1 if solid, −2 if not in the world.
    fn value(&self, cell: IVec3) -> f64;

    /// Returns the name of the cells' values in the report.
    fn values_name(&self) -> &'static str;

    /// Returns the quantity with this index, a flag as 0 or 1; `None` in cells without it.
    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64>;

    /// Returns the content of a full cell.
    fn capacity(&self) -> f64;

    fn state_hash(&self) -> u64;

    /// Checks all laws of the automaton.
    fn validate(&self) -> Result<(), String>;
}

/// An automaton that scenarios can run. Cells are cells of the world.
pub(crate) trait ScenarioWorld: Simulation + Sized + 'static {
    /// The part of a file about the automaton, without the legend.
    type Rules: fmt::Debug + Send + Sync;
    /// The meaning of a character.
    type Glyph: Copy + fmt::Debug + Send + Sync;

    const LAYOUT: Layout;
    /// The quantities of a cell, in the order of the indices in
    /// [`measure`](ScenarioWorld::measure).
    const QUANTITIES: &'static [Quantity];
    /// See [`Setup::counts`].
    const COUNTS: &'static [&'static str] = &[];
    const VALUES_NAME: &'static str = "values";

    /// See [`Setup::check`].
    fn check(_rules: &Self::Rules, drawing: &Drawing) -> Result<(), ScenarioError> {
        check_one_layer(drawing)
    }

    /// See [`Setup::number_of`].
    fn number_of(_rules: &Self::Rules, _quantity: &str, _name: &str) -> Option<f64> {
        None
    }

    /// Returns the world of a picture.
    fn start(
        rules: &Self::Rules,
        seed: u64,
        picture: &Picture<'_, Self::Glyph>,
    ) -> Result<Self, Refusal>;

    /// Loads a chunk of a picture.
    fn load(&mut self, chunk: ChunkPos, _: &Picture<'_, Self::Glyph>) -> Result<(), Refusal> {
        let loaded = "is there: all of a single-layer world is loaded from the start";
        Err(format!("chunk {chunk} {loaded}").into())
    }

    /// Gives a cell the meaning of a character.
    fn write(&mut self, cell: IVec3, glyph: Self::Glyph) -> Result<(), Refusal>;

    /// See [`Subject::count`].
    fn count(&self) -> f64;

    /// See [`Subject::account`].
    fn account(&self) -> Account;

    /// See [`Subject::is_balanced`].
    fn balances(&self) -> bool {
        ScenarioWorld::count(self) == ScenarioWorld::account(self).total
    }

    /// Returns the report's value of a cell: −1 if it is solid, `None` if it is not loaded.
    fn value(&self, cell: IVec3) -> Option<f64>;

    /// See [`Subject::measure`].
    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64>;

    /// See [`Subject::capacity`].
    fn capacity(&self) -> f64;
}

/// The setup of an automaton.
pub(crate) struct Plan<A: ScenarioWorld> {
    pub(crate) rules: A::Rules,
    pub(crate) legend: BTreeMap<char, A::Glyph>,
}

impl<A: ScenarioWorld> fmt::Debug for Plan<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Plan { rules, legend } = self;
        f.debug_struct("Plan").field("rules", rules).field("legend", legend).finish()
    }
}

impl<A: ScenarioWorld> Setup for Plan<A> {
    fn knows(&self, character: char) -> bool {
        character == NOWHERE || self.legend.contains_key(&character)
    }

    fn quantities(&self) -> &'static [Quantity] {
        A::QUANTITIES
    }

    fn counts(&self) -> &'static [&'static str] {
        A::COUNTS
    }

    fn number_of(&self, quantity: &str, name: &str) -> Option<f64> {
        A::number_of(&self.rules, quantity, name)
    }

    fn column(&self, drawing: &Drawing, cell: IVec3) -> ([i32; 2], i32) {
        A::LAYOUT.column(drawing, cell)
    }

    fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError> {
        A::check(&self.rules, drawing)
    }

    fn start<'a>(
        &'a self,
        seed: u64,
        drawing: &'a Drawing,
    ) -> Result<Box<dyn Subject + 'a>, Refusal> {
        let picture = Picture { drawing, legend: &self.legend, layout: A::LAYOUT };
        let world = A::start(&self.rules, seed, &picture)?;
        Ok(Box::new(Stage { world, picture }))
    }
}

/// A world with the picture that it was made from.
struct Stage<'a, A: ScenarioWorld> {
    world: A,
    picture: Picture<'a, A::Glyph>,
}

impl<A: ScenarioWorld> Subject for Stage<'_, A> {
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), Refusal> {
        let glyph = *self.picture.legend.get(&with).ok_or("the character has no meaning")?;
        cells.iter().try_for_each(|&cell| self.world.write(self.picture.to_world(cell), glyph))
    }

    fn load(&mut self, chunk: ChunkPos) -> Result<(), Refusal> {
        self.world.load(chunk, &self.picture)
    }

    fn step(&mut self) -> StepReport {
        self.world.step()
    }

    fn active_cells(&self) -> usize {
        self.world.awake_cells()
    }

    fn is_at_rest(&self) -> bool {
        self.world.is_at_rest()
    }

    fn count(&self) -> f64 {
        self.world.count()
    }

    fn account(&self) -> Account {
        self.world.account()
    }

    fn is_balanced(&self) -> bool {
        self.world.balances()
    }

    fn value(&self, cell: IVec3) -> f64 {
        let is_part = self.picture.holds(cell);
        let value = is_part.then(|| self.world.value(self.picture.to_world(cell))).flatten();
        value.unwrap_or(-2.0)
    }

    fn values_name(&self) -> &'static str {
        A::VALUES_NAME
    }

    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64> {
        let is_part = self.picture.holds(cell);
        is_part.then(|| self.world.measure(quantity, self.picture.to_world(cell))).flatten()
    }

    fn capacity(&self) -> f64 {
        self.world.capacity()
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn validate(&self) -> Result<(), String> {
        self.world.validate().map_err(|violation| violation.to_string())
    }
}

/// Returns the sum of `units` over the cells of a chunk.
pub(crate) fn sum_of<T: Copy + PartialEq>(chunk: &Chunk<T>, units: impl Fn(T) -> u64) -> u64 {
    match chunk.as_dense() {
        Some(cells) => cells.iter().map(|&cell| units(cell)).sum(),
        None => units(chunk.get(0)) * CHUNK_CELLS as u64,
    }
}
