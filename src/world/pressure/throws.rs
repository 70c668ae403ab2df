//! Water thrown by explosions. After the steps of a tick, a strong flow at the surface of water
//! throws units up and in its direction. Each unit flies on its own path through open cells, like a
//! particle of spray: a random walk that is biased by the flow. Frozen chunks take no part: neither
//! their water nor the water straight below them is thrown, and no unit enters them.

use crate::automata::blast::mirror::stirred_chunks;
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Shape};
use crate::water::edit::transfer::{has_room, move_units};
use crate::water::query::cover::surface_cells;
use crate::water::random::{mix, position_seed};
use crate::world::World;
use crate::world::pressure::{follow_in_blast, forget_if_plain, is_lent};
use glam::{DVec3, IVec3};

/// The most units that a cell loses by a throw: all that a full cell holds. A unit flies at most
/// this many cells plus one.
const MOST: u32 = 7;

/// Distinguishes the random choices of throws from all others with the same seed, tick and place.
const THROWS: u64 = 0x7468_726f_7773;

/// The water found to be thrown.
#[derive(Default)]
pub(in crate::world) struct Throws {
    found: Vec<Throw>,
    /// The chunks still to be searched, in reverse order; `None` before the search begins.
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
    /// The place in the order of throws, and the seed of the random choices of the throw.
    turn: u64,
    cell: IVec3,
    flow: DVec3,
    units: u32,
}

/// Finds the water to be thrown in a chunk, before any water is thrown. Returns the number of cells
/// visited; `None` if only throwing is left. The world must not be edited until the water is
/// thrown.
pub(in crate::world) fn find_throws_ahead(world: &mut World) -> Option<u64> {
    let least = world.rules.throw_flow?;
    let mut chunks = world.throws.chunks.take().unwrap_or_else(|| chunks_to_search(world));
    let next = chunks.pop();
    world.throws.chunks = Some(chunks);
    let found = throws_in(world, next?, least);
    world.throws.found.extend(found);
    Some(CHUNK_CELLS as u64)
}

/// Returns the chunks in which water may be thrown, in reverse order: the chunks whose ground is
/// lent, and the chunks that pressure is about to enter, since the flow of the next step counts.
fn chunks_to_search(world: &World) -> Vec<ChunkPos> {
    let stirred = stirred_chunks(&world.blast);
    let around = |chunk: ChunkPos| Face::ALL.into_iter().filter_map(move |face| chunk.step(face));
    let entered = stirred.into_iter().flat_map(around);
    let mut chunks: Vec<ChunkPos> = world.mirrored.iter().copied().chain(entered).collect();
    chunks.sort_unstable();
    chunks.dedup();
    chunks.reverse();
    chunks
}

/// Throws the water to which the last step of explosions gave a strong flow. No unit is made or
/// lost. Returns the number of times that the water of a cell changed.
pub(in crate::world) fn throw_water(world: &mut World) -> u64 {
    while find_throws_ahead(world).is_some() {}
    let mut throws = core::mem::take(&mut world.throws).found;
    throws.sort_unstable_by_key(|throw| (throw.turn, throw.cell.to_array()));
    let mut changed = 0;
    for throw in throws {
        let mut random = fastrand::Rng::with_seed(throw.turn);
        for _ in 0..throw.units {
            let to = landing_of(world, &throw, &mut random);
            changed += throw_unit(world, throw.cell, to);
        }
    }
    changed
}

/// Returns the cells of a chunk whose water is thrown: one unit for each multiple of `least` in the
/// length of the flow.
fn throws_in(world: &World, chunk: ChunkPos, least: f64) -> Vec<Throw> {
    // The flow over a full cell may belong to the chunk above.
    let above = chunk.step(Face::Up).unwrap_or(chunk);
    let is_frozen = world.water.is_frozen(chunk);
    if is_frozen || ![chunk, above].into_iter().any(|chunk| world.blast.may_flow(chunk, least)) {
        return Vec::new();
    }
    let seed = mix(mix(world.seed(), world.tick), THROWS);
    let surface = surface_cells(&world.water, chunk);
    let throw = |index| {
        let cell = Cube::cell_at(chunk, index);
        let flow = flow_over(world, cell);
        let strength = (flow.length() / least) as u32;
        let turn = position_seed(seed, cell);
        (strength > 0).then(|| Throw { turn, cell, flow, units: strength.min(MOST) })
    };
    surface.iter().filter_map(throw).collect()
}

/// Returns the flow through a cell at the surface of water, or along its top if the cell stops
/// pressure.
fn flow_over(world: &World, cell: IVec3) -> DVec3 {
    world.blast.flow(if world.blast.is_solid(cell) { cell + IVec3::Y } else { cell })
}

/// Returns where a unit lands. It rises one cell, and then makes as many moves as units are thrown.
/// Each move is up or sideways by a coin toss; sideways along an axis picked by its share in the
/// flow. A move into a cell without room, or into a frozen chunk, is left out.
fn landing_of(world: &World, throw: &Throw, random: &mut fastrand::Rng) -> IVec3 {
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
        if has_room(&world.water, next) {
            at = next;
        }
    }
    at
}

/// Moves a thrown unit from one cell to another. Returns the number of cells changed.
fn throw_unit(world: &mut World, from: IVec3, to: IVec3) -> u64 {
    // Both cells are loaded and open, so that the move is not refused.
    let moved = move_units(&mut world.water, from, to, 1).unwrap_or(0);
    if moved == 0 {
        return 0;
    }
    world.thrown += u64::from(moved);
    // A cell was full before if it lacks the units that it gave.
    let full = MOST - moved;
    follow_thrown(world, from, u32::from(world.water.units(from)) == full);
    follow_thrown(world, to, u32::from(world.water.units(to)) == MOST);
    2
}

/// Updates the blast for a cell whose water has changed. `is_other` is true if the cell is full now
/// or was full before, so that its effect on pressure may have changed.
fn follow_thrown(world: &mut World, cell: IVec3, is_other: bool) {
    let chunk = Cube::chunk_of(cell);
    if is_other || !is_lent(world, chunk) {
        _ = follow_in_blast(world, cell);
    } else {
        forget_if_plain(world, chunk);
    }
}
