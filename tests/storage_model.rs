//! The store against a model: random operations on a grid and on plain maps must read the same.
//!
//! Every public function that changes a grid is an [`Op`]. Positions gather on chunk borders and at the ends of the `i32`
//! range, in both shapes. After each operation the grid validates; every so often everything that can be read is
//! compared: cells, chunks and their order, flat copies, marks, and iteration.

use floodplain::glam::IVec3;
use floodplain::{CHUNK_CELLS, Chunk, Cube, FILL_CHUNK_LIMIT, Grid, GridError, HaloShape, Region, Sheet};
use hashbrown::HashMap;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeMap, BTreeSet};

const BACKGROUND: u16 = 1;

#[derive(Clone, Debug)]
enum Op {
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
    /// A cursor that starts here and writes this value at each step of the way.
    Walk(IVec3, Vec<(IVec3, Option<u16>)>),
    Clone,
}

/// Chunk and local index, ordered like the grid: y slowest, then z, then x.
type Marks = BTreeMap<[i32; 3], BTreeSet<usize>>;

/// What a grid should hold: cells that differ from the background, chunks that exist, and marks.
#[derive(Default)]
struct Model {
    cells: HashMap<IVec3, u16>,
    chunks: BTreeSet<[i32; 3]>,
    awake: Marks,
    changed: Marks,
}

fn key(position: IVec3) -> [i32; 3] {
    [position.y, position.z, position.x]
}

fn unkey([y, z, x]: [i32; 3]) -> IVec3 {
    IVec3::new(x, y, z)
}

impl Model {
    fn get(&self, position: IVec3) -> u16 {
        self.cells.get(&position).copied().unwrap_or(BACKGROUND)
    }

    fn set<S: HaloShape>(&mut self, position: IVec3, value: u16) -> u16 {
        if value == BACKGROUND {
            return self.cells.remove(&position).unwrap_or(BACKGROUND);
        }
        self.chunks.insert(key(S::chunk_of(position)));
        self.cells.insert(position, value).unwrap_or(BACKGROUND)
    }

    fn remove<S: HaloShape>(&mut self, chunk: IVec3) -> bool {
        self.cells.retain(|&cell, _| S::chunk_of(cell) != chunk);
        self.awake.remove(&key(chunk));
        self.changed.remove(&key(chunk));
        self.chunks.remove(&key(chunk))
    }

    fn mark<S: HaloShape>(marks: &mut Marks, chunks: &BTreeSet<[i32; 3]>, position: IVec3) -> Result<bool, GridError> {
        let chunk = S::chunk_of(position);
        if !chunks.contains(&key(chunk)) {
            return Err(GridError::NoChunk(chunk));
        }
        Ok(marks.entry(key(chunk)).or_default().insert(S::index_of(position)))
    }
}

fn listed<'m>(marks: impl IntoIterator<Item = (IVec3, &'m floodplain::CellMask)>) -> Vec<([i32; 3], BTreeSet<usize>)> {
    marks.into_iter().map(|(chunk, mask)| (key(chunk), mask.iter().collect())).collect()
}

/// Applies one operation to both and compares what it returns.
fn apply<S: HaloShape>(op: &Op, grid: &mut Grid<u16, S>, model: &mut Model) -> Result<(), TestCaseError> {
    match op {
        &Op::Set(position, value) => prop_assert_eq!(grid.set(position, value), model.set::<S>(position, value)),
        &Op::Fill(region, value) => {
            prop_assert_eq!(grid.fill(region, value), Ok(()));
            for position in region.positions() {
                model.set::<S>(position, value);
            }
        }
        &Op::FillEverywhere(BACKGROUND) => {
            prop_assert_eq!(grid.fill(Region::EVERYWHERE, BACKGROUND), Ok(()));
            model.cells.clear();
        }
        &Op::FillEverywhere(value) => {
            let chunks = Region::new(S::chunk_of(IVec3::MIN), S::chunk_of(IVec3::MAX)).volume();
            let missing = chunks - model.chunks.len() as u128;
            prop_assert!(missing > FILL_CHUNK_LIMIT);
            prop_assert_eq!(grid.fill(Region::EVERYWHERE, value), Err(GridError::RegionTooLarge { chunks: missing }));
        }
        &Op::CopyIn(region, period) => {
            let cells: Vec<u16> = (0..region.volume() as usize).map(|at| BACKGROUND + at as u16 % period).collect();
            prop_assert_eq!(grid.copy_in(region, &cells), Ok(()));
            for (position, &cell) in region.positions().zip(&cells) {
                model.set::<S>(position, cell);
            }
        }
        &Op::CopyInWrong(region, extra) => {
            let mut cells = vec![7; region.volume() as usize + extra];
            let refused = Err(GridError::SliceLength { slice: cells.len(), region: region.volume() });
            prop_assert_eq!(grid.copy_in(region, &cells), refused);
            prop_assert_eq!(grid.copy_out(region, &mut cells), refused);
        }
        &Op::Insert(position, value, odd) => {
            let at = S::chunk_of(position);
            let mut cells = [value; CHUNK_CELLS];
            if let Some(odd) = odd {
                cells[odd] ^= 1;
            }
            let replaced = grid.insert(at, Chunk::from_cells(&cells));
            prop_assert_eq!(replaced.map(|chunk| chunk.is_some()), Ok(model.chunks.contains(&key(at))));
            model.chunks.insert(key(at));
            for (index, &cell) in cells.iter().enumerate() {
                model.set::<S>(S::cell_at(at, index), cell);
            }
        }
        &Op::InsertLoose(position, value) => {
            let at = S::chunk_of(position);
            let mut chunk = Chunk::uniform(value);
            chunk.cells_mut();
            prop_assert!(grid.insert(at, chunk).is_ok());
            prop_assert_eq!(grid.chunk(at).and_then(Chunk::as_uniform), Some(value));
            model.chunks.insert(key(at));
            for index in 0..CHUNK_CELLS {
                model.set::<S>(S::cell_at(at, index), value);
            }
        }
        &Op::InsertAt(chunk) => {
            // A cell position taken for a chunk position: mostly out of range, and then nothing may change.
            if S::holds_chunk(chunk) {
                prop_assert!(grid.insert(chunk, Chunk::uniform(BACKGROUND)).is_ok());
                model.cells.retain(|&cell, _| S::chunk_of(cell) != chunk);
                model.chunks.insert(key(chunk));
            } else {
                let refused = Err(GridError::ChunkOutOfRange(chunk));
                prop_assert_eq!(grid.insert(chunk, Chunk::uniform(2)), refused);
                prop_assert_eq!(grid.remove(chunk), None);
            }
        }
        &Op::Remove(position) => {
            let at = S::chunk_of(position);
            let expected: Vec<u16> = (0..CHUNK_CELLS).map(|index| model.get(S::cell_at(at, index))).collect();
            let removed = grid.remove(at);
            prop_assert_eq!(removed.is_some(), model.remove::<S>(at));
            if let Some(chunk) = removed {
                prop_assert!((0..CHUNK_CELLS).all(|index| chunk.get(index) == expected[index]));
            }
        }
        &Op::Wake(position) => {
            prop_assert_eq!(grid.wake(position), Model::mark::<S>(&mut model.awake, &model.chunks, position));
        }
        &Op::MarkChanged(position) => {
            prop_assert_eq!(grid.mark_changed(position), Model::mark::<S>(&mut model.changed, &model.chunks, position));
        }
        &Op::Sleep(position) => {
            let chunk = key(S::chunk_of(position));
            let mask = model.awake.entry(chunk).or_default();
            prop_assert_eq!(grid.sleep(position), mask.remove(&S::index_of(position)));
            if mask.is_empty() {
                model.awake.remove(&chunk);
            }
        }
        Op::TakeAwake => {
            let taken = grid.take_awake();
            let expected: Vec<_> = core::mem::take(&mut model.awake).into_iter().collect();
            prop_assert_eq!(listed(taken.iter().map(|(chunk, mask)| (*chunk, mask))), expected);
        }
        Op::TakeChanges => {
            let taken = grid.take_changes();
            let expected: Vec<_> = core::mem::take(&mut model.changed).into_iter().collect();
            prop_assert_eq!(listed(taken.iter().map(|(chunk, mask)| (*chunk, mask))), expected);
        }
        Op::Walk(start, way) => {
            let mut cursor = grid.cursor_mut(*start);
            let mut position = *start;
            for &(offset, value) in way {
                let expected = position.checked_add(offset).map_or(BACKGROUND, |target| model.get(target));
                prop_assert_eq!(cursor.near(offset), expected);
                position = position.saturating_add(offset);
                cursor.move_to(position);
                if let Some(value) = value {
                    prop_assert_eq!(cursor.set(value), model.set::<S>(position, value));
                }
                prop_assert_eq!(cursor.get(), model.get(position));
            }
        }
        Op::Clone => *grid = grid.clone(),
    }
    Ok(())
}

/// Compares everything that can be read.
fn compare<S: HaloShape>(grid: &Grid<u16, S>, model: &Model, region: Region) -> Result<(), TestCaseError> {
    for (&position, &value) in &model.cells {
        prop_assert_eq!(grid.get(position), value);
    }
    prop_assert_eq!(grid.chunk_count(), model.chunks.len());
    prop_assert_eq!(
        grid.chunks().map(|(chunk, _)| key(chunk)).collect::<Vec<_>>(),
        model.chunks.iter().copied().collect::<Vec<_>>()
    );
    // Cells of the chunks that differ from the background are those of the model and no others.
    let differ = |chunk: &Chunk<u16>| (0..CHUNK_CELLS).filter(|&index| chunk.get(index) != BACKGROUND).count();
    prop_assert_eq!(grid.chunks().map(|(_, chunk)| differ(chunk)).sum::<usize>(), model.cells.len());
    let dense = grid.chunks().filter(|(_, chunk)| chunk.as_dense().is_some()).count();
    prop_assert!(grid.memory_bytes() >= dense * 2 * CHUNK_CELLS);

    let expected: Vec<(IVec3, u16)> = region.positions().map(|position| (position, model.get(position))).collect();
    let mut out = vec![u16::MAX; expected.len()];
    prop_assert_eq!(grid.copy_out(region, &mut out), Ok(()));
    prop_assert!(out.iter().eq(expected.iter().map(|(_, value)| value)));
    prop_assert!(grid.cells(region).eq(expected));
    let touched: BTreeSet<[i32; 3]> = region.positions().map(|position| key(S::chunk_of(position))).collect();
    prop_assert!(grid.chunks_in(region).map(|(chunk, _)| key(chunk)).eq(model.chunks.intersection(&touched).copied()));

    prop_assert_eq!(listed(grid.awake_chunks()), model.awake.clone().into_iter().collect::<Vec<_>>());
    prop_assert_eq!(listed(grid.changed_chunks()), model.changed.clone().into_iter().collect::<Vec<_>>());
    prop_assert_eq!(grid.awake_cells(), model.awake.values().map(BTreeSet::len).sum::<usize>());
    for (&chunk, cells) in &model.awake {
        prop_assert!(cells.iter().all(|&index| grid.is_awake(S::cell_at(unkey(chunk), index))));
    }
    Ok(())
}

fn run<S: HaloShape>(ops: &[Op], region: Region) -> Result<(), TestCaseError> {
    let mut grid = Grid::<u16, S>::new(BACKGROUND);
    let mut model = Model::default();
    for (count, op) in ops.iter().enumerate() {
        apply(op, &mut grid, &mut model)?;
        prop_assert_eq!(grid.validate(), Ok(()), "after {:?}", op);
        if count % 8 == 7 {
            compare(&grid, &model, region)?;
        }
    }
    compare(&grid, &model, region)?;
    for chunk in model.chunks.clone().into_iter().map(unkey) {
        prop_assert!(grid.remove(chunk).is_some());
    }
    prop_assert_eq!(grid.validate(), Ok(()));
    prop_assert_eq!((grid.chunk_count(), grid.awake_cells()), (0, 0));
    Ok(())
}

/// On and beside borders of both shapes, and the ends of the range.
fn coordinate() -> impl Strategy<Value = i32> {
    let borders = vec![i32::MIN, i32::MIN + 16, -64, -16, 0, 0, 16, 64, i32::MAX - 15, i32::MAX];
    (select(borders), -2..=2).prop_map(|(border, beside)| border.saturating_add(beside))
}

fn position() -> impl Strategy<Value = IVec3> {
    let near = (-2..=2, -2..=2, -2..=2).prop_map(|(x, y, z)| IVec3::new(x, y, z));
    let any = (coordinate(), coordinate(), coordinate()).prop_map(|(x, y, z)| IVec3::new(x, y, z));
    prop_oneof![1 => near, 3 => any]
}

/// A few cells, a long row, or all of a chunk and some more.
fn region() -> impl Strategy<Value = Region> {
    let size = prop_oneof![
        4 => (0..4, 0..4, 0..4),
        1 => (0..70, 0..3, 0..3),
        1 => (15..18, 15..18, 15..18),
        1 => (62..66, 62..66, 0..2),
    ];
    (position(), size).prop_map(|(min, (x, y, z))| Region::new(min, min.saturating_add(IVec3::new(x, y, z))))
}

fn op() -> impl Strategy<Value = Op> {
    let value = || BACKGROUND..BACKGROUND + 3;
    let step = ((-17..=17, -17..=17, -2..=2), proptest::option::of(value()))
        .prop_map(|((x, y, z), value)| (IVec3::new(x, y, z), value));
    prop_oneof![
        8 => (position(), value()).prop_map(|(position, value)| Op::Set(position, value)),
        3 => (region(), value()).prop_map(|(region, value)| Op::Fill(region, value)),
        1 => value().prop_map(Op::FillEverywhere),
        3 => (region(), 1..5u16).prop_map(|(region, period)| Op::CopyIn(region, period)),
        1 => (region(), 1..3usize).prop_map(|(region, extra)| Op::CopyInWrong(region, extra)),
        1 => (position(), value(), proptest::option::of(0..CHUNK_CELLS))
            .prop_map(|(position, value, odd)| Op::Insert(position, value, odd)),
        1 => (position(), value()).prop_map(|(position, value)| Op::InsertLoose(position, value)),
        1 => position().prop_map(Op::InsertAt),
        3 => position().prop_map(Op::Remove),
        4 => position().prop_map(Op::Wake),
        3 => position().prop_map(Op::Sleep),
        3 => position().prop_map(Op::MarkChanged),
        1 => Just(Op::TakeAwake),
        1 => Just(Op::TakeChanges),
        2 => (position(), prop::collection::vec(step, 1..12)).prop_map(|(start, way)| Op::Walk(start, way)),
        1 => Just(Op::Clone),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cubes_agree_with_the_model(ops in prop::collection::vec(op(), 1..48), region in region()) {
        run::<Cube>(&ops, region)?;
    }

    #[test]
    fn sheets_agree_with_the_model(ops in prop::collection::vec(op(), 1..48), region in region()) {
        run::<Sheet>(&ops, region)?;
    }
}
