//! What the tests of command lines have in common.

use std::ffi::OsString;
use std::fmt::Debug;

/// Returns the arguments of a line.
pub fn arguments(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

/// Asserts that `--help` asks for help, and that each of these lines is refused by one line.
pub fn check<T: Debug + PartialEq>(
    read: impl Fn(&str) -> Result<Option<T>, String>,
    refused: &[&str],
) {
    assert_eq!(read("--help"), Ok(None));
    for line in refused {
        let error = read(line).unwrap_err();
        assert!(!error.is_empty() && !error.contains('\n'), "{line}: {error}");
    }
}
