//! The models of automata and of worlds of materials tell what is not theirs, by the law's name:
//! they are given a world that is not the one they were made of.

use floodplain::blast::{self, BlastGraph, BlastWorld, Border, Borders, Edit, GraphEdit, NodeId};
use floodplain::glam::{DVec3, IVec3};
use floodplain::humidity::{self, HumidityWorld};
use floodplain::testing::{
    Findings, Model, Op, Small, Start, Watch, Watched, mirrored, mirrors, palette,
};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::{self, ChunkContent, Material, MaterialId, Palette, World};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Sheet, StepReport};

/// A model of another world, which is told so much more of each tick.
struct Others<W: Watch>(Box<dyn Model<W>>, StepReport);

impl<W: Watch> Model<W> for Others<W> {
    fn edit_begins(&mut self, world: &W) {
        self.0.edit_begins(world);
    }

    fn edited(
        &mut self,
        edit: &W::Edit,
        answer: &Result<W::Outcome, W::Error>,
        found: &mut Findings,
    ) {
        self.0.edited(edit, answer, found);
    }

    fn step_begins(&mut self, world: &W) {
        self.0.step_begins(world);
    }

    fn stepped(&mut self, world: &W, mut report: StepReport, differing: u64, found: &mut Findings) {
        report += self.1;
        self.0.stepped(world, report, differing, found);
    }

    fn happened(&mut self, events: &[W::Event], found: &mut Findings) {
        self.0.happened(events, found);
    }

    fn compare(&self, world: &W, found: &mut Findings) {
        self.0.compare(world, found);
    }
}

/// Plays in a world with the model of another one, and returns the law that was found broken first.
fn broken<W: Watch + 'static>(
    make: impl Fn() -> W,
    other: &W,
    ops: &[Op<W::Edit>],
) -> Option<&'static str> {
    broken_with(make, other, StepReport::default(), ops)
}

/// The same with a model that is told so much more of each tick.
fn broken_with<W: Watch + 'static>(
    make: impl Fn() -> W,
    other: &W,
    more: StepReport,
    ops: &[Op<W::Edit>],
) -> Option<&'static str> {
    let model = Others(other.model().expect("it is small"), more);
    let played = Watched::new(make).with_model(model).play(ops);
    played.err().map(|broken| broken.first().law)
}

const WALL: IVec3 = IVec3::new(3, 4, 3);

/// A charge beside a wall that it breaks, in a room with an open end.
fn room(coefficient: f64) -> BlastWorld<Cube> {
    let bounds = Region::new(IVec3::ZERO, IVec3::splat(5));
    let borders = Borders { x: Border::Open, ..Borders::default() };
    let rules = blast::Rules { threshold: 0.0, ..blast::Rules::wave(coefficient, 0.9) };
    let mut world = BlastWorld::with_bounds(rules, bounds, borders).unwrap();
    world.set_wall(WALL, 20.0).unwrap();
    world.set_link(WALL, Face::Up, 0.5).unwrap();
    world.set_pressure(WALL + IVec3::X, 90.0).unwrap();
    world
}

#[test]
fn a_grid_that_is_not_the_models_breaks_a_law_by_its_name() {
    let world = || room(0.25);
    let with = |edit: Edit| {
        let mut world = world();
        world.apply(edit).unwrap();
        world
    };
    let ops = [Op::Step(2), Op::Edit(Edit::SetSolid(IVec3::ZERO)), Op::Run(4)];
    assert_eq!(broken(world, &world(), &ops), None);
    assert_eq!(broken(world, &room(0.2), &ops), Some("formulas"));
    assert_eq!(broken(world, &with(Edit::SetSolid(IVec3::X)), &[]), Some("cells"));
    let pressure = Edit::SetPressure { cell: IVec3::X, pressure: 1.0 };
    assert_eq!(broken(world, &with(pressure), &[]), Some("cells"));
    let link = Edit::SetLink { cell: IVec3::X, face: Face::East, weight: 0.5 };
    assert_eq!(broken(world, &with(link), &[]), Some("links"));
    // In a model that is a step behind, the wall breaks too early.
    let silent = || {
        BlastWorld::<Cube>::with_bounds(
            blast::Rules::wave(0.25, 0.9),
            Region::new(IVec3::ZERO, IVec3::splat(5)),
            Borders::default(),
        )
        .unwrap()
    };
    let mut late = silent();
    late.step();
    let charge = |cell| Op::Edit(Edit::SetPressure { cell, pressure: 90.0 });
    let wall = Op::Edit(Edit::SetWall { cell: WALL, strength: 20.0 });
    let ops = [wall, charge(WALL + IVec3::X), Op::Step(1)];
    assert_eq!(broken(silent, &silent(), &ops), None);
    assert_eq!(broken(silent, &late, &ops), Some("events"));
    // Where pressure diffuses it refuses what is a trough in a wave.
    let rules = blast::Rules::diffusive(0.15);
    let bounds = silent().bounds();
    let diffusive = BlastWorld::with_bounds(rules, bounds, Borders::default()).unwrap();
    let trough = Op::Edit(Edit::SetPressure { cell: WALL, pressure: -3.0 });
    assert_eq!(broken(silent, &diffusive, &[trough]), Some("edit"));
}

/// A flow that is there already goes on in a model that is made later.
#[test]
fn a_model_is_made_of_a_world_in_motion() {
    let moving = || {
        let mut world = room(0.25);
        world.run(3);
        world.take_events();
        world
    };
    assert_eq!(broken(moving, &moving(), &[Op::Step(3)]), None);
    let mut still = moving();
    let cells: Vec<(IVec3, f32)> =
        still.bounds().positions().map(|cell| (cell, still.pressure(cell))).collect();
    // What flows at a cell ends when it is closed and opened again.
    for (cell, pressure) in
        cells.into_iter().filter(|&(cell, _)| !still.is_solid(cell)).collect::<Vec<_>>()
    {
        still.set_solid(cell).unwrap();
        still.clear_solid(cell).unwrap();
        still.set_pressure(cell, pressure).unwrap();
    }
    assert_eq!(broken(moving, &still, &[Op::Step(1)]), Some("formulas"));

    let graph = || {
        let mut graph = mesh(0.25);
        graph.run(3);
        graph.take_events();
        graph
    };
    assert_eq!(broken(graph, &graph(), &[Op::Step(3)]), None);
}

/// Two open nodes and a closed one, with a vent.
fn mesh(coefficient: f64) -> BlastGraph {
    let mut graph = BlastGraph::new(blast::Rules::wave(coefficient, 0.9)).unwrap();
    let [a, b, c] =
        [300.0, 10.0, 0.0].map(|pressure| graph.add_node(DVec3::ZERO, pressure).unwrap());
    graph.add_link(a, b, 0.5).unwrap();
    graph.add_link(c, a, 0.5).unwrap();
    graph.add_vent(b, 0.5, DVec3::X).unwrap();
    graph.set_wall(c, 20.0).unwrap();
    graph
}

#[test]
fn a_graph_that_is_not_the_models_breaks_a_law_by_its_name() {
    let graph = || mesh(0.25);
    let with = |edit: GraphEdit| {
        let mut graph = graph();
        graph.apply(edit).unwrap();
        graph
    };
    let nodes: Vec<NodeId> = graph().nodes().collect();
    let add = || GraphEdit::AddNode { position: DVec3::X, pressure: 1.0 };
    let ops = [Op::Step(2), Op::Edit(add()), Op::Run(4)];
    assert_eq!(broken(graph, &graph(), &ops), None);
    assert_eq!(broken(graph, &mesh(0.2), &ops), Some("formulas"));
    assert_eq!(broken(graph, &with(add()), &[]), Some("cells"));
    assert_eq!(broken(graph, &with(GraphEdit::ClearWall(nodes[2])), &[]), Some("cells"));
    assert_eq!(broken(graph, &with(GraphEdit::RemoveVent(nodes[1])), &[]), Some("links"));
    let weight = GraphEdit::SetLink { a: nodes[0], b: nodes[1], weight: 0.25 };
    assert_eq!(broken(graph, &with(weight), &[]), Some("links"));
    // A model without its last node refuses what the graph makes.
    let mut shrunk = graph();
    let last = shrunk.add_node(DVec3::ZERO, 0.0).unwrap();
    shrunk.remove_node(last).unwrap();
    assert_eq!(broken(graph, &shrunk, &[Op::Edit(add())]), Some("edit"));
    // In a model that is a step behind, the wall breaks too early.
    let silent = || BlastGraph::new(blast::Rules::wave(0.25, 0.9)).unwrap();
    let mut late = silent();
    late.step();
    let node = |pressure| Op::Edit(GraphEdit::AddNode { position: DVec3::X, pressure });
    let link = GraphEdit::AddLink { a: nodes[0], b: nodes[1], weight: 1.0 };
    let wall = GraphEdit::SetWall { node: nodes[1], strength: 20.0 };
    let ops = [node(90.0), node(0.0), Op::Edit(link), Op::Edit(wall), Op::Step(1)];
    assert_eq!(broken(silent, &silent(), &ops), None);
    assert_eq!(broken(silent, &late, &ops), Some("events"));
}

/// Rain in a corner of a layer of soil that ends there, at a border.
fn garden(rules: humidity::Rules) -> HumidityWorld<Sheet> {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(4, 3, 0));
    let mut world = HumidityWorld::with_bounds(rules, bounds).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(humidity::Cell::soil(1.0, 2.0))).unwrap();
    world.set_rain(IVec3::ZERO, 90.0).unwrap();
    world
}

#[test]
fn soil_that_is_not_the_models_breaks_a_law_by_its_name() {
    use humidity::{Border, Edit, Rules, Sweep};
    let cell = IVec3::new(2, 1, 0);
    let [dry, wet] = [3.0, 40.0].map(|humidity| Op::Edit(Edit::SetHumidity { cell, humidity }));
    let take = || Op::Edit(Edit::RemoveChunk(ChunkPos::ZERO));
    let ops = [
        dry,
        Op::Edit(Edit::SetImpermeability { cell, impermeability: 3.0 }),
        Op::Step(2),
        Op::Edit(Edit::SetRain { cell, humidity: 7.0 }),
        Op::Step(1),
        Op::Edit(Edit::SetRock(cell)),
        Op::Edit(Edit::SetRock(cell)),
        Op::Edit(Edit::ClearRain(cell)),
        Op::Edit(Edit::ClearRain(IVec3::ZERO)),
        Op::Edit(Edit::SetCell { cell, value: humidity::Cell::rain(9.0, 0.75) }),
        wet,
        take(),
        Op::PutBack,
        Op::Edit(Edit::WakeAll),
        Op::Run(3),
    ];
    for sweep in [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative] {
        let world = || garden(Rules::with_sweep(sweep));
        assert_eq!(broken(world, &world(), &ops), None, "{sweep:?}");
        let mut other = world();
        other.set_impermeability(cell, 2.5).unwrap();
        assert_eq!(broken(world, &other, &[]), Some("cells"), "{sweep:?}");
        other.set_impermeability(cell, 2.0).unwrap();
        assert_eq!(broken(world, &other, &ops), None, "{sweep:?}");
        other.remove_chunk(ChunkPos::ZERO).unwrap();
        assert_eq!(broken(world, &other, &[]), Some("cells"), "{sweep:?}");
        let capped = garden(Rules { cap: 2.0, ..Rules::with_sweep(sweep) });
        assert_eq!(broken(world, &capped, &[Op::Step(9)]), Some("formulas"), "{sweep:?}");
        let more = StepReport { changed: 1, ..StepReport::default() };
        let counted = broken_with(world, &world(), more, &[Op::Step(1)]);
        assert_eq!(counted, Some("changes_counted"), "{sweep:?}");
    }

    let world = || garden(Rules::default());
    let mut rained = world();
    rained.set_humidity(cell, 5.0).unwrap();
    rained.set_humidity(cell, 1.0).unwrap();
    assert_eq!(broken(world, &rained, &[]), Some("ledger"));
    // What rain gives over a border that drains shows in the account alone, while it sleeps.
    let all_rain = |mut world: HumidityWorld<Sheet>| {
        world.fill_cells(world.bounds(), humidity::Cell::rain(90.0, 2.0)).unwrap();
        world
    };
    let asleep = || {
        let mut world = all_rain(world());
        world.run(3);
        world
    };
    let drained = all_rain(garden(Rules::default().with_border(Face::West, Border::Drain)));
    assert_eq!(broken(asleep, &all_rain(world()), &[Op::Step(1)]), None);
    assert_eq!(broken(asleep, &drained, &[Op::Step(1)]), Some("account"));
    // Where soil must be less permeable, it refuses what is soil elsewhere.
    let firm =
        garden(Rules { least_impermeability: 1.0, coefficient: 1.0 / 64.0, ..Rules::default() });
    let loose = Op::Edit(Edit::SetImpermeability { cell, impermeability: 0.75 });
    assert_eq!(broken(world, &firm, &[loose]), Some("edit"));
    let more = StepReport { moved: 1, ..StepReport::default() };
    let awake = [Op::Edit(Edit::WakeAll), Op::Step(1)];
    assert_eq!(broken_with(world, &world(), more, &awake), Some("changes_counted"));
}

/// A column of water on ground that it flows off, at both sides.
fn tank(rules: water2d::Rules) -> Water2dWorld {
    let bounds = Region::new(IVec3::new(-3, -1, 0), IVec3::new(4, 5, 1));
    let mut world = Water2dWorld::with_bounds(1, rules, bounds).unwrap();
    for position in [[-1, -1, 0], [0, -1, 0], [-1, 0, 0], [0, 0, 0], [0, 0, 1]] {
        world.insert_chunk(position.into(), Chunk::uniform(water2d::Cell::AIR)).unwrap();
    }
    world.fill_water(Region::new(IVec3::ZERO, IVec3::new(0, 4, 0)), 170).unwrap();
    world.pour(IVec3::new(2, 3, 1), 150).unwrap();
    world
}

#[test]
fn two_dimensional_water_that_is_not_the_models_breaks_a_law_by_its_name() {
    use water2d::{Edit, Rules};
    let cell = IVec3::new(0, 2, 0);
    let take = || Op::Edit(Edit::RemoveChunk(ChunkPos::ZERO));
    let ops = [
        Op::Step(3),
        Op::Edit(Edit::SetSolid(cell)),
        Op::Edit(Edit::ClearSolid(cell)),
        Op::Edit(Edit::ClearSolid(cell)),
        Op::Edit(Edit::Scoop { cell: IVec3::ZERO, units: 5 }),
        Op::Edit(Edit::FillSolid(Region::cell(IVec3::X))),
        take(),
        Op::PutBack,
        Op::Run(20),
    ];
    for rules in [Rules::literal(), Rules::default()] {
        let world = || tank(rules);
        assert_eq!(broken(world, &world(), &ops), None, "{rules:?}");
        let mut other = world();
        other.scoop(cell, 1).unwrap();
        assert_eq!(broken(world, &other, &[]), Some("cells"), "{rules:?}");
        other.pour(cell, 1).unwrap();
        assert_eq!(broken(world, &other, &[]), Some("ledger"), "{rules:?}");
        let mut without = world();
        without.remove_chunk(ChunkPos::new(0, 0, 1)).unwrap();
        assert_eq!(broken(world, &without, &[]), Some("cells"), "{rules:?}");
        let more = StepReport { changed: 99, ..StepReport::default() };
        let still = [Op::Run(200), Op::Step(1)];
        let counted = broken_with(world, &world(), more, &still);
        assert_eq!(counted, Some("changes_counted"), "{rules:?}");
    }

    let settling = |pressure_flow| tank(Rules { pressure_flow, ..Rules::default() });
    let slow = settling(1);
    assert_eq!(broken(|| settling(50), &slow, &[Op::Step(9)]), Some("formulas"));
    // The sides that the literal rule prefers alternate.
    let bounds = slow.bounds();
    let empty = || Water2dWorld::with_bounds(1, Rules::literal(), bounds).unwrap();
    let mut late = empty();
    late.step();
    let load = Op::Edit(Edit::InsertChunk {
        position: ChunkPos::ZERO,
        chunk: Chunk::uniform(water2d::Cell::AIR),
    });
    let pour = Op::Edit(Edit::Pour { cell: IVec3::X, units: 99 });
    let ops = [load.clone(), pour, Op::Step(1)];
    assert_eq!(broken(empty, &empty(), &ops), None);
    assert_eq!(broken(empty, &late, &ops), Some("formulas"));
    // A model that ends sooner refuses what the world makes.
    let low = Water2dWorld::with_bounds(1, Rules::literal(), Region::cell(IVec3::X)).unwrap();
    let high = Op::Edit(Edit::Pour { cell: IVec3::Y * 3, units: 99 });
    assert_eq!(broken(empty, &low, &[load, high]), Some("edit"));
}

/// No cell takes more than the highest level, in the model neither.
#[test]
fn the_model_of_two_dimensional_water_knows_the_highest_level() {
    use water2d::{Cell, MAX_LEVEL, Rules};
    let narrow = |rules: Rules| {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(2, 2, 0));
        let mut world = Water2dWorld::with_bounds(1, rules, bounds).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Cell::AIR)).unwrap();
        world.fill_water(Region::new(IVec3::ZERO, IVec3::new(1, 1, 0)), MAX_LEVEL - 3).unwrap();
        world.fill_water(Region::cell(IVec3::ONE.with_z(0)), MAX_LEVEL).unwrap();
        world
    };
    for rules in [Rules::literal(), Rules::default()] {
        let world = || narrow(rules);
        assert_eq!(broken(world, &world(), &[Op::Step(4)]), None, "{rules:?}");
    }
}

/// Glass before a charge, on a floor.
fn ground(palette: Palette) -> World {
    let bounds = Region::new(IVec3::ZERO, IVec3::splat(5));
    let rules = world::Rules { blast_steps: 4, ..world::Rules::default() };
    let [air, soil, glass] = ["air", "soil", "glass"].map(|name| palette.id(name).unwrap());
    let mut world = World::with_bounds(7, palette, rules, bounds).unwrap();
    let content = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 0, |_| soil, air);
    world.insert_chunk(ChunkPos::ZERO, content).unwrap();
    world.set_material(WALL, glass).unwrap();
    world
}

fn charge() -> Op<world::Edit> {
    let pressure = Edit::SetPressure { cell: WALL + IVec3::X, pressure: 300.0 };
    Op::Edit(world::Edit::Blast(pressure))
}

#[test]
fn ground_that_is_not_the_models_breaks_a_law_by_its_name() {
    let world = || ground(palette());
    let ops = [charge(), Op::Step(2)];
    assert_eq!(broken(world, &world(), &ops), None);
    let mut watched = Watched::new(world);
    watched.play(&ops).unwrap();
    assert_eq!(watched.world().material(WALL), palette().id("air"), "the glass broke");

    let mut other = world();
    other.set_material(IVec3::ONE, MaterialId(1)).unwrap();
    assert_eq!(broken(world, &other, &[]), Some("cells"));
    // A model in which glass bears more.
    let firm = palette()
        .materials()
        .map(|(_, material)| match &*material.name {
            "glass" => Material::solid("glass").breaking(1e6, "air"),
            _ => material.clone(),
        })
        .collect::<Vec<_>>();
    assert_eq!(broken(world, &ground(Palette::new(firm).unwrap()), &ops), Some("events"));
    // One without the chunk refuses what the world makes.
    let mut without = world();
    without.remove_chunk(ChunkPos::ZERO).unwrap();
    assert_eq!(broken(world, &without, &[]), Some("cells"));
    let beyond = world::Edit::InsertChunk {
        position: ChunkPos::new(1, 0, 0),
        content: Chunk::uniform(MaterialId(0)).into(),
    };
    assert_eq!(broken(world, &world(), &[Op::Edit(beyond)]), None, "both refuse it");
}

/// A client that was not sent a change, and one beside which somebody else takes the lists: once,
/// that took the change from it.
#[test]
fn a_client_that_misses_a_change_is_found() {
    let start = Start {
        seed: 1,
        rules: world::Rules::default(),
        bounds: Region::new(IVec3::ZERO, IVec3::splat(5)),
    };
    let cell = IVec3::new(2, 4, 2);
    let ops = [Op::Edit(world::Edit::SetMaterial { cell, material: MaterialId(1) }), Op::Step(1)];
    let mut first = None;
    let late = move |world: &mut World, _: &[world::Broken]| {
        let mirror = first.get_or_insert_with(|| {
            let (mut feed, mut mirror) = (world::Feed::new(world), world::Mirror::new(9));
            mirror.apply(&feed.whole(world, [ChunkPos::ZERO])).expect("whole chunks");
            mirror
        });
        mirrors(mirror, world, world.bounds().positions())
    };
    let mut watched = Watched::new(|| World::build(&start)).with_companion("mirrored", late);
    let broken = watched.play(&ops).unwrap_err();
    assert_eq!(broken.first().law, "mirrored");
    assert!(broken.first().what.starts_with("[2, 4, 2]: "), "{broken}");
    let mut client = mirrored();
    let beside = move |world: &mut World, events: &[world::Broken]| {
        world.take_changes();
        client(world, events)
    };
    let mut watched = Watched::new(|| World::build(&start)).with_companion("mirrored", beside);
    assert_eq!(watched.play(&ops), Ok(()));
}
