//! Pressure on a grid as a plain map of cells and links in `f64`: the expected state of a world
//! after every edit and step.

use crate::blast::{BlastWorld, Border, Broken, PRESSURE_LIMIT, Rule, Rules, WEIGHT_LIMIT};
use crate::coords::ChunkPos;
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::{CHUNK_CELLS, Chunk, Face, FieldShape, Region};
use glam::IVec3;
use std::collections::BTreeMap;

/// The share of the largest pressure so far that the `f32` roundings of one step, and of the flows
/// kept from step to step, may add up to.
const ROUNDING: f64 = 2e-5;

/// One cell of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) pressure: f32,
    pub(super) is_solid: bool,
    pub(super) strength: Option<f32>,
}

/// The identity of a link: the cell that it leaves towards larger coordinates, and its axis.
type LinkId = ([i32; 3], usize);

/// Every cell and every link.
pub(super) struct Map {
    pub(super) axes: usize,
    pub(super) rules: Rules,
    pub(super) bounds: Region,
    pub(super) borders: [Border; 3],
    pub(super) cells: BTreeMap<[i32; 3], Place>,
    pub(super) weights: BTreeMap<LinkId, f32>,
    /// The flows of the wave rule, towards larger coordinates.
    pub(super) flows: BTreeMap<LinkId, f64>,
    /// The flows across open borders, by the cell and the face's index.
    pub(super) vents: BTreeMap<LinkId, f64>,
    pub(super) ticks: u64,
    pub(super) events: Vec<Broken>,
    /// The largest pressure so far, by which roundings are measured.
    pub(super) peak: f64,
}

impl Map {
    /// Reads a world.
    pub(super) fn of<S: FieldShape>(world: &BlastWorld<S>) -> Map {
        let (bounds, borders) = (world.bounds(), world.borders());
        let mut map = Map {
            axes: S::NEIGHBOURS / 2,
            rules: *world.rules(),
            bounds,
            borders: [borders.x, borders.y, borders.z],
            cells: bounds.positions().map(|cell| (cell.to_array(), place(world, cell))).collect(),
            weights: BTreeMap::new(),
            flows: BTreeMap::new(),
            vents: BTreeMap::new(),
            ticks: world.ticks(),
            events: Vec::new(),
            peak: 0.0,
        };
        bounds.positions().for_each(|cell| map.read_links(world, cell));
        map
    }

    /// Reads the links of a cell towards larger coordinates, its vents, and the flows through them.
    fn read_links<S: FieldShape>(&mut self, world: &BlastWorld<S>, cell: IVec3) {
        let flows = if self.is_wave() { world.flows_at(cell) } else { Default::default() };
        for (at, &face) in Face::ALL[..2 * self.axes].iter().enumerate() {
            let flow = flows.get(at).map_or(0.0, |&(_, flow)| flow);
            match self.link(cell, face) {
                Some((link, _)) if face.index() % 2 == 1 => {
                    let weight = world.link(cell, face).filter(|&weight| weight != 1.0);
                    self.weights.extend(weight.map(|weight| (link, weight)));
                    self.flows.insert(link, flow);
                }
                None if flow != 0.0 => {
                    self.vents.insert((cell.to_array(), face.index()), flow);
                }
                _ => {}
            }
        }
    }

    pub(super) fn is_pressure(&self, pressure: f32) -> bool {
        let least = if self.is_wave() { -PRESSURE_LIMIT } else { 0.0 };
        (least..=PRESSURE_LIMIT).contains(&pressure)
    }

    pub(super) fn is_wave(&self) -> bool {
        matches!(self.rules.rule, Rule::Wave { .. })
    }

    pub(super) fn set_pressure(&mut self, cell: IVec3, pressure: f32) -> Result<(), &'static str> {
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

    pub(super) fn fill_pressure(
        &mut self,
        region: Region,
        pressure: f32,
    ) -> Result<(), &'static str> {
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

    /// Adds a bump of pressure to the open cells around `centre`: in its layer if the world is
    /// flat, otherwise in space.
    pub(super) fn add_charge(
        &mut self,
        centre: IVec3,
        radius: f32,
        pressure: f32,
    ) -> Result<(), &'static str> {
        if !(2.0..f32::INFINITY).contains(&radius) {
            return Err("Radius");
        }
        if !(-PRESSURE_LIMIT..=PRESSURE_LIMIT).contains(&pressure) {
            return Err("Pressure");
        }
        self.check(Region::cell(centre))?;
        let mut after = self.cells.clone();
        for (&at, there) in after.iter_mut().filter(|(_, there)| !there.is_solid) {
            let away: f64 = (0..3).map(|axis| f64::from(at[axis] - centre[axis]).powi(2)).sum();
            let share = (1.0 - away / f64::from(radius).powi(2)).max(0.0).powi(2);
            let more = pressure * share as f32;
            if more == 0.0 || self.axes == 2 && at[2] != centre.z {
                continue;
            }
            there.pressure += more;
            if !self.is_pressure(there.pressure) {
                return Err("Pressure");
            }
        }
        self.cells = after;
        Ok(())
    }

    /// Sets every cell of a region to `new`, and ends the flows there.
    pub(super) fn build(&mut self, region: Region, new: Place) -> Result<(), &'static str> {
        self.check(region)?;
        for cell in region.positions() {
            self.cells.insert(cell.to_array(), new);
            self.still(cell);
        }
        Ok(())
    }

    pub(super) fn clear_solid(&mut self, cell: IVec3) -> Result<(), &'static str> {
        let there = self.cells.get_mut(&cell.to_array()).ok_or("OutOfBounds")?;
        if there.is_solid {
            *there = Place::default();
        }
        Ok(())
    }

    pub(super) fn check(&self, region: Region) -> Result<(), &'static str> {
        let is_inside = self.bounds.contains(region.min()) && self.bounds.contains(region.max());
        if is_inside { Ok(()) } else { Err("OutOfBounds") }
    }

    /// Ends all flows at a cell.
    pub(super) fn still(&mut self, cell: IVec3) {
        let ends = self.flows.keys().copied().filter(|&(from, axis)| {
            from == cell.to_array() || self.next(from.into(), axis) == Some(cell)
        });
        for link in ends.collect::<Vec<_>>() {
            self.flows.remove(&link);
        }
        self.vents.retain(|&(at, _), _| at != cell.to_array());
    }

    /// Returns the next cell towards larger coordinates, which is across the border if the border
    /// is periodic; `None` at any other border.
    pub(super) fn next(&self, cell: IVec3, axis: usize) -> Option<IVec3> {
        let (min, max) = (self.bounds.min()[axis], self.bounds.max()[axis]);
        let mut next = cell;
        next[axis] = if cell[axis] == max { min } else { cell[axis] + 1 };
        (cell[axis] != max || self.borders[axis] == Border::Periodic).then_some(next)
    }

    /// Returns the link across a face, and the cell at its other end.
    pub(super) fn link(&self, cell: IVec3, face: Face) -> Option<(LinkId, IVec3)> {
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

    pub(super) fn weight(&self, link: LinkId) -> f32 {
        self.weights.get(&link).copied().unwrap_or(1.0)
    }

    /// Returns the sum of the weights at a cell as a share of the largest sum that the rule allows.
    pub(super) fn load(&self, cell: IVec3) -> f64 {
        let weight = |face: &Face| match self.link(cell, *face) {
            Some((link, _)) => f64::from(self.weight(link)),
            None => f64::from(u8::from(self.borders[face.index() / 2] == Border::Open)),
        };
        let sum: f64 = Face::ALL[..2 * self.axes].iter().map(weight).sum();
        self.rules.rule.coefficient() * sum / self.rules.rule.limit()
    }

    pub(super) fn set_link(
        &mut self,
        cell: IVec3,
        face: Face,
        weight: f32,
        is_unstable: bool,
        found: &mut Findings,
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
        check_load(load, is_unstable, found);
        if is_unstable {
            self.weights.insert(link, old);
            return Err("Unstable");
        }
        if weight < old {
            self.flows.entry(link).and_modify(|flow| *flow *= f64::from(weight / old));
        }
        Ok(())
    }

    pub(super) fn insert<S: FieldShape>(
        &mut self,
        position: ChunkPos,
        chunk: &Chunk<f32>,
        was_there: &[ChunkPos],
    ) -> Result<(), &'static str> {
        if was_there.contains(&position) {
            return Err("ChunkPresent");
        }
        let cells = self.bounds.intersection(&S::region_of(position)).ok_or("ChunkOutOfBounds")?;
        if (0..CHUNK_CELLS).any(|index| !self.is_pressure(chunk.get(index))) {
            return Err("Pressure");
        }
        for cell in cells.positions() {
            let pressure = chunk.get(S::index_of(cell));
            self.cells.insert(cell.to_array(), Place { pressure, ..Place::default() });
        }
        Ok(())
    }

    pub(super) fn remove<S: FieldShape>(
        &mut self,
        position: ChunkPos,
        is_unstable: bool,
        was_there: &[ChunkPos],
        found: &mut Findings,
    ) -> Result<(), &'static str> {
        let cells = self
            .bounds
            .intersection(&S::region_of(position))
            .filter(|_| was_there.contains(&position));
        let cells = cells.ok_or("ChunkAbsent")?;
        let weights = self.weights.clone();
        self.weights.retain(|(from, _), _| !cells.contains((*from).into()));
        let load = self.bounds.positions().map(|cell| self.load(cell)).fold(0.0, f64::max);
        check_load(load, is_unstable, found);
        if is_unstable {
            self.weights = weights;
            return Err("Unstable");
        }
        for cell in cells.positions() {
            self.cells.insert(cell.to_array(), Place::default());
            self.still(cell);
        }
        Ok(())
    }

    /// Returns the walls that break under the present pressures, with the difference across each,
    /// in order of position.
    pub(super) fn broken(&self) -> Vec<Broken> {
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
            let difference = difference(&beside);
            let strength = f64::from(strength);
            if difference > strength {
                broken.push(Broken { tick: self.ticks, place: at.into(), difference, strength });
            }
        }
        broken.sort_by_key(|broken| [broken.place.y, broken.place.z, broken.place.x]);
        broken
    }

    /// Opens the walls that break, and returns the pressures after the step, computed in `f64`
    /// literally by the formulas.
    pub(super) fn step(&mut self) -> BTreeMap<[i32; 3], f64> {
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
                    // Each link is computed once, from its first end.
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
                let weight =
                    link.map_or(1.0, |(id, _)| self.weights.get(&id).copied().unwrap_or(1.0));
                let driven =
                    f64::from(weight) * (f64::from(here.pressure) - f64::from(there.pressure));
                let flow = match self.rules.rule {
                    Rule::Diffusive { coefficient } => coefficient * driven,
                    Rule::Wave { coefficient, damping } => {
                        let flow = kept.entry(id).or_default();
                        *flow = damping * (*flow + coefficient * driven);
                        *flow
                    }
                };
                after.entry(at).and_modify(|pressure| *pressure -= flow);
                link.map(|(_, there)| {
                    after.entry(there.to_array()).and_modify(|pressure| *pressure += flow)
                });
            }
        }
        after
    }

    /// Continues with the world's own pressures, which must equal the expected pressures except for
    /// roundings. Where chunks may fall silent, this is not checked. By the diffusive rule, no
    /// pressure may rise above the highest from before the step.
    pub(super) fn take_over<S: FieldShape>(
        &mut self,
        world: &BlastWorld<S>,
        expected: &BTreeMap<[i32; 3], f64>,
        found: &mut Findings,
    ) {
        let size = |there: &Place| f64::from(there.pressure.abs());
        self.peak = self.cells.values().map(size).fold(self.peak, f64::max);
        let highest =
            self.cells.values().fold(0.0f32, |highest, there| highest.max(there.pressure));
        for (&at, there) in &mut self.cells {
            let pressure = world.pressure(at.into());
            let off = (f64::from(pressure) - expected[&at]).abs();
            let most = ROUNDING * self.peak + f64::from(f32::MIN_POSITIVE);
            let is_near = self.rules.threshold > 0.0 || off <= most;
            found.hold(law::FORMULAS, is_near, || {
                format!("{at:?}: {pressure}, expected {}", expected[&at])
            });
            let may_be = 0.0..=highest * 1.000_001;
            let evens_out = matches!(self.rules.rule, Rule::Diffusive { .. });
            found.hold(law::FORMULAS, !evens_out || may_be.contains(&pressure), || {
                format!("{at:?}: {pressure}, above {highest}")
            });
            there.pressure = pressure;
        }
    }

    /// Checks that the world equals the map, cell by cell and link by link.
    pub(super) fn compare<S: FieldShape>(&self, world: &BlastWorld<S>, found: &mut Findings) {
        for (&at, there) in &self.cells {
            let cell = IVec3::from_array(at);
            let expected = Place { pressure: there.pressure + 0.0, ..*there };
            found.same(law::CELLS, &place(world, cell), &expected, || cell.to_string());
            for face in Face::ALL {
                let is_open = || {
                    face.index() / 2 < self.axes && self.borders[face.index() / 2] == Border::Open
                };
                let expected = match self.link(cell, face) {
                    Some((link, _)) => Some(self.weight(link)),
                    None => is_open().then_some(1.0),
                };
                found.same(law::LINKS, &world.link(cell, face), &expected, || {
                    format!("{face:?} of {cell}")
                });
            }
        }
    }
}

/// Reads a cell.
fn place<S: FieldShape>(world: &BlastWorld<S>, cell: IVec3) -> Place {
    Place {
        pressure: world.pressure(cell),
        is_solid: world.is_solid(cell),
        strength: world.strength(cell),
    }
}

/// Returns the difference across a wall between these pressures. A single pressure counts as the
/// difference from 0.
pub(super) fn difference(beside: &[f64]) -> f64 {
    let high = beside.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = beside.iter().copied().fold(f64::INFINITY, f64::min);
    match *beside {
        [] => 0.0,
        [only] => only.abs(),
        _ => high - low,
    }
}

/// Checks that an edit was refused as unstable if and only if its load is above the limit, except
/// for rounding.
fn check_load(load: f64, is_unstable: bool, found: &mut Findings) {
    let fits = if is_unstable { load >= 1.0 - 1e-6 } else { load <= 1.0 + 1e-6 };
    let refused = if is_unstable { "refused" } else { "not refused" };
    found.hold(law::EDIT, fits, || format!("{refused} as unstable at {load} of the limit"));
}

pub(super) fn check_strength(strength: f32) -> Result<(), &'static str> {
    if strength > 0.0 && strength.is_finite() { Ok(()) } else { Err("Strength") }
}
