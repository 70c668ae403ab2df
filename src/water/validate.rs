//! The invariants ("laws") of a water world between two ticks, each with its own error.

use crate::chunk::{CellMask, LayerMask};
use crate::coords::{ChunkPos, Face};
use crate::grid::{LayerId, Slot};
use crate::water::WaterWorld;
use crate::water::cell::{CellFlags, MOST_ACTIVE, WaterCell};
use crate::water::flow::runs::units_on_the_way;
use crate::water::scratch::place_set::PlaceSet;
use crate::water::scratch::schedule::Phase;
use crate::water::store::chunks::beside_is_true;
use crate::water::store::faces::is_one_body;
use crate::water::store::fixtures::{fixture_list, has_work};
use crate::water::store::{Place, Store, head};
use crate::water::voxel::Voxel;
use core::fmt;
use glam::IVec3;
use std::collections::VecDeque;

/// A law that [`WaterWorld::validate`] found broken. This happens only if this crate has a bug.
///
/// Positions are cells, except where a chunk position is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// The units in the cells differ from the ledger's total.
    Ledger {
        /// Units in the cells.
        counted: u64,
        /// The ledger's total.
        booked: u64,
    },
    /// The chunk store breaks its own invariants.
    Storage,
    /// The bit masks, outlets or sources cached for the chunk at this chunk position do not match
    /// its cells.
    Masks(ChunkPos),
    /// A cell whose word is not canonical.
    Word {
        /// The cell.
        cell: IVec3,
        /// Its word.
        word: u16,
    },
    /// A mark of the world's edge inside the bounds, or an ordinary voxel outside the bounds.
    Bounds(IVec3),
    /// A cell with a parent that is solid, dry, not loaded or out of bounds.
    Parent(IVec3),
    /// A cell that is its own ancestor.
    ParentLoop(IVec3),
    /// A cell with the Extra flag but without several parents in the store, or the reverse.
    Extra(IVec3),
    /// A cell with a `largest` above [`Rules::throughput`](crate::water::Rules::throughput).
    Largest {
        /// The cell.
        cell: IVec3,
        /// Its `largest`, in units a tick.
        largest: u8,
    },
    /// A sleeping cell that has FlowOut but no steady flow, or the reverse, or that steady flow
    /// passes with less than the most activity.
    Asleep(IVec3),
    /// A cell with the HasSource flag whose parents all lack it, or the reverse. An awake cell is
    /// exempt if an edit has changed parents or sources since the last tick, or if the cell is in a
    /// frozen chunk.
    HasSource(IVec3),
    /// Sleeping water above a cell with room.
    Unsupported(IVec3),
    /// A sleeping open cell at the sea that is not full, or that the sea should have closed over.
    Unfilled(IVec3),
    /// A sleeping cell with a drain in water, or with a tap and room.
    Fixture(IVec3),
    /// A sleeping body of water without a source that is not level to within one unit, in itself or
    /// with the sea beside it.
    Uneven {
        /// A cell of its highest surface.
        high: IVec3,
        /// A cell of the body, or a dry cell beside the body, that the water in `high` could flow
        /// to.
        low: IVec3,
        /// The difference of their surfaces, in units.
        difference: i64,
    },
    /// A sleeping cell and a lateral neighbour, at least two units lower, that the water in the
    /// cell could flow to.
    Unlevel {
        /// The higher cell.
        cell: IVec3,
        /// The lower cell.
        neighbour: IVec3,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Ledger { counted, booked } => {
                write!(f, "{counted} units in the cells, {booked} in the ledger")
            }
            Violation::Storage => f.write_str("the chunk store is not in its canonical form"),
            Violation::Masks(chunk) => {
                write!(f, "the masks of chunk {chunk} are not those of its cells")
            }
            Violation::Word { cell, word } => {
                write!(f, "cell {cell} has the word {word:#06x}, which is not canonical")
            }
            Violation::Bounds(cell) => {
                write!(f, "cell {cell} is on the wrong side of the world's bounds")
            }
            Violation::Parent(cell) => {
                write!(f, "a parent of cell {cell} has neither water nor flow")
            }
            Violation::ParentLoop(cell) => write!(f, "the parents of cell {cell} form a loop"),
            Violation::Extra(cell) => {
                write!(f, "cell {cell} and the table of its parents disagree")
            }
            Violation::Largest { cell, largest } => {
                write!(f, "cell {cell} has a largest flow of {largest}, above throughput")
            }
            Violation::Asleep(cell) => {
                write!(
                    f,
                    "FlowOut or the activity of sleeping cell {cell} does not fit its steady flow"
                )
            }
            Violation::HasSource(cell) => {
                write!(f, "the HasSource flag of cell {cell} is wrong")
            }
            Violation::Unsupported(cell) => {
                write!(f, "the water in cell {cell} sleeps above a cell with room")
            }
            Violation::Fixture(cell) => {
                write!(f, "the drain or tap in cell {cell} sleeps with something to do")
            }
            Violation::Unfilled(cell) => {
                write!(f, "cell {cell} sleeps at the sea and is not filled")
            }
            Violation::Uneven { high, low, difference } => {
                write!(f, "a sleeping body's surface at {high} is {difference} units above {low}")
            }
            Violation::Unlevel { cell, neighbour } => {
                write!(f, "sleeping cells {cell} and {neighbour} differ by two units or more")
            }
        }
    }
}

impl core::error::Error for Violation {}

/// Checks all laws, and returns the first broken law as a typed error.
pub(crate) fn check_laws(world: &WaterWorld) -> Result<(), Violation> {
    world.store.grid().validate().map_err(|_| Violation::Storage)?;
    let mut counted = 0;
    for slot in world.store.grid().sorted_slots() {
        if !beside_is_true(&world.store, slot) {
            return Err(Violation::Masks(world.store.grid().position_at(slot)));
        }
        let chunk = world.store.grid().chunk_at(slot);
        counted += chunk.units();
        (0..16).try_for_each(|layer| check_layer(world, LayerId::new(slot, layer)))?;
    }
    // In the middle of Flow, water is on its way through runs. In the middle of a pass over a body,
    // cells have received units that others are still to give.
    let ahead = world.tick_state.pools.units_ahead();
    let booked = (world.ledger.total() + units_on_the_way(world)).saturating_add_signed(ahead);
    if counted != booked {
        return Err(Violation::Ledger { counted, booked });
    }
    if world.scratch.phase != Phase::Rest {
        return Ok(());
    }
    check_coasts(world)?;
    check_fixtures(world)?;
    check_loops(world)?;
    // A spring that is a portal may have given its quota, and then stands above water that it would
    // otherwise fill.
    let is_level = world.rules.pools && world.store.portals().is_empty();
    if is_level { check_surfaces(world) } else { Ok(()) }
}

/// Returns the cells of a chunk that satisfy `is_in`, in order.
fn cells_where(
    world: &WaterWorld,
    slot: Slot,
    is_in: impl Fn(Voxel) -> bool,
) -> impl Iterator<Item = Place> {
    slot.layers().flat_map(move |layer| {
        world.store.select(layer, &is_in).iter().map(move |cell| Place::in_layer(layer, cell))
    })
}

/// Checks that marks stand beyond the bounds and nowhere else, and checks each cell that is neither
/// open and dry nor a mark. Most cells are dry or marks, and fuzzers run this after every tick.
fn check_layer(world: &WaterWorld, layer: LayerId) -> Result<(), Violation> {
    let chunk = world.store.grid().position_at(layer.slot);
    let mut wrong = world.store.select(layer, Voxel::is_outside);
    if !world.store.is_within(chunk) {
        for (beyond, mark) in world.store.marks_of_layer(chunk, layer.y) {
            if beyond.any() {
                let others = world.store.select(layer, |voxel| voxel != mark);
                wrong = (wrong - beyond) | (others & beyond);
            }
        }
    }
    if let Some(cell) = wrong.iter().next() {
        let place = Place::in_layer(layer, cell);
        return Err(Violation::Bounds(world.store.position(place)));
    }
    if world.scratch.phase != Phase::Rest {
        return Ok(());
    }
    let cells = world.store.select(layer, |voxel| voxel != Voxel::OPEN && !voxel.is_mark());
    let mut places = cells.iter().map(|cell| Place::in_layer(layer, cell));
    places.try_for_each(|place| check_cell(world, place, world.store.read(place)))
}

fn check_cell(world: &WaterWorld, place: Place, voxel: Voxel) -> Result<(), Violation> {
    let cell = world.store.position(place);
    WaterCell::from_word(voxel.word()).map_err(|_| Violation::Word { cell, word: voxel.word() })?;
    if voxel.largest() > world.rules.throughput && !voxel.has(CellFlags::IS_SOURCE) {
        return Err(Violation::Largest { cell, largest: voxel.largest() });
    }
    check_parents(world, place, voxel, cell)?;
    let asleep = !world.store.is_awake(place);
    // In a frozen chunk, no tick corrects the flags after an edit.
    if asleep || !world.store.have_links_changed() && !world.store.is_frozen(place.slot) {
        check_source(world, place, voxel, cell)?;
    }
    if asleep { check_sleeper(world, place, voxel, cell) } else { Ok(()) }
}

fn check_parents(
    world: &WaterWorld,
    place: Place,
    voxel: Voxel,
    cell: IVec3,
) -> Result<(), Violation> {
    let parents = world.store.parents_of(place);
    let first = voxel.parent_face().filter(|_| voxel.is_connected());
    let first = first.map_or(0, |face| 1u8 << face.index());
    if parents & first != first || (parents.count_ones() > 1) != voxel.has(CellFlags::EXTRA) {
        return Err(Violation::Extra(cell));
    }
    for face in Store::faces(parents) {
        let parent = world.store.look(place, face);
        if parent.is_mark() || parent == Voxel::OPEN {
            return Err(Violation::Parent(cell));
        }
    }
    Ok(())
}

fn check_source(
    world: &WaterWorld,
    place: Place,
    voxel: Voxel,
    cell: IVec3,
) -> Result<(), Violation> {
    let mut parents =
        Store::faces(world.store.parents_of(place)).map(|face| world.store.look(place, face));
    let is_fed = parents.any(|parent| parent.has(CellFlags::HAS_SOURCE));
    let is_true = voxel.has(CellFlags::IS_SOURCE) || is_fed == voxel.has(CellFlags::HAS_SOURCE);
    if is_true { Ok(()) } else { Err(Violation::HasSource(cell)) }
}

fn check_sleeper(
    world: &WaterWorld,
    place: Place,
    voxel: Voxel,
    cell: IVec3,
) -> Result<(), Violation> {
    let is_source = voxel.has(CellFlags::IS_SOURCE);
    let is_passed = !world.store.steady(place).is_none();
    let has_flow_out = voxel.has(CellFlags::FLOW_OUT);
    if has_flow_out != is_passed || is_passed && voxel.active() < MOST_ACTIVE {
        return Err(Violation::Asleep(cell));
    }
    if world.store.portals().contains_key(&place) {
        // A portal gives water by its quota only.
        return Ok(());
    }
    if is_source && world.rules.source_supply == 0 {
        return Ok(());
    }
    if voxel.loose() > 0 && world.store.floor(place).room() > 0 {
        return Err(Violation::Unsupported(cell));
    }
    for face in Face::LATERAL {
        let beside = world.store.look(place, face);
        let lower = !beside.is_closed() && voxel.loose() >= beside.height_bits() + 2;
        if lower && let Some(neighbour) = face.step(cell) {
            return Err(Violation::Unlevel { cell, neighbour });
        }
    }
    Ok(())
}

/// Checks that every sleeping open cell of the coast is full, and that none of them lies on the sea
/// unless it is a spring.
fn check_coasts(world: &WaterWorld) -> Result<(), Violation> {
    for slot in world.store.grid().sorted_slots() {
        let coast = world.store.coast(slot).into_iter().flat_map(CellMask::iter);
        for place in coast.map(|index| Place::new(slot, index)) {
            let voxel = world.store.read(place);
            if voxel.is_mark() || world.store.is_awake(place) {
                continue;
            }
            let below = world.store.look(place, Face::Down);
            if voxel.room() > 0 || below.is_sea() && !voxel.is_source() {
                return Err(Violation::Unfilled(world.store.position(place)));
            }
        }
    }
    Ok(())
}

/// Checks that no fixture with something to do sleeps.
fn check_fixtures(world: &WaterWorld) -> Result<(), Violation> {
    for slot in world.store.grid().sorted_slots() {
        for (index, _) in fixture_list(&world.store, slot) {
            let place = Place::new(slot, index.into());
            if !world.store.is_awake(place) && has_work(&world.store, place) {
                return Err(Violation::Fixture(world.store.position(place)));
            }
        }
    }
    Ok(())
}

/// Checks that parents form no cycle, by depth-first search along parents: a cell that is visited
/// again before the search from it has ended is in a loop.
fn check_loops(world: &WaterWorld) -> Result<(), Violation> {
    let (mut met, mut ended) = (PlaceSet::default(), PlaceSet::default());
    let mut open = Vec::new();
    for slot in world.store.grid().sorted_slots() {
        for start in cells_where(world, slot, |voxel| voxel.direction().is_some()) {
            if met.insert(start) {
                open.push((start, world.store.parents_of(start)));
            }
            while let Some((place, faces)) = open.pop() {
                let Some(face) = Store::faces(faces).next() else {
                    ended.insert(place);
                    continue;
                };
                open.push((place, faces & (faces - 1)));
                let parent = world.store.step(place, face);
                if met.insert(parent) {
                    open.push((parent, world.store.parents_of(parent)));
                } else if !ended.contains(parent) {
                    return Err(Violation::ParentLoop(world.store.position(parent)));
                }
            }
        }
    }
    Ok(())
}

/// Checks that every sleeping body without a source is level. The check works cell by cell,
/// independently of the masks with which pools are found.
fn check_surfaces(world: &WaterWorld) -> Result<(), Violation> {
    let mut seen = PlaceSet::default();
    for slot in world.store.grid().sorted_slots() {
        for start in cells_where(world, slot, Voxel::is_wet) {
            if seen.insert(start) {
                check_surface(world, start, &mut seen)?;
            }
        }
    }
    Ok(())
}

fn check_surface(world: &WaterWorld, start: Place, seen: &mut PlaceSet) -> Result<(), Violation> {
    // Breadth-first, so that the queue holds no more than a frontier of the body.
    let mut open = VecDeque::from([start]);
    let (mut high, mut low): (Option<Surface>, Option<Surface>) = (None, None);
    let mut exempt = false;
    while let Some(place) = open.pop_front() {
        let voxel = world.store.read(place);
        let cell = world.store.position(place);
        let full = voxel.is_closed();
        let asleep = !world.store.is_awake(place);
        exempt |= voxel.has(CellFlags::HAS_SOURCE) || !asleep;
        let own = head(cell.y, voxel.height());
        let at = LayerMask::single(place.cell());
        if let Some(sea) = world.store.sea_levels(place.layer_id(), at) {
            high = high.max_by_head((sea.high.0, cell));
            low = low.min_by_head((sea.low.0, cell));
        }
        if !full || !world.store.look(place, Face::Up).is_wet() {
            high = high.max_by_head((own, cell));
        }
        if !full {
            low = low.min_by_head((own, cell));
        }
        for face in Face::ALL {
            let Some(there) = world.store.across(place, face) else { continue };
            let beside = world.store.read(there);
            if is_one_body(face, voxel, beside) && seen.insert(there) {
                open.push_back(there);
            }
            // A cell with room below water waits for that water to fall, even below a spring that
            // gives nothing. Until then, it need not flow to dry neighbours.
            let above = world.store.look(place, Face::Up);
            let is_fallen_on = !full && !above.is_mark() && above.is_wet();
            let is_dry = !beside.is_mark() && !beside.is_wet();
            let rises_to = face != Face::Down && (full || face != Face::Up);
            if rises_to && is_dry && !is_fallen_on {
                let dry = world.store.position(there);
                low = low.min_by_head((head(dry.y, 0), dry));
            }
        }
    }
    match (high, low) {
        (Some((top, high)), Some((bottom, low))) if !exempt && top - bottom > 1 => {
            Err(Violation::Uneven { high, low, difference: top - bottom })
        }
        _ => Ok(()),
    }
}

/// The hydraulic head of a surface in one cell, in units, and the cell.
type Surface = (i64, IVec3);

/// Keeps the higher or the lower of two surfaces; if they are equal, the first.
trait ByHead {
    fn max_by_head(self, other: Surface) -> Self;
    fn min_by_head(self, other: Surface) -> Self;
}

impl ByHead for Option<Surface> {
    fn max_by_head(self, other: Surface) -> Self {
        self.filter(|kept| kept.0 >= other.0).or(Some(other))
    }

    fn min_by_head(self, other: Surface) -> Self {
        self.filter(|kept| kept.0 <= other.0).or(Some(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::simulation::says;
    use crate::water::store::fixtures;
    use crate::water::{Fixture, Rules};
    use glam::IVec3;

    const HERE: IVec3 = IVec3::new(2, 1, 1);
    const EAST: IVec3 = IVec3::new(3, 1, 1);
    const FULL: u16 = 7;
    /// Directions: water that flows west has its parent in the east, and the reverse.
    const WESTWARD: u16 = 1 << 3;
    const EASTWARD: u16 = 2 << 3;

    /// Returns a world with a sleeping chunk of rock, with holes that hold these words. All laws
    /// that do not concern the words hold.
    fn world(words: &[(IVec3, u16)]) -> WaterWorld {
        let mut world = WaterWorld::new(7, Rules { throughput: 3, ..Rules::lossless() }).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::SOLID)).unwrap();
        world.run(3);
        for &(cell, word) in words {
            let place = world.place(cell).unwrap();
            let voxel = Voxel::from_raw(word);
            world.store.write(place, voxel);
            world.ledger.placed += u64::from(voxel.height());
        }
        world
    }

    #[test]
    fn still_water_breaks_no_law() {
        assert_eq!(check_laws(&world(&[(HERE, FULL | WESTWARD), (EAST, FULL)])), Ok(()));
        assert_eq!(check_laws(&world(&[(HERE, 3), (EAST, 2)])), Ok(()));
    }

    #[test]
    fn every_broken_law_of_a_cell_is_found() {
        let largest = |units: u16| units << 8;
        let found = |words: &[(IVec3, u16)]| check_laws(&world(words)).unwrap_err();
        assert_eq!(
            found(&[(HERE, FULL | largest(1))]),
            Violation::Word { cell: HERE, word: 0x0107 }
        );
        let to_the_west = |more: u16| [(EAST, FULL), (HERE, FULL | WESTWARD | more)];
        assert_eq!(found(&to_the_west(largest(5))), Violation::Largest { cell: HERE, largest: 5 });
        let several = (CellFlags::HAS_SOURCE | CellFlags::EXTRA).bits();
        assert_eq!(found(&to_the_west(several)), Violation::Extra(HERE));
        assert_eq!(found(&to_the_west(CellFlags::FLOW_OUT.bits())), Violation::Asleep(HERE));
        let fed = FULL | WESTWARD | CellFlags::HAS_SOURCE.bits();
        assert_eq!(found(&[(HERE, fed), (EAST, 0)]), Violation::Parent(HERE));
        assert_eq!(found(&[(HERE, fed), (EAST, FULL)]), Violation::HasSource(HERE));
        assert_eq!(found(&[(HERE, Voxel::HELD.word())]), Violation::Bounds(HERE));
        assert_eq!(found(&[(HERE, 3), (HERE - IVec3::Y, 0)]), Violation::Unsupported(HERE));
        for (fixture, height) in [(Fixture::Drain(1), 2), (Fixture::Tap(1), 2)] {
            let mut world = world(&[(HERE, height)]);
            let here = world.place(HERE).unwrap();
            fixtures::set_fixture(&mut world.store, here, Some(fixture));
            assert_eq!(check_laws(&world), Err(Violation::Fixture(HERE)));
        }
        assert_eq!(
            found(&[(HERE, 5), (EAST, 2)]),
            Violation::Unlevel { cell: HERE, neighbour: EAST }
        );
    }

    #[test]
    fn every_broken_law_between_cells_is_found() {
        let fed = FULL | CellFlags::HAS_SOURCE.bits();
        let round = check_laws(&world(&[(HERE, fed | WESTWARD), (EAST, fed | EASTWARD)]));
        assert!(matches!(round, Err(Violation::ParentLoop(HERE | EAST))), "{round:?}");
        let low = EAST + IVec3::X;
        let slope = world(&[(HERE, 3), (EAST, 2), (low, 1)]);
        assert_eq!(check_laws(&slope), Err(Violation::Uneven { high: HERE, low, difference: 2 }));
        // Water that falls on the lowest cell will feed the dry cell beside it. If the falling
        // water sleeps, it hangs in the air.
        let dry = low + IVec3::X;
        let words = [(HERE, 2), (EAST, 2), (low, 1), (dry, 0)];
        let uneven = Violation::Uneven { high: HERE, low: dry, difference: 2 };
        assert_eq!(check_laws(&world(&words)), Err(uneven));
        let above = low + IVec3::Y;
        let mut fallen_on = world(&[&words[..], &[(above, 2)]].concat());
        assert_eq!(check_laws(&fallen_on), Err(Violation::Unsupported(above)));
        fallen_on.store.wake_at(fallen_on.place(above).unwrap());
        assert_eq!(check_laws(&fallen_on), Ok(()));
        let mut lost = world(&[(HERE, FULL)]);
        lost.ledger.placed += 2;
        assert_eq!(check_laws(&lost), Err(Violation::Ledger { counted: 7, booked: 9 }));
        let mut masked = world(&[(HERE, FULL)]);
        masked.store.grid_mut().set(HERE, Voxel::from_raw(3));
        assert_eq!(check_laws(&masked), Err(Violation::Masks(ChunkPos::ZERO)));
        let mut loose = world(&[]);
        let Place { slot, .. } = loose.place(HERE).unwrap();
        loose.store.grid_mut().chunk_at_mut(slot).cells_mut();
        assert_eq!(check_laws(&loose), Err(Violation::Storage));
    }

    #[test]
    fn broken_laws_name_place_and_figures() {
        const HERE: IVec3 = IVec3::new(-4, 5, 61);
        const THERE: IVec3 = IVec3::new(-3, 5, 61);
        says(&Violation::Ledger { counted: 11, booked: 12 }, &["11", "12", "ledger"]);
        says(&Violation::Storage, &["store"]);
        says(&Violation::Word { cell: HERE, word: 0x0180 }, &["[-4, 5, 61]", "0x0180"]);
        says(&Violation::Largest { cell: HERE, largest: 6 }, &["[-4, 5, 61]", "6"]);
        says(&Violation::Unlevel { cell: HERE, neighbour: THERE }, &["[-4, 5, 61]", "[-3, 5, 61]"]);
        says(
            &Violation::Uneven { high: HERE, low: THERE, difference: 3 },
            &["[-4, 5, 61]", "[-3, 5, 61]", "3"],
        );
        for violation in [
            Violation::Masks(HERE.into()),
            Violation::Bounds(HERE),
            Violation::Parent(HERE),
            Violation::ParentLoop(HERE),
            Violation::Extra(HERE),
            Violation::Asleep(HERE),
            Violation::HasSource(HERE),
            Violation::Unsupported(HERE),
            Violation::Fixture(HERE),
        ] {
            says(&violation, &["[-4, 5, 61]"]);
        }
    }
}
