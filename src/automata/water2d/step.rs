//! One step: runs the world's rule in the awake chunks, then updates which chunks are awake. Under
//! the settling rule: sink and rise, spread, level the bodies.

use super::Water2dWorld;
use super::changes::Changes;
use super::level::bodies::Bodies;
use super::level::level;
use super::lines::{self, Cells};
use super::literal::Literal;
use super::rules::Rule;
use super::settling::Settling;
use super::wake;
use crate::automata::engine::front;
use crate::chunk::CellMask;
use crate::coords::{CHUNK_CELLS, ChunkPos};
use crate::grid::Slot;
use crate::simulation::StepReport;

/// A rule's kernel with the memory that it reuses from step to step; not part of the state.
#[expect(clippy::large_enum_variant, reason = "there is one for each world")]
pub(super) enum Kernel {
    Literal(Literal),
    Settling { settling: Settling, bodies: Bodies },
}

impl Kernel {
    pub(super) fn new(rule: Rule) -> Kernel {
        match rule {
            Rule::Literal => Kernel::Literal(Literal::new()),
            Rule::Settling => {
                Kernel::Settling { settling: Settling::new(), bodies: Bodies::default() }
            }
        }
    }

    /// Drops the chunks that were stepped ahead of the step, because their surroundings change.
    pub(super) fn drop_ahead(&mut self) {
        if let Kernel::Literal(literal) = self {
            literal.drop_ahead();
        }
    }

    /// Returns the number of bytes on the heap.
    pub(super) fn memory_bytes(&self) -> usize {
        match self {
            Kernel::Literal(literal) => literal.memory_bytes(),
            Kernel::Settling { settling, bodies } => {
                settling.memory_bytes() + bodies.memory_bytes()
            }
        }
    }
}

impl Water2dWorld {
    /// Runs one step.
    ///
    /// In the report, `visited` counts the cells of awake chunks, `changed` the cells changed by
    /// any phase of the step, and `moved` the units that left their cells, to neighbours and
    /// through bodies.
    pub fn step(&mut self) -> StepReport {
        self.step_noting(|_, _, _| ())
    }

    /// Runs one step, and calls `note` for each chunk that it changed, with the changed cells.
    pub(super) fn step_noting(
        &mut self,
        mut note: impl FnMut(&Cells, Slot, &CellMask),
    ) -> StepReport {
        crate::spans::span!("2D water");
        let slots = self.cells.awake_slots().to_vec();
        self.wake_timers.begin(&slots);
        let near_water: Vec<Slot> =
            slots.iter().copied().filter(|&slot| self.is_near_water(slot)).collect();
        let (changes, moved) = match self.rules.rule {
            Rule::Literal => self.step_literal(&near_water),
            Rule::Settling => self.step_settling(&near_water),
        };
        self.tick = self.tick.wrapping_add(1);
        let mut report =
            StepReport { visited: (slots.len() * CHUNK_CELLS) as u64, changed: 0, moved };
        for (slot, mask) in changes.sorted() {
            report.changed += mask.len() as u64;
            self.cells.mark_changes_at(slot, mask);
            self.wake_timers.touch(&mut self.cells, slot, mask);
            note(&self.cells, slot, mask);
        }
        self.wake_timers.end(&mut self.cells, &slots);
        report
    }

    /// Returns whether a step can change a chunk; `false` if the chunk and the eight chunks around
    /// it have no water. Corners count, since water can move up or down and then sideways in the
    /// same step.
    pub(super) fn is_near_water(&self, slot: Slot) -> bool {
        let is_wet = |chunk: ChunkPos| {
            self.cells.slot(chunk).is_some_and(|slot| !lines::is_dry(&self.cells, slot))
        };
        let chunk = self.cells.position_at(slot);
        is_wet(chunk) || wake::chunks_around(chunk, &CellMask::FULL).any(is_wet)
    }

    /// Runs `steps` steps. The result has the same bytes as that many calls of
    /// [`step`](Water2dWorld::step).
    pub fn run(&mut self, steps: u64) -> StepReport {
        // The preferred side still alternates with the tick counter of a world at rest, even when
        // the counter wraps, as 2⁶⁴ is even.
        let (report, left) = front::run_until_rest(self, steps, Self::is_at_rest, Self::step);
        self.tick = self.tick.wrapping_add(left);
        report
    }

    /// Returns whether the next step of the literal rule prefers the left, towards smaller x, to
    /// the right. The sides alternate, and the seed decides which side is first.
    pub fn prefers_left(&self) -> bool {
        fastrand::Rng::with_seed(self.seed).bool() == self.tick.is_multiple_of(2)
    }

    fn step_literal(&mut self, slots: &[Slot]) -> (Changes, u64) {
        let (mut changes, mut moved) = (Changes::default(), 0);
        let left_first = self.prefers_left();
        if let Kernel::Literal(literal) = &mut self.kernel {
            literal.step(&mut self.cells, slots, left_first, |slot, mask, units| {
                changes.add_all(slot, &mask);
                moved += units;
            });
        }
        (changes, moved)
    }

    fn step_settling(&mut self, slots: &[Slot]) -> (Changes, u64) {
        let (mut changes, mut moved) = (Changes::default(), 0);
        let Kernel::Settling { settling, bodies } = &mut self.kernel else {
            return (changes, moved);
        };
        let mut record = |slot, mask, units| {
            changes.add_all(slot, &mask);
            moved += units;
        };
        settling.sink(&mut self.cells, slots, &mut record);
        settling.spread(&mut self.cells, slots, &mut record);
        // A body is levelled in the step in which something near it changes, even if its chunks
        // were asleep.
        for (slot, mask) in changes.sorted() {
            self.wake_timers.touch(&mut self.cells, slot, mask);
        }
        let seeds = self.cells.awake_slots().to_vec();
        for body in bodies.find(&self.cells, &seeds) {
            moved += level(&mut self.cells, body, self.rules.pressure_flow, &mut changes);
        }
        (changes, moved)
    }
}
