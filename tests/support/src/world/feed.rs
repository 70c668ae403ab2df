//! The changes that a world lists, against a scan of all cells: every cell that differs since the
//! last scan must have been listed, but for those of chunks that came or went.

use floodplain::glam::IVec3;
use floodplain::world::{ChunkRecord, Edit, MaterialId, World};
use floodplain::{Cube, Region, Shape};
use std::collections::BTreeSet;

/// What can be seen of a cell: material, height, moisture and pressure, these as bits.
type Look = (Option<MaterialId>, u8, u64, u32);

pub struct Feed {
    bounds: Region,
    seen: Vec<Look>,
    /// The cells listed since the last scan.
    listed: BTreeSet<[i32; 3]>,
    /// The chunks that edits loaded or unloaded since then, or tried to.
    moved: BTreeSet<[i32; 3]>,
}

impl Feed {
    pub fn of(world: &World, bounds: Region) -> Feed {
        let seen = scan(world, bounds);
        Feed { bounds, seen, listed: BTreeSet::new(), moved: BTreeSet::new() }
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
