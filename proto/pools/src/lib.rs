//! A prototype: bodies of joined water and their levelling, at the cost of what moves.
pub mod bits;
pub mod ebb;
pub mod levelling;
pub mod oracle;
pub mod pools;
pub mod world;
