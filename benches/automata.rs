//! Speed of the automata that update every cell by one rule, each beside a plain dense-array loop of the same formula in the
//! same run.
//!
//! `cargo bench --bench automata`.

#[path = "automata/blast.rs"]
mod blast;

use criterion::{criterion_group, criterion_main};

criterion_group!(benches, blast::benches);
criterion_main!(benches);
