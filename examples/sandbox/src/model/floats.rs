//! Crates and boats that float on the water and drift with its current. They do not act on the
//! water, so they do not change the state of the world.

use super::materials::AIR;
use floodplain::Region;
use floodplain::glam::{IVec3, Vec3};
use floodplain::water::WaterView;
use floodplain::world::World;

/// The most that float at a time.
pub const MOST: usize = 48;

/// What gravity adds to a speed, in cells a tick: 9.8 m/s² at 20 ticks a second and cells of 1 m.
const GRAVITY: f32 = 0.0245;

/// The density of a float, as a share of that of water.
const DENSITY: f32 = 0.42;

/// The share of the gap to the water's speed that a float under water closes in a tick, along the
/// water and up and down.
const DRAG: f32 = 0.16;
const DRAG_DOWN: f32 = 0.28;

/// The share of its speed that a float on dry ground keeps.
const FRICTION: f32 = 0.6;

/// A float that sinks into water faster than this throws a splash, in cells a tick.
const SPLASH: f32 = 0.12;

/// What floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Craft {
    Crate,
    Boat,
}

impl Craft {
    /// Returns half its size along each axis.
    pub fn half(self) -> Vec3 {
        match self {
            Craft::Crate => Vec3::new(0.42, 0.42, 0.42),
            Craft::Boat => Vec3::new(1.2, 0.55, 1.2),
        }
    }
}

/// A thing that floats.
#[derive(Clone, Debug, PartialEq)]
pub struct Float {
    pub craft: Craft,
    /// Its middle.
    pub at: Vec3,
    /// In cells a tick.
    pub speed: Vec3,
    /// Where its bow points: the angle from east towards south, in radians.
    pub heading: f32,
    /// Where it reappears after it has left the world.
    home: Option<Vec3>,
    is_afloat: bool,
}

/// All that floats.
#[derive(Clone, Debug, Default)]
pub struct Floats {
    list: Vec<Float>,
    /// Where floats fell into the water since this was last taken.
    splashes: Vec<Vec3>,
}

impl Floats {
    /// Returns the floats at the start of a world. They reappear after they have left it.
    pub fn of(start: &[(Craft, [i32; 3])]) -> Floats {
        let mut floats = Floats::default();
        for &(craft, cell) in start {
            let at = middle(IVec3::from_array(cell));
            floats.list.push(Float { home: Some(at), ..Float::new(craft, at) });
        }
        floats
    }

    /// Lets one fall into a cell. Beyond [`MOST`], the oldest without a home is gone.
    pub fn add(&mut self, craft: Craft, cell: IVec3) {
        self.list.push(Float::new(craft, middle(cell)));
        if self.list.len() > MOST
            && let Some(oldest) = self.list.iter().position(|float| float.home.is_none())
        {
            self.list.remove(oldest);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Float> {
        self.list.iter()
    }

    /// Returns where floats fell into the water since the last call.
    pub fn take_splashes(&mut self) -> Vec<Vec3> {
        std::mem::take(&mut self.splashes)
    }

    /// Moves all of them by a tick.
    pub fn step(&mut self, world: &World) {
        for float in &mut self.list {
            if float.step(world) {
                self.splashes.push(float.at);
            }
        }
        let bounds = world.bounds();
        let (low, high) = (bounds.min().as_vec3(), (bounds.max() + 1).as_vec3());
        self.list.retain_mut(|float| {
            let is_inside = float.at.cmpge(low).all() && float.at.with_y(0.0).cmplt(high).all();
            match (is_inside, float.home) {
                (true, _) => true,
                (false, Some(home)) => {
                    *float = Float { home: Some(home), ..Float::new(float.craft, home) };
                    true
                }
                (false, None) => false,
            }
        });
    }
}

fn middle(cell: IVec3) -> Vec3 {
    cell.as_vec3() + 0.5
}

impl Float {
    fn new(craft: Craft, at: Vec3) -> Float {
        Float { craft, at, speed: Vec3::ZERO, heading: 0.0, home: None, is_afloat: false }
    }

    /// Moves it by a tick. Returns whether it fell into the water.
    fn step(&mut self, world: &World) -> bool {
        let half = self.craft.half();
        let (low, high) = (self.at - half, self.at + half);
        let volume = 8.0 * half.element_product();
        // A box of this size is within what may be asked for; in no number it is in no water.
        let share = world.water().submerged(low, high).map_or(0.0, |part| part.volume / volume);
        self.speed.y += GRAVITY * (share / DENSITY - 1.0);
        if share > 0.0 {
            let current = current(world, self.at, half);
            let gap = (current - self.speed).with_y(0.0) * DRAG;
            self.speed += gap.with_y(-self.speed.y * DRAG_DOWN) * share.min(1.0).sqrt();
            self.turn(current);
        }
        self.slide(world, half);
        let is_splash = share > 0.0 && !self.is_afloat && self.speed.y < -SPLASH;
        self.is_afloat = share > 0.0;
        is_splash
    }

    /// Turns its bow slowly to where the water carries it.
    fn turn(&mut self, current: Vec3) {
        let flow = current.with_y(0.0).length();
        if flow > 0.02 {
            let wanted = current.z.atan2(current.x);
            let (sin, cos) = (wanted - self.heading).sin_cos();
            self.heading += sin.atan2(cos) * flow.min(0.3) * 0.3;
        }
    }

    /// Moves it along each axis as far as no ground is in its way.
    fn slide(&mut self, world: &World, half: Vec3) {
        if meets_ground(world, self.at, half) {
            // Ground was built where it is.
            self.at.y += 0.25;
            self.speed = Vec3::ZERO;
            return;
        }
        for axis in [1, 0, 2] {
            let before = self.at[axis];
            self.at[axis] += self.speed[axis].clamp(-0.9, 0.9);
            if meets_ground(world, self.at, half) {
                self.at[axis] = before;
                if axis == 1 {
                    self.speed *= FRICTION;
                    self.speed.y = 0.0;
                } else {
                    self.speed[axis] *= -0.3;
                }
            }
        }
    }
}

/// Returns whether ground is in a box. Beyond the world there is none.
fn meets_ground(world: &World, at: Vec3, half: Vec3) -> bool {
    let (low, high) = ((at - half).floor().as_ivec3(), (at + half).floor().as_ivec3());
    let is_ground = |cell| world.material(cell).is_some_and(|material| material != AIR);
    Region::new(low, high).positions().any(is_ground)
}

/// Returns the speed of the water round a float in cells a tick: what flowed out of the cells in a
/// tick by what is in them.
fn current(world: &World, at: Vec3, half: Vec3) -> Vec3 {
    let (low, high) = ((at - half).floor().as_ivec3(), (at + half).floor().as_ivec3());
    let water = world.water();
    let cells = Region::new(low - IVec3::Y, high).positions();
    let (flow, units) = cells.fold((IVec3::ZERO, 0), |(flow, units), cell| {
        (flow + water.current(cell), units + i32::from(water.units(cell)))
    });
    flow.as_vec3() / units.max(7) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    fn run(world: &mut World, floats: &mut Floats, ticks: u32) {
        for _ in 0..ticks {
            world.step();
            floats.step(world);
        }
    }

    #[test]
    fn a_crate_falls_into_a_lake_and_floats_where_it_fell() {
        let mut world = Kind::Plain.world(7).unwrap();
        let mut floats = Floats::default();
        floats.add(Craft::Crate, IVec3::new(60, 22, 60));
        run(&mut world, &mut floats, 200);
        assert_eq!(floats.take_splashes().len(), 1);
        let float = floats.iter().next().unwrap();
        // The lake's surface is at 17; a share of its height as large as its density is below it.
        let below = 17.0 - (float.at.y - 0.42);
        assert!((below / 0.84 - DENSITY).abs() < 0.03, "{below}");
        assert!((float.at - middle(IVec3::new(60, 22, 60))).with_y(0.0).length() < 0.01);
    }

    #[test]
    fn on_dry_ground_it_lies_still() {
        let mut world = Kind::Plain.world(7).unwrap();
        let mut floats = Floats::default();
        floats.add(Craft::Boat, IVec3::new(150, 20, 140));
        run(&mut world, &mut floats, 120);
        let float = floats.iter().next().unwrap().clone();
        run(&mut world, &mut floats, 20);
        assert_eq!(floats.iter().next().unwrap().at, float.at);
        assert!(!meets_ground(&world, float.at, float.craft.half()));
    }

    #[test]
    fn a_river_carries_boats_away_and_those_of_the_world_come_again() {
        let mut world = Kind::Hamlet.world(7).unwrap();
        let mut floats = Floats::of(Kind::Hamlet.floats());
        let count = floats.iter().count();
        let mut farthest = 0.0_f32;
        for _ in 0..300 {
            run(&mut world, &mut floats, 1);
            farthest = farthest.max(floats.list[0].at.x);
        }
        assert!(farthest > 60.0, "a boat that began at 40 came to {farthest}");
        assert_eq!(floats.iter().count(), count);
        floats.list[0].at.x = 1e6;
        run(&mut world, &mut floats, 1);
        assert_eq!(floats.list[0].at, floats.list[0].home.unwrap());
    }

    #[test]
    fn there_is_a_most_and_the_oldest_goes_first() {
        let mut floats = Floats::of(&[(Craft::Boat, [1, 1, 1])]);
        for x in 0..MOST as i32 {
            floats.add(Craft::Crate, IVec3::new(x, 9, 9));
        }
        assert_eq!(floats.iter().count(), MOST);
        assert_eq!(floats.list[0].craft, Craft::Boat, "the world's own stays");
        assert_eq!(floats.list[1].at.x, 1.5);
    }
}
