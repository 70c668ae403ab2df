//! Snapshots of worlds of materials.

use super::marks::take_mask;
use super::queued::{put_edits, take_edits};
use super::world::Saved;
use crate::blast::BlastWorld;
use crate::codec::{DecodeError, Field, Kind, Reader};
use crate::coords::ChunkPos;
use crate::humidity::HumidityWorld;
#[cfg(feature = "store")]
use crate::water::Since;
use crate::water::WaterWorld;
#[cfg(any(feature = "snapshot", feature = "scenario"))]
use crate::world::pressure::events_untold;
use crate::world::pressure::reach::origins;
#[cfg(feature = "store")]
use crate::world::tick::touched::since_now;
use crate::world::{
    Broken, Common, Counts, Couplings, Ledger, Material, Palette, Parts, Rules, SavedGround,
    UnderWater, World, restore,
};

const CHANGED: u8 = 1;
const LENT: u8 = 2;
const PRESSURE: u8 = 4;

/// Kind 8. The parts are written as worlds of their own: water as kind 1, soil as kind 3 and
/// pressure as kind 5. They have the world's bounds, and no waiting edits or broken walls.
/// Everything is kept except what [`current`](WaterWorld::current) returns and the reports of
/// edits.
///
/// While water's part of a [tick](World::step_within) is underway, the world is written as it was
/// when the tick began, and in the loaded world the tick has not begun. Later in a tick, the world
/// is written as it stands, and the loaded world resumes the tick.
///
/// | | content |
/// |---|---|
/// | rules | the number of materials `u16`, 1 to 256, and each: its name, solid `bool`, its permeability and its strength, each a `bool` and if set an `f32`, its capacity in units of water `u8`, and what it breaks into, a `bool` and if set a name; a name is a `u32` of its bytes and these, in UTF-8; the rules of water, of soil and of pressure; then `moisture_per_unit` `u32`, `soil_period` `u32`, `blast_steps` `u32`, `breaking` `bool`, `blast_fading` `f32`, `blast_reach` `u32`, `most_pressure` and `most_radius` `f32`, `spilling` `bool`, `under_water` `u8` (0 stops, 1 passes, 2 damps, and then the share `f32`), `throw_flow` a `bool` and if set an `f64`; of the couplings `seepage` and `depth_gain` `f64`, `springs` and `ebb` `bool` |
/// | state | the states of water, of soil and of pressure; what the tick does next `u32`: 0, it has not begun; 1, water soaks into soil; 2, soil gives water; 3, the step of soil; 4 + n, ground is lent for a step of pressure after n steps; 65,536 + n, that step, with its ground lent; 131,072, water is thrown; whether 1 or 2 resumes after a chunk, a `bool`, and if so the position of the chunk; of the [queued](World::queue) edits the ticket of the first `u64` below 2⁶², how many come before the next tick `u32`, their number `u32`, and the [bytes](crate::EditValue::to_bytes) of each; a count of the cells that broke since [`take_events`](World::take_events) was last called, then for each its tick `u64`, position, the materials that it was and is `u8` each, difference `f64`; a count of the chunks in which pressure was put into the world since all was silent, then the position of each, in order of y, then z, then x; of the [ledger](crate::world::Ledger) `soaked`, `sprung`, `ebbed`, `thrown` and `spilled` `u64` |
/// | record | a `u8` with bit 0 set if its materials have changed since `take_changes` was last called, bit 1 if its ground is lent to pressure, bit 2 if it has a chunk of pressure; a plane of `u8`, the materials, which are the first one in cells beyond the bounds; the mask of changed materials, if there are any; the record of its water, and if a cell is permeable, that of its soil; then, if bit 2 is set, that of its pressure, with no weights of links |
impl Saved for World {
    const KIND: Kind = Kind::World;

    fn put_rules(&self, out: &mut Vec<u8>) {
        self.palette().put(out);
        self.water().put_rules(out);
        self.soil().put_rules(out);
        self.blast().put_rules(out);
        // The first three fields are the rules of the parts, and the borders are in the state of
        // the blast. A new rule needs a name and a line here, a line in `take_rules`, and a word in
        // the table above.
        let Rules { water: _, soil: _, blast: _, borders: _, .. } = *self.rules();
        let Rules { moisture_per_unit, soil_period, blast_steps, breaking, .. } = *self.rules();
        moisture_per_unit.put(out);
        soil_period.put(out);
        blast_steps.put(out);
        breaking.put(out);
        let Rules { blast_fading, blast_reach, most_pressure, most_radius, .. } = *self.rules();
        blast_fading.put(out);
        blast_reach.put(out);
        [most_pressure, most_radius].iter().for_each(|most| most.put(out));
        let Rules { spilling, under_water, throw_flow, couplings, .. } = *self.rules();
        spilling.put(out);
        under_water.put(out);
        throw_flow.put(out);
        couplings.put(out);
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.water().put_state(out);
        self.soil().put_state(out);
        self.blast().put_state(out);
        // A new counter needs a field in `Counts`, a word here, and a line in `take_common`.
        let (stage, after) = restore::saved_stage(self);
        stage.put(out);
        after.put(out);
        put_edits(restore::edits_that_wait(self), out);
        let events = events_untold(self);
        (events.len() as u64).put(out);
        events.iter().for_each(|broken| broken.put(out));
        (origins(self).len() as u64).put(out);
        origins(self).for_each(|chunk| chunk.put(out));
        let Ledger { soaked, sprung, ebbed, thrown, spilled, .. } = self.ledger();
        [soaked, sprung, ebbed, thrown, spilled].iter().for_each(|units| units.put(out));
    }

    fn chunk_positions(&self) -> Vec<ChunkPos> {
        self.chunks().map(|(position, _)| position).collect()
    }

    fn put_chunk(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(ground) = restore::saved_ground(self, position) else { return };
        put_ground(&ground, self.blast().grid().slot(position).is_some(), out);
        self.water().put_chunk(position, out);
        // Nothing is written for a part that has no chunk here.
        self.soil().put_chunk(position, out);
        self.blast().put_chunk(position, out);
    }

    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let palette = rules.take()?;
        let parts = Parts {
            water: WaterWorld::take_world(rules, state)?,
            soil: HumidityWorld::take_world(rules, state)?,
            blast: BlastWorld::take_world(rules, state)?,
        };
        let rules = take_rules(&parts, rules)?;
        restore::restored(palette, rules, parts, take_common(state)?)
            .map_err(|law| state.unlawful(law))
    }

    fn take_chunk(
        &mut self,
        position: ChunkPos,
        record: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        let wrong = record.malformed("bits for changed, lent, and pressure");
        let bits: u8 = record.take()?;
        if bits > 7 {
            return Err(wrong);
        }
        let wrong = record.malformed("materials of the palette, inside the world's bounds");
        let materials = record.take()?;
        let changed = if bits & CHANGED != 0 { Some(take_mask(record)?) } else { None };
        if !restore::restore_ground(self, position, materials, changed.as_ref(), bits & LENT != 0) {
            return Err(wrong);
        }
        restore::parts_mut(self).0.take_chunk(position, record)?;
        if restore::is_of_soil(self, position) {
            restore::parts_mut(self).1.take_chunk(position, record)?;
        }
        restore::note_restored(self, position);
        if bits & PRESSURE != 0 {
            let wrong = record.malformed("pressure in a chunk without weights of links");
            restore::parts_mut(self).2.take_chunk(position, record)?;
            if self.blast().has_weights(position) {
                return Err(wrong);
            }
        }
        Ok(())
    }

    #[cfg(feature = "store")]
    fn since_now(&self) -> Option<Since> {
        since_now(self)
    }

    fn broken_law(&self) -> Option<String> {
        self.validate().err().map(|law| law.to_string())
    }
}

/// Appends the beginning of a chunk's record: everything that belongs to no part.
pub(super) fn put_ground(ground: &SavedGround<'_>, has_pressure: bool, out: &mut Vec<u8>) {
    out.push(bits_of(ground, has_pressure));
    ground.materials.put(out);
    ground.changed.filter(|cells| !cells.is_empty()).iter().for_each(|cells| cells.put(out));
}

fn bits_of(ground: &SavedGround<'_>, has_pressure: bool) -> u8 {
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    let is_changed = ground.changed.is_some_and(|cells| !cells.is_empty());
    bit(is_changed, CHANGED) | bit(ground.is_lent, LENT) | bit(has_pressure, PRESSURE)
}

fn take_rules(parts: &Parts, content: &mut Reader<'_>) -> Result<Rules, DecodeError> {
    Ok(Rules {
        water: *parts.water.rules(),
        soil: *parts.soil.rules(),
        blast: *parts.blast.rules(),
        borders: parts.blast.borders(),
        moisture_per_unit: content.take()?,
        soil_period: content.take()?,
        blast_steps: content.take()?,
        breaking: content.take()?,
        blast_fading: content.take()?,
        blast_reach: content.take()?,
        most_pressure: content.take()?,
        most_radius: content.take()?,
        spilling: content.take()?,
        under_water: content.take()?,
        throw_flow: content.take()?,
        couplings: content.take()?,
    })
}

fn take_common(content: &mut Reader<'_>) -> Result<Common, DecodeError> {
    let (stage, after) = (content.take()?, content.take()?);
    let at = content.at();
    let edits = take_edits(content)?;
    if stage != 0 && edits.before > 0 {
        return Err(content.malformed_at(at, "no edits before the next tick in the middle of one"));
    }
    // The bytes of a tick, a position, two materials and a difference.
    let events =
        (0..content.count(8 + 12 + 2 + 8)?).map(|_| content.take()).collect::<Result<_, _>>()?;
    let at = content.at();
    let origins: Vec<ChunkPos> =
        (0..content.count(12)?).map(|_| content.take()).collect::<Result<_, _>>()?;
    if !origins.is_sorted_by(|&one, &next| one < next) {
        return Err(content.malformed_at(at, "chunks in order of y, then z, then x, each once"));
    }
    let counts = Counts {
        soaked: content.take()?,
        sprung: content.take()?,
        ebbed: content.take()?,
        thrown: content.take()?,
        spilled: content.take()?,
    };
    Ok(Common { stage, after, edits, events, origins, counts })
}

impl Field for Palette {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u16).put(out);
        self.materials().for_each(|(_, material)| material.put(out));
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count: u16 = content.take()?;
        let materials: Vec<Material> =
            (0..count).map(|_| content.take()).collect::<Result<_, _>>()?;
        Palette::new(materials).map_err(|law| content.unlawful(law))
    }
}

impl Field for Material {
    fn put(&self, out: &mut Vec<u8>) {
        let Material { name, solid, permeability, strength, capacity, breaks_into } = self;
        name.put(out);
        solid.put(out);
        [permeability, strength].iter().for_each(|number| number.put(out));
        capacity.put(out);
        breaks_into.put(out);
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Material {
            name: content.take()?,
            solid: content.take()?,
            permeability: content.take()?,
            strength: content.take()?,
            capacity: content.take()?,
            breaks_into: content.take()?,
        })
    }
}

impl Field for UnderWater {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            UnderWater::Stops => 0u8.put(out),
            UnderWater::Passes => 1u8.put(out),
            UnderWater::Damps(part) => {
                2u8.put(out);
                part.put(out);
            }
        }
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let wrong = content.malformed("0 for water that stops pressure, 1 or 2");
        match content.take()? {
            0u8 => Ok(UnderWater::Stops),
            1 => Ok(UnderWater::Passes),
            2 => Ok(UnderWater::Damps(content.take()?)),
            _ => Err(wrong),
        }
    }
}

impl Field for Couplings {
    fn put(&self, out: &mut Vec<u8>) {
        let Couplings { seepage, depth_gain, springs, ebb } = self;
        [seepage, depth_gain].iter().for_each(|number| number.put(out));
        [springs, ebb].iter().for_each(|switch| switch.put(out));
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Couplings {
            seepage: content.take()?,
            depth_gain: content.take()?,
            springs: content.take()?,
            ebb: content.take()?,
        })
    }
}

impl Field for Broken {
    fn put(&self, out: &mut Vec<u8>) {
        let Broken { tick, cell, from, into, difference } = self;
        tick.put(out);
        cell.put(out);
        [from, into].iter().for_each(|material| material.put(out));
        difference.put(out);
    }

    fn take(content: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (tick, cell, from, into) =
            (content.take()?, content.take()?, content.take()?, content.take()?);
        Ok(Broken { tick, cell, from, into, difference: content.number_within(f64::MAX)? })
    }
}
