//! Edits and steps of pressure on a grid, against a plain map of cells and links in `f64`. Property
//! tests and the fuzz target `blast_grid` make the edits.

use super::map::{Map, Place, check_strength, kind};
use super::probes::{Crew, ProbedRun};
use crate::bytes::{Bytes, Strewn};
use crate::twins::{Twins, World};
use floodplain::blast::{BlastWorld, Border, Borders, Rule, Rules};
use floodplain::glam::IVec3;
use floodplain::{Chunk, Cube, Face, FieldShape, Region, Shape, Sheet};
use std::collections::BTreeMap;

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
    /// Of equal cells.
    InsertChunk(IVec3, f32),
    /// Of cells of several kinds, where it takes the place of one that may be there.
    ReplaceChunk(IVec3, Strewn<f32>),
    /// The chunk that was last removed, wherever that was.
    PutBack,
    RemoveChunk(IVec3),
    WakeAll,
    TakeChanges,
    TakeEvents,
    SaveAndLoad,
    /// Single steps, each against the oracle.
    Step(u8),
    /// Steps in one go, felt at a place and later perhaps beside it.
    Run(u8, IVec3, Crew),
}

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run {
    is_flat: bool,
    rules: Rules,
    bounds: Region,
    borders: Borders,
    edits: Vec<Edit>,
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
        // At 0 every step is held against the oracle; above it, silence follows whole chunks.
        let rules = Rules { rule, threshold: bytes.pick(&[0.0, 0.01, 0.0, 1.0]) };
        let bounds = bytes.bounds(if is_flat { IVec3::new(6, 5, 1) } else { IVec3::new(5, 4, 3) });
        let mut border = || bytes.pick(&[Border::Rigid, Border::Periodic, Border::Open]);
        let borders = Borders { x: border(), y: border(), z: border() };
        let chunk_of = if is_flat { Sheet::chunk_of } else { Cube::chunk_of };
        let edits = bytes.operations(MOST_EDITS, |bytes| edit(bytes, bounds, chunk_of));
        Run { is_flat, rules, bounds, borders, edits }
    }

    /// Makes the edits, with every law after each.
    pub fn run(&self) {
        if self.is_flat { self.run_in::<Sheet>() } else { self.run_in::<Cube>() }
    }

    fn run_in<S: FieldShape>(&self) {
        let mut watched = Watched::<S>::new(self);
        self.edits.iter().for_each(|edit| watched.apply(edit));
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

fn edit(bytes: &mut Bytes, bounds: Region, chunk_of: fn(IVec3) -> IVec3) -> Edit {
    let byte = bytes.byte();
    match byte % 28 {
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
            Edit::ReplaceChunk(chunk_of(bytes.cell(bounds)), bytes.strewn(pressure))
        }
        14 => Edit::InsertChunk(chunk_of(bytes.cell(bounds)), pressure(bytes)),
        15 => Edit::PutBack,
        16 => Edit::RemoveChunk(chunk_of(bytes.cell(bounds))),
        17 => Edit::WakeAll,
        18 => Edit::TakeChanges,
        19 => Edit::TakeEvents,
        20 => Edit::SaveAndLoad,
        21 => {
            let byte = bytes.byte();
            Edit::Run(byte % 10, bytes.cell(bounds), Crew::of(byte))
        }
        _ => Edit::Step(1 + bytes.byte() % 3),
    }
}

/// What can be seen of a cell: its pressure, whether it is removed, and what it bears.
type Look = (u32, bool, Option<u32>);

impl<S: FieldShape> World for BlastWorld<S> {
    type Cell = Look;

    fn bounds(&self) -> Region {
        self.bounds()
    }

    fn look(&self, cell: IVec3) -> Option<Look> {
        Some((
            (self.pressure(cell) + 0.0).to_bits(),
            self.is_solid(cell),
            self.strength(cell).map(f32::to_bits),
        ))
    }

    fn cell_at(chunk: IVec3, index: usize) -> IVec3 {
        S::cell_at(chunk, index)
    }

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

/// Twins and the map.
struct Watched<S: FieldShape> {
    twins: Twins<BlastWorld<S>>,
    map: Map,
    kept: Option<(IVec3, Chunk<f32>)>,
}

impl<S: FieldShape> Watched<S> {
    fn new(run: &Run) -> Watched<S> {
        let &Run { rules, bounds, borders, .. } = run;
        let map = Map {
            axes: S::NEIGHBOURS / 2,
            rules,
            bounds,
            borders: [borders.x, borders.y, borders.z],
            cells: bounds.positions().map(|cell| (cell.to_array(), Place::default())).collect(),
            weights: BTreeMap::new(),
            flows: BTreeMap::new(),
            vents: BTreeMap::new(),
            ticks: 0,
            events: Vec::new(),
            peak: 0.0,
        };
        let world =
            || BlastWorld::with_bounds(rules, bounds, borders).expect("rules within their ranges");
        Watched { twins: Twins::new(world), map, kept: None }
    }

    fn apply(&mut self, edit: &Edit) {
        match *edit {
            Edit::Step(steps) => (0..steps).for_each(|_| self.step()),
            Edit::Run(steps, place, crew) => self.run(u64::from(steps), place, crew),
            Edit::WakeAll => self.twins.wake_all(),
            Edit::TakeChanges => self.twins.take_changes(),
            Edit::TakeEvents => {
                let events = std::mem::take(&mut self.map.events);
                let told = self.twins.edit(|world| Ok::<_, ()>(world.take_events()));
                assert_eq!(told, Ok(events));
            }
            Edit::SaveAndLoad => self.twins.save_and_load(),
            Edit::ReplaceChunk(position, strewn) => {
                self.edit(&Edit::RemoveChunk(position));
                self.insert_strewn(position, strewn);
            }
            _ => self.edit(edit),
        }
        self.map.compare(&self.twins.world, edit);
    }

    /// Makes an edit in the worlds and in the map, which must agree whether it is refused, and why.
    fn edit(&mut self, edit: &Edit) {
        let mut taken = None;
        let kept = self.kept.clone();
        let was_there: Vec<IVec3> = self.twins.world.chunks().map(|(chunk, _)| chunk).collect();
        let answer = self.twins.edit(|world| match *edit {
            Edit::SetPressure(cell, pressure) => world.set_pressure(cell, pressure).map(drop),
            Edit::AddPressure(cell, more) => world.add_pressure(cell, more).map(drop),
            Edit::FillPressure(region, pressure) => world.fill_pressure(region, pressure),
            Edit::SetSolid(cell) => world.set_solid(cell).map(drop),
            Edit::SetWall(cell, strength) => world.set_wall(cell, strength).map(drop),
            Edit::ClearSolid(cell) => world.clear_solid(cell).map(drop),
            Edit::FillSolid(region) => world.fill_solid(region).map(drop),
            Edit::FillWall(region, strength) => world.fill_wall(region, strength).map(drop),
            Edit::SetLink(cell, face, weight) => world.set_link(cell, face, weight).map(drop),
            Edit::InsertChunk(position, pressure) => {
                world.insert_chunk(position, Chunk::uniform(pressure))
            }
            Edit::PutBack => {
                kept.clone().map_or(Ok(()), |(position, chunk)| world.insert_chunk(position, chunk))
            }
            Edit::RemoveChunk(position) => world.remove_chunk(position).map(|chunk| {
                // The twin removes the same chunk, or their states would differ from here on.
                taken = Some((position, chunk));
            }),
            _ => Ok(()),
        });
        let refused = answer.err();
        let map = &mut self.map;
        let solid = Place { is_solid: true, ..Place::default() };
        let wall = |strength: f32| Place { strength: Some(strength), ..solid };
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
            Edit::SetLink(cell, face, weight) => map.set_link(cell, face, weight, refused),
            Edit::InsertChunk(position, pressure) => {
                map.insert::<S>(position, &Chunk::uniform(pressure), &was_there)
            }
            Edit::PutBack => kept
                .map_or(Ok(()), |(position, chunk)| map.insert::<S>(position, &chunk, &was_there)),
            Edit::RemoveChunk(position) => map.remove::<S>(position, refused, &was_there),
            _ => Ok(()),
        };
        assert_eq!(refused.map_or(Ok(()), |error| Err(kind(error))), expected, "{edit:?}");
        let moved = match *edit {
            Edit::InsertChunk(position, _) | Edit::RemoveChunk(position) => Some(position),
            Edit::PutBack => self.kept.as_ref().map(|(position, _)| *position),
            _ => None,
        };
        if let Some(position) = moved.filter(|_| refused.is_none()) {
            self.twins.forget(S::region_of(position));
        }
        self.kept = taken.or(self.kept.take());
    }

    fn insert_strewn(&mut self, position: IVec3, strewn: Strewn<f32>) {
        let chunk = strewn.chunk();
        let was_there: Vec<IVec3> = self.twins.world.chunks().map(|(chunk, _)| chunk).collect();
        let answer = self.twins.edit(|world| world.insert_chunk(position, chunk.clone()));
        let expected = self.map.insert::<S>(position, &chunk, &was_there);
        assert_eq!(answer.map_err(kind), expected, "{strewn:?} at {position}");
        if answer.is_ok() {
            self.twins.forget(S::region_of(position));
        }
    }

    /// One step, which is the map's but for roundings where nothing falls silent.
    fn step(&mut self) {
        let expected = self.map.step();
        self.twins.step();
        self.map.take_over(&self.twins.world, &expected);
        self.map.compare(&self.twins.world, &Edit::Step(1));
    }

    /// Steps in one go, against single ones of the twin and of the map. Probes change nothing, and
    /// feel what flows in the twin: under the diffusive rule from its pressures before each
    /// step, under the wave rule after it.
    fn run(&mut self, steps: u64, from: IVec3, crew: Crew) {
        let to = from.saturating_add(Face::ALL[steps as usize % 6].offset());
        let run = ProbedRun { crew, steps, from, to };
        let (mut probes, mut flows) = (Vec::new(), Vec::new());
        let map = &mut self.map;
        let single = |twin: &mut BlastWorld<S>| {
            let look = |twin: &BlastWorld<S>| {
                [from, to].map(|place| (twin.flow(place), twin.exposure(place)))
            };
            let before = look(twin);
            let expected = map.step();
            let report = twin.step();
            map.take_over(twin, &expected);
            flows.push(if map.is_wave() { look(twin) } else { before });
            report
        };
        let go = |world: &mut BlastWorld<S>| {
            let (report, felt) = run.go(world, BlastWorld::run, BlastWorld::run_probed);
            probes = felt;
            report
        };
        self.twins.run(steps, go, single);
        run.check(&probes, &flows);
    }
}
