//! Worlds of materials in an app are what they are by hand: edits, ticks in slices, what is told of
//! changes, and the account.

use super::app::{app, chunk_entities, request, simulation, spawn, update};
use fastrand::Rng;
use floodplain::bevy::{EditFailure, FloodplainPlugin, StepBudget};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::ChunkEvent;
use floodplain::world::{ChunkContent, Edit, MaterialId, Mirror, World};
use floodplain::{ChunkPos, Region, Shape};
use std::collections::VecDeque;
use support::queued::are_equal_but_for_tickets;
use support::world::{palette, rules, world};

fn bounds() -> Region {
    Region::new(IVec3::new(-6, -10, -5), IVec3::new(20, 12, 6))
}

/// Any edit of a few kinds; some are refused.
fn any_edit(rng: &mut Rng) -> Edit {
    let (low, high) = (bounds().min(), bounds().max());
    let mut between = |low: i32, high: i32| rng.i32(low..=high);
    let cell = IVec3::new(between(low.x, high.x), between(low.y, high.y), between(low.z, high.z));
    let material = MaterialId(rng.u8(..palette().len() as u8));
    let position = floodplain::Cube::chunk_of(cell);
    match rng.u8(..9) {
        0 | 1 => Edit::SetMaterial { cell, material },
        2 | 3 => Edit::Rain { from: cell, units: rng.u32(..30) },
        4 => Edit::Water(floodplain::water::Edit::Pour { cell, units: 7 }),
        5 => Edit::Water(floodplain::water::Edit::AddSource(cell)),
        6 => Edit::Charge { centre: cell, radius: 2.0, pressure: 90.0 },
        7 => Edit::RemoveChunk(position),
        _ => Edit::InsertChunk { position, content: ChunkContent::from_fn(position, |_| material) },
    }
}

/// What a client sees is what the world holds.
fn assert_seen(mirror: &Mirror, world: &World, seed: u64) {
    for cell in bounds().positions().filter(|&cell| world.material(cell).is_some()) {
        assert_eq!(mirror.material(cell), world.material(cell), "seed {seed}: {cell}");
        assert_eq!(mirror.units(cell), world.units(cell), "seed {seed}: {cell}");
    }
}

#[test]
fn worlds_of_materials_in_an_app_are_those_by_hand() {
    let mut told = [0; 3];
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let budget = if rng.bool() { StepBudget::WholeTick } else { StepBudget::Cells(900) };
        let mut app = app(FloodplainPlugin::<World>::new().with_budget(budget));
        let [mut by_hand, in_app] = [(); 2].map(|()| world(seed, rules(), bounds()));
        let entity = spawn(&mut app, in_app);
        let (mut mirror, mut waiting) = (Mirror::new(1_000), VecDeque::new());
        let mut is_underway = false;
        for round in 0..60 {
            // Queued edits wait until the tick underway is complete.
            if !is_underway && round < 50 {
                let edit = any_edit(&mut rng);
                waiting.push_back(edit.clone());
                request::<World>(&mut app, entity, edit);
            }
            let seen = update::<World>(&mut app);
            let mut expected = Vec::new();
            if !is_underway {
                expected.extend(waiting.drain(..).map(|edit| by_hand.apply(edit)));
            }
            for (outcome, expected) in seen.outcomes.iter().zip(&expected) {
                let expected = expected.clone().map_err(EditFailure::Refused);
                assert_eq!(outcome.result, expected, "seed {seed}, round {round}");
                told[usize::from(expected.is_ok())] += 1;
            }
            assert_eq!(seen.outcomes.len(), expected.len(), "seed {seed}, round {round}");
            let simulation = simulation::<World>(&app, entity);
            is_underway = !simulation.progress().finished;
            if !is_underway {
                by_hand.step();
            }
            for changes in &seen.changes {
                mirror.apply(&changes.changes).expect("none is missing");
                let gone =
                    |chunk: &&floodplain::water::ChunkUpdate| chunk.event == ChunkEvent::Unloaded;
                told[2] += changes.changes.water().chunks().iter().filter(gone).count();
            }
            if !is_underway {
                assert_seen(&mirror, simulation.world(), seed);
                // What has not been published is saved, too.
                drop((by_hand.take_changes(), by_hand.take_events()));
                let same = are_equal_but_for_tickets(&simulation.world().save(), &by_hand.save());
                assert!(same, "seed {seed}, round {round}: other bytes");
            }
            let loaded: Vec<ChunkPos> =
                simulation.world().chunks().map(|(position, _)| position).collect();
            assert_eq!(chunk_entities::<World>(&mut app, entity), loaded, "seed {seed}");
        }
    }
    assert!(told.iter().all(|&count| count > 5), "{told:?}: refused, made, chunks that went");
}
