//! The direction of water that no spring feeds. A cell takes the direction in which water entered
//! it in this tick: from above if any did, else from a connected cell, else across a random one of
//! the faces that it crossed. Water that continues in its present direction keeps it. Cells that
//! springs feed get their direction with their parents: see `reach`.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::draw::path::pick;
use crate::water::scratch::Tick;
use crate::water::scratch::chunk_record::Mark;
use crate::water::store::{Place, Store};

/// Directs the cells of a layer that water entered in this tick and that are not connected. Adds
/// the cells that a connected cell fed to `fed`, each with the faces, by bit, across which water
/// entered from connected cells. Returns these cells.
pub(super) fn direct(tick: &mut Tick, layer: LayerId, fed: &mut Vec<(Place, u8)>) -> LayerMask {
    let Some(work) = tick.scratch.get(layer) else { return LayerMask::NONE };
    let entered = (work.entered() & work.marked(Mark::Touched)) - tick.store.connected(layer);
    let before = fed.len();
    for cell in entered.iter() {
        let inflow = tick.scratch.get(layer).map_or(0, |work| work.entries(cell));
        direct_cell(tick, Place::in_layer(layer, cell), inflow, fed);
    }
    fed[before..].iter().map(|(place, _)| place.cell()).collect()
}

fn direct_cell(tick: &mut Tick, place: Place, inflow: u8, fed: &mut Vec<(Place, u8)>) {
    let voxel = tick.store.read(place);
    let from = |face: &Face| tick.store.look(place, *face);
    let faces = Store::faces(inflow).filter(|face| !from(face).is_mark());
    let inflow = faces.fold(0, |faces, face| faces | 1 << face.index());
    let connected = Store::faces(inflow)
        .filter(|face| from(face).is_connected())
        .fold(0, |faces, face| faces | 1 << face.index());
    if connected != 0 {
        fed.push((place, connected));
    }
    let kept = voxel.parent_face().map_or(0, |face| 1 << face.index());
    if inflow == 0 || inflow & kept != 0 {
        return;
    }
    let above = 1 << Face::Up.index();
    let mut faces = [inflow & above, connected, inflow].into_iter().find(|&faces| faces != 0);
    if let Some(face) = faces.as_mut().and_then(|faces| pick(tick, place, faces)) {
        tick.put_marks(place, voxel.with_parent(face));
    }
}

#[cfg(test)]
mod tests {
    use crate::coords::Face;
    use crate::water::ebb::deferred::Deferred;
    use crate::water::ebb::ebb_chunk;
    use crate::water::flow::flow_layer;
    use crate::water::flow::window::Window;
    use crate::water::scratch::test_worlds;
    use crate::water::voxel::Voxel;

    /// After each tick of worlds in motion, a cell that water entered has kept its direction if
    /// water came that way. Otherwise its parent is above if water came from above, and in any case
    /// across a face that water crossed.
    #[test]
    fn water_heads_away_from_where_it_came() {
        let (mut kept, mut fell, mut turned) = (0, 0, 0);
        for seed in 0..12 {
            test_worlds::springs_with(seed, |world, at| {
                world.step();
                for place in test_worlds::places(world) {
                    let voxel = world.store.read(place);
                    let Some(work) = world.scratch.get(place.layer_id()) else { continue };
                    let entries = work.entries(place.cell());
                    let (Some(before), Some(face)) =
                        (work.before(place.cell()), voxel.parent_face())
                    else {
                        continue;
                    };
                    if entries == 0 || voxel.is_connected() || before.is_connected() {
                        continue;
                    }
                    let came = |face: Face| entries >> face.index() & 1 != 0;
                    let context = format!("seed {seed}, tick {at}: {place:?}, {entries:#b}");
                    assert!(came(face), "{context}");
                    match before.parent_face() {
                        Some(old) if came(old) => {
                            assert_eq!(face, old, "{context}");
                            kept += 1;
                        }
                        _ if came(Face::Up) => {
                            assert_eq!(face, Face::Up, "{context}");
                            fell += 1;
                        }
                        _ => turned += 1,
                    }
                }
            });
        }
        assert!(kept > 50 && fell > 50 && turned > 50, "{kept}, {fell}, {turned}");
    }

    /// A cell that a connected cell fed is about to be connected, so the ebb leaves it active even
    /// if all its water has flowed on.
    #[test]
    fn a_cell_that_a_connected_cell_fed_is_not_dried_up() {
        let mut empty = 0;
        for seed in 0..60 {
            let mut world = test_worlds::springs(seed);
            let slots = world.store.grid().sorted_slots();
            let (mut tick, mut window) = (test_worlds::tick(&mut world), Window::new());
            while let Some(layer) = tick.scratch.next_layer(tick.store) {
                flow_layer(&mut tick, &mut window, layer);
            }
            let mut deferred = Deferred::default();
            slots.iter().for_each(|&slot| _ = ebb_chunk(&mut tick, &mut deferred, slot));
            for &(place, _) in &deferred.fed {
                let voxel = tick.store.read(place);
                assert_ne!(voxel, Voxel::OPEN, "seed {seed}: {place:?}");
                empty += u32::from(!voxel.is_wet());
            }
        }
        assert!(empty > 50, "{empty} empty cells");
    }
}
