//! The patches of `tests/mutants` still fit the code, and those of worlds in parts name tests that
//! exist: they are run seldom, and would rot.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn patches(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ROOT).join("tests/mutants").join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "patch")).collect()
}

/// Returns the file of a patch, and the old text of each of its hunks.
fn hunks(patch: &str) -> (&str, Vec<String>) {
    let file = patch.lines().find_map(|line| line.strip_prefix("--- a/")).unwrap();
    let mut hunks = Vec::new();
    for hunk in patch.split("\n@@ ").skip(1) {
        let lines = hunk.lines().skip(1);
        let old = lines.filter_map(|line| match line.as_bytes().first() {
            Some(b' ' | b'-') => Some(&line[1..]),
            // Of an empty line of context, editors drop the space.
            None => Some(""),
            _ => None,
        });
        let old: Vec<&str> = old.collect();
        hunks.push(old.join("\n").trim_end().to_owned());
    }
    (file, hunks)
}

#[test]
fn every_mutant_fits_the_code() {
    for folder in ["patches", "parts"] {
        let patches = patches(folder);
        assert!(patches.len() > 9, "{} in {folder}", patches.len());
        for path in patches {
            let patch = fs::read_to_string(&path).unwrap();
            let (file, hunks) = hunks(&patch);
            let code = fs::read_to_string(Path::new(ROOT).join(file)).unwrap();
            assert!(!hunks.is_empty(), "{}", path.display());
            for old in hunks {
                assert!(code.contains(&old), "{}, in {file}:\n{old}", path.display());
            }
        }
    }
}

#[test]
fn every_mutant_of_worlds_in_parts_has_a_killer() {
    for path in patches("parts") {
        let patch = fs::read_to_string(&path).unwrap();
        let killer = patch.lines().find_map(|line| line.strip_prefix("killed by ")).unwrap();
        let (module, test) = killer.split_once("::").unwrap();
        let tests = Path::new(ROOT).join(format!("tests/parts/{module}.rs"));
        let tests = fs::read_to_string(tests).unwrap();
        assert!(tests.contains(&format!("fn {test}()")), "{}: {killer}", path.display());
    }
}
