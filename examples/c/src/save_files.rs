//! Worlds in files on disk, with the feature `store`.

use crate::border::{Handle, border, enter, free, give, out, out_or_none, text};
use crate::fields::{BlastCube, BlastSheet, HumidityCube, HumiditySheet};
use crate::make::give_world;
use crate::status::{Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{FpWorld, State};
use core::ffi::c_char;
use floodplain::save_file::{SaveFile, SaveReport};
use floodplain::water::WaterWorld;
use floodplain::world::World;

/// A world's file on disk. Opaque. Free it by `fp_save_free`, which closes the file.
pub struct FpSave {
    _opaque: [u8; 0],
}

impl Handle for FpSave {
    type Inner = File;
    const MARK: u64 = u64::from_le_bytes(*b"fp save\0");
    const NAME: &'static str = "save";
}

/// The file of each kind of world.
pub(crate) enum File {
    Water(SaveFile<WaterWorld>),
    Materials(SaveFile<World>),
    HumiditySheet(SaveFile<HumiditySheet>),
    HumidityCube(SaveFile<HumidityCube>),
    BlastSheet(SaveFile<BlastSheet>),
    BlastCube(SaveFile<BlastCube>),
}

/// Runs an expression for each kind of world, by the names of the variants.
macro_rules! each_kind {
    ($($kind:ident),+ => $($run:tt)+) => { each_kind!(@ ($($kind),+) $($run)+) };
    (@ ($($kind:ident),+) create $state:expr, $path:expr) => {
        match $state {
            $(State::$kind(kept) => File::$kind(SaveFile::create($path, kept.world())?),)+
            other => return other.refuse(),
        }
    };
    (@ ($($kind:ident),+) open $number:expr, $path:expr) => {
        match $number {
            $(FpKind::$kind => {
                let (file, world) = SaveFile::open($path)?;
                (File::$kind(file), give_world(world))
            })+
            _ => return Err(Fault::kind("a mirror is not saved")),
        }
    };
    (@ ($($kind:ident),+) write $file:expr, $state:expr) => {
        match ($file, $state) {
            $((File::$kind(file), State::$kind(kept)) => file.save(kept.world())?,)+
            (_, other) => return other.refuse(),
        }
    };
}

/// What a save wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FpSaveReport {
    /// Chunks that differ from the last save.
    pub chunks_written: u64,
    /// Chunks that are gone since.
    pub chunks_removed: u64,
    /// Bytes of all that was written.
    pub bytes: u64,
}

impl From<SaveReport> for FpSaveReport {
    fn from(report: SaveReport) -> FpSaveReport {
        FpSaveReport {
            chunks_written: report.chunks_written as u64,
            chunks_removed: report.chunks_removed as u64,
            bytes: report.bytes,
        }
    }
}

/// Creates a file with a world in it.
///
/// `path` is in UTF-8, ended by a byte of 0. `save` becomes a new handle, which the caller owns.
///
/// Errors: `FP_STATUS_FILE`, also if there is a file; `FP_STATUS_KIND` for mirrors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_create(
    path: *const c_char,
    world: *const FpWorld,
    save: *mut *mut FpSave,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (path, world, place) =
            unsafe { (text(path, "path")?, enter(world)?, out(save, "save")?) };
        let file = each_kind!(Water, Materials, HumiditySheet, HumidityCube, BlastSheet, BlastCube
            => create world.read(), path);
        place.put(give::<FpSave>(file));
        Ok(())
    })
}

/// Opens a file and makes the world of its last save, also after a crash.
///
/// `path` is in UTF-8, ended by a byte of 0. `kind` is the world's `FpKind`. `save` and `world`
/// become new handles, which the caller owns.
///
/// Errors: `FP_STATUS_FILE`, also for a file of another kind of world; `FP_STATUS_TAG`,
/// `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_open(
    path: *const c_char,
    kind: u32,
    save: *mut *mut FpSave,
    world: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (path, save, world) =
            unsafe { (text(path, "path")?, out(save, "save")?, out(world, "world")?) };
        let (file, opened) = each_kind!(Water, Materials, HumiditySheet, HumidityCube, BlastSheet,
            BlastCube => open FpKind::of(kind)?, path);
        save.put(give::<FpSave>(file));
        world.put(opened);
        Ok(())
    })
}

/// Saves a world into its file in one transaction: the chunks that differ from the last save. When
/// it returns, they are on the disk.
///
/// `report` may be null.
///
/// Errors: `FP_STATUS_FILE`: the file then holds this save or the last one; `FP_STATUS_KIND` for a
/// world of another kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_write(
    save: *mut FpSave,
    world: *const FpWorld,
    report: *mut FpSaveReport,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut save, world, place) =
            unsafe { (enter(save)?, enter(world)?, out_or_none(report, "report")?) };
        let report = each_kind!(Water, Materials, HumiditySheet, HumidityCube, BlastSheet, BlastCube
            => write &mut *save, world.read());
        place.put(report.into());
        Ok(())
    })
}

/// Closes a file. Null is none. The handle is not to be used again. What was not saved is not in
/// the file.
///
/// Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: it stays open then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_save_free(save: *mut FpSave) -> FpStatus {
    // SAFETY: the caller's promises.
    border(|| unsafe { free(save) })
}
