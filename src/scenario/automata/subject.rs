//! What an automaton brings so that scenarios can run it. A new one is a file with these two traits
//! and a line in `automata/mod.rs`.

use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::Drawing;
use core::fmt;
use glam::IVec3;

/// What a file says about its automaton: rules, legend, edges.
pub(crate) trait Setup: fmt::Debug + Send + Sync {
    /// Whether a character stands for anything.
    fn knows(&self, character: char) -> bool;

    /// What can be asked about one cell, besides what can be asked in every automaton.
    fn quantities(&self) -> &'static [Quantity];

    /// The column of water that a drawn cell belongs to, and its height there in cells.
    fn column(&self, _drawing: &Drawing, cell: IVec3) -> ([i32; 2], i32) {
        ([cell.x, cell.z], cell.y)
    }

    /// The chunk positions that are not loaded at the start must be chunks of the drawing.
    fn check(&self, drawing: &Drawing) -> Result<(), ScenarioError>;

    /// The world as it is drawn.
    fn start(&self, seed: u64, drawing: &Drawing) -> Result<Box<dyn Subject>, String>;
}

/// Something that can be asked about a cell, by its name in `[[expect.check]]`.
#[derive(Debug)]
pub(crate) struct Quantity {
    pub(crate) name: &'static str,
    /// True or false rather than a number.
    pub(crate) is_flag: bool,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stepped {
    pub(crate) visited: u64,
    pub(crate) moved: u64,
}

/// What entered and left a world since its start, and what must be in it now.
pub(crate) struct Account {
    /// Each side's entries by name, in the order of the report.
    pub(crate) entries: Vec<(&'static str, f64)>,
    /// What must be in the world, by the entries.
    pub(crate) total: f64,
    /// What sources gave.
    pub(crate) injected: f64,
    /// What left over the edges.
    pub(crate) drained: f64,
}

/// A world under test. Cells are those of the drawing.
pub(crate) trait Subject {
    /// Makes cells what the legend says of a character.
    fn write(&mut self, cells: &[IVec3], with: char) -> Result<(), String>;

    /// Loads a chunk as it is drawn. Single-layer worlds are loaded as a whole.
    fn load(&mut self, chunk: IVec3) -> Result<(), String> {
        Err(format!("chunk {chunk} is there: all of a single-layer world is loaded from the start"))
    }

    /// One tick.
    fn step(&mut self) -> Stepped;

    /// Cells that the next step will look at.
    fn active_cells(&self) -> usize;

    /// Counts what is in the world, cell by cell.
    fn count(&self) -> f64;

    fn account(&self) -> Account;

    /// Whether the cells hold what the account says; where sums are rounded, as nearly as the
    /// automaton promises.
    fn is_balanced(&self) -> bool {
        self.count() == self.account().total
    }

    /// What the report's layers say of a cell: −1 solid, −2 not in the world.
    fn value(&self, cell: IVec3) -> f64;

    /// The name of those values.
    fn values_name(&self) -> &'static str {
        "values"
    }

    /// The answer to the automaton's quantity of that index; `None` where there is nothing to ask.
    /// A flag is 0 or 1.
    fn measure(&self, quantity: usize, cell: IVec3) -> Option<f64>;

    /// What a full cell holds.
    fn capacity(&self) -> f64;

    fn state_hash(&self) -> u64;

    /// The automaton's own check of all its laws.
    fn validate(&self) -> Result<(), String>;
}
