//! The heads of bodies of water: how high the surfaces of a body stand, for the bodies at some
//! cells. The surfaces are found by breadth-first search over the cells of each body.

use crate::coords::Face;
use crate::water::WaterWorld;
use crate::water::store::faces::is_one_body;
use crate::water::store::{Place, head};
use glam::IVec3;
use hashbrown::HashMap;

/// The surfaces of a body that rest on ground or full water and can rise. Heads are in units above
/// y = 0: 7·y plus the height of the water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heads {
    /// The lowest of these surfaces.
    pub(crate) low: i64,
    /// The highest of these surfaces.
    pub(crate) high: i64,
    /// The sum over all these surfaces.
    pub(crate) sum: i64,
    /// The number of these surfaces; 0 if the body has none.
    pub(crate) area: i64,
}

impl Heads {
    /// No surface.
    pub(crate) const NONE: Heads = Heads { low: i64::MAX, high: i64::MIN, sum: 0, area: 0 };

    /// Returns the surfaces of both together.
    pub(crate) fn with(&self, other: &Heads) -> Heads {
        Heads {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            sum: self.sum.saturating_add(other.sum),
            area: self.area.saturating_add(other.area),
        }
    }

    fn add(&mut self, level: i64) {
        *self = Heads {
            low: self.low.min(level),
            high: self.high.max(level),
            sum: self.sum + level,
            area: self.area + 1,
        };
    }
}

/// Returns the bodies at some cells: for each cell the number of its body, if it is wet and the
/// body has no more than `reach` cells, and the heads of each body. A body extends only to cells
/// for which `inside` is true.
pub(crate) fn heads_at(
    world: &WaterWorld,
    cells: &[IVec3],
    reach: usize,
    inside: impl Fn(IVec3) -> bool,
) -> (Vec<Option<usize>>, Vec<Heads>) {
    let mut of: HashMap<Place, Option<usize>> = HashMap::new();
    let (mut numbers, mut bodies) = (Vec::with_capacity(cells.len()), Vec::new());
    for &cell in cells {
        let place = world.place(cell).ok().filter(|&place| world.store.read(place).is_wet());
        let number = place.and_then(|start| match of.get(&start) {
            Some(&number) => number,
            None => {
                let (met, heads) = walk(world, start, reach, &inside);
                let number = (met.len() <= reach).then_some(bodies.len());
                bodies.extend(number.map(|_| heads));
                of.extend(met.into_iter().map(|place| (place, number)));
                number
            }
        });
        numbers.push(number);
    }
    (numbers, bodies)
}

/// Returns the cells of a body, and its heads. Stops once it has found more than `reach` cells.
fn walk(
    world: &WaterWorld,
    start: Place,
    reach: usize,
    inside: &impl Fn(IVec3) -> bool,
) -> (Vec<Place>, Heads) {
    let mut met: HashMap<Place, ()> = HashMap::from([(start, ())]);
    let (mut open, mut heads, mut at) = (vec![start], Heads::NONE, 0);
    while at < open.len() && open.len() <= reach {
        let place = open[at];
        at += 1;
        if let Some(level) = surface(world, place) {
            heads.add(level);
        }
        let here = world.store.read(place);
        for face in Face::ALL {
            let Some(there) = world.store.across(place, face) else { continue };
            if is_one_body(face, here, world.store.read(there))
                && inside(world.store.position(there))
                && met.insert(there, ()).is_none()
            {
                open.push(there);
            }
        }
    }
    (open, heads)
}

/// Returns the level of a cell's surface, if it rests on ground or full water and can rise, and the
/// cell is no spring.
fn surface(world: &WaterWorld, place: Place) -> Option<i64> {
    let voxel = world.store.read(place);
    let rests = world.store.floor(place).is_closed();
    let rises = !voxel.is_closed()
        || world.store.across(place, Face::Up).is_some_and(|above| {
            let above = world.store.read(above);
            !above.is_mark() && !above.is_wet()
        });
    let y = world.store.position(place).y;
    (rests && rises && !voxel.is_source()).then(|| head(y, voxel.height()))
}
