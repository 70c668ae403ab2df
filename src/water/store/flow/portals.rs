//! Portals: cells beyond the face of a region of a divided world, through which the water of
//! springs passes into the region and out of it. A portal is a spring, fed from the other side, or
//! an outlet, with a drain behind it; both pass on no more units in a tick than their quota.
//!
//! A world that is no region of a divided world has no portals. The phases of a tick read the
//! quotas in `steady_capacity` (steady flow) and as reserved throughput (`flow/portals.rs`).

use crate::water::store::{Place, Store};
use std::collections::BTreeMap;

/// A portal, and its flow in a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Portal {
    /// The most units that the portal may pass in a tick.
    pub(crate) quota: u8,
    /// Whether the portal is a spring; otherwise it is an outlet.
    pub(crate) is_spring: bool,
    /// The units that the portal has passed since its quota was last set, at the start of a tick:
    /// given as a spring, or sent as an outlet.
    pub(crate) passed: u8,
    /// The units that the portal's cell had passed on when throughput was reserved, and the units
    /// reserved.
    pub(crate) reserved: Option<(u8, u8)>,
}

/// The portals of a world, by place.
pub(crate) type Portals = BTreeMap<Place, Portal>;

/// Returns the units that a cell may still pass, at most `most`. A portal that has passed `passed`
/// units may pass only the rest of its quota.
#[inline]
pub(crate) fn within_quota(store: &Store, place: Place, most: u8, passed: u8) -> u8 {
    match store.portals.is_empty() {
        true => most,
        false => store
            .portals
            .get(&place)
            .map_or(most, |portal| most.min(portal.quota.saturating_sub(passed))),
    }
}

/// Notes units that steady flow has brought through a portal: given by a spring, or drained behind
/// an outlet.
pub(crate) fn note_portal(store: &mut Store, place: Place, is_spring: bool, units: u8) {
    if let Some(portal) = store.portals.get_mut(&place)
        && portal.is_spring == is_spring
    {
        portal.passed += units;
    }
}
