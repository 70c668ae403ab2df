//! Random edits of small worlds of humidity, for the laws and for rest.

use floodplain::glam::IVec3;
use floodplain::humidity::{Border, Cell, Edit, HumidityWorld, ROCK, Rules, Sweep, UNITS};
use floodplain::testing::Op;
use floodplain::{Chunk, FieldShape, Region};
use proptest::prelude::*;

/// The worlds lie across four sheets, or eight cubes, so that borders are crossed in every
/// direction.
pub const LOW: IVec3 = IVec3::new(-5, -4, -3);
pub const HIGH: IVec3 = IVec3::new(4, 5, 2);

fn position() -> impl Strategy<Value = IVec3> {
    (LOW.x..=HIGH.x, LOW.y..=HIGH.y, LOW.z..=HIGH.z).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

fn chunk() -> impl Strategy<Value = IVec3> {
    (-1..=0, -1..=0, -4..=2).prop_map(|(x, y, z)| IVec3::new(x, y, z))
}

/// Some out of range, above the cap, or hardly there.
fn humidity() -> impl Strategy<Value = f64> {
    let odd = prop::sample::select(vec![
        0.0,
        -0.0,
        1e-5,
        1024.0,
        32_767.0,
        1e-300,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        4e4,
    ]);
    prop_oneof![6 => 0.0..2000.0f64, 1 => odd]
}

fn impermeability() -> impl Strategy<Value = f32> {
    let odd = prop::sample::select(vec![
        0.5,
        1e-3,
        0.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        1e31,
        1e30,
        f32::MAX * 0.9,
    ]);
    prop_oneof![6 => 0.5..5.0f32, 1 => Just(ROCK), 1 => odd]
}

fn cell() -> impl Strategy<Value = Cell> {
    (humidity(), impermeability(), prop::bool::weighted(0.2))
        .prop_map(|(humidity, impermeability, rain)| Cell { humidity, impermeability, rain })
}

/// An edit, which may be refused, or some steps.
pub fn op() -> impl Strategy<Value = Op<Edit>> {
    let edit = prop_oneof![
        4 => (position(), cell()).prop_map(|(cell, value)| Edit::SetCell { cell, value }),
        2 => (position(), humidity()).prop_map(|(cell, humidity)| Edit::SetHumidity { cell, humidity }),
        2 => (position(), impermeability())
            .prop_map(|(cell, impermeability)| Edit::SetImpermeability { cell, impermeability }),
        2 => position().prop_map(Edit::SetRock),
        2 => (position(), humidity()).prop_map(|(cell, humidity)| Edit::SetRain { cell, humidity }),
        2 => position().prop_map(Edit::ClearRain),
        2 => (position(), position(), cell())
            .prop_map(|(a, b, value)| Edit::FillCells { region: Region::new(a, b), value }),
        1 => chunk().prop_map(|chunk| Edit::RemoveChunk(chunk.into())),
        1 => (chunk(), cell())
            .prop_map(|(position, cell)| Edit::InsertChunk { position: position.into(), chunk: Chunk::uniform(cell) }),
        1 => Just(Edit::WakeAll),
    ];
    prop_oneof![19 => edit.prop_map(Op::Edit), 6 => (1u8..10).prop_map(Op::Step)]
}

fn sweep() -> impl Strategy<Value = Sweep> {
    prop::sample::select(vec![Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative])
}

fn borders() -> impl Strategy<Value = [Border; 6]> {
    prop::array::uniform6(prop_oneof![2 => Just(Border::Wall), 1 => Just(Border::Drain)])
}

pub fn rules() -> impl Strategy<Value = Rules> {
    let coefficient = prop::sample::select(vec![0.041_666_66f32, 1.0 / 32.0, 0.01]);
    let cap = prop::sample::select(vec![1024.0, 100.0, 32_767.0]);
    // Of the most that cubes allow.
    let fall = prop::sample::select(vec![0.0f32, 0.0, 0.999, 0.3]);
    (sweep(), cap, coefficient, fall, borders()).prop_map(
        |(sweep, cap, coefficient, fall, borders)| Rules {
            sweep,
            cap,
            coefficient,
            fall: match sweep {
                Sweep::Conservative => fall * (0.25 - 6.0 * f64::from(coefficient)).max(0.0) as f32,
                Sweep::InPlace | Sweep::Synchronous => 0.0,
            },
            borders,
            ..Rules::default()
        },
    )
}

/// A world of this region, all of whose chunks are loaded, of dry soil.
pub fn world<S: FieldShape>(rules: Rules, region: Region) -> HumidityWorld<S> {
    let mut world = HumidityWorld::<S>::with_bounds(rules, region).unwrap();
    for chunk in S::chunks_of(region) {
        world.insert_chunk(chunk, Chunk::uniform(Cell::soil(0.0, 1.0))).unwrap();
    }
    world
}

pub fn small<S: FieldShape>(rules: Rules) -> HumidityWorld<S> {
    world(rules, Region::new(LOW, HIGH))
}

/// Makes an edit, which may be refused, or steps.
pub fn apply<S: FieldShape>(
    world: &mut HumidityWorld<S>,
    op: &Op<Edit>,
    step: &mut dyn FnMut(&mut HumidityWorld<S>),
) {
    match op {
        Op::Edit(edit) => _ = world.apply(edit.clone()),
        Op::Step(steps) => (0..*steps).for_each(|_| step(world)),
        other => panic!("{other:?} is not drawn"),
    }
}

pub fn step<S: FieldShape>(world: &mut HumidityWorld<S>) {
    world.step();
}

pub fn counted<S: FieldShape>(world: &HumidityWorld<S>) -> i128 {
    let units = |cell: Cell| (cell.humidity * f64::from(UNITS)) as i128;
    let count =
        |chunk: Chunk<Cell>| -> i128 { (0..4096).map(|index| units(chunk.get(index))).sum() };
    world.chunks().map(|(_, chunk)| count(chunk)).sum()
}
