//! x
use mpi::traits::*;
fn main() {
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    println!("{} of {}", world.rank(), world.size());
}
