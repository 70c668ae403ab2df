//! The naive model of explosions on a grid: a plain map of cells and links in `f64`, and which
//! chunks there are.

use super::map::{Map, Place, check_strength};
use crate::blast::{BlastWorld, Broken, Edit, EditError, Outcome};
use crate::coords::ChunkPos;
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Model;
use crate::{FieldShape, Region, StepReport};
use core::marker::PhantomData;

/// The model of a world on a grid.
pub(super) struct Field<S> {
    map: Map,
    /// The chunks that the world had before the last edit. Chunks come and go with the pressure.
    chunks: Vec<ChunkPos>,
    shape: PhantomData<S>,
}

impl<S: FieldShape> Field<S> {
    /// Reads a world within bounds.
    pub(super) fn of(world: &BlastWorld<S>) -> Field<S> {
        Field { map: Map::of(world), chunks: Vec::new(), shape: PhantomData }
    }

    /// Makes an edit in the map. Whether it must be refused as unstable is computed except for
    /// rounding, so next to the limit the world's answer counts.
    fn make(
        &mut self,
        edit: &Edit,
        is_unstable: bool,
        found: &mut Findings,
    ) -> Result<(), &'static str> {
        let (map, chunks) = (&mut self.map, &self.chunks[..]);
        let solid = Place { is_solid: true, ..Place::default() };
        let wall = |strength: f32| Place { strength: Some(strength), ..solid };
        match *edit {
            Edit::SetPressure { cell, pressure } => map.set_pressure(cell, pressure),
            Edit::AddPressure { cell, more } => {
                let there = map.cells.get(&cell.to_array()).map_or(0.0, |there| there.pressure);
                map.set_pressure(cell, there + more)
            }
            Edit::FillPressure { region, pressure } => map.fill_pressure(region, pressure),
            Edit::SetSolid(cell) => map.build(Region::cell(cell), solid),
            Edit::SetWall { cell, strength } => {
                let fits = map.check(Region::cell(cell)).and(check_strength(strength));
                fits.and_then(|()| map.build(Region::cell(cell), wall(strength)))
            }
            Edit::ClearSolid(cell) => map.clear_solid(cell),
            Edit::FillSolid(region) => map.build(region, solid),
            Edit::FillWall { region, strength } => {
                check_strength(strength).and_then(|()| map.build(region, wall(strength)))
            }
            Edit::SetLink { cell, face, weight } => {
                map.set_link(cell, face, weight, is_unstable, found)
            }
            Edit::AddCharge { centre, radius, pressure } => {
                map.add_charge(centre, radius, pressure)
            }
            Edit::InsertChunk { position, ref chunk } => map.insert::<S>(position, chunk, chunks),
            Edit::RemoveChunk(position) => map.remove::<S>(position, is_unstable, chunks, found),
            Edit::WakeAll => Ok(()),
        }
    }
}

impl<S: FieldShape> Model<BlastWorld<S>> for Field<S> {
    fn edit_begins(&mut self, world: &BlastWorld<S>) {
        self.chunks = world.chunks().map(|(chunk, _)| chunk).collect();
    }

    fn edited(&mut self, edit: &Edit, answer: &Result<Outcome, EditError>, found: &mut Findings) {
        let is_unstable = matches!(answer, Err(EditError::Unstable { .. }));
        let expected = self.make(edit, is_unstable, found);
        found.answer(edit, answer.as_ref().map(drop), expected);
    }

    /// Steps the map. The world must equal it except for rounding, where nothing falls silent.
    fn stepped(&mut self, world: &BlastWorld<S>, _: StepReport, _: u64, found: &mut Findings) {
        let expected = self.map.step();
        self.map.take_over(world, &expected, found);
    }

    /// Checks which walls broke. This is exact, by the pressures before the step, which are the
    /// world's own.
    fn happened(&mut self, events: &[Broken], found: &mut Findings) {
        let expected = core::mem::take(&mut self.map.events);
        found.same(law::EVENTS, &events, &&expected[..], || "walls that broke".to_owned());
    }

    fn compare(&self, world: &BlastWorld<S>, found: &mut Findings) {
        self.map.compare(world, found);
    }
}
