//! Every word is a cell that reads back bit by bit, or is refused by the law it breaks.

use floodplain::water::{Voxel, WaterCell};

#[test]
fn every_word_is_judged_by_its_bits() {
    (0..=u16::MAX).for_each(support::water::words::check);
}

#[test]
fn every_word_of_a_voxel_is_solid_ground_the_sea_or_a_water_cell() {
    for word in 0..=u16::MAX {
        match Voxel::from_word(word) {
            Ok(voxel) => {
                assert_eq!(voxel.word(), word);
                assert_eq!(voxel.cell(), WaterCell::from_word(word).ok(), "{word:#06x}");
                let is_other = voxel.is_solid() || voxel.is_sea();
                assert_eq!(is_other, voxel.cell().is_none(), "{word:#06x}");
            }
            Err(error) => assert_eq!(WaterCell::from_word(word), Err(error)),
        }
    }
    assert_eq!(Voxel::from_word(Voxel::SOLID.word()), Ok(Voxel::SOLID));
}
