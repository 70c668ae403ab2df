//! Edits of any automaton as bytes: sent and received, and made of bytes that may be anything.

use floodplain::water::{Mirror, Update};
use floodplain::{CHUNK_CELLS, DecodeError, DecodeProblem, EditValue, Format, water, world};
use std::fmt::Debug;

/// An edit as it arrives from another process: by its bytes.
pub fn sent<E: EditValue>(edit: &E) -> E {
    let bytes = edit.to_bytes();
    let one_less = E::from_bytes(&bytes[..bytes.len() - 1]);
    let error = |at, problem| Some(DecodeError { format: Format::Edit, at, problem });
    assert_eq!(one_less.err(), error(bytes.len() - 1, DecodeProblem::EndsEarly));
    let one_more = E::from_bytes(&[&bytes[..], &[0]].concat());
    assert_eq!(one_more.err(), error(bytes.len(), DecodeProblem::Trailing { bytes: 1 }));
    E::from_bytes(&bytes).unwrap_or_else(|error| panic!("the bytes of {edit:?}: {error}"))
}

/// Returns the edit of any bytes. They must be one that is the same once it is sent, or an error
/// that names a place among them.
pub fn parsed<E: EditValue>(bytes: &[u8]) -> Option<E> {
    match E::from_bytes(bytes) {
        Ok(edit) => {
            let again = sent(&edit).to_bytes();
            assert!(again == edit.to_bytes(), "another edit than {edit:?}");
            Some(edit)
        }
        Err(error) => {
            names_a_place(&error, bytes);
            None
        }
    }
}

/// Panics if an error does not name a place among the bytes.
pub fn names_a_place(error: &DecodeError, bytes: &[u8]) {
    let DecodeError { at, problem, .. } = error;
    match problem {
        DecodeProblem::EndsEarly => assert!(*at <= bytes.len(), "{error}"),
        DecodeProblem::Trailing { bytes: more } => {
            assert!(*more > 0 && at + more <= bytes.len(), "{error}");
        }
        DecodeProblem::Tag { found } => assert_eq!(*found, bytes[*at]),
        DecodeProblem::Version { .. }
        | DecodeProblem::Checksum { .. }
        | DecodeProblem::Value { .. } => assert!(*at < bytes.len(), "{error}"),
        _ => panic!("a new error: {error:?}"),
    }
}

/// Returns the update of water of any bytes. They must be one that is the same once it is sent and
/// that a mirror can take, or an error that names a place among them.
pub fn parsed_update(bytes: &[u8]) -> Option<Update> {
    let update = read(Update::from_bytes(bytes), bytes)?;
    assert_eq!(Update::from_bytes(&update.to_bytes()).as_ref(), Ok(&update));
    check_update(&update);
    Some(update)
}

/// Returns the update of a world of materials of any bytes, the same way.
pub fn parsed_world_update(bytes: &[u8]) -> Option<world::Update> {
    let update = read(world::Update::from_bytes(bytes), bytes)?;
    assert_eq!(world::Update::from_bytes(&update.to_bytes()).as_ref(), Ok(&update));
    check_update(update.water());
    let _ = (world::Mirror::new(8).apply(&update), update.changes());
    for chunk in update.ground() {
        check_spans(&chunk.materials);
        check_spans(&chunk.moisture);
    }
    Some(update)
}

/// Returns what was read of bytes, after a check of the error.
fn read<T>(read: Result<T, DecodeError>, bytes: &[u8]) -> Option<T> {
    read.inspect_err(|error| names_a_place(error, bytes)).ok()
}

/// Spans lie in their chunks and do not overlap, and no mirror panics at them.
fn check_update(update: &Update) {
    let _ = (Mirror::new(8).apply(update), update.changes());
    for chunk in update.chunks() {
        assert!(chunk.spans.iter().all(|span| span.indices().end <= CHUNK_CELLS));
        let are_apart = |pair: &[water::Span]| pair[0].indices().end <= pair[1].indices().start;
        assert!(chunk.spans.windows(2).all(are_apart), "{chunk:?}");
    }
    update.currents().iter().for_each(|chunk| check_spans(&chunk.currents));
}

fn check_spans<T: Debug>(spans: &[water::Run<T>]) {
    assert!(spans.iter().all(|span| span.indices().end <= CHUNK_CELLS));
    let are_apart = |pair: &[water::Run<T>]| pair[0].indices().end <= pair[1].indices().start;
    assert!(spans.windows(2).all(are_apart), "{spans:?}");
}
