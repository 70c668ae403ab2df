//! Flow that is kept from tick to tick: the steady flow to drains (`steady`), which is part of the
//! state; the quotas of portals between regions (`portals`); and the steady falls that no tick
//! visits (`runs`), which are no part of the state.

pub(crate) mod portals;
pub(super) mod runs;
pub(crate) mod steady;
