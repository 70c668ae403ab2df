//! Bodies of water in the naive model: which cells belong to a body, its report, and the edits of a
//! body.

use super::cells::{Cell, Cells};
use crate::Face;
use crate::water::{BodyReport, EditError};
use glam::IVec3;

/// The most cells that an edit of a body visits.
const REACH: usize = 16_384;

/// A function that returns whether the sea continues across a face of a cell, where no cell is
/// loaded.
pub(super) type SeaBeyond<'a> = &'a dyn Fn(IVec3, Face) -> bool;

impl Cells {
    /// Returns the cell across a face, unless both cells are loaded and only one of them stands
    /// still.
    fn step(&self, cell: IVec3, face: Face) -> Option<IVec3> {
        cell.checked_add(face.offset()).filter(|&there| !self.are_parted(cell, there))
    }

    fn water(&self, cell: IVec3) -> u8 {
        self.at(cell).map_or(0, Cell::height)
    }

    /// Returns the cells of a body from the top, in the order in which a search from `start` takes
    /// them, but at most `most`. Also returns whether the body has more cells.
    fn body(&self, start: IVec3, most: usize) -> (Vec<IVec3>, bool) {
        let mut found = vec![start];
        let (mut visited, mut taken): (Vec<IVec3>, Vec<IVec3>) = (Vec::new(), Vec::new());
        loop {
            let rest = found.iter().filter(|cell| !taken.contains(cell));
            // `max_by_key` returns the last of several greatest cells, so the cells are taken from
            // the back.
            let Some(&cell) = rest.rev().max_by_key(|cell| cell.y) else { return (taken, false) };
            if visited.contains(&cell) {
                taken.push(cell);
                continue;
            }
            if visited.len() == most {
                return (taken, true);
            }
            visited.push(cell);
            for face in Face::ALL {
                let Some(there) = self.step(cell, face) else { continue };
                let lower = match face {
                    Face::Up => Some(cell),
                    Face::Down => Some(there),
                    _ => None,
                };
                let is_joined = lower.is_none_or(|lower| self.water(lower) == 7);
                if is_joined && self.water(there) > 0 && !found.contains(&there) {
                    found.push(there);
                }
            }
        }
    }

    /// Returns whether the sea is beside or above a cell.
    fn sea_fills(&self, cell: IVec3, sea_beyond: SeaBeyond) -> bool {
        Face::ALL.into_iter().filter(|&face| face != Face::Down).any(|face| {
            match self.step(cell, face).map(|there| self.at(there)) {
                Some(Ok(content)) => content == Cell::Sea,
                None if cell.checked_add(face.offset()).is_some() => false,
                _ => sea_beyond(cell, face),
            }
        })
    }

    /// Works like [`WaterWorld::drain_body`](crate::water::WaterWorld::drain_body).
    pub(super) fn drain_body(
        &mut self,
        cell: IVec3,
        units: u32,
        sea_beyond: SeaBeyond,
    ) -> Result<u32, EditError> {
        let mut left = units;
        match self.at(cell)? {
            Cell::Solid => return Err(EditError::Solid(cell)),
            Cell::Sea => {
                self.ledger.from_sea += u64::from(units);
                left = 0;
            }
            Cell::Open { height: 0, .. } => return Ok(0),
            _ => {}
        }
        let body = if left > 0 { self.body(cell, REACH).0 } else { Vec::new() };
        for cell in body {
            let Cell::Open { height, source } = self.at(cell)? else { continue };
            let given = if source {
                self.ledger.injected += u64::from(left);
                left
            } else if self.sea_fills(cell, sea_beyond) {
                self.ledger.from_sea += u64::from(left);
                left
            } else {
                let given = left.min(height.into());
                self.put(cell, Cell::Open { height: height - given as u8, source });
                given
            };
            left -= given;
            if left == 0 {
                break;
            }
        }
        self.ledger.removed += u64::from(units - left);
        Ok(units - left)
    }

    /// Works like [`WaterWorld::fill_body`](crate::water::WaterWorld::fill_body).
    pub(super) fn fill_body(&mut self, cell: IVec3, units: u32) -> Result<u32, EditError> {
        let added = match self.at(cell)? {
            Cell::Solid => return Err(EditError::Solid(cell)),
            Cell::Sea => {
                self.ledger.into_sea += u64::from(units);
                units
            }
            _ => units - self.spread(&[], Some(cell), units.into(), REACH) as u32,
        };
        self.ledger.placed += u64::from(added);
        Ok(added)
    }

    /// Works like [`WaterWorld::body_at`](crate::water::WaterWorld::body_at), for a cell that is
    /// loaded. What the report says about air is right if the reach is enough.
    pub(super) fn body_at(
        &self,
        cell: IVec3,
        reach: usize,
        sea_beyond: SeaBeyond,
    ) -> Option<BodyReport> {
        if self.water(cell) == 0 || reach == 0 {
            return None;
        }
        let (body, is_cut_off) = self.body(cell, reach);
        let surface = |cell: &IVec3| 7 * i64::from(cell.y) + i64::from(self.water(*cell));
        let is_spring = |cell: IVec3| self.at(cell).is_ok_and(Cell::is_source);
        let is_fed = |cell: &IVec3| {
            is_spring(*cell)
                || Face::ALL.iter().any(|&face| self.step(*cell, face).is_some_and(is_spring))
                || self.sea_fills(*cell, sea_beyond)
        };
        let over = |cell: &IVec3| [Some(*cell), self.step(*cell, Face::Up)];
        let mut air = body.iter().flat_map(over).flatten().filter(|&cell| self.has_room(cell));
        Some(BodyReport {
            units: body.iter().map(|&cell| u64::from(self.water(cell))).sum(),
            cells: body.len() as u64,
            surface: body.iter().map(surface).max()?,
            is_fed: body.iter().any(is_fed),
            shuts_in_air: air.any(|cell| self.is_shut_in(cell)),
            is_cut_off,
        })
    }

    fn has_room(&self, cell: IVec3) -> bool {
        matches!(self.at(cell), Ok(Cell::Open { height: 0..7, .. }))
    }

    /// Returns whether no way through cells with room leads to one at the end of the world or of
    /// what is loaded.
    fn is_shut_in(&self, cell: IVec3) -> bool {
        let (mut met, mut at) = (vec![cell], 0);
        while at < met.len() {
            for face in Face::ALL {
                match self.step(met[at], face).filter(|&there| self.at(there).is_ok()) {
                    None => return false,
                    Some(there) if self.has_room(there) && !met.contains(&there) => met.push(there),
                    Some(_) => {}
                }
            }
            at += 1;
        }
        true
    }
}
