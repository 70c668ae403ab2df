//! The rules of a canonical word, bit by bit, from the table in the documentation of `WaterCell`.
//! Shares no code with it.

use floodplain::glam::IVec3;
use floodplain::water::{CellError, Voxel, WaterCell};

/// The error `from_word` must return: the first broken law in the order in which `CellError` lists
/// them, heights excepted.
fn refusal(word: u16) -> Option<CellError> {
    let bit = |at: u32| word >> at & 1 == 1;
    let field = |at: u32| (word >> at & 7) as u8;
    let (height, direction, largest, active) = (field(0), field(3), field(8), field(11));
    let (is_source, has_source, extra) = (bit(6), bit(7), bit(15));
    if direction == 7 {
        Some(CellError::Direction(7))
    } else if is_source {
        (height != 7 || !has_source || direction != 0 || extra).then_some(CellError::Source(word))
    } else if direction == 0 && has_source {
        Some(CellError::SourceWithoutParent(word))
    } else if (direction == 0 || !has_source) && extra {
        Some(CellError::ExtraWithoutParent(word))
    } else if direction == 0 && largest != 0 {
        Some(CellError::LargestWithoutParent(word))
    } else if height == 0 && word != 0 && (direction == 0 || active == 0) {
        Some(CellError::DryButMarked(word))
    } else {
        None
    }
}

/// Checks one word against the rules, and all readings of its cell against its bits.
pub fn check(word: u16) {
    let cell = match (WaterCell::from_word(word), refusal(word)) {
        (Ok(cell), None) => cell,
        (Err(error), Some(refused)) => {
            assert_eq!(error, refused, "word {word:#06x}");
            assert!(!error.to_string().is_empty());
            return;
        }
        (said, law) => panic!("word {word:#06x}: {said:?}, but the law says {law:?}"),
    };
    let bit = |at: u32| word >> at & 1 == 1;
    assert_eq!(cell.word(), word);
    assert_eq!(u16::from(cell.height()), word & 7);
    assert_eq!(u16::from(cell.largest()), word >> 8 & 7);
    assert_eq!(u16::from(cell.active()), word >> 11 & 7);
    let offsets =
        [IVec3::ZERO, IVec3::NEG_X, IVec3::X, IVec3::NEG_Y, IVec3::Y, IVec3::NEG_Z, IVec3::Z];
    let towards = cell.direction().map_or(IVec3::ZERO, |face| face.offset());
    assert_eq!(towards, offsets[usize::from(word >> 3 & 7)]);
    assert_eq!((cell.is_source(), cell.has_source(), cell.is_dry()), (bit(6), bit(7), word == 0));
    assert_eq!((cell.has_flow_out(), cell.has_several_parents()), (bit(14), bit(15)));
    let voxel = Voxel::from(cell);
    assert_eq!((voxel, voxel.cell(), voxel.is_solid()), (Voxel::water(cell), Some(cell), false));
    assert_eq!(format!("{voxel:?}"), format!("{cell:?}"));
    assert_eq!(
        WaterCell::with_height(cell.height()).map(|still| still.height()),
        Ok(cell.height())
    );
}
