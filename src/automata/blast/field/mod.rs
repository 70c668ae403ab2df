//! What a world of pressure consists of beside pressures: its space, the links of its cells, what
//! stands in them, what flowed over them, and the walls that break.

pub(super) mod flows;
pub(super) mod ground;
pub(super) mod links;
pub(super) mod space;
pub(super) mod walls;
