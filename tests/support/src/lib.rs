//! What the test programs in `tests/` and the fuzz targets share: naive models and oracles, which
//! share no code with what they judge; edits made of bytes; small worlds. Those of water, and worlds
//! that are watched, are in `floodplain::testing`.

pub mod blast;
pub mod edit_bytes;
pub mod humidity;
pub mod import;
pub mod model;
pub mod recording;
pub mod snapshot;
pub mod storage;
pub mod water;
pub mod water2d;
pub mod world;
pub mod worlds;
