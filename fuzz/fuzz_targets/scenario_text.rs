//! Scenario files: any text is refused with a message in one line, or runs, keeps every law, and
//! reports in JSON.

#![no_main]

use floodplain::scenario::{Run, Scenario};
use libfuzzer_sys::fuzz_target;

/// What is run of a scenario, so that runs stay short.
const MOST_CELLS: u128 = 1024;
const MOST_TICKS: u64 = 8;

fuzz_target!(|text: &str| {
    let scenario = match Scenario::from_toml(text) {
        Ok(scenario) => scenario,
        Err(error) => {
            let lines = text.split('\n').count();
            assert!(error.line <= lines, "line {} of {lines}: {error}", error.line);
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    if scenario.cells() > MOST_CELLS {
        return;
    }
    let Ok(mut run) = Run::new(&scenario) else { return };
    loop {
        assert_eq!(run.validate(), Ok(()), "tick {}", run.tick());
        assert!(run.is_balanced(), "tick {}", run.tick());
        if run.tick() >= MOST_TICKS || !run.step().unwrap_or(false) {
            break;
        }
    }
    let json = run.record().to_json();
    assert!(
        serde_json::from_str::<serde_json::Value>(&json).is_ok_and(|record| record.is_object()),
        "{json}"
    );
});
