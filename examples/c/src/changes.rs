//! The changed cells of each chunk, events, and the chunks whose meshes are out of date.

use crate::border::{border, enter, list, room};
use crate::places::{chunk_at, chunk_numbers};
use crate::status::FpStatus;
use crate::worlds::{FpWorld, Played, with_world};
#[cfg(feature = "fields")]
use floodplain::blast;
use floodplain::{CellMask, ChunkChanges, water, world};

/// The changed cells of a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpChunkChanges {
    /// The chunk position.
    pub chunk: [i32; 3],
    /// The number of changed cells, 1 to 4,096.
    pub cells: u32,
    /// A bit for each cell, by index: bit `index % 64` of word `index / 64`.
    pub mask: [u64; 64],
}

impl From<&ChunkChanges> for FpChunkChanges {
    fn from(changes: &ChunkChanges) -> FpChunkChanges {
        FpChunkChanges {
            chunk: chunk_numbers(changes.chunk),
            cells: changes.cells.len() as u32,
            mask: *changes.cells.words(),
        }
    }
}

impl FpChunkChanges {
    fn changes(&self) -> ChunkChanges {
        let mut cells = CellMask::EMPTY;
        *cells.words_mut() = self.mask;
        ChunkChanges { chunk: chunk_at(self.chunk), cells }
    }
}

/// Ground or a wall that pressure broke.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpBroken {
    /// The cell.
    pub cell: [i32; 3],
    /// In worlds of materials: the number of the old material. Else 0.
    pub from: u32,
    /// In worlds of materials: the number of the new material. Else 0.
    pub into: u32,
    /// Unused.
    pub reserved: u32,
    /// The tick or step in which it broke, from 1.
    pub tick: u64,
    /// The pressure difference across it.
    pub difference: f64,
    /// In worlds of pressure: the strength that the difference exceeded. Else 0.
    pub strength: f64,
}

impl FpBroken {
    pub(crate) fn of_ground(broken: &world::Broken) -> FpBroken {
        FpBroken {
            cell: broken.cell.into(),
            from: broken.from.0.into(),
            into: broken.into.0.into(),
            reserved: 0,
            tick: broken.tick,
            difference: broken.difference,
            strength: 0.0,
        }
    }

    #[cfg(feature = "fields")]
    pub(crate) fn of_wall(broken: &blast::Broken) -> FpBroken {
        FpBroken {
            cell: broken.place.into(),
            from: 0,
            into: 0,
            reserved: 0,
            tick: broken.tick,
            difference: broken.difference,
            strength: broken.strength,
        }
    }
}

/// Takes the cells that changed since they were last taken, by chunk, in order of position. In
/// water these are the cells that look different. Loading and unloading is not listed.
///
/// `out` has room for `capacity` chunks; `length` becomes their number. What does not fit is kept
/// for the next call.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_take_changes(
    world: *mut FpWorld,
    out: *mut FpChunkChanges,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        if world.changes.is_empty() {
            let changes = with_world!(world.change(), kept => Ok(kept.lists().take_changes()))?;
            world.changes = changes.iter().map(FpChunkChanges::from).collect();
        }
        room.deliver(&mut world.changes)
    })
}

/// Takes what pressure broke since it was last taken, in order: in worlds of materials and of
/// pressure.
///
/// `out` has room for `capacity` events; `length` becomes their number. What does not fit is kept
/// for the next call.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_take_events(
    world: *mut FpWorld,
    out: *mut FpBroken,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    /// Takes the events of a kind of world.
    fn events<W: Played>(world: &mut W) -> Vec<FpBroken> {
        world.take_events().iter().filter_map(W::event).collect()
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        if world.events.is_empty() {
            world.events = with_world!(world.change(), kept => Ok(events(kept.lists())))?;
        }
        room.deliver(&mut world.events)
    })
}

/// Lists the chunks whose meshes and falls may differ after changes: every chunk within one cell
/// of a changed cell, loaded or not, each once, in order of position.
///
/// `changes` are `count` chunks as `fp_world_take_changes` gives them. `out` has room for
/// `capacity` numbers, three for each chunk position; `length` becomes how many there are.
///
/// Errors: `FP_STATUS_BUFFER`, `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_meshes_touched(
    changes: *const FpChunkChanges,
    count: usize,
    out: *mut i32,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (changes, room) =
            unsafe { (list(changes, count, "changes")?, room(out, capacity, length)?) };
        let changes: Vec<ChunkChanges> = changes.iter().map(FpChunkChanges::changes).collect();
        let chunks = water::meshes_touched(&changes).into_iter().map(chunk_numbers);
        room.fill(chunks.collect::<Vec<_>>().as_flattened())
    })
}
