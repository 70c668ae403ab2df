//! Several steps between two messages, beside a copy of the columns around.

use crate::worlds::{Blast, DeepBlast, DeepSoil, Drawn, Soil, columns, random_plan, sums_of};
use fastrand::Rng;
use floodplain::humidity::{Cell, HumidityWorld, Rules, Sweep};
use floodplain::parts::{Fringed, InParts, PartError, Plan};
use floodplain::water2d::Water2dWorld;
use floodplain::{Chunk, ChunkPos, ColumnPos, Cube, Region, StepReport};
use glam::IVec3;

/// Gives each part the records of the columns beside it.
pub fn renew<W: InParts>(parts: &mut [Fringed<W>], plan: &Plan) {
    let columns = |part: &Fringed<W>| part.columns_beside();
    let wanted: Vec<Vec<ColumnPos>> = parts.iter().map(columns).collect();
    for (number, wanted) in wanted.into_iter().enumerate() {
        let mut records = Vec::new();
        for column in wanted {
            let owner = parts[plan.owner(column).unwrap()].part();
            owner.visit_chunk_hashes(&mut |chunk, _| {
                if chunk.column() == column {
                    records.push((chunk, owner.record(chunk).unwrap()));
                }
            });
        }
        parts[number].renew(records).unwrap();
    }
}

/// Returns the parts of a drawn world, each with a copy of the columns around it, this many deep.
pub fn parts_with_copies<W: Drawn>(seed: u64, plan: &Plan, depth: u32) -> Vec<Fringed<W>> {
    let part = |number: usize| {
        let (mut own, _) = W::draw(seed);
        own.divide(plan, number).unwrap();
        if number > 0 {
            own.resume(0, &vec![0; own.account().len()]).unwrap();
        }
        Fringed::new(own, W::empty(seed), plan, number, depth).unwrap()
    };
    (0..plan.parts()).map(part).collect()
}

fn copies_stand_for_the_world<W: Drawn>(worlds: u64, depths: &[u32], blocks: u32) {
    for seed in 0..worlds {
        let (mut whole, size) = W::draw(seed);
        let mut rng = Rng::with_seed(seed);
        let count = rng.usize(2..4).min(columns(size).len());
        let plan = random_plan(&mut rng, size, count);
        let depth = depths[rng.usize(..depths.len())];
        let mut parts = parts_with_copies::<W>(seed, &plan, depth);
        for block in 0..blocks {
            for part in &mut parts {
                // As while the records are still under way.
                (0..rng.usize(..4)).for_each(|_| _ = part.step_inside());
            }
            renew(&mut parts, &plan);
            let (mut sum, mut expected) = (StepReport::default(), StepReport::default());
            while parts[0].steps_left() > 0 {
                parts.iter_mut().for_each(|part| sum += part.step().unwrap());
                expected += whole.step();
            }
            let replay = format!("seed {seed}, block {block}, {count} parts, depth {depth}");
            assert_eq!(sum, expected, "{replay}");
            for part in &mut parts {
                let stale = part.step().unwrap_err();
                assert!(matches!(stale, PartError::Stale { .. }), "{replay}: {stale}");
            }
            let owned = parts.iter().map(|part| part.part().hash_part()).sum();
            assert_eq!(whole.hash_part(), owned, "{replay}");
        }
        let own: Vec<W> = parts.into_iter().map(Fringed::into_part).collect();
        assert_eq!(sums_of(&own).0, whole.account(), "seed {seed}");
    }
}

#[test]
fn copies_of_columns_stand_for_the_world_up_to_their_bound() {
    copies_stand_for_the_world::<Soil>(5, &[1, 2], 2);
    copies_stand_for_the_world::<DeepSoil>(14, &[1, 2], 3);
    copies_stand_for_the_world::<Water2dWorld>(6, &[1, 2], 2);
    // One column stands for no step of explosions.
    copies_stand_for_the_world::<Blast>(8, &[1, 2, 3], 8);
    copies_stand_for_the_world::<DeepBlast>(20, &[1, 2, 3, 4], 8);
}

/// Humidity that travels a cell a step comes to the part from behind the copy one step after the
/// last that the copy stands for.
#[test]
fn changes_from_behind_a_copy_arrive_on_time() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(63, 15, 15));
    let build = |is_filled: bool| {
        let rules = Rules::with_sweep(Sweep::Synchronous);
        let mut world = HumidityWorld::<Cube>::with_bounds(rules, bounds).unwrap();
        if is_filled {
            for x in 0..4 {
                let soil = Chunk::uniform(Cell::soil(0.0, 1.0));
                world.insert_chunk(ChunkPos::new(x, 0, 0), soil).unwrap();
            }
            world.set_rain(IVec3::new(33, 8, 8), 1000.0).unwrap();
        }
        // New chunks are awake for a step. After it the rain's front is where the copy ends.
        world.run(1);
        world
    };
    let plan = Plan::stripes((0..4).map(|x| ColumnPos::new(x, 0)), 4).unwrap();
    let mut whole = build(true);
    let part = |number: usize| {
        let mut own = build(true);
        own.divide(&plan, number).unwrap();
        Fringed::new(own, build(false), &plan, number, 1).unwrap()
    };
    let mut parts: Vec<Fringed<_>> = (0..4).map(part).collect();
    for _ in 0..2 {
        renew(&mut parts, &plan);
        while parts[0].steps_left() > 0 {
            parts.iter_mut().for_each(|part| _ = part.step().unwrap());
            whole.step();
        }
        let hash = parts.iter().map(|part| part.part().hash_part()).sum();
        assert_eq!(whole.hash_part(), hash, "after {} steps", whole.ticks());
    }
    assert!(whole.humidity(IVec3::new(15, 8, 8)) > 0.0, "it has come to the first part");
}
