//! A layer of a chunk as bit masks for the pools: which cells belong to a body, and where a body
//! may give and take water.

use crate::chunk::LayerMask;
use crate::coords::Face;
use crate::grid::LayerId;
use crate::water::cell::FULL;
use crate::water::flow::fallen;
use crate::water::scratch::Tick;
use crate::water::store::faces::nothing;
use crate::water::store::sea::SeaLevels;
use crate::water::store::{LayerState, head};
use crate::water::voxel::Voxel;

/// A layer of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Layer {
    pub(crate) layer: LayerId,
    pub(crate) wet: LayerMask,
    pub(crate) full: LayerMask,
    /// The cells of bodies: wet cells that the [store](crate::water::store::Store::supported) calls
    /// supported, except shallows and falls. Springs belong to the bodies that they join, but have
    /// no surface. Shallows are partly filled cells on solid ground that a spring feeds, and that
    /// draw from it; they belong to no body.
    pub(crate) supported: LayerMask,
    /// The open cells with room that belong to no body, shallows left out.
    pub(crate) gaps: LayerMask,
    /// Partly filled cells on solid ground that a spring feeds.
    pub(crate) shallows: LayerMask,
    /// The cells on solid ground that a spring feeds; the spring also feeds the gaps beside them.
    grounded: LayerMask,
}

/// The cells of a piece that give or take water.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rim {
    /// Cells with a surface: all cells except the coast and full cells below other water.
    pub(crate) givers: LayerMask,
    /// Cells that are not full.
    pub(crate) partial: LayerMask,
    /// Full cells below an open, dry cell.
    pub(crate) lifting: LayerMask,
    /// For each lateral face, the cells that may fill a gap across it.
    pub(crate) beside: [LayerMask; 4],
    /// For each lateral face, the cells with a shallow across it, which takes water above its
    /// layer.
    pub(crate) beside_shallows: [LayerMask; 4],
    /// For each lateral face, the cells on solid ground that a spring feeds and that have a gap
    /// across the face. The gap takes water above their layer.
    pub(crate) beside_lanes: [LayerMask; 4],
    /// Cells below a spring.
    pub(crate) below_springs: LayerMask,
    /// For each lateral face, the cells with a spring across it.
    pub(crate) beside_springs: [LayerMask; 4],
    /// The levels at which the sea beside the piece gives and takes.
    pub(crate) sea: Option<SeaLevels>,
}

impl Layer {
    /// Returns the supported cells among `inside` that are joined to `from` within the layer.
    pub(crate) fn joined(&self, from: LayerMask, inside: LayerMask) -> LayerMask {
        from.flood(inside & self.supported)
    }
}

impl Rim {
    /// Returns whether no cell gives or takes.
    pub(crate) fn is_empty(&self) -> bool {
        self.givers.is_empty()
            && self.partial.is_empty()
            && self.sea.is_none()
            && LayerMask::union(self.beside_shallows).is_empty()
            && LayerMask::union(self.beside_lanes).is_empty()
            && !self.has_springs()
    }

    /// Returns whether a spring is above or beside a cell.
    fn has_springs(&self) -> bool {
        (self.below_springs | LayerMask::union(self.beside_springs)).any()
    }
}

/// All faces, in the order in which pieces of bodies are joined across them.
pub(crate) const AROUND: [Face; 6] =
    [Face::West, Face::East, Face::North, Face::South, Face::Up, Face::Down];

/// Returns the layer across a face of `cells`, with the cells there that are joined to `cells` if
/// they are supported; `None` if there are none.
#[inline]
pub(crate) fn contact(
    tick: &Tick,
    layer: LayerId,
    face: Face,
    cells: LayerMask,
) -> Option<(LayerId, LayerMask)> {
    let joints = tick.store.joints(layer, face, cells);
    if joints.is_empty() {
        return None;
    }
    Some((tick.store.layer_across(layer, face)?, joints))
}

/// The least level at which a cell takes water and the greatest level at which a cell gives water,
/// in units above y = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Levels {
    /// No level.
    pub(crate) const NONE: Levels = Levels { low: i64::MAX, high: i64::MIN };

    /// Any level: the bounds are not known.
    pub(crate) const ANY: Levels = Levels { low: i64::MIN, high: i64::MAX };

    pub(crate) fn and(self, other: Levels) -> Levels {
        Levels { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Returns whether the greatest level is at least `step` above the least.
    pub(crate) fn differ_by(self, step: i64) -> bool {
        self.high.saturating_sub(step) >= self.low
    }
}

/// Returns the masks of a layer.
pub(crate) fn look(tick: &Tick, layer: LayerId) -> Layer {
    let state = tick.store.layer(layer);
    let LayerState { wet, closed } = state;
    let (mut supported, mut shallows) = (LayerMask::NONE, LayerMask::NONE);
    let mut grounded = LayerMask::NONE;
    if wet.any() {
        supported = wet & tick.store.supported(layer);
        let connected = tick.store.connected(layer);
        if connected.any() {
            grounded = connected - tick.store.over_water(layer);
            shallows = (grounded & supported) - closed;
            supported -= shallows;
        }
    }
    // A fall is not standing water, and only the cell at its foot takes its water.
    let fallen = fallen(tick, layer);
    supported -= fallen;
    let gaps = !(closed | supported | shallows | fallen) - tick.store.drains(layer);
    Layer { layer, wet, full: state.full(), supported, gaps, shallows, grounded }
}

/// Returns the y of a layer.
pub(crate) fn y_of(tick: &Tick, layer: LayerId) -> i32 {
    tick.store.layer_y(layer)
}

/// Returns where cells of a layer give and take. `look` returns the masks of a neighbouring layer.
pub(crate) fn rim(
    tick: &Tick,
    at: &Layer,
    cells: LayerMask,
    mut look: impl FnMut(LayerId) -> Layer,
) -> Rim {
    let cells = cells - tick.store.springs(at.layer);
    let springs = |layer| springs_that_give(tick, layer);
    let [covered, dry_above, springs_above] = tick.store.vertical(
        at.layer,
        Face::Up,
        |layer| {
            let above = look(layer);
            [above.wet, above.gaps - above.wet, springs(layer)]
        },
        nothing,
    );
    let coast = tick.store.coast_in(at.layer) & cells;
    let partial = cells - at.full;
    // Beside cells under other water, only the flow feeds gaps, so that falls do not push water out
    // of their sides.
    let pushing = cells - (covered | at.grounded);
    let own = [at.gaps, at.shallows, springs(at.layer)];
    let of = |layer| {
        let there = look(layer);
        [there.gaps, there.shallows, springs(layer)]
    };
    let [gaps, beside_shallows, beside_springs] =
        tick.store.beside(at.layer, cells, own, of, nothing);
    Rim {
        givers: cells - ((at.full & covered) | coast),
        partial,
        lifting: cells & at.full & dry_above,
        beside: gaps.map(|gaps| gaps & pushing),
        beside_shallows,
        beside_lanes: gaps.map(|gaps| (gaps & at.grounded) - covered),
        below_springs: cells & springs_above,
        beside_springs,
        sea: coast.any().then(|| tick.store.sea_levels(at.layer, coast)).flatten(),
    }
}

fn springs_that_give(tick: &Tick, layer: LayerId) -> LayerMask {
    if tick.limits.supply == 0 { LayerMask::NONE } else { tick.store.springs(layer) }
}

/// Returns the levels at which the cells of a rim give and take.
pub(crate) fn levels_of(tick: &Tick, at: &Layer, rim: &Rim) -> Levels {
    let y = y_of(tick, at.layer);
    let mut levels = Levels::NONE;
    let tops = rim.givers & at.full;
    if rim.partial.any() {
        let [least, greatest] = extremes(tick, at, rim.partial);
        levels = Levels { low: head(y, least), high: head(y, greatest) };
    }
    if tops.any() {
        levels.high = head(y, FULL);
    }
    if LayerMask::union(rim.beside).any() {
        levels.low = head(y, 0);
    } else if (rim.lifting
        | LayerMask::union(rim.beside_shallows)
        | LayerMask::union(rim.beside_lanes))
    .any()
    {
        levels.low = levels.low.min(head(y, FULL));
    }
    if rim.below_springs.any() {
        levels.high = levels.high.max(spring_level(y + 1));
    } else if rim.has_springs() {
        levels.high = levels.high.max(spring_level(y));
    }
    match &rim.sea {
        Some(sea) => levels.and(Levels { low: sea.low.0, high: sea.high.0 }),
        None => levels,
    }
}

/// Returns, for each bit of a height, the cells that have it; valid only for the cells in `cells`.
pub(crate) fn heights(tick: &Tick, at: &Layer, cells: LayerMask) -> [LayerMask; 3] {
    match tick.store.cells(at.layer) {
        Some(voxels) if cells.is_sparse() => {
            let mut planes = [LayerMask::NONE; 3];
            for cell in cells.iter() {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    if voxels[cell].height() >> bit & 1 != 0 {
                        plane.insert(cell);
                    }
                }
            }
            planes
        }
        Some(voxels) => LayerMask::planes(voxels, Voxel::height),
        None => {
            let height = tick.store.grid().chunk_at(at.layer.slot).get(0).height();
            [0, 1, 2].map(|bit| LayerMask::all_if(height >> bit & 1 != 0))
        }
    }
}

/// Returns the least and the greatest height among cells of a layer.
fn extremes(tick: &Tick, at: &Layer, cells: LayerMask) -> [u8; 2] {
    let planes = heights(tick, at, cells);
    let extreme = |greatest: bool| {
        let (mut left, mut height) = (cells, 0);
        for (bit, &plane) in planes.iter().enumerate().rev() {
            let (with, without) = (left & plane, left - plane);
            let is_set = if greatest { with.any() } else { without.is_empty() };
            left = if is_set { with } else { without };
            height |= u8::from(is_set) << bit;
        }
        height
    };
    [extreme(false), extreme(true)]
}

/// Returns the level of a spring at this y, in units. A spring lifts water up to its cell. Its
/// level is one unit higher, since surfaces that differ by one are at rest.
pub(crate) fn spring_level(y: i32) -> i64 {
    head(y, 0) + 1
}

/// Returns the cells among `cells` with this height, by the planes of their heights.
pub(crate) fn of_height(planes: &[LayerMask; 3], cells: LayerMask, height: u8) -> LayerMask {
    planes.iter().enumerate().fold(cells, |cells, (bit, &plane)| {
        if height >> bit & 1 != 0 { cells & plane } else { cells - plane }
    })
}
