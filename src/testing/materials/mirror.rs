//! A client of a world of materials: a mirror that is sent all updates of the world's feed.

use crate::coords::ChunkPos;
use crate::world::{Broken, Feed, MOISTURE_STEP, Mirror, Update, World};
use crate::{Cube, Shape};
use core::fmt::Debug;
use glam::IVec3;

/// The most chunks that a mirror takes.
const MOST_CHUNKS: usize = 1_000;

/// Returns a client as a companion for
/// [`Watched::with_companion`](super::super::Watched::with_companion). It receives all updates of
/// the world's feed as bytes, and must equal the world in every cell and in the walls that broke.
/// So must a new client that connects after each update.
///
/// ```
/// use floodplain::testing::{Run, mirrored};
/// use floodplain::world::World;
///
/// let run: Run<World> = Run::from_bytes(&[3, 1, 4, 1, 5, 9]);
/// let mut watched = run.watched().with_companion("mirrored", mirrored());
/// assert_eq!(watched.play(&run.ops), Ok(()));
/// ```
pub fn mirrored() -> impl FnMut(&mut World, &[Broken]) -> Result<(), String> {
    let mut client: Option<(Feed, Mirror)> = None;
    move |world, events| {
        let Some((feed, mirror)) = &mut client else {
            let mut feed = Feed::new(world);
            let mirror = whole_mirror(&mut feed, world)?;
            client = Some((feed, mirror));
            return Ok(());
        };
        let update = sent(&feed.take(world))?;
        same("walls that broke", &update.events(), &events)?;
        mirror.apply(&update).map_err(|error| error.to_string())?;
        has_all(mirror, world)?;
        has_all(&whole_mirror(feed, world)?, world)
    }
}

/// Returns a mirror of all chunks.
fn whole_mirror(feed: &mut Feed, world: &World) -> Result<Mirror, String> {
    let mut mirror = Mirror::new(MOST_CHUNKS);
    let whole = feed.whole(world, world.chunks().map(|(chunk, _)| chunk));
    mirror.apply(&sent(&whole)?).map_err(|error| error.to_string())?;
    Ok(mirror)
}

/// Returns an update as it is read back from its bytes.
fn sent(update: &Update) -> Result<Update, String> {
    let received = Update::from_bytes(&update.to_bytes()).map_err(|error| error.to_string())?;
    same("an update, once sent", &received, update)?;
    Ok(received)
}

/// Checks that a mirror of all chunks is at the world's tick, and has the world's chunks and cells.
fn has_all(mirror: &Mirror, world: &World) -> Result<(), String> {
    same("ticks", &mirror.ticks(), &world.ticks())?;
    let chunks: Vec<ChunkPos> = world.chunks().map(|(chunk, _)| chunk).collect();
    same("chunks", &mirror.chunks(), &chunks)?;
    let inside = |&chunk| world.bounds().intersection(&Cube::region_of(chunk));
    mirrors(mirror, world, chunks.iter().filter_map(inside).flat_map(|cells| cells.positions()))
}

/// Checks that a mirror has what the world has in these cells: material, height, and moisture in
/// steps of [`MOISTURE_STEP`].
///
/// ```
/// use floodplain::testing::{Run, Small, mirrors};
/// use floodplain::world::{Feed, Mirror, World};
///
/// let run: Run<World> = Run::from_bytes(&[]);
/// let mut world = World::build(&run.start);
/// let (mut feed, mut mirror) = (Feed::new(&mut world), Mirror::new(100));
/// let chunks: Vec<_> = world.chunks().map(|(chunk, _)| chunk).collect();
/// mirror.apply(&feed.whole(&world, chunks)).unwrap();
/// assert_eq!(mirrors(&mirror, &world, world.bounds().positions()), Ok(()));
/// ```
///
/// # Errors
/// The first cell in which the mirror differs from the world, in words.
pub fn mirrors(
    mirror: &Mirror,
    world: &World,
    cells: impl IntoIterator<Item = IVec3>,
) -> Result<(), String> {
    for cell in cells {
        let seen = (mirror.material(cell), mirror.units(cell));
        same(&cell.to_string(), &seen, &(world.material(cell), world.units(cell)))?;
        let (seen, held) = (mirror.moisture(cell), world.moisture(cell));
        let is_rounded = seen <= held && held < seen + MOISTURE_STEP;
        let is_most = seen == 255 * MOISTURE_STEP && held >= seen;
        if !(is_rounded || is_most) || !seen.is_multiple_of(MOISTURE_STEP) {
            return Err(format!("{cell}: a moisture of {seen}, in the world {held}"));
        }
    }
    Ok(())
}

fn same<T: PartialEq + Debug>(of: &str, mirrored: &T, expected: &T) -> Result<(), String> {
    if mirrored == expected {
        return Ok(());
    }
    Err(format!("{of}: {mirrored:?}, in the world {expected:?}"))
}
