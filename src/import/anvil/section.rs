//! A section: the states of the 4,096 cells of a chunk, as indices into a palette.

use super::error::SectionFault;
use super::nbt::packing::{Packing, bits_for};
use super::nbt::splice::{self, Splices};
use super::nbt::{Field, Malformed, Nbt, Tag, kind};
use super::rules::{BlockRules, Held, plain};
use super::state::{AIR, State};
use crate::chunk::{CellMask, Chunk};
use crate::coords::CHUNK_CELLS;
use crate::water::Voxel;
use hashbrown::HashMap;

/// The states of a chunk's cells, in the same order as in a [`Chunk`]: along x, then z, then y.
pub(super) struct Section {
    /// The index of each cell's state, less than the length of the palette.
    cells: Vec<u16>,
    palette: Vec<State>,
}

/// How a column stores the states of its sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Before 1.13: numbers in arrays of bytes and of half bytes.
    Numbered,
    /// Since 1.13: indices into a palette, packed without gaps.
    Spanning,
    /// Since 1.16: no index spans two words.
    Padded,
    /// Since 1.18: palette and indices in a separate compound, without indices if there is only one
    /// state; and sections below 0.
    Contained,
}

impl Layout {
    /// Returns how indices are packed, and the names of the fields of palette and indices; `None`
    /// if the layout stores numbers.
    fn packed(self) -> Option<(Packing, &'static str, &'static str)> {
        match self {
            Layout::Numbered => None,
            Layout::Spanning => Some((Packing::Spanning, "Palette", "BlockStates")),
            Layout::Padded => Some((Packing::Padded, "Palette", "BlockStates")),
            Layout::Contained => Some((Packing::Padded, "palette", "data")),
        }
    }

    /// Returns the name of the field that every section with blocks has.
    pub fn name_of_blocks(self) -> &'static str {
        self.packed().map_or(BLOCKS, |(_, palette, _)| palette)
    }
}

/// The units of work for finding the content of a state, and for finding its replacement.
const UNITS_OF_STATE: u64 = 64;
pub(super) const UNITS_OF_CHANGE: u64 = 256;

/// The names of the arrays of numbers, and the length in bytes of the arrays of half bytes.
const BLOCKS: &str = "Blocks";
const DATA: &str = "Data";
const ADD: &str = "Add";
const HALVES: usize = CHUNK_CELLS / 2;

impl Section {
    /// Returns a section of air alone, in the form of a file of this layout.
    pub fn of_air(layout: Layout) -> Section {
        let air = match layout {
            Layout::Numbered => State::Numbered(0),
            _ => State::named(AIR, None),
        };
        Section { cells: vec![0; CHUNK_CELLS], palette: vec![air] }
    }

    /// Reads the section in a compound; returns `None` if it holds no blocks, like sections stored
    /// for their light alone.
    pub fn read(nbt: &Nbt<'_>, tag: Tag, layout: Layout) -> Result<Option<Section>, SectionFault> {
        let Some((packing, palette, cells)) = layout.packed() else {
            return Section::read_numbered(nbt, tag);
        };
        let [list, words] = nbt.select(tag, [palette, cells])?;
        let Some(list) = list else { return Ok(None) };
        let states = nbt.compounds(list.of_kind(kind::LIST)?, CHUNK_CELLS)?;
        let words = words.map(|words| words.of_kind(kind::LONGS)).transpose()?;
        let cells = indices(words.map(|words| nbt.longs(words)), states.len(), packing, cells)?;
        let state = |state: &Tag| State::Named(nbt.bytes[state.payload()].to_vec());
        Ok(Some(Section { cells, palette: states.iter().map(state).collect() }))
    }

    fn read_numbered(nbt: &Nbt<'_>, tag: Tag) -> Result<Option<Section>, SectionFault> {
        let [blocks, data, add] = nbt.select(tag, [BLOCKS, DATA, ADD])?;
        let Some(blocks) = array(nbt, blocks, BLOCKS, CHUNK_CELLS)? else { return Ok(None) };
        let data = array(nbt, data, DATA, HALVES)?;
        let add = array(nbt, add, ADD, HALVES)?;
        let mut index_of = vec![u16::MAX; 1 << 16];
        let mut palette = Vec::new();
        let cells = (0..CHUNK_CELLS).map(|cell| {
            let number = half(add, cell) << 12 | u16::from(blocks[cell]) << 4 | half(data, cell);
            let index = &mut index_of[usize::from(number)];
            if *index == u16::MAX {
                *index = palette.len() as u16;
                palette.push(State::Numbered(number));
            }
            *index
        });
        let cells = cells.collect();
        Ok(Some(Section { cells, palette }))
    }

    /// Returns whether all cells are air.
    pub fn is_air(&self) -> bool {
        self.palette.len() == 1 && self.palette[0].is_air()
    }

    /// Returns the units of work that it takes to read the section.
    pub fn units(&self) -> u64 {
        let cells = if self.palette.len() == 1 { 0 } else { CHUNK_CELLS };
        cells as u64 + UNITS_OF_STATE * self.palette.len() as u64
    }

    /// Returns the chunk of the section's cells, with its lowest cells at height `y`, as if all
    /// sources were connected to the sea.
    pub fn chunk(&self, y: i32, rules: &BlockRules<'_>) -> Result<Chunk<Voxel>, SectionFault> {
        let held = self.held(rules)?;
        let sources: [Voxel; 16] =
            core::array::from_fn(|layer| rules.source(y + layer as i32, true));
        let is_uniform = held.len() == 1 && (held[0] != Held::Source || sources[0] == sources[15]);
        if is_uniform {
            return Ok(Chunk::uniform(held[0].voxel(sources[0])));
        }
        let voxel = |cell: usize| held[usize::from(self.cells[cell])].voxel(sources[cell / 256]);
        Ok(Chunk::from_cells(&core::array::from_fn(voxel)))
    }

    fn held(&self, rules: &BlockRules<'_>) -> Result<Vec<Held>, SectionFault> {
        let held = |(index, state): (usize, &State)| state.held(rules).map_err(in_state(index));
        self.palette.iter().enumerate().map(held).collect()
    }

    /// Replaces the states of cells whose content differs from `chunk`. A source in a cell of
    /// `inland` is not connected to the sea. Returns the number of kinds of changes; 0 if the
    /// section does not change.
    pub fn follow(
        &mut self,
        chunk: &Chunk<Voxel>,
        y: i32,
        inland: &CellMask,
        rules: &BlockRules<'_>,
    ) -> Result<usize, SectionFault> {
        let held = self.held(rules)?;
        // New states by the old state, the voxel, and the reading of a source there, which
        // determine them.
        let mut successors: HashMap<(u16, u16, u16), u16> = HashMap::new();
        let mut indices: HashMap<State, u16> = HashMap::new();
        let mut changes = 0;
        for cell in 0..CHUNK_CELLS {
            let (old, wanted) = (self.cells[cell], plain(chunk.get(cell)));
            let source = rules.source(y + (cell / 256) as i32, !inland.contains(cell));
            if held[usize::from(old)].voxel(source) == wanted {
                continue;
            }
            let key = (old, wanted.word(), source.word());
            let new = match successors.get(&key) {
                Some(&new) => new,
                None => {
                    let index = usize::from(old);
                    let state = self.palette[index].for_voxel(wanted, source, rules);
                    let new = self.index_of(state.map_err(in_state(index))?, &mut indices);
                    successors.insert(key, new);
                    // Under rules without springs, the block of a spring may be a source already.
                    changes += usize::from(new != old);
                    new
                }
            };
            self.cells[cell] = new;
        }
        Ok(changes)
    }

    /// Returns the index of a state, which is added to the palette if it is missing. `indices` maps
    /// the states of the palette to their indices; it is filled on first use.
    fn index_of(&mut self, state: State, indices: &mut HashMap<State, u16>) -> u16 {
        if indices.is_empty() {
            let palette = self.palette.iter().cloned().zip(0..);
            // Of equal states in the palette, the first counts.
            palette.for_each(|(state, index)| _ = indices.entry(state).or_insert(index));
        }
        *indices.entry(state).or_insert_with_key(|state| {
            self.palette.push(state.clone());
            self.palette.len() as u16 - 1
        })
    }

    /// Removes unused states from the palette, so that it has at most 4,096 states again.
    fn compact(&mut self) {
        let mut is_used = vec![false; self.palette.len()];
        self.cells.iter().for_each(|&cell| is_used[usize::from(cell)] = true);
        let mut next = 0;
        let new: Vec<u16> = is_used.iter().map(|&used| (next, next += u16::from(used)).0).collect();
        self.cells.iter_mut().for_each(|cell| *cell = new[usize::from(*cell)]);
        let mut used = is_used.into_iter();
        self.palette.retain(|_| used.next() == Some(true));
    }

    /// Writes the section over the one in a compound.
    pub fn write(
        mut self,
        nbt: &Nbt<'_>,
        tag: Tag,
        layout: Layout,
        splices: &mut Splices,
    ) -> Result<(), SectionFault> {
        self.compact();
        for (kind, name, payload) in self.fields(layout) {
            match (nbt.any_field(tag, name)?, payload) {
                (Some(field), Some(payload)) => {
                    splices.replace(field.range(), splice::field(kind, name, &payload));
                }
                (Some(field), None) => splices.replace(field.range(), Vec::new()),
                // The field goes before the byte that ends the compound.
                (None, Some(payload)) => {
                    splices.insert(tag.end - 1, splice::field(kind, name, &payload));
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Returns the bytes of the fields of a new section.
    pub fn into_fields(mut self, layout: Layout) -> Vec<Vec<u8>> {
        self.compact();
        let field = |(kind, name, payload): (u8, &str, Option<Vec<u8>>)| {
            payload.map(|payload| splice::field(kind, name, &payload))
        };
        self.fields(layout).into_iter().filter_map(field).collect()
    }

    /// Returns the kinds, names and payloads of the fields that store the states. A field that is
    /// to be left out has no payload.
    fn fields(&self, layout: Layout) -> Vec<(u8, &'static str, Option<Vec<u8>>)> {
        let Some((packing, palette, cells)) = layout.packed() else {
            return self.numbered_fields();
        };
        let mut states = splice::list_of_compounds(self.palette.len());
        for state in &self.palette {
            if let State::Named(payload) = state {
                states.extend_from_slice(payload);
            }
        }
        let bits = bits_for(self.palette.len());
        let words = splice::long_array(&packing.pack(&self.cells, bits));
        let is_left_out = self.palette.len() == 1 && layout == Layout::Contained;
        vec![
            (kind::LIST, palette, Some(states)),
            (kind::LONGS, cells, (!is_left_out).then_some(words)),
        ]
    }

    fn numbered_fields(&self) -> Vec<(u8, &'static str, Option<Vec<u8>>)> {
        let number = |cell: usize| match self.palette[usize::from(self.cells[cell])] {
            State::Numbered(number) => number,
            State::Named(_) => 0,
        };
        let blocks: Vec<u8> = (0..CHUNK_CELLS).map(|cell| (number(cell) >> 4) as u8).collect();
        let halves = |shift: u32| -> Vec<u8> {
            let half = |cell: usize| (number(cell) >> shift) as u8 & 15;
            (0..HALVES).map(|pair| half(2 * pair) | half(2 * pair + 1) << 4).collect()
        };
        let add = halves(12);
        let add = add.iter().any(|&halves| halves != 0).then(|| splice::byte_array(&add));
        vec![
            (kind::BYTES, BLOCKS, Some(splice::byte_array(&blocks))),
            (kind::BYTES, DATA, Some(splice::byte_array(&halves(0)))),
            (kind::BYTES, ADD, add),
        ]
    }
}

/// Returns the error of the state at an index of the palette.
fn in_state(index: usize) -> impl FnOnce(Malformed) -> SectionFault {
    move |Malformed { wanted, .. }| SectionFault::State { index, wanted }
}

/// Returns the half byte of a cell in an array; 0 without an array. Even cells have the low half.
fn half(array: Option<&[u8]>, cell: usize) -> u16 {
    array.map_or(0, |array| u16::from(array[cell / 2] >> (4 * (cell % 2)) & 15))
}

/// Returns the array of bytes in a field, which must have the length `wanted`; `None` without a
/// field.
fn array<'a>(
    nbt: &Nbt<'a>,
    field: Option<Field<'a>>,
    name: &'static str,
    wanted: usize,
) -> Result<Option<&'a [u8]>, SectionFault> {
    let Some(field) = field else { return Ok(None) };
    let bytes = nbt.bytes(field.of_kind(kind::BYTES)?);
    if bytes.len() != wanted {
        return Err(SectionFault::Length { name, found: bytes.len(), wanted });
    }
    Ok(Some(bytes))
}

/// Unpacks the indices of all cells into a palette of this many states.
fn indices(
    words: Option<Vec<u64>>,
    states: usize,
    packing: Packing,
    name: &'static str,
) -> Result<Vec<u16>, SectionFault> {
    if states == 0 {
        return Err(SectionFault::NoStates);
    }
    let words = match words {
        None if states == 1 => return Ok(vec![0; CHUNK_CELLS]),
        words => words.unwrap_or_default(),
    };
    let bits = bits_for(states);
    let wanted = packing.length(bits);
    if words.len() != wanted {
        return Err(SectionFault::Length { name, found: words.len(), wanted });
    }
    let cells = packing.unpack(&words, bits);
    match cells.iter().position(|&state| usize::from(state) >= states) {
        Some(cell) => Err(SectionFault::Index { cell, found: cells[cell], states }),
        None => Ok(cells),
    }
}
