//! Worlds of humidity and of pressure alone, with the feature `fields`: how they are made, their
//! chunks and cells, and probes that measure explosions.

use crate::border::{border, enter, list, out, out_or_none, room, value, value_or_none};
use crate::changes::FpBroken;
use crate::chunks::{cells_of, chunk_of};
use crate::edit_structs::{FpEdit, FpOutcome, blast_outcome, humidity_outcome};
use crate::make::{bounds_of, give_world};
use crate::places::{FpRegion, chunk_at};
use crate::rules::{FpBlastRules, FpHumidityRules, borders};
use crate::status::{Answer, Fault, FpStatus, of_blast, of_humidity};
use crate::tags::FpShape;
use crate::tick::FpStepReport;
use crate::worlds::{FpWorld, Kept, Played, State, played};
use floodplain::blast::{BlastWorld, Probe};
use floodplain::glam::IVec3;
use floodplain::humidity::{Cell, HumidityWorld};
use floodplain::{CHUNK_CELLS, ChunkPos, Cube, Shape, Sheet, blast, humidity};

pub(crate) type HumiditySheet = HumidityWorld<Sheet>;
pub(crate) type HumidityCube = HumidityWorld<Cube>;
pub(crate) type BlastSheet = BlastWorld<Sheet>;
pub(crate) type BlastCube = BlastWorld<Cube>;

played!(HumiditySheet, HumiditySheet, of_humidity, humidity_outcome, of_humidity,
    |_: &()| None;);
played!(HumidityCube, HumidityCube, of_humidity, humidity_outcome, of_humidity,
    |_: &()| None;);
played!(BlastSheet, BlastSheet, of_blast, blast_outcome, of_blast,
    |event| Some(FpBroken::of_wall(event)););
played!(BlastCube, BlastCube, of_blast, blast_outcome, of_blast,
    |event| Some(FpBroken::of_wall(event)););

/// Makes an empty world of humidity; `shape` is an `FpShape`. Cells without a chunk are dry rock.
///
/// `bounds` may be null: everywhere. `world` becomes a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of shape, rules and bounds;
/// `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_humidity_new(
    shape: u32,
    rules: *const FpHumidityRules,
    bounds: *const FpRegion,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (rules, bounds, world) =
            unsafe { (value(rules, "rules")?, bounds_of(bounds)?, out(world, "world")?) };
        let rules = rules.rules()?;
        world.put(match FpShape::of(shape)? {
            FpShape::Sheet => give_world(HumiditySheet::with_bounds(rules, bounds)?),
            FpShape::Cube => give_world(HumidityCube::with_bounds(rules, bounds)?),
        });
        Ok(())
    })
}

/// Makes an empty world of pressure; `shape` is an `FpShape`. Cells without a chunk are open space
/// at pressure 0; an explosion makes the chunks that it reaches.
///
/// `bounds` may be null: everywhere. `border_kinds` are three `FpBorder`, for x, y and z; null:
/// rigid. `world` becomes a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of shape, rules, bounds and
/// borders; `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_blast_new(
    shape: u32,
    rules: *const FpBlastRules,
    bounds: *const FpRegion,
    border_kinds: *const u32,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (rules, bounds, world) =
            unsafe { (value(rules, "rules")?, bounds_of(bounds)?, out(world, "world")?) };
        // SAFETY: the caller's promises.
        let kinds = unsafe { value_or_none(border_kinds.cast::<[u32; 3]>(), "border_kinds") }?;
        let (rules, borders) = (rules.rules()?, borders(kinds.unwrap_or_default())?);
        world.put(match FpShape::of(shape)? {
            FpShape::Sheet => give_world(BlastSheet::with_bounds(rules, bounds, borders)?),
            FpShape::Cube => give_world(BlastCube::with_bounds(rules, bounds, borders)?),
        });
        Ok(())
    })
}

/// A cell of humidity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpHumidityCell {
    /// 0 to 32,767.
    pub humidity: f64,
    /// From the rules' least impermeability to 10³⁰; `FP_ROCK` is rock.
    pub impermeability: f32,
    /// Whether the cell keeps its humidity, whatever flows out of it: 0 or 1.
    pub rain: u32,
}

impl FpHumidityCell {
    fn cell(self) -> Answer<Cell> {
        match self.rain {
            0 | 1 => {
                let FpHumidityCell { humidity, impermeability, rain } = self;
                Ok(Cell { humidity, impermeability, rain: rain == 1 })
            }
            other => Err(Fault::value(format_args!("rain is 0 or 1, not {other}"))),
        }
    }
}

impl From<Cell> for FpHumidityCell {
    fn from(Cell { humidity, impermeability, rain }: Cell) -> FpHumidityCell {
        FpHumidityCell { humidity, impermeability, rain: rain.into() }
    }
}

/// Loads a chunk of humidity.
///
/// x, y and z are its chunk position. `cells` are `count` cells: 4,096, by index of the world's
/// shape, or 1 for all. They are copied.
///
/// Errors: `FP_STATUS_LENGTH`; `FP_STATUS_VALUE` of a cell; `FP_STATUS_CHUNK_PRESENT`,
/// `FP_STATUS_OUT_OF_BOUNDS`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_humidity_insert_chunk(
    world: *mut FpWorld,
    x: i32,
    y: i32,
    z: i32,
    cells: *const FpHumidityCell,
    count: usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, cells) = unsafe { (enter(world)?, list(cells, count, "cells")?) };
        let chunk = chunk_of(cells, Cell::ROCK, FpHumidityCell::cell)?;
        let edit = humidity::Edit::InsertChunk { position: chunk_at([x, y, z]), chunk };
        match world.change() {
            State::HumiditySheet(kept) => kept.apply(edit).map(drop),
            State::HumidityCube(kept) => kept.apply(edit).map(drop),
            other => other.refuse(),
        }
    })
}

/// Writes the cells of a chunk of humidity.
///
/// x, y and z are its chunk position. `out` has room for `capacity` cells; `length` becomes 4,096,
/// by index of the world's shape, or 1 if all are equal.
///
/// Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_humidity_chunk(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut FpHumidityCell,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let at = chunk_at([x, y, z]);
        let chunk = match world.read() {
            State::HumiditySheet(kept) => kept.world().chunk(at),
            State::HumidityCube(kept) => kept.world().chunk(at),
            other => return other.refuse(),
        };
        let chunk = chunk.ok_or_else(|| Fault::absent([x, y, z]))?;
        room.fill(&cells_of(&chunk, FpHumidityCell::from))
    })
}

/// Loads a chunk of pressure.
///
/// x, y and z are its chunk position. `pressures` are `count` numbers: 4,096, by index of the
/// world's shape, or 1 for all. They are copied.
///
/// Errors: `FP_STATUS_LENGTH`; `FP_STATUS_VALUE` of a pressure; `FP_STATUS_CHUNK_PRESENT`,
/// `FP_STATUS_OUT_OF_BOUNDS`; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_blast_insert_chunk(
    world: *mut FpWorld,
    x: i32,
    y: i32,
    z: i32,
    pressures: *const f32,
    count: usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, pressures) =
            unsafe { (enter(world)?, list(pressures, count, "pressures")?) };
        let chunk = chunk_of(pressures, 0.0, Ok)?;
        let edit = blast::Edit::InsertChunk { position: chunk_at([x, y, z]), chunk };
        match world.change() {
            State::BlastSheet(kept) => kept.apply(edit).map(drop),
            State::BlastCube(kept) => kept.apply(edit).map(drop),
            other => other.refuse(),
        }
    })
}

/// Writes the pressures of a chunk of a world of pressure: 4,096, by index of the world's shape.
/// They are 0 where no chunk is.
///
/// x, y and z are its chunk position. `out` has room for `capacity` numbers; `length` becomes
/// 4,096.
///
/// Errors: `FP_STATUS_OUT_OF_BOUNDS` for a position that no cell can have; `FP_STATUS_BUFFER`;
/// `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_blast_chunk(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    out: *mut f32,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    /// Returns the pressures of a chunk.
    fn pressures<S: Shape>(at: ChunkPos, of: impl Fn(IVec3) -> f32) -> Answer<Vec<f32>> {
        if !S::holds_chunk(at) {
            let words = format_args!("chunk {at} holds no cells");
            return Err(Fault::new(FpStatus::OutOfBounds, words));
        }
        Ok((0..CHUNK_CELLS).map(|index| of(S::cell_at(at, index))).collect())
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (world, room) = unsafe { (enter(world)?, room(out, capacity, length)?) };
        let at = chunk_at([x, y, z]);
        room.fill(&match world.read() {
            State::BlastSheet(kept) => pressures::<Sheet>(at, |at| kept.world().pressure(at)),
            State::BlastCube(kept) => pressures::<Cube>(at, |at| kept.world().pressure(at)),
            other => other.refuse(),
        }?)
    })
}

/// Writes a cell of a world of humidity.
///
/// x, y and z are its position.
///
/// Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_humidity_cell(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    cell: *mut FpHumidityCell,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(cell, "cell")?) };
        let at = IVec3::new(x, y, z);
        let cell = match world.read() {
            State::HumiditySheet(kept) => kept.world().cell(at),
            State::HumidityCube(kept) => kept.world().cell(at),
            other => return other.refuse(),
        };
        let words = format_args!("cell {at} is not loaded");
        place.put(cell.ok_or_else(|| Fault::new(FpStatus::NotLoaded, words))?.into());
        Ok(())
    })
}

/// A cell of a world of pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpBlastCell {
    /// Its pressure; 0 where no chunk is.
    pub pressure: f64,
    /// The flow vector: the sum over its links of the outflow, in the link's direction.
    pub flow: [f64; 3],
    /// The sum of the sizes of these flows.
    pub exposure: f64,
    /// The strength of a wall that breaks; 0 for any other cell.
    pub strength: f64,
    /// Whether it is an obstacle or a wall: 0 or 1.
    pub solid: u64,
}

/// Writes a cell of a world of pressure.
///
/// x, y and z are its position.
///
/// Errors: `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_blast_cell(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    cell: *mut FpBlastCell,
) -> FpStatus {
    macro_rules! cell {
        ($world:expr, $at:expr) => {
            FpBlastCell {
                pressure: $world.pressure($at).into(),
                flow: $world.flow($at).into(),
                exposure: $world.exposure($at),
                strength: $world.strength($at).unwrap_or(0.0).into(),
                solid: $world.is_solid($at).into(),
            }
        };
    }
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(cell, "cell")?) };
        let at = IVec3::new(x, y, z);
        place.put(match world.read() {
            State::BlastSheet(kept) => cell!(kept.world(), at),
            State::BlastCube(kept) => cell!(kept.world(), at),
            other => return other.refuse(),
        });
        Ok(())
    })
}

/// An object at a cell, which measures an explosion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpProbe {
    /// Its cell.
    pub cell: [i32; 3],
    /// Unused.
    pub reserved: u32,
    /// Its cross-section, 0 or more, in a unit of the game.
    pub cross_section: f64,
    /// Measured: the sum of the forces, in pressure times cross-section times steps.
    pub impulse: [f64; 3],
    /// Measured: the sum of the sizes of all flows around it.
    pub exposure: f64,
}

/// Runs steps of a world of pressure, in which probes measure. What they measured in a call before
/// is replaced.
///
/// `probes` are `count` probes of the caller, whose measured fields are written. `report` becomes
/// the sum of the steps; it may be null.
///
/// Errors: `FP_STATUS_VALUE` for a cross-section; `FP_STATUS_KIND`; `FP_STATUS_RECORDING` while the
/// world is recorded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_blast_run_probed(
    world: *mut FpWorld,
    steps: u64,
    probes: *mut FpProbe,
    count: usize,
    report: *mut FpStepReport,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, given, place) = unsafe {
            (
                enter(world)?,
                crate::border::list(probes.cast_const(), count, "probes")?,
                out_or_none(report, "report")?,
            )
        };
        let made =
            given.iter().map(|probe| Ok(Probe::new(probe.cell.into(), probe.cross_section)?));
        let mut made = made.collect::<Answer<Vec<Probe>>>()?;
        place.put(
            match world.change() {
                State::BlastSheet(kept) => kept.unrecorded()?.run_probed(steps, &mut made),
                State::BlastCube(kept) => kept.unrecorded()?.run_probed(steps, &mut made),
                other => return other.refuse(),
            }
            .into(),
        );
        for (at, measured) in made.iter().enumerate() {
            let probe = probes.wrapping_add(at);
            // SAFETY: one of the list that was read above; nothing borrows it any more.
            let before = unsafe { value(probe, "probe") }?;
            let (impulse, exposure) = (measured.impulse().into(), measured.exposure());
            // SAFETY: the same place.
            unsafe { out(probe, "probe") }?.put(FpProbe { impulse, exposure, ..before });
        }
        Ok(())
    })
}

/// Writes the sum of humidity or of pressure in a world of these.
///
/// Errors: `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_field_total(world: *const FpWorld, total: *mut f64) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(total, "total")?) };
        place.put(match world.read() {
            State::HumiditySheet(kept) => kept.world().total(),
            State::HumidityCube(kept) => kept.world().total(),
            State::BlastSheet(kept) => kept.world().total(),
            State::BlastCube(kept) => kept.world().total(),
            other => return other.refuse(),
        });
        Ok(())
    })
}
