//! A window of columns that moves over the world: at set ticks, which all ranks know, it goes one
//! column along x, half its size to the east and back again. Columns that it leaves go to records,
//! kept by the rank that owned them; those that it enters come from these, or are generated when it
//! comes there for the first time.

use crate::faults::Fault;
use crate::rank::Rank;
use crate::scenes::Scene;
use crate::wire;
use floodplain::parts::{InParts, PartError, Plan};
use floodplain::snapshot::Saved;
use floodplain::{ChunkPos, ColumnPos};
use std::collections::BTreeMap;
use std::ops::Range;

/// The records of a column's chunks.
pub type Records = Vec<(ChunkPos, Vec<u8>)>;

/// When the window moves, and how far.
#[derive(Clone, Copy)]
pub struct Roam {
    /// The ticks between two moves.
    pub every: u64,
    /// The columns along x.
    size: i32,
}

impl Roam {
    pub fn new(every: u64, size: i32) -> Roam {
        Roam { every, size }
    }

    /// Returns how far the window goes to the east, in columns.
    pub fn travel(size: i32) -> i32 {
        (size / 2).max(1)
    }

    /// Returns where the window begins along x after a tick.
    pub fn begin_at(self, tick: u64) -> i32 {
        let travel = Roam::travel(self.size) as u64;
        let phase = (tick / self.every) % (2 * travel);
        phase.min(2 * travel - phase) as i32
    }

    /// Returns whether the columns that the window enters in a tick have not been in it before.
    fn is_first_visit(self, tick: u64) -> bool {
        tick / self.every <= Roam::travel(self.size) as u64
    }

    /// Returns where the window is along x after a tick.
    fn window(self, tick: u64) -> Range<i32> {
        let west = self.begin_at(tick);
        west..west + self.size
    }
}

impl<W: InParts> Rank<W> {
    /// Moves the window as it is due after this tick.
    pub fn roam<C: Scene<World = W>>(&mut self, scene: &C, roam: Roam) -> Result<(), Fault> {
        self.settle()?;
        let tick = self.ticks();
        let [before, after] = [roam.window(tick - 1), roam.window(tick)];
        let columns = |here: &Range<i32>, not_there: &Range<i32>| -> Vec<ColumnPos> {
            let all = scene.columns(here.start).into_iter();
            all.filter(|column| !not_there.contains(&column.x)).collect()
        };
        let (leaving, entering) = (columns(&before, &after), columns(&after, &before));
        for &column in &leaving {
            let records = self.world_mut().unload_column(column)?;
            if !records.is_empty() {
                self.archive_mut().insert(column, records);
                self.note_unloaded();
            }
        }
        let plan = self.plan_around(&leaving, &entering, scene.columns(after.start))?;
        self.move_columns(plan)?;
        let records = match roam.is_first_visit(tick) {
            true => generated(scene, &entering)?,
            false => self.fetch_archived(&entering)?,
        };
        for column in entering {
            let records = records.get(&column).map_or(&[][..], |records| records);
            self.world_mut().load_column(column, records)?;
            if self.plan().owner(column) == Some(self.me()) {
                self.note_loaded();
            }
        }
        Ok(())
    }

    /// Returns the plan of the columns that stay and enter, each of these with the owner of the
    /// column beside it; stripes if a rank would have none.
    fn plan_around(
        &self,
        leaving: &[ColumnPos],
        entering: &[ColumnPos],
        window: Vec<ColumnPos>,
    ) -> Result<Plan, Fault> {
        let owner = |column: ColumnPos| {
            let beside = [-1, 1].map(|x| ColumnPos::new(column.x + x, column.z));
            beside.into_iter().find_map(|column| self.plan().owner(column)).unwrap_or(0)
        };
        let gained = self.plan().with_columns(entering.iter().map(|&at| (at, owner(at))))?;
        match gained.without_columns(leaving.iter().copied()) {
            Err(PartError::NoColumns { .. }) => Ok(Plan::stripes(window, gained.parts())?),
            plan => Ok(plan?),
        }
    }

    /// Returns the records of columns that ranks keep, for those that this rank owns or is beside.
    fn fetch_archived(
        &mut self,
        columns: &[ColumnPos],
    ) -> Result<BTreeMap<ColumnPos, Records>, Fault> {
        let mut messages = vec![Vec::new(); self.plan().parts()];
        for column in columns {
            let Some(records) = self.archive_mut().remove(column) else { continue };
            let others = self.plan().receivers(column.chunk(0), self.me());
            for rank in others.chain([self.me()]) {
                for (chunk, record) in &records {
                    wire::put(&mut messages[rank], *chunk, record);
                }
            }
        }
        let mut by_column = BTreeMap::<ColumnPos, Records>::new();
        for message in self.ranks_mut().exchange_all(messages) {
            for (chunk, record) in wire::take_all(&message)? {
                by_column.entry(chunk.column()).or_default().push((chunk, record));
            }
        }
        Ok(by_column)
    }
}

/// Returns the records of columns as they are generated, which all ranks do alike.
fn generated<C: Scene>(
    scene: &C,
    columns: &[ColumnPos],
) -> Result<BTreeMap<ColumnPos, Records>, Fault> {
    let mut by_column = BTreeMap::<ColumnPos, Records>::new();
    for &column in columns {
        let mut world = scene.empty()?;
        scene.fill(&mut world, column)?;
        for chunk in Saved::chunk_positions(&world) {
            if let Some(record) = world.record(chunk) {
                by_column.entry(column).or_default().push((chunk, record));
            }
        }
    }
    Ok(by_column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_goes_half_its_size_and_back() {
        let roam = Roam::new(10, 5);
        let begins: Vec<i32> = (0..6).map(|move_| roam.begin_at(10 * move_)).collect();
        assert_eq!(begins, [0, 1, 2, 1, 0, 1]);
        assert_eq!((roam.begin_at(19), roam.window(20)), (1, 2..7));
        assert!(roam.is_first_visit(20) && !roam.is_first_visit(30));
    }
}
