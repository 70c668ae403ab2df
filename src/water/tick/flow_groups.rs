//! Groups of chunks for draws by threads (connected components of chunks, union–find). The chunks
//! of different groups lie so far apart that draws do not affect each other.
//!
//! A draw changes only cells that are connected to springs and the neighbours of such cells. It
//! reads only cells within two cells of connected ones. Flows within four chunks of each other
//! belong to one group, so no draw of a group reads or writes a cell that a draw of another group
//! changes.

use crate::coords::Face;
use crate::grid::Slot;
use crate::water::store::Store;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// Returns whether a chunk or one beside it has cells that are connected to springs.
pub(super) fn is_near_flow(store: &Store, slot: Slot) -> bool {
    let has_connected = |slot: Slot| slot.is_some() && store.has_connected(slot);
    has_connected(slot)
        || Face::ALL.into_iter().any(|face| has_connected(store.neighbour(slot, face)))
}

/// Divides chunks into groups. Each group keeps the order of `chunks`.
pub(super) fn groups_of(store: &Store, chunks: &[Slot]) -> Vec<Vec<Slot>> {
    let mut number_of: HashMap<Slot, usize> = HashMap::new();
    // By number: a lower number of the same group, or the number itself.
    let mut joined: Vec<usize> = Vec::new();
    let mut open = Vec::new();
    for &chunk in chunks {
        let number = joined.len();
        let Entry::Vacant(entry) = number_of.entry(chunk) else { continue };
        entry.insert(number);
        joined.push(number);
        open.push(chunk);
        while let Some(slot) = open.pop() {
            if !is_near_flow(store, slot) {
                continue;
            }
            for there in Face::ALL.map(|face| store.neighbour(slot, face)) {
                match number_of.entry(there) {
                    _ if !there.is_some() => {}
                    Entry::Occupied(entry) => join(&mut joined, *entry.get(), number),
                    Entry::Vacant(entry) => {
                        entry.insert(number);
                        open.push(there);
                    }
                }
            }
        }
    }
    let mut groups: Vec<Vec<Slot>> = vec![Vec::new(); joined.len()];
    for &chunk in chunks {
        groups[first_of(&joined, number_of[&chunk])].push(chunk);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// Makes the groups of two numbers one.
fn join(joined: &mut [usize], one: usize, other: usize) {
    let (one, other) = (first_of(joined, one), first_of(joined, other));
    joined[one.max(other)] = one.min(other);
}

/// Returns the lowest number of a group.
fn first_of(joined: &[usize], mut number: usize) -> usize {
    while joined[number] != number {
        number = joined[number];
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::Region;
    use crate::water::cell::CellFlags;
    use crate::water::rules::Edges;
    use crate::water::store::chunks;
    use crate::water::voxel::Voxel;
    use glam::IVec3;
    use hashbrown::HashSet;

    /// Returns the chunks within two steps of the flow through a chunk, by a plain search.
    fn around_flow(store: &Store, chunk: Slot) -> HashSet<Slot> {
        let beside = |slots: &HashSet<Slot>| -> HashSet<Slot> {
            let across = |&slot: &Slot| Face::ALL.map(|face| store.neighbour(slot, face));
            slots.iter().flat_map(across).filter(|slot| slot.is_some()).collect()
        };
        let mut flow = HashSet::from([chunk]);
        loop {
            let mut next = beside(&flow);
            next.retain(|&slot| store.has_connected(slot) && !flow.contains(&slot));
            if next.is_empty() {
                break;
            }
            flow.extend(next);
        }
        let near = &flow | &beside(&flow);
        &near | &beside(&near)
    }

    #[test]
    fn flows_are_of_one_group_if_what_lies_around_them_meets() {
        let mut counts = [0; 5];
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut store = Store::new(Region::EVERYWHERE, Edges::WALLS);
            let rarity = random.u8(8..200);
            let spring = Voxel::OPEN.with_height(7).with(CellFlags::HAS_SOURCE, true);
            for at in 0..24 * 12 {
                let is_flow = random.u8(..rarity) == 0;
                let voxel = if is_flow { spring } else { Voxel::OPEN };
                if random.u8(..16) > 0 {
                    let position = IVec3::new(at % 24, 0, at / 24);
                    chunks::insert(&mut store, position.into(), Chunk::uniform(voxel));
                }
            }
            let mut flows = store.grid().sorted_slots();
            flows.retain(|&slot| store.has_connected(slot));
            random.shuffle(&mut flows);
            let mut expected: Vec<(Vec<Slot>, HashSet<Slot>)> = Vec::new();
            for &slot in &flows {
                let (mut group, mut around) = (vec![slot], around_flow(&store, slot));
                let meets = expected.extract_if(.., |(_, other)| !other.is_disjoint(&around));
                for (others, other) in meets.collect::<Vec<_>>() {
                    group.extend(others);
                    around.extend(other);
                }
                group.sort_by_key(|slot| flows.iter().position(|other| other == slot));
                expected.push((group, around));
            }
            let mut expected: Vec<Vec<Slot>> =
                expected.into_iter().map(|(group, _)| group).collect();
            expected.sort_by_key(|group| flows.iter().position(|&other| other == group[0]));
            let groups = groups_of(&store, &flows);
            assert_eq!(groups, expected, "seed {seed}");
            counts[groups.len().min(4)] += 1;
        }
        assert!(counts[1..].iter().all(|&worlds| worlds > 2), "worlds by groups: {counts:?}");
    }
}
