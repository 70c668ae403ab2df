//! The valley: its ground, the dam, the woods and the village, and the lake behind the dam.

use crate::noise::{hash, noise};
use floodplain::blast::{Border, Borders};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, UNITS};
use floodplain::water::{self, Edge, Edges, Voxel, WaterCell};
use floodplain::world::{ChunkContent, Couplings, Material, MaterialId, Palette, Rules, World};
use floodplain::{Chunk, ChunkPos, Cube, Face, Region, Shape};

/// Cells from west to east, from bottom to top, and from north to south. The river runs east.
pub const SIZE: IVec3 = IVec3::new(176, 64, 96);

/// The highest cells of the lake and of the dam.
const LEVEL: i32 = 30;
const CREST: i32 = 33;

pub const AIR: MaterialId = MaterialId(0);
pub const ROCK: MaterialId = MaterialId(1);
pub const SOIL: MaterialId = MaterialId(2);
pub const SILT: MaterialId = MaterialId(3);
pub const SAND: MaterialId = MaterialId(4);
pub const CONCRETE: MaterialId = MaterialId(5);
pub const WOOD: MaterialId = MaterialId(6);
pub const LEAVES: MaterialId = MaterialId(7);
pub const PLASTER: MaterialId = MaterialId(8);
pub const TILES: MaterialId = MaterialId(9);

/// The materials, in the order of their numbers.
fn materials() -> [Material; 10] {
    [
        Material::open("air"),
        Material::solid("rock"),
        Material::solid("soil").permeable(1.0, 6),
        Material::solid("silt").permeable(0.5, 6),
        Material::solid("sand").permeable(1.5, 6),
        Material::solid("concrete").breaking(30.0, "air"),
        Material::solid("wood").breaking(30.0, "air"),
        Material::solid("leaves").breaking(24.0, "air"),
        Material::solid("plaster").breaking(60.0, "air"),
        Material::solid("tiles").breaking(60.0, "air"),
    ]
}

fn rules() -> Rules {
    let mut edges = Edges::WALLS;
    edges.outer[Face::East.index()] = Edge::Drain;
    Rules {
        // A film of water is gone within seconds, into the soil below it if that has room.
        water: water::Rules { film_evaporation: 1.0 / 64.0, edges, ..water::Rules::default() },
        soil: humidity::Rules { fall: 1.0 / 32.0, ..humidity::Rules::default() },
        borders: Borders { x: Border::Open, y: Border::Open, z: Border::Open },
        couplings: Couplings { seepage: 1.0 / 12.0, ..Couplings::default() },
        soil_period: 2,
        // So few that the wave is seen on its way.
        blast_steps: 8,
        throw_flow: Some(9.0),
        ..Rules::default()
    }
}

/// Returns the valley with its lake at rest, and the soil under the lake soaked.
pub fn world(seed: u64) -> Result<World, Box<dyn std::error::Error>> {
    let bounds = Region::new(IVec3::ZERO, SIZE - 1);
    let mut world = World::with_bounds(seed, Palette::new(materials())?, rules(), bounds)?;
    let plan = Plan::new();
    let chunks = Cube::chunks_of(Region::new(IVec3::ZERO, SIZE - 1));
    world.insert_chunks(chunks.map(|chunk| (chunk, plan.content(chunk))))?;
    Ok(world)
}

/// Where the charge goes off: at the foot of the dam, in the middle of the valley.
pub fn charge() -> IVec3 {
    let z = centre(dam_face(0)).round() as i32;
    IVec3::new(dam_face(z) + 8, floor(70) + 8, z)
}

/// The middle of the river, across the valley.
fn centre(x: i32) -> f32 {
    60.0 + 7.0 * (x as f32 / 22.0).sin()
}

/// The height of the valley's floor.
fn floor(x: i32) -> i32 {
    13 - x * 6 / SIZE.x
}

/// The upstream face of the dam: an arch against the lake.
fn dam_face(z: i32) -> i32 {
    let off = (z as f32 - 58.0) / 40.0;
    66 + (off * off * 9.0) as i32
}

/// Half of the floor's width: narrow at the dam, wide above and below.
fn half_width(x: i32) -> f32 {
    let narrow = |from: f32, to: f32| ((x as f32 - from) / (to - from)).clamp(0.0, 1.0);
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    20.0 - 10.0 * ease(narrow(40.0, 66.0)) + 9.0 * ease(narrow(84.0, 115.0))
}

/// The highest cell of ground.
fn top(x: i32, z: i32) -> i32 {
    let off = z as f32 - centre(x);
    let rise = (off.abs() - half_width(x)).max(0.0);
    let rough = noise(x as f32 / 17.0, z as f32 / 17.0) - 0.5;
    let fine = noise(x as f32 / 6.0 + 40.0, z as f32 / 6.0) - 0.5;
    // The southern slope is low, so that one looks over it into the valley.
    let slope = if off < 0.0 { 0.95 * rise } else { 0.4 * rise };
    let hill = slope + slope.min(14.0) * (1.1 * rough + 0.35 * fine);
    let bed = if off.abs() < 4.5 { -2 } else { 0 };
    (floor(x) + bed + (hill + fine).round() as i32).min(SIZE.y - 10)
}

fn is_behind_dam(cell: IVec3) -> bool {
    cell.x < dam_face(cell.z)
}

/// The material of every cell, before anything happens.
struct Plan {
    /// x fastest, then z, then y.
    cells: Vec<MaterialId>,
}

impl Plan {
    fn new() -> Plan {
        let mut plan = Plan { cells: vec![AIR; (SIZE.x * SIZE.y * SIZE.z) as usize] };
        for z in 0..SIZE.z {
            for x in 0..SIZE.x {
                plan.lay_ground(x, z);
                plan.build_dam(x, z);
            }
        }
        for (x, z) in [(112, 46), (126, 40), (141, 48), (118, 78), (135, 80), (152, 76), (158, 45)]
        {
            plan.build_house(x, z);
        }
        for z in 2..SIZE.z - 2 {
            for x in 2..SIZE.x - 2 {
                plan.plant(x, z);
            }
        }
        plan
    }

    fn index(cell: IVec3) -> usize {
        (cell.x + SIZE.x * (cell.z + SIZE.z * cell.y)) as usize
    }

    fn get(&self, cell: IVec3) -> MaterialId {
        self.cells[Plan::index(cell)]
    }

    fn set(&mut self, cell: IVec3, material: MaterialId) {
        self.cells[Plan::index(cell)] = material;
    }

    fn lay_ground(&mut self, x: i32, z: i32) {
        let top = top(x, z);
        let is_bed = (z as f32 - centre(x)).abs() < 6.0;
        let is_lake = top <= LEVEL && is_behind_dam(IVec3::new(x, top, z));
        let cover = match (is_lake, is_bed) {
            (true, _) => SILT,
            (_, true) => SAND,
            _ => SOIL,
        };
        // Soil is thick in the valley and ends where the slopes are high.
        let thick = 7 - (top - floor(x)).clamp(0, 40) / 6;
        for y in 0..=top {
            let material = if y > top - thick { cover } else { ROCK };
            self.set(IVec3::new(x, y, z), material);
        }
    }

    /// Builds the wall of a column, thicker towards its foot.
    fn build_dam(&mut self, x: i32, z: i32) {
        for y in floor(x) - 4..=CREST {
            let thickness = 4 + (CREST - y) / 8;
            let cell = IVec3::new(x, y, z);
            let is_open = self.get(cell) == AIR || y > top(x, z) - 4;
            if is_open && (0..thickness).contains(&(x - dam_face(z))) {
                self.set(cell, CONCRETE);
            }
        }
    }

    /// Builds a house on level ground: four walls with a door to the west, and a roof.
    fn build_house(&mut self, x: i32, z: i32) {
        let base = (0..7).flat_map(|dx| (0..6).map(move |dz| top(x + dx, z + dz))).max();
        let base = base.unwrap_or(0) + 1;
        for (dx, dz) in (0..7).flat_map(|dx| (0..6).map(move |dz| (dx, dz))) {
            let (x, z) = (x + dx, z + dz);
            let is_wall = dx == 0 || dx == 6 || dz == 0 || dz == 5;
            for y in top(x, z) + 1..base {
                self.set(IVec3::new(x, y, z), PLASTER);
            }
            for y in base..base + 4 {
                let is_door = dx == 0 && dz == 2 && y < base + 2;
                if is_wall && !is_door {
                    self.set(IVec3::new(x, y, z), PLASTER);
                }
            }
            for y in base + 4..base + 5 + dz.min(5 - dz) {
                self.set(IVec3::new(x, y, z), TILES);
            }
        }
    }

    /// Plants a tree in some of the columns with soil: thicker woods the higher.
    fn plant(&mut self, x: i32, z: i32) {
        let ground = IVec3::new(x, top(x, z), z);
        let lot = hash(x, 0, z);
        let woods = noise(x as f32 / 23.0 + 9.0, z as f32 / 23.0) + (ground.y - 12) as f32 / 60.0;
        let chance = ((woods - 0.45) * 0.09).clamp(0.001, 0.05);
        let trunk = 3 + (lot >> 28) as i32 % 3;
        let crown = ground + IVec3::Y * (trunk + 1);
        let is_open = self.get(ground) == SOIL && self.get(ground + IVec3::Y) == AIR;
        let is_near_dam = (-6..16).contains(&(x - dam_face(z)));
        if !is_open || is_near_dam || (lot & 0xffff) as f32 > chance * 65_536.0 {
            return;
        }
        let room = Region::new(crown - 2, crown + 2);
        if crown.y + 3 >= SIZE.y || room.positions().any(|cell| self.get(cell) == TILES) {
            return;
        }
        for cell in room.positions() {
            let d = cell - crown;
            let is_leaf = d.x * d.x + d.z * d.z + d.y * d.y <= 5
                && !hash(cell.x, cell.y, cell.z).is_multiple_of(8);
            if is_leaf && self.get(cell) == AIR {
                self.set(cell, LEAVES);
            }
        }
        for y in 1..=trunk {
            self.set(ground + IVec3::Y * y, WOOD);
        }
    }

    /// Returns a chunk of the valley, with its part of the lake and of the soaked soil below.
    fn content(&self, chunk: ChunkPos) -> ChunkContent {
        let mut content = ChunkContent::from_fn(chunk, |cell| self.get(cell));
        let (mut water, mut moisture) = (Chunk::uniform(Voxel::OPEN), Chunk::uniform(0));
        let cells = water.cells_mut().iter_mut().zip(moisture.cells_mut());
        for (index, (water, moisture)) in cells.enumerate() {
            let cell = Cube::cell_at(chunk, index);
            match self.get(cell) {
                AIR if cell.y <= LEVEL && is_behind_dam(cell) => {
                    *water = Voxel::water(WaterCell::STILL);
                }
                SILT => *moisture = 6 * 64 * UNITS,
                _ => {}
            }
        }
        water.canonicalize();
        moisture.canonicalize();
        (content.water, content.moisture) = (Some(water), Some(moisture));
        content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lake_lies_still_behind_the_dam() {
        let mut world = world(7).unwrap();
        let lake = world.water().total();
        assert!(lake > 100_000, "{lake} units");
        world.run(10);
        assert_eq!(world.ledger().water.drained, 0);
        let below = IVec3::new(SIZE.x - 20, floor(SIZE.x), centre(SIZE.x) as i32);
        assert_eq!(world.units(below), 0);
        assert_eq!(world.validate(), Ok(()));
    }

    #[test]
    fn the_charge_lies_in_the_open_below_the_dam() {
        let world = world(7).unwrap();
        assert_eq!(world.material(charge()), Some(AIR));
        assert!(!is_behind_dam(charge()));
    }
}
