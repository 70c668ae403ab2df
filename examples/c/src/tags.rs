//! Numbers that name things: kinds of worlds, shapes, presets. C hands them over as `uint32_t`, so
//! that a wrong one is refused and not undefined.

use crate::status::{Answer, Fault};

/// Makes the function that returns the value of a number, or a fault.
macro_rules! numbered {
    ($name:ident, $what:literal: $($variant:ident)+) => {
        impl $name {
            /// Returns the value of a number.
            pub(crate) fn of(number: u32) -> Answer<$name> {
                $(if number == $name::$variant as u32 {
                    return Ok($name::$variant);
                })+
                Err(Fault::tag($what, number))
            }
        }
    };
}
pub(crate) use numbered;

/// The kinds of worlds, and of mirrors on clients. The numbers of worlds are those in snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpKind {
    /// Water in 16×16×16 chunks, beside the ground of a game.
    Water = 1,
    /// Humidity in 64×64 sheets.
    HumiditySheet = 2,
    /// Humidity in 16×16×16 chunks.
    HumidityCube = 3,
    /// Pressure in 64×64 sheets.
    BlastSheet = 4,
    /// Pressure in 16×16×16 chunks.
    BlastCube = 5,
    /// Materials with water, moisture and pressure, in 16×16×16 chunks.
    Materials = 8,
    /// What a client sees of a world of water.
    WaterMirror = 101,
    /// What a client sees of a world of materials.
    MaterialsMirror = 108,
}
numbered!(FpKind, "kind": Water HumiditySheet HumidityCube BlastSheet BlastCube Materials
    WaterMirror MaterialsMirror);

/// The shapes of a chunk. Both have 4,096 cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpShape {
    /// 64×64×1 cells; the index of a cell is x + 64·y, of its place in the chunk.
    Sheet = 0,
    /// 16×16×16 cells; the index of a cell is x + 16·z + 256·y, of its place in the chunk.
    Cube = 1,
}
#[cfg(feature = "fields")]
numbered!(FpShape, "shape": Sheet Cube);

/// What water does at an edge of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpEdgeKind {
    /// A wall.
    Wall = 0,
    /// Water that flows there leaves the world.
    Drain = 1,
    /// Water waits there for a chunk.
    Held = 2,
    /// The sea stands there up to a y.
    Level = 3,
    /// Of a column of chunks: what the rules say.
    Rules = 4,
}
numbered!(FpEdgeKind, "kind of edge": Wall Drain Held Level Rules);

/// What is built into a cell for its water.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpFixture {
    /// Nothing.
    Nothing = 0,
    /// A drain: takes up to its rate in a tick out of the world.
    Drain = 1,
    /// A tap: adds up to its rate in a tick.
    Tap = 2,
    /// A valve: passes up to its rate in a tick through a face.
    Valve = 3,
}
numbered!(FpFixture, "fixture": Nothing Drain Tap Valve);

/// Sets of rules of water to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpPreset {
    /// Slow evaporation: a still surface cell loses a unit in 15 hours, at 20 ticks a second.
    Default = 0,
    /// No evaporation.
    Lossless = 1,
    /// Puddles of a bucket dry up in two minutes.
    Puddle = 2,
    /// Puddles of rain dry up in some minutes, lakes sink by a unit in an hour or two.
    Rain = 3,
    /// Films dry up in seconds, ponds in half an hour.
    Desert = 4,
}
numbered!(FpPreset, "preset": Default Lossless Puddle Rain Desert);

/// How humidity spreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpSweep {
    /// The weighted mean, in place.
    InPlace = 0,
    /// The weighted mean of the state before.
    Synchronous = 1,
    /// Whole units of 1/65,536 across faces: exact sums.
    Conservative = 2,
}
numbered!(FpSweep, "sweep": InPlace Synchronous Conservative);

/// The space beyond a face of a world of humidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpSoilBorder {
    /// Dry rock.
    Wall = 0,
    /// Dry soil, which humidity flows into and is gone.
    Drain = 1,
}
numbered!(FpSoilBorder, "border of humidity": Wall Drain);

/// The rule by which pressure spreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpBlastRule {
    /// It evens out.
    Diffusive = 0,
    /// It runs in waves, which are damped.
    Wave = 1,
}
numbered!(FpBlastRule, "rule of pressure": Diffusive Wave);

/// The border of pressure at the bounds of a world, on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpBorder {
    /// Nothing passes.
    Rigid = 0,
    /// What flows there is gone.
    Open = 1,
    /// It comes in again on the other side.
    Periodic = 2,
}
numbered!(FpBorder, "border of pressure": Rigid Open Periodic);

/// What full cells of water are to pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpUnderWater {
    /// They stop it.
    Stops = 0,
    /// They are as open to it as air.
    Passes = 1,
    /// They keep a share of it from step to step.
    Damps = 2,
}
numbered!(FpUnderWater, "choice of pressure under water": Stops Passes Damps);

/// What clients may edit: bits of `FpLimits.kinds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FpEditKinds {
    /// Solid ground and materials.
    Ground = 1,
    /// Water that is poured, scooped, filled in or drained.
    Water = 2,
    /// Springs and fixtures.
    Springs = 4,
    /// The sea.
    Sea = 8,
    /// Rain.
    Moisture = 16,
    /// Charges and pressure.
    Pressure = 32,
    /// Chunks, edges, rules, freezing, waking, moisture that is set.
    World = 64,
}
