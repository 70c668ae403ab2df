//! Columns that go from rank to rank as records, so that all have about as many awake cells. All
//! ranks know all loads, and so make the same decision.

use crate::faults::Fault;
use crate::rank::Rank;
use crate::wire;
use floodplain::ColumnPos;
use floodplain::parts::{InParts, Plan};
use std::collections::BTreeMap;

/// What a column costs besides its awake cells: its chunks are looked at when lists are made.
const AT_REST: u64 = 16;

impl<W: InParts> Rank<W> {
    /// Returns the awake cells of each column of each rank, on all ranks.
    pub fn loads(&mut self) -> Result<BTreeMap<ColumnPos, u64>, Fault> {
        self.settle()?;
        let mut loads: BTreeMap<ColumnPos, u64> =
            self.columns().into_iter().map(|column| (column, AT_REST)).collect();
        for (chunk, cells) in self.world().awake_chunks() {
            *loads.entry(ColumnPos::new(chunk.x, chunk.z)).or_default() += cells as u64;
        }
        let mut bytes = Vec::new();
        for (column, load) in loads {
            wire::put(&mut bytes, column.chunk(0), &load.to_le_bytes());
        }
        let mut all = BTreeMap::new();
        for bytes in self.ranks_mut().gather(bytes) {
            for (chunk, load) in wire::take_all(&bytes)? {
                let load = wire::Reader(&load).u64()?;
                all.insert(ColumnPos::new(chunk.x, chunk.z), load);
            }
        }
        Ok(all)
    }

    /// Lets columns move if the rank with the most to do then has a tenth less of it.
    pub fn balance(&mut self) -> Result<(), Fault> {
        let loads = self.loads()?;
        let parts = self.plan().parts();
        let plan = Plan::balanced(loads.iter().map(|(&column, &load)| (column, load)), parts)?;
        if 10 * most(&plan, &loads) > 9 * most(self.plan(), &loads) {
            return Ok(());
        }
        self.move_columns(plan)
    }

    /// Gives the columns to the owners of another plan. Columns that it does not have are unloaded.
    pub fn move_columns(&mut self, plan: Plan) -> Result<(), Fault> {
        let me = self.me();
        let mut messages = vec![Vec::new(); plan.parts()];
        for column in self.columns() {
            let owner = plan.owner(column).unwrap_or(me);
            if owner != me {
                self.put_column(column, &mut messages[owner]);
            }
        }
        let came = self.ranks_mut().exchange_all(messages);
        self.world_mut().divide(&plan, me)?;
        let is_new = |(column, owner): &(ColumnPos, usize)| {
            *owner == me && self.plan().owner(*column).is_some_and(|before| before != me)
        };
        let moved = plan.columns().filter(is_new).count() as u64;
        self.set_plan(plan, moved);
        for message in came {
            for (chunk, record) in wire::take_all(&message)? {
                self.world_mut().restore(chunk, &record)?;
            }
        }
        self.renew_ghosts()
    }
}

/// Returns the load of the rank with the most to do.
pub fn most(plan: &Plan, loads: &BTreeMap<ColumnPos, u64>) -> u64 {
    let mut sums = vec![0; plan.parts()];
    for (column, owner) in plan.columns() {
        sums[owner] += loads.get(&column).copied().unwrap_or(0);
    }
    sums.into_iter().max().unwrap_or(0)
}
