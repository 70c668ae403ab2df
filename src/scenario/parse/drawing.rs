//! The drawing: layers or slices of characters, one character for each cell.

use crate::coords::{ChunkRegion, Cube, Region};
use crate::scenario::error::{Problem, ScenarioError};
use crate::scenario::parse::tree::{Field, Table};
use glam::IVec3;
use std::collections::BTreeMap;

/// The character of a cell that is not part of the world.
pub(crate) const NOWHERE: char = ' ';

/// The most cells that a drawing may have.
const LIMIT: usize = 1 << 24;

/// A box of characters. Cells are cells of the drawing; in the world they are shifted by
/// [`offset`](Drawing::offset).
#[derive(Debug)]
pub(crate) struct Drawing {
    region: Region,
    /// The characters of all cells: x fastest, then z, then y.
    characters: Vec<char>,
    /// The line on which each character first occurs.
    lines: BTreeMap<char, usize>,
    pub(crate) offset: IVec3,
}

/// How the plates of a drawing lie. A plate is one `[[layer]]` or `[[slice]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// `[[layer]]`: seen from above, bottom first, rows along +z.
    Above,
    /// `[[slice]]`: seen from the side, smallest z first, the first row on top.
    Side,
}

impl View {
    /// Returns the key of a plate's position.
    fn key(self) -> &'static str {
        match self {
            View::Above => "y",
            View::Side => "z",
        }
    }
}

impl Drawing {
    /// Reads the plates of a drawing; `missing` is the error if there are none.
    pub(crate) fn read(
        tables: Vec<Table>,
        view: View,
        missing: ScenarioError,
    ) -> Result<Drawing, ScenarioError> {
        let mut lines = BTreeMap::new();
        let mut characters: Vec<char> = Vec::new();
        let mut first_size = None;
        let mut first_at = None;
        let mut least = 0;
        for table in tables {
            let plate = Plate::read(table, view)?;
            let [width, height] = *first_size.get_or_insert(plate.size);
            if plate.size != [width, height] || width == 0 {
                let first = [width, height];
                return Err(Problem::PlateSize { size: plate.size, first }.at_line(plate.line));
            }
            let at = plate.at.unwrap_or(least);
            if first_at.is_none() {
                (first_at, least) = (Some(at), at);
            }
            if at < least {
                let order = Problem::PlateOrder { key: view.key(), at, least };
                return Err(order.at_line(plate.line));
            }
            let too_large = Problem::TooLarge { limit: LIMIT }.at_line(plate.line);
            let gap = at.abs_diff(least) as usize;
            let cells = (width * height).checked_mul(gap + plate.repeat);
            if cells.is_none_or(|cells| cells > LIMIT - characters.len()) {
                return Err(too_large);
            }
            characters.resize(characters.len() + gap * width * height, NOWHERE);
            for _ in 0..plate.repeat {
                characters.extend(&plate.characters);
            }
            for (character, line) in plate.lines {
                lines.entry(character).or_insert(line);
            }
            // This cannot overflow: `at` is in half the range, and `repeat` is at most the limit.
            least = at + plate.repeat as i32;
        }
        let (Some([width, height]), Some(first)) = (first_size, first_at) else {
            return Err(missing);
        };
        let (width, height) = (width as i32 - 1, height as i32 - 1);
        if view == View::Above {
            let region = Region::new(IVec3::new(0, first, 0), IVec3::new(width, least - 1, height));
            return Ok(Drawing { region, characters, lines, offset: IVec3::ZERO });
        }
        let region = Region::new(IVec3::new(0, 0, first), IVec3::new(width, height, least - 1));
        let drawn = |cell: IVec3| {
            let (slice, row) = ((cell.z - first) as usize, (height - cell.y) as usize);
            characters
                [(slice * (height as usize + 1) + row) * (width as usize + 1) + cell.x as usize]
        };
        Ok(Drawing {
            region,
            characters: region.positions().map(drawn).collect(),
            lines,
            offset: IVec3::ZERO,
        })
    }

    /// Returns the drawn cells.
    pub(crate) fn region(&self) -> Region {
        self.region
    }

    /// Returns the drawn cells shifted by `offset`, or `None` if that leaves the `i32` range.
    pub(crate) fn region_at(&self, offset: IVec3) -> Option<Region> {
        let (min, max) = (self.region.min(), self.region.max());
        Some(Region::new(min.checked_add(offset)?, max.checked_add(offset)?))
    }

    /// Returns the box of chunk positions that the drawing touches in a world of [`Cube`] chunks.
    pub(crate) fn chunks(&self) -> Option<ChunkRegion> {
        let region = self.region_at(self.offset)?;
        Some(ChunkRegion::of::<Cube>(region))
    }

    /// Returns the character of a cell; `None` outside the drawing.
    pub(crate) fn at(&self, cell: IVec3) -> Option<char> {
        if !self.region.contains(cell) {
            return None;
        }
        let [width, _, depth] = self.region.size().map(|size| size as usize);
        let local = cell - self.region.min();
        Some(
            self.characters
                [(local.y as usize * depth + local.z as usize) * width + local.x as usize],
        )
    }

    /// Returns the characters in use with the lines on which they first occur.
    pub(crate) fn characters(&self) -> impl Iterator<Item = (char, usize)> {
        self.lines.iter().map(|(&character, &line)| (character, line))
    }

    /// Takes a choice of cells out of a table: `cells`, the characters that they are drawn with, or
    /// `from` and `to`, two corners, of which `to` defaults to `from`. Returns `None` if the table
    /// has neither.
    pub(crate) fn take_cells(
        &self,
        table: &mut Table,
    ) -> Result<Option<Vec<IVec3>>, ScenarioError> {
        let (from, to) = (table.take("from"), table.take("to"));
        match (table.take("cells"), from, to) {
            (Some(field), None, None) => self.drawn_with(&field).map(Some),
            (Some(field), ..) => Err(field.refuse("alone, or give way to `from` and `to`")),
            (None, Some(from), to) => {
                let to = to.unwrap_or(from.clone());
                for corner in [&from, &to] {
                    let cell = corner.cell()?;
                    if !self.region.contains(cell) {
                        return Err(Problem::OutOfDrawing { cell }.at_line(corner.line));
                    }
                }
                Ok(Some(Region::new(from.cell()?, to.cell()?).positions().collect()))
            }
            (None, None, Some(to)) => Err(to.refuse("the second corner, after `from`")),
            (None, None, None) => Ok(None),
        }
    }

    /// Returns the cells drawn with any character of a string.
    pub(crate) fn drawn_with(&self, field: &Field) -> Result<Vec<IVec3>, ScenarioError> {
        let text = field.text()?;
        if text.is_empty() || text.chars().any(|character| !self.lines.contains_key(&character)) {
            return Err(field.refuse("characters of the drawing"));
        }
        let cells = self.region.positions().zip(&self.characters);
        Ok(cells.filter(|(_, c)| text.contains(**c)).map(|(cell, _)| cell).collect())
    }
}

/// One `[[layer]]` or `[[slice]]`.
struct Plate {
    line: usize,
    /// The y or z of the plate, if the file has it.
    at: Option<i32>,
    /// How many times the plate is stacked.
    repeat: usize,
    /// The number of cells in a row, and the number of rows.
    size: [usize; 2],
    characters: Vec<char>,
    lines: BTreeMap<char, usize>,
}

impl Plate {
    fn read(mut table: Table, view: View) -> Result<Plate, ScenarioError> {
        let line = table.line;
        let half = i64::from(i32::MAX / 2);
        let at = table.take(view.key()).map(|field| field.whole(-half - 1, half)).transpose()?;
        let at = at.map(|at| at as i32);
        let [along_x, along_y, along_z] = repeats(table.take("repeat"), view)?;
        let (across, repeat) = match view {
            View::Above => (along_z, along_y),
            View::Side => (along_y, along_z),
        };
        let rows = table.need("rows")?.list()?;
        table.finish()?;

        let mut lines = BTreeMap::new();
        let mut tile: Vec<Vec<char>> = Vec::new();
        for row in &rows {
            let cells: Vec<char> = row.text()?.chars().collect();
            let first = tile.first().map_or(cells.len(), Vec::len);
            if cells.len() != first {
                return Err(Problem::RaggedRow { cells: cells.len(), first }.at_line(row.line));
            }
            for &character in &cells {
                lines.entry(character).or_insert(row.line);
            }
            tile.push(cells);
        }
        let size = [
            tile.first().map_or(0, Vec::len).saturating_mul(along_x),
            tile.len().saturating_mul(across),
        ];
        if size[0].saturating_mul(size[1]) > LIMIT {
            return Err(Problem::TooLarge { limit: LIMIT }.at_line(line));
        }
        let mut characters = Vec::with_capacity(size[0] * size[1]);
        for row in (0..across).flat_map(|_| &tile) {
            for _ in 0..along_x {
                characters.extend(row);
            }
        }
        Ok(Plate { line, at, repeat, size, characters, lines })
    }
}

/// Reads how often a plate is repeated along each axis: `repeat = N` stacks it; `repeat = [x, y,
/// z]` repeats it along every axis.
fn repeats(field: Option<Field>, view: View) -> Result<[usize; 3], ScenarioError> {
    let times = |field: &Field| field.whole(1, LIMIT as i64).map(|value| value as usize);
    let Some(field) = field else { return Ok([1; 3]) };
    match (field.as_list().as_deref(), view) {
        (Some([x, y, z]), _) => Ok([times(x)?, times(y)?, times(z)?]),
        (Some(_), _) => Err(field.refuse("a number or [x, y, z]")),
        (None, View::Above) => Ok([1, times(&field)?, 1]),
        (None, View::Side) => Ok([1, 1, times(&field)?]),
    }
}
