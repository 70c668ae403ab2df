//! How far the game has placed the blocks of a column.
//!
//! Every step that is not listed below counts as finished: the steps after the last one that places
//! blocks, and the steps of later versions and of mods. So an unknown name never hides existing
//! blocks.

use super::nbt::{Field, Malformed, Nbt, kind};

/// The steps in which the game still has blocks to place: the steps of 1.13, and the steps since
/// 1.14 up to the last one before light. Light needs the blocks of the neighbours.
const UNFINISHED: [&str; 14] = [
    "empty",
    "base",
    "carved",
    "liquid_carved",
    "decorated",
    "structure_starts",
    "structure_references",
    "biomes",
    "noise",
    "surface",
    "carvers",
    "liquid_carvers",
    "features",
    "initialize_light",
];

/// The fields that hold the progress, all in the compound with the sections.
pub(super) struct Stage<'a> {
    /// The name of the step, since 1.13.
    status: Option<&'a str>,
    /// Before 1.13: whether trees, ores and lakes are placed.
    is_populated: bool,
    /// The status before the upgrade, since 1.18, in a column of an older version that gets
    /// sections below 0. `status` is then that of the sections below.
    before_upgrade: Option<&'a str>,
    /// Whether the column is being given sections below 0.
    pub is_upgraded: bool,
}

/// The names of the fields that hold the progress.
pub(super) const FIELDS: [&str; 3] = ["Status", "TerrainPopulated", "below_zero_retrogen"];

impl<'a> Stage<'a> {
    /// Reads the fields that have the names [`FIELDS`], given in the same order.
    pub fn read(nbt: &Nbt<'a>, fields: &[Option<Field<'a>>; 3]) -> Result<Stage<'a>, Malformed> {
        let [status, populated, upgrade] = fields;
        let before_upgrade = match upgrade {
            Some(field) => nbt.text(field.of_kind(kind::COMPOUND)?, "target_status")?,
            None => None,
        };
        Ok(Stage {
            status: status.as_ref().map(|field| nbt.text_in(field)).transpose()?,
            is_populated: populated.as_ref().map(|field| nbt.int_in(field)).transpose()? != Some(0),
            before_upgrade,
            is_upgraded: upgrade.is_some(),
        })
    }

    /// Returns the name of the step that the column has reached, if blocks are still missing;
    /// `TerrainPopulated` if it has no status.
    pub fn unfinished(&self) -> Option<&'a str> {
        let status = if self.is_upgraded { self.before_upgrade } else { self.status };
        match status {
            Some(status) => {
                let name = status.strip_prefix("minecraft:").unwrap_or(status);
                UNFINISHED.contains(&name).then_some(status)
            }
            None => (!self.is_populated).then_some("TerrainPopulated"),
        }
    }
}
