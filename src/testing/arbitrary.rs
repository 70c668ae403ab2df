//! `Arbitrary` of the crate arbitrary, for all that is drawn of bytes.

use super::bytes::Bytes;
use super::draw::{Draw, Small, with_values};
use super::op::Op;
use super::run::Run;
use crate::blast::{BlastGraph, BlastWorld};
use crate::humidity::HumidityWorld;
use crate::water::WaterWorld;
use crate::water2d::Water2dWorld;
use crate::world::World;
use crate::{Chunk, FieldShape};
use arbitrary::{Arbitrary, Result, Unstructured};

/// Draws a value of the bytes that are left, and takes those that it needed.
fn drawn<T: Draw>(from: &mut Unstructured<'_>) -> Result<T> {
    let left = from.peek_bytes(from.len()).unwrap_or_default();
    let mut bytes = Bytes(left);
    let value = T::draw(&mut bytes);
    from.bytes(left.len() - bytes.0.len())?;
    Ok(value)
}

macro_rules! arbitrary {
    ($([$($generics:tt)*] $value:ty),+ $(,)?) => {$(
        impl<'a, $($generics)*> Arbitrary<'a> for $value {
            fn arbitrary(from: &mut Unstructured<'a>) -> Result<Self> {
                drawn(from)
            }
        }
    )+};
}
with_values!(arbitrary);
arbitrary!(
    [T: Draw + Copy + PartialEq] Chunk<T>,
    [] WaterWorld,
    [S: FieldShape] HumidityWorld<S>,
    [] Water2dWorld,
    [S: FieldShape] BlastWorld<S>,
    [] BlastGraph,
    [] World,
    [E: Draw] Op<E>,
    [W: Small] Run<W>,
);
