//! Values that are drawn from bytes: rules, edits, chunks and small worlds of every kind.
//!
//! A value takes about the same number of bytes each time, so that a change of one byte changes one
//! thing. A smaller byte means a simpler value: fewer units and ticks, cells nearer to a corner.

mod cells;

use super::bytes::Bytes;
use super::kind::Kind;
use super::op::Op;
use super::watch::Watch;
use crate::coords::ChunkPos;
use crate::simulation::Simulation;
use crate::{Region, Shape};
use arbitrary::Arbitrary;
use core::fmt::Debug;
use glam::IVec3;

/// The most edits and ticks made before a world that is drawn without a run is returned.
const HISTORY: usize = 8;

/// The parameters of a small world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start<R> {
    /// The seed, where worlds of this kind have one.
    pub seed: u64,
    /// The rules.
    pub rules: R,
    /// The bounds of the world: a few cells across borders of chunks, or at an end of the range.
    pub bounds: Region,
}

impl<R: for<'a> Arbitrary<'a>> Start<R> {
    /// Returns the parameters of a small world of this kind, drawn from the next bytes.
    pub fn draw_of<W: Small<Rules = R>>(bytes: &mut Bytes<'_>) -> Start<R> {
        let seed = u64::from(bytes.byte());
        Start { seed, rules: bytes.any(), bounds: bytes.bounds(W::SIZE) }
    }
}

/// A kind of world of which small worlds and their edits can be generated from bytes.
///
/// ```
/// use floodplain::testing::{Bytes, Run, Small};
/// use floodplain::water::WaterWorld;
///
/// let run: Run<WaterWorld> = Run::from_bytes(&[7; 99]);
/// let world = WaterWorld::build(&run.start);
/// assert_eq!((world.seed(), world.bounds()), (7, run.start.bounds));
/// assert_eq!(run.check(), Ok(()));
/// ```
pub trait Small: Watch + 'static {
    /// The rules of a world, and other parameters that are fixed when it is made.
    type Rules: for<'a> Arbitrary<'a> + Clone + Debug;
    /// The number of cells of a small world along x, y and z.
    const SIZE: IVec3;

    /// Returns a world of these parameters. All its chunks are loaded, if its kind needs that for
    /// edits.
    fn build(start: &Start<Self::Rules>) -> Self;

    /// Returns the edit that the next bytes encode. It is of cells and chunks within these bounds
    /// or, in rare cases, beyond them, and has some values that are refused.
    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> Self::Edit;
}

/// The items of [`Small`] that differ between kinds of worlds, by the same names.
pub trait Sample: Kind + 'static {
    type Rules: for<'a> Arbitrary<'a> + Clone + Debug;
    const SIZE: IVec3;

    fn build(start: &Start<Self::Rules>) -> Self;

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> <Self as Simulation>::Edit;
}

/// Implements [`Small`] for every world of this crate.
impl<W: Sample> Small for W {
    type Rules = <W as Sample>::Rules;
    const SIZE: IVec3 = <W as Sample>::SIZE;

    fn build(start: &Start<Self::Rules>) -> W {
        Sample::build(start)
    }

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> <W as Watch>::Edit {
        <W as Sample>::edit(bytes, bounds)
    }
}

/// Returns a world drawn from these bytes that has had a few edits and ticks.
pub(super) fn world<W: Small>(bytes: &mut Bytes<'_>) -> W {
    let start = Start::draw_of::<W>(bytes);
    let mut world = W::build(&start);
    let op = |bytes: &mut Bytes<'_>, ops: &mut Vec<Op<W::Edit>>| {
        ops.push(Op::draw_with(bytes, start.bounds, W::edit));
    };
    for op in bytes.operations(HISTORY, op) {
        match op {
            // A refused edit changes nothing.
            Op::Edit(edit) => _ = world.apply(edit),
            Op::Step(ticks) | Op::Run(ticks) => (0..ticks).for_each(|_| _ = world.step()),
            _ => _ = world.step(),
        }
    }
    world
}

/// Implements `Arbitrary` for worlds of a kind.
macro_rules! draw_worlds {
    ([$($shape:ident: $bound:path)?] $world:ty) => {
        impl$(<$shape: $bound>)? arbitrary::Arbitrary<'_> for $world {
            fn arbitrary(from: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Self> {
                $crate::testing::bytes::Bytes::of(from, $crate::testing::draw::world)
            }
        }
    };
}
pub(super) use draw_worlds;

/// Returns the region of edits that are drawn without a world: cells on all sides of a corner of
/// eight chunks, or of four sheets at z = 0.
pub(super) fn near<S: Shape>() -> Region {
    let (min, max) = (IVec3::new(-6, -5, -6), IVec3::new(5, 6, 5));
    let is_flat = S::NEIGHBOURS == 4;
    if is_flat { Region::new(min.with_z(0), max.with_z(0)) } else { Region::new(min, max) }
}

/// Returns the chunk of a drawn cell, which is within bounds or, in rare cases, just beyond them.
pub(super) fn chunk<S: Shape>(bytes: &mut Bytes<'_>, bounds: Region) -> ChunkPos {
    S::chunk_of(bytes.cell(bounds))
}
