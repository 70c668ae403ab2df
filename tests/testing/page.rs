//! The page *Fuzz your own rules* against the folder `fuzz/`.

use std::fs;

/// What readers copy is compiled and run with the other targets.
#[test]
fn the_target_of_the_page_is_the_one_of_the_folder() {
    let page = fs::read_to_string("../src/testing/mod.rs").unwrap();
    let code = page.split("//! ```ignore\n").nth(1).unwrap().split("//! ```\n").next().unwrap();
    let shown: String = code
        .lines()
        .map(|line| line.strip_prefix("//! ").unwrap_or_default().to_owned() + "\n")
        .collect();
    let target = fs::read_to_string("../fuzz/fuzz_targets/own_rules.rs").unwrap();
    assert_eq!(shown, target);
    let manifest = fs::read_to_string("../fuzz/Cargo.toml").unwrap();
    assert!(manifest.contains("path = \"fuzz_targets/own_rules.rs\""));
}
