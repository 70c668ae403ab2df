//! What all automata promise alike: answers, messages, edits as values, changes, state hashes,
//! recorded states.

mod answers;
mod automaton;
mod changes;
mod edits;
mod golden;
mod messages;
mod small_worlds;
mod state_hash;
