//! Snapshots of two-dimensional water.

use super::marks::{put_awake, put_marks, take_whole_marks};
use super::world::{Saved, restless};
use crate::codec::{DecodeError, Field, Kind, Reader};
use crate::coords::ChunkPos;
use crate::water2d::{Ledger, Rule, Rules, Water2dWorld};

/// Kind 7.
///
/// | | content |
/// |---|---|
/// | rules | rule `u8` (0 literal, 1 settling), `pressure_flow` `u32` |
/// | state | bounds (region), seed `u64`, ticks `u64`, ledger: placed `u64`, removed `u64`, at most as much as was placed |
/// | record | a plane of `i32`: −1 for ground, or the level; marks, with all cells awake or none; if the chunk is awake, a `u8`: the number of steps, 1 or 2, for which it stays awake if nothing near it changes |
impl Saved for Water2dWorld {
    const KIND: Kind = Kind::Water2d;

    fn put_rules(&self, out: &mut Vec<u8>) {
        let Rules { rule, pressure_flow } = *self.rules();
        (rule == Rule::Settling).put(out);
        pressure_flow.put(out);
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        self.bounds().put(out);
        let Ledger { placed, removed } = self.ledger();
        [self.seed(), self.ticks(), placed, removed].iter().for_each(|number| number.put(out));
    }

    fn chunk_positions(&self) -> Vec<ChunkPos> {
        self.chunks().map(|(position, _)| position).collect()
    }

    fn put_chunk(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(slot) = self.grid().slot(position) else { return };
        self.grid().chunk_at(slot).put(out);
        put_marks(self.grid(), slot, out);
        self.steps_awake(slot).iter().for_each(|steps| steps.put(out));
    }

    fn put_future(&self, position: ChunkPos, out: &mut Vec<u8>) {
        let Some(slot) = self.grid().slot(position) else { return };
        self.grid().chunk_at(slot).put(out);
        put_awake(self.grid(), slot, out);
        self.steps_awake(slot).iter().for_each(|steps| steps.put(out));
    }

    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rule = if rules.take()? { Rule::Settling } else { Rule::Literal };
        let rules = Rules { rule, pressure_flow: rules.take()? };
        let (bounds, seed, tick) = (state.take()?, state.take()?, state.take()?);
        let wrong = state.malformed("a ledger: no more removed than was placed");
        let ledger = Ledger { placed: state.take()?, removed: state.take()? };
        if ledger.removed > ledger.placed {
            return Err(wrong);
        }
        Water2dWorld::restored(seed, rules, bounds, tick, ledger).map_err(|law| state.unlawful(law))
    }

    fn take_chunk(
        &mut self,
        position: ChunkPos,
        record: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        let misplaced = record.malformed("a chunk that fits the world's bounds");
        let slot = self.restore_chunk(position, record.take()?).ok_or(misplaced)?;
        take_whole_marks(self.grid_mut(), slot, record)?;
        if self.grid().awake_at(slot).is_some() {
            let wrong = record.malformed("1 or 2 steps");
            if !self.restore_steps_awake(slot, record.take()?) {
                return Err(wrong);
            }
        }
        Ok(())
    }

    fn broken_law(&self) -> Option<String> {
        let broken = self.validate().err().map(|law| law.to_string());
        let step = |world: &mut Self| {
            world.step();
            world.state_hash()
        };
        broken.or_else(|| restless(self, Water2dWorld::wake_all, step))
    }
}
