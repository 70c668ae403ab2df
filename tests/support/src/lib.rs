//! What the test programs in `tests/` and the fuzz targets share: naive models and oracles, which
//! share no code with what they judge; runs made of bytes; small worlds. Worlds that are watched,
//! and their models, are in `floodplain::testing`.

pub mod edit_bytes;
pub mod import;
pub mod queued;
pub mod recording;
pub mod shapes;
pub mod snapshot;
pub mod storage;
pub mod water;
pub mod world;
pub mod worlds;
