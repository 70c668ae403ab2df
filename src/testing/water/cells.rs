//! A naive model of a water world between ticks: its cells, their contents, and
//! the ledger after edits. It does what the documentation of each edit says, cell by
//! cell, and shares no code with the world.

use crate::coords::ChunkPos;
use crate::simulation::Displaced;
use crate::water::{ChunkRecord, EditError, Ledger, Voxel, WaterWorld};
use crate::{Chunk, Cube, Face, Region, Shape};
use glam::IVec3;
use std::collections::HashSet;

/// The neighbours to which displaced water goes, in order.
const FACES: [Face; 6] = [Face::West, Face::East, Face::North, Face::South, Face::Up, Face::Down];

/// The contents of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    NotLoaded,
    Solid,
    Sea,
    Open { height: u8, source: bool },
}

impl Cell {
    /// Returns the contents of a voxel.
    pub(super) fn of(voxel: Voxel) -> Cell {
        match voxel.cell() {
            None if voxel.is_sea() => Cell::Sea,
            None => Cell::Solid,
            Some(cell) => Cell::Open { height: cell.height(), source: cell.is_source() },
        }
    }

    /// Returns the units of water.
    pub(super) fn height(self) -> u8 {
        if let Cell::Open { height, .. } = self { height } else { 0 }
    }

    /// Returns whether it is a spring.
    pub(super) fn is_source(self) -> bool {
        matches!(self, Cell::Open { source: true, .. })
    }
}

/// The cells of a chunk within the bounds.
pub(super) type Held = Vec<(IVec3, Cell)>;

fn units_of(held: &Held) -> u64 {
    held.iter().map(|(_, content)| u64::from(content.height())).sum()
}

/// Every cell of a small bounded world, and its ledger.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    pub(super) region: Region,
    /// The contents, in the order of the region's positions.
    pub(super) contents: Vec<Cell>,
    pub(super) ledger: Ledger,
    /// The chunks that stand still.
    pub(super) frozen: HashSet<ChunkPos>,
}

impl Cells {
    /// Reads a world.
    pub(super) fn of(world: &WaterWorld) -> Cells {
        let region = world.bounds();
        let content = |cell| world.voxel(cell).map_or(Cell::NotLoaded, Cell::of);
        Cells {
            region,
            contents: region.positions().map(content).collect(),
            ledger: world.ledger(),
            frozen: world.frozen_chunks().collect(),
        }
    }

    /// Returns the units in all cells.
    pub(super) fn total(&self) -> u64 {
        self.contents.iter().map(|content| u64::from(content.height())).sum()
    }

    /// Returns the contents of a cell.
    pub(super) fn at(&self, cell: IVec3) -> Result<Cell, EditError> {
        match self.slot(cell).map(|slot| self.contents[slot]) {
            None => Err(EditError::OutOfBounds(cell)),
            Some(Cell::NotLoaded) => Err(EditError::NotLoaded(cell)),
            Some(content) => Ok(content),
        }
    }

    /// Returns where a cell is in `contents`; `None` if it is out of bounds.
    pub(super) fn slot(&self, cell: IVec3) -> Option<usize> {
        let [width, _, depth] = self.region.size().map(|size| size as usize);
        let local = (cell - self.region.min()).as_usizevec3();
        self.region.contains(cell).then(|| (local.y * depth + local.z) * width + local.x)
    }

    pub(super) fn put(&mut self, cell: IVec3, content: Cell) {
        if let Some(slot) = self.slot(cell) {
            self.contents[slot] = content;
        }
    }

    /// Returns whether one of two loaded cells stands still and the other does not.
    pub(super) fn are_parted(&self, cell: IVec3, other: IVec3) -> bool {
        let chunks = [cell, other].map(Cube::chunk_of);
        let [one, two] = chunks.map(|chunk| self.frozen.contains(&chunk));
        one != two && chunks.into_iter().all(|chunk| self.has_chunk(chunk))
    }

    /// Works like [`WaterWorld::freeze`] and [`WaterWorld::thaw`].
    pub(super) fn set_frozen(
        &mut self,
        chunks: &[ChunkPos],
        is_frozen: bool,
    ) -> Result<bool, EditError> {
        if let Some(&absent) = chunks.iter().find(|&&chunk| !self.has_chunk(chunk)) {
            return Err(EditError::ChunkAbsent(absent));
        }
        let before = self.frozen.len();
        match is_frozen {
            true => self.frozen.extend(chunks),
            false => self.frozen.retain(|chunk| !chunks.contains(chunk)),
        }
        Ok(self.frozen.len() != before)
    }

    fn open(&self, cell: IVec3) -> Result<(u8, bool), EditError> {
        match self.at(cell)? {
            Cell::Open { height, source } => Ok((height, source)),
            _ => Err(EditError::Solid(cell)),
        }
    }

    /// Works like [`WaterWorld::set_solid`].
    pub(super) fn set_solid(&mut self, cell: IVec3) -> Result<Displaced, EditError> {
        let height = self.at(cell)?.height();
        let removed = self.push_out(&[cell]);
        let moved = u32::from(height) - removed as u32;
        Ok(Displaced { moved, removed: removed as u32 })
    }

    /// Makes cells solid and pushes their water to the nearest room. Returns the units that find no
    /// room.
    fn push_out(&mut self, cells: &[IVec3]) -> u64 {
        let mut wet: Vec<(IVec3, u8)> = Vec::new();
        for &cell in cells {
            let height = self.at(cell).map_or(0, Cell::height);
            wet.extend((height > 0).then_some((cell, height)));
            self.put(cell, Cell::Solid);
        }
        let each = (16_384 / wet.len().max(1)).max(64);
        let mut removed = 0;
        while !wet.is_empty() {
            let mut body = vec![wet.remove(0)];
            let mut at = 0;
            while at < body.len() {
                let cell = body[at].0;
                for there in FACES.iter().filter_map(|face| cell.checked_add(face.offset())) {
                    let is_there = |&(wet, _): &(IVec3, u8)| wet == there;
                    if self.are_parted(cell, there) {
                        continue;
                    }
                    if let Some(found) = wet.iter().position(is_there) {
                        body.push(wet.remove(found));
                    }
                }
                at += 1;
            }
            let units = body.iter().map(|&(_, height)| u64::from(height)).sum();
            let cells: Vec<IVec3> = body.iter().map(|&(cell, _)| cell).collect();
            removed += self.spread(&cells, None, units, each * body.len());
        }
        self.ledger.removed += removed;
        removed
    }

    /// Looks for room for `units` units, from the cells of `body`, which are filled, or in the cell
    /// `first` and from there, in at most `most` cells. Returns the units that found no room. Of
    /// all cells that can be reached, water goes to the nearest, and among equally near cells to
    /// the one that was reached first.
    pub(super) fn spread(
        &mut self,
        body: &[IVec3],
        first: Option<IVec3>,
        mut units: u64,
        mut most: usize,
    ) -> u64 {
        let mut reached: Vec<(usize, IVec3)> = Vec::new();
        let (mut entered, mut fallen) = (Vec::new(), Vec::new());
        let mut starts = body.iter();
        let mut rising: Option<(usize, IVec3)> = first.map(|cell| (0, cell));
        while units > 0 && most > 0 {
            // Straight up comes first, then the cells of `body`, then the nearest of the cells
            // reached.
            let (far, cell, is_start) = if let Some((far, cell)) = rising.take() {
                (far, cell, false)
            } else if let Some(&cell) = starts.next() {
                (0, cell, true)
            } else if let Some(nearest) = (0..reached.len()).min_by_key(|&at| reached[at].0) {
                let (far, cell) = reached.remove(nearest);
                (far, cell, false)
            } else {
                break;
            };
            if !is_start {
                if entered.contains(&cell) {
                    continue;
                }
                most -= 1;
                let Ok((height, source)) = self.open(cell) else { continue };
                let below = cell.checked_add(IVec3::NEG_Y);
                if height == 0
                    && let Some(below) = below
                    && !self.are_parted(cell, below)
                    && self.open(below).is_ok_and(|(height, _)| height < 7)
                {
                    if !fallen.contains(&cell) {
                        fallen.push(cell);
                        reached.push((far + 1, below));
                    }
                    continue;
                }
                entered.push(cell);
                let more = units.min(u64::from(7 - height));
                self.put(cell, Cell::Open { height: height + more as u8, source });
                units -= more;
            }
            for face in FACES {
                let Some(there) = cell.checked_add(face.offset()) else { continue };
                match self.open(there) {
                    Err(_) => {}
                    _ if self.are_parted(cell, there) => {}
                    _ if entered.contains(&there) => {}
                    Ok((7, _)) if face == Face::Up => rising = Some((far, there)),
                    Ok(_) => reached.push((far + 1, there)),
                }
            }
        }
        units
    }

    /// Works like [`WaterWorld::clear_solid`].
    pub(super) fn clear_solid(&mut self, cell: IVec3) -> Result<bool, EditError> {
        let solid = self.at(cell)? == Cell::Solid;
        if solid {
            self.put(cell, Cell::Open { height: 0, source: false });
        }
        Ok(solid)
    }

    /// Returns whether the sea may close over an open cell: the cell is on the sea, and beside or
    /// below sea. Beyond the end of the world or of its loaded chunks, there may be sea.
    pub(super) fn may_close(&self, cell: IVec3) -> bool {
        let is = |face: Face, may_be: bool| match cell.checked_add(face.offset()) {
            Some(there) if self.are_parted(cell, there) => false,
            Some(there) => match self.at(there) {
                Ok(content) => content == Cell::Sea,
                Err(_) => may_be,
            },
            None => may_be,
        };
        is(Face::Down, false)
            && (is(Face::Up, false) || Face::LATERAL.into_iter().any(|face| is(face, true)))
    }

    /// Works like [`WaterWorld::set_sea`].
    pub(super) fn set_sea(&mut self, cell: IVec3) -> Result<bool, EditError> {
        let was = self.at(cell)?;
        self.ledger.removed += u64::from(was.height());
        self.put(cell, Cell::Sea);
        Ok(was != Cell::Sea)
    }

    /// Works like [`WaterWorld::clear_sea`].
    pub(super) fn clear_sea(&mut self, cell: IVec3) -> Result<bool, EditError> {
        let was_sea = self.at(cell)? == Cell::Sea;
        if was_sea {
            self.put(cell, Cell::Open { height: 0, source: false });
        }
        Ok(was_sea)
    }

    /// Works like [`WaterWorld::add_source`] and [`WaterWorld::remove_source`].
    pub(super) fn set_source(&mut self, cell: IVec3, source: bool) -> Result<bool, EditError> {
        if self.at(cell)? == Cell::Sea {
            if source {
                self.ledger.injected += 7;
                self.put(cell, Cell::Open { height: 7, source });
            }
            return Ok(source);
        }
        let (height, was) = self.open(cell)?;
        let height = if source { 7 } else { height };
        self.ledger.injected += u64::from(height - self.open(cell)?.0);
        self.put(cell, Cell::Open { height, source });
        Ok(was != source)
    }

    /// Works like [`WaterWorld::pour`].
    pub(super) fn pour(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        if self.at(cell)? == Cell::Sea {
            self.ledger.placed += u64::from(units.min(7));
            self.ledger.into_sea += u64::from(units.min(7));
            return Ok(units.min(7));
        }
        let (height, source) = self.open(cell)?;
        let poured = units.min(u32::from(7 - height));
        self.ledger.placed += u64::from(poured);
        self.put(cell, Cell::Open { height: height + poured as u8, source });
        Ok(poured)
    }

    /// Works like [`WaterWorld::scoop`].
    pub(super) fn scoop(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        if self.at(cell)? == Cell::Sea {
            self.ledger.removed += u64::from(units.min(7));
            self.ledger.from_sea += u64::from(units.min(7));
            return Ok(units.min(7));
        }
        let (height, source) = self.open(cell)?;
        let scooped = units.min(u32::from(height));
        self.ledger.removed += u64::from(scooped);
        if source {
            self.ledger.injected += u64::from(scooped);
        } else {
            self.put(cell, Cell::Open { height: height - scooped as u8, source });
        }
        Ok(scooped)
    }

    /// Works like [`WaterWorld::fill_solid`], [`WaterWorld::fill_water`] and
    /// [`WaterWorld::fill_sea`]. A corner out of bounds is refused first. Of several cells that are
    /// not loaded, any may be named: here it is the first in order of its chunk.
    pub(super) fn fill(&mut self, region: Region, content: Cell) -> Result<u64, EditError> {
        if content.height() > 7 {
            return Err(EditError::Height(content.height()));
        }
        for corner in [region.min(), region.max()] {
            if !self.region.contains(corner) {
                return Err(EditError::OutOfBounds(corner));
            }
        }
        let chunk_order = |&cell: &IVec3| {
            let chunk = Cube::chunk_of(cell);
            [chunk.y, chunk.z, chunk.x]
        };
        if let Some(cell) =
            region.positions().filter(|&cell| self.at(cell).is_err()).min_by_key(chunk_order)
        {
            return Err(EditError::NotLoaded(cell));
        }
        if content == Cell::Solid {
            return Ok(self.push_out(&region.positions().collect::<Vec<_>>()));
        }
        let mut removed = 0;
        for cell in region.positions() {
            removed += u64::from(self.at(cell)?.height());
            self.ledger.placed += u64::from(content.height());
            self.put(cell, content);
        }
        self.ledger.removed += removed;
        Ok(removed)
    }

    /// Works like [`WaterWorld::insert_chunk`].
    pub(super) fn insert_chunk(
        &mut self,
        position: ChunkPos,
        chunk: &Chunk<Voxel>,
    ) -> Result<(), EditError> {
        let units = self.load(position, chunk)?;
        self.ledger.placed += units;
        Ok(())
    }

    /// Works like [`WaterWorld::insert_chunks`].
    pub(super) fn insert_chunks(
        &mut self,
        list: &[(ChunkPos, Chunk<Voxel>)],
    ) -> Result<(), EditError> {
        let mut all = self.clone();
        list.iter().try_for_each(|(position, chunk)| all.insert_chunk(*position, chunk))?;
        *self = all;
        Ok(())
    }

    /// Works like [`WaterWorld::insert_records`].
    pub(super) fn insert_records(&mut self, records: &[ChunkRecord]) -> Result<(), EditError> {
        let mut all = self.clone();
        for record in records {
            all.ledger.loaded += all.load(record.position(), record.chunk())?;
        }
        *self = all;
        Ok(())
    }

    /// Loads a chunk and returns the units in it.
    fn load(&mut self, position: ChunkPos, chunk: &Chunk<Voxel>) -> Result<u64, EditError> {
        let Some(cells) = self.cells_of(position) else {
            return Err(EditError::ChunkOutOfBounds(position));
        };
        if cells.positions().any(|cell| self.at(cell).is_ok()) {
            return Err(EditError::ChunkPresent(position));
        }
        let mut units = 0;
        for cell in cells.positions() {
            let content = Cell::of(chunk.get(Cube::index_of(cell)));
            units += u64::from(content.height());
            self.put(cell, content);
        }
        Ok(units)
    }

    /// Works like [`WaterWorld::remove_chunk`]; returns what the removed chunk must hold within the
    /// bounds.
    pub(super) fn remove_chunk(&mut self, position: ChunkPos) -> Result<Held, EditError> {
        let held = self.take_out(position)?;
        self.ledger.removed += units_of(&held);
        Ok(held)
    }

    /// Works like [`WaterWorld::remove_chunks`], for a single chunk.
    pub(super) fn unload(&mut self, position: ChunkPos) -> Result<Held, EditError> {
        let held = self.take_out(position)?;
        self.ledger.unloaded += units_of(&held);
        Ok(held)
    }

    /// Returns whether a chunk is loaded.
    pub(super) fn has_chunk(&self, position: ChunkPos) -> bool {
        let first = self.cells_of(position).and_then(|cells| cells.positions().next());
        first.is_some_and(|cell| self.at(cell).is_ok())
    }

    fn take_out(&mut self, position: ChunkPos) -> Result<Held, EditError> {
        let Some(cells) = self.cells_of(position) else {
            return Err(EditError::ChunkAbsent(position));
        };
        let mut held = Vec::new();
        self.frozen.remove(&position);
        for cell in cells.positions() {
            let content = self.at(cell).map_err(|_| EditError::ChunkAbsent(position))?;
            held.push((cell, content));
            self.put(cell, Cell::NotLoaded);
        }
        Ok(held)
    }

    fn cells_of(&self, chunk: ChunkPos) -> Option<Region> {
        let is_chunk = Cube::holds_chunk(chunk);
        is_chunk.then(|| Cube::region_of(chunk)).and_then(|cells| self.region.intersection(&cells))
    }
}
