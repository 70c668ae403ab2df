//! The plan of a world before anything happens: the material and the water of every cell. Only
//! additions, products and quotients of floats decide what is where, which come to the same on
//! every machine.

use crate::model::materials::{AIR, CLAY, LEAVES, PLASTER, ROCK, SAND, SOIL, TILES, WOOD, palette};
use crate::noise::{hash, noise};
use floodplain::blast::{Border, Borders};
use floodplain::glam::IVec3;
use floodplain::water::{self, Edge, Edges, Voxel, WaterCell};
use floodplain::world::{ChunkContent, Couplings, MaterialId, Rules, World};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape, blast, humidity};
use std::error::Error;

/// The material and the water of every cell, and what else a world begins with.
pub struct Plan {
    /// Cells along x, y and z; whole chunks.
    pub size: IVec3,
    /// The springs.
    pub springs: Vec<IVec3>,
    /// x fastest, then z, then y.
    ground: Vec<MaterialId>,
    /// Whether the cell is full of water.
    water: Vec<bool>,
}

impl Plan {
    /// Returns the plan of an empty world of so many chunks.
    pub fn new(chunks: IVec3) -> Plan {
        let size = chunks * 16;
        let cells = (size.x * size.y * size.z) as usize;
        let (ground, water) = (vec![AIR; cells], vec![false; cells]);
        Plan { size, springs: Vec::new(), ground, water }
    }

    fn index(&self, cell: IVec3) -> Option<usize> {
        let is_inside = cell.cmpge(IVec3::ZERO).all() && cell.cmplt(self.size).all();
        is_inside.then(|| (cell.x + self.size.x * (cell.z + self.size.z * cell.y)) as usize)
    }

    /// Returns the material of a cell; air outside.
    pub fn get(&self, cell: IVec3) -> MaterialId {
        self.index(cell).map_or(AIR, |index| self.ground[index])
    }

    /// Makes a cell of a material, dry; does nothing outside.
    pub fn set(&mut self, cell: IVec3, material: MaterialId) {
        if let Some(index) = self.index(cell) {
            self.ground[index] = material;
            self.water[index] = false;
        }
    }

    /// Makes all cells between two corners of a material, both included.
    pub fn fill(&mut self, a: [i32; 3], b: [i32; 3], material: MaterialId) {
        let region = Region::new(IVec3::from_array(a), IVec3::from_array(b));
        region.positions().for_each(|cell| self.set(cell, material));
    }

    /// Fills the open cells for which `is_in` says so, up to and including a height, with water.
    pub fn flood(&mut self, level: i32, is_in: impl Fn(IVec3) -> bool) {
        let all = Region::new(IVec3::ZERO, (self.size - 1).with_y(level));
        for cell in all.positions() {
            if let Some(index) = self.index(cell)
                && self.ground[index] == AIR
                && is_in(cell)
            {
                self.water[index] = true;
            }
        }
    }

    /// Lays ground in every column up to the height that `top` gives: rock, with a cover of a
    /// material and so many cells.
    pub fn lay_ground(
        &mut self,
        top: impl Fn(i32, i32) -> i32,
        cover: impl Fn(i32, i32) -> (MaterialId, i32),
    ) {
        for (x, z) in columns(self.size) {
            let (top, (material, thick)) = (top(x, z), cover(x, z));
            for y in 0..=top.clamp(0, self.size.y - 1) {
                let cell = IVec3::new(x, y, z);
                self.set(cell, if y > top - thick && y > 0 { material } else { ROCK });
            }
        }
    }

    /// Returns the highest cell of a column that is not air; -1 if there is none.
    pub fn top(&self, x: i32, z: i32) -> i32 {
        let is_ground = |&y: &i32| self.get(IVec3::new(x, y, z)) != AIR;
        (0..self.size.y).rev().find(is_ground).unwrap_or(-1)
    }

    /// Lines lakes with clay, so that they do not seep away.
    pub fn line_lakes(&mut self) {
        for cell in Region::new(IVec3::ZERO, self.size - 1).positions() {
            if !self.index(cell).is_some_and(|index| self.water[index]) {
                continue;
            }
            for face in Face::ALL {
                let beside = cell + face.offset();
                if matches!(self.get(beside), SOIL | SAND) {
                    self.set(beside, CLAY);
                }
            }
        }
    }

    /// Plants trees on dry soil, thicker where the noise of woods is high. `share` is the share of
    /// columns in the thickest woods.
    pub fn plant(&mut self, share: f32) {
        for (x, z) in columns(self.size) {
            let lot = hash(x, 0, z);
            let woods = noise(x as f32 / 23.0 + 9.0, z as f32 / 23.0);
            let chance = ((woods - 0.35) * share * 1.6).clamp(0.0005, share);
            let is_inside = (3..self.size.x - 3).contains(&x) && (3..self.size.z - 3).contains(&z);
            if is_inside && (lot & 0xffff) as f32 <= chance * 65_536.0 {
                self.plant_tree(x, z, 3 + (lot >> 28) as i32 % 3);
            }
        }
    }

    fn plant_tree(&mut self, x: i32, z: i32, trunk: i32) {
        let ground = IVec3::new(x, self.top(x, z), z);
        let crown = ground + IVec3::Y * (trunk + 1);
        let room = Region::new(crown - 2, crown + 2);
        let is_wet = self.index(ground + IVec3::Y).is_some_and(|index| self.water[index]);
        let is_free = |cell| matches!(self.get(cell), AIR | LEAVES);
        if self.get(ground) != SOIL || is_wet || !room.positions().all(is_free) {
            return;
        }
        for cell in room.positions() {
            let d = cell - crown;
            let is_leaf = d.x * d.x + d.z * d.z + d.y * d.y <= 5
                && !hash(cell.x, cell.y, cell.z).is_multiple_of(8);
            if is_leaf {
                self.set(cell, LEAVES);
            }
        }
        for y in 1..=trunk {
            self.set(ground + IVec3::Y * y, WOOD);
        }
    }

    /// Builds a house with its north-west corner in a column: four walls with a door to the west,
    /// and a roof.
    pub fn build_house(&mut self, x: i32, z: i32) {
        let floor: Vec<(i32, i32)> = (0..7).flat_map(|dx| (0..6).map(move |dz| (dx, dz))).collect();
        let tops: Vec<i32> = floor.iter().map(|(dx, dz)| self.top(x + dx, z + dz)).collect();
        let base = tops.iter().max().map_or(0, |top| top + 1);
        for (&(dx, dz), top) in floor.iter().zip(tops) {
            let (x, z) = (x + dx, z + dz);
            let is_wall = dx == 0 || dx == 6 || dz == 0 || dz == 5;
            self.fill([x, top + 1, z], [x, base - 1, z], PLASTER);
            for y in base..base + 4 {
                let is_door = dx == 0 && dz == 2 && y < base + 2;
                if is_wall && !is_door {
                    self.set(IVec3::new(x, y, z), PLASTER);
                }
            }
            self.fill([x, base + 4, z], [x, base + 4 + dz.min(5 - dz), z], TILES);
        }
    }

    /// Returns the world of this plan, which water leaves at the sides of `coast`.
    ///
    /// # Errors
    /// Those of the library; none of the sandbox's own plans has one.
    pub fn world(&self, seed: u64, coast: &[Face]) -> Result<World, Box<dyn Error>> {
        let bounds = Region::new(IVec3::ZERO, self.size - 1);
        let mut world = World::with_bounds(seed, palette()?, rules(coast), bounds)?;
        let chunks = Cube::chunks_of(Region::new(IVec3::ZERO, self.size - 1));
        world.insert_chunks(chunks.map(|chunk| (chunk, self.content(chunk))))?;
        for &spring in &self.springs {
            world.add_source(spring)?;
        }
        Ok(world)
    }

    fn content(&self, chunk: ChunkPos) -> ChunkContent {
        let mut content = ChunkContent::from_fn(chunk, |cell| self.get(cell));
        let mut water = Chunk::uniform(Voxel::OPEN);
        for (index, voxel) in water.cells_mut().iter_mut().enumerate() {
            if self.index(Cube::cell_at(chunk, index)).is_some_and(|index| self.water[index]) {
                *voxel = Voxel::water(WaterCell::STILL);
            }
        }
        water.canonicalize();
        content.water = Some(water);
        content
    }
}

/// Returns the rules of a world that water leaves at these sides.
fn rules(coast: &[Face]) -> Rules {
    let edges = coast.iter().fold(Edges::WALLS, |edges, &face| edges.with(face, Edge::Drain));
    Rules {
        // A film of water is gone within seconds, into the soil below it if that has room.
        water: water::Rules { film_evaporation: 1.0 / 64.0, edges, ..water::Rules::default() },
        soil: humidity::Rules { fall: 1.0 / 128.0, ..humidity::Rules::default() },
        borders: Borders { x: Border::Open, y: Border::Open, z: Border::Open },
        couplings: Couplings { seepage: 1.0 / 12.0, ..Couplings::default() },
        soil_period: 2,
        // So few that the wave is seen on its way.
        blast_steps: 8,
        // Waves are spent some thirty cells from a charge, or they would cost more than the flood.
        blast: blast::Rules { threshold: 2.0, ..blast::Rules::wave(0.25, 0.92) },
        throw_flow: Some(9.0),
        ..Rules::default()
    }
}

/// Returns x and z of all columns.
fn columns(size: IVec3) -> impl Iterator<Item = (i32, i32)> {
    (0..size.z).flat_map(move |z| (0..size.x).map(move |x| (x, z)))
}
