//! Updates in bytes: run-length coding of cells, in which one byte gives both the gap between a run
//! and the run before, and the look of the cells of the run.
//!
//! An update is the version (1); a byte, the sum of 1 for whole chunks and 2 for currents; the
//! number of the update; the ticks; if there are currents, the ticks less the tick of the currents,
//! as a zigzag number; the count of chunks, and the chunks in order of position; and if there are
//! currents, the count of chunks with currents, and these chunks in order of position. Numbers are
//! LEB128: seven bits to a byte, lowest first. A chunk is its position (x, y and z less those of
//! the chunk before, as zigzag numbers); a byte for the event (0 unloaded, 1 loaded, or for a
//! change an even number from 2 to 30, the sum of 2 for flow, 4 for drains, 8 for edits and 16 for
//! the sea); and the runs: for a load, those of its cells (possibly none); for a change, the runs
//! of each cause (at least one for each cause):
//!
//! | byte | meaning |
//! |---|---|
//! | below 140 | a cell, look + 20 × gap: its look, and the gap, the 0 to 6 cells left out since the cell before; after a look of 19, a byte follows, which is added to 19 |
//! | 140 to 219 | a cell, look + 20 × (7 + n), with n from 0 to 3: the gap is 7 + 256 n plus the byte that follows; if n is 3 and that byte is 255, a number follows, which is added to 1,030 |
//! | 220 to 253 | the cell before is repeated 2 to 35 times |
//! | 254 | the cell before is repeated 36 times or more: a number follows, which is added to 36 |
//! | 255 | there are no more cells |
//!
//! A chunk with currents is its position, then its runs, at least one, whose values are numbers
//! (see [`Current`]): first the count of the runs, then for each run twice the number of cells
//! since the end of the run before, plus one if the run has several cells; then, if it has several,
//! the number of its cells less two; then the value.

use crate::codec::{DecodeError, Field, Format, Reader, put_varint, put_way, unzigzag, zigzag};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use crate::water::feed::currents::Current;
use crate::water::feed::look::Look;
use crate::water::feed::run::Run;
use crate::water::feed::update::{Cause, ChunkCurrents, ChunkEvent, ChunkUpdate, Span, Update};
use glam::IVec3;

const VERSION: u8 = 1;
/// The smallest gap that is followed by a byte.
const WIDE_GAP: usize = 7;
/// The smallest gap that is followed by a byte and a number.
const LONG_GAP: usize = WIDE_GAP + (4 << 8) - 1;
/// The number of codes for looks in the byte of a cell: one for each common look, and one for all
/// other looks, which is followed by a byte.
const LOOKS: u8 = Look::COMMON + 1;
/// The first byte of a repetition.
const REPEAT: u8 = LOOKS * (WIDE_GAP as u8 + 4);
/// The smallest number of repetitions that has a byte of its own: a single repetition is written as
/// another cell without a gap.
const LEAST_REPEAT: usize = 2;
const LONG_REPEAT: u8 = 254;
const END: u8 = 255;
/// The smallest number of repetitions that is followed by a number.
const MORE_REPEATS: usize = LEAST_REPEAT + (LONG_REPEAT - REPEAT) as usize;
/// The causes of changes, by bit, from bit 1 on.
const CAUSES: [Cause; 4] = [Cause::Flow, Cause::Drain, Cause::Edit, Cause::Sea];
const UNLOADED: u8 = 0;
const LOADED: u8 = 1;
/// The flags of an update.
const IS_WHOLE: u8 = 1;
const HAS_CURRENTS: u8 = 2;

impl Update {
    /// Returns the update as bytes, for a network. `benches/README.md` says how many bytes a
    /// changed cell takes.
    ///
    /// ```
    /// use floodplain::DecodeProblem;
    /// use floodplain::water::{Feed, Rules, Update, WaterWorld};
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// let update = Feed::new(&mut world).take(&mut world);
    /// let bytes = update.to_bytes();
    /// assert_eq!(bytes, [1, 0, 1, 0, 0]);
    /// assert_eq!(Update::from_bytes(&bytes), Ok(update));
    /// let error = Update::from_bytes(&[9]).unwrap_err();
    /// assert_eq!(error.problem, DecodeProblem::Version { found: 9, wanted: 1 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }

    /// Reads the update that [`to_bytes`](Update::to_bytes) wrote. Whatever the bytes are, this
    /// takes at most about thirty times their length in memory, and does not panic.
    ///
    /// # Errors
    /// The bytes are no update of this version, or go on after the update.
    pub fn from_bytes(bytes: &[u8]) -> Result<Update, DecodeError> {
        Reader::new(Format::Update, bytes).only()
    }
}

fn put_chunk(out: &mut Vec<u8>, chunk: &ChunkUpdate) {
    match chunk.event {
        ChunkEvent::Unloaded => out.push(UNLOADED),
        ChunkEvent::Loaded => {
            out.push(LOADED);
            put_spans(out, &chunk.spans, Cause::Load);
        }
        ChunkEvent::Changed => {
            let has = |cause| chunk.spans.iter().any(|span| span.cause == cause);
            let bits = (1..).zip(CAUSES).map(|(bit, cause)| u8::from(has(cause)) << bit);
            out.push(bits.sum());
            for cause in CAUSES.into_iter().filter(|&cause| has(cause)) {
                put_spans(out, &chunk.spans, cause);
            }
        }
    }
}

/// Appends runs, each with its value.
pub(crate) fn put_runs<T: Copy>(out: &mut Vec<u8>, runs: &[Run<T>], put: impl Fn(&mut Vec<u8>, T)) {
    put_varint(out, runs.len() as u64);
    let mut next = 0;
    for run in runs {
        let (gap, is_long) = (usize::from(run.start) - next, run.cells > 1);
        put_varint(out, (gap * 2 + usize::from(is_long)) as u64);
        if is_long {
            put_varint(out, u64::from(run.cells - 2));
        }
        put(out, run.value);
        next = run.indices().end;
    }
}

/// Appends the runs of a cause.
fn put_spans(out: &mut Vec<u8>, spans: &[Span], cause: Cause) {
    let mut next = 0;
    for span in spans.iter().filter(|span| span.cause == cause) {
        put_cell(out, span.look, usize::from(span.start) - next);
        let repeats = usize::from(span.cells) - 1;
        if repeats >= MORE_REPEATS {
            out.push(LONG_REPEAT);
            put_varint(out, (repeats - MORE_REPEATS) as u64);
        } else if repeats >= LEAST_REPEAT {
            out.push(REPEAT + (repeats - LEAST_REPEAT) as u8);
        } else if repeats == 1 {
            put_cell(out, span.look, 0);
        }
        next = span.end();
    }
    out.push(END);
}

fn put_cell(out: &mut Vec<u8>, look: Look, gap: usize) {
    let (code, wide) = (look.code(), gap.min(LONG_GAP).saturating_sub(WIDE_GAP));
    let steps = if gap < WIDE_GAP { gap } else { WIDE_GAP + (wide >> 8) };
    out.push(code.min(Look::COMMON) + LOOKS * steps as u8);
    out.extend(code.checked_sub(Look::COMMON));
    if gap >= WIDE_GAP {
        out.push(wide as u8);
    }
    if gap >= LONG_GAP {
        put_varint(out, (gap - LONG_GAP) as u64);
    }
}

/// An update of water has the same form inside an update of a world of materials.
impl Field for Update {
    fn put(&self, out: &mut Vec<u8>) {
        let has_currents = u8::from(self.current_tick.is_some()) * HAS_CURRENTS;
        out.extend([VERSION, (u8::from(self.is_whole) * IS_WHOLE) | has_currents]);
        put_varint(out, self.number);
        put_varint(out, self.ticks);
        if let Some(tick) = self.current_tick {
            put_varint(out, zigzag(self.ticks.wrapping_sub(tick) as i64));
        }
        put_varint(out, self.chunks.len() as u64);
        let mut before = ChunkPos::ZERO;
        for chunk in &self.chunks {
            put_way(out, before, chunk.position);
            before = chunk.position;
            put_chunk(out, chunk);
        }
        if self.current_tick.is_some() {
            put_varint(out, self.currents.len() as u64);
            let mut before = ChunkPos::ZERO;
            for chunk in &self.currents {
                put_way(out, before, chunk.position);
                before = chunk.position;
                let put =
                    |out: &mut Vec<u8>, current| put_varint(out, Current::of(current).number());
                put_runs(out, &chunk.currents, put);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, DecodeError> {
        from.version(VERSION)?;
        let at = from.at();
        let flags = from.take::<u8>()?;
        if flags > IS_WHOLE | HAS_CURRENTS {
            return Err(from.refused(at, "1 for whole chunks, 2 for currents", flags));
        }
        let is_whole = flags & IS_WHOLE != 0;
        let (number, ticks) = (from.varint()?, from.varint()?);
        let current_tick = match flags & HAS_CURRENTS {
            0 => None,
            _ => Some(ticks.wrapping_sub(unzigzag(from.varint()?) as u64)),
        };
        let mut chunks: Vec<ChunkUpdate> = Vec::new();
        for _ in 0..from.varint()? {
            let position = next_chunk(from, chunks.last().map(|chunk| chunk.position))?;
            chunks.push(take_chunk(from, position, is_whole)?);
        }
        let mut currents: Vec<ChunkCurrents> = Vec::new();
        for _ in 0..current_tick.map_or(Ok(0), |_| from.varint())? {
            let position = next_chunk(from, currents.last().map(|chunk| chunk.position))?;
            let at = from.at();
            currents.push(ChunkCurrents { position, currents: take_runs(from, take_current)? });
            if currents.last().is_none_or(|chunk| chunk.currents.is_empty()) {
                return Err(from.refused(at, "a cell with a current", 0));
            }
        }
        Ok(Update { number, ticks, is_whole, current_tick, chunks, currents })
    }
}

/// Reads the position of a chunk, which must come after the position `before`.
pub(crate) fn next_chunk(
    from: &mut Reader<'_>,
    before: Option<ChunkPos>,
) -> Result<ChunkPos, DecodeError> {
    let at = from.at();
    let position = from.way(before.unwrap_or_default())?;
    if !Cube::holds_chunk(position) {
        return Err(from.refused(at, "the position of a chunk of cells", position.x));
    }
    if before.is_some_and(|before| position <= before) {
        return Err(from.refused(at, "a position after that of the last chunk", position.x));
    }
    Ok(position)
}

fn take_chunk(
    from: &mut Reader<'_>,
    position: ChunkPos,
    is_whole: bool,
) -> Result<ChunkUpdate, DecodeError> {
    let (at, mut spans) = (from.at(), Vec::new());
    let event = match from.take::<u8>()? {
        UNLOADED => ChunkEvent::Unloaded,
        LOADED => {
            take_spans(from, &mut spans, Cause::Load)?;
            ChunkEvent::Loaded
        }
        causes if causes & 1 == 0 && causes < 2 << CAUSES.len() && !is_whole => {
            for (bit, cause) in (1..).zip(CAUSES) {
                if causes >> bit & 1 != 0 {
                    let (at, before) = (from.at(), spans.len());
                    take_spans(from, &mut spans, cause)?;
                    // Without any cell, the chunk would be written as an unloaded chunk.
                    if spans.len() == before {
                        return Err(from.refused(at, "a cell with this cause", END));
                    }
                }
            }
            spans.sort_unstable_by_key(|span| span.start);
            if let Some(pair) =
                spans.windows(2).find(|pair| pair[0].end() > pair[1].indices().start)
            {
                return Err(from.refused(at, "one cause for each cell", pair[1].start));
            }
            ChunkEvent::Changed
        }
        event => return Err(from.refused(at, "an event", event)),
    };
    Ok(ChunkUpdate { position, event, spans })
}

fn take_current(from: &mut Reader<'_>) -> Result<IVec3, DecodeError> {
    match (from.at(), from.varint()?) {
        (_, number) if number <= Current::MOST => Ok(Current::from_number(number).to_vector()),
        (at, number) => Err(from.refused(at, "a current of at most 7 units", clamped(number))),
    }
}

/// Reads runs, each with its value.
pub(crate) fn take_runs<T>(
    from: &mut Reader<'_>,
    take: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<Run<T>>, DecodeError> {
    let (mut runs, mut next) = (Vec::new(), 0);
    for _ in 0..from.varint()? {
        let (at, gap) = (from.at(), from.varint()?);
        let cells = if gap & 1 == 0 { 1 } else { from.varint()?.saturating_add(2) };
        let start = (gap >> 1).saturating_add(next);
        let end = start.saturating_add(cells);
        if end > CHUNK_CELLS as u64 {
            return Err(from.refused(at, "a run that ends at 4096 or before", clamped(end)));
        }
        runs.push(Run { start: start as u16, cells: cells as u16, value: take(from)? });
        next = end;
    }
    Ok(runs)
}

/// Reads the runs of a cause.
fn take_spans(
    from: &mut Reader<'_>,
    spans: &mut Vec<Span>,
    cause: Cause,
) -> Result<(), DecodeError> {
    let (first, mut next) = (spans.len(), 0);
    loop {
        let (at, byte) = (from.at(), from.take::<u8>()?);
        if byte == END {
            return Ok(());
        }
        if byte < REPEAT {
            let look = take_look(from, byte % LOOKS)?;
            let gap = take_gap(from, (byte / LOOKS).into())?;
            let index = next + gap;
            if index >= CHUNK_CELLS {
                return Err(from.refused(at, "a cell below 4096", index as i64));
            }
            match spans[first..].last_mut() {
                Some(last) if gap == 0 && last.look == look => last.cells += 1,
                _ => {
                    spans.push(Span { start: index as u16, cells: 1, look, cause });
                }
            }
            next = index + 1;
            continue;
        }
        let repeats = take_count(from, usize::from(byte - REPEAT) + LEAST_REPEAT, MORE_REPEATS)?;
        let Some(last) = spans[first..].last_mut() else {
            return Err(from.refused(at, "a cell before its repetition", byte));
        };
        next += repeats;
        if next > CHUNK_CELLS {
            return Err(from.refused(at, "an end of at most 4096", next as i64));
        }
        last.cells += repeats as u16;
    }
}

/// Returns the look for the code in the byte of a cell.
fn take_look(from: &mut Reader<'_>, code: u8) -> Result<Look, DecodeError> {
    if code < Look::COMMON {
        return Ok(Look::from_code(code));
    }
    match (from.at(), from.take::<u8>()?) {
        (_, byte) if byte < Look::COUNT - Look::COMMON => Ok(Look::from_code(code + byte)),
        (at, byte) => Err(from.refused(at, "a look", byte)),
    }
}

/// Returns the number of cells left out before a cell, from the gap in the byte of the cell, 0 to
/// 10.
fn take_gap(from: &mut Reader<'_>, gap: usize) -> Result<usize, DecodeError> {
    if gap < WIDE_GAP {
        return Ok(gap);
    }
    let more = usize::from(from.take::<u8>()?);
    take_count(from, WIDE_GAP + ((gap - WIDE_GAP) << 8) + more, LONG_GAP)
}

/// Returns `count`, or if it is `long` or more, the sum of `long` and the number that follows, at
/// most 4096.
fn take_count(from: &mut Reader<'_>, count: usize, long: usize) -> Result<usize, DecodeError> {
    if count < long {
        return Ok(count);
    }
    let (at, more) = (from.at(), from.varint()?);
    match usize::try_from(more) {
        Ok(more) if more <= CHUNK_CELLS => Ok(long + more),
        _ => Err(from.refused(at, "0 to 4096, a count of cells", clamped(more))),
    }
}

fn clamped(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_any_length_at_any_distance_are_read_as_written() {
        let update = |start: usize, cells: usize| {
            let (code, cause) = ((start % usize::from(Look::COUNT - 1)) as u8, Cause::Drain);
            let (first, second) = (Look::from_code(code), Look::from_code(code + 1));
            let spans = vec![
                Span { start: 0, cells: 1, look: first, cause },
                Span { start: start as u16, cells: cells as u16, look: second, cause },
            ];
            let value = IVec3::new(7, -7, start as i32 % 15 - 7);
            let currents = vec![Run { start: start as u16, cells: cells as u16, value }];
            let position = Cube::chunk_of(IVec3::MIN);
            let chunk = ChunkUpdate { position, event: ChunkEvent::Changed, spans };
            let currents = vec![ChunkCurrents { position, currents }];
            let (number, ticks) = (u64::MAX, 1 << 63);
            let current_tick = Some(u64::MAX - start as u64);
            Update { number, ticks, is_whole: false, current_tick, chunks: vec![chunk], currents }
        };
        let far = (1..CHUNK_CELLS).map(|start| update(start, 1));
        for update in far.chain((1..CHUNK_CELLS).map(|cells| update(1, cells))) {
            assert_eq!(Update::from_bytes(&update.to_bytes()), Ok(update));
        }
    }

    /// Many small chunks, and chunks of one cell, take the most memory for their bytes.
    #[test]
    fn an_update_takes_little_more_memory_than_its_bytes() {
        for spans in [0, 1, 5, 2000] {
            let look = |start: u16| Look::from_code(start as u8);
            let span = |start| Span { start, cells: 1, look: look(start), cause: Cause::Flow };
            let event = if spans == 0 { ChunkEvent::Unloaded } else { ChunkEvent::Changed };
            let chunk = |x| ChunkUpdate {
                position: ChunkPos::new(x, 0, 0),
                event,
                spans: (0..spans).map(span).collect(),
            };
            let update = Update {
                number: 1,
                ticks: 1,
                is_whole: false,
                current_tick: None,
                chunks: (0..513).map(chunk).collect(),
                currents: Vec::new(),
            };
            let bytes = update.to_bytes();
            let read = Update::from_bytes(&bytes).expect("they are of an update");
            assert_eq!(read, update);
            let held = read.chunks.capacity() * size_of::<ChunkUpdate>()
                + read.chunks.iter().map(|chunk| chunk.spans.capacity()).sum::<usize>()
                    * size_of::<Span>();
            assert!(held <= 20 * bytes.len(), "{held} bytes for {}", bytes.len());
        }
    }
}
