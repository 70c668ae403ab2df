//! Parts of worlds of humidity, by the synchronous and the conservative sweep.

use super::{InParts, News, PartError, Plan, Round, fields, refused};
use crate::coords::ChunkPos;
use crate::humidity::{HumidityShape, HumidityWorld, Ledger, Sweep};

impl<S: HumidityShape> InParts for HumidityWorld<S> {
    const ROUNDS: usize = 1;

    /// A step reads one cell beyond a face; after the last one, the cells at the face have to tell
    /// what wakes.
    fn steps_beside(columns: u32) -> u64 {
        (u64::from(columns) << S::BITS[0]).saturating_sub(1)
    }

    fn step_inside(&mut self) -> bool {
        HumidityWorld::step_inside(self)
    }

    fn advance(&mut self, _round: usize) -> Round {
        let mut news = Vec::new();
        let report = self.step_telling(&mut |chunk, bytes| news.push(News { chunk, bytes }));
        Round { report, news }
    }

    fn hear(&mut self, news: &News) -> Result<(), PartError> {
        refused(news, HumidityWorld::hear(self, news.chunk, &news.bytes))
    }

    fn drop_chunk(&mut self, chunk: ChunkPos) {
        HumidityWorld::drop_chunk(self, chunk);
    }

    fn ghosts(&self) -> Vec<ChunkPos> {
        self.grid().ghost_positions()
    }

    fn awake_chunks(&self) -> Vec<(ChunkPos, usize)> {
        self.grid().awake_chunks().map(|(chunk, cells)| (chunk, cells.len())).collect()
    }

    fn account(&self) -> Vec<i128> {
        let account = |ledger: Ledger| {
            // Sums of units never reach 127 bits.
            let [placed, removed, runoff, drained] =
                [ledger.placed, ledger.removed, ledger.runoff, ledger.drained]
                    .map(|units| units as i128);
            vec![placed, ledger.rained, removed, runoff, drained]
        };
        self.ledger().map(account).unwrap_or_default()
    }

    fn resume(&mut self, ticks: u64, account: &[i128]) -> Result<(), PartError> {
        let ledger = match self.rules().sweep {
            Sweep::Conservative => {
                let [placed, rained, removed, runoff, drained] = fields(account)?;
                let wrong = || PartError::Account { fields: 5, wanted: 5 };
                let sum = |units: i128| u128::try_from(units).map_err(|_| wrong());
                let (placed, removed) = (sum(placed)?, sum(removed)?);
                let (runoff, drained) = (sum(runoff)?, sum(drained)?);
                Ledger { placed, rained, removed, runoff, drained }
            }
            Sweep::InPlace | Sweep::Synchronous => {
                let [] = fields(account)?;
                Ledger::default()
            }
        };
        HumidityWorld::resume(self, ticks, ledger);
        Ok(())
    }

    fn check_plan(&self, plan: &Plan, part: usize) -> Result<(), PartError> {
        if !self.is_synchronous() {
            return Err(PartError::InPlace);
        }
        plan.check::<S>(self.bounds(), part)
    }

    fn own(&mut self, plan: &Plan, part: usize) {
        HumidityWorld::own(self, plan.owned_by(part));
    }

    fn forget_derived_of(&mut self, chunk: ChunkPos) {
        HumidityWorld::forget_derived_of(self, chunk);
    }
}
