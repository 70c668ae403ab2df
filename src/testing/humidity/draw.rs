//! Rules, edits, cells and small worlds of humidity.

use crate::humidity::{Border, Cell, Edit, HumidityWorld, ROCK, Rules, Sweep};
use crate::testing::bytes::{Bytes, Filling};
use crate::testing::draw::{Sample, Start, chunk, draw_worlds, near};
use crate::{Chunk, FieldShape, Region, Sheet};
use arbitrary::{Arbitrary, Result, Unstructured};
use glam::IVec3;

/// The initial content of all cells of a small world.
const DRY: Cell = Cell::soil(0.0, 1.0);

impl Arbitrary<'_> for Cell {
    /// Returns a cell whose humidity is in some cases out of range, above the cap, or hardly above
    /// 0.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Cell> {
        Bytes::of(from, |bytes| Cell {
            humidity: humidity(bytes),
            impermeability: impermeability(bytes),
            rain: bytes.byte() % 5 == 4,
        })
    }
}

fn humidity(bytes: &mut Bytes<'_>) -> f64 {
    match bytes.byte() {
        byte @ 0..200 => f64::from(byte) * 7.123,
        byte => {
            let odd = [
                0.0,
                -0.0,
                1e-5,
                1e-300,
                1024.0,
                32_767.0,
                32_767.1,
                -1.0,
                f64::NAN,
                f64::INFINITY,
            ];
            odd[usize::from(byte) % odd.len()]
        }
    }
}

fn impermeability(bytes: &mut Bytes<'_>) -> f32 {
    match bytes.byte() {
        byte @ 0..200 => 0.5 + f32::from(byte) / 50.0,
        byte @ 200..230 => [ROCK, f32::MAX * 0.9][usize::from(byte % 2)],
        byte => [0.5, 1e30, 1e-3, 0.0, -1.0, 1e31, f32::NAN, f32::INFINITY][usize::from(byte % 8)],
    }
}

impl Arbitrary<'_> for Rules {
    /// Returns rules of any sweep, with or without fall, all within their ranges.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Rules> {
        Bytes::of(from, |bytes| {
            let border = |byte: u8| if byte % 3 == 2 { Border::Drain } else { Border::Wall };
            let sweep = bytes.pick(&[
                Sweep::Conservative,
                Sweep::InPlace,
                Sweep::Conservative,
                Sweep::Synchronous,
            ]);
            // The fall stays below the most allowed, so that the rules are never refused.
            let falling = bytes.pick(&[0.0, 0.0, 0.999, 0.3]);
            let coefficient: f32 = bytes.pick(&[1.0 / 32.0, 0.041_666_66, 0.01]);
            let most = falling * (0.25 - 6.0 * f64::from(coefficient)).max(0.0) as f32;
            Rules {
                sweep,
                cap: bytes.pick(&[1024.0, 100.0, 32_767.0]),
                coefficient,
                fall: if sweep == Sweep::Conservative { most } else { 0.0 },
                least_flow: bytes.pick(&[1.0 / 65_536.0, 1.0 / 64.0, 1.0]),
                borders: core::array::from_fn(|_| border(bytes.byte())),
                ..Rules::default()
            }
        })
    }
}

impl Arbitrary<'_> for Edit {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Edit> {
        Bytes::of(from, |bytes| HumidityWorld::<Sheet>::edit(bytes, near::<Sheet>()))
    }
}

draw_worlds!([S: FieldShape] HumidityWorld<S>);

impl<S: FieldShape> Sample for HumidityWorld<S> {
    type Rules = Rules;
    const SIZE: IVec3 = if S::NEIGHBOURS == 4 { IVec3::new(7, 5, 1) } else { IVec3::new(5, 4, 3) };

    /// Returns dry soil.
    fn build(start: &Start<Rules>) -> HumidityWorld<S> {
        let mut world = HumidityWorld::with_bounds(start.rules, start.bounds)
            .expect("rules within their ranges");
        for at in S::chunks_of(start.bounds) {
            world.insert_chunk(at, Chunk::uniform(DRY)).expect("a chunk of the bounds");
        }
        world
    }

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
        match bytes.byte() % 16 {
            0 | 1 => Edit::SetHumidity { cell: bytes.cell(bounds), humidity: humidity(bytes) },
            2 => {
                let cell = bytes.cell(bounds);
                Edit::SetImpermeability { cell, impermeability: impermeability(bytes) }
            }
            3 => Edit::SetRock(bytes.cell(bounds)),
            4 | 5 => Edit::SetRain { cell: bytes.cell(bounds), humidity: humidity(bytes) },
            6 => Edit::ClearRain(bytes.cell(bounds)),
            7 | 8 => Edit::SetCell { cell: bytes.cell(bounds), value: bytes.any::<Cell>() },
            9 | 10 => Edit::FillCells { region: bytes.region(bounds), value: bytes.any::<Cell>() },
            11 | 12 => {
                let position = chunk::<S>(bytes, bounds);
                Edit::InsertChunk { position, chunk: bytes.any::<Filling<_>>().chunk() }
            }
            13 | 14 => Edit::RemoveChunk(chunk::<S>(bytes, bounds)),
            _ => Edit::WakeAll,
        }
    }
}
