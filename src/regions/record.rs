//! A region as a value, with all that decides its future, and its bytes. The module `saves` takes
//! regions out, puts them in and checks them.

use crate::codec::{
    DecodeError, Field, Format, Kind, Reader, put_header, put_packed, put_sized, seal,
};
use crate::coords::{Face, Region};
use crate::regions::bytes::{put_map, take_map};
use crate::regions::face::{Key, RegionFace, by_cell};
use crate::regions::message::Ghost;
use crate::water::query::heads::Heads;
use crate::water::{FULL, Ledger};
use glam::IVec2;
use std::collections::BTreeMap;

const MAGIC: &str = "FLDREGIN";
const VERSION: u16 = 1;

/// A region that was [taken out](crate::regions::RegionWorld::take_region) of a world of regions,
/// or a [copy](crate::regions::RegionWorld::region_record) of a region: its water, what is under
/// way to it, its portals, and what it has received from its neighbours. If it is put [into another
/// world](crate::regions::RegionWorld::insert_region) of the same seed, rules, bounds, side and
/// tick, it has the same bytes and sends the same messages from then on.
///
/// ```
/// use floodplain::regions::{RegionRecord, RegionWorld};
/// use floodplain::water::{Edit, Rules, Voxel};
/// use floodplain::{Chunk, ChunkPos, Region, glam::{IVec2, IVec3}};
///
/// let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
/// let world = || RegionWorld::new(7, Rules::lossless(), bounds, 16);
/// let (mut one, mut other) = (world()?, world()?);
/// for x in 0..2 {
///     let (position, chunk) = (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
///     one.apply(Edit::InsertChunk { position, chunk })?;
/// }
/// one.apply(Edit::AddSource(IVec3::new(2, 3, 8)))?;
/// for _ in 0..30 {
///     one.step();
/// }
/// let before = one.state_hash();
/// let bytes = one.take_region(IVec2::new(1, 0))?.to_bytes();
/// other.begin_at(one.ticks())?;
/// other.insert_region(&RegionRecord::from_bytes(&bytes)?)?;
/// assert_eq!(one.state_hash().wrapping_add(other.state_hash()), before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RegionRecord {
    pub(super) at: IVec2,
    pub(super) ticks: u64,
    pub(super) side: i32,
    /// The bounds of the divided world.
    pub(super) bounds: Region,
    /// The snapshot of the region's world.
    pub(super) water: Vec<u8>,
    pub(super) portals: Ledger,
    pub(super) bodies: Vec<Heads>,
    pub(super) faces: Vec<RegionFace>,
}

impl RegionRecord {
    /// Returns which region this is, counted in regions along x and z.
    pub fn region(&self) -> IVec2 {
        self.at
    }

    /// Returns the ticks that the region has run.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the record as bytes. Equal regions give equal bytes.
    ///
    /// | bytes | what |
    /// |---|---|
    /// | 8 | `FLDREGIN` |
    /// | 2 | version, `u16`: 1 |
    /// | 2 | kind of world, `u16`: that of [water](crate::snapshot::Kind::Water) |
    /// | 44 | the region's x and z, ticks, side and bounds of the divided world |
    /// | n | the [snapshot](crate::snapshot) of its water, after its length, a `u32` |
    /// | 72 | what its ledger has entered for portals |
    /// | n | the surfaces of its bodies at its faces, a list |
    /// | n | the number of its faces, a `u32`, and each as packed bytes: what was received about the neighbour's cells and bodies, what is under way, springs, outlets, and the account |
    /// | 4 | CRC-32 (IEEE) of all bytes before |
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_header(&mut out, MAGIC, VERSION, Kind::Water);
        self.at.put(&mut out);
        self.ticks.put(&mut out);
        self.side.put(&mut out);
        self.bounds.put(&mut out);
        put_sized(&mut out, &self.water);
        self.portals.entries().iter().for_each(|units| units.put(&mut out));
        self.bodies.put(&mut out);
        (self.faces.len() as u32).put(&mut out);
        let mut bytes = Vec::new();
        for face in &self.faces {
            bytes.clear();
            face.put(&mut bytes);
            put_packed(&mut out, &bytes);
        }
        seal(&mut out, 0);
        out
    }

    /// Reads the record that [`to_bytes`](RegionRecord::to_bytes) wrote. The laws of a region are
    /// checked where the region is [put in](crate::regions::RegionWorld::insert_region).
    ///
    /// # Errors
    /// The bytes are no record of this version, are damaged, or are longer than one.
    pub fn from_bytes(bytes: &[u8]) -> Result<RegionRecord, DecodeError> {
        RegionRecord::read(Reader::new(Format::Region, bytes))
    }

    /// Returns the record if it takes up all of the bytes.
    pub(super) fn read(mut from: Reader<'_>) -> Result<RegionRecord, DecodeError> {
        from.header(MAGIC, VERSION, Kind::Water)?;
        let mut from = from.sealed()?;
        let (at, ticks, side, bounds) = (from.take()?, from.take()?, from.take()?, from.take()?);
        let length: u32 = from.take()?;
        let water = from.bytes(length as usize)?.to_vec();
        let mut portals = Ledger::default().entries();
        for units in &mut portals {
            *units = from.counter()?;
        }
        let bodies = from.take()?;
        let count: u32 = from.take()?;
        if count > 4 {
            return Err(from.malformed("four faces at most"));
        }
        let mut faces = Vec::new();
        for _ in 0..count {
            let face = from.packed()?;
            faces.push(face.reader().only()?);
        }
        let portals = Ledger::from_entries(portals);
        from.finish(RegionRecord { at, ticks, side, bounds, water, portals, bodies, faces })
    }
}

/// The bytes of a face. They leave out the columns that are loaded beyond it, which follow from its
/// open cells.
impl Field for RegionFace {
    fn put(&self, out: &mut Vec<u8>) {
        self.face.put(out);
        self.received.put(out);
        self.passed_out.put(out);
        self.passed_in.put(out);
        put_map(out, &self.open);
        self.ghosts.values().copied().collect::<Vec<Ghost>>().put(out);
        self.bodies.put(out);
        self.headed.values().copied().collect::<Vec<Ghost>>().put(out);
        self.own_ghosts.put(out);
        put_map(out, &self.waiting);
        // Units beyond what a cell holds have no further effect.
        let least = |units: u64| units.min(FULL.into());
        put_map(out, &self.pushed.iter().map(|(&cell, &of)| (cell, least(of))).collect());
        put_map(out, &self.used);
        put_map(out, &self.inlets);
        put_map(out, &self.outlets);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut face = RegionFace::new(from.take::<Face>()?);
        face.received = from.take()?;
        face.passed_out = from.counter()?;
        face.passed_in = from.counter()?;
        face.open = take_map(from)?;
        face.ghosts = take_ghosts(from)?;
        face.bodies = from.take()?;
        face.headed = take_ghosts(from)?;
        face.own_ghosts = from.take()?;
        face.waiting = take_map(from)?;
        let wrong = from.malformed("at most 7 units under way to a cell");
        face.pushed = take_map(from)?;
        if face.pushed.values().any(|&units| units > FULL.into()) {
            return Err(wrong);
        }
        face.used = take_map(from)?;
        face.inlets = take_map(from)?;
        face.outlets = take_map(from)?;
        face.loaded = face.columns_open();
        Ok(face)
    }
}

/// Reads ghosts in the order of their cells.
fn take_ghosts(from: &mut Reader<'_>) -> Result<BTreeMap<Key, Ghost>, DecodeError> {
    let wrong = from.malformed("ghosts in the order of their cells");
    let ghosts: Vec<Ghost> = from.take()?;
    let is_sorted = ghosts.is_sorted_by(|one, next| one.cell.to_array() < next.cell.to_array());
    if is_sorted { Ok(by_cell(ghosts)) } else { Err(wrong) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regions::message::{NO_BODY, NOT_FED};
    use glam::IVec3;

    #[test]
    fn ghosts_out_of_order_or_twice_are_refused() {
        let ghost = |x| Ghost { cell: IVec3::new(x, 1, 8), word: 1, hops: NOT_FED, body: NO_BODY };
        let taken = |order: &[i32]| {
            let mut bytes = Vec::new();
            order.iter().map(|&x| ghost(x)).collect::<Vec<_>>().put(&mut bytes);
            take_ghosts(&mut Reader::new(Format::Region, &bytes)).map(|ghosts| ghosts.len())
        };
        assert_eq!(taken(&[3, 4, 9]), Ok(3));
        assert!(taken(&[4, 3, 9]).is_err() && taken(&[3, 3, 9]).is_err());
    }
}
