//! The parts of a world run apart: three worlds of their own, each with all of the ground, and what
//! breaks carried from one to the others by hand.

use super::{palette, world};
use fastrand::Rng;
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, Cell, HumidityWorld, UNITS};
use floodplain::water::{self, Voxel, WaterCell, WaterWorld};
use floodplain::world::{
    Broken, ChunkContent, Couplings, Edit, MaterialId, Palette, Rules, UnderWater, World,
};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};
use std::collections::{BTreeMap, BTreeSet};

/// Water, moisture and pressure over the same ground.
pub struct Apart {
    pub(super) palette: Palette,
    pub(super) rules: Rules,
    pub(super) ground: BTreeMap<[i32; 3], MaterialId>,
    pub(super) water: WaterWorld,
    pub(super) soil: HumidityWorld<Cube>,
    pub(super) blast: BlastWorld<Cube>,
    /// The units thrown.
    pub(super) thrown: u64,
    /// By hand, soil that stands still is taken out and put back, which its ledger counts.
    has_been_frozen: bool,
    events: Vec<Broken>,
}

/// What was in a cell of a frozen chunk.
struct Still {
    cell: IVec3,
    is_solid: bool,
    strength: Option<f32>,
    pressure: f32,
}

impl Apart {
    /// The parts of a world that was just made and filled, without pressure.
    pub fn of(world: &World) -> Apart {
        let (rules, bounds) = (*world.rules(), world.bounds());
        let mut apart = Apart {
            palette: palette(),
            rules,
            ground: BTreeMap::new(),
            water: WaterWorld::with_bounds(world.seed(), rules.water, bounds).unwrap(),
            soil: HumidityWorld::with_bounds(rules.soil, bounds).unwrap(),
            blast: BlastWorld::with_bounds(rules.blast, bounds, rules.borders).unwrap(),
            thrown: 0,
            has_been_frozen: false,
            events: Vec::new(),
        };
        // As a list: flows from one chunk into another are kept.
        let water = world.water().chunks().map(|(chunk, cells)| (chunk, cells.into_owned()));
        apart.water.insert_chunks(water.collect::<Vec<_>>()).unwrap();
        for (chunk, cells) in world.soil().chunks() {
            apart.soil.insert_chunk(chunk, cells).unwrap();
        }
        for cell in bounds.positions() {
            if let Some(material) = world.material(cell) {
                apart.set(cell, material);
            }
        }
        apart
    }

    /// Makes an edit that a world has made: one of a part, of a cell's material, or a chunk that
    /// goes.
    pub fn apply(&mut self, edit: &Edit) {
        match edit {
            &Edit::SetMaterial { cell, material } => self.set(cell, material),
            &Edit::RemoveChunk(chunk) => {
                _ = self.water.remove_chunk(chunk);
                _ = self.soil.remove_chunk(chunk);
                _ = self.blast.remove_chunk(chunk);
                self.ground.retain(|&cell, _| Cube::chunk_of(cell.into()) != chunk);
            }
            Edit::InsertChunk { position, content } => self.insert(*position, content),
            Edit::Water(edit) => _ = self.water.apply(edit.clone()),
            Edit::Soil(edit) => _ = self.soil.apply(edit.clone()),
            Edit::Blast(edit) => {
                // Elsewhere it follows the water at the beginning of the next steps.
                if let blast::Edit::SetPressure { cell, .. } = edit {
                    let chunk = Cube::chunk_of(*cell);
                    self.submerge(|cell| Cube::chunk_of(cell) == chunk);
                }
                self.blast.apply(edit.clone()).expect("the world made it");
            }
            _ => panic!("another edit: {edit:?}"),
        }
    }

    /// Runs a tick of all parts.
    pub fn step(&mut self) {
        self.water.step();
        if self.water.ticks().is_multiple_of(self.rules.soil_period.into()) {
            if self.rules.couplings != Couplings::OFF {
                self.exchange();
            }
            self.step_soil();
        }
        // Ground that stands still does not follow the water.
        let frozen: BTreeSet<ChunkPos> = self.water.frozen_chunks().collect();
        self.submerge(|cell| !frozen.contains(&Cube::chunk_of(cell)));
        let still = self.take_still();
        self.damp();
        for _ in 0..self.rules.blast_steps {
            self.blast.step();
            self.fade();
            for broken in self.blast.take_events() {
                let (tick, cell) = (self.water.ticks(), broken.place);
                let from = self.ground[&cell.to_array()];
                let name = self.palette.material(from).unwrap().breaks_into.as_ref().unwrap();
                let into = self.palette.id(name).unwrap();
                let moisture = self.soil.humidity(cell);
                self.set(cell, into);
                if self.rules.spilling && !self.palette.material(into).unwrap().solid {
                    let moisture = (moisture * f64::from(UNITS)) as u64;
                    self.spill(cell, (moisture / u64::from(self.rules.moisture_per_unit)) as u32);
                }
                let difference = broken.difference;
                self.events.push(Broken { tick, cell, from, into, difference });
            }
            self.damp();
        }
        self.throw();
        self.put_back(still);
    }

    /// Runs a step of soil as if rock lay where chunks are frozen.
    fn step_soil(&mut self) {
        let kept = self.kept_by_the_sea();
        let frozen: Vec<ChunkPos> = self.water.frozen_chunks().collect();
        let frozen = frozen.into_iter().filter_map(|at| Some((at, self.soil.chunk(at)?)));
        let frozen: Vec<_> = frozen.collect();
        self.has_been_frozen |= !frozen.is_empty();
        frozen.iter().for_each(|(at, _)| _ = self.soil.remove_chunk(*at).unwrap());
        self.soil.step();
        self.keep(kept);
        for (at, cells) in frozen {
            self.soil.insert_chunk(at, cells).unwrap();
        }
    }

    /// Fills the frozen chunks with ground that nothing breaks. Returns what was there.
    fn take_still(&mut self) -> Vec<Still> {
        let chunks: Vec<ChunkPos> = self.water.frozen_chunks().collect();
        let cells = chunks.into_iter().flat_map(|chunk| Cube::region_of(chunk).positions());
        let bounds = self.blast.bounds();
        let mut still = Vec::new();
        for cell in cells.filter(|&cell| bounds.contains(cell)) {
            let (is_solid, strength) = (self.blast.is_solid(cell), self.blast.strength(cell));
            let pressure = self.blast.set_solid(cell).unwrap();
            still.push(Still { cell, is_solid, strength, pressure });
        }
        still
    }

    fn put_back(&mut self, still: Vec<Still>) {
        for Still { cell, is_solid, strength, pressure } in still {
            match strength {
                Some(strength) => _ = self.blast.set_wall(cell, strength).unwrap(),
                None if is_solid => {}
                None => {
                    self.blast.clear_solid(cell).unwrap();
                    self.blast.set_pressure(cell, pressure).unwrap();
                }
            }
        }
    }

    /// Takes from each pressure what fades in a step.
    fn fade(&mut self) {
        let keep = 1.0 - self.rules.blast_fading;
        for &cell in self.ground.keys() {
            let pressure = self.blast.pressure(cell.into());
            if pressure != 0.0 {
                self.blast.set_pressure(cell.into(), pressure * keep).unwrap();
            }
        }
    }

    /// Loads a chunk that a world gave back.
    fn insert(&mut self, position: ChunkPos, content: &ChunkContent) {
        let water = content.water.clone().expect("given back");
        self.water.insert_chunk(position, water).unwrap();
        for index in 0..4096 {
            let cell = Cube::cell_at(position, index);
            if !self.water.bounds().contains(cell) {
                continue;
            }
            let material = content.materials.get(index);
            self.set(cell, material);
            if self.palette.material(material).unwrap().permeability.is_some() {
                let units = content.moisture.as_ref().unwrap().get(index);
                self.soil.set_humidity(cell, f64::from(units) / f64::from(UNITS)).unwrap();
            }
        }
    }

    /// Makes a cell this material in all parts.
    fn set(&mut self, cell: IVec3, id: MaterialId) {
        self.ground.insert(cell.to_array(), id);
        let material = self.palette.material(id).expect("known");
        if material.solid {
            self.water.set_solid(cell).unwrap();
        } else {
            self.water.clear_solid(cell).unwrap();
        }
        match material.strength.filter(|_| self.rules.breaking) {
            Some(strength) => _ = self.blast.set_wall(cell, strength).unwrap(),
            None if material.solid => _ = self.blast.set_solid(cell).unwrap(),
            None => _ = self.blast.clear_solid(cell).unwrap(),
        }
        self.set_soil(cell, material.permeability);
    }

    /// Pours the water that a cell of soil leaves into it, and what has no room into those around.
    fn spill(&mut self, cell: IVec3, mut units: u32) {
        let around = Face::ALL.map(|face| cell + face.offset());
        for cell in [cell].into_iter().chain(around) {
            if units > 0 {
                units -= self.water.pour(cell, units).unwrap_or(0);
            }
        }
        self.submerge(|_| true);
    }

    /// Lets full cells of water stop pressure, if they do, and no others, in part of the world.
    pub(super) fn submerge(&mut self, is_there: impl Fn(IVec3) -> bool) {
        if self.rules.under_water != UnderWater::Stops {
            return;
        }
        for (&cell, &id) in &self.ground {
            let cell = IVec3::from_array(cell);
            if !is_there(cell) || self.palette.material(id).unwrap().solid {
                continue;
            }
            let is_full = self.water.units(cell) == 7;
            if self.blast.is_solid(cell) == is_full {
                continue;
            }
            if is_full {
                self.blast.set_solid(cell).unwrap();
            } else {
                self.blast.clear_solid(cell).unwrap();
            }
        }
    }

    /// Damps the pressure in full cells of water, if they do.
    fn damp(&mut self) {
        let UnderWater::Damps(part) = self.rules.under_water else { return };
        for &cell in self.ground.keys() {
            let cell = IVec3::from_array(cell);
            let pressure = self.blast.pressure(cell);
            if pressure != 0.0 && self.water.units(cell) == 7 {
                self.blast.set_pressure(cell, pressure * part).unwrap();
            }
        }
    }

    fn set_soil(&mut self, cell: IVec3, permeability: Option<f32>) {
        let chunk = Cube::chunk_of(cell);
        let old = self.soil.cell(cell);
        let Some(permeability) = permeability else {
            if old.is_some_and(|old| old != Cell::ROCK) {
                self.soil.set_cell(cell, Cell::ROCK).unwrap();
                let cells = self.soil.chunk(chunk).unwrap();
                let bounds = self.soil.bounds();
                let is_bare = |&at: &usize| {
                    cells.get(at) == Cell::ROCK || !bounds.contains(Cube::cell_at(chunk, at))
                };
                if (0..4096).all(|at| is_bare(&at)) {
                    self.soil.remove_chunk(chunk).unwrap();
                }
            }
            return;
        };
        if old.is_none() {
            self.soil.insert_chunk(chunk, Chunk::uniform(Cell::ROCK)).unwrap();
        }
        let old = old.unwrap_or(Cell::ROCK);
        self.soil.set_cell(cell, Cell { impermeability: 1.0 / permeability, ..old }).unwrap();
    }

    /// The units of water thrown so far.
    pub fn thrown(&self) -> u64 {
        self.thrown
    }

    /// The number of events that no world was compared with yet.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// Checks that a world is the same, byte for byte.
    pub fn assert_equal(&mut self, world: &mut World) {
        self.assert_equal_water(world.water());
        assert!(world.soil().chunks().eq(self.soil.chunks()), "soil");
        if !self.has_been_frozen {
            assert_eq!(world.soil().state_hash(), self.soil.state_hash(), "soil");
        }
        assert_eq!(world.ledger().thrown, self.thrown);
        assert_eq!(world.take_events(), std::mem::take(&mut self.events));
        assert_eq!(world.blast().ticks(), self.blast.ticks());
        for cell in world.bounds().positions() {
            let pressures = [world.blast().pressure(cell), self.blast.pressure(cell)];
            assert_eq!(pressures[0].to_bits(), pressures[1].to_bits(), "{cell}: {pressures:?}");
            assert_eq!(world.material(cell), self.ground.get(&cell.to_array()).copied(), "{cell}");
        }
    }

    fn assert_equal_water(&self, water: &WaterWorld) {
        // By hand, what is thrown is scooped and poured.
        let water::Ledger { placed, removed, .. } = self.water.ledger();
        let (placed, removed) = (placed - self.thrown, removed - self.thrown);
        let ledger = water::Ledger { placed, removed, ..self.water.ledger() };
        assert_eq!(water.ledger(), ledger);
        assert!(water.chunks().eq(self.water.chunks()), "other water");
        if self.thrown == 0 {
            assert_eq!(water.state_hash(), self.water.state_hash(), "water");
        }
    }
}

/// A random world of several chunks with water, moisture, and walls that break.
pub fn random_world(rng: &mut Rng, rules: Rules) -> World {
    let bounds = Region::new(IVec3::new(-9, -6, -5), IVec3::new(20, 9, 6));
    let mut world = world(rng.u64(..), rules, bounds);
    let materials: Vec<MaterialId> = palette().materials().map(|(id, _)| id).collect();
    for chunk in Cube::chunks_of(bounds) {
        let mut content = world.remove_chunk(chunk).expect("loaded");
        let (share, kinds) =
            (rng.u8(2..60), [(); 3].map(|()| materials[rng.usize(1..materials.len())]));
        let mut water = Chunk::uniform(Voxel::OPEN);
        let mut moisture = Chunk::uniform(0);
        for index in 0..4096 {
            if rng.u8(..) < share {
                content.materials.set(index, kinds[rng.usize(..3)]);
            }
            let palette = palette();
            let material = palette.material(content.materials.get(index)).unwrap();
            if material.solid {
                water.set(index, Voxel::SOLID);
            } else if rng.u8(..) < 30 {
                water.set(index, Voxel::water(WaterCell::with_height(rng.u8(..8)).unwrap()));
            }
            if material.permeability.is_some() {
                moisture.set(index, rng.u32(..1024) * UNITS);
            }
        }
        let content = ChunkContent { water: Some(water), moisture: Some(moisture), ..content };
        world.insert_chunk(chunk, content).expect("it goes together");
    }
    world
}

/// A random edit of a part that leaves its ground as it is.
pub fn random_edit(rng: &mut Rng, bounds: Region) -> Edit {
    let (min, size) = (bounds.min(), bounds.size().map(|side| side as i32));
    let cell = min + IVec3::from_array(size.map(|side| rng.i32(..side.max(1)).abs() % side));
    let humidity = f64::from(rng.u32(..1000));
    match rng.u32(..8) {
        0 => Edit::Water(water::Edit::AddSource(cell)),
        1 => Edit::Water(water::Edit::Pour { cell, units: 7 }),
        2 => Edit::Water(water::Edit::Scoop { cell, units: 7 }),
        3 => Edit::Soil(humidity::Edit::SetHumidity { cell, humidity }),
        _ => Edit::Blast(blast::Edit::SetPressure { cell, pressure: rng.f32() * 900.0 }),
    }
}
