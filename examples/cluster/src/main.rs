//! Worlds over several processes, on MPI: each rank owns columns of chunks, and all ranks together
//! have the bytes and the account of one process.
//!
//! ```sh
//! mpirun -n 4 --oversubscribe target/release/cluster soil --ticks 400 --out target/cluster
//! ```
//!
//! | file | what |
//! |---|---|
//! | `options`, `scenes` | the command line; the worlds, generated column by column |
//! | `wire`, `exchange` | lists of bytes by chunk; messages between ranks |
//! | `rank` | a rank: its part of the world, steps with messages behind the inside, ghosts |
//! | `roam` | columns that are loaded and unloaded: a window that moves over the world |
//! | `moves` | columns that go from rank to rank, by awake cells |
//! | `blocks` | several steps between two messages, beside copies of columns |
//! | `saves` | saves in two phases, whole or not there |
//! | `meter` | what ticks cost, for `scale` |
//! | `faults` | errors and panics end all ranks |
//! | `picture` | a map of owners and loads |
//! | `valley` | water over regions: the scene, its messages, moves and saves, and its picture |

mod blocks;
mod exchange;
mod faults;
mod meter;
mod moves;
mod options;
mod picture;
mod rank;
mod roam;
mod saves;
mod scenes;
mod valley;
mod wire;

use blocks::run_blocks;
use exchange::Ranks;
use faults::Fault;
use floodplain::parts::{InParts, Plan};
use options::{Options, SceneName};
use picture::History;
use rank::Rank;
use scenes::{Mean, Pressure, Scene, Slice, Soil};
use std::time::Instant;

fn main() {
    let Some(options) = options::read() else { return };
    let Some(universe) = mpi::initialize() else {
        eprintln!("cluster: MPI is running already");
        std::process::exit(1);
    };
    faults::end_all_on_panic();
    let ranks = Ranks::new(universe.world());
    let done = match options.scene {
        SceneName::Soil => run(&options, ranks, &Soil(options.extent())),
        SceneName::Mean => run(&options, ranks, &Mean(options.extent())),
        SceneName::Blast => run(&options, ranks, &Pressure(options.extent())),
        SceneName::Slice => run(&options, ranks, &Slice(options.extent())),
        SceneName::Valley => valley::run(&options, ranks),
    };
    if let Err(fault) = done {
        faults::end_all(&fault);
    }
}

/// Runs a scene to its last tick, and prints the line of results on rank 0.
fn run<C: Scene>(options: &Options, ranks: Ranks, scene: &C) -> Result<(), Fault> {
    options.write_process_id(ranks.me())?;
    let begin = Instant::now();
    let mut rank = begin_world(options, ranks, scene)?;
    let mut history = History::default();
    history.note(&mut rank)?;
    match options.every {
        Some(every) => run_blocks(options, &mut rank, scene, every, &mut history)?,
        None => run_steps(options, &mut rank, scene, &mut history)?,
    }
    history.note(&mut rank)?;
    rank.write_costs(options)?;
    let sums = rank.sums()?;
    if let (Some(out), 0) = (&options.out, rank.me()) {
        history.draw(out, rank.plan())?;
    }
    if rank.me() == 0 {
        println!("{}", sums.to_json(options, begin.elapsed()));
    }
    Ok(())
}

/// Returns this rank's part: of the newest save, or generated.
fn begin_world<C: Scene>(
    options: &Options,
    mut ranks: Ranks,
    scene: &C,
) -> Result<Rank<C::World>, Fault> {
    if let Some(save) = saves::to_resume(options, &mut ranks)? {
        return saves::load(&save, ranks, options, scene);
    }
    let plan = Plan::stripes(scene.columns(0), ranks.count())?;
    let mut world = scene.empty()?;
    // A world that does not fit its split is refused here, before the first tick.
    world.divide(&plan, ranks.me())?;
    for (column, owner) in plan.columns() {
        if owner == ranks.me() {
            scene.fill(&mut world, column)?;
        }
    }
    let mut rank = Rank::new(ranks, world, plan);
    rank.renew_ghosts()?;
    Ok(rank)
}

/// Runs step by step. Columns come, go and move, and saves are made, at set ticks.
fn run_steps<C: Scene>(
    options: &Options,
    rank: &mut Rank<C::World>,
    scene: &C,
    history: &mut History,
) -> Result<(), Fault> {
    while rank.ticks() < options.ticks {
        options.fail_if_asked(rank.me(), rank.ticks()..rank.ticks() + 1);
        rank.step()?;
        let tick = rank.ticks();
        if let Some(roam) = options.roam_at(tick) {
            rank.roam(scene, roam)?;
        }
        if options.balance.is_some_and(|every| tick.is_multiple_of(every)) {
            history.note(rank)?;
            rank.balance()?;
        }
        if options.save_every.is_some_and(|every| tick.is_multiple_of(every)) {
            saves::save(options, rank)?;
        }
    }
    rank.settle()
}
