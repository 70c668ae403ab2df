//! Limits on edits that clients send: a server sets them once, and they are enforced where edits
//! are read from bytes.

use crate::chunk::LAYER_CELLS;
use crate::codec::DecodeError;
use crate::coords::{CHUNK_CELLS, ChunkPos, Region};
use crate::simulation::EditValue;
use core::error::Error;
use core::fmt;
use core::ops::BitOr;
use glam::IVec3;

/// A set of kinds of edits, by what they change. Sets are joined by `|`.
///
/// ```
/// use floodplain::EditKinds;
///
/// let builders = EditKinds::GROUND | EditKinds::WATER;
/// assert!(builders.contains(EditKinds::WATER) && !builders.contains(EditKinds::SEA));
/// assert_eq!(EditKinds::ALL.without(EditKinds::WORLD) | EditKinds::WORLD, EditKinds::ALL);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EditKinds(u8);

impl EditKinds {
    /// Solid ground and materials.
    pub const GROUND: EditKinds = EditKinds(1);
    /// Water that is poured, scooped, filled in or drained.
    pub const WATER: EditKinds = EditKinds(1 << 1);
    /// Springs and fixtures: water without end, or gone for ever.
    pub const SPRINGS: EditKinds = EditKinds(1 << 2);
    /// The sea.
    pub const SEA: EditKinds = EditKinds(1 << 3);
    /// Rain, and edits that make a cell of rain plain soil.
    pub const MOISTURE: EditKinds = EditKinds(1 << 4);
    /// Charges and pressure.
    pub const PRESSURE: EditKinds = EditKinds(1 << 5);
    /// Edits of the server itself: loading and unloading chunks, edges, rules, freezing, waking,
    /// setting moisture.
    pub const WORLD: EditKinds = EditKinds(1 << 6);
    /// All kinds of edits.
    pub const ALL: EditKinds = EditKinds((1 << 7) - 1);

    /// Returns whether all of `kinds` are in the set.
    pub const fn contains(self, kinds: EditKinds) -> bool {
        self.0 & kinds.0 == kinds.0
    }

    /// Returns the set without `kinds`.
    pub const fn without(self, kinds: EditKinds) -> EditKinds {
        EditKinds(self.0 & !kinds.0)
    }
}

impl BitOr for EditKinds {
    type Output = EditKinds;

    fn bitor(self, kinds: EditKinds) -> EditKinds {
        EditKinds(self.0 | kinds.0)
    }
}

/// The edits that a client may make. An edit beyond a limit is refused with a typed error and
/// changes nothing. See [what a server must limit](crate::guide#what-a-server-must-limit).
///
/// ```
/// use floodplain::prelude::*;
/// use floodplain::water::{Edit, Rules};
/// use floodplain::{ClientEditError, LimitError, Limits};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let limits = Limits { most_units: 7, ..Limits::default() };
/// let cell = IVec3::new(8, 9, 8);
/// let bucket = Edit::Pour { cell, units: 7 }.to_bytes(); // from a client
/// world.apply_bytes(&bucket, &limits)?;
/// assert_eq!(world.total(), 7);
///
/// let flood = Edit::FillWater { region: Region::new(cell - 8, cell), height: 7 }.to_bytes();
/// let refused = world.apply_bytes(&flood, &limits);
/// let error = LimitError::Units { units: 7 * 729, most: 7 };
/// assert_eq!(refused, Err(ClientEditError::Limit(error)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The most bytes of an edit.
    pub most_bytes: usize,
    /// The kinds of edits allowed.
    pub kinds: EditKinds,
    /// The region that must contain all cells that an edit names, and the box of a charge. For
    /// example, the region near a player.
    pub reach: Region,
    /// The most cells that an edit names: the volume of a fill.
    pub most_cells: u64,
    /// The most units of water that an edit gives or takes; for a filled region, the units that the
    /// region holds.
    pub most_units: u64,
    /// The largest radius of a charge, in cells.
    pub most_radius: f32,
    /// The highest pressure of a charge at its centre, or set or added in a cell.
    pub most_pressure: f32,
    /// The most queued edits and untaken reports, together.
    pub most_waiting: usize,
}

impl Default for Limits {
    /// The edits of a player's hands: ground and water anywhere, 4,096 cells and 3,584 units (a
    /// bucket of eight cells by eight cells by eight) at a time, edits of 1 KB, and 1,024 queued
    /// edits and untaken reports. No springs, sea, moisture or pressure are allowed; if
    /// [`EditKinds::PRESSURE`] is added, charges have up to 4 cells of radius and a pressure of
    /// 1,000.
    fn default() -> Self {
        Limits {
            most_bytes: 1024,
            kinds: EditKinds::GROUND | EditKinds::WATER,
            reach: Region::EVERYWHERE,
            most_cells: 4096,
            most_units: 7 * 512,
            most_radius: 4.0,
            most_pressure: 1_000.0,
            most_waiting: 1024,
        }
    }
}

/// The limit of [`Limits`] that an edit breaks.
///
/// ```
/// use floodplain::prelude::*;
/// use floodplain::world::{Edit, Rules};
/// use floodplain::{ClientEditError, EditKinds, LimitError, Limits};
///
/// let mut world = World::new(7, Palette::natural(), Rules::default())?;
/// let limits = Limits { kinds: EditKinds::PRESSURE, ..Limits::default() };
/// let charge = Edit::Charge { centre: IVec3::ZERO, radius: 3.0, pressure: 1e18 }.to_bytes();
/// let error = LimitError::Pressure { pressure: 1e18, most: 1_000.0 };
/// assert_eq!(world.apply_bytes(&charge, &limits), Err(ClientEditError::Limit(error)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LimitError {
    /// The edit has too many bytes.
    Bytes {
        /// The number of bytes of the edit.
        bytes: usize,
        /// The most that are allowed.
        most: usize,
    },
    /// Edits of this kind are not allowed.
    Kind {
        /// The name of the edit.
        edit: &'static str,
        /// The kind of the edit.
        kind: EditKinds,
    },
    /// The edit names this cell, which is out of reach.
    OutOfReach(IVec3),
    /// The edit names too many cells.
    Cells {
        /// The number of cells that the edit names.
        cells: u128,
        /// The most that are allowed.
        most: u64,
    },
    /// The edit gives or takes too much water.
    Units {
        /// The units that the edit gives or takes.
        units: u128,
        /// The most that are allowed.
        most: u64,
    },
    /// A charge is too large.
    Radius {
        /// The radius of the charge, in cells.
        radius: f32,
        /// The largest that is allowed.
        most: f32,
    },
    /// A pressure is too high.
    Pressure {
        /// The pressure in the edit.
        pressure: f32,
        /// The highest that is allowed.
        most: f32,
    },
    /// There are too many queued edits and untaken reports.
    Waiting {
        /// The number of edits and reports together.
        waiting: usize,
        /// The most that are allowed.
        most: usize,
    },
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LimitError::Bytes { bytes, most } => write!(f, "{bytes} bytes, more than {most}"),
            LimitError::Kind { edit, .. } => write!(f, "{edit} is not for clients"),
            LimitError::OutOfReach(cell) => write!(f, "{cell} is out of reach"),
            LimitError::Cells { cells, most } => write!(f, "{cells} cells, more than {most}"),
            LimitError::Units { units, most } => write!(f, "{units} units, more than {most}"),
            LimitError::Radius { radius, most } => {
                write!(f, "a radius of {radius}, more than {most}")
            }
            LimitError::Pressure { pressure, most } => {
                write!(f, "a pressure of {pressure}, more than {most}")
            }
            LimitError::Waiting { waiting, most } => {
                write!(f, "{waiting} edits and reports are waiting, and at most {most} may")
            }
        }
    }
}

impl Error for LimitError {}

/// Why an edit received as bytes was not made. It changed nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEditError<E> {
    /// The bytes are no edit.
    Bytes(DecodeError),
    /// The edit breaks a limit.
    Limit(LimitError),
    /// The world refused the edit.
    Edit(E),
}

impl<E: fmt::Display> fmt::Display for ClientEditError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientEditError::Bytes(error) => error.fmt(f),
            ClientEditError::Limit(error) => error.fmt(f),
            ClientEditError::Edit(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for ClientEditError<E> {}

/// The scopes of each kind of edit, for the tables of edits.
pub(crate) mod kinds {
    use super::{EditKinds, EditScope};

    pub(crate) const GROUND: EditScope = EditScope::new(EditKinds::GROUND);
    pub(crate) const WATER: EditScope = EditScope::new(EditKinds::WATER);
    pub(crate) const SPRINGS: EditScope = EditScope::new(EditKinds::SPRINGS);
    pub(crate) const SEA: EditScope = EditScope::new(EditKinds::SEA);
    pub(crate) const MOISTURE: EditScope = EditScope::new(EditKinds::MOISTURE);
    pub(crate) const PRESSURE: EditScope = EditScope::new(EditKinds::PRESSURE);
    pub(crate) const WORLD: EditScope = EditScope::new(EditKinds::WORLD);
}

/// The scope of an edit: the values that limits apply to, its cost, and its use of ground.
#[derive(Clone, Copy, Debug)]
pub struct EditScope {
    /// The edit's name; empty until it is known.
    edit: &'static str,
    kind: EditKinds,
    region: Option<Region>,
    /// The first chunk that the edit loads or unloads.
    #[cfg_attr(not(feature = "snapshot"), expect(dead_code, reason = "of divided worlds"))]
    chunk: Option<ChunkPos>,
    /// The total units of water.
    units: u128,
    radius: f32,
    pressure: f32,
    /// The cells that the edit costs in a budget in addition to the cells of its region.
    listed: u64,
    /// The cells that the edit costs for each loaded chunk.
    each_chunk: u64,
    /// Whether `pressure` is added to the pressure of the cell.
    adds: bool,
    /// Whether the edit writes cells beside its region, too.
    #[cfg_attr(not(feature = "snapshot"), expect(dead_code, reason = "of divided worlds"))]
    writes_beside: bool,
    ground: GroundUse,
}

/// The relation of an edit of a part to the ground of a world of materials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroundUse {
    /// The edit leaves the ground as it is, whatever the ground is.
    Any,
    /// The edit leaves the ground as it is, and all its cells have to be open.
    Open,
    /// The edit leaves the ground as it is, and all its cells have to be permeable.
    Permeable,
    /// The edit changes ground, or the set of loaded chunks.
    Changes,
}

impl EditScope {
    const fn new(kind: EditKinds) -> EditScope {
        let is_ground = kind.0 == EditKinds::GROUND.0;
        EditScope {
            edit: "",
            kind,
            region: None,
            chunk: None,
            units: 0,
            radius: 0.0,
            pressure: 0.0,
            listed: 0,
            each_chunk: 0,
            adds: false,
            writes_beside: false,
            ground: if is_ground { GroundUse::Changes } else { GroundUse::Any },
        }
    }

    /// Returns the scope of the edit with this name. The scope of an edit inside another edit keeps
    /// its own name.
    pub(crate) fn of(self, edit: &'static str) -> EditScope {
        EditScope { edit: if self.edit.is_empty() { edit } else { self.edit }, ..self }
    }

    pub(crate) fn at(self, cell: IVec3) -> EditScope {
        self.within(Region::cell(cell))
    }

    pub(crate) fn within(self, region: Region) -> EditScope {
        EditScope { region: Some(region), ..self }
    }

    /// Returns the scope of an edit that loads or unloads a chunk, or several chunks of which this
    /// is the first.
    pub(crate) fn chunk(self, chunk: impl Into<Option<ChunkPos>>) -> EditScope {
        EditScope { chunk: chunk.into(), ..self.ground() }
    }

    pub(crate) fn units(self, units: impl Into<u128>) -> EditScope {
        EditScope { units: units.into(), ..self }
    }

    /// Returns the scope with `units` units in each cell, but no more than `most`.
    pub(crate) fn units_each(self, units: impl Into<u128>, most: impl Into<u128>) -> EditScope {
        let cells = self.region.map_or(0, |region| region.volume());
        self.units(cells.saturating_mul(units.into().min(most.into())))
    }

    pub(crate) fn pressure(self, pressure: f32) -> EditScope {
        EditScope { pressure, ..self }
    }

    /// Returns the scope of pressure that is added to the pressure of an open cell.
    pub(crate) fn added(self, cell: IVec3, more: f32) -> EditScope {
        EditScope { adds: true, ..self.at(cell).open().pressure(more) }
    }

    /// Returns the scope of a charge. A radius out of range is clamped for the region alone; it is
    /// refused by the limit on radii.
    pub(crate) fn charge(self, centre: IVec3, radius: f32, pressure: f32) -> EditScope {
        let most = IVec3::splat(radius.clamp(0.0, i32::MAX as f32) as i32);
        let region = Region::new(centre.saturating_sub(most), centre.saturating_add(most));
        EditScope { radius, pressure, ..self.within(region) }
    }

    /// Returns the scope of all cells of `chunks` chunks that are loaded or unloaded.
    pub(crate) fn chunks(self, chunks: usize) -> EditScope {
        EditScope { listed: (chunks * CHUNK_CELLS) as u64, ..self.ground() }
    }

    /// Returns the scope of an edit that changes ground, whatever its kind.
    pub(crate) fn ground(self) -> EditScope {
        EditScope { ground: GroundUse::Changes, ..self }
    }

    /// Returns the scope of an edit whose cells have to be open.
    pub(crate) fn open(self) -> EditScope {
        EditScope { ground: GroundUse::Open, ..self }
    }

    /// Returns the scope of an edit whose cells have to be permeable.
    pub(crate) fn permeable(self) -> EditScope {
        EditScope { ground: GroundUse::Permeable, ..self }
    }

    pub(crate) fn edit_name(&self) -> &'static str {
        self.edit
    }

    /// Returns the cells that the edit names; `None` if it names none.
    pub(crate) fn region(&self) -> Option<Region> {
        self.region
    }

    /// Returns the first chunk that the edit loads or unloads; `None` if it does neither.
    #[cfg(feature = "snapshot")]
    pub(crate) fn first_chunk(&self) -> Option<ChunkPos> {
        self.chunk
    }

    /// Returns the relation of the edit to the ground of a world of materials of which it edits a
    /// part.
    pub(crate) fn ground_use(&self) -> GroundUse {
        self.ground
    }

    /// Returns the pressure that the edit leaves in a cell that has `before`.
    pub(crate) fn pressure_after(&self, before: f32) -> f32 {
        if self.adds { before + self.pressure } else { self.pressure }
    }

    /// Returns the scope of an edit that writes cells beside its region, too.
    pub(crate) fn and_beside(self) -> EditScope {
        EditScope { writes_beside: true, ..self }
    }

    /// Returns whether the edit writes cells beside its region, too.
    #[cfg(feature = "snapshot")]
    pub(crate) fn writes_beside(&self) -> bool {
        self.writes_beside
    }

    /// Returns the scope of the cells at the faces of `chunks` chunks.
    pub(crate) fn faces(self, chunks: usize) -> EditScope {
        EditScope { listed: (chunks * 6 * LAYER_CELLS) as u64, ..self }
    }

    /// Returns the scope of `cells` cells of each loaded chunk.
    pub(crate) fn each_chunk(self, cells: usize) -> EditScope {
        EditScope { each_chunk: cells as u64, ..self }
    }

    /// Returns the cells that the edit costs in a budget unless it is refused: the cells of its
    /// region and chunks, and at least one.
    pub(crate) fn cells(&self, loaded: usize) -> u64 {
        let volume = |region: Region| u64::try_from(region.volume()).unwrap_or(u64::MAX);
        let everywhere = self.each_chunk.saturating_mul(loaded as u64);
        let listed = self.listed.saturating_add(everywhere);
        self.region.map_or(0, volume).saturating_add(listed).max(1)
    }
}

impl Limits {
    /// Decodes an edit, and returns it if it keeps within the limits.
    pub(crate) fn read<T: EditValue, E>(&self, bytes: &[u8]) -> Result<T, ClientEditError<E>> {
        let (length, most) = (bytes.len(), self.most_bytes);
        if length > most {
            return Err(ClientEditError::Limit(LimitError::Bytes { bytes: length, most }));
        }
        let edit = T::from_bytes(bytes).map_err(ClientEditError::Bytes)?;
        edit.check_limits(self).map_err(ClientEditError::Limit)?;
        Ok(edit)
    }

    /// Checks the number of waiting edits and reports before another one is added.
    pub(crate) fn check_waiting<E>(&self, waiting: usize) -> Result<(), ClientEditError<E>> {
        let most = self.most_waiting;
        if waiting < most {
            return Ok(());
        }
        Err(ClientEditError::Limit(LimitError::Waiting { waiting, most }))
    }

    /// Checks the scope of an edit.
    pub(crate) fn check(&self, scope: &EditScope) -> Result<(), LimitError> {
        let &EditScope { edit, kind, region, units, radius, pressure, .. } = scope;
        if !self.kinds.contains(kind) {
            return Err(LimitError::Kind { edit, kind });
        }
        if radius.is_nan() || radius > self.most_radius {
            return Err(LimitError::Radius { radius, most: self.most_radius });
        }
        if pressure.is_nan() || pressure.abs() > self.most_pressure {
            return Err(LimitError::Pressure { pressure, most: self.most_pressure });
        }
        if let Some(region) = region {
            let corners = [region.min(), region.max()];
            if let Some(cell) = corners.into_iter().find(|&cell| !self.reach.contains(cell)) {
                return Err(LimitError::OutOfReach(cell));
            }
            let (cells, most) = (region.volume(), self.most_cells);
            if cells > u128::from(most) {
                return Err(LimitError::Cells { cells, most });
            }
        }
        if units > u128::from(self.most_units) {
            return Err(LimitError::Units { units, most: self.most_units });
        }
        Ok(())
    }
}
