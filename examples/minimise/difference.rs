//! Recordings that break no law, but whose replay comes to another state than was recorded: another
//! build has made them, or a world that was changed without a record.
//!
//! The recorded states hold for the recorded edits only. Without one of them the other build would
//! have come to other states, which nobody knows here: so no edit can go, only the ticks before the
//! last check that agrees, and those after the first that does not.

use crate::kinds::Kind;
use crate::save;
use floodplain::recording::{Divergence, Recording, ReplayError};
use std::path::Path;

/// Cuts a recording to the ticks in which its state becomes another one, and writes it. Returns what
/// there is to say, `None` if no state differs.
pub fn cut<W: Kind>(recording: &Recording<W>, out: &Path) -> Result<Option<String>, String> {
    let divergence = match recording.replay() {
        Ok(_) => return Ok(None),
        Err(ReplayError::Differs(divergence)) => divergence,
        Err(error) => return Err(error.to_string()),
    };
    let part = least(recording, &divergence).map_err(|error| error.to_string())?;
    save(out, "different.rec", &part.to_bytes())?;
    save(out, "different.txt", part.to_text().as_bytes())?;
    Ok(Some(format!(
        "No law is broken, but this build comes to another state: {divergence}.\n\
         {} of {} ticks and {} of {} edits are left, in different.rec. No less can be said: what was \
         recorded holds for these edits only, and what the recording build would come to without one \
         of them is not known here. With a check and a keyframe in every tick a recording names the \
         first tick and cell that differ.",
        part.ticks(),
        recording.ticks(),
        part.edits().len(),
        recording.edits().len(),
    )))
}

/// Returns the ticks from the last check that agreed to the first that differs, if the state differs
/// in these alone, too. The hash may know less of a world than decides its future: else they are
/// those from the start.
fn least<W: Kind>(
    recording: &Recording<W>,
    divergence: &Divergence,
) -> Result<Recording<W>, ReplayError> {
    let part = recording.part(divergence.agreed.unwrap_or(0), divergence.tick)?;
    match part.replay() {
        Err(ReplayError::Differs(again)) if again.found == divergence.found => Ok(part),
        _ => recording.part(0, divergence.tick),
    }
}
