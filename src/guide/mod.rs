//! Into your game: from your columns to water that is drawn, streamed, sent and saved.
//!
//! This is the guide to water that stands beside your blocks. If the ground itself is to soak,
//! break and be thrown about, use a [`World`](crate::world::World), for which [`server`] is the
//! guide.
//!
//! A [`WaterWorld`] stands beside your own blocks. You give it the ground; it returns where water
//! stands and moves. Each step below is an example that is compiled and run as a test; lines that
//! only build the small world of an example are hidden.
//!
//! Needed in scope, besides the types of [`water`](crate::water):
//!
//! | `use floodplain::…` | for |
//! |---|---|
//! | `glam::{IVec3, Vec3}` | positions; this crate's glam is exported |
//! | `{Chunk, Region}` | chunks of 4096 cells, boxes of cells |
//! | `{Cube, Shape}` | `Cube::chunk_of(cell)`, `Cube::index_of(cell)`: methods of the trait `Shape` |
//! | `snapshot::Saved` | `world.save()`, `WaterWorld::load(&bytes)` (feature `snapshot`) |
//! | `save_file::SaveFile` | worlds in files (feature `store`); needs no trait |
//!
//! # From your columns
//!
//! A chunk is 16×16×16 cells. Its index order is that of Minecraft's sections, YZX: x is fastest,
//! then z, then y. The axes are the same, too: x is east, y up, z south. The blocks of a section
//! are mapped in their own order, whatever the position, also below 0. Insert the sections of a
//! column by one call: [`insert_chunks`](WaterWorld::insert_chunks) keeps the flows between them. A
//! uniform chunk, of air or stone, takes up to 150 bytes.
//!
//! ```
//! use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
//! use floodplain::{CHUNK_CELLS, Chunk, ChunkPos, Cube, Shape, glam::IVec3};
//!
//! #[derive(Clone, Copy)]
//! enum Block { Air, Stone, Water }
//!
//! fn chunk(section: &[Block; CHUNK_CELLS]) -> Chunk<Voxel> {
//!     Chunk::from_cells(&section.map(|block| match block {
//!         Block::Air => Voxel::OPEN,
//!         Block::Stone => Voxel::SOLID,
//!         Block::Water => Voxel::water(WaterCell::STILL), // seven units, at rest
//!     }))
//! }
//!
//! // Your world: ground up to y = 40, with a pond of 5×2×4 cells in it.
//! fn section(position: ChunkPos) -> [Block; CHUNK_CELLS] {
//!     core::array::from_fn(|index| {
//!         let (y, z, x) = (index >> 8, index >> 4 & 15, index & 15); // YZX
//!         let cell = Cube::cell_at(position, index);
//!         assert_eq!((cell & 15).to_array(), [x, y, z].map(|local| local as i32));
//!         match cell.to_array() {
//!             [4..=8, 38..=39, 4..=7] => Block::Water,
//!             [_, ..40, _] => Block::Stone,
//!             _ => Block::Air,
//!         }
//!     })
//! }
//!
//! let mut world = WaterWorld::new(7, Rules::default())?; // 7: the seed
//! let column = (-4..20).map(|y| ChunkPos::new(0, y, 0)); // y = -64 to 319
//! world.insert_chunks(column.map(|position| (position, chunk(&section(position)))))?;
//! assert_eq!(world.total(), 5 * 2 * 4 * 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Drawing water
//!
//! [`surface_mesh`](WaterView::surface_mesh) returns the skin of a chunk's water, in cells from the
//! chunk's corner, ready for upload. After a tick, [`take_changes`](WaterWorld::take_changes) lists
//! the cells that look different, and [`meshes_touched`](crate::water::meshes_touched) the chunks
//! to mesh again: the chunks of these cells and their neighbours, which share corners. Water in
//! free fall is not part of the mesh: draw the [`falls`](WaterView::falls) of a chunk as columns of
//! their thickness. These are functions of the trait [`WaterView`], which worlds and their copies
//! on clients implement. A river in steady flow is not among the changes, nor are chunks that you
//! load or unload yourself. For a copy of the world,
//! [`take_all_changes`](WaterWorld::take_all_changes) lists the cells of which any bit has changed.
//!
//! ```
//! use floodplain::water::{SurfaceMesh, WaterView, meshes_touched};
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
//! # world.fill_water(Region::new(IVec3::new(4, 8, 4), IVec3::new(8, 9, 7)), 7)?;
//! # world.fill_water(Region::new(IVec3::new(4, 10, 4), IVec3::new(8, 15, 7)), 0)?;
//! # world.take_changes();
//! # fn upload(mesh: &SurfaceMesh) { assert!(!mesh.is_empty()); }
//! let mesh = world.surface_mesh(ChunkPos::ZERO, None);
//! assert_eq!(mesh.indices.len(), 6, "a still pond is two triangles");
//!
//! world.clear_solid(IVec3::new(9, 9, 5))?; // a player digs at its bank
//! world.run(3);
//! for chunk in meshes_touched(&world.take_changes()) {
//!     let mesh = world.surface_mesh(chunk, None);
//!     if !mesh.is_empty() {
//!         upload(&mesh); // positions, normals, flow, indices
//!     }
//! }
//! assert!(world.units(IVec3::new(9, 9, 5)) > 0, "water flows in");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A tick, and its budget
//!
//! A tick is one step of the water: 20 ticks a second suit most games. Do it in slices, by
//! [`step_for`](WaterWorld::step_for) a duration or [`step_within`](WaterWorld::step_within) a
//! number of cells, and [`queue`](WaterWorld::queue) the edits of players. An edit that is made
//! directly completes the tick underway first, whatever that costs; a queued edit waits for the end
//! of the tick. Cells, currents, meshes and the ledger are read as of the last complete tick. The
//! bytes do not depend on the slices.
//!
//! ```
//! use floodplain::water::{Edit, Outcome};
//! use std::time::Duration;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! # world.fill_water(Region::new(IVec3::ZERO, IVec3::new(3, 3, 15)), 7)?;
//! # let block = IVec3::new(12, 0, 3);
//! // In each frame:
//! let ticket = world.queue(Edit::SetSolid(block)); // a player builds
//! let progress = world.step_for(Duration::from_millis(2));
//! for report in world.take_edit_reports() {
//!     match report.result {
//!         Ok(Outcome::Displaced(water)) => assert_eq!(water.removed, 0, "it went elsewhere"),
//!         Ok(_) => {}
//!         Err(refused) => println!("edit {}: {refused}", report.ticket),
//!     }
//! }
//! if progress.finished {
//!     // A tick is complete: take the changes, mesh, send.
//! }
//! # world.step();
//! # assert!(world.is_solid(block) && ticket == floodplain::Ticket(0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Streaming
//!
//! Remove columns by [`remove_chunks`](WaterWorld::remove_chunks), whole columns at once, and put
//! the [`ChunkRecord`]s back by [`insert_records`](WaterWorld::insert_records). A record keeps the
//! flows within the chunk and across its faces, and takes 24 to 200 bytes in the ground of our
//! tests. By default, water is held at a face to a chunk that is not loaded, and flows again when
//! that chunk is inserted. Ground that was just generated may hold water that is not level:
//! [`Settle`](crate::water::Settle) it on the thread that generates it, and insert the records.
//!
//! ```
//! use floodplain::water::{ChunkRecord, Settle};
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, glam::IVec3};
//! # let rules = Rules::lossless();
//! # let mut world = WaterWorld::new(7, rules)?;
//! # let open = |position| (position, Chunk::uniform(Voxel::OPEN));
//! # let column = |x: i32| (0..2).map(move |y| ChunkPos::new(x, y, 0));
//! # world.insert_chunks(column(0).chain(column(1)).map(open))?;
//! # world.pour(IVec3::new(20, 30, 8), 7)?;
//! # world.step();
//! let hash = world.state_hash();
//! let records = world.remove_chunks(column(1))?; // out of sight
//! let bytes: Vec<Vec<u8>> = records.iter().map(ChunkRecord::to_bytes).collect();
//! // Back in sight:
//! let records = bytes.iter().map(|bytes| ChunkRecord::from_bytes(bytes));
//! world.insert_records(records.collect::<Result<Vec<_>, _>>()?)?;
//! assert_eq!(world.state_hash(), hash, "no tick between: as if it had never been away");
//!
//! // A column that is new, with springs and loose water: at most 2,000 ticks of its own.
//! let generated: Vec<_> = column(2).map(open).collect();
//! let settle = Settle { seed: 7, rules, ..Settle::default() };
//! let ready = std::thread::spawn(move || settle.run(generated));
//! let (records, settling) = ready.join().expect("it does not panic")?;
//! assert!(settling.is_at_rest());
//! world.insert_records(records)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The simulation distance
//!
//! Load what players see, and simulate what is near them: a [`SimulationDistance`] returns, as
//! edits, which chunks are to stand still and which are to resume. Columns farther away may take
//! turns, as in the second ring here. Water waits at the faces of chunks that stand still, and none
//! is lost. Once a second, report to the simulation distance how many of your ticks have completed
//! a tick of the water. While the water lags behind, the distance then simulates less of what is
//! far away. A [`World`](crate::world::World) is passed to it in the same way, and all parts of the
//! world stand still together.
//!
//! ```
//! use floodplain::water::{Ring, SimulationDistance};
//! use std::time::Duration;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Cube, Region, Shape, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # let loaded = Region::new(IVec3::new(-144, 0, -144), IVec3::new(159, 31, 159));
//! # let chunks = Cube::chunks_of(loaded);
//! # world.insert_chunks(chunks.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN))))?;
//! # world.pour(IVec3::new(140, 9, 0), 7)?;
//! # let players = [IVec3::new(8, 0, 8)];
//! // 9×9 columns round each player in every tick, 13×13 in one second of four.
//! let rings = [Ring::always(4), Ring { distance: 6, active: 20, period: 80 }];
//! let mut distance = SimulationDistance::new(rings)?;
//! let mut completed = 0;
//! for tick in 1..=60 {
//!     let players: Vec<ChunkPos> = players.iter().map(|&cell| Cube::chunk_of(cell)).collect();
//!     for edit in distance.edits(&world, &players) {
//!         world.queue(edit);
//!     }
//!     completed += u64::from(world.step_for(Duration::from_millis(2)).finished);
//!     if tick % 20 == 0 {
//!         let far = distance.far_share(&world, &players);
//!         distance.adapt(core::mem::take(&mut completed), 20, far);
//!     }
//! }
//! # world.finish_tick();
//! assert_eq!([1, 8].map(|x| world.is_frozen(ChunkPos::new(x, 0, 0))), [false, true]);
//! # assert_eq!(world.units(IVec3::new(140, 9, 0)), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The sea, and the edge of the loaded chunks
//!
//! Map the blocks of an ocean to [`Voxel::SEA`]. Such a cell is always full, takes water that falls
//! on it, gives water at its level, and costs nothing while no edit or flow reaches it. Where your
//! view ends, set for each column what lies beyond: [`set_edge`](WaterWorld::set_edge) to
//! [`Edge::Level`] beside an ocean, to [`Edge::Drain`] where a river leaves, and `None` for the
//! rule of the world. Set the edge when a column is unloaded; it counts only while the column is
//! not loaded, so you may set it once for all.
//!
//! ```
//! use floodplain::water::Edge;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, ColumnPos, Region, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
//! # world.fill_water(Region::new(IVec3::new(8, 3, 0), IVec3::new(15, 15, 15)), 0)?;
//! // Or chunks with Voxel::SEA in them.
//! world.fill_sea(Region::new(IVec3::new(8, 3, 0), IVec3::new(15, 9, 15)))?;
//! world.set_edge(ColumnPos::new(1, 0), Some(Edge::Level(9))); // east: ocean up to y = 9
//! world.set_edge(ColumnPos::new(-1, 0), Some(Edge::Drain)); // west: rivers leave
//!
//! let pier = IVec3::new(9, 5, 8);
//! world.set_solid(pier)?; // a block is built into it,
//! world.clear_solid(pier)?; // and taken out
//! world.run(20);
//! assert!(world.is_sea(pier), "it has closed again");
//! assert_eq!(world.awake_cells(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rain
//!
//! Rain is [`pour`](WaterWorld::pour): a unit here and there, at columns that your weather picks.
//! Pour at the lowest open cell above the ground, or high up if falling drops are to be seen.
//! Choose the columns by a generator with your own seed, and the bytes stay reproducible. The films
//! that rain leaves evaporate: [`Rules::film_evaporation`].
//!
//! ```
//! use floodplain::water::Edit;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
//! # let rules = Rules { film_evaporation: 1.0 / 64.0, ..Rules::default() };
//! # let mut world = WaterWorld::new(7, rules)?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! # world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, 3, 15)))?;
//! # let surface_y = |_x: i32, _z: i32| 4; // of your height map
//! let mut random = fastrand::Rng::with_seed(7); // or a generator of your own
//! for _tick in 0..100 {
//!     for _drop in 0..4 {
//!         let (x, z) = (random.i32(0..16), random.i32(0..16));
//!         let mut cell = IVec3::new(x, surface_y(x, z), z);
//!         while world.units(cell) == 7 {
//!             cell.y += 1; // on the water that stands there
//!         }
//!         world.queue(Edit::Pour { cell, units: 1 });
//!     }
//!     world.step();
//! }
//! assert!(world.total() > 100);
//! world.run(2_000);
//! assert!(world.ledger().evaporated > 0, "puddles dry up");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pumps and buckets
//!
//! Use the amounts that the calls return, and no unit is made or lost.
//! [`drain_body`](WaterWorld::drain_body) removes up to the given number of units from the surface
//! of the body that contains a cell, the nearest units first; [`fill_body`](WaterWorld::fill_body)
//! adds units to the body as far as they find room; [`body_at`](WaterWorld::body_at) returns how
//! much the body holds and how high it stands. Within a single cell, [`scoop`](WaterWorld::scoop)
//! and [`pour`](WaterWorld::pour) do the same. A spring, [`add_source`](WaterWorld::add_source),
//! never runs dry, and counts in the ledger as injected. Drains, taps and one-way valves are built
//! into cells with [`set_fixture`](WaterWorld::set_fixture), and work without further calls.
//!
//! ```
//! use floodplain::water::EditError;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
//!
//! /// Moves up to `units` from the body at one cell to that at another; returns how many.
//! fn pump(
//!     world: &mut WaterWorld,
//!     intake: IVec3,
//!     outlet: IVec3,
//!     units: u32,
//! ) -> Result<u32, EditError> {
//!     let taken = world.drain_body(intake, units)?;
//!     let moved = world.fill_body(outlet, taken)?;
//!     world.fill_body(intake, taken - moved)?; // what had no room goes back
//!     Ok(moved)
//! }
//!
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID))?;
//! # world.fill_water(Region::new(IVec3::new(1, 1, 1), IVec3::new(6, 4, 6)), 7)?;
//! # world.fill_water(Region::new(IVec3::new(9, 8, 1), IVec3::new(14, 12, 6)), 0)?;
//! let (total, mut moved) = (world.total(), 0);
//! for _ in 0..100 {
//!     moved += pump(&mut world, IVec3::new(3, 1, 3), IVec3::new(11, 9, 3), 5)?;
//!     world.step();
//! }
//! assert!(moved > 150, "up into the tank");
//! assert_eq!(world.total(), total, "and none is lost");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Boats and swimmers
//!
//! [`depth_below`](WaterView::depth_below) returns how deep a point is under water,
//! [`level_at`](WaterView::level_at) where the surface over a point is, and
//! [`submerged`](WaterView::submerged) which part of a box is under water, for its buoyancy. The
//! [`current`](WaterWorld::current) of one cell jumps from tick to tick; a [`FlowField`], updated
//! after each tick, smooths it in space and time. The flow of the field is in cells a tick;
//! multiply it by 20 for cells a second. Pass the field to `surface_mesh` for moving textures.
//!
//! ```
//! use floodplain::water::{FlowField, WaterView};
//! use floodplain::glam::Vec3;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! # world.fill_water(Region::new(IVec3::ZERO, IVec3::new(15, 3, 15)), 7)?;
//! let mut flow = FlowField::new();
//! # let (mut low, mut speed) = (Vec3::new(6.0, 7.0, 6.0), Vec3::ZERO);
//! // A boat of 2×1×2 cells, 2,000 kg, dropped from y = 7 into water with its surface at y = 4.
//! for _ in 0..400 {
//!     world.step();
//!     flow.update(&world);
//!     let under = world.submerged(low, low + Vec3::new(2.0, 1.0, 2.0))?;
//!     let lift = Vec3::Y * (under.buoyancy(1_000.0, 9.81) / 2_000.0 - 9.81);
//!     let wet = under.volume / 4.0;
//!     let drag = (flow.at(&world, under.centre) * 20.0 - speed) * wet * 2.0;
//!     speed += (lift + drag) * 0.05;
//!     low += speed * 0.05;
//! }
//! assert!((low.y - 3.5).abs() < 0.01, "half of it is under water, at rest");
//! assert_eq!(world.depth_below(Vec3::new(3.2, 1.5, 9.9)), 2.5, "a diver's eyes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The network
//!
//! The server has the world and one [`Feed`]; it sends [`Update`]s, one to two bytes for each
//! visible change. Each client has a [`Mirror`], with the heights, the ground and the falls of the
//! chunks that were sent to it, and draws the mirror as the server would draw its world. If the
//! client has a [`FlowField`] of the mirror, the feed has to [send currents](Feed::send_currents),
//! too. A client that joins, or has missed an update, gets whole chunks. So does a client that
//! moves on, which [forgets](Mirror::retain) the chunks that it leaves behind. What clients do
//! arrives as bytes of [`Edit`]s. Other bytes are refused, but you decide whether a player may make
//! an edit: see the next step. For a [`World`](crate::world::World) of materials, all of this is
//! the same, with [`world::Feed`](crate::world::Feed) and [`world::Mirror`](crate::world::Mirror),
//! which also say what the ground is made of and how moist it is; a renderer reads both the world
//! and its mirrors by [`world::WorldView`](crate::world::WorldView).
//!
//! ```
//! use floodplain::EditValue;
//! use floodplain::water::{Edit, Feed, Mirror, Update, WaterView};
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, Cube, Shape, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! # let is_near = |chunk: ChunkPos| chunk == ChunkPos::ZERO;
//! let mut feed = Feed::new(&mut world);
//! let mut mirror = Mirror::new(1_000); // a client, with at most a thousand chunks
//! mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
//!
//! let bytes = Edit::Pour { cell: IVec3::new(8, 9, 8), units: 7 }.to_bytes(); // from the client
//! match Edit::from_bytes(&bytes) {
//!     Ok(edit @ Edit::Pour { cell, .. }) if is_near(Cube::chunk_of(cell)) => {
//!         world.queue(edit);
//!     }
//!     Ok(edit) => println!("not allowed: {edit:?}"),
//!     Err(error) => println!("no edit: {error}"),
//! }
//! world.run(3);
//! let update = feed.take(&mut world).only(is_near).to_bytes(); // to the client
//! mirror.apply(&Update::from_bytes(&update)?)?;
//! for y in 0..16 {
//!     let cell = IVec3::new(8, y, 8);
//!     assert_eq!(mirror.units(cell), world.units(cell));
//! }
//! assert_eq!(mirror.surface_mesh(ChunkPos::ZERO, None), world.surface_mesh(ChunkPos::ZERO, None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a server must limit
//!
//! The bytes of clients are an edit or an error, whatever they are. But a well-formed edit may
//! still ask for what no player should have. You set [`Limits`](crate::Limits) once. Then
//! [`apply_bytes`](crate::Simulation::apply_bytes) and [`queue_bytes`](WaterWorld::queue_bytes),
//! also of a [`World`](crate::world::World), and a `recording::Recorder` that has limits refuse an
//! edit that breaks them, with the value and the limit. By default only ground and water are
//! allowed, 4,096 cells and 3,584 units at a time.
//!
//! | an edit | without a limit | the limit |
//! |---|---|---|
//! | `Charge`, `AddCharge`, `SetPressure` | pressure spreads through thousands of chunks | `kinds`, `most_radius`, `most_pressure` |
//! | `FillWater`, `FillMaterial` and the like | 256 chunks take a second | `most_cells`, `most_units` |
//! | `Pour`, `FillBody`, `DrainBody`, `Rain` | water out of nothing | `most_units`; and account for buckets yourself, by what the edit returns |
//! | `AddSource`, `SetFixture`, `SetSea` | water without end | `kinds` |
//! | `InsertChunk`, `InsertRecords` | chunks anywhere: 4,000 dense ones take 400 MB | `kinds`: not for clients |
//! | `RemoveChunks`, `SetRules`, `SetEdge`, `Freeze`, `WakeAll` | changes everyone's world | `kinds`: not for clients |
//! | any, far away | changes others' ground | `reach`: the region near the player, a separate value for each |
//! | many edits | a queue and a list of reports that grow without bound | `most_waiting` in `queue_bytes`; take reports in each frame |
//! | long bytes | memory, about twenty times their length | `most_bytes` |
//!
//! You also have to limit what the bytes do not show: how many edits a player may make in a second,
//! and how many bytes a connection may have in flight. Updates are for clients alone: no server
//! reads them.
//!
//! ```
//! use floodplain::water::Edit;
//! use floodplain::{ChunkPos, ClientEditError, EditValue, LimitError, Limits, Region};
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, glam::IVec3};
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//! # let player = IVec3::new(4, 4, 4);
//! let limits = Limits { most_units: 7, ..Limits::default() }; // once
//! let reach = Region::new(player - 6, player + 6);
//! let limits = Limits { reach, ..limits }; // of this player, now
//! let far = IVec3::new(15, 4, 4);
//! let bytes = Edit::Pour { cell: far, units: 7 }.to_bytes(); // from a client
//! let refused = world.queue_bytes(&bytes, &limits);
//! assert_eq!(refused, Err(ClientEditError::Limit(LimitError::OutOfReach(far))));
//! let near = Edit::Pour { cell: player, units: 7 }.to_bytes();
//! assert_eq!(world.queue_bytes(&near, &limits), Ok(floodplain::Ticket(0)), "its ticket");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Edits as values
//!
//! Each edit of each world also is a value: [`apply`](WaterWorld::apply) makes the edit,
//! [`to_bytes`](crate::EditValue::to_bytes) turns it into bytes to send or keep, and
//! [`from_bytes`](crate::EditValue::from_bytes) refuses other bytes with their offset. The same
//! edits before the same ticks give the same bytes, so a list of edits is a replay.
//!
//! ```
//! use floodplain::EditValue;
//! use floodplain::water::Edit;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, glam::IVec3};
//! let new = || -> Result<WaterWorld, Box<dyn std::error::Error>> {
//!     let mut world = WaterWorld::new(7, Rules::default())?;
//!     world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
//!     Ok(world)
//! };
//! let (mut world, mut kept) = (new()?, Vec::new());
//! for tick in 0..20 {
//!     let edit = Edit::Pour { cell: IVec3::new(8, 15, tick % 16), units: 5 }; // a player's
//!     kept.push(edit.to_bytes());
//!     world.apply(edit)?;
//!     world.step();
//! }
//! let mut replay = new()?;
//! for bytes in &kept {
//!     replay.apply(Edit::from_bytes(bytes)?)?;
//!     replay.step();
//! }
//! assert_eq!(replay.state_hash(), world.state_hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Saves
//!
//! A [`SaveFile`](crate::save_file::SaveFile) is the world in a file: after any crash it opens as
//! the last complete save. If your chunks come and go, the file's
//! [`Stream`](crate::save_file::Stream) keeps the unloaded chunks in the same file. On the thread
//! of the game, `put` the chunks that you remove, `take` the chunks that you insert, and `prepare`
//! a save, which copies the touched chunks; `commit` the save on another thread. If many chunks
//! were touched, `copy_ahead` some of them in each tick before the save. Snapshots in memory are
//! `world.save()` and `WaterWorld::load(&bytes)`, methods of
//! [`snapshot::Saved`](crate::snapshot::Saved), which must be in scope. Save your own blocks
//! yourself, at the same tick. A snapshot taken in the middle of a tick holds the world as of the
//! tick's beginning and the queued edits; after loading, that tick starts again.
//!
//! ```
//! use floodplain::save_file::SaveFile;
//! use floodplain::snapshot::Saved;
//! # use floodplain::water::{Rules, Voxel, WaterWorld};
//! # use floodplain::{Chunk, ChunkPos, glam::IVec3};
//! # let path = std::env::temp_dir().join(format!("floodplain-guide-{}.redb", std::process::id()));
//! # drop(std::fs::remove_file(&path));
//! # let mut world = WaterWorld::new(7, Rules::lossless())?;
//! # world.insert_chunks([0, 1].map(|x| (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN))))?;
//! # world.pour(IVec3::new(20, 0, 8), 7)?;
//! let mut file = SaveFile::create(&path, &world)?;
//! let mut stream = file.stream();
//! stream.put(world.remove_chunks([ChunkPos::new(1, 0, 0)])?); // a column goes out of sight
//! let job = stream.prepare(&mut world); // on the thread of the game
//! let writer = std::thread::spawn(move || file.commit(job).map(|_| file));
//! world.insert_records(stream.take([ChunkPos::new(1, 0, 0)])?)?; // it comes back
//! let file = writer.join().expect("commit does not panic")?;
//! # drop((file, stream));
//! let (_file, saved) = SaveFile::<WaterWorld>::open(&path)?; // the next day
//! assert_eq!((saved.total(), saved.ledger().unloaded), (0, 7));
//!
//! let snapshot = world.save(); // all that is loaded, in memory
//! assert_eq!(WaterWorld::load(&snapshot)?.state_hash(), world.state_hash());
//! # drop(_file);
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Worlds of other programs
//!
//! With the feature `import`, the module `import` reads a Minecraft region file of any version
//! since 1.2: blocks become open or solid cells, by a table or your own function; water, including
//! the water of waterlogged blocks, becomes units, springs or sea. The module writes the water back
//! as block states, and keeps all other bytes of the file. Damaged or unfinished columns are left
//! out, named and counted. MagicaVoxel scenes and heightmaps become worlds too.
//!
//! # Bevy
//!
//! With the feature `bevy`, the module `bevy` does the steps above in an app: a world is a
//! component, edits are messages, ticks have a budget, and each loaded chunk is an entity that is
//! marked `Changed` when its mesh is out of date. Its documentation begins with an example.
//!
//! # Rules and budgets
//!
//! | you want | set |
//! |---|---|
//! | puddles that dry up, lakes that stay | [`Rules::puddle`]: half of the films are gone after 20 s, a lake sinks by a unit in 15 hours; with [`Rules::default`] a still film is gone in an hour |
//! | puddles that dry up after the rain, a desert | [`Rules::rain`], [`Rules::desert`]; [`Rules::with_half_lives`] in seconds, at your rate of ticks |
//! | water that never evaporates | [`Rules::lossless`] |
//! | an island: water runs off the map's sides | [`with_bounds`](WaterWorld::with_bounds) and [`Edges::DRAINING_SIDES`] |
//! | a world without end | [`Edges::WALLS`], the default: water is held where no chunk is loaded; then `set_edge` by column |
//! | springs that trickle | [`Rules::source_supply`] of 1 to 3 units a tick |
//! | thick water, thin rivers | [`Rules::throughput`] below 7: fewer units pass a cell in a tick |
//! | no pressure: water that only falls and spreads, for less time | [`Rules::pools`] off |
//! | a dry season | [`set_rules`](WaterWorld::set_rules) with more evaporation: between ticks, at any time |
//!
//! | your frame | do |
//! |---|---|
//! | has time to spare | `step()` 20 times a second |
//! | has 2 ms for water | `step_for(2 ms)` in every frame; a tick that takes longer is resumed in the next frame |
//! | has too little time for the water of all loaded chunks | [`SimulationDistance`] |
//! | must be the same on all machines at every frame, as in lockstep | `step_within(20_000)`: the same work everywhere |
//! | has threads | the feature `rayon`, and `step()` in a pool: slices run on one thread |
//!
//! Start with half of the time that your frame has left, and watch
//! [`backlog`](WaterWorld::backlog): if ticks complete more rarely than you want, give them more
//! time. Water at rest costs nothing, so the worst case is a dam that breaks, not a large lake.
//! Divide edits of large regions: a queued edit is made in one piece.
//!
//! [`speed`] says what a profiler shows, and how fast debug builds are. [`processes`] is about
//! worlds over several processes.
//!
//! Promises are listed in [`guarantees`](crate::guarantees), figures in `benches/README.md`.

pub mod processes;
pub mod server;
pub mod speed;

#[cfg(doc)]
use crate::water::{
    ChunkRecord, Edge, Edges, Edit, Feed, FlowField, Mirror, Rules, SimulationDistance, Update,
    Voxel, WaterView, WaterWorld,
};
