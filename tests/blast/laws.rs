//! The laws of pressure on random worlds: equality with a naive oracle and with the graph, every
//! invariant of `validate` after random edits, that sleep, chunk borders and the order of loading
//! change nothing. Failures print what replays them.

use floodplain::blast::{
    BlastGraph, BlastWorld, Border, Borders, NodeId, PRESSURE_LIMIT, Rule, Rules,
};
use floodplain::glam::{DVec3, IVec3};
use floodplain::{Chunk, ChunkPos, Cube, Face, FieldShape, Region, Sheet};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A world in words, from which grid, graph and oracle are built.
#[derive(Clone, Debug)]
struct Plan {
    rules: Rules,
    bounds: Region,
    borders: Borders,
    charges: Vec<(IVec3, f32)>,
    solids: Vec<IVec3>,
    /// Towards larger coordinates.
    links: Vec<(IVec3, usize, f32)>,
}

const UP: [Face; 3] = [Face::East, Face::Up, Face::South];

impl Plan {
    /// The cell next to one along an axis, around a periodic border; `None` at any other.
    fn next(&self, cell: IVec3, axis: usize) -> Option<IVec3> {
        let mut next = cell;
        if cell[axis] < self.bounds.max()[axis] {
            next[axis] += 1;
            return Some(next);
        }
        next[axis] = self.bounds.min()[axis];
        ([self.borders.x, self.borders.y, self.borders.z][axis] == Border::Periodic).then_some(next)
    }

    fn is_open(&self, axis: usize) -> bool {
        [self.borders.x, self.borders.y, self.borders.z][axis] == Border::Open
    }

    fn grid<S: FieldShape>(&self) -> BlastWorld<S> {
        let mut world = BlastWorld::with_bounds(self.rules, self.bounds, self.borders).unwrap();
        for &cell in &self.solids {
            world.set_solid(cell).unwrap();
        }
        for &(cell, axis, weight) in &self.links {
            if self.next(cell, axis).is_some() {
                world.set_link(cell, UP[axis], weight).unwrap();
            }
        }
        for &(cell, pressure) in &self.charges {
            if !world.is_solid(cell) {
                world.set_pressure(cell, pressure).unwrap();
            }
        }
        world
    }

    fn graph(&self, axes: usize) -> (BlastGraph, BTreeMap<[i32; 3], NodeId>) {
        let mut graph = BlastGraph::new(self.rules).unwrap();
        let mut nodes = BTreeMap::new();
        for cell in self.bounds.positions().filter(|cell| !self.solids.contains(cell)) {
            let charge = self
                .charges
                .iter()
                .rev()
                .find(|(at, _)| *at == cell)
                .map_or(0.0, |(_, pressure)| *pressure);
            nodes.insert(
                cell.to_array(),
                graph.add_node(cell.as_dvec3(), f64::from(charge)).unwrap(),
            );
        }
        for (&cell, &node) in &nodes {
            let cell = IVec3::from_array(cell);
            for axis in 0..axes {
                let direction = UP[axis].offset().as_dvec3();
                if let Some(&next) =
                    self.next(cell, axis).and_then(|next| nodes.get(&next.to_array()))
                {
                    graph
                        .add_link_along(node, next, f64::from(self.weight(cell, axis)), direction)
                        .unwrap();
                }
                if self.is_open(axis) {
                    // Both ends of a world one cell wide are the same cell, and a node has one
                    // vent.
                    let vents =
                        [self.bounds.min(), self.bounds.max()].map(|end| end[axis] == cell[axis]);
                    let weight = vents.into_iter().filter(|&is_end| is_end).count() as f64;
                    let old = graph.remove_vent(node).is_ok();
                    assert!(!old || weight == 0.0 || axis > 0);
                    if weight > 0.0 || old {
                        let before = if old { self.vents(cell, axis) } else { 0.0 };
                        graph.add_vent(node, weight + before, DVec3::ZERO).unwrap();
                    }
                }
            }
        }
        (graph, nodes)
    }

    /// The weights of a cell's vents along the axes before this one.
    fn vents(&self, cell: IVec3, axes: usize) -> f64 {
        let ends = |axis: usize| [self.bounds.min()[axis], self.bounds.max()[axis]];
        let open = (0..axes).filter(|&axis| self.is_open(axis));
        open.map(|axis| ends(axis).into_iter().filter(|&end| end == cell[axis]).count() as f64)
            .sum()
    }

    fn weight(&self, cell: IVec3, axis: usize) -> f32 {
        self.links
            .iter()
            .rev()
            .find(|link| (link.0, link.1) == (cell, axis))
            .map_or(1.0, |link| link.2)
    }
}

/// The rules written down as plainly as they can be: every link once, in `f64`, from a copy of the
/// pressures.
struct Oracle {
    plan: Plan,
    axes: usize,
    pressure: BTreeMap<[i32; 3], f64>,
    /// By the cell before the link, the axis, and whether it is the first or the second end of it
    /// that is open.
    flows: BTreeMap<([i32; 3], usize, bool), f64>,
    left: f64,
}

impl Oracle {
    fn new(plan: &Plan, axes: usize) -> Oracle {
        let mut pressure: BTreeMap<[i32; 3], f64> =
            plan.bounds.positions().map(|cell| (cell.to_array(), 0.0)).collect();
        for (cell, charge) in &plan.charges {
            pressure.insert(cell.to_array(), f64::from(*charge));
        }
        for cell in &plan.solids {
            pressure.remove(&cell.to_array());
        }
        Oracle { plan: plan.clone(), axes, pressure, flows: BTreeMap::new(), left: 0.0 }
    }

    fn crossing(&mut self, key: ([i32; 3], usize, bool), weight: f64, difference: f64) -> f64 {
        match self.plan.rules.rule {
            Rule::Diffusive { coefficient } => coefficient * weight * difference,
            Rule::Wave { coefficient, damping } => {
                let flow = self.flows.entry(key).or_default();
                *flow = damping * (*flow + coefficient * weight * difference);
                *flow
            }
        }
    }

    fn step(&mut self) {
        let before = self.pressure.clone();
        for (&key, &here) in &before {
            let cell = IVec3::from_array(key);
            for axis in 0..self.axes {
                if let Some(next) = self.plan.next(cell, axis)
                    && let Some(&there) = before.get(&next.to_array())
                {
                    let weight = f64::from(self.plan.weight(cell, axis));
                    let flow = self.crossing((key, axis, true), weight, here - there);
                    *self.pressure.get_mut(&key).unwrap() -= flow;
                    *self.pressure.get_mut(&next.to_array()).unwrap() += flow;
                }
                for (end, is_far) in
                    [(self.plan.bounds.max(), true), (self.plan.bounds.min(), false)]
                {
                    if self.plan.is_open(axis) && cell[axis] == end[axis] {
                        let flow = self.crossing((key, axis, is_far), 1.0, here);
                        *self.pressure.get_mut(&key).unwrap() -= flow;
                        self.left += flow;
                    }
                }
            }
        }
    }
}

fn border() -> impl Strategy<Value = Border> {
    prop_oneof![Just(Border::Rigid), Just(Border::Periodic), Just(Border::Open)]
}

/// Weights are at most 1, so that both coefficients are stable.
fn plan(rules: Vec<Rules>, size: [i32; 3]) -> impl Strategy<Value = Plan> {
    let corner = (-70..70, -70..70, -20..20);
    let sizes = (3..=size[0], 3..=size[1], size[2].min(3)..=size[2]);
    let borders = (border(), border(), border()).prop_map(|(x, y, z)| Borders { x, y, z });
    (prop::sample::select(rules), corner, sizes, borders).prop_flat_map(
        |(rules, corner, size, borders)| {
            let min = IVec3::new(corner.0, corner.1, corner.2);
            let bounds = Region::new(min, min + IVec3::new(size.0, size.1, size.2) - 1);
            let cell = (min.x..=bounds.max().x, min.y..=bounds.max().y, min.z..=bounds.max().z)
                .prop_map(|(x, y, z)| IVec3::new(x, y, z))
                .boxed();
            let charges = prop::collection::vec((cell.clone(), 0.0f32..300.0), 1..4);
            let solids = prop::collection::vec(cell.clone(), 0..12);
            let links = prop::collection::vec((cell, 0usize..3, 0.0f32..=1.0), 0..12);
            (charges, solids, links).prop_map(move |(charges, solids, links)| {
                let axes = if size.2 == 1 { 2 } else { 3 };
                let links = links.into_iter().filter(|link| link.1 < axes).collect();
                Plan { rules, bounds, borders, charges, solids, links }
            })
        },
    )
}

fn exact(rules: Rules) -> Rules {
    Rules { threshold: 0.0, ..rules }
}

fn both_rules() -> Vec<Rules> {
    vec![
        exact(Rules::diffusive(0.16)),
        exact(Rules::wave(0.25, 0.98)),
        exact(Rules::wave(0.3, 0.5)),
    ]
}

fn grid_graph_and_oracle_agree<S: FieldShape>(plan: &Plan) -> Result<(), TestCaseError> {
    let mut grid = plan.grid::<S>();
    let (mut graph, nodes) = plan.graph(S::NEIGHBOURS / 2);
    let mut oracle = Oracle::new(plan, S::NEIGHBOURS / 2);
    for step in 1..=30 {
        grid.step();
        graph.step();
        oracle.step();
        for (cell, &expected) in &oracle.pressure {
            let on_grid = f64::from(grid.pressure(IVec3::from_array(*cell)));
            prop_assert!(
                (on_grid - expected).abs() < 1e-3,
                "step {step}, {cell:?}: {on_grid}, not {expected}"
            );
            let on_graph = graph.pressure(nodes[cell]).unwrap();
            prop_assert!(
                (on_graph - expected).abs() < 1e-9,
                "step {step}, {cell:?}: graph {on_graph}, not {expected}"
            );
        }
    }
    prop_assert!(
        (grid.ledger().left - oracle.left).abs() < 1e-2,
        "{} left, not {}",
        grid.ledger().left,
        oracle.left
    );
    prop_assert!((graph.ledger().left - oracle.left).abs() < 1e-7);
    prop_assert_eq!(grid.validate(), Ok(()));
    prop_assert_eq!(graph.validate(), Ok(()));
    Ok(())
}

#[derive(Clone, Debug)]
enum Edit {
    Pressure(IVec3, f32),
    Add(IVec3, f32),
    Fill(IVec3, IVec3, f32),
    Solid(IVec3),
    Wall(IVec3, f32),
    Clear(IVec3),
    FillWall(IVec3, IVec3, f32),
    Link(IVec3, u8, f32),
    Insert(IVec3, f32),
    Remove(IVec3),
    Run(u8),
}

/// The world lies across four chunks, in neither direction a multiple of them, with a rim of cells
/// outside it.
const LOW: IVec3 = IVec3::new(-9, -7, 0);
const HIGH: IVec3 = IVec3::new(70, 5, 0);

fn cell() -> impl Strategy<Value = IVec3> {
    let near = (-11..=8, -9..=7).prop_map(|(x, y)| IVec3::new(x, y, 0));
    let far = (60..=72, -9..=7).prop_map(|(x, y)| IVec3::new(x, y, 0));
    prop_oneof![3 => near, 2 => far]
}

fn pressure() -> impl Strategy<Value = f32> {
    let odd = prop::sample::select(vec![
        0.0,
        -0.0,
        1e-30,
        1e-45,
        -3.0,
        f32::NAN,
        f32::INFINITY,
        1e17,
        2e18,
    ]);
    prop_oneof![6 => 0.0f32..300.0, 2 => 0.0f32..0.02, 1 => odd]
}

fn edit() -> impl Strategy<Value = Edit> {
    let chunk = || (-1..=1, -1..=0).prop_map(|(x, y)| IVec3::new(x, y, 0));
    prop_oneof![
        4 => (cell(), pressure()).prop_map(|(cell, pressure)| Edit::Pressure(cell, pressure)),
        1 => (cell(), pressure()).prop_map(|(cell, pressure)| Edit::Add(cell, pressure)),
        1 => (cell(), cell(), pressure()).prop_map(|(a, b, pressure)| Edit::Fill(a, b, pressure)),
        3 => cell().prop_map(Edit::Solid),
        2 => (cell(), -1.0f32..60.0).prop_map(|(cell, strength)| Edit::Wall(cell, strength)),
        2 => cell().prop_map(Edit::Clear),
        1 => (cell(), cell(), 0.0f32..60.0).prop_map(|(a, b, strength)| Edit::FillWall(a, b, strength)),
        4 => (cell(), 0u8..6, -0.1f32..1.5).prop_map(|(cell, face, weight)| Edit::Link(cell, face, weight)),
        1 => (chunk(), pressure()).prop_map(|(chunk, pressure)| Edit::Insert(chunk, pressure)),
        1 => chunk().prop_map(Edit::Remove),
        6 => (1u8..12).prop_map(Edit::Run),
    ]
}

fn rules() -> impl Strategy<Value = Rules> {
    let diffusive = (0.001f64..0.25).prop_map(Rules::diffusive);
    let wave = (0.01f64..0.3, 0.3f64..=0.98)
        .prop_map(|(coefficient, damping)| Rules::wave(coefficient, damping));
    (prop_oneof![diffusive, wave], prop::sample::select(vec![0.0, 1e-6, 0.01, 1.0]))
        .prop_map(|(rules, threshold)| Rules { threshold, ..rules })
}

fn borders() -> impl Strategy<Value = Borders> {
    (border(), border()).prop_map(|(x, y)| Borders { x, y, z: Border::Rigid })
}

/// Makes an edit; a refusal is fine, but must change nothing.
fn apply(world: &mut BlastWorld, edit: &Edit, stepped: &mut dyn FnMut(&mut BlastWorld)) {
    let (before, ledger) = (world.state_hash(), world.ledger());
    let refused = match *edit {
        Edit::Pressure(cell, pressure) => world.set_pressure(cell, pressure).is_err(),
        Edit::Add(cell, more) => world.add_pressure(cell, more).is_err(),
        Edit::Fill(a, b, pressure) => world.fill_pressure(Region::new(a, b), pressure).is_err(),
        Edit::Solid(cell) => world.set_solid(cell).is_err(),
        Edit::Wall(cell, strength) => world.set_wall(cell, strength).is_err(),
        Edit::Clear(cell) => world.clear_solid(cell).is_err(),
        Edit::FillWall(a, b, strength) => world.fill_wall(Region::new(a, b), strength).is_err(),
        Edit::Link(cell, face, weight) => {
            world.set_link(cell, Face::from_index(face).unwrap(), weight).is_err()
        }
        Edit::Insert(chunk, pressure) => {
            world.insert_chunk(chunk.into(), Chunk::uniform(pressure)).is_err()
        }
        Edit::Remove(chunk) => world.remove_chunk(chunk.into()).is_err(),
        Edit::Run(steps) => {
            (0..steps).for_each(|_| stepped(world));
            false
        }
    };
    if refused {
        assert_eq!(
            (world.state_hash(), world.ledger()),
            (before, ledger),
            "a refused edit changed the world: {edit:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn a_sheet_a_graph_and_the_oracle_agree(plan in plan(both_rules(), [80, 12, 1])) {
        grid_graph_and_oracle_agree::<Sheet>(&plan)?;
    }

    #[test]
    fn cubes_a_graph_and_the_oracle_agree(plan in plan(both_rules(), [20, 5, 4])) {
        grid_graph_and_oracle_agree::<Cube>(&plan)?;
    }

    /// Chunk borders change nothing: a world that is moved gives the same bits.
    #[test]
    fn a_world_that_is_moved_is_the_same_to_the_bit(
        plan in plan(both_rules(), [80, 12, 1]), by in (-100..100, -100..100)
    ) {
        let by = IVec3::new(by.0, by.1, 0);
        let mut moved = plan.clone();
        moved.bounds = Region::new(plan.bounds.min() + by, plan.bounds.max() + by);
        moved.charges.iter_mut().for_each(|(cell, _)| *cell += by);
        moved.solids.iter_mut().for_each(|cell| *cell += by);
        moved.links.iter_mut().for_each(|link| link.0 += by);
        let (mut here, mut there) = (plan.grid::<Sheet>(), moved.grid::<Sheet>());
        here.run(40);
        there.run(40);
        for cell in plan.bounds.positions() {
            prop_assert_eq!(here.pressure(cell).to_bits(), there.pressure(cell + by).to_bits(), "{}", cell);
            prop_assert_eq!(here.flow(cell), there.flow(cell + by));
        }
    }

    #[test]
    fn every_law_holds_after_every_edit_and_step(
        rules in rules(), borders in borders(), edits in prop::collection::vec(edit(), 1..30)
    ) {
        let mut world = BlastWorld::with_bounds(rules, Region::new(LOW, HIGH), borders).unwrap();
        for (at, edit) in edits.iter().enumerate() {
            apply(&mut world, edit, &mut |world| {
                world.step();
                if let Err(law) = world.validate() {
                    panic!("step {} of edit {at} {edit:?}: {law}", world.ticks());
                }
            });
            if let Err(law) = world.validate() {
                panic!("edit {at} {edit:?}: {law}");
            }
        }
    }

    #[test]
    fn a_sleeping_world_equals_one_that_never_slept(
        rules in rules(), borders in borders(), edits in prop::collection::vec(edit(), 1..30)
    ) {
        let new = || BlastWorld::with_bounds(rules, Region::new(LOW, HIGH), borders).unwrap();
        let (mut sleeper, mut awake) = (new(), new());
        for (at, edit) in edits.iter().enumerate() {
            apply(&mut sleeper, edit, &mut |world| { world.step(); });
            apply(&mut awake, edit, &mut |world| { world.wake_all(); world.step(); });
            prop_assert_eq!(sleeper.state_hash(), awake.state_hash(), "after edit {} {:?}", at, edit);
            prop_assert_eq!(sleeper.take_events(), awake.take_events());
        }
    }

    #[test]
    fn changes_name_every_cell_that_changed(
        rules in rules(), borders in borders(), edits in prop::collection::vec(edit(), 1..20)
    ) {
        let mut world = BlastWorld::with_bounds(rules, Region::new(LOW, HIGH), borders).unwrap();
        for edit in &edits {
            let state = |world: &BlastWorld, cell| (world.pressure(cell).to_bits(), world.is_solid(cell));
            let before: Vec<_> = Region::new(LOW, HIGH).positions().map(|cell| state(&world, cell)).collect();
            apply(&mut world, edit, &mut |world| { world.step(); });
            let changes = world.take_changes();
            prop_assert!(changes.is_sorted_by_key(|change| (change.chunk.y, change.chunk.z, change.chunk.x)));
            // Loading and unloading is not listed.
            let loaded = if let Edit::Insert(chunk, _) | Edit::Remove(chunk) = edit { Some(*chunk) } else { None };
            for (cell, before) in Region::new(LOW, HIGH).positions().zip(before) {
                let chunk = ChunkPos::new(cell.x >> 6, cell.y >> 6, 0);
                let index = ((cell.y & 63) * 64 + (cell.x & 63)) as usize;
                let is_named = changes.iter().any(|change| change.chunk == chunk && change.cells.contains(index));
                let is_true = is_named || loaded == Some(chunk.into()) || state(&world, cell) == before;
                prop_assert!(is_true, "{} after {:?}", cell, edit);
            }
            prop_assert!(world.take_changes().is_empty());
        }
    }

    #[test]
    fn the_order_of_loading_changes_nothing(
        rules in rules(), pressures in prop::collection::vec(0.0f32..300.0, 9), seed in any::<u64>()
    ) {
        let chunks: Vec<ChunkPos> = Region::new(IVec3::new(-1, -1, 0), IVec3::new(1, 1, 0)).positions().map(ChunkPos::from).collect();
        let mut shuffled: Vec<usize> = (0..9).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        let run = |order: &[usize]| {
            let mut world: BlastWorld = BlastWorld::new(rules).unwrap();
            for &at in order {
                world.insert_chunk(chunks[at], Chunk::uniform(pressures[at])).unwrap();
            }
            world.run(5);
            (world.state_hash(), world.ledger().total())
        };
        let (hash, total) = run(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let (shuffled_hash, shuffled_total) = run(&shuffled);
        prop_assert_eq!(hash, shuffled_hash);
        prop_assert!((total - shuffled_total).abs() <= 1e-9 * total);
    }
}

#[test]
fn pressures_of_any_size_stay_finite() {
    for rules in both_rules() {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(70, 3, 0));
        let mut world: BlastWorld =
            BlastWorld::with_bounds(rules, bounds, Borders::all(Border::Periodic)).unwrap();
        let least = if matches!(rules.rule, Rule::Wave { .. }) { -PRESSURE_LIMIT } else { 0.0 };
        for cell in bounds.positions() {
            world
                .set_pressure(cell, if (cell.x + cell.y) % 2 == 0 { PRESSURE_LIMIT } else { least })
                .unwrap();
        }
        world.run(500);
        assert_eq!(world.validate(), Ok(()));
    }
}

/// What the README says of a finer graph: with weights of the inverse square of the spacing,
/// pressure spreads as far in as many steps.
#[test]
fn a_finer_graph_spreads_alike_with_weights_of_the_inverse_square_of_its_spacing() {
    let spread = |fine: i32| {
        let rules = Rules { threshold: 0.0, ..Rules::diffusive(0.05) };
        let mut graph = BlastGraph::new(rules).unwrap();
        let place = |at: i32| DVec3::X * f64::from(at) / f64::from(fine);
        let nodes: Vec<_> = (-40 * fine..=40 * fine)
            .map(|at| {
                (place(at).x, graph.add_node(place(at), if at == 0 { 900.0 } else { 0.0 }).unwrap())
            })
            .collect();
        for pair in nodes.windows(2) {
            graph.add_link(pair[0].1, pair[1].1, f64::from(fine * fine)).unwrap();
        }
        (0..100).for_each(|_| _ = graph.step());
        let pressure = |id| graph.pressure(id).unwrap();
        let total: f64 = nodes.iter().map(|&(_, id)| pressure(id)).sum();
        nodes.iter().map(|&(x, id)| x * x * pressure(id)).sum::<f64>() / total
    };
    let coarse = spread(1);
    for fine in [2, 3] {
        assert!((spread(fine) / coarse - 1.0).abs() < 1e-3, "{fine}: {} {coarse}", spread(fine));
    }
}
