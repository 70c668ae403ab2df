//! Every test named in the table of guarantees exists. Otherwise a guarantee would be unchecked.

use crate::comments::sources;
use std::fs;
use std::path::Path;

/// The names in backticks that are those of tests: their last part is a sentence.
fn tests_named(text: &str) -> impl Iterator<Item = &str> {
    let is_of_name = |symbol: char| symbol.is_ascii_alphanumeric() || "_:".contains(symbol);
    text.split('`')
        .filter(move |quoted| quoted.chars().all(is_of_name))
        .filter_map(|path| path.rsplit("::").next())
        .filter(|name| name.matches('_').count() >= 3)
}

#[test]
fn every_test_that_the_guarantees_name_is_there() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut files = Vec::new();
    ["src", "tests", "examples/bevy_headless"]
        .iter()
        .for_each(|folder| sources(&root.join(folder), &mut files));
    let all: String = files.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let text = include_str!("../../src/guarantees.rs");
    assert!(tests_named(text).count() > 250, "{} tests named", tests_named(text).count());
    let is_gone = |name: &&str| !all.contains(&format!("fn {name}("));
    let gone: Vec<&str> = tests_named(text).filter(is_gone).collect();
    assert!(gone.is_empty(), "{gone:#?}");
}
