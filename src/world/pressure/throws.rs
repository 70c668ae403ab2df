//! Water thrown by explosions. After the steps of a tick, a strong flow at the surface of water
//! throws units up and in its direction. Each unit flies on its own path through open cells, like a
//! particle of spray: a random walk that is biased by the flow. Frozen chunks take no part: neither
//! their water nor the water straight below them is thrown, and no unit enters them.

use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Shape};
use crate::water::random::{mix, position_seed};
use crate::world::World;
use glam::{DVec3, IVec3};

/// The most units that a cell loses by a throw, which is a full cell. A unit flies at most this
/// many cells plus one.
const MOST: u32 = 7;

/// Distinguishes these choices from all others with the same seed, tick and place.
const THROWS: u64 = 0x7468_726f_7773;

/// The water found to be thrown.
#[derive(Default)]
pub(in crate::world) struct Throws {
    found: Vec<Throw>,
    /// The chunks still to be searched, in reverse order; `None` before the first.
    chunks: Option<Vec<ChunkPos>>,
}

impl Throws {
    pub(in crate::world) fn memory_bytes(&self) -> usize {
        self.found.capacity() * size_of::<Throw>()
            + self.chunks.as_ref().map_or(0, Vec::capacity) * size_of::<[i32; 3]>()
    }
}

/// A cell of water and the flow that throws it.
struct Throw {
    /// The place in the order of throws, and the seed of its choices.
    turn: u64,
    cell: IVec3,
    flow: DVec3,
    units: u32,
}

impl World {
    /// Finds the water to be thrown in a chunk, before any is thrown. Returns how many cells it
    /// visited; `None` if only throwing is left. Do not edit until then.
    pub(in crate::world) fn find_throws_ahead(&mut self) -> Option<u64> {
        let least = self.rules.throw_flow?;
        let mut chunks = self.throws.chunks.take().unwrap_or_else(|| self.chunks_to_search());
        let next = chunks.pop();
        self.throws.chunks = Some(chunks);
        let found = self.throws_in(next?, least);
        self.throws.found.extend(found);
        Some(CHUNK_CELLS as u64)
    }

    /// Returns the chunks in which water may be thrown, in reverse order: the chunks whose ground
    /// is lent, and the chunks that pressure is about to enter, since the flow of the next step
    /// counts.
    fn chunks_to_search(&self) -> Vec<ChunkPos> {
        let stirred = self.blast.stirred_chunks();
        let around =
            |chunk: ChunkPos| Face::ALL.into_iter().filter_map(move |face| chunk.step(face));
        let entered = stirred.into_iter().flat_map(around);
        let mut chunks: Vec<ChunkPos> = self.mirrored.iter().copied().chain(entered).collect();
        chunks.sort_unstable();
        chunks.dedup();
        chunks.reverse();
        chunks
    }

    /// Throws the water to which the last step of explosions gave a strong flow. No unit is made or
    /// lost. Returns how many times the water of a cell changed.
    pub(in crate::world) fn throw_water(&mut self) -> u64 {
        while self.find_throws_ahead().is_some() {}
        let mut throws = core::mem::take(&mut self.throws).found;
        throws.sort_unstable_by_key(|throw| (throw.turn, throw.cell.to_array()));
        let mut changed = 0;
        for throw in throws {
            let mut random = fastrand::Rng::with_seed(throw.turn);
            for _ in 0..throw.units {
                let to = self.landing_of(&throw, &mut random);
                changed += self.throw_unit(throw.cell, to);
            }
        }
        changed
    }

    /// Returns the cells of a chunk whose water is thrown.
    fn throws_in(&self, chunk: ChunkPos, least: f64) -> Vec<Throw> {
        // The flow over a full cell may belong to the chunk above.
        let above = chunk.step(Face::Up).unwrap_or(chunk);
        let is_frozen = self.water.is_frozen(chunk);
        if is_frozen || ![chunk, above].into_iter().any(|chunk| self.blast.may_flow(chunk, least)) {
            return Vec::new();
        }
        let seed = mix(mix(self.seed(), self.tick), THROWS);
        let surface = self.water.surface_cells(chunk);
        let throw = |index| {
            let cell = Cube::cell_at(chunk, index);
            let flow = self.flow_over(cell);
            let strength = (flow.length() / least) as u32;
            let turn = position_seed(seed, cell);
            (strength > 0).then(|| Throw { turn, cell, flow, units: strength.min(MOST) })
        };
        surface.iter().filter_map(throw).collect()
    }

    /// Returns the flow through a cell at the surface of water, or along its top if the cell stops
    /// pressure.
    fn flow_over(&self, cell: IVec3) -> DVec3 {
        self.blast.flow(if self.blast.is_solid(cell) { cell + IVec3::Y } else { cell })
    }

    /// Returns where a unit lands. It rises one cell, and then makes as many moves as units are
    /// thrown. Each move is up or sideways by a coin toss; sideways along an axis picked by its
    /// share in the flow. A move into a cell that is not open, or frozen, is left out.
    fn landing_of(&self, throw: &Throw, random: &mut fastrand::Rng) -> IVec3 {
        let DVec3 { x: east, z: south, .. } = throw.flow;
        let share = east.abs() / (east.abs() + south.abs());
        let mut at = throw.cell;
        for step in 0..=throw.units {
            // Without a sideways flow, the share is NaN, and no axis is picked.
            let offset = match (step == 0 || random.bool(), random.f64()) {
                (false, pick) if pick < share => IVec3::X * east.signum() as i32,
                (false, pick) if pick >= share => IVec3::Z * south.signum() as i32,
                _ => IVec3::Y,
            };
            let next = at.saturating_add(offset);
            if self.water.has_room(next) {
                at = next;
            }
        }
        at
    }

    /// Returns the number of cells changed.
    fn throw_unit(&mut self, from: IVec3, to: IVec3) -> u64 {
        // Both are loaded and open, so that no edit is refused.
        let moved = self.water.move_units(from, to, 1).unwrap_or(0);
        if moved == 0 {
            return 0;
        }
        self.thrown += u64::from(moved);
        // A cell was full before if it lacks the units that it gave.
        let full = MOST - moved;
        self.follow_thrown(from, u32::from(self.water.units(from)) == full);
        self.follow_thrown(to, u32::from(self.water.units(to)) == MOST);
        2
    }

    /// Lets the blast follow a cell whose water has changed. `is_other` if it is full now or was
    /// full before, so that its effect on pressure may have changed.
    fn follow_thrown(&mut self, cell: IVec3, is_other: bool) {
        let chunk = Cube::chunk_of(cell);
        if is_other || !self.is_lent(chunk) {
            _ = self.follow_in_blast(cell);
        } else {
            self.forget_if_plain(chunk);
        }
    }
}
