//! The bytes of an edit take memory in proportion to their number, whatever they claim.

use crate::{alone, peak_of};
use floodplain::EditValue;
use floodplain::{blast, humidity, water, water2d};

/// Bytes for each byte of an edit.
const MOST: usize = 8;

/// A chunk of the largest cells, and room for it.
const LEAST: usize = 130 << 10;

/// A chunk of water, and one of 2D water, of cells that differ, with what it takes to read them.
const WATER: usize = 9 << 10;
const WATER_2D: usize = 17 << 10;

fn check<E: EditValue>(story: &str, bytes: &[u8], is_edit: bool, of_chunks: usize) {
    let (peak, read) = peak_of(|| E::from_bytes(bytes).is_ok());
    assert_eq!(read, is_edit, "{story}");
    let most = MOST * bytes.len() + LEAST + of_chunks;
    assert!(peak <= most, "{story}: {peak} bytes for {}", bytes.len());
}

/// Lists of the smallest items, and lists that claim more than there are.
#[test]
fn lists_of_chunks() {
    let _alone = alone();
    let (position, count) = ([0; 12], 40_000u32);
    let list = |tag: u8, count: u32, claimed: u32, item: &[u8]| {
        let items = [&position, item].concat().repeat(count as usize);
        [&[tag], &claimed.to_le_bytes()[..], &items].concat()
    };
    let (open, air) = ([0; 3], [0; 5]);
    for (claimed, is_edit) in [(count, true), (u32::MAX, false)] {
        let list = |tag, item: &[u8]| list(tag, count, claimed, item);
        check::<water::Edit>("chunks of water", &list(9, &open), is_edit, 0);
        check::<water2d::Edit>("chunks of 2D water", &list(7, &air), is_edit, 0);
        check::<water::Edit>("positions", &list(20, &[]), is_edit, 0);
    }
    // Two cells as they are, and a run that repeats the second.
    let (two, rest) = ([1, 2 << 3], [0xf1, 0xff, 1]);
    let ground = [&two[..], &[0x3f, 0, 0, 0], &rest].concat();
    let pool = [&two[..], &[0; 4], &[5, 0, 0, 0], &rest].concat();
    let count = 500;
    for (claimed, is_edit) in [(count, true), (u32::MAX, false)] {
        let list = |tag, item: &[u8]| list(tag, count, claimed, item);
        let of_chunks = |each| count as usize * each;
        let (story, bytes) = ("dense chunks of water", list(9, &ground));
        check::<water::Edit>(story, &bytes, is_edit, of_chunks(WATER));
        let (story, bytes) = ("dense chunks of 2D water", list(7, &pool));
        check::<water2d::Edit>(story, &bytes, is_edit, of_chunks(WATER_2D));
    }
}

#[test]
fn single_chunks() {
    let _alone = alone();
    // One run of cells as they are, which begin with their numbers.
    let chunk = |tag: u8, cells: u32, of: usize| {
        let cell = |number: u32| [&number.to_le_bytes()[..], &vec![0; of - 4]].concat();
        let cells: Vec<u8> = (0..cells).flat_map(cell).collect();
        [&[tag][..], &[0; 12], &[1, 0x80, 0x80, 2], &cells].concat()
    };
    check::<blast::Edit>("pressures", &chunk(9, 4096, 4), true, 0);
    check::<humidity::Edit>("soil", &chunk(7, 4096, 13), true, 0);
    check::<humidity::Edit>("half a chunk of soil", &chunk(7, 2048, 13), false, 0);
}
