//! Parts of worlds of explosions on grids.

use super::{InParts, News, PartError, Plan, Round, fields, refused};
use crate::automata::blast::part::ROUNDS;
use crate::automata::blast::step::ahead::step_ahead;
use crate::blast::{BlastShape, BlastWorld};
use crate::coords::ChunkPos;

impl<S: BlastShape> InParts for BlastWorld<S> {
    const ROUNDS: usize = ROUNDS;

    /// Which chunks take part in a step depends on chunks two faces away.
    fn steps_beside(columns: u32) -> u64 {
        u64::from(columns) / 2
    }

    fn step_inside(&mut self) -> bool {
        step_ahead(self).is_some()
    }

    fn advance(&mut self, round: usize) -> Round {
        let mut news = Vec::new();
        let tell = &mut |chunk, bytes| news.push(News { chunk, bytes });
        let report = self.advance_telling(round, tell);
        Round { report, news }
    }

    fn hear(&mut self, news: &News) -> Result<(), PartError> {
        refused(news, BlastWorld::hear(self, news.chunk, &news.bytes))
    }

    fn drop_chunk(&mut self, chunk: ChunkPos) {
        BlastWorld::drop_chunk(self, chunk);
    }

    fn ghosts(&self) -> Vec<ChunkPos> {
        self.grid().ghost_positions()
    }

    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)> {
        self.grid().awake_chunks().map(|(chunk, cells)| (chunk, cells.len())).collect()
    }

    fn account(&self) -> Vec<i128> {
        self.account_units().to_vec()
    }

    fn resume(&mut self, ticks: u64, account: &[i128]) -> Result<(), PartError> {
        BlastWorld::resume(self, ticks, fields(account)?);
        Ok(())
    }

    fn check_plan(&self, plan: &Plan, part: usize) -> Result<(), PartError> {
        match self.periodic_axis() {
            Some(axis) => Err(PartError::Periodic(axis)),
            None => plan.check::<S>(self.bounds(), part),
        }
    }

    fn own(&mut self, plan: &Plan, part: usize) {
        BlastWorld::own(self, plan.owned_by(part));
    }

    fn forget_derived_of(&mut self, chunk: ChunkPos) {
        BlastWorld::forget_derived_of(self, chunk);
    }
}
