//! Edits and steps of pressure on a grid, against a plain map of cells and links in `f64`. Property tests and the fuzz target
//! `blast_grid` make the edits.

use super::bytes::Bytes;
use super::twins::{Twins, World};
use floodplain::blast::{
    BlastWorld, Border, Borders, Broken, EditError, PRESSURE_LIMIT, Probe, Rule, Rules, WEIGHT_LIMIT,
};
use floodplain::glam::IVec3;
use floodplain::{Chunk, Cube, Face, FieldShape, Region, Shape, Sheet};
use std::collections::BTreeMap;

/// Operations in one run, so that runs stay short.
const MOST_EDITS: usize = 16;

/// Of the largest pressure that there ever was: what the roundings of `f32` in one step and in the flows that go on from
/// step to step may add up to.
const ROUNDING: f64 = 2e-5;

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
    /// The chunk that was last removed, wherever that was.
    PutBack,
    RemoveChunk(IVec3),
    WakeAll,
    TakeChanges,
    TakeEvents,
    SaveAndLoad,
    /// Single steps, each against the oracle.
    Step(u8),
    /// Steps in one go, with a probe.
    Run(u8, IVec3),
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
        for edit in &self.edits {
            watched.apply(edit);
            watched.twins.validate();
        }
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
    match bytes.byte() % 28 {
        0..=2 => Edit::SetPressure(bytes.cell(bounds), pressure(bytes)),
        3 => Edit::AddPressure(bytes.cell(bounds), pressure(bytes)),
        4 => Edit::FillPressure(bytes.region(bounds), pressure(bytes)),
        5 => Edit::SetSolid(bytes.cell(bounds)),
        6 | 7 => Edit::SetWall(bytes.cell(bounds), strength(bytes)),
        8 => Edit::ClearSolid(bytes.cell(bounds)),
        9 => Edit::FillSolid(bytes.region(bounds)),
        10 => Edit::FillWall(bytes.region(bounds), strength(bytes)),
        11..=13 => Edit::SetLink(bytes.cell(bounds), bytes.pick(&Face::ALL), weight(bytes)),
        14 => Edit::InsertChunk(chunk_of(bytes.cell(bounds)), pressure(bytes)),
        15 => Edit::PutBack,
        16 => Edit::RemoveChunk(chunk_of(bytes.cell(bounds))),
        17 => Edit::WakeAll,
        18 => Edit::TakeChanges,
        19 => Edit::TakeEvents,
        20 => Edit::SaveAndLoad,
        21 => Edit::Run(bytes.byte() % 16, bytes.cell(bounds)),
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
        Some(((self.pressure(cell) + 0.0).to_bits(), self.is_solid(cell), self.strength(cell).map(f32::to_bits)))
    }

    fn cell_at(chunk: IVec3, index: usize) -> IVec3 {
        S::cell_at(chunk, index)
    }

    fn wake_all(&mut self) {
        self.wake_all();
    }
}

/// One cell of the map.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    pressure: f32,
    is_solid: bool,
    strength: Option<f32>,
}

/// A link is known by the cell that it sets out from, towards larger coordinates, and its axis.
type LinkId = ([i32; 3], usize);

/// Twins and the map.
struct Watched<S: FieldShape> {
    twins: Twins<BlastWorld<S>>,
    map: Map,
    kept: Option<(IVec3, Chunk<f32>)>,
}

/// Every cell and every link.
struct Map {
    axes: usize,
    rules: Rules,
    bounds: Region,
    borders: [Border; 3],
    cells: BTreeMap<[i32; 3], Place>,
    weights: BTreeMap<LinkId, f32>,
    /// Of the wave rule, towards larger coordinates.
    flows: BTreeMap<LinkId, f64>,
    /// The same over an open border, by the cell and the face's index.
    vents: BTreeMap<LinkId, f64>,
    ticks: u64,
    events: Vec<Broken>,
    /// The largest pressure that there was, by which roundings are measured.
    peak: f64,
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
        let world = || BlastWorld::with_bounds(rules, bounds, borders).expect("rules within their ranges");
        Watched { twins: Twins::new(world), map, kept: None }
    }

    fn apply(&mut self, edit: &Edit) {
        match *edit {
            Edit::Step(steps) => (0..steps).for_each(|_| self.step()),
            Edit::Run(steps, place) => self.run(u64::from(steps), place),
            Edit::WakeAll => self.twins.wake_all(),
            Edit::TakeChanges => self.twins.take_changes(),
            Edit::TakeEvents => {
                let events = std::mem::take(&mut self.map.events);
                let told = self.twins.edit(|world| Ok::<_, ()>(world.take_events()));
                assert_eq!(told, Ok(events));
            }
            Edit::SaveAndLoad => self.twins.save_and_load(),
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
            Edit::InsertChunk(position, pressure) => world.insert_chunk(position, Chunk::uniform(pressure)),
            Edit::PutBack => kept.clone().map_or(Ok(()), |(position, chunk)| world.insert_chunk(position, chunk)),
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
            Edit::InsertChunk(position, pressure) => map.insert::<S>(position, &Chunk::uniform(pressure), &was_there),
            Edit::PutBack => kept.map_or(Ok(()), |(position, chunk)| map.insert::<S>(position, &chunk, &was_there)),
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

    /// One step, which is the map's but for roundings where nothing falls silent.
    fn step(&mut self) {
        let expected = self.map.step();
        self.twins.step();
        self.twins.validate();
        self.map.take_over(&self.twins.world, &expected);
        self.map.compare(&self.twins.world, &Edit::Step(1));
    }

    /// Steps in one go, against single ones of the twin and of the map. A probe changes nothing, and feels no more than
    /// there is.
    fn run(&mut self, steps: u64, place: IVec3) {
        let mut probes = [Probe::new(place, 1.0).expect("a cross-section")];
        let map = &mut self.map;
        let single = |twin: &mut BlastWorld<S>| {
            let expected = map.step();
            let report = twin.step();
            map.take_over(twin, &expected);
            report
        };
        self.twins.run(steps, |world| world.run_probed(steps, &mut probes), single);
        assert_eq!(probes[0].steps(), steps);
        let (impulse, exposure) = (probes[0].impulse().length(), probes[0].exposure());
        assert!(impulse <= exposure * (1.0 + 1e-9), "an impulse of {impulse} from flows of {exposure}");
    }
}

impl Map {
    fn is_pressure(&self, pressure: f32) -> bool {
        let least = if self.is_wave() { -PRESSURE_LIMIT } else { 0.0 };
        (least..=PRESSURE_LIMIT).contains(&pressure)
    }

    fn is_wave(&self) -> bool {
        matches!(self.rules.rule, Rule::Wave { .. })
    }

    fn set_pressure(&mut self, cell: IVec3, pressure: f32) -> Result<(), &'static str> {
        if !self.is_pressure(pressure) {
            return Err("Pressure");
        }
        let there = self.cells.get_mut(&cell.to_array()).ok_or("OutOfBounds")?;
        if there.is_solid {
            return Err("Solid");
        }
        there.pressure = pressure;
        Ok(())
    }

    fn fill_pressure(&mut self, region: Region, pressure: f32) -> Result<(), &'static str> {
        if !self.is_pressure(pressure) {
            return Err("Pressure");
        }
        self.check(region)?;
        for cell in region.positions() {
            self.cells.entry(cell.to_array()).and_modify(|there| {
                there.pressure = if there.is_solid { 0.0 } else { pressure };
            });
        }
        Ok(())
    }

    /// Builds in every cell of a region; what flowed there has ended.
    fn build(&mut self, region: Region, new: Place) -> Result<(), &'static str> {
        self.check(region)?;
        for cell in region.positions() {
            self.cells.insert(cell.to_array(), new);
            self.still(cell);
        }
        Ok(())
    }

    fn clear_solid(&mut self, cell: IVec3) -> Result<(), &'static str> {
        let there = self.cells.get_mut(&cell.to_array()).ok_or("OutOfBounds")?;
        if there.is_solid {
            *there = Place::default();
        }
        Ok(())
    }

    fn check(&self, region: Region) -> Result<(), &'static str> {
        let is_inside = self.bounds.contains(region.min()) && self.bounds.contains(region.max());
        if is_inside { Ok(()) } else { Err("OutOfBounds") }
    }

    /// Ends all flows at a cell.
    fn still(&mut self, cell: IVec3) {
        let ends = self
            .flows
            .keys()
            .copied()
            .filter(|&(from, axis)| from == cell.to_array() || self.next(from.into(), axis) == Some(cell));
        for link in ends.collect::<Vec<_>>() {
            self.flows.remove(&link);
        }
        self.vents.retain(|&(at, _), _| at != cell.to_array());
    }

    /// The cell behind one towards larger coordinates, around a periodic border; none at any other.
    fn next(&self, cell: IVec3, axis: usize) -> Option<IVec3> {
        let (min, max) = (self.bounds.min()[axis], self.bounds.max()[axis]);
        let mut next = cell;
        next[axis] = if cell[axis] == max { min } else { cell[axis] + 1 };
        (cell[axis] != max || self.borders[axis] == Border::Periodic).then_some(next)
    }

    /// The link behind a face, and the cell there.
    fn link(&self, cell: IVec3, face: Face) -> Option<(LinkId, IVec3)> {
        let axis = face.index() / 2;
        if axis >= self.axes {
            return None;
        }
        if face.index() % 2 == 1 {
            return self.next(cell, axis).map(|there| ((cell.to_array(), axis), there));
        }
        let mut from = cell;
        let min = self.bounds.min()[axis];
        from[axis] = if cell[axis] == min { self.bounds.max()[axis] } else { cell[axis] - 1 };
        (self.next(from, axis) == Some(cell)).then_some(((from.to_array(), axis), from))
    }

    fn weight(&self, link: LinkId) -> f32 {
        self.weights.get(&link).copied().unwrap_or(1.0)
    }

    /// What the weights at a cell are of the most that the rule bears.
    fn load(&self, cell: IVec3) -> f64 {
        let weight = |face: &Face| match self.link(cell, *face) {
            Some((link, _)) => f64::from(self.weight(link)),
            None => f64::from(u8::from(self.borders[face.index() / 2] == Border::Open)),
        };
        let sum: f64 = Face::ALL[..2 * self.axes].iter().map(weight).sum();
        self.rules.rule.coefficient() * sum / self.rules.rule.limit()
    }

    fn set_link(
        &mut self,
        cell: IVec3,
        face: Face,
        weight: f32,
        refused: Option<EditError>,
    ) -> Result<(), &'static str> {
        if !self.bounds.contains(cell) {
            return Err("OutOfBounds");
        }
        if !(0.0..=WEIGHT_LIMIT).contains(&weight) {
            return Err("Weight");
        }
        let (link, there) = self.link(cell, face).ok_or("NoLink")?;
        let old = self.weight(link);
        self.weights.insert(link, weight);
        let load = if weight > old { self.load(cell).max(self.load(there)) } else { 0.0 };
        if matches!(refused, Some(EditError::Unstable { .. })) {
            assert!(load >= 1.0 - 1e-6, "refused as unstable at {load} of the limit");
            self.weights.insert(link, old);
            return Err("Unstable");
        }
        assert!(load <= 1.0 + 1e-6, "{load} of the limit");
        if weight == 0.0 {
            self.flows.remove(&link);
        }
        Ok(())
    }

    fn insert<S: FieldShape>(
        &mut self,
        position: IVec3,
        chunk: &Chunk<f32>,
        was_there: &[IVec3],
    ) -> Result<(), &'static str> {
        if was_there.contains(&position) {
            return Err("ChunkPresent");
        }
        let cells = self.bounds.intersection(&S::region_of(position)).ok_or("ChunkOutOfBounds")?;
        if (0..4096).any(|index| !self.is_pressure(chunk.get(index))) {
            return Err("Pressure");
        }
        for cell in cells.positions() {
            let pressure = chunk.get(S::index_of(cell));
            self.cells.insert(cell.to_array(), Place { pressure, ..Place::default() });
        }
        Ok(())
    }

    fn remove<S: FieldShape>(
        &mut self,
        position: IVec3,
        refused: Option<EditError>,
        was_there: &[IVec3],
    ) -> Result<(), &'static str> {
        let cells = self.bounds.intersection(&S::region_of(position)).filter(|_| was_there.contains(&position));
        let cells = cells.ok_or("ChunkAbsent")?;
        let weights = self.weights.clone();
        self.weights.retain(|(from, _), _| !cells.contains((*from).into()));
        let load = self.bounds.positions().map(|cell| self.load(cell)).fold(0.0, f64::max);
        if matches!(refused, Some(EditError::Unstable { .. })) {
            assert!(load >= 1.0 - 1e-6, "refused as unstable at {load} of the limit");
            self.weights = weights;
            return Err("Unstable");
        }
        assert!(load <= 1.0 + 1e-6, "{load} of the limit");
        for cell in cells.positions() {
            self.cells.insert(cell.to_array(), Place::default());
            self.still(cell);
        }
        Ok(())
    }

    /// The walls that give way to the pressures as they are, and the difference across each, in order of position.
    fn broken(&self) -> Vec<Broken> {
        let mut broken: Vec<Broken> = Vec::new();
        for (&at, there) in &self.cells {
            let Some(strength) = there.strength else { continue };
            let mut beside = Vec::new();
            for &face in &Face::ALL[..2 * self.axes] {
                match self.link(at.into(), face) {
                    Some((link, next)) => {
                        let next = self.cells[&next.to_array()];
                        let is_open = self.weight(link) > 0.0 && !next.is_solid;
                        beside.extend(is_open.then_some(f64::from(next.pressure)));
                    }
                    None if self.borders[face.index() / 2] == Border::Open => beside.push(0.0),
                    None => {}
                }
            }
            let high = beside.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let low = beside.iter().copied().fold(f64::INFINITY, f64::min);
            let difference = match beside[..] {
                [] => 0.0,
                [only] => f64::abs(only),
                _ => high - low,
            };
            let strength = f64::from(strength);
            if difference > strength {
                broken.push(Broken { tick: self.ticks, place: at.into(), difference, strength });
            }
        }
        broken.sort_by_key(|broken| [broken.place.y, broken.place.z, broken.place.x]);
        broken
    }

    /// Opens walls, and returns the pressures that the rules lead to from there, in `f64`, by the formulas as they are
    /// written.
    fn step(&mut self) -> BTreeMap<[i32; 3], f64> {
        self.ticks += 1;
        let broken = self.broken();
        for wall in &broken {
            self.cells.insert(wall.place.to_array(), Place::default());
        }
        self.events.extend(broken);
        let mut after: BTreeMap<_, _> =
            self.cells.iter().map(|(&cell, there)| (cell, f64::from(there.pressure))).collect();
        for (&at, here) in self.cells.iter().filter(|(_, here)| !here.is_solid) {
            for &face in &Face::ALL[..2 * self.axes] {
                let (axis, is_forward) = (face.index() / 2, face.index() % 2 == 1);
                let link = self.link(at.into(), face);
                let there = match link {
                    // Each link once, from its first end.
                    Some(_) if !is_forward => continue,
                    Some((_, there)) => self.cells[&there.to_array()],
                    None if self.borders[axis] == Border::Open => Place::default(),
                    None => continue,
                };
                if there.is_solid {
                    continue;
                }
                let (kept, id) = match link {
                    Some((id, _)) => (&mut self.flows, id),
                    None => (&mut self.vents, (at, face.index())),
                };
                let weight = link.map_or(1.0, |(id, _)| self.weights.get(&id).copied().unwrap_or(1.0));
                let driven = f64::from(weight) * (f64::from(here.pressure) - f64::from(there.pressure));
                let flow = match self.rules.rule {
                    Rule::Diffusive { coefficient } => coefficient * driven,
                    Rule::Wave { coefficient, damping } => {
                        let flow = kept.entry(id).or_default();
                        *flow = damping * (*flow + coefficient * driven);
                        *flow
                    }
                };
                after.entry(at).and_modify(|pressure| *pressure -= flow);
                link.map(|(_, there)| after.entry(there.to_array()).and_modify(|pressure| *pressure += flow));
            }
        }
        after
    }

    /// Goes on with the world's own pressures, which must be those expected but for roundings. Where chunks may fall silent
    /// only the range is known: pressure that evens out does not rise above what it was.
    fn take_over<S: FieldShape>(&mut self, world: &BlastWorld<S>, expected: &BTreeMap<[i32; 3], f64>) {
        self.peak = self.cells.values().fold(self.peak, |peak, there| peak.max(f64::from(there.pressure.abs())));
        let highest = self.cells.values().fold(0.0f32, |highest, there| highest.max(there.pressure));
        for (&at, there) in &mut self.cells {
            let pressure = world.pressure(at.into());
            let off = (f64::from(pressure) - expected[&at]).abs();
            if self.rules.threshold == 0.0 {
                let step = world.ticks();
                let most = ROUNDING * self.peak + f64::from(f32::MIN_POSITIVE);
                assert!(off <= most, "cell {at:?}: {pressure}, not {}, step {step}", expected[&at]);
            }
            if let Rule::Diffusive { .. } = self.rules.rule {
                assert!((0.0..=highest * 1.000_001).contains(&pressure), "cell {at:?}: {pressure} above {highest}");
            }
            there.pressure = pressure;
        }
    }

    /// The world must be what the map says, cell by cell and link by link.
    fn compare<S: FieldShape>(&self, world: &BlastWorld<S>, edit: &Edit) {
        for (&at, &Place { pressure, is_solid, strength }) in &self.cells {
            let cell = IVec3::from_array(at);
            let expected = (Some(pressure + 0.0), is_solid, strength);
            let found = (Some(world.pressure(cell)), world.is_solid(cell), world.strength(cell));
            assert_eq!(found, expected, "cell {cell} after {edit:?}");
            for face in Face::ALL {
                let expected = match self.link(cell, face) {
                    Some((link, _)) => Some(self.weight(link)),
                    None => {
                        (face.index() / 2 < self.axes && self.borders[face.index() / 2] == Border::Open).then_some(1.0)
                    }
                };
                assert_eq!(world.link(cell, face), expected, "{face:?} of cell {cell} after {edit:?}");
            }
        }
    }
}

fn check_strength(strength: f32) -> Result<(), &'static str> {
    if strength > 0.0 && strength.is_finite() { Ok(()) } else { Err("Strength") }
}

fn kind(error: EditError) -> &'static str {
    match error {
        EditError::OutOfBounds(_) => "OutOfBounds",
        EditError::Solid(_) => "Solid",
        EditError::Pressure { .. } => "Pressure",
        EditError::Weight { .. } => "Weight",
        EditError::Strength { .. } => "Strength",
        EditError::NoLink(..) => "NoLink",
        EditError::Unstable { .. } => "Unstable",
        EditError::ChunkPresent(_) => "ChunkPresent",
        EditError::ChunkAbsent(_) => "ChunkAbsent",
        EditError::ChunkOutOfBounds(_) => "ChunkOutOfBounds",
        _ => "something new",
    }
}
