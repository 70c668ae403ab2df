//! What a call costs beyond its work, and what a chunk costs through C: against the same in Rust,
//! by turns, the least of many rounds.
//!
//! `cargo run --release -p floodplain-c`

use floodplain::glam::IVec3;
use floodplain::water::{Edit, Rules, Voxel, WaterView, WaterWorld};
use floodplain::{CHUNK_CELLS, Chunk, ChunkPos};
use floodplain_c::*;
use std::hint::black_box;
use std::ptr;
use std::time::Instant;

/// Rounds of each pair.
const ROUNDS: usize = 41;
/// Calls in a round.
const CALLS: u32 = 20_000;
/// Chunks in a round.
const CHUNKS: i32 = 400;

/// Returns the least time of a round in nanoseconds, for each of several jobs done by turns.
fn least<const N: usize>(mut jobs: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (job, times) in jobs.iter_mut().zip(&mut times) {
            let begin = Instant::now();
            job();
            times.push(begin.elapsed().as_nanos() as f64);
        }
    }
    times.map(|times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min))
}

fn check(status: FpStatus) {
    assert_eq!(status, FpStatus::Ok);
}

fn world_of_c() -> *mut FpWorld {
    let mut world = ptr::null_mut();
    // SAFETY: all that is pointed to lives; the rules are plain numbers.
    unsafe {
        let mut rules: FpWaterRules = core::mem::zeroed();
        check(fp_water_rules_default(FpPreset::Lossless as u32, &mut rules));
        check(fp_water_new(7, &rules, ptr::null(), &mut world));
    }
    world
}

fn world_of_rust() -> WaterWorld {
    WaterWorld::new(7, Rules::lossless()).expect("rules in range")
}

/// Prints what a call costs through C and in Rust.
fn print(name: &str, [c, rust]: [f64; 2]) {
    let [c, rust] = [c, rust].map(|time| time / f64::from(CALLS));
    println!("{name:28} {c:7.1} ns through C {rust:7.1} ns in Rust {:7.1} ns beyond", c - rust);
}

fn calls() {
    let (there, mut here) = (world_of_c(), world_of_rust());
    // SAFETY: the handle and the lists live.
    check(unsafe { fp_water_insert_chunks(there, [0; 3].as_ptr(), 1, [0].as_ptr(), 1) });
    here.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).expect("none is there");
    print(
        "fp_world_ticks",
        least([
            &mut || {
                let mut ticks = 0;
                for _ in 0..CALLS {
                    // SAFETY: the handle lives.
                    check(unsafe { fp_world_ticks(black_box(there), &mut ticks) });
                }
                black_box(ticks);
            },
            &mut || {
                for _ in 0..CALLS {
                    black_box(black_box(&here).ticks());
                }
            },
        ]),
    );
    print(
        "fp_view_look",
        least([
            &mut || {
                let mut look = 0;
                for at in 0..CALLS as i32 {
                    // SAFETY: the handle lives.
                    check(unsafe { fp_view_look(there, at & 15, 3, 4, &mut look) });
                }
                black_box(look);
            },
            &mut || {
                for at in 0..CALLS as i32 {
                    black_box(here.look(IVec3::new(at & 15, 3, 4)));
                }
            },
        ]),
    );
    let scoop =
        FpEdit { kind: FpEditKind::Scoop as u32, cell: [3, 4, 5], units: 7, ..FpEdit::default() };
    print(
        "fp_world_apply, a dry scoop",
        least([
            &mut || {
                for _ in 0..CALLS {
                    // SAFETY: the handle lives.
                    check(unsafe { fp_world_apply(there, black_box(&scoop), ptr::null_mut()) });
                }
            },
            &mut || {
                for _ in 0..CALLS {
                    let edit = Edit::Scoop { cell: IVec3::new(3, 4, 5), units: 7 };
                    black_box(here.apply(black_box(edit)).expect("loaded"));
                }
            },
        ]),
    );
    print(
        "fp_world_step, at rest",
        least([
            &mut || {
                for _ in 0..CALLS {
                    // SAFETY: the handle lives.
                    check(unsafe { fp_world_step(black_box(there), ptr::null_mut()) });
                }
            },
            &mut || {
                for _ in 0..CALLS {
                    black_box(black_box(&mut here).step());
                }
            },
        ]),
    );
    // SAFETY: it is not used again.
    check(unsafe { fp_world_free(there) });
}

/// Times the insertion of chunks of these words: through C, in Rust of words, of arrays of voxels,
/// and of chunks that are ready and only copied.
fn insertion(name: &str, words: &[u16; CHUNK_CELLS]) {
    let cells = words.map(|word| Voxel::from_word(word).expect("a word"));
    let ready = Chunk::from_cells(&cells);
    let times = least([
        &mut || {
            let world = world_of_c();
            for x in 0..CHUNKS {
                // SAFETY: the handle and the lists live.
                check(unsafe {
                    fp_water_insert_chunks(world, [x, 0, 0].as_ptr(), 1, words.as_ptr(), 4096)
                });
            }
            // SAFETY: it is not used again.
            check(unsafe { fp_world_free(world) });
        },
        &mut || {
            let mut world = world_of_rust();
            for x in 0..CHUNKS {
                let cells = words.map(|word| Voxel::from_word(word).expect("a word"));
                world
                    .insert_chunk(ChunkPos::new(x, 0, 0), Chunk::from_cells(&cells))
                    .expect("none is there");
            }
        },
        &mut || {
            let mut world = world_of_rust();
            for x in 0..CHUNKS {
                let chunk = Chunk::from_cells(black_box(&cells));
                world.insert_chunk(ChunkPos::new(x, 0, 0), chunk).expect("none is there");
            }
        },
        &mut || {
            let mut world = world_of_rust();
            for x in 0..CHUNKS {
                world.insert_chunk(ChunkPos::new(x, 0, 0), ready.clone()).expect("none is there");
            }
        },
    ]);
    let [c, rest @ ..] = times.map(|time| time / f64::from(CHUNKS) / 1e3);
    println!("{name}: {c:.2} µs through C");
    for (of, time) in ["words", "voxels", "ready chunks"].iter().zip(rest) {
        println!("    {time:.2} µs in Rust of {of}: {:.2} times", c / time);
    }
}

fn main() {
    calls();
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as u16
    };
    insertion(
        "a chunk of hills and a lake",
        &core::array::from_fn(|index| {
            let (x, y) = (index % 16, index / 256);
            match y {
                _ if y <= x / 3 => FP_WORD_SOLID,
                1..=3 => 7,
                _ => FP_WORD_OPEN,
            }
        }),
    );
    let noise =
        core::array::from_fn(|_| [FP_WORD_SOLID, FP_WORD_OPEN, 3, 7][random() as usize % 4]);
    insertion("a chunk of noise", &noise);
}
