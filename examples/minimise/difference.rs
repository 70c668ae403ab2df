//! Cuts recordings that break no law but replay to a different state. The cause is a different
//! build, or a change of the world that was not recorded.
//!
//! The recorded hashes are valid only with all recorded edits: to hash a shorter recording, the
//! other build would have to run it. So all edits stay. Only the ticks before the last check that
//! agrees and after the first that does not are removed.

use crate::kinds::Kind;
use crate::{Found, save};
use floodplain::recording::{Divergence, Recording, ReplayError};
use std::path::Path;

/// Cuts a recording to the ticks in which its state becomes another one, and writes it, if a state
/// differs.
pub fn cut<W: Kind>(recording: &Recording<W>, out: &Path) -> Result<Found, String> {
    let divergence = match recording.replay() {
        Ok(_) => {
            let checks = recording.checks().len();
            return Ok(Found::Nothing(format!(
                "No law is broken, and no state differs at {checks} checks."
            )));
        }
        Err(ReplayError::Differs(divergence)) => divergence,
        Err(error) => return Err(error.to_string()),
    };
    let part = least(recording, &divergence).map_err(|error| error.to_string())?;
    save(out, "different.rec", &part.to_bytes())?;
    save(out, "different.txt", part.to_text().as_bytes())?;
    Ok(Found::Fault(format!(
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

/// Returns the ticks from the last check that agreed to the first that differs, if the state
/// differs in these alone, too. The hash may know less of a world than decides its future: else
/// they are those from the start.
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

#[cfg(test)]
mod tests {
    use super::*;
    use floodplain::glam::IVec3;
    use floodplain::recording::Recorder;
    use floodplain::water::{Edit, Rules, Voxel, WaterWorld};
    use floodplain::{Chunk, ChunkPos, Region};

    /// A tank into which water is poured before each tick; in tick 7 some that no edit is recorded
    /// of, if there is a secret.
    fn game(has_secret: bool) -> Recording<WaterWorld> {
        let mut world = WaterWorld::new(1, Rules::lossless()).unwrap();
        world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
        world.fill_solid(Region::new(IVec3::ZERO, IVec3::new(15, 0, 15))).unwrap();
        let mut game = Recorder::new(world).check_every(5);
        for tick in 0..20 {
            game.apply(Edit::Pour { cell: IVec3::new(tick % 3, 9, 3), units: 5 }).unwrap();
            if has_secret && tick == 7 {
                game.world_mut().pour(IVec3::new(12, 1, 9), 1).unwrap();
            }
            game.step();
        }
        game.into_recording()
    }

    #[test]
    fn differences_are_cut_to_the_ticks_between_two_checks_with_a_reason() {
        let out = std::env::temp_dir().join(format!("minimise-{}", std::process::id()));
        let agrees =
            Found::Nothing("No law is broken, and no state differs at 5 checks.".to_owned());
        assert_eq!(cut(&game(false), &out), Ok(agrees));
        assert!(!out.exists(), "nothing to write");
        let Ok(Found::Fault(said)) = cut(&game(true), &out) else { panic!("it agrees") };
        assert!(said.contains("after 10 ticks") && said.contains("it agreed after 5"), "{said}");
        assert!(said.contains("5 of 20 ticks and 5 of 20 edits are left"), "{said}");
        assert!(said.contains("No less can be said: "), "{said}");
        let part = std::fs::read(out.join("different.rec")).unwrap();
        let text = std::fs::read_to_string(out.join("different.txt")).unwrap();
        std::fs::remove_dir_all(&out).unwrap();
        let part = Recording::<WaterWorld>::from_bytes(&part).unwrap();
        assert!(Recording::from_text(&text).as_ref() == Ok(&part));
        let Err(ReplayError::Differs(divergence)) = part.replay() else { panic!("it agrees") };
        assert_eq!((divergence.tick, divergence.agreed), (5, Some(0)));
    }
}
