//! Water: laws under random edits, and what every tick must and must not do.

mod bodies;
mod bounds;
mod budget;
mod changes;
mod displaced;
mod ends;
mod evaporation;
mod feed;
mod fixtures;
mod flow_field;
mod frozen;
mod laws;
mod motion;
mod order;
mod queue;
mod random;
mod reading;
mod record;
mod records;
mod sea;
mod season;
mod settle;
mod simulation_distance;
mod sleep;
mod surface;
mod words;
