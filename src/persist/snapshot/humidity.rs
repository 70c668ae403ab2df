//! Snapshots of humidity.

use super::marks::{put_flagged_masks, take_flagged_masks};
use super::world::Saved;
use crate::chunk::{CellMask, Chunk};
use crate::codec::{DecodeError, Field, Kind, Reader};
use crate::coords::ChunkPos;
use crate::grid::Slot;
use crate::humidity::{
    Border, ChunkFlow, Fed, HumidityShape, HumidityWorld, Ledger, Rules, Sweep, Tally,
};

/// Kind 2 with sheets, 3 with cubes.
///
/// | | content |
/// |---|---|
/// | rules | sweep `u8` (0 in place, 1 synchronous, 2 conservative), `cap` `f32`, `coefficient` `f32`, `least_impermeability` `f32`, the six borders `u8` each (0 wall, 1 drain); then `fall` and `least_flow` `f32` |
/// | state | bounds (region), ticks `u64`, ledger: placed `u128`, rained `i128`, removed, runoff, drained `u128`, each from −2¹⁰⁰ to 2¹⁰⁰, with a total of at least 0; all of them 0 in sweeps that keep no ledger |
/// | record | a plane of `u32`, the humidity: units in the conservative sweep, the bits of an `f32`, but not of −0, in the others; a plane of `u32`, the ground: the bits of the impermeability as an `f32`, with the sign bit set where it rains, or the bits of infinity beyond a draining border; marks, with all cells awake or none; if bit 2 of the marks is set, what flows: a count `u16` of the cells that the sea keeps full, then for each, ascending, its index `u16` and the units below which it does not fall `u32`; then what each step posts to the ledger while the chunk sleeps: placed `u64`, rained `i64`, runoff, drained `u64` |
impl<S: HumidityShape> Saved for HumidityWorld<S> {
    const KIND: Kind = if S::NEIGHBOURS == 4 { Kind::HumiditySheet } else { Kind::HumidityCube };

    fn put_rules(&self, out: &mut Vec<u8>) {
        let Rules { sweep, cap, coefficient, fall, least_flow, least_impermeability, borders } =
            *self.rules();
        sweep.put(out);
        [cap, coefficient, least_impermeability].iter().for_each(|number| number.put(out));
        borders.iter().for_each(|border| border.put(out));
        [fall, least_flow].iter().for_each(|number| number.put(out));
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.bounds().put(out);
        self.ticks().put(out);
        let Ledger { placed, rained, removed, runoff, drained } = self.account();
        placed.put(out);
        rained.put(out);
        [removed, runoff, drained].iter().for_each(|units| units.put(out));
    }

    fn chunk_positions(&self) -> Vec<ChunkPos> {
        self.grid().chunks().map(|(position, _)| position).collect()
    }

    fn put_chunk(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(slot) = self.grid().slot(position) else { return };
        put_soil(self, slot, self.grid().changed_at(slot), out);
    }

    fn put_future(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(slot) = self.grid().slot(position) else { return };
        put_soil(self, slot, None, out);
    }

    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rules = take_rules(rules)?;
        let bounds = state.take()?;
        let ticks = state.take()?;
        let ledger = take_ledger(state, rules.sweep)?;
        HumidityWorld::restored(rules, bounds, ticks, ledger).map_err(|law| state.unlawful(law))
    }

    fn take_chunk(
        &mut self,
        position: ChunkPos,
        record: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        let wrong = record.malformed("a chunk of humidities that fits the world's bounds");
        let (moisture, ground) = (record.take()?, record.take()?);
        let slot = self.restore_chunk(position, moisture, ground).ok_or(wrong)?;
        take_marks(self, slot, record)
    }

    fn broken_law(&self) -> Option<String> {
        self.validate().err().map(|law| law.to_string())
    }
}

/// The parts of a chunk that are saved.
pub(super) struct SavedSoil<'a> {
    pub(super) moisture: &'a Chunk<u32>,
    pub(super) ground: &'a Chunk<u32>,
    /// The mask of the awake cells, which has all cells or is none, and that of the changed cells.
    pub(super) marks: [Option<&'a CellMask>; 2],
    pub(super) flow: &'a ChunkFlow,
}

impl SavedSoil<'_> {
    /// Appends the record of the chunk.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        self.moisture.put(out);
        self.ground.put(out);
        put_flagged_masks(self.marks, !self.flow.is_empty(), out);
        if !self.flow.is_empty() {
            self.flow.put(out);
        }
    }
}

/// Appends the record of a chunk, with `changed` as its changed cells.
fn put_soil<S: HumidityShape>(
    world: &HumidityWorld<S>,
    slot: Slot,
    changed: Option<&CellMask>,
    out: &mut Vec<u8>,
) {
    let chunk = SavedSoil {
        moisture: world.grid().chunk_at(slot),
        ground: &world.ground_at(slot).words(),
        marks: [world.grid().awake_at(slot), changed],
        flow: &world.flow_at(slot),
    };
    chunk.put(out);
}

/// Reads the marks and the flow of a chunk.
fn take_marks<S: HumidityShape>(
    world: &mut HumidityWorld<S>,
    slot: Slot,
    record: &mut Reader<'_>,
) -> Result<(), DecodeError> {
    let wrong = record.malformed("marks of a chunk that is awake in every cell or in none");
    let ([awake, changed], flows) = take_flagged_masks(record)?;
    if awake.iter().any(|cells: &CellMask| !cells.is_full()) {
        return Err(wrong);
    }
    awake.iter().for_each(|cells| world.grid_mut().wake_cells_at(slot, cells));
    changed.iter().for_each(|cells| world.grid_mut().mark_changes_at(slot, cells));
    let wrong = record.malformed("a flow, that of a chunk that sleeps in a conservative sweep");
    if flows && !world.restore_flow(slot, record.take()?) {
        return Err(wrong);
    }
    Ok(())
}

impl Field for ChunkFlow {
    fn put(&self, out: &mut Vec<u8>) {
        (self.fed.len() as u16).put(out);
        for Fed { index, full } in &self.fed {
            index.put(out);
            full.put(out);
        }
        let Tally { fed, rained, runoff, drained, moved: _ } = self.tally;
        fed.put(out);
        rained.put(out);
        [runoff, drained].iter().for_each(|units| units.put(out));
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let wrong = content.malformed("a flow that is not empty");
        let count: u16 = content.take()?;
        let fed = (0..count).map(|_| Ok(Fed { index: content.take()?, full: content.take()? }));
        let fed = fed.collect::<Result<_, DecodeError>>()?;
        let tally = Tally {
            fed: content.take()?,
            rained: content.take()?,
            runoff: content.take()?,
            drained: content.take()?,
            moved: 0,
        };
        let flow = ChunkFlow { fed, tally };
        if flow.is_empty() { Err(wrong) } else { Ok(flow) }
    }
}

fn take_rules(content: &mut Reader<'_>) -> Result<Rules, DecodeError> {
    let sweep = content.take()?;
    let (cap, coefficient, least_impermeability) =
        (content.take()?, content.take()?, content.take()?);
    let mut borders = [Border::Wall; 6];
    for border in &mut borders {
        *border = content.take()?;
    }
    let (fall, least_flow) = (content.take()?, content.take()?);
    Ok(Rules { sweep, cap, coefficient, fall, least_flow, least_impermeability, borders })
}

/// Reads a ledger whose sums cannot overflow.
fn take_ledger(content: &mut Reader<'_>, sweep: Sweep) -> Result<Ledger, DecodeError> {
    const LIMIT: u128 = 1 << 100;
    let wrong = content.malformed(
        "a ledger: at most 2¹⁰⁰, with no less in than out, and empty in a sweep without one",
    );
    let placed = content.take()?;
    let rained: i128 = content.take()?;
    let (removed, runoff, drained) = (content.take()?, content.take()?, content.take()?);
    let is_small = [placed, rained.unsigned_abs(), removed, runoff, drained]
        .iter()
        .all(|&units| units <= LIMIT);
    let ledger = Ledger { placed, rained, removed, runoff, drained };
    let is_kept = sweep == Sweep::Conservative || ledger == Ledger::default();
    if is_small && is_kept && placed as i128 + rained >= (removed + runoff + drained) as i128 {
        Ok(ledger)
    } else {
        Err(wrong)
    }
}

impl Field for Sweep {
    fn put(&self, out: &mut Vec<u8>) {
        let code: u8 = match self {
            Sweep::InPlace => 0,
            Sweep::Synchronous => 1,
            Sweep::Conservative => 2,
        };
        code.put(out);
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let sweeps = [Sweep::InPlace, Sweep::Synchronous, Sweep::Conservative];
        content.one_of(&sweeps, "a sweep: 0 to 2")
    }
}

impl Field for Border {
    fn put(&self, out: &mut Vec<u8>) {
        (*self == Border::Drain).put(out);
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(if content.take()? { Border::Drain } else { Border::Wall })
    }
}
