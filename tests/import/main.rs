//! Files of other programs: what they become, what is written back, and that damaged ones are
//! refused.

mod budget;
mod heightmap;
mod hostile;
mod left_out;
mod messages;
mod real;
mod region;
mod sea;
mod vox;
