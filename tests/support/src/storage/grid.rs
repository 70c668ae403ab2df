//! The store against a model: operations on a grid and on plain maps must read the same.
//!
//! Every public function that changes a grid is an [`Op`]. After each operation the grid validates;
//! every so often everything that can be read is compared: cells, chunks and their order, flat
//! copies, marks, and iteration. Property tests and the fuzz target `chunk_store` make the
//! operations.

use floodplain::glam::IVec3;
use floodplain::{
    CHUNK_CELLS, Chunk, ChunkPos, FILL_CHUNK_LIMIT, Face, Grid, GridError, HaloShape, Region,
};
use hashbrown::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What cells of missing chunks read as.
pub const BACKGROUND: u16 = 1;

/// Every public function that changes a grid.
#[derive(Clone, Debug)]
pub enum Op {
    Set(IVec3, u16),
    Fill(Region, u16),
    FillEverywhere(u16),
    /// Cells that repeat with this period, so that uniform slices come too.
    CopyIn(Region, u16),
    /// A flat slice with this many cells too many.
    CopyInWrong(Region, usize),
    /// The chunk of this cell, uniform or with one odd cell.
    Insert(IVec3, u16, Option<usize>),
    /// A dense chunk of equal cells, which the grid has to canonicalise.
    InsertLoose(IVec3, u16),
    InsertAt(IVec3),
    Remove(IVec3),
    Wake(IVec3),
    Sleep(IVec3),
    MarkChanged(IVec3),
    TakeAwake,
    TakeChanges,
    /// A cursor that starts here and goes this way.
    Walk(IVec3, Vec<Stride>),
    Clone,
}

/// One move of a cursor.
#[derive(Clone, Copy, Debug)]
pub enum Stride {
    /// To a place this far away, or to the end of the range on the way there.
    Jump(IVec3),
    /// One cell; none at the end of the range.
    Step(Face),
}

impl Stride {
    fn offset(self) -> IVec3 {
        match self {
            Stride::Jump(offset) => offset,
            Stride::Step(face) => face.offset(),
        }
    }

    /// Where it leads, and whether a step was one.
    fn from(self, position: IVec3) -> (IVec3, bool) {
        match self {
            Stride::Jump(offset) => (position.saturating_add(offset), true),
            Stride::Step(face) => {
                let next = position.checked_add(face.offset());
                (next.unwrap_or(position), next.is_some())
            }
        }
    }
}

/// Chunk and local index, ordered like the grid: y slowest, then z, then x.
type Marks = BTreeMap<ChunkPos, BTreeSet<usize>>;

/// What a grid should hold: cells that differ from the background, chunks that exist, and marks.
#[derive(Default)]
struct Model {
    cells: HashMap<IVec3, u16>,
    chunks: BTreeSet<ChunkPos>,
    awake: Marks,
    changed: Marks,
}

impl Model {
    fn get(&self, position: IVec3) -> u16 {
        self.cells.get(&position).copied().unwrap_or(BACKGROUND)
    }

    /// The cell this far away; the background beyond the end of the range.
    fn near(&self, position: IVec3, offset: IVec3) -> u16 {
        position.checked_add(offset).map_or(BACKGROUND, |target| self.get(target))
    }

    fn set<S: HaloShape>(&mut self, position: IVec3, value: u16) -> u16 {
        if value == BACKGROUND {
            return self.cells.remove(&position).unwrap_or(BACKGROUND);
        }
        self.chunks.insert(S::chunk_of(position));
        self.cells.insert(position, value).unwrap_or(BACKGROUND)
    }

    fn remove<S: HaloShape>(&mut self, chunk: ChunkPos) -> bool {
        self.cells.retain(|&cell, _| S::chunk_of(cell) != chunk);
        self.awake.remove(&chunk);
        self.changed.remove(&chunk);
        self.chunks.remove(&chunk)
    }

    fn mark<S: HaloShape>(
        marks: &mut Marks,
        chunks: &BTreeSet<ChunkPos>,
        position: IVec3,
    ) -> Result<bool, GridError> {
        let chunk = S::chunk_of(position);
        if !chunks.contains(&chunk) {
            return Err(GridError::NoChunk(chunk));
        }
        Ok(marks.entry(chunk).or_default().insert(S::index_of(position)))
    }
}

fn listed<'m>(
    marks: impl IntoIterator<Item = (ChunkPos, &'m floodplain::CellMask)>,
) -> Vec<(ChunkPos, BTreeSet<usize>)> {
    marks.into_iter().map(|(chunk, mask)| (chunk, mask.iter().collect())).collect()
}

/// Applies one operation to both and compares what it returns.
fn apply<S: HaloShape>(op: &Op, grid: &mut Grid<u16, S>, model: &mut Model) {
    match op {
        &Op::Set(position, value) => {
            assert_eq!(grid.set(position, value), model.set::<S>(position, value))
        }
        &Op::Fill(region, value) => {
            assert_eq!(grid.fill(region, value), Ok(()));
            for position in region.positions() {
                model.set::<S>(position, value);
            }
        }
        &Op::FillEverywhere(BACKGROUND) => {
            assert_eq!(grid.fill(Region::EVERYWHERE, BACKGROUND), Ok(()));
            model.cells.clear();
        }
        &Op::FillEverywhere(value) => {
            let chunks = 1_u128 << (96 - 12);
            let missing = chunks - model.chunks.len() as u128;
            assert!(missing > FILL_CHUNK_LIMIT);
            assert_eq!(
                grid.fill(Region::EVERYWHERE, value),
                Err(GridError::RegionTooLarge { chunks: missing })
            );
        }
        &Op::CopyIn(region, period) => {
            let cells: Vec<u16> =
                (0..region.volume() as usize).map(|at| BACKGROUND + at as u16 % period).collect();
            assert_eq!(grid.copy_in(region, &cells), Ok(()));
            for (position, &cell) in region.positions().zip(&cells) {
                model.set::<S>(position, cell);
            }
        }
        &Op::CopyInWrong(region, extra) => {
            let mut cells = vec![7; region.volume() as usize + extra];
            let refused =
                Err(GridError::SliceLength { slice: cells.len(), region: region.volume() });
            assert_eq!(grid.copy_in(region, &cells), refused);
            assert_eq!(grid.copy_out(region, &mut cells), refused);
        }
        &Op::Insert(position, value, odd) => {
            let at = S::chunk_of(position);
            let mut cells = [value; CHUNK_CELLS];
            if let Some(odd) = odd {
                cells[odd] ^= 1;
            }
            let replaced = grid.insert(at, Chunk::from_cells(&cells));
            assert_eq!(replaced.map(|chunk| chunk.is_some()), Ok(model.chunks.contains(&at)));
            model.chunks.insert(at);
            for (index, &cell) in cells.iter().enumerate() {
                model.set::<S>(S::cell_at(at, index), cell);
            }
        }
        &Op::InsertLoose(position, value) => {
            let at = S::chunk_of(position);
            let mut chunk = Chunk::uniform(value);
            chunk.cells_mut();
            assert!(grid.insert(at, chunk).is_ok());
            assert_eq!(grid.chunk(at).and_then(Chunk::as_uniform), Some(value));
            model.chunks.insert(at);
            for index in 0..CHUNK_CELLS {
                model.set::<S>(S::cell_at(at, index), value);
            }
        }
        &Op::InsertAt(chunk) => {
            // A cell position taken for a chunk position: mostly out of range, and then nothing may
            // change.
            if S::holds_chunk(chunk.into()) {
                assert!(grid.insert(chunk.into(), Chunk::uniform(BACKGROUND)).is_ok());
                model.cells.retain(|&cell, _| S::chunk_of(cell) != chunk.into());
                model.chunks.insert(chunk.into());
            } else {
                let refused = GridError::ChunkOutOfRange(chunk.into());
                assert!(refused.to_string().contains(&chunk.to_string()));
                assert_eq!(grid.insert(chunk.into(), Chunk::uniform(2)), Err(refused));
                assert_eq!(grid.remove(chunk.into()), None);
            }
        }
        &Op::Remove(position) => {
            let at = S::chunk_of(position);
            let expected: Vec<u16> =
                (0..CHUNK_CELLS).map(|index| model.get(S::cell_at(at, index))).collect();
            let removed = grid.remove(at);
            assert_eq!(removed.is_some(), model.remove::<S>(at));
            if let Some(chunk) = removed {
                assert!((0..CHUNK_CELLS).all(|index| chunk.get(index) == expected[index]));
            }
        }
        &Op::Wake(position) => {
            assert_eq!(
                grid.wake(position),
                Model::mark::<S>(&mut model.awake, &model.chunks, position)
            );
        }
        &Op::MarkChanged(position) => {
            assert_eq!(
                grid.mark_changed(position),
                Model::mark::<S>(&mut model.changed, &model.chunks, position)
            );
        }
        &Op::Sleep(position) => {
            let chunk = S::chunk_of(position);
            let mask = model.awake.entry(chunk).or_default();
            assert_eq!(grid.sleep(position), mask.remove(&S::index_of(position)));
            if mask.is_empty() {
                model.awake.remove(&chunk);
            }
        }
        Op::TakeAwake => {
            let taken = grid.take_awake();
            let expected: Vec<_> = core::mem::take(&mut model.awake).into_iter().collect();
            assert_eq!(listed(taken.iter().map(|(chunk, mask)| (*chunk, mask))), expected);
        }
        Op::TakeChanges => {
            let taken = grid.take_changes();
            let expected: Vec<_> = core::mem::take(&mut model.changed).into_iter().collect();
            assert_eq!(listed(taken.iter().map(|(chunk, mask)| (*chunk, mask))), expected);
        }
        Op::Walk(start, way) => {
            walk(*start, way, grid, model);
            walk_back(*start, way, grid, model);
        }
        Op::Clone => *grid = grid.clone(),
    }
}

/// A cursor that looks where it is about to go.
fn walk<S: HaloShape>(start: IVec3, way: &[Stride], grid: &Grid<u16, S>, model: &Model) {
    let mut cursor = grid.cursor(start);
    let mut position = start;
    for &stride in way {
        let ahead = model.near(position, stride.offset());
        let (next, is_there) = stride.from(position);
        match stride {
            Stride::Jump(offset) => {
                assert_eq!(cursor.near(offset), ahead, "{offset} from {position}");
                cursor.move_to(next);
            }
            Stride::Step(face) => {
                assert_eq!(cursor.neighbour(face), ahead, "{face:?} of {position}");
                assert_eq!(cursor.step(face), is_there, "{face:?} of {position}");
            }
        }
        position = next;
        assert_eq!((cursor.position(), cursor.get()), (position, model.get(position)));
    }
}

/// A cursor that goes first and then looks back to where it comes from; so it meets chunks on its
/// way, not ahead of it.
fn walk_back<S: HaloShape>(start: IVec3, way: &[Stride], grid: &Grid<u16, S>, model: &Model) {
    let mut cursor = grid.cursor(start);
    let mut position = start;
    for &stride in way {
        let (next, is_there) = stride.from(position);
        position = next;
        let back = -stride.offset();
        let behind = model.near(position, back);
        match stride {
            Stride::Jump(_) => {
                cursor.move_to(position);
                assert_eq!((cursor.position(), cursor.get()), (position, model.get(position)));
                assert_eq!(cursor.near(back), behind, "{back} from {position}");
            }
            Stride::Step(face) => {
                assert_eq!(cursor.step(face), is_there, "{face:?} to {position}");
                assert_eq!((cursor.position(), cursor.get()), (position, model.get(position)));
                assert_eq!(cursor.neighbour(face.opposite()), behind, "{face:?} to {position}");
            }
        }
    }
}

/// Compares everything that can be read.
fn compare<S: HaloShape>(grid: &Grid<u16, S>, model: &Model, region: Region) {
    for (&position, &value) in &model.cells {
        assert_eq!(grid.get(position), value);
    }
    assert_eq!(grid.chunk_count(), model.chunks.len());
    assert_eq!(
        grid.chunks().map(|(chunk, _)| chunk).collect::<Vec<_>>(),
        model.chunks.iter().copied().collect::<Vec<_>>()
    );
    // Cells of the chunks that differ from the background are those of the model and no others.
    let differ = |chunk: &Chunk<u16>| {
        (0..CHUNK_CELLS).filter(|&index| chunk.get(index) != BACKGROUND).count()
    };
    assert_eq!(grid.chunks().map(|(_, chunk)| differ(chunk)).sum::<usize>(), model.cells.len());
    let dense = grid.chunks().filter(|(_, chunk)| chunk.as_dense().is_some()).count();
    assert!(grid.memory_bytes() >= dense * 2 * CHUNK_CELLS);

    let expected: Vec<(IVec3, u16)> =
        region.positions().map(|position| (position, model.get(position))).collect();
    let mut out = vec![u16::MAX; expected.len()];
    assert_eq!(grid.copy_out(region, &mut out), Ok(()));
    assert!(out.iter().eq(expected.iter().map(|(_, value)| value)));
    assert!(grid.cells(region).eq(expected));
    let touched: BTreeSet<ChunkPos> =
        region.positions().map(|position| S::chunk_of(position)).collect();
    assert!(
        grid.chunks_in(region)
            .map(|(chunk, _)| chunk)
            .eq(model.chunks.intersection(&touched).copied())
    );

    assert_eq!(listed(grid.awake_chunks()), model.awake.clone().into_iter().collect::<Vec<_>>());
    assert_eq!(
        listed(grid.changed_chunks()),
        model.changed.clone().into_iter().collect::<Vec<_>>()
    );
    assert_eq!(grid.awake_cells(), model.awake.values().map(BTreeSet::len).sum::<usize>());
    for (&chunk, cells) in &model.awake {
        assert!(cells.iter().all(|&index| grid.is_awake(S::cell_at(chunk, index))));
    }
    for position in region.positions() {
        let cells = model.awake.get(&S::chunk_of(position));
        let is_awake = cells.is_some_and(|cells| cells.contains(&S::index_of(position)));
        assert_eq!(grid.is_awake(position), is_awake);
    }
}

/// Applies the operations to a grid and to the model; `region` is read flat at every comparison.
pub fn run<S: HaloShape>(ops: &[Op], region: Region) {
    let mut grid = Grid::<u16, S>::new(BACKGROUND);
    let mut model = Model::default();
    for (count, op) in ops.iter().enumerate() {
        apply(op, &mut grid, &mut model);
        assert_eq!(grid.validate(), Ok(()), "after {:?}", op);
        if count % 8 == 7 {
            compare(&grid, &model, region);
        }
    }
    compare(&grid, &model, region);
    for chunk in model.chunks.clone().into_iter() {
        assert!(grid.remove(chunk).is_some());
    }
    assert_eq!(grid.validate(), Ok(()));
    assert_eq!((grid.chunk_count(), grid.awake_cells()), (0, 0));
}
