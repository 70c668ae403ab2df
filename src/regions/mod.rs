//! Water over regions: a world of water that is divided into regions of fixed size, so that each
//! region can be stepped apart, in this process or another.
//!
//! Inside a region the tick is that of [`WaterWorld`]. Over a face between two regions water passes
//! by *portals*, with a delay of one tick: after a tick each region sends its neighbours one
//! [message](FaceMessage) a face, and nothing else passes. So the size of the regions is part of
//! the rules: the same size gives the same bytes on any number of processes, and another size gives
//! other bytes.
//!
//! | what passes | how |
//! |---|---|
//! | local flow | by the rule of the kernel into ghost voxels: the ground and water of the neighbour's cells at the face, as of the last tick |
//! | water of springs | a connected cell at the face feeds the cell beyond: an outlet on this side is an end of steady flow, and a spring on the other side gives what the outlet has sent; both have quotas (credit-based flow control) |
//! | pressure | every fourth tick, bodies that touch across the face exchange an eighth of what would bring them to one level, by the heads that both have sent |
//!
//! Units that were sent and have not found room are *under way*, and are in the sum of all units.
//! Each face has an [account](Account): after every tick, the units sent are the units received and
//! under way.
//!
//! # Saves, and regions that change their process
//!
//! With the feature `snapshot`, a region is a [record](RegionRecord): its water, what is under way,
//! its portals and its accounts. [`take_region`](RegionWorld::take_region) takes a region out,
//! [`insert_region`](RegionWorld::insert_region) puts it into the world of another process, and all
//! later bytes and messages are the same as if the region had stayed. [`save`](RegionWorld::save)
//! writes all regions that are here. If the [`WaterWorld`] of one region is saved alone, its
//! portals become springs without a quota, and what is under way is missing.
//!
//! # Limits
//!
//! - A face where no chunk of the neighbour is loaded counts as an edge of the loaded chunks once
//!   the neighbour has sent a message. A region that has never had a chunk sends no message, and
//!   water is held there.
//! - Springs' water crosses 64 faces at most; farther on, water passes by local flow alone.
//! - A body at a face that has more than 2²⁰ cells exchanges no water by its head.
//! - Steady flow is a max flow within a region. Between regions it is what outlets get and springs
//!   use, so shares at a fork across several regions may differ from those of an undivided world.
//! - Valves and taps do not act over a border. A [`drain_body`](WaterWorld::drain_body) that
//!   reaches a portal takes what it asks for, as it does from a spring.
//! - The cells of a face are visited in every tick, and the bodies at it in every fourth tick, also
//!   while nothing moves.
//!
//! | file | what |
//! |---|---|
//! | `region` | one region: what arrives, the tick, and what is sent |
//! | `region/exchange` | what leaves across a face, and where springs' water is sent |
//! | `face` | one face: ghosts, portals, account |
//! | `region/laws` | the laws of a region between two ticks |
//! | `message`, `bytes` | [`FaceMessage`]; what messages and records consist of, as bytes |
//! | `record`, `saves` | [`RegionRecord`]; regions taken out and put in, worlds saved and loaded |
//! | `error` | [`RegionError`] |

mod bytes;
mod error;
mod face;
mod message;
#[cfg(feature = "snapshot")]
mod record;
mod region;
#[cfg(feature = "snapshot")]
mod saves;

pub use error::RegionError;
pub use message::FaceMessage;
#[cfg(feature = "snapshot")]
pub use record::RegionRecord;

use crate::coords::{ChunkPos, Face, Region};
use crate::edit_table::Tabled;
use crate::simulation::StepReport;
use crate::water::{ChunkRecord, Edit, EditError, Ledger, Outcome, Rules, WaterWorld};
use glam::{IVec2, IVec3};
use message::Content;
use region::{WaterRegion, rules_of};
use std::collections::BTreeMap;

/// The units that have passed through a face from one region to its neighbour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Sent by the first region.
    pub sent: u64,
    /// Received by the second region: put into its cells, given by its springs beyond the face, or
    /// sent on.
    pub received: u64,
    /// Arrived at the second region, and still in the portal.
    pub under_way: u64,
}

/// A world of water that is divided into regions, or the part of such a world whose regions are
/// here.
///
/// ```
/// use floodplain::regions::RegionWorld;
/// use floodplain::water::{Edit, Rules, Voxel};
/// use floodplain::{Chunk, ChunkPos, Region, glam::IVec3};
///
/// let bounds = Region::new(IVec3::ZERO, IVec3::new(31, 15, 15));
/// let mut world = RegionWorld::new(7, Rules::lossless(), bounds, 16)?;
/// for x in 0..2 {
///     let (position, chunk) = (ChunkPos::new(x, 0, 0), Chunk::uniform(Voxel::OPEN));
///     world.apply(Edit::InsertChunk { position, chunk })?;
/// }
/// let west = Region::new(IVec3::ZERO, IVec3::new(15, 3, 15));
/// world.apply(Edit::FillWater { region: west, height: 7 })?;
/// for _ in 0..400 {
///     world.step();
/// }
/// assert_eq!(world.total(), 4 * 256 * 7);
/// let units = |x, y| world.region_of(IVec3::new(x, y, 8)).unwrap().units(IVec3::new(x, y, 8));
/// assert_eq!((units(0, 1), units(31, 1), units(0, 2)), (7, 7, 0), "half as high");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RegionWorld {
    seed: u64,
    rules: Rules,
    bounds: Region,
    side: i32,
    /// The regions that are here, by z and x.
    regions: BTreeMap<[i32; 2], WaterRegion>,
    ticks: u64,
}

impl RegionWorld {
    /// Returns a world without chunks, with regions of `side` × `side` columns of cells.
    ///
    /// # Errors
    /// The side is not a multiple of 16 from 16 to 4,096, or a rule is out of range.
    pub fn new(seed: u64, rules: Rules, bounds: Region, side: i32) -> Result<Self, RegionError> {
        if !(16..=4096).contains(&side) || side % 16 != 0 {
            return Err(RegionError::Side(side));
        }
        rules.check()?;
        Ok(RegionWorld { seed, rules, bounds, side, regions: BTreeMap::new(), ticks: 0 })
    }

    /// Makes an edit, in the region of the edit's cell or chunk; new rules go to all regions. A
    /// region comes into being with its first chunk.
    ///
    /// # Errors
    /// The region refuses the edit, the edit names cells of several regions, or it freezes or thaws
    /// chunks or sets the edge of a column. Then nothing is changed.
    pub fn apply(&mut self, edit: Edit) -> Result<Outcome, RegionError> {
        match edit {
            Edit::SetRules(rules) => return self.set_rules(rules),
            Edit::WakeAll => {
                self.regions.values_mut().for_each(|region| region.world.wake_all());
                return Ok(Outcome::Done);
            }
            _ => {}
        }
        let unsupported = || RegionError::Unsupported(crate::EditValue::name(&edit));
        let named = Named::by(&edit).ok_or_else(unsupported)?;
        let at = self.region_edited(&named)?;
        let inserts = matches!(
            edit,
            Edit::InsertChunk { .. } | Edit::InsertChunks(_) | Edit::InsertRecords(_)
        );
        let is_new = !self.regions.contains_key(&key(at));
        let region = match inserts {
            true => Some(self.region_mut(at)?),
            false => self.regions.get_mut(&key(at)),
        };
        let outcome = match region {
            Some(region) => region.world.apply(edit),
            None => Err(named.absent()),
        };
        if let Some(region) = self.regions.get_mut(&key(at))
            && let (Ok(_), Named::Chunks(chunks)) = (&outcome, named)
        {
            match inserts {
                true => region.chunks.extend(chunks),
                false => chunks.iter().for_each(|chunk| _ = region.chunks.remove(chunk)),
            }
        }
        if is_new && self.regions.get(&key(at)).is_some_and(|region| region.chunks.is_empty()) {
            self.regions.remove(&key(at));
        }
        Ok(outcome?)
    }

    /// Runs one tick of all regions, and passes their messages on. If only a part of the regions is
    /// here, the messages for the other regions are lost: see [`advance`](RegionWorld::advance).
    pub fn step(&mut self) -> StepReport {
        let (report, messages) = self.advance();
        for message in &messages {
            let received = self.receive(message);
            // No cells of a region that is not here are known, so no units were sent to them.
            debug_assert!(matches!(received, Ok(()) | Err(RegionError::Absent(_))), "{received:?}");
        }
        report
    }

    /// Runs one tick of all regions that are here. Returns the messages to their neighbours. Each
    /// message must be [received](RegionWorld::receive), here or where its region is, before the
    /// next tick, in any order. Messages for regions that have never had a chunk can be dropped.
    pub fn advance(&mut self) -> (StepReport, Vec<FaceMessage>) {
        let (mut report, mut messages) = (StepReport::default(), Vec::new());
        for region in self.regions.values_mut() {
            let (done, contents) = region.step();
            report += done;
            for (face, mut content) in contents {
                (content.tick, content.side) = (self.ticks.wrapping_add(1), self.side);
                let beyond = face.offset();
                let to = region.at + IVec2::new(beyond.x, beyond.z);
                messages.push(FaceMessage { from: region.at, to, bytes: content.to_bytes() });
            }
        }
        self.ticks = self.ticks.wrapping_add(1);
        (report, messages)
    }

    /// Takes over what a region has sent its neighbour.
    ///
    /// # Errors
    /// The neighbour is not here, or is not beside the sender; the message is damaged or forged; or
    /// it is not the one that is due, since each message is received once, in the tick in which it
    /// was sent. Then nothing is changed.
    pub fn receive(&mut self, message: &FaceMessage) -> Result<(), RegionError> {
        let &FaceMessage { from, to, ref bytes } = message;
        let content = Content::from_bytes(bytes).map_err(RegionError::Message)?;
        let region = self.regions.get_mut(&key(to)).ok_or(RegionError::Absent(to))?;
        let is_from = |face: &Face| {
            let beyond = face.offset();
            to.checked_add(IVec2::new(beyond.x, beyond.z)) == Some(from)
        };
        let face = Face::LATERAL.into_iter().find(is_from);
        let number = face.and_then(|face| region.faces.iter().position(|of| of.face == face));
        let number = number.ok_or(RegionError::NotBeside(from, to))?;
        let face = &region.faces[number];
        let due = face.received.map_or(self.ticks, |last| last.wrapping_add(1));
        let is_due = content.tick == due && due == self.ticks && content.side == self.side;
        if !is_due {
            return Err(RegionError::OutOfTurn { from, tick: content.tick, due });
        }
        if !content.check(face.face, region.area) || !face.has_room_for(&content) {
            return Err(RegionError::Forged(from));
        }
        region.receive(number, &content);
        Ok(())
    }

    /// Checks all laws of the regions that are here, in time proportional to their cells.
    ///
    /// # Errors
    /// A law is broken, which happens only if this crate has a bug. The error is the first broken
    /// law found.
    pub fn validate(&self) -> Result<(), RegionError> {
        let broken = |region: &WaterRegion| Some((region.at, region.broken_law()?));
        match self.regions.values().find_map(broken) {
            Some((region, law)) => Err(law.broken_in(region)),
            None => Ok(()),
        }
    }

    /// Returns the number of ticks run.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns all units in the regions that are here: the units in their cells, and the units
    /// under way to them. If all regions of the world are here, this equals the total of the
    /// [ledger](RegionWorld::ledger).
    pub fn total(&self) -> u64 {
        self.regions.values().map(WaterRegion::total).sum()
    }

    /// Returns the account of all units that have entered and left the world in the regions that
    /// are here. Units that pass between regions are not in it.
    pub fn ledger(&self) -> Ledger {
        let mut sum = Ledger::default();
        self.regions.values().for_each(|region| sum.add(region.ledger()));
        sum
    }

    /// Returns the account of the face from one region to its neighbour; `None` unless both are
    /// here.
    pub fn account(&self, from: IVec2, to: IVec2) -> Option<Account> {
        let face = |one: IVec2, other: IVec2| {
            let faces = &self.regions.get(&key(one))?.faces;
            faces.iter().find(|of| {
                let beyond = of.face.offset();
                one + IVec2::new(beyond.x, beyond.z) == other
            })
        };
        let (sender, receiver) = (face(from, to)?, face(to, from)?);
        Some(Account {
            sent: sender.passed_out,
            received: receiver.passed_in,
            under_way: receiver.under_way(),
        })
    }

    /// Returns the hash of the regions that are here, with the units under way. It is a sum modulo
    /// 2⁶⁴: the hashes of several processes add up to the hash of the whole world.
    pub fn state_hash(&self) -> u64 {
        self.regions.values().fold(0, |sum, region| sum.wrapping_add(region.hash()))
    }

    /// Returns the regions that are here.
    pub fn regions(&self) -> impl Iterator<Item = IVec2> {
        self.regions.values().map(|region| region.at)
    }

    /// Returns the world of the region that contains a cell. Query it only for cells of this
    /// region, because cells beyond the region's faces are portals.
    pub fn region_of(&self, cell: IVec3) -> Option<&WaterWorld> {
        self.regions.get(&key(self.region_at(cell))).map(|region| &region.world)
    }

    fn region_at(&self, cell: IVec3) -> IVec2 {
        IVec2::new(cell.x.div_euclid(self.side), cell.z.div_euclid(self.side))
    }

    fn region_at_chunk(&self, chunk: ChunkPos) -> IVec2 {
        let side = self.side / 16;
        IVec2::new(chunk.x.div_euclid(side), chunk.z.div_euclid(side))
    }

    /// Returns the one region that contains all cells or chunks of an edit.
    fn region_edited(&self, named: &Named) -> Result<IVec2, RegionError> {
        let regions: Vec<IVec2> = match named {
            Named::Cells(cells) => [cells.min(), cells.max()].map(|at| self.region_at(at)).to_vec(),
            Named::Chunks(chunks) => {
                chunks.iter().map(|&chunk| self.region_at_chunk(chunk)).collect()
            }
        };
        let first = regions.first().copied().unwrap_or_default();
        match regions.into_iter().find(|&other| other != first) {
            Some(other) => Err(RegionError::Spans(first, other)),
            None => Ok(first),
        }
    }

    /// Returns a region, which is made if it does not exist.
    fn region_mut(&mut self, at: IVec2) -> Result<&mut WaterRegion, RegionError> {
        let RegionWorld { seed, rules, bounds, side, .. } = *self;
        let region = match self.regions.entry(key(at)) {
            std::collections::btree_map::Entry::Occupied(region) => region.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let mut region = WaterRegion::new(at, (seed, &rules), bounds, side)?;
                region.world.run(self.ticks);
                entry.insert(region)
            }
        };
        Ok(region)
    }

    fn set_rules(&mut self, rules: Rules) -> Result<Outcome, RegionError> {
        rules.check()?;
        self.rules = rules;
        for region in self.regions.values_mut() {
            let faces: Vec<Face> = region.faces.iter().map(|of| of.face).collect();
            region.world.set_rules(rules_of(&rules, &faces))?;
        }
        Ok(Outcome::Done)
    }
}

/// Returns the place of a region in the order of regions.
fn key(at: IVec2) -> [i32; 2] {
    [at.y, at.x]
}

/// The cells or chunks that an edit names.
enum Named {
    Cells(Region),
    Chunks(Vec<ChunkPos>),
}

impl Named {
    /// Returns what an edit names; `None` if a world of regions does not support the edit.
    fn by(edit: &Edit) -> Option<Named> {
        Some(match edit {
            Edit::InsertChunk { position, .. } | Edit::RemoveChunk(position) => {
                Named::Chunks(vec![*position])
            }
            Edit::InsertChunks(chunks) => {
                Named::Chunks(chunks.iter().map(|&(chunk, _)| chunk).collect())
            }
            Edit::RemoveChunks(chunks) => Named::Chunks(chunks.clone()),
            Edit::InsertRecords(records) => {
                Named::Chunks(records.iter().map(ChunkRecord::position).collect())
            }
            _ => Named::Cells(edit.scope().region()?),
        })
    }

    /// Returns why an edit in a region without chunks is refused.
    fn absent(&self) -> EditError {
        match self {
            Named::Cells(cells) => EditError::NotLoaded(cells.min()),
            Named::Chunks(chunks) => {
                EditError::ChunkAbsent(chunks.first().copied().unwrap_or_default())
            }
        }
    }
}
