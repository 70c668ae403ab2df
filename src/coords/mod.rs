//! Cell and chunk coordinates: faces, regions, and chunk shapes.
//!
//! Positions cover the whole `i32` range in each axis. Nothing here stores cells, and nothing
//! wraps: a step that would leave the range returns `None`.

mod chunk_pos;
mod chunk_region;
mod face;
mod region;
mod shape;

pub use chunk_pos::{ChunkPos, ColumnPos};
pub(crate) use chunk_region::ChunkRegion;
pub use face::Face;
pub use region::Region;
pub(crate) use shape::Layout;
pub use shape::{Cube, Shape, Sheet};

use glam::IVec3;

/// The number of cells in a chunk, whatever its shape.
pub const CHUNK_CELLS: usize = 4096;

/// Returns a key that sorts cells with y slowest, then z, then x.
pub(crate) fn sort_key(cell: IVec3) -> [i32; 3] {
    [cell.y, cell.z, cell.x]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_and_join_agree<S: Shape>() {
        for x in [
            i32::MIN,
            i32::MIN + 1,
            -65,
            -64,
            -17,
            -16,
            -1,
            0,
            1,
            15,
            16,
            63,
            64,
            i32::MAX - 1,
            i32::MAX,
        ] {
            for y in [i32::MIN, -16, -1, 0, 15, 16, i32::MAX] {
                let cell = IVec3::new(x, y, x.wrapping_mul(7));
                let chunk = S::chunk_of(cell);
                assert!(S::holds_chunk(chunk));
                assert!(S::region_of(chunk).contains(cell));
                assert_eq!(S::cell_at(chunk, S::index_of(cell)), cell);
            }
        }
    }

    #[test]
    fn split_and_join_agree_for_both_shapes() {
        split_and_join_agree::<Cube>();
        split_and_join_agree::<Sheet>();
    }

    #[test]
    fn indices_cover_a_chunk_once() {
        for index in 0..CHUNK_CELLS {
            assert_eq!(Cube::index_of(Cube::cell_at(ChunkPos::new(-3, 2, 7), index)), index);
            assert_eq!(Sheet::index_of(Sheet::cell_at(ChunkPos::new(-3, 2, 7), index)), index);
        }
    }

    #[test]
    fn steps_stop_at_the_ends_of_the_range() {
        assert_eq!(Face::East.step(IVec3::MAX), None);
        assert_eq!(Face::Down.step(IVec3::MIN), None);
        assert_eq!(Face::West.step(IVec3::ZERO), Some(IVec3::NEG_X));
        for face in Face::ALL {
            assert_eq!(face.offset() + face.opposite().offset(), IVec3::ZERO);
            assert_eq!(Face::from_index(face.index() as u8), Some(face));
        }
    }

    #[test]
    fn the_whole_range_is_a_region() {
        assert_eq!(Region::EVERYWHERE.volume(), 1 << 96);
        assert_eq!(Region::new(IVec3::MAX, IVec3::MAX).positions().count(), 1);
    }
}
