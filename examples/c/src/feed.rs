//! Feeds of a world, their updates as bytes, and mirrors on clients.

use crate::border::{Handle, border, enter, free, give, list, out, out_or_none, positions, room};
use crate::of_materials::{OfMaterials, with_materials};
use crate::places::chunk_at;
use crate::status::{Answer, Fault, FpStatus};
use crate::tags::FpKind;
use crate::worlds::{FpWorld, Holder, State};
use floodplain::{ChunkPos, water, world};
use std::collections::HashSet;

/// A feed of a world of water or of materials: what looks different, for clients. Opaque. Free it
/// by `fp_feed_free`.
pub struct FpFeed {
    _opaque: [u8; 0],
}

impl Handle for FpFeed {
    type Inner = Follower;
    const MARK: u64 = u64::from_le_bytes(*b"fp feed\0");
    const NAME: &'static str = "feed";
}

/// What a handle of a feed holds.
pub(crate) struct Follower {
    feed: Feed,
    /// The last update as bytes, if it was not delivered.
    waiting: Vec<u8>,
}

enum Feed {
    Water(water::Feed),
    Materials(OfMaterials<world::Feed>),
}

/// Makes a feed of a world of water or of materials, whose first update says what looks different
/// from now on.
///
/// `feed` becomes a new handle, which the caller owns. It belongs to this world only, and may live
/// longer. Make a new one after `fp_record_undo` and `fp_record_rewind`.
///
/// Errors: `FP_STATUS_KIND`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_feed_new(world: *mut FpWorld, feed: *mut *mut FpFeed) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut world, place) = unsafe { (enter(world)?, out(feed, "feed")?) };
        let feed = match world.change() {
            State::Water(kept) => Feed::Water(water::Feed::new(kept.lists())),
            State::Materials(kept) => {
                Feed::Materials(with_materials(world::Feed::new(kept.lists())))
            }
            other => return other.refuse(),
        };
        place.put(give::<FpFeed>(Follower { feed, waiting: Vec::new() }));
        Ok(())
    })
}

/// Frees a feed. Null is none. The handle is not to be used again.
///
/// Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: nothing is freed then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_feed_free(feed: *mut FpFeed) -> FpStatus {
    // SAFETY: the caller's promises.
    border(|| unsafe { free(feed) })
}

/// From the next update on, sends the currents of the last complete tick, too.
///
/// Errors: none but those that any handle may return.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_feed_send_currents(feed: *mut FpFeed) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        match &mut unsafe { enter(feed) }?.feed {
            Feed::Water(feed) => feed.send_currents(),
            Feed::Materials(feed) => feed.send_currents(),
        }
        Ok(())
    })
}

/// Takes what looks different since the last call, as the bytes of an update.
///
/// `world` is the one that the feed was made of. `out` has room for `capacity` bytes; `length`
/// becomes how many there are. What does not fit is kept for the next call.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for a world of another kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_feed_take(
    feed: *mut FpFeed,
    world: *mut FpWorld,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut feed, mut world, room) =
            unsafe { (enter(feed)?, enter(world)?, room(out, capacity, length)?) };
        let Follower { feed, waiting } = &mut *feed;
        if waiting.is_empty() {
            *waiting = match (feed, world.change()) {
                (Feed::Water(feed), State::Water(kept)) => feed.take(kept.lists()).to_bytes(),
                (Feed::Materials(feed), State::Materials(kept)) => {
                    feed.take(kept.lists()).to_bytes()
                }
                (_, other) => return other.refuse(),
            };
        }
        room.deliver(waiting)
    })
}

/// Writes the update of whole chunks for a client that joins or moves on.
///
/// `chunks` are `count` chunk positions of three numbers; those that are not loaded are left out.
/// `out` has room for `capacity` bytes; `length` becomes how many there are.
///
/// Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for a world of another kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_feed_whole(
    feed: *mut FpFeed,
    world: *const FpWorld,
    chunks: *const i32,
    count: usize,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut feed, world, chunks, room) = unsafe {
            (enter(feed)?, enter(world)?, positions(chunks, count)?, room(out, capacity, length)?)
        };
        let chunks = chunks.iter().copied().map(chunk_at);
        room.fill(&match (&mut feed.feed, world.read()) {
            (Feed::Water(feed), State::Water(kept)) => feed.whole(kept.world(), chunks).to_bytes(),
            (Feed::Materials(feed), State::Materials(kept)) => {
                feed.whole(kept.world(), chunks).to_bytes()
            }
            (_, other) => return other.refuse(),
        })
    })
}

/// Writes the part of an update that is of some chunks, for a client that sees only these.
///
/// `kind` is the `FpKind` of the world. `bytes` are `count` bytes of an update; `chunks` are
/// `chunk_count` chunk positions of three numbers. `out` has room for `capacity` bytes; `length`
/// becomes how many there are.
///
/// Errors: `FP_STATUS_TAG`, `FP_STATUS_KIND`; `FP_STATUS_DECODE`; `FP_STATUS_BUFFER`;
/// `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_update_only(
    kind: u32,
    bytes: *const u8,
    count: usize,
    chunks: *const i32,
    chunk_count: usize,
    out: *mut u8,
    capacity: usize,
    length: *mut usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (bytes, chunks, room) = unsafe {
            (
                list(bytes, count, "bytes")?,
                positions(chunks, chunk_count)?,
                room(out, capacity, length)?,
            )
        };
        let seen: HashSet<[i32; 3]> = chunks.iter().copied().collect();
        let is_seen = |chunk: ChunkPos| seen.contains(&crate::places::chunk_numbers(chunk));
        room.fill(&match FpKind::of(kind)? {
            FpKind::Water => water::Update::from_bytes(bytes)?.only(is_seen).to_bytes(),
            FpKind::Materials if cfg!(feature = "materials") => {
                world::Update::from_bytes(bytes)?.only(is_seen).to_bytes()
            }
            other => return Err(no_updates(other)),
        })
    })
}

fn no_updates(kind: FpKind) -> Fault {
    Fault::kind(format_args!("a world of kind {kind:?} has no updates"))
}

/// Makes an empty mirror of a world of water or of materials.
///
/// `kind` is the `FpKind` of the world. `most_chunks` is the most chunks that updates may make it
/// hold. `mirror` becomes a new handle, which the caller owns: free it by `fp_world_free`. The
/// functions `fp_view_...` and `fp_world_chunks` read it.
///
/// Errors: `FP_STATUS_TAG`, `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_mirror_new(
    kind: u32,
    most_chunks: usize,
    mirror: *mut *mut FpWorld,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let place = unsafe { out(mirror, "mirror") }?;
        let state = match FpKind::of(kind)? {
            FpKind::Water => State::WaterMirror(water::Mirror::new(most_chunks)),
            FpKind::Materials if cfg!(feature = "materials") => {
                State::MaterialsMirror(with_materials(Box::new(world::Mirror::new(most_chunks))))
            }
            other => return Err(no_updates(other)),
        };
        place.put(give::<FpWorld>(Holder::new(state)));
        Ok(())
    })
}

/// Applies an update to a mirror.
///
/// `bytes` are `count` bytes of an update. `number` becomes that of the update; it may be null.
///
/// Errors: `FP_STATUS_DECODE`; `FP_STATUS_GAP` if an update is missing, so that the client has to
/// ask for its chunks as whole ones, or for too many chunks; `FP_STATUS_KIND` unless it is a
/// mirror.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_mirror_apply(
    mirror: *mut FpWorld,
    bytes: *const u8,
    count: usize,
    number: *mut u64,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut mirror, bytes, place) = unsafe {
            (enter(mirror)?, list(bytes, count, "bytes")?, out_or_none(number, "number")?)
        };
        place.put(match mirror.change() {
            State::WaterMirror(mirror) => {
                let update = water::Update::from_bytes(bytes)?;
                mirror.apply(&update)?;
                update.number()
            }
            State::MaterialsMirror(mirror) => {
                let update = world::Update::from_bytes(bytes)?;
                mirror.apply(&update)?;
                update.number()
            }
            other => return other.refuse(),
        });
        Ok(())
    })
}

/// Makes a mirror forget all chunks but some.
///
/// `chunks` are `count` chunk positions of three numbers.
///
/// Errors: `FP_STATUS_KIND` unless it is a mirror.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_mirror_retain(
    mirror: *mut FpWorld,
    chunks: *const i32,
    count: usize,
) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        let (mut mirror, chunks) = unsafe { (enter(mirror)?, positions(chunks, count)?) };
        let kept: HashSet<[i32; 3]> = chunks.iter().copied().collect();
        let is_kept = |chunk: ChunkPos| kept.contains(&crate::places::chunk_numbers(chunk));
        match mirror.change() {
            State::WaterMirror(mirror) => mirror.retain(is_kept),
            State::MaterialsMirror(mirror) => mirror.retain(is_kept),
            other => return other.refuse(),
        }
        Answer::Ok(())
    })
}
