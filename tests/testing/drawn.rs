//! What is drawn: any bytes are a value, of every kind that there is, of no more bytes than it
//! needs.

use arbitrary::{Arbitrary, Unstructured};
use fastrand::Rng;
use floodplain::blast::{self, BlastGraph, BlastWorld, GraphEdit};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::testing::{Bytes, Run, Small};
use floodplain::water::{self, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::World;
use floodplain::{Chunk, Cube, EditValue, Region, Sheet, Simulation, world};
use std::collections::BTreeSet;
use std::fmt::Debug;

fn random_bytes(seed: u64) -> Vec<u8> {
    let mut rng = Rng::with_seed(seed);
    (0..300).map(|_| rng.u8(..)).collect()
}

/// The names of the variants that are drawn.
fn variants<T: for<'a> Arbitrary<'a> + Debug>() -> BTreeSet<String> {
    let name = |seed| {
        let text = format!("{:?}", Bytes(&random_bytes(seed)).any::<T>());
        text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
    };
    (0..1_500).map(name).collect()
}

/// Every variant there is: edits as bytes begin with a tag, and these are dense.
#[test]
fn edits_of_every_variant_are_drawn() {
    assert_eq!(variants::<water::Edit>().len(), 24);
    assert_eq!(variants::<humidity::Edit>().len(), 10);
    assert_eq!(variants::<water2d::Edit>().len(), 10);
    assert_eq!(variants::<blast::Edit>().len(), 13);
    assert_eq!(variants::<GraphEdit>().len(), 12);
    // Records cannot be drawn: they are of a world.
    assert_eq!(variants::<world::Edit>().len(), 11);
    assert_eq!(variants::<water::Fixture>().len(), 3);
    assert_eq!(variants::<water::Edge>().len(), 4);
}

/// The bytes that a value took are gone, and no more.
fn is_the_same<T: for<'a> Arbitrary<'a> + Debug>(seed: u64) {
    let bytes = random_bytes(seed);
    let (mut left, mut unstructured) = (Bytes(&bytes), Unstructured::new(&bytes));
    let drawn = format!("{:?}", left.any::<T>());
    assert_eq!(format!("{:?}", T::arbitrary(&mut unstructured).unwrap()), drawn);
    assert_eq!(unstructured.len(), left.0.len(), "{drawn}");
}

#[test]
fn arbitrary_draws_what_the_bytes_say_and_takes_no_more() {
    for seed in 0..40 {
        is_the_same::<Region>(seed);
        is_the_same::<Chunk<Voxel>>(seed);
        is_the_same::<water::Rules>(seed);
        is_the_same::<water::Edit>(seed);
        is_the_same::<humidity::Rules>(seed);
        is_the_same::<humidity::Edit>(seed);
        is_the_same::<water2d::Rules>(seed);
        is_the_same::<water2d::Edit>(seed);
        is_the_same::<blast::Rules>(seed);
        is_the_same::<blast::Edit>(seed);
        is_the_same::<GraphEdit>(seed);
        is_the_same::<world::Rules>(seed);
        is_the_same::<world::Edit>(seed);
        is_the_same::<Run<WaterWorld>>(seed);
        is_the_same::<Run<World>>(seed);
    }
    // What is left is enough for more.
    let bytes = random_bytes(1);
    let (mut left, mut count) = (Unstructured::new(&bytes), 0);
    while !left.is_empty() {
        water::Edit::arbitrary(&mut left).unwrap();
        count += 1;
    }
    assert!((30..300).contains(&count), "{count} edits of 300 bytes");
}

/// Rules that are drawn are within their ranges.
#[test]
fn rules_that_are_drawn_are_accepted() {
    for seed in 0..400 {
        let bytes = random_bytes(seed);
        let mut bytes = Bytes(&bytes);
        assert_eq!(bytes.any::<water::Rules>().check(), Ok(()));
        assert_eq!(bytes.any::<water2d::Rules>().check(), Ok(()));
        let humidity = bytes.any::<humidity::Rules>();
        assert_eq!((humidity.check::<Cube>(), humidity.check::<Sheet>()), (Ok(()), Ok(())));
        let palette = floodplain::testing::palette();
        assert_eq!(bytes.any::<world::Rules>().check(&palette), Ok(()));
    }
}

fn lawful<W: Simulation + for<'a> Arbitrary<'a>>(bytes: &[u8]) -> bool {
    let world = W::arbitrary(&mut Unstructured::new(bytes)).unwrap();
    if let Err(broken) = world.validate() {
        panic!("{broken}");
    }
    !world.is_at_rest()
}

/// Small worlds of each kind, many of them in motion.
#[test]
fn worlds_that_are_drawn_are_lawful_and_many_move() {
    let mut moving = [0; 6];
    for seed in 0..60 {
        let bytes = random_bytes(seed);
        let all = [
            lawful::<WaterWorld>(&bytes),
            lawful::<HumidityWorld<Sheet>>(&bytes),
            lawful::<HumidityWorld<Cube>>(&bytes),
            lawful::<Water2dWorld>(&bytes),
            lawful::<BlastWorld<Cube>>(&bytes),
            lawful::<BlastWorld<Sheet>>(&bytes),
        ];
        moving.iter_mut().zip(all).for_each(|(moving, moves)| *moving += u32::from(moves));
        let mut bytes = Unstructured::new(&bytes);
        assert!(BlastGraph::arbitrary(&mut bytes).unwrap().validate().is_ok());
        assert!(World::arbitrary(&mut bytes).unwrap().validate().is_ok());
    }
    assert!(moving.iter().all(|&moving| moving > 10), "{moving:?} of 60 move");
}

/// Whatever the bounds, also those of a world without any.
#[test]
fn cells_and_bounds_of_any_size_are_drawn() {
    let ends = [i32::MIN, -1, 0, 1, i32::MAX].map(IVec3::splat);
    for seed in 0..200 {
        let bytes = random_bytes(seed);
        let mut bytes = Bytes(&bytes);
        let cell = bytes.cell(Region::EVERYWHERE);
        let region = bytes.region(Region::cell(cell));
        let near = [cell, cell.saturating_add(IVec3::X)];
        assert!(near.contains(&region.min()) && near.contains(&region.max()), "{cell}: {region:?}");
        let edges = ends.map(|size| bytes.bounds(size));
        let sides = edges.map(|bounds| bounds.size());
        assert_eq!(sides[..4], [[1; 3]; 4], "a side below 1 counts as 1");
        assert!(sides[4].iter().all(|&side| side >= 1 << 30), "{:?}", edges[4]);
        water::Edit::from_bytes(&WaterWorld::edit(&mut bytes, edges[4]).to_bytes()).unwrap();
    }
}
