//! Rules, edits and small worlds of explosions on a grid.

use crate::blast::{BlastWorld, Border, Borders, Edit, Rule, Rules};
use crate::testing::bytes::Bytes;
use crate::testing::draw::{Sample, Start, chunk, draw_worlds, near};
use crate::{Chunk, Face, FieldShape, Region, Sheet};
use arbitrary::{Arbitrary, Result, Unstructured};
use glam::IVec3;

impl Arbitrary<'_> for Rules {
    /// Returns rules of either kind; the threshold is 0 in half of the cases.
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Rules> {
        Bytes::of(from, |bytes| {
            let rule = bytes.pick(&[
                Rule::Diffusive { coefficient: 0.16 },
                Rule::Wave { coefficient: 0.25, damping: 0.98 },
                Rule::Diffusive { coefficient: 0.01 },
                Rule::Wave { coefficient: 0.3, damping: 0.5 },
            ]);
            Rules { rule, threshold: bytes.pick(&[0.0, 0.01, 0.0, 1.0]) }
        })
    }
}

impl Arbitrary<'_> for Borders {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Borders> {
        Bytes::of(from, |bytes| {
            let mut border = || bytes.pick(&[Border::Rigid, Border::Periodic, Border::Open]);
            Borders { x: border(), y: border(), z: border() }
        })
    }
}

fn pressure(bytes: &mut Bytes<'_>) -> f32 {
    match bytes.byte() {
        byte @ 0..230 => f32::from(byte) * 1.37,
        byte => {
            let odd = [0.0, -0.0, -3.0, 1e-30, 1e-45, 0.005, 2e18, f32::NAN, f32::INFINITY, 1e9];
            odd[usize::from(byte) % odd.len()]
        }
    }
}

fn strength(bytes: &mut Bytes<'_>) -> f32 {
    match bytes.byte() {
        byte @ 0..240 => f32::from(byte) / 4.0,
        byte => [f32::NAN, f32::INFINITY, -1.0, 1e30][usize::from(byte % 4)],
    }
}

fn weight(bytes: &mut Bytes<'_>) -> f32 {
    match bytes.byte() {
        byte @ 0..230 => f32::from(byte) / 160.0,
        byte => [0.0, 1.0, -0.5, 1e6, 2e6, f32::NAN, f32::INFINITY, 3.0][usize::from(byte % 8)],
    }
}

fn radius(bytes: &mut Bytes<'_>) -> f32 {
    match bytes.byte() {
        byte @ 0..230 => 1.8 + f32::from(byte) / 40.0,
        byte => [0.0, -3.0, 1e30, 2e9, 1.99, f32::NAN, f32::INFINITY, 2.0][usize::from(byte % 8)],
    }
}

impl Arbitrary<'_> for Edit {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Edit> {
        Bytes::of(from, |bytes| BlastWorld::<Sheet>::edit(bytes, near::<Sheet>()))
    }
}

draw_worlds!([S: FieldShape] BlastWorld<S>);

impl<S: FieldShape> Sample for BlastWorld<S> {
    type Rules = (Rules, Borders);
    const SIZE: IVec3 = if S::NEIGHBOURS == 4 { IVec3::new(6, 5, 1) } else { IVec3::new(5, 4, 3) };

    /// Returns a silent world, without chunks.
    fn build(start: &Start<(Rules, Borders)>) -> BlastWorld<S> {
        let (rules, borders) = start.rules;
        BlastWorld::with_bounds(rules, start.bounds, borders).expect("rules within their ranges")
    }

    fn edit(bytes: &mut Bytes<'_>, bounds: Region) -> Edit {
        match bytes.byte() % 22 {
            0..=2 => Edit::SetPressure { cell: bytes.cell(bounds), pressure: pressure(bytes) },
            3 => Edit::AddPressure { cell: bytes.cell(bounds), more: pressure(bytes) },
            4 => Edit::FillPressure { region: bytes.region(bounds), pressure: pressure(bytes) },
            5 => Edit::SetSolid(bytes.cell(bounds)),
            6 | 7 => Edit::SetWall { cell: bytes.cell(bounds), strength: strength(bytes) },
            8 => Edit::ClearSolid(bytes.cell(bounds)),
            9 => Edit::FillSolid(bytes.region(bounds)),
            10 => Edit::FillWall { region: bytes.region(bounds), strength: strength(bytes) },
            11..=13 => Edit::SetLink {
                cell: bytes.cell(bounds),
                face: bytes.pick(&Face::ALL),
                weight: weight(bytes),
            },
            14 => {
                let position = chunk::<S>(bytes, bounds);
                Edit::InsertChunk { position, chunk: Chunk::uniform(pressure(bytes)) }
            }
            15 => {
                let position = chunk::<S>(bytes, bounds);
                Edit::InsertChunk { position, chunk: bytes.strewn(pressure).chunk() }
            }
            16 | 17 => Edit::RemoveChunk(chunk::<S>(bytes, bounds)),
            18 | 19 => Edit::AddCharge {
                centre: bytes.cell(bounds),
                radius: radius(bytes),
                pressure: pressure(bytes),
            },
            _ => Edit::WakeAll,
        }
    }
}
