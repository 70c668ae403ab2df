//! What is drawn of each cell, copied from the world where it changed, and rays through it
//! (the grid traversal of Amanatides and Woo).

use crate::ground::{AIR, SIZE};
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::{MaterialId, World};
use floodplain::{Cube, Region, Shape};

/// What a flying piece of the dam is drawn as: no material of the world has this number.
pub const PIECE: MaterialId = MaterialId(255);

/// The pressure from which on an open cell shines.
const LEAST_GLOW: f32 = 1.5;

/// What is drawn of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    pub material: MaterialId,
    /// Units of water, 0 to 7.
    pub water: u8,
    /// Whether that water has room below it, so that it falls.
    pub is_falling: bool,
    /// The strength of the current, which fades frame by frame, 0 to 255.
    pub foam: u8,
    /// The share of its capacity that soil holds, 0 to 255.
    pub moist: u8,
    /// Pressure in open cells, 0 to 255.
    pub glow: u8,
    /// Whether it looks otherwise than before the last update.
    pub is_new: bool,
}

impl Look {
    pub fn is_solid(self) -> bool {
        self.material != AIR
    }

    fn is_empty(self) -> bool {
        !self.is_solid() && self.water == 0 && self.glow == 0 && !self.is_new
    }
}

/// The looks of all cells.
pub struct Scene {
    /// x fastest, then z, then y.
    looks: Vec<Look>,
    /// The cell above the highest that is not empty, by column.
    tops: Vec<i32>,
    /// The cell above the highest of all.
    highest: i32,
    pieces: Vec<IVec3>,
    /// The corner of what is drawn, of [`SIZE`] until a slice is cut off.
    pub end: IVec3,
    /// Whether the last update changed what casts shadows.
    pub has_new_shadows: bool,
}

/// A part of a ray, in one cell.
pub struct Step {
    pub cell: IVec3,
    pub look: Look,
    /// The distances at which the ray enters and leaves the cell.
    pub from: f32,
    pub to: f32,
    /// The axis of the face by which it enters.
    pub axis: usize,
}

impl Scene {
    /// Copies the whole world.
    pub fn new(world: &mut World) -> Scene {
        drop(world.take_changes());
        let cells = (SIZE.x * SIZE.y * SIZE.z) as usize;
        let columns = (SIZE.x * SIZE.z) as usize;
        let (looks, tops) = (vec![Look::default(); cells], vec![0; columns]);
        let (pieces, has_new_shadows) = (Vec::new(), true);
        let mut scene = Scene { looks, tops, highest: 0, pieces, end: SIZE, has_new_shadows };
        for cell in Region::new(IVec3::ZERO, SIZE - 1).positions() {
            scene.copy(cell, world);
        }
        scene.find_tops();
        scene
    }

    /// Copies the cells that changed, and shows pieces of the dam in these cells.
    pub fn update(&mut self, world: &mut World, pieces: Vec<IVec3>) {
        self.has_new_shadows = false;
        for look in &mut self.looks {
            look.is_new = look.foam > 0;
            look.foam -= look.foam / 6 + u8::from(look.foam > 0 && look.foam < 6);
        }
        for cell in core::mem::replace(&mut self.pieces, pieces) {
            self.copy(cell, world);
        }
        for changes in world.take_changes() {
            for index in changes.cells.iter() {
                let cell = Cube::cell_at(changes.chunk, index);
                // Whether the water above falls depends on this cell.
                self.copy(cell, world);
                self.copy(cell + IVec3::Y, world);
            }
        }
        for at in 0..self.pieces.len() {
            if let Some(index) = Scene::index(self.pieces[at]) {
                self.looks[index].material = PIECE;
                self.looks[index].is_new = true;
            }
        }
        self.find_tops();
    }

    /// Cuts off the southern slice from a z on, so that one sees into the ground. Call it after an
    /// update.
    pub fn cut(&mut self, z: i32) {
        self.has_new_shadows |= z != self.end.z;
        self.end.z = z;
    }

    /// Returns the look of a cell; nothing outside.
    pub fn look(&self, cell: IVec3) -> Look {
        Scene::index(cell).map_or(Look::default(), |index| self.looks[index])
    }

    fn index(cell: IVec3) -> Option<usize> {
        let is_inside = cell.cmpge(IVec3::ZERO).all() && cell.cmplt(SIZE).all();
        is_inside.then(|| (cell.x + SIZE.x * (cell.z + SIZE.z * cell.y)) as usize)
    }

    fn copy(&mut self, cell: IVec3, world: &World) {
        let Some(index) = Scene::index(cell) else { return };
        let material = world.material(cell).unwrap_or(AIR);
        let water = world.units(cell);
        let below = cell - IVec3::Y;
        let has_room = |cell: IVec3| world.material(cell) == Some(AIR) && world.units(cell) < 3;
        let current = world.water().current(cell).abs().max_element();
        let foam = if water > 0 { (current * 36) as u8 } else { 0 };
        let capacity = world.palette().material(material).map_or(0, |material| material.capacity);
        let share = match capacity {
            0 => 0.0,
            _ => {
                let full = f64::from(capacity) * f64::from(world.rules().moisture_per_unit);
                f64::from(world.moisture(cell)) / full
            }
        };
        let pressure = if material == AIR { world.pressure(cell) } else { 0.0 };
        let old = self.looks[index];
        let new = Look {
            material,
            water,
            is_falling: water > 0 && has_room(below),
            foam: foam.max(if water > 0 { self.looks[index].foam } else { 0 }),
            moist: (share.min(1.0) * 255.0) as u8,
            glow: if pressure < LEAST_GLOW { 0 } else { pressure.min(255.0) as u8 },
            is_new: old.is_new,
        };
        self.looks[index] = Look { is_new: old.is_new || new != old, ..new };
        self.has_new_shadows |= old.material != PIECE && old.material != material;
    }

    fn find_tops(&mut self) {
        let layer = (SIZE.x * SIZE.z) as usize;
        for (column, top) in self.tops.iter_mut().enumerate() {
            let is_full = |&y: &i32| !self.looks[column + layer * y as usize].is_empty();
            *top = (0..SIZE.y).rev().find(is_full).map_or(0, |y| y + 1);
        }
        self.highest = self.tops.iter().copied().max().unwrap_or(0);
    }

    /// Follows a ray until `visit` returns `false` or it leaves the world. Cells above all that is
    /// in their column are passed over.
    pub fn walk(&self, origin: Vec3, ray: Vec3, mut visit: impl FnMut(Step) -> bool) {
        let size = self.end.with_y(self.highest);
        let Some((mut from, last, mut axis)) = enter(origin, ray, size.as_vec3()) else { return };
        let (start, sign) = (origin + ray * from, ray.signum());
        let step = sign.as_ivec3();
        let mut cell = start.floor().as_ivec3().clamp(IVec3::ZERO, self.end - 1);
        let delta = ray.abs().max(Vec3::splat(1e-6)).recip();
        // The distances of the next faces.
        let ahead = (cell.as_vec3() + sign.max(Vec3::ZERO) - start) * sign;
        let mut next = (ahead.max(Vec3::ZERO) * delta + from).to_array();
        loop {
            let exit = nearest(next);
            let to = next[exit].min(last);
            let column = (cell.x + SIZE.x * cell.z) as usize;
            if cell.y < self.tops[column] {
                let look = self.looks[column + (SIZE.x * SIZE.z * cell.y) as usize];
                if !visit(Step { cell, look, from, to, axis }) {
                    return;
                }
            }
            cell[exit] += step[exit];
            if to >= last || cell[exit] < 0 || cell[exit] >= self.end[exit] {
                return;
            }
            (from, axis) = (to, exit);
            next[exit] += delta[exit];
        }
    }
}

/// Returns where a ray enters and leaves a box of this size, and the axis of the face by which it
/// enters.
fn enter(origin: Vec3, ray: Vec3, size: Vec3) -> Option<(f32, f32, usize)> {
    let (mut from, mut to, mut axis) = (0.0f32, f32::INFINITY, 1);
    for side in 0..3 {
        let slope = if ray[side].abs() < 1e-6 { 1e-6 } else { ray[side] };
        let near = -origin[side] / slope;
        let far = (size[side] - origin[side]) / slope;
        if near.min(far) > from {
            (from, axis) = (near.min(far), side);
        }
        to = to.min(near.max(far));
    }
    (from < to).then_some((from, to, axis))
}

fn nearest(next: [f32; 3]) -> usize {
    match (next[0] < next[1], next[0] < next[2], next[1] < next[2]) {
        (true, true, _) => 0,
        (_, _, true) => 1,
        _ => 2,
    }
}
