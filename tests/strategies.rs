//! Strategies of proptest for what `floodplain::testing` draws of bytes. They shrink by the bytes.
//!
//! The crate has finer ones with its feature `proptest`, which `tests/proptest` checks. Here that
//! feature is off: it would add ten crates to what the first command of a newcomer builds.

use floodplain::Region;
use floodplain::testing::{Bytes, Op, Run, Small, Start};
use proptest::collection::vec;
use proptest::prelude::*;
use std::fmt::Debug;
use std::ops::Range;

/// The bytes that a value is drawn of.
fn bytes() -> impl Strategy<Value = Vec<u8>> + Clone {
    vec(any::<u8>(), 256)
}

/// Returns any value that a function draws.
pub fn drawn<T: Debug>(
    draw: impl Fn(&mut Bytes<'_>) -> T + Clone,
) -> impl Strategy<Value = T> + Clone {
    bytes().prop_map(move |bytes| draw(&mut Bytes(&bytes)))
}

/// Returns any edit of a world within bounds.
pub fn edits<W: Small>(bounds: Region) -> impl Strategy<Value = W::Edit> + Clone {
    drawn(move |bytes| W::edit(bytes, bounds))
}

/// Returns any operation on a watched world, with edits within bounds.
pub fn ops<W: Small>(bounds: Region) -> impl Strategy<Value = Op<W::Edit>> + Clone {
    drawn(move |bytes| Op::draw_with(bytes, bounds, W::edit))
}

/// Returns small worlds with a number of operations.
pub fn runs<W: Small>(count: Range<usize>) -> impl Strategy<Value = Run<W>> {
    let start = drawn(|bytes| Start::draw_of::<W>(bytes));
    (start, vec(bytes(), count)).prop_map(|(start, ops)| {
        let op = |bytes: &Vec<u8>| Op::draw_with(&mut Bytes(bytes), start.bounds, W::edit);
        Run { ops: ops.iter().map(op).collect(), start }
    })
}
