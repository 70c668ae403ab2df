//! Contacts: where soil and open space touch, and where units may pass between them.
//!
//! For each chunk with soil beside open space, bit masks hold the cells of that soil, and which of
//! them have room for water or hold too much of it. The masks follow the ground and the soil; the
//! water is read when it is needed. A chunk is visited if its soil or the water in or beside it has
//! changed since the last visit, or while units may pass in it. All contacts follow from the
//! ground, water and soil: they are not part of the state, and the bytes do not depend on them.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask, ones};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Region, Shape};
use crate::grid::Grid;
use crate::humidity::{ChunkUnits, RowMask};
use crate::water::ebb::lost::log_evaporation;
use crate::water::query::contact::{
    cells_inside, has_altered, has_sea, note_altered, take_altered,
};
use crate::world::World;
use crate::world::rules::limits::Limits;
use crate::world::rules::material::MaterialId;
use crate::world::tick::Stage;
use crate::world::tick::seabed::find_seabed;
use glam::IVec3;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::Bound;

/// The most chunks of a list that one piece of an exchange looks up.
const PART: usize = 16;

/// The cells of soil beside open space in a chunk.
pub(in crate::world) struct Bank {
    /// All cells of soil beside open space.
    pub(in crate::world) shore: CellMask,
    /// The cells of the shore with room for a unit of water.
    pub(in crate::world) roomy: CellMask,
    /// The cells of the shore that give a unit if they can.
    pub(in crate::world) brimming: CellMask,
    /// The brimming cells that also give a unit to the cell above.
    pub(in crate::world) rising: CellMask,
}

impl Bank {
    fn new(shore: CellMask) -> Bank {
        let [roomy, brimming, rising] = [CellMask::EMPTY; 3];
        Bank { shore, roomy, brimming, rising }
    }

    /// Updates the masks from the moisture of the cells in `rows`.
    fn refresh(
        &mut self,
        limits: &Limits,
        ground: impl Fn(usize) -> u8,
        units: &ChunkUnits<'_>,
        rows: RowMask,
    ) {
        for first in rows.iter().map(|row| 16 * row) {
            let (word, row) = (first / 64, 0xffff << (first % 64));
            let shore = self.shore.words()[word] & row;
            if shore == 0 {
                continue;
            }
            for cells in [&mut self.roomy, &mut self.brimming, &mut self.rising] {
                cells.words_mut()[word] &= !row;
            }
            for index in ones(shore).map(|bit| first / 64 * 64 + bit) {
                if let Some(held) = units.get(index) {
                    self.note(limits, index, ground(index), held);
                }
            }
        }
    }

    /// Updates the masks for a cell that holds `held` units of moisture.
    pub(in crate::world) fn note(
        &mut self,
        limits: &Limits,
        index: usize,
        material: u8,
        held: u32,
    ) {
        self.roomy.set(index, limits.has_room(material, held));
        self.brimming.set(index, held >= limits.brim);
        self.rising.set(index, held >= limits.brim_above);
    }
}

/// The known contacts of a world.
#[derive(Default)]
pub(in crate::world) struct Contacts {
    /// The chunks with soil beside open space, among the chunks whose ground is known.
    // Boxed, so that a table that grows moves little.
    pub(in crate::world) banks: HashMap<ChunkPos, Box<Bank>>,
    /// The chunks with soil whose ground, or the ground of a neighbour, has changed.
    new_ground: HashSet<ChunkPos>,
    /// The chunks from `new_ground` that are still to be visited; some may have been removed.
    unknown: Vec<ChunkPos>,
    /// The chunks whose contacts have been found since the last exchange, and the chunks that have
    /// been frozen or thawed since then, with their neighbours; some may have been removed.
    new_banks: BTreeSet<ChunkPos>,
    /// The chunks in which units may still pass.
    pub(in crate::world) open: Vec<ChunkPos>,
    /// The state of the exchange that is underway.
    underway: Option<Underway>,
}

/// An exchange that is underway.
#[derive(Default)]
struct Underway {
    /// Whether the exchange was underway when the world was loaded.
    is_resumed: bool,
    /// The chunks in which units may pass, in order of position.
    due: BTreeSet<ChunkPos>,
    /// The number of awake chunks of soil that were visited.
    awake: usize,
    /// The chunks that were open when the exchange began and are not visited yet.
    open: Vec<ChunkPos>,
    /// The chunks in which water has changed and that are not visited yet.
    altered: Vec<ChunkPos>,
    /// The chunks in which the soil beside the sea may have changed and that are not visited yet.
    seabeds: BTreeSet<ChunkPos>,
}

impl Contacts {
    /// Returns whether all ground is known, and no known contact lets a unit pass.
    pub(in crate::world) fn are_quiet(&self) -> bool {
        let are_known = self.new_ground.is_empty() && self.unknown.is_empty();
        are_known && self.new_banks.is_empty() && self.open.is_empty() && self.underway.is_none()
    }

    /// Returns the next chunk in which units may pass, in order of position: the first one, or the
    /// first after `after`.
    pub(in crate::world) fn next_due(&self, after: Option<ChunkPos>) -> Option<ChunkPos> {
        let after = after.map_or(Bound::Unbounded, Bound::Excluded);
        let due = &self.underway.as_ref()?.due;
        due.range((after, Bound::Unbounded)).next().copied()
    }

    /// Notes that the exchange is complete.
    pub(in crate::world) fn end_exchange(&mut self) {
        self.underway = None;
    }

    pub(in crate::world) fn memory_bytes(&self) -> usize {
        self.banks.allocation_size()
            + self.banks.len() * size_of::<Bank>()
            + self.new_ground.allocation_size()
            + self.new_banks.len() * size_of::<IVec3>()
            + [&self.open, &self.unknown].map(Vec::capacity).iter().sum::<usize>()
                * size_of::<IVec3>()
            + self.underway.as_ref().map_or(0, |underway| {
                let Underway { open, altered, due, seabeds, .. } = underway;
                (open.capacity() + altered.capacity() + due.len() + seabeds.len())
                    * size_of::<IVec3>()
            })
    }
}

/// Notes that the ground of a cell has changed.
pub(in crate::world) fn note_ground_of_cell(world: &mut World, cell: IVec3) {
    let chunk = Cube::chunk_of(cell);
    note_ground(world, chunk);
    let around = Face::ALL.into_iter().filter_map(|face| face.step(cell)).map(Cube::chunk_of);
    around.filter(|&beside| beside != chunk).for_each(|beside| note_ground(world, beside));
}

/// Notes that a chunk was loaded or unloaded.
pub(in crate::world) fn note_chunk(world: &mut World, chunk: ChunkPos) {
    note_ground(world, chunk);
    let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
    around.for_each(|beside| note_ground(world, beside));
}

/// Notes that a chunk was frozen or thawed. Its ground and its open cells do not change.
pub(in crate::world) fn note_still(world: &mut World, chunk: ChunkPos) {
    let Contacts { banks, new_banks, .. } = &mut world.contacts;
    let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
    let near = core::iter::once(chunk).chain(around);
    new_banks.extend(near.filter(|chunk| banks.contains_key(chunk)));
}

/// Notes that the cells of soil beside open space in a chunk may have changed.
fn note_ground(world: &mut World, chunk: ChunkPos) {
    let couplings = world.rules.couplings;
    if world.soil.chunk_units(chunk).is_none() {
        world.contacts.banks.remove(&chunk);
        world.contacts.new_ground.remove(&chunk);
        return;
    }
    // Water keeps the logs below only for a world with soil.
    if couplings.ebb {
        log_evaporation(&mut world.water);
    }
    if couplings.exchange() {
        note_altered(&mut world.water);
        world.contacts.new_ground.insert(chunk);
    }
}

/// Notes that all ground may have changed.
pub(in crate::world) fn note_all_ground(world: &mut World) {
    let chunks: Vec<ChunkPos> = world.ground.chunks().map(|(chunk, _)| chunk).collect();
    chunks.into_iter().for_each(|chunk| note_ground(world, chunk));
}

/// Returns whether the next exchange need not visit any contact.
pub(in crate::world) fn are_contacts_quiet(world: &World) -> bool {
    world.contacts.are_quiet() && !has_altered(&world.water)
}

/// Finds where soil touches open space in a chunk whose ground may have changed. Returns the number
/// of cells visited; `None` if there is no such chunk.
pub(in crate::world) fn find_a_contact(world: &mut World) -> Option<u64> {
    let Contacts { new_ground, unknown, .. } = &mut world.contacts;
    unknown.extend(new_ground.drain());
    let chunk = unknown.pop()?;
    world.contacts.banks.remove(&chunk);
    if let Some(shore) = shore_of(world, chunk) {
        world.contacts.banks.insert(chunk, Box::new(Bank::new(shore)));
        world.contacts.new_banks.insert(chunk);
    } else {
        find_seabed(world, chunk);
    }
    Some(CHUNK_CELLS as u64)
}

/// Updates a part of the contacts, in an exchange that is underway. Returns the number of cells
/// charged; `None` if the next piece has all the contacts that it needs.
pub(in crate::world) fn find_some_contacts(world: &mut World) -> Option<u64> {
    if let Some(cells) = find_a_contact(world) {
        return Some(cells);
    }
    let mut underway = world.contacts.underway.take().unwrap_or_else(|| Underway {
        is_resumed: world.stage != Stage::Soaking(None),
        open: core::mem::take(&mut world.contacts.open),
        ..Underway::default()
    });
    let found = find_due(world, &mut underway);
    world.contacts.underway = Some(underway);
    found.then_some(LAYER_CELLS as u64)
}

/// Finds some chunks in which units may pass. Returns whether there was a chunk to visit.
fn find_due(world: &mut World, underway: &mut Underway) -> bool {
    if let Some(chunk) = world.contacts.new_banks.pop_first() {
        refresh_bank(world, chunk, RowMask::ALL, &mut underway.due);
        find_seabed(world, chunk);
        if underway.is_resumed {
            // The chunk may have had its turn before the world was saved.
            world.contacts.open.push(chunk);
        }
        return true;
    }
    // Changes made while units pass count in the next half of the exchange, or in the next
    // exchange.
    if !matches!(world.stage, Stage::Soaking(None) | Stage::Springing(None)) {
        return false;
    }
    let awake = world.soil.awake_positions_from(underway.awake).take(PART);
    let awake: SmallVec<[ChunkPos; PART]> = awake.collect();
    if !awake.is_empty() {
        underway.awake += awake.len();
        for &chunk in &awake {
            refresh_bank(world, chunk, world.soil.stirred(chunk), &mut underway.due);
        }
        return true;
    }
    if underway.altered.is_empty() {
        underway.altered = take_altered(&mut world.water);
    }
    let Underway { open, altered, due, seabeds, .. } = underway;
    if !open.is_empty() || !altered.is_empty() {
        let banks = &world.contacts.banks;
        let open = open.drain(open.len().saturating_sub(PART)..);
        due.extend(open.filter(|chunk| banks.contains_key(chunk)));
        for chunk in altered.drain(altered.len().saturating_sub(PART)..) {
            let has_sea = has_sea(&world.water, chunk);
            let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
            for near in core::iter::once(chunk).chain(around) {
                if banks.contains_key(&near) {
                    due.insert(near);
                    if has_sea || !world.soil.fed(near).is_empty() {
                        seabeds.insert(near);
                    }
                }
            }
        }
        return true;
    }
    let Some(chunk) = seabeds.pop_first() else { return false };
    find_seabed(world, chunk);
    true
}

/// Updates the masks for the soil beside open space in `rows` of a chunk, and marks the chunk as
/// due. Does nothing if the chunk is frozen or has no such soil.
fn refresh_bank(world: &mut World, chunk: ChunkPos, rows: RowMask, due: &mut BTreeSet<ChunkPos>) {
    if world.water.is_frozen(chunk) {
        return;
    }
    let Some(bank) = world.contacts.banks.get_mut(&chunk) else { return };
    if let (Some(units), Some(ground)) = (world.soil.chunk_units(chunk), world.ground.chunk(chunk))
    {
        bank.refresh(&world.limits, |index| ground.get(index).0, &units, rows);
        due.insert(chunk);
    }
}

/// Returns the cells of soil in a chunk that have an open cell at a face; `None` if there are none.
fn shore_of(world: &World, chunk: ChunkPos) -> Option<CellMask> {
    let palette = &world.palette;
    let table = |is_in: &dyn Fn(MaterialId) -> bool| {
        core::array::from_fn(|id| palette.len() > id && is_in(MaterialId(id as u8)))
    };
    let soils: [bool; 256] = table(&|id| palette.traits(id).is_permeable());
    let opens: [bool; 256] = table(&|id| !palette.traits(id).solid);
    let layers = Layers { ground: &world.ground, bounds: world.bounds() };
    let open = core::array::from_fn(|layer| layers.select(Some(chunk), layer, &opens));
    let mut shore = CellMask::EMPTY;
    for layer in 0..16 {
        let soil = layers.select(Some(chunk), layer, &soils);
        if soil.any() {
            shore.set_layer(layer, soil & layers.beside(chunk, layer, &open, &opens));
        }
    }
    (!shore.is_empty()).then_some(shore)
}

/// The layers of the ground.
struct Layers<'a> {
    ground: &'a Grid<MaterialId, Cube>,
    bounds: Region,
}

impl Layers<'_> {
    /// Returns the cells of a layer (0 to 15) of a chunk that are of the materials `is_in`; none
    /// beyond the bounds, and none if the chunk is not loaded.
    fn select(&self, chunk: Option<ChunkPos>, layer: usize, is_in: &[bool; 256]) -> LayerMask {
        let Some((chunk, ground)) = chunk.and_then(|at| Some((at, self.ground.chunk(at)?))) else {
            return LayerMask::NONE;
        };
        let is_in = |material: MaterialId| is_in[usize::from(material.0)];
        let cells = match ground.as_dense() {
            None => LayerMask::all_if(is_in(ground.get(0))),
            Some(cells) => LayerMask::select(&cells.as_chunks::<LAYER_CELLS>().0[layer], is_in),
        };
        if cells.any() { cells & cells_inside(&self.bounds, chunk, layer) } else { cells }
    }

    /// Returns the cells of a layer that have a neighbour of the materials `is_in`; `own` has the
    /// cells of these materials in the layers of the chunk.
    fn beside(
        &self,
        chunk: ChunkPos,
        layer: usize,
        own: &[LayerMask; 16],
        is_in: &[bool; 256],
    ) -> LayerMask {
        let vertical = |face: Face, beyond: usize, inside: Option<&LayerMask>| match inside {
            Some(&layer) => layer,
            None => self.select(chunk.step(face), beyond, is_in),
        };
        let below = vertical(Face::Down, 15, layer.checked_sub(1).map(|below| &own[below]));
        let above = vertical(Face::Up, 0, own.get(layer + 1));
        let beyond = Face::LATERAL.map(|face| self.select(chunk.step(face), layer, is_in));
        below | above | LayerMask::union(own[layer].shifted(&beyond))
    }
}
