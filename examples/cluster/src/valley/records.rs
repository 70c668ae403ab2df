//! Regions as records: they move to ranks with fewer awake cells, and are saved and loaded on any
//! number of ranks.

use super::scene::SIDE;
use super::{Basin, place_of};
use crate::faults::Fault;
use crate::moves::most;
use crate::saves::{Found, parts_of};
use crate::wire;
use floodplain::ColumnPos;
use floodplain::glam::IVec3;
use floodplain::parts::Plan;
use floodplain::regions::RegionRecord;
use std::collections::BTreeMap;

/// What a region costs besides its awake cells, in such: its faces are visited in every tick.
const AT_REST: u64 = 1024;

impl Basin {
    /// Returns the load of each region of each rank, on all ranks.
    fn loads(&mut self) -> Result<BTreeMap<ColumnPos, u64>, Fault> {
        let mut bytes = Vec::new();
        for region in self.world.regions() {
            let cell = IVec3::new(region.x, 0, region.y) * SIDE;
            let awake = self.world.region_of(cell).map_or(0, |water| water.awake_cells());
            let load = AT_REST + awake as u64;
            wire::put(&mut bytes, place_of(region).chunk(0), &load.to_le_bytes());
        }
        let mut all = BTreeMap::new();
        for bytes in self.ranks.gather(bytes) {
            for (place, load) in wire::take_all(&bytes)? {
                all.insert(place.column(), wire::Reader(&load).u64()?);
            }
        }
        Ok(all)
    }

    /// Lets regions move if the rank with the most to do then has a tenth less of it.
    pub fn balance(&mut self) -> Result<(), Fault> {
        let loads = self.loads()?;
        let plan = Plan::balanced(loads.iter().map(|(&at, &load)| (at, load)), self.plan.parts())?;
        if 10 * most(&plan, &loads) > 9 * most(&self.plan, &loads) {
            return Ok(());
        }
        self.move_regions(plan)
    }

    /// Gives the regions to the owners of another plan, as records.
    fn move_regions(&mut self, plan: Plan) -> Result<(), Fault> {
        let me = self.ranks.me();
        let mut messages = vec![Vec::new(); plan.parts()];
        for region in self.world.regions().collect::<Vec<_>>() {
            let owner = plan.owner(place_of(region)).unwrap_or(me);
            if owner != me {
                let record = self.world.take_region(region)?.to_bytes();
                wire::put(&mut messages[owner], place_of(region).chunk(0), &record);
            }
        }
        for message in self.ranks.exchange_all(messages) {
            for (_, record) in wire::take_all(&message)? {
                self.world.insert_region(&RegionRecord::from_bytes(&record)?)?;
                self.moved += 1;
            }
        }
        self.plan = plan;
        Ok(())
    }

    /// Returns the regions of this rank as bytes.
    pub fn part(&self) -> Result<Vec<u8>, Fault> {
        let mut part = Vec::new();
        for region in self.world.regions() {
            let record = self.world.region_record(region)?.to_bytes();
            wire::put(&mut part, place_of(region).chunk(0), &record);
        }
        Ok(part)
    }

    /// Puts in this rank's regions of a save, which any number of ranks has made.
    pub fn load(&mut self, save: &Found, name: &str) -> Result<(), Fault> {
        self.world.begin_at(save.tick())?;
        for part in parts_of(save, name)? {
            for (place, record) in wire::take_all(&part)? {
                if self.plan.owner(place.column()) == Some(self.ranks.me()) {
                    self.world.insert_region(&RegionRecord::from_bytes(&record)?)?;
                }
            }
        }
        self.begun = save.tick();
        Ok(())
    }
}
