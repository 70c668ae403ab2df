//! Speed of the automata: each kernel at several sizes, and on a sparse world, beside a plain loop
//! over a dense array with the same formula in the same run; and in cubes, at one size and without
//! a loop beside them.
//!
//! `cargo bench --bench automata`, or one of them: `cargo bench --bench automata -- humidity`

use criterion::Criterion;

#[path = "automata/blast.rs"]
mod blast;
#[path = "automata/cubes.rs"]
mod cubes;
#[expect(dead_code, reason = "worlds of other benches stand there too")]
#[path = "worlds/fields.rs"]
mod fields;
#[path = "automata/humidity.rs"]
mod humidity;
#[path = "automata/water2d.rs"]
mod water2d;

fn main() {
    // The loops beside ours have one thread; what several do is measured in pools of their own.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool was used before");
    let mut criterion = Criterion::default().configure_from_args();
    blast::benches(&mut criterion);
    humidity::benches(&mut criterion);
    water2d::benches(&mut criterion);
    cubes::benches(&mut criterion);
    criterion.final_summary();
}
