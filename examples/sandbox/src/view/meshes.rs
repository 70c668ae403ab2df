//! Which chunks are meshed when: what follows the world, without a GPU.

use super::mesh::{Flat, FlatMesh, Wet};
use super::overlay::Overlay;
use super::pieces::Pieces;
use super::scene::Scene;
use super::stale::Stale;
use super::{terrain, water};
use crate::model::Sandbox;
use floodplain::water::FlowField;
use floodplain::world::World;
use floodplain::{CellMask, ChunkPos};
use std::collections::BTreeMap;

/// Meshes of a chunk that were made anew.
#[derive(Debug, Default)]
pub struct Made {
    pub terrain: Option<(ChunkPos, Vec<Flat>)>,
    pub water: Option<(ChunkPos, Vec<Wet>)>,
    pub effects: Option<(ChunkPos, FlatMesh)>,
    pub marks: Option<(ChunkPos, FlatMesh)>,
}

impl Made {
    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        let Made { terrain, water, effects, marks } = self;
        terrain.is_none() && water.is_none() && effects.is_none() && marks.is_none()
    }
}

/// What is drawn of a sandbox, and what of it is out of date.
pub struct Meshes {
    pub scene: Scene,
    pub pieces: Pieces,
    overlay: Overlay,
    flow: FlowField,
    stale_marks: Stale,
    /// The awake cells of water, by chunk, while an overlay is shown.
    awake: BTreeMap<ChunkPos, CellMask>,
}

impl Meshes {
    /// Returns those of a world, all of them out of date.
    pub fn new(world: &World, overlay: Overlay) -> Meshes {
        let mut meshes = Meshes {
            scene: Scene::of(world),
            pieces: Pieces::default(),
            overlay,
            flow: FlowField::new(),
            stale_marks: Stale::default(),
            awake: BTreeMap::new(),
        };
        meshes.show(overlay, world);
        meshes
    }

    pub fn overlay(&self) -> Overlay {
        self.overlay
    }

    /// Shows an overlay.
    pub fn show(&mut self, overlay: Overlay, world: &World) {
        self.overlay = overlay;
        self.awake.clear();
        self.stale_marks = Stale::default();
        if overlay != Overlay::None {
            self.stale_marks.extend(world.chunks().map(|(chunk, _)| chunk));
            self.follow_awake(world);
        }
    }

    /// Follows the world: after a tick, or after edits while it is paused.
    pub fn follow(&mut self, sandbox: &mut Sandbox, is_tick: bool) {
        let changes = sandbox.take_changes();
        let (broken, charges) = sandbox.take_events();
        let world = sandbox.world();
        self.scene.update(world, &changes);
        self.flow.update(world.water());
        self.pieces.throw(&broken, &charges);
        if is_tick {
            self.pieces.step(world);
        }
        if self.overlay != Overlay::None {
            self.stale_marks.extend(changes.iter().map(|changes| changes.chunk));
            self.follow_awake(world);
        }
    }

    fn follow_awake(&mut self, world: &World) {
        let awake = world.water().awake_chunks();
        let before = std::mem::replace(&mut self.awake, awake.collect());
        self.stale_marks.extend(before.into_keys());
        self.stale_marks.extend(self.awake.keys().copied());
    }

    /// Returns how many meshes are out of date.
    pub fn stale(&self) -> usize {
        self.scene.stale_terrain.len()
            + self.scene.stale_water.len()
            + self.scene.stale_effects.len()
            + self.stale_marks.len()
    }

    /// Makes a mesh of each kind anew, if one is out of date.
    pub fn make(&mut self, world: &World) -> Made {
        let Meshes { scene, overlay, flow, stale_marks, awake, .. } = self;
        let [terrain, water, effects] =
            [&mut scene.stale_terrain, &mut scene.stale_water, &mut scene.stale_effects]
                .map(Stale::pop);
        Made {
            terrain: terrain.map(|chunk| (chunk, terrain::mesh(scene, chunk))),
            water: water.map(|chunk| (chunk, water::surface(world, scene, flow, chunk))),
            effects: effects.map(|chunk| (chunk, water::effects(world, scene, chunk))),
            marks: stale_marks.pop().map(|chunk| {
                let awake = awake.get(&chunk).unwrap_or(&CellMask::EMPTY);
                (chunk, overlay.mesh(world, scene, chunk, awake))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::action::Action;
    use crate::model::worlds::Kind;
    use floodplain::glam::IVec3;

    fn make_all(meshes: &mut Meshes, world: &World) -> usize {
        std::iter::from_fn(|| Some(meshes.make(world)).filter(|made| !made.is_empty())).count()
    }

    #[test]
    fn only_what_changed_is_meshed_anew() {
        let mut sandbox = Sandbox::new(Kind::Plain).unwrap();
        let mut meshes = Meshes::new(sandbox.world(), Overlay::None);
        let chunks = 12 * 3 * 10;
        assert_eq!(meshes.stale(), 3 * chunks);
        assert_eq!(make_all(&mut meshes, sandbox.world()), chunks);
        assert_eq!(meshes.stale(), 0);
        sandbox.act(&Action::Pause(true)).unwrap();
        meshes.follow(&mut sandbox, false);
        assert_eq!(meshes.stale(), 0, "nothing happened");
        sandbox.act(&Action::Dig { cell: IVec3::new(142, 7, 88), radius: 0 }).unwrap();
        meshes.follow(&mut sandbox, false);
        assert!((1..12).contains(&meshes.stale()), "{}", meshes.stale());
    }

    #[test]
    fn an_overlay_marks_all_chunks_once_and_then_those_that_are_awake() {
        let mut sandbox = Sandbox::new(Kind::UTube).unwrap();
        let mut meshes = Meshes::new(sandbox.world(), Overlay::None);
        make_all(&mut meshes, sandbox.world());
        meshes.show(Overlay::Current, sandbox.world());
        assert_eq!(meshes.stale(), 4 * 3);
        make_all(&mut meshes, sandbox.world());
        sandbox.clock.hurry();
        sandbox.advance(|_| true);
        meshes.follow(&mut sandbox, true);
        assert!(meshes.stale_marks.len() > 0);
        meshes.show(Overlay::None, sandbox.world());
        assert_eq!(meshes.stale_marks.len(), 0);
    }
}
