//! A column of chunks: where each version of the game keeps its position and its sections.

use super::error::{ColumnFault, SectionFault};
use super::nbt::{Field, Nbt, Tag, kind};
use super::rules::BlockRules;
use super::section::{Layout, Section};
use super::splice::{self, Splices};
use crate::chunk::Chunk;
use crate::coords::{Cube, Shape};
use crate::water::{Voxel, WaterWorld};
use core::ops::Range;
use glam::{IVec2, IVec3};

/// The first versions of the data (`DataVersion`) that store states by name, and pack them without
/// indices that span two words.
const NAMED_SINCE: i32 = 1451;
const PADDED_SINCE: i32 = 2529;

/// The most sections of a column: y is a signed byte.
const MOST_SECTIONS: usize = 256;

/// The sections of a world that is 256 high: all before 1.18, unless a data pack says otherwise.
const OLD_SECTIONS: Range<i32> = 0..16;

/// The compound of palette and indices since 1.18.
const STATES: &str = "block_states";

/// A column of a region file, decompressed.
pub(super) struct Column<'a> {
    nbt: Nbt<'a>,
    layout: Layout,
    /// x and z, in chunks.
    pub position: IVec2,
    /// The compound that holds the list of sections.
    parent: Tag,
    list: Option<Field<'a>>,
    /// The sections with blocks and those without, each with its y in chunks.
    sections: Vec<(i32, Tag)>,
    /// The sections that become chunks, stored or not. None if the game has not finished the
    /// column.
    span: Range<i32>,
}

impl<'a> Column<'a> {
    /// Reads where everything lies.
    pub fn read(bytes: &'a [u8]) -> Result<Column<'a>, ColumnFault> {
        let nbt = Nbt::read(bytes)?;
        let version = nbt.int(nbt.root, "DataVersion")?.unwrap_or(0);
        let level = nbt.get(nbt.root, "Level", kind::COMPOUND)?;
        let layout = match level {
            None => Layout::Contained,
            Some(_) if version < NAMED_SINCE => Layout::Numbered,
            Some(_) if version < PADDED_SINCE => Layout::Spanning,
            Some(_) => Layout::Padded,
        };
        let parent = level.unwrap_or(nbt.root);
        let number = |name| nbt.int(parent, name)?.ok_or(ColumnFault::Missing { name });
        let status = nbt.text(parent, "Status")?;
        let mut column = Column {
            nbt,
            layout,
            position: IVec2::new(number("xPos")?, number("zPos")?),
            parent,
            list: nbt.field(parent, name_of_sections(layout), kind::LIST)?,
            sections: Vec::new(),
            span: 0..0,
        };
        if layout == Layout::Contained && column.list.is_none() {
            return Err(ColumnFault::Missing { name: name_of_sections(layout) });
        }
        column.find_sections()?;
        if status.is_none_or(is_finished) {
            column.span = column.find_span()?;
        }
        Ok(column)
    }

    fn find_sections(&mut self) -> Result<(), ColumnFault> {
        let Some(list) = &self.list else { return Ok(()) };
        for tag in self.nbt.compounds(list.tag, MOST_SECTIONS)? {
            let name = "Y";
            let y = self.nbt.int(tag, name)?.ok_or(ColumnFault::Missing { name })?;
            let is_taken = self.sections.iter().any(|&(other, _)| other == y);
            if i8::try_from(y).is_err() || is_taken {
                return Err(ColumnFault::Section { y, fault: SectionFault::Place });
            }
            self.sections.push((y, tag));
        }
        Ok(())
    }

    /// Returns the sections that exist: since 1.18 from `yPos` to the highest with blocks, before
    /// that all that a world of 256 layers has.
    fn find_span(&self) -> Result<Range<i32>, ColumnFault> {
        let mut with_blocks = Vec::new();
        for &(y, tag) in &self.sections {
            if self.holder(tag)?.is_some_and(|holder| self.has_blocks(holder)) {
                with_blocks.push(y);
            }
        }
        let (low, high) = (with_blocks.iter().min(), with_blocks.iter().max());
        let (Some(&low), Some(&high)) = (low, high) else {
            return Ok(if self.layout == Layout::Contained { 0..0 } else { OLD_SECTIONS });
        };
        if self.layout != Layout::Contained {
            return Ok(low.min(OLD_SECTIONS.start)..(high + 1).max(OLD_SECTIONS.end));
        }
        let lowest = self.nbt.int(self.parent, "yPos")?.unwrap_or(low);
        Ok(low.min(lowest.max(i32::from(i8::MIN)))..high + 1)
    }

    /// Returns the compound that holds the states of a section.
    fn holder(&self, section: Tag) -> Result<Option<Tag>, ColumnFault> {
        match self.layout {
            Layout::Contained => Ok(self.nbt.get(section, STATES, kind::COMPOUND)?),
            _ => Ok(Some(section)),
        }
    }

    fn has_blocks(&self, holder: Tag) -> bool {
        let name = self.layout.name_of_blocks();
        self.nbt.any_field(holder, name).is_ok_and(|field| field.is_some())
    }

    /// Returns the number of chunks that the column becomes.
    pub fn chunk_count(&self) -> usize {
        self.span.len()
    }

    /// Returns the chunk position of a section.
    pub fn chunk_at(&self, y: i32) -> IVec3 {
        IVec3::new(self.position.x, y, self.position.y)
    }

    /// Returns the section at y; `None` if there is none with blocks, so it is all air.
    fn section(&self, y: i32) -> Result<Option<(Tag, Option<Section>)>, ColumnFault> {
        let Some(&(_, tag)) = self.sections.iter().find(|(other, _)| *other == y) else {
            return Ok(None);
        };
        let Some(holder) = self.holder(tag)? else { return Ok(Some((tag, None))) };
        let section = Section::read(&self.nbt, holder, self.layout).map_err(in_section(y))?;
        Ok(Some((tag, section)))
    }

    /// Returns the chunks of the column with their positions, from the lowest. Sections that are
    /// left out within it are air.
    pub fn chunks(
        &self,
        rules: &BlockRules<'_>,
    ) -> Result<Vec<(IVec3, Chunk<Voxel>)>, ColumnFault> {
        let chunk = |y: i32| {
            let chunk = match self.section(y)? {
                Some((_, Some(section))) => {
                    section.chunk(lowest_cell(y), rules).map_err(in_section(y))?
                }
                _ => Chunk::uniform(Voxel::OPEN),
            };
            Ok((self.chunk_at(y), chunk))
        };
        self.span.clone().map(chunk).collect()
    }

    /// Returns the bytes of the column with the water of `world`; `None` if they stay as they are.
    pub fn with_water(
        &self,
        world: &WaterWorld,
        rules: &BlockRules<'_>,
    ) -> Result<Option<Vec<u8>>, ColumnFault> {
        let mut splices = Splices::default();
        let mut added = Vec::new();
        let mut is_changed = false;
        for y in self.span.clone() {
            let Some(chunk) = world.chunk(self.chunk_at(y)) else { continue };
            is_changed |= self.write_section(y, &chunk, rules, &mut splices, &mut added)?;
        }
        if !is_changed {
            return Ok(None);
        }
        self.add_sections(&added, &mut splices);
        Ok(Some(splices.apply(self.nbt.bytes)))
    }

    /// Writes the water of a chunk into the section at y, or into a new one. Returns whether there
    /// is anything to write.
    fn write_section(
        &self,
        y: i32,
        chunk: &Chunk<Voxel>,
        rules: &BlockRules<'_>,
        splices: &mut Splices,
        added: &mut Vec<Vec<u8>>,
    ) -> Result<bool, ColumnFault> {
        let found = self.section(y)?;
        let (tag, section) = found.map_or((None, None), |(tag, section)| (Some(tag), section));
        let mut section = section.unwrap_or_else(|| Section::of_air(self.layout));
        if !section.follow(chunk, lowest_cell(y), rules).map_err(in_section(y))? {
            return Ok(false);
        }
        match tag {
            None => added.push(self.new_section(y, section)),
            Some(tag) => match self.holder(tag)? {
                Some(holder) => {
                    section.write(&self.nbt, holder, self.layout, splices).map_err(in_section(y))?
                }
                None => splices.insert(tag.end - 1, contained(section)),
            },
        }
        Ok(true)
    }

    /// Returns the payload of a section that the column did not have.
    fn new_section(&self, y: i32, section: Section) -> Vec<u8> {
        let mut fields = vec![splice::field(kind::BYTE, "Y", &[y as i8 as u8])];
        if self.layout == Layout::Contained {
            fields.push(contained(section));
        } else {
            // Earlier versions do not load a section without light. It is that of open sky.
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

    /// Returns whether all chunks of the column are where cells have `i32` positions.
    pub fn is_in_range(&self) -> bool {
        Cube::holds_chunk(self.chunk_at(0))
    }
}

/// Returns whether the game has finished a column with this status.
fn is_finished(status: &str) -> bool {
    matches!(status, "full" | "minecraft:full" | "fullchunk" | "postprocessed")
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
    Cube::cell_at(IVec3::new(0, y, 0), 0).y
}

fn in_section(y: i32) -> impl Fn(SectionFault) -> ColumnFault {
    move |fault| ColumnFault::Section { y, fault }
}
