//! Values as bytes: one form for each kind of value, shared by edits, records, updates, snapshots
//! and recordings.
//!
//! | file | what |
//! |---|---|
//! | `error` | [`DecodeError`]: why bytes do not follow their format, and at which byte |
//! | `reader` | [`Reader`]: reads values from bytes, from front to back; [`Field`]: a value in bytes |
//! | `fields` | numbers, positions, regions, faces, lists in bytes |
//! | `varint` | whole numbers in few bytes |
//! | `cells` | the cells of a chunk, and masks of them |
//! | `frame` | headers and checksums around the values |
//! | `packed` | bytes packed by LZ4 |
//! | `kind` | [`Kind`]: the kinds of worlds that are saved and recorded |

mod cells;
mod error;
mod fields;
mod frame;
#[cfg(feature = "snapshot")]
mod kind;
#[cfg(feature = "snapshot")]
mod packed;
mod reader;
mod varint;

pub use error::{DecodeError, DecodeProblem, Format};
pub(crate) use fields::put_sized;
#[cfg(feature = "snapshot")]
pub(crate) use frame::put_header;
pub(crate) use frame::seal;
#[cfg(feature = "snapshot")]
pub use kind::Kind;
#[cfg(feature = "snapshot")]
pub(crate) use packed::put_packed;
pub(crate) use reader::Field;
pub use reader::Reader;
pub(crate) use varint::{put_varint, put_way, unzigzag, zigzag};
