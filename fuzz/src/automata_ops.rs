//! Edits and steps of the automata, from bytes as in the property tests.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::blast::BlastWorld;
use floodplain::humidity::HumidityWorld;
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
    EitherShape<testing::Run<HumidityWorld<Sheet>>, testing::Run<HumidityWorld<Cube>>>
);
run_of_bytes!(
    /// One run of the target `world_edits`.
    WorldRun,
    support::world::runs::Run
);
