//! Edits and ticks of a world, saved, also to a file, and loaded in between, against a model of every cell's
//! material, a scan for what it lists as changed, and a twin that never sleeps, takes whole ticks and
//! is followed by a mirror. The world takes edits as values that were sent as bytes, the twin by the
//! functions of their names.

use super::feed::{Followed, Listed};
use super::model::Model;
use super::saves::Saves;
use super::{id, palette, rules, world};
use crate::edit_bytes::sent;
use floodplain::blast;
use floodplain::glam::IVec3;
use floodplain::humidity::{self, UNITS};
use floodplain::snapshot::Saved;
use floodplain::testing::Bytes;
use floodplain::water::{self, Fixture, Voxel, WaterCell};
use floodplain::world::{
    Broken, Content, Couplings, Edit, EditError, Ledger, MaterialId, Outcome, Rules, Submerged,
    World,
};
use floodplain::{Cube, Face, Region, Shape};
use std::collections::VecDeque;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 14;

/// What is done to a world.
#[derive(Clone, Debug)]
pub enum Op {
    Edit(Edit),
    Queue(Edit),
    Step,
    Run(u8),
    /// One call with this budget, which may leave the tick unfinished.
    Slice(u64),
    TakeChanges,
    /// Both worlds are saved and loaded.
    Reload,
    /// What was touched since the last time is written to a file, up to so many chunks of it copied
    /// ahead.
    Save(usize),
    /// The records that the last edit that took some out returned.
    PutBack,
}

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    seed: u64,
    rules: Rules,
    bounds: Region,
    ops: Vec<Op>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let seed = bytes.byte();
        let flags = bytes.byte();
        let period = usize::from(flags / 4 % 3);
        let rules = Rules {
            water: water::Rules { evaporation: [0.0, 0.0, 0.05][period], ..rules().water },
            breaking: flags % 4 != 3,
            soil_period: 1 + period as u32,
            blast_steps: [3, 1, 20, 0][usize::from(flags / 16 % 4)],
            blast: [blast::Rules::wave(0.25, 0.9), blast::Rules::diffusive(0.15)]
                [usize::from(flags / 64 % 2)],
            spilling: seed % 4 != 3,
            submerged: [Submerged::Stops, Submerged::Passes, Submerged::Damps(0.5)]
                [usize::from(seed / 16 % 3)],
            throw_flow: [Some(0.5), None, Some(8.0)][usize::from(seed / 3 % 3)],
            couplings: couplings(&mut bytes),
            soil: humidity::Rules { fall: bytes.pick(&[1.0 / 32.0, 0.0, 0.0625]), ..rules().soil },
            ..rules()
        };
        let bounds = bytes.bounds(IVec3::new(9, 6, 5));
        let ops = bytes.operations(MOST_EDITS, |bytes, ops| ops.push(op(bytes, bounds)));
        Run { seed: seed.into(), rules, bounds, ops }
    }

    /// Does all of it, with every law after each operation. Returns the account.
    pub fn run(&self) -> Ledger {
        let new = || self.world();
        let model = Model::of(&new(), self.bounds);
        let (mut twin, listed) = (new(), Listed::of(&new(), self.bounds));
        let mut pair = Pair {
            listed,
            followed: Followed::of(&mut twin),
            world: new(),
            twin,
            model,
            broken: Vec::new(),
            saves: None,
            waiting: VecDeque::new(),
            reports: Default::default(),
            is_underway: false,
        };
        self.ops.iter().for_each(|op| pair.apply(op));
        pair.catch_up();
        pair.world.ledger()
    }
}

impl Run {
    /// In every other run the floor is of wet soil that breaks, so that it spills.
    fn world(&self) -> World {
        let mut world = world(self.seed, self.rules, self.bounds);
        if self.seed % 2 == 1 {
            let bounds = self.bounds;
            let floor = Region::new(bounds.min(), bounds.max().with_y(bounds.min().y));
            world.fill_material(floor, id("turf")).expect("loaded");
            for cell in floor.positions() {
                let edit = humidity::Edit::SetHumidity { cell, humidity: 300.0 };
                world.apply(Edit::Soil(edit)).expect("permeable");
            }
        }
        world
    }
}

fn op(bytes: &mut Bytes, bounds: Region) -> Op {
    match bytes.byte() % 32 {
        0..=17 => Op::Edit(edit(bytes, bounds)),
        18..=20 => Op::Queue(edit(bytes, bounds)),
        21..=25 => Op::Step,
        26..=27 => Op::Run(bytes.byte() % 12),
        28 | 29 => Op::Slice(u64::from(bytes.byte()) * 8),
        30 => match bytes.byte() % 4 {
            0 => Op::TakeChanges,
            1 => Op::Reload,
            ahead => Op::Save(usize::from(ahead) - 2),
        },
        _ => Op::PutBack,
    }
}

/// Mostly all of them.
fn couplings(bytes: &mut Bytes) -> Couplings {
    let flags = bytes.byte();
    Couplings {
        seepage: [0.3, 1.0, 0.02, 0.0][usize::from(flags % 4)],
        depth_gain: bytes.pick(&[0.25, 16.0, 0.0]),
        springs: flags / 4 % 4 != 3,
        ebb: flags / 16 % 4 != 3,
    }
}

/// Seldom one that the palette has not.
fn material(bytes: &mut Bytes) -> MaterialId {
    let byte = bytes.byte();
    if byte < 250 { MaterialId(byte % palette().len() as u8) } else { MaterialId(byte) }
}

fn edit(bytes: &mut Bytes, bounds: Region) -> Edit {
    let cell = bytes.cell(bounds);
    match bytes.byte() % 26 {
        0..=5 => Edit::SetMaterial { cell, material: material(bytes) },
        6..=8 => Edit::FillMaterial {
            region: Region::new(cell, bytes.cell(bounds)),
            material: material(bytes),
        },
        9..=11 => Edit::InsertChunk { position: Cube::chunk_of(cell), content: content(bytes) },
        12 => Edit::RemoveChunk(Cube::chunk_of(cell)),
        13 => Edit::RemoveChunks(vec![Cube::chunk_of(cell)]),
        14 => Edit::RemoveChunks(vec![Cube::chunk_of(cell), Cube::chunk_of(bytes.cell(bounds))]),
        15 | 16 => Edit::Rain { from: cell, units: bytes.byte().into() },
        17 | 18 => Edit::Water(of_water(bytes, bounds, cell)),
        19 | 20 => Edit::Soil(of_soil(bytes, cell)),
        21 | 22 => Edit::Blast(of_blast(bytes, bounds, cell)),
        23 | 24 => Edit::Charge {
            centre: cell,
            radius: f32::from(bytes.byte() % 32) * 0.25,
            pressure: f32::from(bytes.byte()) * 4.0,
        },
        _ => Edit::WakeAll,
    }
}

fn content(bytes: &mut Bytes) -> Content {
    let materials = bytes.strewn(material).chunk();
    let height = |bytes: &mut Bytes| {
        let byte = bytes.byte();
        let water = WaterCell::with_height(byte % 8).expect("0 to 7");
        if byte < 240 { Voxel::water(water) } else { Voxel::SOLID }
    };
    // Mostly made to go with the materials.
    let (fits, has_water, has_moisture) = (bytes.byte() < 220, bytes.byte(), bytes.byte());
    let palette = palette();
    let traits = |index| palette.material(materials.get(index));
    let mut water = (has_water % 2 == 1).then(|| bytes.strewn(height).chunk());
    let wet = |bytes: &mut Bytes| u32::from(bytes.byte()) * UNITS * if fits { 4 } else { 200 };
    let mut moisture = (has_moisture % 2 == 1).then(|| bytes.strewn(wet).chunk());
    for index in (0..4096).filter(|_| fits) {
        let is_solid = traits(index).is_some_and(|material| material.solid);
        let is_soil = traits(index).is_some_and(|material| material.permeability.is_some());
        if let Some(water) = &mut water
            && is_solid != water.get(index).is_solid()
        {
            water.set(index, if is_solid { Voxel::SOLID } else { Voxel::OPEN });
        }
        if let (Some(moisture), false) = (&mut moisture, is_soil) {
            moisture.set(index, 0);
        }
    }
    Content { materials, water, moisture }
}

fn of_water(bytes: &mut Bytes, bounds: Region, cell: IVec3) -> water::Edit {
    use water::Edit;
    let region = Region::new(cell, bytes.cell(bounds));
    let units = bytes.byte().into();
    match bytes.byte() % 16 {
        0 | 1 => Edit::AddSource(cell),
        2 => Edit::RemoveSource(cell),
        3 | 4 => Edit::Pour { cell, units },
        5 => Edit::Scoop { cell, units },
        6 | 7 => Edit::FillWater { region, height: bytes.byte() % 9 },
        8 => Edit::SetSea(cell),
        9 => Edit::FillSea(region),
        10 => Edit::SetFixture { cell, fixture: Some(Fixture::Tap(1 + bytes.byte() % 9)) },
        11 => Edit::SetFixture {
            cell,
            fixture: Some(Fixture::Valve { towards: Face::East, rate: 3 }),
        },
        12 => Edit::SetSolid(cell),
        13 => Edit::FillBody { cell, units },
        14 => Edit::Freeze(vec![Cube::chunk_of(cell)]),
        _ => Edit::Thaw(vec![Cube::chunk_of(cell)]),
    }
}

fn of_soil(bytes: &mut Bytes, cell: IVec3) -> humidity::Edit {
    use humidity::Edit;
    let humidity = f64::from(bytes.byte()) * 7.125;
    match bytes.byte() % 8 {
        0..=3 => Edit::SetHumidity { cell, humidity },
        4 => Edit::SetRain { cell, humidity },
        5 => Edit::ClearRain(cell),
        6 => Edit::SetHumidity { cell, humidity: -1.0 },
        _ => Edit::SetRock(cell),
    }
}

fn of_blast(bytes: &mut Bytes, bounds: Region, cell: IVec3) -> blast::Edit {
    use blast::Edit;
    let pressure = f32::from(bytes.byte()) * 3.5;
    match bytes.byte() % 8 {
        0..=3 => Edit::SetPressure { cell, pressure },
        4 => Edit::AddPressure { cell, more: pressure },
        5 => Edit::FillPressure { region: Region::new(cell, bytes.cell(bounds)), pressure },
        6 => Edit::SetPressure { cell, pressure: f32::NAN },
        _ => Edit::SetWall { cell, strength: 3.0 },
    }
}

struct Pair {
    world: World,
    twin: World,
    model: Model,
    /// The queued edits whose reports have not come.
    waiting: VecDeque<Edit>,
    /// Those that came, as text: of the world, and of its twin, which may be ahead.
    reports: [Vec<String>; 2],
    listed: Listed,
    /// Follows the twin.
    followed: Followed,
    /// What broke in the world, which the twin's updates must say.
    broken: Vec<Broken>,
    /// The world's file, once there is one.
    saves: Option<Saves>,
    /// Whether the world has a tick to complete that its twin has run.
    is_underway: bool,
}

impl Pair {
    fn apply(&mut self, op: &Op) {
        match op {
            Op::Edit(edit) => self.edit(edit),
            Op::Queue(edit) => {
                let ticket = self.world.queue(sent(edit));
                assert_eq!(self.twin.queue(edit.clone()), ticket);
                self.waiting.push_back(edit.clone());
            }
            Op::Step => self.step(|world| _ = world.step()),
            Op::Run(ticks) => {
                self.catch_up();
                self.world.run(u64::from(*ticks));
                for _ in 0..*ticks {
                    self.twin.wake_all_but_waiting();
                    self.twin.step();
                }
                self.settle(true);
            }
            &Op::Slice(budget) => self.step(|world| _ = world.step_within(budget)),
            Op::PutBack => {
                let records = self.model.records.clone();
                self.edit(&Edit::InsertRecords(records));
            }
            Op::TakeChanges => self.listed.take(&mut self.world),
            Op::Reload => self.reload(),
            &Op::Save(ahead) => match &mut self.saves {
                Some(saves) => saves.check(&mut self.world, ahead),
                None => self.saves = Some(Saves::of(&self.world)),
            },
        }
        if !self.is_underway {
            self.check(op);
        }
    }

    /// Saves and loads both worlds. If the world's water had its tick, that has not begun in the one
    /// that is loaded, so its twin, which has run it, is that world again.
    fn reload(&mut self) {
        let is_begun_anew = self.is_underway && self.world.water().ticks() == self.world.ticks();
        self.world = reloaded(&self.world);
        if is_begun_anew {
            (self.twin, self.is_underway) = (reloaded(&self.world), false);
        } else {
            // What it has to tell is told, before there is another feed.
            self.followed.check(&mut self.twin, self.model.bounds);
            self.twin = reloaded(&self.twin);
        }
        self.followed.follow(&mut self.twin);
    }

    /// Completes the tick that is underway.
    fn catch_up(&mut self) {
        self.world.finish_tick();
        self.is_underway = false;
        self.settle(false);
    }

    fn step(&mut self, step: impl Fn(&mut World)) {
        let before = self.world.ticks();
        if !self.is_underway {
            self.twin.wake_all_but_waiting();
            self.twin.step();
            // A tick that has not begun would be begun anew after the next edit.
            while self.world.queued_edits().len() > 0 && self.world.ticks() == before {
                self.world.step_within(0);
            }
        }
        if self.world.ticks() == before {
            step(&mut self.world);
        }
        self.is_underway = self.world.ticks() == before;
        self.settle(true);
    }

    /// Takes over reports and events, those first that came first.
    fn settle(&mut self, reports_first: bool) {
        if !reports_first {
            self.broken.extend(self.model.broke(&mut self.world));
        }
        for report in self.world.take_edit_reports() {
            let edit = self.waiting.pop_front().expect("queued");
            self.model.apply(&edit, &report.result);
            self.listed.note(&edit);
            self.reports[0].push(format!("{report:?}"));
        }
        let of_twin = self.twin.take_edit_reports();
        self.reports[1].extend(of_twin.iter().map(|report| format!("{report:?}")));
        self.broken.extend(self.model.broke(&mut self.world));
    }

    fn edit(&mut self, edit: &Edit) {
        self.catch_up();
        // What waits is made before it, also before one that is always refused.
        let refused = Edit::Soil(humidity::Edit::SetRock(IVec3::ZERO));
        assert!(matches!(self.world.apply(refused), Err(EditError::ChangesGround { .. })));
        self.settle(false);
        self.listed.take(&mut self.world);
        let before = (self.world.state_hash(), self.world.ledger());
        let result = self.world.apply(sent(edit));
        match (call(&mut self.twin, edit.clone()), &result) {
            (Ok(of_twin), Ok(outcome)) => assert!(of_twin == *outcome, "{edit:?}"),
            // As text, since errors may hold what is no number.
            (of_twin, _) => assert_eq!(format!("{of_twin:?}"), format!("{result:?}")),
        }
        if result.is_err() {
            assert_eq!((self.world.state_hash(), self.world.ledger()), before, "{edit:?}");
            assert!(self.world.take_changes().is_empty(), "{edit:?}");
        } else {
            self.account(edit, &result, before.1);
        }
        self.listed.note(edit);
        // What waited for the twin was made by the edit.
        self.settle(true);
        self.model.apply(edit, &result);
    }

    /// Checks the ledger of an edit that was made.
    fn account(&self, edit: &Edit, result: &Result<Outcome, EditError>, before: Ledger) {
        let now = self.world.ledger();
        match (edit, result) {
            (Edit::SetMaterial { .. }, Ok(Outcome::Replaced(replaced))) => {
                assert_eq!(now.soil.removed - before.soil.removed, replaced.moisture.into());
                let removed = now.water.removed - before.water.removed;
                assert_eq!(removed, replaced.displaced.removed.into());
            }
            (Edit::Rain { .. }, Ok(Outcome::Units(units))) => {
                let came_in = u128::from(*units) * u128::from(now.scale);
                assert_eq!(now.came_in() - before.came_in(), came_in);
            }
            _ => {}
        }
    }

    fn check(&mut self, op: &Op) {
        let Pair { world, twin, model, reports: [reports, of_twin], listed, .. } = self;
        assert_eq!(reports, of_twin, "{op:?}");
        reports.clear();
        of_twin.clear();
        listed.take(world);
        listed.check(world, op);
        assert_eq!(world.validate(), Ok(()), "{op:?}");
        assert_eq!(world.state_hash(), twin.state_hash(), "{op:?}");
        assert_eq!(world.ticks(), twin.ticks());
        self.followed.check(twin, model.bounds);
        assert_eq!(self.followed.take_broken(), std::mem::take(&mut self.broken), "{op:?}");
        assert_eq!(world.ledger().total(), world.ledger().came_in() - world.ledger().went_out());
        for cell in model.bounds.positions() {
            let expected = model.cells.get(&cell.to_array()).copied();
            assert_eq!(world.material(cell), expected, "{cell} after {op:?}");
        }
        assert_eq!(world.material(model.bounds.max().saturating_add(IVec3::X)), {
            let there = model.bounds.max().saturating_add(IVec3::X);
            model.cells.get(&there.to_array()).copied()
        });
    }
}

/// Returns the same world, saved and loaded.
fn reloaded(world: &World) -> World {
    let bytes = world.save();
    let loaded = World::load(&bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.state_hash(), world.state_hash());
    assert!(loaded.save() == bytes, "another world than was saved");
    loaded
}

/// Makes an edit by the function of its name.
fn call(world: &mut World, edit: Edit) -> Result<Outcome, EditError> {
    match edit {
        Edit::SetMaterial { cell, material } => {
            world.set_material(cell, material).map(Outcome::Replaced)
        }
        Edit::FillMaterial { region, material } => {
            world.fill_material(region, material).map(Outcome::Units)
        }
        Edit::InsertChunk { position, content } => {
            world.insert_chunk(position, content).map(|()| Outcome::Done)
        }
        Edit::RemoveChunk(position) => world.remove_chunk(position).map(Outcome::Removed),
        Edit::RemoveChunks(positions) => world.remove_chunks(positions).map(Outcome::Records),
        Edit::InsertRecords(records) => world.insert_records(records).map(|()| Outcome::Done),
        Edit::Rain { from, units } => {
            world.rain(from, units).map(|units| Outcome::Units(units.into()))
        }
        Edit::Charge { centre, radius, pressure } => {
            let added = world.charge(centre, radius, pressure)?;
            Ok(Outcome::Blast(blast::Outcome::Sum(added)))
        }
        Edit::WakeAll => {
            world.wake_all();
            Ok(Outcome::Done)
        }
        of_part => world.apply(of_part),
    }
}

/// Waking makes what waits.
trait Wake {
    fn wake_all_but_waiting(&mut self);
}

impl Wake for World {
    fn wake_all_but_waiting(&mut self) {
        if self.queued_edits().len() == 0 {
            self.wake_all();
        }
    }
}
