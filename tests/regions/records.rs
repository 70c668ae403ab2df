//! Regions as records: taken out, put in elsewhere, saved and loaded at any moment, they have the
//! bytes and messages of regions that stayed.

use crate::random::{random_edit_at, random_world};
use crate::scenes::{check_accounts, world};
use fastrand::Rng;
use floodplain::regions::{FaceMessage, RegionError, RegionRecord, RegionWorld};
use floodplain::water::{Edit, Ledger, Rules, Voxel};
use floodplain::{Chunk, ChunkPos, Region};
use glam::{IVec2, IVec3};
use std::collections::BTreeMap;

/// A world over regions that is divided among several, as among processes.
struct Divided {
    parts: Vec<RegionWorld>,
    /// The part of each region, by x and z.
    owners: BTreeMap<[i32; 2], usize>,
    side: i32,
}

impl Divided {
    /// Divides a world, by records of its regions.
    fn new(mut world: RegionWorld, side: i32, empty: Vec<RegionWorld>, rng: &mut Rng) -> Divided {
        let mut divided = Divided { parts: empty, owners: BTreeMap::new(), side };
        for at in world.regions().collect::<Vec<IVec2>>() {
            let owner = rng.usize(..divided.parts.len());
            let record = world.take_region(at).unwrap();
            divided.parts[owner].insert_region(&record).unwrap();
            divided.owners.insert(at.to_array(), owner);
        }
        divided
    }

    fn owner(&self, at: IVec2) -> usize {
        self.owners.get(&at.to_array()).copied().unwrap_or(0)
    }

    /// Makes an edit in the part of its region. Returns whether it was made.
    fn apply(&mut self, cell: IVec3, edit: &Edit) -> bool {
        if let Edit::SetRules(_) = edit {
            return self.parts.iter_mut().all(|part| part.apply(edit.clone()).is_ok());
        }
        let at = IVec2::new(cell.x, cell.z).div_euclid(IVec2::splat(self.side));
        let owner = self.owner(at);
        self.parts[owner].apply(edit.clone()).is_ok()
    }

    /// Moves a random region to a random part, as bytes.
    fn move_one(&mut self, rng: &mut Rng) {
        let regions: Vec<IVec2> = self.parts.iter().flat_map(RegionWorld::regions).collect();
        let Some(&at) = rng.choice(&regions) else { return };
        let (from, to) = (self.owner(at), rng.usize(..self.parts.len()));
        let bytes = self.parts[from].take_region(at).unwrap().to_bytes();
        let record = RegionRecord::from_bytes(&bytes).unwrap();
        assert_eq!((record.region(), record.ticks()), (at, self.parts[to].ticks()));
        self.parts[to].insert_region(&record).unwrap();
        assert_eq!(self.parts[to].region_record(at).unwrap().to_bytes(), bytes);
        self.owners.insert(at.to_array(), to);
    }

    /// Replaces a part by what is loaded of its save.
    fn reload_one(&mut self, rng: &mut Rng) {
        let part = rng.usize(..self.parts.len());
        self.parts[part] = reloaded(&self.parts[part]);
    }

    /// Runs a tick. Between the messages, in random order, regions move with this probability in
    /// eighths.
    fn step(&mut self, rng: &mut Rng, moves: u8) {
        let mut messages: Vec<FaceMessage> =
            self.parts.iter_mut().flat_map(|part| part.advance().1).collect();
        rng.shuffle(&mut messages);
        for message in messages {
            if rng.u8(..64) < moves {
                self.move_one(rng);
            }
            let owner = self.owner(message.to);
            match self.parts[owner].receive(&message) {
                Ok(()) | Err(RegionError::Absent(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn hash(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.wrapping_add(part.state_hash()))
    }

    fn total(&self) -> u64 {
        self.parts.iter().map(RegionWorld::total).sum()
    }

    fn entries(&self) -> [u64; 9] {
        let mut sums = [0; 9];
        for part in &self.parts {
            sums.iter_mut().zip(entries(&part.ledger())).for_each(|(sum, units)| *sum += units);
        }
        sums
    }
}

fn entries(ledger: &Ledger) -> [u64; 9] {
    let Ledger { placed, injected, removed, drained, evaporated, .. } = *ledger;
    let Ledger { loaded, unloaded, from_sea, into_sea, .. } = *ledger;
    [placed, injected, removed, drained, evaporated, loaded, unloaded, from_sea, into_sea]
}

/// Returns the world that is loaded of a world's save.
fn reloaded(world: &RegionWorld) -> RegionWorld {
    let bytes = world.save();
    let loaded = RegionWorld::load(&bytes).unwrap();
    assert_eq!(loaded.save(), bytes);
    loaded
}

/// Returns the record of a region, as bytes.
fn record_of(world: &RegionWorld, at: IVec2) -> Vec<u8> {
    world.region_record(at).unwrap().to_bytes()
}

/// Returns worlds like a random one, without regions, by a save from which they are taken.
fn emptied(world: &RegionWorld, count: usize) -> Vec<RegionWorld> {
    let empty = || {
        let mut world = reloaded(world);
        for at in world.regions().collect::<Vec<IVec2>>() {
            world.take_region(at).unwrap();
        }
        world
    };
    (0..count).map(|_| empty()).collect()
}

/// One world is let alone, one is saved and loaded, and one is divided among two to four parts,
/// between which regions move, also between the messages of a tick.
#[test]
fn moved_regions_and_saved_worlds_continue_undisturbed() {
    let (mut passed, mut most_portals) = (0, 0);
    for seed in 0..16 {
        let mut rng = Rng::with_seed(!seed);
        let (mut undisturbed, side) = random_world(seed);
        (0..rng.u8(..12)).for_each(|_| _ = undisturbed.step());
        let mut saved = reloaded(&undisturbed);
        let empty = emptied(&undisturbed, rng.usize(2..5));
        let mut divided = Divided::new(reloaded(&undisturbed), side, empty, &mut rng);
        for _ in 0..48 {
            let context = format!("seed {seed}, tick {}", undisturbed.ticks());
            if rng.u8(..3) == 0 {
                let (cell, edit) = random_edit_at(&mut rng);
                let made = undisturbed.apply(edit.clone());
                assert_eq!(saved.apply(edit.clone()), made, "{context}: {edit:?}");
                assert_eq!(divided.apply(cell, &edit), made.is_ok(), "{context}: {edit:?}");
            }
            if rng.u8(..3) == 0 {
                divided.move_one(&mut rng);
                divided.reload_one(&mut rng);
            }
            if rng.u8(..4) == 0 {
                saved = reloaded(&saved);
            }
            undisturbed.step();
            saved.step();
            let moves = if rng.bool() { 8 } else { 0 };
            divided.step(&mut rng, moves);
            assert_eq!(saved.state_hash(), undisturbed.state_hash(), "{context}: saved");
            assert_eq!(divided.hash(), undisturbed.state_hash(), "{context}: divided");
            assert_eq!(divided.total(), undisturbed.total(), "{context}");
            assert_eq!(divided.entries(), entries(&undisturbed.ledger()), "{context}");
            check_accounts(&saved, &context);
            let compared = undisturbed.regions().filter(|_| rng.u8(..4) == 0);
            for at in compared.collect::<Vec<IVec2>>() {
                let bytes = record_of(&undisturbed, at);
                assert_eq!(record_of(&saved, at), bytes, "{context}: {at} was saved");
                let owner = &divided.parts[divided.owner(at)];
                assert_eq!(record_of(owner, at), bytes, "{context}: {at} has moved");
            }
        }
        assert_eq!(undisturbed.validate(), Ok(()), "seed {seed}");
        for from in undisturbed.regions().collect::<Vec<IVec2>>() {
            for to in [from + IVec2::X, from - IVec2::Y] {
                passed += undisturbed.account(from, to).map_or(0, |account| account.sent);
            }
        }
        most_portals = most_portals.max(undisturbed.ledger().injected);
    }
    println!("{passed} units passed, {most_portals} of springs");
    assert!(passed > 1_300 && most_portals > 300, "{passed} units, {most_portals} of springs");
}

/// Three regions with a river through them and a lake over both borders, after some ticks.
fn flowing(ticks: u64) -> RegionWorld {
    let size = IVec3::new(48, 16, 16);
    let mut world = world(3, Rules::lossless(), 16, size, |cell| match (cell.y, cell.z) {
        (0, _) => Voxel::SOLID,
        (_, 6) => Voxel::SOLID,
        _ => Voxel::OPEN,
    });
    world.apply(Edit::AddSource(IVec3::new(2, 1, 2))).unwrap();
    let lake = Region::new(IVec3::new(10, 1, 7), IVec3::new(30, 3, 15));
    for x in [10, 16] {
        let (min, max) = (lake.min().with_x(x), lake.max().with_x(x + 4));
        world.apply(Edit::FillWater { region: Region::new(min, max), height: 7 }).unwrap();
    }
    (0..ticks).for_each(|_| _ = world.step());
    world
}

const MIDDLE: IVec2 = IVec2::new(1, 0);

#[test]
fn a_record_of_another_world_is_refused_by_name_and_changes_nothing() {
    let mut source = flowing(30);
    let record = source.take_region(MIDDLE).unwrap();
    assert_eq!(source.take_region(MIDDLE).unwrap_err(), RegionError::Absent(MIDDLE));
    assert_eq!(source.region_record(MIDDLE).unwrap_err(), RegionError::Absent(MIDDLE));
    let bounds = Region::new(IVec3::ZERO, IVec3::new(47, 15, 15));
    let begun = |seed, rules, bounds, side| {
        let mut world = RegionWorld::new(seed, rules, bounds, side).unwrap();
        world.begin_at(30).unwrap();
        world
    };
    let rules = Rules::lossless();
    let refused = |mut world: RegionWorld| {
        let error = world.insert_region(&record).unwrap_err();
        assert_eq!((world.regions().count(), world.state_hash()), (0, 0), "{error}");
        error
    };
    let other = RegionError::OtherSeed { found: 3, wanted: 4 };
    assert_eq!(refused(begun(4, rules, bounds, 16)), other);
    let other = RegionError::OtherSide { found: 16, wanted: 32 };
    assert_eq!(refused(begun(3, rules, bounds, 32)), other);
    let wide = Region::new(IVec3::ZERO, IVec3::new(63, 15, 15));
    let other = RegionError::OtherBounds { found: bounds, wanted: wide };
    assert_eq!(refused(begun(3, rules, wide, 16)), other);
    let slow = Rules { throughput: 3, ..rules };
    assert_eq!(refused(begun(3, slow, bounds, 16)), RegionError::OtherRules(MIDDLE));
    let mut late = begun(3, rules, bounds, 16);
    late.step();
    assert_eq!(refused(late), RegionError::OtherTick { found: 30, wanted: 31 });
    let mut world = begun(3, rules, bounds, 16);
    world.insert_region(&record).unwrap();
    let before = world.state_hash();
    assert_eq!(world.insert_region(&record), Err(RegionError::Occupied(MIDDLE)));
    assert_eq!(world.begin_at(7), Err(RegionError::HasRegions));
    assert_eq!((world.state_hash(), world.ticks()), (before, 30));
}

/// A region that begins late is one whose world has run all the ticks before.
#[test]
fn a_world_that_begins_at_a_tick_equals_one_that_has_run_until_then() {
    let begin = |ticks: u64, is_run: bool| {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
        let mut world = RegionWorld::new(9, Rules::desert(), bounds, 16).unwrap();
        match is_run {
            true => (0..ticks).for_each(|_| _ = world.step()),
            false => world.begin_at(ticks).unwrap(),
        }
        for x in 0..2 {
            let (position, chunk) = (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
            world.apply(Edit::InsertChunk { position, chunk }).unwrap();
        }
        world.apply(Edit::AddSource(IVec3::new(13, 2, 8))).unwrap();
        (0..100).for_each(|_| _ = world.step());
        world.save()
    };
    for ticks in [0, 1, 700] {
        assert_eq!(begin(ticks, true), begin(ticks, false), "{ticks} ticks");
    }
}

/// Returns bytes with random damage, one to four times.
fn damaged(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.u8(1..4) {
        let at = rng.usize(..bytes.len());
        match rng.u8(..6) {
            0 => bytes[at] = u8::MAX,
            1 => bytes.truncate(at.max(1)),
            2 => bytes.insert(at, rng.u8(..)),
            3 => _ = (bytes.len() > 1).then(|| bytes.remove(at)),
            _ => bytes[at] ^= 1 << rng.u8(..8),
        }
    }
    bytes
}

/// Makes the checksum at the end right.
fn seal(bytes: &mut [u8]) {
    if let Some((content, checksum)) = bytes.split_last_chunk_mut::<4>() {
        *checksum = crc32fast::hash(content).to_le_bytes();
    }
}

/// Random damage is refused. With the checksums made right again, it is refused or a lawful world.
#[test]
fn damaged_records_and_saves_are_refused_or_lawful() {
    let world = flowing(31);
    let (record, save) = (record_of(&world, MIDDLE), world.save());
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let bytes = damaged(&record, &mut rng);
        assert!(bytes == record || RegionRecord::from_bytes(&bytes).is_err(), "seed {seed}");
        let bytes = damaged(&save, &mut rng);
        assert!(bytes == save || RegionWorld::load(&bytes).is_err(), "seed {seed}");
    }
    let (mut unread, mut refused, mut taken) = (0, 0, 0);
    for seed in 0..1_500 {
        let mut rng = Rng::with_seed(seed);
        // The snapshot in a record has checksums of its own: most damage is in front or behind it.
        let length = u32::from_le_bytes(*record[56..].first_chunk().unwrap()) as usize;
        let mut bytes = record.clone();
        for _ in 0..rng.u8(1..3) {
            let at = if rng.u8(..4) == 0 {
                rng.usize(..56)
            } else {
                rng.usize(60 + length..record.len())
            };
            bytes[at] ^= 1 << rng.u8(..8);
        }
        seal(&mut bytes);
        let Ok(forged) = RegionRecord::from_bytes(&bytes) else {
            unread += 1;
            continue;
        };
        let mut other = reloaded(&world);
        other.take_region(MIDDLE).unwrap();
        let before = other.state_hash();
        if other.insert_region(&forged).is_err() {
            assert_eq!(other.state_hash(), before, "seed {seed}");
            refused += 1;
            continue;
        }
        taken += 1;
        assert_eq!(other.validate(), Ok(()), "seed {seed}");
        for _ in 0..5 {
            let (_, messages) = other.advance();
            // Neighbours may refuse what a forged region sends.
            messages.iter().for_each(|message| _ = other.receive(message));
            assert_eq!(other.validate(), Ok(()), "seed {seed}");
        }
    }
    println!("{unread} not read, {refused} refused, {taken} taken");
    assert!(unread > 100 && refused > 100 && taken > 10, "{unread}, {refused}, {taken}");
}
