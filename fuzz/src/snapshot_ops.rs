//! Snapshots of small worlds with damage done to them, from bytes.

use crate::worlds;
use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::humidity::HumidityWorld;
use floodplain::snapshot::Saved;
use floodplain::water2d::Water2dWorld;
use floodplain::{Automaton, Cube, Sheet};

/// Damages in one run.
const MOST_DAMAGES: usize = 6;

/// Steps of a world that was loaded.
const STEPS: usize = 3;

/// One change of a snapshot's bytes. Places are counted from the start or from the end, modulo the length: the rules and
/// the state lie in front, marks and lists at the back.
#[derive(Debug)]
enum Damage {
    /// Writes a byte.
    Byte(u16, u8),
    /// Writes eight bytes, those of a number at the end of its range.
    Number(u16, u64),
    /// Takes bytes out of a section, and says so in its length.
    Cut(u16, u8),
    /// Repeats bytes of a section, and says so in its length.
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

fn damage(bytes: &mut Unstructured<'_>) -> Result<Damage> {
    let (what, place, value) = (u8::arbitrary(bytes)?, u16::arbitrary(bytes)?, u8::arbitrary(bytes)?);
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
    /// Makes the snapshot, damages it, and loads it.
    pub fn run(&self) {
        let seed = u64::from(self.seed);
        match self.kind % 7 {
            0 => self.check(worlds::water(seed), Automaton::step, validate),
            1 => self.check(worlds::humidity::<Sheet>(seed), HumidityWorld::step, validate),
            2 => self.check(worlds::humidity::<Cube>(seed), HumidityWorld::step, validate),
            3 => self.check(worlds::blast::<Sheet>(seed), BlastWorld::step, validate),
            4 => self.check(worlds::blast::<Cube>(seed), BlastWorld::step, validate),
            5 => self.check(worlds::water_2d(seed), Water2dWorld::step, validate),
            _ => self.check(worlds::graph(seed), BlastGraph::step, |graph| {
                assert_eq!(graph.validate(), Ok(()));
            }),
        }
    }

    fn check<W: Saved, R>(&self, world: W, step: fn(&mut W) -> R, validate: fn(&W)) {
        let mut bytes = world.save();
        self.damages.iter().for_each(|damage| damage.apply(&mut bytes));
        if self.is_forged {
            seal(&mut bytes);
        }
        let Ok(mut loaded) = W::load(&bytes) else { return };
        assert!(loaded.save() == bytes, "another world than the bytes say");
        for _ in 0..STEPS {
            step(&mut loaded);
            validate(&loaded);
        }
    }
}

fn validate<W: Automaton>(world: &W) {
    if let Err(law) = world.validate() {
        panic!("{law}");
    }
}

/// Where each section's content begins, and its length.
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

/// A place from the front for even numbers, from the back for odd ones.
fn at(place: u16, length: usize) -> usize {
    let from = usize::from(place / 2) % length;
    if place.is_multiple_of(2) { from } else { length - 1 - from }
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
