//! Players that wander, the columns that they see, and which columns are to come and go.

use super::ground::COLUMN;
use fastrand::Rng;
use floodplain::glam::DVec2;
use floodplain::{ChunkPos, ColumnPos};
use std::collections::{BTreeSet, HashSet};

pub const TICKS_PER_SECOND: u64 = 20;
/// Columns that a player sees in each direction; those one farther away stay loaded.
pub const VIEW: i32 = 4;
/// Cells from the middle of the world within which the players stay.
pub const FAR: f64 = 760.0;
/// Cells that a player walks in a tick: 5.6 m a second.
const PACE: f64 = 0.28;

struct Player {
    at: DVec2,
    heading: f64,
    /// Where the player stays, within two dozen cells.
    home: Option<DVec2>,
}

pub struct Players(Vec<Player>);

impl Players {
    /// Returns `count` players: one at each of `homes`, the rest at random places.
    pub fn new(count: usize, homes: &[DVec2], random: &mut Rng) -> Players {
        let player = |number| {
            let home = homes.get(number).copied();
            let mut axis = || FAR * (2.0 * random.f64() - 1.0);
            let at = home.unwrap_or(DVec2::new(axis().min(520.0), axis()));
            Player { at, heading: random.f64() * core::f64::consts::TAU, home }
        };
        Players((0..count).map(player).collect())
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the least and the greatest column that each player sees, by the x and z of their
    /// chunks.
    pub fn views(&self) -> impl Iterator<Item = (ColumnPos, ColumnPos)> {
        self.0.iter().map(|player| {
            let ColumnPos { x, z } = column_of(player.at);
            (ColumnPos::new(x - VIEW, z - VIEW), ColumnPos::new(x + VIEW, z + VIEW))
        })
    }

    /// Returns the chunk column of each player, with y = 0.
    pub fn chunks(&self) -> Vec<ChunkPos> {
        self.0.iter().map(|player| column_of(player.at).chunk(0)).collect()
    }

    /// Lets each of them walk for a tick.
    pub fn walk(&mut self, random: &mut Rng) {
        for player in &mut self.0 {
            player.heading += 0.3 * (random.f64() - 0.5);
            let ahead = player.at + PACE * DVec2::from_angle(player.heading);
            let strays = match player.home {
                Some(home) => ahead.distance(home) > 24.0,
                None => ahead.abs().max_element() > FAR,
            };
            if strays {
                player.heading += core::f64::consts::PI;
            } else {
                player.at = ahead;
            }
        }
    }

    /// Returns the x and z of a player.
    pub fn at(&self, player: usize) -> (i32, i32) {
        self.0[player].at.as_ivec2().into()
    }

    /// Returns a random x and z at most so far from a player along each axis.
    pub fn near(&self, player: usize, most: i32, random: &mut Rng) -> (i32, i32) {
        let (x, z) = self.at(player);
        (x + random.i32(-most..=most), z + random.i32(-most..=most))
    }

    /// Returns the columns within a distance of any player, in order.
    fn seen(&self, distance: i32) -> BTreeSet<ColumnPos> {
        let mut seen = BTreeSet::new();
        for player in &self.0 {
            let ColumnPos { x, z } = column_of(player.at);
            for z in z - distance..=z + distance {
                seen.extend((x - distance..=x + distance).map(|x| ColumnPos::new(x, z)));
            }
        }
        seen
    }
}

/// Which columns are loaded once all queued edits are made.
#[derive(Default)]
pub struct Columns {
    loaded: HashSet<ColumnPos>,
    /// Those with a queued edit that removes them.
    leaving: HashSet<ColumnPos>,
    /// How many came or went.
    pub moved: usize,
}

impl Columns {
    /// Returns all columns that are seen at first, as loaded.
    pub fn first(&mut self, players: &Players) -> Vec<ColumnPos> {
        let wanted: Vec<ColumnPos> = players.seen(VIEW).into_iter().collect();
        self.loaded.extend(wanted.iter().copied());
        wanted
    }

    /// Returns the columns that go out of view and those that come into it, in order. Both are
    /// taken as done, but one that goes does not come again before it [has left](Columns::left).
    pub fn follow(&mut self, players: &Players) -> [Vec<ColumnPos>; 2] {
        let (near, seen) = (players.seen(VIEW + 1), players.seen(VIEW));
        let mut gone: Vec<ColumnPos> = self.loaded.iter().copied().collect();
        gone.retain(|column| !near.contains(column));
        gone.sort_unstable();
        gone.iter().for_each(|column| _ = self.loaded.remove(column));
        self.leaving.extend(gone.iter().copied());
        let is_away =
            |column: &ColumnPos| !self.loaded.contains(column) && !self.leaving.contains(column);
        let come: Vec<ColumnPos> = seen.into_iter().filter(is_away).collect();
        self.loaded.extend(come.iter().copied());
        self.moved += gone.len() + come.len();
        [gone, come]
    }

    /// Notes that a column was removed.
    pub fn left(&mut self, column: ColumnPos) {
        self.leaving.remove(&column);
    }
}

/// Returns the chunk positions of a column, from below.
pub fn chunks_of(column: ColumnPos) -> impl Iterator<Item = ChunkPos> {
    (0..COLUMN).map(move |y| column.chunk(y))
}

fn column_of(at: DVec2) -> ColumnPos {
    ColumnPos::from(at.floor().as_ivec2() >> 4)
}
