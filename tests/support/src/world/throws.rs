//! Water that explosions throw, by a look at every cell.

use super::apart::Apart;
use super::exchange::mix;
use floodplain::glam::{DVec3, IVec3};
use floodplain::world::UnderWater;
use floodplain::{Cube, Shape};

/// "throws", as a number.
const THROWS: u64 = 0x7468_726f_7773;

impl Apart {
    /// Throws the water that the steps of a tick gave a strong flow.
    pub fn throw(&mut self) {
        let Some(least) = self.rules.throw_flow else { return };
        let tick = mix(self.water.seed(), self.water.ticks() - 1);
        let mut throws = Vec::new();
        for &cell in self.ground.keys() {
            let cell = IVec3::from_array(cell);
            if !self.is_surface(cell) {
                continue;
            }
            let flow = self.flow_over(cell);
            let units = ((flow.length() / least) as u32).min(7);
            let [x, y, z] = cell.to_array().map(|axis| u64::from(axis as u32));
            let turn = mix(mix(tick, THROWS), mix(x | z << 32, y));
            if units > 0 {
                throws.push((turn, cell.to_array(), flow, units));
            }
        }
        throws.sort_by_key(|&(turn, cell, ..)| (turn, cell));
        for (turn, cell, flow, units) in throws {
            let mut rng = fastrand::Rng::with_seed(turn);
            for _ in 0..units {
                let to = self.landing(cell.into(), flow, units, &mut rng);
                self.throw_one(cell.into(), to);
            }
        }
    }

    /// Whether a cell holds water with room above it, and neither is frozen.
    fn is_surface(&self, cell: IVec3) -> bool {
        let above = cell.with_y(cell.y.wrapping_add(1));
        let is_frozen = |cell| self.water.is_frozen(Cube::chunk_of(cell));
        let is_closed = self.water.is_solid(above) || self.water.units(above) == 7;
        self.water.units(cell) > 0
            && !self.water.is_sea(cell)
            && self.water.voxel(above).is_some()
            && ![cell, above].into_iter().any(is_frozen)
            && !is_closed
    }

    fn flow_over(&self, cell: IVec3) -> DVec3 {
        let stops = self.rules.under_water == UnderWater::Stops && self.water.units(cell) == 7;
        self.blast.flow(if stops { cell + IVec3::Y } else { cell })
    }

    /// Follows a unit: up, and then up or along the flow, as far as there is room.
    fn landing(&self, from: IVec3, flow: DVec3, units: u32, rng: &mut fastrand::Rng) -> IVec3 {
        let mut at = from;
        for step in 0..=units {
            let rises = step == 0 || rng.bool();
            let pick = rng.f64();
            let (east, south) = (flow.x.abs(), flow.z.abs());
            let mut next = at;
            if rises || east + south == 0.0 {
                next.y = next.y.saturating_add(1);
            } else if pick < east / (east + south) {
                next.x = next.x.saturating_add(flow.x.signum() as i32);
            } else {
                next.z = next.z.saturating_add(flow.z.signum() as i32);
            }
            let is_open = self.water.voxel(next).is_some_and(|there| !there.is_solid());
            let is_frozen = self.water.is_frozen(Cube::chunk_of(next));
            if is_open && !is_frozen && self.water.units(next) < 7 {
                at = next;
            }
        }
        at
    }

    fn throw_one(&mut self, from: IVec3, to: IVec3) {
        let is_source = |cell| self.water.cell(cell).is_some_and(|cell| cell.is_source());
        let is_full = self.water.units(to) == 7;
        if from == to || is_source(from) || is_source(to) || is_full {
            return;
        }
        if self.water.scoop(from, 1) == Ok(1) {
            assert_eq!(self.water.pour(to, 1), Ok(1));
            self.thrown += 1;
            self.submerge(|cell| cell == from || cell == to);
        }
    }
}
