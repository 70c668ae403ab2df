//! Updates in bytes: the update of water, then ground and moisture in runs, then broken ground.
//!
//! An update is the version (1), the update of water with its own version, the number of chunks
//! whose ground or moisture changed, these chunks in order of position, the number of events, and
//! the events. Numbers are LEB128. A position is the difference from the position before it, in
//! zigzag numbers, as in updates of water. A chunk is its position, its runs of materials and its
//! runs of moisture, not both empty. Runs are as the runs of currents in updates of water, with one
//! byte for the value: the number of the material, or the number of steps of moisture. An event is
//! its tick less the ticks of the update, as a zigzag number; the difference of its cell from the
//! cell of the event before; the old and the new material, a byte each; and the pressure
//! difference, an `f64`, lowest byte first.

use super::update::{ChunkUpdate, Update, moisture_of, step_of};
use crate::codec::{DecodeError, Field, Format, Reader, put_varint, put_way, unzigzag, zigzag};
use crate::coords::ChunkPos;
use crate::water;
use crate::water::feed::{next_chunk, put_runs, take_runs};
use crate::world::pressure::Broken;
use glam::IVec3;

const VERSION: u8 = 1;

impl Update {
    /// Returns the update as bytes, for a network. A cell takes two to four bytes, and a run of
    /// equal cells takes no more than a single cell.
    ///
    /// ```
    /// use floodplain::world::{Feed, Palette, Rules, Update, World};
    /// let mut world = World::new(7, Palette::natural(), Rules::default())?;
    /// let update = Feed::new(&mut world).take(&mut world);
    /// let bytes = update.to_bytes();
    /// assert_eq!(bytes, [1, 1, 0, 1, 0, 0, 0, 0]);
    /// assert_eq!(Update::from_bytes(&bytes), Ok(update));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        self.water.put(&mut out);
        put_varint(&mut out, self.ground.len() as u64);
        let mut before = ChunkPos::ZERO;
        for chunk in &self.ground {
            put_way(&mut out, before, chunk.position);
            before = chunk.position;
            put_runs(&mut out, &chunk.materials, |out, material| out.push(material.0));
            put_runs(&mut out, &chunk.moisture, |out, moisture| out.push(step_of(moisture)));
        }
        put_varint(&mut out, self.events.len() as u64);
        let mut before = IVec3::ZERO;
        for event in &self.events {
            put_varint(&mut out, zigzag(event.tick.wrapping_sub(self.ticks()) as i64));
            put_way(&mut out, before, event.cell);
            before = event.cell;
            out.extend([event.from.0, event.into.0]);
            out.extend(event.difference.to_le_bytes());
        }
        out
    }

    /// Reads the update that [`to_bytes`](Update::to_bytes) wrote. Whatever the bytes are, this
    /// takes at most about thirty times their length in memory, and does not panic.
    ///
    /// # Errors
    /// The bytes are no update of this version, or are longer than one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Update, DecodeError> {
        let mut from = Reader::new(Format::Update, bytes);
        from.version(VERSION)?;
        let water: water::Update = from.take()?;
        let mut ground: Vec<ChunkUpdate> = Vec::new();
        for _ in 0..from.varint()? {
            let position = next_chunk(&mut from, ground.last().map(|chunk| chunk.position))?;
            ground.push(chunk(&mut from, position)?);
        }
        let mut events: Vec<Broken> = Vec::new();
        for _ in 0..from.varint()? {
            let before = events.last().map_or(IVec3::ZERO, |event| event.cell);
            events.push(event(&mut from, water.ticks(), before)?);
        }
        from.finish(Update { water, ground, events })
    }
}

fn chunk(from: &mut Reader<'_>, position: ChunkPos) -> Result<ChunkUpdate, DecodeError> {
    let at = from.at();
    let materials = take_runs(from, Field::take)?;
    let moisture = take_runs(from, |from| Ok(moisture_of(from.take()?)))?;
    let chunk = ChunkUpdate { position, materials, moisture };
    match chunk.is_empty() {
        true => Err(from.malformed_at(at, "a chunk with a changed cell")),
        false => Ok(chunk),
    }
}

fn event(from: &mut Reader<'_>, ticks: u64, before: IVec3) -> Result<Broken, DecodeError> {
    let tick = ticks.wrapping_add(unzigzag(from.varint()?) as u64);
    let cell = from.way(before)?;
    let (was, into) = (from.take()?, from.take()?);
    let (at, difference): (usize, f64) = (from.at(), from.take()?);
    if !(difference > 0.0 && difference.is_finite()) {
        return Err(from.malformed_at(at, "a pressure difference above 0"));
    }
    Ok(Broken { tick, cell, from: was, into, difference })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{CHUNK_CELLS, Cube, Shape};
    use crate::water::Run;
    use crate::world::MOISTURE_STEP;
    use crate::world::rules::material::MaterialId;
    use crate::world::{Feed, Palette, Rules, World};

    fn update(ground: Vec<ChunkUpdate>, events: Vec<Broken>) -> Update {
        let mut world = World::new(7, Palette::natural(), Rules::default()).unwrap();
        let water = Feed::new(&mut world).take(&mut world).water.at_tick(1 << 63);
        Update { water, ground, events }
    }

    #[test]
    fn runs_of_any_length_at_any_distance_are_read_as_written() {
        for start in 1..CHUNK_CELLS as u16 {
            for cells in [1, 2, 3, 129, 130, CHUNK_CELLS as u16 - start] {
                if start + cells > CHUNK_CELLS as u16 {
                    continue;
                }
                let first = Run { start: 0, cells: 1, value: 255 * MOISTURE_STEP };
                let value = u32::from(start as u8) * MOISTURE_STEP;
                let moisture = vec![first, Run { start, cells, value }];
                let position = Cube::chunk_of(IVec3::MIN);
                let chunk = ChunkUpdate { position, materials: Vec::new(), moisture };
                let update = update(vec![chunk], Vec::new());
                assert_eq!(Update::from_bytes(&update.to_bytes()), Ok(update));
            }
        }
    }

    #[test]
    fn events_at_the_ends_of_all_ranges_are_read_as_written() {
        let event = |tick, cell| Broken {
            tick,
            cell,
            from: MaterialId(255),
            into: MaterialId(0),
            difference: f64::MAX,
        };
        let events = [(0, IVec3::MIN), (u64::MAX, IVec3::MAX), (1 << 63, IVec3::ZERO)];
        let update = update(Vec::new(), events.map(|(tick, cell)| event(tick, cell)).into());
        assert_eq!(Update::from_bytes(&update.to_bytes()), Ok(update));
    }

    /// Chunks with a single run take the most memory for their bytes.
    #[test]
    fn an_update_takes_little_more_memory_than_its_bytes() {
        for runs in [1, 5, 2000] {
            let run =
                |start: u16| Run { start: start * 2, cells: 1, value: moisture_of(start as u8) };
            let chunk = |x| ChunkUpdate {
                position: ChunkPos::new(x, 0, 0),
                materials: Vec::new(),
                moisture: (0..runs).map(run).collect(),
            };
            let update = update((0..513).map(chunk).collect(), Vec::new());
            let bytes = update.to_bytes();
            let read = Update::from_bytes(&bytes).expect("they are of an update");
            let held = read.ground.capacity() * size_of::<ChunkUpdate>()
                + read.ground.iter().map(|chunk| chunk.moisture.capacity()).sum::<usize>()
                    * size_of::<Run<u32>>();
            assert!(held <= 30 * bytes.len(), "{held} bytes for {}", bytes.len());
        }
    }
}
