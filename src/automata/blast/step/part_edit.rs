//! Edits of a divided world of explosions. Each part makes them on its own chunks and on ghosts:
//! links, walls and flows at its side depend on the cells beyond. Pressures inside a ghost are
//! older than its owner's, so the owner then sends what a step would send: rims, and whether the
//! chunk is audible.

use crate::automata::blast::charge::{around, bump, check_charge};
use crate::automata::blast::edit::{Matter, check_strength};
use crate::automata::blast::extent::admits;
use crate::automata::blast::field::space::Beyond;
use crate::automata::blast::{BlastShape, BlastWorld, Edit, EditError, Outcome};
use crate::automata::engine::halo_exchange::{Outbox, PartEdits};
use crate::coords::{ChunkRegion, Region};
use crate::edit_table::Tabled;
use crate::limits::EditScope;
use glam::IVec3;

impl<S: BlastShape> PartEdits for BlastWorld<S> {
    /// An edit wakes the chunks beside, and makes chunks audible: like a step, it reaches further
    /// than the cells that it writes.
    fn steps_for_edit(_edit: &Edit) -> u64 {
        1
    }

    fn scope(edit: &Edit) -> EditScope {
        edit.scope()
    }

    const EDITS_LOADED: bool = false;

    fn check_own(&self, edit: &Edit) -> Result<(), EditError> {
        match *edit {
            Edit::SetPressure { cell, pressure } => {
                self.check_pressure(cell, pressure)?;
                check_open(self, cell)
            }
            Edit::AddPressure { cell, more } => {
                // The sum in a cell of another part is that part's to check.
                if !is_foreign_cell(self, cell) || self.check_inside(cell).is_err() {
                    self.check_pressure(cell, self.pressure(cell) + more)?;
                }
                check_open(self, cell)
            }
            Edit::FillPressure { region, pressure } => self.check_fill(region, pressure),
            Edit::SetSolid(cell) | Edit::ClearSolid(cell) => self.check_inside(cell),
            Edit::SetWall { cell, strength } => {
                self.check_inside(cell)?;
                check_strength(cell, strength)
            }
            Edit::FillSolid(region) => self.check_region(region),
            Edit::FillWall { region, strength } => {
                check_strength(region.min(), strength)?;
                self.check_region(region)
            }
            Edit::SetLink { cell, face, weight } => match self.check_link(cell, face, weight) {
                // A part has all links of a cell only if it owns the cell or one beside it.
                Err(EditError::Unstable { .. }) if is_foreign_cell(self, cell) => Ok(()),
                checked => checked.map(drop),
            },
            Edit::AddCharge { centre, radius, pressure } => {
                let takes_none = |cell| is_foreign_cell(self, cell) || self.is_solid(cell);
                let check_sum = |cell, sum| self.check_pressure(cell, sum);
                check_charge(self, centre, radius, pressure, takes_none, check_sum).map(drop)
            }
            Edit::InsertChunk { .. } | Edit::RemoveChunk(_) | Edit::WakeAll => Ok(()),
        }
    }

    fn make_edit(&mut self, edit: &Edit, send: Outbox<'_>) -> Option<Outcome> {
        self.ahead = None;
        let region = match *edit {
            Edit::AddCharge { centre, radius, .. } => around(self, centre, radius),
            Edit::WakeAll => {
                self.wake_all();
                return Some(Outcome::Done);
            }
            _ => edit.scope().region()?,
        };
        let (mut sum, mut outcome) = (0.0, None);
        for chunk in ChunkRegion::of::<S>(region).positions() {
            if !self.pressure.is_near_own(chunk) {
                continue;
            }
            let is_own = !self.pressure.is_foreign(chunk);
            let cells = S::region_of(chunk).intersection(&region);
            for cell in cells.into_iter().flat_map(Region::positions) {
                let of_cell = edit_cell(self, edit, cell, &mut sum, is_own);
                outcome = if is_own { of_cell } else { outcome };
            }
            if is_own {
                self.send_edited(chunk, send);
            }
        }
        outcome
    }
}

fn is_foreign_cell<S: BlastShape>(world: &BlastWorld<S>, cell: IVec3) -> bool {
    world.pressure.is_foreign(S::chunk_of(cell))
}

/// Checks that a cell can have pressure, of other parts' cells only that it is in the world.
fn check_open<S: BlastShape>(world: &BlastWorld<S>, cell: IVec3) -> Result<(), EditError> {
    world.check_inside(cell)?;
    match !is_foreign_cell(world, cell) && world.is_solid(cell) {
        true => Err(EditError::Solid(cell)),
        false => Ok(()),
    }
}

/// Makes an edit on one of its cells. Returns the outcome so far, with the sum over own cells.
fn edit_cell<S: BlastShape>(
    world: &mut BlastWorld<S>,
    edit: &Edit,
    cell: IVec3,
    sum: &mut f64,
    is_own: bool,
) -> Option<Outcome> {
    let mut add = |value: f64| {
        *sum += if is_own { value } else { 0.0 };
        Outcome::Sum(*sum)
    };
    Some(match *edit {
        Edit::SetPressure { pressure, .. } => {
            Outcome::Pressure(put_pressure(world, cell, |_| pressure))
        }
        Edit::AddPressure { more, .. } => {
            put_pressure(world, cell, |old| old + more);
            Outcome::Pressure(world.pressure(cell))
        }
        Edit::FillPressure { pressure, .. } => {
            put_pressure(world, cell, |_| pressure);
            Outcome::Done
        }
        Edit::SetSolid(_) => Outcome::Pressure(world.set_matter(cell, Matter::Solid)),
        Edit::SetWall { strength, .. } => {
            Outcome::Pressure(world.set_matter(cell, Matter::Wall(strength)))
        }
        Edit::ClearSolid(_) => {
            let was_removed = world.is_solid(cell);
            if was_removed {
                world.set_matter(cell, Matter::Open);
            }
            Outcome::Changed(was_removed)
        }
        Edit::FillSolid(_) => add(f64::from(world.set_matter(cell, Matter::Solid))),
        Edit::FillWall { strength, .. } => {
            add(f64::from(world.set_matter(cell, Matter::Wall(strength))))
        }
        Edit::SetLink { face, weight, .. } => {
            let Beyond::There(there) = world.space.beyond_cell::<S>(cell, face) else {
                return None;
            };
            let is_near = world.pressure.is_near_own(S::chunk_of(there));
            Outcome::Weight(if is_near { world.put_link([cell, there], face, weight) } else { 0.0 })
        }
        Edit::AddCharge { centre, radius, pressure } => {
            let more = pressure * bump(cell, centre, radius);
            let old = world.pressure(cell);
            let is_in = more != 0.0 && !world.is_solid(cell) && admits(world, S::chunk_of(cell));
            let fits = world.check_pressure(cell, old + more).is_ok();
            if is_in && fits {
                world.write(cell, old + more);
            }
            let added = f64::from(old + more) - f64::from(old);
            add(if is_in && fits { added } else { 0.0 })
        }
        Edit::InsertChunk { .. } | Edit::RemoveChunk(_) | Edit::WakeAll => return None,
    })
}

/// Sets the pressure of a cell that is not removed, if it changes and is in range. Returns the
/// old one.
fn put_pressure<S: BlastShape>(
    world: &mut BlastWorld<S>,
    cell: IVec3,
    new: impl Fn(f32) -> f32,
) -> f32 {
    let old = world.pressure(cell);
    let new = new(old);
    if old != new && !world.is_solid(cell) && world.check_pressure(cell, new).is_ok() {
        world.write(cell, new);
    }
    old
}
