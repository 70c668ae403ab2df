//! Regions, and chunks of any cells.

use super::{Draw, near};
use crate::testing::bytes::{Bytes, Filling};
use crate::{Chunk, Cube, Region};

impl Draw for Region {
    fn draw(bytes: &mut Bytes<'_>) -> Region {
        bytes.region(near::<Cube>())
    }
}

/// Of one kind of cell, or of three.
impl<T: Draw + Copy + PartialEq> Draw for Filling<T> {
    fn draw(bytes: &mut Bytes<'_>) -> Filling<T> {
        match bytes.byte() % 4 {
            0..3 => Filling::Equal(T::draw(bytes)),
            _ => bytes.strewn(T::draw),
        }
    }
}

impl<T: Draw + Copy + PartialEq> Draw for Chunk<T> {
    fn draw(bytes: &mut Bytes<'_>) -> Chunk<T> {
        Filling::draw(bytes).chunk()
    }
}
