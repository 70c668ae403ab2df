//! Values that keep a law, which serde writes in a plain form and checks when it reads them:
//! regions as their corners, cells as their words, chunks as runs, records as their bytes, palettes
//! as lists. All other values derive the traits.

use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Region};
use crate::water::{self, Voxel, WaterCell};
use crate::water2d;
use crate::world::{self, Material, Palette};
use glam::IVec3;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Implements the traits of a type, given its plain form, the conversion of a value to that form,
/// and the conversion back, which may refuse it.
macro_rules! serde_as {
    ($([$($cell:ident)?] $type:ty as $plain:ty: $plain_of:expr, $value_of:expr;)+) => {$(
        impl$(<$cell: Copy + PartialEq + Serialize>)? Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let plain_of: fn(&Self) -> $plain = $plain_of;
                plain_of(self).serialize(to)
            }
        }

        impl<'de $(, $cell: Copy + PartialEq + Deserialize<'de>)?> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let value_of: fn($plain) -> _ = $value_of;
                value_of(<$plain>::deserialize(from)?).map_err(D::Error::custom)
            }
        }
    )+};
}

serde_as! {
    [] Region as Corners: |region| Corners { min: region.min(), max: region.max() }, region_of;
    [] WaterCell as u16: |cell| cell.word(), WaterCell::from_word;
    [] Voxel as u16: |voxel| voxel.word(), Voxel::from_word;
    [] water2d::Cell as i32: |cell| cell.number(), level_of;
    [T] Chunk<T> as Vec<(usize, T)>: runs_of, chunk_of;
    [] water::ChunkRecord as Vec<u8>: |record| record.to_bytes(),
        |bytes| water::ChunkRecord::from_bytes(&bytes);
    [] world::ChunkRecord as Vec<u8>: |record| record.to_bytes(),
        |bytes| world::ChunkRecord::from_bytes(&bytes);
    [] Palette as Vec<Material>: |palette| {
        palette.materials().map(|(_, material)| material.clone()).collect()
    }, Palette::new;
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Region", deny_unknown_fields)]
struct Corners {
    min: IVec3,
    max: IVec3,
}

fn region_of(Corners { min, max }: Corners) -> Result<Region, String> {
    match min.cmple(max).all() {
        true => Ok(Region::new(min, max)),
        false => Err(format!("a region with its max at {max}, below its min at {min}")),
    }
}

fn level_of(number: i32) -> Result<water2d::Cell, String> {
    let refused = || format!("a cell of 2D water is {}, not {number}", water2d::Cell::NUMBERS);
    water2d::Cell::from_number(number).ok_or_else(refused)
}

/// Returns the cells of a chunk as runs of equal cells: the length of each run, and its cell.
fn runs_of<T: Copy + PartialEq>(chunk: &Chunk<T>) -> Vec<(usize, T)> {
    match chunk.as_dense() {
        None => vec![(CHUNK_CELLS, chunk.get(0))],
        Some(cells) => {
            cells.chunk_by(|one, next| one == next).map(|run| (run.len(), run[0])).collect()
        }
    }
}

fn chunk_of<T: Copy + PartialEq>(runs: Vec<(usize, T)>) -> Result<Chunk<T>, String> {
    let count = runs.iter().fold(0, |sum: usize, run| sum.saturating_add(run.0));
    if count != CHUNK_CELLS {
        return Err(format!("runs of {count} cells in a chunk, which has {CHUNK_CELLS}"));
    }
    let mut chunk = Chunk::uniform(runs[0].1);
    let cells = runs.into_iter().flat_map(|(length, cell)| core::iter::repeat_n(cell, length));
    chunk.cells_mut().iter_mut().zip(cells).for_each(|(there, cell)| *there = cell);
    chunk.canonicalize();
    Ok(chunk)
}
