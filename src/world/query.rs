//! Reading a world: ground, water, moisture and pressure, changes, and the hash of its state.

use super::feed::unread;
use super::ground::content::ChunkContent;
use super::rules::Rules;
use super::rules::material::MaterialId;
use super::rules::palette::Palette;
use super::tick::Stage;
use super::tick::exchange::Passed;
use super::{Broken, World};
use crate::blast::BlastWorld;
use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Region, Shape};
use crate::humidity::HumidityWorld;
use crate::simulation::{ChunkChanges, EditValue};
use crate::state_hash::StateHash;
use crate::water::WaterWorld;
use crate::world::feed::unread::{take_unread, take_unread_events};
use crate::world::ledger::Ledger;
use crate::world::pressure::reach::origins;
use crate::world::tick::contacts::are_contacts_quiet;
use crate::world::tick::touched::touch;
use crate::world::validate::{cells_within, check_laws};
use glam::IVec3;

impl World {
    /// Returns the materials.
    pub fn palette(&self) -> &Palette {
        &self.palette
    }

    /// Returns the rules of the next tick.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the region of all cells that belong to the world, loaded or not.
    pub fn bounds(&self) -> Region {
        self.water.bounds()
    }

    /// Returns the seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.water.seed()
    }

    /// Returns the number of complete ticks.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns the part of water, for reading. Its edits are made by [`apply`](World::apply).
    pub fn water(&self) -> &WaterWorld {
        &self.water
    }

    /// Returns the part of moisture. It has the chunks with a permeable cell.
    pub fn soil(&self) -> &HumidityWorld<Cube> {
        &self.soil
    }

    /// Returns the part of pressure. It has ground only in chunks that pressure has reached or is
    /// about to reach, and there water that [stops pressure](super::UnderWater) is solid, too. To
    /// find out whether a cell is ground, use [`material`](World::material).
    pub fn blast(&self) -> &BlastWorld<Cube> {
        &self.blast
    }

    /// Returns the material of a cell; `None` if it is not loaded or out of bounds.
    pub fn material(&self, cell: IVec3) -> Option<MaterialId> {
        let chunk = self.ground.chunk(Cube::chunk_of(cell))?;
        self.bounds().contains(cell).then(|| chunk.get(Cube::index_of(cell)))
    }

    /// Returns the units of water in a cell, as [`WaterWorld::units`] does.
    pub fn units(&self, cell: IVec3) -> u8 {
        self.water.units(cell)
    }

    /// Returns the moisture of a cell in units of [1/65,536](crate::humidity::UNITS); 0 if it is
    /// not permeable or not loaded.
    pub fn moisture(&self, cell: IVec3) -> u32 {
        self.soil.units(cell).unwrap_or(0)
    }

    /// Returns the pressure of a cell, as [`BlastWorld::pressure`] does; 0 in solid cells.
    pub fn pressure(&self, cell: IVec3) -> f32 {
        self.blast.pressure(cell)
    }

    /// Returns the materials of the loaded chunks with their chunk positions, in order of position.
    /// Cells beyond the bounds have the first material.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, &Chunk<MaterialId>)> {
        self.ground.chunks()
    }

    /// Returns the content of the chunk at a chunk position; `None` if it is not loaded.
    pub fn chunk(&self, position: ChunkPos) -> Option<ChunkContent> {
        let materials = self.ground.chunk(position)?.clone();
        let water = self.water.chunk(position).map(|water| water.into_owned());
        let moisture = self.soil.chunk_units(position).map(|soil| soil.all().clone());
        Some(ChunkContent { materials, water, moisture })
    }

    /// Returns whether nothing will change until the next edit: all parts are at rest, no unit may
    /// pass between water and soil, no tick is underway, and no edit is queued. After an edit, the
    /// next tick with a step of soil finds out whether units may pass; until then, this is `false`.
    pub fn is_at_rest(&self) -> bool {
        self.stage == Stage::Rest
            && self.queue.is_empty()
            && self.blast.is_at_rest()
            && self.soil.is_at_rest()
            && are_contacts_quiet(self)
            && self.water.is_at_rest()
    }

    /// Returns the number of cells that the next steps of all parts will visit.
    pub fn awake_cells(&self) -> usize {
        self.water.awake_cells() + self.soil.awake_cells() + self.blast.awake_cells()
    }

    /// Returns the cells that have changed since the last call, in any part, by chunk, in order of
    /// position: the cells of water to redraw, as [`WaterWorld::take_changes`] lists them, and the
    /// cells with another material, moisture or pressure. The loading and unloading of chunks is
    /// not listed. A [`Feed`](super::Feed) of the world takes nothing from this list, except
    /// entries from before the first call. Changes that a feed has reported and that this function
    /// has not listed yet are not part of a snapshot. The list is for one reader; several readers
    /// use a feed each.
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        let mut all = take_unread(self);
        unread::add(&mut all, &self.water.take_changes());
        unread::list(all)
    }

    /// Returns the changes of ground, of soil and of pressure since the last call.
    pub(super) fn take_changes_but_water(&mut self) -> [Vec<ChunkChanges>; 3] {
        let changes = [
            ChunkChanges::list(self.ground.take_changes()),
            self.soil.take_changes(),
            self.blast.take_changes(),
        ];
        changes.iter().flatten().for_each(|changes| touch(self, changes.chunk));
        changes
    }

    /// Returns the bytes that the world holds on the heap, except the bytes of queued edits and
    /// reports.
    pub fn memory_bytes(&self) -> usize {
        self.ground.memory_bytes()
            + self.water.memory_bytes()
            + self.soil.memory_bytes()
            + self.blast.memory_bytes()
            + self.queue.memory_bytes()
            + self.contacts.memory_bytes()
            + self.throws.memory_bytes()
            + (self.mirrored.len() + self.origins.len()) * size_of::<[i32; 3]>()
            + self.events.capacity() * size_of::<Broken>()
            + self.unread.memory_bytes()
    }

    /// Returns a hash of the state that decides the future: ticks, materials, the parts, and the
    /// queued edits. The hash is the same on every platform, and independent of the order in which
    /// chunks were loaded. Palette, rules and bounds are not part of it. While the tick of water is
    /// underway, this is the hash from before that tick.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        hash.add(self.tick);
        hash.add(self.stage.number().into());
        self.stage.after().iter().for_each(|&chunk| hash.add_position(chunk.into()));
        for (position, chunk) in self.ground.chunks() {
            hash.add_position(position.into());
            hash.add_chunk::<_, 4>(chunk, |material| material.0.into());
        }
        hash.add(self.water.state_hash());
        hash.add(self.soil.state_hash());
        hash.add(self.blast.state_hash());
        origins(self).for_each(|chunk| hash.add_position(chunk.into()));
        // The counts of the exchange enter the hash only if units have passed.
        let Passed { soaked, sprung, ebbed } = self.passed;
        if self.passed != Passed::default() {
            [soaked, sprung, ebbed].into_iter().for_each(|units| hash.add(units));
        }
        self.queue.hash(&mut hash, EditValue::to_bytes);
        hash.finish()
    }

    /// Returns the account of all water, moisture and pressure that entered and left.
    pub fn ledger(&self) -> Ledger {
        Ledger {
            water: self.water.ledger(),
            // The rules of a world require a sweep that keeps a ledger.
            soil: self.soil.ledger().unwrap_or_default(),
            blast: self.blast.ledger(),
            scale: self.rules.scale(),
            soaked: self.passed.soaked,
            sprung: self.passed.sprung,
            ebbed: self.passed.ebbed,
            thrown: self.thrown,
            spilled: self.spilled,
        }
    }

    /// Returns the water in cells and in soil, in units of moisture, 1/65,536 each, counted cell by
    /// cell. If this equals [`ledger().total()`](Ledger::total), no unit was made or lost. Takes
    /// time linear in the loaded chunks.
    pub fn total(&self) -> u128 {
        let in_soil = |chunk| {
            let units = self.soil.chunk_units(chunk)?;
            let held = |cell| u128::from(units.held(Cube::index_of(cell)));
            Some(cells_within(self, chunk).map(held).sum::<u128>())
        };
        let moisture: u128 = self.soil.chunk_positions().filter_map(in_soil).sum();
        u128::from(self.water.total()) * u128::from(self.rules.scale()) + moisture
    }

    /// Returns the ground that pressure broke since the last call, in order of the steps of
    /// explosions, and within a step in order of position (y, then z, then x). Each entry takes 32
    /// bytes until it is taken. A [`Feed`](crate::world::Feed) takes nothing from this list, but
    /// events from before the first call are dropped once all feeds have reported them. The list is
    /// for one reader; several readers use a feed each.
    pub fn take_events(&mut self) -> Vec<Broken> {
        take_unread_events(self)
    }

    /// Checks every law: the laws of the parts, that their ground equals the world's, that only
    /// permeable cells have moisture, and that water and moisture together equal the units that
    /// came in less the units that went out.
    ///
    /// # Errors
    /// The first broken law found.
    pub fn validate(&self) -> Result<(), crate::Violation> {
        check_laws(self).map_err(crate::Violation::of)
    }
}
