//! `[legend]`: the meanings of characters.

use crate::scenario::error::ScenarioError;
use crate::scenario::parse::drawing::NOWHERE;
use crate::scenario::parse::tree::{Field, Table};
use std::collections::BTreeMap;

/// Adds a file's legend to the default one. A key is one character; its value is another character
/// with a meaning, or a table for `read_glyph`.
pub(crate) fn read<G: Copy>(
    mut table: Table,
    mut legend: BTreeMap<char, G>,
    read_glyph: impl Fn(Field) -> Result<G, ScenarioError>,
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

/// A function that reads a number of the legend; it returns `None` if the number is out of range.
type ReadNumber<G> = fn(&Field) -> Result<Option<G>, ScenarioError>;

/// Reads a table of the legend with exactly one key: a flag, which must be `true`, or a number.
pub(crate) fn read_one_of<G: Copy>(
    field: Field,
    wanted: &str,
    flags: &[(&str, G)],
    numbers: &[(&str, ReadNumber<G>)],
) -> Result<G, ScenarioError> {
    let refused = field.refuse(wanted);
    let Ok(mut table) = field.table() else { return Err(refused) };
    let mut glyph = None;
    for &(key, meaning) in flags {
        if let Some(field) = table.take(key)
            && (!field.boolean()? || glyph.replace(meaning).is_some())
        {
            return Err(refused);
        }
    }
    for (key, read) in numbers {
        if let Some(field) = table.take(key) {
            let meaning = read(&field)?;
            if meaning.is_none() || glyph.is_some() {
                return Err(refused);
            }
            glyph = meaning;
        }
    }
    table.finish()?;
    glyph.ok_or(refused)
}
