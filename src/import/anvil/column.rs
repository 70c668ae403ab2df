//! A column of chunks: where each version of the game keeps its position and its sections.

use super::biome;
use super::error::{ColumnFault, Failure, SectionFault};
use super::nbt::splice::{self, Splices};
use super::nbt::{Field, Nbt, Tag, kind};
use super::report::WhyLeftOut;
use super::rules::BlockRules;
use super::section::{Layout, Section, UNITS_OF_CHANGE};
use super::stage::{self, Stage};
use crate::chunk::{CellMask, Chunk, LayerMask};
use crate::coords::{ChunkPos, ColumnPos, Cube, Shape};
use crate::import::budget::Work;
use crate::water::{Voxel, WaterWorld};
use core::ops::Range;
use glam::IVec3;
use hashbrown::HashMap;

/// Chunks with their positions.
pub(super) type Chunks = Vec<(ChunkPos, Chunk<Voxel>)>;

/// The first versions of the data (`DataVersion`) that store states by name, and pack them without
/// indices that span two words.
const NAMED_SINCE: i32 = 1451;
const PADDED_SINCE: i32 = 2529;

/// The most sections of a column: y is a signed byte.
const MOST_SECTIONS: usize = 256;

/// The sections of a world that is 256 cells high, as is every world before 1.18, unless a data
/// pack changes that.
const OLD_SECTIONS: Range<i32> = 0..16;

/// The compound of palette and indices since 1.18.
const STATES: &str = "block_states";

/// A column of a region file, decompressed.
pub(super) struct Column<'a> {
    nbt: Nbt<'a>,
    layout: Layout,
    /// The x and z of the column, in chunks.
    pub position: ColumnPos,
    stage: Stage<'a>,
    /// The compound that holds the list of sections.
    parent: Tag,
    list: Option<Field<'a>>,
    sections: Vec<Stored>,
    /// The sections that become chunks, stored or not.
    span: Range<i32>,
    /// The number of sections below the span that the game has not made yet.
    missing: usize,
}

/// A section as it is stored, with blocks or without.
struct Stored {
    /// The section's y, in chunks.
    y: i32,
    tag: Tag,
    /// The compound with the states, if there is one.
    holder: Option<Tag>,
    has_blocks: bool,
}

impl<'a> Column<'a> {
    /// Reads where the parts of a column are.
    pub fn read(bytes: &'a [u8]) -> Result<Column<'a>, ColumnFault> {
        let nbt = Nbt::read(bytes)?;
        let [version, level] = nbt.select(nbt.root, ["DataVersion", "Level"])?;
        let version = version.map_or(Ok(0), |version| nbt.int_in(&version))?;
        let level = level.map(|level| level.of_kind(kind::COMPOUND)).transpose()?;
        let layout = match level {
            None => Layout::Contained,
            Some(_) if version < NAMED_SINCE => Layout::Numbered,
            Some(_) if version < PADDED_SINCE => Layout::Spanning,
            Some(_) => Layout::Padded,
        };
        let parent = level.unwrap_or(nbt.root);
        let [status, populated, upgrade] = stage::FIELDS;
        let list = name_of_sections(layout);
        let names = ["xPos", "zPos", "yPos", list, status, populated, upgrade];
        let [x, z, lowest, list, status, populated, upgrade] = nbt.select(parent, names)?;
        let number = |field: Option<Field<'_>>, name| {
            Ok::<i32, ColumnFault>(nbt.int_in(&field.ok_or(ColumnFault::Missing { name })?)?)
        };
        let mut column = Column {
            nbt,
            layout,
            position: ColumnPos::new(number(x, "xPos")?, number(z, "zPos")?),
            stage: Stage::read(&nbt, &[status, populated, upgrade])?,
            parent,
            list,
            sections: Vec::new(),
            span: 0..0,
            missing: 0,
        };
        if layout == Layout::Contained && column.list.is_none() {
            return Err(ColumnFault::Missing { name: name_of_sections(layout) });
        }
        column.find_sections()?;
        column.find_span(lowest.map(|lowest| nbt.int_in(&lowest)).transpose()?)?;
        Ok(column)
    }

    fn find_sections(&mut self) -> Result<(), ColumnFault> {
        let Some(list) = &self.list else { return Ok(()) };
        for tag in self.nbt.compounds(list.of_kind(kind::LIST)?, MOST_SECTIONS)? {
            let states = match self.layout {
                Layout::Contained => STATES,
                layout => layout.name_of_blocks(),
            };
            let [y, states] = self.nbt.select(tag, ["Y", states])?;
            let y = self.nbt.int_in(&y.ok_or(ColumnFault::Missing { name: "Y" })?)?;
            let is_taken = self.sections.iter().any(|other| other.y == y);
            if i8::try_from(y).is_err() || is_taken {
                return Err(ColumnFault::Section { y, fault: SectionFault::Place });
            }
            let (holder, has_blocks) = match (self.layout, states) {
                (Layout::Contained, None) => (None, false),
                (Layout::Contained, Some(states)) => {
                    let holder = states.of_kind(kind::COMPOUND)?;
                    let blocks = self.nbt.any_field(holder, self.layout.name_of_blocks())?;
                    (Some(holder), blocks.is_some())
                }
                _ => (Some(tag), states.is_some()),
            };
            self.sections.push(Stored { y, tag, holder, has_blocks });
        }
        Ok(())
    }

    /// Finds the existing sections. Since 1.18 they reach from `lowest`, which is `yPos`, to the
    /// highest with blocks; before, they are all sections of a world of 256 layers. While a column
    /// is being upgraded, the sections at the bottom that the game has not made yet are left out.
    fn find_span(&mut self, lowest: Option<i32>) -> Result<(), ColumnFault> {
        let with_blocks = || self.sections.iter().filter(|section| section.has_blocks);
        let low = with_blocks().map(|section| section.y).min();
        let high = with_blocks().map(|section| section.y).max();
        self.span = match (self.layout, low.zip(high)) {
            (Layout::Contained, None) => 0..0,
            (_, None) => OLD_SECTIONS,
            (Layout::Contained, Some((low, high))) => {
                low.min(lowest.unwrap_or(low).max(i8::MIN.into()))..high + 1
            }
            (_, Some((low, high))) => low.min(OLD_SECTIONS.start)..(high + 1).max(OLD_SECTIONS.end),
        };
        if self.stage.is_upgraded {
            let start = self.span.start;
            while !self.span.is_empty() && !self.is_made(self.span.start)? {
                self.span.start += 1;
            }
            self.missing = self.span.start.abs_diff(start) as usize;
        }
        Ok(())
    }

    /// Returns whether a section has blocks other than air.
    fn is_made(&self, y: i32) -> Result<bool, ColumnFault> {
        let section = self.section(y)?.and_then(|(_, section)| section);
        Ok(section.is_some_and(|section| !section.is_air()))
    }

    /// Returns why the column is skipped when all columns are read; `None` if it is not skipped.
    pub fn why_left_out(&self) -> Option<WhyLeftOut> {
        match self.stage.unfinished() {
            Some(status) => Some(WhyLeftOut::Unfinished { status: status.to_owned() }),
            None => self.span.is_empty().then_some(WhyLeftOut::NoBlocks),
        }
    }

    /// Returns the number of sections that were left out below the span.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Returns the cells of the layer at height `y` that have an ocean biome.
    pub fn ocean(&self, y: i32) -> LayerMask {
        let holder = match self.layout {
            Layout::Contained => {
                let section = Cube::chunk_of(IVec3::new(0, y, 0)).y;
                let stored = self.sections.iter().find(|stored| stored.y == section);
                stored.map(|stored| (stored.tag, "biomes"))
            }
            _ => Some((self.parent, "Biomes")),
        };
        let biomes = holder.and_then(|(holder, name)| self.nbt.any_field(holder, name).ok()?);
        match (biomes, self.layout) {
            (Some(field), Layout::Contained) if field.tag.kind == kind::COMPOUND => {
                biome::named(&self.nbt, field.tag, y)
            }
            (Some(field), layout) if layout != Layout::Contained => {
                biome::numbered(&self.nbt, field.tag, y)
            }
            _ => LayerMask::NONE,
        }
    }

    /// Returns the number of chunks made from the column.
    pub fn chunk_count(&self) -> usize {
        self.span.len()
    }

    /// Returns the chunk position of a section.
    pub fn chunk_at(&self, y: i32) -> ChunkPos {
        self.position.chunk(y)
    }

    /// Returns the section stored at `y`, with its contents if it has blocks; without blocks it is
    /// all air. Returns `None` if no section is stored there.
    fn section(&self, y: i32) -> Result<Option<(&Stored, Option<Section>)>, ColumnFault> {
        let Some(stored) = self.sections.iter().find(|stored| stored.y == y) else {
            return Ok(None);
        };
        let Some(holder) = stored.holder else { return Ok(Some((stored, None))) };
        let section = Section::read(&self.nbt, holder, self.layout).map_err(in_section(y))?;
        Ok(Some((stored, section)))
    }

    /// Returns the chunks of the column with their positions, from the lowest, as if all sources
    /// were connected to the sea. Sections that are not stored, or are stored without blocks, are
    /// air.
    pub fn chunks(&self, rules: &BlockRules<'_>, work: &mut Work) -> Result<Chunks, Failure> {
        let mut chunks = Vec::with_capacity(self.span.len());
        for y in self.span.clone() {
            let chunk = match self.section(y)? {
                Some((_, Some(section))) => {
                    work.take(section.units())?;
                    section.chunk(lowest_cell(y), rules).map_err(in_section(y))?
                }
                _ => Chunk::uniform(Voxel::OPEN),
            };
            chunks.push((self.chunk_at(y), chunk));
        }
        Ok(chunks)
    }

    /// Returns the bytes of the column with the water of `world`; `None` if the bytes do not
    /// change. Sources in cells of `inland` are not connected to the sea.
    pub fn with_water(
        &self,
        world: &WaterWorld,
        inland: &HashMap<ChunkPos, CellMask>,
        rules: &BlockRules<'_>,
        work: &mut Work,
    ) -> Result<Option<Vec<u8>>, Failure> {
        let mut splices = Splices::default();
        let mut added = Vec::new();
        let mut is_changed = false;
        for y in self.span.clone() {
            let at = self.chunk_at(y);
            let Some(chunk) = world.chunk(at) else { continue };
            let found = self.section(y)?;
            let (stored, section) = found.unzip();
            let mut section = section.flatten().unwrap_or_else(|| Section::of_air(self.layout));
            let inland = inland.get(&at).unwrap_or(&CellMask::EMPTY);
            let followed = section.follow(&chunk, lowest_cell(y), inland, rules);
            let changes = followed.map_err(in_section(y))?;
            work.take(section.units() + UNITS_OF_CHANGE * changes as u64)?;
            if changes > 0 {
                is_changed = true;
                self.write_section(y, section, stored, &mut splices, &mut added)?;
            }
        }
        if !is_changed {
            return Ok(None);
        }
        self.add_sections(&added, &mut splices);
        Ok(Some(splices.apply(self.nbt.bytes)))
    }

    /// Writes a section over the one that is stored at y, or as a new one.
    fn write_section(
        &self,
        y: i32,
        section: Section,
        stored: Option<&Stored>,
        splices: &mut Splices,
        added: &mut Vec<Vec<u8>>,
    ) -> Result<(), ColumnFault> {
        match stored {
            None => added.push(self.new_section(y, section)),
            Some(Stored { tag, holder: None, .. }) => {
                splices.insert(tag.end - 1, contained(section));
            }
            Some(Stored { holder: Some(holder), .. }) => {
                let written = section.write(&self.nbt, *holder, self.layout, splices);
                written.map_err(in_section(y))?;
            }
        }
        Ok(())
    }

    /// Returns the payload of a section that the column did not have.
    fn new_section(&self, y: i32, section: Section) -> Vec<u8> {
        let mut fields = vec![splice::field(kind::BYTE, "Y", &[y as i8 as u8])];
        if self.layout == Layout::Contained {
            fields.push(contained(section));
        } else {
            // Versions before 1.18 do not load a section without light. The light here is that of
            // an open sky.
            for (name, light) in [("BlockLight", 0), ("SkyLight", 0xff)] {
                let light = splice::byte_array(&[light; 2048]);
                fields.push(splice::field(kind::BYTES, name, &light));
            }
            fields.extend(section.into_fields(self.layout));
        }
        splice::compound(&fields)
    }

    /// Appends sections to the list.
    fn add_sections(&self, added: &[Vec<u8>], splices: &mut Splices) {
        if added.is_empty() {
            return;
        }
        let head = splice::list_of_compounds(self.sections.len() + added.len());
        match &self.list {
            Some(list) => {
                splices.replace(list.tag.start..list.tag.start + head.len(), head);
                splices.insert(list.tag.end, added.concat());
            }
            None => {
                let list = [head, added.concat()].concat();
                let list = splice::field(kind::LIST, name_of_sections(self.layout), &list);
                splices.insert(self.parent.end - 1, list);
            }
        }
    }

    /// Returns whether the cells of all chunks of the column have `i32` positions.
    pub fn is_in_range(&self) -> bool {
        Cube::holds_chunk(self.chunk_at(0))
    }
}

fn name_of_sections(layout: Layout) -> &'static str {
    if layout == Layout::Contained { "sections" } else { "Sections" }
}

/// Returns the field with the states of a section, since 1.18.
fn contained(section: Section) -> Vec<u8> {
    let states = splice::compound(&section.into_fields(Layout::Contained));
    splice::field(kind::COMPOUND, STATES, &states)
}

/// Returns the height of the lowest cells of a section.
fn lowest_cell(y: i32) -> i32 {
    Cube::cell_at(ChunkPos::new(0, y, 0), 0).y
}

fn in_section(y: i32) -> impl Fn(SectionFault) -> ColumnFault {
    move |fault| ColumnFault::Section { y, fault }
}
