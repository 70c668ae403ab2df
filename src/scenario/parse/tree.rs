//! A TOML file as a tree. Every value has its key and its line, for error messages, and a key that
//! is not taken out is refused as unknown.
//!
//! Derived structs of serde with `toml::Spanned` were tried in its place. They save about 150 lines
//! and lose what messages say: an untagged value that fails has neither the value found nor its
//! range, a flattened table has the line of the whole table, and a legend entry has no key.

use crate::rules_error::RulesError;
use crate::scenario::error::{Problem, ScenarioError};
use glam::IVec3;
use toml::de::{DeTable, DeValue};

/// A value, with the key that leads to it and its line.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) line: usize,
    node: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    Date(String),
    List(Vec<Field>),
    Table(Table),
}

/// A table. Keys are taken out one by one; [`finish`](Table::finish) refuses the rest.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Its name in messages: `[rules]`, `[[edit]]`; empty for the top of the file.
    name: String,
    pub(crate) line: usize,
    fields: Vec<Field>,
}

/// Reads a whole file.
pub(crate) fn read(text: &str) -> Result<Table, ScenarioError> {
    let lines = Lines {
        ends: text
            .bytes()
            .enumerate()
            .filter(|&(_, byte)| byte == b'\n')
            .map(|(at, _)| at)
            .collect(),
    };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Problem::Syntax { message: error.message().to_owned() }.at_line(lines.at(at))
    })?;
    table_of(table.get_ref(), String::new(), 1, &lines)
}

/// Where the lines of a text end.
struct Lines {
    ends: Vec<usize>,
}

impl Lines {
    /// Returns the line, from 1, that holds the byte at `offset`.
    fn at(&self, offset: usize) -> usize {
        self.ends.partition_point(|&end| end < offset) + 1
    }
}

fn table_of(
    table: &DeTable<'_>,
    name: String,
    line: usize,
    lines: &Lines,
) -> Result<Table, ScenarioError> {
    let mut fields = Vec::new();
    for (key, value) in table.iter() {
        let inside = match value.get_ref() {
            DeValue::Array(_) => format!("[[{}]]", path(&name, key.get_ref())),
            _ => format!("[{}]", path(&name, key.get_ref())),
        };
        let line = lines.at(key.span().start);
        fields.push(field_of(key.get_ref(), value.get_ref(), line, inside, lines)?);
    }
    fields.sort_by_key(|field| field.line);
    Ok(Table { name, line, fields })
}

/// Joins names: `[expect]` and `check` make `expect.check`.
fn path(table: &str, key: &str) -> String {
    match table.trim_matches(['[', ']']) {
        "" => key.to_owned(),
        table => format!("{table}.{key}"),
    }
}

fn field_of(
    key: &str,
    value: &DeValue<'_>,
    line: usize,
    inside: String,
    lines: &Lines,
) -> Result<Field, ScenarioError> {
    let refused = |value: &str, wanted: &str| {
        let [key, value, wanted] = [key, value, wanted].map(str::to_owned);
        Problem::Value { key, value, wanted }.at_line(line)
    };
    let node = match value {
        DeValue::Boolean(value) => Node::Bool(*value),
        DeValue::Integer(value) => match i64::from_str_radix(value.as_str(), value.radix()) {
            Ok(value) => Node::Integer(value),
            Err(_) => return Err(refused(value.as_str(), "a number of 64 bits")),
        },
        DeValue::Float(value) => match value.as_str().parse() {
            Ok(value) => Node::Real(value),
            Err(_) => return Err(refused(value.as_str(), "a number")),
        },
        DeValue::String(value) => Node::Text(value.to_string()),
        DeValue::Datetime(value) => Node::Date(value.to_string()),
        DeValue::Array(values) => {
            let item = |value: &toml::Spanned<DeValue<'_>>| {
                field_of(key, value.get_ref(), lines.at(value.span().start), inside.clone(), lines)
            };
            Node::List(values.iter().map(item).collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => Node::Table(table_of(table, inside, line, lines)?),
    };
    Ok(Field { key: key.to_owned(), line, node })
}

impl Table {
    /// Takes out the value of a key.
    pub(crate) fn take(&mut self, key: &str) -> Option<Field> {
        let at = self.fields.iter().position(|field| field.key == key)?;
        Some(self.fields.remove(at))
    }

    /// Takes out the value of a required key.
    pub(crate) fn need(&mut self, key: &'static str) -> Result<Field, ScenarioError> {
        let missing = Problem::MissingKey { key, table: self.name.clone() }.at_line(self.line);
        self.take(key).ok_or(missing)
    }

    /// Adds a field from another table; refuses a key that the table has already.
    pub(crate) fn put(&mut self, field: Field) -> Result<(), ScenarioError> {
        if self.fields.iter().any(|there| there.key == field.key) {
            return Err(field.refuse("in one place only"));
        }
        self.fields.push(field);
        Ok(())
    }

    /// Takes out the next field in the order of the file.
    pub(crate) fn take_any(&mut self) -> Option<Field> {
        if self.fields.is_empty() { None } else { Some(self.fields.remove(0)) }
    }

    /// Takes out a table; returns an empty one if the key is missing.
    pub(crate) fn take_table(&mut self, key: &str) -> Result<Table, ScenarioError> {
        match self.take(key) {
            Some(field) => field.table(),
            None => Ok(Table {
                name: format!("[{}]", path(&self.name, key)),
                line: self.line,
                fields: Vec::new(),
            }),
        }
    }

    /// Takes out the tables of a `[[key]]`, in order; none if the key is missing.
    pub(crate) fn take_tables(&mut self, key: &str) -> Result<Vec<Table>, ScenarioError> {
        match self.take(key) {
            Some(field) => field.list()?.into_iter().map(Field::table).collect(),
            None => Ok(Vec::new()),
        }
    }

    /// Refuses the first key that was not taken out.
    pub(crate) fn finish(self) -> Result<(), ScenarioError> {
        match self.fields.into_iter().next() {
            Some(Field { key, line, .. }) => {
                Err(Problem::UnknownKey { key, table: self.name }.at_line(line))
            }
            None => Ok(()),
        }
    }
}

impl Field {
    /// Returns the error that refuses this value.
    pub(crate) fn refuse(&self, wanted: impl Into<String>) -> ScenarioError {
        let (key, value) = (self.key.clone(), self.node.to_string());
        Problem::Value { key, value, wanted: wanted.into() }.at_line(self.line)
    }

    pub(crate) fn text(&self) -> Result<&str, ScenarioError> {
        match &self.node {
            Node::Text(text) => Ok(text),
            _ => Err(self.refuse("a string")),
        }
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
        if let Node::Bool(value) = self.node { Some(value) } else { None }
    }

    /// Returns a whole number from `least` to `most`.
    pub(crate) fn whole(&self, least: i64, most: i64) -> Result<i64, ScenarioError> {
        match self.node {
            Node::Integer(value) if (least..=most).contains(&value) => Ok(value),
            _ if most == i64::MAX => Err(self.refuse(format!("a whole number, {least} or more"))),
            _ => Err(self.refuse(format!("a whole number from {least} to {most}"))),
        }
    }

    /// Returns any number, whole or not; infinity is accepted, not-a-number is refused.
    pub(crate) fn number(&self) -> Result<f64, ScenarioError> {
        match self.node {
            Node::Integer(value) => Ok(value as f64),
            Node::Real(value) if !value.is_nan() => Ok(value),
            _ => Err(self.refuse("a number")),
        }
    }

    /// Returns a position: three whole numbers.
    pub(crate) fn cell(&self) -> Result<IVec3, ScenarioError> {
        let whole = |field: &Field| {
            field.whole(i64::from(i32::MIN), i64::from(i32::MAX)).map(|value| value as i32)
        };
        match self.as_list() {
            Some([x, y, z]) => Ok(IVec3::new(whole(x)?, whole(y)?, whole(z)?)),
            _ => Err(self.refuse("[x, y, z]")),
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Field]> {
        if let Node::List(list) = &self.node { Some(list) } else { None }
    }

    pub(crate) fn list(self) -> Result<Vec<Field>, ScenarioError> {
        match self.node {
            Node::List(list) => Ok(list),
            _ => Err(self.refuse("a list")),
        }
    }

    pub(crate) fn table(self) -> Result<Table, ScenarioError> {
        match self.node {
            Node::Table(table) => Ok(table),
            _ => Err(self.refuse("a table")),
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.node, Node::Text(_))
    }
}

/// Returns the refusal of a rule: of its field if the file names it, else of the world.
pub(crate) fn refuse_rule(named: &[Field], error: RulesError) -> ScenarioError {
    match named.iter().find(|field| field.key == error.rule) {
        Some(field) => field.refuse(error.wanted),
        None => ScenarioError::of_world(error),
    }
}

/// Writes the value as TOML, with tables abbreviated.
impl core::fmt::Display for Node {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Node::Bool(value) => write!(f, "{value}"),
            Node::Integer(value) => write!(f, "{value}"),
            Node::Real(value) => write!(f, "{value:?}"),
            Node::Text(value) => write!(f, "{value:?}"),
            Node::Date(value) => write!(f, "{value}"),
            Node::Table(_) => f.write_str("a table"),
            Node::List(list) => {
                f.write_str("[")?;
                for (index, field) in list.iter().enumerate() {
                    write!(f, "{}{}", if index > 0 { ", " } else { "" }, field.node)?;
                }
                f.write_str("]")
            }
        }
    }
}
