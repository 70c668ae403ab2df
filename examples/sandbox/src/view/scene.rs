//! What is drawn of each cell, copied from the world where it changed, and which chunks are to be
//! meshed anew.

use super::stale::Stale;
use crate::model::materials::AIR;
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::MaterialId;
use floodplain::world::World;
use floodplain::{CHUNK_CELLS, ChunkChanges, ChunkPos, Cube, Region, Shape};

/// Where the sun stands, as seen from the world.
pub const SUN: Vec3 = Vec3::new(0.52, 0.74, 0.426);

/// How many steps of moisture are told apart.
const MOISTURES: f32 = 7.0;

/// The looks of all cells of a world.
pub struct Scene {
    size: IVec3,
    /// By cell, x fastest, then z, then y; so are the others.
    ground: Vec<MaterialId>,
    /// Units, 0 to 7.
    water: Vec<u8>,
    /// The share of its capacity that soil holds, 0 to 7.
    moist: Vec<u8>,
    /// No ground lies at this height or above.
    ceiling: i32,
    /// Chunks whose terrain, water and effects (falls and pressure) differ from what was meshed.
    pub stale_terrain: Stale,
    pub stale_water: Stale,
    pub stale_effects: Stale,
    /// Chunks in which only the colours of the ground differ.
    pub stale_colours: Stale,
}

impl Scene {
    /// Copies a whole world. Everything is stale.
    pub fn of(world: &World) -> Scene {
        let size = world.bounds().max() + 1;
        let cells = (size.x * size.y * size.z) as usize;
        let mut scene = Scene {
            size,
            ground: vec![AIR; cells],
            water: vec![0; cells],
            moist: vec![0; cells],
            ceiling: 0,
            stale_terrain: Stale::default(),
            stale_water: Stale::default(),
            stale_effects: Stale::default(),
            stale_colours: Stale::default(),
        };
        for (chunk, materials) in world.chunks() {
            let water = world.water().chunk(chunk);
            for index in 0..CHUNK_CELLS {
                let cell = Cube::cell_at(chunk, index);
                let Some(at) = scene.index(cell) else { continue };
                scene.ground[at] = materials.get(index);
                scene.water[at] = water.as_ref().map_or(0, |water| water.get(index).height());
                scene.moist[at] = scene.step_of_moisture(world, cell);
                if scene.ground[at] != AIR {
                    scene.ceiling = scene.ceiling.max(cell.y + 1);
                }
            }
            scene.stale_terrain.insert(chunk);
            scene.stale_water.insert(chunk);
            scene.stale_effects.insert(chunk);
        }
        scene
    }

    /// Copies the cells that changed.
    pub fn update(&mut self, world: &World, changes: &[ChunkChanges]) {
        // All three are in order of position, so that no chunk has to be looked up.
        let (mut grounds, mut waters) = (world.chunks(), world.water().chunks());
        for ChunkChanges { chunk, cells } in changes {
            self.stale_effects.insert(*chunk);
            let ground = grounds.find(|(other, _)| other == chunk);
            let water = waters.find(|(other, _)| other == chunk);
            if let (Some((_, ground)), Some((_, water))) = (ground, water) {
                for index in cells.iter() {
                    let cell = Cube::cell_at(*chunk, index);
                    self.copy(world, cell, ground.get(index), water.get(index).height());
                }
            }
        }
    }

    fn copy(&mut self, world: &World, cell: IVec3, material: MaterialId, water: u8) {
        let Some(at) = self.index(cell) else { return };
        let is_new_ground = std::mem::replace(&mut self.ground[at], material) != material;
        let is_new_water = std::mem::replace(&mut self.water[at], water) != water;
        // Open cells change in crowds when there is pressure, and are not moist.
        let moist = if material == AIR { 0 } else { self.step_of_moisture(world, cell) };
        if is_new_ground {
            self.ceiling = self.ceiling.max(cell.y + 1);
            self.stale_terrain.extend(near(cell));
            self.stale_colours.extend(self.shaded_by(cell));
        }
        if is_new_ground || is_new_water {
            self.stale_water.extend(near(cell));
        }
        if std::mem::replace(&mut self.moist[at], moist) != moist {
            self.stale_colours.insert(Cube::chunk_of(cell));
        }
    }

    /// Returns the chunks in which the shadow of a cell may lie.
    fn shaded_by(&self, cell: IVec3) -> impl Iterator<Item = ChunkPos> + use<> {
        let size = self.size;
        let steps = 1..=(cell.y / 8 + 1);
        steps
            .map(move |step| (cell.as_vec3() - SUN * (11.0 * step as f32)).floor().as_ivec3())
            .filter(move |at| at.cmpge(IVec3::ZERO).all() && at.cmplt(size).all())
            .map(Cube::chunk_of)
    }

    fn index(&self, cell: IVec3) -> Option<usize> {
        let is_inside = cell.cmpge(IVec3::ZERO).all() && cell.cmplt(self.size).all();
        is_inside.then(|| (cell.x + self.size.x * (cell.z + self.size.z * cell.y)) as usize)
    }

    /// Returns the cells of the world along each axis.
    pub fn size(&self) -> IVec3 {
        self.size
    }

    /// Returns what a cell is made of; air outside.
    pub fn material(&self, cell: IVec3) -> MaterialId {
        self.index(cell).map_or(AIR, |at| self.ground[at])
    }

    /// Returns whether a cell is ground.
    pub fn is_solid(&self, cell: IVec3) -> bool {
        self.material(cell) != AIR
    }

    /// Returns whether a cell is open, and so are all cells above it.
    pub fn is_under_sky(&self, cell: IVec3) -> bool {
        (cell.y..self.ceiling.max(cell.y + 1)).all(|y| !self.is_solid(cell.with_y(y)))
    }

    /// Returns the units of water in a cell, 0 to 7.
    pub fn water(&self, cell: IVec3) -> u8 {
        self.index(cell).map_or(0, |at| self.water[at])
    }

    /// Returns whether a cell has water and the one above it has none.
    pub fn is_surface(&self, cell: IVec3) -> bool {
        self.water(cell) > 0 && self.water(cell + IVec3::Y) == 0
    }

    /// Returns the cells of water from a cell downwards, at most `most`, with what the first lacks.
    pub fn depth(&self, cell: IVec3, most: i32) -> f32 {
        let below = (0..most).take_while(|&down| self.water(cell - IVec3::Y * down) > 0).count();
        if below == 0 { 0.0 } else { below as f32 - 1.0 + f32::from(self.water(cell)) / 7.0 }
    }

    /// Returns how moist a cell of soil looks, 0 to 1.
    pub fn moisture(&self, cell: IVec3) -> f32 {
        self.index(cell).map_or(0.0, |at| f32::from(self.moist[at]) / MOISTURES)
    }

    /// Returns the share of its capacity that a permeable cell holds, 0 to 1; `None` for others.
    pub fn share_of_moisture(&self, world: &World, cell: IVec3) -> Option<f32> {
        let material = world.palette().material(self.material(cell))?;
        material.permeability?;
        let full = f64::from(material.capacity) * f64::from(world.rules().moisture_per_unit);
        Some((f64::from(world.moisture(cell)) / full).clamp(0.0, 1.0) as f32)
    }

    fn step_of_moisture(&self, world: &World, cell: IVec3) -> u8 {
        let share = self.share_of_moisture(world, cell).unwrap_or(0.0);
        (share * MOISTURES).ceil() as u8
    }

    /// Returns whether the sun shines on a point.
    pub fn is_sunny(&self, at: Vec3) -> bool {
        let steps = ((self.ceiling as f32 - at.y) / (SUN.y * 0.5)).ceil() as i32;
        (1..steps).all(|step| {
            let cell = (at + SUN * (0.5 * step as f32)).floor().as_ivec3();
            !self.is_solid(cell)
        })
    }
}

/// Returns the chunks within a cell of one.
fn near(cell: IVec3) -> impl Iterator<Item = ChunkPos> {
    Cube::chunks_of(Region::new(cell - 1, cell + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::materials::{CONCRETE, SOIL};
    use crate::model::worlds::Kind;

    fn clear(scene: &mut Scene) {
        scene.stale_terrain = Stale::default();
        scene.stale_water = Stale::default();
        scene.stale_effects = Stale::default();
        scene.stale_colours = Stale::default();
    }

    #[test]
    fn a_scene_that_follows_equals_one_made_anew() {
        let mut world = Kind::Dam.world(7).unwrap();
        let mut scene = Scene::of(&world);
        drop(world.take_changes());
        world.charge(IVec3::new(75, 22, 58), 9.0, 720.0).unwrap();
        for _ in 0..20 {
            world.step();
            let changes = world.take_changes();
            scene.update(&world, &changes);
        }
        let anew = Scene::of(&world);
        assert!(scene.ground == anew.ground);
        assert!(scene.water == anew.water);
        assert!(scene.moist == anew.moist);
    }

    #[test]
    fn only_chunks_that_look_different_are_stale() {
        let mut world = Kind::Plain.world(7).unwrap();
        let mut scene = Scene::of(&world);
        drop(world.take_changes());
        assert_eq!(scene.stale_terrain.len(), 12 * 3 * 10);
        clear(&mut scene);
        // In the middle of a chunk, low enough that its shadow stays near.
        let cell = IVec3::new(142, 12, 88);
        world.set_material(cell, CONCRETE).unwrap();
        let changes = world.take_changes();
        scene.update(&world, &changes);
        let own = Cube::chunk_of(cell);
        assert!(scene.stale_terrain.len() == 1 && scene.stale_colours.len() <= 3);
        assert_eq!([scene.stale_terrain.pop(), scene.stale_water.pop()], [Some(own); 2]);
        assert_eq!(scene.stale_water.len(), 0);
        clear(&mut scene);
        world.rain(cell.with_y(40) + IVec3::X, 3).unwrap();
        let changes = world.take_changes();
        scene.update(&world, &changes);
        assert_eq!(scene.stale_water.len(), 0, "all of it soaked in");
        assert_eq!(scene.stale_terrain.len(), 0, "no face has come or gone");
        assert_eq!(scene.stale_colours.len(), 1, "the soil there is darker");
    }

    #[test]
    fn depth_counts_the_cells_of_water() {
        let scene = Scene::of(&Kind::Plain.world(7).unwrap());
        assert_eq!(scene.depth(IVec3::new(60, 16, 60), 20), 8.0);
        assert_eq!(scene.depth(IVec3::new(60, 16, 60), 3), 3.0);
        assert_eq!(scene.depth(IVec3::new(60, 17, 60), 20), 0.0);
        assert!(scene.is_surface(IVec3::new(60, 16, 60)));
        assert!(!scene.is_surface(IVec3::new(60, 15, 60)));
    }

    #[test]
    fn behind_a_wall_it_is_shady() {
        let mut world = Kind::Plain.world(7).unwrap();
        let at = IVec3::new(150, 12, 140);
        world.fill_material(Region::new(at, at + IVec3::new(0, 8, 8)), CONCRETE).unwrap();
        let scene = Scene::of(&world);
        let beside = |x: i32| (at + IVec3::new(x, 0, 2)).as_vec3() + 0.5;
        assert!(!scene.is_sunny(beside(-1)), "the sun stands in the east");
        assert!(scene.is_sunny(beside(1)));
        assert_eq!(scene.material(at), CONCRETE);
        assert_ne!(scene.material(at), SOIL);
    }
}
