//! The water of the example `server_tick` with all that is loaded, in whole ticks.

#[expect(dead_code, reason = "the example itself uses the rest")]
#[path = "../server_tick/game.rs"]
mod game;
#[path = "../server_tick/ground.rs"]
mod ground;
#[path = "../server_tick/players.rs"]
mod players;

use crate::workloads::World;
use floodplain::water::{Rules, WaterWorld};
use game::{Game, LENGTH};
use std::error::Error;

/// Players, and ticks before the first that counts, in which the rivers come to flow.
const PLAYERS: usize = 50;
const WARM_UP: u64 = 600;
/// Ticks of a run, in which all events happen.
const TICKS: u64 = 300;

pub struct Server {
    world: WaterWorld,
    /// `None` if the players do nothing.
    game: Option<Game>,
}

impl Server {
    /// Returns a server whose players wander, dig and blast.
    pub fn new() -> Result<Server, Box<dyn Error>> {
        let mut world = WaterWorld::new(7, Rules::default())?;
        let mut game = Game::new(PLAYERS, None, None);
        game.set_river_ends(&mut world);
        world.insert_chunks(game.first_chunks())?;
        world.run(WARM_UP);
        Ok(Server { world, game: Some(game) })
    }

    /// Returns the same with its rivers in flow, in which nobody does anything.
    pub fn rivers() -> Result<Server, Box<dyn Error>> {
        Ok(Server { game: None, ..Server::new()? })
    }
}

impl World for Server {
    /// Queues the edits, which are made in the tick and measured with it.
    fn prepare(&mut self, tick: u64) {
        let Some(game) = &mut self.game else { return };
        game.end_tick(&mut self.world, true);
        let time = |tick: u64| tick * LENGTH / TICKS;
        game.queue_tick(&mut self.world, time(tick)..time(tick + 1));
    }

    fn awake_chunks(&self) -> usize {
        self.world.awake_chunks().count()
    }

    fn tick(&mut self, _: u64) -> u64 {
        self.world.step().visited
    }

    fn memory_bytes(&self) -> usize {
        self.world.memory_bytes()
    }

    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }
}
