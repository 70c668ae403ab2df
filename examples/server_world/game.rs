//! What the players do, as bytes that their clients send, and what the server makes of it: edits
//! are queued within limits and paid for, and what was not used is given back.

use crate::clients::Clients;
use crate::land::Land;
use crate::options::Options;
use crate::players::{Columns, Players, TICKS_PER_SECOND, VIEW, chunks_of};
use crate::saves::Saves;
use fastrand::Rng;
use floodplain::glam::{DVec2, IVec3};
use floodplain::water::{self, Ring, SimulationDistance};
use floodplain::world::World;
use floodplain::world::{Edit, Outcome};
use floodplain::{ColumnPos, EditKinds, EditValue, Limits, Region, Ticket};
use std::collections::HashMap;
use std::error::Error;

/// Where the first players stay: at a lake, at the shore of the sea.
const HOMES: [DVec2; 2] = [DVec2::new(48.0, 144.0), DVec2::new(440.0, 60.0)];
/// Drops of rain in a tick for each player.
const DROPS: usize = 1;
/// Ticks between two charges.
const CHARGES: u64 = 60;
/// Units in a full bucket.
const BUCKET: u32 = 21;
/// Cells that a player reaches.
const REACH: i32 = 9;

/// The water that a player carries, and the room for more.
struct Bucket {
    units: u32,
    room: u32,
}

/// What was paid for an edit that waits.
enum Paid {
    Nothing,
    Units(u32),
    Room(u32),
}

pub struct Game {
    pub land: Land,
    random: Rng,
    players: Players,
    buckets: Vec<Bucket>,
    columns: Columns,
    distance: SimulationDistance,
    has_rain: bool,
    /// Ticks since the simulation distance was last adapted: all, and completed ones.
    recent: (u64, u64),
    /// What was paid for the edits of clients that wait, by ticket, and by whom.
    paid: HashMap<Ticket, (usize, Paid)>,
    pub counts: Counts,
}

/// What happened in a run.
#[derive(Default)]
pub struct Counts {
    /// Edits of clients that were made.
    pub made: usize,
    /// Those that were refused by a limit, for want of water or room, or by the world.
    pub refused: usize,
    pub charges: usize,
    /// Cells of ground that pressure broke.
    pub broken: usize,
    /// Units of water that players took, and those that they poured out.
    pub scooped: u64,
    pub poured: u64,
}

impl Game {
    pub fn new(options: &Options) -> Result<Game, Box<dyn Error>> {
        let &Options { players, distance, has_rain, .. } = options;
        let mut random = Rng::with_seed(7);
        Ok(Game {
            land: Land::new(),
            players: Players::new(players, &HOMES, &mut random),
            random,
            buckets: (0..players).map(|_| Bucket { units: 0, room: BUCKET }).collect(),
            columns: Columns::default(),
            distance: SimulationDistance::new([Ring::always(distance)])?,
            has_rain,
            recent: (0, 0),
            paid: HashMap::new(),
            counts: Counts::default(),
        })
    }

    /// Loads what is seen at first.
    pub fn begin(&mut self, world: &mut World) -> Result<(), Box<dyn Error>> {
        for column in self.columns.first(&self.players) {
            world.insert_records(self.land.column(column)?)?;
        }
        Ok(())
    }

    pub fn views(&self) -> impl Iterator<Item = (ColumnPos, ColumnPos)> {
        self.players.views()
    }

    /// Returns how many columns came or went.
    pub fn columns_moved(&self) -> usize {
        self.columns.moved
    }

    /// Returns by how many columns the distance is shorter now, for lag.
    pub fn reduction(&self) -> u32 {
        self.distance.reduction()
    }

    /// Returns the units of water in all buckets.
    pub fn carried(&self) -> u64 {
        self.buckets.iter().map(|bucket| u64::from(bucket.units)).sum()
    }

    /// Moves the players, and queues what they and the weather do in a tick.
    pub fn queue_tick(
        &mut self,
        world: &mut World,
        clients: &Clients,
        saves: &mut Saves,
        tick: u64,
    ) -> Result<(), Box<dyn Error>> {
        self.players.walk(&mut self.random);
        self.stream(world, saves)?;
        if self.has_rain {
            self.rain(world);
        }
        for player in 0..self.players.count() {
            if let Some(edit) = self.work(clients, player) {
                self.receive(world, player, &edit.to_bytes());
            }
        }
        if tick % CHARGES == CHARGES / 2 {
            let player = self.random.usize(..self.players.count());
            let (x, z) = self.players.near(player, 4, &mut self.random);
            let centre = self.above(x, z, 1);
            let charge = Edit::Charge { centre, radius: 3.0, pressure: 200.0 };
            self.receive(world, player, &charge.to_bytes());
            self.counts.charges += 1;
        }
        Ok(())
    }

    /// Queues which chunks are to stand still and which to go on, by the positions of the players.
    pub fn queue_distance(&self, world: &mut World) {
        for edit in self.distance.edits(world, &self.players.chunks()) {
            world.queue(edit);
        }
    }

    /// Settles accounts, and once a second adapts the distance to the number of completed ticks.
    pub fn end_tick(&mut self, world: &mut World, saves: &mut Saves, is_complete: bool) {
        self.settle_accounts(world, saves);
        self.counts.broken += world.take_events().len();
        self.recent.0 += 1;
        self.recent.1 += u64::from(is_complete);
        if self.recent.0 == TICKS_PER_SECOND {
            let (ticks, completed) = core::mem::take(&mut self.recent);
            let far = self.distance.far_share(world, &self.players.chunks());
            self.distance.adapt(completed, ticks, far);
        }
    }

    /// Does what is due by the reports: what was paid and not used is given back, and chunks that
    /// were removed are kept.
    pub fn settle_accounts(&mut self, world: &mut World, saves: &mut Saves) {
        for report in world.take_edit_reports() {
            let paid = self.paid.remove(&report.ticket);
            if paid.is_some() {
                self.counts.made += usize::from(report.result.is_ok());
                self.counts.refused += usize::from(report.result.is_err());
            }
            let moved = match report.result {
                Ok(Outcome::Records(records)) => {
                    if let Some(first) = records.first() {
                        self.columns.left(first.position().column());
                    }
                    saves.stream.put(records);
                    continue;
                }
                Ok(outcome) => outcome.units().unwrap_or(0),
                Err(_) => 0,
            };
            let Some((player, paid)) = paid else { continue };
            let (bucket, units) = (&mut self.buckets[player], moved as u32);
            match paid {
                Paid::Nothing => {}
                Paid::Units(paid) => {
                    bucket.units += paid - units;
                    bucket.room += units;
                    self.counts.poured += moved;
                }
                Paid::Room(paid) => {
                    bucket.room += paid - units;
                    bucket.units += units;
                    self.counts.scooped += moved;
                }
            }
        }
    }

    /// Loads columns that come into view, and unloads those that are out of it.
    fn stream(&mut self, world: &mut World, saves: &mut Saves) -> Result<(), Box<dyn Error>> {
        let [gone, come] = self.columns.follow(&self.players);
        for column in gone {
            world.queue(Edit::RemoveChunks(chunks_of(column).collect()));
        }
        for column in come {
            let kept = saves.stream.take(chunks_of(column))?;
            let is_new = kept.is_empty();
            world.queue(Edit::InsertRecords(if is_new { self.land.column(column)? } else { kept }));
        }
        Ok(())
    }

    /// Queues drops near the players.
    fn rain(&mut self, world: &mut World) {
        for player in 0..self.players.count() {
            for _ in 0..DROPS {
                let (x, z) = self.players.near(player, 16 * VIEW, &mut self.random);
                world.queue(Edit::Rain { from: self.above(x, z, 9), units: 1 });
            }
        }
    }

    /// Returns what a player wants to do: one in ten digs in each tick, one in fifty builds, and
    /// one in twenty empties its bucket or fills it.
    fn work(&mut self, clients: &Clients, player: usize) -> Option<Edit> {
        let work = self.random.u8(..100);
        let (x, z) = self.players.near(player, 4, &mut self.random);
        let (air, soil) = (self.land.air, self.land.soil);
        match work {
            0..10 => {
                let deep = self.random.i32(0..3);
                let cell = self.above(x, z, -deep);
                Some(Edit::SetMaterial { cell, material: air })
            }
            10..12 => Some(Edit::SetMaterial { cell: self.above(x, z, 1), material: soil }),
            12..17 => Some(Edit::Water(self.carry(clients, player)?)),
            _ => None,
        }
    }

    /// Pours out what a bucket holds, or fills it where the client sees water.
    fn carry(&mut self, clients: &Clients, player: usize) -> Option<water::Edit> {
        let units = self.buckets[player].units;
        if units > 0 {
            let (x, z) = self.players.near(player, 4, &mut self.random);
            return Some(water::Edit::FillBody { cell: self.above(x, z, 1), units });
        }
        let mirror = clients.mirror(player);
        let mut seen = (0..16).map(|_| {
            let (x, z) = self.players.near(player, 6, &mut self.random);
            IVec3::new(x, self.land.ground.height(x, z) + 1, z)
        });
        let cell = seen.find(|&cell| mirror.units(cell) > 0)?;
        Some(water::Edit::DrainBody { cell, units: BUCKET })
    }

    /// Queues an edit that a client has sent, if it keeps within limits and the player can pay.
    fn receive(&mut self, world: &mut World, player: usize, bytes: &[u8]) {
        let bucket = &self.buckets[player];
        let paid = match Edit::from_bytes(bytes) {
            Ok(Edit::SetMaterial { .. } | Edit::Charge { .. }) => Some(Paid::Nothing),
            Ok(Edit::Water(water::Edit::FillBody { units, .. })) if units <= bucket.units => {
                Some(Paid::Units(units))
            }
            Ok(Edit::Water(water::Edit::DrainBody { units, .. })) if units <= bucket.room => {
                Some(Paid::Room(units))
            }
            _ => None,
        };
        let Some(paid) = paid else {
            self.counts.refused += 1;
            return;
        };
        let limits = Limits {
            kinds: EditKinds::GROUND | EditKinds::WATER | EditKinds::PRESSURE,
            reach: self.reach(player),
            ..Limits::default()
        };
        let Ok(ticket) = world.queue_bytes(bytes, &limits) else {
            self.counts.refused += 1;
            return;
        };
        let bucket = &mut self.buckets[player];
        match paid {
            Paid::Nothing => {}
            Paid::Units(units) => bucket.units -= units,
            Paid::Room(room) => bucket.room -= room,
        }
        self.paid.insert(ticket, (player, paid));
    }

    /// Returns the cells that a player reaches.
    fn reach(&self, player: usize) -> Region {
        let (x, z) = self.players.at(player);
        let (low, high) = (IVec3::new(x, REACH, z), IVec3::new(x, Land::top() - REACH, z));
        Region::new(low - REACH, high + REACH)
    }

    /// Returns the cell so high above the ground that was generated.
    fn above(&self, x: i32, z: i32, high: i32) -> IVec3 {
        IVec3::new(x, (self.land.ground.height(x, z) + high).min(Land::top()), z)
    }
}
