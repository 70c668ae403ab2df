//! Recordings of small games with damage done to them, from bytes; and any bytes as a recording.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::blast::BlastGraph;
use floodplain::recording::Recording;
use floodplain::water::WaterWorld;
use floodplain::water2d::Water2dWorld;
use floodplain::world::World;
use std::cell::RefCell;
use std::collections::HashMap;
use support::recording::{Game, forged, parsed, played, replayed};

/// Damages in one run.
const MOST_DAMAGES: usize = 6;

thread_local! {
    /// Recordings by kind and seed: playing a game takes longer than reading it.
    static SAVED: RefCell<HashMap<(u8, u8), Vec<u8>>> = RefCell::new(HashMap::new());
}

/// One change of a recording's bytes, at a share of its length.
#[derive(Debug)]
enum Damage {
    /// Writes a byte.
    Byte(u16, u8),
    /// Removes so many bytes.
    Cut(u16, u8),
    /// Repeats so many bytes.
    Repeat(u16, u8),
}

/// One run of the targets `recording_bytes` and `recording_replay`.
#[derive(Debug)]
pub struct RecordingRun {
    kind: u8,
    seed: u8,
    damages: Vec<Damage>,
    /// Makes length and checksum right again.
    is_forged: bool,
    /// Lines of a text in place of bytes, if there are any.
    text: Vec<u8>,
}

impl Arbitrary<'_> for RecordingRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<RecordingRun> {
        let (kind, seed) = (u8::arbitrary(bytes)? % 4, u8::arbitrary(bytes)? % 16);
        let form = u8::arbitrary(bytes)?;
        let mut run = RecordingRun {
            kind,
            seed,
            damages: Vec::new(),
            is_forged: form % 8 > 0,
            text: Vec::new(),
        };
        if form >= 192 {
            run.text = bytes.bytes(bytes.len())?.to_vec();
            return Ok(run);
        }
        while !bytes.is_empty() && run.damages.len() < MOST_DAMAGES {
            let (form, place, with) =
                (u8::arbitrary(bytes)?, u16::arbitrary(bytes)?, u8::arbitrary(bytes)?);
            run.damages.push(match form % 4 {
                0 => Damage::Cut(place, with),
                1 => Damage::Repeat(place, with),
                _ => Damage::Byte(place, with),
            });
        }
        Ok(run)
    }
}

impl RecordingRun {
    /// Reads the damaged recording. What is read is the same once it is written again.
    pub fn read(&self) {
        self.of_kind(false);
    }

    /// Reads the damaged recording and replays it, which ends well, differs from what was recorded,
    /// or is refused.
    pub fn replay(&self) {
        self.of_kind(true);
    }

    fn of_kind(&self, is_replayed: bool) {
        match self.kind {
            0 => self.check::<WaterWorld>(is_replayed),
            1 => self.check::<World>(is_replayed),
            2 => self.check::<Water2dWorld>(is_replayed),
            _ => self.check::<BlastGraph>(is_replayed),
        }
    }

    fn check<G: Game>(&self, is_replayed: bool) {
        let recording = if self.text.is_empty() { self.of_bytes() } else { self.of_text() };
        if let Some(recording) = recording
            && is_replayed
        {
            replayed::<G>(&recording);
        }
    }

    fn of_text<G: Game>(&self) -> Option<Recording<G>> {
        let title = format!("floodplain recording 1\nworld {}\n", G::KIND.number());
        let text = title + &String::from_utf8_lossy(&self.text);
        let recording = Recording::<G>::from_text(&text).ok()?;
        assert!(parsed::<G>(&recording.to_bytes()).as_ref() == Some(&recording));
        Some(recording)
    }

    fn of_bytes<G: Game>(&self) -> Option<Recording<G>> {
        let mut bytes = SAVED.with_borrow_mut(|saved| {
            let played = || played::<G>(self.seed.into()).0.into_recording().to_bytes();
            saved.entry((self.kind, self.seed)).or_insert_with(played).clone()
        });
        self.damages.iter().for_each(|damage| damage.apply(&mut bytes));
        let bytes = if self.is_forged { forged(bytes) } else { bytes };
        parsed(&bytes)
    }
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let at = |place: u16, length: usize| usize::from(place) * length / (1 << 16);
        if bytes.is_empty() {
            return;
        }
        match *self {
            Damage::Byte(place, with) => {
                let at = at(place, bytes.len());
                bytes[at] = with;
            }
            Damage::Cut(place, count) => {
                let at = at(place, bytes.len());
                bytes.drain(at..bytes.len().min(at + usize::from(count)));
            }
            Damage::Repeat(place, count) => {
                let at = at(place, bytes.len());
                let again = bytes[at..bytes.len().min(at + usize::from(count))].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
}
