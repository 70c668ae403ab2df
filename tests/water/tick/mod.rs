//! What a tick does within which bounds and at which cost: flow, sleep, evaporation, slices.

mod bounds;
mod budget;
mod counted;
mod evaporation;
mod motion;
mod sleep;
