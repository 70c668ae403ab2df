//! Prints the state hash of each recorded world, one a line, and holds them against
//! `tests/data/golden/state_hashes.txt`.
//!
//! Exit code 1 if any differs. With the argument `record` it only prints; `.ci/platforms record`
//! writes that to the file. With `short` it leaves out the valley, which takes an hour where
//! unoptimised code is emulated.

mod automata;
mod caves;
#[expect(dead_code, reason = "the example uses the rest")]
#[path = "../../../examples/valley/dem.rs"]
mod dem;
#[path = "../../../examples/valley/ground.rs"]
mod ground;
#[path = "../../../examples/valley/rivers.rs"]
mod rivers;
mod scenarios;
#[expect(dead_code, reason = "the example uses the rest")]
#[path = "../../../examples/valley/storm.rs"]
mod storm;
mod valley;

use std::process::ExitCode;

const GOLDEN: &str = include_str!("../../data/golden/state_hashes.txt");
const VALLEY_TICKS: u64 = 200;

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    let check = argument.as_deref() != Some("record");
    let valley_count = usize::from(argument.as_deref() != Some("short"));
    let scenarios =
        scenarios::SCENARIOS.iter().map(|&(name, text)| (name, scenarios::state_hash(text)));
    let automata = automata::WORLDS
        .iter()
        .map(|&(name, hash)| (name, hash().map_err(|error| error.to_string())));
    let caves =
        std::iter::once_with(|| ("caves", caves::state_hash().map_err(|error| error.to_string())));
    let valley = std::iter::once_with(|| ("valley", valley::state_hash(VALLEY_TICKS)));
    #[cfg(feature = "rayon")]
    eprintln!("in a pool of {} threads", rayon::current_num_threads());
    let mut differ = 0;
    for (name, hash) in scenarios.chain(automata).chain(caves).chain(valley.take(valley_count)) {
        let line = match hash {
            Ok(hash) => format!("{name} {hash:016x}"),
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        };
        println!("{line}");
        if check && !GOLDEN.lines().any(|golden| golden == line) {
            eprintln!("{line} is not what was recorded");
            differ += 1;
        }
    }
    if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
