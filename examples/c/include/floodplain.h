/*
 * floodplain: finite water, humidity and explosions for block games, for C.
 *
 * Made of the sources by a test; do not edit. README.md beside it begins with an empty folder.
 *
 * Statuses. Every function returns an FpStatus, except fp_interface_version. A call that returns
 * another one than FP_STATUS_OK has changed nothing, unless its document says otherwise, and
 * fp_last_error has the reason in words, for the thread that called. An edit, of chunks too, first
 * makes the edits in line and completes the tick underway; one that is refused may have done so. A
 * panic of the library does not pass: it gives FP_STATUS_PANIC, writes its words to stderr, and
 * poisons the handles that the call held. What ends the process all the same is that of the Rust
 * library: no memory left, and a stack that overflows.
 *
 * Handles. FpWorld, FpFeed, FpSave and FpStream are opaque. What a function gives out belongs to the
 * caller, who frees it once by the function of its document. Null, a handle of another type and a
 * handle in use are refused, with FP_STATUS_POINTER, FP_STATUS_HANDLE, FP_STATUS_BUSY or FP_STATUS_POISONED.
 * Every function that takes a handle may return these; its document does not list them. Do not use
 * a handle after freeing it: that is not always detected.
 *
 * Pointers. What a pointer points to belongs to the caller; the library reads or writes it during
 * the call only, and keeps copies. Null is refused, except where a document says that it may be
 * null, and for lists of length 0. An address that is not aligned is refused. "Those of pointers"
 * are FP_STATUS_POINTER and FP_STATUS_LENGTH. A pointer that is not null has to be valid, for as
 * many values as the call says.
 *
 * Lists of the caller. Every function that writes a list takes `out`, its `capacity` and `length`,
 * and writes to `length` how many values there are. If these are more than the capacity, it returns
 * FP_STATUS_BUFFER and writes nothing else: call again with a list of that length. `out` may be
 * null if the capacity is 0. What a function takes out of a world waits until it fits.
 *
 * Threads. A handle is used by one call at a time, from any thread; calls that only read count,
 * too. Calls on different handles may run at once. "Any thread" in a document: no handle is used.
 *
 * Positions. x, y and z, three int32_t; y is up. The chunk position of a cell is its position
 * divided by the size of a chunk, rounded down. Faces: 0 west (-x), 1 east (+x), 2 down (-y), 3 up
 * (+y), 4 north (-z), 5 south (+z). Numbers that name a thing, as an FpKind, are uint32_t.
 *
 * Units. A cell holds 0 to 7 units of water. A game runs, say, 20 ticks a second.
 *
 * Results depend on seed, edits and steps only: not on the machine, on threads, on the language, or
 * on the slices of a step.
 */


#ifndef FLOODPLAIN_H
#define FLOODPLAIN_H

#include <stddef.h>
#include <stdint.h>

/**
 * The word of a cell of solid ground.
 */
#define FP_WORD_SOLID 63

/**
 * The word of an open cell without water. The words 1 to 7 are cells with that many units, still.
 */
#define FP_WORD_OPEN 0

/**
 * The word of the sea.
 */
#define FP_WORD_SEA 1087

/**
 * The word of a spring, which no water passes through yet. In the words of springs, and in those
 * of no other cells that are open, bit 6 is set.
 */
#define FP_WORD_SPRING 1991

/**
 * The cells of a chunk.
 */
#define FP_CHUNK_CELLS 4096

/**
 * The impermeability of rock.
 */
#define FP_ROCK 3.4028235e38

/**
 * The version of this interface. It grows when a struct or a function changes its form; new
 * functions alone leave it. A program compares it with `fp_interface_version`.
 */
#define FP_INTERFACE_VERSION 1

/**
 * In a look: the units of water, 0 to 7; 7 for the sea.
 */
#define FP_LOOK_UNITS 7

/**
 * In a look: solid ground.
 */
#define FP_LOOK_SOLID (1 << 3)

/**
 * In a look: the sea.
 */
#define FP_LOOK_SEA (1 << 4)

/**
 * In a look: beyond the bounds of the world.
 */
#define FP_LOOK_BEYOND (1 << 5)

/**
 * In a look of 0 units: water passes through the cell. Its thickness, 0 to 7, is in bits 8 to 10,
 * its direction, a face, in bits 12 to 14.
 */
#define FP_LOOK_PASSING (1 << 6)

/**
 * What a call came to. Of every status but `FP_STATUS_OK`, `fp_last_error` has the words, and the
 * call has changed nothing, unless its document says otherwise.
 */
enum FpStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Done.
     */
    FP_STATUS_OK = 0,
    /**
     * A pointer is null, or not aligned for what it points to.
     */
    FP_STATUS_POINTER = 1,
    /**
     * A handle of another type, or one that was freed.
     */
    FP_STATUS_HANDLE = 2,
    /**
     * The handle is in use by a call on another thread.
     */
    FP_STATUS_BUSY = 3,
    /**
     * A call on this handle panicked, so its state is not known: only free it.
     */
    FP_STATUS_POISONED = 4,
    /**
     * This call panicked: a bug of the library. The handles that it held are poisoned.
     */
    FP_STATUS_PANIC = 5,
    /**
     * The room given is too small. The length or count says how much is needed.
     */
    FP_STATUS_BUFFER = 6,
    /**
     * A list of a length that cannot be.
     */
    FP_STATUS_LENGTH = 7,
    /**
     * A world of this kind does not do this.
     */
    FP_STATUS_KIND = 8,
    /**
     * A number that names nothing: of a kind, an edit, a face, a shape, a rule.
     */
    FP_STATUS_TAG = 9,
    /**
     * The `struct_size` of a struct is that of another version.
     */
    FP_STATUS_SIZE = 10,
    /**
     * A value out of its range: of rules, of a cell, of an edit.
     */
    FP_STATUS_VALUE = 11,
    /**
     * Bytes that are none of this form, or are damaged.
     */
    FP_STATUS_DECODE = 12,
    /**
     * An edit beyond the limits that were given.
     */
    FP_STATUS_LIMIT = 13,
    /**
     * The chunk of a cell is not loaded, or a chunk or column is not there.
     */
    FP_STATUS_NOT_LOADED = 14,
    /**
     * A cell or a chunk beyond the bounds of the world.
     */
    FP_STATUS_OUT_OF_BOUNDS = 15,
    /**
     * A cell is solid ground.
     */
    FP_STATUS_SOLID = 16,
    /**
     * A chunk is loaded already.
     */
    FP_STATUS_CHUNK_PRESENT = 17,
    /**
     * The world refuses the edit for another reason.
     */
    FP_STATUS_REFUSED = 18,
    /**
     * There is none: no body, no water, nothing to take back.
     */
    FP_STATUS_NONE = 19,
    /**
     * A mirror missed an update, or was not sent its chunks yet, or would hold too many.
     */
    FP_STATUS_GAP = 20,
    /**
     * Not while the world is recorded, or only then.
     */
    FP_STATUS_RECORDING = 21,
    /**
     * A replay differs from what was recorded.
     */
    FP_STATUS_DIFFERS = 22,
    /**
     * The disk, or the file: missing, there already, in use, damaged.
     */
    FP_STATUS_FILE = 23,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpStatus FpStatus;
#else
typedef int32_t FpStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The rule by which pressure spreads.
 */
enum FpBlastRule
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * It evens out.
     */
    FP_BLAST_RULE_DIFFUSIVE = 0,
    /**
     * It runs in waves, which are damped.
     */
    FP_BLAST_RULE_WAVE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpBlastRule FpBlastRule;
#else
typedef uint32_t FpBlastRule;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The border of pressure at the bounds of a world, on an axis.
 */
enum FpBorder
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing passes.
     */
    FP_BORDER_RIGID = 0,
    /**
     * What flows there is gone.
     */
    FP_BORDER_OPEN = 1,
    /**
     * It comes in again on the other side.
     */
    FP_BORDER_PERIODIC = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpBorder FpBorder;
#else
typedef uint32_t FpBorder;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What water does at an edge of the world.
 */
enum FpEdgeKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * A wall.
     */
    FP_EDGE_KIND_WALL = 0,
    /**
     * Water that flows there leaves the world.
     */
    FP_EDGE_KIND_DRAIN = 1,
    /**
     * Water waits there for a chunk.
     */
    FP_EDGE_KIND_HELD = 2,
    /**
     * The sea stands there up to a y.
     */
    FP_EDGE_KIND_LEVEL = 3,
    /**
     * Of a column of chunks: what the rules say.
     */
    FP_EDGE_KIND_RULES = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpEdgeKind FpEdgeKind;
#else
typedef uint32_t FpEdgeKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The edits of `FpEdit`, with the fields that each reads. *W*: water; *M*: materials; *H*: both
 * worlds of humidity; *B*: both worlds of pressure.
 */
enum FpEditKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * W B: `cell` becomes solid. Outcome: W displaced, B value, the pressure that was there.
     */
    FP_EDIT_KIND_SET_SOLID = 1,
    /**
     * W B: `cell` becomes open and dry. Outcome: changed.
     */
    FP_EDIT_KIND_CLEAR_SOLID = 2,
    /**
     * W B: all of `cell` to `to` becomes solid. Outcome: W units removed, B value.
     */
    FP_EDIT_KIND_FILL_SOLID = 3,
    /**
     * W M: `cell` becomes a spring. Outcome: changed.
     */
    FP_EDIT_KIND_ADD_SOURCE = 4,
    /**
     * W M: `cell` is no spring any more. Outcome: changed.
     */
    FP_EDIT_KIND_REMOVE_SOURCE = 5,
    /**
     * W M: up to `units` are poured into `cell`. Outcome: units poured.
     */
    FP_EDIT_KIND_POUR = 6,
    /**
     * W M: up to `units` are scooped out of `cell`. Outcome: units scooped.
     */
    FP_EDIT_KIND_SCOOP = 7,
    /**
     * W M: `units` (0 to 7) in each open cell of `cell` to `to`. Outcome: units.
     */
    FP_EDIT_KIND_FILL_WATER = 8,
    /**
     * W M: up to `units` are taken from the surface of the body of `cell`. Outcome: units.
     */
    FP_EDIT_KIND_DRAIN_BODY = 9,
    /**
     * W M: up to `units` are added to the body of `cell`. Outcome: units.
     */
    FP_EDIT_KIND_FILL_BODY = 10,
    /**
     * W: `cell` becomes sea. Outcome: changed.
     */
    FP_EDIT_KIND_SET_SEA = 11,
    /**
     * W M: `cell` is no sea any more. Outcome: changed.
     */
    FP_EDIT_KIND_CLEAR_SEA = 12,
    /**
     * W M: the open cells of `cell` to `to` become sea. Outcome: units.
     */
    FP_EDIT_KIND_FILL_SEA = 13,
    /**
     * W M: the column of chunks at the x and z of `cell`, a chunk position, gets an edge: `option`
     * an `FpEdgeKind`, `level` its y. Outcome: changed.
     */
    FP_EDIT_KIND_SET_EDGE = 14,
    /**
     * W M: `option`, an `FpFixture`, with a rate of `units` (1 to 7) and for a valve a `face` is
     * built into `cell`. Outcome: changed.
     */
    FP_EDIT_KIND_SET_FIXTURE = 15,
    /**
     * W M: the chunk at `cell`, a chunk position, stands still. Outcome: changed.
     */
    FP_EDIT_KIND_FREEZE = 16,
    /**
     * W M: it goes on. Outcome: changed.
     */
    FP_EDIT_KIND_THAW = 17,
    /**
     * All: all that sleeps wakes. Outcome: done.
     */
    FP_EDIT_KIND_WAKE_ALL = 18,
    /**
     * All: the chunk at `cell`, a chunk position, is unloaded, and what it held is dropped; see
     * `fp_world_remove_chunks` for what keeps it. Outcome: done.
     */
    FP_EDIT_KIND_REMOVE_CHUNK = 19,
    /**
     * M: `cell` becomes the material of number `units`. Outcome: replaced.
     */
    FP_EDIT_KIND_SET_MATERIAL = 32,
    /**
     * M: all of `cell` to `to` becomes the material of number `units`. Outcome: units removed.
     */
    FP_EDIT_KIND_FILL_MATERIAL = 33,
    /**
     * M: `units` fall from `cell`. Outcome: units that found a place.
     */
    FP_EDIT_KIND_RAIN = 34,
    /**
     * M B: a charge of radius `value2`, in cells, and of pressure `value` at its centre `cell`.
     * Outcome: value, the sum of pressure added.
     */
    FP_EDIT_KIND_CHARGE = 35,
    /**
     * H M: the humidity of `cell` becomes `value`. Outcome: value, the one before.
     */
    FP_EDIT_KIND_SET_HUMIDITY = 48,
    /**
     * H: the impermeability of `cell` becomes `value`. Outcome: value, the one before.
     */
    FP_EDIT_KIND_SET_IMPERMEABILITY = 49,
    /**
     * H M: `cell` becomes rain of humidity `value`. Outcome: done.
     */
    FP_EDIT_KIND_SET_RAIN = 50,
    /**
     * H M: `cell` is no rain any more. Outcome: changed.
     */
    FP_EDIT_KIND_CLEAR_RAIN = 51,
    /**
     * H: `cell` becomes rock. Outcome: changed.
     */
    FP_EDIT_KIND_SET_ROCK = 52,
    /**
     * H: all of `cell` to `to` gets the humidity `value` and the impermeability `value2`.
     * Outcome: done.
     */
    FP_EDIT_KIND_FILL_CELLS = 53,
    /**
     * B M: the pressure of `cell` becomes `value`. Outcome: value, the one before.
     */
    FP_EDIT_KIND_SET_PRESSURE = 64,
    /**
     * B M: `value` is added to the pressure of `cell`. Outcome: value, the new one.
     */
    FP_EDIT_KIND_ADD_PRESSURE = 65,
    /**
     * B M: the pressure of all of `cell` to `to` becomes `value`. Outcome: done.
     */
    FP_EDIT_KIND_FILL_PRESSURE = 66,
    /**
     * B: `cell` becomes a wall that breaks above a difference of `value`. Outcome: value, the
     * pressure that was there.
     */
    FP_EDIT_KIND_SET_WALL = 67,
    /**
     * B: all of `cell` to `to` becomes such a wall. Outcome: value.
     */
    FP_EDIT_KIND_FILL_WALL = 68,
    /**
     * B: the link of `cell` across `face` gets the weight `value`. Outcome: value, the one before.
     */
    FP_EDIT_KIND_SET_LINK = 69,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpEditKind FpEditKind;
#else
typedef uint32_t FpEditKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What clients may edit: bits of `FpLimits.kinds`.
 */
enum FpEditKinds
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Solid ground and materials.
     */
    FP_EDIT_KINDS_GROUND = 1,
    /**
     * Water that is poured, scooped, filled in or drained.
     */
    FP_EDIT_KINDS_WATER = 2,
    /**
     * Springs and fixtures.
     */
    FP_EDIT_KINDS_SPRINGS = 4,
    /**
     * The sea.
     */
    FP_EDIT_KINDS_SEA = 8,
    /**
     * Rain.
     */
    FP_EDIT_KINDS_MOISTURE = 16,
    /**
     * Charges and pressure.
     */
    FP_EDIT_KINDS_PRESSURE = 32,
    /**
     * Chunks, edges, rules, freezing, waking, moisture that is set.
     */
    FP_EDIT_KINDS_WORLD = 64,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpEditKinds FpEditKinds;
#else
typedef uint32_t FpEditKinds;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What is built into a cell for its water.
 */
enum FpFixture
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Nothing.
     */
    FP_FIXTURE_NOTHING = 0,
    /**
     * A drain: takes up to its rate in a tick out of the world.
     */
    FP_FIXTURE_DRAIN = 1,
    /**
     * A tap: adds up to its rate in a tick.
     */
    FP_FIXTURE_TAP = 2,
    /**
     * A valve: passes up to its rate in a tick through a face.
     */
    FP_FIXTURE_VALVE = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpFixture FpFixture;
#else
typedef uint32_t FpFixture;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kinds of worlds, and of mirrors on clients. The numbers of worlds are those in snapshots.
 */
enum FpKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Water in 16×16×16 chunks, beside the ground of a game.
     */
    FP_KIND_WATER = 1,
    /**
     * Humidity in 64×64 sheets.
     */
    FP_KIND_HUMIDITY_SHEET = 2,
    /**
     * Humidity in 16×16×16 chunks.
     */
    FP_KIND_HUMIDITY_CUBE = 3,
    /**
     * Pressure in 64×64 sheets.
     */
    FP_KIND_BLAST_SHEET = 4,
    /**
     * Pressure in 16×16×16 chunks.
     */
    FP_KIND_BLAST_CUBE = 5,
    /**
     * Materials with water, moisture and pressure, in 16×16×16 chunks.
     */
    FP_KIND_MATERIALS = 8,
    /**
     * What a client sees of a world of water.
     */
    FP_KIND_WATER_MIRROR = 101,
    /**
     * What a client sees of a world of materials.
     */
    FP_KIND_MATERIALS_MIRROR = 108,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpKind FpKind;
#else
typedef uint32_t FpKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The forms of `FpOutcome`.
 */
enum FpOutcomeKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The edit was made.
     */
    FP_OUTCOME_KIND_DONE = 0,
    /**
     * `changed` says whether it changed anything.
     */
    FP_OUTCOME_KIND_CHANGED = 1,
    /**
     * `units` of water were poured, scooped, taken, added or removed.
     */
    FP_OUTCOME_KIND_UNITS = 2,
    /**
     * Of the water in the way, `moved` units found room and `removed` did not.
     */
    FP_OUTCOME_KIND_DISPLACED = 3,
    /**
     * `material` was there, with `moisture`; the water in the way as of displaced.
     */
    FP_OUTCOME_KIND_REPLACED = 4,
    /**
     * `value` was there before, or is the sum.
     */
    FP_OUTCOME_KIND_VALUE = 5,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpOutcomeKind FpOutcomeKind;
#else
typedef uint32_t FpOutcomeKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Sets of rules of water to begin with.
 */
enum FpPreset
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Slow evaporation: a still surface cell loses a unit in 15 hours, at 20 ticks a second.
     */
    FP_PRESET_DEFAULT = 0,
    /**
     * No evaporation.
     */
    FP_PRESET_LOSSLESS = 1,
    /**
     * Puddles of a bucket dry up in two minutes.
     */
    FP_PRESET_PUDDLE = 2,
    /**
     * Puddles of rain dry up in some minutes, lakes sink by a unit in an hour or two.
     */
    FP_PRESET_RAIN = 3,
    /**
     * Films dry up in seconds, ponds in half an hour.
     */
    FP_PRESET_DESERT = 4,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpPreset FpPreset;
#else
typedef uint32_t FpPreset;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The shapes of a chunk. Both have 4,096 cells.
 */
enum FpShape
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * 64×64×1 cells; the index of a cell is x + 64·y, of its place in the chunk.
     */
    FP_SHAPE_SHEET = 0,
    /**
     * 16×16×16 cells; the index of a cell is x + 16·z + 256·y, of its place in the chunk.
     */
    FP_SHAPE_CUBE = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpShape FpShape;
#else
typedef uint32_t FpShape;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The space beyond a face of a world of humidity.
 */
enum FpSoilBorder
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Dry rock.
     */
    FP_SOIL_BORDER_WALL = 0,
    /**
     * Dry soil, which humidity flows into and is gone.
     */
    FP_SOIL_BORDER_DRAIN = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpSoilBorder FpSoilBorder;
#else
typedef uint32_t FpSoilBorder;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * How humidity spreads.
 */
enum FpSweep
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The weighted mean, in place.
     */
    FP_SWEEP_IN_PLACE = 0,
    /**
     * The weighted mean of the state before.
     */
    FP_SWEEP_SYNCHRONOUS = 1,
    /**
     * Whole units of 1/65,536 across faces: exact sums.
     */
    FP_SWEEP_CONSERVATIVE = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpSweep FpSweep;
#else
typedef uint32_t FpSweep;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * What full cells of water are to pressure.
 */
enum FpUnderWater
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * They stop it.
     */
    FP_UNDER_WATER_STOPS = 0,
    /**
     * They are as open to it as air.
     */
    FP_UNDER_WATER_PASSES = 1,
    /**
     * They keep a share of it from step to step.
     */
    FP_UNDER_WATER_DAMPS = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FpUnderWater FpUnderWater;
#else
typedef uint32_t FpUnderWater;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * A feed of a world of water or of materials: what looks different, for clients. Opaque. Free it
 * by `fp_feed_free`.
 */
typedef struct FpFeed FpFeed;

/**
 * A world's file on disk. Opaque. Free it by `fp_save_free`, which closes the file.
 */
typedef struct FpSave FpSave;

/**
 * The file that a world streams its chunks to. Opaque. Free it with `fp_stream_free`,
 * which closes the file.
 */
typedef struct FpStream FpStream;

/**
 * A world of any kind, or a client's mirror. Opaque. Free it by `fp_world_free`.
 */
typedef struct FpWorld FpWorld;

/**
 * The changed cells of a chunk.
 */
typedef struct {
    /**
     * The chunk position.
     */
    int32_t chunk[3];
    /**
     * The number of changed cells, 1 to 4,096.
     */
    uint32_t cells;
    /**
     * A bit for each cell, by index: bit `index % 64` of word `index / 64`.
     */
    uint64_t mask[64];
} FpChunkChanges;

/**
 * Ground or a wall that pressure broke.
 */
typedef struct {
    /**
     * The cell.
     */
    int32_t cell[3];
    /**
     * In worlds of materials: the number of the old material. Else 0.
     */
    uint32_t from;
    /**
     * In worlds of materials: the number of the new material. Else 0.
     */
    uint32_t into;
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * The tick or step in which it broke, from 1.
     */
    uint64_t tick;
    /**
     * The pressure difference across it.
     */
    double difference;
    /**
     * In worlds of pressure: the strength that the difference exceeded. Else 0.
     */
    double strength;
} FpBroken;

/**
 * A chunk of a world of materials. Each list has 4,096 values, by index, or one for all cells; the
 * lists are the caller's, and are copied.
 */
typedef struct {
    /**
     * The chunk position.
     */
    int32_t chunk[3];
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * The number of the material of each cell.
     */
    const uint8_t *materials;
    /**
     * 1 or 4,096.
     */
    size_t material_count;
    /**
     * The words of water, as of `fp_water_insert_chunks`; solid cells are dry or solid.
     */
    const uint16_t *water;
    /**
     * 0, for no water, 1 or 4,096.
     */
    size_t water_count;
    /**
     * The moisture of each cell, in 1/65,536.
     */
    const uint32_t *moisture;
    /**
     * 0, for dry ground, 1 or 4,096.
     */
    size_t moisture_count;
} FpContent;

/**
 * An edit. Fields that an edit does not read may hold anything; begin with all of it 0.
 */
typedef struct {
    /**
     * An `FpEditKind`, which says what it reads.
     */
    uint32_t kind;
    /**
     * The cell, or the least cell of a region, or a chunk position: x, y, z.
     */
    int32_t cell[3];
    /**
     * The greatest cell of a region.
     */
    int32_t to[3];
    /**
     * Units of water, a rate, or the number of a material.
     */
    uint32_t units;
    /**
     * An `FpEdgeKind` or an `FpFixture`.
     */
    uint32_t option;
    /**
     * A face, 0 to 5: west, east, down, up, north, south.
     */
    uint32_t face;
    /**
     * The y of a level.
     */
    int32_t level;
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * Pressure, strength, weight, humidity or impermeability.
     */
    double value;
    /**
     * The radius of a charge; the impermeability of cells that are filled.
     */
    double value2;
} FpEdit;

/**
 * What an edit came to. Fields that its kind does not name are 0.
 */
typedef struct {
    /**
     * An `FpOutcomeKind`, which says what to read.
     */
    uint32_t kind;
    /**
     * 0 or 1.
     */
    uint32_t changed;
    /**
     * In units of water.
     */
    uint64_t units;
    /**
     * In units of water.
     */
    uint32_t moved;
    /**
     * In units of water: left the world.
     */
    uint32_t removed;
    /**
     * The number of a material.
     */
    uint32_t material;
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * In units of 1/65,536.
     */
    uint64_t moisture;
    /**
     * A pressure, a humidity, an impermeability or a weight.
     */
    double value;
} FpOutcome;

/**
 * A box of cells: its least and its greatest cell, both within it. x, y and z; y is up.
 */
typedef struct {
    /**
     * The least cell.
     */
    int32_t min[3];
    /**
     * The greatest cell; on no axis below the least one.
     */
    int32_t max[3];
} FpRegion;

/**
 * What edits of a client may do. Begin with `fp_limits_default`.
 */
typedef struct {
    /**
     * The bytes of this struct.
     */
    uint32_t struct_size;
    /**
     * The `FpEditKinds` that are allowed, joined by `|`.
     */
    uint32_t kinds;
    /**
     * The region of all cells that an edit may name.
     */
    FpRegion reach;
    /**
     * The most bytes of an edit.
     */
    uint64_t most_bytes;
    /**
     * The most cells that an edit names.
     */
    uint64_t most_cells;
    /**
     * The most units of water that an edit gives or takes.
     */
    uint64_t most_units;
    /**
     * The most edits and reports that wait.
     */
    uint64_t most_waiting;
    /**
     * The largest radius of a charge, in cells.
     */
    float most_radius;
    /**
     * The most pressure of a charge, or that is set or added.
     */
    float most_pressure;
} FpLimits;

/**
 * What became of an edit that was queued.
 */
typedef struct {
    /**
     * The number that queueing it returned.
     */
    uint64_t ticket;
    /**
     * The number of complete ticks when it was made.
     */
    uint64_t tick;
    /**
     * `FP_STATUS_OK`, or why it was refused, an `FpStatus`.
     */
    int32_t status;
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * What it came to; done and zeros if it was refused.
     */
    FpOutcome outcome;
} FpEditReport;

/**
 * What water does at an edge.
 */
typedef struct {
    /**
     * An `FpEdgeKind`, not `FP_EDGE_KIND_RULES`.
     */
    uint32_t kind;
    /**
     * The y of the sea's highest cells, for `FP_EDGE_KIND_LEVEL`.
     */
    int32_t level;
} FpEdge;

/**
 * The rules of water. Begin with `fp_water_rules_default`.
 */
typedef struct {
    /**
     * The bytes of this struct.
     */
    uint32_t struct_size;
    /**
     * Units that a spring supplies in a tick, 0 to 7.
     */
    uint8_t source_supply;
    /**
     * Units that a cell passes on in a tick, 1 to 7.
     */
    uint8_t throughput;
    /**
     * Whether bodies of water level out: 0 or 1.
     */
    uint8_t pools;
    /**
     * Whether cells keep all neighbours that feed them: 0 or 1.
     */
    uint8_t many_parents;
    /**
     * The chance, 0 to 1, that a still surface cell of 2 units or more loses one in a tick.
     */
    double evaporation;
    /**
     * The same chance for a cell of a single unit.
     */
    double film_evaporation;
    /**
     * The edges at the faces of the bounds: west, east, down, up, north, south.
     */
    FpEdge outer[6];
    /**
     * The edge beside chunks that are not loaded.
     */
    FpEdge unloaded;
} FpWaterRules;

/**
 * The rules of humidity. Begin with `fp_humidity_rules_default`.
 */
typedef struct {
    /**
     * The bytes of this struct.
     */
    uint32_t struct_size;
    /**
     * An `FpSweep`.
     */
    uint32_t sweep;
    /**
     * The most humidity that a step leaves in a cell, above 0, up to 32,767.
     */
    float cap;
    /**
     * Of the conservative sweep: the part of a difference that flows in a step between cells of
     * impermeability 1, above 0.
     */
    float coefficient;
    /**
     * Of the conservative sweep: the part of a cell's humidity that falls in a step.
     */
    float fall;
    /**
     * Of the conservative sweep: flows are multiples of this power of two, 1/65,536 to 1.
     */
    float least_flow;
    /**
     * The least impermeability of soil.
     */
    float least_impermeability;
    /**
     * An `FpSoilBorder` for each face: west, east, down, up, north, south.
     */
    uint32_t borders[6];
} FpHumidityRules;

/**
 * The rules of pressure. Begin with `fp_blast_rules_default`.
 */
typedef struct {
    /**
     * The bytes of this struct.
     */
    uint32_t struct_size;
    /**
     * An `FpBlastRule`.
     */
    uint32_t rule;
    /**
     * The part of a difference that flows over a link in a step, above 0.
     */
    double coefficient;
    /**
     * Of waves: the share of a flow that is left after a step, 0 to 1. Else unused.
     */
    double damping;
    /**
     * The pressure at which a chunk opens, and below which all in it is silent, 0 or more.
     */
    double threshold;
} FpBlastRules;

/**
 * A cell of humidity.
 */
typedef struct {
    /**
     * 0 to 32,767.
     */
    double humidity;
    /**
     * From the rules' least impermeability to 10³⁰; `FP_ROCK` is rock.
     */
    float impermeability;
    /**
     * Whether the cell keeps its humidity, whatever flows out of it: 0 or 1.
     */
    uint32_t rain;
} FpHumidityCell;

/**
 * A cell of a world of pressure.
 */
typedef struct {
    /**
     * Its pressure; 0 where no chunk is.
     */
    double pressure;
    /**
     * The flow vector: the sum over its links of the outflow, in the link's direction.
     */
    double flow[3];
    /**
     * The sum of the sizes of these flows.
     */
    double exposure;
    /**
     * The strength of a wall that breaks; 0 for any other cell.
     */
    double strength;
    /**
     * Whether it is an obstacle or a wall: 0 or 1.
     */
    uint64_t solid;
} FpBlastCell;

/**
 * An object at a cell, which measures an explosion.
 */
typedef struct {
    /**
     * Its cell.
     */
    int32_t cell[3];
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * Its cross-section, 0 or more, in a unit of the game.
     */
    double cross_section;
    /**
     * Measured: the sum of the forces, in pressure times cross-section times steps.
     */
    double impulse[3];
    /**
     * Measured: the sum of the sizes of all flows around it.
     */
    double exposure;
} FpProbe;

/**
 * What one or several steps did; zeros while the world is recorded.
 */
typedef struct {
    /**
     * Awake cells that were visited.
     */
    uint64_t visited;
    /**
     * Cells whose state differs from before.
     */
    uint64_t changed;
    /**
     * Units that moved to a neighbour or over an edge; 0 in worlds of humidity and pressure.
     */
    uint64_t moved;
} FpStepReport;

/**
 * A material of a palette. The names are the caller's, and are copied.
 */
typedef struct {
    /**
     * Its name in UTF-8, ended by a byte of 0; unique.
     */
    const char *name;
    /**
     * The name of the material that it becomes when it breaks; null if it never breaks.
     */
    const char *breaks_into;
    /**
     * How easily moisture passes, 10⁻³⁰ to 10³⁰; 0 for impermeable ground and open space.
     */
    float permeability;
    /**
     * The pressure difference that breaks it, above 0; unused if it never breaks.
     */
    float strength;
    /**
     * Whether it is ground: 0 or 1.
     */
    uint8_t solid;
    /**
     * The whole units of water that a cell of it soaks up; 0 if it is not permeable.
     */
    uint8_t capacity;
    /**
     * Unused.
     */
    uint8_t reserved[6];
} FpMaterial;

/**
 * The rules of a world of materials. Begin with `fp_materials_rules_default`.
 */
typedef struct {
    /**
     * The bytes of this struct.
     */
    uint32_t struct_size;
    /**
     * Moisture moves in every tick that is a multiple of this, 1 or more.
     */
    uint32_t soil_period;
    /**
     * The rules of water.
     */
    FpWaterRules water;
    /**
     * The rules of moisture; the sweep is the conservative one.
     */
    FpHumidityRules soil;
    /**
     * An `FpBorder` for x, y and z, none of them periodic.
     */
    uint32_t borders[3];
    /**
     * The rules of pressure.
     */
    FpBlastRules blast;
    /**
     * The moisture in a unit of water, in 1/65,536: above 0.
     */
    uint32_t moisture_per_unit;
    /**
     * Unused.
     */
    uint32_t reserved;
    /**
     * Steps of pressure in a tick, 0 to 1,000.
     */
    uint32_t blast_steps;
    /**
     * Chunks that pressure travels along each axis, 0 to 64.
     */
    uint32_t blast_reach;
    /**
     * The share of a pressure that fades in a step, 0 to 1.
     */
    float blast_fading;
    /**
     * The most pressure that an edit may leave in a cell.
     */
    float most_pressure;
    /**
     * The largest radius of a charge, in cells.
     */
    float most_radius;
    /**
     * The share of pressure that water keeps in a step, 0 to 1, for `FP_UNDER_WATER_DAMPS`.
     */
    float damping;
    /**
     * An `FpUnderWater`.
     */
    uint32_t under_water;
    /**
     * Whether pressure breaks ground: 0 or 1.
     */
    uint8_t breaking;
    /**
     * Whether soil that breaks leaves its moisture as water: 0 or 1.
     */
    uint8_t spilling;
    /**
     * Whether soil gives water back: 0 or 1.
     */
    uint8_t springs;
    /**
     * Whether what evaporates goes into the soil below: 0 or 1.
     */
    uint8_t ebb;
    /**
     * The flow of pressure that throws a unit of water, 0.001 or more; 0: none is thrown.
     */
    double throw_flow;
    /**
     * The chance, 0 to 1, that a cell of permeability 1 soaks up a unit in a step of soil.
     */
    double seepage;
    /**
     * The relative increase of that chance for each cell of water above, 0 to 16.
     */
    double depth_gain;
} FpMaterialsRules;

/**
 * The state of a body of water.
 */
typedef struct {
    /**
     * The units of water in it.
     */
    uint64_t units;
    /**
     * The number of cells.
     */
    uint64_t cells;
    /**
     * The highest surface, in units above y = 0: 7·y and the height.
     */
    int64_t surface;
    /**
     * Whether a spring or the sea feeds it: 0 or 1.
     */
    uint8_t is_fed;
    /**
     * Whether air is shut in over it: 0 or 1.
     */
    uint8_t shuts_in_air;
    /**
     * Whether the search used up its reach, so that the body may be larger: 0 or 1.
     */
    uint8_t is_cut_off;
    /**
     * Unused.
     */
    uint8_t reserved[5];
} FpBody;

/**
 * The units of water that entered and left a world since it was made, and those in it.
 */
typedef struct {
    /**
     * Units that are in the world now. The other sums balance to this.
     */
    uint64_t total;
    /**
     * Came with chunks.
     */
    uint64_t loaded;
    /**
     * Left with chunks.
     */
    uint64_t unloaded;
    /**
     * Poured or filled in.
     */
    uint64_t placed;
    /**
     * Scooped, or left for lack of room.
     */
    uint64_t removed;
    /**
     * Supplied by springs and taps.
     */
    uint64_t injected;
    /**
     * Left by edges and drains.
     */
    uint64_t drained;
    /**
     * Evaporated.
     */
    uint64_t evaporated;
    /**
     * Came from the sea.
     */
    uint64_t from_sea;
    /**
     * Went into the sea.
     */
    uint64_t into_sea;
} FpWaterLedger;

/**
 * What passed between water and soil in a world of materials, in units of water, and its sums.
 */
typedef struct {
    /**
     * From water into soil.
     */
    uint64_t soaked;
    /**
     * From soil into water.
     */
    uint64_t sprung;
    /**
     * Evaporated into soil.
     */
    uint64_t ebbed;
    /**
     * From soil that broke into water.
     */
    uint64_t spilled;
    /**
     * Thrown by explosions.
     */
    uint64_t thrown;
    /**
     * Moisture in a unit of water, in 1/65,536.
     */
    uint64_t scale;
    /**
     * The sum of all water and moisture, in 1/65,536 of moisture: the low and the high half.
     */
    uint64_t total[2];
} FpMaterialsLedger;

/**
 * A cell of a world of materials.
 */
typedef struct {
    /**
     * The number of its material.
     */
    uint32_t material;
    /**
     * Its units of water, 0 to 7; 7 for the sea.
     */
    uint32_t units;
    /**
     * Its moisture, in 1/65,536.
     */
    uint32_t moisture;
    /**
     * Its pressure.
     */
    float pressure;
} FpMaterialsCell;

/**
 * What a save wrote.
 */
typedef struct {
    /**
     * Chunks that differ from the last save.
     */
    uint64_t chunks_written;
    /**
     * Chunks that are gone since.
     */
    uint64_t chunks_removed;
    /**
     * Bytes of all that was written.
     */
    uint64_t bytes;
} FpSaveReport;

/**
 * What a call with a budget did.
 */
typedef struct {
    /**
     * What the call did. The reports of all calls of a tick add up to that of the tick.
     */
    FpStepReport report;
    /**
     * Cells visited, searches and several passes counted.
     */
    uint64_t visited;
    /**
     * Whether the tick is complete: 0 or 1.
     */
    uint64_t finished;
} FpProgress;

/**
 * The clock and the load of a world.
 */
typedef struct {
    /**
     * Complete steps since the world was made.
     */
    uint64_t ticks;
    /**
     * Cells that the next step will visit.
     */
    uint64_t awake_cells;
    /**
     * Of worlds of water: about the cells that the tick underway has still to visit. Else 0.
     */
    uint64_t backlog;
    /**
     * Whether nothing will change until the next edit: 0 or 1.
     */
    uint64_t at_rest;
    /**
     * Bytes that the world holds on the heap.
     */
    uint64_t memory_bytes;
} FpActivity;

/**
 * Room of the caller for a mesh. Four successive vertices are a quadrilateral of two triangles; a
 * chunk has at most 52,224 vertices and 78,336 indices.
 */
typedef struct {
    /**
     * Three numbers for each vertex, in cells from the least corner of the chunk: 0 to 16.
     */
    float *positions;
    /**
     * Unit vectors out of the water, three numbers for each vertex; null if not wanted.
     */
    float *normals;
    /**
     * The smoothed flow, in full cells a tick, three numbers for each vertex; null if not wanted.
     * Zeros until `fp_view_follow_flow` was called.
     */
    float *flow;
    /**
     * The vertices that each of these lists has room for.
     */
    size_t vertex_capacity;
    /**
     * Becomes the number of vertices.
     */
    size_t vertex_count;
    /**
     * Three for each triangle, counterclockwise as seen from outside the water.
     */
    uint32_t *indices;
    /**
     * The indices that there is room for.
     */
    size_t index_capacity;
    /**
     * Becomes the number of indices.
     */
    size_t index_count;
} FpMesh;

/**
 * Falling water: cells of a chunk one above another with the same direction and thickness.
 */
typedef struct {
    /**
     * The lowest cell.
     */
    int32_t lowest[3];
    /**
     * The number of cells, 1 to 16.
     */
    uint8_t cells;
    /**
     * The face that it is heading to: 2 for down.
     */
    uint8_t direction;
    /**
     * The thickness in sevenths of a cell, 0 to 7.
     */
    uint8_t units;
    /**
     * Unused.
     */
    uint8_t reserved;
} FpFall;

/**
 * The part of a box that is under water.
 */
typedef struct {
    /**
     * In cells of space, 0 to the volume of the box. Times the density of water and gravity it is
     * the force that lifts the box.
     */
    float volume;
    /**
     * Its centre of gravity, at which that force acts; zeros if nothing is under water.
     */
    float centre[3];
} FpSubmerged;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Takes the cells that changed since they were last taken, by chunk, in order of position. In
 * water these are the cells that look different. Loading and unloading is not listed.
 *
 * `out` has room for `capacity` chunks; `length` becomes their number. What does not fit is kept
 * for the next call.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_take_changes(FpWorld *world,
                               FpChunkChanges *out,
                               size_t capacity,
                               size_t *length);

/**
 * Takes what pressure broke since it was last taken, in order: in worlds of materials and of
 * pressure.
 *
 * `out` has room for `capacity` events; `length` becomes their number. What does not fit is kept
 * for the next call.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_take_events(FpWorld *world, FpBroken *out, size_t capacity, size_t *length);

/**
 * Lists the chunks whose meshes and falls may differ after changes: every chunk within one cell
 * of a changed cell, loaded or not, each once, in order of position.
 *
 * `changes` are `count` chunks as `fp_world_take_changes` gives them. `out` has room for
 * `capacity` numbers, three for each chunk position; `length` becomes how many there are.
 *
 * Errors: `FP_STATUS_BUFFER`, `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
 */
FpStatus fp_meshes_touched(const FpChunkChanges *changes,
                           size_t count,
                           int32_t *out,
                           size_t capacity,
                           size_t *length);

/**
 * Loads chunks of water, all or none.
 *
 * `chunks` are `count` chunk positions of three numbers. `words` are the cells of the first chunk,
 * then of the second: `words_each` is 4,096, by index, or 1, a word for all cells of a chunk.
 * A word is one that `fp_water_chunk` returns, `FP_WORD_SOLID`, `FP_WORD_OPEN`, `FP_WORD_SEA`,
 * `FP_WORD_SPRING`, or 1 to 7 units of still water. The words are copied.
 *
 * Errors: `FP_STATUS_LENGTH` for other `words_each`; `FP_STATUS_VALUE` for a word that no cell
 * has; `FP_STATUS_CHUNK_PRESENT`, `FP_STATUS_OUT_OF_BOUNDS`; `FP_STATUS_KIND` unless it is a world
 * of water.
 */
FpStatus fp_water_insert_chunks(FpWorld *world,
                                const int32_t *chunks,
                                size_t count,
                                const uint16_t *words,
                                size_t words_each);

/**
 * Writes the words of a chunk of water, of a world of water or of materials.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` words; `length` becomes 4,096,
 * by index, or 1 if all cells are equal. Bits 0 to 2 of an open cell's word are its units; the
 * other bits are flow.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
 */
FpStatus fp_water_chunk(const FpWorld *world,
                        int32_t x,
                        int32_t y,
                        int32_t z,
                        uint16_t *out,
                        size_t capacity,
                        size_t *length);

/**
 * Loads chunks of a world of materials, one after the other.
 *
 * `contents` are `count` chunks, which are copied.
 *
 * Errors: `FP_STATUS_LENGTH` and `FP_STATUS_VALUE` of a chunk's lists; `FP_STATUS_CHUNK_PRESENT`,
 * `FP_STATUS_OUT_OF_BOUNDS`, `FP_STATUS_REFUSED`; `FP_STATUS_KIND`. If the world refuses a chunk,
 * those before it stay loaded, unless the world is not recorded: then none is.
 */
FpStatus fp_materials_insert_chunks(FpWorld *world, const FpContent *contents, size_t count);

/**
 * Writes the numbers of the materials of a chunk, of a world of materials or of a mirror of one.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` bytes; `length` becomes 4,096,
 * by index, or 1 if all cells are equal.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
 */
FpStatus fp_materials_chunk(const FpWorld *world,
                            int32_t x,
                            int32_t y,
                            int32_t z,
                            uint8_t *out,
                            size_t capacity,
                            size_t *length);

/**
 * Writes the moisture of a chunk of a world of materials, in 1/65,536.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` numbers; `length` becomes
 * 4,096, by index, or 1 if all cells are equal.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
 */
FpStatus fp_materials_moisture(const FpWorld *world,
                               int32_t x,
                               int32_t y,
                               int32_t z,
                               uint32_t *out,
                               size_t capacity,
                               size_t *length);

/**
 * Lists the chunks of a world or of a mirror, in order of position.
 *
 * `out` has room for `capacity` numbers, three for each chunk position; `length` becomes how many
 * there are.
 *
 * Errors: `FP_STATUS_BUFFER`.
 */
FpStatus fp_world_chunks(const FpWorld *world, int32_t *out, size_t capacity, size_t *length);

/**
 * Makes an edit at once, after those in line; it completes a tick that is underway first.
 *
 * `edit` is copied. `outcome` becomes what it came to; it may be null.
 *
 * Errors: `FP_STATUS_TAG` and `FP_STATUS_KIND` of the edit's kind; `FP_STATUS_VALUE`,
 * `FP_STATUS_NOT_LOADED`, `FP_STATUS_OUT_OF_BOUNDS`, `FP_STATUS_SOLID`, `FP_STATUS_CHUNK_PRESENT`,
 * `FP_STATUS_REFUSED` of the world. The edit has changed nothing then; but edits in line may have
 * been made, and the tick underway may be complete.
 */
FpStatus fp_world_apply(FpWorld *world, const FpEdit *edit, FpOutcome *outcome);

/**
 * Makes an edit of bytes at once, such as a client sends: see `fp_edit_bytes`.
 *
 * `bytes` are `count` bytes of one edit. `limits` may be null: without limits. `outcome` becomes
 * what it came to; it may be null.
 *
 * Errors: `FP_STATUS_DECODE`, `FP_STATUS_LIMIT`; those of `fp_world_apply`.
 */
FpStatus fp_world_apply_bytes(FpWorld *world,
                              const uint8_t *bytes,
                              size_t count,
                              const FpLimits *limits,
                              FpOutcome *outcome);

/**
 * Puts an edit in line, of a world of water or of materials: it is made before the next tick
 * begins, and does not complete the one that is underway. While a world of another kind is
 * recorded, it has a line too.
 *
 * `edit` is copied. `ticket` becomes its number, by which `fp_world_take_edit_reports` says what
 * became of it: from 0, also at the begin of a recording. It may be null.
 *
 * Errors: `FP_STATUS_TAG` and `FP_STATUS_KIND` of the edit's kind; `FP_STATUS_VALUE` of its
 * fields; `FP_STATUS_KIND` of the world.
 */
FpStatus fp_world_queue(FpWorld *world, const FpEdit *edit, uint64_t *ticket);

/**
 * Puts an edit of bytes in line: as `fp_world_queue` and `fp_world_apply_bytes`.
 *
 * Errors: `FP_STATUS_DECODE`; `FP_STATUS_LIMIT`, also if too many edits and reports wait; those of
 * `fp_world_queue`.
 */
FpStatus fp_world_queue_bytes(FpWorld *world,
                              const uint8_t *bytes,
                              size_t count,
                              const FpLimits *limits,
                              uint64_t *ticket);

/**
 * Writes an edit of a kind of world as bytes, which mean the same in all later versions.
 *
 * `kind` is an `FpKind` of a world. `out` has room for `capacity` bytes; `length` becomes how many
 * there are, 1 to 64.
 *
 * Errors: `FP_STATUS_TAG` and `FP_STATUS_KIND` of both kinds; `FP_STATUS_VALUE`;
 * `FP_STATUS_BUFFER`; `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_edit_bytes(uint32_t kind,
                       const FpEdit *edit,
                       uint8_t *out,
                       size_t capacity,
                       size_t *length);

/**
 * Takes what became of the queued edits that were made since the last call, in order.
 *
 * `out` has room for `capacity` reports; `length` becomes their number. What does not fit is kept
 * for the next call.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_take_edit_reports(FpWorld *world,
                                    FpEditReport *out,
                                    size_t capacity,
                                    size_t *length);

/**
 * Freezes chunks of water at once, or thaws them: they stand still, or go on. All or none.
 *
 * `chunks` are `count` chunk positions of three numbers. `frozen` is 1 to freeze, 0 to thaw.
 * `changed` becomes 1 if anything changed, else 0; it may be null.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_VALUE` of `frozen`; `FP_STATUS_KIND` unless it is a
 * world of water or of materials.
 */
FpStatus fp_water_freeze(FpWorld *world,
                         const int32_t *chunks,
                         size_t count,
                         uint32_t frozen,
                         uint32_t *changed);

/**
 * Replaces the rules of water of a world of water or of materials, and wakes all.
 *
 * Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG`, `FP_STATUS_VALUE`; `FP_STATUS_KIND`.
 */
FpStatus fp_water_set_rules(FpWorld *world, const FpWaterRules *rules);

/**
 * Writes the rules of water of a world of water or of materials.
 *
 * Errors: `FP_STATUS_KIND`.
 */
FpStatus fp_water_rules(const FpWorld *world, FpWaterRules *rules);

/**
 * Makes a feed of a world of water or of materials, whose first update says what looks different
 * from now on.
 *
 * `feed` becomes a new handle, which the caller owns. It belongs to this world only, and may live
 * longer. Make a new one after `fp_record_undo` and `fp_record_rewind`.
 *
 * Errors: `FP_STATUS_KIND`.
 */
FpStatus fp_feed_new(FpWorld *world, FpFeed **feed);

/**
 * Frees a feed. Null is none. The handle is not to be used again.
 *
 * Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: nothing is freed then.
 */
FpStatus fp_feed_free(FpFeed *feed);

/**
 * From the next update on, sends the currents of the last complete tick, too.
 *
 * Errors: none but those that any handle may return.
 */
FpStatus fp_feed_send_currents(FpFeed *feed);

/**
 * Takes what looks different since the last call, as the bytes of an update.
 *
 * `world` is the one that the feed was made of. `out` has room for `capacity` bytes; `length`
 * becomes how many there are. What does not fit is kept for the next call.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for a world of another kind.
 */
FpStatus fp_feed_take(FpFeed *feed, FpWorld *world, uint8_t *out, size_t capacity, size_t *length);

/**
 * Writes the update of whole chunks for a client that joins or moves on.
 *
 * `chunks` are `count` chunk positions of three numbers; those that are not loaded are left out.
 * `out` has room for `capacity` bytes; `length` becomes how many there are.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for a world of another kind.
 */
FpStatus fp_feed_whole(FpFeed *feed,
                       const FpWorld *world,
                       const int32_t *chunks,
                       size_t count,
                       uint8_t *out,
                       size_t capacity,
                       size_t *length);

/**
 * Writes the part of an update that is of some chunks, for a client that sees only these.
 *
 * `kind` is the `FpKind` of the world. `bytes` are `count` bytes of an update; `chunks` are
 * `chunk_count` chunk positions of three numbers. `out` has room for `capacity` bytes; `length`
 * becomes how many there are.
 *
 * Errors: `FP_STATUS_TAG`, `FP_STATUS_KIND`; `FP_STATUS_DECODE`; `FP_STATUS_BUFFER`;
 * `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
 */
FpStatus fp_update_only(uint32_t kind,
                        const uint8_t *bytes,
                        size_t count,
                        const int32_t *chunks,
                        size_t chunk_count,
                        uint8_t *out,
                        size_t capacity,
                        size_t *length);

/**
 * Makes an empty mirror of a world of water or of materials.
 *
 * `kind` is the `FpKind` of the world. `most_chunks` is the most chunks that updates may make it
 * hold. `mirror` becomes a new handle, which the caller owns: free it by `fp_world_free`. The
 * functions `fp_view_...` and `fp_world_chunks` read it.
 *
 * Errors: `FP_STATUS_TAG`, `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_mirror_new(uint32_t kind, size_t most_chunks, FpWorld **mirror);

/**
 * Applies an update to a mirror.
 *
 * `bytes` are `count` bytes of an update. `number` becomes that of the update; it may be null.
 *
 * Errors: `FP_STATUS_DECODE`; `FP_STATUS_GAP` if an update is missing, so that the client has to
 * ask for its chunks as whole ones, or for too many chunks; `FP_STATUS_KIND` unless it is a
 * mirror.
 */
FpStatus fp_mirror_apply(FpWorld *mirror, const uint8_t *bytes, size_t count, uint64_t *number);

/**
 * Makes a mirror forget all chunks but some.
 *
 * `chunks` are `count` chunk positions of three numbers.
 *
 * Errors: `FP_STATUS_KIND` unless it is a mirror.
 */
FpStatus fp_mirror_retain(FpWorld *mirror, const int32_t *chunks, size_t count);

/**
 * Makes an empty world of humidity; `shape` is an `FpShape`. Cells without a chunk are dry rock.
 *
 * `bounds` may be null: everywhere. `world` becomes a new handle, which the caller owns.
 *
 * Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of shape, rules and bounds;
 * `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_humidity_new(uint32_t shape,
                         const FpHumidityRules *rules,
                         const FpRegion *bounds,
                         FpWorld **world);

/**
 * Makes an empty world of pressure; `shape` is an `FpShape`. Cells without a chunk are open space
 * at pressure 0; an explosion makes the chunks that it reaches.
 *
 * `bounds` may be null: everywhere. `border_kinds` are three `FpBorder`, for x, y and z; null:
 * rigid. `world` becomes a new handle, which the caller owns.
 *
 * Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of shape, rules, bounds and
 * borders; `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_blast_new(uint32_t shape,
                      const FpBlastRules *rules,
                      const FpRegion *bounds,
                      const uint32_t *border_kinds,
                      FpWorld **world);

/**
 * Loads a chunk of humidity.
 *
 * x, y and z are its chunk position. `cells` are `count` cells: 4,096, by index of the world's
 * shape, or 1 for all. They are copied.
 *
 * Errors: `FP_STATUS_LENGTH`; `FP_STATUS_VALUE` of a cell; `FP_STATUS_CHUNK_PRESENT`,
 * `FP_STATUS_OUT_OF_BOUNDS`; `FP_STATUS_KIND`.
 */
FpStatus fp_humidity_insert_chunk(FpWorld *world,
                                  int32_t x,
                                  int32_t y,
                                  int32_t z,
                                  const FpHumidityCell *cells,
                                  size_t count);

/**
 * Writes the cells of a chunk of humidity.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` cells; `length` becomes 4,096,
 * by index of the world's shape, or 1 if all are equal.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND`.
 */
FpStatus fp_humidity_chunk(const FpWorld *world,
                           int32_t x,
                           int32_t y,
                           int32_t z,
                           FpHumidityCell *out,
                           size_t capacity,
                           size_t *length);

/**
 * Loads a chunk of pressure.
 *
 * x, y and z are its chunk position. `pressures` are `count` numbers: 4,096, by index of the
 * world's shape, or 1 for all. They are copied.
 *
 * Errors: `FP_STATUS_LENGTH`; `FP_STATUS_VALUE` of a pressure; `FP_STATUS_CHUNK_PRESENT`,
 * `FP_STATUS_OUT_OF_BOUNDS`; `FP_STATUS_KIND`.
 */
FpStatus fp_blast_insert_chunk(FpWorld *world,
                               int32_t x,
                               int32_t y,
                               int32_t z,
                               const float *pressures,
                               size_t count);

/**
 * Writes the pressures of a chunk of a world of pressure: 4,096, by index of the world's shape.
 * They are 0 where no chunk is.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` numbers; `length` becomes
 * 4,096.
 *
 * Errors: `FP_STATUS_OUT_OF_BOUNDS` for a position that no cell can have; `FP_STATUS_BUFFER`;
 * `FP_STATUS_KIND`.
 */
FpStatus fp_blast_chunk(const FpWorld *world,
                        int32_t x,
                        int32_t y,
                        int32_t z,
                        float *out,
                        size_t capacity,
                        size_t *length);

/**
 * Writes a cell of a world of humidity.
 *
 * x, y and z are its position.
 *
 * Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND`.
 */
FpStatus fp_humidity_cell(const FpWorld *world,
                          int32_t x,
                          int32_t y,
                          int32_t z,
                          FpHumidityCell *cell);

/**
 * Writes a cell of a world of pressure.
 *
 * x, y and z are its position.
 *
 * Errors: `FP_STATUS_KIND`.
 */
FpStatus fp_blast_cell(const FpWorld *world, int32_t x, int32_t y, int32_t z, FpBlastCell *cell);

/**
 * Runs steps of a world of pressure, in which probes measure. What they measured in a call before
 * is replaced.
 *
 * `probes` are `count` probes of the caller, whose measured fields are written. `report` becomes
 * the sum of the steps; it may be null.
 *
 * Errors: `FP_STATUS_VALUE` for a cross-section; `FP_STATUS_KIND`; `FP_STATUS_RECORDING` while the
 * world is recorded.
 */
FpStatus fp_blast_run_probed(FpWorld *world,
                             uint64_t steps,
                             FpProbe *probes,
                             size_t count,
                             FpStepReport *report);

/**
 * Writes the sum of humidity or of pressure in a world of these.
 *
 * Errors: `FP_STATUS_KIND`.
 */
FpStatus fp_field_total(const FpWorld *world, double *total);

/**
 * Fills in the default limits: what a player's hands do, 4,096 cells and 3,584 units at a time.
 *
 * Errors: `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_limits_default(FpLimits *limits);

/**
 * Returns the version of the interface that the library was built with: compare it with
 * `FP_INTERFACE_VERSION` of the header. Any thread.
 *
 * Errors: none.
 */
uint32_t fp_interface_version(void);

/**
 * Writes the words of the last call on this thread that was not `FP_STATUS_OK`, in UTF-8 without
 * a byte of 0 at the end. Later calls that succeed leave them.
 *
 * `out` has room for `capacity` bytes; `length` becomes how many there are, 0 if no call failed.
 *
 * Errors: `FP_STATUS_BUFFER`, `FP_STATUS_POINTER`; they do not replace the words.
 */
FpStatus fp_last_error(char *out, size_t capacity, size_t *length);

/**
 * Makes an empty world of water.
 *
 * `seed` decides all random choices. `bounds` may be null: everywhere. `world` becomes a new
 * handle, which the caller owns: free it by `fp_world_free`.
 *
 * Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of rules and bounds;
 * `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_water_new(uint64_t seed,
                      const FpWaterRules *rules,
                      const FpRegion *bounds,
                      FpWorld **world);

/**
 * Makes an empty world of materials.
 *
 * `materials` are `count` materials, numbered from 0 in their order; with a count of 0 the palette
 * is air, rock, soil, sand, clay, gravel, concrete and rubble. They are copied. `bounds` may be
 * null: everywhere. `world` becomes a new handle, which the caller owns.
 *
 * Errors: `FP_STATUS_SIZE`, `FP_STATUS_TAG` and `FP_STATUS_VALUE` of materials, rules and bounds;
 * `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
 */
FpStatus fp_materials_new(uint64_t seed,
                          const FpMaterial *materials,
                          size_t count,
                          const FpMaterialsRules *rules,
                          const FpRegion *bounds,
                          FpWorld **world);

/**
 * Frees a world or a mirror and all that belongs to it. Null is none. The handle is not to be used
 * again.
 *
 * Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: nothing is freed then.
 */
FpStatus fp_world_free(FpWorld *world);

/**
 * Writes the `FpKind` of a handle.
 *
 * Errors: none but those that any handle or pointer may return.
 */
FpStatus fp_world_kind(const FpWorld *world, uint32_t *kind);

/**
 * Writes the word of a cell of water, as of `fp_water_chunk`.
 *
 * x, y and z are its position.
 *
 * Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND` unless it is a
 * world of water or of materials.
 */
FpStatus fp_water_cell(const FpWorld *world, int32_t x, int32_t y, int32_t z, uint16_t *word);

/**
 * Writes the state of the body of water that a cell belongs to.
 *
 * x, y and z are the cell's position. `reach` is the most cells of water and air that are visited.
 *
 * Errors: `FP_STATUS_NONE` if the cell holds no water, is sea or is not loaded, or for a reach of
 * 0; `FP_STATUS_KIND` unless it is a world of water or of materials.
 */
FpStatus fp_water_body(const FpWorld *world,
                       int32_t x,
                       int32_t y,
                       int32_t z,
                       uint32_t reach,
                       FpBody *body);

/**
 * Writes the ledger of water of a world of water or of materials.
 *
 * Errors: `FP_STATUS_KIND`.
 */
FpStatus fp_water_ledger(const FpWorld *world, FpWaterLedger *ledger);

/**
 * Writes the ledger of a world of materials; `fp_water_ledger` has that of its water.
 *
 * Errors: `FP_STATUS_KIND`.
 */
FpStatus fp_materials_ledger(const FpWorld *world, FpMaterialsLedger *ledger);

/**
 * Writes a cell of a world of materials.
 *
 * x, y and z are its position.
 *
 * Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND`.
 */
FpStatus fp_materials_cell(const FpWorld *world,
                           int32_t x,
                           int32_t y,
                           int32_t z,
                           FpMaterialsCell *cell);

/**
 * Checks every law of a world, for tests: it counts all cells.
 *
 * Errors: `FP_STATUS_DIFFERS` if a law is broken, which is a bug of the library; `FP_STATUS_KIND`
 * for mirrors.
 */
FpStatus fp_world_validate(const FpWorld *world);

/**
 * Begins a recording of a world, with a snapshot of it; a tick that is underway is completed.
 *
 * `check_every` is after how many ticks the hash of the state is kept, `keyframe_every` after how
 * many a whole snapshot; 0 for none. `limits` are of the edits that other machines send; they may
 * be null: without limits.
 *
 * Errors: `FP_STATUS_RECORDING` if it is recorded already, or if edits are in line;
 * `FP_STATUS_SIZE`, `FP_STATUS_TAG`, `FP_STATUS_VALUE` of limits; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_record_start(FpWorld *world,
                         uint64_t check_every,
                         uint64_t keyframe_every,
                         const FpLimits *limits);

/**
 * Ends the recording of a world, after the tick that is underway, and drops it: take its bytes
 * before.
 *
 * Errors: `FP_STATUS_RECORDING` if it is not recorded, or if edits are in line; `FP_STATUS_KIND`
 * for mirrors.
 */
FpStatus fp_record_stop(FpWorld *world);

/**
 * Writes what has been recorded until now, as bytes for a bug report or `fp_record_replay`.
 *
 * `out` has room for `capacity` bytes; `length` becomes how many there are. If they do not fit,
 * they are kept until the world changes.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_RECORDING` if it is not recorded; `FP_STATUS_KIND` for
 * mirrors.
 */
FpStatus fp_record_bytes(FpWorld *world, uint8_t *out, size_t capacity, size_t *length);

/**
 * Does again what was recorded, compares all checks, and makes the world at its end.
 *
 * `kind` is the world's `FpKind`. `bytes` are `count` bytes of `fp_record_bytes`. `world` becomes
 * a new handle, which the caller owns.
 *
 * Errors: `FP_STATUS_DIFFERS` with the first difference in words; `FP_STATUS_DECODE`;
 * `FP_STATUS_TAG`, `FP_STATUS_KIND`; `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
 */
FpStatus fp_record_replay(uint32_t kind, const uint8_t *bytes, size_t count, FpWorld **world);

/**
 * Writes the edits of a tick of a recording, to be sent to the other machines of a lock-step game.
 *
 * `tick` counts from 0 at the start of the recording. `out` has room for `capacity` bytes;
 * `length` becomes how many there are.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_RECORDING` if it is not recorded; `FP_STATUS_KIND` for
 * mirrors.
 */
FpStatus fp_record_tick_bytes(FpWorld *world,
                              uint64_t tick,
                              uint8_t *out,
                              size_t capacity,
                              size_t *length);

/**
 * Makes the edits of a tick that another machine has sent, in a world that is recorded too. All
 * are checked before the first is made.
 *
 * `bytes` are `count` bytes of `fp_record_tick_bytes`. `made` becomes the number of edits that
 * were not refused; it may be null.
 *
 * Errors: `FP_STATUS_DECODE`, also for another tick than the next; `FP_STATUS_LIMIT`;
 * `FP_STATUS_RECORDING` if it is not recorded; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_record_apply_bytes(FpWorld *world, const uint8_t *bytes, size_t count, uint64_t *made);

/**
 * Takes back the last edit of a recorded world, and all that has happened since. Edits in line are
 * dropped. Feeds of the world are to be made anew.
 *
 * Errors: `FP_STATUS_NONE` if there is none; `FP_STATUS_RECORDING` if it is not recorded;
 * `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_record_undo(FpWorld *world);

/**
 * Goes back to an earlier tick of a recording, counted from 0 at its start. What came after is no
 * more, and edits in line are dropped. Feeds of the world are to be made anew.
 *
 * Errors: `FP_STATUS_VALUE` if there were fewer ticks; `FP_STATUS_RECORDING` if it is not
 * recorded; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_record_rewind(FpWorld *world, uint64_t tick);

/**
 * Fills in rules of water by an `FpPreset`.
 *
 * Errors: `FP_STATUS_POINTER`; `FP_STATUS_TAG` for a number that is no preset. Any thread.
 */
FpStatus fp_water_rules_default(uint32_t preset, FpWaterRules *rules);

/**
 * Fills in the default rules of a world of materials.
 *
 * Errors: `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_materials_rules_default(FpMaterialsRules *rules);

/**
 * Fills in the default rules of humidity.
 *
 * Errors: `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_humidity_rules_default(FpHumidityRules *rules);

/**
 * Fills in the default rules of pressure.
 *
 * Errors: `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_blast_rules_default(FpBlastRules *rules);

/**
 * Creates a file with a world in it.
 *
 * `path` is in UTF-8, ended by a byte of 0. `save` becomes a new handle, which the caller owns.
 *
 * Errors: `FP_STATUS_FILE`, also if there is a file; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_save_create(const char *path, const FpWorld *world, FpSave **save);

/**
 * Opens a file and makes the world of its last save, also after a crash.
 *
 * `path` is in UTF-8, ended by a byte of 0. `kind` is the world's `FpKind`. `save` and `world`
 * become new handles, which the caller owns.
 *
 * Errors: `FP_STATUS_FILE`, also for a file of another kind of world; `FP_STATUS_TAG`,
 * `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_save_open(const char *path, uint32_t kind, FpSave **save, FpWorld **world);

/**
 * Saves a world into its file in one transaction: the chunks that differ from the last save. When
 * it returns, they are on the disk.
 *
 * `report` may be null.
 *
 * Errors: `FP_STATUS_FILE`: the file then holds this save or the last one; `FP_STATUS_KIND` for a
 * world of another kind.
 */
FpStatus fp_save_write(FpSave *save, const FpWorld *world, FpSaveReport *report);

/**
 * Closes a file. Null is none. The handle is not to be used again. What was not saved is not in
 * the file.
 *
 * Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: it stays open then.
 */
FpStatus fp_save_free(FpSave *save);

/**
 * Writes a world as bytes, which all later versions of the library load. A tick that is underway
 * is part of it.
 *
 * `out` has room for `capacity` bytes; `length` becomes how many there are. If they do not fit,
 * they are kept until the world changes, so that the next call does not make them again.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_snapshot(FpWorld *world, uint8_t *out, size_t capacity, size_t *length);

/**
 * Makes the world of a snapshot.
 *
 * `kind` is its `FpKind`. `bytes` are `count` bytes of `fp_world_snapshot`. `world` becomes a new
 * handle, which the caller owns.
 *
 * Errors: `FP_STATUS_TAG`; `FP_STATUS_KIND` for a mirror; `FP_STATUS_DECODE`, also for a world of
 * another kind; `FP_STATUS_POINTER`, `FP_STATUS_LENGTH`. Any thread.
 */
FpStatus fp_world_load(uint32_t kind, const uint8_t *bytes, size_t count, FpWorld **world);

/**
 * Unloads chunks of a world of water or of materials, all or none, and keeps their records with
 * the handle until `fp_world_take_records` takes them.
 *
 * `chunks` are `count` chunk positions of three numbers. `length` becomes the bytes of all records
 * that wait; it may be null.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_KIND`.
 */
FpStatus fp_world_remove_chunks(FpWorld *world,
                                const int32_t *chunks,
                                size_t count,
                                size_t *length);

/**
 * Takes the records of the chunks that were unloaded: for each a length of four bytes, lowest
 * first, and its bytes, which a game may keep one by one.
 *
 * `out` has room for `capacity` bytes; `length` becomes how many there are. What does not fit is
 * kept for the next call.
 *
 * Errors: `FP_STATUS_BUFFER`.
 */
FpStatus fp_world_take_records(FpWorld *world, uint8_t *out, size_t capacity, size_t *length);

/**
 * Loads chunks by their records, all or none.
 *
 * `bytes` are `count` bytes: records, each after its length, as `fp_world_take_records` has them.
 *
 * Errors: `FP_STATUS_DECODE`; `FP_STATUS_CHUNK_PRESENT`, `FP_STATUS_OUT_OF_BOUNDS`,
 * `FP_STATUS_REFUSED`; `FP_STATUS_KIND` unless it is a world of water or of materials.
 */
FpStatus fp_world_insert_records(FpWorld *world, const uint8_t *bytes, size_t count);

/**
 * Creates a file that a world of water or of materials streams its chunks to, and saves it there.
 *
 * `path` is in UTF-8, ended by a byte of 0. `stream` becomes a new handle, which the caller owns.
 *
 * Errors: `FP_STATUS_FILE`, also if there is a file; `FP_STATUS_KIND` for other worlds.
 */
FpStatus fp_stream_create(const char *path, const FpWorld *world, FpStream **stream);

/**
 * Opens a file of `fp_stream_create` or `fp_save_create` and makes the world of its last save,
 * also after a crash.
 *
 * `path` is in UTF-8, ended by a byte of 0. `kind` is the world's `FpKind`. `stream` and `world`
 * become new handles, which the caller owns.
 *
 * Errors: `FP_STATUS_FILE`, also for a file of another kind of world; `FP_STATUS_TAG`,
 * `FP_STATUS_KIND`; `FP_STATUS_POINTER`. Any thread.
 */
FpStatus fp_stream_open(const char *path, uint32_t kind, FpStream **stream, FpWorld **world);

/**
 * Unloads chunks of the world of a file, all or none. Their records are in the file with the next
 * save, and in memory until then.
 *
 * `chunks` are `count` chunk positions of three numbers.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_KIND` for a world of another kind.
 */
FpStatus fp_stream_unload(FpStream *stream, FpWorld *world, const int32_t *chunks, size_t count);

/**
 * Loads those of some chunks that were unloaded, from memory or from the file, which they leave
 * with the next save.
 *
 * `chunks` are `count` chunk positions of three numbers. `found` has room for `count` bytes, which
 * become 1 for a chunk that was loaded and 0 for one of which there is no record.
 *
 * Errors: `FP_STATUS_FILE` if the disk fails or a record is damaged; `FP_STATUS_CHUNK_PRESENT`,
 * `FP_STATUS_OUT_OF_BOUNDS`, `FP_STATUS_REFUSED`; `FP_STATUS_KIND` for a world of another kind.
 * None is loaded then.
 */
FpStatus fp_stream_load(FpStream *stream,
                        FpWorld *world,
                        const int32_t *chunks,
                        size_t count,
                        uint8_t *found);

/**
 * Lists the unloaded chunks, in memory and in the file, in order of position.
 *
 * `out` has room for `capacity` numbers, three for each chunk position; `length` becomes how many
 * there are.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_FILE` if the disk fails.
 */
FpStatus fp_stream_unloaded(FpStream *stream, int32_t *out, size_t capacity, size_t *length);

/**
 * Begins to save a world into its file: copies what was touched since the last save, and has a
 * thread write it. The save is of this moment, in one transaction; of a tick that is underway it
 * has the world before it.
 *
 * `begun` becomes 1, or 0 if the save before is still being written: then nothing is saved. It may
 * be null.
 *
 * Errors: `FP_STATUS_KIND` for a world of another kind. Those of the disk are `fp_stream_wait`'s.
 */
FpStatus fp_stream_save(FpStream *stream, FpWorld *world, uint32_t *begun);

/**
 * Waits until the save that was begun is on the disk.
 *
 * `report` becomes what the last save wrote, zeros if none was begun since the last wait; it may
 * be null.
 *
 * Errors: `FP_STATUS_FILE` if it failed: the file then holds this save or the last one, and the
 * next save writes the whole world.
 */
FpStatus fp_stream_wait(FpStream *stream, FpSaveReport *report);

/**
 * Closes a file, after the save that is being written. Null is none. The handle is not to be used
 * again. What was not saved is not in the file.
 *
 * Errors: `FP_STATUS_HANDLE`; `FP_STATUS_BUSY`: it stays open then.
 */
FpStatus fp_stream_free(FpStream *stream);

/**
 * Runs one step, or completes the one that is underway. `report` may be null.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_step(FpWorld *world, FpStepReport *report);

/**
 * Runs as much of a step as a budget of cells allows; the next call resumes it. The result of the
 * step does not depend on the slices. Worlds of humidity and pressure run a whole step.
 *
 * `progress` may be null.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_step_within(FpWorld *world, uint64_t budget, FpProgress *progress);

/**
 * As `fp_world_step_within`, with a budget of time, in nanoseconds: it stops after the piece of
 * some microseconds in which that has passed.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_step_for(FpWorld *world, uint64_t nanoseconds, FpProgress *progress);

/**
 * Runs this many steps. `report` becomes their sum; it may be null.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_run(FpWorld *world, uint64_t steps, FpStepReport *report);

/**
 * Completes the step that is underway, if there is one. `report` may be null.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_finish_tick(FpWorld *world, FpStepReport *report);

/**
 * Writes the clock and the load of a world.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_activity(const FpWorld *world, FpActivity *activity);

/**
 * Writes the number of complete steps of a world.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_ticks(const FpWorld *world, uint64_t *ticks);

/**
 * Writes a hash of the state that decides the future: the same for the same seed, edits and steps,
 * on every machine and in every language. It reads every cell. Rules and bounds are not part of
 * it.
 *
 * Errors: `FP_STATUS_KIND` for mirrors.
 */
FpStatus fp_world_state_hash(const FpWorld *world, uint64_t *hash);

/**
 * Writes what a cell looks like, in the bits of `FP_LOOK_UNITS` and those after it.
 *
 * x, y and z are its position.
 *
 * Errors: `FP_STATUS_NOT_LOADED`, also for a cell out of bounds; `FP_STATUS_KIND` for worlds
 * without water.
 */
FpStatus fp_view_look(const FpWorld *view, int32_t x, int32_t y, int32_t z, uint16_t *look);

/**
 * Writes what the cells of a chunk look like, as `fp_view_look`: 4,096, by index.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` looks; `length` becomes 4,096.
 *
 * Errors: `FP_STATUS_NOT_LOADED`; `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_looks(const FpWorld *view,
                       int32_t x,
                       int32_t y,
                       int32_t z,
                       uint16_t *out,
                       size_t capacity,
                       size_t *length);

/**
 * Writes the net flow of water out of a cell in the last complete tick: units along x, y and z,
 * each −7 to 7.
 *
 * x, y and z are the cell's position. `current` has room for three numbers.
 *
 * Errors: `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_current(const FpWorld *view, int32_t x, int32_t y, int32_t z, int32_t *current);

/**
 * Writes the surface of the water in a chunk, as triangles; empty if the chunk is not here.
 *
 * x, y and z are its chunk position. `mesh` has the caller's lists, and gets the counts.
 *
 * Errors: `FP_STATUS_BUFFER`: the counts are what is needed, and nothing else is written;
 * `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_mesh(const FpWorld *view, int32_t x, int32_t y, int32_t z, FpMesh *mesh);

/**
 * Writes the falls of a chunk, in order of their lowest cells.
 *
 * x, y and z are its chunk position. `out` has room for `capacity` falls; `length` becomes how
 * many there are, 0 if the chunk is not here.
 *
 * Errors: `FP_STATUS_BUFFER`; `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_falls(const FpWorld *view,
                       int32_t x,
                       int32_t y,
                       int32_t z,
                       FpFall *out,
                       size_t capacity,
                       size_t *length);

/**
 * Writes the part of a box that is under water.
 *
 * `a` and `b` are two opposite corners, three numbers each, in cells.
 *
 * Errors: `FP_STATUS_VALUE` for a corner that is not a number or not among the cells of a world,
 * and for a box of more than 32,768 cells; `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_submerged(const FpWorld *view,
                           const float *a,
                           const float *b,
                           FpSubmerged *submerged);

/**
 * Writes the y of the water's surface over or under a point that lies in a cell with water.
 *
 * `point` is three numbers, in cells.
 *
 * Errors: `FP_STATUS_NONE` if the point's cell holds no water; `FP_STATUS_KIND` for worlds without
 * water.
 */
FpStatus fp_view_level(const FpWorld *view, const float *point, float *level);

/**
 * Follows the currents of the last tick, for meshes and `fp_view_flow`: call it after each tick,
 * or after each update of a mirror whose feed sends currents.
 *
 * Errors: `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_follow_flow(FpWorld *view);

/**
 * Writes the smoothed flow at a point, in full cells a tick: −1 to 1 along x, y and z. Zeros where
 * there is no water, and until `fp_view_follow_flow` was called.
 *
 * `point` is three numbers, in cells; `flow` has room for three.
 *
 * Errors: `FP_STATUS_KIND` for worlds without water.
 */
FpStatus fp_view_flow(const FpWorld *view,
                      const float *point,
                      float *flow);

/**
 * Lists the chunks with flow, in order of position: their meshes' flow may change in every tick.
 *
 * `out` has room for `capacity` numbers, three for each chunk position; `length` becomes how many
 * there are.
 *
 * Errors: `FP_STATUS_BUFFER`.
 */
FpStatus fp_view_flow_chunks(const FpWorld *view, int32_t *out, size_t capacity, size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FLOODPLAIN_H */

/* The layout of each struct, as the library has it, on machines with pointers of 8 bytes. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define FP_LAYOUT(type, size) static_assert(sizeof(type) == (size), "the size of " #type)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define FP_LAYOUT(type, size) _Static_assert(sizeof(type) == (size), "the size of " #type)
#else
#define FP_LAYOUT(type, size) extern int fp_layout_is_checked
#endif
#if UINTPTR_MAX == UINT64_MAX
FP_LAYOUT(FpActivity, 40);
FP_LAYOUT(FpBlastCell, 56);
FP_LAYOUT(FpBlastRules, 32);
FP_LAYOUT(FpBody, 32);
FP_LAYOUT(FpBroken, 48);
FP_LAYOUT(FpChunkChanges, 528);
FP_LAYOUT(FpContent, 64);
FP_LAYOUT(FpEdge, 8);
FP_LAYOUT(FpEdit, 64);
FP_LAYOUT(FpEditReport, 72);
FP_LAYOUT(FpFall, 16);
FP_LAYOUT(FpHumidityCell, 16);
FP_LAYOUT(FpHumidityRules, 52);
FP_LAYOUT(FpLimits, 72);
FP_LAYOUT(FpMaterial, 32);
FP_LAYOUT(FpMaterialsCell, 16);
FP_LAYOUT(FpMaterialsLedger, 64);
FP_LAYOUT(FpMaterialsRules, 248);
FP_LAYOUT(FpMesh, 64);
FP_LAYOUT(FpOutcome, 48);
FP_LAYOUT(FpProbe, 56);
FP_LAYOUT(FpProgress, 40);
FP_LAYOUT(FpRegion, 24);
FP_LAYOUT(FpSaveReport, 24);
FP_LAYOUT(FpStepReport, 24);
FP_LAYOUT(FpSubmerged, 16);
FP_LAYOUT(FpWaterLedger, 80);
FP_LAYOUT(FpWaterRules, 80);
#endif
