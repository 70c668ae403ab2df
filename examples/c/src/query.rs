//! Cells, bodies, ledgers, and the check of all laws.

use crate::border::{border, enter, out};
use crate::status::{Fault, FpStatus};
use crate::worlds::{FpWorld, with_world};
use floodplain::glam::IVec3;
use floodplain::water;

/// Writes the word of a cell of water, as of `fp_water_chunk`.
///
/// x, y and z are its position.
///
/// Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND` unless it is a
/// world of water or of materials.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_cell(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    word: *mut u16,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(word, "word")?) };
        let voxel = world.read().water()?.voxel(IVec3::new(x, y, z));
        let words = format_args!("cell [{x}, {y}, {z}] is not loaded");
        place.put(voxel.ok_or_else(|| Fault::new(FpStatus::NotLoaded, words))?.word());
        Ok(())
    })
}

/// The state of a body of water.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpBody {
    /// The units of water in it.
    pub units: u64,
    /// The number of cells.
    pub cells: u64,
    /// The highest surface, in units above y = 0: 7·y and the height.
    pub surface: i64,
    /// Whether a spring or the sea feeds it: 0 or 1.
    pub is_fed: u8,
    /// Whether air is shut in over it: 0 or 1.
    pub shuts_in_air: u8,
    /// Whether the search used up its reach, so that the body may be larger: 0 or 1.
    pub is_cut_off: u8,
    /// Unused.
    pub reserved: [u8; 5],
}

impl From<water::BodyReport> for FpBody {
    fn from(report: water::BodyReport) -> FpBody {
        FpBody {
            units: report.units,
            cells: report.cells,
            surface: report.surface,
            is_fed: report.is_fed.into(),
            shuts_in_air: report.shuts_in_air.into(),
            is_cut_off: report.is_cut_off.into(),
            reserved: [0; 5],
        }
    }
}

/// Writes the state of the body of water that a cell belongs to.
///
/// x, y and z are the cell's position. `reach` is the most cells of water and air that are visited.
///
/// Errors: `FP_STATUS_NONE` if the cell holds no water, is sea or is not loaded, or for a reach of
/// 0; `FP_STATUS_KIND` unless it is a world of water or of materials.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_body(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    reach: u32,
    body: *mut FpBody,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(body, "body")?) };
        let body = world.read().water()?.body_at(IVec3::new(x, y, z), reach);
        let words = format_args!("no body of water at cell [{x}, {y}, {z}]");
        place.put(body.ok_or_else(|| Fault::new(FpStatus::None, words))?.into());
        Ok(())
    })
}

/// The units of water that entered and left a world since it was made, and those in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpWaterLedger {
    /// Units that are in the world now. The other sums balance to this.
    pub total: u64,
    /// Came with chunks.
    pub loaded: u64,
    /// Left with chunks.
    pub unloaded: u64,
    /// Poured or filled in.
    pub placed: u64,
    /// Scooped, or left for lack of room.
    pub removed: u64,
    /// Supplied by springs and taps.
    pub injected: u64,
    /// Left by edges and drains.
    pub drained: u64,
    /// Evaporated.
    pub evaporated: u64,
    /// Came from the sea.
    pub from_sea: u64,
    /// Went into the sea.
    pub into_sea: u64,
}

/// Writes the ledger of water of a world of water or of materials.
///
/// Errors: `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_ledger(
    world: *const FpWorld,
    ledger: *mut FpWaterLedger,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(ledger, "ledger")?) };
        let world = world.read().water()?;
        let ledger = world.ledger();
        place.put(FpWaterLedger {
            total: world.total(),
            loaded: ledger.loaded,
            unloaded: ledger.unloaded,
            placed: ledger.placed,
            removed: ledger.removed,
            injected: ledger.injected,
            drained: ledger.drained,
            evaporated: ledger.evaporated,
            from_sea: ledger.from_sea,
            into_sea: ledger.into_sea,
        });
        Ok(())
    })
}

/// What passed between water and soil in a world of materials, in units of water, and its sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpMaterialsLedger {
    /// From water into soil.
    pub soaked: u64,
    /// From soil into water.
    pub sprung: u64,
    /// Evaporated into soil.
    pub ebbed: u64,
    /// From soil that broke into water.
    pub spilled: u64,
    /// Thrown by explosions.
    pub thrown: u64,
    /// Moisture in a unit of water, in 1/65,536.
    pub scale: u64,
    /// The sum of all water and moisture, in 1/65,536 of moisture: the low and the high half.
    pub total: [u64; 2],
}

/// Writes the ledger of a world of materials; `fp_water_ledger` has that of its water.
///
/// Errors: `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_ledger(
    world: *const FpWorld,
    ledger: *mut FpMaterialsLedger,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(ledger, "ledger")?) };
        let world = world.read().materials()?;
        let (ledger, total) = (world.ledger(), world.total());
        place.put(FpMaterialsLedger {
            soaked: ledger.soaked,
            sprung: ledger.sprung,
            ebbed: ledger.ebbed,
            spilled: ledger.spilled,
            thrown: ledger.thrown,
            scale: ledger.scale,
            total: [total as u64, (total >> 64) as u64],
        });
        Ok(())
    })
}

/// A cell of a world of materials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct FpMaterialsCell {
    /// The number of its material.
    pub material: u32,
    /// Its units of water, 0 to 7; 7 for the sea.
    pub units: u32,
    /// Its moisture, in 1/65,536.
    pub moisture: u32,
    /// Its pressure.
    pub pressure: f32,
}

/// Writes a cell of a world of materials.
///
/// x, y and z are its position.
///
/// Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_cell(
    world: *const FpWorld,
    x: i32,
    y: i32,
    z: i32,
    cell: *mut FpMaterialsCell,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(cell, "cell")?) };
        let (world, at) = (world.read().materials()?, IVec3::new(x, y, z));
        let words = format_args!("cell {at} is not loaded");
        let material = world.material(at).ok_or_else(|| Fault::new(FpStatus::NotLoaded, words))?;
        place.put(FpMaterialsCell {
            material: material.0.into(),
            units: world.units(at).into(),
            moisture: world.moisture(at),
            pressure: world.pressure(at),
        });
        Ok(())
    })
}

/// Checks every law of a world, for tests: it counts all cells.
///
/// Errors: `FP_STATUS_DIFFERS` if a law is broken, which is a bug of the library; `FP_STATUS_KIND`
/// for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_validate(world: *const FpWorld) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let world = unsafe { enter(world) }?;
        with_world!(world.read(), kept => {
            let valid = kept.world().validate();
            valid.map_err(|law| Fault::new(FpStatus::Differs, law))
        })
    })
}
