//! Regions, and chunks of any cells.

use super::near;
use crate::testing::bytes::{Bytes, Filling};
use crate::{Chunk, Cube, Region};
use arbitrary::{Arbitrary, Result, Unstructured};

impl Arbitrary<'_> for Region {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Region> {
        Bytes::of(from, |bytes| bytes.region(near::<Cube>()))
    }
}

/// Draws a filling of one kind of cell, or of three.
impl<T: for<'b> Arbitrary<'b> + Copy + PartialEq> Arbitrary<'_> for Filling<T> {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Filling<T>> {
        Bytes::of(from, |bytes| match bytes.byte() % 4 {
            0..3 => Filling::Equal(bytes.any::<T>()),
            _ => bytes.strewn(Bytes::any::<T>),
        })
    }
}

impl<T: for<'b> Arbitrary<'b> + Copy + PartialEq> Arbitrary<'_> for Chunk<T> {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Chunk<T>> {
        Bytes::of(from, |bytes| bytes.any::<Filling<_>>().chunk())
    }
}
