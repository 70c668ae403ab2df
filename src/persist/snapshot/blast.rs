//! Snapshots of explosions on a grid, and the parts that snapshots of explosions on a graph share.

use super::marks::{put_awake, put_marks, take_mask, take_whole_marks};
use super::world::Saved;
use crate::automata::blast::restore::is_pressure;
use crate::automata::blast::{ChunkParts, WorldParts};
use crate::blast::{BlastShape, BlastWorld, Border, Borders, Broken, Ledger, Rule, Rules};
use crate::chunk::{CellMask, Chunk};
use crate::codec::{DecodeError, Field, Kind, Reader};
use crate::coords::{CHUNK_CELLS, ChunkPos};
use std::collections::BTreeMap;

/// The largest sum that the ledger of a loaded world may have.
const LARGEST_SUM: f64 = 1e200;

const AUDIBLE: u8 = 1;
const SOLID: u8 = 2;
const FLOWS: u8 = 4;
const UNREAD: u8 = 8;

/// Kind 4 with sheets, 5 with cubes. Conductances are not saved: they follow from the cells.
///
/// | | content |
/// |---|---|
/// | rules | rule `u8` (0 diffusive, 1 wave), coefficient `f64`, damping `f64` (0 if diffusive), threshold `f64` |
/// | state | bounds (region), borders `u8` along x, y and z (0 rigid, 1 periodic, 2 open), steps `u64`, ledger: placed, removed, left, absorbed, `f64` each, up to 10²⁰⁰; a count of the walls that broke since `take_events` was last called, then for each its step `u64`, position, difference `f64`, strength `f64`; a count of the chunks that existed when `take_changes` was last called and have been removed since, then for each its position and the mask of its changed cells |
/// | record | a plane of `f32`, the pressures, up to 10²⁴, none of them −0; a `u8` with bit 0 set if the chunk is audible, bit 1 if it has removed cells, bit 2 if it has flows, bit 3 if it was made since `take_changes` was last called; the mask of removed cells, if there are any; a `u16` count of walls that break, then for each, ascending, its index `u16` and its strength `f32`; a `u16` count of links with another weight than 1, then for each, ascending, its axis `u8`, the index `u16` of its cell, and the weight `f32`; if it has flows, a plane of `f32` for each face, 4 in sheets and 6 in cubes, none of them −0; marks, with all cells awake or none |
impl<S: BlastShape> Saved for BlastWorld<S> {
    const KIND: Kind = if S::NEIGHBOURS == 4 { Kind::BlastSheet } else { Kind::BlastCube };

    fn put_rules(&self, out: &mut Vec<u8>) {
        self.rules().put(out);
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        let WorldParts { bounds, borders, tick, ledger, events, freed } = self.parts();
        bounds.put(out);
        [borders.x, borders.y, borders.z].iter().for_each(|border| border.put(out));
        tick.put(out);
        ledger.put(out);
        put_events(&events, out);
        (freed.len() as u64).put(out);
        for (chunk, cells) in freed {
            chunk.put(out);
            cells.put(out);
        }
    }

    fn chunk_positions(&self) -> Vec<ChunkPos> {
        self.chunks().map(|(position, _)| position).collect()
    }

    fn put_chunk(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(slot) = self.grid().slot(position) else { return };
        put_parts(&self.chunk_parts(slot), out);
        put_marks(self.grid(), slot, out);
    }

    fn put_future(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(slot) = self.grid().slot(position) else { return };
        put_parts(&ChunkParts { is_unreported: false, ..self.chunk_parts(slot) }, out);
        put_awake(self.grid(), slot, out);
    }

    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rules = rules.take()?;
        let bounds = state.take()?;
        let borders = Borders { x: state.take()?, y: state.take()?, z: state.take()? };
        let (tick, ledger) = (state.take()?, state.take()?);
        let events = take_events(state)?;
        let mut freed = BTreeMap::<_, CellMask>::new();
        for _ in 0..state.count(12 + CHUNK_CELLS / 8)? {
            let position: ChunkPos = state.take()?;
            freed.entry(position).or_default().union_with(&take_mask(state)?);
        }
        BlastWorld::restored(rules, WorldParts { bounds, borders, tick, ledger, events, freed })
            .map_err(|law| state.unlawful(law))
    }

    fn take_chunk(
        &mut self,
        position: ChunkPos,
        record: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        let pressure = take_pressures(record)?;
        let wrong = record.malformed(
            "bits for audible, removed cells, flows and made since changes were asked for",
        );
        let bits: u8 = record.take()?;
        if bits & !(AUDIBLE | SOLID | FLOWS | UNREAD) != 0 {
            return Err(wrong);
        }
        let solid = if bits & SOLID != 0 { take_mask(record)? } else { CellMask::EMPTY };
        let strengths = take_strengths(record)?;
        let weights = take_weights(record)?;
        let planes = (0..S::NEIGHBOURS).map(|_| take_pressures(record));
        let flows = if bits & FLOWS != 0 { Some(planes.collect::<Result<_, _>>()?) } else { None };
        let (is_audible, is_unreported) = (bits & AUDIBLE != 0, bits & UNREAD != 0);
        let parts =
            ChunkParts { pressure, is_audible, is_unreported, solid, strengths, weights, flows };
        let slot =
            self.restore_chunk(position, parts).map_err(|wanted| record.malformed(wanted))?;
        take_whole_marks(self.grid_mut(), slot, record)
    }

    fn broken_law(&self) -> Option<String> {
        self.validate().err().map(|law| law.to_string())
    }
}

/// Appends the record of a chunk without its marks.
pub(super) fn put_parts(parts: &ChunkParts, out: &mut Vec<u8>) {
    let ChunkParts { pressure, is_audible, is_unreported, solid, strengths, weights, flows } =
        parts;
    pressure.put(out);
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    let has = bit(!solid.is_empty(), SOLID) | bit(flows.is_some(), FLOWS);
    out.push(bit(*is_audible, AUDIBLE) | bit(*is_unreported, UNREAD) | has);
    if !solid.is_empty() {
        solid.put(out);
    }
    // The numbers fit: there are at most 4096 walls, and three times as many links.
    (strengths.len() as u16).put(out);
    for (index, strength) in strengths {
        (*index as u16).put(out);
        strength.put(out);
    }
    (weights.len() as u16).put(out);
    for ((axis, index), weight) in weights {
        (*axis as u8).put(out);
        (*index as u16).put(out);
        weight.put(out);
    }
    flows.iter().flatten().for_each(|plane| plane.put(out));
}

/// Reads a plane of pressures or flows.
fn take_pressures(record: &mut Reader<'_>) -> Result<Chunk<f32>, DecodeError> {
    let wrong = record.malformed("numbers up to 10²⁴, none of them −0");
    let plane: Chunk<f32> = record.take()?;
    let fits = |&value: &f32| is_pressure(value);
    let all_fit = match plane.as_dense() {
        Some(cells) => cells.iter().all(fits),
        None => fits(&plane.get(0)),
    };
    if all_fit { Ok(plane) } else { Err(wrong) }
}

fn take_strengths(record: &mut Reader<'_>) -> Result<BTreeMap<usize, f32>, DecodeError> {
    let mut strengths = BTreeMap::new();
    for _ in 0..record.take::<u16>()? {
        let wrong = record.malformed("the index of a cell after the one before");
        let (index, strength) = (usize::from(record.take::<u16>()?), record.take()?);
        if index >= CHUNK_CELLS
            || strengths.last_key_value().is_some_and(|(&last, _)| last >= index)
        {
            return Err(wrong);
        }
        strengths.insert(index, strength);
    }
    Ok(strengths)
}

fn take_weights(record: &mut Reader<'_>) -> Result<BTreeMap<(usize, usize), f32>, DecodeError> {
    let mut weights = BTreeMap::new();
    for _ in 0..record.take::<u16>()? {
        let wrong = record.malformed("the axis and the index of a link after the one before");
        let link = (usize::from(record.take::<u8>()?), usize::from(record.take::<u16>()?));
        let weight = record.take()?;
        if link.1 >= CHUNK_CELLS || weights.last_key_value().is_some_and(|(&last, _)| last >= link)
        {
            return Err(wrong);
        }
        weights.insert(link, weight);
    }
    Ok(weights)
}

/// Appends walls that broke.
pub(super) fn put_events<P: Field>(events: &[Broken<P>], out: &mut Vec<u8>) {
    (events.len() as u64).put(out);
    for Broken { tick, place, difference, strength } in events {
        tick.put(out);
        place.put(out);
        [difference, strength].iter().for_each(|number| number.put(out));
    }
}

/// Reads walls that broke.
pub(super) fn take_events<P: Field>(state: &mut Reader<'_>) -> Result<Vec<Broken<P>>, DecodeError> {
    // The bytes of a tick, of a place (at least those of a node) and of two numbers.
    let count = state.count(8 + 4 + 16)?;
    let mut events = Vec::with_capacity(count);
    for _ in 0..count {
        let wrong = state.malformed("a wall that broke, by a difference above its strength");
        let (tick, place) = (state.take()?, state.take()?);
        let (difference, strength) =
            (state.number_within(f64::MAX)?, state.number_within(f64::MAX)?);
        if !(0.0 < strength && strength < difference) {
            return Err(wrong);
        }
        events.push(Broken { tick, place, difference, strength });
    }
    Ok(events)
}

impl Field for Rules {
    fn put(&self, out: &mut Vec<u8>) {
        let (is_wave, damping) = match self.rule {
            Rule::Diffusive { .. } => (false, 0.0),
            Rule::Wave { damping, .. } => (true, damping),
        };
        is_wave.put(out);
        [self.rule.coefficient(), damping, self.threshold]
            .iter()
            .for_each(|number| number.put(out));
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let is_wave = content.take()?;
        let coefficient = content.take()?;
        let wrong = content.malformed("no damping in the diffusive rule");
        let damping: f64 = content.take()?;
        let threshold = content.take()?;
        let rule = match is_wave {
            true => Rule::Wave { coefficient, damping },
            false if damping.to_bits() == 0 => Rule::Diffusive { coefficient },
            false => return Err(wrong),
        };
        Ok(Rules { rule, threshold })
    }
}

impl Field for Ledger {
    fn put(&self, out: &mut Vec<u8>) {
        let Ledger { placed, removed, left, absorbed } = *self;
        [placed, removed, left, absorbed].iter().for_each(|sum| sum.put(out));
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut sum = || content.number_within(LARGEST_SUM);
        Ok(Ledger { placed: sum()?, removed: sum()?, left: sum()?, absorbed: sum()? })
    }
}

impl Field for Border {
    fn put(&self, out: &mut Vec<u8>) {
        let code: u8 = match self {
            Border::Rigid => 0,
            Border::Periodic => 1,
            Border::Open => 2,
        };
        code.put(out);
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        content.one_of(&[Border::Rigid, Border::Periodic, Border::Open], "a border: 0 to 2")
    }
}
