//! Random rules and edits for the tests of water's laws.

use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::{Rules, WaterWorld};
use proptest::prelude::*;
use support::water::Op;

/// The world lies across eight chunks, so that borders are crossed in every direction.
pub fn bounds() -> Region {
    Region::new(IVec3::new(-6, -5, -6), IVec3::new(5, 6, 5))
}

/// Any edit, or a few ticks.
pub fn op() -> impl Strategy<Value = Op> {
    strategies::ops::<WaterWorld>(bounds())
}

/// Any rules.
pub fn rules() -> impl Strategy<Value = Rules> {
    strategies::drawn(|bytes| bytes.any::<Rules>())
}
