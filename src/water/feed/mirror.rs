//! A copy of the looks of a world, on the side of a client.

use crate::chunk::{Chunk, LAYER_CELLS};
use crate::coords::{CHUNK_CELLS, ChunkPos, Cube, Shape};
use crate::water::feed::currents::{ByChunk, Current};
use crate::water::feed::look::Look;
use crate::water::feed::update::{ChunkCurrents, ChunkEvent, ChunkUpdate, Update};
use core::fmt;
use glam::IVec3;
use hashbrown::HashMap;

/// A copy of the looks of some chunks of a world, kept up to date by [`Update`]s. Water is drawn
/// from a mirror as from the world: see [`WaterView`](crate::water::WaterView).
///
/// A mirror holds the chunks that it has received as whole chunks. It skips changes of other
/// chunks, so a client may follow a part of the world: when a player moves on, the server sends the
/// client the whole chunks that come into sight and leaves chunks that are out of sight out of the
/// updates, and the client [forgets](Mirror::retain) those. If a client has missed an update, its
/// mirror refuses the next one, and the client asks for its [`chunks`](Mirror::chunks) again:
///
/// ```
/// use floodplain::water::{Feed, Mirror, MirrorError, Rules, Voxel, WaterWorld};
/// use floodplain::{Chunk, ChunkPos, glam::IVec3};
///
/// let mut world = WaterWorld::new(7, Rules::lossless())?;
/// world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN))?;
/// let mut feed = Feed::new(&mut world);
/// let mut mirror = Mirror::new(1_000);
/// mirror.apply(&feed.whole(&world, [ChunkPos::ZERO]))?;
///
/// let cell = IVec3::new(8, 0, 8);
/// world.pour(cell, 3)?;
/// feed.take(&mut world); // is lost
/// let next = feed.take(&mut world);
/// assert_eq!(mirror.apply(&next), Err(MirrorError::Gap { expected: 1, found: 2 }));
/// mirror.apply(&feed.whole(&world, mirror.chunks()))?;
/// assert_eq!(mirror.units(cell), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mirror {
    most_chunks: usize,
    /// The number of the last update, once there is one.
    number: Option<u64>,
    ticks: u64,
    chunks: HashMap<ChunkPos, Chunk<Look>>,
    /// The number of complete ticks when the world had these currents; `None` if they are not sent.
    current_tick: Option<u64>,
    currents: ByChunk,
}

/// Why a mirror refused an update. The mirror is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MirrorError {
    /// The update is not the next one: another comes before it, or it is older than the mirror. Ask
    /// for the [`chunks`](Mirror::chunks) as whole chunks. An update of whole chunks is refused if
    /// it is older than the mirror, or if it is newer and does not hold all chunks of the mirror.
    Gap {
        /// The number of the update that comes next.
        expected: u64,
        /// The number of the refused update.
        found: u64,
    },
    /// The first update is not one of whole chunks.
    NotJoined {
        /// The number of the refused update.
        found: u64,
    },
    /// The mirror would hold more chunks than it may.
    TooManyChunks {
        /// The most that it may hold.
        most: usize,
        /// The number of chunks that it would hold.
        wanted: usize,
    },
}

impl fmt::Display for MirrorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MirrorError::Gap { expected, found } => {
                write!(f, "update {found} where {expected} comes next: ask for whole chunks")
            }
            MirrorError::NotJoined { found } => {
                write!(f, "update {found} comes before any whole chunks: ask for them")
            }
            MirrorError::TooManyChunks { most, wanted } => {
                write!(f, "{wanted} chunks, more than {most}")
            }
        }
    }
}

impl core::error::Error for MirrorError {}

impl Mirror {
    /// Returns an empty mirror that may hold `most_chunks` chunks, of up to 4 KB each, or 12 KB if
    /// currents are sent. Its first update must be one of [whole](crate::water::Feed::whole)
    /// chunks.
    pub fn new(most_chunks: usize) -> Mirror {
        Mirror {
            most_chunks,
            number: None,
            ticks: 0,
            chunks: HashMap::new(),
            current_tick: None,
            currents: HashMap::new(),
        }
    }

    /// Makes the changes of an update.
    ///
    /// # Errors
    /// The update is not the next one, or the mirror would hold too many chunks.
    pub fn apply(&mut self, update: &Update) -> Result<(), MirrorError> {
        self.check_number(update)?;
        let mut held = self.chunks.len();
        for chunk in &update.chunks {
            let is_held = self.chunks.contains_key(&chunk.position);
            match chunk.event {
                ChunkEvent::Loaded => held += usize::from(!is_held),
                ChunkEvent::Unloaded => held -= usize::from(is_held),
                ChunkEvent::Changed => {}
            }
        }
        if held > self.most_chunks {
            return Err(MirrorError::TooManyChunks { most: self.most_chunks, wanted: held });
        }
        update.chunks.iter().for_each(|chunk| self.apply_chunk(chunk));
        update.currents.iter().for_each(|chunk| self.apply_currents(chunk));
        (self.number, self.ticks) = (Some(update.number), update.ticks);
        self.current_tick = update.current_tick;
        Ok(())
    }

    /// Forgets the chunks at positions for which `is_kept` is false, so that others have room.
    /// Later updates do not change a forgotten chunk until it is sent as a whole chunk again.
    ///
    /// ```
    /// use floodplain::water::{Feed, Mirror, Rules, Voxel, WaterWorld};
    /// use floodplain::{Chunk, ChunkPos, glam::IVec3};
    ///
    /// let mut world = WaterWorld::new(7, Rules::lossless())?;
    /// let row = (0..9).map(|x| ChunkPos::new(x, 0, 0));
    /// world.insert_chunks(row.map(|chunk| (chunk, Chunk::uniform(Voxel::OPEN))))?;
    /// let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(2));
    /// for x in 0..8 {
    ///     mirror.retain(|chunk| chunk.x >= x); // what is behind is forgotten
    ///     let ahead = (x..=x + 1).map(|x| ChunkPos::new(x, 0, 0));
    ///     mirror.apply(&feed.whole(&world, ahead))?;
    /// }
    /// assert_eq!(mirror.chunks(), [ChunkPos::new(7, 0, 0), ChunkPos::new(8, 0, 0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn retain(&mut self, mut is_kept: impl FnMut(ChunkPos) -> bool) {
        self.chunks.retain(|&chunk, _| is_kept(chunk));
        self.currents.retain(|chunk, _| self.chunks.contains_key(chunk));
    }

    fn check_number(&self, update: &Update) -> Result<(), MirrorError> {
        let found = update.number;
        let Some(number) = self.number else {
            return if update.is_whole { Ok(()) } else { Err(MirrorError::NotJoined { found }) };
        };
        let expected = number.wrapping_add(1);
        let is_next = if update.is_whole {
            found == number || found > number && self.is_replaced_by(update)
        } else {
            found == expected
        };
        if is_next { Ok(()) } else { Err(MirrorError::Gap { expected, found }) }
    }

    /// Returns whether an update of whole chunks holds every chunk of the mirror.
    fn is_replaced_by(&self, update: &Update) -> bool {
        let held = update.chunks.iter().filter(|chunk| self.chunks.contains_key(&chunk.position));
        held.count() == self.chunks.len()
    }

    fn apply_chunk(&mut self, update: &ChunkUpdate) {
        match update.event {
            ChunkEvent::Unloaded => {
                self.chunks.remove(&update.position);
                self.currents.remove(&update.position);
            }
            ChunkEvent::Loaded => {
                let mut cells = [Look::DRY; CHUNK_CELLS];
                update.spans.iter().for_each(|span| cells[span.indices()].fill(span.look));
                self.chunks.insert(update.position, Chunk::from_cells(&cells));
                self.currents.remove(&update.position);
            }
            ChunkEvent::Changed => {
                let Some(chunk) = self.chunks.get_mut(&update.position) else { return };
                for span in &update.spans {
                    span.indices().for_each(|index| _ = chunk.set(index, span.look));
                }
            }
        }
    }

    fn apply_currents(&mut self, update: &ChunkCurrents) {
        if !self.chunks.contains_key(&update.position) {
            return;
        }
        let still = Chunk::uniform(Current::default());
        let chunk = self.currents.entry(update.position).or_insert_with(|| still.clone());
        for run in &update.currents {
            run.indices().for_each(|index| _ = chunk.set(index, Current::of(run.value)));
        }
        if *chunk == still {
            self.currents.remove(&update.position);
        }
    }

    /// Returns the number of the last update; `None` before the first.
    pub fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns the number of complete ticks of the world at the last update.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the look of a cell; `None` if its chunk is not in the mirror, or if the cell is out
    /// of the world's bounds.
    pub fn look(&self, cell: IVec3) -> Option<Look> {
        let look = self.chunks.get(&Cube::chunk_of(cell))?.get(Cube::index_of(cell));
        (look != Look::BEYOND).then_some(look)
    }

    /// Returns the units of water in a cell, 0 to 7, as
    /// [`WaterWorld::units`](crate::water::WaterWorld::units) does; 0 if the chunk of the cell is
    /// not in the mirror.
    pub fn units(&self, cell: IVec3) -> u8 {
        self.look(cell).map_or(0, Look::height)
    }

    /// Returns the net flow of water out of a cell in the tick of
    /// [`current_tick`](Mirror::current_tick), as
    /// [`WaterWorld::current`](crate::water::WaterWorld::current) does; zero if the chunk of the
    /// cell is not in the mirror.
    pub fn current(&self, cell: IVec3) -> IVec3 {
        let chunk = self.currents.get(&Cube::chunk_of(cell));
        chunk.map_or(IVec3::ZERO, |chunk| chunk.get(Cube::index_of(cell)).to_vector())
    }

    /// Returns the number of complete ticks when the world had these currents; `None` if they are
    /// not [sent](crate::water::Feed::send_currents).
    pub fn current_tick(&self) -> Option<u64> {
        self.current_tick
    }

    /// Returns the chunks with currents, each with its layers (by bit) that have any.
    pub(crate) fn current_layers(&self) -> impl Iterator<Item = (ChunkPos, u16)> {
        self.currents.iter().map(|(&chunk, currents)| {
            let is_still = |layer: usize| {
                let cells = layer * LAYER_CELLS..(layer + 1) * LAYER_CELLS;
                cells.into_iter().all(|index| currents.get(index) == Current::default())
            };
            let moving = (0..16).filter(|&layer| !is_still(layer));
            (chunk, moving.fold(0, |layers, layer| layers | 1 << layer))
        })
    }

    /// Returns whether a cell is solid ground; `false` if its chunk is not in the mirror.
    pub fn is_solid(&self, cell: IVec3) -> bool {
        self.look(cell).is_some_and(Look::is_solid)
    }

    /// Returns the chunk at a chunk position; `None` if it is not in the mirror.
    pub fn chunk(&self, position: ChunkPos) -> Option<&Chunk<Look>> {
        self.chunks.get(&position)
    }

    /// Returns the positions of the chunks in the mirror, in order: y slowest, then z, then x.
    pub fn chunks(&self) -> Vec<ChunkPos> {
        let mut chunks: Vec<ChunkPos> = self.chunks.keys().copied().collect();
        chunks.sort_unstable();
        chunks
    }
}
