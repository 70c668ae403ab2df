//! The job of `job.js`, compiled for this machine: prints its times and hashes as JSON.
//!
//! `bench/run` compares them.

use floodplain_c::*;
use std::ptr;
use std::time::Instant;

/// Chunks along x and z, and up.
const WIDE: i32 = 8;
const HIGH: i32 = 2;
const TICKS: u64 = 200;
const MESH_ROUNDS: usize = 50;

fn check(status: FpStatus) {
    assert_eq!(status, FpStatus::Ok);
}

/// Returns what a function fills in.
fn filled<T>(fill: impl FnOnce(*mut T) -> FpStatus) -> T {
    let mut value = core::mem::MaybeUninit::uninit();
    check(fill(value.as_mut_ptr()));
    // SAFETY: a call that is done has written it.
    unsafe { value.assume_init() }
}

fn milliseconds(job: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    job();
    begin.elapsed().as_secs_f64() * 1e3
}

fn chunks() -> impl Iterator<Item = [i32; 3]> {
    (0..WIDE).flat_map(|x| (0..HIGH).flat_map(move |y| (0..WIDE).map(move |z| [x, y, z])))
}

fn edit(world: *mut FpWorld, edit: FpEdit) {
    // SAFETY: the world lives.
    check(unsafe { fp_world_apply(world, &edit, ptr::null_mut()) });
}

fn run(world: *mut FpWorld) {
    // SAFETY: the world lives.
    check(unsafe { fp_world_run(world, TICKS, ptr::null_mut()) });
}

fn hash(world: *mut FpWorld) -> u64 {
    // SAFETY: the world lives.
    filled(|hash| unsafe { fp_world_state_hash(world, hash) })
}

/// A block of water that falls apart in a basin.
fn flood() -> *mut FpWorld {
    // SAFETY: all that is pointed to lives.
    let world = unsafe {
        let rules = filled(|rules| fp_water_rules_default(FpPreset::Lossless as u32, rules));
        filled(|world| fp_water_new(7, &rules, ptr::null(), world))
    };
    let chunks: Vec<i32> = chunks().flatten().collect();
    let words = vec![FP_WORD_OPEN; chunks.len() / 3];
    // SAFETY: three numbers for each chunk, and a word for each.
    let loaded =
        unsafe { fp_water_insert_chunks(world, chunks.as_ptr(), words.len(), words.as_ptr(), 1) };
    check(loaded);
    let to = [WIDE * 16 - 1, 0, WIDE * 16 - 1];
    edit(world, FpEdit { kind: FpEditKind::FillSolid as u32, to, ..FpEdit::default() });
    let (kind, units) = (FpEditKind::FillWater as u32, 7);
    let (cell, to) = ([40, 1, 40], [87, 24, 87]);
    edit(world, FpEdit { kind, cell, to, units, ..FpEdit::default() });
    world
}

/// Makes the meshes of all chunks. Returns the number of indices.
fn meshes(world: *const FpWorld) -> usize {
    let (mut corners, mut indices) = (vec![[0.0_f32; 52_224 * 3]; 2], vec![0_u32; 78_336]);
    let mut sum = 0;
    for _ in 0..MESH_ROUNDS {
        for [x, y, z] in chunks() {
            let [positions, normals] =
                corners.get_disjoint_mut([0, 1]).expect("two lists").map(|list| list.as_mut_ptr());
            let mut mesh = FpMesh {
                positions,
                normals,
                flow: ptr::null_mut(),
                vertex_capacity: 52_224,
                vertex_count: 0,
                indices: indices.as_mut_ptr(),
                index_capacity: indices.len(),
                index_count: 0,
            };
            // SAFETY: the lists have the room that is said.
            check(unsafe { fp_view_mesh(world, x, y, z, &mut mesh) });
            sum += mesh.index_count;
        }
    }
    sum
}

fn main() {
    let world = flood();
    let of_flood = milliseconds(|| run(world));
    let mut indices = 0;
    let of_meshes = milliseconds(|| indices = meshes(world));
    let result = format!("{:016x} {indices}", hash(world));
    println!(r#"{{"flood":{of_flood:.1},"meshes":{of_meshes:.1},"result":"{result}"}}"#);
}
