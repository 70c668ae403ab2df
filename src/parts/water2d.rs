//! Parts of slices of water, by the literal rule.

use super::{InParts, News, PartError, Plan, Round, fields, refused};
use crate::coords::{ChunkPos, Sheet};
use crate::water2d::{Ledger, Water2dWorld};

impl InParts for Water2dWorld {
    const ROUNDS: usize = 1;

    /// A step reads two cells beyond a face; after the last one, these have to tell what wakes.
    fn steps_beside(columns: u32) -> u64 {
        (u64::from(columns) * 32).saturating_sub(1)
    }

    fn step_inside(&mut self) -> bool {
        Water2dWorld::step_inside(self)
    }

    fn advance(&mut self, _round: usize) -> Round {
        let mut news = Vec::new();
        let report = self.step_telling(&mut |chunk, bytes| news.push(News { chunk, bytes }));
        Round { report, news }
    }

    fn hear(&mut self, news: &News) -> Result<(), PartError> {
        refused(news, Water2dWorld::hear(self, news.chunk, &news.bytes))
    }

    fn drop_chunk(&mut self, chunk: ChunkPos) {
        Water2dWorld::drop_chunk(self, chunk);
    }

    fn ghosts(&self) -> Vec<ChunkPos> {
        self.grid().ghost_positions()
    }

    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)> {
        self.grid().awake_chunks().map(|(chunk, cells)| (chunk, cells.len())).collect()
    }

    fn account(&self) -> Vec<i128> {
        let Ledger { placed, removed } = self.ledger();
        vec![placed.into(), removed.into()]
    }

    fn resume(&mut self, ticks: u64, account: &[i128]) -> Result<(), PartError> {
        let [placed, removed] = fields(account)?;
        let wrong = |_| PartError::Account { fields: 2, wanted: 2 };
        let placed = placed.try_into().map_err(wrong)?;
        Water2dWorld::resume(
            self,
            ticks,
            Ledger { placed, removed: removed.try_into().map_err(wrong)? },
        );
        Ok(())
    }

    fn check_plan(&self, plan: &Plan, part: usize) -> Result<(), PartError> {
        if !self.is_literal() {
            return Err(PartError::Settling);
        }
        plan.check::<Sheet>(self.bounds(), part)
    }

    fn own(&mut self, plan: &Plan, part: usize) {
        Water2dWorld::own(self, plan.owned_by(part));
    }

    /// Nothing is derived from cells.
    fn forget_derived_of(&mut self, _chunk: ChunkPos) {}
}
