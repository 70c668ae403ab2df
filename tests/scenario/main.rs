//! Worlds drawn in text.

mod automata;
mod files;
mod format;
mod motion;
