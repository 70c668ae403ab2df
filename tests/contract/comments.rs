//! Comments fit into the columns that rustfmt keeps code in. Tables and links are as wide as they
//! need to be.

use std::fs;
use std::path::{Path, PathBuf};

/// Columns, as in rustfmt.toml.
const MOST: usize = 100;

/// Adds the Rust sources in a folder, outside of build folders.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "target" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether a line is a comment of text that is too wide.
fn is_wide(line: &str) -> bool {
    let line = line.trim_end();
    let text = line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!']));
    line.chars().count() > MOST
        && text.is_some_and(|text| !text.trim_start().starts_with('|') && !text.contains("://"))
}

#[test]
fn comments_are_no_wider_than_code() {
    assert!(is_wide(&format!("    // {}", "x".repeat(94))));
    assert!(!is_wide(&format!("    // {}", "×".repeat(93))));
    let mut found = Vec::new();
    for folder in ["src", "tests", "examples", "benches", "fuzz"] {
        sources(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(folder), &mut found);
    }
    assert!(found.len() > 300, "{} sources", found.len());
    let wide_in = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let wide = text.lines().enumerate().filter(|(_, line)| is_wide(line));
        wide.map(|(at, _)| format!("{}:{}", path.display(), at + 1)).collect::<Vec<_>>()
    };
    let wide: Vec<String> = found.iter().flat_map(wide_in).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}
