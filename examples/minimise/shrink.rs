//! Makes a case less, as long as it breaks the same law: fewer edits by delta debugging, then each
//! edit, its tick, its chunks and cells, and the world, until nothing more can go.

use crate::case::{Begin, Case};
use crate::ddmin::ddmin;
use crate::kinds::{Cells, Kind};
use crate::laws::Broken;
use indicatif::ProgressBar;

/// The most cases that are tried.
const MOST: u64 = 40_000;

/// A case that breaks a law, while it is made less.
pub struct Shrinker<'p, W: Kind, Check> {
    pub case: Case<W>,
    pub broken: Broken,
    /// How many cases were tried.
    pub tried: u64,
    /// How many of these were taken in the place of the case.
    taken: u64,
    /// Returns what is broken in a case, if it is the law.
    check: Check,
    bar: &'p ProgressBar,
}

impl<'p, W: Kind, Check: Fn(&Case<W>) -> Option<Broken>> Shrinker<'p, W, Check> {
    pub fn new(case: Case<W>, broken: Broken, check: Check, bar: &'p ProgressBar) -> Self {
        Shrinker { case, broken, tried: 0, taken: 0, check, bar }
    }

    /// Makes the case as little as it gets.
    pub fn run(&mut self) {
        self.cut();
        if matches!(self.case.begin, Begin::Saved(_)) && self.accept(self.case.by_edits()) {
            // Of a large world most chunks go first, since each of them costs time in each try.
            self.lessen(0);
        }
        loop {
            let taken = self.taken;
            self.edits();
            self.each_edit();
            self.ticks();
            self.begin();
            self.cut();
            if self.taken == taken || self.tried >= MOST {
                return;
            }
        }
    }

    /// Returns what is broken in a case, if it is the law.
    fn breaks(&mut self, case: &Case<W>) -> Option<Broken> {
        self.tried += 1;
        let Case { edits, ticks, .. } = &self.case;
        self.bar.set_message(format!(
            "{} edits, {ticks} ticks, {} chunks; {} tried",
            edits.len(),
            self.case.chunks(),
            self.tried
        ));
        self.bar.tick();
        (self.check)(case)
    }

    /// Takes a case if it breaks the law. Returns whether it did.
    fn accept(&mut self, case: Case<W>) -> bool {
        let broken = if self.tried < MOST { self.breaks(&case) } else { None };
        let is_taken = broken.is_some();
        if let Some(broken) = broken {
            (self.case, self.broken) = (case, broken);
            self.taken += 1;
        }
        is_taken
    }

    /// Ends with the tick at which the law is broken.
    fn cut(&mut self) {
        let (mut case, tick) = (self.case.clone(), self.broken.tick);
        case.ticks = case.ticks.min(tick);
        case.edits.retain(|edit| edit.0 <= tick);
        if case.ticks < self.case.ticks || case.edits.len() < self.case.edits.len() {
            self.accept(case);
        }
    }

    fn edits(&mut self) {
        let edits = self.case.edits.clone();
        let less = ddmin(&edits, |edits| {
            let case = Case { edits: edits.to_vec(), ..self.case.clone() };
            self.tried < MOST && self.breaks(&case).is_some()
        });
        if less.len() < edits.len() {
            let case = Case { edits: less, ..self.case.clone() };
            self.accept(case);
        }
    }

    /// Makes each edit less, then leaves away cells of it.
    fn each_edit(&mut self) {
        for nth in 0..self.case.edits.len() {
            self.lessen(nth);
            self.cells(nth);
        }
    }

    /// Tries lesser edits in the place of one.
    fn lessen(&mut self, nth: usize) {
        while let Some((_, edit)) = self.case.edits.get(nth) {
            let is_less = W::lesser(edit).into_iter().any(|edit| {
                let mut case = self.case.clone();
                case.edits[nth].1 = edit;
                self.accept(case)
            });
            if !is_less {
                return;
            }
        }
    }

    /// Leaves away cells of chunks that an edit inserts, by delta debugging over those that are not
    /// plain.
    fn cells(&mut self, nth: usize) {
        let Some(Cells { kept, with }) = W::cells(&self.case.edits[nth].1) else { return };
        let case_with = |shrinker: &Self, kept: &[usize]| {
            let mut case = shrinker.case.clone();
            case.edits[nth].1 = with(kept);
            case
        };
        let less = ddmin(&kept, |kept| {
            let case = case_with(self, kept);
            self.tried < MOST && self.breaks(&case).is_some()
        });
        if less.len() < kept.len() {
            let case = case_with(self, &less);
            self.accept(case);
        }
    }

    /// Moves edits, and all that follows, to earlier ticks.
    fn ticks(&mut self) {
        for nth in 0..self.case.edits.len() {
            let least = nth.checked_sub(1).map_or(0, |last| self.case.edits[last].0);
            let mut by = self.case.edits[nth].0 - least;
            while by > 0 {
                let mut case = self.case.clone();
                case.edits[nth..].iter_mut().for_each(|edit| edit.0 -= by);
                case.ticks -= by;
                if !self.accept(case) {
                    by /= 2;
                } else {
                    by = by.min(self.case.edits[nth].0 - least);
                }
            }
        }
        let ticks = self.case.ticks;
        for fewer in [0, 1, ticks / 2, ticks.saturating_sub(1)] {
            if fewer < self.case.ticks {
                let mut case = Case { ticks: fewer, ..self.case.clone() };
                case.edits.retain(|edit| edit.0 <= fewer);
                self.accept(case);
            }
        }
    }

    /// Tries plainer rules, another seed, and narrower bounds.
    fn begin(&mut self) {
        let mut nth = 0;
        while let Begin::Empty(setting) = &self.case.begin {
            let plainer = W::plainer(setting);
            let mut possible = plainer.into_iter().filter(|setting| W::empty(setting).is_some());
            let Some(setting) = possible.nth(nth) else { return };
            let case = Case { begin: Begin::Empty(setting), ..self.case.clone() };
            // One that is taken is no more among those that are plainer.
            nth += usize::from(!self.accept(case));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt;
    use crate::kinds::{NAMES, for_kind};
    use floodplain::testing::Watch;

    /// A law that no world keeps: there is nothing after three ticks.
    fn check<W: Kind>(case: &Case<W>) -> Option<Broken> {
        let mut world = case.world();
        let mut edits = case.edits.iter().peekable();
        for tick in 0..=case.ticks.min(3) {
            while let Some((_, edit)) = edits.next_if(|edit| edit.0 <= tick) {
                let _ = Watch::apply(&mut world, edit.clone());
            }
            if tick < 3 {
                Watch::step(&mut world);
            }
        }
        let empty = W::empty(&world.setting()).unwrap();
        let is_broken = case.ticks >= 3 && world.looks() != empty.looks();
        is_broken.then(|| Broken { law: "nothing", tick: 3, what: String::new(), cell: None })
    }

    fn shrink<W: Kind>() -> Option<()> {
        for seed in 0..6 {
            let mut case = hunt::case::<W>(seed);
            case.ticks += 3;
            let Some(broken) = check(&case) else { continue };
            // Half of them begin as a recording does, with a snapshot.
            if seed % 2 == 0 {
                case.begin = Begin::Saved(case.world().save());
            }
            let bar = ProgressBar::hidden();
            let mut shrinker = Shrinker::new(case, broken, check, &bar);
            shrinker.run();
            let Shrinker { case, taken, .. } = shrinker;
            assert!(matches!(case.begin, Begin::Empty(_)) && taken > 0);
            let edits = &case.edits;
            assert_eq!((edits.len(), case.ticks), (1, 3), "{} {edits:?}", W::NAME);
            for edit in W::lesser(&edits[0].1) {
                let less = Case { edits: vec![(0, edit)], ..case.clone() };
                assert_eq!(check(&less), None, "{}", W::NAME);
            }
        }
        Some(())
    }

    #[test]
    fn a_case_of_every_kind_becomes_one_edit_and_as_few_ticks_as_may_be() {
        for name in NAMES {
            assert_eq!(for_kind!(name, shrink(), else None), Some(()), "{name}");
        }
    }
}
