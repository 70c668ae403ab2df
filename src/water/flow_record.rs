//! The flow of a cell as a number. The flow record of a cell in a tick takes two bytes: the units
//! that the cell has passed on, and the vector of its outflow. The steady flow of a cell is the
//! number of units across each of its faces.

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

/// The units that leave a cell in steady flow across each of its faces: three bits for each face,
/// by [`Face::index`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaceFlows(u32);

impl FaceFlows {
    pub(crate) const NONE: FaceFlows = FaceFlows(0);

    /// Returns the flows of a word; `None` if a bit is set beyond the six faces.
    pub(crate) fn from_word(word: u32) -> Option<Self> {
        (word < 1 << 18).then_some(FaceFlows(word))
    }

    pub(crate) fn word(self) -> u32 {
        self.0
    }

    /// Returns the units that leave across a face, 0 to 7.
    #[inline]
    pub(crate) fn across(self, face: Face) -> u8 {
        (self.0 >> (3 * face.index()) & 7) as u8
    }

    /// Returns the units that pass through the cell: the sum over all faces of the units that
    /// leave.
    #[inline]
    pub(crate) fn through(self) -> u8 {
        Face::ALL.into_iter().map(|face| self.across(face)).sum()
    }

    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Returns the faces across which units leave, each with the number of units.
    pub(crate) fn iter(self) -> impl Iterator<Item = (Face, u8)> {
        let with_units = move |face| (face, self.across(face));
        Face::ALL.into_iter().map(with_units).filter(|&(_, units)| units > 0)
    }

    /// Returns the flow record of a cell that passes on these units and no others.
    pub(crate) fn record(self) -> u16 {
        let mut record = NO_FLOW;
        self.iter().for_each(|(face, units)| add_flow(&mut record, face, units));
        record
    }

    /// Returns the flows with the units across one face, 0 to 7, replaced.
    #[inline]
    pub(crate) fn with(self, face: Face, units: u8) -> Self {
        let shift = 3 * face.index();
        FaceFlows(self.0 & !(7 << shift) | u32::from(units & 7) << shift)
    }
}
