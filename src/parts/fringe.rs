//! Several steps without messages from other parts, beside a copy of the columns around the part
//! (deep halos, also known as ghost cell expansion). The copy is stepped too, and what is wrong at
//! its far side takes a known number of steps to reach the part.

use super::editing::{self, Edited};
use super::{InParts, Message, PartEditError, PartError, Plan, check_plan};
use crate::coords::{ChunkPos, ColumnPos};
use crate::simulation::StepReport;
use std::collections::BTreeSet;

/// A part with a copy of the columns beside it, with which it runs several steps between two
/// messages. The copy is stepped and edited by the same rules, and is in no account or report.
pub struct Fringed<W> {
    own: W,
    /// The copy: the columns beside the part, and the part's columns around them as ghosts.
    beside: W,
    /// A plan in which the part has the number 0, and the columns beside it have the number 1.
    pair: Plan,
    /// The depth of the copy, in columns.
    columns: u32,
    /// The steps run since the copy was renewed; `None` before the first renewal.
    steps: Option<u64>,
}

impl<W: InParts> Fringed<W> {
    /// Returns the part with number `part` and its copy, which is `columns` columns deep. `own` is
    /// a world that was [divided](InParts::divide) by the plan into this part, `beside` an empty
    /// world with the same rules and bounds. Call [`renew`](Fringed::renew) before the first step.
    ///
    /// # Errors
    /// The world does not fit the plan.
    pub fn new(
        own: W,
        mut beside: W,
        plan: &Plan,
        part: usize,
        columns: u32,
    ) -> Result<Self, PartError> {
        check_plan(&own, plan, part)?;
        let owned: Vec<ColumnPos> =
            plan.columns().filter(|&(_, owner)| owner == part).map(|(column, _)| column).collect();
        // No column of the plan is further away than its longest side.
        let depth = columns.min(plan.longest_side());
        let depth = i32::try_from(depth).unwrap_or(i32::MAX);
        let mut pair = Vec::new();
        let mut copied = BTreeSet::new();
        for column in owned {
            pair.push((column, 0));
            let beside = column.around(depth);
            copied.extend(beside.filter(|&at| plan.owner(at).is_some_and(|owner| owner != part)));
        }
        pair.extend(copied.into_iter().map(|column| (column, 1)));
        let pair = Plan::of_owners(pair, 2)?;
        beside.set_columns(pair.owned_by(1));
        Ok(Fringed { own, beside, pair, columns, steps: None })
    }

    /// Returns the columns beside the part, whose records [`renew`](Fringed::renew) needs.
    pub fn columns_beside(&self) -> Vec<ColumnPos> {
        self.pair.columns().filter(|&(_, owner)| owner == 1).map(|(column, _)| column).collect()
    }

    /// Takes the [records](InParts::record) of all chunks of the columns beside the part, as they
    /// are now.
    ///
    /// # Errors
    /// A record does not fit. Then the copy has to be renewed again.
    pub fn renew(
        &mut self,
        records: impl IntoIterator<Item = (ChunkPos, Vec<u8>)>,
    ) -> Result<(), PartError> {
        self.steps = None;
        self.own.ghosts().into_iter().for_each(|ghost| self.own.drop_chunk(ghost));
        let known = self.beside.chunk_positions().into_iter().chain(self.beside.ghosts());
        known.collect::<Vec<_>>().into_iter().for_each(|chunk| self.beside.drop_chunk(chunk));
        let no_account = vec![0; self.own.account().len()];
        self.beside.resume(self.own.ticks(), &no_account)?;
        for chunk in self.own.chunk_positions() {
            if self.pair.is_beside(chunk.column(), 1)
                && let Some(record) = self.own.record(chunk)
            {
                self.beside.restore(chunk, &record)?;
            }
        }
        for (chunk, record) in records {
            self.beside.restore(chunk, &record)?;
            if self.pair.is_beside(chunk.column(), 0) {
                self.own.restore(chunk, &record)?;
            }
        }
        self.steps = Some(0);
        Ok(())
    }

    /// Returns the number of steps that may follow before the copy has to be renewed.
    pub fn steps_left(&self) -> u64 {
        self.steps.map_or(0, |steps| W::steps_beside(self.columns).saturating_sub(steps))
    }

    /// Steps some of the chunks of the part that have no ghost beside them ahead of the next step,
    /// as [`InParts::step_inside`] does, while the records for [`renew`](Fringed::renew) are under
    /// way. Returns whether there were any such chunks.
    pub fn step_inside(&mut self) -> bool {
        self.own.step_inside()
    }

    /// Runs a step of the part and the copy. Returns the report of the part.
    ///
    /// # Errors
    /// No step is [left](Fringed::steps_left). Then nothing is changed.
    pub fn step(&mut self) -> Result<StepReport, PartError> {
        let steps = self.steps.unwrap_or(u64::MAX);
        if steps >= W::steps_beside(self.columns) {
            return Err(PartError::Stale { steps, columns: self.columns });
        }
        let mut report = StepReport::default();
        for round in 0..W::ROUNDS {
            let (own, beside) = (self.own.advance(round), self.beside.advance(round));
            self.pass(&own.messages, &beside.messages)?;
            report += own.report;
        }
        self.steps = Some(steps + 1);
        Ok(report)
    }

    /// Delivers the messages that the part and the copy send each other.
    fn pass(&mut self, own: &[Message], beside: &[Message]) -> Result<(), PartError> {
        let pair = &self.pair;
        let has_receiver = |message: &&Message, sender: usize| {
            pair.receivers(message.chunk, sender).next().is_some()
        };
        for message in own.iter().filter(|message| has_receiver(message, 0)) {
            self.beside.receive(message)?;
        }
        for message in beside.iter().filter(|message| has_receiver(message, 1)) {
            self.own.receive(message)?;
        }
        Ok(())
    }

    /// Checks an edit between two steps, as [`InParts::check_edit`] does.
    ///
    /// # Errors
    /// The edit is refused as by that function, or too few steps are left for which the copy is
    /// exact. An edit of explosions takes one of the [steps left](Fringed::steps_left), and so
    /// does, in a slice of water, a cell that becomes solid. All parts have the same number of
    /// steps left, and renew their copies in this case.
    pub fn check_edit(
        &self,
        plan: &Plan,
        edit: &W::Edit,
    ) -> Result<(), PartEditError<W::EditError>> {
        editing::check(&self.own, plan, edit)?;
        let steps = self.steps.unwrap_or(u64::MAX);
        if steps.saturating_add(W::steps_for_edit(edit)) > W::steps_beside(self.columns) {
            let stale = PartError::Stale { steps, columns: self.columns };
            return Err(PartEditError::Part(stale));
        }
        Ok(())
    }

    /// Makes an edit that no part refuses, in the part and in the copy, without messages. All parts
    /// make it between the same two steps. Returns the outcome as [`InParts::edit`] does.
    ///
    /// # Errors
    /// The edit is refused as by [`check_edit`](Fringed::check_edit). Then nothing is changed.
    pub fn edit(
        &mut self,
        plan: &Plan,
        edit: &W::Edit,
    ) -> Result<Option<W::Outcome>, PartEditError<W::EditError>> {
        self.check_edit(plan, edit)?;
        let Edited { outcome, messages } = editing::make(&mut self.own, edit);
        let beside = editing::make(&mut self.beside, edit);
        self.pass(&messages, &beside.messages).map_err(PartEditError::Part)?;
        self.steps = self.steps.map(|steps| steps + W::steps_for_edit(edit));
        Ok(outcome)
    }

    /// Returns the part.
    pub fn part(&self) -> &W {
        &self.own
    }

    /// Returns the part, without the copy.
    pub fn into_part(self) -> W {
        self.own
    }
}
