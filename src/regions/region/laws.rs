//! The laws of a region between two ticks, which a record of a region must not break.

use crate::Violation;
use crate::coords::{ChunkPos, Cube, Face, Shape};
use crate::regions::error::RegionError;
use crate::regions::face::{Key, RegionFace};
use crate::regions::message::are_surfaces;
use crate::regions::region::WaterRegion;
#[cfg(feature = "snapshot")]
use crate::water::WaterWorld;
use crate::water::{Edge, FULL};
use core::fmt;
use glam::{IVec2, IVec3};
use std::collections::{BTreeMap, BTreeSet};

/// The portals that the world of a region has to have: by cell, whether the portal is a spring, and
/// its quota.
pub(in crate::regions) type Portals = BTreeMap<Key, (bool, u8)>;

/// A law of a region between two ticks.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::regions) enum RegionLaw {
    /// A law of the region's water.
    Water(Violation),
    /// The region's world has the bounds and the tick of the region.
    #[cfg(feature = "snapshot")]
    Place,
    /// The region's world has neither frozen chunks nor queued edits: the error names which of them
    /// it has.
    #[cfg(feature = "snapshot")]
    Unsupported(&'static str),
    /// The region's faces are those with a region beyond.
    #[cfg(feature = "snapshot")]
    Faces,
    /// The portals and messages of a face lie at the face, and their values are in range.
    Face(Face),
    /// The portals of the region's world are the springs and outlets of its faces, with the same
    /// quotas.
    Portal(IVec3),
    /// The region's loaded chunks are those in its list, and all cells beyond it that are no
    /// portals are ground.
    Chunk(ChunkPos),
    /// Each body of the region has surfaces that a body can have.
    Heads,
    /// Water is held at the columns beyond the region that are loaded or around portals, and at no
    /// others.
    Edges,
    /// The ledger of the region's world has posted the units that have passed through its portals.
    Account,
}

impl fmt::Display for RegionLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegionLaw::Water(law) => law.fmt(f),
            #[cfg(feature = "snapshot")]
            RegionLaw::Place => f.write_str("its world has other bounds or another tick"),
            #[cfg(feature = "snapshot")]
            RegionLaw::Unsupported(what) => write!(f, "it has {what}"),
            #[cfg(feature = "snapshot")]
            RegionLaw::Faces => f.write_str("it has a face without a region beyond, or lacks one"),
            RegionLaw::Face(face) => write!(f, "a cell or value is out of range at face {face:?}"),
            RegionLaw::Portal(cell) => {
                write!(f, "portal {cell} differs between the world and its face")
            }
            RegionLaw::Chunk(chunk) => write!(f, "chunk {chunk} beyond it is not solid"),
            RegionLaw::Heads => f.write_str("the surfaces of a body are impossible"),
            RegionLaw::Edges => {
                f.write_str("water is held at unloaded columns beyond it, or not at loaded ones")
            }
            RegionLaw::Account => {
                f.write_str("its ledger differs from the units that passed through its portals")
            }
        }
    }
}

impl RegionLaw {
    /// Returns the error of a region that breaks the law.
    pub(in crate::regions) fn broken_in(self, region: IVec2) -> RegionError {
        RegionError::Unlawful { region, law: self.to_string() }
    }
}

impl WaterRegion {
    /// Returns the first broken law.
    pub(in crate::regions) fn broken_law(&self) -> Option<RegionLaw> {
        if let Err(law) = self.world.validate() {
            return Some(RegionLaw::Water(law));
        }
        let (ticks, bodies) = (self.world.ticks(), self.bodies.len());
        let mut faces = self.faces.iter();
        if let Some(wrong) = faces.find(|face| !face.is_lawful(self.area, ticks, bodies)) {
            return Some(RegionLaw::Face(wrong.face));
        }
        let portals = self.portals_of_faces();
        (self.wrong_portal(&portals).map(RegionLaw::Portal))
            .or_else(|| self.wrong_chunk(&portals).map(RegionLaw::Chunk))
            .or_else(|| (!self.bodies.iter().all(are_surfaces)).then_some(RegionLaw::Heads))
            .or_else(|| (!self.holds_water()).then_some(RegionLaw::Edges))
            .or_else(|| (!self.has_balance()).then_some(RegionLaw::Account))
    }

    /// Returns whether a chunk has cells of the region.
    pub(in crate::regions) fn is_own(&self, chunk: ChunkPos) -> bool {
        self.area.intersection(&Cube::region_of(chunk)).is_some()
    }

    pub(in crate::regions) fn portals_of_faces(&self) -> Portals {
        let mut portals = Portals::new();
        for face in &self.faces {
            portals.extend(face.inlets.iter().map(|(&cell, of)| (cell, (true, of.granted))));
            portals.extend(face.outlets.iter().map(|(&cell, of)| (cell, (false, of.granted))));
        }
        portals
    }

    /// Returns a portal that only the world or only a face has, or a portal whose cell is not the
    /// spring or the outlet that it has to be.
    fn wrong_portal(&self, portals: &Portals) -> Option<IVec3> {
        let in_world: Portals =
            self.world.portals().map(|(cell, of)| (cell.to_array(), of)).collect();
        let is_right = |cell: &Key, is_spring: bool| {
            let voxel = self.world.voxel_now((*cell).into());
            voxel.is_some_and(|voxel| !voxel.is_solid() && voxel.is_source() == is_spring)
        };
        let differs = |cell: &&Key| portals.get(*cell) != in_world.get(*cell);
        let wrong = portals.iter().find(|(cell, of)| !is_right(cell, of.0)).map(|(cell, _)| cell);
        wrong
            .or_else(|| portals.keys().chain(in_world.keys()).find(differs))
            .map(|&cell| cell.into())
    }

    /// Returns a chunk of the region that is missing from its list or from the world, or a chunk
    /// beyond the region with cells that are neither ground nor portals.
    fn wrong_chunk(&self, portals: &Portals) -> Option<ChunkPos> {
        let loaded = self.world.chunks().map(|(chunk, _)| chunk);
        let (own, beyond): (BTreeSet<ChunkPos>, BTreeSet<ChunkPos>) =
            loaded.partition(|&chunk| self.is_own(chunk));
        let is_ground = |cell: IVec3| {
            portals.contains_key(&cell.to_array())
                || self.world.voxel_now(cell).is_some_and(|voxel| voxel.is_solid())
        };
        let bounds = self.world.bounds();
        let has_other = |chunk: &&ChunkPos| {
            let cells = bounds.intersection(&Cube::region_of(**chunk));
            cells.is_some_and(|cells| !cells.positions().all(is_ground))
        };
        let differs = own.symmetric_difference(&self.chunks).next();
        differs.or_else(|| beyond.iter().find(has_other)).copied()
    }

    /// Returns whether water is held at the columns where it has to be held, beyond the faces, and
    /// at no other column.
    fn holds_water(&self) -> bool {
        let edges = self.world.column_edges();
        self.held == self.columns_to_hold() && edges.len() == self.held.len() && { edges }
            .all(|(at, edge)| edge == Edge::Held && self.held.contains(&at))
    }

    /// Returns whether the ledger has entered for portals what has passed through them, and whether
    /// no entry for portals exceeds the entry for all units.
    fn has_balance(&self) -> bool {
        let (portals, all) = (self.portals.entries(), self.world.ledger().entries());
        let sum = |entries: &[u64]| entries.iter().map(|&units| i128::from(units)).sum::<i128>();
        let (entered, left) = portals.split_at(4);
        let passed = |face: &RegionFace| {
            let springs = i128::from(FULL) * face.inlets.len() as i128;
            i128::from(face.passed_in) - i128::from(face.passed_out) + springs
        };
        portals.iter().zip(&all).all(|(some, all)| some <= all)
            && sum(entered) - sum(left) == self.faces.iter().map(passed).sum::<i128>()
    }
}

/// Returns the name of something that a world has and no world of a region has; `None` if there is
/// nothing.
#[cfg(feature = "snapshot")]
pub(in crate::regions) fn unsupported(world: &WaterWorld) -> Option<&'static str> {
    let has_frozen = world.chunks().any(|(chunk, _)| world.is_frozen(chunk));
    let has_queue = world.edits_that_wait().edits.len() > 0;
    (has_frozen.then_some("frozen chunks")).or_else(|| has_queue.then_some("queued edits"))
}
