//! Speed of the automata: each kernel at several sizes, and on a sparse world, beside a plain loop over a dense array with
//! the same formula in the same run.
//!
//! `cargo bench --bench automata`, or one of them: `cargo bench --bench automata -- humidity`

use criterion::{criterion_group, criterion_main};

#[path = "automata/blast.rs"]
mod blast;
#[path = "automata/humidity.rs"]
mod humidity;
#[path = "automata/water2d.rs"]
mod water2d;

criterion_group!(benches, blast::benches, humidity::benches, water2d::benches);
criterion_main!(benches);
