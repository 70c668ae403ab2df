//! Speed of the automata. Sheets: each kernel at several sizes and on a sparse world, against a
//! plain loop over a dense array with the same formula in the same run. Cubes: one size, no
//! baseline.
//!
//! `cargo bench --bench automata`, or one automaton: `cargo bench --bench automata -- humidity`

use criterion::Criterion;

#[path = "automata/blast.rs"]
mod blast;
#[path = "automata/cubes.rs"]
mod cubes;
#[expect(dead_code, reason = "other benches use the rest")]
#[path = "worlds/fields.rs"]
mod fields;
#[path = "automata/humidity.rs"]
mod humidity;
#[path = "automata/water2d.rs"]
mod water2d;

fn main() {
    // The baselines have one thread; several threads are measured in pools of their own.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool was used before");
    let mut criterion = Criterion::default().configure_from_args();
    blast::benches(&mut criterion);
    humidity::benches(&mut criterion);
    water2d::benches(&mut criterion);
    cubes::benches(&mut criterion);
    criterion.final_summary();
}
