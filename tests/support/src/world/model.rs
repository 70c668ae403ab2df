//! A model of a world's ground: the material of every loaded cell.

use super::palette;
use floodplain::glam::IVec3;
use floodplain::humidity::{MOST_HUMIDITY, UNITS};
use floodplain::water::Voxel;
use floodplain::world::{
    Broken, ChunkRecord, Content, Edit, EditError, MaterialId, Outcome, Palette, World,
};
use floodplain::{Cube, Region, Shape};
use std::collections::BTreeMap;

/// What each cell of the loaded chunks is made of.
pub struct Model {
    palette: Palette,
    pub bounds: Region,
    pub cells: BTreeMap<[i32; 3], MaterialId>,
    /// What was last taken out as records.
    pub records: Vec<ChunkRecord>,
}

impl Model {
    pub fn of(world: &World, bounds: Region) -> Model {
        let of = |cell: IVec3| Some((cell.to_array(), world.material(cell)?));
        let cells = bounds.positions().filter_map(of).collect();
        Model { palette: palette(), bounds, cells, records: Vec::new() }
    }

    /// The cells of a chunk inside the bounds.
    fn inside(&self, chunk: IVec3) -> Option<Region> {
        self.bounds.intersection(&Cube::region_of(chunk))
    }

    fn is_loaded(&self, cell: IVec3) -> bool {
        self.cells.contains_key(&cell.to_array())
    }

    /// Makes an edit if it is one of ground, and checks what the world said of it.
    pub fn apply(&mut self, edit: &Edit, result: &Result<Outcome, EditError>) {
        let is_known = |material: &MaterialId| self.palette.material(*material).is_some();
        let is_made = match edit {
            &Edit::SetMaterial { cell, material } => {
                let is_made = is_known(&material) && self.is_loaded(cell);
                if is_made {
                    let old = self.cells.insert(cell.to_array(), material);
                    let Ok(Outcome::Replaced(replaced)) = result else { panic!("{result:?}") };
                    assert_eq!(Some(replaced.material), old);
                }
                is_made
            }
            &Edit::FillMaterial { region, material } => {
                let is_made =
                    is_known(&material) && region.positions().all(|cell| self.is_loaded(cell));
                if is_made {
                    region.positions().for_each(|cell| {
                        self.cells.insert(cell.to_array(), material);
                    });
                }
                is_made
            }
            Edit::InsertChunk { position, content } => self.insert(*position, content),
            &Edit::RemoveChunk(chunk) => self.remove(chunk, result),
            Edit::RemoveChunks(chunks) => self.remove_all(chunks, result),
            Edit::InsertRecords(records) => self.insert_all(records),
            &Edit::Rain { from, units } => {
                let is_open = |id: &MaterialId| !self.palette.material(*id).expect("known").solid;
                if let Ok(Outcome::Units(landed)) = result {
                    assert!(*landed <= units.into());
                }
                self.cells.get(&from.to_array()).is_some_and(is_open)
            }
            Edit::WakeAll => true,
            _ => result.is_ok(),
        };
        assert_eq!(result.is_ok(), is_made, "{edit:?}: {result:?}");
    }

    fn remove(&mut self, chunk: IVec3, result: &Result<Outcome, EditError>) -> bool {
        let Some(inside) = self.inside(chunk) else { return false };
        if !self.is_loaded(inside.min()) {
            return false;
        }
        let Ok(Outcome::Removed(content)) = result else { panic!("{result:?}") };
        for cell in inside.positions() {
            let material = self.cells.remove(&cell.to_array()).expect("loaded");
            let index = Cube::index_of(cell);
            assert_eq!(content.materials.get(index), material);
            let water = content.water.as_ref().expect("given back").get(index);
            assert_eq!(water.is_solid(), self.palette.material(material).expect("known").solid);
        }
        true
    }

    fn remove_all(&mut self, chunks: &[IVec3], result: &Result<Outcome, EditError>) -> bool {
        let is_there = |&chunk: &IVec3| {
            let inside = self.inside(chunk);
            inside.is_some_and(|inside| self.is_loaded(inside.min()))
        };
        let is_twice = |&chunk: &IVec3| chunks.iter().filter(|&&one| one == chunk).count() > 1;
        if !chunks.iter().all(is_there) || chunks.iter().any(is_twice) {
            return false;
        }
        let Ok(Outcome::Records(records)) = result else { panic!("{result:?}") };
        assert!(records.iter().map(ChunkRecord::position).eq(chunks.iter().copied()));
        self.records.clone_from(records);
        for record in records {
            for cell in self.inside(record.position()).expect("loaded").positions() {
                let material = self.cells.remove(&cell.to_array());
                assert_eq!(material, Some(record.materials().get(Cube::index_of(cell))));
            }
        }
        true
    }

    /// Records of this world are refused only where a chunk is loaded.
    fn insert_all(&mut self, records: &[ChunkRecord]) -> bool {
        let inside = |record: &ChunkRecord| self.inside(record.position()).expect("of this world");
        if records.iter().any(|record| self.is_loaded(inside(record).min())) {
            return false;
        }
        for record in records {
            for cell in self.inside(record.position()).into_iter().flat_map(Region::positions) {
                self.cells.insert(cell.to_array(), record.materials().get(Cube::index_of(cell)));
            }
        }
        true
    }

    fn insert(&mut self, position: IVec3, content: &Content) -> bool {
        let Some(inside) = self.inside(position) else { return false };
        if self.is_loaded(inside.min())
            || !inside.positions().all(|cell| self.fits(content, Cube::index_of(cell)))
        {
            return false;
        }
        for cell in inside.positions() {
            self.cells.insert(cell.to_array(), content.materials.get(Cube::index_of(cell)));
        }
        true
    }

    fn fits(&self, content: &Content, index: usize) -> bool {
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

    /// Takes over what pressure broke, and returns it.
    pub fn broke(&mut self, world: &mut World) -> Vec<Broken> {
        let events = world.take_events();
        for broken in &events {
            let there = self.cells.insert(broken.cell.to_array(), broken.into);
            assert_eq!(there, Some(broken.from), "{broken:?}");
            let material = self.palette.material(broken.from).expect("known");
            assert_eq!(
                material.breaks_into.as_deref().and_then(|into| self.palette.id(into)),
                Some(broken.into)
            );
            assert!(material.strength.is_some_and(|strength| broken.difference > strength.into()));
        }
        events
    }
}
