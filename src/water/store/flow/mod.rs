//! Flow that is kept from tick to tick, by chunk: the steady flow to drains (`steady`), which is
//! part of the state, and the steady falls that no tick visits (`runs`), which are not.

pub(super) mod runs;
pub(crate) mod steady;
