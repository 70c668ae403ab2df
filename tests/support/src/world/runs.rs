//! Runs of worlds of materials, for the property tests and the fuzz target `world_edits`: watched,
//! with a client, with a file, or with their edits in line.

use super::id;
use super::saves::saved_as_it_lives;
use crate::queued;
use floodplain::testing::{self, Small, Start, Watched, mirrored};
use floodplain::world::{Edit, Ledger, Rules, World};
use floodplain::{Region, humidity};

/// A world, and what is done to it.
#[derive(Clone, Debug)]
pub struct Run(testing::Run<World>);

impl Run {
    /// What these bytes say; any do.
    pub fn from_bytes(bytes: &[u8]) -> Run {
        Run(testing::Run::from_bytes(bytes))
    }

    /// Does all of it, with every law after each operation; by the seed, with a client, with a
    /// file, or with edits that are queued. Returns the account.
    pub fn run(&self) -> Ledger {
        let testing::Run { start, ops } = &self.0;
        let watched = || Watched::new(|| ground(start));
        let mut watched = match start.seed / 2 % 4 {
            0 => watched().with_companion("saved_as_it_lives", saved_as_it_lives()),
            1 => {
                let mut save = saved_as_it_lives();
                let meanwhile = |world: &mut World| save(world, &[]).unwrap();
                let budget = 8 * start.seed;
                let by_hand = queued::are_those_by_hand(|| ground(start), budget, ops, meanwhile).0;
                return by_hand.ledger();
            }
            _ => watched().with_companion("mirrored", mirrored()),
        };
        watched.play(ops).unwrap();
        watched.into_world().ledger()
    }
}

/// In every other run the floor is of wet soil that breaks, so that it spills.
fn ground(start: &Start<Rules>) -> World {
    let mut world = World::build(start);
    if start.seed % 2 == 1 {
        let bounds = start.bounds;
        let floor = Region::new(bounds.min(), bounds.max().with_y(bounds.min().y));
        world.fill_material(floor, id("turf")).expect("loaded");
        for cell in floor.positions() {
            let edit = humidity::Edit::SetHumidity { cell, humidity: 300.0 };
            world.apply(Edit::Soil(edit)).expect("permeable");
        }
    }
    world
}
