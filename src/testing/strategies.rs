//! Strategies of the crate proptest for all values that are drawn from bytes. They shrink a value
//! by shrinking its bytes.

use super::bytes::Bytes;
use super::draw::{Small, Start, near};
use super::op::Op;
use super::run::Run;
use crate::{Cube, Region};
use arbitrary::Arbitrary;
use core::fmt::{self, Debug};
use core::ops::Range;
use proptest::arbitrary::any as any_of;
use proptest::collection::vec;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::sync::Arc;

/// The most bytes that a value is drawn from; bytes beyond them are 0.
const MOST_BYTES: usize = 256;

/// Returns a strategy for the edits of a world of kind `W` that [`Small::edit`] draws within these
/// bounds. It shrinks towards edits of one cell at the least corner, with no units.
pub fn edits<W: Small>(bounds: Region) -> impl Strategy<Value = W::Edit> + Clone {
    drawn(move |bytes| W::edit(bytes, bounds))
}

/// Returns a strategy for the operations on a watched world of kind `W`, with edits within these
/// bounds. It shrinks towards a single tick.
pub fn ops<W: Small>(bounds: Region) -> impl Strategy<Value = Op<W::Edit>> + Clone {
    drawn(move |bytes| Op::draw_with(bytes, bounds, W::edit))
}

/// Returns a strategy for a small world of kind `W` with a number of operations. It shrinks towards
/// fewer operations, fewer ticks in each, edits of fewer cells and chunks, and less water.
///
/// ```
/// use floodplain::testing::strategies::runs;
/// use floodplain::water::WaterWorld;
/// use proptest::test_runner::TestRunner;
///
/// TestRunner::default()
///     .run(&runs::<WaterWorld>(1..5), |run| {
///         run.check().unwrap();
///         Ok(())
///     })
///     .unwrap();
/// ```
pub fn runs<W: Small>(count: Range<usize>) -> impl Strategy<Value = Run<W>> {
    // The bounds are not drawn yet, but an operation takes the same bytes within any bounds.
    let op = |bytes: &mut Bytes<'_>| {
        let before = bytes.0;
        Op::draw_with(bytes, near::<Cube>(), W::edit);
        before[..before.len() - bytes.0.len()].to_vec()
    };
    let start = drawn(|bytes| Start::draw_of::<W>(bytes));
    (start, vec(drawn(op), count)).prop_map(|(start, ops)| {
        let op = |bytes: &Vec<u8>| Op::draw_with(&mut Bytes(bytes), start.bounds, W::edit);
        Run { ops: ops.iter().map(op).collect(), start }
    })
}

/// Returns a strategy for the values that a function draws from random bytes. It shrinks a value by
/// making its bytes fewer and smaller. The function should take more bytes for larger values, and
/// smaller bytes should mean simpler values.
///
/// ```
/// use floodplain::testing::strategies::drawn;
/// use proptest::strategy::Strategy;
///
/// let dice = drawn(|bytes| 1 + bytes.byte() % 6).prop_map(|eyes| eyes * 2);
/// # let _ = dice;
/// ```
pub fn drawn<T: Debug + 'static>(
    draw: impl Fn(&mut Bytes<'_>) -> T + 'static,
) -> impl Strategy<Value = T> + Clone {
    Generated { draw: Arc::new(draw) }
}

/// Returns a strategy for any value of a type that is an `Arbitrary` of the crate [arbitrary]:
/// rules, edits, chunks.
///
/// ```
/// use floodplain::testing::strategies::any;
/// use floodplain::water::Rules;
/// use proptest::test_runner::TestRunner;
///
/// TestRunner::default()
///     .run(&any::<Rules>(), |rules| {
///         rules.check().unwrap();
///         Ok(())
///     })
///     .unwrap();
/// ```
///
/// [arbitrary]: https://docs.rs/arbitrary
pub fn any<T>() -> impl Strategy<Value = T> + Clone
where
    T: for<'a> Arbitrary<'a> + Debug + 'static,
{
    drawn(|bytes| bytes.any())
}

struct Generated<T> {
    draw: Arc<dyn Fn(&mut Bytes<'_>) -> T>,
}

impl<T> Clone for Generated<T> {
    fn clone(&self) -> Generated<T> {
        Generated { draw: Arc::clone(&self.draw) }
    }
}

impl<T> Debug for Generated<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Generated")
    }
}

impl<T: Debug> Strategy for Generated<T> {
    type Tree = DrawnTree<T>;
    type Value = T;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut bytes = vec(any_of::<u8>(), MOST_BYTES).new_tree(runner)?.current();
        let mut left = Bytes(&bytes);
        (self.draw)(&mut left);
        let used = bytes.len() - left.0.len();
        bytes.truncate(used);
        let draw = Arc::clone(&self.draw);
        Ok(DrawnTree { draw, before: bytes.clone(), bytes, at: 0, attempt: Attempt::Cut })
    }
}

/// The ways to simplify bytes, each tried at every place in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Attempt {
    /// Remove all bytes from the place on; the earliest place, which removes most, comes first.
    Cut,
    /// Set the byte to 0.
    Zero,
    /// Halve the byte, until that has no more effect.
    Halve,
    /// Make the byte one less, until that has no more effect.
    Less,
}

/// A value drawn from bytes, and how far it has been shrunk.
struct DrawnTree<T> {
    draw: Arc<dyn Fn(&mut Bytes<'_>) -> T>,
    bytes: Vec<u8>,
    /// The bytes before the last attempt.
    before: Vec<u8>,
    at: usize,
    attempt: Attempt,
}

impl<T> Debug for DrawnTree<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrawnTree").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl<T> DrawnTree<T> {
    /// Makes the next attempt that changes a byte. Returns whether there is one.
    fn attempt(&mut self) -> bool {
        self.before.clone_from(&self.bytes);
        while self.at < self.bytes.len() {
            let byte = self.bytes[self.at];
            let lesser = match self.attempt {
                Attempt::Cut => {
                    self.bytes.truncate(self.at);
                    return true;
                }
                Attempt::Zero => 0,
                Attempt::Halve => byte / 2,
                Attempt::Less => byte.saturating_sub(1),
            };
            if lesser < byte {
                self.bytes[self.at] = lesser;
                return true;
            }
            self.advance();
        }
        // Nothing is left to cut, so single bytes are next.
        self.attempt == Attempt::Cut && {
            (self.at, self.attempt) = (0, Attempt::Zero);
            self.attempt()
        }
    }

    /// Moves to the next attempt.
    fn advance(&mut self) {
        (self.at, self.attempt) = match self.attempt {
            // The next cut leaves half of the bytes that this one removed.
            Attempt::Cut => (self.at + (self.bytes.len() - self.at).div_ceil(2), Attempt::Cut),
            Attempt::Zero => (self.at, Attempt::Halve),
            Attempt::Halve => (self.at, Attempt::Less),
            Attempt::Less => (self.at + 1, Attempt::Zero),
        };
    }
}

impl<T: Debug> ValueTree for DrawnTree<T> {
    type Value = T;

    fn current(&self) -> T {
        (self.draw)(&mut Bytes(&self.bytes))
    }

    fn simplify(&mut self) -> bool {
        self.attempt()
    }

    /// Undoes the last attempt, which went too far, and makes the next one. Returns whether there
    /// was an attempt to undo.
    fn complicate(&mut self) -> bool {
        if self.bytes == self.before {
            return false;
        }
        self.bytes.clone_from(&self.before);
        self.advance();
        // An undone attempt is a change, too, and a tree that is made of several must be notified
        // of it.
        self.attempt();
        true
    }
}
