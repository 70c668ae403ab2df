//! Laws across the border: what is refused changes nothing; mirrors, recordings, records and files
//! hold what their worlds do.

use crate::support::*;
use floodplain::ChunkPos;
use floodplain::glam::IVec3;
use floodplain::water::WaterWorld;
use floodplain_c::*;
use std::ptr;

#[test]
fn refused_calls_change_nothing() {
    let world = spring();
    let before = snapshot(&world);
    let (edit, mut length) = (edit_of(FpEditKind::Pour, IVec3::new(3, 3, 3)), 0);
    let there = world.0;
    let none = ptr::null_mut::<FpWorld>();
    let words = [FP_WORD_OPEN, u16::MAX];
    let turned = FpEdit { cell: [1; 3], ..edit_of(FpEditKind::FillSolid, IVec3::ONE) };
    let at = [5, 0, 0];
    // SAFETY: what is not null is valid; the rest is refused.
    let statuses = unsafe {
        [
            (fp_world_apply(none, &edit, ptr::null_mut()), FpStatus::Pointer),
            (fp_world_apply(there, ptr::null(), ptr::null_mut()), FpStatus::Pointer),
            (fp_world_apply(there, &FpEdit { kind: 999, ..edit }, ptr::null_mut()), FpStatus::Tag),
            (fp_world_apply(there, &turned, ptr::null_mut()), FpStatus::Value),
            (
                fp_world_apply(there, &edit_of(FpEditKind::SetRain, IVec3::ONE), ptr::null_mut()),
                FpStatus::Kind,
            ),
            (
                fp_world_apply_bytes(there, ptr::null(), 3, ptr::null(), ptr::null_mut()),
                FpStatus::Pointer,
            ),
            (
                fp_world_apply_bytes(there, [99].as_ptr(), 1, ptr::null(), ptr::null_mut()),
                FpStatus::Decode,
            ),
            (fp_water_insert_chunks(there, at.as_ptr(), 1, words.as_ptr(), 2), FpStatus::Length),
            (
                fp_water_insert_chunks(there, at.as_ptr(), 1, words[1..].as_ptr(), 1),
                FpStatus::Value,
            ),
            (fp_water_insert_chunks(there, ptr::null(), 1, words.as_ptr(), 1), FpStatus::Pointer),
            (
                fp_water_insert_chunks(there, at.as_ptr(), usize::MAX, words.as_ptr(), 1),
                FpStatus::Length,
            ),
            (
                fp_water_insert_chunks(there, [0; 3].as_ptr(), 1, words.as_ptr(), 1),
                FpStatus::ChunkPresent,
            ),
            (fp_world_remove_chunks(there, at.as_ptr(), 1, &mut length), FpStatus::NotLoaded),
            (fp_world_insert_records(there, [9, 0, 0, 0, 1].as_ptr(), 5), FpStatus::Decode),
            (fp_materials_insert_chunks(there, ptr::null(), 0), FpStatus::Kind),
            (fp_mirror_apply(there, [0].as_ptr(), 1, ptr::null_mut()), FpStatus::Kind),
            (fp_record_undo(there), FpStatus::Recording),
            (fp_world_take_changes(there, ptr::null_mut(), 0, &mut length), FpStatus::Buffer),
            (fp_feed_free(there.cast()), FpStatus::Handle),
        ]
    };
    for (at, (status, wanted)) in statuses.into_iter().enumerate() {
        assert_eq!(status, wanted, "call {at}");
    }
    // Only the list of changes was taken out, and waits.
    assert!(length > 0);
    let changes = all(FpChunkChanges { chunk: [0; 3], cells: 0, mask: [0; 64] }, |out, most, n| {
        // SAFETY: the handle lives.
        unsafe { fp_world_take_changes(there, out, most, n) }
    });
    assert_eq!(changes.len(), length);
    let mut again = WaterWorld::arrange(&before);
    again.take_changes();
    assert_eq!(hash(&world), again.state_hash());
}

/// Loads a world in a test.
trait Arrange {
    fn arrange(bytes: &[u8]) -> Self;
}

impl Arrange for WaterWorld {
    fn arrange(bytes: &[u8]) -> WaterWorld {
        floodplain::snapshot::Saved::load(bytes).expect("a snapshot")
    }
}

#[test]
fn rules_are_checked_and_given_back() {
    // SAFETY: plain numbers.
    let mut rules: FpWaterRules = unsafe { core::mem::zeroed() };
    let mut world = ptr::null_mut();
    let mut new = |rules: &FpWaterRules| {
        // SAFETY: all is valid.
        let status = unsafe { fp_water_new(1, rules, ptr::null(), &mut world) };
        (status, core::mem::replace(&mut world, ptr::null_mut()))
    };
    assert_eq!(new(&rules).0, FpStatus::Size);
    ok!(fp_water_rules_default(0, &mut rules));
    assert_eq!(new(&FpWaterRules { throughput: 8, ..rules }).0, FpStatus::Value);
    assert_eq!(new(&FpWaterRules { pools: 2, ..rules }).0, FpStatus::Value);
    let edge = FpEdge { kind: 4, level: 0 };
    assert_eq!(new(&FpWaterRules { unloaded: edge, ..rules }).0, FpStatus::Tag);
    let given = FpWaterRules { unloaded: FpEdge { kind: 3, level: -5 }, ..rules };
    let (status, world) = new(&given);
    assert_eq!(status, FpStatus::Ok);
    let world = Handle(world);
    ok!(fp_water_rules(world.0, &mut rules));
    assert_eq!(rules, given);
    let changed = FpWaterRules { source_supply: 3, ..given };
    ok!(fp_water_set_rules(world.0, &changed));
    ok!(fp_water_rules(world.0, &mut rules));
    assert_eq!(rules, changed);
}

#[test]
fn palettes_have_the_names_of_the_caller() {
    // SAFETY: plain numbers.
    let mut rules: FpMaterialsRules = unsafe { core::mem::zeroed() };
    ok!(fp_materials_rules_default(&mut rules));
    let material = |name: &core::ffi::CStr, solid| FpMaterial {
        name: name.as_ptr(),
        breaks_into: ptr::null(),
        permeability: 0.0,
        strength: 0.0,
        solid,
        capacity: 0,
        reserved: [0; 6],
    };
    let [air, stone] = [material(c"air", 0), material(c"stone", 1)];
    let wall = FpMaterial { breaks_into: c"air".as_ptr(), strength: 9.0, ..material(c"wall", 1) };
    let mut world = ptr::null_mut();
    let materials = [air, stone, wall];
    ok!(fp_materials_new(1, materials.as_ptr(), 3, &rules, ptr::null(), &mut world));
    drop(Handle(world));
    // SAFETY: all is valid.
    let status =
        unsafe { fp_materials_new(1, [air, air].as_ptr(), 2, &rules, ptr::null(), &mut world) };
    assert_eq!(status, FpStatus::Value);
}

#[test]
fn mirrors_follow_and_feeds_keep_what_does_not_fit() {
    let world = spring();
    let (mut feed, mut mirror) = (ptr::null_mut(), ptr::null_mut());
    ok!(fp_feed_new(world.0, &mut feed));
    ok!(fp_mirror_new(FpKind::Water as u32, 10, &mut mirror));
    let mirror = Handle(mirror);
    let whole = all(0u8, |out, capacity, length| {
        // SAFETY: the handles live.
        unsafe { fp_feed_whole(feed, world.0, [0, 0, 0].as_ptr(), 1, out, capacity, length) }
    });
    ok!(fp_mirror_apply(mirror.0, whole.as_ptr(), whole.len(), ptr::null_mut()));
    for _ in 0..20 {
        ok!(fp_world_step(world.0, ptr::null_mut()));
        let update = all(0u8, |out, capacity, length| {
            // SAFETY: the handles live.
            unsafe { fp_feed_take(feed, world.0, out, capacity, length) }
        });
        let only = all(0u8, |out, capacity, length| {
            let (bytes, count) = (update.as_ptr(), update.len());
            // SAFETY: the lists live.
            unsafe { fp_update_only(1, bytes, count, [0, 0, 0].as_ptr(), 1, out, capacity, length) }
        });
        ok!(fp_mirror_apply(mirror.0, only.as_ptr(), only.len(), ptr::null_mut()));
    }
    let looks = |view: &Handle| {
        all(0u16, |out, capacity, length| {
            // SAFETY: the handle lives.
            unsafe { fp_view_looks(view.0, 0, 0, 0, out, capacity, length) }
        })
    };
    assert_eq!(looks(&mirror), looks(&world));
    assert!(looks(&mirror).contains(&FP_LOOK_SOLID));
    // SAFETY: the handle lives.
    let gap = unsafe { fp_mirror_apply(mirror.0, whole.as_ptr(), whole.len(), ptr::null_mut()) };
    assert_eq!(gap, FpStatus::Gap);
    ok!(fp_mirror_retain(mirror.0, ptr::null(), 0));
    let chunks = all(0, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_world_chunks(mirror.0, out, capacity, length) }
    });
    assert!(chunks.is_empty());
    ok!(fp_feed_free(feed));
}

#[test]
fn recordings_replay_undo_and_resume() {
    let world = spring();
    ok!(fp_world_step_within(world.0, 9, ptr::null_mut()));
    ok!(fp_record_start(world.0, 4, 8, ptr::null()));
    let mut ticket = 9;
    let pour = FpEdit { units: 7, ..edit_of(FpEditKind::Pour, IVec3::new(3, 9, 3)) };
    ok!(fp_world_queue(world.0, &pour, &mut ticket));
    assert_eq!(ticket, 0);
    ok!(fp_world_run(world.0, 10, ptr::null_mut()));
    let before = hash(&world);
    ok!(fp_world_apply(world.0, &pour, ptr::null_mut()));
    ok!(fp_world_step_within(world.0, 9, ptr::null_mut()));
    let reports = take_reports(&world);
    assert_eq!(reports.len(), 1);
    assert_eq!((reports[0].ticket, reports[0].tick, reports[0].outcome.units), (0, 1, 7));
    ok!(fp_world_finish_tick(world.0, ptr::null_mut()));
    let bytes = all(0u8, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_record_bytes(world.0, out, capacity, length) }
    });
    let mut again = ptr::null_mut();
    ok!(fp_record_replay(FpKind::Water as u32, bytes.as_ptr(), bytes.len(), &mut again));
    assert_eq!(hash(&Handle(again)), hash(&world));
    ok!(fp_record_undo(world.0));
    assert_eq!(hash(&world), before);
    ok!(fp_record_rewind(world.0, 0));
    ok!(fp_world_step(world.0, ptr::null_mut()));
    ok!(fp_record_stop(world.0));
    ok!(fp_world_step(world.0, ptr::null_mut()));
    ok!(fp_world_validate(world.0));
}

fn take_reports(world: &Handle) -> Vec<FpEditReport> {
    // SAFETY: plain numbers.
    all(unsafe { core::mem::zeroed() }, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_world_take_edit_reports(world.0, out, capacity, length) }
    })
}

#[test]
fn lock_step_worlds_are_the_same() {
    let (host, guest) = (spring(), spring());
    ok!(fp_record_start(host.0, 5, 0, ptr::null()));
    // SAFETY: plain numbers.
    let mut limits: FpLimits = unsafe { core::mem::zeroed() };
    ok!(fp_limits_default(&mut limits));
    ok!(fp_record_start(guest.0, 5, 0, &limits));
    for tick in 0..20 {
        let pour = FpEdit { units: 5, ..edit_of(FpEditKind::Pour, IVec3::new(tick, 9, 3)) };
        ok!(fp_world_apply(host.0, &pour, ptr::null_mut()));
        let sent = all(0u8, |out, capacity, length| {
            // SAFETY: the handle lives.
            unsafe { fp_record_tick_bytes(host.0, tick as u64, out, capacity, length) }
        });
        let mut made = 0;
        ok!(fp_record_apply_bytes(guest.0, sent.as_ptr(), sent.len(), &mut made));
        assert_eq!(made, 1);
        ok!(fp_world_step(host.0, ptr::null_mut()));
        ok!(fp_world_step(guest.0, ptr::null_mut()));
        assert_eq!(hash(&host), hash(&guest));
    }
    let spring = edit_of(FpEditKind::AddSource, IVec3::new(3, 9, 9));
    ok!(fp_world_apply(host.0, &spring, ptr::null_mut()));
    let sent = all(0u8, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_record_tick_bytes(host.0, 20, out, capacity, length) }
    });
    // SAFETY: the handle lives.
    let status =
        unsafe { fp_record_apply_bytes(guest.0, sent.as_ptr(), sent.len(), ptr::null_mut()) };
    assert_ne!(status, FpStatus::Ok, "beyond the limits");
}

#[test]
fn chunks_come_and_go_with_their_records() {
    let world = spring();
    ok!(fp_world_run(world.0, 30, ptr::null_mut()));
    let mut here = WaterWorld::arrange(&snapshot(&world));
    let mut length = 0;
    ok!(fp_world_remove_chunks(world.0, [1, 0, 0].as_ptr(), 1, &mut length));
    let records = all(0u8, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_world_take_records(world.0, out, capacity, length) }
    });
    assert_eq!(records.len(), length);
    let kept = here.remove_chunks([ChunkPos::new(1, 0, 0)]).unwrap();
    assert_eq!(records[4..], kept[0].to_bytes());
    ok!(fp_world_insert_records(world.0, records.as_ptr(), records.len()));
    here.insert_records(kept).unwrap();
    ok!(fp_world_run(world.0, 5, ptr::null_mut()));
    here.run(5);
    assert_eq!(hash(&world), here.state_hash());
}

#[test]
fn files_hold_worlds() {
    let path = std::env::temp_dir().join(format!("floodplain-c-{}.redb", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("UTF-8")).unwrap();
    for (world, kind) in [
        (spring(), FpKind::Water),
        (materials_of(1), FpKind::Materials),
        (humidity_of(FpShape::Cube), FpKind::HumidityCube),
        (blast_of(FpShape::Sheet), FpKind::BlastSheet),
    ] {
        drop(std::fs::remove_file(&path));
        let (mut save, mut opened) = (ptr::null_mut(), ptr::null_mut());
        ok!(fp_save_create(name.as_ptr(), world.0, &mut save));
        ok!(fp_world_run(world.0, 9, ptr::null_mut()));
        ok!(fp_save_write(save, world.0, ptr::null_mut()));
        ok!(fp_save_free(save));
        // SAFETY: all is valid.
        let exists = unsafe { fp_save_create(name.as_ptr(), world.0, &mut save) };
        assert_eq!(exists, FpStatus::File);
        ok!(fp_save_open(name.as_ptr(), kind as u32, &mut save, &mut opened));
        assert_eq!(hash(&Handle(opened)), hash(&world));
        ok!(fp_save_free(save));
    }
    drop(std::fs::remove_file(&path));
}
