//! What is read of a world: cells, changes, feeds, surfaces, smoothed flow.

mod changes;
mod drawn;
mod feed;
mod flow_field;
mod reading;
mod surface;
mod words;
