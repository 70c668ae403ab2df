//! A TOML file as the crate `toml` parses it, every value with its [span](toml::Spanned). Keys are
//! taken out one by one, and a key that is left is refused as unknown. Error messages have the key
//! of a value, its line, and its text in the file.
//!
//! Rules are read by serde, over default values for missing keys: [`Table::read_over`]. Everything
//! else depends on the drawing, on the legend or on other keys, and is read key by key.

use crate::rules_error::RulesError;
use crate::scenario::error::{Problem, ScenarioError};
use core::ops::Range;
use glam::IVec3;
use serde::de::{Deserialize, DeserializeOwned};
use serde::ser::Serialize;
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

/// The text of a file, and where its lines end.
#[derive(Debug)]
pub(crate) struct Source<'t> {
    text: &'t str,
    ends: Vec<usize>,
}

/// A value, with the key that leads to it and its line.
#[derive(Clone, Debug)]
pub(crate) struct Field<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) line: usize,
    /// The name of the table that the value is in.
    inside: String,
    /// Whether the value is an item of a list under the key.
    is_item: bool,
    value: Spanned<DeValue<'t>>,
    source: &'t Source<'t>,
}

/// A table. Keys are taken out one by one; [`finish`](Table::finish) refuses the keys that are
/// left.
#[derive(Clone, Debug)]
pub(crate) struct Table<'t> {
    /// The name of the table in messages: `[rules]`, `[[edit]]`; empty for the top of the file.
    name: String,
    pub(crate) line: usize,
    fields: DeTable<'t>,
    source: &'t Source<'t>,
}

impl<'t> Source<'t> {
    pub(crate) fn of(text: &'t str) -> Source<'t> {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Source { text, ends: ends.map(|(at, _)| at).collect() }
    }

    /// Reads the whole file.
    pub(crate) fn read(&'t self) -> Result<Table<'t>, ScenarioError> {
        let fields = DeTable::parse(self.text).map_err(|error| {
            let line = self.line(&error.span().unwrap_or_default());
            Problem::Syntax { message: error.message().to_owned() }.at_line(line)
        })?;
        Ok(Table { name: String::new(), line: 1, fields: fields.into_inner(), source: self })
    }

    /// Returns the line, from 1, on which a span begins.
    fn line(&self, span: &Range<usize>) -> usize {
        self.ends.partition_point(|&end| end < span.start) + 1
    }
}

/// Joins names: `[expect]` and `check` make `expect.check`.
fn path(table: &str, key: &str) -> String {
    match table.trim_matches(['[', ']']) {
        "" => key.to_owned(),
        table => format!("{table}.{key}"),
    }
}

impl<'t> Table<'t> {
    pub(crate) fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    /// Takes out the value of a key.
    pub(crate) fn take(&mut self, key: &str) -> Option<Field<'t>> {
        let (key, value) = self.fields.remove_entry(key)?;
        let (line, inside) = (self.source.line(&key.span()), self.name.clone());
        let key = key.into_inner();
        Some(Field { key, line, inside, is_item: false, value, source: self.source })
    }

    /// Takes out the value of a required key.
    pub(crate) fn need(&mut self, key: &'static str) -> Result<Field<'t>, ScenarioError> {
        let missing = Problem::MissingKey { key, table: self.name.clone() }.at_line(self.line);
        self.take(key).ok_or(missing)
    }

    /// Moves a key from another table into this one. The key is refused if both tables have it.
    pub(crate) fn take_from(
        &mut self,
        other: &mut Table<'t>,
        key: &str,
    ) -> Result<(), ScenarioError> {
        if let Some(there) = self.has(key).then(|| other.take(key)).flatten() {
            return Err(there.refuse("in one place only"));
        }
        self.fields.extend(other.fields.remove_entry(key));
        Ok(())
    }

    /// Takes out the next field in the order of the file.
    pub(crate) fn take_any(&mut self) -> Option<Field<'t>> {
        let next = self.fields.keys().min_by_key(|key| key.span().start)?;
        let key = next.get_ref().clone();
        self.take(&key)
    }

    /// Takes out a table; returns an empty one if the key is missing.
    pub(crate) fn take_table(&mut self, key: &str) -> Result<Table<'t>, ScenarioError> {
        match self.take(key) {
            Some(field) => field.table(),
            None => Ok(Table {
                name: format!("[{}]", path(&self.name, key)),
                line: self.line,
                fields: DeTable::new(),
                source: self.source,
            }),
        }
    }

    /// Takes out the tables of a `[[key]]`, in order; none if the key is missing.
    pub(crate) fn take_tables(&mut self, key: &str) -> Result<Vec<Table<'t>>, ScenarioError> {
        match self.take(key) {
            Some(field) => field.list()?.into_iter().map(Field::table).collect(),
            None => Ok(Vec::new()),
        }
    }

    /// Reads the rest of the table by serde, as fields of `values`. Fields without a key keep their
    /// values. The keys are read one by one, so that an error has its key and its line.
    pub(crate) fn read_over<T>(mut self, values: T) -> Result<T, ScenarioError>
    where
        T: Serialize + DeserializeOwned,
    {
        let mut all = toml::Table::try_from(&values).map_err(ScenarioError::of_world)?;
        let mut read = values;
        while let Some(field) = self.take_any() {
            let value = toml::Value::deserialize(ValueDeserializer::from(field.value.clone()));
            all.insert(field.key.to_string(), value.map_err(|error| field.refuse_by(&error))?);
            read = all.clone().try_into().map_err(|error| field.refuse_by(&error))?;
        }
        Ok(read)
    }

    /// Returns the error that refuses a rule: at its field if the table names the rule, otherwise
    /// for the world.
    pub(crate) fn refuse_rule(mut self, error: RulesError) -> ScenarioError {
        match self.take(error.rule) {
            Some(field) => field.refuse(error.wanted),
            None => ScenarioError::of_world(error),
        }
    }

    /// Refuses the first key that was not taken out.
    pub(crate) fn finish(mut self) -> Result<(), ScenarioError> {
        self.take_any().map_or(Ok(()), |field| Err(field.unknown()))
    }
}

impl<'t> Field<'t> {
    /// Returns the error that refuses this value.
    pub(crate) fn refuse(&self, wanted: impl Into<String>) -> ScenarioError {
        let value = match self.value.get_ref() {
            DeValue::Table(_) => "a table".to_owned(),
            _ => {
                let text = self.source.text.get(self.value.span()).unwrap_or_default();
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            }
        };
        let key = self.key.to_string();
        Problem::Value { key, value, wanted: wanted.into() }.at_line(self.line)
    }

    fn unknown(&self) -> ScenarioError {
        let (key, table) = (self.key.to_string(), self.inside.clone());
        Problem::UnknownKey { key, table }.at_line(self.line)
    }

    /// Returns the error with which serde refused this value, its key, or a key inside the value.
    fn refuse_by(&self, error: &Error) -> ScenarioError {
        let message = error.message();
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        if unknown.is_some_and(|(name, _)| name == self.key) {
            return self.unknown();
        }
        if message.starts_with("unknown field") || message.starts_with("missing field") {
            let (key, message) = (self.key.to_string(), message.to_owned());
            return Problem::Inside { key, message }.at_line(self.line);
        }
        match message.rsplit_once("expected ") {
            Some((_, "a boolean")) => self.refuse("true or false"),
            Some((_, "f32" | "f64")) => self.refuse("a number"),
            Some((_, wanted)) => self.refuse(wanted),
            None => self.refuse(message),
        }
    }

    pub(crate) fn text(&self) -> Result<&str, ScenarioError> {
        self.value.get_ref().as_str().ok_or_else(|| self.refuse("a string"))
    }

    /// Returns a string of exactly one character.
    pub(crate) fn character(&self) -> Result<char, ScenarioError> {
        let mut characters = self.text()?.chars();
        match (characters.next(), characters.next()) {
            (Some(character), None) => Ok(character),
            _ => Err(self.refuse("one character")),
        }
    }

    pub(crate) fn boolean(&self) -> Result<bool, ScenarioError> {
        self.as_boolean().ok_or_else(|| self.refuse("true or false"))
    }

    pub(crate) fn as_boolean(&self) -> Option<bool> {
        self.value.get_ref().as_bool()
    }

    fn as_integer(&self) -> Option<i64> {
        let integer = self.value.get_ref().as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// Returns a whole number from `least` to `most`.
    pub(crate) fn whole(&self, least: i64, most: i64) -> Result<i64, ScenarioError> {
        match self.as_integer() {
            Some(value) if (least..=most).contains(&value) => Ok(value),
            _ if most == i64::MAX => Err(self.refuse(format!("a whole number, {least} or more"))),
            _ => Err(self.refuse(format!("a whole number from {least} to {most}"))),
        }
    }

    /// Returns any number, whole or not; infinity is accepted, not-a-number is refused.
    pub(crate) fn number(&self) -> Result<f64, ScenarioError> {
        let real = || self.value.get_ref().as_float()?.as_str().parse().ok();
        let value = self.as_integer().map(|value| value as f64).or_else(real);
        value.filter(|value: &f64| !value.is_nan()).ok_or_else(|| self.refuse("a number"))
    }

    /// Returns a position: three whole numbers.
    pub(crate) fn cell(&self) -> Result<IVec3, ScenarioError> {
        let whole = |field: &Field| {
            field.whole(i64::from(i32::MIN), i64::from(i32::MAX)).map(|value| value as i32)
        };
        match self.as_list().as_deref() {
            Some([x, y, z]) => Ok(IVec3::new(whole(x)?, whole(y)?, whole(z)?)),
            _ => Err(self.refuse("[x, y, z]")),
        }
    }

    /// Returns the values of a list, each with its own line.
    pub(crate) fn as_list(&self) -> Option<Vec<Field<'t>>> {
        let values = self.value.get_ref().as_array()?.iter().cloned();
        let field = |value: Spanned<DeValue<'t>>| Field {
            key: self.key.clone(),
            line: self.source.line(&value.span()),
            inside: self.inside.clone(),
            is_item: true,
            value,
            source: self.source,
        };
        Some(values.map(field).collect())
    }

    pub(crate) fn list(&self) -> Result<Vec<Field<'t>>, ScenarioError> {
        self.as_list().ok_or_else(|| self.refuse("a list"))
    }

    pub(crate) fn table(self) -> Result<Table<'t>, ScenarioError> {
        let refused = self.refuse("a table");
        let DeValue::Table(fields) = self.value.into_inner() else { return Err(refused) };
        let name = path(&self.inside, &self.key);
        let name = if self.is_item { format!("[[{name}]]") } else { format!("[{name}]") };
        Ok(Table { name, line: self.line, fields, source: self.source })
    }

    pub(crate) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }
}
