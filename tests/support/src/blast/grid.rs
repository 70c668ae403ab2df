//! Edits and steps of pressure on a grid, against a plain map of cells and links in `f64`. Property
//! tests and the fuzz target `blast_grid` make the edits: in the world as values that were sent as
//! bytes, in its twin by the functions of their names.

use super::map::{Map, Place, check_strength};
use super::probes::{Crew, Flows, ProbedRun};
use crate::edit_bytes::sent;
use crate::model::{self, ChunkWorld, Looks, Model, Watched, name};
use floodplain::blast::{self, BlastWorld, Borders, Broken, EditError, Outcome, Probe, Rules};
use floodplain::glam::IVec3;
use floodplain::testing::{Bytes, Small, Start, Watch};
use floodplain::{Chunk, Cube, Face, FieldShape, Region, Sheet, StepReport};
use std::fmt::Debug;
use std::marker::PhantomData;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 10;

/// What changes a world of pressure.
#[derive(Clone, Debug)]
pub enum Edit {
    Of(blast::Edit),
    /// The chunk that was last removed, wherever that was.
    PutBack,
    TakeEvents,
}

/// Runs are felt at a place and later perhaps beside it.
type Op = model::Op<Edit, (IVec3, Crew)>;

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    is_flat: bool,
    start: Start<(Rules, Borders)>,
    ops: Vec<Op>,
}

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        let mut bytes = Bytes(bytes);
        let is_flat = bytes.byte() % 2 == 0;
        if is_flat { Run::draw::<Sheet>(bytes, is_flat) } else { Run::draw::<Cube>(bytes, is_flat) }
    }

    fn draw<S: FieldShape>(mut bytes: Bytes<'_>, is_flat: bool) -> Run {
        let start = Start::draw_of::<BlastWorld<S>>(&mut bytes);
        let push = |bytes: &mut Bytes<'_>, ops: &mut Vec<Op>| {
            ops.push(op(bytes, start.bounds, BlastWorld::<S>::edit));
        };
        Run { is_flat, ops: bytes.operations(MOST_EDITS, push), start }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        if self.is_flat { self.run_in::<Sheet>() } else { self.run_in::<Cube>() }
    }

    fn run_in<S: FieldShape>(&self) {
        let mut watched = Watched::of(self.model::<S>(), || BlastWorld::build(&self.start));
        self.ops.iter().for_each(|op| watched.apply(op));
    }

    fn model<S: FieldShape>(&self) -> Field<S> {
        let (rules, borders) = self.start.rules;
        Field::new(Map::new(S::NEIGHBOURS / 2, rules, self.start.bounds, borders))
    }

    /// Makes the edits as values and by the functions of their names, with the same bytes after
    /// each.
    pub fn values_are_calls(&self) {
        if self.is_flat { self.values_in::<Sheet>() } else { self.values_in::<Cube>() }
    }

    fn values_in<S: FieldShape>(&self) {
        let world = || BlastWorld::build(&self.start);
        model::values_are_calls(self.model::<S>(), world, &self.ops);
    }
}

fn op(bytes: &mut Bytes, bounds: Region, edit: fn(&mut Bytes, Region) -> blast::Edit) -> Op {
    match bytes.byte() % 32 {
        0..=4 => Op::Step(1 + bytes.byte() % 3),
        5 => {
            let byte = bytes.byte();
            Op::Run(byte % 10, (bytes.cell(bounds), Crew::of(byte)))
        }
        6 => Op::TakeChanges,
        7 => Op::SaveAndLoad,
        8 => Op::Edit(Edit::PutBack),
        9 => Op::Edit(Edit::TakeEvents),
        _ => Op::Edit(Edit::Of(edit(bytes, bounds))),
    }
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
        match edit {
            Edit::Of(edit) => Some(edit.clone()),
            Edit::PutBack => {
                let (position, chunk) = self.kept.clone()?;
                Some(blast::Edit::InsertChunk { position, chunk })
            }
            Edit::TakeEvents => None,
        }
    }

    fn make_in_map(&mut self, edit: &blast::Edit, is_unstable: bool) -> Result<(), &'static str> {
        use blast::Edit;
        let (map, chunks) = (&mut self.map, &self.chunks[..]);
        let solid = Place { is_solid: true, ..Place::default() };
        let wall = |strength: f32| Place { strength: Some(strength), ..solid };
        match *edit {
            Edit::SetPressure { cell, pressure } => map.set_pressure(cell, pressure),
            Edit::AddPressure { cell, more } => {
                let there = map.cells.get(&cell.to_array()).map_or(0.0, |there| there.pressure);
                map.set_pressure(cell, there + more)
            }
            Edit::FillPressure { region, pressure } => map.fill_pressure(region, pressure),
            Edit::SetSolid(cell) => map.build(Region::cell(cell), solid),
            Edit::SetWall { cell, strength } => {
                let fits = map.check(Region::cell(cell)).and(check_strength(strength));
                fits.and_then(|()| map.build(Region::cell(cell), wall(strength)))
            }
            Edit::ClearSolid(cell) => map.clear_solid(cell),
            Edit::FillSolid(region) => map.build(region, solid),
            Edit::FillWall { region, strength } => {
                check_strength(strength).and_then(|()| map.build(region, wall(strength)))
            }
            Edit::SetLink { cell, face, weight } => map.set_link(cell, face, weight, is_unstable),
            Edit::AddCharge { centre, radius, pressure } => {
                map.add_charge(centre, radius, pressure)
            }
            Edit::InsertChunk { position, ref chunk } => map.insert::<S>(position, chunk, chunks),
            Edit::RemoveChunk(position) => map.remove::<S>(position, is_unstable, chunks),
            Edit::WakeAll => Ok(()),
            ref edit => panic!("a new edit: {edit:?}"),
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
        let outcome = match (edit, self.value_of(edit)) {
            (Edit::TakeEvents, _) => return Ok((Outcome::Done, world.take_events())),
            (_, None) => Ok(Outcome::Done),
            (_, Some(value)) if is_twin => world.apply_otherwise(value),
            (_, Some(value)) => world.apply(sent(&value)),
        };
        if let (true, &Edit::Of(blast::Edit::RemoveChunk(position)), Ok(Outcome::Removed(chunk))) =
            (is_twin, edit, &outcome)
        {
            self.kept = Some((position, chunk.clone()));
        }
        outcome.map(|outcome| (outcome, Vec::new()))
    }

    fn edit(&mut self, edit: &Edit, answer: Result<Self::Answer, EditError>) {
        let is_unstable = matches!(answer, Err(EditError::Unstable { .. }));
        let (mut events, mut loaded) = (Vec::new(), None);
        let expected = match (edit, self.value_of(edit)) {
            (Edit::TakeEvents, _) => {
                events = std::mem::take(&mut self.map.events);
                Ok(())
            }
            (_, None) => Ok(()),
            (_, Some(value)) => {
                if let blast::Edit::InsertChunk { position, .. }
                | blast::Edit::RemoveChunk(position) = value
                {
                    loaded = Some(position);
                }
                self.make_in_map(&value, is_unstable)
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
