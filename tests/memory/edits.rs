//! The bytes of an edit take memory in proportion to their number, whatever they claim.

use crate::{alone, peak_of};
use floodplain::EditValue;
use floodplain::{blast, humidity, water, water2d};

/// Bytes for each byte of an edit.
const MOST: usize = 8;

/// A chunk of the largest cells, and room for it.
const LEAST: usize = 130 << 10;

fn check<E: EditValue>(story: &str, bytes: &[u8], is_edit: bool) {
    let (peak, read) = peak_of(|| E::from_bytes(bytes).is_ok());
    assert_eq!(read, is_edit, "{story}");
    assert!(peak <= MOST * bytes.len() + LEAST, "{story}: {peak} bytes for {}", bytes.len());
}

/// Lists of the smallest items, and lists that claim more than there are.
#[test]
fn lists_of_chunks() {
    let _alone = alone();
    let (position, count) = ([0; 12], 40_000u32);
    let list = |tag: u8, claimed: u32, item: &[u8]| {
        let items = [&position, item].concat().repeat(count as usize);
        [&[tag], &claimed.to_le_bytes()[..], &items].concat()
    };
    let (open, air) = ([0; 3], [0; 5]);
    for (claimed, is_edit) in [(count, true), (u32::MAX, false)] {
        check::<water::Edit>("chunks of water", &list(9, claimed, &open), is_edit);
        check::<water2d::Edit>("chunks of 2D water", &list(7, claimed, &air), is_edit);
        check::<water::Edit>("positions", &list(20, claimed, &[]), is_edit);
    }
}

#[test]
fn single_chunks() {
    let _alone = alone();
    let chunk = |tag: u8, cells: usize| [&[tag][..], &[0; 12], &[1], &vec![1; cells][..]].concat();
    check::<blast::Edit>("pressures", &chunk(9, 4096 * 4), true);
    check::<humidity::Edit>("soil", &chunk(7, 4096 * 13), true);
    check::<humidity::Edit>("half a chunk of soil", &chunk(7, 2048 * 13), false);
}
