//! A game server on a `World`: 20 wandering players on generated ground of soil, sand and rock with
//! lakes and a sea, 20 ticks a second for a minute of game time. Columns of chunks come and go, it
//! rains, the players dig, build, carry water in buckets and set off charges. What they do comes as
//! bytes and is queued within limits; the world gets 8 ms of each tick; clients follow by mirrors,
//! and draw from them; every ten seconds the world is saved on another thread. Nothing waits for
//! the clock: the run takes as long as its work.
//!
//! Prints how long the ticks took. At the end all is counted: the account of water, each cell of
//! each mirror, and the world that the save file holds.
//!
//! ```text
//! cargo run --release --example server_world
//! cargo run --release --example server_world -- --dry --players 50
//! ```

#[path = "../shared/answer.rs"]
mod answer;
mod clients;
#[cfg(test)]
#[path = "../shared/command_line.rs"]
mod command_line;
#[path = "../server_tick/distribution.rs"]
mod distribution;
mod figures;
mod game;
#[expect(dead_code, reason = "`server_tick` uses the rest")]
#[path = "../server_tick/ground.rs"]
mod ground;
mod land;
#[path = "../shared/number.rs"]
mod number;
mod options;
#[path = "../server_tick/players.rs"]
mod players;
mod saves;

use clients::Clients;
use figures::{Figures, Tick};
use floodplain::save_file::SaveFile;
use floodplain::world::Rules;
use floodplain::world::World;
use game::Game;
use options::Options;
use saves::Saves;
use std::error::Error;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Ticks of the world before the first that counts, in which what was generated comes to rest.
const WARM_UP: u64 = 100;
/// Ticks from one save to the next, and chunks that are copied ahead in each.
const SAVES: u64 = 200;
const AHEAD: usize = 32;

fn main() -> ExitCode {
    let answer = match options::parse(std::env::args_os().skip(1)) {
        Ok(None) => Ok(options::HELP.to_owned()),
        Ok(Some(options)) => whole(&options).map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    answer::print("server_world", answer)
}

struct Server {
    world: World,
    game: Game,
    clients: Clients,
    saves: Saves,
}

impl Server {
    fn new(options: &Options) -> Result<Server, Box<dyn Error>> {
        std::fs::create_dir_all(&options.out)
            .map_err(|error| format!("{}: {error}", options.out.display()))?;
        let mut game = Game::new(options)?;
        let mut world = World::new(land::SEED, game.land.palette().clone(), Rules::default())?;
        game.begin(&mut world)?;
        world.run(WARM_UP);
        let clients = Clients::new(&mut world, game.views())?;
        let path = options.out.join("server_world.redb");
        if path.exists() {
            std::fs::remove_file(&path)?;
        }
        let saves = Saves::new(&path, &world)?;
        Ok(Server { world, game, clients, saves })
    }

    /// One tick of the server, of which the world gets so much time.
    fn tick(&mut self, number: u64, budget: Duration) -> Result<Tick, Box<dyn Error>> {
        let Server { world, game, clients, saves } = self;
        game.queue_tick(world, clients, saves, number)?;
        let ((), choice) = timed(|| game.queue_distance(world));
        let edits = world.queued_edits().len();
        let (progress, of_world) = timed(|| world.step_for(budget));
        game.end_tick(world, saves, progress.finished);
        let (sent, feed) = timed(|| clients.send(world, game.views()));
        let is_saved = number % SAVES == SAVES - 1;
        if is_saved {
            saves.wait()?;
        }
        let ((), save) = timed(|| match is_saved {
            true => saves.begin(world),
            false => _ = saves.stream.copy_ahead(world, AHEAD),
        });
        let (received, clients) = timed(|| clients.receive(&sent));
        received?;
        Ok(Tick {
            choice,
            world: of_world,
            feed,
            save,
            clients,
            is_complete: progress.finished,
            edits,
            bytes: sent.iter().flatten().map(Vec::len).sum(),
            awake: world.awake_cells(),
            reduction: game.reduction(),
        })
    }

    /// Completes what is underway and makes what waits, and counts. Returns what there is, or the
    /// first thing that is not as it must be.
    fn check(&mut self) -> Result<String, Box<dyn Error>> {
        let Server { world, game, clients, saves } = self;
        world.finish_tick();
        if world.queued_edits().len() > 0 {
            world.step();
        }
        game.settle_accounts(world, saves);
        world.validate()?;
        let (total, ledger) = (world.total(), world.ledger());
        let drift = total.abs_diff(ledger.total());
        let carried = game.counts.scooped.checked_sub(game.counts.poured);
        if drift != 0 || carried != Some(game.carried()) {
            return Err(format!("a drift of {drift}, {carried:?} of {}", game.carried()).into());
        }
        let sent = clients.send(world, game.views());
        clients.receive(&sent)?;
        let mirrored = clients.compare(world)?;
        Ok(format!(
            "account      0 drift: {total} units of moisture as counted, {} of water in buckets; \
             soaked {}, given back {}, thrown {}\nmirrors      {mirrored} chunks equal\n",
            game.carried(),
            ledger.soaked,
            ledger.sprung,
            ledger.thrown,
        ))
    }

    /// Saves, and opens the file. Returns what the saves wrote.
    fn save(mut self, options: &Options) -> Result<String, Box<dyn Error>> {
        self.saves.wait()?;
        self.saves.begin(&mut self.world);
        self.saves.wait()?;
        let reports = core::mem::take(&mut self.saves.reports);
        drop(self.saves);
        let path = options.out.join("server_world.redb");
        let (_, saved) = SaveFile::<World>::open(&path)?;
        if saved.state_hash() != self.world.state_hash() {
            return Err("the save file holds another world".into());
        }
        let bytes: u64 = reports.iter().map(|report| report.bytes).sum();
        let most = reports.iter().map(|report| report.bytes).max().unwrap_or(0);
        Ok(format!(
            "saves        {} of {} bytes, at most {most}; the file, {:.1} MB, is the world\n",
            reports.len(),
            bytes / reports.len().max(1) as u64,
            std::fs::metadata(&path)?.len() as f64 / 1e6,
        ))
    }
}

/// Returns what a call returns, and how long it took.
fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let result = call();
    (result, begin.elapsed())
}

fn whole(options: &Options) -> Result<String, Box<dyn Error>> {
    let mut server = Server::new(options)?;
    let chunks = server.world.chunks().count();
    let ticks = (0..options.ticks).map(|number| server.tick(number, options.budget));
    let ticks: Vec<Tick> = ticks.collect::<Result<_, _>>()?;
    let mut text = Figures(&ticks).to_string();
    let Server { world, game, clients, .. } = &server;
    let counts = &game.counts;
    writeln!(
        text,
        "chunks       {chunks} at first, {} at last, {} of them still; {} columns came or went",
        world.chunks().count(),
        world.water().frozen_chunks().count(),
        game.columns_moved(),
    )?;
    writeln!(
        text,
        "players      {} edits, {} refused; {} charges broke {} cells",
        counts.made, counts.refused, counts.charges, counts.broken,
    )?;
    let (of_world, of_feed) = (world.memory_bytes() as f64, clients.memory_bytes() as f64);
    writeln!(text, "memory       {:.1} MB, the feed {:.1} MB", of_world / 1e6, of_feed / 1e6)?;
    text += &server.check()?;
    text += &server.save(options)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_ticks_of_two_players_lose_nothing_and_mirrors_and_saves_follow() {
        let out = std::env::temp_dir().join(format!("server_world-{}", std::process::id()));
        let budget = Duration::from_millis(8);
        let options = Options { players: 2, ticks: 40, budget, distance: 1, has_rain: true, out };
        let text = whole(&options).unwrap();
        for said in ["0 drift", "chunks equal", "is the world", "1 charges"] {
            assert!(text.contains(said), "{said}: {text}");
        }
        std::fs::remove_dir_all(&options.out).unwrap();
    }
}
