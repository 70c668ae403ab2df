//! The header is made of the sources, and each function's document is whole.
//!
//! `FP_HEADER=write cargo test -p floodplain-c header` writes it again after a change.

use std::path::Path;

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the header that the sources make.
fn made() -> String {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).expect("it parses");
    let bindings = cbindgen::Builder::new().with_crate(folder()).with_config(config).generate();
    let mut header = Vec::new();
    bindings.expect("the sources parse").write(&mut header);
    String::from_utf8(header).expect("UTF-8")
}

#[test]
fn the_header_is_that_of_the_sources() {
    let (path, made) = (folder().join("include/floodplain.h"), made());
    if std::env::var_os("FP_HEADER").is_some() {
        std::fs::write(&path, &made).expect("a header is written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = kept.lines().zip(made.lines()).position(|(kept, made)| kept != made);
    assert!(
        kept == made,
        "include/floodplain.h differs from line {:?} on; write it by \
         FP_HEADER=write cargo test -p floodplain-c header",
        differs.map(|line| line + 1)
    );
}

/// Returns each function of the header with the comment above it.
fn functions(header: &str) -> Vec<(&str, &str)> {
    let blocks = header.split("/**").skip(1).filter_map(|block| block.split_once("*/"));
    let functions = blocks.filter_map(|(comment, code)| {
        let code = code.split(';').next()?;
        let name = code.split('(').next()?.split_whitespace().last()?.trim_start_matches('*');
        (code.contains('(') && name.starts_with("fp_")).then_some((name, comment))
    });
    functions.collect()
}

#[test]
fn every_function_of_the_sources_is_in_the_header_with_its_errors() {
    let header = made();
    let functions = functions(&header);
    let mut exported = 0;
    for file in std::fs::read_dir(folder().join("src")).expect("the sources") {
        let source = std::fs::read_to_string(file.expect("a file").path()).expect("a source");
        exported += source.matches("#[unsafe(no_mangle)]").count();
    }
    assert_eq!(functions.len(), exported);
    for (name, comment) in functions {
        assert!(comment.contains("Errors: "), "{name} does not say which errors it has");
        assert!(comment.len() > 60, "{name} has a short document");
    }
}
