//! Edits that once broke a law of water, each with its story. The laws are those of `support/edits.rs`.

#[path = "support/cells.rs"]
mod cells;
#[path = "support/edits.rs"]
mod edits;

use edits::{Edit, Watched};
use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::Rules;

fn region(from: [i32; 3], to: [i32; 3]) -> Region {
    Region::new(from.into(), to.into())
}

fn replay(seed: u64, rules: Rules, bounds: Region, edits: &[Edit]) {
    let mut watched = Watched::new(seed, rules, bounds);
    for edit in edits {
        watched.apply(edit);
        watched.validate();
    }
}

/// A cell that dries up is cut from its children, and that rewrites them. Those in layers that were no part of the tick
/// were missing from the number of changed cells that the step reports.
#[test]
fn cells_cut_from_a_dry_parent_are_counted_as_changed() {
    let edits = [
        Edit::SetSolid(IVec3::ZERO),
        Edit::FillWater(region([-4, 5, 0], [1, 5, 1]), 7),
        Edit::FillSolid(region([-4, -4, -3], [0, 4, 4])),
        Edit::Run(8),
    ];
    replay(1_531_234_719_201_835_450, Rules::lossless(), region([-6, -5, -6], [5, 6, 5]), &edits);
}

/// A fill with water passed over cells of just that water without entering it, so that the ledger and the returned units
/// depended on whether the water there had ever moved.
#[test]
fn a_fill_with_what_stands_there_is_entered() {
    let pool = region([0, 1, 0], [1, 1, 1]);
    let edits = [Edit::FillWater(pool, 5), Edit::FillWater(pool, 5), Edit::FillWater(pool, 5)];
    replay(1, Rules::lossless(), region([0, 0, 0], [3, 3, 3]), &edits);
}
