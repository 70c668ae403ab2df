//! Worlds of blocks are made, and worlds of all kinds freed; the version of the interface; the
//! words of the last refusal.

use crate::border::{border, enter, free, give, out, room, value, value_or_none};
use crate::places::FpRegion;
use crate::rules::{FpMaterial, FpMaterialsRules, FpWaterRules, palette};
use crate::status::{Answer, Fault, FpStatus, last_words};
use crate::worlds::{FpWorld, Holder, Kept, Played};
use core::ffi::c_char;
use floodplain::Region;
use floodplain::water::WaterWorld;
use floodplain::world::World;

/// The version of this interface. It grows when a struct or a function changes its form; new
/// functions alone leave it. A program compares it with `fp_interface_version`.
pub const FP_INTERFACE_VERSION: u32 = 1;

/// Returns the version of the interface that the library was built with: compare it with
/// `FP_INTERFACE_VERSION` of the header. Any thread.
///
/// Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn fp_interface_version() -> u32 {
    FP_INTERFACE_VERSION
}

/// Writes the words of the last call on this thread that was not `FP_STATUS_OK`, in UTF-8 without
/// a byte of 0 at the end. Later calls that succeed leave them.
///
/// `out` has room for `capacity` bytes; `length` becomes how many there are, 0 if no call failed.
///
/// Errors: `FP_STATUS_BUFFER`, `FP_STATUS_POINTER`; they do not replace the words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_last_error(
    out: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    let mut status = FpStatus::Ok;
    let call = border(|| {
        // SAFETY: the caller's promises.
        match unsafe { room(out.cast::<u8>(), capacity, length) } {
            Ok(room) => {
                if let Err(fault) = room.fill(last_words().as_bytes()) {
                    status = fault.status;
                }
            }
            Err(fault) => status = fault.status,
        }
        Ok(())
    });
    if call == FpStatus::Ok { status } else { call }
}

/// Returns the region of bounds; null is everywhere.
///
/// # Safety
/// The caller's promises.
pub(crate) unsafe fn bounds_of(bounds: *const FpRegion) -> Answer<Region> {
    // SAFETY: as of this function.
    match unsafe { value_or_none(bounds, "bounds") }? {
        Some(bounds) => bounds.region(),
        None => Ok(Region::EVERYWHERE),
    }
}

/// Gives out a handle of a world.
pub(crate) fn give_world<W: Played>(world: W) -> *mut FpWorld {
    give(Holder::new(W::state(Kept::new(world))))
}

/// Makes an empty world of water.
///
/// `seed` decides all random choices. `bounds` may be null: everywhere. `world` becomes a new
/// handle, which the caller owns: free it by `fp_world_free`.
///
/// Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of rules and bounds;
/// `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_water_new(
    seed: u64,
    rules: *const FpWaterRules,
    bounds: *const FpRegion,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (rules, bounds, world) =
            unsafe { (value(rules, "rules")?, bounds_of(bounds)?, out(world, "world")?) };
        world.put(give_world(WaterWorld::with_bounds(seed, rules.rules()?, bounds)?));
        Ok(())
    })
}

/// Makes an empty world of materials.
///
/// `materials` are `count` materials, numbered from 0 in their order; with a count of 0 the palette
/// is air, rock, soil, sand, clay, gravel, concrete and rubble. They are copied. `bounds` may be
/// null: everywhere. `world` becomes a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of materials, rules and bounds;
/// `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_materials_new(
    seed: u64,
    materials: *const FpMaterial,
    count: usize,
    rules: *const FpMaterialsRules,
    bounds: *const FpRegion,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        if cfg!(not(feature = "materials")) {
            return Err(Fault::kind("this library is built without worlds of materials"));
        }
        // SAFETY: the caller's promises.
        let (rules, bounds, world) =
            unsafe { (value(rules, "rules")?, bounds_of(bounds)?, out(world, "world")?) };
        // SAFETY: the caller's promises.
        let palette = unsafe { palette(materials, count) }?;
        world.put(give_world(World::with_bounds(seed, palette, rules.rules()?, bounds)?));
        Ok(())
    })
}

/// Frees a world or a mirror and all that belongs to it. Null is none. The handle is not to be used
/// again.
///
/// Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: nothing is freed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_free(world: *mut FpWorld) -> FpStatus {
    // SAFETY: the caller's promises.
    border(|| unsafe { free(world) })
}

/// Writes the `FpKind` of a handle.
///
/// Errors: none but those that any handle or pointer may return.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_kind(world: *const FpWorld, kind: *mut u32) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, kind) = unsafe { (enter(world)?, out(kind, "kind")?) };
        kind.put(world.read().kind() as u32);
        Ok(())
    })
}
