//! The promises, how each is tested, and what is not promised.
//!
//! *Tests* run with `cargo test`: `water::laws::x` is the test `x` in `tests/water/laws.rs`; unit
//! tests are named by their path in `src/`. *Fuzz targets* are in `fuzz/`; its README has the
//! counts of executions. Both use the oracles in `tests/support/` and the models in `src/testing/`,
//! which share no code with the code they check. Every random test prints its input when it fails.
//!
//! # Everywhere
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | no input makes a public function panic, except as documented under `# Panics` | all property tests; `world::hostile` | all |
//! | a refused edit changes nothing, and the error names the place or value | `water::laws`, `water::edits::ends`, `storage::grid`, `scenario::format`; for the automata `blast::edits`, `humidity::laws`, `water2d::laws` | all but `water_cell`, `snapshot_bytes`, `update_bytes` and the import targets |
//! | tests run at least 97 of 100 lines of `src/` | `.ci/coverage`, which fails below 97; 98.9 on 2026-11-21 | |
//! | no unsafe code in this crate | the lint `unsafe_code = "forbid"`; `.ci/miri` for the dependencies | |
//!
//! # The chunk store
//!
//! | law | tests | fuzz targets |
//! |---|---|---|
//! | a grid equals a map of cells after any operations, over the whole `i32` range | `storage::grid::cubes_agree_with_the_model`, `sheets_agree_with_the_model` | `chunk_store` |
//! | a chunk of equal cells is stored as one value, so equal cells make equal chunks | `storage::chunk`, `storage::grid` | `chunk_store` |
//! | iteration is in order of position | `storage::grid`, unit test `grid::order_does_not_come_from_the_hash` | `chunk_store` |
//! | slab, map, links, awake and changed cells agree with one another | `storage::grid`, after each operation | `chunk_store` |
//!
//! # Water
//!
//! Laws that [`WaterWorld::validate`](crate::water::WaterWorld::validate) checks. It returns the
//! first one violated, a [`Violation`](crate::Violation) with its place and figures.
//! `water::laws`, `scenario::files` and the fuzz targets `water_edits`, `water_stream` and
//! `scenario_text` call it after every tick; `water::laws`, `water_edits` and `water_stream` also
//! after every edit. `scenario::files` runs every file in `examples/scenarios`; in worlds of more
//! than 20,000 cells it calls `validate` every 64th tick and checks the ledger every tick.
//!
//! | law | violation |
//! |---|---|
//! | ledger: the units in the cells, the sea left out, are `placed + injected + loaded + from_sea − removed − drained − evaporated − unloaded − into_sea` | `Ledger` |
//! | the chunk store's own laws; masks, outlets, coasts and sources cached for a chunk match its cells | `Storage`, `Masks` |
//! | every word is canonical, so heights are 0 to 7; see [`WaterCell::from_word`](crate::water::WaterCell::from_word) | `Word` |
//! | the marks for cells outside the world are there and nowhere else | `Bounds` |
//! | parents exist; Extra is set exactly if there is more than one | `Parent`, `Extra` |
//! | parents form no cycle | `ParentLoop` |
//! | `largest` is at most the throughput, which is the same for all cells | `Largest` |
//! | a sleeping cell has FlowOut exactly if steady flow passes it, and then has the most activity | `Asleep` |
//! | after a tick, and asleep, a cell has a source exactly if it is one or a parent has one | `HasSource` |
//! | sleeping water is supported from below, except the unit that steady flow keeps in a cell | `Unsupported` |
//! | a sleeping open cell beside or below sea is full, and has no sea under it unless it is a spring | `Unfilled` |
//! | a sleeping cell has no drain in water, and no tap with room | `Fixture` |
//! | a sleeping body without a source is level within one unit, arms of a U-tube included, and level with the sea beside it | `Uneven`, `Unlevel` |
//!
//! Laws that hold between states of a world:
//!
//! | law | tests | fuzz targets |
//! |---|---|---|
//! | water in the way of ground is removed only if no cell within reach, [16,384 cells or 64 for each displaced one](crate::water::WaterWorld::fill_solid), has room; otherwise it goes to the nearest room | `water::edits::displaced::water_is_removed_only_where_all_around_is_full`, `a_lake_filled_with_earth_loses_nothing_until_the_basin_is_full`, `an_island_built_in_a_lake_destroys_nothing`, `searches_for_room_are_bounded_and_counted` | `water_edits`, `water_stream` |
//! | [`drain_body`](crate::water::WaterWorld::drain_body) and [`fill_body`](crate::water::WaterWorld::fill_body) move the units that their documentation says, cell by cell, within their reach, and [`body_at`](crate::water::WaterWorld::body_at) returns the result of a naive flood fill | `water::laws::every_law_holds_after_every_edit_and_tick`, `water::edits::bodies` | `water_edits`, `water_stream` |
//! | a [tap](crate::water::Fixture::Tap) gives its rate in each tick until its cell is full, a [drain](crate::water::Fixture::Drain) takes its rate until its cell is dry, and then both sleep; a world has the [fixtures](crate::water::WaterWorld::set_fixture) that were built into it, also after it is saved and after chunks are removed and put back | `water::edits::fixtures`; `water::laws::every_law_holds_after_every_edit_and_tick` | `water_edits`, `water_stream` |
//! | no water passes back through a [valve](crate::water::Fixture::Valve), and water passes ahead until it stands no higher behind the valve than ahead of it | `water::edits::fixtures::valves_pass_water_one_way_until_it_stands_no_higher_behind`, `a_tide_gate_lets_a_river_out_and_keeps_the_sea_off` | |
//! | each edit has the documented effect, cell by cell and in the ledger | `water::laws::every_law_holds_after_every_edit_and_tick` | `water_edits`, `water_stream` |
//! | a tick neither adds nor removes ground or springs, and springs are full after it | the same | the same |
//! | a tick changes only the injected, drained and evaporated units of the ledger and the units of the sea: a spring injects at most its supply and a tap its rate, units drain only at edges and fixtures that drain, they evaporate only if the rules say so, and the units of the sea change only if there is sea | the same | the same |
//! | [`current`](crate::water::WaterWorld::current) is at most the throughput, no cell loses more than that, and the water moved by a tick has paths on which no cell passes on more than that in all; where more than 2,048 cells of a body (1,024 if it has more than 8,192 in all) pass water in a tick in narrow pieces, as where a dam breaks, only the contacts and the necks of pieces are bounded | the same; `water::arrival::passage`; unit tests `testing::water::passage::all_that_moves_in_large_lakes_has_ways`, `all_that_moves_in_deep_water_has_ways`, `no_unit_passes_cells_that_have_passed_their_limit`, `water::pools::max_flow`, `water::pools::wide` | the same; `water_arrival` |
//! | of the water that springs can deliver to the world's ends, by a max flow with the throughput of each cell, at least nine tenths leave the world: in 19 of 20 flat and stepped worlds, dry or full at first; for springs at one height, in small worlds of every kind | `water::arrival::mazes`, `water::arrival::standing`; `testing::arrival::water_arrives_in_small_worlds_of_every_kind`, `supply_of_springs_at_several_heights_arrives_in_19_of_20_stepped_worlds` | `water_arrival`, within the checks of [`check_arrival`](crate::testing::check_arrival) |
//! | springs fill a world that no water leaves, and it comes to rest: at least nine tenths of the cells below each spring that its water can reach are full | `testing::arrival::springs_fill_u_tubes_that_no_water_leaves`, `a_game_in_which_water_does_not_arrive_breaks_the_law_of_its_name`; every world left without edits | `water_edits`, `water_stream`, `water_arrival` |
//! | a pond beside the stream of a spring ends as full as it began; until the stream has reached it, the pond loses about ten units for each cell at which it touches the dry bed | `water::arrival::standing::a_pond_beside_a_stream_ends_as_full_as_it_began` | |
//! | rivers arrive over falls: at least 0.95 of their springs' supply arrives, in the mean of some seeds | `water::arrival::falls::rivers_arrive_over_steps` | |
//! | the world's end gets at least 0.85 of the water if a pit or a room competes with it, also behind a fall; ends at equal distances get equal shares, to a fifth, and no arm beside the stream stays dry | `water::arrival::ends`, `water::arrival::falls::an_end_behind_a_fall_is_preferred_to_a_pit` | |
//! | both sides of a U that a spring feeds rise together: their means differ by at most two cells, if the spring offers no more than can pass between them | `water::arrival::u_tubes` | |
//! | a well that a tunnel joins to a running river stands as high as the river, to two units | `water::arrival::wells` | |
//! | heaps and lakes spread, rise and sink in the same way wherever they lie in the chunk grid, and the time in which a dam break comes to rest does not depend on its width | `water::arrival::heaps` | |
//! | a dam break spreads over a plain as fast as when its bodies are levelled in a random order, to a tenth | `water::arrival::dams` | |
//! | loading and unloading of wet chunks beside water that never rests takes no memory | `water::arrival::memory` | |
//! | a step's report counts exactly the cells that changed; [`take_all_changes`](crate::water::WaterWorld::take_all_changes) lists them all | the same | the same |
//! | after a tick, [`take_changes`](crate::water::WaterWorld::take_changes) lists exactly the cells that look different, and no cell of a river in steady flow | the same; `water::read::changes::a_tick_lists_exactly_the_cells_that_differ_and_those_that_look_different`, `a_river_in_steady_flow_is_not_listed` | the same |
//! | a tick visits a cell at most 4 times; a world at rest does nothing | the same | the same |
//! | a chunk of any world may be inserted into any other world, whatever the rules of both, also in the middle of a tick | the same; `water::laws::a_chunk_of_a_world_with_more_throughput_claims_no_more_than_its_new_one_lets_pass`, `a_chunk_read_in_the_middle_of_a_tick_holds_what_it_held_before` | the same |
//! | while a tick is underway, queries return the world after its last complete tick: cells, chunks, currents, ledger, counts | `water::read::reading::queries_in_the_middle_of_a_tick_return_the_world_before_it`, `every_word_that_is_read_in_the_middle_of_a_tick_is_a_voxels` | |
//! | chunks copied at any moment, and kept up to date by the lists of changes, are exact: with [`take_all_changes`](crate::water::WaterWorld::take_all_changes) in every bit, with [`take_changes`](crate::water::WaterWorld::take_changes) in all visible properties | `water::read::reading::a_client_that_copies_chunks_at_any_moment_and_follows_the_changes_is_exact` | |
//! | the order in which two cells of a layer draw does not depend on which other cells draw | unit test `water::draw::turns::the_order_of_two_cells_does_not_depend_on_the_others` | |
//! | the steady flow is a flow after any edit: the units that enter a cell leave it, no cell passes more than the throughput, springs give no more than they may, and the flow passes only connected cells; any table of units is reduced to a flow | unit tests `water::steady::after_any_edit_the_flow_is_one_and_no_cell_passes_more_than_it_may`, `any_table_is_reduced_to_a_flow` | |
//! | in flat beds, dry or full at first, the steady flow becomes a max flow | unit test `water::steady::in_time_the_flow_is_a_maximum_one`, against the test's own augmenting paths | |
//! | a yielding flow takes the throughput that other flow has left over, and the table of the yielding flow does not change | unit test `water::steady::a_flow_that_yields_passes_what_is_left_over` | |
//! | chains of connected parents lead from connected cells to springs; a wet cell that a connected one could feed from above or from the side is connected two ticks later | unit test `water::ebb::reach::connected_cells_lead_to_springs_and_connect_every_cell_they_could_feed`, against a naive search | |
//! | the draws of a tick are a blocking flow: a draw gets water if any way up leads to a spring, over cells with throughput left | unit test `water::draw::path::a_draw_finds_a_way_if_there_is_one_and_exhausted_cells_have_none`, against a naive search | |
//! | a film that draws in vain while a spring is idle gets a shortest way from such a spring | unit test `water::draw::a_way_is_a_shortest_one_to_an_idle_spring`, against a naive search | |
//! | statistics of water in flow show no trace of the chunk grid: a spring on a plain, and the arms of a crossing, at 16 offsets | `water::tick::motion::a_spring_on_a_plain_spreads_alike_wherever_the_chunks_meet`, `most_water_goes_straight_on_at_a_crossing_and_as_much_to_the_left_as_to_the_right` | |
//! | flat rivers with a spring for each lane carry at least 0.9 of what the springs offer, in all lanes, and change nothing visible | `water::tick::motion::a_long_wide_river_flows_in_all_lanes`, `a_long_narrow_river_carries_all_that_its_springs_offer` | |
//! | bodies equal the results of a flood fill; bytes do not depend on the labels of bodies, and closed worlds come to rest level even if labels are dropped | unit tests `water::pools::bodies_are_those_of_a_flood_fill`, `deep_bodies_are_those_of_a_flood_fill`, `nothing_depends_on_what_is_known_or_awake`, `a_closed_world_comes_to_rest_level_whatever_is_forgotten` | |
//! | the labels of bodies do not grow with the chunks that come and go | unit test `water::pools::labels_do_not_grow_with_the_chunks_that_have_come_and_gone` | |
//! | each still surface cell evaporates with the chance of the rules, and no other cell evaporates; whether it does in a tick depends on seed, place and tick alone | `water::tick::evaporation::still_surface_cells_lose_with_their_chance_and_those_below_nothing`, `films_have_a_chance_of_their_own` | |
//! | the number of units that evaporate in a tick is at most the number of still surface cells that fell by one | `water::laws::every_law_holds_after_every_edit_and_tick` | `water_edits`, `water_stream` |
//! | evaporation gives the same bytes whether the world sleeps or is woken, is saved and loaded, or is run in slices or by `run` | `water::tick::evaporation::a_world_that_sleeps_loses_what_one_loses_that_is_woken_saved_or_in_slices`, `a_run_through_still_water_skips_no_loss` | |
//! | a sleeping world equals one that is woken before each tick, byte for byte | the same; `water::tick::sleep` | the same |
//! | lists of chunks may be loaded in any order, and the bytes are the same from then on | the same; `water::chunks::order::the_order_of_loading_never_matters` | the same |
//! | chunks may be loaded one by one in any order, with ticks between, and at rest each layer has the same units | `water::chunks::order::the_order_of_loading_does_not_matter_at_rest` | `water_stream` |
//! | chunks that [`remove_chunks`](crate::water::WaterWorld::remove_chunks) takes out and that are put back before the next tick, in any order and in any number of calls, leave the world as it was: cells, parents, state hash; only `loaded` and `unloaded` of the ledger count them | `water::chunks::records::chunks_that_are_put_back_before_the_next_tick_leave_the_world_as_it_was`, `falls_through_chunks_that_go_and_come_back_have_the_same_parents` | |
//! | records of chunks may be inserted at a later tick, or into a world with other rules, bounds or neighbours: every law holds and no unit is lost; the bytes are the same whether cells sleep or not | `water::chunks::records::chunks_inserted_later_flow_by_the_rules_of_their_world`, `records_of_any_world_may_be_put_into_any_other` | `water_edits`, `water_stream` |
//! | the other chunks have the same bytes and the same awake cells as if the [frozen](crate::water::WaterWorld::freeze) chunks were not loaded and water waited at their faces | `water::chunks::frozen::for_the_others_frozen_chunks_are_as_if_they_were_not_loaded` | |
//! | freezing and thawing move no unit; only edits change a frozen chunk; after thawing, the water of the chunk reaches the levels of a world that was never frozen | `water::chunks::frozen::chunks_that_stood_still_come_to_the_levels_of_those_that_never_did`, `a_world_that_stands_still_is_never_visited`; `water::laws::every_law_holds_after_every_edit_and_tick` | `water_edits`, `water_stream` |
//! | frozen chunks are saved, with the cells that wait in them | `water::chunks::frozen::frozen_chunks_are_saved_with_their_waiting_cells`, `save_file::stream` | `water_edits`, `water_stream` |
//! | a [simulation distance](crate::water::SimulationDistance) makes exactly the edits of a naive sweep over chunks and players, also while other edits are queued and in the middle of a tick, and never for more chunks than its limit; the edits give the same world if they are made by hand; after enough calls, near chunks run and far chunks are frozen, each chunk has been switched once, and no unit is lost | `water::chunks::simulation_distance::its_edits_are_those_of_a_naive_model_and_do_what_those_made_by_hand_do`, `enough_calls_come_to_the_target_within_the_limit_and_no_unit_is_lost`, `a_ring_is_simulated_in_its_turns` | `water_edits`, `water_stream` |
//! | whatever the lag, the distances of a simulation distance stay between the least ones and the ones given at first | `water::chunks::simulation_distance::lag_makes_distances_shorter_and_calm_makes_them_longer` | |
//! | deep water of an inserted record stays asleep | `water::chunks::records::deep_water_sleeps_on` | |
//! | chunks that are [settled](crate::water::Settle), outside any world or [in one](crate::water::WaterWorld::settle_now), reach the total and the levels to which ticks would bring them; meanwhile the rest of the world stands still; lists of changes have what has changed | `water::chunks::settle::chunks_settle_to_the_levels_to_which_they_come_by_ticks`, `while_chunks_settle_the_rest_of_the_world_stands_still`, `lists_of_changes_have_what_settling_has_changed` | |
//! | any bytes are a [`ChunkRecord`](crate::water::ChunkRecord) or an error that names the place, and any record keeps the laws of the world into which it is inserted | `water::chunks::records::any_bytes_are_a_record_or_an_error_that_names_the_place` | `snapshot_bytes` |
//! | edits that touch no common cell or neighbour, and displace no water, commute, byte for byte, unless a stream that was cut connects their places (see below) | `water::chunks::order::disjoint_edits_commute` | `water_edits`, `water_stream` |
//! | a closed world without evaporation and taps comes to rest, level, without a current | `water::tick::bounds::a_closed_world_comes_to_rest` | `water_edits`, `water_stream` |
//! | an edit of a client that breaks [limits](crate::Limits) is refused by the name of the limit and changes nothing, and edits that are made keep within all limits | `contract::limits` | |
//! | [queued](crate::water::WaterWorld::queue) edits equal the same edits made by hand between ticks, in bytes except the number of [tickets](crate::Ticket), ledger, changes and reports, in whatever slices the tick is done, also if the world is saved and loaded in between | `water::edits::queue::queued_edits_are_those_made_by_hand_between_ticks`, `queued_edits_under_any_rules_are_those_made_by_hand`, `however_a_tick_is_sliced_and_saved_its_queued_edits_come_to_the_same`, `edits_queued_in_the_middle_of_a_tick_come_after_it_once_loaded_too` | `water_edits` |
//! | edits are made in the order of the calls, queued or not | `water::edits::queue::an_edit_made_directly_comes_after_those_queued_before_it` | |
//! | a game that queues edits of cells in every tick keeps its budget: no call visits more cells than the budget plus one layer of a chunk, or plus the cells that an edit searches for room or for the surface of a body | `water::edits::queue::a_game_that_queues_edits_in_every_tick_keeps_its_budget` | |
//! | an [edit as a value](crate::water::Edit) is the same after it was sent as bytes; other bytes are refused with their offset | the same; `water::edits::queue::any_bytes_are_an_edit_or_an_error_that_names_the_place`, `contract::edits::damage_to_a_record_in_an_edit_is_named_by_its_offset_in_the_edit`; `memory::edits` | the same; `edit_bytes` |
//! | a world whose [rules are replaced](crate::water::WaterWorld::set_rules) has from then on the same bytes as one loaded with the new rules, whether its cells sleep or not; every law holds, and the replacement moves and loses no unit | `water::edits::season::a_world_with_other_rules_continues_as_one_loaded_with_them` | |
//! | chances of evaporation alone wake nothing | `water::edits::season::other_chances_of_evaporation_wake_nothing` | |
//! | a tick that is limited by time, or by a closure, gives the same bytes | `water::edits::season::a_tick_done_by_time_is_the_tick_in_one_call` | |
//! | with [pools](crate::water::Rules::pools), a breached sea floods a cave up to sea level and stays a sea; water that stands higher runs out into the sea | `water::edits::sea::a_breached_sea_floods_the_cave_to_its_level_and_stays_a_sea`, `higher_water_is_pressed_into_the_sea`, unit test `water::pools::bodies_are_those_of_a_flood_fill` | |
//! | rain on the sea leaves no water on it; the sea closes over holes and over no other cells | `water::edits::sea::rain_on_the_sea_leaves_no_specks`, `a_block_built_into_the_sea_and_taken_out_leaves_it_as_it_was`, `holes_close_and_what_stands_on_ground_is_filled`; `water::laws::every_law_holds_after_every_edit_and_tick` | `water_edits`, `water_stream` |
//! | an undisturbed sea is never visited, and its chunks are stored as one value | `water::edits::sea::a_sleeping_sea_costs_nothing` | |
//! | at an edge that is a [level](crate::water::Edge::Level), cells up to the level fill and higher water leaves; edges of single columns override the edge of the rules, and are saved | `water::edits::sea::beyond_a_level_the_sea_extends_up_to_it`, `edges_are_set_for_single_columns`, `the_sea_and_the_edges_of_columns_are_saved` | `water_edits`, `water_stream` |
//! | HasSource is cleared one tick after the last source is removed | `water::tick::bounds::has_source_clears_once_the_sources_are_gone` | `water_edits`, `water_stream` |
//! | a tick in slices, saved and loaded in between, equals the tick in one call | the same; `water::tick::budget` | the same |
//! | a call with a budget visits at most that many cells plus one layer of a chunk (a body is levelled piece by piece), also while a river dries up and with many chunks; [exceptions](crate::water::WaterWorld::step_within) | `water::tick::budget::slices_of_any_size_come_to_the_same_bytes`, `a_long_search_for_water_resumes_in_pieces`, `water::tick::counted::springs_at_several_heights_are_searched_in_pieces`, `a_long_path_to_an_end_is_walked_in_pieces`, `a_long_river_dries_up_in_pieces`, `a_way_through_a_long_body_resumes_in_pieces`, `many_chunks_take_part_in_pieces`; unit tests `water::ebb::drying::ties_that_are_cut_one_by_one_leave_what_those_cut_at_once_leave`, `water::pools::a_large_body_is_surveyed_and_levelled_in_many_pieces_of_a_tick` | |
//! | a tick in pools of 1, 2, 3 and 8 threads equals the tick in slices, also if it is begun in slices: bytes, ledger, report, changes | unit test `water::tick::shards::any_number_of_threads_does_what_slices_do`, `the_draws_of_rivers_that_lie_apart_do_by_threads_what_slices_do`; `.ci/platforms` | |
//! | cells that a tick skips because they would not change (steady falls, films that wait) change nothing that can be asked | unit test `water::flow::runs::runs_and_parked_films_change_nothing_that_can_be_asked` | |
//! | tiles that threads share have no column in common with the surroundings of each other, at any offset | unit test `water::scratch::tiles::tiles_of_one_turn_have_no_column_in_common_with_each_others_scopes` | |
//! | after every tick, each cell with FlowOut is joined to an end by cells with FlowOut | `water::laws::every_law_holds_after_every_edit_and_tick`; unit test `water::steady::after_a_tick_the_cells_with_flow_out_are_those_of_the_table` | `water_edits`, `water_stream`, `water_arrival` |
//! | cells that only steady flow passes sleep; rivers that sleep equal rivers that are woken before each tick, or saved and loaded in the middle of ticks, while they are dug into, walled off, frozen and unloaded; so are their currents; a tick of a steady river costs the same however long the river is | `water::arrival::asleep::rivers_that_sleep_equal_rivers_that_never_do`, `rivers_sleep_and_flow_and_fill_what_is_dug_beside_them`, `a_steady_river_costs_the_same_however_long_it_is` | |
//! | FlowOut is cleared one tick after the last outlet is walled off | `water::tick::bounds::flow_out_clears_once_the_end_is_walled_off` | `water_edits`, `water_stream` |
//! | water from sources rises nowhere above the highest source, whatever stood there before | `water::tick::bounds::no_water_rises_above_its_source`, `water::arrival::height` | `water_edits`, `water_stream` |
//!
//! Drawing and swimming, which read the world and change nothing:
//!
//! | law | tests |
//! |---|---|
//! | all chunks that share a corner of the surface have the same height, normal and flow there, bit for bit | `water::read::surface::all_chunks_agree_on_the_corners_that_they_share` |
//! | a mesh covers exactly the faces between water and air, each once, and merges only level faces | `water::read::surface::a_mesh_covers_exactly_the_faces_between_water_and_air`, `a_mesh_has_no_more_faces_than_there_are_between_cells` |
//! | the meshes of a world have no cracks: edges are open only at ground and at the end of the loaded chunks | `water::read::surface::the_skin_is_open_only_at_ground_and_at_the_end_of_the_world` |
//! | [`meshes_touched`](crate::water::meshes_touched) lists every chunk whose mesh changes | `water::read::surface::every_mesh_that_differs_is_listed` |
//! | levels at points match the mesh; buoyancy in still water is that of the displaced volume | `water::read::surface::the_level_at_a_point_is_that_of_the_mesh`, `buoyancy_in_still_water_is_that_of_the_displaced_volume` |
//! | while a tick is underway, meshes, falls and levels show the world after the last complete tick | `water::read::surface::drawing_in_the_middle_of_a_tick_shows_the_world_before_it` |
//! | falls are the cells of water that nothing holds up; water at rest has none | `water::read::surface::falls_are_the_cells_that_nothing_holds_up` |
//! | a [`FlowField`](crate::water::FlowField) equals a sweep over all cells, however often it is updated between ticks, and becomes zero when the motion ends | `water::read::flow_field::flow_is_that_of_a_naive_sweep_over_all_cells`, `flow_spreads_in_water_that_is_still`, `flow_depends_on_ticks_alone_and_ends_with_the_motion` |
//! | flow has no jumps within water, and in a flat river 3 wide with one spring it goes downstream in every lane and tick | `water::read::flow_field::a_swimmer_in_a_river_is_carried_on_in_every_lane` |
//!
//! The feed of changes, which changes nothing in the world. The fuzz target `update_bytes` tests
//! the last law:
//!
//! | law | tests |
//! |---|---|
//! | a [`Mirror`](crate::water::Mirror) that applies the updates of a [`Feed`](crate::water::Feed), sent as bytes, has the heights, the ground and the passing water of the world, also if it joins late, follows a part of the world, or updates are taken in the middle of a tick; including chunks that are loaded, unloaded or loaded again | `water::read::feed::mirrors_have_the_heights_and_the_ground_of_the_world` |
//! | for each cell, the [cause](crate::water::Cause) is an edit, a drain, the sea or the flow, whichever changed the cell; the faces in an update are the faces at which changed cells lie | `water::read::feed::causes_and_faces_are_those_of_the_changes` |
//! | a mirror's queries for drawing and swimming equal the world's, bit for bit: meshes, falls, corners, levels, submerged parts, smoothed flow; at the sea and at the world's end, too | `water::read::drawn::a_mirror_is_drawn_as_the_world_that_it_follows`, `the_sea_and_what_lies_beyond_the_worlds_end_are_drawn_alike` |
//! | feeds and lists of changes take nothing from each other, from the first call for the list on | `water::read::feed::feeds_and_lists_of_changes_take_nothing_from_each_other`, `world::feed::feeds_and_lists_take_nothing_from_each_other` |
//! | a feed reports the unload of every chunk it has sent to a mirror; no update brings back a chunk that the mirror has dropped | `water::read::feed::a_chunk_that_was_shown_is_unloaded_on_the_client_too`, `a_client_that_walks_forgets_what_it_leaves_behind` |
//! | a mirror refuses every update except the next one, and then does not change; an update with whole chunks makes up for missed updates | `water::read::feed::a_mirror_refuses_what_does_not_come_next` |
//! | any bytes are an update or an error that names the place, and take at most about thirty times their number in memory | `water::read::feed::any_bytes_are_an_update_or_an_error_that_names_the_place`, unit test `water::feed::bytes::an_update_takes_little_more_memory_than_its_bytes` |
//!
//! # The automata
//!
//! Each automaton has its own `validate`, which `scenario::files` and the fuzz targets `humidity`,
//! `water_2d`, `blast_grid`, `blast_graph`, `snapshot_bytes`, `edit_bytes` and `scenario_text` call
//! after every step. The same tests and targets cover all four automata:
//!
//! | law | tests | fuzz targets |
//! |---|---|---|
//! | each edit has the documented effect, cell by cell and in the account | `humidity::laws::every_edit_and_step_on_sheets_is_the_models`, `every_edit_and_step_on_cubes_is_the_models`, `water2d::laws::every_edit_is_the_models_and_every_step_the_oracles`, `blast::edits::every_edit_and_step_on_sheets_is_the_maps`, `every_edit_and_step_on_cubes_is_the_maps`, `every_edit_and_step_on_a_graph_is_the_maps` | `humidity`, `water_2d`, `blast_grid`, `blast_graph` |
//! | a world with sleeping chunks equals one that is woken before each step, and counts the same changes | the same | the same |
//! | `run(n)` equals n single steps | the same | the same |
//! | saving and loading a world in between changes nothing | the same | the same |
//! | `take_changes` reports every cell that changed | the same; `contract::changes` | the same |
//! | an edit is the same after it was sent as bytes: the same outcome, and a world that saves to the same bytes | `contract::edits::an_edit_is_the_same_after_it_was_sent_as_bytes`, `wake_all_wakes_all` | the same |
//! | edits keep their form in bytes in all later versions; other bytes are refused with their offset, whatever they are, and reading takes at most about eight times their number in memory, plus 130 KB, plus what the chunks of the edit can hold | `contract::edits::edits_have_the_bytes_that_are_written_down`, `any_bytes_are_an_edit_or_an_error_that_names_the_place`, `values_out_of_range_are_refused_with_their_offset`; `memory::edits` | `edit_bytes` |
//! | with the feature `serde`, rules, edits, palettes, ledgers and reports are the same after JSON; a value that is impossible for its type is refused by name | `contract::serde::drawn_values_are_the_same_after_json`, `ledgers_reports_and_records_are_the_same_after_json`, `impossible_values_are_refused_by_name` | |
//!
//! Humidity ([`HumidityWorld::validate`](crate::humidity::HumidityWorld::validate)):
//!
//! | law | violation | further tests |
//! |---|---|---|
//! | conservative sweep: the units in the cells are `placed + rained − removed − runoff − drained` | `Ledger` | `humidity::laws::the_conservative_sweep_neither_makes_nor_loses_a_unit` |
//! | a step equals the formula as written: the mean bit for bit in `f32`, flows to the unit | | `humidity::laws::every_law_holds_after_every_edit_and_step`, `humidity::golden` |
//! | conservative sweep: soil stays within the range of itself and its neighbours and at or below the cap; where humidity falls, soil stays between 0 and the cap | | `humidity::laws::every_law_holds_after_every_edit_and_step` |
//! | conservative sweep without drain, cap or rain of two strengths: each step that moves a unit lowers the sum of the squared differences from the rain's humidity, so the world comes to rest, as level as the module's documentation says | | `humidity::rest::the_conservative_sweep_comes_to_rest_nearly_level` |
//! | where humidity falls, it gathers at the foot of the ground, the cap removes no humidity that came by falling, and without drain and rain it comes to rest | | `humidity::fall::falling_humidity_comes_to_rest_and_is_conserved`, `soil_wets_from_its_foot` |
//! | conservative sweep, up to the coefficient and the fall that its rules name: ground that is wetter in every cell stays wetter, and dry ground gets wetter until the flow from rain to drains is steady; then all chunks sleep, and each step enters the same units in the ledger as if all chunks were awake | | `humidity::steady::wetter_ground_stays_wetter`, `dry_ground_gets_wetter_until_a_steady_flow_rests`, `steady_flow_ends_when_its_ground_is_removed` |
//! | humidity is a number from 0 to 32,767, ground is soil or rock, cells beyond the bounds are dry rock | `Humidity`, `Impermeability`, `Outside` | |
//! | waking a sleeping chunk changes nothing | `Asleep` | |
//!
//! 2D water ([`Water2dWorld::validate`](crate::water2d::Water2dWorld::validate)):
//!
//! | law | violation | further tests |
//! |---|---|---|
//! | the units in the cells are `placed − removed` | `Ledger` | `water2d::laws::neither_levels_nor_sums_overflow_from_the_highest_levels` |
//! | a step equals the published rule (literal), or units moved one by one (settling), in every cell | | `water2d::laws::literal_levels_are_those_of_the_text_cell_by_cell`, `settling_levels_are_those_of_units_moved_one_by_one` |
//! | the settling rule comes to rest level within a unit, and every change before that lowers the energy | `Uneven` | `water2d::laws::settling_worlds_come_to_rest_level_and_every_change_on_the_way_costs_energy` |
//! | levels are 0 to 1,000,000; cells beyond the bounds are ground; waking sleeping chunks changes nothing | `Level`, `Bounds`, `Restless` | |
//!
//! Explosions ([`BlastWorld::validate`](crate::blast::BlastWorld::validate),
//! [`BlastGraph::validate`](crate::blast::BlastGraph::validate)):
//!
//! | law | violation | further tests |
//! |---|---|---|
//! | the pressures add up to `placed − removed − left − absorbed`, within a millionth of everything that entered or left and of all pressures and flows | `Ledger` | `blast::world::the_account_balances_over_ten_thousand_steps` |
//! | with a threshold of 0 a step on a grid equals the formulas in `f64` within 1/50,000 of the largest pressure so far; on a graph within 10⁻⁹ of it | | `blast::edits`, `blast::laws::a_sheet_a_graph_and_the_oracle_agree` |
//! | exactly those walls break whose pressure difference exceeds their strength, and each is reported once | | `blast::edits` |
//! | under the diffusive rule pressure neither rises above the highest nor falls below 0 | `Pressure` | `blast::edits` |
//! | the flow out of one end of a link enters the other; nothing flows through closed links | `Flow`, `Conductance`, `Filled`, `Links` | |
//! | under the wave rule the front of a charge varies along a circle by less than a tenth of its mean, for 80 steps; with a radius of 4 on cubes by less than a fifth; and less than an eighth of the pressure is in a chequered pattern | | `blast::charges::a_charge_makes_a_ring_and_a_loaded_cell_speckles` |
//! | no edit makes the rule unstable at any node | `Unstable` | `blast::edits` |
//! | waking a sleeping chunk or graph changes nothing | `Asleep` | `blast::world::a_sleeper_gives_what_flows_into_a_chunk_that_opens_beside_it` |
//! | a probe changes nothing, and its impulse is at most its exposure times its cross-section | | `blast::edits` |
//!
//! # Worlds of materials
//!
//! Laws that [`World::validate`](crate::world::World::validate) checks, after those of all parts.
//! The tests `world::laws`, the fuzz target `world_edits` and `scenario::files` call it after every
//! edit and tick.
//!
//! | law | violation |
//! |---|---|
//! | each part has the right chunks: water all chunks, soil the chunks with a permeable cell, explosions the ground of all loaded chunks with pressure and of no others except chunks beside those | `Chunk` |
//! | in each part, each cell matches its material, and in the part of explosions also its water, as of the last tick; cells that are not permeable hold no moisture | `Ground` |
//! | the soil that the sea keeps full is the soil below or beside it, in chunks that an exchange has visited | `Seabed` |
//! | water and moisture together are what came in less what went out, to the unit | `Account` |
//! | the chunk store's own laws | `Storage` |
//!
//! Laws that hold between states of a world:
//!
//! | law | tests |
//! |---|---|
//! | each edit has the documented effect, cell by cell and in the account; a refused one changes nothing | `world::laws::every_law_holds_after_every_edit_and_tick` |
//! | no bytes from clients break a law, and refused bytes change nothing: edits as bytes within [`Limits`](crate::Limits), also queued, cut and altered; updates that are lost, cut, altered and repeated; saves and loads in the middle of ticks | `world::hostile::no_client_breaks_a_world`; fuzz target `world_hostile` |
//! | a world that sleeps equals one that is woken before each tick; ticks in slices equal whole ticks, with edits queued and made in between; edits sent as bytes equal calls | the same |
//! | a world that is saved and loaded at any moment, in the middle of a tick too, reaches the same bytes | the same; `snapshot::materials::a_world_that_is_saved_at_any_piece_of_a_tick_continues_to_the_same_bytes`, `a_world_continues_to_the_same_bytes_from_between_any_two_stages_while_units_pass`, `a_world_that_is_loaded_in_the_middle_of_every_tick_is_one_that_never_is` |
//! | `take_changes` lists every cell whose material, water, moisture or pressure differs, except in chunks that came or went; after a refused edit, none | the same |
//! | without couplings, the parts equal worlds that are run apart, byte for byte; the same walls break as if explosions had all ground from the start | `world::parts::without_couplings_a_world_is_its_parts_run_apart`, `breakage_does_not_depend_on_when_ground_is_lent` |
//! | the exchange between water and soil equals, byte for byte, one that visits every cell, under edits of ground, water, sea and soil, with chunks that are loaded, unloaded or frozen | `world::exchange::an_exchange_is_that_of_a_look_at_every_cell` |
//! | a closed world without evaporation comes to rest, whatever its materials, and then does nothing | `world::exchange::a_closed_world_comes_to_rest_and_then_does_nothing` |
//! | soil through which moisture seeps from a sea to a drain, or that a sea fills, sleeps once gains and losses balance, and the account continues as if it never slept, also after saves in any piece of a tick and after frost | `world::seepage::soil_under_a_sea_that_sleeps_is_as_soil_that_never_does`, `seepage_from_random_seas_sleeps_despite_saves_and_frost`, `a_world_that_is_saved_at_any_piece_of_a_tick_continues_as_it_would_have`, `soil_that_the_sea_leaves_dries`; `world::rest::soil_below_a_sea_from_which_moisture_drains_sleeps_and_its_account_continues`; law `Seabed` |
//! | ground that is generated with the moisture that it has at rest around a water level is at rest at once, with seas and lakes up to that level | `world::rest::random_columns_that_are_generated_moist_settle_within_twelve_ticks`, `ground_that_is_generated_moist_is_at_rest_at_once_under_a_sea` |
//! | small closed worlds of slow soils, of 1,024 cells, are at rest within 12,500 steps of soil: 25,000 ticks at a period of 2, 50,000 at the default of 4; larger worlds take longer | `world::rest::a_closed_world_of_slow_soils_is_at_rest_within_twenty_five_thousand_ticks` |
//! | rows that a step of soil skips, and chunks that stay asleep when other chunks come, go, freeze or thaw, would not have changed | unit test `automata::humidity::stirred::rows_that_are_passed_over_and_chunks_that_are_not_woken_would_not_have_changed` |
//! | no unit is made or lost between water and soil: units that pass between them are booked neither as coming in nor as going out; springs and the sea supply the units that soil takes from them | `world::laws::every_law_holds_after_every_edit_and_tick`; `world::exchange::springs_and_the_sea_give_without_end_and_their_ledger_says_so`, `water_that_evaporates_goes_into_the_soil_below_and_then_into_the_air` |
//! | any number of threads gives the same bytes | `world::parts::any_number_of_threads_gives_the_same_bytes`, `world::exchange::any_number_of_threads_exchanges_the_same_units` |
//! | full cells of water stop pressure, damp it or let it pass, as the rules say, and soil that breaks spills, as in a computation by hand over all of the ground | `world::parts::full_cells_stop_pressure_and_broken_soil_spills_as_by_hand`, `full_cells_damp_pressure_as_by_hand`; `world::blasts::pressure_stops_at_the_surface_of_a_lake_or_fades_or_passes` |
//! | random charges, with water that is thrown and chunks that travel meanwhile, give the same bytes in slices and whole, woken and asleep, and make or lose no water | `world::blasts::random_charges_in_slices_woken_and_with_chunks_that_travel_give_the_same_bytes` |
//! | a call with a budget runs steps of explosions and of soil chunk by chunk; an unfinished step is not visible, and slices do not change its result | `world::ahead::stepping_soil_ahead_changes_no_byte`, `world::blasts::steps_of_explosions_and_of_soil_are_done_chunk_by_chunk`, `random_charges_in_slices_woken_and_with_chunks_that_travel_give_the_same_bytes`; unit tests `automata::blast::step::ahead::a_step_that_is_done_ahead_as_far_as_one_likes_is_the_same`, `automata::humidity::step::ahead::a_step_that_is_done_ahead_as_far_as_one_likes_is_the_same` |
//! | a refused edit of pressure lends no ground | `world::blasts::a_refused_edit_of_pressure_changes_nothing` |
//! | a world at rest does nothing, and where there is no pressure, no ground is lent to explosions | `world::parts::a_world_at_rest_does_nothing_and_lends_no_ground`, `a_run_at_rest_passes_the_clocks_of_all_parts` |
//! | records of chunks that are put back, also after they were sent as bytes, leave ground, moisture and water as they were | `world::records::records_that_are_put_back_leave_what_was_there` |
//! | the same water is thrown as by a search of every cell; no water in frozen chunks is thrown, and none enters them | `world::parts::water_is_thrown_as_by_a_look_at_every_cell`, `water_is_thrown_in_the_random_worlds` |
//! | where a chunk is [frozen](crate::water::WaterWorld::freeze), water, moisture and pressure stand still, and for water and moisture of other chunks it is as if that chunk were not loaded | `world::frozen::a_world_that_is_all_frozen_is_at_rest_with_all_that_was_underway`, `water_and_moisture_continue_as_if_frozen_chunks_were_not_loaded`; `world::parts::water_is_thrown_as_by_a_look_at_every_cell` |
//! | a [simulation distance](crate::water::SimulationDistance) treats queued edits as if they were made | `world::frozen::a_simulation_distance_looks_at_the_queue_of_the_world` |
//! | pressure enters loaded chunks only, within its [reach](crate::world::Rules::blast_reach), and by default all pressure fades away in the end, also in a closed room | `world::charges::no_charge_reaches_beyond_loaded_ground_or_its_reach`, `chunks_come_and_go_while_pressure_is_near`, `in_a_room_that_is_shut_it_is_silent_in_the_end` |
//! | ground with a [water table](crate::world::ChunkContent::with_water_table) is at rest at once, under a sea, too | `world::rest::ground_that_is_generated_moist_is_at_rest_at_once_under_a_sea` |
//! | chunks that are [settled](crate::world::Settle), outside any world or [in one](crate::world::World::settle_now), reach the total to which ticks would bring them, and the same levels except for the last units that soak in; meanwhile the rest of the world and all pressure stand still, and what comes in, goes out and passes is in the account | `world::settle::chunks_settle_to_the_levels_to_which_they_come_by_ticks`, `while_chunks_settle_the_rest_of_the_world_stands_still`, `restless_chunks_are_named` |
//! | a [`Mirror`](crate::world::Mirror) that applies the updates of a [`Feed`](crate::world::Feed), sent as bytes, has the materials and the water of the world, and its moisture rounded down to a step, also if it joins late, follows a part of the world, or updates are taken in the middle of a tick; what broke is reported once | `world::feed::mirrors_have_the_materials_the_water_and_the_moisture_of_the_world`; `world::laws::every_law_holds_after_every_edit_and_tick` |
//! | a mirror refuses every update except the next one, and then does not change | `world::feed::a_mirror_refuses_what_does_not_come_next` |
//! | any bytes are an update of a world or an error that names the place, and take at most about thirty times their number in memory | `world::feed::any_bytes_are_an_update_or_an_error_that_names_the_place`, unit test `world::feed::bytes::an_update_takes_little_more_memory_than_its_bytes`; fuzz target `update_bytes` |
//! | materials and rules out of range are refused by an error that names them | `world::palettes` |
//!
//! # Snapshots
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | a loaded world of any kind continues as if it had never been saved; only the currents of water are unknown until its next step | `snapshot::laws::loaded_water_continues_as_if_it_had_never_been_saved` and a similar test for each kind | the targets of each kind |
//! | water that is saved in the middle of a tick is saved as it was when that tick began; after loading, the tick starts again, with the same bytes at its end, and its changes are published once | `water::tick::budget::a_snapshot_taken_anywhere_in_a_tick_is_that_of_its_beginning` | `water_edits`, `water_stream` |
//! | the parts of a divided world of humidity, explosions or literal 2D water have the records, accounts, reports and changes of the undivided one, whichever part owns which column and in whatever order the messages of a round arrive | `parts::laws::parts_of_soil_equal_the_whole`, `parts_of_slices_of_water_equal_the_whole`, `parts_of_explosions_equal_the_whole` | |
//! | the parts have the same also after columns have moved between parts, after a restart with another number of parts, and where each part runs [several steps](crate::parts::Fringed) beside a copy of the columns around it, up to the bound of the copy | `parts::moves::columns_that_move_between_parts_change_nothing`, `a_world_continues_in_another_number_of_parts`, `parts::beside::copies_of_columns_stand_for_the_world_up_to_their_bound`, `changes_from_behind_a_copy_arrive_on_time` | |
//! | edits between steps, in blocks of steps too, change parts as they change the undivided world, with ledgers, awake cells, changes and events; an edit that the undivided world refuses is refused by at least one part, with the same error or because a column is in no part | `parts::edits::edits_of_soil_in_parts_equal_those_of_the_whole`, `edits_of_slices_of_water_in_parts_equal_those_of_the_whole`, `edits_of_explosions_in_parts_equal_those_of_the_whole`, `edits_in_blocks_of_steps_equal_those_of_the_whole` | |
//! | rivers and falls over borders of [regions](crate::regions) carry at least 99 % of what they carry without one, once their beds have filled | `regions::rivers::a_river_over_a_border_carries_what_it_carries_without_one`, `regions::laws::a_fall_over_a_border_falls` | |
//! | lakes and U-tubes over borders of regions come to rest within a unit, and a sea fills what lies behind a border up to its level | `regions::vessels::a_lake_over_a_border_comes_to_rest_within_a_unit`, `a_u_tube_over_a_border_comes_to_rest_within_a_unit`, `regions::laws::a_sea_beyond_a_border_fills_the_plain_up_to_its_level` | |
//! | between regions nothing is made or lost: after every edit and tick, the units are those of the ledger, and at each face the units sent are the units received and under way | `regions::laws::nothing_is_made_or_lost_in_random_worlds` | |
//! | the same seed, edits and size of regions give the same bytes, in whatever order the messages of a tick arrive and on any number of threads; a message that is not due or not lawful is refused and changes nothing | `regions::laws::equal_seeds_and_edits_give_equal_bytes_in_any_order_of_messages`, `the_number_of_threads_makes_no_difference`, `regions::messages::messages_come_once_in_their_tick_from_a_neighbour`, `damaged_messages_are_refused_or_lawful` | `region_bytes` |
//! | a region that moves to another process as a record, between ticks or between the messages of one, and a world of regions that is saved and loaded, have the bytes, messages and accounts of one that was left alone; damaged records and saves are refused, forged ones are refused or lawful, and those of another world, size or tick are refused by name | `regions::records::moved_regions_and_saved_worlds_continue_undisturbed`, `damaged_records_and_saves_are_refused_or_lawful`, `a_record_of_another_world_is_refused_by_name_and_changes_nothing` | `region_bytes` |
//! | columns of humidity and literal 2D water that are loaded and unloaded while a divided world runs change it as they change the undivided one; humidity or water in a loaded column begins to flow; a column that cannot be loaded or unloaded is refused and changes nothing | `parts::loading` | |
//! | only chunks that are awake send messages; taking a list of changes changes no [hash of a part](crate::parts::InParts::hash_part); an account of explosions continues from a snapshot's sums, or from units kept beside it | `parts::laws::only_awake_chunks_are_in_messages`, `marks_of_changes_are_in_no_hash`, `parts::moves::an_account_continues_after_a_snapshot` | |
//! | a world that does not fit a plan, and messages and records that do not fit a part, are refused by name | `parts::refusals` | |
//! | damaged bytes are refused with the name of their section; forged bytes give an error or a lawful world | `snapshot::laws::every_truncation_is_refused`, `every_flipped_bit_is_refused_by_the_name_of_its_section`, `forged_bytes_are_refused_or_describe_a_lawful_world`; error messages: `snapshot::forged`, of worlds of materials `snapshot::materials` | `snapshot_bytes` |
//! | a snapshot is refused if something sleeps in it that would change | `snapshot::sleep` | `snapshot_bytes` |
//! | loading takes no more memory than 64 times the bytes, plus the 256 KB that an empty world takes, plus what its chunks can hold, whatever the bytes claim and whatever the kind of world, also if it was saved in the middle of a tick | `memory::loading` | |
//! | snapshots of the format's version can be loaded | `snapshot::versions` | |
//!
//! # Recordings
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | a recorded game of any kind of world, with queued edits, slices and undo, reaches the same state again at every tick: by [`replay`](crate::recording::Recording::replay), from each keyframe, by hand, and on another machine to which the edits of each tick are sent | `recording::laws` | `recording_replay` |
//! | [`undo`](crate::recording::Recorder::undo) restores the world before each edit, as a replay from the start does | `recording::laws::undo_restores_the_world_before_each_edit` | |
//! | the first check that differs is named with its chunk, and with its cell if there is a keyframe | `recording::differences` | |
//! | a [part](crate::recording::Recording::part) reaches, in its ticks, the states that the whole recording reaches, and finds the same differences | `recording::laws`, `recording::differences::the_part_that_differs_says_what_the_whole_says` | `recording_replay` |
//! | bytes and text read back as the same recording; damaged bytes are refused; other wrong bytes and text are refused with the byte or the line that is wrong | `recording::format` | `recording_bytes` |
//!
//! # Saves on disk
//!
//! With the feature `store`.
//!
//! | promise | tests |
//! |---|---|
//! | an opened world of any kind equals the saved one, and only chunks that differ are written | `save_file::laws`, `save_file::kinds` |
//! | after a fault, a torn write, a full disk or a power loss at any operation, the last acknowledged save is opened, or the one in progress | `save_file::faults`; for every kind of world, at every seventh operation, `save_file::kinds` |
//! | the same for a [`Stream`](crate::save_file::Stream), of a world whose chunks come and go; whichever save the file then holds, no chunk is in it twice or missing, and its unloaded chunks hold the units unloaded less the units loaded in its ledger | `save_file::stream::whichever_operation_fails_the_units_in_the_file_are_those_of_its_ledger`, `after_a_job_that_failed_the_next_holds_the_whole_world_and_all_records`, `a_record_that_is_inserted_without_being_taken_is_not_in_the_file` |
//! | a save that copies the chunks touched since the last one, some of them [ahead](crate::save_file::Stream::copy_ahead), equals one of the whole world, whatever happened in between, in the middle of a tick too | `save_file::stream::opening_gives_the_last_prepared_save`, `a_job_copies_only_what_was_touched`, `the_first_job_of_a_stream_holds_what_was_touched_since_the_last_save`, `a_frozen_chunk_is_copied_when_it_was_touched_and_then_no_more`; copies made ahead of chunks that are gone are dropped: the unit test `copies_of_chunks_that_are_gone_are_let_go` |
//! | the same for a [`World`](crate::world::World) | `save_file::world_stream::opening_gives_the_last_prepared_save`, `a_job_copies_only_what_was_touched`, `a_job_copies_where_pressure_was`, `a_save_that_is_held_is_of_the_moment_at_which_it_was_begun`, `whichever_operation_fails_all_water_is_in_the_file`, `a_record_that_is_inserted_without_being_taken_is_not_in_the_file`; `world::laws::every_law_holds_after_every_edit_and_tick`, fuzz target `world_edits` |
//! | the same after the process was killed | `save_file::kill`: 25 times each in `cargo test`, with water and with 2D water; `tests/save_file/kill.rs` has the command for 1,000 |
//! | a file that is no save, is damaged, or holds another kind is refused with a separate error and not changed | `save_file::refusals`, `save_file::kinds` |
//!
//! # Files of other programs
//!
//! With the feature `import`.
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | a region file of any version is read, cell by cell, by the table in [`import`](crate::import) | `import::region::every_version_is_read_cell_by_cell`, `import::real::real_columns_have_the_water_that_a_naive_reader_counts` | |
//! | the sea of a region is the result of a naive fill from the sky; sources in caves are not sea | `import::region::every_version_is_read_cell_by_cell`, `import::sea` | |
//! | the report of a read or write of a region file names and counts the parts left out | `import::left_out` | |
//! | a region file with the water of a world reads back as that water; a block differs from the old one only if its cell holds something else, and all other data stay byte by byte | `import::region::water_is_written_back_and_all_else_is_kept`, `blocks_give_way_to_water_as_documented`, `import::real::real_columns_read_back_as_the_same_water` | `import_region` |
//! | a column that cannot be read stays byte by byte where it is when other columns are written | `import::left_out::a_bad_column_is_named_and_passes_through_byte_by_byte`, `overlapping_columns_are_read_once_or_not_at_all`, `import::hostile` | `import_region` |
//! | each voxel of a model is where the matrices of its scene say, and each column of a heightmap is as high as its value | `import::vox::turned_and_shifted_models_are_where_their_matrices_say`, `import::heightmap::each_column_is_solid_up_to_its_height_and_wet_up_to_the_water` | |
//! | any bytes are refused with their place, or become chunks of a lawful world | `import::hostile` | `import_region`, `import_vox`, `import_heightmap` |
//! | a file takes no more work than its [`Budget`](crate::import::Budget), by default two seconds a megabyte | `import::budget` | |
//! | a file becomes at most [`MAX_CHUNKS`](crate::import::MAX_CHUNKS) chunks, a column is decompressed to at most 16 MiB, and a picture that claims to be larger is refused before memory is taken | `import::hostile::more_chunks_than_the_limit_are_refused`, `a_few_bytes_do_not_become_gigabytes`, `import::heightmap::a_picture_that_claims_to_be_large_is_refused_before_memory_is_taken` | |
//!
//! # Bevy
//!
//! With the feature `bevy`. *By hand* means by calls, without an app.
//!
//! | promise | tests |
//! |---|---|
//! | a world in an app has the bytes of the same edits before the same ticks by hand, under any rules and budget; worlds in one app do not mix | `bevy::laws::worlds_in_an_app_are_those_by_hand`, `bevy::materials::worlds_of_materials_in_an_app_are_those_by_hand`, `bevy::automata::automata_in_an_app_are_those_by_hand` |
//! | requests are made in the order in which they were written, and each has one answer, also if its world is missing or is removed; a refused request changes nothing | the same; `bevy::edits` |
//! | a mirror that applies all messages of changes equals the world; a chunk counts as changed exactly when a message lists it, and its surface whenever the chunk is drawn differently | the same; `bevy::chunks` |
//! | with currents, such a mirror has the currents of the world | `bevy::laws::worlds_in_an_app_are_those_by_hand` |
//! | reflection shows and sets fields by name, and breaks no law: rules are checked when a world takes them, and values that keep a law have no fields | `bevy::reflection` |
//! | there is one entity for each loaded chunk, as long as it is loaded | the same; `bevy::chunks::entities_follow_chunks_that_are_loaded_and_unloaded` |
//! | an update does as much as `step_within` does with its budget of cells; with a budget of time, it stops after the piece that exhausts the budget | `bevy::budget::a_budget_of_cells_is_that_of_step_within`, `a_budget_of_time_stops_after_the_piece_that_exhausts_it` |
//! | a world at rest writes no message, and nothing counts as changed | `bevy::rest::a_world_at_rest_is_silent_and_its_ticks_continue` |
//! | diagnostics match the worlds, and counted ledgers balance | `bevy::measures` |
//!
//! # Tools for tests
//!
//! With the features `testing` and `proptest`.
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | a [watched](crate::testing::Watched) world reports a bug in its ticks, its edits, its sleep, its slices, its snapshots, its changes or its events by the name of the [law](crate::testing::LAWS) that it breaks, laws that a user has added included; worlds of this crate break no law | `testing::watched::every_bug_breaks_the_law_of_its_name`, `laws_of_ones_own_may_count_and_are_asked_after_each_edit_and_tick`, `small_worlds_of_every_kind_keep_every_law` | `own_rules`, `water_edits`, `water_stream`, `water_arrival`, `humidity`, `water_2d`, `blast_grid`, `blast_graph`, `world_edits` |
//! | a world of water that is left without edits reports by the name of the law if the water that springs offer does not arrive, if connected water does not reach the cell that it heads into, if history decides what leaves, or if a closed world is not level in time | `testing::arrival::a_game_in_which_water_does_not_arrive_breaks_the_law_of_its_name`, `water_arrives_in_small_worlds_of_every_kind` | `water_arrival`, `water_edits` |
//! | [`max_outflow`](crate::testing::max_outflow) is the flow through the narrowest cells once all cells that can fill are full | `testing::arrival::the_greatest_outflow_is_that_of_the_narrowest_cells_once_all_that_fills_is_full`, unit test `testing::water::max_flow::the_flow_equals_the_least_capacity_of_all_cuts` | |
//! | a recording that is [followed](crate::testing::Watched::follow) is checked by the same laws, and by the laws of the end: a world that must come to rest does so; a panic is a broken law, in the tick that it interrupts | `testing::follow`, `testing::watched::worlds_without_edits_come_to_rest_or_break_a_law` | |
//! | a companion of a watched world receives each event once; what the companion finds broken, or a change that it makes to the world, is reported by its name | `testing::watched::a_companion_receives_events_and_must_not_change_the_world`, `testing::models::a_client_that_misses_a_change_is_found` | `world_edits` |
//! | the models of automata and of worlds of materials find every difference from the world, also if they begin with a world in motion | `testing::models`, unit tests `testing::humidity::ground`, `testing::water2d::ground` | `humidity`, `water_2d`, `blast_grid`, `blast_graph`, `world_edits` |
//! | a value is drawn from any bytes: an edit of any variant, rules within their ranges, a lawful world; it uses no more bytes than it needs | `testing::drawn` | the same |
//! | a failing input shrinks to the fewest edits, ticks, chunks and units that fail | `testing::shrunk` | |
//! | the target of the page *Fuzz your own rules* is compiled and run with the others | `testing::page::the_target_of_the_page_is_the_one_of_the_folder` | `own_rules` |
//!
//! # Scenarios
//!
//! | promise | tests | fuzz targets |
//! |---|---|---|
//! | any text runs, or is refused with its line | `scenario::format` | `scenario_text` |
//! | a report is one JSON object per line | `scenario::format::records_are_lines_of_json` | `scenario_text` |
//! | the files in `examples/scenarios` meet their expectations, wherever in the world they are placed | `scenario::files` | |
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
//! | where they are computed again | what |
//! |---|---|
//! | the test `contract::golden` | all but the valley |
//! | `.ci/platforms`: x86-64, optimised and not | all |
//! | `.ci/platforms`: x86-64, optimised, in pools of 1, 2, 3 and 8 threads | all but the valley |
//! | `.ci/platforms all`: aarch64, and wasm32, where a `usize` has 32 bits; optimised | all |
//! | the same, not optimised | all but the valley |
//!
//! In a pool, threads share the flow, the draws of flows that lie apart, the bodies within
//! tiles, the ebb and the end of a whole tick of water, and the steps of humidity except the
//! in-place sweep, of explosions on grids, and of the literal rule of 2D water; all other work
//! runs on one thread. Unit tests in `automata::same_bytes` compare every instruction set that
//! the machine has, and pools of these sizes, on other worlds.
//!
//! # Costs and limits
//!
//! Figures are measured; `benches/README.md` has all of them, missed aims included.
//!
//! - **Evaporation.** On by default and slow. At 20 ticks a second, a still surface cell loses a
//!   unit once in 15 hours and a cell of a single unit once in 55 minutes, in the mean, so a bucket
//!   on a plain leaves seven films for an hour. [`Rules::puddle`](crate::water::Rules::puddle),
//!   [`rain`](crate::water::Rules::rain) and [`desert`](crate::water::Rules::desert) are faster,
//!   [`lossless`](crate::water::Rules::lossless) turns it off, and
//!   [`with_half_lives`](crate::water::Rules::with_half_lives) takes seconds. Still water sleeps
//!   between its losses.
//! - **Flow.** A cell passes at most seven units a tick, over all paths through it. Where more than
//!   2,048 cells of a body are levelled in one pass, as where a dam breaks, more may pass. Water
//!   falls one cell a tick. Flat rivers 9 wide and 320 long carry the full supply of nine springs,
//!   water on a plain spreads in a round piece, and about half of a stream goes straight on at a
//!   crossing with three arms, wherever the chunks meet (`benches/decisions.md`).
//! - **Flags.** HasSource is exact after every tick: in one tick it is set or cleared down a whole
//!   flow. FlowOut is cleared in the tick after its path is cut.
//! - **Memory.** A missing chunk takes nothing; a uniform chunk under 64 bytes in a plain
//!   [`Grid`](crate::Grid), and 120 to 150 in a water world. A dense water chunk takes 9.4 KB at
//!   rest; in motion, about 2 KB more for each layer in which more than twelve cells move. Labels
//!   of a moving or large body of water take up to 5.7 KB a chunk.
//! - **Speed against Luanti.** 1,024 springs 63 cells above a floor of 256², until all of the floor
//!   is wet, on one machine on 2026-11-28, three runs: 0.57 to 0.59 s on one thread, 0.65 to 0.69 s
//!   on two, Luanti (version 5.6) 1.06 to 1.18 s. The same springs on the floor, 100 ticks: 0.30 s;
//!   Luanti, until the floor is wet, 0.16 to 0.19 s (`benches/peers/run`). On another, busy machine
//!   on 2026-11-30, one run of the first job: 1.20 s on one thread, 0.78 s on two, Luanti 1.75 s;
//!   on a quiet one that day, 0.50 s on one thread and on two, Luanti 1.15 to 1.25 s. Seven runs on
//!   a machine shared with others on 2026-12-01: 0.57 to 0.91 s on one thread, 0.57 to 0.86 s on
//!   two, Luanti 1.49 to 1.70 s; on the floor 0.34 to 0.57 s, Luanti 0.22 to 0.29 s.
//!   Luanti's water is neither finite nor under pressure.
//! - **Speed by state.** A steady fall costs only its ends, whatever its height. A level body of
//!   water costs nothing, whatever its size. A body that moves, as when a dam breaks, is levelled
//!   as a whole: for 100,000 cells that takes up to about 20 ms of a tick. A steady river
//!   costs the same, however long it is, and one that changes in proportion to the water that
//!   moves. A world at rest costs about 0.13 µs a tick, whatever its size.
//! - **Threads.** With the feature `rayon`, the flow and the ebb of water, draws from flows that
//!   lie more than four chunks apart, bodies of water within a tile of 4×4 chunk columns, humidity,
//!   explosions on grids, literal 2D water and `par_chunks` use several threads. Draws from one
//!   flow, steady flow and larger bodies of water, ticks in slices, the in-place sweep, explosions
//!   on graphs and settling 2D water run on one thread.
//! - **Positions** are `i32` along each axis.
//! - **Whole units.** Water passes whole units only: a film one unit deep stays where it is on
//!   level ground.
//! - **Parents.** A chunk that [`remove_chunk`](crate::water::WaterWorld::remove_chunk) returns
//!   keeps one parent for each cell; a record of
//!   [`remove_chunks`](crate::water::WaterWorld::remove_chunks) keeps all.
//! - **Levelling takes ticks.** A contact of two pieces of a body passes a limited amount per tick,
//!   so a large body levels over many ticks. A pool that a spring feeds is level within two units
//!   in most ticks, but not while water spreads over its bed or begins a new layer of the pool. A
//!   wide river with few springs may leave lanes empty.
//!
//! # What is not promised
//!
//! - The same bytes from another version of this crate or of its dependencies.
//! - That edits that touch a common cell or neighbour, or that displace water, commute: displaced
//!   water goes to the nearest room at the time, however far within reach.
//! - That edits connected by a stream commute. Cells that hold no water but pass it on dry up as
//!   soon as they are cut off, down to the first cell that holds water. So the order matters if
//!   water is poured into such a cell and the stream above it is cut.
//! - Exact sums of pressure: pressures are floating-point numbers, and the ledger is exact to a
//!   millionth. The same bytes on every platform are promised for pressures, too.
//! - An account of humidity under the weighted mean, which by design adds and loses some.
//! - That pressure below the threshold lasts: it is absorbed chunk by chunk, and counted as
//!   absorbed.
//! - That a save survives a disk that acknowledges writes it has not made; or that damage is
//!   distinguished from an older save where it hits the one byte of redb's file that selects the
//!   newer of two headers, which no checksum covers.
//! - Which cell gets the last unit of a remainder: the seed decides. The units in each layer are
//!   promised, the units in each cell are not.
//! - That every river carries its springs' full supply in every tick: in one tick of 32 it yields
//!   to water that fills cells beside it, and after an edit it takes ticks to find new paths.
//! - Which paths steady flow takes, and which of several ends gets which units: only the total flow
//!   is promised. A path stays until it is broken, so paths depend on history.
//! - That a film upstream of a narrow place fills: the narrowest cell of a path limits the draws of
//!   all films along it.
//! - Level water while it flows: a body in which water moves keeps differences of two units.
//! - Level water whatever the rules: without [`pools`](crate::water::Rules::pools), bodies need not
//!   be level.
//! - Anything after a panic was caught in the middle of a tick. No tick is known to panic.
