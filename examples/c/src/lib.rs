//! A C interface of floodplain, whose header is `include/floodplain.h`. What a caller has to know
//! stands there; `README.md` shows it from an empty folder on.
//!
//! | file | what |
//! |---|---|
//! | `border` | pointers, lists, handles and panics at the border |
//! | `status` | statuses, and the words of the last refusal |
//! | `places`, `tags`, `rules`, `edit_structs` | numbers and structs of C, and the values that they stand for |
//! | `worlds`, `of_materials`, `clock` | what a handle of a world holds: a kind, and its recording; what only worlds of materials have; the time that steps take |
//! | `make`, `chunks`, `edits`, `tick`, `changes`, `query`, `fields`, `view`, `feed`, `saved`, `save_files`, `stream`, `record` | the functions, by subject |
//!
//! A function enters its handles, checks all that it was given, does its work, and writes what it
//! came to: so a refused call changes nothing. Each is written once for all kinds of worlds.

mod border;
mod changes;
mod chunks;
mod clock;
mod edit_structs;
mod edits;
mod feed;
#[cfg(feature = "fields")]
mod fields;
mod limits;
mod make;
mod of_materials;
mod places;
mod query;
mod record;
mod rules;
#[cfg(feature = "store")]
mod save_files;
mod saved;
mod status;
#[cfg(feature = "store")]
mod stream;
mod tags;
mod tick;
mod view;
mod worlds;

pub use changes::*;
pub use chunks::*;
pub use edit_structs::*;
pub use edits::*;
pub use feed::*;
#[cfg(feature = "fields")]
pub use fields::*;
pub use limits::*;
pub use make::*;
pub use places::FpRegion;
pub use query::*;
pub use record::*;
pub use rules::*;
#[cfg(feature = "store")]
pub use save_files::*;
pub use saved::*;
pub use status::FpStatus;
#[cfg(feature = "store")]
pub use stream::*;
pub use tags::*;
pub use tick::*;
pub use view::*;
pub use worlds::FpWorld;
