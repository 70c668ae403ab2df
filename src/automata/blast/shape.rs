//! The shapes of chunks that explosions run on. The code that takes time is compiled once for each
//! shape.

use super::{BlastWorld, validate};
use crate::automata::blast::validate::validate_generic;
use crate::automata::engine::rows::RowShape;
use crate::coords::{Cube, Sheet};
use crate::simulation::StepReport;

/// The shapes that explosions run on. Implemented by [`Cube`] and [`Sheet`] only.
///
/// Steps and checks are compiled with this crate, once for each shape, for the reason given at
/// `HumidityShape`.
pub trait BlastShape: RowShape {
    fn step_blast(world: &mut BlastWorld<Self>) -> StepReport;

    fn validate_blast(world: &BlastWorld<Self>) -> Result<(), validate::Violation>;
}

/// The functions are never inlined, or they would be compiled with the calling crate after all.
macro_rules! compile_for {
    ($($shape:ty),*) => {
        $(impl BlastShape for $shape {
            #[inline(never)]
            fn step_blast(world: &mut BlastWorld<Self>) -> StepReport {
                world.step_generic()
            }

            #[inline(never)]
            fn validate_blast(world: &BlastWorld<Self>) -> Result<(), validate::Violation> {
                validate_generic(world)
            }
        })*
    };
}
compile_for!(Cube, Sheet);
