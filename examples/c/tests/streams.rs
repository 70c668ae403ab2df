//! Streaming to a file: no unit is lost or doubled, at whatever moment the game ends.

use crate::support::{Handle, all, hash, last_error, materials_of, water_of};
use floodplain_c::*;
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::ptr;

macro_rules! ok {
    ($call:expr) => {{
        // SAFETY: the tests keep the promises.
        let status = unsafe { $call };
        assert_eq!(status, FpStatus::Ok, "{}: {}", stringify!($call), last_error());
    }};
}

/// Returns where a file may be, that is not there.
fn place(name: &str) -> PathBuf {
    let name = format!("floodplain-c-{name}-{}.redb", std::process::id());
    let path = std::env::temp_dir().join(name);
    drop(std::fs::remove_file(&path));
    path
}

/// A file that is closed and removed at the end.
struct File {
    stream: *mut FpStream,
    path: PathBuf,
    name: CString,
}

impl File {
    fn at(path: PathBuf) -> File {
        let name = CString::new(path.to_str().expect("UTF-8")).unwrap();
        File { stream: ptr::null_mut(), path, name }
    }

    fn new(name: &str, world: &Handle) -> File {
        let mut file = File::at(place(name));
        ok!(fp_stream_create(file.name.as_ptr(), world.0, &mut file.stream));
        file
    }

    fn open(path: PathBuf, kind: FpKind) -> (File, Handle) {
        let mut file = File::at(path);
        let mut world = ptr::null_mut();
        ok!(fp_stream_open(file.name.as_ptr(), kind as u32, &mut file.stream, &mut world));
        (file, Handle(world))
    }

    /// Returns the file as it is on the disk now, as after a crash, under another name.
    fn copy(&self, name: &str) -> PathBuf {
        let copy = place(name);
        std::fs::copy(&self.path, &copy).expect("a copy");
        copy
    }

    fn save(&self, world: &Handle) -> FpSaveReport {
        let (mut begun, mut report) = (0, FpSaveReport::default());
        ok!(fp_stream_save(self.stream, world.0, &mut begun));
        assert_eq!(begun, 1);
        ok!(fp_stream_wait(self.stream, &mut report));
        report
    }

    fn load(&self, world: &Handle, chunks: &[[i32; 3]]) -> Vec<u8> {
        let mut found = vec![9; chunks.len()];
        let first = chunks.as_ptr().cast();
        ok!(fp_stream_load(self.stream, world.0, first, chunks.len(), found.as_mut_ptr()));
        found
    }

    fn unloaded(&self) -> Vec<i32> {
        // SAFETY: the handle lives.
        all(0, |out, capacity, length| unsafe {
            fp_stream_unloaded(self.stream, out, capacity, length)
        })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        ok!(fp_stream_free(self.stream));
        drop(std::fs::remove_file(&self.path));
    }
}

/// Returns a row of four open chunks, with water that runs out of the first one.
fn row() -> Handle {
    let world = water_of(7);
    let chunks: Vec<i32> = (0..4).flat_map(|x| [x, 0, 0]).collect();
    ok!(fp_water_insert_chunks(world.0, chunks.as_ptr(), 4, &[FP_WORD_OPEN; 4][0], 1));
    pour(&world, [14, 2, 8]);
    world
}

fn pour(world: &Handle, cell: [i32; 3]) {
    // SAFETY: plain numbers.
    let mut edit: FpEdit = unsafe { core::mem::zeroed() };
    edit.kind = FpEditKind::FillWater as u32;
    (edit.cell, edit.to, edit.units) = (cell, cell.map(|axis| axis + 1), 7);
    ok!(fp_world_apply(world.0, &edit, ptr::null_mut()));
}

fn ledger(world: &Handle) -> FpWaterLedger {
    // SAFETY: plain numbers.
    let mut ledger: FpWaterLedger = unsafe { core::mem::zeroed() };
    ok!(fp_water_ledger(world.0, &mut ledger));
    ledger
}

/// Returns all units, those of unloaded chunks too.
fn units(world: &Handle) -> u64 {
    let ledger = ledger(world);
    ledger.total + ledger.unloaded - ledger.loaded
}

#[test]
fn chunks_that_went_come_back_from_the_file() {
    let world = row();
    let file = File::new("go", &world);
    ok!(fp_world_run(world.0, 12, ptr::null_mut()));
    let before = units(&world);
    let there = [[1, 0, 0], [2, 0, 0]];
    ok!(fp_stream_unload(file.stream, world.0, there.as_ptr().cast(), 2));
    assert!(ledger(&world).total < before, "some of it had reached the second chunk");
    assert_eq!(file.unloaded(), [1, 0, 0, 2, 0, 0]);
    assert!(file.save(&world).chunks_written > 0);
    ok!(fp_world_run(world.0, 5, ptr::null_mut()));
    assert_eq!(file.load(&world, &[[2, 0, 0], [9, 0, 0], [1, 0, 0]]), [1, 0, 1]);
    assert_eq!(units(&world), before);
    assert_eq!(ledger(&world).total, before);
    ok!(fp_world_validate(world.0));
}

#[test]
fn a_crash_at_any_time_loses_and_doubles_nothing() {
    let world = row();
    let file = File::new("crash", &world);
    let before = units(&world);
    for round in 0..12 {
        ok!(fp_world_run(world.0, 3, ptr::null_mut()));
        let chunk = [round % 3 + 1, 0, 0];
        match round % 2 {
            0 => ok!(fp_stream_unload(file.stream, world.0, chunk.as_ptr(), 1)),
            _ => drop(file.load(&world, &[[round - 1, 0, 0], [(round - 1) % 3 + 1, 0, 0]])),
        }
        if round % 3 == 0 {
            file.save(&world);
        }
        let (again, opened) = File::open(file.copy(&format!("crash-{round}")), FpKind::Water);
        assert_eq!(units(&opened), before, "round {round}");
        let away = again.unloaded();
        let away: Vec<[i32; 3]> = away.as_chunks().0.to_vec();
        assert_eq!(again.load(&opened, &away), vec![1; away.len()]);
        assert_eq!(ledger(&opened).total, before, "round {round}");
        ok!(fp_world_validate(opened.0));
    }
}

#[test]
fn a_refused_load_puts_back_what_it_took() {
    let world = row();
    let file = File::new("refused", &world);
    ok!(fp_world_run(world.0, 12, ptr::null_mut()));
    let chunk = [1, 0, 0];
    ok!(fp_stream_unload(file.stream, world.0, chunk.as_ptr(), 1));
    let before = units(&world);
    ok!(fp_water_insert_chunks(world.0, chunk.as_ptr(), 1, &FP_WORD_OPEN, 1));
    let mut found = 0;
    // SAFETY: all is valid.
    let refused = unsafe { fp_stream_load(file.stream, world.0, chunk.as_ptr(), 1, &mut found) };
    assert_eq!(refused, FpStatus::ChunkPresent);
    // SAFETY: plain numbers.
    let mut edit: FpEdit = unsafe { core::mem::zeroed() };
    (edit.kind, edit.cell) = (FpEditKind::RemoveChunk as u32, chunk);
    ok!(fp_world_apply(world.0, &edit, ptr::null_mut()));
    assert_eq!(file.load(&world, &[chunk]), [1]);
    assert_eq!(units(&world), before);
}

#[test]
fn a_save_is_written_beside_ticks_and_worlds_of_materials_have_files_too() {
    let world = materials_of(1);
    // SAFETY: plain numbers.
    let mut content: FpContent = unsafe { core::mem::zeroed() };
    let air = [0u8];
    (content.materials, content.material_count) = (air.as_ptr(), 1);
    ok!(fp_materials_insert_chunks(world.0, &content, 1));
    pour(&world, [3, 3, 3]);
    let file = File::new("materials", &world);
    let (mut begun, mut second) = (0, 9);
    ok!(fp_world_run(world.0, 2, ptr::null_mut()));
    let saved = hash(&world);
    ok!(fp_stream_save(file.stream, world.0, &mut begun));
    // It may be written by now, or not.
    ok!(fp_stream_save(file.stream, world.0, &mut second));
    assert!(begun == 1 && second < 2);
    ok!(fp_world_run(world.0, 20, ptr::null_mut()));
    ok!(fp_stream_wait(file.stream, ptr::null_mut()));
    let (_again, opened) = File::open(file.copy("materials-again"), FpKind::Materials);
    assert_eq!(hash(&opened), saved);
    let mut stream = ptr::null_mut();
    let name: &CStr = &file.name;
    // SAFETY: all is valid.
    let exists = unsafe { fp_stream_create(name.as_ptr(), world.0, &mut stream) };
    assert_eq!(exists, FpStatus::File);
    // SAFETY: all is valid.
    let kind = unsafe { fp_stream_save(file.stream, row().0, ptr::null_mut()) };
    assert_eq!(kind, FpStatus::Kind);
}
