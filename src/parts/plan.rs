//! Which part owns which column of chunks. All parts have the same plan, and derive the next plan
//! by the same decision.

use super::PartError;
use crate::coords::{ChunkPos, ColumnPos, Region, Shape};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which part owns each column of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    owners: BTreeMap<ColumnPos, usize>,
    parts: usize,
    /// For each planned column, the owners of the column and of the columns around it, in order.
    /// They are needed for each message, and without this map each message would look up nine
    /// columns.
    receivers: HashMap<ColumnPos, Box<[usize]>>,
}

impl Plan {
    /// Returns a plan in which each part has the same number of columns, or one more, in order of
    /// position: stripes across x.
    ///
    /// # Errors
    /// There is no part, there are more parts than columns, or a column is named twice.
    pub fn stripes(
        columns: impl IntoIterator<Item = ColumnPos>,
        parts: usize,
    ) -> Result<Plan, PartError> {
        Plan::balanced(columns.into_iter().map(|column| (column, 1)), parts)
    }

    /// Returns a plan of stripes with equal loads, as far as columns allow. Each column goes to the
    /// part in whose share of the sum the column's middle lies, and each part has at least one
    /// column. The plan depends on nothing else, so all parts find the same plan.
    ///
    /// # Errors
    /// There is no part, there are more parts than columns, or a column is named twice.
    ///
    /// ```
    /// use floodplain::ColumnPos;
    /// use floodplain::parts::Plan;
    /// let loads = [9, 1, 1, 1].into_iter().enumerate();
    /// let plan = Plan::balanced(loads.map(|(x, load)| (ColumnPos::new(x as i32, 0), load)), 2)?;
    /// let owners = [0, 1, 2, 3].map(|x| plan.owner(ColumnPos::new(x, 0)));
    /// assert_eq!(owners, [Some(0), Some(1), Some(1), Some(1)]);
    /// # Ok::<(), floodplain::parts::PartError>(())
    /// ```
    pub fn balanced(
        loads: impl IntoIterator<Item = (ColumnPos, u64)>,
        parts: usize,
    ) -> Result<Plan, PartError> {
        let mut by_column = BTreeMap::new();
        for (column, load) in loads {
            if by_column.insert(column, load).is_some() {
                return Err(PartError::Twice(column));
            }
        }
        let columns = by_column.len();
        if parts == 0 {
            return Err(PartError::NoParts);
        }
        if columns < parts {
            return Err(PartError::NoColumns { part: columns, columns });
        }
        let total = by_column.values().map(|&load| u128::from(load)).sum::<u128>().max(1);
        let (mut before, mut last) = (0u128, 0);
        let mut owners = BTreeMap::new();
        for (number, (column, load)) in by_column.into_iter().enumerate() {
            let middle = 2 * before + u128::from(load);
            let share = (middle * parts as u128 / (2 * total)) as usize;
            // Each part up to here has a column, and enough columns are left for the parts after
            // it.
            let least = (number + parts).saturating_sub(columns).max(last);
            let owner = share.clamp(least, if number == 0 { 0 } else { last + 1 }).min(parts - 1);
            owners.insert(column, owner);
            last = owner;
            before += u128::from(load);
        }
        Ok(Plan::new(owners, parts))
    }

    fn new(owners: BTreeMap<ColumnPos, usize>, parts: usize) -> Plan {
        let columns = owners.keys().copied();
        let receivers = columns.map(|column| (column, owners_around(&owners, column))).collect();
        Plan { owners, parts, receivers }
    }

    /// Returns a plan from the owner of each column.
    ///
    /// # Errors
    /// A column is named twice, or an owner is not below the number of parts.
    pub fn of_owners(
        owners: impl IntoIterator<Item = (ColumnPos, usize)>,
        parts: usize,
    ) -> Result<Plan, PartError> {
        let mut by_column = BTreeMap::new();
        for (column, part) in owners {
            if part >= parts {
                return Err(PartError::Part { part, parts });
            }
            if by_column.insert(column, part).is_some() {
                return Err(PartError::Twice(column));
            }
        }
        Ok(Plan::new(by_column, parts))
    }

    /// Returns the plan with more columns, each with its owner: columns that are to be
    /// [loaded](super::InParts::load_column).
    ///
    /// # Errors
    /// A column is planned already, or an owner is not below the number of parts.
    pub fn with_columns(
        &self,
        more: impl IntoIterator<Item = (ColumnPos, usize)>,
    ) -> Result<Plan, PartError> {
        let mut owners = self.owners.clone();
        for (column, part) in more {
            if part >= self.parts {
                return Err(PartError::Part { part, parts: self.parts });
            }
            if owners.insert(column, part).is_some() {
                return Err(PartError::Loaded(column));
            }
        }
        Ok(Plan::new(owners, self.parts))
    }

    /// Returns the plan without some columns: columns that have been
    /// [unloaded](super::InParts::unload_column).
    ///
    /// # Errors
    /// A column is not planned, or a part would have no column.
    pub fn without_columns(
        &self,
        less: impl IntoIterator<Item = ColumnPos>,
    ) -> Result<Plan, PartError> {
        let mut owners = self.owners.clone();
        for column in less {
            owners.remove(&column).ok_or(PartError::NotLoaded(column))?;
        }
        let plan = Plan::new(owners, self.parts);
        (0..plan.parts).try_for_each(|part| plan.check_part(part))?;
        Ok(plan)
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the part that owns a column; `None` if it is not planned.
    pub fn owner(&self, column: ColumnPos) -> Option<usize> {
        self.owners.get(&column).copied()
    }

    /// Returns the columns with their owners, in order.
    pub fn columns(&self) -> impl Iterator<Item = (ColumnPos, usize)> {
        self.owners.iter().map(|(&column, &owner)| (column, owner))
    }

    /// Returns whether a part owns one of the eight columns around a planned column, but not the
    /// column itself.
    pub fn is_beside(&self, column: ColumnPos, part: usize) -> bool {
        self.owner(column) != Some(part) && self.receivers_of(column).any(|other| other == part)
    }

    /// Returns the parts that must receive a message about a chunk, without its sender: the owners
    /// of the chunk's column and of the columns around it, in order; none if the column is not
    /// planned.
    pub fn receivers(&self, chunk: ChunkPos, sender: usize) -> impl Iterator<Item = usize> {
        self.receivers_of(chunk.column()).filter(move |&part| part != sender)
    }

    /// Returns the owners of a planned column and of the columns around it, in order.
    fn receivers_of(&self, column: ColumnPos) -> impl Iterator<Item = usize> {
        self.receivers.get(&column).into_iter().flatten().copied()
    }

    /// Returns the number of columns from one side of the plan to the other, along the longer of
    /// its axes.
    pub(super) fn longest_side(&self) -> u32 {
        let sides = |along: fn(&ColumnPos) -> i32| {
            let (low, high) =
                (self.owners.keys().map(along).min(), self.owners.keys().map(along).max());
            low.zip(high).map_or(0, |(low, high)| low.abs_diff(high).saturating_add(1))
        };
        sides(|column| column.x).max(sides(|column| column.z))
    }

    /// Returns the columns of a part.
    pub(super) fn owned_by(&self, part: usize) -> Arc<HashSet<ColumnPos>> {
        Arc::new(self.columns().filter(|&(_, owner)| owner == part).map(|at| at.0).collect())
    }

    /// Checks that the plan has a part with this number, and that the part has columns.
    pub(super) fn check_part(&self, part: usize) -> Result<(), PartError> {
        if part >= self.parts {
            return Err(PartError::Part { part, parts: self.parts });
        }
        if !self.owners.values().any(|&owner| owner == part) {
            return Err(PartError::NoColumns { part, columns: self.owners.len() });
        }
        Ok(())
    }

    /// Checks that each column of the bounds has an owner.
    pub(super) fn check_bounds<S: Shape>(&self, bounds: Region) -> Result<(), PartError> {
        let [low, high] = [bounds.min(), bounds.max()].map(S::chunk_of);
        let side = |low: i32, high: i32| (i64::from(high) - i64::from(low) + 1) as u64;
        let columns = side(low.x, high.x).saturating_mul(side(low.z, high.z));
        if columns > self.owners.len() as u64 {
            return Err(PartError::Unbounded { columns, planned: self.owners.len() });
        }
        let mut all =
            (low.x..=high.x).flat_map(|x| (low.z..=high.z).map(move |z| ColumnPos::new(x, z)));
        match all.find(|&column| self.owner(column).is_none()) {
            Some(column) => Err(PartError::Column(column)),
            None => Ok(()),
        }
    }
}

/// Returns the owners of a column and of the columns around it, in order.
fn owners_around(owners: &BTreeMap<ColumnPos, usize>, column: ColumnPos) -> Box<[usize]> {
    let mut parts: Vec<usize> =
        column.around(1).filter_map(|beside| owners.get(&beside).copied()).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::Cube;
    use crate::simulation::says;
    use glam::IVec3;

    fn receivers(plan: &Plan, chunk: ChunkPos, sender: usize) -> Vec<usize> {
        plan.receivers(chunk, sender).collect()
    }

    fn row(columns: i32) -> impl Iterator<Item = ColumnPos> {
        (0..columns).map(|x| ColumnPos::new(x, 0))
    }

    #[test]
    fn every_part_has_a_column_and_a_fair_share() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let columns = rng.usize(1..30);
            let parts = rng.usize(1..=columns);
            let loads: Vec<u64> = (0..columns).map(|_| rng.u64(..9) * rng.u64(..9)).collect();
            let of = row(columns as i32).zip(loads.iter().copied());
            let plan = Plan::balanced(of, parts).unwrap();
            let mut sums = vec![(0, 0u64); parts];
            for (at, (_, owner)) in plan.columns().enumerate() {
                sums[owner] = (sums[owner].0 + 1, sums[owner].1 + loads[at]);
            }
            let owners: Vec<usize> = plan.columns().map(|(_, owner)| owner).collect();
            assert!(owners.is_sorted(), "seed {seed}: {owners:?}");
            assert!(sums.iter().all(|&(columns, _)| columns > 0), "seed {seed}: {owners:?}");
            if loads.iter().all(|&load| load == 1) {
                let fair = columns / parts..=columns.div_ceil(parts);
                assert!(sums.iter().all(|(columns, _)| fair.contains(columns)), "seed {seed}");
            }
        }
        let even = Plan::stripes(row(10), 4).unwrap();
        let mut counts = [0; 4];
        even.columns().for_each(|(_, owner)| counts[owner] += 1);
        assert!(counts.iter().all(|count| (2..=3).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_world_that_does_not_fit_is_refused_by_name() {
        assert_eq!(Plan::stripes(row(3), 0), Err(PartError::NoParts));
        assert_eq!(Plan::stripes(row(2), 3), Err(PartError::NoColumns { part: 2, columns: 2 }));
        let twice = Plan::stripes(row(2).chain(row(1)), 1);
        assert_eq!(twice, Err(PartError::Twice(ColumnPos::new(0, 0))));
        let owner = Plan::of_owners([(ColumnPos::new(0, 0), 2)], 2);
        assert_eq!(owner, Err(PartError::Part { part: 2, parts: 2 }));
        let plan = Plan::stripes(row(3), 2).unwrap();
        let cells = |x: i32, z: i32| Region::new(IVec3::ZERO, IVec3::new(x, 9, z));
        assert_eq!(
            (plan.check_part(1), plan.check_bounds::<Cube>(cells(47, 15))),
            (Ok(()), Ok(()))
        );
        assert_eq!(plan.check_part(2), Err(PartError::Part { part: 2, parts: 2 }));
        let wide = PartError::Unbounded { columns: 4, planned: 3 };
        assert_eq!(plan.check_bounds::<Cube>(cells(63, 15)), Err(wide.clone()));
        let beside = PartError::Column(ColumnPos::new(0, 1));
        assert_eq!(plan.check_bounds::<Cube>(cells(15, 31)), Err(beside));
        let endless = plan.check_bounds::<Cube>(Region::EVERYWHERE);
        assert!(matches!(endless, Err(PartError::Unbounded { planned: 3, .. })));
        says(&wide, &["4 columns", "plan 3"]);
        says(&PartError::Periodic('z'), &["periodic", "z"]);
        says(&PartError::Stale { steps: 64, columns: 1 }, &["64", "1 columns"]);
    }

    #[test]
    fn plans_gain_and_lose_columns() {
        let plan = Plan::stripes(row(4), 2).unwrap();
        let [first, beyond] = [ColumnPos::new(0, 0), ColumnPos::new(4, 0)];
        let more = plan.with_columns([(beyond, 1)]).unwrap();
        assert_eq!((more.owner(beyond), receivers(&more, beyond.chunk(0), 0)), (Some(1), vec![1]));
        assert_eq!(more.without_columns([beyond]), Ok(plan.clone()));
        assert_eq!(plan.with_columns([(first, 1)]), Err(PartError::Loaded(first)));
        let no_part = PartError::Part { part: 2, parts: 2 };
        assert_eq!(plan.with_columns([(beyond, 2)]), Err(no_part));
        assert_eq!(plan.without_columns([beyond]), Err(PartError::NotLoaded(beyond)));
        let none = PartError::NoColumns { part: 0, columns: 2 };
        assert_eq!(plan.without_columns(row(2)), Err(none));
        says(&PartError::Loaded(beyond), &["[4, 0]", "already"]);
        says(&PartError::NotLoaded(beyond), &["[4, 0]", "not there"]);
        says(&PartError::NeverLoaded, &["explosions"]);
    }

    #[test]
    fn messages_go_to_the_owners_around_a_chunk() {
        let plan = Plan::stripes(row(6), 3).unwrap();
        assert_eq!(receivers(&plan, ChunkPos::new(2, 7, 0), 1), [0]);
        assert_eq!(receivers(&plan, ChunkPos::new(2, 7, 0), 0), [1]);
        assert_eq!(receivers(&plan, ChunkPos::new(0, 0, 0), 0), []);
        assert_eq!(receivers(&plan, ChunkPos::new(6, 0, 0), 0), [], "not planned");
        assert!(
            plan.is_beside(ColumnPos::new(2, 0), 0) && !plan.is_beside(ColumnPos::new(3, 0), 0)
        );
    }
}
