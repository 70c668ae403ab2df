//! Small random worlds of each kind, with much going on near the borders of columns, and how they
//! are divided and run.

use fastrand::Rng;
use floodplain::blast::{self, BlastWorld};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::parts::{InParts, Message, PartEditError, PartError, PartHash, Plan};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{
    Chunk, ChunkChanges, ChunkPos, ColumnPos, Cube, Face, FieldShape, Region, Shape, Sheet,
    Simulation, StepReport,
};
use glam::IVec3;

/// A kind of world that is drawn.
pub trait Drawn: InParts + Simulation<Change = ChunkChanges> {
    /// Returns the world of a seed, and its size in chunks. The same each time.
    fn draw(seed: u64) -> (Self, IVec3);

    /// Returns a random edit of a world of this size, often near a border between columns, and at
    /// times one that is refused.
    fn draw_edit(rng: &mut Rng, size: IVec3) -> Self::Edit;

    /// Returns the sum of what edits of a region answer in parts; `None` if it is no sum.
    fn share(outcome: &Self::Outcome) -> Option<f64>;

    /// Returns that world without chunks.
    fn empty(seed: u64) -> Self {
        let (mut world, _) = Self::draw(seed);
        let mut chunks = Vec::new();
        world.visit_chunk_hashes(&mut |chunk, _| chunks.push(chunk));
        chunks.into_iter().for_each(|chunk| world.drop_chunk(chunk));
        world
    }
}

/// Returns a cell that is often near a border between columns.
fn cell<S: Shape>(rng: &mut Rng, size: IVec3) -> IVec3 {
    let side = IVec3::from_array(S::BITS.map(|bits| 1 << bits));
    let mut cell = IVec3::ZERO;
    for axis in 0..3 {
        let chunk = rng.i32(0..size[axis]);
        let local = match rng.u8(..3) {
            0 => rng.i32(0..side[axis]),
            1 => rng.i32(0..3),
            _ => side[axis] - 1 - rng.i32(0..3),
        };
        cell[axis] = chunk * side[axis] + local.clamp(0, side[axis] - 1);
    }
    cell
}

fn bounds<S: Shape>(size: IVec3) -> Region {
    Region::new(IVec3::ZERO, S::region_of((size - 1).into()).max())
}

/// Returns a box of cells around a cell, within bounds.
fn near(rng: &mut Rng, bounds: Region, at: IVec3, most: i32) -> Region {
    let reach = IVec3::from_array([0; 3].map(|_| rng.i32(0..most)));
    let clamp = |cell: IVec3| cell.clamp(bounds.min(), bounds.max());
    Region::new(clamp(at - reach), clamp(at + reach))
}

fn size<S: Shape>(rng: &mut Rng) -> IVec3 {
    let is_flat = S::BITS[2] == 0;
    IVec3::new(rng.i32(2..6), rng.i32(1..3), if is_flat { 1 } else { rng.i32(1..4) })
}

impl<S: FieldShape> Drawn for HumidityWorld<S> {
    fn draw(seed: u64) -> (Self, IVec3) {
        let mut rng = Rng::with_seed(seed);
        let sweep = [Sweep::Synchronous, Sweep::Conservative][rng.usize(..2)];
        let border = [humidity::Border::Wall, humidity::Border::Drain][rng.usize(..2)];
        let rules = humidity::Rules {
            cap: [600.0, 1000.0][rng.usize(..2)],
            fall: if sweep == Sweep::Conservative {
                [0.0, 1.0 / 32.0][rng.usize(..2)]
            } else {
                0.0
            },
            borders: [border; 6],
            ..humidity::Rules::with_sweep(sweep)
        };
        let size = size::<S>(&mut rng);
        let bounds = bounds::<S>(size);
        let mut world = HumidityWorld::<S>::with_bounds(rules, bounds).unwrap();
        for chunk in Region::new(IVec3::ZERO, size - 1).positions() {
            let soil = humidity::Cell::soil(f64::from(rng.u8(..2)) * 90.0, 1.0 + rng.f32());
            if rng.u8(..8) > 0 {
                world.insert_chunk(chunk.into(), Chunk::uniform(soil)).unwrap();
            }
        }
        for _ in 0..rng.usize(2..9) {
            let at = cell::<S>(&mut rng, size);
            let humidity = f64::from(rng.u32(..900));
            _ = match rng.u8(..5) {
                0 => world.set_rain(at, humidity).is_ok(),
                1 => world.set_humidity(at, humidity).is_ok(),
                2 => world.set_rock(at).is_ok(),
                3 => world.set_impermeability(at, 1.0 + rng.f32()).is_ok(),
                _ => {
                    let soil = humidity::Cell::soil(humidity, 1.0 + rng.f32());
                    world.fill_cells(near(&mut rng, bounds, at, 6), soil).is_ok()
                }
            };
        }
        (world, size)
    }

    fn draw_edit(rng: &mut Rng, size: IVec3) -> humidity::Edit {
        use humidity::Edit;
        let cell = edited_cell::<S>(rng, size);
        let humidity = f64::from(rng.u32(..900));
        match rng.u8(..16) {
            0 => Edit::SetRock(cell),
            1 => Edit::ClearRain(cell),
            2 | 3 => Edit::SetRain { cell, humidity },
            4 | 5 => Edit::SetHumidity { cell, humidity },
            6 => Edit::SetImpermeability { cell, impermeability: 1.0 + rng.f32() },
            7 => Edit::SetCell { cell, value: humidity::Cell::rain(humidity, 1.0 + rng.f32()) },
            8 => Edit::SetHumidity { cell, humidity: [-1.0, f64::NAN][rng.usize(..2)] },
            9 => Edit::SetImpermeability { cell, impermeability: -1.0 },
            10 => Edit::WakeAll,
            _ => {
                let value = [
                    humidity::Cell::ROCK,
                    humidity::Cell::soil(0.0, 1.0),
                    humidity::Cell::soil(humidity, 1.0 + rng.f32()),
                ][rng.usize(..3)];
                Edit::FillCells { region: edited_region::<S>(rng, size, cell), value }
            }
        }
    }

    fn share(_outcome: &humidity::Outcome) -> Option<f64> {
        None
    }
}

impl Drawn for Water2dWorld {
    fn draw(seed: u64) -> (Self, IVec3) {
        let mut rng = Rng::with_seed(seed);
        let size = size::<Sheet>(&mut rng);
        let bounds = bounds::<Sheet>(size);
        let rules = water2d::Rules::literal();
        let mut world = Water2dWorld::with_bounds(seed, rules, bounds).unwrap();
        for chunk in Region::new(IVec3::ZERO, size - 1).positions() {
            if rng.u8(..8) > 0 {
                world.insert_chunk(chunk.into(), Chunk::uniform(water2d::Cell::AIR)).unwrap();
            }
        }
        for _ in 0..rng.usize(2..12) {
            let at = cell::<Sheet>(&mut rng, size);
            let region = near(&mut rng, bounds, at, 8);
            _ = match rng.u8(..4) {
                0 => world.fill_solid(region).is_ok(),
                1 => world.pour(at, rng.u32(..400_000)).is_ok(),
                _ => world.fill_water(region, rng.u32(..300)).is_ok(),
            };
        }
        (world, size)
    }

    fn draw_edit(rng: &mut Rng, size: IVec3) -> water2d::Edit {
        use water2d::Edit;
        let cell = edited_cell::<Sheet>(rng, size);
        let region = edited_region::<Sheet>(rng, size, cell);
        match rng.u8(..14) {
            0..4 => Edit::SetSolid(cell),
            4 => Edit::ClearSolid(cell),
            5 | 6 => Edit::Pour { cell, units: rng.u32(..400_000) },
            7 | 8 => Edit::Scoop { cell, units: rng.u32(..900) },
            9 => Edit::FillSolid(region),
            10 => Edit::FillWater { region, level: 1_000_001 },
            11 => Edit::WakeAll,
            _ => Edit::FillWater { region, level: rng.u32(..300) },
        }
    }

    fn share(outcome: &water2d::Outcome) -> Option<f64> {
        match outcome {
            water2d::Outcome::Units(units) => Some(*units as f64),
            _ => None,
        }
    }
}

impl<S: FieldShape> Drawn for BlastWorld<S> {
    fn draw(seed: u64) -> (Self, IVec3) {
        let mut rng = Rng::with_seed(seed);
        let rules = [blast::Rules::diffusive(0.16), blast::Rules::wave(0.15, 0.9)][rng.usize(..2)];
        let threshold = [0.0, 0.5, 3.0, 20.0][rng.usize(..4)];
        let rules = blast::Rules { threshold, ..rules };
        let border = || [blast::Border::Rigid, blast::Border::Open];
        let borders = blast::Borders {
            x: border()[rng.usize(..2)],
            y: [blast::Border::Rigid, blast::Border::Open, blast::Border::Periodic][rng.usize(..3)],
            z: border()[rng.usize(..2)],
        };
        let size = size::<S>(&mut rng);
        let mut bounds = bounds::<S>(size);
        if rng.bool() {
            let inset = IVec3::new(rng.i32(0..9), 0, 0);
            bounds = Region::new(bounds.min(), bounds.max() - inset);
        }
        let mut world = BlastWorld::<S>::with_bounds(rules, bounds, borders).unwrap();
        let inside = |cell: IVec3| cell.clamp(bounds.min(), bounds.max());
        for _ in 0..rng.usize(2..7) {
            let at = inside(cell::<S>(&mut rng, size));
            world.set_pressure(at, rng.f32() * [40.0, 900.0][rng.usize(..2)]).unwrap();
        }
        for _ in 0..rng.usize(0..6) {
            let at = inside(cell::<S>(&mut rng, size));
            let region = near(&mut rng, bounds, at, 4);
            _ = match rng.u8(..5) {
                0 => world.fill_solid(region).is_ok(),
                1 => world.set_link(at, Face::East, rng.f32()).is_ok(),
                _ => world.fill_wall(region, 0.1 + rng.f32() * 9.0).is_ok(),
            };
        }
        (world, size)
    }

    fn draw_edit(rng: &mut Rng, size: IVec3) -> blast::Edit {
        use blast::Edit;
        let cell = edited_cell::<S>(rng, size);
        let region = edited_region::<S>(rng, size, cell);
        let pressure = rng.f32() * [40.0, 900.0][rng.usize(..2)];
        match rng.u8(..18) {
            0 | 1 => Edit::SetPressure { cell, pressure },
            2 | 3 => Edit::AddPressure { cell, more: pressure - 20.0 },
            4 => Edit::FillPressure { region, pressure: [0.0, pressure][rng.usize(..2)] },
            5 => Edit::SetSolid(cell),
            6 => Edit::SetWall { cell, strength: 0.1 + rng.f32() * 9.0 },
            7 => Edit::ClearSolid(cell),
            8 => Edit::FillSolid(region),
            9 => Edit::FillWall { region, strength: 0.1 + rng.f32() * 9.0 },
            10..13 => {
                let face = Face::ALL[rng.usize(..S::NEIGHBOURS)];
                Edit::SetLink { cell, face, weight: [0.0, 1.0, 1.3, rng.f32()][rng.usize(..4)] }
            }
            13 => Edit::SetPressure { cell, pressure: f32::NAN },
            14 => Edit::WakeAll,
            _ => Edit::AddCharge { centre: cell, radius: 1.0 + rng.f32() * 7.0, pressure },
        }
    }

    fn share(outcome: &blast::Outcome) -> Option<f64> {
        match outcome {
            blast::Outcome::Sum(sum) => Some(*sum),
            _ => None,
        }
    }
}

/// Returns a cell that is now and then beyond the world or in no column.
fn edited_cell<S: Shape>(rng: &mut Rng, size: IVec3) -> IVec3 {
    let beyond = IVec3::from_array([0; 3].map(|_| i32::from(rng.u8(..30) == 0)));
    cell::<S>(rng, size + beyond)
}

/// Returns a box of cells around a cell, at times over the whole world.
fn edited_region<S: Shape>(rng: &mut Rng, size: IVec3, at: IVec3) -> Region {
    let all = bounds::<S>(size);
    let reach = if rng.u8(..12) == 0 { 99 } else { 8 };
    near(rng, all, at, reach)
}

/// A world that is divided, and the same world undivided.
pub struct Divided<W> {
    pub parts: Vec<W>,
    pub plan: Plan,
    pub whole: W,
    pub rng: Rng,
}

/// Returns the columns of a world of this size.
pub fn columns(size: IVec3) -> Vec<ColumnPos> {
    let x = 0..size.x;
    x.flat_map(|x| (0..size.z).map(move |z| ColumnPos::new(x, z))).collect()
}

/// Returns a plan that gives columns to parts at random, at least one to each.
pub fn random_plan(rng: &mut Rng, size: IVec3, parts: usize) -> Plan {
    let mut columns = columns(size);
    rng.shuffle(&mut columns);
    let owner = |at: usize, rng: &mut Rng| if at < parts { at } else { rng.usize(..parts) };
    let owners: Vec<_> =
        columns.into_iter().enumerate().map(|(at, column)| (column, owner(at, rng))).collect();
    Plan::of_owners(owners, parts).unwrap()
}

impl<W: Drawn> Divided<W> {
    pub fn draw(seed: u64) -> Self {
        Divided::draw_in(seed, 1)
    }

    /// Returns a world in two to four parts.
    pub fn draw_divided(seed: u64) -> Self {
        Divided::draw_in(seed, 2)
    }

    fn draw_in(seed: u64, least: usize) -> Self {
        let (whole, size) = W::draw(seed);
        let mut rng = Rng::with_seed(!seed);
        let parts = rng.usize(least..5).min(columns(size).len());
        let plan = random_plan(&mut rng, size, parts);
        let part = |number: usize| {
            let (mut part, _) = W::draw(seed);
            part.divide(&plan, number).unwrap();
            if number > 0 {
                let none = vec![0; part.account().len()];
                part.resume(part.ticks(), &none).unwrap();
            }
            part
        };
        Divided { parts: (0..parts).map(part).collect(), plan, whole, rng }
    }

    /// Runs a step of all parts. Messages arrive in random order, and some chunks are stepped
    /// ahead.
    pub fn step(&mut self) -> StepReport {
        self.step_checking(|_, _| ())
    }

    /// Runs a step as [`step`](Divided::step) does. `check` gets the awake chunks of each part
    /// before each round, and its messages in it.
    pub fn step_checking(
        &mut self,
        mut check: impl FnMut(&[(ChunkPos, usize)], &[Message]),
    ) -> StepReport {
        let mut sum = StepReport::default();
        for round in 0..W::ROUNDS {
            let mut sent: Vec<(usize, Message)> = Vec::new();
            for (number, part) in self.parts.iter_mut().enumerate() {
                let awake = part.awake_chunks();
                let advanced = part.advance(round);
                check(&awake, &advanced.messages);
                sum += advanced.report;
                sent.extend(advanced.messages.into_iter().map(|message| (number, message)));
            }
            self.rng.shuffle(&mut sent);
            if round == W::ROUNDS - 1 {
                // As while messages are still under way.
                for part in &mut self.parts {
                    (0..self.rng.usize(..4)).for_each(|_| _ = part.step_inside());
                }
            }
            for (sender, message) in sent {
                for receiver in self.plan.receivers(message.chunk, sender) {
                    self.parts[receiver].receive(&message).unwrap();
                }
            }
        }
        sum
    }

    /// Makes an edit in all parts, or in none, and in the undivided world. Messages arrive in
    /// random order. Returns whether it was made.
    pub fn edit(&mut self, edit: &W::Edit) -> bool {
        let check = |part: &W| part.check_edit(&self.plan, edit);
        let refused: Vec<_> = self.parts.iter().filter_map(|part| check(part).err()).collect();
        let expected = self.whole.apply(edit.clone());
        let what = format!("{edit:?}: {refused:?}, {expected:?}");
        let Ok(expected) = expected else {
            let error = format!("{:?}", PartEditError::Edit(expected.unwrap_err()));
            let is_same = |refusal| format!("{refusal:?}") == error || is_unplanned(refusal);
            assert!(refused.iter().any(is_same), "{what}");
            return false;
        };
        assert!(refused.is_empty(), "{what}");
        let mut sent: Vec<(usize, Message)> = Vec::new();
        let mut outcomes = Vec::new();
        for (number, part) in self.parts.iter_mut().enumerate() {
            let edited = part.edit(&self.plan, edit).unwrap();
            outcomes.extend(edited.outcome);
            sent.extend(edited.messages.into_iter().map(|message| (number, message)));
        }
        self.rng.shuffle(&mut sent);
        for (sender, message) in sent {
            for receiver in self.plan.receivers(message.chunk, sender) {
                self.parts[receiver].receive(&message).unwrap();
            }
        }
        match W::share(&expected) {
            Some(sum) => {
                let shares: f64 = outcomes.iter().filter_map(W::share).sum();
                assert!((sum - shares).abs() <= 1e-9 * sum.abs(), "{what}, {outcomes:?}");
            }
            None => {
                assert!(!outcomes.is_empty(), "{what}");
                assert!(outcomes.iter().all(|outcome| *outcome == expected), "{what}");
            }
        }
        true
    }

    /// Returns the sums of the parts' accounts and hashes.
    pub fn sums(&self) -> (Vec<i128>, PartHash) {
        sums_of(&self.parts)
    }

    /// Returns all that changed and happened, in order.
    pub fn changes(&mut self) -> String {
        let mut changes: Vec<ChunkChanges> =
            self.parts.iter_mut().flat_map(Simulation::take_changes).collect();
        changes.sort_by_key(|changes| position_key(changes.chunk));
        format!("{changes:?}")
    }
}

fn is_unplanned<E>(refusal: &PartEditError<E>) -> bool {
    matches!(refusal, PartEditError::Part(PartError::Column(_)))
}

fn position_key(chunk: ChunkPos) -> [i32; 3] {
    [chunk.y, chunk.z, chunk.x]
}

/// Returns the sums of accounts and hashes.
pub fn sums_of<W: InParts>(parts: &[W]) -> (Vec<i128>, PartHash) {
    let mut account = parts[0].account();
    for part in &parts[1..] {
        account.iter_mut().zip(part.account()).for_each(|(sum, more)| *sum += more);
    }
    (account, parts.iter().map(InParts::hash_part).sum())
}

pub type Soil = HumidityWorld<Sheet>;
pub type DeepSoil = HumidityWorld<Cube>;
pub type Blast = BlastWorld<Sheet>;
pub type DeepBlast = BlastWorld<Cube>;
