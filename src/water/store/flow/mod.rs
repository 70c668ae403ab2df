//! Flow that is kept from tick to tick: the steady flow to drains (`steady`), which is part of the
//! state; the quotas of portals between regions (`portals`); and, as no part of the state, the steady falls that
//! no tick visits (`runs`), and the films that wait for a spring (`parked`).

mod parked;
pub(crate) mod portals;
pub(super) mod runs;
pub(crate) mod steady;
