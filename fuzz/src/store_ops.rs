//! Operations on the chunk store from bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::glam::IVec3;
use floodplain::{CHUNK_CELLS, Face, Region};
use support::storage::chunk::ChunkOp;
use support::storage::grid::{BACKGROUND, Op, Stride};

/// Operations in one run, so that runs stay short.
const MOST_OPS: usize = 16;

/// One run of the target `chunk_store`.
#[derive(Debug)]
pub enum StoreRun {
    Cubes { ops: Vec<Op>, read: Region },
    Sheets { ops: Vec<Op>, read: Region },
    Chunk(Vec<ChunkOp>),
}

impl Arbitrary<'_> for StoreRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<StoreRun> {
        match u8::arbitrary(bytes)? % 4 {
            0 | 1 => Ok(StoreRun::Cubes { read: region(bytes)?, ops: some(bytes, op)? }),
            2 => Ok(StoreRun::Sheets { read: region(bytes)?, ops: some(bytes, op)? }),
            _ => Ok(StoreRun::Chunk(some(bytes, chunk_op)?)),
        }
    }
}

/// Returns as many as the bytes make, up to a limit.
fn some<T>(
    bytes: &mut Unstructured<'_>,
    one: fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    while !bytes.is_empty() && all.len() < MOST_OPS {
        all.push(one(bytes)?);
    }
    Ok(all)
}

/// Returns a coordinate on or beside a border of either shape, or at an end of the range.
fn coordinate(bytes: &mut Unstructured<'_>) -> Result<i32> {
    const BORDERS: [i32; 8] = [0, 16, -16, 64, -64, i32::MIN, i32::MAX, i32::MAX - 15];
    let byte = u8::arbitrary(bytes)?;
    Ok(BORDERS[usize::from(byte & 7)].saturating_add(i32::from(byte >> 3 & 7) - 3))
}

fn position(bytes: &mut Unstructured<'_>) -> Result<IVec3> {
    Ok(IVec3::new(coordinate(bytes)?, coordinate(bytes)?, coordinate(bytes)?))
}

/// Returns a few cells, a long row, or all of a chunk and some more.
fn region(bytes: &mut Unstructured<'_>) -> Result<Region> {
    let min = position(bytes)?;
    let (size, a, b) = (u8::arbitrary(bytes)?, u8::arbitrary(bytes)?, u8::arbitrary(bytes)?);
    let (a, b) = (i32::from(a), i32::from(b));
    let size = match size % 16 {
        0 => IVec3::new(a % 70, b % 3, b / 3 % 3),
        1 => IVec3::new(15 + a % 3, 15 + a / 3 % 3, 15 + b % 3),
        2 => IVec3::new(62 + a % 4, 62 + a / 4 % 4, b % 2),
        _ => IVec3::new(a % 4, a / 4 % 4, b % 4),
    };
    Ok(Region::new(min, min.saturating_add(size)))
}

fn value(bytes: &mut Unstructured<'_>) -> Result<u16> {
    Ok(BACKGROUND + u16::from(u8::arbitrary(bytes)? % 3))
}

fn index(bytes: &mut Unstructured<'_>) -> Result<usize> {
    Ok(usize::from(u16::arbitrary(bytes)?))
}

fn op(bytes: &mut Unstructured<'_>) -> Result<Op> {
    Ok(match u8::arbitrary(bytes)? % 24 {
        0 | 1 => Op::Fill(region(bytes)?, value(bytes)?),
        2 => Op::FillEverywhere(value(bytes)?),
        3 | 4 => Op::CopyIn(region(bytes)?, 1 + value(bytes)?),
        5 => Op::CopyInWrong(region(bytes)?, 1),
        6 => Op::Insert(position(bytes)?, value(bytes)?, Some(index(bytes)? % CHUNK_CELLS)),
        7 => Op::Insert(position(bytes)?, value(bytes)?, None),
        8 => Op::InsertLoose(position(bytes)?, value(bytes)?),
        9 => Op::InsertAt(position(bytes)?),
        10 | 11 => Op::Remove(position(bytes)?),
        12 | 13 => Op::Wake(position(bytes)?),
        14 => Op::Sleep(position(bytes)?),
        15 => Op::MarkChanged(position(bytes)?),
        16 => Op::TakeAwake,
        17 => Op::TakeChanges,
        18 => Op::Clone,
        19 => Op::Walk(position(bytes)?, way(bytes)?),
        _ => Op::Set(position(bytes)?, value(bytes)?),
    })
}

/// Returns the way of a cursor. Steps are encoded in the upper half of the byte that decides
/// whether to write, so that inputs older than steps keep their meaning.
fn way(bytes: &mut Unstructured<'_>) -> Result<Vec<Stride>> {
    let mut way = Vec::new();
    for _ in 0..u8::arbitrary(bytes)? % 6 {
        let offset =
            IVec3::from_array(<[i8; 3]>::arbitrary(bytes)?.map(|axis| i32::from(axis) % 18));
        let how = u8::arbitrary(bytes)?;
        way.push(match how {
            0..128 => Stride::Jump(offset),
            128.. => Stride::Step(Face::ALL[usize::from(how >> 1) % 6]),
        });
    }
    Ok(way)
}

fn chunk_op(bytes: &mut Unstructured<'_>) -> Result<ChunkOp> {
    let byte = u8::arbitrary(bytes)?;
    if byte >= 250 {
        return Ok(ChunkOp::Canonicalize);
    }
    Ok(match byte % 10 {
        0 => ChunkOp::Fill(value(bytes)?),
        1 => {
            let (from, count, value) = (index(bytes)?, index(bytes)?, value(bytes)?);
            // Indices wrap at 4096, which leaves bits to choose by.
            if from < 0x8000 {
                ChunkOp::Cells(from, count, value)
            } else {
                ChunkOp::Loosen(from, count, value)
            }
        }
        2 => ChunkOp::FromCells,
        3 => ChunkOp::MaskInsert(index(bytes)?),
        4 => ChunkOp::MaskRemove(index(bytes)?),
        5 => ChunkOp::MaskSet(index(bytes)?, bool::arbitrary(bytes)?),
        6 => ChunkOp::MaskWord(index(bytes)?, u64::arbitrary(bytes)?),
        7 => ChunkOp::MaskUnion(vec![index(bytes)?, index(bytes)?, index(bytes)?]),
        _ => ChunkOp::Set(index(bytes)?, value(bytes)?),
    })
}
