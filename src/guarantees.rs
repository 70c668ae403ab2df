//! What is promised, how each promise is tested, and what is not promised.
//!
//! *Tests* are those of `cargo test`, by file and name, in `tests/`, or unit tests beside the code,
//! by their path in `src/`; *fuzz targets* are those of `fuzz/`, whose README has the counts of
//! executions. Both use the same oracles, in `tests/support/`, which share no code with what they
//! check. Every random test prints what replays it.
//!
//! # Everywhere
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | no input makes a public function panic, unless under `# Panics` | all property tests | all |
//! | an edit that is refused changes nothing, and the error names the thing | `water::laws`, `water::ends`, `storage::grid`, `scenario::format`; of the automata `blast::edits`, `humidity::laws`, `water2d::laws` | all but `water_cell` and `snapshot_bytes` |
//! | tests run at least 97 of 100 lines of `src/` | `.ci/coverage`, which fails below; 98.9 on 2026-11-21 | |
//! | no unsafe code in this crate | the lint `unsafe_code = "forbid"`; `.ci/miri` for what it is built on | |
//!
//! # The chunk store
//!
//! | law | tests | fuzz targets |
//! |---|---|---|
//! | a grid reads like a map of cells, whatever is done to it, over the whole `i32` range | `storage::grid::cubes_agree_with_the_model`, `sheets_agree_with_the_model` | `chunk_store` |
//! | a chunk of equal cells is stored as one value, so equal cells make equal chunks | `storage::chunk`, `storage::grid` | `chunk_store` |
//! | iteration is in order of position | `storage::grid`, unit test `grid::order_does_not_come_from_the_hash` | `chunk_store` |
//! | slab, map, links, awake and changed cells agree with one another | `storage::grid`, after each operation | `chunk_store` |
//!
//! # Water
//!
//! Laws that [`WaterWorld::validate`](crate::water::WaterWorld::validate) checks. It returns the
//! first one that is broken, a [`Violation`](crate::water::Violation) with its place and figures.
//! `water::laws`, `scenario::files` (every file in `examples/scenarios`; worlds of more than 20,000 cells
//! in every 64th tick, but the ledger in each) and the fuzz targets `water_edits`, `water_stream`
//! and `scenario_text` call it after every tick, and the first also after every edit.
//!
//! | law | violation |
//! |---|---|
//! | ledger: the units in the cells are `placed + injected − removed − drained − evaporated` | `Ledger` |
//! | the chunk store's own laws; masks, outlets and sources beside a chunk are those of its cells | `Storage`, `Masks` |
//! | every word is canonical, so heights are 0 to 7; see [`WaterCell::from_word`](crate::water::WaterCell::from_word) | `Word` |
//! | marks of the world's end stand beyond it and nowhere else | `Bounds` |
//! | parents exist; Extra says truly whether there is more than one | `Parent`, `Extra` |
//! | there is no way from a cell through its parents back to itself | `ParentLoop` |
//! | `largest` is at most the throughput, which is the same for all cells | `Largest` |
//! | a cell that sleeps is inactive, lies on no way out, and does not evaporate | `Asleep` |
//! | after a tick, and asleep, a cell has a source exactly if it is one or a parent has one | `HasSource` |
//! | sleeping water stands on something | `Unsupported` |
//! | a sleeping body that is fed by no source is level within one unit, arms of a U-tube included | `Uneven`, `Unlevel` |
//!
//! Laws seen from outside:
//!
//! | law | tests | fuzz targets |
//! |---|---|---|
//! | each edit does, cell by cell and in the ledger, what its documentation says | `water::laws::every_law_holds_after_every_edit_and_tick` | `water_edits`, `water_stream` |
//! | a tick makes and removes neither ground nor springs, and springs are full after it | the same | the same |
//! | a tick enters only injected, drained and evaporated units; at most its supply for each spring, drained only if an edge drains, evaporated only if the rules say so | the same | the same |
//! | [`current`](crate::water::WaterWorld::current) is at most the throughput, and no cell loses more than that | the same | the same |
//! | a step's report counts exactly the cells that differ; [`take_changes`](crate::water::WaterWorld::take_changes) lists them all | the same | the same |
//! | a tick passes over a cell 4 times at most; to level a body it draws 96 times at most, and looks at each cell once for a draw; a world at rest does nothing | the same | the same |
//! | a chunk of any world may be put into any other, whatever its rules, in the middle of a tick too | the same; `water::laws::a_chunk_of_a_world_with_more_throughput_claims_no_more_than_its_new_one_lets_pass`, `a_chunk_read_in_the_middle_of_a_tick_is_taken_as_it_would_be_after_it` | the same |
//! | a sleeping world equals one that is woken before each tick, byte for byte | the same; `water::sleep` | the same |
//! | lists of chunks may be loaded in any order: the same bytes then and ever after | the same; `water::order::the_order_of_loading_never_matters` | the same |
//! | chunks that come one by one in any order, with ticks between: the same units in each layer at rest | `water::order::the_order_of_loading_does_not_matter_at_rest` | `water_stream` |
//! | edits that touch no common cell or neighbour commute, byte for byte, unless a cut stream dries up between them (see below) | `water::order::disjoint_edits_commute` | `water_edits`, `water_stream` |
//! | a closed world without evaporation comes to rest, level, without a current | `water::bounds::a_closed_world_comes_to_rest` | `water_edits`, `water_stream` |
//! | once the sources are gone, HasSource is gone after one tick | `water::bounds::has_source_clears_once_the_sources_are_gone` | `water_edits`, `water_stream` |
//! | a tick in slices, saved and loaded in between, is the tick in one go | the same; `water::budget` | the same |
//! | a call with a budget looks at no more cells than that and those of one layer of a chunk, in long searches too | `water::budget::slices_of_any_size_come_to_the_same_bytes`, `a_long_search_for_water_goes_on_in_pieces` | |
//! | once the end of the world is walled off, FlowOut is gone after one tick | `water::bounds::flow_out_clears_once_the_end_is_walled_off` | `water_edits`, `water_stream` |
//! | water that comes from sources alone stands nowhere above the highest of them | `water::bounds::no_water_rises_above_its_source` | `water_edits`, `water_stream` |
//!
//! # The automata
//!
//! Each has a `validate` of its own, which `scenario::files` and the fuzz targets `humidity`, `water_2d`,
//! `blast_grid`, `blast_graph`, `snapshot_bytes` and `scenario_text` call after every step. The
//! same tests and targets hold for all four:
//!
//! | law | tests | fuzz targets |
//! |---|---|---|
//! | each edit does, cell by cell and in the account, what its documentation says | `humidity::laws::every_edit_is_the_models_and_every_step_the_oracles`, `water2d::laws` by the same name, `blast::edits::every_edit_and_step_on_a_grid_is_the_maps`, `every_edit_and_step_on_a_graph_is_the_maps` | `humidity`, `water_2d`, `blast_grid`, `blast_graph` |
//! | a world that sleeps equals one that is woken before each step, and counts the same changes | the same | the same |
//! | `run` is that many single steps | the same | the same |
//! | a world that is saved and loaded in between goes on as if it had not been | the same | the same |
//! | `take_changes` tells of every cell that is not what it was | the same; `contract::changes` | the same |
//!
//! Humidity ([`HumidityWorld::validate`](crate::humidity::HumidityWorld::validate)):
//!
//! | law | violation | tests beside those above |
//! |---|---|---|
//! | conservative sweep: the units in the cells are `placed + rained − removed − runoff − drained` | `Ledger` | `humidity::laws::the_conservative_sweep_neither_makes_nor_loses_a_unit` |
//! | a step is that of the formula as it is written: the mean to the bit of `f32`, flows to the unit | | `humidity::laws::each_step_is_the_oracles`, `humidity::golden` |
//! | conservative sweep: no cell of soil leaves the range of itself and its neighbours, nor passes the cap | | `humidity::laws::the_conservative_sweep_stays_within_the_neighbours_range` |
//! | conservative sweep without drain, cap or rain of two strengths: each step that moves a unit lowers the sum of squares of what it is off the rain, so it comes to rest, level as the module's page says | | `humidity::laws::the_conservative_sweep_comes_to_rest_nearly_level` |
//! | humidity is a number from 0 to 32,767, ground is soil or rock, cells beyond the bounds are dry rock | `Humidity`, `Impermeability`, `Outside` | |
//! | a chunk that sleeps would not change | `Asleep` | |
//!
//! 2D water ([`Water2dWorld::validate`](crate::water2d::Water2dWorld::validate)):
//!
//! | law | violation | tests beside those above |
//! |---|---|---|
//! | the units in the cells are `placed − removed` | `Ledger` | `water2d::laws::neither_levels_nor_sums_overflow_from_the_highest_levels` |
//! | a step is that of the source text, or of units moved one by one, in every cell | | `water2d::laws::literal_levels_are_those_of_the_text_cell_by_cell`, `settling_levels_are_those_of_units_moved_one_by_one` |
//! | the settling rule comes to rest level within a unit, and every change on the way costs energy | `Uneven` | `water2d::laws::settling_worlds_come_to_rest_level_and_every_change_on_the_way_costs_energy` |
//! | levels are 0 to 1,000,000; cells beyond the bounds are ground; what sleeps would not change | `Level`, `Bounds`, `Restless` | |
//!
//! Explosions ([`BlastWorld::validate`](crate::blast::BlastWorld::validate),
//! [`BlastGraph::validate`](crate::blast::BlastGraph::validate)):
//!
//! | law | violation | tests beside those above |
//! |---|---|---|
//! | the pressures add up to `placed − removed − left − absorbed`, within a millionth of what entered and left and of all pressures and flows there are | `Ledger` | `blast::world::the_account_balances_over_ten_thousand_steps` |
//! | with a threshold of 0 a step on a grid is that of the formulas in `f64` within 1/50,000 of the largest pressure there was; on a graph within 10⁻⁹ of it | | `blast::edits`, `blast::laws::a_sheet_a_graph_and_the_oracle_agree` |
//! | exactly those walls break whose difference passes their strength, and each is told of once | | `blast::edits` |
//! | pressure that evens out neither rises above the highest nor falls below 0 | `Pressure` | `blast::edits` |
//! | what flows out of one end of a link flows into the other; nothing flows where nothing passes | `Flow`, `Conductance`, `Filled`, `Links` | |
//! | no edit makes the rule unstable at any node | `Unstable` | `blast::edits` |
//! | a chunk that sleeps, or a graph, would not change | `Asleep` | `blast::world::a_sleeper_gives_what_flows_into_a_chunk_that_opens_beside_it` |
//! | a probe changes nothing, and feels an impulse of no more than its exposure times its cross-section | | `blast::edits` |
//!
//! # Snapshots
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | a world that is saved and loaded goes on as if it had never been saved, whatever its kind; only the currents of water are unknown until its next step | `snapshot::laws::loaded_water_goes_on_as_if_it_had_never_been_saved` and the like for each kind | those of each kind |
//! | water that is saved in the middle of a tick is saved as it was when that tick began; the tick starts again, with the same bytes at its end, and what it changes is published once | `water::budget::a_snapshot_taken_anywhere_in_a_tick_is_that_of_its_beginning` | `water_edits`, `water_stream` |
//! | damaged bytes are refused by the name of their section; forged ones give an error or a lawful world | `snapshot::laws::every_truncation_is_refused`, `every_flipped_bit_is_refused_by_the_name_of_its_section`, `forged_bytes_are_refused_or_describe_a_lawful_world`; in words, `snapshot::forged` | `snapshot_bytes` |
//! | what sleeps in a snapshot would not change if it were awake, or it is refused | `snapshot::sleep` | `snapshot_bytes` |
//! | loading takes no more memory than 64 times the bytes, and 256 KB that an empty world takes, whatever the bytes claim, whatever the kind, saved in the middle of a tick too | `memory::loading` | |
//! | snapshots of all versions of the format are read | `snapshot::versions` | |
//!
//! # Saves on disk
//!
//! With the feature `store`.
//!
//! | promise | tests |
//! |---|---|
//! | what is opened is what was saved, whatever the kind of world, and only chunks that differ are written | `save_file::laws`, `save_file::kinds` |
//! | after a fault, a torn write, a full disk or a loss of power at any operation the last save acknowledged is opened, or the one under way | `save_file::faults`; for every kind of world, at every seventh operation, `save_file::kinds` |
//! | so is it after the process was killed | `save_file::kill`: 25 times each in `cargo test`, with water and with 2D water; its page has the command for 1,000 |
//! | what is no save, is damaged, or is a save of another kind is refused by its own error and left as it was | `save_file::refusals`, `save_file::kinds` |
//!
//! # Scenarios
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | any text is refused with its line, or runs | `scenario::format` | `scenario_text` |
//! | a report is one object of JSON a line | `scenario::format::records_are_lines_of_json` | `scenario_text` |
//! | the files in `examples/scenarios` do what they say, wherever in the world they stand | `scenario::files` | |
//!
//! # The same bytes
//!
//! The same seed and the same edits give the same bytes, on every target, optimised or not,
//! whatever the hash seeds and the number of threads. `tests/data/golden/state_hashes.txt` has the
//! recorded state hashes of
//!
//! - ten scenarios of water;
//! - small worlds of the automata: each sweep of humidity on sheets, the synchronous one also on
//!   cubes; explosions on sheets (both rules), on cubes (waves) and on graphs (both rules), with
//!   walls, weighted links, periodic and open borders; both rules of 2D water. They take 30 steps,
//!   one at a time and by `run`;
//! - the valley, 200 ticks of water over real ground.
//!
//! | where they are computed anew | what |
//! |---|---|
//! | the test `contract::golden` | all but the valley |
//! | `.ci/platforms`: x86-64, optimised and not | all |
//! | `.ci/platforms`: x86-64, optimised, in pools of 1, 2, 3 and 8 threads | all but the valley |
//! | `.ci/platforms all`: aarch64, and wasm32, where a `usize` has 32 bits; optimised | all |
//! | the same, not optimised | all but the valley |
//!
//! In a pool, threads share the steps of humidity but for the in-place sweep, of explosions on
//! grids, and of the literal rule of 2D water; the others, water among them, are the work of one
//! thread whatever the pool. Unit tests in `automata::same_bytes` compare every instruction set
//! that the machine has, and pools of these sizes, on worlds of their own.
//!
//! # What is not promised
//!
//! - The same bytes from another version of this crate, or with other versions of what it depends
//!   on.
//! - That edits commute which touch a common cell or neighbour: displaced water goes where there is
//!   room at the time.
//! - That edits commute where a stream ties them together. Cells that only pass water on dry up as
//!   soon as they are cut off, all the way down to the first that holds water; so it matters
//!   whether water is poured into one of them before or after its way up is cut.
//! - Exact sums of pressure: they are floating-point numbers, and the account is kept within a
//!   millionth. The same bytes on every platform are promised for them too.
//! - An account of humidity under the weighted mean, which makes and loses some by its nature.
//! - That pressure below the threshold lasts: it is absorbed chunk by chunk, and entered as such.
//! - That a save survives a disk that says it has written what it has not; or that damage is told
//!   from an older save, where it hits the one byte of redb's file that says which of its two
//!   headers is the newer and that no checksum covers.
//! - Where the last unit of a remainder comes to lie: that is left to the seed. Layers are
//!   promised, cells are not.
//! - Level water whatever the rules: without [`pools`](crate::water::Rules::pools), bodies need not
//!   be level.
//! - Anything after a panic was caught in mid-tick. No tick is known to panic.
