//! The naive model of a world of materials: the material of every loaded cell, which edits of
//! ground are refused, and the entries of its account.

use crate::coords::ChunkPos;
use crate::humidity::{MOST_HUMIDITY, UNITS};
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Model;
use crate::water::Voxel;
use crate::world::{
    Broken, ChunkContent, ChunkRecord, Edit, EditError, Ledger, MaterialId, Outcome, Palette, World,
};
use crate::{Cube, Region, Shape, StepReport};
use glam::IVec3;
use std::collections::BTreeMap;

/// The outcome of an edit.
type Answer = Result<Outcome, EditError>;

/// The model of a world's ground.
pub(super) struct Ground {
    palette: Palette,
    bounds: Region,
    /// The cells that are loaded.
    cells: BTreeMap<[i32; 3], MaterialId>,
    /// The ledger before the last edit. `posted` has the units that the edit must have posted,
    /// until the next tick.
    before: Ledger,
    posted: Posted,
}

/// The units that an edit posts, as far as its outcome says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Posted {
    Anything,
    /// Units of moisture and of water that were removed.
    Removed(u128, u64),
    /// Units of moisture that came in.
    CameIn(u128),
}

impl Ground {
    /// Reads a world within bounds.
    pub(super) fn of(world: &World) -> Ground {
        let of = |cell: IVec3| Some((cell.to_array(), world.material(cell)?));
        Ground {
            palette: world.palette().clone(),
            bounds: world.bounds(),
            cells: world.bounds().positions().filter_map(of).collect(),
            before: world.ledger(),
            posted: Posted::Anything,
        }
    }
}

impl Model<World> for Ground {
    fn edit_begins(&mut self, world: &World) {
        self.before = world.ledger();
    }

    fn edited(&mut self, edit: &Edit, answer: &Answer, found: &mut Findings) {
        self.posted = self.posted_by(edit, answer);
        let is_known = |material: &MaterialId| self.palette.material(*material).is_some();
        let is_made = match edit {
            &Edit::SetMaterial { cell, material } => {
                let is_made = is_known(&material) && self.is_loaded(cell);
                if is_made {
                    let old = self.cells.insert(cell.to_array(), material);
                    let replaced = match answer {
                        Ok(Outcome::Replaced(replaced)) => Some(replaced.material),
                        _ => None,
                    };
                    found.same(law::EDIT, &replaced, &old, || format!("what was in {cell}"));
                }
                is_made
            }
            &Edit::FillMaterial { region, material } => {
                let is_made =
                    is_known(&material) && region.positions().all(|cell| self.is_loaded(cell));
                if is_made {
                    self.cells.extend(region.positions().map(|cell| (cell.to_array(), material)));
                }
                is_made
            }
            Edit::InsertChunk { position, content } => self.insert(*position, content),
            &Edit::RemoveChunk(chunk) => self.remove(chunk, answer, found),
            Edit::RemoveChunks(chunks) => self.remove_all(chunks, answer, found),
            Edit::InsertRecords(records) => self.insert_all(records),
            &Edit::Rain { from, units } => {
                let is_open =
                    |id: &MaterialId| self.palette.material(*id).is_some_and(|is| !is.solid);
                if let Ok(Outcome::Units(landed)) = answer {
                    found.hold(law::EDIT, *landed <= units.into(), || format!("{landed} landed"));
                }
                self.cells.get(&from.to_array()).is_some_and(is_open)
            }
            Edit::WakeAll => true,
            Edit::Charge { .. } | Edit::Water(_) | Edit::Soil(_) | Edit::Blast(_) => answer.is_ok(),
        };
        found.hold(law::EDIT, answer.is_ok() == is_made, || format!("{edit:?}: {answer:?}"));
    }

    fn stepped(&mut self, _: &World, _: StepReport, _: u64, _: &mut Findings) {
        self.posted = Posted::Anything;
    }

    /// Takes over the ground that pressure broke, and checks the events.
    fn happened(&mut self, events: &[Broken], found: &mut Findings) {
        for broken in events {
            let there = self.cells.insert(broken.cell.to_array(), broken.into);
            found.same(law::EVENTS, &there, &Some(broken.from), || format!("{broken:?}"));
            let material = self.palette.material(broken.from);
            let into = material.and_then(|material| material.breaks_into.as_deref());
            let into = into.and_then(|into| self.palette.id(into));
            found.same(law::EVENTS, &into, &Some(broken.into), || format!("{broken:?}"));
            let strength = material.and_then(|material| material.strength);
            let gives_way = strength.is_some_and(|strength| broken.difference > strength.into());
            found.hold(law::EVENTS, gives_way, || format!("{broken:?}"));
        }
    }

    fn compare(&self, world: &World, found: &mut Findings) {
        let beyond = self.bounds.max().saturating_add(IVec3::X);
        for cell in self.bounds.positions().chain([beyond]) {
            let expected = self.cells.get(&cell.to_array()).copied();
            found.same(law::CELLS, &world.material(cell), &expected, || cell.to_string());
        }
        let now = world.ledger();
        let total = now.came_in().checked_sub(now.went_out());
        found.same(law::LEDGER, &Some(world.total()), &total, || {
            "the sum over all cells".to_owned()
        });
        let posted = match self.posted {
            Posted::Anything => Posted::Anything,
            Posted::Removed(..) => Posted::Removed(
                now.soil.removed.saturating_sub(self.before.soil.removed),
                now.water.removed.saturating_sub(self.before.water.removed),
            ),
            Posted::CameIn(_) => {
                Posted::CameIn(now.came_in().saturating_sub(self.before.came_in()))
            }
        };
        found.same(law::LEDGER, &posted, &self.posted, || "posted by an edit".to_owned());
    }
}

impl Ground {
    /// Returns the units that an edit posted, by its outcome.
    fn posted_by(&self, edit: &Edit, answer: &Answer) -> Posted {
        match (edit, answer) {
            (Edit::SetMaterial { .. }, Ok(Outcome::Replaced(replaced))) => {
                Posted::Removed(replaced.moisture.into(), replaced.displaced.removed.into())
            }
            (Edit::Rain { .. }, Ok(Outcome::Units(units))) => {
                Posted::CameIn(u128::from(*units) * u128::from(self.before.scale))
            }
            _ => Posted::Anything,
        }
    }

    /// Returns the cells of a chunk inside the bounds.
    fn inside(&self, chunk: ChunkPos) -> Option<Region> {
        self.bounds.intersection(&Cube::region_of(chunk))
    }

    fn is_loaded(&self, cell: IVec3) -> bool {
        self.cells.contains_key(&cell.to_array())
    }

    fn has_chunk(&self, chunk: ChunkPos) -> bool {
        self.inside(chunk).is_some_and(|inside| self.is_loaded(inside.min()))
    }

    /// Takes a chunk out of the model. Returns its materials.
    fn take(&mut self, chunk: ChunkPos) -> Vec<(usize, MaterialId)> {
        let cells = self.inside(chunk).into_iter().flat_map(Region::positions);
        let take = |cell: IVec3| Some((Cube::index_of(cell), self.cells.remove(&cell.to_array())?));
        cells.filter_map(take).collect()
    }

    fn remove(&mut self, chunk: ChunkPos, answer: &Answer, found: &mut Findings) -> bool {
        if !self.has_chunk(chunk) {
            return false;
        }
        let held = self.take(chunk);
        let Ok(Outcome::Removed(content)) = answer else { return true };
        for (index, material) in held {
            let water = content.water.as_ref().map(|water| water.get(index).is_solid());
            let given_back = (content.materials.get(index), water);
            let is_solid = self.palette.material(material).map(|material| material.solid);
            found.same(law::EDIT, &given_back, &(material, is_solid), || {
                format!("cell {index} of chunk {chunk}, removed")
            });
        }
        true
    }

    fn remove_all(&mut self, chunks: &[ChunkPos], answer: &Answer, found: &mut Findings) -> bool {
        let is_twice = |&chunk: &ChunkPos| chunks.iter().filter(|&&one| one == chunk).count() > 1;
        if !chunks.iter().all(|&chunk| self.has_chunk(chunk)) || chunks.iter().any(is_twice) {
            return false;
        }
        let Ok(Outcome::Records(records)) = answer else { return true };
        let of = records.iter().map(ChunkRecord::position);
        found.hold(law::EDIT, of.eq(chunks.iter().copied()), || format!("records of {chunks:?}"));
        for record in records {
            for (index, material) in self.take(record.position()) {
                found.same(law::EDIT, &record.materials().get(index), &material, || {
                    format!("cell {index} of a record of {}", record.position())
                });
            }
        }
        true
    }

    /// Loads the chunks of records. Records of this world are refused only where a chunk is loaded.
    fn insert_all(&mut self, records: &[ChunkRecord]) -> bool {
        if records.iter().any(|record| self.has_chunk(record.position())) {
            return false;
        }
        for record in records {
            for cell in self.inside(record.position()).into_iter().flat_map(Region::positions) {
                self.cells.insert(cell.to_array(), record.materials().get(Cube::index_of(cell)));
            }
        }
        true
    }

    fn insert(&mut self, position: ChunkPos, content: &ChunkContent) -> bool {
        let Some(inside) = self.inside(position) else { return false };
        if self.is_loaded(inside.min())
            || !inside.positions().all(|cell| self.fits(content, Cube::index_of(cell)))
        {
            return false;
        }
        let made_of = |cell: IVec3| (cell.to_array(), content.materials.get(Cube::index_of(cell)));
        self.cells.extend(inside.positions().map(made_of));
        true
    }

    fn fits(&self, content: &ChunkContent, index: usize) -> bool {
        let Some(material) = self.palette.material(content.materials.get(index)) else {
            return false;
        };
        let water = content.water.as_ref().map_or(Voxel::OPEN, |water| water.get(index));
        let moisture = content.moisture.as_ref().map_or(0, |moisture| moisture.get(index));
        let is_dry = water == Voxel::OPEN;
        (if material.solid { is_dry || water.is_solid() } else { !water.is_solid() })
            && (moisture == 0 || material.permeability.is_some())
            && f64::from(moisture) <= MOST_HUMIDITY * f64::from(UNITS)
    }
}
