//! Cells of humidity and of pressure, and probes that measure explosions.

use crate::border::{border, enter, out, out_or_none, value};
use crate::chunks::FpHumidityCell;
use crate::status::{Answer, Fault, FpStatus};
use crate::tick::FpStepReport;
use crate::worlds::{FpWorld, State};
use floodplain::blast::Probe;
use floodplain::glam::IVec3;

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
