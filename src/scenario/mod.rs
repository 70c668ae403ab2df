//! Worlds drawn in text, run, and compared with expectations. Feature `scenario`.
//!
//! A scenario is a TOML file that can be read as a picture:
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
//! | `automaton` | `"water"`, `"humidity"`, `"explosion"`, `"water-2d"` or `"world"` |
//! | `seed` | the seed of all random choices; default 0 |
//! | `ticks` | the number of ticks to run |
//! | `record` | the ticks whose whole state goes into the report; 0 is the drawing; the last tick is always among them |
//! | `[rules]` | the fields of [`Rules`](crate::water::Rules) by name, except `edges`; each has its default |
//! | `[legend]` | characters: `{ solid = true }`, `{ open = true }`, `{ source = true }`, `{ sea = true }`, `{ water = 0 to 7 }`, or another character with a meaning: `A = "."` gives some open cells a name |
//! | `[world]` | `edges` (the four sides), `floor`, `ceiling`, `west`, `east`, `north`, `south`: `"wall"` (default), `"drain"`, `"held"`, or a whole number, the y up to which the sea continues; `offset = [x, y, z]`: the position of the drawing's origin in the world; `unloaded`: a list of chunk positions that are not loaded at the start; `unloaded_edge`: the edge at their faces, default `"held"` |
//! | `[[layer]]` | `rows`; `y`, by default one above the layer before (0 for the first); `repeat = N` stacks it N times, `repeat = [x, y, z]` also repeats it along x and z |
//! | `[[slice]]` | instead of all `[[layer]]`s, for worlds best seen from the side: `rows` from the top (the last is y = 0), characters along +x; `z`, by default one more than the slice before; `repeat = N` along z, or `[x, y, z]` |
//! | `[[edit]]` | before tick `at`: writes the character `with` into the cells (see below), or loads the chunk at position `load` as it is drawn |
//! | `[expect]` | see below |
//!
//! Default characters: `#` solid, `.` open, `S` source, `=` the sea, `1` to `7` water of that
//! height, `~` full. A space is a cell that is not part of the world: solid to water, −2 in the
//! report. The same holds for the cells of layers between the drawn ones. The world ends where the
//! drawing ends.
//!
//! A table chooses **cells** by `cells = "AB"`, the cells drawn with any of these characters, or by
//! `from` and `to`, two corners that both belong to the box (`to` defaults to `from`). Cells are
//! always cells of the drawing, whatever the offset; chunk positions are positions in the world.
//!
//! Characters are written by the world's public edits: solid ground displaces water, an open cell
//! is scooped dry, water is poured or scooped to its height, and a source that becomes anything
//! else is removed. All of this is in the ledger.
//!
//! # Expectations
//!
//! Tick n is the state after n steps; tick 0 is the drawing.
//!
//! | in `[expect]` | holds if |
//! |---|---|
//! | `balanced = true` | at every tick, the sum of the cells equals the ledger's total |
//! | `at_rest_by = 500` | the world is at rest from that tick or an earlier one to the end |
//! | `total = 42` or `[40, 44]` | at the end, the world holds that much |
//! | `wets = ["A", "B"]` | a cell drawn with A holds water at an earlier tick than any cell drawn with B, and each group holds water at some tick |
//! | `fills = ["A", "B"]` | the same, but a group counts when all its cells are full |
//!
//! Each `[[expect.check]]` is about some cells (all, if it names none) at some ticks: `when =
//! "end"` (the default), `"always"`, a tick, or `[first, last]`, where the last may be `"end"`.
//! `name` appears in the message. Then come one or more measures, each with an exact number, a
//! range `[least, most]` (`inf` is a number), `true` or `false`:
//!
//! | measure | of | is |
//! |---|---|---|
//! | `height` | each cell | its units |
//! | `current` | each cell | units that flowed out of it in that tick, by [`current`](crate::water::WaterWorld::current), axes added |
//! | `flow` | each cell | whether it is part of a flow: active, with a direction or a source |
//! | `has_source`, `flow_out` | each cell | the flags |
//! | `falls` | each cell | whether more water left it downwards than upwards in that tick |
//! | `total` | the cells | units in all of them |
//! | `gain` | the cells | the change of their `total` in that tick |
//! | `level` | each column of the cells | the surface in units above y = 0, 7 to a cell: the surface of the highest wet cell, or the bottom of the column if none is wet |
//! | `spread` | the columns | the highest `level` of a column minus the lowest |
//! | `at_rest` | the world | whether the world will not change until the next edit |
//! | `visited` | the world | cells that the tick visited |
//! | `steady = 100` | the world | injected equals drained over every 100 ticks in a row |
//! | `round = 0.7` | the wet cells | their least reach in 16 directions around the cell `around = [x, y, z]`, as a part of their greatest, is at least this; a cell counts in the direction nearest to it, at any height |
//! | `level_while_flowing = 2` | the columns | their `spread`, without dry columns and columns in which water falls, is at most this many units; water falls out of a cell that is dry now, or that has a dry open cell beside it |
//! | `outflow_per_tick` | the cells | units that flowed out of them in a tick, by `current`: the mean over the ticks of `when` after its first |
//! | `share` | the cells | units that flowed out of them in the ticks of `when` after its first, as a part of the total drained in these ticks. Name the cells at the end of one of several outlets |
//!
//! A measure of each cell skips solid cells, and fails if there are no other cells.
//!
//! # Humidity
//!
//! `automaton = "humidity"` runs a [`HumidityWorld`](crate::humidity::HumidityWorld) of one layer,
//! drawn as one `[[layer]]`: characters along +x, rows along +y, the first at y = 0. Cells are
//! named as drawn, `[x, 0, row]`.
//!
//! | where | what |
//! |---|---|
//! | `[rules]` | `sweep` (`"conservative"`, `"synchronous"`, `"in place"`), `cap`, `coefficient`, `fall`, `least_impermeability`, as in [`Rules`](crate::humidity::Rules) |
//! | `[legend]` | `{ humidity = 12.5, impermeability = 2.0 }` (0 and 1 if not named), `{ rain = 1024.0, impermeability = 1.0 }`, `{ rock = true }` with a humidity or none. Without a legend: `#` rock, `.` dry soil, `~` soil at 1024, `S` rain of 1024, all soil of impermeability 1 |
//! | `[world]` | `edges` (all four sides), `floor` (y = 0), `ceiling`, `west`, `east`: `"wall"` or `"drain"`; `offset` along x and z shifts the world along x and y |
//! | measures | `humidity`, `impermeability` and the flag `rain` of each cell; `total`, `gain`, `at_rest`, `visited`, `round` as above |
//! | report | `values`: humidity, −1 rock, −2 not in the world; the account's entries in humidity. Only the conservative sweep keeps an account; with the others `balanced` always holds |
//!
//! # Explosions
//!
//! `automaton = "explosion"` runs a [`BlastWorld`](crate::blast::BlastWorld), drawn and named as
//! humidity is.
//!
//! | where | what |
//! |---|---|
//! | `borders`, at the top of the file or in `[world]` | `{ x = "rigid", y = "periodic" }`; `"rigid"` (the default), `"periodic"` or `"open"` |
//! | `[rules]` | `rule = "diffusive"` (the default) or `"wave"`; `coefficient` (0.24, or 0.25 for waves), `damping` (of waves; default 0.98), `threshold` |
//! | `[legend]` | `{ solid = true }`, `{ open = true }`, `{ pressure = 300.0 }`, `{ strength = 40.0 }` (a wall that breaks), or a character |
//! | default characters | `#` solid, `.` open, `@` a charge of 300; a space is not part of the world |
//! | account | `placed`, `removed`, `left`, `absorbed`, as in [`Ledger`](crate::blast::Ledger) |
//!
//! Measures of each cell are `pressure`, `flow` (the length of its flow vector), `flow_x`,
//! `flow_y`, `exposure`, and the flag `solid`, which solid cells have too. `balanced` allows the
//! rounding error that the account documents.
//!
//! # Two-dimensional water
//!
//! `automaton = "water-2d"` runs a [`Water2dWorld`](crate::water2d::Water2dWorld), drawn as one
//! `[[layer]]` seen from the side: the first row is the top, the last is at height 0. `[rules]` has
//! `rule`, `"settling"` (default) or `"literal"`, and `pressure_flow`. Characters: `#`, `.`, `~`
//! for a level of 100, `@` for 500, `1` to `7` for that many units, and `{ water = N }` for any
//! level up to a million. The world ends at walls.
//!
//! In a check, `water` is the level of each cell, and `level` and `spread` are measured in the
//! drawing's columns, 100 units to a cell.
//!
//! # Worlds of materials
//!
//! `automaton = "world"` runs a [`World`](crate::world::World), drawn, named and edited as water
//! is.
//!
//! | where | what |
//! |---|---|
//! | `[rules]` | `moisture_per_unit`, `soil_period`, `blast_steps`, `blast_fading`, `blast_reach`, `most_pressure`, `most_radius`, `breaking`, `spilling`, `under_water`, `"stops"`, `"passes"` or the share that [`Damps`](crate::world::UnderWater::Damps) keeps, and `throw_flow`, a number or `false`, as in [`Rules`](crate::world::Rules); `borders` of pressure, `"rigid"` (the default) or `"open"`; `[rules.couplings]` with `seepage`, `depth_gain`, `springs` and `ebb`, as in [`Couplings`](crate::world::Couplings); `[rules.water]`, `[rules.soil]` and `[rules.blast]` with the keys that `[rules]` has for water, humidity and explosions, and the defaults of a world |
//! | `[rules.materials]` | materials besides the [natural](crate::world::Palette::natural) ones, by name: `{ solid = true, permeability = 0.5, capacity = 4, strength = 40.0, breaks_into = "air" }`, each key as in [`Material`](crate::world::Material), solid if not named |
//! | `[legend]` | `{ material = "soil", moisture = 384.0 }`, `{ material = "air", water = 7 }` or `source = true` in place of the water; `{ charge = 900.0, radius = 2.0 }`, air with a charge around the cell's middle, of radius 1 if not named; `{ rain = 3 }`, air from which this many units fall once; or a character |
//! | default characters | as for water, without the sea; `#` is rock, all others are air |
//! | `[[edit]]` | a charge or rain leaves the cell's material as it is; the other characters replace it and its content |
//! | `[world]` | as for water |
//! | measures | `height`, `moisture`, `pressure`, `material` (a name, or a number of the palette), and the flags `solid` and `broken` (by pressure) of each cell; `soaked`, `sprung`, `ebbed`, `thrown` and `spilled` of the world, units of water since the start, as in [`Ledger`](crate::world::Ledger); the measures of all cells, columns and the world above |
//! | report | `heights`; the account in units of water: the units that came in, the units that went out, those in soil, and those that passed between the parts |
//!
//! `total` in `[expect]` counts units of water in cells and in soil; `total` in a check counts
//! units in cells.

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

use crate::coords::ChunkPos;
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
    /// The recorded ticks, ascending, each once.
    record: Vec<u64>,
    drawing: Drawing,
    setup: Box<dyn Setup>,
    /// In the order of their ticks.
    edits: Vec<Edit>,
    expect: Expect,
}

impl Scenario {
    /// Returns the automaton's name.
    pub fn automaton(&self) -> &str {
        &self.automaton
    }

    /// Returns the number of ticks to run.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the number of cells drawn, including cells that are not part of the world.
    pub fn cells(&self) -> u128 {
        self.drawing.region().volume()
    }
}

#[derive(Debug)]
struct Edit {
    line: usize,
    /// The tick before which the edit is made.
    at: u64,
    action: Action,
}

#[derive(Debug)]
enum Action {
    Write { cells: Vec<IVec3>, with: char },
    Load(ChunkPos),
}
