//! The changes that a world lists, against a scan of all cells: every cell that differs since the
//! last scan must have been listed, but for those of chunks that came or went. And a mirror that is
//! sent the updates of a world's feed, against the world.

use floodplain::glam::IVec3;
use floodplain::world::{
    Broken, ChunkRecord, Edit, Feed, MOISTURE_STEP, MaterialId, Mirror, Update, World,
};
use floodplain::{Cube, Region, Shape};
use std::collections::BTreeSet;

/// What can be seen of a cell: material, height, moisture and pressure, these as bits.
type Look = (Option<MaterialId>, u8, u64, u32);

/// What a world lists, and what was seen of it.
pub struct Listed {
    bounds: Region,
    seen: Vec<Look>,
    /// The cells listed since the last scan.
    listed: BTreeSet<[i32; 3]>,
    /// The chunks that edits loaded or unloaded since then, or tried to.
    moved: BTreeSet<[i32; 3]>,
}

impl Listed {
    pub fn of(world: &World, bounds: Region) -> Listed {
        let seen = scan(world, bounds);
        Listed { bounds, seen, listed: BTreeSet::new(), moved: BTreeSet::new() }
    }

    /// Takes what the world lists.
    pub fn take(&mut self, world: &mut World) {
        let changes = world.take_changes();
        assert!(changes.is_sorted_by_key(|change| {
            let IVec3 { x, y, z } = change.chunk;
            [y, z, x]
        }));
        for change in &changes {
            assert!(!change.cells.is_empty());
            let cells = change.cells.iter().map(|index| Cube::cell_at(change.chunk, index));
            self.listed.extend(cells.map(|cell| cell.to_array()));
        }
    }

    /// Notes the chunks that an edit loads or unloads.
    pub fn note(&mut self, edit: &Edit) {
        let chunks = match edit {
            Edit::InsertChunk { position, .. } | Edit::RemoveChunk(position) => vec![*position],
            Edit::RemoveChunks(positions) => positions.clone(),
            Edit::InsertRecords(records) => records.iter().map(ChunkRecord::position).collect(),
            _ => Vec::new(),
        };
        self.moved.extend(chunks.iter().map(IVec3::to_array));
    }

    /// Checks that all that differs was listed, between two ticks.
    pub fn check(&mut self, world: &World, after: &impl std::fmt::Debug) {
        let now = scan(world, self.bounds);
        for ((cell, before), now) in self.bounds.positions().zip(&self.seen).zip(&now) {
            let is_told = self.listed.contains(&cell.to_array())
                || self.moved.contains(&Cube::chunk_of(cell).to_array());
            assert!(before == now || is_told, "{cell} is {now:?}, was {before:?}: {after:?}");
        }
        self.seen = now;
        self.listed.clear();
        self.moved.clear();
    }
}

fn scan(world: &World, bounds: Region) -> Vec<Look> {
    let look = |cell| {
        let (moisture, pressure) = (world.moisture(cell), world.pressure(cell));
        (world.material(cell), world.height(cell), moisture.to_bits(), pressure.to_bits())
    };
    bounds.positions().map(look).collect()
}

/// A world's feed, and a mirror that is sent all of it.
pub struct Followed {
    feed: Feed,
    mirror: Mirror,
    /// What broke, by the updates.
    broken: Vec<Broken>,
}

impl Followed {
    pub fn of(world: &mut World) -> Followed {
        let feed = Feed::new(world);
        let mirror = joined(&feed, world);
        Followed { feed, mirror, broken: Vec::new() }
    }

    /// Follows another world from now on.
    pub fn follow(&mut self, world: &mut World) {
        self.feed = Feed::new(world);
        self.mirror = joined(&self.feed, world);
    }

    /// Sends what has changed. Then the mirror is the world, and so is one that joins now.
    pub fn check(&mut self, world: &mut World, bounds: Region) {
        let update = sent(&self.feed.take(world));
        self.mirror.apply(&update).expect("the next one");
        self.broken.extend(update.events());
        assert_mirrors(&self.mirror, world, bounds);
        assert_mirrors(&joined(&self.feed, world), world, bounds);
    }

    /// Returns what broke since the last call.
    pub fn take_broken(&mut self) -> Vec<Broken> {
        std::mem::take(&mut self.broken)
    }
}

/// A mirror of all chunks.
pub fn joined(feed: &Feed, world: &World) -> Mirror {
    let mut mirror = Mirror::new(100);
    let whole = feed.whole(world, world.chunks().map(|(chunk, _)| chunk));
    mirror.apply(&sent(&whole)).expect("whole chunks");
    mirror
}

/// What goes over the network.
pub fn sent(update: &Update) -> Update {
    let received = Update::from_bytes(&update.to_bytes());
    assert_eq!(received.as_ref(), Ok(update));
    received.expect("it is the update")
}

/// Checks every cell of a mirror, and which chunks it has.
pub fn assert_mirrors(mirror: &Mirror, world: &World, bounds: Region) {
    assert_eq!(mirror.ticks(), world.ticks());
    assert!(mirror.chunks().into_iter().eq(world.chunks().map(|(chunk, _)| chunk)));
    bounds.positions().for_each(|cell| assert_mirrored(mirror, world, cell));
}

/// Checks a cell of a mirror.
pub fn assert_mirrored(mirror: &Mirror, world: &World, cell: IVec3) {
    assert_eq!(mirror.material(cell), world.material(cell), "{cell}");
    assert_eq!(mirror.height(cell), world.height(cell), "{cell}");
    let (seen, held) = (mirror.moisture(cell), world.moisture(cell));
    let is_rounded = seen <= held && held < seen + MOISTURE_STEP;
    let is_most = seen == 255.0 * MOISTURE_STEP && held >= seen;
    assert!((is_rounded || is_most) && seen % MOISTURE_STEP == 0.0, "{cell}: {seen} of {held}");
}
