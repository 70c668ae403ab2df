//! Worlds drawn in text, run, and held against what they are expected to do. With the feature
//! `scenario`.
//!
//! A scenario is a TOML file that people can read as a picture:
//!
//! ```
//! use floodplain::scenario::Scenario;
//!
//! let scenario = Scenario::from_toml(
//!     r####"
//! automaton = "water"
//! seed = 7
//! ticks = 40
//!
//! [rules]
//! evaporation = 0.0
//!
//! [[slice]]                 # seen from the side
//! rows = ["77.....",
//!         "###.###",
//!         "......."]
//!
//! [expect]
//! balanced = true
//! total = 14
//! "####,
//! )?;
//! let report = scenario.run()?;
//! assert_eq!(report.failures, []);
//! assert_eq!(report.records.last().unwrap().total, 14.0);
//! # Ok::<(), floodplain::scenario::ScenarioError>(())
//! ```
//!
//! # The file
//!
//! | key | meaning |
//! |---|---|
//! | `automaton` | `"water"`, `"humidity"`, `"explosion"` or `"water-2d"` |
//! | `seed` | of all random choices; 0 if not given |
//! | `ticks` | how many to run |
//! | `record` | ticks at which the whole state goes into the report; 0 is the drawing; the last always does |
//! | `[rules]` | the fields of [`Rules`](crate::water::Rules) by name, `edges` excepted; what is not named has its default |
//! | `[legend]` | characters: `{ solid = true }`, `{ open = true }`, `{ source = true }`, `{ water = 0 to 7 }`, or a character that has a meaning already, so that `A = "."` gives some open cells a name of their own |
//! | `[world]` | `edges` (the four sides), `floor`, `ceiling`, `west`, `east`, `north`, `south`: `"wall"` (as all are if not named), `"drain"` or `"held"`; `offset = [x, y, z]`: where the drawing's origin lies in the world; `unloaded`: a list of chunk positions that are not loaded at the start; `unloaded_edge`: what their faces are, `"held"` if not named |
//! | `[[layer]]` | `rows`; `y`, by default one above the layer before (0 for the first); `repeat = N` stacks it N times, `repeat = [x, y, z]` also repeats it along x and z |
//! | `[[slice]]` | instead of all `[[layer]]`s, for worlds best seen from the side: `rows` from the top (the last is y = 0), characters along +x; `z`, by default one more than the slice before; `repeat = N` along z, or `[x, y, z]` |
//! | `[[edit]]` | before tick `at`: writes the character `with` into the cells (see below), or loads the chunk at position `load` as it is drawn |
//! | `[expect]` | see below |
//!
//! Characters that need no legend: `#` solid, `.` open, `S` source, `1` to `7` water of that
//! height, `~` full. A space is a cell that is not part of the world: solid to water, −2 in the
//! report. So are layers between those drawn. The world ends where the drawing ends.
//!
//! Wherever a table chooses **cells**, it does so by `cells = "AB"`, those drawn with any of these
//! characters, or by `from` and `to`, two corners that both belong to the box (`to` is `from` if
//! not given). Cells are always those of the drawing, whatever the offset; chunk positions are
//! those of the world.
//!
//! Writing is done by the edits that any game has: solid ground displaces water, an open cell is
//! scooped dry, water is poured or scooped to its height, and a source that becomes anything else
//! is removed. All of it is in the ledger.
//!
//! # What can be expected
//!
//! Tick n is the state after n steps; tick 0 is the drawing.
//!
//! | in `[expect]` | holds if |
//! |---|---|
//! | `balanced = true` | at every tick, what stands in the cells is what the ledger says |
//! | `at_rest_by = 500` | at the end the world is at rest, and has been since that tick or an earlier one |
//! | `total = 42` or `[40, 44]` | at the end, that much is in the world |
//! | `wets = ["A", "B"]` | the cells drawn with A hold water, any of them, at an earlier tick than those with B, and all do in the end |
//! | `fills = ["A", "B"]` | the same for all of them being full |
//!
//! Each `[[expect.check]]` looks at some cells (all, if it names none) at some ticks: `when =
//! "end"` (the default), `"always"`, a tick, or `[first, last]`, where the last may be `"end"`.
//! `name` is for the message. Then one or more of these, with a number for exactly that much or
//! `[least, most]` (`inf` is a number), or `true` or `false`:
//!
//! | measure | of | is |
//! |---|---|---|
//! | `height` | each cell | its units |
//! | `current` | each cell | units that flowed out of it in that tick, by [`current`](crate::water::WaterWorld::current), axes added |
//! | `flow` | each cell | whether it is part of a flow: active, with a direction or a source |
//! | `has_source`, `flow_out` | each cell | the flags |
//! | `total` | the cells | units in all of them |
//! | `gain` | the cells | what that total gained in that tick |
//! | `level` | each column of the cells | the surface in units above y = 0, 7 to a cell: of the highest wet cell, or the bottom if none is |
//! | `spread` | the columns | the highest of these less the lowest |
//! | `at_rest` | the world | whether nothing will change until the next edit |
//! | `visited` | the world | cells that the tick looked at |
//! | `steady = 100` | the world | injected equals drained over every 100 ticks in a row |
//!
//! A check by cell passes over solid cells, and fails if it finds no other.
//!
//! # Humidity
//!
//! `automaton = "humidity"` runs a [`HumidityWorld`](crate::humidity::HumidityWorld) of one layer,
//! drawn as one `[[layer]]`: characters along +x, rows along +y, the first at y = 0. Cells are
//! still named as drawn, `[x, 0, row]`.
//!
//! | where | what |
//! |---|---|
//! | `[rules]` | `sweep` (`"conservative"`, `"synchronous"`, `"in place"`), `cap`, `coefficient`, `least_impermeability`, as in [`Rules`](crate::humidity::Rules) |
//! | `[legend]` | `{ humidity = 12.5, impermeability = 2.0 }` (0 and 1 if not named), `{ rain = 1024.0, impermeability = 1.0 }`, `{ rock = true }` with a humidity or none. Without a legend: `#` rock, `.` dry soil, `~` soil at 1024, `S` rain of 1024, all soil of impermeability 1 |
//! | `[world]` | `edges` (all four sides), `floor` (y = 0), `ceiling`, `west`, `east`: `"wall"` or `"drain"`; `offset` along x and z shifts the world along x and y |
//! | measures | `humidity`, `impermeability` and the flag `rain` of each cell; `total`, `gain`, `at_rest`, `visited` as above |
//! | report | `values`: humidity, −1 rock, −2 not in the world; the account's entries in humidity. Sweeps other than the conservative one keep no account, so there is none that could be out of balance |
//!
//! # Explosions
//!
//! `automaton = "explosion"` runs a [`BlastWorld`](crate::blast::BlastWorld) on exactly one
//! `[[layer]]`, at `y = 0`: characters along +x, rows along +y from 0 up. Cells are named as they
//! are drawn, `[x, 0, row]`.
//!
//! | where | what |
//! |---|---|
//! | `borders`, at the top of the file or in `[world]` | `{ x = "rigid", y = "periodic" }`; `"rigid"` (the default), `"periodic"` or `"open"` |
//! | `[rules]` | `rule = "diffusive"` (the default) or `"wave"`; `coefficient` (0.24, or 0.25 for waves), `damping` (of waves; 0.98, and no more), `threshold` |
//! | `[legend]` | `{ solid = true }`, `{ open = true }`, `{ pressure = 300.0 }`, `{ strength = 40.0 }` (a wall that breaks), or a character |
//! | default characters | `#` solid, `.` open, `@` a charge of 300; a space is not part of the world |
//! | account | `placed`, `removed`, `left`, `absorbed`, as in [`Ledger`](crate::blast::Ledger) |
//!
//! What can be asked about each cell: `pressure`, `flow` (the length of its flow vector), `flow_x`
//! and `flow_y`, `exposure`, and of every cell of the world, solid ones too, whether it is `solid`.
//! `balanced` is as near as the account promises.
//!
//! # Two-dimensional water
//!
//! `automaton = "water-2d"` runs a [`Water2dWorld`](crate::water2d::Water2dWorld), drawn as one
//! `[[layer]]` seen from the side: the first row is the top, the last is at height 0. `[rules]` has
//! `rule`, `"settling"` if not named or `"literal"`, and `pressure_flow`. Characters: `#`, `.`, `~`
//! for a level of 100, `@` for 500, `1` to `7` for so many units, and `{ water = N }` for any level
//! up to a million. The world ends at walls.
//!
//! In a check, `water` is the level of each cell, and `level` and `spread` are about the surfaces
//! of the drawing's columns, 100 units to a cell.

mod automata;
mod error;
mod expect;
mod from_toml;
mod parse;
mod run;

pub use error::ScenarioError;
pub use expect::judge::Failure;
pub use run::play::{Outcome, play};
pub use run::record::{LayerRecord, Record};
pub use run::{Report, Run};

use automata::subject::Setup;
use expect::Expect;
use glam::IVec3;
use parse::drawing::Drawing;

/// A drawn world with its rules, edits and expectations. Read with
/// [`from_toml`](Scenario::from_toml).
#[derive(Debug)]
pub struct Scenario {
    automaton: String,
    seed: u64,
    ticks: u64,
    /// Ascending, each once.
    record: Vec<u64>,
    drawing: Drawing,
    setup: Box<dyn Setup>,
    /// In the order of their ticks.
    edits: Vec<Edit>,
    expect: Expect,
}

impl Scenario {
    /// The automaton's name.
    pub fn automaton(&self) -> &str {
        &self.automaton
    }

    /// Ticks to run.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Cells drawn, those that are not part of the world included.
    pub fn cells(&self) -> u128 {
        self.drawing.region().volume()
    }
}

#[derive(Debug)]
struct Edit {
    line: usize,
    /// The tick before which it is made.
    at: u64,
    action: Action,
}

#[derive(Debug)]
enum Action {
    Write { cells: Vec<IVec3>, with: char },
    Load(IVec3),
}
