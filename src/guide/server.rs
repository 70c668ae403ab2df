//! A server on a [`World`]: ground of materials, players on it who dig, carry water and set off
//! charges, and clients that draw a copy of what they see.
//!
//! The [first guide](crate::guide) describes how water is drawn, limited and budgeted, which is the
//! same here. This guide builds the parts of a server on a `World`. Each step is an example that is
//! compiled and run as a test; lines that only build the small world of an example are hidden. The
//! program `examples/server_world` does all of it for 20 players and measures it.
//!
//! In each tick a server
//!
//! | | does |
//! |---|---|
//! | 1 | queues the edits that clients have sent, within their limits: [players](#what-players-do) |
//! | 2 | queues the columns that come into view and go out of it: [streaming](#chunks-that-come-and-go) |
//! | 3 | queues which chunks stand still, and ticks within a budget: [the tick](#the-tick) |
//! | 4 | settles accounts by the reports of edits: [players](#what-players-do) |
//! | 5 | sends each client the changes in its view: [clients](#clients) |
//! | 6 | now and then, saves: [saves](#saves) |
//!
//! All edits are queued. An edit made by a function, such as [`pour`](World::pour) or
//! [`set_material`](World::set_material), completes the tick that is underway, whatever that costs.
//! Use such functions before the first player joins, in tools and in tests.
//!
//! # Ground
//!
//! A chunk holds the materials of its cells, as numbers of a [`Palette`], and the water and
//! moisture in them: [`ChunkContent`]. Generated ground may have water that is not level, or that
//! soaks into soil; [`Settle`] the ground on the thread that generates it. Beside a sea or a lake,
//! begin with soil that is as wet as it will be at rest:
//! [`with_water_table`](ChunkContent::with_water_table).
//!
//! ```
//! use floodplain::world::{ChunkContent, Palette, Rules, Settle, World};
//! use floodplain::{ChunkPos, glam::IVec3};
//!
//! let (palette, rules) = (Palette::natural(), Rules::default());
//! let [air, rock, soil] = ["air", "rock", "soil"].map(|name| palette.id(name).expect("natural"));
//! let mut world = World::new(7, palette.clone(), rules)?; // 7: the seed
//!
//! // On another thread: a column of your generator, hills of soil on rock.
//! let generator = std::thread::spawn(move || {
//!     let hills = |chunk: ChunkPos| {
//!         let top = |x: i32, z: i32| 9 + (x / 3 + z / 5) % 4;
//!         ChunkContent::from_heights(chunk, top, |depth| if depth < 4 { soil } else { rock }, air)
//!     };
//!     let column = (0..2).map(|y| ChunkPos::new(0, y, 0)).map(|chunk| (chunk, hills(chunk)));
//!     Settle { seed: 7, palette, rules, ..Settle::default() }.run(column)
//! });
//! let (records, settling) = generator.join().expect("it does not panic")?;
//! assert!(settling.is_at_rest());
//! world.insert_records(records)?;
//! assert_eq!(world.material(IVec3::new(0, 9, 0)), Some(soil));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What players do
//!
//! The bytes of a client are read as an [`Edit`], and only edits within the player's
//! [`Limits`](crate::Limits), which follow from the player's place and powers, are queued. Charge
//! for water when the edit is *queued*, or a player with one bucket would pour it ten times before
//! the first edit is made; when the report arrives, give back the units that found no room.
//! Scooping works the other way round: it takes room in the bucket. [`Outcome::units`] returns the
//! number of units moved.
//!
//! ```
//! use floodplain::water;
//! use floodplain::world::{Edit, World};
//! use floodplain::{ChunkPos, EditKinds, EditValue, Limits, Region, Ticket, glam::IVec3};
//! use std::collections::HashMap;
//! use std::error::Error;
//!
//! struct Player {
//!     at: IVec3,
//!     units: u32, // of water in buckets,
//!     room: u32,  // and the room in them
//!     charges: u32,
//! }
//!
//! /// What was paid for an edit that waits.
//! enum Paid {
//!     Nothing,
//!     Units(u32),
//!     Room(u32),
//!     Charge,
//! }
//!
//! struct Server {
//!     world: World,
//!     players: Vec<Player>,
//!     paid: HashMap<Ticket, (usize, Paid)>, // by ticket: who, and what
//! }
//!
//! impl Server {
//!     /// Queues an edit that a client has sent, if the player can pay for it.
//!     fn receive(&mut self, number: usize, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
//!         let player = &mut self.players[number];
//!         let reach = Region::new(player.at - 6, player.at + 6);
//!         let kinds = EditKinds::GROUND | EditKinds::WATER | EditKinds::PRESSURE;
//!         let limits = Limits { kinds, reach, most_cells: 343, ..Limits::default() };
//!         let paid = match Edit::from_bytes(bytes)? {
//!             Edit::SetMaterial { .. } => Paid::Nothing,
//!             Edit::Water(water::Edit::Pour { units, .. }) if units <= player.units => {
//!                 Paid::Units(units)
//!             }
//!             Edit::Water(water::Edit::Scoop { units, .. }) if units <= player.room => {
//!                 Paid::Room(units)
//!             }
//!             Edit::Charge { .. } if player.charges > 0 => Paid::Charge,
//!             other => return Err(format!("not allowed: {other:?}").into()),
//!         };
//!         let ticket = self.world.queue_bytes(bytes, &limits)?;
//!         match paid {
//!             Paid::Nothing => {}
//!             Paid::Units(units) => player.units -= units,
//!             Paid::Room(room) => player.room -= room,
//!             Paid::Charge => player.charges -= 1,
//!         }
//!         self.paid.insert(ticket, (number, paid));
//!         Ok(())
//!     }
//!
//!     /// Gives back what an edit that was made, or refused, did not use.
//!     fn settle_accounts(&mut self) {
//!         for report in self.world.take_edit_reports() {
//!             let Some((number, paid)) = self.paid.remove(&report.ticket) else { continue };
//!             let player = &mut self.players[number];
//!             let is_made = report.result.is_ok();
//!             let units = report.result.ok().and_then(|outcome| outcome.units());
//!             let moved = units.unwrap_or(0) as u32;
//!             match paid {
//!                 Paid::Units(units) => {
//!                     player.units += units - moved;
//!                     player.room += moved;
//!                 }
//!                 Paid::Room(room) => {
//!                     player.room += room - moved;
//!                     player.units += moved;
//!                 }
//!                 Paid::Charge if !is_made => player.charges += 1,
//!                 Paid::Charge | Paid::Nothing => {}
//!             }
//!         }
//!     }
//! }
//!
//! # use floodplain::world::{ChunkContent, Palette, Rules};
//! # let palette = Palette::natural();
//! # let [air, rock] = ["air", "rock"].map(|name| palette.id(name).expect("natural"));
//! # let mut world = World::new(7, palette, Rules::default())?;
//! # let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 7, |_| rock, air);
//! # world.insert_chunk(ChunkPos::ZERO, ground)?;
//! # let pond = Region::new(IVec3::new(4, 6, 4), IVec3::new(6, 7, 6));
//! # world.fill_material(pond, air)?;
//! # world.fill_water(pond, 7)?;
//! # let at = IVec3::new(7, 8, 5);
//! # let players = vec![Player { at, units: 0, room: 7, charges: 1 }];
//! # let mut server = Server { world, players, paid: HashMap::new() };
//! let (pond, ground) = (IVec3::new(5, 7, 5), IVec3::new(9, 8, 9)); // of water, dry
//! let before = server.world.water().total();
//! let scoop = Edit::Water(water::Edit::Scoop { cell: pond, units: 7 }).to_bytes();
//! let pour = |cell| Edit::Water(water::Edit::Pour { cell, units: 7 }).to_bytes();
//! server.receive(0, &scoop)?;
//! assert!(server.receive(0, &scoop).is_err(), "one bucket");
//! server.world.step();
//! server.settle_accounts();
//! assert_eq!((server.players[0].units, server.world.water().total()), (7, before - 7));
//!
//! server.receive(0, &pour(pond - IVec3::Y))?; // into a full cell
//! server.world.step();
//! server.settle_accounts();
//! assert_eq!(server.players[0].units, 7, "given back");
//! server.receive(0, &pour(ground))?;
//! server.world.step();
//! server.settle_accounts();
//! assert_eq!((server.players[0].room, server.world.water().total()), (7, before));
//!
//! let charge = |radius| Edit::Charge { centre: ground, radius, pressure: 400.0 }.to_bytes();
//! assert!(server.receive(0, &charge(9.0)).is_err(), "it reaches further than the player");
//! server.receive(0, &charge(2.0))?;
//! server.world.run(8);
//! let broken = server.world.take_events(); // of each cell: when, where, from what into what
//! assert!(!broken.is_empty() && server.players[0].charges == 0);
//! server.world.validate()?;
//! # Ok::<(), Box<dyn Error>>(())
//! ```
//!
//! # Chunks that come and go
//!
//! Queue the removal of columns that nobody sees. Their [`ChunkRecord`]s come with the report; a
//! save file keeps the records, and returns them later. A column that was never seen comes from the
//! generator, as above. Do not request a column that is being removed before the report on its
//! removal has arrived.
//!
//! ```
//! use floodplain::{ChunkPos, save_file::SaveFile};
//! use floodplain::world::{Edit, Outcome};
//! # use floodplain::world::{ChunkContent, Palette, Rules, World};
//! # use floodplain::glam::IVec3;
//! # let palette = Palette::natural();
//! # let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
//! # let mut world = World::new(7, palette, Rules::default())?;
//! # let ground = |at| (at, ChunkContent::from_heights(at, |_, _| 7, |_| soil, air));
//! # world.insert_chunks([ChunkPos::ZERO, ChunkPos::new(1, 0, 0)].map(ground))?;
//! # world.rain(IVec3::new(20, 15, 8), 60)?;
//! # world.run(40);
//! # let name = format!("floodplain-server-{}.redb", std::process::id());
//! # let path = std::env::temp_dir().join(name);
//! # drop(std::fs::remove_file(&path));
//! let file = SaveFile::create(&path, &world)?;
//! let mut stream = file.stream();
//!
//! let before = world.total();
//! world.queue(Edit::RemoveChunks(vec![ChunkPos::new(1, 0, 0)])); // a column goes out of view
//! world.step();
//! for report in world.take_edit_reports() {
//!     match report.result {
//!         Ok(Outcome::Records(records)) => stream.put(records),
//!         Ok(_) => {}
//!         Err(refused) => println!("edit {}: {refused}", report.ticket),
//!     }
//! }
//! assert!(world.total() < before);
//!
//! let records = stream.take([ChunkPos::new(1, 0, 0)])?; // what is missing, you generate
//! world.queue(Edit::InsertRecords(records));
//! world.step();
//! assert_eq!(world.total(), before);
//! # drop((file, stream));
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The tick
//!
//! A tick of a world is the tick of its water, then of its soil, then of its explosions, in pieces:
//! [`step_for`](World::step_for) stops when its time is over, and the next call resumes the tick. A
//! [`SimulationDistance`] freezes the chunks far from all players, water, moisture and pressure
//! together, and freezes more chunks while ticks take longer than the budget.
//!
//! ```
//! use floodplain::water::{Ring, SimulationDistance};
//! use floodplain::world::World;
//! use floodplain::{ChunkPos, Cube, Shape, glam::IVec3};
//! use std::time::Duration;
//!
//! /// Does what there is time for. Returns whether a tick was completed.
//! fn tick(world: &mut World, distance: &SimulationDistance, players: &[IVec3]) -> bool {
//!     let chunks: Vec<ChunkPos> = players.iter().map(|&cell| Cube::chunk_of(cell)).collect();
//!     for edit in distance.edits(world, &chunks) {
//!         world.queue(edit);
//!     }
//!     world.step_for(Duration::from_millis(8)).finished
//! }
//!
//! # use floodplain::world::{ChunkContent, MaterialId, Palette, Rules};
//! # let mut world = World::new(7, Palette::natural(), Rules::default())?;
//! # let at = |x| ChunkPos::new(x, 0, 0);
//! # let air = |x| (at(x), ChunkContent::from_fn(at(x), |_| MaterialId(0)));
//! # world.insert_chunks((0..9).map(air))?;
//! # world.pour(IVec3::new(140, 9, 8), 7)?;
//! # let players = [IVec3::new(8, 0, 8)];
//! let mut distance = SimulationDistance::new([Ring::always(4)])?;
//! for _second in 0..2 {
//!     let completed = (0..20).filter(|_| tick(&mut world, &distance, &players)).count();
//!     let chunks: Vec<ChunkPos> = players.iter().map(|&cell| Cube::chunk_of(cell)).collect();
//!     distance.adapt(completed as u64, 20, distance.far_share(&world, &chunks));
//! }
//! world.finish_tick();
//! assert_eq!([1, 8].map(|x| world.water().is_frozen(ChunkPos::new(x, 0, 0))), [false, true]);
//! assert_eq!(world.units(IVec3::new(140, 9, 8)), 7, "it hangs in the air, far from all");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Clients
//!
//! After each tick, one [`Feed`] reports the visible changes: materials, water and moisture. Each
//! client is sent the changes in its view, and whole chunks when it joins or moves on. Its
//! [`Mirror`] is drawn by the same functions as the world: those of [`WorldView`], and for water
//! those of [`WaterView`](crate::water::WaterView).
//!
//! ```
//! use floodplain::water::{WaterView, meshes_touched};
//! use floodplain::world::{Feed, MOISTURE_STEP, Mirror, Update, WorldView};
//! # use floodplain::world::{ChunkContent, Palette, Rules, World};
//! # use floodplain::{ChunkPos, glam::IVec3};
//! # let palette = Palette::natural();
//! # let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
//! # let mut world = World::new(7, palette, Rules::default())?;
//! # let ground = |at| (at, ChunkContent::from_heights(at, |_, _| 7, |_| soil, air));
//! # world.insert_chunks([0, 1, 2].map(|x| ground(ChunkPos::new(x, 0, 0))))?;
//! # let is_near = |chunk: ChunkPos| chunk.x < 2;
//! let mut feed = Feed::new(&mut world);
//! let mut mirror = Mirror::new(1_000); // on the client
//! let sees = [0, 1].map(|x| ChunkPos::new(x, 0, 0));
//! let joined = feed.whole(&world, sees).to_bytes();
//! mirror.apply(&Update::from_bytes(&joined)?)?;
//!
//! world.rain(IVec3::new(8, 15, 8), 20)?;
//! world.run(3);
//! let update = feed.take(&mut world).only(is_near).to_bytes(); // to this client
//!
//! let update = Update::from_bytes(&update)?; // there
//! mirror.apply(&update)?;
//! for chunk in meshes_touched(&update.changes()).into_iter().filter(|&chunk| is_near(chunk)) {
//!     let mesh = mirror.water().surface_mesh(chunk, None); // upload it, and of the ground:
//!     let _materials = mirror.materials(chunk);
//!     assert_eq!(mesh, world.water().surface_mesh(chunk, None));
//! }
//! let wet = IVec3::new(8, 7, 8);
//! assert!(mirror.moisture(wet) > 0, "the soil is drawn darker");
//! assert!(mirror.moisture(wet).abs_diff(world.moisture(wet)) < MOISTURE_STEP);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Saves
//!
//! A save is prepared on the thread of the game, which copies the chunks that have changed since
//! the last save, and is written on another thread. If the save is prepared in the middle of a
//! tick, that tick begins again when the world is loaded. Chunks that come and go are in the same
//! file, and after a crash the file holds each chunk once. Save the players' inventories yourself,
//! at the same tick, or water is lost or made between the two saves.
//!
//! ```
//! use floodplain::{ChunkPos, save_file::SaveFile};
//! # use floodplain::world::{ChunkContent, Palette, Rules, World};
//! # use floodplain::glam::IVec3;
//! # let palette = Palette::natural();
//! # let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
//! # let mut world = World::new(7, palette, Rules::default())?;
//! # let ground = |at| (at, ChunkContent::from_heights(at, |_, _| 7, |_| soil, air));
//! # world.insert_chunks([ChunkPos::ZERO, ChunkPos::new(1, 0, 0)].map(ground))?;
//! # let name = format!("floodplain-saves-{}.redb", std::process::id());
//! # let path = std::env::temp_dir().join(name);
//! # drop(std::fs::remove_file(&path));
//! let mut file = SaveFile::create(&path, &world)?;
//! let mut stream = file.stream();
//! world.rain(IVec3::new(8, 15, 8), 20)?;
//! world.step();
//! stream.copy_ahead(&mut world, 64); // in the ticks before a save, so that it takes less at once
//! let job = stream.prepare(&mut world);
//! let saved = world.state_hash();
//! let writer = std::thread::spawn(move || (file.commit(job), file));
//! world.run(20); // the game continues
//! let (report, file) = writer.join().expect("commit does not panic");
//! let report = report?;
//! println!("{} chunks, {} bytes", report.chunks_written, report.bytes);
//! # drop((file, stream));
//! let (_file, world) = SaveFile::<World>::open(&path)?; // the next day
//! assert_eq!(world.state_hash(), saved);
//! # drop(_file);
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Figures to watch
//!
//! | figure | meaning |
//! |---|---|
//! | completed ticks of 100 | below 95 the world lags: choose a shorter [`SimulationDistance`] or a larger budget |
//! | [`awake_cells`](World::awake_cells) | the cost of ticks; springs on slopes and soil that soaks keep it up |
//! | [`queued_edits`](World::queued_edits) | grow without bound if clients send more edits than ticks take |
//! | [`memory_bytes`](World::memory_bytes) | the world's memory; a feed has its own |
//! | [`total`](World::total) and [`ledger`](World::ledger) | always equal: check this in tests, or once a minute |

#[cfg(doc)]
use crate::water::SimulationDistance;
#[cfg(doc)]
use crate::world::{
    ChunkContent, ChunkRecord, Edit, Feed, Mirror, Outcome, Palette, Settle, World, WorldView,
};
