//! Chunks that come, go, travel, stand still, or settle alone, in any order.

mod frozen;
mod order;
mod records;
mod settle;
mod simulation_distance;
