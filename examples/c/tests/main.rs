//! The C interface: its header, its layout, and the laws that hold across the border.

mod agreement;
mod calls;
mod header;
mod hostile;
mod laws;
mod layout;
mod sample;
mod streams;
mod support;
