//! Edits and steps of pressure on a grid, against a plain map of cells and links in `f64`. Property
//! tests and the fuzz target `blast_grid` make the edits: in the world as values that were sent as
//! bytes, in its twin by the functions of their names.

use super::map::{Map, Place, check_strength};
use super::probes::{Crew, Flows, ProbedRun};
use crate::bytes::{Bytes, Filling};
use crate::edit_bytes::sent;
use crate::model::{self, ChunkWorld, Looks, Model, Watched, name};
use floodplain::blast::{
    self, BlastWorld, Border, Borders, Broken, EditError, Outcome, Probe, Rule, Rules,
};
use floodplain::glam::IVec3;
use floodplain::{Chunk, Cube, Face, FieldShape, Region, Shape, Sheet, StepReport};
use std::fmt::Debug;
use std::marker::PhantomData;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 10;

/// Every public function that changes a world of pressure.
#[derive(Clone, Debug)]
pub enum Edit {
    SetPressure(IVec3, f32),
    AddPressure(IVec3, f32),
    FillPressure(Region, f32),
    SetSolid(IVec3),
    SetWall(IVec3, f32),
    ClearSolid(IVec3),
    FillSolid(Region),
    FillWall(Region, f32),
    SetLink(IVec3, Face, f32),
    AddCharge(IVec3, f32, f32),
    InsertChunk(IVec3, Filling<f32>),
    /// The chunk that was last removed, wherever that was.
    PutBack,
    RemoveChunk(IVec3),
    TakeEvents,
}

/// Runs are felt at a place and later perhaps beside it.
type Op = model::Op<Edit, (IVec3, Crew)>;

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    is_flat: bool,
    rules: Rules,
    bounds: Region,
    borders: Borders,
    ops: Vec<Op>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let is_flat = bytes.byte() % 2 == 0;
        let rule = bytes.pick(&[
            Rule::Diffusive { coefficient: 0.16 },
            Rule::Wave { coefficient: 0.25, damping: 0.98 },
            Rule::Diffusive { coefficient: 0.01 },
            Rule::Wave { coefficient: 0.3, damping: 0.5 },
        ]);
        // At 0 every step is compared with the oracle; above it, whole chunks fall silent.
        let rules = Rules { rule, threshold: bytes.pick(&[0.0, 0.01, 0.0, 1.0]) };
        let bounds = bytes.bounds(if is_flat { IVec3::new(6, 5, 1) } else { IVec3::new(5, 4, 3) });
        let mut border = || bytes.pick(&[Border::Rigid, Border::Periodic, Border::Open]);
        let borders = Borders { x: border(), y: border(), z: border() };
        let chunk_of = if is_flat { Sheet::chunk_of } else { Cube::chunk_of };
        let ops = bytes.operations(MOST_EDITS, |bytes, ops| push_op(bytes, bounds, chunk_of, ops));
        Run { is_flat, rules, bounds, borders, ops }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        if self.is_flat { self.run_in::<Sheet>() } else { self.run_in::<Cube>() }
    }

    fn run_in<S: FieldShape>(&self) {
        let &Run { rules, bounds, borders, .. } = self;
        let map = Map::new(S::NEIGHBOURS / 2, rules, bounds, borders);
        let mut watched = Watched::of(Field::<S>::new(map), || self.empty_world());
        self.ops.iter().for_each(|op| watched.apply(op));
    }

    fn empty_world<S: FieldShape>(&self) -> BlastWorld<S> {
        let &Run { rules, bounds, borders, .. } = self;
        BlastWorld::with_bounds(rules, bounds, borders).expect("rules within their ranges")
    }

    /// Makes the edits as values and by the functions of their names, with the same bytes after
    /// each.
    pub fn values_are_calls(&self) {
        if self.is_flat { self.values_in::<Sheet>() } else { self.values_in::<Cube>() }
    }

    fn values_in<S: FieldShape>(&self) {
        let &Run { rules, bounds, borders, .. } = self;
        let map = Map::new(S::NEIGHBOURS / 2, rules, bounds, borders);
        model::values_are_calls(Field::<S>::new(map), || self.empty_world(), &self.ops);
    }
}

fn pressure(bytes: &mut Bytes) -> f32 {
    match bytes.byte() {
        byte @ 0..230 => f32::from(byte) * 1.37,
        byte => {
            let odd = [0.0, -0.0, -3.0, 1e-30, 1e-45, 0.005, 2e18, f32::NAN, f32::INFINITY, 1e9];
            odd[usize::from(byte) % odd.len()]
        }
    }
}

fn strength(bytes: &mut Bytes) -> f32 {
    match bytes.byte() {
        byte @ 0..240 => f32::from(byte) / 4.0,
        byte => [f32::NAN, f32::INFINITY, -1.0, 1e30][usize::from(byte % 4)],
    }
}

fn weight(bytes: &mut Bytes) -> f32 {
    match bytes.byte() {
        byte @ 0..230 => f32::from(byte) / 160.0,
        byte => [0.0, 1.0, -0.5, 1e6, 2e6, f32::NAN, f32::INFINITY, 3.0][usize::from(byte % 8)],
    }
}

fn radius(bytes: &mut Bytes) -> f32 {
    match bytes.byte() {
        byte @ 0..230 => 1.8 + f32::from(byte) / 40.0,
        byte => [0.0, -3.0, 1e30, 2e9, 1.99, f32::NAN, f32::INFINITY, 2.0][usize::from(byte % 8)],
    }
}

fn push_op(bytes: &mut Bytes, bounds: Region, chunk_of: fn(IVec3) -> IVec3, ops: &mut Vec<Op>) {
    let byte = bytes.byte();
    let edit = match byte % 28 {
        0..=2 => Edit::SetPressure(bytes.cell(bounds), pressure(bytes)),
        3 => Edit::AddPressure(bytes.cell(bounds), pressure(bytes)),
        4 => Edit::FillPressure(bytes.region(bounds), pressure(bytes)),
        5 => Edit::SetSolid(bytes.cell(bounds)),
        6 | 7 => Edit::SetWall(bytes.cell(bounds), strength(bytes)),
        8 => Edit::ClearSolid(bytes.cell(bounds)),
        9 => Edit::FillSolid(bytes.region(bounds)),
        10 => Edit::FillWall(bytes.region(bounds), strength(bytes)),
        11..=13 => Edit::SetLink(bytes.cell(bounds), bytes.pick(&Face::ALL), weight(bytes)),
        14 if byte >= 5 * 28 => {
            // In place of one that may be there.
            let chunk = chunk_of(bytes.cell(bounds));
            ops.push(Op::Edit(Edit::RemoveChunk(chunk)));
            Edit::InsertChunk(chunk, bytes.strewn(pressure))
        }
        14 => Edit::InsertChunk(chunk_of(bytes.cell(bounds)), Filling::Equal(pressure(bytes))),
        15 => Edit::PutBack,
        16 => Edit::RemoveChunk(chunk_of(bytes.cell(bounds))),
        17 => return ops.push(Op::WakeAll),
        18 => return ops.push(Op::TakeChanges),
        19 => Edit::TakeEvents,
        20 => return ops.push(Op::SaveAndLoad),
        21 => {
            let byte = bytes.byte();
            return ops.push(Op::Run(byte % 10, (bytes.cell(bounds), Crew::of(byte))));
        }
        22 => Edit::AddCharge(bytes.cell(bounds), radius(bytes), pressure(bytes)),
        _ => return ops.push(Op::Step(1 + bytes.byte() % 3)),
    };
    ops.push(Op::Edit(edit));
}

impl<S: FieldShape> ChunkWorld for BlastWorld<S> {
    type Shape = S;

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

/// The model: the map, and what probes feel.
struct Field<S> {
    map: Map,
    kept: Option<(IVec3, Chunk<f32>)>,
    /// The chunks that there were before the last edit.
    chunks: Vec<IVec3>,
    /// The chunk that the last edit inserted or removed.
    loaded: Option<IVec3>,
    /// The current run and its probes; then the flows in the twin, step by step.
    run: Option<(ProbedRun<IVec3>, Vec<Probe<IVec3>>)>,
    flows: Vec<Flows>,
    shape: PhantomData<S>,
}

impl<S: FieldShape> Field<S> {
    fn new(map: Map) -> Field<S> {
        let (chunks, flows) = (Vec::new(), Vec::new());
        Field { map, kept: None, chunks, loaded: None, run: None, flows, shape: PhantomData }
    }

    /// An edit as a value; none if it would put back what was never removed, or changes nothing.
    fn value_of(&self, edit: &Edit) -> Option<blast::Edit> {
        let insert = |position, chunk| blast::Edit::InsertChunk { position, chunk };
        Some(match *edit {
            Edit::SetPressure(cell, pressure) => blast::Edit::SetPressure { cell, pressure },
            Edit::AddPressure(cell, more) => blast::Edit::AddPressure { cell, more },
            Edit::FillPressure(region, pressure) => blast::Edit::FillPressure { region, pressure },
            Edit::SetSolid(cell) => blast::Edit::SetSolid(cell),
            Edit::SetWall(cell, strength) => blast::Edit::SetWall { cell, strength },
            Edit::ClearSolid(cell) => blast::Edit::ClearSolid(cell),
            Edit::FillSolid(region) => blast::Edit::FillSolid(region),
            Edit::FillWall(region, strength) => blast::Edit::FillWall { region, strength },
            Edit::SetLink(cell, face, weight) => blast::Edit::SetLink { cell, face, weight },
            Edit::AddCharge(centre, radius, pressure) => {
                blast::Edit::AddCharge { centre, radius, pressure }
            }
            Edit::InsertChunk(position, filling) => insert(position, filling.chunk()),
            Edit::PutBack => {
                let (position, chunk) = self.kept.clone()?;
                insert(position, chunk)
            }
            Edit::RemoveChunk(position) => blast::Edit::RemoveChunk(position),
            Edit::TakeEvents => return None,
        })
    }

    /// Makes an edit by the function of its name.
    fn make_directly(
        &mut self,
        world: &mut BlastWorld<S>,
        edit: &Edit,
    ) -> Result<Outcome, EditError> {
        let done = |()| Outcome::Done;
        let pressure = Outcome::Pressure;
        match *edit {
            Edit::SetPressure(cell, value) => world.set_pressure(cell, value).map(pressure),
            Edit::AddPressure(cell, more) => world.add_pressure(cell, more).map(pressure),
            Edit::FillPressure(region, value) => world.fill_pressure(region, value).map(done),
            Edit::SetSolid(cell) => world.set_solid(cell).map(pressure),
            Edit::SetWall(cell, strength) => world.set_wall(cell, strength).map(pressure),
            Edit::ClearSolid(cell) => world.clear_solid(cell).map(Outcome::Changed),
            Edit::FillSolid(region) => world.fill_solid(region).map(Outcome::Sum),
            Edit::FillWall(region, strength) => world.fill_wall(region, strength).map(Outcome::Sum),
            Edit::SetLink(cell, face, weight) => {
                world.set_link(cell, face, weight).map(Outcome::Weight)
            }
            Edit::AddCharge(centre, radius, pressure) => {
                world.add_charge(centre, radius, pressure).map(Outcome::Sum)
            }
            Edit::InsertChunk(position, filling) => {
                world.insert_chunk(position, filling.chunk()).map(done)
            }
            Edit::PutBack => match self.kept.clone() {
                Some((position, chunk)) => world.insert_chunk(position, chunk).map(done),
                None => Ok(Outcome::Done),
            },
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(|chunk| {
                self.kept = Some((position, chunk.clone()));
                Outcome::Removed(chunk)
            }),
            Edit::TakeEvents => Ok(Outcome::Done),
        }
    }

    /// What flows at both places of the run.
    fn flows(&self, world: &BlastWorld<S>) -> Option<Flows> {
        let (run, _) = self.run.as_ref()?;
        Some([run.from, run.to].map(|place| (world.flow(place), world.exposure(place))))
    }
}

impl<S: FieldShape> Model for Field<S> {
    type World = BlastWorld<S>;
    type Edit = Edit;
    type Run = (IVec3, Crew);
    /// What the edit came to, and the walls that broke.
    type Answer = (Outcome, Vec<Broken>);
    type Error = EditError;
    /// The pressure, whether it is removed, and what it bears.
    type Look = (u32, bool, Option<u32>);

    fn make(
        &mut self,
        world: &mut BlastWorld<S>,
        edit: &Edit,
        is_twin: bool,
    ) -> Result<Self::Answer, EditError> {
        self.chunks = world.chunks().map(|(chunk, _)| chunk).collect();
        let outcome = match edit {
            Edit::TakeEvents => return Ok((Outcome::Done, world.take_events())),
            _ if is_twin => self.make_directly(world, edit),
            _ => self.value_of(edit).map_or(Ok(Outcome::Done), |value| world.apply(sent(&value))),
        };
        outcome.map(|outcome| (outcome, Vec::new()))
    }

    fn edit(&mut self, edit: &Edit, answer: Result<Self::Answer, EditError>) {
        let is_unstable = matches!(answer, Err(EditError::Unstable { .. }));
        let (map, chunks) = (&mut self.map, &self.chunks[..]);
        let solid = Place { is_solid: true, ..Place::default() };
        let wall = |strength: f32| Place { strength: Some(strength), ..solid };
        let mut events = Vec::new();
        let mut loaded = None;
        let expected = match *edit {
            Edit::SetPressure(cell, pressure) => map.set_pressure(cell, pressure),
            Edit::AddPressure(cell, more) => {
                let there = map.cells.get(&cell.to_array()).map_or(0.0, |there| there.pressure);
                map.set_pressure(cell, there + more)
            }
            Edit::FillPressure(region, pressure) => map.fill_pressure(region, pressure),
            Edit::SetSolid(cell) => map.build(Region::cell(cell), solid),
            Edit::SetWall(cell, strength) => {
                let fits = map.check(Region::cell(cell)).and(check_strength(strength));
                fits.and_then(|()| map.build(Region::cell(cell), wall(strength)))
            }
            Edit::ClearSolid(cell) => map.clear_solid(cell),
            Edit::FillSolid(region) => map.build(region, solid),
            Edit::FillWall(region, strength) => {
                check_strength(strength).and_then(|()| map.build(region, wall(strength)))
            }
            Edit::SetLink(cell, face, weight) => map.set_link(cell, face, weight, is_unstable),
            Edit::AddCharge(centre, radius, pressure) => map.add_charge(centre, radius, pressure),
            Edit::InsertChunk(position, filling) => {
                loaded = Some(position);
                map.insert::<S>(position, &filling.chunk(), chunks)
            }
            Edit::PutBack => self.kept.as_ref().map_or(Ok(()), |(position, chunk)| {
                loaded = Some(*position);
                map.insert::<S>(*position, chunk, chunks)
            }),
            Edit::RemoveChunk(position) => {
                loaded = Some(position);
                map.remove::<S>(position, is_unstable, chunks)
            }
            Edit::TakeEvents => {
                events = std::mem::take(&mut map.events);
                Ok(())
            }
        };
        self.loaded = loaded.filter(|_| answer.is_ok());
        let expected = expected.map(|()| events).map_err(str::to_owned);
        let answer = answer.map(|(_, broken)| broken).map_err(|error| name(&error));
        assert_eq!(answer, expected, "{edit:?}");
    }

    fn was_loaded(&self, place: [i32; 3]) -> bool {
        self.loaded.is_some_and(|chunk| S::chunk_of(place.into()) == chunk)
    }

    fn looks(&self, world: &BlastWorld<S>) -> Looks<Self> {
        let look = |cell: IVec3| {
            let strength = world.strength(cell).map(f32::to_bits);
            let pressure = (world.pressure(cell) + 0.0).to_bits();
            (cell.to_array(), (pressure, world.is_solid(cell), strength))
        };
        self.map.bounds.positions().map(look).collect()
    }

    /// The map's step but for roundings, where nothing falls silent. Probes feel the twin: under
    /// the diffusive rule its pressures before the step, under the wave rule after it.
    fn step(&mut self, twin: &mut BlastWorld<S>) -> StepReport {
        let before = self.flows(twin);
        let expected = self.map.step();
        let report = twin.step();
        self.map.take_over(twin, &expected);
        let felt = if self.map.is_wave() { self.flows(twin) } else { before };
        self.flows.extend(felt);
        report
    }

    fn go(
        &mut self,
        world: &mut BlastWorld<S>,
        steps: u64,
        run: Option<&(IVec3, Crew)>,
    ) -> StepReport {
        let Some(&(from, crew)) = run else { return world.step() };
        let to = from.saturating_add(Face::ALL[steps as usize % 6].offset());
        let run = ProbedRun { crew, steps, from, to };
        let (report, probes) = run.go(world, BlastWorld::run, BlastWorld::run_probed);
        self.run = Some((run, probes));
        report
    }

    fn gone(&mut self) {
        if let Some((run, probes)) = self.run.take() {
            run.check(&probes, &std::mem::take(&mut self.flows));
        }
    }

    fn compare(&self, world: &BlastWorld<S>, after: &dyn Debug) {
        self.map.compare(world, after);
    }
}
