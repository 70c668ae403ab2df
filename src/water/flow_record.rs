//! The flow record of a cell in a tick, in two bytes: the units that it has passed on, and the
//! vector of its outflow.

use crate::coords::Face;
use glam::IVec3;

/// A cell's flow record before any outflow: units passed on in bits 0–2, then the outflow along x,
/// y and z as four bits each, offset by 8.
pub(crate) const NO_FLOW: u16 = 0x8880;

/// The change of a flow record by one unit across each face.
const UNIT: [u16; 6] = [
    1u16.wrapping_sub(1 << 4),
    1 + (1 << 4),
    1u16.wrapping_sub(1 << 8),
    1 + (1 << 8),
    1u16.wrapping_sub(1 << 12),
    1 + (1 << 12),
];

/// Returns the units passed on, 0 to 7.
#[inline]
pub(crate) fn passed(flow: u16) -> u8 {
    (flow & 7) as u8
}

/// Adds units that leave across a face.
#[inline]
pub(crate) fn add_flow(flow: &mut u16, face: Face, units: u8) {
    *flow = flow.wrapping_add(UNIT[face.index()].wrapping_mul(u16::from(units)));
}

/// Returns the outflow as a vector, in units.
pub(crate) fn current(flow: u16) -> IVec3 {
    let axis = |shift: u32| i32::from(flow >> shift & 15) - 8;
    IVec3::new(axis(4), axis(8), axis(12))
}

/// Returns the sum of two records of the same cell.
#[inline]
pub(crate) fn add_flows(one: u16, other: u16) -> u16 {
    one.wrapping_add(other.wrapping_sub(NO_FLOW))
}
