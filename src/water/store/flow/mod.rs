//! Flow that is kept from tick to tick: the steady flow to drains (`steady`), which is part of the
//! state, and the quotas of portals between regions (`portals`). Also what ticks need not visit,
//! which is no part of the state: steady falls (`runs`) and films that wait for a draw (`parked`).

pub(crate) mod parked;
pub(crate) mod portals;
pub(super) mod runs;
pub(crate) mod steady;
