//! Worlds of materials.

mod ahead;
mod blasts;
mod charges;
mod exchange;
mod feed;
mod frozen;
mod hostile;
mod laws;
mod palettes;
mod parts;
mod records;
mod rest;
mod seepage;
mod settle;
