//! The drawing: layers of characters, one for each cell, and where in the world they stand.

use super::error::ScenarioError;
use super::tree::{Field, Table};
use crate::coords::{Cube, Region, Shape};
use glam::IVec3;
use std::collections::BTreeMap;

/// The character of a cell that is not part of the world.
pub(super) const NOWHERE: char = ' ';

/// Cells that a drawing may have.
const LIMIT: usize = 1 << 24;

/// A box of characters. Cells are given as they are drawn; the world has them [`offset`](Drawing::offset) further on.
#[derive(Debug)]
pub(super) struct Drawing {
    region: Region,
    /// x fastest, then z, then y.
    characters: Vec<char>,
    /// The line on which each character first stands.
    lines: BTreeMap<char, usize>,
    pub(super) offset: IVec3,
}

impl Drawing {
    pub(super) fn read(layers: Vec<Table>, missing: ScenarioError) -> Result<Drawing, ScenarioError> {
        let mut lines = BTreeMap::new();
        let mut characters: Vec<char> = Vec::new();
        let mut first = None;
        let mut next = None;
        let mut bottom = 0;
        for table in layers {
            let layer = Layer::read(table)?;
            let [width, depth] = *first.get_or_insert(layer.size);
            if layer.size != [width, depth] || width == 0 {
                return Err(ScenarioError::LayerSize { line: layer.line, size: layer.size, first: [width, depth] });
            }
            let least = next.unwrap_or(layer.y.unwrap_or(0));
            let y = layer.y.unwrap_or(least);
            if next.is_none() {
                bottom = y;
            }
            if y < least {
                return Err(ScenarioError::LayerOrder { line: layer.line, y, least });
            }
            let gap = (i64::from(y) - i64::from(least)).unsigned_abs() as usize;
            let cells = (width * depth).checked_mul(gap + layer.repeat);
            if cells.is_none_or(|cells| cells > LIMIT - characters.len().min(LIMIT)) {
                return Err(ScenarioError::TooLarge { line: layer.line, limit: LIMIT });
            }
            characters.resize(characters.len() + gap * width * depth, NOWHERE);
            for _ in 0..layer.repeat {
                characters.extend(&layer.characters);
            }
            for (character, line) in layer.lines {
                lines.entry(character).or_insert(line);
            }
            let above = i64::from(y) + layer.repeat as i64;
            let above = i32::try_from(above).map_err(|_| ScenarioError::TooLarge { line: layer.line, limit: LIMIT })?;
            next = Some(above);
        }
        let (Some([width, depth]), Some(above)) = (first, next) else { return Err(missing) };
        let region = Region::new(IVec3::new(0, bottom, 0), IVec3::new(width as i32 - 1, above - 1, depth as i32 - 1));
        Ok(Drawing { region, characters, lines, offset: IVec3::ZERO })
    }

    /// The drawn cells.
    pub(super) fn region(&self) -> Region {
        self.region
    }

    /// The same cells where the world has them, or `None` if they do not fit into the `i32` range.
    pub(super) fn region_at(&self, offset: IVec3) -> Option<Region> {
        let (min, max) = (self.region.min(), self.region.max());
        let add = |a: IVec3| {
            Some(IVec3::new(a.x.checked_add(offset.x)?, a.y.checked_add(offset.y)?, a.z.checked_add(offset.z)?))
        };
        Some(Region::new(add(min)?, add(max)?))
    }

    /// The chunk positions that the drawing touches in the world.
    pub(super) fn chunks(&self) -> Option<Region> {
        let region = self.region_at(self.offset)?;
        Some(Region::new(Cube::chunk_of(region.min()), Cube::chunk_of(region.max())))
    }

    /// The character of a cell; `None` outside the drawing.
    pub(super) fn at(&self, cell: IVec3) -> Option<char> {
        if !self.region.contains(cell) {
            return None;
        }
        let [width, _, depth] = self.region.size().map(|size| size as usize);
        let local = cell - self.region.min();
        Some(self.characters[(local.y as usize * depth + local.z as usize) * width + local.x as usize])
    }

    /// The characters in use with the lines on which they first stand.
    pub(super) fn characters(&self) -> impl Iterator<Item = (char, usize)> {
        self.lines.iter().map(|(&character, &line)| (character, line))
    }

    /// Takes the choice of cells out of a table: `cells`, the characters that they are drawn with, or `from` and `to`,
    /// two corners, of which `to` defaults to `from`. `None` if the table names no cells.
    pub(super) fn take_cells(&self, table: &mut Table) -> Result<Option<Vec<IVec3>>, ScenarioError> {
        let (from, to) = (table.take("from"), table.take("to"));
        match (table.take("cells"), from, to) {
            (Some(field), None, None) => self.drawn_with(&field).map(Some),
            (Some(field), ..) => Err(field.refuse("alone, or give way to `from` and `to`")),
            (None, Some(from), to) => {
                let to = to.unwrap_or(from.clone());
                for corner in [&from, &to] {
                    let cell = corner.cell()?;
                    if !self.region.contains(cell) {
                        return Err(ScenarioError::OutOfDrawing { line: corner.line, cell });
                    }
                }
                Ok(Some(Region::new(from.cell()?, to.cell()?).positions().collect()))
            }
            (None, None, Some(to)) => Err(to.refuse("the second corner, after `from`")),
            (None, None, None) => Ok(None),
        }
    }

    /// The cells drawn with any of the characters of a string.
    pub(super) fn drawn_with(&self, field: &Field) -> Result<Vec<IVec3>, ScenarioError> {
        let text = field.text()?;
        if text.is_empty() || text.chars().any(|character| !self.lines.contains_key(&character)) {
            return Err(field.refuse("characters of the drawing"));
        }
        Ok(self.region.positions().zip(&self.characters).filter(|(_, c)| text.contains(**c)).map(|(p, _)| p).collect())
    }
}

/// One `[[layer]]`.
struct Layer {
    line: usize,
    y: Option<i32>,
    /// How often it is stacked.
    repeat: usize,
    size: [usize; 2],
    characters: Vec<char>,
    lines: BTreeMap<char, usize>,
}

impl Layer {
    fn read(mut table: Table) -> Result<Layer, ScenarioError> {
        let line = table.line;
        let y = match table.take("y") {
            Some(field) => Some(field.whole(i64::from(i32::MIN / 2), i64::from(i32::MAX / 2))? as i32),
            None => None,
        };
        let [across, up, along] = repeats(table.take("repeat"))?;
        let rows = table.need("rows")?.list()?;
        table.finish()?;

        let mut lines = BTreeMap::new();
        let mut tile: Vec<Vec<char>> = Vec::new();
        for row in &rows {
            let cells: Vec<char> = row.text()?.chars().collect();
            let first = tile.first().map_or(cells.len(), Vec::len);
            if cells.len() != first {
                return Err(ScenarioError::RaggedRow { line: row.line, cells: cells.len(), first });
            }
            for &character in &cells {
                lines.entry(character).or_insert(row.line);
            }
            tile.push(cells);
        }
        let size = [tile.first().map_or(0, Vec::len) * across, tile.len() * along];
        if size[0].saturating_mul(size[1]) > LIMIT {
            return Err(ScenarioError::TooLarge { line, limit: LIMIT });
        }
        let mut characters = Vec::with_capacity(size[0] * size[1]);
        for row in (0..along).flat_map(|_| &tile) {
            for _ in 0..across {
                characters.extend(row);
            }
        }
        Ok(Layer { line, y, repeat: up, size, characters, lines })
    }
}

/// `repeat = N` stacks a layer; `repeat = [x, y, z]` lays it out along x and z, too.
fn repeats(field: Option<Field>) -> Result<[usize; 3], ScenarioError> {
    let times = |field: &Field| field.whole(1, LIMIT as i64).map(|value| value as usize);
    match field {
        None => Ok([1; 3]),
        Some(field) => match field.as_list() {
            Some([x, y, z]) => Ok([times(x)?, times(y)?, times(z)?]),
            Some(_) => Err(field.refuse("a number of layers or [x, y, z]")),
            None => Ok([1, times(&field)?, 1]),
        },
    }
}
