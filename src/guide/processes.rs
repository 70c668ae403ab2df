//! One process, threads, ranks, or game servers that own regions: which of these a world needs, and
//! which parts of each are in this crate.
//!
//! | | for | what it is | bytes |
//! |---|---|---|---|
//! | one process | every kind of world | `run`, or `step_within` a budget | the reference |
//! | threads | large worlds on one machine | the feature `rayon`; nothing else changes | the same |
//! | ranks | automata that outgrow a machine | [`parts`](crate::parts), and `examples/cluster` on MPI | the same |
//! | regions on ranks | 3D water that outgrows a machine | [`regions`](crate::regions), and the scene `valley` of `examples/cluster` | those of one process with regions of the same size |
//! | game servers | regions that start, stop and fail apart | [columns or regions as records](#a-region-changes-its-server), and a store of leases that you run | each region's own |
//!
//! Take the first row that is fast enough: each row below costs more to run, and more in it can
//! fail. [`speed`](super::speed) says how large a world one process can run.
//!
//! # Ranks
//!
//! All ranks of a job run the same tick at the same time. Each rank owns columns of chunks, and in
//! every step waits for the messages of the ranks beside it. If one rank ends, all ranks end, and
//! begin again from their last save. So ranks suit simulations and one large world in a data
//! centre, not servers that come and go one by one.
//!
//! Humidity, explosions and literal 2D water can be divided. 3D water, 2D water that settles and a
//! [`World`](crate::world::World) cannot: a draw, a body and a tick of a world of materials reach
//! across the whole world. 3D water can be made of [regions](#portals-as-bytes) instead, by a rule
//! of its own.
//!
//! Between two steps, all ranks are given the same edits in the same order. Each rank
//! [checks](crate::parts::InParts::check_edit) an edit against the columns that it owns, and sends
//! one bit that says whether it refuses the edit. If no rank refuses, each rank
//! [makes](crate::parts::InParts::edit) the edit and sends the ranks beside it what they need of
//! the edit; for humidity that is nothing. Within a block of steps beside
//! [copies](crate::parts::Fringed::edit), only that bit is sent. Whole columns of humidity and 2D
//! water are [loaded](crate::parts::InParts::load_column) and
//! [unloaded](crate::parts::InParts::unload_column); single chunks are not. Each part lists the
//! changes and events of its own columns; nothing gathers them.
//!
//! # Game servers that own regions
//!
//! Here each server runs one region as a world of its own, at its own pace. This crate has no
//! network, no clock and no opinion on who owns what. It provides the bytes.
//!
//! | part | state |
//! |---|---|
//! | a region changes its server | built: columns as records, with entries in both ledgers; for [`regions`](crate::regions), the whole region as a record |
//! | saves from which another server resumes | built: [`snapshot`](crate::snapshot), [`save_file`](crate::save_file), [`RegionWorld::save`](crate::regions::RegionWorld::save) |
//! | what flows from region to region: *portals* as bytes | for 3D water, built: [`regions`](crate::regions), where all regions run the same tick. Delivery between servers at a pace of their own is not built. For other worlds, not built: a face between regions is a wall |
//! | leases, epochs, placement | not built, and will not be: see [below](#leases-and-placement) |
//!
//! ## Portals as bytes
//!
//! A [`RegionWorld`](crate::regions::RegionWorld) is 3D water in regions of fixed size, either all
//! regions or those that one process owns. [`advance`](crate::regions::RegionWorld::advance) runs a
//! tick, and returns a [`FaceMessage`](crate::regions::FaceMessage) for each side of each face
//! between two regions: its bytes have the ground and water at the face, and the units that pass.
//! You carry the message to the process of the region that it is for, which
//! [receives](crate::regions::RegionWorld::receive) it before the next tick. Both sides count
//! units: at every tick, units sent = units received + units under way, else something was lost or
//! made. If both regions are in one process, [`account`](crate::regions::RegionWorld::account)
//! returns these numbers.
//!
//! So the processes of all regions run the same tick, as ranks do. A message has the number of its
//! tick: it is received once, in that tick, and refused at any other time.
//!
//! Delivery between servers at a pace of their own is not built. There, a message would be applied
//! in a later tick of the receiver. The receiver would keep the number of the last message that it
//! applied in the same save as the cells, and skip lower numbers. The
//! [record](crate::regions::RegionRecord) of a region has this number for each face. What is
//! missing is a rule for ticks without messages.
//!
//! ## A region changes its server
//!
//! For [`regions`](crate::regions), [`take_region`](crate::regions::RegionWorld::take_region) takes
//! a region out between two ticks, with its portals and what is under way, and
//! [`insert_region`](crate::regions::RegionWorld::insert_region) puts it into the world of another
//! process, which [begins](crate::regions::RegionWorld::begin_at) at the same tick if it has no
//! regions yet. Nothing enters or leaves a ledger, and all later bytes and messages are the same;
//! messages that the region has not received yet follow it.
//!
//! For other worlds, [`unload_column`](crate::parts::InParts::unload_column) takes a column out of
//! one world, and [`load_column`](crate::parts::InParts::load_column) puts it into another world of
//! the same kind and rules. What decides whether the bytes are still valid is the *epoch* of the
//! lease under which they were written: a number that grows with each change of the owner. It
//! stands beside the records, and whoever reads or stores the records refuses a lower epoch (a
//! fencing token: Kleppmann, *How to do distributed locking*, 2016).
//!
//! ```
//! use floodplain::humidity::{Cell, HumidityWorld, Rules, Sweep};
//! use floodplain::parts::InParts;
//! use floodplain::{Chunk, ChunkPos, ColumnPos, Cube, Region, glam::IVec3};
//!
//! /// A column on its way, or in storage.
//! struct Handover {
//!     /// Of the lease under which the sender owned the column.
//!     epoch: u64,
//!     column: ColumnPos,
//!     records: Vec<(ChunkPos, Vec<u8>)>,
//! }
//!
//! /// The epoch of the lease of a column, as the store of leases has it.
//! fn accept(handover: &Handover, newest: u64) -> Result<(), String> {
//!     match handover.epoch < newest {
//!         true => Err(format!("epoch {} is over: it is {newest}", handover.epoch)),
//!         false => Ok(()),
//!     }
//! }
//!
//! let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
//! let rules = Rules::with_sweep(Sweep::Conservative);
//! let mut west = HumidityWorld::<Cube>::with_bounds(rules, bounds)?;
//! let mut east = HumidityWorld::<Cube>::with_bounds(rules, bounds)?;
//! west.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::soil(100.0, 1.0)))?;
//! west.run(10);
//!
//! let column = ColumnPos::new(0, 0);
//! let handover = Handover { epoch: 7, column, records: west.unload_column(column)? };
//! accept(&handover, 7)?;
//! east.load_column(handover.column, &handover.records)?;
//! // What left one ledger has entered the other.
//! let [gone, come] = [west.ledger(), east.ledger()].map(Option::unwrap_or_default);
//! assert_eq!(gone.removed, come.placed);
//! // After another change of the owner, these bytes are not taken any more.
//! assert!(accept(&handover, 8).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## When a server dies
//!
//! | | |
//! |---|---|
//! | 1 | It no longer renews its lease, and the lease ends after its time to live: some seconds. Until then the region of the server stands still, and its neighbours keep what they would send. |
//! | 2 | Another server takes the lease; the store gives it the next epoch. |
//! | 3 | The new server loads the last save of the region, and begins there. Ticks after that save are lost, unless the edits and messages since then were logged and are applied again: steps are deterministic, so this gives the same world. |
//! | 4 | Neighbours send again all messages with a higher number than the last one in that save. A message that was received after the save, and came from a neighbour that keeps no copy, is lost: book its units as lost. |
//! | 5 | The old server may be alive behind a broken network. It must stop when it cannot renew its lease in time; if it does not, its saves and messages have the old epoch, and are refused. |
//!
//! So write the epoch into each save and message, save more often than you can bear to lose, and
//! give a lease more time than the longest pause of a server.
//!
//! ## Leases and placement
//!
//! Use engines that are kept and tested for this; none is a dependency of this crate.
//!
//! | for | engine | by |
//! |---|---|---|
//! | leases, epochs | [etcd](https://etcd.io/docs/latest/learning/api/) | a key for each region, bound to a lease with a time to live; taken in a transaction that compares revisions. The revision of the key only grows, so it can be the epoch |
//! | leases, epochs, the log of messages | [NATS JetStream](https://docs.nats.io/nats-concepts/jetstream/key-value-store) | a key-value bucket with a time to live, whose updates name the revision that they replace; a stream for each face between regions |
//! | to start, place and replace servers | [Agones](https://agones.dev/site/docs/) | fleets of game servers on Kubernetes: one that fails its health checks is replaced. Agones has no notion of regions: the new server takes a lease that is free |
