//! Random recordings of small worlds, until one of them breaks a law. Each uses a random subset of
//! the kinds of edits, so that kinds that suppress each other also occur alone (Groce et al.,
//! *Swarm Testing*, ISSTA 2012).

use crate::case::{Begin, Case};
use crate::kinds::{EditOf, Kind};
use fastrand::Rng;
use floodplain::Region;
use floodplain::glam::IVec3;
use floodplain::testing::{Bytes, Start, Watch};
use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The most edits that are drawn until one is wanted.
const MOST_DRAWN: usize = 200;

/// Returns the recording of a seed.
pub fn case<W: Kind>(seed: u64) -> Case<W> {
    let mut rng = Rng::with_seed(seed);
    let (setting, filled) = W::small(&start::<W>(&mut rng));
    let bounds = W::bounds_of(&setting);
    let world = W::empty(&setting).expect("a setting that was drawn");
    let edits = filled.into_iter().map(|edit| (0, edit)).collect();
    let spots = [(); 2].map(|()| Region::cell(Bytes(&bytes(&mut rng)).cell(bounds)));
    let mut game = Game { world, bounds, spots, edits, shelf: Vec::new(), tick: 0 };
    // What panics is among the edits, and panics again when they are checked.
    let _ = catch_unwind(AssertUnwindSafe(|| game.play(&mut rng)));
    let Game { edits, tick, .. } = game;
    Case { begin: Begin::Empty(setting), edits, ticks: tick + rng.u64(1..30) }
}

/// Returns what a world is made of; its rules are the plainest in a third of the cases.
fn start<W: Kind>(rng: &mut Rng) -> Start<W::Rules> {
    let rules = if rng.u8(..3) > 0 { bytes(rng) } else { Vec::new() };
    let more = [rng.i32(0..5), rng.i32(0..5), rng.i32(0..5)];
    // A sheet stays flat.
    let size = W::SIZE + IVec3::from_array(more) * (W::SIZE - 1).clamp(IVec3::ZERO, IVec3::ONE);
    let bounds = Bytes(&bytes(rng)).bounds(size);
    // Half of them across a corner of chunks.
    let corner = Region::new(-(size / 2), size - size / 2 - 1);
    Start {
        seed: rng.u64(..1000),
        rules: Bytes(&rules).any(),
        bounds: if rng.bool() { bounds } else { corner },
    }
}

fn bytes(rng: &mut Rng) -> Vec<u8> {
    (0..64).map(|_| rng.u8(..)).collect()
}

/// A world to which edits are made: what was taken out of it is put back now and then.
struct Game<W: Kind> {
    world: W,
    bounds: Region,
    /// Cells to which edits come again and again: a spring is removed only where there is one.
    spots: [Region; 2],
    edits: Vec<(u64, EditOf<W>)>,
    /// Edits that put back what was taken out, the oldest first.
    shelf: Vec<EditOf<W>>,
    tick: u64,
}

impl<W: Kind> Game<W> {
    fn play(&mut self, rng: &mut Rng) {
        for nth in 0..self.edits.len() {
            let _ = Watch::apply(&mut self.world, self.edits[nth].1.clone());
        }
        let kinds: Vec<_> = (0..rng.usize(1..6)).map(|_| discriminant(&self.edit(rng))).collect();
        for _ in 0..rng.usize(3..20) {
            if rng.u8(..3) == 0 {
                self.wait(rng.u64(..12));
            }
            if !self.shelf.is_empty() && rng.u8(..3) == 0 {
                let shelf = std::mem::take(&mut self.shelf);
                self.world.merge(shelf).into_iter().for_each(|edit| self.make(edit));
            } else {
                let brings = rng.u8(..4) == 0;
                let edit = self.edit_that(rng, |edit| match brings {
                    true => W::brings(edit),
                    false => kinds.contains(&discriminant(edit)),
                });
                W::needs(&edit).into_iter().chain([edit]).for_each(|edit| self.make(edit));
            }
        }
    }

    fn wait(&mut self, ticks: u64) {
        for _ in 0..ticks {
            self.tick += 1;
            Watch::step(&mut self.world);
        }
    }

    /// Returns an edit; most of them lie near the middle, where chunks meet and where edits come
    /// near to each other, or at one of the spots.
    fn edit(&self, rng: &mut Rng) -> EditOf<W> {
        let bounds = match rng.u8(..4) {
            0 => self.bounds,
            1 | 2 => middle(self.bounds),
            _ => self.spots[rng.usize(..2)],
        };
        W::edit(&mut Bytes(&bytes(rng)), bounds)
    }

    /// Returns an edit that is wanted, or any if none of many is.
    fn edit_that(&self, rng: &mut Rng, is_wanted: impl Fn(&EditOf<W>) -> bool) -> EditOf<W> {
        let mut edit = self.edit(rng);
        for _ in 0..MOST_DRAWN {
            if is_wanted(&edit) {
                break;
            }
            edit = self.edit(rng);
        }
        edit
    }

    fn make(&mut self, edit: EditOf<W>) {
        self.edits.push((self.tick, edit.clone()));
        if let Ok(outcome) = Watch::apply(&mut self.world, edit.clone()) {
            self.shelf.extend(W::undo(&edit, &outcome));
        }
    }
}

/// Returns the innermost four cells along each axis.
fn middle(bounds: Region) -> Region {
    let less = bounds.size().map(|side| (side.saturating_sub(4) / 2).min(1 << 20) as i32);
    let less = IVec3::from_array(less);
    Region::new(bounds.min() + less, bounds.max() - less)
}
