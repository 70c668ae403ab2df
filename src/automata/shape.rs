//! The shapes that automata run on, and what is compiled for each of them with this crate.

use super::blast::{self, BlastWorld};
use super::engine::rows::RowShape;
use super::humidity::{self, HumidityWorld};
use crate::automaton::StepReport;
use crate::coords::{Cube, Sheet};

/// The shapes that automata run on. Implemented by [`Cube`] and [`Sheet`] only.
///
/// Worlds are generic over their shape, and what is generic is compiled with the crate that uses
/// it, optimised as that crate is: in a game that is being worked on, often not at all. So steps
/// are compiled with this one, once for each shape; edits, queries and saves are not.
pub trait FieldShape: RowShape {
    #[doc(hidden)]
    fn step_humidity(world: &mut HumidityWorld<Self>) -> StepReport;

    #[doc(hidden)]
    fn run_humidity(world: &mut HumidityWorld<Self>, steps: u64) -> StepReport;

    #[doc(hidden)]
    fn validate_humidity(world: &HumidityWorld<Self>) -> Result<(), humidity::Violation>;

    #[doc(hidden)]
    fn step_blast(world: &mut BlastWorld<Self>) -> StepReport;

    #[doc(hidden)]
    fn validate_blast(world: &BlastWorld<Self>) -> Result<(), blast::Violation>;
}

/// Never inlined, or they would be compiled with the crate that calls them after all.
macro_rules! compile_for {
    ($shape:ty) => {
        impl FieldShape for $shape {
            #[inline(never)]
            fn step_humidity(world: &mut HumidityWorld<Self>) -> StepReport {
                world.step_generic()
            }

            #[inline(never)]
            fn run_humidity(world: &mut HumidityWorld<Self>, steps: u64) -> StepReport {
                world.run_generic(steps)
            }

            #[inline(never)]
            fn validate_humidity(world: &HumidityWorld<Self>) -> Result<(), humidity::Violation> {
                world.validate_generic()
            }

            #[inline(never)]
            fn step_blast(world: &mut BlastWorld<Self>) -> StepReport {
                world.step_generic()
            }

            #[inline(never)]
            fn validate_blast(world: &BlastWorld<Self>) -> Result<(), blast::Violation> {
                world.validate_generic()
            }
        }
    };
}
compile_for!(Cube);
compile_for!(Sheet);
