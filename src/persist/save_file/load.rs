//! Reads a world from the database.

use super::Part;
use super::error::SaveError;
use super::fingerprints::{Fingerprints, Known};
use super::tables::{self, CHUNKS, COUNT, FORMAT, HEAD, RULES, STATE};
use crate::codec::{Format, Reader};
use crate::snapshot::Saved;
use redb::{Database, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable, TableError};

/// Returns the world of the database, after checking its laws, and the fingerprints of its records.
pub(super) fn load<W: Saved>(
    database: &Database,
    fingerprints: &Fingerprints,
) -> Result<(W, Known), SaveError> {
    let read = database.begin_read().map_err(SaveError::of)?;
    let head = open_head(&read)?;
    let format = entry(&head, FORMAT)?.ok_or(SaveError::OtherProgram)?;
    tables::check_format(&format, W::KIND)?;
    let (rules, state, count) = (value(&head, RULES)?, value(&head, STATE)?, value(&head, COUNT)?);
    let mut world = take_world::<W>(&rules, &state)?;
    let known = take_chunks(&read, &mut world, fingerprints)?;
    if *count != (known.len() as u64).to_le_bytes() {
        return Err(SaveError::Damaged { part: Part::Chunks });
    }
    world.check().map_err(SaveError::in_part(Part::Chunks))?;
    Ok((world, known))
}

type Head = ReadOnlyTable<&'static str, &'static [u8]>;

fn open_head(read: &ReadTransaction) -> Result<Head, SaveError> {
    match read.open_table(HEAD) {
        Ok(head) => Ok(head),
        Err(TableError::Storage(error)) => Err(SaveError::of(error)),
        Err(TableError::TableDoesNotExist(_)) => {
            let plain = read.list_tables().map_err(SaveError::of)?.count();
            let tables = plain + read.list_multimap_tables().map_err(SaveError::of)?.count();
            Err(if tables == 0 { SaveError::Empty } else { SaveError::OtherProgram })
        }
        Err(_) => Err(SaveError::OtherProgram),
    }
}

/// Returns an entry with its checksum.
fn entry(head: &Head, name: &'static str) -> Result<Option<Vec<u8>>, SaveError> {
    let value = head.get(name).map_err(SaveError::of)?;
    Ok(value.map(|sealed| sealed.value().to_vec()))
}

/// Returns an entry without its checksum.
fn value(head: &Head, name: &'static str) -> Result<Vec<u8>, SaveError> {
    let part = Part::Entry(name);
    let sealed = entry(head, name)?.ok_or(SaveError::Damaged { part })?;
    Ok(tables::unseal(name.as_bytes(), &sealed, part)?.to_vec())
}

/// Returns the world without its chunks.
fn take_world<W: Saved>(rules: &[u8], state: &[u8]) -> Result<W, SaveError> {
    let [mut rules, mut state] = [(Format::Rules, rules), (Format::State, state)]
        .map(|(format, bytes)| Reader::new(format, bytes));
    let world = W::take_world(&mut rules, &mut state).map_err(SaveError::in_entry)?;
    rules.finish(()).map_err(SaveError::in_entry)?;
    state.finish(()).map_err(SaveError::in_entry)?;
    Ok(world)
}

fn take_chunks<W: Saved>(
    read: &ReadTransaction,
    world: &mut W,
    fingerprints: &Fingerprints,
) -> Result<Known, SaveError> {
    let table = read.open_table(CHUNKS).map_err(|error| match error {
        TableError::Storage(error) => SaveError::of(error),
        _ => SaveError::Damaged { part: Part::Chunks },
    })?;
    let mut known = Known::new();
    for chunk in table.iter().map_err(SaveError::of)? {
        let (key, sealed) = chunk.map_err(SaveError::of)?;
        let key = *key.value();
        let position = tables::position_of(&key);
        let part = Part::Chunk(position);
        let mut value = Reader::new(Format::Chunks, tables::unseal(&key, sealed.value(), part)?);
        if known.last().is_some_and(|last| last.key >= key) {
            return Err(SaveError::Damaged { part: Part::Chunks });
        }
        let record = value.packed().map_err(SaveError::in_part(part))?;
        let mut content = record.reader();
        world.take_chunk(position, &mut content).map_err(SaveError::in_part(part))?;
        content.finish(()).and_then(|()| value.finish(())).map_err(SaveError::in_part(part))?;
        known.push(fingerprints.entry(key, record.bytes()));
    }
    Ok(known)
}
