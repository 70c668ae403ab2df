//! Whole runs of small worlds.

use super::bytes::Bytes;
use super::draw::{Small, Start};
use super::findings::BrokenLaws;
use super::op::Op;
use super::watched::Watched;
use crate::Region;
use arbitrary::{Arbitrary, Result, Unstructured};
use core::fmt::{self, Debug};
use glam::IVec3;

/// The most operations in a drawn run, so that runs stay short.
const MOST_OPS: usize = 16;

/// Draws an operation without a world. Edits of the worlds of this crate are near the origin.
impl<E: for<'b> Arbitrary<'b>> Arbitrary<'_> for Op<E> {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Op<E>> {
        Bytes::of(from, |bytes| {
            Op::draw_with(bytes, Region::cell(IVec3::ZERO), |bytes, _| bytes.any::<E>())
        })
    }
}

/// A small world, and the operations on it: the input of a fuzz target, or of a property test.
pub struct Run<W: Small> {
    /// The parameters of the world.
    pub start: Start<W::Rules>,
    /// The operations on the world, in this order.
    pub ops: Vec<Op<W::Edit>>,
}

impl<W: Small> Run<W> {
    /// Returns the run that these bytes encode; any bytes encode one.
    pub fn from_bytes(bytes: &[u8]) -> Run<W> {
        Bytes(bytes).any()
    }

    /// Returns the world, to be watched.
    pub fn watched(&self) -> Watched<W> {
        Watched::new(|| W::build(&self.start))
    }

    /// Runs all operations on a watched world, and stops at the first operation that breaks a law.
    ///
    /// # Errors
    /// The laws that this operation broke.
    pub fn check(&self) -> Result<(), BrokenLaws> {
        self.watched().play(&self.ops)
    }
}

impl<W: Small> Arbitrary<'_> for Run<W> {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Run<W>> {
        Bytes::of(from, |bytes| {
            let start = Start::draw_of::<W>(bytes);
            let bounds = start.bounds;
            let op = |bytes: &mut Bytes<'_>, ops: &mut Vec<_>| {
                ops.push(Op::draw_with(bytes, bounds, W::edit));
            };
            Run { ops: bytes.operations(MOST_OPS, op), start }
        })
    }
}

impl<W: Small> Clone for Run<W> {
    fn clone(&self) -> Run<W> {
        Run { start: self.start.clone(), ops: self.ops.clone() }
    }
}

impl<W: Small> Debug for Run<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("start", &self.start).field("ops", &self.ops).finish()
    }
}
