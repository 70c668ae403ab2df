//! `[legend]`: what characters stand for, whatever the automaton.

use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::NOWHERE;
use crate::scenario::parse::tree::{Field, Table};
use std::collections::BTreeMap;

/// Adds a file's legend to the default one. A key is one character; its value is a character that
/// has a meaning already, or what `read_glyph` makes of a table.
pub(crate) fn read<G: Copy>(
    mut table: Table,
    mut legend: BTreeMap<char, G>,
    read_glyph: fn(Field) -> Result<G, ScenarioError>,
) -> Result<BTreeMap<char, G>, ScenarioError> {
    while let Some(field) = table.take_any() {
        let mut characters = field.key.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else {
            return Err(field.refuse("under a key of one character"));
        };
        if character == NOWHERE {
            return Err(field.refuse("under another key: a space is never part of the world"));
        }
        let glyph = if field.is_text() {
            let known = legend.get(&field.character()?).copied();
            known.ok_or_else(|| field.refuse("a default character or one from further up"))?
        } else {
            read_glyph(field)?
        };
        legend.insert(character, glyph);
    }
    Ok(legend)
}
