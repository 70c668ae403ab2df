//! Mirrors of a world of materials, for tests that send updates themselves.

use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::testing::mirrors;
use floodplain::world::{Feed, Mirror, Update, World};

/// A mirror of all chunks.
pub fn joined(feed: &mut Feed, world: &World) -> Mirror {
    let mut mirror = Mirror::new(100);
    let whole = feed.whole(world, world.chunks().map(|(chunk, _)| chunk));
    mirror.apply(&sent(&whole)).expect("whole chunks");
    mirror
}

/// What goes over the network.
pub fn sent(update: &Update) -> Update {
    let received = Update::from_bytes(&update.to_bytes());
    assert_eq!(received.as_ref(), Ok(update));
    received.expect("it is the update")
}

/// Checks every cell of a mirror, and which chunks it has.
pub fn assert_mirrors(mirror: &Mirror, world: &World, bounds: Region) {
    assert_eq!(mirror.ticks(), world.ticks());
    assert!(mirror.chunks().into_iter().eq(world.chunks().map(|(chunk, _)| chunk)));
    assert_eq!(mirrors(mirror, world, bounds.positions()), Ok(()));
}

/// Checks a cell of a mirror.
pub fn assert_mirrored(mirror: &Mirror, world: &World, cell: IVec3) {
    assert_eq!(mirrors(mirror, world, [cell]), Ok(()));
}
