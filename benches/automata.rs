//! The 2D automata, each beside plain loops of the same formula over dense arrays, in the same run.

#[path = "automata/water2d.rs"]
mod water2d;

use criterion::{criterion_group, criterion_main};

criterion_group!(benches, water2d::benches);
criterion_main!(benches);
