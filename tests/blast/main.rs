//! Explosions on grids and graphs.

mod after_edits;
mod charges;
mod edits;
mod golden;
mod laws;
mod rooms;
mod shut_rooms;
mod walls;
mod world;
