//! Edits and what they came to as flat structs, and between these and the values of each kind of
//! world. Edits with lists or chunks have functions of their own, or are made as bytes.

use crate::places::{chunk_at, column_at, face};
use crate::rules::{FpEdge, fixture};
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::{FpFixture, numbered};
use floodplain::glam::IVec3;
use floodplain::world::MaterialId;
use floodplain::{ChunkPos, Region, blast, humidity, water, world};

/// The edits of `FpEdit`, with the fields that each reads. *W*: water; *M*: materials; *H*: both
/// worlds of humidity; *B*: both worlds of pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpEditKind {
    /// W B: `cell` becomes solid. Outcome: W displaced, B value, the pressure that was there.
    SetSolid = 1,
    /// W B: `cell` becomes open and dry. Outcome: changed.
    ClearSolid = 2,
    /// W B: all of `cell` to `to` becomes solid. Outcome: W units removed, B value.
    FillSolid = 3,
    /// W M: `cell` becomes a spring. Outcome: changed.
    AddSource = 4,
    /// W M: `cell` is no spring any more. Outcome: changed.
    RemoveSource = 5,
    /// W M: up to `units` are poured into `cell`. Outcome: units poured.
    Pour = 6,
    /// W M: up to `units` are scooped out of `cell`. Outcome: units scooped.
    Scoop = 7,
    /// W M: `units` (0 to 7) in each open cell of `cell` to `to`. Outcome: units.
    FillWater = 8,
    /// W M: up to `units` are taken from the surface of the body of `cell`. Outcome: units.
    DrainBody = 9,
    /// W M: up to `units` are added to the body of `cell`. Outcome: units.
    FillBody = 10,
    /// W: `cell` becomes sea. Outcome: changed.
    SetSea = 11,
    /// W M: `cell` is no sea any more. Outcome: changed.
    ClearSea = 12,
    /// W M: the open cells of `cell` to `to` become sea. Outcome: units.
    FillSea = 13,
    /// W M: the column of chunks at the x and z of `cell`, a chunk position, gets an edge: `option`
    /// an `FpEdgeKind`, `level` its y. Outcome: changed.
    SetEdge = 14,
    /// W M: `option`, an `FpFixture`, with a rate of `units` (1 to 7) and for a valve a `face` is
    /// built into `cell`. Outcome: changed.
    SetFixture = 15,
    /// W M: the chunk at `cell`, a chunk position, stands still. Outcome: changed.
    Freeze = 16,
    /// W M: it goes on. Outcome: changed.
    Thaw = 17,
    /// All: all that sleeps wakes. Outcome: done.
    WakeAll = 18,
    /// All: the chunk at `cell`, a chunk position, is unloaded, and what it held is dropped; see
    /// `fp_world_remove_chunks` for what keeps it. Outcome: done.
    RemoveChunk = 19,
    /// M: `cell` becomes the material of number `units`. Outcome: replaced.
    SetMaterial = 32,
    /// M: all of `cell` to `to` becomes the material of number `units`. Outcome: units removed.
    FillMaterial = 33,
    /// M: `units` fall from `cell`. Outcome: units that found a place.
    Rain = 34,
    /// M B: a charge of radius `value2`, in cells, and of pressure `value` at its centre `cell`.
    /// Outcome: value, the sum of pressure added.
    Charge = 35,
    /// H M: the humidity of `cell` becomes `value`. Outcome: value, the one before.
    SetHumidity = 48,
    /// H: the impermeability of `cell` becomes `value`. Outcome: value, the one before.
    SetImpermeability = 49,
    /// H M: `cell` becomes rain of humidity `value`. Outcome: done.
    SetRain = 50,
    /// H M: `cell` is no rain any more. Outcome: changed.
    ClearRain = 51,
    /// H: `cell` becomes rock. Outcome: changed.
    SetRock = 52,
    /// H: all of `cell` to `to` gets the humidity `value` and the impermeability `value2`.
    /// Outcome: done.
    FillCells = 53,
    /// B M: the pressure of `cell` becomes `value`. Outcome: value, the one before.
    SetPressure = 64,
    /// B M: `value` is added to the pressure of `cell`. Outcome: value, the new one.
    AddPressure = 65,
    /// B M: the pressure of all of `cell` to `to` becomes `value`. Outcome: done.
    FillPressure = 66,
    /// B: `cell` becomes a wall that breaks above a difference of `value`. Outcome: value, the
    /// pressure that was there.
    SetWall = 67,
    /// B: all of `cell` to `to` becomes such a wall. Outcome: value.
    FillWall = 68,
    /// B: the link of `cell` across `face` gets the weight `value`. Outcome: value, the one before.
    SetLink = 69,
}
numbered!(FpEditKind, "edit": SetSolid ClearSolid FillSolid AddSource RemoveSource Pour Scoop
    FillWater DrainBody FillBody SetSea ClearSea FillSea SetEdge SetFixture Freeze Thaw WakeAll
    RemoveChunk SetMaterial FillMaterial Rain Charge SetHumidity SetImpermeability SetRain ClearRain
    SetRock FillCells SetPressure AddPressure FillPressure SetWall FillWall SetLink);

/// An edit. Fields that an edit does not read may hold anything; begin with all of it 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpEdit {
    /// An `FpEditKind`, which says what it reads.
    pub kind: u32,
    /// The cell, or the least cell of a region, or a chunk position: x, y, z.
    pub cell: [i32; 3],
    /// The greatest cell of a region.
    pub to: [i32; 3],
    /// Units of water, a rate, or the number of a material.
    pub units: u32,
    /// An `FpEdgeKind` or an `FpFixture`.
    pub option: u32,
    /// A face, 0 to 5: west, east, down, up, north, south.
    pub face: u32,
    /// The y of a level.
    pub level: i32,
    /// Unused.
    pub reserved: u32,
    /// Pressure, strength, weight, humidity or impermeability.
    pub value: f64,
    /// The radius of a charge; the impermeability of cells that are filled.
    pub value2: f64,
}

/// The forms of `FpOutcome`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpOutcomeKind {
    /// The edit was made.
    Done = 0,
    /// `changed` says whether it changed anything.
    Changed = 1,
    /// `units` of water were poured, scooped, taken, added or removed.
    Units = 2,
    /// Of the water in the way, `moved` units found room and `removed` did not.
    Displaced = 3,
    /// `material` was there, with `moisture`; the water in the way as of displaced.
    Replaced = 4,
    /// `value` was there before, or is the sum.
    Value = 5,
}

/// What an edit came to. Fields that its kind does not name are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpOutcome {
    /// An `FpOutcomeKind`, which says what to read.
    pub kind: u32,
    /// 0 or 1.
    pub changed: u32,
    /// In units of water.
    pub units: u64,
    /// In units of water.
    pub moved: u32,
    /// In units of water: left the world.
    pub removed: u32,
    /// The number of a material.
    pub material: u32,
    /// Unused.
    pub reserved: u32,
    /// In units of 1/65,536.
    pub moisture: u64,
    /// A pressure, a humidity, an impermeability or a weight.
    pub value: f64,
}

const DONE: FpOutcome = FpOutcome {
    kind: FpOutcomeKind::Done as u32,
    changed: 0,
    units: 0,
    moved: 0,
    removed: 0,
    material: 0,
    reserved: 0,
    moisture: 0,
    value: 0.0,
};

fn changed(changed: bool) -> FpOutcome {
    FpOutcome { kind: FpOutcomeKind::Changed as u32, changed: changed.into(), ..DONE }
}

fn units(units: u64) -> FpOutcome {
    FpOutcome { kind: FpOutcomeKind::Units as u32, units, ..DONE }
}

fn displaced(water: floodplain::Displaced) -> FpOutcome {
    let floodplain::Displaced { moved, removed } = water;
    FpOutcome { kind: FpOutcomeKind::Displaced as u32, moved, removed, ..DONE }
}

fn value(value: f64) -> FpOutcome {
    FpOutcome { kind: FpOutcomeKind::Value as u32, value, ..DONE }
}

impl FpEdit {
    fn of(&self) -> Answer<FpEditKind> {
        FpEditKind::of(self.kind)
    }

    fn at(&self) -> IVec3 {
        self.cell.into()
    }

    fn chunk(&self) -> ChunkPos {
        chunk_at(self.cell)
    }

    fn region(&self) -> Answer<Region> {
        crate::places::FpRegion { min: self.cell, max: self.to }.region()
    }

    fn material(&self) -> Answer<MaterialId> {
        let number = u8::try_from(self.units);
        number.map(MaterialId).map_err(|_| Fault::tag("material", self.units))
    }

    fn not_of(&self, world: &str) -> Fault {
        Fault::kind(format_args!("a world of {world} has no edit of kind {}", self.kind))
    }

    /// Returns the edit of a world of water.
    pub(crate) fn of_water(&self) -> Answer<water::Edit> {
        use FpEditKind as K;
        use water::Edit as E;
        let (cell, units) = (self.at(), self.units);
        Ok(match self.of()? {
            K::SetSolid => E::SetSolid(cell),
            K::ClearSolid => E::ClearSolid(cell),
            K::FillSolid => E::FillSolid(self.region()?),
            K::AddSource => E::AddSource(cell),
            K::RemoveSource => E::RemoveSource(cell),
            K::Pour => E::Pour { cell, units },
            K::Scoop => E::Scoop { cell, units },
            K::FillWater => {
                // A height above a byte is above 7, too.
                let height = u8::try_from(units).unwrap_or(u8::MAX);
                E::FillWater { region: self.region()?, height }
            }
            K::DrainBody => E::DrainBody { cell, units },
            K::FillBody => E::FillBody { cell, units },
            K::SetSea => E::SetSea(cell),
            K::ClearSea => E::ClearSea(cell),
            K::FillSea => E::FillSea(self.region()?),
            K::SetEdge => {
                let edge = FpEdge { kind: self.option, level: self.level }.or_rules()?;
                E::SetEdge { column: column_at(self.cell), edge }
            }
            K::SetFixture => {
                let fixture = fixture(FpFixture::of(self.option)?, units, self.face)?;
                E::SetFixture { cell, fixture }
            }
            K::Freeze => E::Freeze(vec![self.chunk()]),
            K::Thaw => E::Thaw(vec![self.chunk()]),
            K::WakeAll => E::WakeAll,
            K::RemoveChunk => E::RemoveChunk(self.chunk()),
            _ => return Err(self.not_of("water")),
        })
    }

    /// Returns the edit of a world of humidity.
    pub(crate) fn of_humidity(&self) -> Answer<humidity::Edit> {
        use FpEditKind as K;
        use humidity::Edit as E;
        let (cell, value) = (self.at(), self.value);
        Ok(match self.of()? {
            K::SetHumidity => E::SetHumidity { cell, humidity: value },
            K::SetImpermeability => E::SetImpermeability { cell, impermeability: value as f32 },
            K::SetRain => E::SetRain { cell, humidity: value },
            K::ClearRain => E::ClearRain(cell),
            K::SetRock => E::SetRock(cell),
            K::FillCells => {
                let value = humidity::Cell::soil(value, self.value2 as f32);
                E::FillCells { region: self.region()?, value }
            }
            K::WakeAll => E::WakeAll,
            K::RemoveChunk => E::RemoveChunk(self.chunk()),
            _ => return Err(self.not_of("humidity")),
        })
    }

    /// Returns the edit of a world of pressure.
    pub(crate) fn of_blast(&self) -> Answer<blast::Edit> {
        use FpEditKind as K;
        use blast::Edit as E;
        let (cell, value) = (self.at(), self.value as f32);
        Ok(match self.of()? {
            K::SetSolid => E::SetSolid(cell),
            K::ClearSolid => E::ClearSolid(cell),
            K::FillSolid => E::FillSolid(self.region()?),
            K::Charge => E::AddCharge { centre: cell, radius: self.value2 as f32, pressure: value },
            K::SetPressure => E::SetPressure { cell, pressure: value },
            K::AddPressure => E::AddPressure { cell, more: value },
            K::FillPressure => E::FillPressure { region: self.region()?, pressure: value },
            K::SetWall => E::SetWall { cell, strength: value },
            K::FillWall => E::FillWall { region: self.region()?, strength: value },
            K::SetLink => E::SetLink { cell, face: face(self.face)?, weight: value },
            K::WakeAll => E::WakeAll,
            K::RemoveChunk => E::RemoveChunk(self.chunk()),
            _ => return Err(self.not_of("pressure")),
        })
    }

    /// Returns the edit of a world of materials.
    pub(crate) fn of_materials(&self) -> Answer<world::Edit> {
        use FpEditKind as K;
        use world::Edit as E;
        Ok(match self.of()? {
            K::SetMaterial => E::SetMaterial { cell: self.at(), material: self.material()? },
            K::FillMaterial => {
                E::FillMaterial { region: self.region()?, material: self.material()? }
            }
            K::Rain => E::Rain { from: self.at(), units: self.units },
            K::Charge => E::Charge {
                centre: self.at(),
                radius: self.value2 as f32,
                pressure: self.value as f32,
            },
            K::WakeAll => E::WakeAll,
            K::RemoveChunk => E::RemoveChunk(self.chunk()),
            K::SetHumidity
            | K::SetImpermeability
            | K::SetRain
            | K::ClearRain
            | K::SetRock
            | K::FillCells => E::Soil(self.of_humidity()?),
            K::SetPressure
            | K::AddPressure
            | K::FillPressure
            | K::SetWall
            | K::FillWall
            | K::SetLink => E::Blast(self.of_blast()?),
            _ => E::Water(self.of_water()?),
        })
    }
}

/// Returns what an edit of water came to.
pub(crate) fn water_outcome(outcome: &water::Outcome) -> FpOutcome {
    match *outcome {
        water::Outcome::Displaced(water) => displaced(water),
        water::Outcome::Changed(is_changed) => changed(is_changed),
        water::Outcome::Units(count) => units(count),
        _ => DONE,
    }
}

/// Returns what an edit of humidity came to.
pub(crate) fn humidity_outcome(outcome: &humidity::Outcome) -> FpOutcome {
    match *outcome {
        humidity::Outcome::Changed(is_changed) => changed(is_changed),
        humidity::Outcome::Humidity(before) => value(before),
        humidity::Outcome::Impermeability(before) => value(before.into()),
        humidity::Outcome::Cell(before) => value(before.humidity),
        _ => DONE,
    }
}

/// Returns what an edit of pressure came to.
pub(crate) fn blast_outcome(outcome: &blast::Outcome) -> FpOutcome {
    match *outcome {
        blast::Outcome::Changed(is_changed) => changed(is_changed),
        blast::Outcome::Pressure(before) | blast::Outcome::Weight(before) => value(before.into()),
        blast::Outcome::Sum(sum) => value(sum),
        _ => DONE,
    }
}

/// Returns what an edit of a world of materials came to.
pub(crate) fn materials_outcome(outcome: &world::Outcome) -> FpOutcome {
    match outcome {
        world::Outcome::Replaced(before) => FpOutcome {
            kind: FpOutcomeKind::Replaced as u32,
            material: before.material.0.into(),
            moisture: before.moisture,
            ..displaced(before.displaced)
        },
        world::Outcome::Units(count) => units(*count),
        world::Outcome::Pressure(sum) => value(*sum),
        world::Outcome::Water(outcome) => water_outcome(outcome),
        world::Outcome::Soil(outcome) => humidity_outcome(outcome),
        world::Outcome::Blast(outcome) => blast_outcome(outcome),
        _ => DONE,
    }
}

/// What became of an edit that was queued.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpEditReport {
    /// The number that queueing it returned.
    pub ticket: u64,
    /// The number of complete ticks when it was made.
    pub tick: u64,
    /// `FP_STATUS_OK`, or why it was refused, an `FpStatus`.
    pub status: i32,
    /// Unused.
    pub reserved: u32,
    /// What it came to; done and zeros if it was refused.
    pub outcome: FpOutcome,
}

impl FpEditReport {
    pub(crate) fn new(ticket: u64, tick: u64, result: Result<FpOutcome, FpStatus>) -> FpEditReport {
        let (status, outcome) = match result {
            Ok(outcome) => (FpStatus::Ok, outcome),
            Err(status) => (status, DONE),
        };
        FpEditReport { ticket, tick, status: status as i32, reserved: 0, outcome }
    }
}
