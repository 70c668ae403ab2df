//! Worlds in an app against the same worlds by hand, under any rules, edits and budgets.

use super::app::{Answer, app, chunk_entities, request, simulation, update};
use super::random::{self, op};
use bevy_app::App;
use bevy_ecs::entity::Entity;
use floodplain::bevy::{EditFailure, FloodplainPlugin, SimulationWorld, StepBudget};
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::testing::look;
use floodplain::water::{ChunkEvent, Edit, Mirror, Rules, SurfaceMesh, WaterView, WaterWorld};
use floodplain::{ChunkPos, Face, Region};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use support::queued::are_equal_but_for_tickets;
use support::water::Op;
use support::water::small::built;

/// What can be seen of a cell.
type Looks = Vec<Option<(u8, Option<(u8, Face)>)>>;

/// A world of the app, the same by hand, and what is known of it.
struct Pair {
    entity: Entity,
    by_hand: WaterWorld,
    /// Requested since the tick underway began.
    waiting: Vec<Edit>,
    is_underway: bool,
    /// The edits that were made, by what came of them and when.
    expected: Vec<(u64, Answer<WaterWorld>)>,
    answered: usize,
    mirror: Mirror,
    /// The looks of each chunk after the last update.
    looks: BTreeMap<ChunkPos, Looks>,
    /// The meshes after the last complete tick, and the chunks to be drawn anew since.
    meshes: BTreeMap<ChunkPos, SurfaceMesh>,
    redrawn: BTreeSet<ChunkPos>,
}

impl Pair {
    fn new(app: &mut App, seed: u64, rules: Rules) -> Pair {
        let [by_hand, in_app] = [(); 2].map(|()| built(seed, rules, random::bounds()));
        Pair {
            entity: app.world_mut().spawn(SimulationWorld::new(in_app).with_currents()).id(),
            by_hand,
            waiting: Vec::new(),
            is_underway: false,
            expected: Vec::new(),
            answered: 0,
            mirror: Mirror::new(1_000),
            looks: BTreeMap::new(),
            meshes: BTreeMap::new(),
            redrawn: BTreeSet::new(),
        }
    }

    /// Does by hand what the app did in an update.
    fn follow(&mut self, has_finished: bool) {
        if !self.is_underway {
            for edit in self.waiting.drain(..) {
                let tick = self.by_hand.ticks();
                let result = self.by_hand.apply(edit).map_err(EditFailure::Refused);
                self.expected.push((tick, result));
            }
        }
        self.is_underway = !has_finished;
        if has_finished {
            self.by_hand.step();
        }
    }
}

/// Returns something of each loaded chunk.
fn of_chunks<T>(world: &WaterWorld, of: impl Fn(ChunkPos) -> T) -> BTreeMap<ChunkPos, T> {
    world.chunks().map(|(position, _)| (position, of(position))).collect()
}

fn looks(world: &WaterWorld, position: ChunkPos) -> Looks {
    let chunk = world.chunk(position).expect("it is loaded");
    (0..4096).map(|index| look(chunk.get(index))).collect()
}

/// Runs one update, and compares both worlds with those by hand.
fn tick(app: &mut App, pairs: &mut [Pair]) {
    let seen = update::<WaterWorld>(app);
    for pair in pairs {
        let progress = simulation::<WaterWorld>(app, pair.entity).progress();
        pair.follow(progress.finished);
        for outcome in seen.outcomes.iter().filter(|outcome| outcome.world == pair.entity) {
            let (tick, result) = &pair.expected[pair.answered];
            assert_eq!((outcome.tick, &outcome.result), (*tick, result));
            pair.answered += 1;
        }
        let changes = seen.changes.iter().filter(|changes| changes.world == pair.entity);
        let changes: Vec<_> = changes.map(|changes| &changes.changes).collect();
        changes.iter().for_each(|update| pair.mirror.apply(update).expect("none is missing"));
        let listed = |seen: &[(Entity, ChunkPos)], at| seen.contains(&(pair.entity, at));
        for chunk in changes.iter().flat_map(|update| update.chunks()) {
            let is_there = chunk.event != ChunkEvent::Unloaded;
            assert_eq!(listed(&seen.chunks, chunk.position), is_there, "{}", chunk.position);
        }
        assert_eq!(seen.worlds.contains(&pair.entity), !changes.is_empty());

        let world = simulation::<WaterWorld>(app, pair.entity).world();
        let now = of_chunks(world, |position| looks(world, position));
        for (at, looks) in &now {
            let is_same = pair.looks.get(at) == Some(looks);
            assert!(is_same || listed(&seen.chunks, *at), "{at:?} looks different");
        }
        pair.looks = now;
        let surfaces = seen.surfaces.iter().filter(|&&(of, _)| of == pair.entity);
        pair.redrawn.extend(surfaces.map(|(_, position)| *position));
        if progress.finished {
            let now = of_chunks(world, |position| world.surface_mesh(position, None));
            for (at, mesh) in &now {
                let is_same = pair.meshes.get(at) == Some(mesh);
                assert!(is_same || pair.redrawn.contains(at), "{at:?} is drawn otherwise");
            }
            (pair.meshes, pair.redrawn) = (now, BTreeSet::new());
        }
        for cell in random::bounds().positions() {
            assert_eq!(pair.mirror.units(cell), world.units(cell), "{cell}");
            assert_eq!(pair.mirror.is_solid(cell), world.is_solid(cell), "{cell}");
            if progress.finished {
                assert_eq!(pair.mirror.current(cell), world.current(cell), "{cell}");
            }
        }
        if progress.finished && world.queued_edits().len() == 0 {
            assert_eq!(pair.answered, pair.expected.len(), "edits without an answer");
            // What has not been published is saved, too.
            pair.by_hand.take_changes();
            let are_equal = are_equal_but_for_tickets(&world.save(), &pair.by_hand.save());
            assert!(are_equal, "other bytes");
        }
        let loaded: Vec<ChunkPos> = world.chunks().map(|(position, _)| position).collect();
        assert_eq!(chunk_entities::<WaterWorld>(app, pair.entity), loaded);
    }
}

/// Two worlds with different budgets, whose requests are mixed.
fn run(seeds: [u64; 2], rules: [Rules; 2], budgets: [StepBudget; 2], ops: &[(bool, Op)]) {
    let plugin = FloodplainPlugin::<WaterWorld>::new().with_budget(budgets[0]);
    let mut app = app(plugin);
    let mut pairs = [0, 1].map(|index| Pair::new(&mut app, seeds[index], rules[index]));
    app.world_mut().entity_mut(pairs[1].entity).insert(budgets[1]);
    for (is_first, op) in ops {
        let pair = &mut pairs[usize::from(!is_first)];
        let edit = match op {
            Op::Edit(edit) => edit.clone(),
            Op::Step(ticks) | Op::Run(ticks) => {
                (0..*ticks).for_each(|_| tick(&mut app, &mut pairs));
                continue;
            }
            _ => continue,
        };
        pair.waiting.push(edit.clone());
        request::<WaterWorld>(&mut app, pair.entity, edit);
    }
    // Until the ticks underway are complete, and the edits that waited for that are made.
    for budgets in [StepBudget::WholeTick; 2] {
        for pair in &pairs {
            app.world_mut().entity_mut(pair.entity).insert(budgets);
        }
        tick(&mut app, &mut pairs);
    }
    assert!(pairs.iter().all(|pair| pair.waiting.is_empty() && !pair.is_underway));
}

fn budget() -> impl Strategy<Value = StepBudget> {
    prop_oneof![
        2 => Just(StepBudget::WholeTick),
        3 => (0u64..3_000).prop_map(StepBudget::Cells),
        1 => Just(StepBudget::Time(std::time::Duration::ZERO)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn worlds_in_an_app_are_those_by_hand(
        seeds in any::<[u64; 2]>(),
        rules in [random::rules(), random::rules()],
        budgets in [budget(), budget()],
        ops in prop::collection::vec((any::<bool>(), op()), 1..40),
    ) {
        run(seeds, rules, budgets, &ops);
    }
}

/// A lake is filled in the first of two worlds that are the same.
#[test]
fn two_worlds_do_not_mix() {
    let at = IVec3::new(2, -2, 2);
    let region = Region::new(at, at + IVec3::new(2, 3, 2));
    let mut app = app(FloodplainPlugin::<WaterWorld>::new());
    let mut pairs = [3, 3].map(|seed| Pair::new(&mut app, seed, Rules::lossless()));
    let edit = Edit::FillWater { region, height: 7 };
    pairs[0].waiting.push(edit.clone());
    request::<WaterWorld>(&mut app, pairs[0].entity, edit);
    (0..30).for_each(|_| tick(&mut app, &mut pairs));
    let totals = pairs.map(|pair| simulation::<WaterWorld>(&app, pair.entity).world().total());
    assert_eq!(totals, [3 * 4 * 3 * 7, 0]);
}
