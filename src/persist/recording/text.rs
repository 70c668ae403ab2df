//! Recordings as text, in lines; `#` begins a comment.
//!
//! | line | what |
//! |---|---|
//! | `floodplain recording 1` | the first line, with the version |
//! | `world 1 Water` | the second line: number and name of the [`Kind`](crate::snapshot::Kind) |
//! | `ticks 120` | the number of ticks |
//! | `start snapshot` | the snapshot follows |
//! | `start generator` | `name …` and `parameters …` follow, with line breaks and backslashes as `\n`, `\r` and `\\` |
//! | `edit 3` | an edit before tick 3; its bytes follow, on the same line if they are few |
//! | `check 20 0123456789abcdef` | a check with the hash of the state |
//! | `chunk 0 -1 0 01234567`, `chunk 0 -1 0 gone` | after a check: a chunk with its hash, or one that is gone |
//! | `keyframe 60` | the snapshot follows |
//! | two hexadecimal digits a byte, with or without spaces between bytes | the bytes of the snapshot, edit or keyframe before |

use super::bytes::VERSION;
use super::error::RecordingError;
use super::hashes::Check;
use super::parts::{Recording, Start};
use crate::codec::DecodeProblem;
use crate::coords::ChunkPos;
use crate::simulation::{EditValue, Simulation};
use crate::snapshot::Saved;
use core::fmt::{self, Write};

/// The first words of a text.
const TITLE: &str = "floodplain recording";
/// The most bytes of an edit that stand on its line, and the bytes on each line of longer ones.
const SHORT: usize = 32;
/// The most letters of an edit in words.
const WORDS: usize = 120;

impl<W: Saved + Simulation> Recording<W> {
    /// Returns the recording as text: the same as its bytes, in lines that can be read, compared
    /// and edited. Edits stand there as bytes and, in comments, in words.
    ///
    /// ```
    /// use floodplain::glam::IVec3;
    /// use floodplain::recording::Recording;
    /// use floodplain::water::{Edit, Rules, WaterWorld};
    ///
    /// let world = WaterWorld::new(7, Rules::lossless())?;
    /// let edits = vec![(2, Edit::AddSource(IVec3::new(8, 4, 8)))];
    /// let recording = Recording::new(&world, edits, 5);
    /// let text = recording.to_text();
    /// assert!(text.contains("\nedit 2 02080000000400000008000000 # AddSource(IVec3(8, 4, 8))\n"));
    /// assert_eq!(Recording::from_text(&text)?, recording);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_text(&self) -> String {
        let mut out = format!("{TITLE} {VERSION}\n");
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "world {} {:?}", W::KIND.number(), W::KIND)?;
        writeln!(out, "ticks {}", self.ticks)?;
        match &self.start {
            Start::Snapshot(saved) => {
                let words = self.start().map_or_else(|error| error.to_string(), |w| w.describe());
                writeln!(out, "start snapshot # {}", words.replace(['\n', '\r'], " "))?;
                write_lines(out, saved)?;
            }
            Start::Generated { name, parameters } => {
                writeln!(out, "start generator")?;
                writeln!(out, "  name {}", escaped(name))?;
                writeln!(out, "  parameters {}", escaped(parameters))?;
            }
        }
        let (mut edits, mut keyframes) = (self.edits.iter().peekable(), self.keyframes.iter());
        let mut keyframe = keyframes.next();
        // At each tick, the state of the world comes before the edits.
        let mut write_until = |out: &mut String, tick: u64| -> fmt::Result {
            while let Some((at, edit)) = edits.next_if(|edit| edit.0 < tick) {
                write_edit::<W>(out, *at, edit)?;
            }
            Ok(())
        };
        for check in &self.checks {
            while let Some((tick, saved)) = keyframe.filter(|keyframe| keyframe.0 < check.tick) {
                write_until(out, *tick)?;
                write_keyframe(out, *tick, saved)?;
                keyframe = keyframes.next();
            }
            write_until(out, check.tick)?;
            write_check(out, check)?;
        }
        for (tick, saved) in keyframe.into_iter().chain(keyframes) {
            write_until(out, *tick)?;
            write_keyframe(out, *tick, saved)?;
        }
        edits.try_for_each(|(tick, edit)| write_edit::<W>(out, *tick, edit))
    }

    /// Reads the recording that [`to_text`](Recording::to_text) wrote.
    ///
    /// # Errors
    /// The text is not a recording of this kind of world; the error names the line.
    pub fn from_text(text: &str) -> Result<Recording<W>, RecordingError> {
        let mut reader = TextReader::new(text);
        let wrong = || problem(1, DecodeProblem::Magic { wanted: TITLE });
        let (line, title) = reader.next().ok_or_else(wrong)?;
        let version = title.strip_prefix(TITLE).and_then(|rest| rest.trim().parse().ok());
        let found: u16 = version.ok_or_else(wrong)?;
        if found != VERSION {
            return Err(problem(line, DecodeProblem::Version { found, wanted: VERSION }));
        }
        let wrong = || refused(line + 1, "world, and the number of its kind");
        let (line, kind) = reader.next().ok_or_else(wrong)?;
        let kind = kind.strip_prefix("world ").and_then(|kind| kind.split_whitespace().next());
        let wrong = || refused(line, "world, and the number of its kind");
        let found: u16 = kind.and_then(|kind| kind.parse().ok()).ok_or_else(wrong)?;
        if found != W::KIND.number() {
            return Err(problem(line, DecodeProblem::Kind { found, wanted: W::KIND }));
        }
        reader.read()
    }
}

fn write_edit<W: Saved + Simulation>(out: &mut String, tick: u64, edit: &W::Edit) -> fmt::Result {
    let bytes = edit.to_bytes();
    write!(out, "edit {tick}")?;
    if bytes.len() <= SHORT {
        write!(out, " ")?;
        write_hex(out, &bytes)?;
    }
    let mut words = Few(String::new());
    let dots = if write!(words, "{edit:?}").is_err() { " …" } else { "" };
    writeln!(out, " # {}{dots}", words.0)?;
    if bytes.len() > SHORT { write_lines(out, &bytes) } else { Ok(()) }
}

fn write_check(out: &mut String, check: &Check) -> fmt::Result {
    writeln!(out, "check {} {:016x}", check.tick, check.hash)?;
    for (ChunkPos { x, y, z }, hash) in &check.chunks {
        match hash {
            Some(hash) => writeln!(out, "  chunk {x} {y} {z} {hash:08x}")?,
            None => writeln!(out, "  chunk {x} {y} {z} gone")?,
        }
    }
    Ok(())
}

fn write_keyframe(out: &mut String, tick: u64, saved: &[u8]) -> fmt::Result {
    writeln!(out, "keyframe {tick}")?;
    write_lines(out, saved)
}

fn write_lines(out: &mut String, bytes: &[u8]) -> fmt::Result {
    for bytes in bytes.chunks(SHORT) {
        write!(out, "  ")?;
        write_hex(out, bytes)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_hex(out: &mut String, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

/// The description of an edit, cut off after [`WORDS`] letters: that of an edit with a chunk has
/// thousands.
struct Few(String);

impl Write for Few {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        for letter in words.chars() {
            if self.0.len() >= WORDS {
                return Err(fmt::Error);
            }
            self.0.push(letter);
        }
        Ok(())
    }
}

/// Returns a text as one line, with its line breaks and backslashes escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

/// Returns the text that [`escaped`] wrote; `None` if a backslash does not begin an escape.
fn unescaped(line: &str) -> Option<String> {
    let mut letters = line.chars();
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next()? {
                'n' => '\n',
                'r' => '\r',
                '\\' => '\\',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(text)
}

fn refused(line: usize, wanted: &'static str) -> RecordingError {
    problem(line, DecodeProblem::Value { wanted, found: None })
}

fn problem(line: usize, problem: DecodeProblem) -> RecordingError {
    RecordingError::Text { line, problem }
}

/// The owner of the bytes that follow.
enum Bytes {
    Start,
    Edit(u64),
    Keyframe(u64),
}

/// Bytes with the line on which they begin, and their owner.
struct Pending {
    line: usize,
    of: Bytes,
    bytes: Vec<u8>,
}

/// The lines of a text with their numbers, without indents, comments and empty lines.
struct TextReader<'t> {
    lines: Vec<(usize, &'t str)>,
    next: usize,
}

impl<'t> TextReader<'t> {
    fn new(text: &'t str) -> TextReader<'t> {
        let without = |line: &'t str| match line.trim_start() {
            // Names and parameters may hold any letter.
            line if line.starts_with("name ") || line.starts_with("parameters ") => line,
            line => line.split('#').next().unwrap_or("").trim_end(),
        };
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, without(line)));
        TextReader { lines: lines.filter(|(_, line)| !line.is_empty()).collect(), next: 0 }
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let line = self.lines.get(self.next).copied();
        self.next += 1;
        line
    }

    /// Reads everything after the first two lines.
    fn read<W: Saved + Simulation>(&mut self) -> Result<Recording<W>, RecordingError> {
        let mut found = Found::<W>::default();
        while let Some((line, text)) = self.next() {
            let mut words = text.split_whitespace();
            match words.next().unwrap_or("") {
                "ticks" if found.ticks.is_none() => {
                    found.ticks = Some(number(words.next(), line, "a number of ticks")?);
                    at_end(words, line)?;
                }
                "start" if !found.has_start() => match (words.next(), words.next()) {
                    (Some("snapshot"), None) => found.begin(line, Bytes::Start)?,
                    (Some("generator"), None) => found.start = Some(self.generator(line)?),
                    _ => return Err(refused(line, "snapshot or generator")),
                },
                "ticks" | "start" => {
                    return Err(refused(line, "one start and one number of ticks"));
                }
                "edit" => {
                    let tick = number(words.next(), line, "the tick of an edit")?;
                    found.begin(line, Bytes::Edit(tick))?;
                    words.try_for_each(|word| found.add_hex(line, word))?;
                }
                "keyframe" => {
                    let tick = number(words.next(), line, "the tick of a keyframe")?;
                    at_end(words, line)?;
                    found.begin(line, Bytes::Keyframe(tick))?;
                }
                "check" => {
                    found.end()?;
                    found.checks.push((line, check(words, line)?));
                }
                "chunk" => found.add_chunk(line, chunk(words, line)?)?,
                word if is_hex(word) => found
                    .add_hex(line, word)
                    .and_then(|()| words.try_for_each(|word| found.add_hex(line, word)))?,
                _ => return Err(refused(line, "start, ticks, edit, check or keyframe")),
            }
        }
        found.recording(self.lines.last().map_or(1, |line| line.0))
    }

    fn generator(&mut self, line: usize) -> Result<Start, RecordingError> {
        let mut text = |key: &str, wanted: &'static str| {
            let (line, text) = self.next().ok_or_else(|| refused(line, wanted))?;
            let text = text.strip_prefix(key).and_then(unescaped);
            text.ok_or_else(|| refused(line, wanted))
        };
        let name = text("name ", "name, and that of the generator")?;
        let parameters = text("parameters ", "parameters, and those of the generator")?;
        Ok(Start::Generated { name, parameters })
    }
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|letter| letter.is_ascii_hexdigit()) && word.len().is_multiple_of(2)
}

fn number<N: core::str::FromStr>(
    word: Option<&str>,
    line: usize,
    wanted: &'static str,
) -> Result<N, RecordingError> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| refused(line, wanted))
}

fn check<'t>(
    mut words: impl Iterator<Item = &'t str>,
    line: usize,
) -> Result<Check, RecordingError> {
    let tick = number(words.next(), line, "the tick of a check")?;
    let hash = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
    let hash = hash.ok_or_else(|| refused(line, "a hash of 16 hexadecimal digits"))?;
    at_end(words, line)?;
    Ok(Check { tick, hash, chunks: Vec::new() })
}

fn chunk<'t>(
    mut words: impl Iterator<Item = &'t str>,
    line: usize,
) -> Result<(ChunkPos, Option<u32>), RecordingError> {
    let mut axis = || number(words.next(), line, "the position of a chunk, x, y and z");
    let position = ChunkPos::new(axis()?, axis()?, axis()?);
    let hash = words.next().and_then(|word| match word {
        "gone" => Some(None),
        word => u32::from_str_radix(word, 16).ok().map(Some),
    });
    let hash = hash.ok_or_else(|| refused(line, "gone, or a hash of 8 hexadecimal digits"))?;
    at_end(words, line)?;
    Ok((position, hash))
}

/// Refuses words that follow the last one of a line.
fn at_end<'t>(mut words: impl Iterator<Item = &'t str>, line: usize) -> Result<(), RecordingError> {
    words.next().map_or(Ok(()), |_| Err(refused(line, "the end of the line")))
}

/// The part of a recording read so far, with the line of each item that is checked at the end.
struct Found<W: Saved + Simulation> {
    ticks: Option<u64>,
    start: Option<Start>,
    edits: Vec<(usize, u64, W::Edit)>,
    checks: Vec<(usize, Check)>,
    keyframes: Vec<(usize, u64, Vec<u8>)>,
    pending: Option<Pending>,
}

impl<W: Saved + Simulation> Default for Found<W> {
    fn default() -> Self {
        Found {
            ticks: None,
            start: None,
            edits: Vec::new(),
            checks: Vec::new(),
            keyframes: Vec::new(),
            pending: None,
        }
    }
}

impl<W: Saved + Simulation> Found<W> {
    /// Returns whether the start, or the line before its bytes, has been read.
    fn has_start(&self) -> bool {
        let is_pending = |pending: &Pending| matches!(pending.of, Bytes::Start);
        self.start.is_some() || self.pending.as_ref().is_some_and(is_pending)
    }

    /// Ends the previous bytes, and begins the next ones.
    fn begin(&mut self, line: usize, of: Bytes) -> Result<(), RecordingError> {
        self.end()?;
        self.pending = Some(Pending { line, of, bytes: Vec::new() });
        Ok(())
    }

    fn add_hex(&mut self, line: usize, word: &str) -> Result<(), RecordingError> {
        let wrong = || refused(line, "bytes of a start, an edit or a keyframe");
        let pending = self.pending.as_mut().filter(|_| is_hex(word)).ok_or_else(wrong)?;
        for pair in word.as_bytes().as_chunks::<2>().0 {
            let digit = |letter: u8| char::from(letter).to_digit(16).unwrap_or(0) as u8;
            pending.bytes.push(digit(pair[0]) << 4 | digit(pair[1]));
        }
        Ok(())
    }

    fn add_chunk(
        &mut self,
        line: usize,
        chunk: (ChunkPos, Option<u32>),
    ) -> Result<(), RecordingError> {
        let wrong = || refused(line, "the chunks of a check in order: y, then z, then x");
        let (_, check) =
            self.checks.last_mut().filter(|_| self.pending.is_none()).ok_or_else(wrong)?;
        if check.chunks.last().is_some_and(|last| last.0 >= chunk.0) {
            return Err(wrong());
        }
        check.chunks.push(chunk);
        Ok(())
    }

    /// Decodes the pending bytes, if there are any.
    fn end(&mut self) -> Result<(), RecordingError> {
        let Some(Pending { line, of, bytes }) = self.pending.take() else { return Ok(()) };
        match of {
            Bytes::Start => self.start = Some(Start::Snapshot(bytes)),
            Bytes::Keyframe(tick) => self.keyframes.push((line, tick, bytes)),
            Bytes::Edit(tick) => {
                let edit = W::Edit::from_bytes(&bytes);
                let edit = edit.map_err(|error| RecordingError::Edit { line, error })?;
                self.edits.push((line, tick, edit));
            }
        }
        Ok(())
    }

    /// Returns the recording, if its parts are all there and in order.
    fn recording(mut self, last_line: usize) -> Result<Recording<W>, RecordingError> {
        self.end()?;
        let ticks = self.ticks.ok_or(refused(last_line, "ticks, and their number"))?;
        let start = self.start.ok_or(refused(last_line, "start, and a snapshot or generator"))?;
        let edits = self.edits.iter().map(|&(line, tick, _)| (line, tick));
        in_order(edits, 0, ticks, false)?;
        in_order(self.checks.iter().map(|(line, check)| (*line, check.tick)), 0, ticks, true)?;
        in_order(self.keyframes.iter().map(|&(line, tick, _)| (line, tick)), 1, ticks, true)?;
        Ok(Recording {
            start,
            ticks,
            edits: self.edits.into_iter().map(|(_, tick, edit)| (tick, edit)).collect(),
            checks: self.checks.into_iter().map(|(_, check)| check).collect(),
            keyframes: self.keyframes.into_iter().map(|(_, tick, saved)| (tick, saved)).collect(),
        })
    }
}

/// Refuses ticks below `least` or beyond `end`, and ticks that do not ascend. With `is_once`, each
/// tick may come only once.
fn in_order(
    ticks: impl Iterator<Item = (usize, u64)>,
    least: u64,
    end: u64,
    is_once: bool,
) -> Result<(), RecordingError> {
    let mut last = None;
    for (line, tick) in ticks {
        let follows = last.is_none_or(|last| tick > last || tick == last && !is_once);
        if !follows || tick < least || tick > end {
            return Err(refused(line, "a tick after the last one and not beyond the end"));
        }
        last = Some(tick);
    }
    Ok(())
}
