//! A sleeping world equals one that never slept: the cases in which it once did not, each with its story. The law itself
//! is tested on random worlds in `water_laws.rs`.

mod support;

use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, WaterWorld};
use support::{HIGH, LOW, world};

/// Runs the same edits on a world that sleeps and on one that is woken before each tick, and compares them after each.
fn compare(seed: u64, rules: Rules, ticks: u64, edit: impl Fn(u64, &mut WaterWorld)) {
    let (mut sleeper, mut awake) = (world(seed, rules), world(seed, rules));
    for tick in 0..ticks {
        edit(tick, &mut sleeper);
        edit(tick, &mut awake);
        sleeper.step();
        awake.wake_all();
        awake.step();
        for cell in Region::new(LOW, HIGH).positions() {
            assert_eq!(sleeper.voxel(cell), awake.voxel(cell), "tick {tick}, cell {cell}");
        }
        assert_eq!(sleeper.state_hash(), awake.state_hash(), "tick {tick}");
    }
}

/// Two cells of a pocket in the ground lie in two chunks. One drains in the first pass of the tick; the other may then
/// flow in during the second, but its chunk was asleep, and a chunk woken in mid-tick had no turn.
#[test]
fn a_chunk_woken_in_mid_tick_has_its_turn() {
    let edges = Edges { unloaded: Edge::Drain, ..Edges::WALLS };
    let rules = Rules { source_supply: 0, throughput: 2, pools: false, edges, ..Rules::lossless() };
    compare(3_237_422_098_225_654_980, rules, 6, |tick, world| match tick {
        0 => {
            let pocket = Region::new(IVec3::new(0, -4, 0), IVec3::new(-1, -4, 0));
            assert_eq!(world.fill_water(pocket, 2), Ok(0));
        }
        1 => drop(world.remove_chunk(IVec3::new(0, -1, -1)).unwrap()),
        _ => {}
    });
}

/// A stream is cut from its source by a fill. Until HasSource has cleared all along it, its cells have a finite head to
/// draw from, which those asleep did not notice. A cell that has a source now draws from sources only.
#[test]
fn a_cell_cut_from_its_source_misses_nothing_in_its_sleep() {
    let walls = [Edge::Wall, Edge::Wall, Edge::Drain, Edge::Wall, Edge::Held, Edge::Wall];
    let edges = Edges { outer: walls, unloaded: Edge::Wall };
    let rules = Rules { source_supply: 5, throughput: 5, many_parents: false, edges, ..Rules::lossless() };
    compare(7_412_247_160_525_670_647, rules, 60, |tick, world| match tick {
        0 => assert_eq!(world.add_source(IVec3::new(2, 4, -2)), Ok(true)),
        16 => assert!(world.fill_water(Region::new(IVec3::new(0, -3, -3), IVec3::new(4, 0, 0)), 5).is_ok()),
        _ => {}
    });
}
