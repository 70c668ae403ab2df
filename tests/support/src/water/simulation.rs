//! Simulation distances against a naive model.

use super::Op;
use super::small::built;
use crate::edit_bytes::sent;
use crate::queued::are_equal_but_for_tickets;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edit, Ring, Rules, SimulationDistance, WaterWorld};
use floodplain::{ChunkPos, Region};

/// What a simulation distance is made of.
#[derive(Clone, Debug)]
pub struct Parts {
    pub rings: Vec<Ring>,
    pub hysteresis: u32,
    pub limit: usize,
}

impl Parts {
    /// Up to three rings near the origin.
    pub fn random(rng: &mut Rng) -> Parts {
        let mut distance = rng.u32(..2);
        let ring = |_| {
            let of = rng.u64(1..5);
            let ring = Ring { distance, active: rng.u64(1..=of), period: of };
            distance += rng.u32(1..3);
            ring
        };
        let rings = (0..3).map(ring).collect::<Vec<_>>();
        let count = rng.usize(1..=3);
        let (hysteresis, limit) = (rng.u32(..3), rng.usize(..9));
        Parts { rings: rings[..count].to_vec(), hysteresis, limit }
    }

    pub fn distance(&self) -> SimulationDistance {
        let distance = SimulationDistance::new(self.rings.iter().copied()).expect("lawful rings");
        distance.with_hysteresis(self.hysteresis).with_limit(self.limit)
    }

    /// The edits before a tick, by looking at every chunk and player.
    fn edits(&self, world: &WaterWorld, tick: u64, players: &[ChunkPos]) -> Vec<Edit> {
        let on = self.rings.iter().filter(|ring| tick % ring.period < ring.active);
        let reach = on.map(|ring| i64::from(ring.distance)).max();
        let (mut freeze, mut thaw) = (Vec::new(), Vec::new());
        for (chunk, is_frozen) in foreseen(world) {
            let nearest = players.iter().map(|&player| distance(chunk, player)).min();
            let beyond = match (nearest, reach) {
                (Some(nearest), Some(reach)) => nearest - reach,
                _ => i64::MAX,
            };
            let near = nearest.unwrap_or(i64::MAX);
            let column = [chunk.x, chunk.z, chunk.y];
            if is_frozen && beyond <= 0 {
                thaw.push((near, column));
            } else if !is_frozen && beyond > i64::from(self.hysteresis) {
                freeze.push((-near, column));
            }
        }
        freeze.sort();
        thaw.sort();
        // One of each by turns.
        let (mut frozen, mut thawed) = (0, 0);
        while frozen + thawed < self.limit && frozen + thawed < freeze.len() + thaw.len() {
            if thawed < thaw.len() && (thawed <= frozen || frozen == freeze.len()) {
                thawed += 1;
            } else {
                frozen += 1;
            }
        }
        let chunks = |list: &[(i64, [i32; 3])]| {
            list.iter().map(|&(_, [x, z, y])| ChunkPos::new(x, y, z)).collect::<Vec<_>>()
        };
        let edits = [Edit::Freeze(chunks(&freeze[..frozen])), Edit::Thaw(chunks(&thaw[..thawed]))];
        edits.into_iter().filter(|edit| count(edit) > 0).collect()
    }
}

/// How many chunks two chunk positions are apart along x or z, whichever is more.
pub fn distance(one: ChunkPos, other: ChunkPos) -> i64 {
    let along = |one: i32, other: i32| (i64::from(one) - i64::from(other)).abs();
    along(one.x, other.x).max(along(one.z, other.z))
}

/// How many chunks an edit freezes or thaws.
pub fn count(edit: &Edit) -> usize {
    match edit {
        Edit::Freeze(chunks) | Edit::Thaw(chunks) => chunks.len(),
        _ => 0,
    }
}

/// The chunks that are loaded once the queued edits are made, in order, and whether they are
/// frozen.
fn foreseen(world: &WaterWorld) -> Vec<(ChunkPos, bool)> {
    let mut then = WaterWorld::load(&world.save()).expect("a world that was saved");
    // An edit makes those that wait before it.
    then.wake_all();
    assert_eq!(then.queued_edits().len(), 0);
    let mut chunks: Vec<ChunkPos> = then.chunks().map(|(chunk, _)| chunk).collect();
    chunks.sort_unstable_by_key(|&chunk| <[i32; 3]>::from(chunk));
    chunks.into_iter().map(|chunk| (chunk, then.is_frozen(chunk))).collect()
}

/// A world whose chunks stand still by the positions of players, its edits queued in the middle of
/// ticks, and one that gets the same edits by hand between whole ticks. Every list of edits must be
/// the model's. Returns the number of chunks that were switched.
pub fn is_the_models(seed: u64, rules: Rules, bounds: Region, ops: &[Op]) -> usize {
    let mut rng = Rng::with_seed(seed);
    let parts = Parts::random(&mut rng);
    let distance = parts.distance();
    let [mut by_hand, mut world] = [(); 2].map(|()| built(seed, rules, bounds));
    let corner = bounds.min().div_euclid(IVec3::splat(16));
    let (mut waiting, mut switched) = (Vec::new(), 0);
    for op in ops {
        let ticks = match op {
            Op::Edit(edit) => {
                waiting.push(edit.clone());
                continue;
            }
            Op::Step(ticks) | Op::Run(ticks) => *ticks,
            Op::Slices(_) => 1,
            _ => continue,
        };
        for _ in 0..ticks {
            by_hand.step();
            let mut finished = world.step_within(seed % 100).finished;
            for edit in waiting.drain(..) {
                world.queue(sent(&edit));
                let _ = by_hand.apply(edit);
            }
            for _ in 0..rng.usize(..3) {
                let players: Vec<ChunkPos> = (0..rng.usize(..3))
                    .map(|_| {
                        let mut along = || rng.i32(-3..=3);
                        let apart = IVec3::new(along(), along(), along());
                        ChunkPos::from(corner.saturating_add(apart))
                    })
                    .collect();
                let edits = distance.edits(&world, &players);
                assert_eq!(edits, parts.edits(&world, by_hand.ticks(), &players), "{parts:?}");
                let chunks: usize = edits.iter().map(count).sum();
                assert!(chunks <= parts.limit, "{chunks} chunks of {}", parts.limit);
                switched += chunks;
                for edit in edits {
                    world.queue(sent(&edit));
                    let _ = by_hand.apply(edit);
                }
            }
            while !finished {
                finished = world.step_within(seed % 100).finished;
            }
        }
    }
    by_hand.step();
    world.step();
    world.validate().expect("the laws");
    assert!(are_equal_but_for_tickets(&world.save(), &by_hand.save()), "other bytes");
    switched
}
