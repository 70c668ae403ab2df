//! One region: a water world, and its faces. A tick of the region delivers what has arrived, steps
//! the world, and collects what is to be sent.

mod exchange;
pub(in crate::regions) mod laws;

#[cfg(feature = "snapshot")]
pub(super) use laws::unsupported;

use crate::coords::{ChunkPos, ColumnPos, Cube, Face, Region, Shape};
use crate::regions::face::{Inlet, Key, RegionFace};
use crate::regions::message::{Body, Content, Feed, Ghost, NO_BODY, NOT_FED};
use crate::regions::region::exchange::Contact;
use crate::rules_error::RulesError;
use crate::simulation::StepReport;
use crate::state_hash::hash_of;
use crate::water::query::heads::{Heads, heads_at};
use crate::water::{Edge, FULL, Ledger, Rules, Voxel, WaterWorld};
use glam::{IVec2, IVec3};
use std::collections::{BTreeMap, BTreeSet};

/// The most cells of a body that are searched for its surfaces.
const REACH: usize = 1 << 20;

/// The number of ticks from one exchange by heads to the next: a message, a tick in which the units
/// arrive, one in which the body levels, and a message back. So no exchange counts units that are
/// under way.
pub(super) const HEADS_PERIOD: u64 = 4;

/// The area that stands for the sea, in cells: much more than the area of any body.
const SEA_AREA: i64 = 1 << 24;

/// One region of a divided world.
pub(super) struct WaterRegion {
    pub(super) at: IVec2,
    pub(super) world: WaterWorld,
    /// The region's own cells.
    pub(super) area: Region,
    /// The region's own chunks that are loaded.
    pub(super) chunks: BTreeSet<ChunkPos>,
    /// The lateral faces with a region beyond.
    pub(super) faces: Vec<RegionFace>,
    /// The entries of the world's ledger that were made for portals.
    pub(super) portals: Ledger,
    /// The heads of the bodies at the region's faces, as last sent.
    pub(super) bodies: Vec<Heads>,
    /// The columns beyond the region's faces at which water is held.
    pub(super) held: BTreeSet<ColumnPos>,
}

/// Returns the cells of the region at `at` in a world of these bounds; `None` if the region has no
/// cells.
pub(super) fn area_of(at: IVec2, bounds: Region, side: i32) -> Option<Region> {
    let first = |axis: i32| i32::try_from(i64::from(axis) * i64::from(side)).ok();
    let min = IVec3::new(first(at.x)?, i32::MIN, first(at.y)?);
    let last = |axis: i32| axis.saturating_add(side - 1);
    let max = IVec3::new(last(min.x), i32::MAX, last(min.z));
    Region::new(min, max).intersection(&bounds)
}

/// Returns the rules for a region: the edges at `faces`, beyond which there are other regions, are
/// drains, as outlets need.
pub(super) fn rules_of(rules: &Rules, faces: &[Face]) -> Rules {
    let edges = faces.iter().fold(rules.edges, |edges, &face| edges.with(face, Edge::Drain));
    Rules { edges, ..*rules }
}

impl WaterRegion {
    /// Returns a region without chunks. `bounds` are the bounds of the divided world.
    pub(super) fn new(
        at: IVec2,
        (seed, rules): (u64, &Rules),
        bounds: Region,
        side: i32,
    ) -> Result<Self, RulesError> {
        let area = area_of(at, bounds, side).unwrap_or(bounds);
        let is_inner = |&face: &Face| match face {
            Face::West => area.min().x > bounds.min().x,
            Face::East => area.max().x < bounds.max().x,
            Face::North => area.min().z > bounds.min().z,
            _ => area.max().z < bounds.max().z,
        };
        let faces: Vec<Face> = Face::LATERAL.into_iter().filter(is_inner).collect();
        let (mut min, mut max) = (area.min(), area.max());
        for face in &faces {
            let beyond = face.offset();
            min += beyond.min(IVec3::ZERO);
            max += beyond.max(IVec3::ZERO);
        }
        let world = WaterWorld::with_bounds(seed, rules_of(rules, &faces), Region::new(min, max))?;
        let faces = faces.into_iter().map(RegionFace::new).collect();
        let mut region = WaterRegion {
            at,
            world,
            area,
            chunks: BTreeSet::new(),
            faces,
            portals: Ledger::default(),
            bodies: Vec::new(),
            held: BTreeSet::new(),
        };
        for number in 0..region.faces.len() {
            let beyond = region.columns_beyond(region.faces[number].face);
            region.faces[number].loaded = beyond;
        }
        region.hold();
        Ok(region)
    }

    /// Returns the columns beyond the faces that are loaded in the neighbours, and the columns
    /// around portals. Before the first message, all columns beyond a face count as loaded.
    pub(super) fn columns_to_hold(&self) -> BTreeSet<ColumnPos> {
        let loaded = self.faces.iter().flat_map(|face| face.loaded.iter().copied());
        let portals = self.faces.iter().flat_map(RegionFace::portals);
        let around = portals.flat_map(|cell| self.columns_around(cell));
        loaded.chain(around).collect()
    }

    /// Holds water at the columns to hold; the edges of the rules apply at all other columns beyond
    /// the faces.
    fn hold(&mut self) {
        let held = self.columns_to_hold();
        for &column in self.held.symmetric_difference(&held) {
            self.world.set_edge(column, held.contains(&column).then_some(Edge::Held));
        }
        self.held = held;
    }

    /// Returns the columns of chunks beyond a face.
    fn columns_beyond(&self, face: Face) -> BTreeSet<ColumnPos> {
        let [min, max] = [self.area.min(), self.area.max()].map(|cell| cell >> IVec3::splat(4));
        let beyond = face.offset();
        let columns = (min.x..=max.x).flat_map(|x| (min.z..=max.z).map(move |z| (x, z)));
        let outside = columns.map(|(x, z)| (x + beyond.x, z + beyond.z));
        let is_outside =
            |&(x, z): &(i32, i32)| !(min.x..=max.x).contains(&x) || !(min.z..=max.z).contains(&z);
        outside.filter(is_outside).map(|(x, z)| ColumnPos::new(x, z)).collect()
    }

    /// Returns the ledger without the entries of portals.
    pub(super) fn ledger(&self) -> Ledger {
        self.world.ledger().since(&self.portals)
    }

    /// Returns the units in the region's cells and outlets, and the units under way in its portals.
    pub(super) fn total(&self) -> u64 {
        let in_faces = self
            .faces
            .iter()
            .map(|face| face.under_way() as i64 - i64::from(FULL) * face.inlets.len() as i64);
        self.world.total().saturating_add_signed(in_faces.sum())
    }

    /// Returns the hash of the region and its portals.
    pub(super) fn hash(&self) -> u64 {
        hash_of(|hash| {
            hash.add_position(self.at.extend(0));
            hash.add(self.world.state_hash());
            for face in &self.faces {
                let mut add = |cell: &Key, value: u64| {
                    hash.add_position((*cell).into());
                    hash.add(value);
                };
                face.waiting.iter().for_each(|(cell, &units)| add(cell, units));
                face.inlets.iter().for_each(|(cell, inlet)| add(cell, inlet.credit));
                face.outlets.iter().for_each(|(cell, outlet)| add(cell, outlet.outstanding));
                face.inlets.values().for_each(|inlet| hash.add(inlet.hops.into()));
                face.outlets.values().for_each(|outlet| hash.add(outlet.hash()));
                hash.add(face.passed_in);
                hash.add(face.passed_out);
            }
        })
    }

    /// Takes over a message of the neighbour across a face, which has been checked.
    pub(super) fn receive(&mut self, number: usize, content: &Content) {
        let face = &mut self.faces[number];
        face.take_over(content);
        let fed: BTreeMap<Key, Feed> =
            content.feeds.iter().map(|&feed| (feed.cell.to_array(), feed)).collect();
        let inlets = &self.faces[number].inlets;
        let over: Vec<Key> =
            inlets.keys().filter(|cell| !fed.contains_key(*cell)).copied().collect();
        over.into_iter().for_each(|cell| self.close_inlet(number, cell));
        for (cell, feed) in fed {
            self.feed_inlet(number, cell, feed);
        }
        self.hold();
    }

    /// Enters what an outlet of the neighbour has sent, for a spring beyond the face. If this
    /// region has an outlet in the place of that spring, the units go to the cell at the face, and
    /// count as used.
    fn feed_inlet(&mut self, number: usize, cell: Key, feed: Feed) {
        let face = &mut self.faces[number];
        if !face.outlets.contains_key(&cell)
            && !face.inlets.contains_key(&cell)
            && self.world.open_portal(cell.into(), true).is_ok()
        {
            self.portals.injected += u64::from(FULL);
            face.inlets.insert(cell, Inlet::default());
        }
        match face.inlets.get_mut(&cell) {
            Some(inlet) => {
                inlet.credit += u64::from(feed.units);
                inlet.hops = feed.hops;
            }
            None if feed.units > 0 => {
                face.wait(face.inside(cell), feed.units.into());
                face.used.insert(cell, feed.units);
            }
            None => {}
        }
    }

    /// Closes a spring beyond a face. The units that it has not given go to the cell at the face.
    fn close_inlet(&mut self, number: usize, cell: Key) {
        let face = &mut self.faces[number];
        let Some(inlet) = face.inlets.remove(&cell) else { return };
        face.wait(face.inside(cell), inlet.credit);
        let units = self.world.close_portal(cell.into()).unwrap_or_default();
        self.portals.removed += u64::from(units);
    }

    /// Returns the column of a portal and the four columns beside it, without the region's own
    /// columns. Water is held at them, so that none passes from one to another.
    fn columns_around(&self, portal: IVec3) -> impl Iterator<Item = ColumnPos> + use<> {
        let column = Cube::chunk_of(portal).column();
        let area = self.area;
        let is_beyond = move |column: &ColumnPos| {
            let first = IVec3::new(column.x * 16, area.min().y, column.z * 16);
            !area.contains(first)
        };
        let around = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
        let columns = around.map(|(x, z)| ColumnPos::new(column.x + x, column.z + z));
        columns.into_iter().filter(is_beyond)
    }

    /// Does the tick, and returns what is to be sent across each face.
    pub(super) fn step(&mut self) -> (StepReport, Vec<(Face, Content)>) {
        let mut contents: Vec<Content> = self.faces.iter().map(|_| Content::default()).collect();
        for (number, content) in contents.iter_mut().enumerate() {
            self.deliver(number, content);
            self.grant(number);
        }
        let tick = self.world.ticks();
        let report = self.world.step();
        for (number, content) in contents.iter_mut().enumerate() {
            self.collect(number, content);
        }
        if tick.is_multiple_of(HEADS_PERIOD) {
            self.exchange(tick / HEADS_PERIOD, &mut contents);
        }
        for (number, content) in contents.iter_mut().enumerate() {
            self.flow_out(number, content);
        }
        contents.iter_mut().enumerate().for_each(|(number, content)| self.observe(number, content));
        if tick % HEADS_PERIOD == HEADS_PERIOD - 1 {
            self.send_heads(&mut contents);
        }
        for (number, content) in contents.iter_mut().enumerate() {
            self.link(number, content);
            let face = &mut self.faces[number];
            face.pushed =
                content.units.iter().map(|&(cell, units)| (cell.to_array(), units)).collect();
            face.passed_out += content.units.iter().map(|&(_, units)| units).sum::<u64>();
            if content.has_heads {
                face.own_ghosts.clone_from(&content.ghosts);
            }
        }
        let faces: Vec<Face> = self.faces.iter().map(|of| of.face).collect();
        (report, faces.into_iter().zip(contents).collect())
    }

    /// Puts the units that have arrived into their cells, and the units for which a cell has no
    /// room into the body of the cell. Units that cannot be poured into their cell at all are sent
    /// back.
    fn deliver(&mut self, number: usize, content: &mut Content) {
        let face = &mut self.faces[number];
        let beyond = face.face.offset();
        for (cell, units) in core::mem::take(&mut face.waiting) {
            let Ok(poured) = self.world.pour(cell.into(), units.min(u32::MAX.into()) as u32) else {
                content.units.push((IVec3::from(cell) + beyond, units));
                face.passed_in += units;
                continue;
            };
            let mut placed = u64::from(poured);
            if placed < units {
                let rest = (units - placed).min(u32::MAX.into()) as u32;
                placed += u64::from(self.world.fill_body(cell.into(), rest).unwrap_or_default());
            }
            face.passed_in += placed;
            self.portals.placed += placed;
            let left = units - placed;
            if left > 0 {
                face.waiting.insert(cell, left);
            }
        }
    }

    /// Sets the quotas of the portals of a face.
    fn grant(&mut self, number: usize) {
        let face = &mut self.faces[number];
        for (cell, inlet) in &mut face.inlets {
            inlet.granted = inlet.quota();
            self.world.set_quota((*cell).into(), inlet.granted);
        }
        for (cell, outlet) in &mut face.outlets {
            outlet.granted = outlet.quota();
            self.world.set_quota((*cell).into(), outlet.granted);
        }
    }

    /// Enters the units that the portals of a face have passed in the tick.
    fn collect(&mut self, number: usize, content: &mut Content) {
        let face = &mut self.faces[number];
        let beyond = face.face.offset();
        for (cell, inlet) in &mut face.inlets {
            let used = self.world.passed_portal((*cell).into());
            let left = inlet.credit.checked_sub(used.into());
            inlet.credit = left.unwrap_or_else(|| unreachable!("a spring gives within its quota"));
            face.passed_in += u64::from(used);
            self.portals.injected += u64::from(used);
            if used > 0 {
                content.used.push(((*cell).into(), used));
            }
        }
        content
            .used
            .extend(core::mem::take(&mut face.used).into_iter().map(|(at, of)| (at.into(), of)));
        for (cell, outlet) in &mut face.outlets {
            let units = self.world.passed_portal((*cell).into());
            outlet.outstanding += u64::from(units);
            face.passed_out += u64::from(units);
            self.portals.drained += u64::from(units);
            let cell = IVec3::from(*cell) - beyond;
            content.feeds.push(Feed { cell, hops: outlet.hops, units });
        }
    }

    /// Adds the ghosts of the cells at a face.
    fn observe(&self, number: usize, content: &mut Content) {
        let face = self.faces[number].face;
        for chunk in self.chunks_at(face) {
            let mut rows = [0; 16];
            for (layer, row) in rows.iter_mut().enumerate() {
                for column in 0..16 {
                    let cell = self.cell_at(face, Cube::cell_at(chunk, 0), [column, layer]);
                    let Some(voxel) = self.world.voxel_now(cell) else { continue };
                    let is_open = !voxel.is_mark() || voxel.is_sea();
                    *row |= u16::from(is_open) << column;
                    if is_open && voxel != Voxel::OPEN {
                        let hops = if voxel.is_connected() { self.hops(cell) } else { NOT_FED };
                        let word = voxel.word();
                        content.ghosts.push(Ghost { cell, word, hops, body: NO_BODY });
                    }
                }
            }
            content.open.push((chunk, rows));
        }
    }

    /// Finds the bodies and seas at the faces. Adds their heads, and the heads of the bodies behind
    /// them, to the message to each neighbour.
    fn send_heads(&mut self, contents: &mut [Content]) {
        let ghosts = || contents.iter().flat_map(|content| &content.ghosts);
        let cells: Vec<IVec3> = ghosts().map(|ghost| ghost.cell).collect();
        let (mut numbers, mut bodies) =
            heads_at(&self.world, &cells, REACH, |cell| self.area.contains(cell));
        for (ghost, number) in ghosts().zip(&mut numbers) {
            if Voxel::from_raw(ghost.word).is_sea() {
                *number = Some(self.sea(ghost.cell, &mut bodies));
            }
        }
        let ghosts = contents.iter_mut().flat_map(|content| &mut content.ghosts);
        for (ghost, number) in ghosts.zip(numbers) {
            ghost.body = number.map_or(NO_BODY, |number| number as u32);
        }
        let contacts: Vec<Vec<Contact>> = (0..contents.len())
            .map(|number| self.contacts(number, &contents[number].ghosts))
            .collect();
        for (number, content) in contents.iter_mut().enumerate() {
            content.has_heads = true;
            content.bodies = bodies.iter().map(|&own| Body::new(own)).collect();
            for other in (0..contacts.len()).filter(|&other| other != number) {
                for contact in &contacts[other] {
                    if let Some(there) = self.faces[other].bodies.get(contact.other) {
                        content.bodies[contact.own].add(there);
                    }
                }
            }
        }
        self.bodies = bodies;
    }

    /// Returns the number of the body that stands for the sea at a cell, by the sea's level. Adds
    /// the body if it is new.
    fn sea(&self, mut cell: IVec3, bodies: &mut Vec<Heads>) -> usize {
        let is_sea = |cell: &IVec3| self.world.voxel_now(*cell).is_some_and(Voxel::is_sea);
        while let Some(above) = Face::Up.step(cell).filter(is_sea) {
            cell = above;
        }
        let level = i64::from(FULL) * (i64::from(cell.y) + 1);
        let heads = Heads { low: level, high: level, sum: level * SEA_AREA, area: SEA_AREA };
        bodies.iter().position(|&of| of == heads).unwrap_or_else(|| {
            bodies.push(heads);
            bodies.len() - 1
        })
    }

    /// Returns how many faces lie between a connected cell and the spring at its root, or
    /// [`NOT_FED`].
    fn hops(&self, cell: IVec3) -> u8 {
        let Some(root) = self.world.root_of(cell) else { return NOT_FED };
        if self.area.contains(root) {
            return 0;
        }
        let inlet = self.faces.iter().find_map(|face| face.inlets.get(&root.to_array()));
        inlet.map_or(NOT_FED, |inlet| inlet.hops.saturating_add(1))
    }

    /// Returns the chunks of the region at a face, in order.
    fn chunks_at(&self, face: Face) -> Vec<ChunkPos> {
        let (min, max) = (self.area.min(), self.area.max());
        let is_at = |chunk: &&ChunkPos| match face {
            Face::West => chunk.x == min.x >> 4,
            Face::East => chunk.x == max.x >> 4,
            Face::North => chunk.z == min.z >> 4,
            _ => chunk.z == max.z >> 4,
        };
        self.chunks.iter().filter(is_at).copied().collect()
    }

    /// Returns the cell at a face, by column and layer, of the chunk whose first cell is `first`.
    fn cell_at(&self, face: Face, first: IVec3, [column, layer]: [usize; 2]) -> IVec3 {
        let (min, max) = (self.area.min(), self.area.max());
        let (along, y) = (column as i32, first.y + layer as i32);
        match face {
            Face::West => IVec3::new(min.x, y, first.z + along),
            Face::East => IVec3::new(max.x, y, first.z + along),
            Face::North => IVec3::new(first.x + along, y, min.z),
            _ => IVec3::new(first.x + along, y, max.z),
        }
    }

    /// Takes units out of a cell at a face.
    fn take(&mut self, cell: IVec3, units: u32) -> u64 {
        let taken = self.world.scoop(cell, units).map_or(0, u64::from);
        self.note_taken(taken);
        taken
    }

    /// Notes units that the ledger has entered as removed but that went into a portal.
    fn note_taken(&mut self, units: u64) {
        self.portals.removed += units;
    }
}
