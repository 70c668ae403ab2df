//! What the test programs in `tests/` and the fuzz targets share: naive models and oracles, which
//! share no code with what they judge; runs made of bytes; small worlds. Worlds that are watched, and
//! the models of water, of explosions and of materials, are in `floodplain::testing`.

pub mod edit_bytes;
pub mod humidity;
pub mod import;
pub mod queued;
pub mod recording;
pub mod shapes;
pub mod snapshot;
pub mod storage;
pub mod water;
pub mod water2d;
pub mod world;
pub mod worlds;
