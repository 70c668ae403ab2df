//! How fast this machine runs the four systems: chunk updates and cells a second, and bytes, for
//! each automaton and for water in six situations, with one thread and with all. Prints a table,
//! writes the figures as lines of JSON and draws them; `--against FILE` compares with the lines of
//! an earlier run.
//!
//! ```text
//! cargo run --release --example throughput
//! cargo run --release --example throughput -- --against target/throughput/before.jsonl
//! ```

#[path = "../shared/answer.rs"]
mod answer;
mod chart;
#[path = "../../benches/worlds/fields.rs"]
mod fields;
mod figures;
#[path = "../shared/labels.rs"]
mod labels;
mod options;
#[path = "../shared/png_file.rs"]
mod png_file;
mod table;
mod water;
#[expect(dead_code, reason = "benches use the rest")]
#[path = "../../benches/worlds/water.rs"]
mod water_worlds;
mod workloads;

use figures::{Figures, Sample};
use indicatif::{ProgressBar, ProgressStyle};
use options::Options;
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use workloads::Workload;

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
    let workloads: Vec<Workload> = workloads::all()
        .into_iter()
        .filter(|workload| options.only.as_ref().is_none_or(|name| name == workload.name))
        .collect();
    if workloads.is_empty() {
        let names: Vec<&str> = workloads::all().iter().map(|workload| workload.name).collect();
        return Err(format!("--only is one of {}", names.join(", ")).into());
    }
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

/// Runs a workload so many times, each time from the beginning.
fn run(workload: &Workload, threads: usize, samples: usize) -> Result<Figures, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut figures = Figures::new(workload.name, threads, workload.ticks);
    for _ in 0..samples {
        let mut world = (workload.build)()?;
        let mut sample = Sample::default();
        for tick in 0..workload.ticks {
            sample.chunks += world.awake_chunks() as u64;
            let start = Instant::now();
            sample.cells += pool.install(|| world.tick(tick));
            sample.seconds += start.elapsed().as_secs_f64();
        }
        figures.add(sample, world.memory_bytes(), world.state_hash())?;
    }
    Ok(figures)
}

fn progress_bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}");
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
