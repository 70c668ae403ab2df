//! The patches of `tests/mutants` still fit the code, and the patches of divided worlds name tests
//! that exist: they are run seldom, and would rot.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn patches(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ROOT).join("tests/mutants").join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "patch")).collect()
}

/// Returns the file of a patch, and of each of its hunks the old text with a line of context before
/// and after: `patch` lets the lines beyond differ, too.
fn hunks(patch: &str) -> (&str, Vec<String>) {
    let file = patch.lines().find_map(|line| line.strip_prefix("--- a/")).unwrap();
    let old_text = |hunk: &str| {
        let lines: Vec<&str> = hunk.lines().skip(1).collect();
        let is_change = |line: &&str| line.starts_with(['-', '+']);
        let first = lines.iter().position(is_change).unwrap();
        let last = lines.iter().rposition(is_change).unwrap();
        let near = &lines[first.saturating_sub(1)..(last + 2).min(lines.len())];
        let old = near.iter().filter(|line| !line.starts_with('+'));
        // Of an empty line of context, editors drop the space.
        old.map(|line| line.get(1..).unwrap_or("")).collect::<Vec<_>>().join("\n")
    };
    (file, patch.split("\n@@ ").skip(1).map(old_text).collect())
}

#[test]
fn every_mutant_fits_the_code() {
    for (folder, least) in [("patches", 10), ("parts", 10), ("regions", 3)] {
        let patches = patches(folder);
        assert!(patches.len() >= least, "{} in {folder}", patches.len());
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
fn every_mutant_of_divided_worlds_has_a_killer() {
    for program in ["parts", "regions"] {
        for path in patches(program) {
            let patch = fs::read_to_string(&path).unwrap();
            let killer = patch.lines().find_map(|line| line.strip_prefix("killed by ")).unwrap();
            let (module, test) = killer.split_once("::").unwrap();
            let tests = Path::new(ROOT).join(format!("tests/{program}/{module}.rs"));
            let tests = fs::read_to_string(tests).unwrap();
            assert!(tests.contains(&format!("fn {test}()")), "{}: {killer}", path.display());
        }
    }
}
