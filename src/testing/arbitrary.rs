//! `Arbitrary` of the crate arbitrary, for all that is drawn of bytes.

use super::bytes::Bytes;
use super::draw::{Draw, Small};
use super::op::Op;
use super::run::Run;
use crate::blast::{self, BlastGraph, BlastWorld};
use crate::humidity::{self, HumidityWorld};
use crate::water::{self, WaterWorld};
use crate::water2d::{self, Water2dWorld};
use crate::world::{self, World};
use crate::{Chunk, FieldShape, Region};
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
arbitrary!(
    [] Region,
    [T: Draw + Copy + PartialEq] Chunk<T>,
    [] water::Voxel,
    [] water::Edge,
    [] water::Fixture,
    [] water::Rules,
    [] water::Edit,
    [] humidity::Cell,
    [] humidity::Rules,
    [] humidity::Edit,
    [] water2d::Cell,
    [] water2d::Rules,
    [] water2d::Edit,
    [] blast::Rules,
    [] blast::Borders,
    [] blast::Edit,
    [] blast::NodeId,
    [] blast::GraphEdit,
    [] world::MaterialId,
    [] world::Couplings,
    [] world::Rules,
    [] world::Content,
    [] world::Edit,
    [] WaterWorld,
    [S: FieldShape] HumidityWorld<S>,
    [] Water2dWorld,
    [S: FieldShape] BlastWorld<S>,
    [] BlastGraph,
    [] World,
    [E: Draw] Op<E>,
    [W: Small] Run<W>,
);
