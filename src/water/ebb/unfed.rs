//! The ebb of chunks that no spring feeds, cell by cell along the log of the tick. In such chunks no
//! cell has parents, draws or is passed by steady flow, so that a cell in which no water has flowed
//! only falls asleep.

use crate::chunk::{CellMask, ones};
use crate::coords::Face;
use crate::grid::{LayerId, Slot};
use crate::water::cell::CellFlags;
use crate::water::context::Tick;
use crate::water::context::chunk_record::{Mark, NoteMut};
use crate::water::draw::path::pick;
use crate::water::ebb::activated;
use crate::water::store::{Place, Store, fixtures};
use crate::water::voxel::Voxel;
use smallvec::SmallVec;

/// Returns whether no cell in a chunk or its neighbours is connected to a spring, at the sea, or has
/// a fixture.
pub(super) fn is_unfed(store: &Store, slot: Slot) -> bool {
    let has_springs = |slot: Slot| slot.is_some() && store.has_connected(slot);
    store.coast(slot).is_none()
        && fixtures::fixtures(store, slot).is_none()
        && !has_springs(slot)
        && !Face::ALL.into_iter().any(|face| has_springs(store.neighbour(slot, face)))
}

/// Applies the ebb to the layers of a chunk that is unfed, except those with a table or with flags
/// of steady flow that has ended. Returns these, by bit.
pub(super) fn ebb_unfed(tick: &mut Tick, slot: Slot) -> u16 {
    let Some(mut record) = tick.scratch.borrow_chunk(slot) else { return 0 };
    let open = tick.scratch.open_layers(slot);
    let by_layer = (record.dense_layers() | passed_before(tick, slot, open)) & open;
    let mut stay = CellMask::EMPTY;
    let mut changes: SmallVec<[(usize, Voxel); 32]> = SmallVec::new();
    record.for_each_note(|mut note| {
        let index = note.index();
        if by_layer >> (index >> 8) & 1 != 0 {
            return;
        }
        let voxel = tick.store.read(Place::new(slot, index));
        if note.has(Mark::Touched) {
            let after = after_flow(tick, slot, &note, voxel);
            if after != voxel {
                note.save(voxel);
                changes.push((index, after));
            }
        } else if !note.has(Mark::Woken) {
            return;
        }
        if voxel.is_wet() {
            stay.insert(index);
        }
    });
    tick.scratch.return_chunk(slot, record);
    if !changes.is_empty() {
        tick.store.write_marks(slot, |cells| {
            changes.iter().for_each(|&(index, voxel)| cells[index] = voxel);
        });
    }
    for y in ones(u64::from(open & !by_layer)) {
        tick.store.keep_awake(LayerId::new(slot, y), stay.layer(y));
    }
    by_layer
}

/// Returns the layers, by bit, with an awake cell that steady flow has passed in an earlier tick.
fn passed_before(tick: &Tick, slot: Slot, layers: u16) -> u16 {
    let has_flag = |voxel: Voxel| !voxel.is_mark() && voxel.has(CellFlags::FLOW_OUT);
    let is_passed = |&y: &usize| {
        let layer = LayerId::new(slot, y);
        tick.store.select_among(layer, tick.awake(layer), has_flag).any()
    };
    ones(u64::from(layers)).filter(is_passed).fold(0, |layers, y| layers | 1 << y)
}

/// Returns a cell in which water has flowed: active, with the direction of the water that entered.
/// It dries up if it is empty and has no direction.
fn after_flow(tick: &Tick, slot: Slot, note: &NoteMut, voxel: Voxel) -> Voxel {
    let word = activated(voxel.word(), note.flow(), true);
    let mut voxel = Voxel::from_raw(word);
    let kept = voxel.parent_face().map_or(0, |face| 1 << face.index());
    let inflow = note.inflow();
    if inflow != 0 && inflow & kept == 0 {
        let above = inflow & 1 << Face::Up.index();
        let mut faces = if above != 0 { above } else { inflow };
        if let Some(face) = pick(tick, Place::new(slot, note.index()), &mut faces) {
            voxel = voxel.with_parent(face);
        }
    }
    let is_empty = !voxel.is_wet() && !voxel.is_closed();
    if is_empty && voxel.direction().is_none() { Voxel::OPEN } else { voxel }
}
