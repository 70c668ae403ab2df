//! The ground of explosions. It is lent to them only where there is pressure, so that a world
//! without any pays nothing. Before each step, the chunks with pressure, and the chunks that share
//! a face with one, have their ground; once a chunk and all chunks around it are silent, it is
//! taken back. Pressure enters only chunks beside a chunk with pressure, so no step ever misses
//! ground. It never enters a chunk out of its reach, whose ground is not lent.
//!
//! | file | what |
//! |---|---|
//! | `charge`, `reach` | charges, and how far they reach |
//! | `under_water` | what full cells of water are to pressure |
//! | `spill`, `throws` | moisture of broken soil that becomes water; water that flows throw |

mod charge;
mod reach;
mod spill;
pub(super) mod throws;
mod under_water;

use crate::chunk::{CellMask, Chunk};
use crate::coords::{CHUNK_CELLS, ChunkPos, ChunkRegion, Cube, Face, Region, Shape};
use crate::simulation::StepReport;
use crate::world::World;
use crate::world::rules::error::EditError;
use crate::world::rules::material::MaterialId;
use glam::IVec3;

/// Ground that pressure broke.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Broken {
    /// The tick in which it broke, from 1.
    pub tick: u64,
    /// The cell.
    pub cell: IVec3,
    /// The old material.
    pub from: MaterialId,
    /// The new material.
    pub into: MaterialId,
    /// The pressure difference across it, which exceeded its strength.
    pub difference: f64,
}

/// The effect of a cell on pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) enum Matter {
    Open,
    Solid,
    /// Solid until the pressure difference across it exceeds this.
    Wall(f32),
}

impl World {
    /// Returns the ground that pressure broke since the last call: by step of explosions, then in
    /// order of position (y, then z, then x). Each entry takes 48 bytes until then. A
    /// [`Feed`](crate::world::Feed) takes nothing from this list; but events from before the first
    /// call are dropped once all feeds have reported them. The list is for one reader; several
    /// readers use a feed each.
    pub fn take_events(&mut self) -> Vec<Broken> {
        self.take_untold_events()
    }

    /// Returns the ground that pressure broke since the last [`take_events`](World::take_events).
    #[cfg(any(feature = "snapshot", feature = "scenario"))]
    pub(crate) fn events_untold(&self) -> &[Broken] {
        &self.events
    }

    /// Runs one step of explosions, whose ground is lent. Ground that breaks in it becomes the
    /// material that it breaks into.
    pub(in crate::world) fn step_blast(&mut self) -> StepReport {
        let mut report = self.blast.step();
        for broken in self.blast.take_events() {
            let cell = broken.place;
            let from = self.ground.get(cell);
            let into = self.palette.traits(from).remains;
            // A broken wall stands in a loaded chunk, where no edit is refused.
            if let Ok(replaced) = self.replace(cell, into) {
                let (tick, difference) = (self.tick.wrapping_add(1), broken.difference);
                self.events.push(Broken { tick, cell, from, into, difference });
                report.changed += self.spill(cell, replaced.moisture);
            }
        }
        report.changed += self.damp_in_water();
        report
    }

    /// Lends the blast the ground of these chunks and of all chunks that share a face with one.
    pub(in crate::world) fn lend_beside(&mut self, chunks: &[ChunkPos]) {
        for &chunk in chunks {
            let around = Face::ALL.into_iter().filter_map(|face| chunk.step(face));
            for chunk in core::iter::once(chunk).chain(around) {
                // The ground of a loaded chunk is not refused.
                _ = self.lend(chunk);
            }
        }
    }

    /// Lends the blast the ground of a loaded chunk, if it has pressure or obstacles, and is not
    /// lent yet.
    pub(in crate::world) fn lend(&mut self, chunk: ChunkPos) -> Result<(), EditError> {
        let Some(ground) = self.ground.chunk(chunk) else { return Ok(()) };
        let is_plain = || self.blast.is_blank_at(chunk) && !self.has_obstacle(chunk);
        if self.is_lent(chunk) || !self.blast.admits(chunk) || is_plain() {
            return Ok(());
        }
        let (mut solid, mut strengths) = (self.stopping_water(chunk), Chunk::uniform(0.0));
        let matters = self.matters();
        let matter = |index: usize| matters[usize::from(ground.get(index).0)];
        match ground.as_uniform() {
            Some(_) => match matter(0) {
                Matter::Open => {}
                Matter::Solid => solid = CellMask::FULL,
                Matter::Wall(strength) => strengths.fill(strength),
            },
            None => {
                for index in 0..CHUNK_CELLS {
                    match matter(index) {
                        Matter::Open => {}
                        Matter::Solid => _ = solid.insert(index),
                        Matter::Wall(strength) => _ = strengths.set(index, strength),
                    }
                }
            }
        }
        self.touch(chunk);
        self.blast.set_ground(chunk, &solid, &strengths)?;
        self.mirrored.insert(chunk);
        Ok(())
    }

    /// Lends the blast the present ground of the loaded chunks that a region touches. A chunk
    /// without pressure and obstacles no longer counts as lent.
    pub(in crate::world) fn lend_region(&mut self, region: Region) -> Result<(), EditError> {
        let chunks = ChunkRegion::of::<Cube>(region);
        for slot in self.ground.slots_in(chunks) {
            let chunk = self.ground.position_at(slot);
            self.follow_water_in(chunk)?;
            self.lend(chunk)?;
            self.forget_if_plain(chunk);
        }
        Ok(())
    }

    /// Returns the chunks whose ground is lent, in order of position.
    pub(in crate::world) fn lent(&self) -> impl Iterator<Item = ChunkPos> {
        self.mirrored.iter().copied()
    }

    /// Returns whether the ground of a chunk is lent.
    pub(in crate::world) fn is_lent(&self, chunk: ChunkPos) -> bool {
        self.mirrored.contains(&chunk)
    }

    /// Takes back the ground of silent chunks with silent neighbours.
    pub(in crate::world) fn take_back_silent(&mut self) {
        let mut mirrored = core::mem::take(&mut self.mirrored);
        mirrored.retain(|&chunk| {
            self.blast.has_ground_at(chunk) && !self.blast.drop_ground(chunk)
                || !self.blast.is_blank_at(chunk)
        });
        self.mirrored = mirrored;
    }

    /// Lets the blast follow a cell with a new material or changed water, if pressure is near.
    pub(in crate::world) fn follow_in_blast(&mut self, cell: IVec3) -> Result<(), EditError> {
        let chunk = Cube::chunk_of(cell);
        if self.is_lent(chunk) {
            self.replace_in_blast(cell, self.matter_at(cell))?;
            self.forget_if_plain(chunk);
            Ok(())
        } else {
            self.lend_if_near(chunk)
        }
    }

    /// Lends the blast the ground of a chunk, if it has pressure or is beside an audible chunk.
    pub(in crate::world) fn lend_if_near(&mut self, chunk: ChunkPos) -> Result<(), EditError> {
        if self.blast.is_empty() {
            return Ok(());
        }
        let is_near = self.blast.is_beside_audible(chunk) || !self.blast.is_blank_at(chunk);
        if is_near { self.lend(chunk) } else { Ok(()) }
    }

    /// Counts a chunk as no longer lent if it has neither obstacles nor pressure, so that the set
    /// of lent chunks follows from the blast.
    pub(in crate::world) fn forget_if_plain(&mut self, chunk: ChunkPos) {
        if !self.blast.has_ground_at(chunk) && self.blast.is_blank_at(chunk) {
            self.mirrored.remove(&chunk);
        }
    }

    /// Returns the effect of a loaded cell on pressure, by its material, its water and the rules;
    /// open where no cell is loaded.
    pub(in crate::world) fn matter_at(&self, cell: IVec3) -> Matter {
        match self.material(cell).map(|material| self.matter(material)) {
            Some(Matter::Open) if self.is_stopped_by_water(cell) => Matter::Solid,
            Some(matter) => matter,
            None => Matter::Open,
        }
    }

    /// Returns the effect of a material on pressure, by the rules.
    pub(in crate::world) fn matter(&self, material: MaterialId) -> Matter {
        let traits = self.palette.traits(material);
        match traits.strength.filter(|_| self.rules.breaking) {
            _ if !traits.solid => Matter::Open,
            None => Matter::Solid,
            Some(strength) => Matter::Wall(strength),
        }
    }

    /// Returns the effect of each material on pressure, by number; numbers without a material are
    /// open.
    fn matters(&self) -> [Matter; 256] {
        let mut matters = [Matter::Open; 256];
        for (id, _) in self.palette.materials() {
            matters[usize::from(id.0)] = self.matter(id);
        }
        matters
    }

    /// Sets the effect of a cell on pressure, unless it is set already.
    fn replace_in_blast(&mut self, cell: IVec3, matter: Matter) -> Result<(), EditError> {
        if self.matter_in_blast(cell) == matter {
            return Ok(());
        }
        match matter {
            Matter::Open => self.blast.clear_solid(cell).map(drop)?,
            Matter::Solid => self.blast.set_solid(cell).map(drop)?,
            Matter::Wall(strength) => self.blast.set_wall(cell, strength).map(drop)?,
        }
        Ok(())
    }

    /// Returns the present effect of a cell on pressure.
    pub(in crate::world) fn matter_in_blast(&self, cell: IVec3) -> Matter {
        match self.blast.strength(cell) {
            Some(strength) => Matter::Wall(strength),
            None if self.blast.is_solid(cell) => Matter::Solid,
            None => Matter::Open,
        }
    }
}
