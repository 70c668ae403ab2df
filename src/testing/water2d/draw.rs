//! Rules, edits, cells and small worlds of 2D water.

use crate::testing::bytes::{Bytes, Filling};
use crate::testing::draw::{Sample, Start, chunk, draw_worlds, near};
use crate::water2d::{Cell, Edit, MAX_LEVEL, Rule, Rules, Water2dWorld};
use crate::{Chunk, Region, Shape, Sheet};
use arbitrary::{Arbitrary, Result, Unstructured};
use glam::IVec3;

impl Arbitrary<'_> for Cell {
    /// Returns ground, or water of up to twice what a cell holds.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Cell> {
        Bytes::of(from, |bytes| {
            let level = match bytes.byte() {
                byte @ 0..160 => u32::from(byte),
                160..208 => return Cell::SOLID,
                byte => [0, 99, 100, 101, 105, 130, 160, 200][usize::from(byte % 8)],
            };
            Cell::water(level).expect("in range")
        })
    }
}

/// Returns a number of units: mostly as many as a cell or two hold, since an oracle may count unit
/// by unit; in some cases hardly any, or a number out of range.
fn units(bytes: &mut Bytes<'_>) -> u32 {
    match bytes.byte() {
        byte @ 0..200 => u32::from(byte),
        byte @ 200..248 => u32::from(byte % 8),
        byte => {
            [100, 101, 99, 400, MAX_LEVEL + 1, u32::MAX, u32::MAX - 50, 105][usize::from(byte % 8)]
        }
    }
}

impl Arbitrary<'_> for Rules {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Rules> {
        Bytes::of(from, |bytes| {
            let rule = bytes.pick(&[Rule::Settling, Rule::Literal, Rule::Settling]);
            Rules { rule, pressure_flow: 1 + u32::from(bytes.byte() % 100) }
        })
    }
}

impl Arbitrary<'_> for Edit {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Edit> {
        Bytes::of(from, |bytes| Water2dWorld::edit(bytes, near::<Sheet>()))
    }
}

draw_worlds!([] Water2dWorld);

impl Sample for Water2dWorld {
    type Rules = Rules;
    const SIZE: IVec3 = IVec3::new(8, 7, 1);

    /// Returns open chunks.
    fn build(start: &Start<Rules>) -> Water2dWorld {
        let mut world = Water2dWorld::with_bounds(start.seed, start.rules, start.bounds)
            .expect("rules within their ranges");
        for at in Sheet::chunks_of(start.bounds) {
            world.insert_chunk(at, Chunk::uniform(Cell::AIR)).expect("a chunk of the bounds");
        }
        world
    }

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
        match bytes.byte() % 16 {
            0..=2 => Edit::Pour { cell: bytes.cell(bounds), units: units(bytes) },
            3 | 4 => Edit::SetSolid(bytes.cell(bounds)),
            5 => Edit::ClearSolid(bytes.cell(bounds)),
            6 => Edit::Scoop { cell: bytes.cell(bounds), units: units(bytes) },
            7 | 8 => Edit::FillSolid(bytes.region(bounds)),
            9 | 10 => Edit::FillWater { region: bytes.region(bounds), level: units(bytes) },
            11 => {
                let position = chunk::<Sheet>(bytes, bounds);
                Edit::InsertChunk { position, chunk: bytes.any::<Filling<_>>().chunk() }
            }
            12 => Edit::InsertChunks(vec![
                (chunk::<Sheet>(bytes, bounds), Chunk::uniform(Cell::AIR)),
                // This may be the same chunk, which is refused.
                (chunk::<Sheet>(bytes, bounds), bytes.any::<Filling<_>>().chunk()),
            ]),
            13 | 14 => Edit::RemoveChunk(chunk::<Sheet>(bytes, bounds)),
            _ => Edit::WakeAll,
        }
    }
}
