//! Water: small worlds, and the laws of whole runs.

pub mod beds;
pub mod limits;
pub mod orders;
pub mod simulation;
pub mod small;
pub mod words;

use floodplain::testing;
use floodplain::water::Edit;

/// What is done to a world of water.
pub type Op = testing::Op<Edit>;
