//! How fast this machine runs the four systems: chunk updates and cells a second, the longest
//! ticks, and bytes, for each automaton and for water in six situations, with one thread and with
//! all. Prints a table, writes the figures as lines of JSON and draws them; `--against FILE`
//! compares with the lines of an earlier run. `--only` may also name one of some longer jobs of
//! water, on which `benches/compare` measures two commits by turns.
//!
//! ```text
//! cargo run --release --example throughput
//! cargo run --release --example throughput -- --against target/throughput/before.jsonl
//! ```

#[path = "../shared/answer.rs"]
mod answer;
mod chart;
#[cfg(test)]
#[path = "../shared/command_line.rs"]
mod command_line;
#[path = "../../benches/worlds/fields.rs"]
mod fields;
mod figures;
#[path = "../../benches/worlds/jobs.rs"]
mod jobs;
#[path = "../shared/labels.rs"]
mod labels;
#[path = "../shared/number.rs"]
mod number;
mod options;
#[path = "../shared/png_file.rs"]
mod png_file;
mod server;
#[path = "../../benches/worlds/stopwatch.rs"]
mod stopwatch;
mod table;
mod valley;
mod water;
mod workloads;
#[path = "../../benches/worlds/water.rs"]
mod worlds;

use figures::{Figures, Sample};
use indicatif::{ProgressBar, ProgressStyle};
use options::Options;
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use stopwatch::Stopwatch;
use workloads::{Workload, World};

fn main() -> ExitCode {
    let answer = match options::parse(std::env::args_os().skip(1)) {
        Ok(None) => Ok(options::HELP.to_owned()),
        Ok(Some(options)) => measure(&options).map_err(|error| error.to_string()),
        Err(error) => Err(error),
    };
    answer::print("throughput", answer)
}

/// Measures all that is wanted, writes the files, and returns the text to print.
fn measure(options: &Options) -> Result<String, Box<dyn Error>> {
    let before = options.against.as_deref().map_or(Ok(Vec::new()), earlier)?;
    let workloads = wanted(options.only.as_deref())?;
    // Before all that takes time.
    let in_folder = |error: io::Error| format!("{}: {error}", options.out.display());
    std::fs::create_dir_all(&options.out).map_err(in_folder)?;
    let bar = progress_bar((workloads.len() * options.threads.len()) as u64);
    let mut figures = Vec::new();
    for workload in &workloads {
        for &threads in &options.threads {
            bar.set_message(format!("{}, threads: {threads}", workload.name));
            figures.push(run(workload, threads, options.samples)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let lines: String = figures.iter().map(|figures| figures.to_line() + "\n").collect();
    std::fs::write(options.out.join("throughput.jsonl"), lines).map_err(in_folder)?;
    let picture = options.out.join("throughput.png");
    chart::draw(&picture, &figures, &before)?;
    Ok(table::of(&figures, &before)
        + &format!("\n{} and throughput.jsonl beside it\n", picture.display()))
}

/// Returns the figures of an earlier run; errors name the file.
fn earlier(path: &Path) -> Result<Vec<Figures>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let figures = text.and_then(|text| figures::read(&text));
    figures.map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the workloads of a run, or the one that is named, which may be a longer one.
fn wanted(only: Option<&str>) -> Result<Vec<Workload>, String> {
    let Some(name) = only else { return Ok(workloads::usual()) };
    let all = || workloads::usual().into_iter().chain(workloads::long());
    all().find(|workload| workload.name == name).map(|workload| vec![workload]).ok_or_else(|| {
        let names: Vec<&str> = all().map(|workload| workload.name).collect();
        format!("--only is one of {}", names.join(", "))
    })
}

/// Runs a workload so many times, each time from the beginning.
fn run(workload: &Workload, threads: usize, samples: usize) -> Result<Figures, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let tick = |world: &mut dyn World, tick| match threads {
        1 => {
            let stopwatch = Stopwatch::start();
            (world.tick(tick), stopwatch.stop())
        }
        _ => {
            let start = Instant::now();
            (world.tick(tick), start.elapsed())
        }
    };
    let sample = |_| -> Result<Sample, Box<dyn Error>> {
        let mut world = (workload.build)()?;
        let mut sample = Sample::default();
        for at in 0..workload.ticks {
            world.prepare(at);
            if world.is_done() {
                break;
            }
            sample.chunks += world.awake_chunks() as u64;
            let (cells, time) = pool.install(|| tick(&mut *world, at));
            sample.cells += cells;
            sample.ticks.push(time.as_secs_f64());
        }
        (sample.units, sample.bytes) = (world.units_by_pressure(), world.memory_bytes() as u64);
        sample.hash = world.state_hash();
        Ok(sample)
    };
    let samples = (0..samples).map(sample).collect::<Result<Vec<Sample>, _>>()?;
    Ok(Figures::of(workload.name, threads, &samples)?)
}

fn progress_bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}");
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_and_long_workloads_are_found_by_names_of_their_own() {
        let usual = wanted(None).unwrap();
        let all: Vec<&str> = usual.into_iter().chain(workloads::long()).map(|it| it.name).collect();
        for name in &all {
            let found = wanted(Some(name)).unwrap();
            assert_eq!((found.len(), found[0].name), (1, *name));
            assert_eq!(all.iter().filter(|other| *other == name).count(), 1, "{name}");
        }
        assert!(wanted(Some("what")).err().unwrap().contains("dam_until_rest"));
    }

    #[test]
    fn a_file_that_cannot_be_compared_with_is_named() {
        let path = std::env::temp_dir().join(format!("throughput-{}.jsonl", std::process::id()));
        let name = path.display().to_string();
        assert!(earlier(&path).unwrap_err().starts_with(&name), "it is not there");
        std::fs::write(&path, "{}\n").unwrap();
        let error = earlier(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(error, Err(format!("{name}: line 1: not of this program")));
    }
}
