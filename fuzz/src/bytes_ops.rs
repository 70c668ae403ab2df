//! Any bytes read as edits of every automaton and as updates of the feed. What is an edit is made
//! in a small world.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::EditValue;
use floodplain::snapshot::{Kind, Saved};
use floodplain::testing::Watch;
use floodplain::water::{Voxel, WaterWorld};
use floodplain::{Chunk, ChunkPos, Sheet};
use std::cell::RefCell;
use std::collections::HashMap;
use support::edit_bytes::parsed;
use support::worlds;

/// Steps after an edit.
const STEPS: usize = 2;

thread_local! {
    /// Snapshots by kind and seed: making a world takes longer than loading it.
    static SAVED: RefCell<HashMap<(Kind, u64), Vec<u8>>> = RefCell::new(HashMap::new());
}

/// One run of the target `edit_bytes`.
#[derive(Debug)]
pub struct EditBytesRun {
    automaton: u8,
    /// That of the world.
    seed: u64,
    bytes: Vec<u8>,
}

impl Arbitrary<'_> for EditBytesRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<EditBytesRun> {
        let (automaton, seed) = (u8::arbitrary(bytes)? % 5, u64::from(u8::arbitrary(bytes)? % 8));
        Ok(EditBytesRun { automaton, seed, bytes: bytes.bytes(bytes.len())?.to_vec() })
    }
}

impl EditBytesRun {
    /// Reads the bytes. An edit keeps the laws of a world, whether it is refused or not.
    pub fn run(&self) {
        match self.automaton {
            0 => self.check(water),
            1 => self.check(worlds::humidity::<Sheet>),
            2 => self.check(worlds::water_2d),
            3 => self.check(|seed| worlds::blast_within::<Sheet>(seed, worlds::bounds(true))),
            _ => self.check(worlds::graph),
        }
    }

    fn check<W: Watch<Edit: EditValue> + Saved>(&self, world: impl Fn(u64) -> W) {
        let Some(edit) = parsed(&self.bytes) else { return };
        let mut world = self.loaded(world);
        let before = world.state_hash();
        if world.apply(edit).is_err() {
            assert_eq!(world.state_hash(), before, "a refused edit changed the world");
        }
        for step in 0..=STEPS {
            if let Err(law) = world.validate() {
                panic!("{law}, after {step} steps");
            }
            world.step();
        }
    }

    /// Returns the world of this seed.
    fn loaded<W: Saved>(&self, world: impl Fn(u64) -> W) -> W {
        SAVED.with_borrow_mut(|saved| {
            let key = (W::KIND, self.seed);
            let bytes = saved.entry(key).or_insert_with(|| world(self.seed).save());
            W::load(bytes).expect("a world that was saved")
        })
    }
}

/// Returns water that has a chunk at the origin.
fn water(seed: u64) -> WaterWorld {
    let mut world = worlds::water_within(seed, worlds::bounds(false));
    let _ = world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN));
    world
}
