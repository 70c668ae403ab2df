//! Limits for the edits of clients, as a plain struct with a function that fills in the defaults.

use crate::border::{border, out};
use crate::places::FpRegion;
use crate::rules::check_size;
use crate::status::{Answer, Fault, FpStatus};
use floodplain::{EditKinds, Limits};

/// What edits of a client may do. Begin with `fp_limits_default`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct FpLimits {
    /// The bytes of this struct.
    pub struct_size: u32,
    /// The `FpEditKinds` that are allowed, joined by `|`.
    pub kinds: u32,
    /// The region of all cells that an edit may name.
    pub reach: FpRegion,
    /// The most bytes of an edit.
    pub most_bytes: u64,
    /// The most cells that an edit names.
    pub most_cells: u64,
    /// The most units of water that an edit gives or takes.
    pub most_units: u64,
    /// The most edits and reports that wait.
    pub most_waiting: u64,
    /// The largest radius of a charge, in cells.
    pub most_radius: f32,
    /// The most pressure of a charge, or that is set or added.
    pub most_pressure: f32,
}

const KINDS: [EditKinds; 7] = [
    EditKinds::GROUND,
    EditKinds::WATER,
    EditKinds::SPRINGS,
    EditKinds::SEA,
    EditKinds::MOISTURE,
    EditKinds::PRESSURE,
    EditKinds::WORLD,
];

impl FpLimits {
    pub(crate) fn limits(&self) -> Answer<Limits> {
        check_size::<Self>(self.struct_size)?;
        if self.kinds >> KINDS.len() != 0 {
            return Err(Fault::tag("set of kinds of edits", self.kinds));
        }
        let none = EditKinds::ALL.without(EditKinds::ALL);
        let allowed = (0..KINDS.len()).filter(|&bit| self.kinds >> bit & 1 != 0);
        let kinds = allowed.fold(none, |kinds, bit| kinds | KINDS[bit]);
        let most = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        Ok(Limits {
            most_bytes: most(self.most_bytes),
            kinds,
            reach: self.reach.region()?,
            most_cells: self.most_cells,
            most_units: self.most_units,
            most_radius: self.most_radius,
            most_pressure: self.most_pressure,
            most_waiting: most(self.most_waiting),
        })
    }
}

impl From<&Limits> for FpLimits {
    fn from(limits: &Limits) -> FpLimits {
        let kinds = (0..KINDS.len()).filter(|&bit| limits.kinds.contains(KINDS[bit]));
        FpLimits {
            struct_size: size_of::<FpLimits>() as u32,
            kinds: kinds.map(|bit| 1 << bit).sum(),
            reach: limits.reach.into(),
            most_bytes: limits.most_bytes as u64,
            most_cells: limits.most_cells,
            most_units: limits.most_units,
            most_waiting: limits.most_waiting as u64,
            most_radius: limits.most_radius,
            most_pressure: limits.most_pressure,
        }
    }
}

/// Fills in the default limits: what a player's hands do, 4,096 cells and 3,584 units at a time.
///
/// Errors: `FP_STATUS_POINTER`. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_limits_default(limits: *mut FpLimits) -> FpStatus {
    border(|| {
        // SAFETY: the caller's promises.
        unsafe { out(limits, "limits") }?.put((&Limits::default()).into());
        Ok(())
    })
}
