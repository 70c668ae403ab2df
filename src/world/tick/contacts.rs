//! Contacts: where soil and open space touch, and where units may pass between them.
//!
//! For each chunk with soil beside open space, bit masks hold these cells of soil, and which of
//! them have room for water or too much of it. They follow the ground and the soil; the water is
//! read when it is needed. A chunk is visited if its soil or the water in or beside it has changed
//! since the last visit, or while units may pass in it. All of this follows from the ground, water
//! and soil: it is not part of the state, and the bytes do not depend on it.

use crate::chunk::{CellMask, LAYER_CELLS, LayerMask, ones};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Face, Region, Shape};
use crate::grid::Grid;
use crate::humidity::{ChunkUnits, RowMask};
use crate::water::query::contact::cells_inside;
use crate::world::World;
use crate::world::rules::limits::Limits;
use crate::world::rules::material::MaterialId;
use crate::world::tick::Stage;
use glam::IVec3;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::Bound;

/// The number of chunks that a piece looks up without reading their cells.
const PART: usize = 16;

/// The cells of soil in a chunk beside open space.
pub(in crate::world) struct Bank {
    /// All of these cells.
    pub(in crate::world) shore: CellMask,
    /// The cells with room for a unit of water.
    pub(in crate::world) thirsty: CellMask,
    /// The cells that give a unit if they can.
    pub(in crate::world) brimming: CellMask,
    /// The cells among them that also give one to the cell above.
    pub(in crate::world) rising: CellMask,
}

impl Bank {
    fn new(shore: CellMask) -> Bank {
        let [thirsty, brimming, rising] = [CellMask::EMPTY; 3];
        Bank { shore, thirsty, brimming, rising }
    }

    /// Reads the moisture of the cells in these rows of its chunk.
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
            for cells in [&mut self.thirsty, &mut self.brimming, &mut self.rising] {
                cells.words_mut()[word] &= !row;
            }
            for index in ones(shore).map(|bit| first / 64 * 64 + bit) {
                if let Some(held) = units.get(index) {
                    self.note(limits, index, ground(index), held);
                }
            }
        }
    }

    /// Records the moisture of a cell.
    pub(in crate::world) fn note(
        &mut self,
        limits: &Limits,
        index: usize,
        material: u8,
        held: u32,
    ) {
        self.thirsty.set(index, limits.has_room(material, held));
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
    /// The chunks with soil that have changed ground, or a neighbour with changed ground.
    new_ground: HashSet<ChunkPos>,
    /// The chunks among them that are being visited; some may have been removed.
    unknown: Vec<ChunkPos>,
    /// The chunks whose ground has become known since the last exchange, or that were frozen or
    /// thawed since then or have such a neighbour; some may have been removed.
    new_banks: BTreeSet<ChunkPos>,
    /// The chunks in which units may still pass.
    pub(in crate::world) open: Vec<ChunkPos>,
    /// The state of the exchange that is underway.
    underway: Option<Underway>,
}

/// An exchange that is underway.
#[derive(Default)]
struct Underway {
    /// Whether it was underway when the world was loaded.
    is_resumed: bool,
    /// The chunks in which units may pass, in order of position.
    due: BTreeSet<ChunkPos>,
    /// How many of the awake chunks of soil were visited.
    awake: usize,
    /// Chunks that were open, not visited yet.
    open: Vec<ChunkPos>,
    /// Chunks in which water has changed, not visited yet.
    altered: Vec<ChunkPos>,
    /// Chunks in which other soil may lie beside the sea, not visited yet.
    seabeds: BTreeSet<ChunkPos>,
}

impl Contacts {
    /// Returns whether all ground is known, and no known contact lets a unit pass.
    pub(in crate::world) fn are_quiet(&self) -> bool {
        let are_known = self.new_ground.is_empty() && self.unknown.is_empty();
        are_known && self.new_banks.is_empty() && self.open.is_empty() && self.underway.is_none()
    }

    /// Returns the first chunk in which units may pass, after a chunk in order of position.
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

impl World {
    /// Notes that the ground of a cell has changed.
    pub(in crate::world) fn note_ground_of_cell(&mut self, cell: IVec3) {
        let chunk = Cube::chunk_of(cell);
        self.note_ground(chunk);
        let around = Face::ALL.into_iter().filter_map(|face| face.step(cell)).map(Cube::chunk_of);
        around.filter(|&beside| beside != chunk).for_each(|beside| self.note_ground(beside));
    }

    /// Notes that a chunk came or went.
    pub(in crate::world) fn note_chunk(&mut self, chunk: ChunkPos) {
        self.note_ground(chunk);
        let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
        around.for_each(|beside| self.note_ground(beside));
    }

    /// Notes that a chunk was frozen or thawed. Its ground and its open cells do not change.
    pub(in crate::world) fn note_still(&mut self, chunk: ChunkPos) {
        let Contacts { banks, new_banks, .. } = &mut self.contacts;
        let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
        let near = core::iter::once(chunk).chain(around);
        new_banks.extend(near.filter(|chunk| banks.contains_key(chunk)));
    }

    /// Notes that the cells of soil beside open space in a chunk may have changed.
    fn note_ground(&mut self, chunk: ChunkPos) {
        let couplings = self.rules.couplings;
        if self.soil.chunk_units(chunk).is_none() {
            self.contacts.banks.remove(&chunk);
            self.contacts.new_ground.remove(&chunk);
            return;
        }
        // A world without soil does not pay for any of this.
        if couplings.ebb {
            self.water.log_evaporation();
        }
        if couplings.exchange() {
            self.water.note_altered();
            self.contacts.new_ground.insert(chunk);
        }
    }

    /// Notes that all ground may have changed.
    pub(in crate::world) fn note_all_ground(&mut self) {
        let chunks: Vec<ChunkPos> = self.ground.chunks().map(|(chunk, _)| chunk).collect();
        chunks.into_iter().for_each(|chunk| self.note_ground(chunk));
    }

    /// Returns whether the next exchange need not visit any contact.
    pub(in crate::world) fn are_contacts_quiet(&self) -> bool {
        self.contacts.are_quiet() && !self.water.has_altered()
    }

    /// Finds where soil touches open space in a chunk whose ground may have changed. Returns how
    /// many cells it visited; `None` if there is no such chunk.
    pub(in crate::world) fn find_a_contact(&mut self) -> Option<u64> {
        let Contacts { new_ground, unknown, .. } = &mut self.contacts;
        unknown.extend(new_ground.drain());
        let chunk = unknown.pop()?;
        self.contacts.banks.remove(&chunk);
        if let Some(shore) = shore_of(self, chunk) {
            self.contacts.banks.insert(chunk, Box::new(Bank::new(shore)));
            self.contacts.new_banks.insert(chunk);
        } else {
            self.find_seabed(chunk);
        }
        Some(CHUNK_CELLS as u64)
    }

    /// Updates a part of the contacts, in an exchange that is underway. Returns the cells charged;
    /// `None` if the next piece has all the contacts that it needs.
    pub(in crate::world) fn find_some_contacts(&mut self) -> Option<u64> {
        if let Some(cells) = self.find_a_contact() {
            return Some(cells);
        }
        let mut underway = self.contacts.underway.take().unwrap_or_else(|| Underway {
            is_resumed: self.stage != Stage::Soaking(None),
            open: core::mem::take(&mut self.contacts.open),
            ..Underway::default()
        });
        let found = self.find_due(&mut underway);
        self.contacts.underway = Some(underway);
        found.then_some(LAYER_CELLS as u64)
    }

    /// Finds some chunks in which units may pass. Returns whether there was a chunk to visit.
    fn find_due(&mut self, underway: &mut Underway) -> bool {
        if let Some(chunk) = self.contacts.new_banks.pop_first() {
            self.refresh_bank(chunk, RowMask::ALL, &mut underway.due);
            self.find_seabed(chunk);
            if underway.is_resumed {
                // The chunk may have had its turn before.
                self.contacts.open.push(chunk);
            }
            return true;
        }
        // Changes while units pass count in the next half of the exchange, or in the next exchange.
        if !matches!(self.stage, Stage::Soaking(None) | Stage::Springing(None)) {
            return false;
        }
        let awake = self.soil.awake_positions_from(underway.awake).take(PART);
        let awake: SmallVec<[ChunkPos; PART]> = awake.collect();
        if !awake.is_empty() {
            underway.awake += awake.len();
            for &chunk in &awake {
                self.refresh_bank(chunk, self.soil.stirred(chunk), &mut underway.due);
            }
            return true;
        }
        if underway.altered.is_empty() {
            underway.altered = self.water.take_altered();
        }
        let Underway { open, altered, due, seabeds, .. } = underway;
        if !open.is_empty() || !altered.is_empty() {
            let banks = &self.contacts.banks;
            let open = open.drain(open.len().saturating_sub(PART)..);
            due.extend(open.filter(|chunk| banks.contains_key(chunk)));
            for chunk in altered.drain(altered.len().saturating_sub(PART)..) {
                let has_sea = self.water.has_sea(chunk);
                let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
                for near in core::iter::once(chunk).chain(around) {
                    if banks.contains_key(&near) {
                        due.insert(near);
                        if has_sea || !self.soil.fed(near).is_empty() {
                            seabeds.insert(near);
                        }
                    }
                }
            }
            return true;
        }
        let Some(chunk) = seabeds.pop_first() else { return false };
        self.find_seabed(chunk);
        true
    }

    /// Records the moisture of the soil beside open space in these rows of a chunk, if there is
    /// any.
    fn refresh_bank(&mut self, chunk: ChunkPos, rows: RowMask, due: &mut BTreeSet<ChunkPos>) {
        if self.water.is_frozen(chunk) {
            return;
        }
        let Some(bank) = self.contacts.banks.get_mut(&chunk) else { return };
        if let (Some(units), Some(ground)) =
            (self.soil.chunk_units(chunk), self.ground.chunk(chunk))
        {
            bank.refresh(&self.limits, |index| ground.get(index).0, &units, rows);
            due.insert(chunk);
        }
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
    /// Returns the cells of a layer (0 to 15) that are of certain materials, if there is such a
    /// chunk; none beyond the bounds.
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

    /// Returns the cells of a layer that have a neighbour of certain materials; `own` are the cells
    /// of these materials in the layers of the chunk.
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
