//! The sandbox without a window: a world, its clock, and what a player does to it. What it comes to
//! depends on the actions and on the ticks between them alone, not on frames, time or budgets.

pub mod action;
mod clock;
pub mod floats;
pub mod hand;
pub mod materials;
pub mod pick;
pub mod worlds;

use crate::noise::hash;
use action::{Action, Refusal};
use clock::Clock;
use floats::Floats;
use floodplain::Progress;
use floodplain::glam::{IVec3, Vec3};
use floodplain::snapshot::Saved;
use floodplain::water::Edge;
use floodplain::world::World;
use floodplain::world::{Broken, Edit};
use floodplain::{CHUNK_CELLS, ChunkChanges, Cube, Shape, water};
use materials::AIR;
use std::collections::BTreeSet;
use worlds::Kind;

/// The seed of all worlds.
const SEED: u64 = 7;

/// Columns of a world for each drop of rain that falls in a tick, and the units of a drop.
const COLUMNS_A_DROP: i32 = 300;
const DROP: u32 = 2;

/// A world, its clock, and what was kept of it.
pub struct Sandbox {
    kind: Kind,
    world: World,
    floats: Floats,
    pub clock: Clock,
    /// Whether a tick is underway.
    is_underway: bool,
    is_raining: bool,
    /// Whether to keep the world as soon as no tick is underway.
    wants_save: bool,
    saved: Option<Vec<u8>>,
    /// The charges that went off since they were last taken.
    charges: Vec<IVec3>,
    /// The cells that were made springs; some may be none any more.
    springs: BTreeSet<[i32; 3]>,
    /// What was refused last.
    notice: Option<String>,
}

impl Sandbox {
    /// Returns a world as it begins.
    pub fn new(kind: Kind) -> Result<Sandbox, Refusal> {
        let world = make(kind)?;
        Ok(Sandbox {
            kind,
            floats: Floats::of(kind.floats()),
            springs: springs(&world),
            world,
            clock: Clock::default(),
            is_underway: false,
            is_raining: false,
            wants_save: false,
            saved: None,
            charges: Vec::new(),
            notice: None,
        })
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the world for a feed, which takes what it was not told of yet out of it.
    pub fn world_to_follow(&mut self) -> &mut World {
        &mut self.world
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns what floats.
    pub fn floats(&self) -> &Floats {
        &self.floats
    }

    /// Returns where something fell into the water since the last call.
    pub fn take_splashes(&mut self) -> Vec<Vec3> {
        self.floats.take_splashes()
    }

    pub fn is_raining(&self) -> bool {
        self.is_raining
    }

    /// Returns whether a tick is underway.
    pub fn is_underway(&self) -> bool {
        self.is_underway
    }

    /// Returns the height of the sea, if there is one.
    pub fn sea(&self) -> Option<i32> {
        self.world.rules().water.edges.outer.iter().find_map(|edge| match edge {
            Edge::Level(level) => Some(*level),
            _ => None,
        })
    }

    /// Returns the springs.
    pub fn springs(&self) -> impl Iterator<Item = IVec3> {
        let cells = self.springs.iter().copied().map(IVec3::from_array);
        cells.filter(|&cell| is_spring(&self.world, cell))
    }

    /// Returns the bytes that are kept.
    pub fn saved(&self) -> Option<&[u8]> {
        self.saved.as_deref()
    }

    /// Keeps bytes that were kept by another run, for [`Action::Load`].
    pub fn keep(&mut self, bytes: Vec<u8>) {
        self.saved = Some(bytes);
    }

    /// Returns what was refused last, once.
    pub fn take_notice(&mut self) -> Option<String> {
        self.notice.take()
    }

    /// Returns the cells that changed since the last call, between ticks.
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        self.world.take_changes()
    }

    /// Returns the walls that broke since the last call, and the charges that went off.
    pub fn take_events(&mut self) -> (Vec<Broken>, Vec<IVec3>) {
        (self.world.take_events(), std::mem::take(&mut self.charges))
    }

    /// Does what a player does. Edits are made before the next tick; at once while the clock is
    /// stopped.
    pub fn act(&mut self, action: &Action) -> Result<(), Refusal> {
        for edit in action.edits(&self.world)? {
            match edit {
                Edit::Charge { centre, .. } => self.charges.push(centre),
                Edit::Water(water::Edit::AddSource(cell)) => {
                    self.springs.insert(cell.to_array());
                }
                _ => {}
            }
            self.edit(edit)?;
        }
        match *action {
            Action::World(kind) => self.begin(kind)?,
            Action::Sea(level) => self.set_sea(level)?,
            Action::Float { craft, cell } => self.floats.add(craft, cell),
            Action::Rain(is_raining) => self.is_raining = is_raining,
            Action::Pause(is_paused) => self.clock.pause(is_paused),
            Action::Step => self.clock.step(),
            Action::Speed(speed) => self.clock.set_speed(speed)?,
            Action::Save => self.save(),
            Action::Load => self.load()?,
            _ => {}
        }
        Ok(())
    }

    /// Takes a tick that is due, or goes on with the one that is underway, as long as `goes_on`
    /// says so. Returns whether a tick was completed; `None` if none is due.
    pub fn advance(&mut self, goes_on: impl FnMut(&Progress) -> bool) -> Option<bool> {
        if !self.is_underway {
            if !self.clock.take() {
                return None;
            }
            self.let_it_rain();
        }
        let is_complete = self.world.step_while(goes_on).finished;
        self.is_underway = !is_complete;
        if is_complete {
            self.floats.step(&self.world);
            for report in self.world.take_edit_reports() {
                if let Err(error) = report.result {
                    self.notice = Some(error.to_string());
                }
            }
            if self.wants_save {
                self.save();
            }
        }
        Some(is_complete)
    }

    /// Returns one line: the tick, the hash of the state, and the account of all water.
    pub fn account(&self) -> String {
        let (world, ledger) = (&self.world, self.world.ledger());
        let is_balanced =
            world.validate().is_ok() && ledger.came_in() - ledger.went_out() == world.total();
        format!(
            "tick {} hash {:016x} water {} placed {} injected {} drained {} evaporated {} soaked {} \
             sprung {} thrown {} {}",
            world.ticks(),
            world.state_hash(),
            world.water().total(),
            ledger.water.placed,
            ledger.water.injected,
            ledger.water.drained,
            ledger.water.evaporated,
            ledger.soaked,
            ledger.sprung,
            ledger.thrown,
            if is_balanced { "balanced" } else { "NOT BALANCED" },
        )
    }

    fn edit(&mut self, edit: Edit) -> Result<(), Refusal> {
        if self.clock.is_paused && !self.is_underway {
            self.world.apply(edit).map_err(Refusal::Edit)?;
        } else {
            self.world.queue(edit);
        }
        Ok(())
    }

    fn begin(&mut self, kind: Kind) -> Result<(), Refusal> {
        self.world = make(kind)?;
        self.springs = springs(&self.world);
        self.floats = Floats::of(kind.floats());
        self.kind = kind;
        (self.is_underway, self.is_raining, self.wants_save) = (false, false, false);
        self.charges.clear();
        Ok(())
    }

    fn set_sea(&mut self, level: Option<i32>) -> Result<(), Refusal> {
        let most = self.world.bounds().max().y;
        if let Some(found) = level
            && !(0..=most).contains(&found)
        {
            return Err(Refusal::Sea { found, most });
        }
        let mut rules = self.world.rules().water;
        for face in self.kind.shore() {
            let plain = if self.kind.coast().contains(face) { Edge::Drain } else { Edge::Wall };
            rules.edges.outer[face.index()] = level.map_or(plain, Edge::Level);
        }
        self.edit(Edit::Water(water::Edit::SetRules(rules)))
    }

    fn let_it_rain(&mut self) {
        if !self.is_raining {
            return;
        }
        let top = self.world.bounds().max();
        let drops = (top.x + 1) * (top.z + 1) / COLUMNS_A_DROP;
        let tick = self.world.ticks() as i32;
        for drop in 0..drops {
            let lot = hash(tick, drop, 29) as i32 & 0x7fff_ffff;
            let from = top.with_x(lot % (top.x + 1)).with_z(lot / (top.x + 1) % (top.z + 1));
            if self.world.material(from) == Some(AIR) {
                self.world.queue(Edit::Rain { from, units: DROP });
            }
        }
    }

    fn save(&mut self) {
        self.wants_save = self.is_underway;
        if !self.is_underway {
            self.saved = Some(self.world.save());
        }
    }

    fn load(&mut self) -> Result<(), Refusal> {
        let bytes = self.saved.as_ref().ok_or(Refusal::NothingSaved)?;
        let world = World::load(bytes).map_err(Refusal::Load)?;
        // Bytes of another run may be of another world.
        let is_like = |kind: &&Kind| kind.size() - 1 == world.bounds().max();
        if let Some(kind) = std::iter::once(&self.kind).chain(&Kind::ALL).find(is_like) {
            self.kind = *kind;
        }
        self.springs = springs(&world);
        (self.world, self.is_underway) = (world, false);
        Ok(())
    }
}

fn make(kind: Kind) -> Result<World, Refusal> {
    kind.world(SEED).map_err(|error| Refusal::World(error.to_string()))
}

fn is_spring(world: &World, cell: IVec3) -> bool {
    world.water().cell(cell).is_some_and(|cell| cell.is_source())
}

/// Returns all springs of a world, in order of position.
fn springs(world: &World) -> BTreeSet<[i32; 3]> {
    let cells = world.water().chunks().filter(|(_, chunk)| chunk.as_uniform().is_none());
    let cells = cells.flat_map(|(chunk, voxels)| {
        let is_source =
            move |index: &usize| voxels.get(*index).cell().is_some_and(|cell| cell.is_source());
        (0..CHUNK_CELLS).filter(is_source).map(move |index| Cube::cell_at(chunk, index).to_array())
    });
    cells.collect()
}

#[cfg(test)]
mod tests;
