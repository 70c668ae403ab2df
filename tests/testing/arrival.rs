//! The laws of liveness: bugs of a game's own type around a world of water break each of them by
//! its name, and no world of the crate breaks any.

use floodplain::StepReport;
use floodplain::glam::IVec3;
use floodplain::testing::{
    Bytes, Changes, Findings, Looks, Watch, Watched, check_arrival, max_outflow,
};
use floodplain::water::{Edge, Edges, Edit, EditError, Ledger, Outcome, Rules, WaterWorld};
use floodplain::water::{Voxel, WaterCell};
use floodplain::{Chunk, ChunkPos, Face, Region};
use support::water::beds::{Bed, Course};

/// What is wrong with a game.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bug {
    None,
    /// A unit of each seven is taken on its way to the end.
    Thief,
    /// A cell of the stream is other water in each tick.
    Severed,
    /// Two units in a tick are taken from a world that was once full.
    Remembers,
    /// Water is carried back uphill.
    Sisyphus,
    /// Two cells are emptied in each tick.
    Pump,
}

/// A game around a world of water.
struct Game {
    water: WaterWorld,
    bug: Bug,
    was_full: bool,
}

/// The stream is in the cells from 1 to 10 of this row, in a channel of one cell.
fn stream(x: i32) -> IVec3 {
    IVec3::new(x, 1, 1)
}

impl Game {
    /// A channel from a spring in the west to an end in the east.
    fn channel(bug: Bug) -> Game {
        let edges = Edges::WALLS.with(Face::East, Edge::Drain);
        let mut water = WaterWorld::with_bounds(
            5,
            Rules { edges, ..Rules::lossless() },
            Region::new(IVec3::ZERO, IVec3::new(10, 2, 2)),
        )
        .unwrap();
        water.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
        (1..=10).for_each(|x| _ = water.clear_solid(stream(x)).unwrap());
        water.add_source(stream(1)).unwrap();
        Game { water, bug, was_full: false }
    }

    /// A closed basin with a heap of water.
    fn basin(bug: Bug) -> Game {
        let mut game = Game::channel(bug);
        game.water.set_rules(Rules::lossless()).unwrap();
        game.water.remove_source(stream(1)).unwrap();
        (1..=3).for_each(|x| _ = game.water.pour(stream(x), 7).unwrap());
        game
    }

    /// The channel without an end, and with the spring above it.
    fn shaft(bug: Bug) -> Game {
        let mut game = Game::channel(bug);
        game.water.set_rules(Rules::lossless()).unwrap();
        game.water.remove_source(stream(1)).unwrap();
        game.water.clear_solid(stream(1) + IVec3::Y).unwrap();
        game.water.add_source(stream(1) + IVec3::Y).unwrap();
        game
    }

    /// Takes a number of units of a cell at most.
    fn take(&mut self, x: i32, units: u32) -> u32 {
        self.water.scoop(stream(x), units).unwrap()
    }

    fn misbehave(&mut self) {
        match self.bug {
            Bug::None => {}
            Bug::Thief => _ = self.take(9, 1),
            Bug::Severed => {
                let units = self.take(5, 7);
                self.water.pour(stream(5), units).unwrap();
            }
            Bug::Remembers if self.was_full => _ = self.take(9, 2),
            Bug::Remembers => {}
            Bug::Sisyphus => {
                let units = self.take(10, 2);
                self.water.pour(stream(1), units).unwrap();
            }
            Bug::Pump => _ = self.take(9, 7) + self.take(10, 7),
        }
    }
}

impl Watch for Game {
    type Edit = Edit;
    type Outcome = Outcome;
    type Error = EditError;
    type Place = [i32; 3];
    type Look = Voxel;
    type Account = (Ledger, u64);
    type Event = ();

    fn apply(&mut self, edit: Edit) -> Result<Outcome, EditError> {
        self.water.apply(edit)
    }
    fn step(&mut self) -> StepReport {
        let units = (2..=10).map(|x| u32::from(self.water.units(stream(x)))).sum::<u32>();
        self.was_full |= units == 7 * 9 && self.water.ledger().drained == 0;
        let report = self.water.step();
        self.misbehave();
        report
    }
    fn wake_all(&mut self) {
        self.water.wake_all();
    }
    fn saved_and_loaded(&self) -> Result<Game, String> {
        let water = self.water.saved_and_loaded()?;
        Ok(Game { water, ..*self })
    }
    fn ticks(&self) -> u64 {
        self.water.ticks()
    }
    fn state_hash(&self) -> u64 {
        self.water.state_hash()
    }
    fn account(&self) -> (Ledger, u64) {
        Watch::account(&self.water)
    }
    fn is_at_rest(&self) -> bool {
        self.water.is_at_rest()
    }
    fn let_alone(&mut self, found: &mut Findings) {
        check_arrival(self, |game| &game.water, |edit| edit, found);
    }
    fn validate(&self) -> Result<(), String> {
        Watch::validate(&self.water)
    }
    fn looks(&self) -> Looks<Game> {
        self.water.looks()
    }
    fn take_changes(&mut self) -> Changes<[i32; 3]> {
        Watch::take_changes(&mut self.water)
    }
}

/// Lets a game alone, and returns the laws that it breaks.
fn broken(make: impl Fn() -> Game) -> Vec<&'static str> {
    let broken = Watched::new(make).let_rest().err();
    broken.iter().flat_map(|broken| broken.iter().map(|broken| broken.law)).collect()
}

/// What follows from a broken law may break others: the first counts.
#[test]
fn a_game_in_which_water_does_not_arrive_breaks_the_law_of_its_name() {
    for (bug, law) in
        [(Bug::Thief, "outflow"), (Bug::Severed, "reach"), (Bug::Remembers, "history")]
    {
        assert_eq!(broken(|| Game::channel(bug)).first(), Some(&law), "{bug:?}");
    }
    assert_eq!(broken(|| Game::basin(Bug::Sisyphus)).first(), Some(&"level_in_time"));
    assert_eq!(broken(|| Game::shaft(Bug::Pump)).first(), Some(&"filled"));
    let none: [&str; 0] = [];
    assert_eq!(broken(|| Game::channel(Bug::None)), none);
    assert_eq!(broken(|| Game::basin(Bug::None)), none);
    assert_eq!(broken(|| Game::shaft(Bug::None)), none);
}

/// Steps, basins that fill, arms of a U, and what the throughput narrows.
#[test]
fn the_greatest_outflow_is_that_of_the_narrowest_cells_once_all_that_fills_is_full() {
    let supplied = |layers: &[&[&str]], throughput: u8, source_supply: u8| {
        let [width, depth] = [layers[0][0].len(), layers[0].len()].map(|side| side as i32);
        let max = IVec3::new(width - 1, layers.len() as i32 - 1, depth - 1);
        let edges = Edges::WALLS.with(Face::East, Edge::Drain);
        let rules = Rules { edges, throughput, source_supply, ..Rules::lossless() };
        let bounds = Region::new(IVec3::ZERO, max);
        let mut world = WaterWorld::with_bounds(1, rules, bounds).unwrap();
        let mut chunk = Chunk::uniform(Voxel::SOLID);
        for cell in bounds.positions() {
            let row = layers[(max.y - cell.y) as usize][cell.z as usize];
            let voxel = match row.as_bytes()[cell.x as usize] {
                b'#' => Voxel::SOLID,
                b'S' => Voxel::water(WaterCell::SOURCE),
                _ => Voxel::OPEN,
            };
            chunk.set(<floodplain::Cube as floodplain::Shape>::index_of(cell), voxel);
        }
        world.insert_chunk(ChunkPos::ZERO, chunk).unwrap();
        max_outflow(&world)
    };
    let outflow = |layers: &[&[&str]], throughput: u8| supplied(layers, throughput, 7);
    assert_eq!(outflow(&[&["S...", "S..#"]], 7), 7, "one way out");
    assert_eq!(outflow(&[&["S...", "S..."]], 7), 14);
    assert_eq!(outflow(&[&["S...", "S..."]], 3), 6);
    assert_eq!(outflow(&[&["S.#."]], 7), 0);
    assert_eq!(outflow(&[&["S.##"], &["##.."]], 7), 0, "no way down");
    assert_eq!(outflow(&[&["S..#"], &["##.."]], 7), 7, "down a step");
    assert_eq!(outflow(&[&["S.#."], &["#..."], &["#..#"]], 7), 7, "over a basin");
    let u = |top, upper| outflow(&[&[top], &[upper], &["#.#.#"], &["#...#"]], 7);
    assert_eq!(u("S.###", "#.#.."), 7, "up the other arm of a U");
    assert_eq!(u("S.#..", "#.#.#"), 0, "not to the height of the spring");
    assert_eq!(outflow(&[&["S...."], &["#.###"], &["#...."]], 7), 7, "it falls");
    assert_eq!(outflow(&[&["S..S."], &["#.###"], &["#...."]], 7), 14, "two ends");
    assert_eq!(supplied(&[&["S...", "S..#"]], 7, 3), 6);
    assert_eq!(supplied(&[&["SS.."]], 7, 3), 3, "one behind another, whose cell is in the way");
}

/// Over flat beds, down steps, through caves, and among columns of any height.
#[test]
fn water_arrives_in_small_worlds_of_every_kind() {
    for bed in [Bed::Flat, Bed::Stepped, Bed::Cave, Bed::Rough] {
        for seed in 0..7 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let bytes: Vec<u8> = (0..40).map(|_| rng.u8(..)).collect();
            let course = Course::draw(bed, &mut Bytes(&bytes));
            if let Err(broken) = course.check() {
                panic!("{bed:?}, seed {seed}: {broken}\n{course:?}");
            }
        }
    }
}

/// Of springs at several heights the law asks only what those at one of these deliver alone. In
/// nearly all worlds nine tenths of what all of them can deliver arrives.
#[test]
fn supply_of_springs_at_several_heights_arrives_in_19_of_20_stepped_worlds() {
    const WORLDS: usize = 20;
    let several = |world: &WaterWorld| {
        let is_spring = |cell: &IVec3| world.cell(*cell).is_some_and(|cell| cell.is_source());
        let mut heights = world.bounds().positions().filter(is_spring).map(|spring| spring.y);
        heights.next().is_some_and(|first| heights.any(|height| height != first))
    };
    let outflows = (0_u64..).filter_map(|seed| {
        let mut rng = fastrand::Rng::with_seed(seed);
        let bytes: Vec<u8> = (0..40).map(|_| rng.u8(..)).collect();
        let mut world = Course::draw(Bed::Stepped, &mut Bytes(&bytes)).world();
        let most = max_outflow(&world);
        (most > 0 && several(&world)).then(|| {
            world.run(700);
            let drained = world.ledger().drained;
            world.run(128);
            (seed, (world.ledger().drained - drained) as f64 / (128 * most) as f64)
        })
    });
    let failing: Vec<_> = outflows.take(WORLDS).filter(|&(_, part)| part < 0.9).collect();
    assert!(failing.len() * 20 <= WORLDS, "of {WORLDS} worlds, (seed, part): {failing:.2?}");
}

/// A spring over one arm of a U fills the other up to its own floor, to the last unit: without what
/// it gives to the body below it, that would stop short.
#[test]
fn springs_fill_u_tubes_that_no_water_leaves() {
    for seed in 0..16 {
        let width = 3 + (seed % 4) as i32;
        let make = || {
            let bounds = Region::new(IVec3::ZERO, IVec3::new(width + 1, 4, 2));
            let mut world = WaterWorld::with_bounds(seed, Rules::lossless(), bounds).unwrap();
            world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
            let arms = [1, width].into_iter().flat_map(|x| [(x, 2), (x, 3)]);
            for (x, y) in (1..=width).map(|x| (x, 1)).chain(arms) {
                world.clear_solid(IVec3::new(x, y, 1)).unwrap();
            }
            world.clear_solid(IVec3::new(1, 4, 1)).unwrap();
            world.add_source(IVec3::new(1, 4, 1)).unwrap();
            world
        };
        let mut world = make();
        world.run(200);
        assert!(world.is_at_rest(), "seed {seed}");
        assert_eq!(world.total(), 7 * (width as u64 + 5), "seed {seed}");
    }
}
