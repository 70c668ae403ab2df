//! The active set: a step visits the chunks that the last step changed, and the chunks next to a
//! changed cell.
//!
//! A deterministic rule leaves a cell unchanged if its neighbourhood did not change. So a chunk may
//! sleep as soon as a step changed no cell in it or next to it, and a world with sleeping chunks
//! equals one in which every chunk is awake.

use super::rows::RowShape;
use crate::coords::Face;
use crate::grid::{Grid, Slot};
use crate::simulation::StepReport;

/// Puts stepped chunks without changes to sleep, and wakes the chunks next to changes. `stepped`
/// lists every chunk that was awake, with the faces at which cells changed, or `None` if no cell
/// changed or the chunk was not stepped.
pub(crate) fn advance<T: Copy + PartialEq, S: RowShape>(
    grid: &mut Grid<T, S>,
    stepped: impl Iterator<Item = (Slot, Option<[bool; 6]>)> + Clone,
) {
    // A chunk that changed stays awake, so it is not put to sleep first.
    for (slot, _) in stepped.clone().filter(|(_, touched)| touched.is_none()) {
        grid.sleep_chunk_at(slot);
    }
    for (slot, touched) in stepped {
        touched.into_iter().for_each(|touched| wake_around(grid, slot, touched));
    }
    grid.drop_sleepers();
}

/// Wakes a chunk or puts it to sleep. Call [`Grid::drop_sleepers`] afterwards.
pub(crate) fn set_awake<T: Copy + PartialEq, S: RowShape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    is_awake: bool,
) {
    if is_awake {
        grid.wake_chunk_at(slot);
    } else {
        grid.sleep_chunk_at(slot);
    }
}

/// Wakes a chunk in which cells changed, and the neighbours across the faces in `touched`. Shelved
/// neighbours are skipped, since nothing passes their faces.
pub(crate) fn wake_around<T: Copy + PartialEq, S: RowShape>(
    grid: &mut Grid<T, S>,
    slot: Slot,
    touched: [bool; 6],
) {
    grid.wake_chunk_at(slot);
    let neighbours = grid.neighbours_of(slot);
    for face in Face::ALL.map(Face::index) {
        let is_there = touched[face] && neighbours[face].is_some();
        if is_there && !grid.is_shelved(neighbours[face]) {
            grid.wake_chunk_at(neighbours[face]);
        }
    }
}

/// Runs up to `steps` steps, until the world is at rest. Returns the sum of the reports, and the
/// number of steps left, in which only the tick counter advances.
pub(crate) fn run_until_rest<W>(
    world: &mut W,
    steps: u64,
    is_at_rest: impl Fn(&W) -> bool,
    step: impl Fn(&mut W) -> StepReport,
) -> (StepReport, u64) {
    let mut sum = StepReport::default();
    for left in (1..=steps).rev() {
        if is_at_rest(world) {
            return (sum, left);
        }
        sum += step(world);
    }
    (sum, 0)
}
