//! Edits between the steps of a divided world, at random, against the undivided world with the same
//! edits.

use crate::beside::{parts_with_copies, renew};
use crate::worlds::{
    Blast, DeepBlast, DeepSoil, Divided, Drawn, Soil, columns, random_plan, sums_of,
};
use fastrand::Rng;
use floodplain::blast::{self, BlastWorld};
use floodplain::humidity::{self, HumidityWorld};
use floodplain::parts::{Fringed, InParts, PartEditError, PartError, Plan};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, ColumnPos, Region, Shape, Sheet, StepReport};
use glam::IVec3;

/// Checks everything of the parts against the whole.
fn compare<W: Drawn>(divided: &mut Divided<W>, replay: &str) {
    let (account, hash) = divided.sums();
    assert_eq!(account, divided.whole.account(), "{replay}");
    assert_eq!(hash, divided.whole.hash_part(), "{replay}");
    let awake: usize = divided.parts.iter().map(|part| part.awake_cells()).sum();
    assert_eq!(awake, divided.whole.awake_cells(), "{replay}");
    let changes = format!("{:?}", divided.whole.take_changes());
    assert_eq!(divided.changes(), changes, "{replay}");
    let events: usize = divided.parts.iter_mut().map(|part| part.take_events().len()).sum();
    assert_eq!(events, divided.whole.take_events().len(), "{replay}");
}

fn edits_equal_those_of_the_whole<W: Drawn>(worlds: u64, steps: u64) {
    let (mut made, mut refused) = (0, 0);
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw_divided(seed);
        let (_, size) = W::draw(seed);
        for step in 1..=steps {
            let mut edits = Vec::new();
            for _ in 0..divided.rng.usize(..4) {
                let edit = W::draw_edit(&mut divided.rng, size);
                edits.push(format!("{edit:?}"));
                match divided.edit(&edit) {
                    true => made += 1,
                    false => refused += 1,
                }
            }
            if step % 4 == 0 {
                compare(&mut divided, &format!("seed {seed}, before step {step}, {edits:?}"));
            }
            let reports = (divided.step(), divided.whole.step());
            let parts = divided.parts.len();
            let replay = format!("seed {seed}, step {step}, {parts} parts, {edits:?}");
            assert_eq!(reports.0, reports.1, "{replay}");
            compare(&mut divided, &replay);
        }
        for part in &divided.parts {
            assert_eq!(part.validate(), Ok(()), "seed {seed}");
        }
    }
    assert!(made > worlds && refused > worlds / 2, "{made} made, {refused} refused");
}

#[test]
fn edits_of_soil_in_parts_equal_those_of_the_whole() {
    edits_equal_those_of_the_whole::<Soil>(50, 12);
    edits_equal_those_of_the_whole::<DeepSoil>(50, 12);
}

#[test]
fn edits_of_slices_of_water_in_parts_equal_those_of_the_whole() {
    edits_equal_those_of_the_whole::<Water2dWorld>(100, 16);
}

#[test]
fn edits_of_explosions_in_parts_equal_those_of_the_whole() {
    edits_equal_those_of_the_whole::<Blast>(40, 14);
    edits_equal_those_of_the_whole::<DeepBlast>(30, 14);
}

/// Edits between the steps of a block, which the copies beside the parts make, too.
fn copies_take_edits<W: Drawn>(worlds: u64, depths: &[u32], blocks: u32) {
    let (mut made, mut stale) = (0, 0);
    for seed in 0..worlds {
        let (mut whole, size) = W::draw(seed);
        let mut rng = Rng::with_seed(seed);
        let count = rng.usize(2..5).min(columns(size).len());
        let plan = random_plan(&mut rng, size, count);
        let depth = depths[rng.usize(..depths.len())];
        let mut parts = parts_with_copies::<W>(seed, &plan, depth);
        for block in 0..blocks {
            renew(&mut parts, &plan);
            let (mut sum, mut expected) = (StepReport::default(), StepReport::default());
            while parts[0].steps_left() > 0 {
                for _ in 0..rng.usize(..3) {
                    let edit = W::draw_edit(&mut rng, size);
                    let errors: Vec<_> = parts
                        .iter()
                        .filter_map(|part| part.check_edit(&plan, &edit).err())
                        .collect();
                    if errors.iter().any(is_stale) {
                        stale += 1;
                        continue;
                    }
                    assert_eq!(errors.is_empty(), whole.apply(edit.clone()).is_ok(), "{edit:?}");
                    if errors.is_empty() {
                        parts.iter_mut().for_each(|part| _ = part.edit(&plan, &edit).unwrap());
                        made += 1;
                    }
                }
                if parts[0].steps_left() == 0 {
                    break;
                }
                parts.iter_mut().for_each(|part| sum += part.step().unwrap());
                expected += whole.step();
            }
            let replay = format!("seed {seed}, block {block}, {count} parts, depth {depth}");
            assert_eq!(sum, expected, "{replay}");
            let owned = parts.iter().map(|part| part.part().hash_part()).sum();
            assert_eq!(whole.hash_part(), owned, "{replay}");
        }
        let own: Vec<W> = parts.into_iter().map(Fringed::into_part).collect();
        assert_eq!(sums_of(&own).0, whole.account(), "seed {seed}");
    }
    assert!(made > worlds, "{made} made, {stale} refused as stale");
}

fn is_stale<E>(error: &PartEditError<E>) -> bool {
    matches!(error, PartEditError::Part(PartError::Stale { .. }))
}

#[test]
fn edits_in_blocks_of_steps_equal_those_of_the_whole() {
    copies_take_edits::<Soil>(4, &[1, 2], 2);
    copies_take_edits::<DeepSoil>(10, &[1, 2], 3);
    copies_take_edits::<Water2dWorld>(8, &[1, 2], 2);
    // A step and an edit beside it need four columns.
    copies_take_edits::<Blast>(10, &[2, 4, 6], 6);
    copies_take_edits::<DeepBlast>(16, &[2, 4, 6], 6);
}

const COLUMNS: i32 = 2;

fn bounds() -> Region {
    Region::new(IVec3::ZERO, IVec3::new(64 * COLUMNS - 1, 63, 0))
}

fn plan() -> Plan {
    Plan::stripes((0..COLUMNS).map(|x| ColumnPos::new(x, 0)), 2).unwrap()
}

/// Returns two parts of one world.
fn divided<W: InParts>(build: impl Fn() -> W) -> [W; 2] {
    [0, 1].map(|number| {
        let mut part = build();
        part.divide(&plan(), number).unwrap();
        part
    })
}

/// Water that a filled cell at a side displaces flows into the other part, which has no edit of its
/// own. The account counts it once.
#[test]
fn water_is_displaced_from_one_part_into_another() {
    let build = || {
        let mut world = Water2dWorld::with_bounds(1, water2d::Rules::literal(), bounds()).unwrap();
        for x in 0..COLUMNS {
            let rock = Chunk::uniform(water2d::Cell::SOLID);
            world.insert_chunk(ChunkPos::new(x, 0, 0), rock).unwrap();
        }
        let pit = Region::new(IVec3::new(63, 9, 0), IVec3::new(64, 9, 0));
        world.fill_water(pit, 50).unwrap();
        world
    };
    let [mut west, mut east] = divided(build);
    east.resume(0, &[0, 0]).unwrap();
    let edit = water2d::Edit::SetSolid(IVec3::new(63, 9, 0));
    let sent = [&mut west, &mut east].map(|part| part.edit(&plan(), &edit).unwrap());
    east.receive(&sent[0].messages[0]).unwrap();
    west.receive(&sent[1].messages[0]).unwrap();
    assert_eq!(east.level(IVec3::new(64, 9, 0)), 100);
    assert_eq!((sent[1].outcome.clone(), east.account()), (None, vec![0, 0]));
    let mut whole = build();
    let outcome = whole.apply(edit).unwrap();
    assert_eq!(sent[0].outcome, Some(outcome));
    assert_eq!(west.account(), whole.account());
    assert_eq!(west.hash_part() + east.hash_part(), whole.hash_part());
}

#[test]
fn edits_that_a_divided_world_cannot_make_are_refused_and_change_nothing() {
    let build = || {
        let mut world =
            HumidityWorld::<Sheet>::with_bounds(humidity::Rules::default(), bounds()).unwrap();
        let soil = Chunk::uniform(humidity::Cell::soil(3.0, 1.0));
        world.insert_chunk(ChunkPos::new(1, 0, 0), soil).unwrap();
        world
    };
    let [mut west, mut east] = divided(build);
    let before = (west.hash_part(), east.hash_part());
    let value = humidity::Cell::soil(9.0, 1.0);
    let over_both = humidity::Edit::FillCells { region: bounds(), value };
    let absent = humidity::EditError::NotLoaded(IVec3::ZERO);
    assert_eq!(west.edit(&plan(), &over_both), Err(PartEditError::Edit(absent)));
    assert_eq!(east.check_edit(&plan(), &over_both), Ok(()), "it has no data of the other part");
    let chunk = ChunkPos::new(0, 0, 0);
    let whole_chunk = PartEditError::Part(PartError::WholeChunk(chunk));
    let load = humidity::Edit::InsertChunk { position: chunk, chunk: Chunk::uniform(value) };
    for edit in [load, humidity::Edit::RemoveChunk(chunk)] {
        assert_eq!(west.edit(&plan(), &edit), Err(whole_chunk.clone()));
        assert_eq!(east.edit(&plan(), &edit), Err(whole_chunk.clone()));
    }
    let narrow = plan().without_columns([ColumnPos::new(0, 0)]);
    assert!(narrow.is_err(), "a part without columns");
    let beyond =
        Plan::of_owners([(ColumnPos::new(1, 0), 0), (ColumnPos::new(7, 0), 1)], 2).unwrap();
    let unplanned = PartEditError::Part(PartError::Column(ColumnPos::new(0, 0)));
    assert_eq!(east.edit(&beyond, &over_both), Err(unplanned));
    assert_eq!((west.hash_part(), east.hash_part()), before);
    let text = whole_chunk.to_string();
    assert!(text.contains("[0, 0, 0]") && text.contains("column"), "{text}");
    assert!(std::error::Error::source(&whole_chunk).is_some());
}

/// The bounds of an edit may be as wide as numbers go: a part looks only at its own columns.
#[test]
fn an_endless_region_is_refused_at_once() {
    let mut world = Water2dWorld::new(1, water2d::Rules::literal()).unwrap();
    let air = Chunk::uniform(water2d::Cell::AIR);
    world.insert_chunk(ChunkPos::ZERO, air).unwrap();
    let plan = Plan::stripes([ColumnPos::new(0, 0)], 1).unwrap();
    world.divide(&plan, 0).unwrap();
    let [low, high] = [IVec3::new(i32::MIN, 0, 0), IVec3::new(i32::MAX, 63, 0)];
    let edit = water2d::Edit::FillSolid(Region::new(low, high));
    let column = Sheet::chunk_of(low).column();
    let refused = PartEditError::Part(PartError::Column(column));
    assert_eq!(world.edit(&plan, &edit), Err(refused));
}

/// A copy that stands for no further step stands for no edit of explosions.
#[test]
fn an_edit_beside_a_copy_that_is_too_old_is_refused() {
    let build = || {
        let rules = blast::Rules::default();
        BlastWorld::<Sheet>::with_bounds(rules, bounds(), blast::Borders::default()).unwrap()
    };
    let mut parts: Vec<Fringed<_>> = divided(build)
        .into_iter()
        .enumerate()
        .map(|(number, own)| Fringed::new(own, build(), &plan(), number, 2).unwrap())
        .collect();
    let edit = blast::Edit::SetPressure { cell: IVec3::new(64, 3, 0), pressure: 90.0 };
    let stale = |steps| PartEditError::Part(PartError::Stale { steps, columns: 2 });
    assert_eq!(parts[0].edit(&plan(), &edit), Err(stale(u64::MAX)), "never renewed");
    renew(&mut parts, &plan());
    assert_eq!(parts[0].edit(&plan(), &edit), Ok(None));
    assert_eq!(parts[0].steps_left(), 0);
    assert_eq!(parts[0].edit(&plan(), &edit), Err(stale(1)));
}
