//! The comparison of a watched world with its twins.

use super::findings::Findings;
use super::law;
use super::watch::Watch;
use core::fmt::Debug;
use std::collections::BTreeSet;

/// Enters `law` as broken unless a twin equals the world, and names the first place that differs.
pub(super) fn are_same<W: Watch>(
    law: &'static str,
    (world, hash): (&W, u64),
    twin: &W,
    found: &mut Findings,
) {
    if hash != twin.state_hash() {
        let (looks, of_twin) = (world.looks(), twin.looks());
        let places: BTreeSet<_> = looks.keys().chain(of_twin.keys()).collect();
        let differs = |place: &&W::Place| looks.get(place) != of_twin.get(place);
        let what = match places.into_iter().find(differs) {
            None => "another state in cells that look the same".to_owned(),
            Some(place) => format!(
                "{place:?} is {:?}, and {:?} in the twin",
                looks.get(place),
                of_twin.get(place)
            ),
        };
        found.hold(law, false, || what);
    }
    found.same(law, &twin.account(), &world.account(), || "the account of the twin".to_owned());
    found.same(law, &twin.ticks(), &world.ticks(), || "the ticks of the twin".to_owned());
}

/// Enters `edit_alike` as broken unless an edit has the same outcome in a twin as in the world.
/// Errors are compared as text, since they may hold a NaN.
pub(super) fn agree<T: PartialEq + Debug, E: Debug>(
    of_twin: &Result<T, E>,
    of_world: &Result<T, E>,
    edit: &impl Debug,
    found: &mut Findings,
) {
    let is_same = match (of_twin, of_world) {
        (Ok(one), Ok(other)) => one == other,
        _ => format!("{of_twin:?}") == format!("{of_world:?}"),
    };
    found.hold(law::EDIT_ALIKE, is_same, || {
        format!("{of_twin:?} in a twin, {of_world:?} in the world, of {edit:?}")
    });
}
