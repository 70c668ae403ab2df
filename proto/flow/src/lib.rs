pub mod cell;
pub mod draw;
pub mod flow;
pub mod record;
pub mod scenes;
pub mod tick;
pub mod world;
