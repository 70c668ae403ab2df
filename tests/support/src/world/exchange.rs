//! What passes between water and soil, by a look at every cell in every exchange.

use super::apart::Apart;
use floodplain::glam::IVec3;
use floodplain::humidity::UNITS;
use floodplain::{ChunkPos, Cube, Face, Shape};

/// splitmix64 of two words.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let golden = 0x9e37_79b9_7f4a_7c15_u64;
    let mut z = (a ^ b.wrapping_mul(golden)).wrapping_add(golden);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Apart {
    /// Lets units pass between water and soil, before a step of soil.
    pub fn exchange(&mut self) {
        let mut chunks: Vec<ChunkPos> = self.soil.chunks().map(|(chunk, _)| chunk).collect();
        chunks.sort();
        let cells = |chunk: &ChunkPos| {
            let chunk = *chunk;
            (0..4096).map(move |index| (chunk, index))
        };
        for (chunk, index) in chunks.iter().flat_map(cells) {
            self.soak(Cube::cell_at(chunk, index), self.draw(chunk, index));
        }
        for (chunk, index) in chunks.iter().flat_map(cells) {
            self.spring(Cube::cell_at(chunk, index), self.draw(chunk, index));
        }
    }

    fn draw(&self, chunk: ChunkPos, index: usize) -> u64 {
        let [x, y, z] = <[i32; 3]>::from(chunk).map(|axis| u64::from(axis as u32));
        let tick = mix(self.water.seed(), self.water.ticks());
        let place = mix(x | z << 32, y);
        mix(mix(mix(tick, place), 8), index as u64)
    }

    /// The permeability and capacity of soil, and what it holds, in units of water and of moisture;
    /// `None` in other cells, in rain, and where soil stands still.
    fn soil_at(&self, cell: IVec3) -> Option<(f64, u64, u64)> {
        if !self.moves(cell) {
            return None;
        }
        let material = self.palette.material(*self.ground.get(&cell.to_array())?)?;
        let soil = self.soil.cell(cell)?;
        let held = (soil.humidity * f64::from(UNITS)) as u64;
        let permeability = material.permeability.filter(|_| !soil.rain)?;
        Some((f64::from(permeability), u64::from(material.capacity), held))
    }

    fn scale(&self) -> u64 {
        self.rules.moisture_per_unit.into()
    }

    fn set_moisture(&mut self, cell: IVec3, units: u64) {
        self.soil.set_humidity(cell, units as f64 / f64::from(UNITS)).expect("soil");
    }

    /// The units of moisture that cells of soil below or beside the sea keep in a step: their fill,
    /// or what they hold if that is less.
    pub(super) fn kept_by_the_sea(&self) -> Vec<(IVec3, u64)> {
        if self.rules.couplings.seepage == 0.0 {
            return Vec::new();
        }
        let sources = [Face::Up, Face::West, Face::East, Face::North, Face::South];
        let is_sea = |there: IVec3| self.moves(there) && self.water.is_sea(there);
        let lies_by_sea =
            |cell: IVec3| sources.iter().filter_map(|face| face.step(cell)).any(is_sea);
        let chunks = self.soil.chunks().map(|(chunk, _)| chunk);
        let cells = chunks.flat_map(|chunk| Cube::region_of(chunk).positions());
        let kept = cells.filter(|&cell| lies_by_sea(cell)).filter_map(|cell| {
            let (_, capacity, held) = self.soil_at(cell)?;
            let fill = if capacity > 0 { (capacity - 1) * self.scale() + 1 } else { 0 };
            Some((cell, held.min(fill)))
        });
        kept.collect()
    }

    pub(super) fn keep(&mut self, kept: Vec<(IVec3, u64)>) {
        for (cell, units) in kept {
            let held = self.soil.humidity(cell) * f64::from(UNITS);
            if (held as u64) < units {
                self.set_moisture(cell, units);
            }
        }
    }

    /// Whether a cell is loaded and does not stand still.
    fn moves(&self, cell: IVec3) -> bool {
        self.ground.contains_key(&cell.to_array()) && !self.water.is_frozen(Cube::chunk_of(cell))
    }

    fn soak(&mut self, cell: IVec3, draw: u64) {
        let Some((permeability, capacity, held)) = self.soil_at(cell) else { return };
        if held + self.scale() > capacity * self.scale() {
            return;
        }
        let faces = [Face::Up].into_iter().chain(sides(draw));
        let wet = |there: &IVec3| self.moves(*there) && self.water.units(*there) > 0;
        let Some(from) = faces.filter_map(|face| face.step(cell)).find(wet) else { return };
        let above = (1..16).map(|up| from.with_y(from.y + up));
        let above = above.take_while(|&there| self.water.units(there) > 0).count();
        let couplings = self.rules.couplings;
        let chance = couplings.seepage * permeability * (1.0 + couplings.depth_gain * above as f64);
        if (draw % 65_536) as f64 >= (chance.min(1.0) * 65_536.0).ceil() {
            return;
        }
        assert_eq!(self.water.scoop(from, 1), Ok(1));
        self.set_moisture(cell, held + self.scale());
    }

    fn spring(&mut self, cell: IVec3, draw: u64) {
        let Some((_, _, held)) = self.soil_at(cell) else { return };
        let highest = self.palette.materials().map(|(_, material)| material.capacity).max();
        let kept = held.saturating_sub(self.scale());
        let full = u64::from(highest.unwrap()) * self.scale();
        if !self.rules.couplings.springs || held < self.scale() || kept < full {
            return;
        }
        let up = self.holds_up(kept as f64, full as f64).then_some(Face::Up);
        for face in [Face::Down].into_iter().chain(sides(draw)).chain(up) {
            let Some(there) = face.step(cell).filter(|&there| self.moves(there)) else { continue };
            if self.water.is_sea(there) {
                continue;
            }
            if self.water.pour(there, 1) == Ok(1) {
                self.set_moisture(cell, held - self.scale());
                return;
            }
        }
    }
}

impl Apart {
    /// Whether moisture flows up, or rests, between a cell that holds `below` and one above it that
    /// holds `above`.
    fn holds_up(&self, below: f64, above: f64) -> bool {
        let rules = self.rules.soil;
        let room = f64::from(rules.cap) * f64::from(UNITS) - below;
        let falls = f64::from(rules.fall) / f64::from(rules.coefficient) * above.min(room);
        above - below + falls <= 0.0
    }
}

/// The sides in the order that a draw says: each in turn changes places with one before it.
fn sides(draw: u64) -> [Face; 4] {
    let mut sides = [Face::West, Face::East, Face::North, Face::South];
    sides.swap(1, (draw >> 16) as usize % 65_536 % 2);
    sides.swap(2, (draw >> 32) as usize % 65_536 % 3);
    sides.swap(3, (draw >> 48) as usize % 65_536 % 4);
    sides
}
