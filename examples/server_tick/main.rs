//! The water of a game server: 50 wandering players on generated ground with rivers, lakes and a
//! sea, 20 ticks a second for a minute of game time. Columns of chunks come and go, it rains, the
//! players dig, two explosions open the banks of a lake and of a river, a dam breaks, and 169
//! springs open at once. Every edit is queued, and the water gets 5 ms of each tick. Columns far
//! from all players stand still, more of them while the water lags behind. Nothing waits for the
//! clock: the run takes as long as its work.
//!
//! Prints how long the ticks took, and draws it.
//!
//! ```text
//! cargo run --release --example server_tick
//! cargo run --release --example server_tick -- --all
//! cargo run --release --example server_tick -- --parts
//! ```

#[path = "../shared/answer.rs"]
mod answer;
mod chart;
mod clients;
#[cfg(test)]
#[path = "../shared/command_line.rs"]
mod command_line;
mod distribution;
mod figures;
mod game;
mod ground;
#[path = "../shared/labels.rs"]
mod labels;
#[path = "../shared/number.rs"]
mod number;
mod options;
mod players;
#[path = "../shared/png_file.rs"]
mod png_file;

use clients::Clients;
use core::ops::Range;
use figures::{Figures, Tick};
use floodplain::water::{Ledger, Ring, Rules, SimulationDistance, WaterWorld};
use game::{Game, Part};
use options::Options;
use players::TICKS_PER_SECOND;
use std::error::Error;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What the water gets of each tick.
const BUDGET: Duration = Duration::from_millis(5);
/// Ticks of the water before the first that counts, in which the rivers come to flow.
const WARM_UP: u64 = 600;

fn main() -> ExitCode {
    let answer = match options::parse(std::env::args_os().skip(1)) {
        Ok(None) => Ok(options::HELP.to_owned()),
        Ok(Some(options)) if options.parts => parts(&options).map_err(|error| error.to_string()),
        Ok(Some(options)) => whole(&options).map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    answer::print("server_tick", answer)
}

/// A game after its warm-up.
struct Server {
    world: WaterWorld,
    game: Game,
    clients: Clients,
}

impl Server {
    fn new(options: &Options, without: Option<Part>) -> Result<Server, Box<dyn Error>> {
        let mut world = WaterWorld::new(7, Rules::default())?;
        let distance =
            options.distance.map(|distance| SimulationDistance::new([Ring::always(distance)]));
        let mut game = Game::new(options.players, distance.transpose()?, without);
        game.set_river_ends(&mut world);
        world.insert_chunks(game.first_chunks())?;
        world.run(WARM_UP);
        let clients = Clients::new(&mut world, game.views());
        Ok(Server { world, game, clients })
    }

    /// One tick of the server, of which the water gets so much time; `None` for as much as it
    /// takes.
    fn tick(&mut self, events: Range<u64>, budget: Option<Duration>) -> Tick {
        let Server { world, game, clients } = self;
        game.queue_tick(world, events);
        let begin = Instant::now();
        game.queue_distance(world);
        let choice = begin.elapsed();
        let edits = world.queued_edits().len();
        let begin = Instant::now();
        let edited = budget.map_or_else(|| make_edits(world), |_| Duration::ZERO);
        let progress = world.step_for(budget.unwrap_or(Duration::MAX));
        let water = begin.elapsed();
        game.end_tick(world, progress.finished);
        let begin = Instant::now();
        let bytes = clients.send(world, game.views());
        Tick {
            water,
            edited,
            feed: begin.elapsed(),
            choice,
            reduction: game.reduction(),
            is_complete: progress.finished,
            edits,
            bytes,
            backlog: world.backlog(),
            awake: world.awake_cells(),
        }
    }

    /// All ticks of a run.
    fn run(&mut self, options: &Options, budget: Option<Duration>) -> Vec<Tick> {
        let ticks = options.seconds * TICKS_PER_SECOND;
        let at = |tick: u64| tick * game::LENGTH / ticks;
        (0..ticks).map(|tick| self.tick(at(tick)..at(tick + 1), budget)).collect()
    }
}

/// Makes the queued edits, each of which is a piece. Returns how long that takes.
fn make_edits(world: &mut WaterWorld) -> Duration {
    let begin = Instant::now();
    while world.queued_edits().len() > 0 {
        world.step_within(0);
    }
    begin.elapsed()
}

/// Runs with the budget; prints and draws the ticks.
fn whole(options: &Options) -> Result<String, Box<dyn Error>> {
    let folder = std::fs::create_dir_all(&options.out);
    folder.map_err(|error| format!("{}: {error}", options.out.display()))?;
    let mut server = Server::new(options, None)?;
    let (before, chunks) = (server.world.ledger(), server.world.chunks().count());
    let ticks = server.run(options, Some(BUDGET));
    let Server { mut world, game, .. } = server;
    let path = options.out.join("server_tick.png");
    chart::draw(&path, &ticks, options.seconds)?;

    let mut text = Figures::of(&ticks).to_string();
    writeln!(
        text,
        "chunks       {chunks} at first, {} at last, {} of them still; {} columns came or went; {} \
         edits refused",
        world.chunks().count(),
        world.frozen_chunks().count(),
        game.columns.moved,
        game.refused,
    )?;
    writeln!(text, "memory       {:.0} MB", world.memory_bytes() as f64 / 1e6)?;
    world.finish_tick();
    assert_eq!(world.total(), world.ledger().total(), "a unit was made or lost");
    writeln!(text, "ledger       {}", account(before, world.ledger()))?;
    writeln!(text, "picture      {}", path.display())?;
    Ok(text)
}

/// Returns what a ledger has more than before, and its total, which was counted.
fn account(before: Ledger, now: Ledger) -> String {
    format!(
        "placed {}, injected {}, removed {}, drained {}, evaporated {}, unloaded {}, loaded {}, \
         from the sea {}, into the sea {}: {} units, as counted",
        now.placed - before.placed,
        now.injected - before.injected,
        now.removed - before.removed,
        now.drained - before.drained,
        now.evaporated - before.evaporated,
        now.unloaded - before.unloaded,
        now.loaded - before.loaded,
        now.from_sea - before.from_sea,
        now.into_sea - before.into_sea,
        now.total(),
    )
}

/// Runs in whole ticks, once with everything and once without each part. Returns what each part
/// adds to the time of the water.
fn parts(options: &Options) -> Result<String, Box<dyn Error>> {
    let run = |without| -> Result<Figures, Box<dyn Error>> {
        let mut server = Server::new(options, without)?;
        Ok(Figures::of(&server.run(options, None)))
    };
    let all = run(None)?;
    let mut text = format!(
        "whole ticks, with everything: {}\nmaking the edits: {:.0} % of that\n",
        all.of_whole_ticks(),
        100.0 * all.mean_edited() / all.mean(),
    );
    for part in Part::ALL {
        let rest = run(Some(part))?;
        let share = 100.0 * (1.0 - rest.mean() / all.mean());
        writeln!(text, "{part:?}: {share:.0} %; without it {}", rest.of_whole_ticks())?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_seconds_of_few_players_have_all_events_and_lose_nothing() {
        let out = std::env::temp_dir().join(format!("server_tick-{}", std::process::id()));
        let options = Options { parts: false, seconds: 2, players: 4, distance: Some(2), out };
        let text = whole(&options).unwrap();
        assert!(text.contains("as counted") && text.contains("p99"), "{text}");
        assert!(options.out.join("server_tick.png").is_file());
        std::fs::remove_dir_all(&options.out).unwrap();
    }
}
