//! A survey of a body: its extent, by breadth-first search over pieces, then its levels. It can
//! stop after any piece, since the water does not change until it is complete.

use crate::water::pools::layer::Levels;
use crate::water::pools::walk::{Extent, Walk};
use crate::water::scratch::Tick;
use crate::water::store::LAYER_ROWS;
use core::ops::Range;

/// The most cells for which a body is searched whole, even if water flows in it and its layers are
/// beyond the limit.
const SEARCHED_WHOLE: u32 = 1_024;

/// The survey of one body.
pub(crate) struct Survey {
    /// The first of the body's pieces, by index in the walk; the body has all the pieces from
    /// there.
    first: usize,
    /// The next piece to search from.
    at: usize,
    /// The cells of the pieces before `at`.
    cells: u32,
    /// The limit of layers beyond which a body in which water flows is left out.
    most: usize,
    /// The layers of the pieces before `counted`.
    layers: usize,
    counted: usize,
    /// No water flows in the pieces before this one.
    tested: usize,
    /// The extent of the body; `None` while the search is underway.
    extent: Option<Extent>,
    /// The next piece to measure.
    measured: usize,
    levels: Levels,
}

impl Survey {
    /// Begins a survey of the body that contains a supported cell of a layer. The walk must not
    /// have found the cell's piece yet. The search covers the whole body if the body lies within
    /// the walk's part of the world and has no more than `most` layers of pieces, no more than
    /// [`SEARCHED_WHOLE`] cells, or no water flowing in it.
    pub(super) fn begin(tick: &Tick, walk: &mut Walk, start: (u32, usize), most: usize) -> Self {
        let first = walk.add_first(tick, start);
        Survey {
            first,
            at: first,
            cells: 0,
            most,
            layers: 0,
            counted: first,
            tested: first,
            extent: None,
            measured: first,
            levels: Levels::NONE,
        }
    }

    /// Searches from the next piece, or measures the next piece of a body that was found whole.
    /// Returns the extent of the body once the survey is complete.
    pub(super) fn advance(&mut self, tick: &Tick, walk: &mut Walk) -> Option<Extent> {
        match self.extent {
            None => {
                self.extent = self.search(tick, walk);
                walk.charge(LAYER_ROWS);
            }
            Some(Extent::Whole) if self.measured < walk.pieces.len() => {
                self.levels = self.levels.and(walk.levels_of_piece(tick, self.measured));
                self.measured += 1;
                walk.charge(LAYER_ROWS / 4);
            }
            extent => return extent,
        }
        None
    }

    /// Completes the survey. Returns the extent of the body.
    #[cfg(any(feature = "rayon", test))]
    pub(super) fn complete(&mut self, tick: &Tick, walk: &mut Walk) -> Extent {
        loop {
            if let Some(extent) = self.advance(tick, walk) {
                return extent;
            }
        }
    }

    /// Searches from the next piece. Returns the extent of the body once it is known.
    fn search(&mut self, tick: &Tick, walk: &mut Walk) -> Option<Extent> {
        self.cells += walk.pieces[self.at].count();
        let extent = walk.expand(tick, self.at as u32, self.first as u32);
        if extent != Extent::Whole {
            return Some(extent);
        }
        self.at += 1;
        let found = walk.pieces[self.counted..].iter();
        self.layers += found.map(|piece| piece.layers as usize).sum::<usize>();
        self.counted = walk.pieces.len();
        if self.layers > self.most && self.cells > SEARCHED_WHOLE {
            if (self.tested..walk.pieces.len()).any(|piece| walk.is_flowing(tick, piece)) {
                return Some(Extent::Larger);
            }
            self.tested = walk.pieces.len();
        }
        (self.at == walk.pieces.len()).then_some(Extent::Whole)
    }

    /// Returns the pieces found, by index in the walk.
    pub(super) fn body(&self, walk: &Walk) -> Range<usize> {
        self.first..walk.pieces.len()
    }

    /// Returns the levels of a body that was found whole.
    pub(super) fn levels(&self) -> Levels {
        self.levels
    }
}
