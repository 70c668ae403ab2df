//! Edits and steps of the automata, from bytes as in the property tests.

use arbitrary::{Arbitrary, Result, Unstructured};

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
    crate::blast_edits::Run
);
run_of_bytes!(
    /// One run of the target `blast_graph`.
    GraphRun,
    crate::graph_edits::Run
);
run_of_bytes!(
    /// One run of the target `humidity`.
    HumidityRun,
    crate::humidity_edits::Run
);
run_of_bytes!(
    /// One run of the target `water_2d`.
    Water2dRun,
    crate::water2d_edits::Run
);
