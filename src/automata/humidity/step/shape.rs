//! The shapes of chunks that humidity runs on. The steps and the checks are compiled once for each
//! shape.

use crate::automata::engine::rows::RowShape;
use crate::automata::humidity::{HumidityWorld, validate};
use crate::coords::{Cube, Sheet};
use crate::simulation::StepReport;

/// The shapes that humidity runs on. Implemented by [`Cube`] and [`Sheet`] only.
///
/// Worlds are generic over their shape, and generic code is compiled with the crate that uses it,
/// optimised as that crate is: in a game under development often not at all. So the code that takes
/// time is compiled with this crate, once for each shape; edits, queries and saves are not.
pub trait HumidityShape: RowShape {
    fn step_humidity(world: &mut HumidityWorld<Self>) -> StepReport;

    fn run_humidity(world: &mut HumidityWorld<Self>, steps: u64) -> StepReport;

    fn validate_humidity(world: &HumidityWorld<Self>) -> Result<(), validate::Violation>;
}

/// The functions are never inlined, or they would be compiled with the calling crate after all.
macro_rules! compile_for {
    ($($shape:ty),*) => {
        $(impl HumidityShape for $shape {
            #[inline(never)]
            fn step_humidity(world: &mut HumidityWorld<Self>) -> StepReport {
                world.step_generic()
            }

            #[inline(never)]
            fn run_humidity(world: &mut HumidityWorld<Self>, steps: u64) -> StepReport {
                world.run_generic(steps)
            }

            #[inline(never)]
            fn validate_humidity(world: &HumidityWorld<Self>) -> Result<(), validate::Violation> {
                validate::check_all(world)
            }
        })*
    };
}
compile_for!(Cube, Sheet);
