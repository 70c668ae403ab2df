//! Snapshots of small worlds with damage done to them, from bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use floodplain::snapshot::{Kind, Saved};
use floodplain::water::{ChunkRecord, Voxel, WaterWorld};
use floodplain::water2d::Water2dWorld;
use floodplain::world::World;
use floodplain::{Chunk, ChunkPos, Cube, Sheet, Simulation};
use std::cell::RefCell;
use std::collections::HashMap;
use support::snapshot::forgery::unpacked;
use support::worlds;

/// Damages in one run.
const MOST_DAMAGES: usize = 6;

/// Steps of a world that was loaded: each of the two kinds of step where they take turns.
const STEPS: usize = 2;

thread_local! {
    /// Snapshots by kind, seed, and whether a tick is underway.
    static SAVED: RefCell<HashMap<(Kind, u8, bool), Vec<u8>>> = RefCell::new(HashMap::new());
}

/// One change of a snapshot's bytes. Places are counted from the start or from the end, modulo the
/// length, or are shares of it: the rules and the state lie in front, marks and lists at the back,
/// and one chunk ends and another begins in between.
#[derive(Debug)]
pub(crate) enum Damage {
    /// Writes a byte.
    Byte(u16, u8),
    /// Writes eight bytes, those of a number at the end of its range.
    Number(u16, u64),
    /// Removes bytes of a section, and corrects its length.
    Cut(u16, u8),
    /// Repeats bytes of a section, and corrects its length.
    Repeat(u16, u8),
}

/// One run of the target `snapshot_bytes`.
#[derive(Debug)]
pub struct SnapshotRun {
    kind: u8,
    seed: u8,
    damages: Vec<Damage>,
    /// Makes the checksums right again.
    is_forged: bool,
}

impl Arbitrary<'_> for SnapshotRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<SnapshotRun> {
        let (kind, seed) = (u8::arbitrary(bytes)?, u8::arbitrary(bytes)? % 32);
        let is_forged = u8::arbitrary(bytes)? % 16 != 0;
        let mut damages = Vec::new();
        while !bytes.is_empty() && damages.len() < MOST_DAMAGES {
            damages.push(damage(bytes)?);
        }
        Ok(SnapshotRun { kind, seed, damages, is_forged })
    }
}

/// Returns a damage made of four bytes.
pub(crate) fn damage(bytes: &mut Unstructured<'_>) -> Result<Damage> {
    let (what, place, value) =
        (u8::arbitrary(bytes)?, u16::arbitrary(bytes)?, u8::arbitrary(bytes)?);
    let numbers = [
        0,
        u64::MAX,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        (-1f64).to_bits(),
        f64::MAX.to_bits(),
        u64::from(f32::NAN.to_bits()),
        u64::from(f32::NEG_INFINITY.to_bits()),
        1 << 62,
        (1 << 62) - 1,
        i64::MAX as u64,
        0x8000_0000,
    ];
    Ok(match what % 8 {
        0..4 => Damage::Byte(place, value),
        4 | 5 => Damage::Number(place, numbers[usize::from(value) % numbers.len()]),
        6 => Damage::Cut(place, value),
        _ => Damage::Repeat(place, value),
    })
}

impl SnapshotRun {
    /// Makes the snapshot, damages it, and loads it. Worlds lie in two chunks and within narrow
    /// bounds, so that there is time for millions.
    pub fn run(&self) {
        // Worlds that are loaded in less time come more often.
        match self.kind % 16 {
            0 => self.check(water, Simulation::step, validate),
            1 | 2 => self.check(water_underway, Simulation::step, validate),
            3 | 4 => self.check(worlds::humidity::<Sheet>, HumidityWorld::step, validate),
            5 | 6 => self.check(worlds::humidity::<Cube>, HumidityWorld::step, validate),
            7 => self.check(
                |seed| worlds::blast_within::<Sheet>(seed, worlds::bounds(true)),
                BlastWorld::step,
                validate,
            ),
            8 => self.check(
                |seed| worlds::blast_within::<Cube>(seed, worlds::bounds(false)),
                BlastWorld::step,
                validate,
            ),
            9 | 10 => self.check(worlds::water_2d, Water2dWorld::step, validate),
            11 => self.check(worlds::materials, World::step, validate),
            15 => self.check_record(),
            _ => self.check(worlds::graph, BlastGraph::step, |graph| {
                assert_eq!(graph.validate(), Ok(()));
            }),
        }
    }

    /// Returns the snapshot without damage, its records not packed. Every world is made once and
    /// its bytes are kept: making one takes longer than loading it.
    fn whole<W: Saved>(&self, world: fn(u64) -> W) -> Vec<u8> {
        let key = (W::KIND, self.seed, matches!(self.kind % 16, 1 | 2));
        SAVED.with_borrow_mut(|saved| {
            let save = || unpacked(&world(u64::from(self.seed)).save());
            saved.entry(key).or_insert_with(save).clone()
        })
    }

    /// Damages the bytes of a chunk's record instead, and inserts what can be read. Any record
    /// keeps the laws of a world.
    fn check_record(&self) {
        let mut world = water(u64::from(self.seed));
        let first = world.chunks().next().map(|(position, _)| position);
        let records = world.remove_chunks(first).expect("loaded");
        let Some(mut bytes) = records.first().map(ChunkRecord::to_bytes) else { return };
        self.damages.iter().for_each(|damage| damage.apply_unframed(&mut bytes));
        if self.is_forged
            && let Some((content, checksum)) = bytes.split_last_chunk_mut::<4>()
        {
            *checksum = crc32fast::hash(content).to_le_bytes();
        }
        let Ok(record) = ChunkRecord::from_bytes(&bytes) else {
            assert!(!self.damages.is_empty(), "a whole record is refused");
            return;
        };
        assert_eq!(ChunkRecord::from_bytes(&record.to_bytes()).as_ref(), Ok(&record));
        // Refused where the position lies elsewhere.
        let _ = world.insert_records([record]);
        validate(&world);
        for _ in 0..STEPS {
            world.step();
            validate(&world);
        }
    }

    fn check<W: Saved, R>(&self, world: fn(u64) -> W, step: fn(&mut W) -> R, validate: fn(&W)) {
        let mut bytes = self.whole(world);
        self.damages.iter().for_each(|damage| damage.apply(&mut bytes));
        if self.is_forged {
            seal(&mut bytes);
        }
        let loaded = W::load(&bytes);
        assert!(loaded.is_ok() || !self.damages.is_empty(), "a whole snapshot is refused");
        let Ok(mut loaded) = loaded else { return };
        // What is packed may be packed in other ways.
        let is_same = unpacked(&loaded.save()) == unpacked(&bytes);
        assert!(is_same, "another world than the bytes say");
        for _ in 0..STEPS {
            step(&mut loaded);
            validate(&loaded);
        }
    }
}

fn water(seed: u64) -> WaterWorld {
    worlds::water_within(seed, worlds::bounds(false))
}

/// Returns the same in the middle of a tick, after as many cells as the seed says: in its first
/// piece for one in four, and somewhere on the way for the others. It is saved as the tick found
/// it.
fn water_underway(seed: u64) -> WaterWorld {
    let mut world = water(seed);
    let budget = seed % 4 * (1 + 7 * (seed / 4));
    if world.step_within(budget).finished {
        // At rest, or nearly: then at least water that falls.
        let fall = IVec3::new(1, 5, 0);
        let _ = world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
        world.clear_solid(fall).expect("a cell of a chunk that is there");
        world.pour(fall, 7).expect("an open cell");
        assert!(!world.step_within(0).finished, "a tick of one piece, seed {seed}");
    }
    world
}

fn validate<W: Simulation>(world: &W) {
    if let Err(law) = world.validate() {
        panic!("{law}");
    }
}

/// Returns where each section's content begins, and its length.
fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut sections = Vec::new();
    let mut start = 28;
    while let Some(length) = bytes.get(start - 8..start) {
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
        let Ok(length) = usize::try_from(length) else { break };
        if start.saturating_add(length).saturating_add(4) > bytes.len() {
            break;
        }
        sections.push((start, length));
        start += length + 16;
    }
    sections
}

/// Makes every checksum right.
fn seal(bytes: &mut [u8]) {
    if bytes.len() >= 16 {
        let header = crc32fast::hash(&bytes[..12]).to_le_bytes();
        bytes[12..16].copy_from_slice(&header);
    }
    for (start, length) in sections(bytes) {
        let checksum = crc32fast::hash(&bytes[start - 12..start + length]).to_le_bytes();
        bytes[start + length..start + length + 4].copy_from_slice(&checksum);
    }
}

impl Damage {
    /// Does the same to bytes without sections.
    pub(crate) fn apply_unframed(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        match *self {
            Damage::Byte(..) | Damage::Number(..) => self.apply(bytes),
            Damage::Cut(place, count) => {
                let at = at(place, bytes.len());
                bytes.drain(at..bytes.len().min(at + usize::from(count)));
            }
            Damage::Repeat(place, count) => {
                let at = at(place, bytes.len());
                let again = bytes[at..bytes.len().min(at + usize::from(count))].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        match *self {
            Damage::Byte(place, value) => {
                let at = at(place, bytes.len());
                bytes[at] = value;
            }
            Damage::Number(place, number) => {
                let at = at(place, bytes.len());
                let end = bytes.len().min(at + 8);
                bytes[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
            }
            Damage::Cut(place, count) => resize(bytes, place, |bytes, at, end| {
                bytes.drain(at..end.min(at + usize::from(count)));
            }),
            Damage::Repeat(place, count) => resize(bytes, place, |bytes, at, end| {
                let again = bytes[at..end.min(at + usize::from(count))].to_vec();
                bytes.splice(at..at, again);
            }),
        }
    }
}

/// Returns by turns a place from the front, one from the back, and a share of the length.
fn at(place: u16, length: usize) -> usize {
    let from = usize::from(place / 3);
    match place % 3 {
        0 => from % length,
        1 => length - 1 - from % length,
        _ => from * length / (usize::from(u16::MAX / 3) + 1),
    }
}

/// Changes the length of the section in which a place lies.
fn resize(bytes: &mut Vec<u8>, place: u16, change: impl FnOnce(&mut Vec<u8>, usize, usize)) {
    let (at, before) = (at(place, bytes.len()), bytes.len());
    let inside = |&(start, length): &(usize, usize)| (start..start + length).contains(&at);
    let Some((start, length)) = sections(bytes).into_iter().find(inside) else { return };
    change(bytes, at, start + length);
    let length = (length + bytes.len() - before) as u64;
    bytes[start - 8..start].copy_from_slice(&length.to_le_bytes());
}
