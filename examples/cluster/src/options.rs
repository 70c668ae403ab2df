//! The command line.

use crate::faults::Fault;
use crate::roam::Roam;
use crate::scenes::Extent;
use lexopt::prelude::*;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

const HELP: &str = "\
mpirun -n RANKS --oversubscribe cluster SCENE [options]

Scenes: soil   humidity under a storm, on cubes, conservative
        mean   humidity on sheets, by the synchronous mean
        blast  explosions between walls that break, on cubes
        slice  a slice of water, by the literal rule
        valley a storm over a valley: water over regions of 64 cells

  --size N          columns along each axis (12; of mean and slice along x)
  --ticks N         ticks to run to (200)
  --every K         exchange every K steps, beside copies of columns, not every step
  --balance N       every N ticks, let columns or regions move to ranks with less to do
  --roam N          every N ticks, the window of loaded columns moves by one along x
  --saves FOLDER    where saves are
  --save-every N    save every N ticks
  --resume          go on from the newest save, if there is one
  --out FOLDER      write cluster.png there
  --measure FILE    write what ticks cost each rank, as CSV; step by step only
  --fail RANK:TICK  panic on a rank at a tick
  --slow-saves MS   wait between the phases of a save, and write process ids there
";

/// A world to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SceneName {
    Soil,
    Mean,
    Blast,
    Slice,
    Valley,
}

/// What the command line asks for.
pub struct Options {
    pub scene: SceneName,
    pub size: i32,
    pub ticks: u64,
    pub every: Option<u64>,
    pub balance: Option<u64>,
    roam: Option<u64>,
    saves: Option<PathBuf>,
    pub save_every: Option<u64>,
    pub resume: bool,
    pub out: Option<PathBuf>,
    pub measure: Option<PathBuf>,
    fail: Option<(usize, u64)>,
    pub slow_saves: Duration,
}

impl Options {
    /// Returns what is run if the command line has no options.
    fn of_none() -> Options {
        Options {
            scene: SceneName::Soil,
            size: 12,
            ticks: 200,
            every: None,
            balance: None,
            roam: None,
            saves: None,
            save_every: None,
            resume: false,
            out: None,
            measure: None,
            fail: None,
            slow_saves: Duration::ZERO,
        }
    }

    /// Returns why these options cannot be used together, if they cannot.
    fn check(&self) -> Result<(), &'static str> {
        let of_columns = self.every.is_some() || self.roam.is_some() || self.measure.is_some();
        if self.scene == SceneName::Valley && of_columns {
            return Err("valley has no --every, --roam and --measure");
        }
        if self.measure.is_some() && self.every.is_some() {
            return Err("--measure is for runs step by step, without --every");
        }
        if self.saves.is_none() && (self.save_every.is_some() || self.resume) {
            return Err("--saves FOLDER is missing");
        }
        Ok(())
    }

    /// Returns the folder of saves.
    pub fn saves(&self) -> Option<&Path> {
        self.saves.as_deref()
    }

    /// Returns the name of the world that these options describe: its scene, size and travel.
    pub fn world_name(&self) -> String {
        let roam = self.roam.map(|every| format!(", roaming every {every}")).unwrap_or_default();
        format!("{:?} {}{roam}", self.scene, self.size)
    }

    /// Returns the size of the scene in columns.
    pub fn extent(&self) -> Extent {
        let travel = if self.roam.is_some() { Roam::travel(self.size) } else { 0 };
        Extent { size: self.size, travel }
    }

    /// Returns how the window moves, if it does after this tick.
    pub fn roam_at(&self, tick: u64) -> Option<Roam> {
        let every = self.roam.filter(|&every| tick.is_multiple_of(every))?;
        Some(Roam::new(every, self.size))
    }

    /// Returns where the window begins along x after a tick.
    pub fn begin_at(&self, tick: u64) -> i32 {
        self.roam.map_or(0, |every| Roam::new(every, self.size).begin_at(tick))
    }

    /// Returns the ticks until the window moves or the run ends.
    pub fn steps_until_roam(&self, tick: u64) -> u64 {
        let left = self.ticks - tick;
        self.roam.map_or(left, |every| left.min(every - tick % every))
    }

    /// Panics if this rank is asked to fail in one of these ticks.
    pub fn fail_if_asked(&self, me: usize, ticks: Range<u64>) {
        if let Some((rank, tick)) = self.fail
            && rank == me
            && ticks.contains(&tick)
        {
            panic!("rank {me} was asked to fail at tick {tick}");
        }
    }

    /// With `--slow-saves`, writes this process's id into the folder of saves, so that a script can
    /// kill it.
    pub fn write_process_id(&self, me: usize) -> Result<(), Fault> {
        if let Some(saves) = self.saves().filter(|_| !self.slow_saves.is_zero()) {
            std::fs::create_dir_all(saves)?;
            let process = std::process::id().to_string();
            std::fs::write(saves.join(format!("rank-{me}.pid")), process)?;
        }
        Ok(())
    }
}

/// Reads the command line. `None` if it asked for help, which was printed; ends the process if it
/// is wrong.
pub fn read() -> Option<Options> {
    match parse(lexopt::Parser::from_env()) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("cluster: {error}\n\n{HELP}");
            std::process::exit(2);
        }
    }
}

fn parse(mut from: lexopt::Parser) -> Result<Option<Options>, lexopt::Error> {
    let mut scene = None;
    let mut options = Options::of_none();
    while let Some(argument) = from.next()? {
        match argument {
            Value(name) if scene.is_none() => scene = Some(name.parse_with(scene_of)?),
            Long("size") => options.size = from.value()?.parse_with(size)?,
            Long("ticks") => options.ticks = from.value()?.parse()?,
            Long("every") => options.every = Some(from.value()?.parse_with(ticks)?),
            Long("balance") => options.balance = Some(from.value()?.parse_with(ticks)?),
            Long("roam") => options.roam = Some(from.value()?.parse_with(ticks)?),
            Long("saves") => options.saves = Some(from.value()?.into()),
            Long("save-every") => options.save_every = Some(from.value()?.parse_with(ticks)?),
            Long("resume") => options.resume = true,
            Long("out") => options.out = Some(from.value()?.into()),
            Long("measure") => options.measure = Some(from.value()?.into()),
            Long("fail") => options.fail = Some(from.value()?.parse_with(rank_and_tick)?),
            Long("slow-saves") => {
                options.slow_saves = Duration::from_millis(from.value()?.parse()?);
            }
            Long("help") | Short('h') => {
                print!("{HELP}");
                return Ok(None);
            }
            other => return Err(other.unexpected()),
        }
    }
    options.scene = scene.ok_or("a scene is missing")?;
    options.check()?;
    Ok(Some(options))
}

fn scene_of(name: &str) -> Result<SceneName, String> {
    Ok(match name {
        "soil" => SceneName::Soil,
        "mean" => SceneName::Mean,
        "blast" => SceneName::Blast,
        "slice" => SceneName::Slice,
        "valley" => SceneName::Valley,
        _ => return Err(format!("there is no scene {name}")),
    })
}

fn size(number: &str) -> Result<i32, String> {
    let size: i32 = number.parse().map_err(|_| format!("{number} is no number"))?;
    if (1..=1000).contains(&size) { Ok(size) } else { Err("a size is 1 to 1,000".into()) }
}

fn ticks(number: &str) -> Result<u64, String> {
    match number.parse() {
        Ok(0) | Err(_) => Err(format!("{number} is no number of ticks from 1 on")),
        Ok(ticks) => Ok(ticks),
    }
}

fn rank_and_tick(text: &str) -> Result<(usize, u64), String> {
    let wrong = || format!("{text} is not RANK:TICK");
    let (rank, tick) = text.split_once(':').ok_or_else(wrong)?;
    Ok((rank.parse().map_err(|_| wrong())?, tick.parse().map_err(|_| wrong())?))
}
