//! Fifty players, and what they make of the water: every edit is queued.

use super::ground::{self, COLUMN, Ground};
use super::players::{Columns, FAR, Players, TICKS_PER_SECOND, VIEW, chunks_of};
use core::ops::Range;
use floodplain::glam::{DVec2, IVec2, IVec3};
use floodplain::water::{ChunkRecord, Edge, Edit, Outcome, SimulationDistance, Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, ColumnPos, Region};
use std::collections::HashMap;

/// Where springs open, and where explosions are, by x and z.
const SPRINGS: IVec2 = IVec2::new(-400, 120);
const LAKE: IVec2 = IVec2::new(48, 144);
const RIVERSIDE: IVec2 = IVec2::new(200, 0);
/// Drops of one unit a tick.
const DROPS: usize = 50;

/// A part of what happens, which can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Streaming,
    Rivers,
    Rain,
    Digging,
    Explosions,
    Dam,
    Springs,
}

impl Part {
    pub const ALL: [Part; 7] = [
        Part::Streaming,
        Part::Rivers,
        Part::Rain,
        Part::Digging,
        Part::Explosions,
        Part::Dam,
        Part::Springs,
    ];
}

/// The length of a run, in the units of [`EVENTS`].
pub const LENGTH: u64 = 1_200;

/// What happens once, and when: ticks, if a run has [`LENGTH`] of them.
pub const EVENTS: [Event; 4] = [
    Event { when: 300, part: Part::Explosions, name: "lake blown open", make: Game::open_lake },
    Event { when: 500, part: Part::Dam, name: "dam breached", make: Game::breach_dam },
    Event { when: 700, part: Part::Explosions, name: "bank blown open", make: Game::open_river },
    Event { when: 900, part: Part::Springs, name: "169 springs", make: Game::open_springs },
];

/// What happens once.
#[derive(Clone, Copy)]
pub struct Event {
    pub when: u64,
    part: Part,
    pub name: &'static str,
    make: fn(&mut Game, &mut WaterWorld),
}

/// The players and what they do, and the columns about them.
pub struct Game {
    pub ground: Ground,
    without: Option<Part>,
    /// What is simulated of the loaded columns; `None` for all.
    distance: Option<SimulationDistance>,
    /// The server's ticks since the distance was told how many of them completed one of the water,
    /// and those.
    recent: (u64, u64),
    random: fastrand::Rng,
    players: Players,
    pub columns: Columns,
    /// Columns that were unloaded.
    records: HashMap<ColumnPos, Vec<ChunkRecord>>,
    /// Edits that were refused, mostly since their column had left.
    pub refused: usize,
}

impl Game {
    pub fn new(
        players: usize,
        distance: Option<SimulationDistance>,
        without: Option<Part>,
    ) -> Game {
        let mut random = fastrand::Rng::with_seed(7);
        let middle = |region: Region| {
            let middle = (region.min() + region.max()) / 2;
            DVec2::new(f64::from(middle.x), f64::from(middle.z))
        };
        // At the dam, where the springs will be, at a lake, and at a river.
        let homes =
            [middle(ground::breach()), SPRINGS.as_dvec2(), LAKE.as_dvec2(), RIVERSIDE.as_dvec2()];
        let players = Players::new(players, &homes, &mut random);
        let is_with = |part| without != Some(part);
        Game {
            ground: Ground { has_rivers: is_with(Part::Rivers) },
            without,
            distance,
            recent: (0, 0),
            random,
            players,
            columns: Columns::default(),
            records: HashMap::new(),
            refused: 0,
        }
    }

    fn has(&self, part: Part) -> bool {
        self.without != Some(part)
    }

    /// Returns the columns that each player sees, by the x and z of their chunks.
    pub fn views(&self) -> impl Iterator<Item = (ColumnPos, ColumnPos)> {
        self.players.views()
    }

    /// Lets rivers run out where the columns that they come to are not loaded. Lakes and the sea
    /// wait there.
    pub fn set_river_ends(&self, world: &mut WaterWorld) {
        let most = FAR as i32 / 16 + VIEW + 2;
        for column in (-most..=most).flat_map(|x| (-most..=most).map(move |z| ColumnPos::new(x, z)))
        {
            if ground::has_river(column) {
                world.set_edge(column, Some(Edge::Drain));
            }
        }
    }

    /// Returns the chunks of all columns that are seen at first.
    pub fn first_chunks(&mut self) -> Vec<(ChunkPos, Chunk<Voxel>)> {
        let wanted = self.columns.first(&self.players);
        wanted.into_iter().flat_map(|column| self.ground.column(column)).collect()
    }

    /// Queues what happens in a tick, with the events of this time.
    pub fn queue_tick(&mut self, world: &mut WaterWorld, time: Range<u64>) {
        if self.has(Part::Streaming) {
            self.players.walk(&mut self.random);
            self.stream(world);
        }
        if self.has(Part::Rain) {
            self.rain(world);
        }
        if self.has(Part::Digging) {
            self.dig(world);
        }
        for event in EVENTS.into_iter().filter(|event| time.contains(&event.when)) {
            if self.has(event.part) {
                (event.make)(self, world);
            }
        }
    }

    /// Queues which chunks are to stand still and which to go on, by the positions of the players.
    pub fn queue_distance(&self, world: &mut WaterWorld) {
        let Some(distance) = &self.distance else { return };
        for edit in distance.edits(world, &self.players.chunks()) {
            world.queue(edit);
        }
    }

    /// Counts what became of the edits, and whether a tick of the water was completed. Once a
    /// second, adapts the simulation distance to the number of completed ticks.
    pub fn end_tick(&mut self, world: &mut WaterWorld, is_complete: bool) {
        self.take_reports(world);
        self.recent.0 += 1;
        self.recent.1 += u64::from(is_complete);
        if self.recent.0 == TICKS_PER_SECOND {
            let (ticks, completed) = core::mem::take(&mut self.recent);
            let players = self.players.chunks();
            if let Some(distance) = &mut self.distance {
                let far = distance.far_share(world, &players);
                distance.adapt(completed, ticks, far);
            }
        }
    }

    /// By how many columns the distance is shorter now, for lag.
    pub fn reduction(&self) -> u32 {
        self.distance.as_ref().map_or(0, SimulationDistance::reduction)
    }

    fn take_reports(&mut self, world: &mut WaterWorld) {
        for report in world.take_edit_reports() {
            match report.result {
                Ok(Outcome::Records(records)) => {
                    let Some(first) = records.first() else { continue };
                    let column = first.position().column();
                    self.columns.left(column);
                    self.records.insert(column, records);
                }
                Ok(_) => {}
                Err(_) => self.refused += 1,
            }
        }
    }

    /// Loads columns that come into view, and unloads those that are out of it.
    fn stream(&mut self, world: &mut WaterWorld) {
        let [gone, come] = self.columns.follow(&self.players);
        for column in gone {
            world.queue(Edit::RemoveChunks(chunks_of(column).collect()));
        }
        for column in come {
            world.queue(match self.records.remove(&column) {
                Some(records) => Edit::InsertRecords(records),
                None => Edit::InsertChunks(self.ground.column(column)),
            });
        }
    }

    /// Drops, eight cells over the ground near any player.
    fn rain(&mut self, world: &mut WaterWorld) {
        for _ in 0..DROPS {
            let (x, z) = self.near_a_player(16 * VIEW);
            let y = (self.ground.height(x, z) + 9).min(16 * COLUMN - 1);
            world.queue(Edit::Pour { cell: IVec3::new(x, y, z), units: 1 });
        }
    }

    /// One player in ten digs in each tick, and one in fifty builds.
    fn dig(&mut self, world: &mut WaterWorld) {
        for at in 0..self.players.count() {
            let work = self.random.u8(..50);
            if work > 5 {
                continue;
            }
            let (x, z) = self.players.near(at, 4, &mut self.random);
            let deep = self.random.i32(0..3);
            let top = self.ground.height(x, z);
            world.queue(match work {
                0 => Edit::SetSolid(IVec3::new(x, top + 1, z)),
                _ => Edit::ClearSolid(IVec3::new(x, top - deep, z)),
            });
        }
    }

    /// An explosion at the bank of a lake.
    fn open_lake(&mut self, world: &mut WaterWorld) {
        let IVec2 { x, y: z } = LAKE;
        self.explode(world, (self.ground.shore_east_of(x, z), z));
    }

    /// An explosion at the bank of a river.
    fn open_river(&mut self, world: &mut WaterWorld) {
        let IVec2 { x, y: z } = RIVERSIDE;
        self.explode(world, (x, ground::river_at(x, z) + 3));
    }

    /// A ball of ground is gone.
    fn explode(&self, world: &mut WaterWorld, (x, z): (i32, i32)) {
        let middle = IVec3::new(x, self.ground.height(x, z) - 2, z);
        let ball = Region::new(middle - 5, middle + 5);
        for cell in ball.positions().filter(|&cell| (cell - middle).length_squared() <= 27) {
            world.queue(Edit::ClearSolid(cell));
        }
    }

    fn breach_dam(&mut self, world: &mut WaterWorld) {
        for cell in ground::breach().positions() {
            world.queue(Edit::ClearSolid(cell));
        }
    }

    /// Springs on the ground, in 13 rows of 13.
    fn open_springs(&mut self, world: &mut WaterWorld) {
        for at in 0..169 {
            let IVec2 { x, y: z } = SPRINGS + (IVec2::new(at % 13, at / 13) - 6) * 6;
            world.queue(Edit::AddSource(IVec3::new(x, self.ground.height(x, z) + 1, z)));
        }
    }

    fn near_a_player(&mut self, most: i32) -> (i32, i32) {
        let player = self.random.usize(..self.players.count());
        self.players.near(player, most, &mut self.random)
    }
}
