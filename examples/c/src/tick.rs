//! Steps: whole, in slices of cells or of time, and many at once.

use crate::border::{border, enter, out, out_or_none};
use crate::status::FpStatus;
use crate::worlds::{FpWorld, with_world};
use floodplain::{Progress, StepReport};
use std::time::Duration;

/// What one or several steps did; zeros while the world is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpStepReport {
    /// Awake cells that were visited.
    pub visited: u64,
    /// Cells whose state differs from before.
    pub changed: u64,
    /// Units that moved to a neighbour or over an edge; 0 in worlds of humidity and pressure.
    pub moved: u64,
}

impl From<StepReport> for FpStepReport {
    fn from(StepReport { visited, changed, moved }: StepReport) -> FpStepReport {
        FpStepReport { visited, changed, moved }
    }
}

/// What a call with a budget did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpProgress {
    /// What the call did. The reports of all calls of a tick add up to that of the tick.
    pub report: FpStepReport,
    /// Cells visited, searches and several passes counted.
    pub visited: u64,
    /// Whether the tick is complete: 0 or 1.
    pub finished: u64,
}

impl From<Progress> for FpProgress {
    fn from(Progress { report, visited, finished }: Progress) -> FpProgress {
        FpProgress { report: report.into(), visited, finished: finished.into() }
    }
}

/// Runs one step, or completes the one that is underway. `report` may be null.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_step(world: *mut FpWorld, report: *mut FpStepReport) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, place) = unsafe { (enter(world)?, out_or_none(report, "report")?) };
        place.put(with_world!(world.change(), kept => Ok(kept.step()))?.into());
        Ok(())
    })
}

/// Runs as much of a step as a budget of cells allows; the next call resumes it. The result of the
/// step does not depend on the slices. Worlds of humidity and pressure run a whole step.
///
/// `progress` may be null.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_step_within(
    world: *mut FpWorld,
    budget: u64,
    progress: *mut FpProgress,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, place) = unsafe { (enter(world)?, out_or_none(progress, "progress")?) };
        place.put(with_world!(world.change(), kept => Ok(kept.step_within(budget)))?.into());
        Ok(())
    })
}

/// As `fp_world_step_within`, with a budget of time, in nanoseconds: it stops after the piece of
/// some microseconds in which that has passed.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_step_for(
    world: *mut FpWorld,
    nanoseconds: u64,
    progress: *mut FpProgress,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, place) = unsafe { (enter(world)?, out_or_none(progress, "progress")?) };
        let time = Duration::from_nanos(nanoseconds);
        place.put(with_world!(world.change(), kept => Ok(kept.step_for(time)))?.into());
        Ok(())
    })
}

/// Runs this many steps. `report` becomes their sum; it may be null.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_run(
    world: *mut FpWorld,
    steps: u64,
    report: *mut FpStepReport,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, place) = unsafe { (enter(world)?, out_or_none(report, "report")?) };
        place.put(with_world!(world.change(), kept => Ok(kept.run(steps)))?.into());
        Ok(())
    })
}

/// Completes the step that is underway, if there is one. `report` may be null.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_finish_tick(
    world: *mut FpWorld,
    report: *mut FpStepReport,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, place) = unsafe { (enter(world)?, out_or_none(report, "report")?) };
        place.put(with_world!(world.change(), kept => Ok(kept.finish_tick()))?.into());
        Ok(())
    })
}

/// The clock and the load of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpActivity {
    /// Complete steps since the world was made.
    pub ticks: u64,
    /// Cells that the next step will visit.
    pub awake_cells: u64,
    /// Of worlds of water: about the cells that the tick underway has still to visit. Else 0.
    pub backlog: u64,
    /// Whether nothing will change until the next edit: 0 or 1.
    pub at_rest: u64,
    /// Bytes that the world holds on the heap.
    pub memory_bytes: u64,
}

/// Writes the clock and the load of a world.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_activity(
    world: *const FpWorld,
    activity: *mut FpActivity,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(activity, "activity")?) };
        let backlog = world.read().water().map_or(0, |water| water.backlog());
        let activity = with_world!(world.read(), kept => {
            let world = kept.world();
            Ok(FpActivity {
                ticks: world.ticks(),
                awake_cells: world.awake_cells() as u64,
                backlog,
                at_rest: world.is_at_rest().into(),
                memory_bytes: world.memory_bytes() as u64,
            })
        })?;
        place.put(activity);
        Ok(())
    })
}

/// Writes the number of complete steps of a world.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_ticks(world: *const FpWorld, ticks: *mut u64) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(ticks, "ticks")?) };
        place.put(with_world!(world.read(), kept => Ok(kept.world().ticks()))?);
        Ok(())
    })
}

/// Writes a hash of the state that decides the future: the same for the same seed, edits and steps,
/// on every machine and in every language. It reads every cell. Rules and bounds are not part of
/// it.
///
/// Errors: `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_world_state_hash(world: *const FpWorld, hash: *mut u64) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (world, place) = unsafe { (enter(world)?, out(hash, "hash")?) };
        place.put(with_world!(world.read(), kept => Ok(kept.world().state_hash()))?);
        Ok(())
    })
}
