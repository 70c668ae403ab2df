//! Regions that are taken out of a world and put into another, and whole worlds of regions that are
//! saved and loaded.

use crate::codec::{DecodeError, Field, Format, Kind, Reader, put_header, put_sized, seal};
use crate::coords::Face;
use crate::persist::snapshot::{Saved, read};
use crate::regions::error::RegionError;
use crate::regions::record::RegionRecord;
use crate::regions::region::laws::RegionLaw;
use crate::regions::region::{WaterRegion, area_of, rules_of, unsupported};
use crate::regions::{RegionWorld, key};
use crate::water::WaterWorld;
use glam::IVec2;

const MAGIC: &str = "FLDREGNS";
const VERSION: u16 = 1;

impl RegionWorld {
    /// Returns a region as a record, which can be put into another world.
    ///
    /// # Errors
    /// The region is not here.
    pub fn region_record(&self, at: IVec2) -> Result<RegionRecord, RegionError> {
        let region = self.regions.get(&key(at)).ok_or(RegionError::Absent(at))?;
        Ok(RegionRecord {
            at,
            ticks: self.ticks,
            side: self.side,
            bounds: self.bounds,
            water: region.world.save(),
            portals: region.portals,
            bodies: region.bodies.clone(),
            faces: region.faces.clone(),
        })
    }

    /// Takes a region out, as a record. Its neighbours still expect its messages: before the next
    /// tick, put the region into another world that runs the same ticks, and carry the messages
    /// there.
    ///
    /// # Errors
    /// The region is not here.
    pub fn take_region(&mut self, at: IVec2) -> Result<RegionRecord, RegionError> {
        let record = self.region_record(at)?;
        self.regions.remove(&key(at));
        Ok(record)
    }

    /// Puts in a region that was taken out of a world of the same seed, rules, bounds, side and
    /// tick. It may have been taken out before or after it received messages of that tick; messages
    /// that it has not received are still due.
    ///
    /// # Errors
    /// The region is here already, the record is of another world or another tick, or the record is
    /// damaged or breaks a law. Then nothing is changed.
    pub fn insert_region(&mut self, record: &RegionRecord) -> Result<(), RegionError> {
        let at = record.at;
        if self.regions.contains_key(&key(at)) {
            return Err(RegionError::Occupied(at));
        }
        let region = self.region_of_record(record)?;
        self.regions.insert(key(at), region);
        Ok(())
    }

    /// Sets the number of ticks that a world without regions has run, before regions of another
    /// world are put in.
    ///
    /// # Errors
    /// The world has regions.
    pub fn begin_at(&mut self, ticks: u64) -> Result<(), RegionError> {
        if !self.regions.is_empty() {
            return Err(RegionError::HasRegions);
        }
        self.ticks = ticks;
        Ok(())
    }

    /// Returns all regions that are here as bytes. Equal worlds give equal bytes.
    ///
    /// | bytes | what |
    /// |---|---|
    /// | 8 | `FLDREGNS` |
    /// | 2 | version, `u16`: 1 |
    /// | 2 | kind of world, `u16`: that of [water](crate::snapshot::Kind::Water) |
    /// | n | the seed, the rules as in [snapshots](crate::snapshot), the bounds, the side, the ticks |
    /// | n | the number of the regions, a `u32`, and the [record](RegionRecord::to_bytes) of each after its length, a `u32`, in order of z and then x |
    /// | 4 | CRC-32 (IEEE) of all bytes before |
    ///
    /// ```
    /// use floodplain::regions::RegionWorld;
    /// use floodplain::water::{Edit, Rules, Voxel};
    /// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
    ///
    /// let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
    /// let mut world = RegionWorld::new(7, Rules::lossless(), bounds, 16)?;
    /// for x in 0..2 {
    ///     let (position, chunk) = (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
    ///     world.apply(Edit::InsertChunk { position, chunk })?;
    /// }
    /// world.apply(Edit::AddSource(IVec3::new(2, 3, 8)))?;
    /// for _ in 0..30 {
    ///     world.step();
    /// }
    /// let mut loaded = RegionWorld::load(&world.save())?;
    /// for _ in 0..30 {
    ///     assert_eq!(world.state_hash(), loaded.state_hash());
    ///     world.step();
    ///     loaded.step();
    /// }
    /// assert_eq!(world.save(), loaded.save());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn save(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_header(&mut out, MAGIC, VERSION, Kind::Water);
        self.seed.put(&mut out);
        self.rules.put(&mut out);
        self.bounds.put(&mut out);
        self.side.put(&mut out);
        self.ticks.put(&mut out);
        (self.regions.len() as u32).put(&mut out);
        for at in self.regions() {
            if let Ok(record) = self.region_record(at) {
                put_sized(&mut out, &record.to_bytes());
            }
        }
        seal(&mut out, 0);
        out
    }

    /// Returns the world from the bytes of [`save`](RegionWorld::save).
    ///
    /// # Errors
    /// The bytes are no save of this version, are damaged, or describe a world that breaks a law.
    pub fn load(bytes: &[u8]) -> Result<Self, RegionError> {
        let damaged = RegionError::Record;
        let mut from = Reader::new(Format::Regions, bytes);
        from.header(MAGIC, VERSION, Kind::Water).map_err(damaged)?;
        let mut from = from.sealed().map_err(damaged)?;
        let (mut world, count) = take_head(&mut from).map_err(damaged)?;
        let (seed, rules, bounds) = (world.seed, world.rules, world.bounds);
        RegionWorld::new(seed, rules, bounds, world.side)?;
        for _ in 0..count {
            let wrong = from.malformed("a region after the one before");
            let record = from.sized(Format::Region).and_then(RegionRecord::read);
            let record = record.map_err(damaged)?;
            if world.regions.last_key_value().is_some_and(|(last, _)| *last >= key(record.at)) {
                return Err(damaged(wrong));
            }
            world.insert_region(&record)?;
        }
        from.finish(world).map_err(damaged)
    }

    /// Returns the region of a record, if the region is lawful and belongs to this world.
    fn region_of_record(&self, record: &RegionRecord) -> Result<WaterRegion, RegionError> {
        let RegionWorld { seed, rules, bounds, side, ticks, .. } = *self;
        let RegionRecord { at, .. } = *record;
        self.check_origin(record)?;
        let damaged = |error| RegionError::Water { region: at, error };
        let water: WaterWorld = read(&record.water).map_err(damaged)?;
        if water.seed() != seed {
            return Err(RegionError::OtherSeed { found: water.seed(), wanted: seed });
        }
        let unlawful = |law: RegionLaw| law.broken_in(at);
        let region = WaterRegion::new(at, (seed, &rules), bounds, side)?;
        if !record.faces.iter().map(|of| of.face).eq(region.faces.iter().map(|of| of.face)) {
            return Err(unlawful(RegionLaw::Faces));
        }
        let faces: Vec<Face> = region.faces.iter().map(|of| of.face).collect();
        if *water.rules() != rules_of(&rules, &faces) {
            return Err(RegionError::OtherRules(at));
        }
        if water.bounds() != region.world.bounds() || water.ticks() != ticks {
            return Err(unlawful(RegionLaw::Place));
        }
        if let Some(what) = unsupported(&water) {
            return Err(unlawful(RegionLaw::Unsupported(what)));
        }
        let region = region.restored(water, record).map_err(unlawful)?;
        region.broken_law().map_or(Ok(region), |law| Err(unlawful(law)))
    }

    /// Checks that a record is of a world with this side, these bounds and this tick, and that its
    /// region has cells.
    fn check_origin(&self, record: &RegionRecord) -> Result<(), RegionError> {
        let &RegionRecord { at, side, bounds, ticks, .. } = record;
        if side != self.side {
            return Err(RegionError::OtherSide { found: side, wanted: self.side });
        }
        if bounds != self.bounds {
            return Err(RegionError::OtherBounds { found: bounds, wanted: self.bounds });
        }
        if ticks != self.ticks {
            return Err(RegionError::OtherTick { found: ticks, wanted: self.ticks });
        }
        match area_of(at, bounds, side) {
            Some(_) => Ok(()),
            None => Err(RegionError::OutOfBounds(at)),
        }
    }
}

impl WaterRegion {
    /// Returns this region, which has no chunks, with the state of its record.
    fn restored(mut self, water: WaterWorld, record: &RegionRecord) -> Result<Self, RegionLaw> {
        self.world = water;
        for (face, saved) in self.faces.iter_mut().zip(&record.faces) {
            let before = core::mem::replace(face, saved.clone());
            if face.received.is_none() {
                face.loaded = before.loaded;
            }
        }
        (self.portals, self.bodies) = (record.portals, record.bodies.clone());
        self.held = self.columns_to_hold();
        let chunks = self.world.chunks().map(|(chunk, _)| chunk);
        self.chunks = chunks.filter(|&chunk| self.is_own(chunk)).collect();
        let portals = self.portals_of_faces();
        for (cell, portal) in portals {
            let restored = self.world.restore_portal(cell.into(), portal);
            restored.map_err(|_| RegionLaw::Portal(cell.into()))?;
        }
        Ok(self)
    }
}

/// Returns the world of a save without its regions, and the number of regions that follow.
fn take_head(from: &mut Reader<'_>) -> Result<(RegionWorld, u32), DecodeError> {
    let (seed, rules, bounds) = (from.take()?, from.take()?, from.take()?);
    let (side, ticks, count) = (from.take()?, from.take()?, from.take()?);
    let world = RegionWorld { seed, rules, bounds, side, regions: Default::default(), ticks };
    Ok((world, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;
    use crate::coords::{ChunkPos, Cube, Region, Shape};
    use crate::water::{Edge, Edges, Edit, Rules, Voxel};
    use glam::IVec3;

    const MIDDLE: IVec2 = IVec2::new(1, 0);

    /// Returns three regions with a river through them, after some ticks.
    fn flowing(ticks: u64) -> RegionWorld {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(47, 15, 15));
        let edges = Edges::WALLS.with(Face::East, Edge::Drain);
        let rules = Rules { edges, ..Rules::lossless() };
        let mut world = RegionWorld::new(3, rules, bounds, 16).unwrap();
        for x in 0..3 {
            let position = ChunkPos::new(x, 0, 0);
            let chunk = Chunk::from_cells(&core::array::from_fn(|index| {
                let cell = Cube::cell_at(position, index);
                let is_bed = cell.y > 0 && (7..10).contains(&cell.z);
                if is_bed { Voxel::OPEN } else { Voxel::SOLID }
            }));
            world.apply(Edit::InsertChunk { position, chunk }).unwrap();
        }
        world.apply(Edit::AddSource(IVec3::new(14, 1, 8))).unwrap();
        (0..ticks).for_each(|_| _ = world.step());
        world
    }

    /// Changes the record of the middle region after 60 ticks. Returns why the record is then
    /// refused.
    fn refused(change: impl FnOnce(&mut RegionRecord)) -> String {
        refused_of(MIDDLE, 60, change)
    }

    fn refused_of(region: IVec2, ticks: u64, change: impl FnOnce(&mut RegionRecord)) -> String {
        let mut world = flowing(ticks);
        let mut record = world.take_region(region).unwrap();
        change(&mut record);
        let before = world.state_hash();
        let record = RegionRecord::from_bytes(&record.to_bytes()).unwrap();
        let refused = world.insert_region(&record);
        assert_eq!((world.state_hash(), world.regions().count()), (before, 2));
        match refused {
            Err(RegionError::Unlawful { region: of, law }) if of == region => law,
            other => panic!("{other:?}"),
        }
    }

    /// The first value in a map of a face.
    macro_rules! first {
        ($record:ident, $face:expr, $of:ident) => {
            $record.faces[$face].$of.values_mut().next().expect("there is one")
        };
    }

    #[test]
    fn what_a_face_cannot_have_is_refused() {
        let inside = [20, 1, 8];
        assert_eq!(refused(|of| _ = of.faces.pop()), RegionLaw::Faces.to_string());
        assert_eq!(refused(|of| of.faces[0].face = Face::North), RegionLaw::Faces.to_string());
        let at = |change: fn(&mut RegionRecord)| refused(change);
        let wrong = RegionLaw::Face(Face::West).to_string();
        assert_eq!(at(|of| first!(of, 0, inlets).credit = 99), wrong);
        assert_eq!(at(|of| first!(of, 0, inlets).granted = 8), wrong);
        assert_eq!(at(|of| _ = of.faces[0].waiting.insert([16, 1, 8], 0)), wrong);
        assert_eq!(at(|of| _ = of.faces[0].waiting.insert([16, 1, 8], 1 << 50)), wrong);
        assert_eq!(at(|of| _ = of.faces[0].waiting.insert([16, 1, 8], u64::MAX)), wrong);
        assert_eq!(at(|of| _ = of.faces[0].used.insert([15, 1, 8], 8)), wrong);
        assert_eq!(at(|of| _ = of.faces[0].pushed.insert([16, 1, 8], 1)), wrong);
        assert_eq!(at(|of| of.faces[0].received = Some(61)), wrong);
        assert_eq!(at(|of| of.faces[0].received = None), wrong);
        assert_eq!(at(|of| of.faces[0].own_ghosts[0].body = 999), wrong);
        assert_eq!(at(|of| first!(of, 0, headed).body = 999), wrong);
        assert_eq!(at(|of| first!(of, 0, ghosts).word = u16::MAX), wrong);
        assert_eq!(at(|of| of.faces[0].bodies[0].near[0].area = -1), wrong);
        let put = |of: &mut RegionRecord| _ = of.faces[0].inlets.insert(inside, Default::default());
        assert_eq!(refused(put), wrong);
        // The first region feeds the one in the middle.
        let at = |change: fn(&mut RegionRecord)| refused_of(IVec2::ZERO, 60, change);
        let wrong = RegionLaw::Face(Face::East).to_string();
        assert_eq!(at(|of| first!(of, 0, outlets).outstanding = 50), wrong);
        assert_eq!(at(|of| first!(of, 0, outlets).idle = 17), wrong);
        let put = |of: &mut RegionRecord| {
            let (&cell, _) = of.faces[0].outlets.first_key_value().unwrap();
            of.faces[0].inlets.insert(cell, Default::default());
        };
        assert_eq!(at(put), wrong, "a spring and an outlet in one cell");
    }

    #[test]
    fn portals_and_accounts_that_do_not_fit_the_water_are_refused() {
        let (solid, at) = ([15, 9, 9], |change: fn(&mut RegionRecord)| refused(change));
        let put = |of: &mut RegionRecord| _ = of.faces[0].inlets.insert(solid, Default::default());
        assert_eq!(refused(put), RegionLaw::Portal(solid.into()).to_string());
        let beyond = RegionLaw::Chunk(ChunkPos::ZERO).to_string();
        assert_eq!(at(|of| _ = of.faces[0].inlets.pop_first()), beyond);
        assert_eq!(at(|of| of.bodies[0].area = -1), RegionLaw::Heads.to_string());
        // No portal of the face holds water in that column yet.
        let law = refused_of(MIDDLE, 4, |of| of.faces[1].open.clear());
        assert_eq!(law, RegionLaw::Edges.to_string());
        assert_eq!(at(|of| of.faces[0].passed_in += 1), RegionLaw::Account.to_string());
        assert_eq!(at(|of| of.portals.placed += 1 << 40), RegionLaw::Account.to_string());
        let both = |of: &mut RegionRecord| {
            (of.portals.placed, of.portals.removed) = (1 << 40, of.portals.removed + (1 << 40));
        };
        assert_eq!(refused(both), RegionLaw::Account.to_string(), "more than in all");
    }

    #[test]
    fn water_that_no_region_has_is_refused() {
        let change = |of: &mut RegionRecord, change: fn(&mut WaterWorld)| {
            let mut water: WaterWorld = read(&of.water).unwrap();
            change(&mut water);
            of.water = water.save();
        };
        let law = refused(|of| change(of, |water| _ = water.queue(Edit::WakeAll)));
        assert_eq!(law, RegionLaw::Unsupported("queued edits").to_string());
        let law = refused(|of| change(of, |water| _ = water.freeze([ChunkPos::new(1, 0, 0)])));
        assert_eq!(law, RegionLaw::Unsupported("frozen chunks").to_string());
        assert_eq!(
            refused(|of| change(of, |water| _ = water.step())),
            RegionLaw::Place.to_string()
        );
    }
}
