//! Calls of the C interface, made of bytes.

#[path = "../../examples/c/tests/calls.rs"]
mod calls;

pub use calls::run as call_c_interface;
