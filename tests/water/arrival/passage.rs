//! No cell passes on more than seven units in a tick, over all that it passes: springs, pressure,
//! local flow and ends together. The law is `THROUGHPUT` of watched worlds, which asks whether what
//! a tick moved has ways that keep within the bound.

use super::plan::{Built, Is, Pose, at};
use fastrand::Rng;
use floodplain::Face;
use floodplain::glam::IVec3;
use floodplain::testing::Watched;
use floodplain::water::{Edit, Rules};

/// A cave in three layers, part of it full, with springs and ends.
fn cave(seed: u64) -> Built {
    let mut rng = Rng::with_seed(seed);
    let size = at(rng.i32(6..12), rng.i32(2..5), rng.i32(6..10));
    let open = 0.5 + 0.45 * rng.f64();
    let full = if rng.bool() { 0.8 } else { 0.1 };
    let cells: Vec<Is> = (0..size.element_product())
        .map(|_| match rng.f64() {
            spring if spring < 0.03 => Is::Spring,
            _ if rng.f64() >= open => Is::Ground,
            _ if rng.f64() < full => Is::Full,
            _ => Is::Open,
        })
        .collect();
    let ends: &[&[Face]] = &[
        &[Face::East],
        &[Face::East, Face::North],
        &[Face::West, Face::East, Face::North, Face::South],
        &[Face::Down],
        &[],
    ];
    let drains = ends[rng.usize(..ends.len())];
    let throughput = if rng.u8(..4) == 0 { rng.u8(1..7) } else { 7 };
    let rules = Rules { throughput, ..Rules::lossless() };
    Built::with_rules(rules, (seed, Pose::of(seed)), size, drains, |IVec3 { x, y, z }| {
        cells[((y * size.z + z) * size.x + x) as usize]
    })
}

/// Under edits that cut, open, pour and take.
#[test]
fn no_cell_passes_on_more_than_its_throughput_over_all_that_it_passes() {
    for seed in 0..14 {
        let mut rng = Rng::with_seed(seed);
        let mut watched = Watched::new(|| cave(seed).world);
        let (min, max) = (watched.world().bounds().min(), watched.world().bounds().max());
        for _ in 0..8 {
            let ticks = rng.u64(1..20);
            (0..ticks).for_each(|_| _ = watched.step());
            let cell = at(rng.i32(min.x..=max.x), rng.i32(min.y..=max.y), rng.i32(min.z..=max.z));
            let edit = match rng.u8(..6) {
                0 => Edit::SetSolid(cell),
                1 => Edit::ClearSolid(cell),
                2 => Edit::AddSource(cell),
                3 => Edit::RemoveSource(cell),
                4 => Edit::Scoop { cell, units: 7 },
                _ => Edit::Pour { cell, units: 7 },
            };
            let _ = watched.edit(edit);
            if let Err(broken) = watched.check_laws() {
                panic!("seed {seed}: {broken} ({})", "throughput");
            }
        }
    }
}
