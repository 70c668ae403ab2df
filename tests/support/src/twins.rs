//! Two worlds of any automaton that get the same edits and must stay equal, though the second is
//! woken before each step and never saved and loaded. Shared by the oracles of all automata but
//! water, whose own is in `edits.rs`.

use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::{Automaton, Region, StepReport};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// What the twins must be able to ask any automaton.
pub trait World: Automaton + Saved {
    /// What can be seen of a cell; none if it is not loaded.
    type Cell: Copy + PartialEq + Debug;
    fn bounds(&self) -> Region;
    fn look(&self, cell: IVec3) -> Option<Self::Cell>;
    fn cell_at(chunk: IVec3, index: usize) -> IVec3;
    fn wake_all(&mut self);
}

/// The hash of the state, the ledger, the total, and the cells that are awake.
type State<W> = (u64, <W as Automaton>::Ledger, <W as Automaton>::Total, usize);

fn state_of<W: World>(world: &W) -> State<W> {
    (world.state_hash(), world.ledger(), world.total(), world.awake_cells())
}

/// See above.
pub struct Twins<W: World> {
    pub world: W,
    awake: W,
    /// Of the first world, as the last comparison found it: hashing takes longer than most edits.
    state: State<W>,
    /// What every cell was when changes were last taken, or when it was loaded or unloaded, if
    /// that was later.
    told: Vec<Option<W::Cell>>,
}

impl<W: World> Twins<W> {
    /// Two worlds that are made in the same way.
    pub fn new(make: impl Fn() -> W) -> Twins<W> {
        let world = make();
        let mut twins = Twins { state: state_of(&world), world, awake: make(), told: Vec::new() };
        twins.take_changes();
        twins
    }

    /// Makes an edit in both, which must answer the same; one that is refused must change nothing.
    pub fn edit<T: Debug, E: Debug>(
        &mut self,
        mut edit: impl FnMut(&mut W) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = edit(&mut self.world);
        assert_eq!(
            format!("{answer:?}"),
            format!("{:?}", edit(&mut self.awake)),
            "two equal worlds"
        );
        let before = self.compare();
        assert!(
            answer.is_ok() || self.state == before,
            "a refused edit changed the world: {answer:?}"
        );
        answer
    }

    /// One step.
    pub fn step(&mut self) {
        let (then, rested) = (self.cells(), self.world.is_at_rest());
        let report = self.world.step();
        self.awake.wake_all();
        let awake = self.awake.step();
        assert_eq!(
            report.changed, awake.changed,
            "cells that changed; the other world never slept"
        );
        let changed = self.count_changes(&then);
        assert!(
            report.changed >= changed,
            "{changed} cells changed, and the report says {}",
            report.changed
        );
        assert!(!rested || changed == 0, "a world at rest changed {changed} cells");
        self.compare();
    }

    /// Steps in one go by `go`, against single ones of the twin by `single`.
    pub fn run(
        &mut self,
        steps: u64,
        go: impl FnOnce(&mut W) -> StepReport,
        mut single: impl FnMut(&mut W) -> StepReport,
    ) {
        let report = go(&mut self.world);
        let mut changed = 0;
        for _ in 0..steps {
            self.awake.wake_all();
            changed += single(&mut self.awake).changed;
        }
        assert_eq!(
            report.changed, changed,
            "cells that changed; the other world took single steps"
        );
        self.compare();
    }

    /// Goes on with what was saved and loaded again.
    pub fn save_and_load(&mut self) {
        let bytes = self.world.save();
        self.world =
            W::load(&bytes).unwrap_or_else(|error| panic!("a world that was saved: {error}"));
        assert!(self.world.save() == bytes, "other bytes from a world that was loaded");
        self.compare();
    }

    /// Both must tell of every cell that is not what it was, and of no others than each other.
    pub fn take_changes(&mut self) {
        let changes = self.world.take_changes();
        assert_eq!(changes, self.awake.take_changes(), "two equal worlds");
        assert!(changes.is_sorted_by_key(|changes| [
            changes.chunk.y,
            changes.chunk.z,
            changes.chunk.x
        ]));
        let cells = changes
            .iter()
            .flat_map(|told| told.cells.iter().map(|index| W::cell_at(told.chunk, index)));
        let told: BTreeSet<_> = cells.map(|cell| cell.to_array()).collect();
        let now = self.cells();
        for (cell, (now, then)) in self.world.bounds().positions().zip(now.iter().zip(&self.told)) {
            assert!(
                now == then || told.contains(&cell.to_array()),
                "cell {cell} changed and was not told"
            );
        }
        self.told = now;
        assert!(self.world.take_changes().is_empty());
    }

    /// Wakes the first world too: nothing else may change.
    pub fn wake_all(&mut self) {
        self.world.wake_all();
        self.compare();
    }

    fn cells(&self) -> Vec<Option<W::Cell>> {
        self.world.bounds().positions().map(|cell| self.world.look(cell)).collect()
    }

    /// Loading and unloading is no change: whatever these cells are after it was told.
    pub fn forget(&mut self, cells: Region) {
        for (cell, told) in self.world.bounds().positions().zip(&mut self.told) {
            if cells.contains(cell) {
                *told = self.world.look(cell);
            }
        }
    }

    /// Counts the cells that differ. What is loaded or unloaded has not changed.
    fn count_changes(&self, then: &[Option<W::Cell>]) -> u64 {
        let differs = |(now, then): (Option<W::Cell>, &Option<W::Cell>)| {
            now.is_some() && then.is_some() && now != *then
        };
        self.cells().into_iter().zip(then).filter(|&both| differs(both)).count() as u64
    }

    /// Both must be in the same state, and the first keep its laws. Returns the state before.
    fn compare(&mut self) -> State<W> {
        let tick = self.world.ticks();
        let (state, twin) = (state_of(&self.world), state_of(&self.awake));
        assert_eq!(state.0, twin.0, "the state of the twin, step {tick}");
        assert_eq!(state.1, twin.1, "the ledger of the twin, step {tick}");
        assert_eq!(state.2, twin.2, "the total of the twin, step {tick}");
        if let Err(law) = self.world.validate() {
            panic!("step {tick}: {law}");
        }
        std::mem::replace(&mut self.state, state)
    }
}
