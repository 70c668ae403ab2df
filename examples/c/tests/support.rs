//! Handles, lists and small worlds of C for the tests.

use floodplain::blast;
use floodplain::glam::IVec3;
use floodplain_c::*;
use std::ptr;

/// A world of C, which is freed at the end.
pub struct Handle(pub *mut FpWorld);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: given out once, and not used again.
        assert_eq!(unsafe { fp_world_free(self.0) }, FpStatus::Ok);
    }
}

/// Calls functions of C that have to succeed.
macro_rules! ok {
    ($call:expr) => {{
        // SAFETY: the tests keep the promises.
        let status = unsafe { $call };
        assert_eq!(
            status,
            FpStatus::Ok,
            "{}: {}",
            stringify!($call),
            $crate::support::last_error()
        );
    }};
}

pub(crate) use ok;

pub fn last_error() -> String {
    let (mut out, mut length) = ([0u8; 500], 0);
    // SAFETY: there is room.
    unsafe { fp_last_error(out.as_mut_ptr().cast(), out.len(), &mut length) };
    String::from_utf8_lossy(&out[..length.min(500)]).into_owned()
}

/// Returns all values of a function that fills a list.
pub fn all<T: Copy>(empty: T, call: impl Fn(*mut T, usize, *mut usize) -> FpStatus) -> Vec<T> {
    let mut length = 0;
    let first = call(ptr::null_mut(), 0, &mut length);
    if first == FpStatus::Ok {
        assert_eq!(length, 0);
        return Vec::new();
    }
    assert_eq!(first, FpStatus::Buffer, "{}", last_error());
    let mut out = vec![empty; length];
    assert_eq!(call(out.as_mut_ptr(), length, &mut length), FpStatus::Ok, "{}", last_error());
    assert_eq!(length, out.len());
    out
}

pub fn hash(world: &Handle) -> u64 {
    let mut hash = 0;
    ok!(fp_world_state_hash(world.0, &mut hash));
    hash
}

pub fn snapshot(world: &Handle) -> Vec<u8> {
    // SAFETY: the handle lives.
    all(0, |out, capacity, length| unsafe { fp_world_snapshot(world.0, out, capacity, length) })
}

pub fn water_of(seed: u64) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpWaterRules = unsafe { core::mem::zeroed() };
    ok!(fp_water_rules_default(FpPreset::Lossless as u32, &mut rules));
    let mut world = ptr::null_mut();
    ok!(fp_water_new(seed, &rules, ptr::null(), &mut world));
    Handle(world)
}

pub fn materials_of(seed: u64) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpMaterialsRules = unsafe { core::mem::zeroed() };
    ok!(fp_materials_rules_default(&mut rules));
    let mut world = ptr::null_mut();
    ok!(fp_materials_new(seed, ptr::null(), 0, &rules, ptr::null(), &mut world));
    Handle(world)
}

pub fn humidity_of(shape: FpShape) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpHumidityRules = unsafe { core::mem::zeroed() };
    ok!(fp_humidity_rules_default(&mut rules));
    let mut world = ptr::null_mut();
    ok!(fp_humidity_new(shape as u32, &rules, ptr::null(), &mut world));
    Handle(world)
}

/// Rules of pressure that are stable in both shapes.
pub const BLAST: blast::Rules = blast::Rules::diffusive(0.12);

pub fn blast_of(shape: FpShape) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpBlastRules = unsafe { core::mem::zeroed() };
    ok!(fp_blast_rules_default(&mut rules));
    rules.coefficient = BLAST.rule.coefficient();
    let mut world = ptr::null_mut();
    ok!(fp_blast_new(shape as u32, &rules, ptr::null(), ptr::null(), &mut world));
    Handle(world)
}

pub fn edit_of(kind: FpEditKind, cell: IVec3) -> FpEdit {
    FpEdit { kind: kind as u32, cell: cell.into(), ..FpEdit::default() }
}

/// Returns a small world of water with a spring over ground.
pub fn spring() -> Handle {
    let world = water_of(7);
    ok!(fp_water_insert_chunks(world.0, [0, 0, 0, 1, 0, 0].as_ptr(), 2, [0u16; 2].as_ptr(), 1));
    let ground = FpEdit { to: [31, 0, 15], ..edit_of(FpEditKind::FillSolid, IVec3::ZERO) };
    ok!(fp_world_apply(world.0, &ground, ptr::null_mut()));
    let source = edit_of(FpEditKind::AddSource, IVec3::new(8, 4, 8));
    ok!(fp_world_apply(world.0, &source, ptr::null_mut()));
    world
}
