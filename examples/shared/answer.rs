//! How an example that draws ends.

use std::io::Write;
use std::process::ExitCode;

/// Prints the text on standard output, or the error on standard error with exit code 2.
pub fn print(name: &str, answer: Result<String, String>) -> ExitCode {
    match answer {
        // If the reader has closed the pipe, the failed write is not worth an error.
        Ok(text) => drop(std::io::stdout().write_all(text.as_bytes())),
        Err(error) => {
            eprintln!("{name}: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
