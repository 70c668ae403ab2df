//! A world of one's own: a basin with a tap, in which a bug can be planted for each law.

use floodplain::StepReport;
use floodplain::testing::{Changes, Findings, Looks, Model, Watch};
use std::collections::BTreeSet;

/// What is wrong with a basin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bug {
    None,
    /// Two that are made in the same way differ.
    MadeAnew,
    /// Waking adds a unit.
    Woken,
    /// Several ticks by one call are one less.
    ByOneCall,
    /// A unit is not saved.
    Saved,
    /// What cannot be loaded again.
    Unloadable,
    /// Of two cells that an edit names, one greater than the next gets nothing.
    Ordered,
    /// A refused edit adds a unit.
    Refused,
    /// A refused edit wakes a cell.
    RefusedAwake,
    /// The list of changes is empty.
    Unlisted,
    /// The same changes are listed again.
    ListedAgain,
    /// An event is not saved.
    Forgotten,
    /// An event is told with another tick.
    Misdated,
    /// A report counts no change.
    Uncounted,
    /// It says that it is at rest.
    Restless,
    /// Its own laws do not hold.
    Unlawful,
    /// An edit pours one unit more.
    Poured,
    /// A tick drops one unit more.
    Dropped,
    /// A unit too much in the account.
    Account,
    /// It never says that it is at rest.
    Endless,
}

/// A basin of five cells, into the first of which a tap drips.
#[derive(Clone, Debug)]
pub struct Basin {
    bug: Bug,
    cells: [u64; 5],
    drips: bool,
    ticks: u64,
    changed: BTreeSet<usize>,
    /// The ticks in which the first cell came to hold three units, and nobody was told.
    events: Vec<u64>,
    awake: usize,
    made: u64,
}

/// Units into a cell, which may hold nine; a unit into each of two; the tap is turned; or what
/// cannot be sent as bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Edit {
    Pour(usize, u64),
    Each([usize; 2]),
    Turn,
    Garbled,
}

impl Basin {
    pub fn new(bug: Bug, made: u64) -> Basin {
        let cells = if bug == Bug::MadeAnew { [made; 5] } else { [0; 5] };
        let (changed, events) = (BTreeSet::new(), Vec::new());
        Basin { bug, cells, drips: false, ticks: 0, changed, events, awake: 1, made }
    }

    fn add(&mut self, cell: usize, units: u64) {
        self.cells[cell] += units;
        self.changed.insert(cell);
    }

    fn pour(&mut self, edit: Edit) -> Result<u64, &'static str> {
        match edit {
            Edit::Garbled => {}
            Edit::Turn => self.drips = !self.drips,
            Edit::Each([one, other]) if self.bug == Bug::Ordered && one > other => {
                self.add(other, 1);
            }
            Edit::Each(cells) => cells.into_iter().for_each(|cell| self.add(cell, 1)),
            Edit::Pour(cell, units) if self.cells[cell] + units > 9 => {
                match self.bug {
                    Bug::Refused => self.add(cell, 1),
                    Bug::RefusedAwake => self.awake += 1,
                    _ => {}
                }
                return Err("full");
            }
            Edit::Pour(cell, units) => {
                self.add(cell, units + u64::from(self.bug == Bug::Poured));
            }
        }
        Ok(self.cells.iter().sum())
    }
}

impl Watch for Basin {
    type Edit = Edit;
    type Outcome = u64;
    type Error = &'static str;
    type Place = usize;
    type Look = u64;
    type Account = u64;
    type Event = u64;

    fn apply(&mut self, edit: Edit) -> Result<u64, &'static str> {
        self.pour(edit)
    }

    fn reordered(edit: &Edit) -> Option<Edit> {
        match *edit {
            Edit::Each([one, other]) => Some(Edit::Each([other, one])),
            _ => None,
        }
    }

    fn received(edit: &Edit) -> Result<Edit, String> {
        if *edit == Edit::Garbled { Err("no such edit".to_owned()) } else { Ok(*edit) }
    }

    fn step(&mut self) -> StepReport {
        self.ticks += 1;
        if !self.drips || self.cells[0] >= 9 {
            return StepReport::default();
        }
        self.add(0, 1 + u64::from(self.bug == Bug::Dropped));
        if self.cells[0] == 3 {
            self.events.push(self.ticks + u64::from(self.bug == Bug::Misdated));
        }
        let changed = u64::from(self.bug != Bug::Uncounted);
        StepReport { visited: 1, changed, moved: 0 }
    }

    fn step_otherwise(&mut self, ticks: u64, _: u64, _: &mut Findings) -> StepReport {
        let mut sum = StepReport::default();
        for _ in u64::from(self.bug == Bug::ByOneCall)..ticks {
            sum += self.step();
        }
        sum
    }

    fn wake_all(&mut self) {
        if self.bug == Bug::Woken {
            self.add(4, 1);
        }
    }

    fn saved_and_loaded(&self) -> Result<Basin, String> {
        let mut loaded = self.clone();
        match self.bug {
            Bug::Unloadable => return Err("damaged".to_owned()),
            Bug::Saved => loaded.cells[3] += 1,
            Bug::Forgotten => loaded.events.clear(),
            _ => {}
        }
        Ok(loaded)
    }

    fn awake(&self) -> usize {
        self.awake
    }

    fn ticks(&self) -> u64 {
        self.ticks
    }

    fn state_hash(&self) -> u64 {
        self.cells.iter().fold(u64::from(self.drips), |hash, units| hash * 31 + units)
    }

    fn account(&self) -> u64 {
        let more = self.bug == Bug::Account && self.made == 0 && self.cells[0] > 0;
        self.cells.iter().sum::<u64>() + u64::from(more)
    }

    fn is_at_rest(&self) -> bool {
        let is_still = !self.drips || self.cells[0] >= 9;
        self.bug != Bug::Endless && is_still || self.bug == Bug::Restless
    }

    fn rests_within(&self) -> Option<u64> {
        Some(10)
    }

    fn validate(&self) -> Result<(), String> {
        if self.bug == Bug::Unlawful && self.cells[0] > 0 { Err("wet".to_owned()) } else { Ok(()) }
    }

    fn looks(&self) -> Looks<Basin> {
        self.cells.into_iter().enumerate().collect()
    }

    fn take_changes(&mut self) -> Changes<usize> {
        let all = match self.bug {
            Bug::Unlisted => BTreeSet::new(),
            Bug::ListedAgain => self.changed.clone(),
            _ => std::mem::take(&mut self.changed),
        };
        Changes { visible: all.clone(), all }
    }

    fn take_events(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.events)
    }

    fn model(&self) -> Option<Box<dyn Model<Basin>>> {
        Some(Box::new(Naive { cells: self.cells, drips: self.drips, events: Vec::new() }))
    }
}

/// The same without bugs.
struct Naive {
    cells: [u64; 5],
    drips: bool,
    events: Vec<u64>,
}

impl Model<Basin> for Naive {
    fn edited(&mut self, edit: &Edit, answer: &Result<u64, &'static str>, found: &mut Findings) {
        let expected = match *edit {
            Edit::Pour(cell, units) if self.cells[cell] + units > 9 => Err("full"),
            Edit::Pour(cell, units) => {
                self.cells[cell] += units;
                Ok(self.cells.iter().sum())
            }
            Edit::Each(cells) => {
                cells.into_iter().for_each(|cell| self.cells[cell] += 1);
                Ok(self.cells.iter().sum())
            }
            Edit::Turn | Edit::Garbled => {
                self.drips ^= *edit == Edit::Turn;
                Ok(self.cells.iter().sum())
            }
        };
        found.same("edit", answer, &expected, || format!("{edit:?}"));
    }

    fn stepped(&mut self, world: &Basin, _: StepReport, differing: u64, found: &mut Findings) {
        let has_dripped = self.drips && self.cells[0] < 9;
        self.cells[0] += u64::from(has_dripped);
        if has_dripped && self.cells[0] == 3 {
            self.events.push(world.ticks);
        }
        found.same("cost", &differing, &u64::from(has_dripped), || "cells".to_owned());
        found.same("account", &world.cells[0], &self.cells[0], || "the first cell".to_owned());
    }

    fn happened(&mut self, events: &[u64], found: &mut Findings) {
        let expected = std::mem::take(&mut self.events);
        found.same("events", &events, &&expected[..], || "three units".to_owned());
    }

    fn compare(&self, world: &Basin, found: &mut Findings) {
        found.same("cells", &world.cells, &self.cells, || "the cells".to_owned());
    }
}
