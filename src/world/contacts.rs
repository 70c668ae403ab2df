//! Where soil and open space touch, and where something may pass between them.
//!
//! For each chunk with soil beside open space, bit masks say which cells of soil these are, and
//! which of them have room for water or have too much of it. They follow the ground and the soil;
//! what is water is asked of water when it is needed. A chunk is visited if its soil or the water
//! in or beside it has changed since the last visit, or while something may pass in it. All of this
//! follows from the ground, water and soil: it is no part of the state, and bytes do not depend on
//! what is known.

use super::World;
use super::limits::Limits;
use super::material::MaterialId;
use crate::chunk::{CellMask, LAYER_CELLS, LayerMask};
use crate::coords::{CHUNK_CELLS, Cube, Face, Region, Shape, order};
use crate::grid::Grid;
use crate::humidity::ChunkUnits;
use crate::water::contact::cells_inside;
use glam::IVec3;
use hashbrown::{HashMap, HashSet};

/// The cells of soil in a chunk beside open space.
pub(super) struct Bank {
    /// All of them.
    pub(super) shore: CellMask,
    /// Those with room for a unit of water.
    pub(super) thirsty: CellMask,
    /// Those that give one if they can.
    pub(super) brimming: CellMask,
    /// Those of them that give one to the cell above, too.
    pub(super) rising: CellMask,
}

impl Bank {
    fn new(shore: CellMask) -> Bank {
        let [thirsty, brimming, rising] = [CellMask::EMPTY; 3];
        Bank { shore, thirsty, brimming, rising }
    }

    /// Notes what the cells of its chunk hold.
    fn refresh(&mut self, limits: &Limits, ground: impl Fn(usize) -> u8, units: &ChunkUnits<'_>) {
        let shore = core::mem::take(&mut self.shore);
        *self = Bank::new(shore.clone());
        for (index, held) in shore.iter().filter_map(|index| Some((index, units.get(index)?))) {
            self.note(limits, index, ground(index), held);
        }
    }

    /// Notes what a cell holds.
    pub(super) fn note(&mut self, limits: &Limits, index: usize, material: u8, held: u32) {
        self.thirsty.set(index, limits.has_room(material, held));
        self.brimming.set(index, held >= limits.brim);
        self.rising.set(index, held >= limits.brim_above);
    }
}

/// What is known of all contacts.
#[derive(Default)]
pub(super) struct Contacts {
    /// The chunks with soil beside open space, as far as their ground is known.
    // Boxed, so that a table that grows moves little.
    pub(super) banks: HashMap<IVec3, Box<Bank>>,
    /// The chunks with soil whose ground, or that beside them, has changed since.
    new_ground: HashSet<IVec3>,
    /// Those of them that are being looked at, some of them gone.
    unknown: Vec<IVec3>,
    /// The chunks whose ground is known since the last exchange, with or without such soil, some of
    /// them twice or gone.
    new_banks: Vec<IVec3>,
    /// The chunks in which something may still pass.
    pub(super) open: Vec<IVec3>,
}

impl Contacts {
    /// Returns whether nothing may pass, as far as is known, and all ground is known.
    pub(super) fn are_quiet(&self) -> bool {
        let are_known = self.new_ground.is_empty() && self.unknown.is_empty();
        are_known && self.new_banks.is_empty() && self.open.is_empty()
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.banks.allocation_size()
            + self.banks.len() * size_of::<Bank>()
            + self.new_ground.allocation_size()
            + [&self.open, &self.unknown, &self.new_banks].map(Vec::capacity).iter().sum::<usize>()
                * size_of::<IVec3>()
    }

    /// Adds the chunks in which these changes of water may have made a contact to a list, which is
    /// then in order of position.
    pub(super) fn add_beside(&self, altered: &[IVec3], due: &mut Vec<IVec3>) {
        for &chunk in altered {
            let around = Face::ALL.into_iter().filter_map(|face| face.step(chunk));
            let near = core::iter::once(chunk).chain(around);
            due.extend(near.filter(|chunk| self.banks.contains_key(chunk)));
        }
        due.sort_unstable_by_key(|&chunk| order(chunk));
        due.dedup();
    }
}

impl World {
    /// Notes that the ground of a cell has changed.
    pub(super) fn note_ground_of_cell(&mut self, cell: IVec3) {
        let chunk = Cube::chunk_of(cell);
        self.note_ground(chunk);
        let around = Face::ALL.into_iter().filter_map(|face| face.step(cell)).map(Cube::chunk_of);
        around.filter(|&beside| beside != chunk).for_each(|beside| self.note_ground(beside));
    }

    /// Notes that a chunk came or went, or that it stands still or does so no more.
    pub(super) fn note_chunk(&mut self, chunk: IVec3) {
        self.note_ground(chunk);
        let around = Face::ALL.into_iter().filter_map(|face| face.step(chunk));
        around.for_each(|beside| self.note_ground(beside));
    }

    /// Notes that in a chunk, the cells of soil beside open space may be others.
    fn note_ground(&mut self, chunk: IVec3) {
        let couplings = self.rules.couplings;
        if self.soil.chunk_units(chunk).is_none() {
            self.contacts.banks.remove(&chunk);
            self.contacts.new_ground.remove(&chunk);
            return;
        }
        // Until there is soil, a world does not pay for any of this.
        if couplings.ebb {
            self.water.log_evaporation();
        }
        if couplings.exchange() {
            self.water.note_altered();
            self.contacts.new_ground.insert(chunk);
        }
    }

    /// Notes that all ground may have changed.
    pub(super) fn note_all_ground(&mut self) {
        let chunks: Vec<IVec3> = self.ground.chunks().map(|(chunk, _)| chunk).collect();
        chunks.into_iter().for_each(|chunk| self.note_ground(chunk));
    }

    /// Returns whether no contact must be looked at in the next exchange.
    pub(super) fn are_contacts_quiet(&self) -> bool {
        self.contacts.are_quiet() && !self.water.has_altered()
    }

    /// Finds where soil touches open space in a chunk whose ground may have changed, ahead of the
    /// exchange. Returns how many cells that looked at; `None` if there is no such chunk.
    pub(super) fn find_a_contact(&mut self) -> Option<u64> {
        let Contacts { new_ground, unknown, .. } = &mut self.contacts;
        unknown.extend(new_ground.drain());
        let chunk = unknown.pop()?;
        self.contacts.banks.remove(&chunk);
        if let Some(shore) = shore_of(self, chunk) {
            self.contacts.banks.insert(chunk, Box::new(Bank::new(shore)));
        }
        self.contacts.new_banks.push(chunk);
        Some(CHUNK_CELLS as u64)
    }

    /// Brings what is known of contacts up to date. Returns the chunks in which something may pass,
    /// in order of position.
    pub(super) fn find_contacts(&mut self) -> Vec<IVec3> {
        while self.find_a_contact().is_some() {}
        let contacts = &mut self.contacts;
        let mut new = core::mem::take(&mut contacts.new_banks);
        let mut stale = new.clone();
        stale.extend(self.soil.awake_positions());
        stale.sort_unstable_by_key(|&chunk| order(chunk));
        stale.dedup();
        let mut due = core::mem::take(&mut contacts.open);
        for chunk in stale {
            let Some(bank) = contacts.banks.get_mut(&chunk) else { continue };
            if let (Some(units), Some(ground)) =
                (self.soil.chunk_units(chunk), self.ground.chunk(chunk))
            {
                bank.refresh(&self.limits, |index| ground.get(index).0, &units);
                due.push(chunk);
            }
        }
        due.retain(|chunk| contacts.banks.contains_key(chunk));
        let altered = self.water.take_altered();
        contacts.add_beside(&altered, &mut due);
        contacts.add_beside(&altered, &mut new);
        self.find_seabed(&new);
        due
    }
}

/// Returns the cells of soil in a chunk that have an open cell at a face; `None` if there are none.
fn shore_of(world: &World, chunk: IVec3) -> Option<CellMask> {
    let palette = &world.palette;
    let table = |is_in: &dyn Fn(MaterialId) -> bool| {
        core::array::from_fn(|id| palette.len() > id && is_in(MaterialId(id as u8)))
    };
    let soils: [bool; 256] = table(&|id| palette.traits(id).is_permeable());
    let opens: [bool; 256] = table(&|id| !palette.traits(id).solid);
    let layers = Layers { ground: &world.ground, bounds: world.bounds() };
    let mut shore = CellMask::EMPTY;
    for layer in 0..16 {
        let soil = layers.select(Some(chunk), layer, &soils);
        if soil.any() {
            shore.set_layer(layer, soil & layers.beside(chunk, layer, &opens));
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
    fn select(&self, chunk: Option<IVec3>, layer: usize, is_in: &[bool; 256]) -> LayerMask {
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

    /// Returns the cells of a layer that have a neighbour of certain materials.
    fn beside(&self, chunk: IVec3, layer: usize, is_in: &[bool; 256]) -> LayerMask {
        let vertical = |face: Face, beyond: usize, inside: Option<usize>| match inside {
            Some(layer) => self.select(Some(chunk), layer, is_in),
            None => self.select(face.step(chunk), beyond, is_in),
        };
        let below = vertical(Face::Down, 15, layer.checked_sub(1));
        let above = vertical(Face::Up, 0, (layer < 15).then_some(layer + 1));
        let beyond = Face::LATERAL.map(|face| self.select(face.step(chunk), layer, is_in));
        let here = self.select(Some(chunk), layer, is_in);
        below | above | LayerMask::union(here.shifted(&beyond))
    }
}
