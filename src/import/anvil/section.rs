//! A section: the states of the 4,096 cells of a chunk, by their index, and their palette.

use super::error::SectionFault;
use super::nbt::{Malformed, Nbt, Tag, kind};
use super::packing::{Packing, bits_for};
use super::rules::{BlockRules, Held, plain};
use super::splice::{self, Splices};
use super::state::State;
use crate::chunk::Chunk;
use crate::coords::CHUNK_CELLS;
use crate::water::Voxel;
use hashbrown::HashMap;

/// The states of a chunk's cells. Cells lie in the same order as here: along x, then z, then y.
pub(super) struct Section {
    /// Each less than the length of the palette.
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
    /// Since 1.18: palette and indices in a compound of their own, without indices if there is only
    /// one state; and sections below 0.
    Contained,
}

impl Layout {
    /// Returns how indices are packed, and the names of palette and indices; `None` for numbers.
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

/// The names of the arrays of numbers, and the bytes of those of half bytes.
const BLOCKS: &str = "Blocks";
const DATA: &str = "Data";
const ADD: &str = "Add";
const HALVES: usize = CHUNK_CELLS / 2;

impl Section {
    /// Returns a section without blocks, as a file of this layout has it.
    pub fn of_air(layout: Layout) -> Section {
        let air = match layout {
            Layout::Numbered => State::Numbered(0),
            _ => State::named("minecraft:air", None),
        };
        Section { cells: vec![0; CHUNK_CELLS], palette: vec![air] }
    }

    /// Reads the section in a compound; `None` if it holds no blocks, as those that are stored for
    /// their light alone.
    pub fn read(nbt: &Nbt<'_>, tag: Tag, layout: Layout) -> Result<Option<Section>, SectionFault> {
        let Some((packing, palette, cells)) = layout.packed() else {
            return Section::read_numbered(nbt, tag);
        };
        let Some(list) = nbt.get(tag, palette, kind::LIST)? else { return Ok(None) };
        let states = nbt.compounds(list, CHUNK_CELLS)?;
        let words = nbt.get(tag, cells, kind::LONGS)?.map(|words| nbt.longs(words));
        let cells = indices(words, states.len(), packing, cells)?;
        let state = |state: &Tag| State::Named(nbt.bytes[state.payload()].to_vec());
        Ok(Some(Section { cells, palette: states.iter().map(state).collect() }))
    }

    fn read_numbered(nbt: &Nbt<'_>, tag: Tag) -> Result<Option<Section>, SectionFault> {
        let Some(blocks) = array(nbt, tag, BLOCKS, CHUNK_CELLS)? else { return Ok(None) };
        let data = array(nbt, tag, DATA, HALVES)?;
        let add = array(nbt, tag, ADD, HALVES)?;
        let mut numbers = HashMap::new();
        let mut palette = Vec::new();
        let cells = (0..CHUNK_CELLS).map(|cell| {
            let number = half(add, cell) << 12 | u16::from(blocks[cell]) << 4 | half(data, cell);
            *numbers.entry(number).or_insert_with(|| {
                palette.push(State::Numbered(number));
                palette.len() as u16 - 1
            })
        });
        let cells = cells.collect();
        Ok(Some(Section { cells, palette }))
    }

    /// Returns the chunk of the section's cells, with its lowest cells at height `y`.
    pub fn chunk(&self, y: i32, rules: &BlockRules<'_>) -> Result<Chunk<Voxel>, SectionFault> {
        let held = self.held(rules)?;
        let voxel = |cell: usize| {
            held[usize::from(self.cells[cell])].voxel(height_of(y, cell), rules.sources)
        };
        Ok(Chunk::from_cells(&core::array::from_fn(voxel)))
    }

    fn held(&self, rules: &BlockRules<'_>) -> Result<Vec<Held>, SectionFault> {
        let held = |(index, state): (usize, &State)| state.held(rules).map_err(in_state(index));
        self.palette.iter().enumerate().map(held).collect()
    }

    /// Gives the cells that hold something else in `chunk` the states that do. Returns whether
    /// there are any.
    pub fn follow(
        &mut self,
        chunk: &Chunk<Voxel>,
        y: i32,
        rules: &BlockRules<'_>,
    ) -> Result<bool, SectionFault> {
        let held = self.held(rules)?;
        // By the old state, the voxel, and whether sources are sea there: all that decides.
        let mut successors: HashMap<(u16, u16, bool), u16> = HashMap::new();
        let mut is_changed = false;
        for cell in 0..CHUNK_CELLS {
            let (old, wanted) = (self.cells[cell], plain(chunk.get(cell)));
            let y = height_of(y, cell);
            if held[usize::from(old)].voxel(y, rules.sources) == wanted {
                continue;
            }
            let is_in_sea = Held::Source.voxel(y, rules.sources).is_sea();
            let key = (old, wanted.word(), is_in_sea);
            let new = match successors.get(&key) {
                Some(&new) => new,
                None => {
                    let index = usize::from(old);
                    let state = self.palette[index].for_voxel(wanted, y, rules);
                    let new = self.index_of(state.map_err(in_state(index))?);
                    successors.insert(key, new);
                    new
                }
            };
            is_changed |= new != old;
            self.cells[cell] = new;
        }
        Ok(is_changed)
    }

    /// Returns the index of a state, which is added to the palette if it is not there.
    fn index_of(&mut self, state: State) -> u16 {
        let index = self.palette.iter().position(|other| *other == state);
        index.unwrap_or_else(|| {
            self.palette.push(state);
            self.palette.len() - 1
        }) as u16
    }

    /// Leaves out of the palette what no cell has; so it has at most 4,096 states again.
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
                // Before the byte that ends the compound.
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

    /// Returns kinds, names and payloads of the fields that store the states; no payload for one
    /// that is left out.
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

/// Returns the height of a cell in a section whose lowest cells are at height `y`.
fn height_of(y: i32, cell: usize) -> i32 {
    y + (cell / 256) as i32
}

/// Returns half a byte of an array, 0 without one. Even cells have the low half.
fn half(array: Option<&[u8]>, cell: usize) -> u16 {
    array.map_or(0, |array| u16::from(array[cell / 2] >> (4 * (cell % 2)) & 15))
}

/// Returns an array of bytes, which must have this length.
fn array<'a>(
    nbt: &Nbt<'a>,
    tag: Tag,
    name: &'static str,
    wanted: usize,
) -> Result<Option<&'a [u8]>, SectionFault> {
    let Some(array) = nbt.get(tag, name, kind::BYTES)? else { return Ok(None) };
    let bytes = nbt.bytes(array);
    if bytes.len() != wanted {
        return Err(SectionFault::Length { name, found: bytes.len(), wanted });
    }
    Ok(Some(bytes))
}

/// Unpacks the indices of all cells into a palette of so many states.
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
