//! Edits and steps of the automata, from bytes as in the property tests.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::blast::BlastWorld;
use floodplain::{Cube, Sheet, testing};
use support::shapes::EitherShape;

/// A run that the property tests make of bytes, as an input of a target.
macro_rules! run_of_bytes {
    ($(#[$about:meta])* $name:ident, $run:ty) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name(pub $run);

        impl Arbitrary<'_> for $name {
            fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<$name> {
                Ok($name(<$run>::from_bytes(bytes.bytes(bytes.len())?)))
            }
        }
    };
}

run_of_bytes!(
    /// One run of the target `blast_grid`.
    BlastRun,
    EitherShape<testing::Run<BlastWorld<Sheet>>, testing::Run<BlastWorld<Cube>>>
);
run_of_bytes!(
    /// One run of the target `humidity`.
    HumidityRun,
    support::humidity::edits::Run
);
run_of_bytes!(
    /// One run of the target `water_2d`.
    Water2dRun,
    support::water2d::edits::Run
);
run_of_bytes!(
    /// One run of the target `world_edits`.
    WorldRun,
    support::world::runs::Run
);
