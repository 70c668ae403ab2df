//! What all automata promise alike: answers, messages, edits as values, changes, state hashes,
//! recorded states, values of serde; and that the first look is true.

mod answers;
mod changes;
mod comments;
mod edits;
mod first_look;
mod golden;
mod guarantees;
mod limits;
mod messages;
mod mutants;
mod serde;
mod simulation;
mod small_worlds;
mod state_hash;
