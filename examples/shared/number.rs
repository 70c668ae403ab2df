//! Numbers on the command line.

use core::ops::RangeInclusive;
use lexopt::{Parser, ValueExt};

/// Returns the value of the option of a name, a number of this range, or one line of what is wrong.
pub fn parse(parser: &mut Parser, name: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let value = parser.value().map_err(|error| error.to_string())?;
    let value: u64 = value.parse().map_err(|error| format!("--{name}: {error}"))?;
    if range.contains(&value) {
        return Ok(value);
    }
    Err(format!("--{name}: {value} is not from {} to {}", range.start(), range.end()))
}
