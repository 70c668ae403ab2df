//! Which chunks are meshed when: what follows the world, without a GPU.

use super::copy::WaterCopy;
use super::mesh::{Flat, FlatMesh, Wet};
use super::overlay::Overlay;
use super::pieces::Pieces;
use super::scene::Scene;
use super::spray::Spray;
use super::stale::Stale;
use super::{terrain, water};
use crate::model::Sandbox;
use floodplain::water::{FlowField, WaterView};
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
///
/// Neighbouring meshes fit together if they show the same tick. So the meshes that are out of date
/// after a tick are one batch: until all of it is made, the scene and the copy of the water stay as
/// they are, however many ticks go on meanwhile, and what was made is to be drawn together.
pub struct Meshes {
    pub scene: Scene,
    pub pieces: Pieces,
    pub spray: Spray,
    copy: WaterCopy,
    overlay: Overlay,
    flow: FlowField,
    stale_marks: Stale,
    /// The awake cells of water, by chunk, while an overlay is shown.
    awake: BTreeMap<ChunkPos, CellMask>,
    /// Whether the world has gone on since scene and copy followed it.
    is_behind: bool,
}

impl Meshes {
    /// Returns those of a sandbox, all of them out of date.
    pub fn new(sandbox: &mut Sandbox, overlay: Overlay) -> Meshes {
        let copy = WaterCopy::of(sandbox.world_to_follow());
        let mut meshes = Meshes {
            scene: Scene::of(sandbox.world()),
            pieces: Pieces::default(),
            spray: Spray::default(),
            copy,
            overlay,
            flow: FlowField::new(),
            stale_marks: Stale::default(),
            awake: BTreeMap::new(),
            is_behind: false,
        };
        meshes.show(overlay, sandbox.world());
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
        let (broken, charges) = sandbox.take_events();
        self.pieces.throw(&broken, &charges);
        charges.iter().for_each(|&charge| self.spray.throw(&self.scene, charge));
        if is_tick {
            let fallen = self.pieces.step(sandbox.world());
            let splashes = fallen.into_iter().chain(sandbox.take_splashes());
            splashes.for_each(|at| self.spray.splash(at));
            self.spray.step(&self.scene);
        }
        self.is_behind = true;
        self.catch_up(sandbox);
    }

    /// Copies what the world has become, unless meshes of an earlier tick are still to be made.
    pub fn catch_up(&mut self, sandbox: &mut Sandbox) {
        if !self.is_behind || !self.is_batch_made() || sandbox.is_underway() {
            return;
        }
        self.is_behind = false;
        let changes = sandbox.take_changes();
        self.copy.follow(sandbox.world_to_follow());
        let world = sandbox.world();
        self.scene.update(world, &changes);
        self.flow.update(world.water());
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
            + self.scene.stale_colours.len()
            + self.stale_marks.len()
    }

    /// Returns whether all meshes are made that have to be drawn together.
    pub fn is_batch_made(&self) -> bool {
        let Scene { stale_terrain, stale_water, stale_effects, .. } = &self.scene;
        stale_terrain.len() + stale_water.len() + stale_effects.len() == 0
    }

    /// Makes a mesh of each kind anew, if one is out of date. Ground of which only the colours are
    /// comes after the batch, so that wet soil keeps no water waiting.
    pub fn make(&mut self, world: &World) -> Made {
        let is_batch_made = self.is_batch_made();
        let Meshes { scene, spray, copy, overlay, flow, stale_marks, awake, .. } = self;
        let terrain = match is_batch_made {
            true => scene.stale_colours.pop(),
            false => scene.stale_terrain.pop(),
        };
        let [water, effects] = [&mut scene.stale_water, &mut scene.stale_effects].map(Stale::pop);
        Made {
            terrain: terrain.map(|chunk| (chunk, terrain::mesh(scene, chunk))),
            water: water.map(|chunk| (chunk, water::surface(copy.water(), scene, flow, chunk))),
            effects: effects.map(|chunk| {
                let falls = copy.water().falls(chunk);
                spray.learn(scene, chunk, &falls);
                (chunk, water::effects(world, scene, &falls, chunk))
            }),
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
        let mut meshes = Meshes::new(&mut sandbox, Overlay::None);
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
        let mut meshes = Meshes::new(&mut sandbox, Overlay::None);
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

    #[test]
    fn meshes_that_are_drawn_together_show_one_tick() {
        let mut sandbox = Sandbox::new(Kind::Dam).unwrap();
        let mut meshes = Meshes::new(&mut sandbox, Overlay::None);
        let mut drawn = BTreeMap::new();
        // What is drawn, and what was made and waits for the rest of its batch.
        let mut waiting = BTreeMap::new();
        let all = |sandbox: &mut Sandbox| Meshes::new(sandbox, Overlay::None).all_water();
        let mut of_tick = all(&mut sandbox);
        let (mut batches, mut held) = (0, 0);
        sandbox.act(&Action::Charge { cell: IVec3::new(76, 17, 57), radius: 10 }).unwrap();
        for made in 0.. {
            // A tick goes by with each twentieth mesh: far more than a batch has waits.
            if made % 20 == 19 {
                sandbox.clock.hurry();
                while sandbox.advance(|_| true) == Some(false) {}
                let is_held = !meshes.is_batch_made();
                held += usize::from(is_held);
                meshes.follow(&mut sandbox, true);
                // Faces with unlike flow are not merged, and untouched chunks keep theirs.
                meshes.flow = FlowField::new();
                if !is_held {
                    of_tick = all(&mut sandbox);
                }
            }
            if let Some((chunk, vertices)) = meshes.make(sandbox.world()).water {
                waiting.insert(chunk, vertices);
            }
            if meshes.is_batch_made() && !waiting.is_empty() {
                drawn.append(&mut waiting);
                assert!(places(&drawn) == places(&of_tick), "batch {batches}");
                batches += 1;
                if batches == 4 {
                    break;
                }
            }
        }
        assert!(held > 5, "ticks that went by while meshes waited: {held}");
    }

    type Waters = BTreeMap<ChunkPos, Vec<Wet>>;

    fn places(waters: &Waters) -> Vec<(ChunkPos, Vec<[u32; 3]>)> {
        let place = |vertex: &Wet| vertex.at.map(f32::to_bits);
        let sorted = |vertices: &Vec<Wet>| {
            let mut places: Vec<_> = vertices.iter().map(place).collect();
            places.sort_unstable();
            places
        };
        let with_water = waters.iter().filter(|(_, vertices)| !vertices.is_empty());
        with_water.map(|(&chunk, vertices)| (chunk, sorted(vertices))).collect()
    }

    impl Meshes {
        fn all_water(&self) -> Waters {
            let flow = FlowField::new();
            let chunks = self.copy.water().chunks().into_iter();
            let mesh = |chunk| water::surface(self.copy.water(), &self.scene, &flow, chunk);
            chunks.map(|chunk| (chunk, mesh(chunk))).collect()
        }
    }
}
