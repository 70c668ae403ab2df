//! One face of a region: the ghosts of the neighbour there, the portals, and the account of the
//! face.

use crate::coords::{ChunkPos, ColumnPos, Cube, Face, Region, Shape};
use crate::regions::message::{Body, Content, Feed, Ghost, NOT_FED, Plane};
use crate::water::{FULL, Voxel};
use glam::IVec3;
use std::collections::{BTreeMap, BTreeSet};

/// A cell as a key in order of x, y, z.
pub(super) type Key = [i32; 3];

/// The most units of springs' water under way through one cell of a face: what a cell passes in
/// seven ticks. A spring's quota is half of the units that have arrived, so that it changes slowly.
/// Full throughput takes 13 arrived units, 7 that are sent, and 7 whose use is not reported yet.
/// The rest is for ticks in which a side passes less: with 35 in all, a fall lost 3 % of its water.
const UNDER_WAY: u64 = 49;

/// The number of ticks for which an outlet stays open when it is not wanted, so that a river that
/// is thin for a moment does not lose its way.
const IDLE_TICKS: u8 = 16;

/// The most units that a spring may have received and not given. An outlet sends no more than
/// [`UNDER_WAY`], and a few more if it was closed and opened again meanwhile.
const MOST_CREDIT: u64 = 2 * UNDER_WAY;

/// The most units that may have arrived at a face and still be in the portal: few enough that sums
/// do not overflow.
const MOST_ARRIVED: u64 = 1 << 48;

/// A spring beyond the face, which gives what the neighbour has sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inlet {
    /// Units that have arrived and have not been given yet.
    pub(super) credit: u64,
    /// The hops of the neighbour's cell that feeds the spring.
    pub(super) hops: u8,
    /// The quota of the last tick.
    pub(super) granted: u8,
}

impl Inlet {
    pub(super) fn quota(self) -> u8 {
        self.credit.div_ceil(2).min(7) as u8
    }

    fn is_lawful(self) -> bool {
        self.credit <= MOST_CREDIT && self.granted <= FULL
    }
}

/// A drain beyond the face, through which springs' water is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outlet {
    /// Units sent whose use the neighbour has not reported.
    pub(super) outstanding: u64,
    /// The hops of the cell at the face.
    pub(super) hops: u8,
    /// The number of ticks for which the outlet has not been wanted.
    pub(super) idle: u8,
    /// The quota of the last tick.
    pub(super) granted: u8,
}

impl Outlet {
    pub(super) fn new(hops: u8) -> Self {
        Outlet { hops, ..Outlet::default() }
    }

    pub(super) fn quota(self) -> u8 {
        UNDER_WAY.saturating_sub(self.outstanding).min(7) as u8
    }

    fn is_lawful(self) -> bool {
        self.outstanding <= UNDER_WAY && self.idle <= IDLE_TICKS && self.granted <= FULL
    }

    /// Returns the state except the units and the quota, for hashes.
    pub(super) fn hash(self) -> u64 {
        u64::from(self.hops) | u64::from(self.idle) << 8
    }

    /// Notes whether the outlet is wanted in this tick. Returns whether it is to be closed.
    pub(super) fn is_over(&mut self, wanted: Option<u8>) -> bool {
        match wanted {
            Some(hops) => (self.idle, self.hops) = (0, hops),
            None => self.idle += 1,
        }
        self.idle > IDLE_TICKS
    }
}

/// One face of a region.
#[derive(Clone, Debug)]
pub(super) struct RegionFace {
    pub(super) face: Face,
    /// The columns beyond the face in which chunks are loaded.
    pub(super) loaded: BTreeSet<ColumnPos>,
    /// The neighbour's open cells and ghosts as of the last tick.
    pub(super) open: BTreeMap<ChunkPos, [u16; 16]>,
    pub(super) ghosts: BTreeMap<Key, Ghost>,
    /// The bodies in the neighbour's last message with heads, and the ghosts in that message.
    pub(super) bodies: Vec<Body>,
    pub(super) headed: BTreeMap<Key, Ghost>,
    /// This region's own ghosts in its last message with heads.
    pub(super) own_ghosts: Vec<Ghost>,
    /// Units that have arrived for a cell and have not found room yet.
    pub(super) waiting: BTreeMap<Key, u64>,
    /// The units that the last sent message carried for each cell, which the neighbour's ghosts do
    /// not show yet.
    pub(super) pushed: BTreeMap<Key, u64>,
    /// Units from the neighbour's outlets that went into cells, not to a spring. They are to be
    /// reported as used.
    pub(super) used: BTreeMap<Key, u8>,
    /// The tick of the last received message.
    pub(super) received: Option<u64>,
    /// Springs and outlets, by the cell beyond the face that each is in.
    pub(super) inlets: BTreeMap<Key, Inlet>,
    pub(super) outlets: BTreeMap<Key, Outlet>,
    /// The account: the units sent, and the units that have arrived and left the portal.
    pub(super) passed_out: u64,
    pub(super) passed_in: u64,
}

impl RegionFace {
    pub(super) fn new(face: Face) -> Self {
        RegionFace {
            face,
            loaded: BTreeSet::new(),
            open: BTreeMap::new(),
            ghosts: BTreeMap::new(),
            bodies: Vec::new(),
            headed: BTreeMap::new(),
            own_ghosts: Vec::new(),
            waiting: BTreeMap::new(),
            pushed: BTreeMap::new(),
            used: BTreeMap::new(),
            received: None,
            inlets: BTreeMap::new(),
            outlets: BTreeMap::new(),
            passed_out: 0,
            passed_in: 0,
        }
    }

    /// Returns the units that have arrived at this face and are still in the portal.
    pub(super) fn under_way(&self) -> u64 {
        let credits = self.inlets.values().map(|inlet| inlet.credit);
        credits.chain(self.waiting.values().copied()).sum()
    }

    /// Returns the cells of the springs and outlets beyond the face.
    pub(super) fn portals(&self) -> impl Iterator<Item = IVec3> {
        self.inlets.keys().chain(self.outlets.keys()).map(|&cell| cell.into())
    }

    /// Returns the cell at the face that lies next to a cell beyond it.
    pub(super) fn inside(&self, beyond: Key) -> Key {
        (IVec3::from(beyond) - self.face.offset()).to_array()
    }

    /// Adds units that wait for room in a cell at the face.
    pub(super) fn wait(&mut self, cell: Key, units: u64) {
        if units > 0 {
            *self.waiting.entry(cell).or_default() += units;
        }
    }

    /// Returns whether, with the units of a message, no spring of this face holds more units than
    /// an outlet can have sent, and the portal holds no more units than can be counted.
    pub(super) fn has_room_for(&self, content: &Content) -> bool {
        let credit = |cell: IVec3| self.inlets.get(&cell.to_array()).map_or(0, |of| of.credit);
        let fed: u64 = content.feeds.iter().map(|feed| u64::from(feed.units)).sum();
        let sent: u64 = content.units.iter().map(|&(_, units)| units).sum();
        let is_within = |feed: &Feed| credit(feed.cell) + u64::from(feed.units) <= MOST_CREDIT;
        content.feeds.iter().all(is_within) && self.under_way() + fed + sent <= MOST_ARRIVED
    }

    /// Takes over the ghosts, heads and units of a message. The caller takes over the springs.
    pub(super) fn take_over(&mut self, content: &Content) {
        self.received = Some(content.tick);
        self.open = content.open.iter().copied().collect();
        self.loaded = self.columns_open();
        self.ghosts = by_cell(content.ghosts.clone());
        if content.has_heads {
            self.bodies.clone_from(&content.bodies);
            self.headed.clone_from(&self.ghosts);
        }
        for &(cell, units) in &content.units {
            self.wait(cell.to_array(), units);
        }
        let beyond = self.face.offset();
        for &(cell, units) in &content.used {
            if let Some(outlet) = self.outlets.get_mut(&(cell + beyond).to_array()) {
                // An outlet that was closed and opened again has sent fewer units.
                outlet.outstanding -= u64::from(units).min(outlet.outstanding);
            }
        }
    }

    /// Returns whether this can be the state of the face of a region that has the cells `area`, has
    /// run `ticks` ticks, and named `bodies` bodies in its last message with heads.
    pub(super) fn is_lawful(&self, area: Region, ticks: u64, bodies: usize) -> bool {
        let plane = Plane::new(self.face, area);
        let is_own = |cell: &Key| plane.is_own((*cell).into());
        let is_beyond = |cell: &Key| plane.is_beyond((*cell).into());
        let ghosts = self.ghosts.iter().chain(&self.headed);
        let has_received = self.received.is_some_and(|tick| tick <= ticks);
        let has_none = self.open.is_empty() && self.ghosts.is_empty() && self.headed.is_empty();
        (has_received || self.received.is_none() && has_none && self.bodies.is_empty())
            && self.open.keys().all(|&chunk| plane.has_chunk_beyond(chunk))
            && { ghosts }.all(|(cell, of)| is_beyond(cell) && of.is_lawful(self.bodies.len()))
            && self.bodies.iter().all(Body::is_lawful)
            && self.own_ghosts.iter().all(|of| plane.is_own(of.cell) && of.is_lawful(bodies))
            && self.waiting.iter().all(|(cell, &units)| is_own(cell) && units > 0)
            && self.pushed.iter().all(|(cell, &units)| is_beyond(cell) && units > 0)
            && self.used.iter().all(|(cell, units)| is_beyond(cell) && (1..=FULL).contains(units))
            && self.inlets.iter().all(|(cell, of)| is_beyond(cell) && of.is_lawful())
            && self.outlets.iter().all(|(cell, of)| is_beyond(cell) && of.is_lawful())
            && !self.inlets.keys().any(|cell| self.outlets.contains_key(cell))
            && self.arrived().is_some_and(|units| units <= MOST_ARRIVED)
    }

    /// Returns the units that have arrived and are in the portal; `None` if their sum overflows.
    fn arrived(&self) -> Option<u64> {
        let credits = self.inlets.values().map(|inlet| inlet.credit);
        let mut units = credits.chain(self.waiting.values().copied());
        units.try_fold(0_u64, |sum, units| sum.checked_add(units))
    }

    /// Returns the columns of the chunks that the last message has named.
    pub(super) fn columns_open(&self) -> BTreeSet<ColumnPos> {
        self.open.keys().map(|chunk| chunk.column()).collect()
    }

    /// Returns whether a cell of the neighbour at the face is loaded and not ground.
    pub(super) fn is_open(&self, cell: IVec3) -> bool {
        let rows = self.open.get(&Cube::chunk_of(cell));
        let [column, row] = along(self.face, cell);
        rows.is_some_and(|rows| rows[row] >> column & 1 != 0)
    }

    /// Returns the neighbour's voxel in an open cell at the face, including the units under way to
    /// it.
    pub(super) fn beyond(&self, cell: IVec3) -> Voxel {
        let ghost = self.ghosts.get(&cell.to_array());
        let voxel = ghost.map_or(Voxel::OPEN, |ghost| Voxel::from_raw(ghost.word));
        let pushed = self.pushed.get(&cell.to_array()).map_or(0, |&units| units.min(7) as u8);
        match voxel.is_mark() {
            true => voxel,
            false => voxel.with_height(7.min(voxel.height() + pushed)),
        }
    }

    /// Returns the neighbour's ghost of a cell in the last message with heads.
    pub(super) fn headed(&self, cell: IVec3) -> Option<&Ghost> {
        self.headed.get(&cell.to_array())
    }

    /// Returns the hops of the neighbour's cell; [`NOT_FED`] if it has none.
    pub(super) fn hops(&self, cell: IVec3) -> u8 {
        self.ghosts.get(&cell.to_array()).map_or(NOT_FED, |ghost| ghost.hops)
    }
}

/// Returns a map from the cell of each ghost to the ghost.
pub(super) fn by_cell(ghosts: Vec<Ghost>) -> BTreeMap<Key, Ghost> {
    ghosts.into_iter().map(|ghost| (ghost.cell.to_array(), ghost)).collect()
}

/// Returns where a cell at a face is in its chunk: its place along the face, and its layer.
pub(super) fn along(face: Face, cell: IVec3) -> [usize; 2] {
    let axis = if face.offset().x != 0 { cell.z } else { cell.x };
    [(axis & 15) as usize, (cell.y & 15) as usize]
}
