//! Messages, records and saves of water over regions with damage done to them, from bytes.

use crate::snapshot_ops::{Damage, damage};
use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::glam::{IVec2, IVec3};
use floodplain::regions::{RegionRecord, RegionWorld};
use floodplain::water::{Edges, Edit, Rules, Voxel};
use floodplain::{Chunk, ChunkPos, Cube, Region, Shape};
use std::cell::RefCell;
use std::collections::HashMap;

/// Damages in one run.
const MOST_DAMAGES: usize = 6;

/// Ticks after the bytes were taken over.
const TICKS: usize = 2;

/// The cells along each axis: two regions of 16 along x and z.
const SIZE: IVec3 = IVec3::new(32, 16, 32);

thread_local! {
    /// Saves of worlds by seed: making one takes longer than loading it.
    static SAVED: RefCell<HashMap<u8, Vec<u8>>> = RefCell::new(HashMap::new());
}

/// What the bytes are to be.
#[derive(Clone, Copy, Debug)]
enum What {
    /// A message to a region, the one of this number.
    Message(u8),
    /// The record of a region, the one of this number.
    Record(u8),
    /// The save of a world.
    Save,
}

/// One run of the target `region_bytes`.
#[derive(Debug)]
pub struct RegionBytesRun {
    what: What,
    seed: u8,
    /// Makes the checksum right again.
    is_forged: bool,
    /// Damages, or all of the bytes.
    damages: Vec<Damage>,
    bytes: Option<Vec<u8>>,
}

impl Arbitrary<'_> for RegionBytesRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<RegionBytesRun> {
        let (what, number, seed) =
            (u8::arbitrary(bytes)?, u8::arbitrary(bytes)?, u8::arbitrary(bytes)? % 16);
        let is_forged = u8::arbitrary(bytes)? % 16 != 0;
        let is_whole = what / 8 % 8 == 0;
        let what = match what % 8 {
            0..4 => What::Message(number),
            4..7 => What::Record(number),
            _ => What::Save,
        };
        let mut run = RegionBytesRun { what, seed, is_forged, damages: Vec::new(), bytes: None };
        if is_whole {
            run.bytes = Some(bytes.bytes(bytes.len())?.to_vec());
        }
        while !bytes.is_empty() && run.damages.len() < MOST_DAMAGES {
            run.damages.push(damage(bytes)?);
        }
        Ok(run)
    }
}

impl RegionBytesRun {
    /// Reads the bytes. What is refused changes nothing, and what is taken over leaves a lawful
    /// world.
    pub fn run(&self) {
        let save = saved(self.seed);
        let mut world = RegionWorld::load(&save).expect("a world that was saved");
        match self.what {
            What::Message(number) => self.check_message(&mut world, number),
            What::Record(number) => self.check_record(&mut world, number),
            What::Save => {
                let bytes = self.damaged(save);
                match RegionWorld::load(&bytes) {
                    Ok(mut loaded) => advance(&mut loaded),
                    Err(_) => assert!(self.is_damaged(), "a whole save is refused"),
                }
            }
        }
    }

    fn is_damaged(&self) -> bool {
        self.bytes.is_some() || !self.damages.is_empty()
    }

    /// Returns bytes with the damages, or others.
    fn damaged(&self, mut whole: Vec<u8>) -> Vec<u8> {
        if let Some(bytes) = &self.bytes {
            return bytes.clone();
        }
        self.damages.iter().for_each(|damage| damage.apply_unframed(&mut whole));
        if self.is_forged
            && !matches!(self.what, What::Message(_))
            && let Some((content, checksum)) = whole.split_last_chunk_mut::<4>()
        {
            *checksum = crc32fast::hash(content).to_le_bytes();
        }
        whole
    }

    /// Receives the messages of a tick, one of which is damaged.
    fn check_message(&self, world: &mut RegionWorld, number: u8) {
        let (_, mut messages) = world.advance();
        let at = usize::from(number) % messages.len();
        messages[at].bytes = self.damaged(core::mem::take(&mut messages[at].bytes));
        for (number, message) in messages.iter().enumerate() {
            let before = world.state_hash();
            let is_refused = world.receive(message).is_err();
            assert!(!is_refused || number == at && self.is_damaged(), "a whole message is refused");
            assert!(!is_refused || world.state_hash() == before, "a refused message changed it");
        }
        if !self.is_damaged() {
            assert_eq!(world.total(), world.ledger().total());
        }
        advance(world);
    }

    /// Takes a region out, damages its record, and puts it in.
    fn check_record(&self, world: &mut RegionWorld, number: u8) {
        let regions: Vec<IVec2> = world.regions().collect();
        let (region, whole) = (regions[usize::from(number) % regions.len()], world.state_hash());
        let record = world.take_region(region).expect("it is here");
        let before = world.state_hash();
        let bytes = self.damaged(record.to_bytes());
        let Ok(record) = RegionRecord::from_bytes(&bytes) else {
            assert!(self.is_damaged(), "a whole record is refused");
            return;
        };
        let read = RegionRecord::from_bytes(&record.to_bytes()).expect("what was read");
        assert_eq!(read.to_bytes(), record.to_bytes(), "another record than the bytes say");
        if world.insert_region(&record).is_err() {
            assert!(self.is_damaged(), "a whole record is refused");
            assert_eq!(world.state_hash(), before, "a refused record changed the world");
        } else if !self.is_damaged() {
            assert_eq!(world.state_hash(), whole);
            assert_eq!(world.total(), world.ledger().total());
        }
        advance(world);
    }
}

/// Runs ticks. A region that was forged may send what others refuse, and may miss messages.
fn advance(world: &mut RegionWorld) {
    assert_eq!(world.validate(), Ok(()));
    for _ in 0..TICKS {
        let (_, messages) = world.advance();
        messages.iter().for_each(|message| _ = world.receive(message));
        assert_eq!(world.validate(), Ok(()));
    }
}

/// Returns the save of a world of this seed.
fn saved(seed: u8) -> Vec<u8> {
    SAVED.with_borrow_mut(|saved| saved.entry(seed).or_insert_with(|| world(seed).save()).clone())
}

/// Returns a world of four regions with hills, a lake, springs and sea, by the seed, after some
/// ticks: also between two exchanges by heads.
fn world(seed: u8) -> RegionWorld {
    let edges = if seed % 2 == 0 { Edges::WALLS } else { Edges::DRAINING_SIDES };
    let rules = Rules { edges, ..if seed % 3 == 0 { Rules::desert() } else { Rules::lossless() } };
    let bounds = Region::new(IVec3::ZERO, SIZE - 1);
    let mut world = RegionWorld::new(seed.into(), rules, bounds, 16).expect("in range");
    for position in Cube::chunks_of(bounds) {
        let chunk = Chunk::from_cells(&core::array::from_fn(|index| ground(position, index, seed)));
        world.apply(Edit::InsertChunk { position, chunk }).expect("vacant");
    }
    for (x, z) in [(14, 8), (17, 20), (8, 15)].into_iter().take(1 + usize::from(seed % 3)) {
        let _ = world.apply(Edit::AddSource(IVec3::new(x, 9, z)));
    }
    let _ = world.apply(Edit::FillBody { cell: IVec3::new(15, 4, 15), units: 900 });
    for _ in 0..20 + seed % 5 {
        world.step();
    }
    world
}

fn ground(position: ChunkPos, index: usize, seed: u8) -> Voxel {
    let cell = Cube::cell_at(position, index);
    let hill = (cell.x / 5 * 3 + cell.z / 7 * 5 + i32::from(seed)) % 4;
    match cell.y {
        y if y < 2 + hill => Voxel::SOLID,
        2..=4 if seed % 4 == 3 && cell.x < 6 => Voxel::SEA,
        _ => Voxel::OPEN,
    }
}
