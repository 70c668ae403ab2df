//! The recorded scenarios, and the hash of each world's state at its end.

use floodplain::scenario::Scenario;

macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        /// Names and texts, built in, so that targets without files can run them.
        pub const SCENARIOS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../examples/scenarios/", $name, ".toml")))),*];
    };
}

scenarios![
    "bathtub",
    "chunk_corner",
    "crater_lake",
    "crossing",
    "dam_break",
    "ledge_jet",
    "narrow_gap",
    "plain_spring",
    "quarry",
    "river_gap",
    "river_wide",
    "siphon_wall",
    "terraces",
    "to_the_edge",
    "two_springs",
    "u_tube_finite",
    "unloaded_edge",
    "waterfall",
];

/// The hashes at every recorded tick, mixed into one: equal states at the end could have come about
/// by different ways.
pub fn state_hash(text: &str) -> Result<u64, String> {
    let scenario =
        Scenario::from_toml(text).map_err(|error| format!("line {}: {error}", error.line))?;
    let report = scenario.run().map_err(|error| error.to_string())?;
    Ok(report.records.iter().fold(0, |mixed: u64, record| mixed.rotate_left(7) ^ record.state_hash))
}
