//! The tables that define the edits of worlds, one table for each kind of world. From a table
//! follow the enum and its docs, `apply`, the bytes, the values of serde, the names, what a
//! client's limits count, what an edit costs in a budget, and what it needs of the ground in a
//! world of materials.
//!
//! A row has the tag and the fields of an edit, its scope (`limits.rs`), the method that makes it,
//! and the variant of the outcome that holds the method's answer, or no variant for `Done`:
//!
//! ```text
//! 4 Pour { /** Where. */ cell: IVec3, /** The most. */ units: u32 }
//!     [WATER.at(*cell).units(*units)] => pour -> Units;
//! 11 WakeAll [WORLD] => wake_all;
//! 5 /** An edit of water. */ Water(edit: water::Edit) [edit.scope()] => (edit_water) -> Water;
//! ```
//!
//! The bytes are the tag, then the fields in their order, each written by the `Field` of its type:
//! plain values in `codec/fields.rs`, chunks in `codec/cells.rs`, edges, rules, fixtures and
//! records of water in `water/bytes.rs`.
//!
//! A method in brackets is not public, so its row has docs. The method named after `after` in the
//! head of the table is called before each edit, even one that is refused. A tag keeps its form for
//! ever: a new form of an edit gets a new tag.

use crate::codec::{DecodeError, Field, Format, Reader};
use crate::limits::{EditScope, LimitError, Limits};
use crate::simulation::EditValue;
use core::fmt::Debug;

/// The data of an edit in a table besides its bytes: its name, and the scope that queues and
/// limits check.
pub(crate) trait Tabled: Field + Clone + Debug + PartialEq {
    /// The names of all edits, in the order of their tags.
    const NAMES: &'static [&'static str];

    fn name(&self) -> &'static str;

    /// Returns the scope of the edit, for limits, costs and ground.
    fn scope(&self) -> EditScope;
}

impl<E: Tabled> EditValue for E {
    const NAMES: &'static [&'static str] = <E as Tabled>::NAMES;

    fn name(&self) -> &'static str {
        Tabled::name(self)
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put(&mut out);
        out
    }

    fn from_bytes(bytes: &[u8]) -> Result<E, DecodeError> {
        Reader::new(Format::Edit, bytes).only()
    }

    fn check_limits(&self, limits: &Limits) -> Result<(), LimitError> {
        limits.check(&self.scope())
    }
}

/// The return value of a method that makes an edit: a value, or a result.
pub(crate) trait Answer<T, E> {
    fn answer(self) -> Result<T, E>;
}

impl<T, E, F: Into<E>> Answer<T, E> for Result<T, F> {
    fn answer(self) -> Result<T, E> {
        self.map_err(Into::into)
    }
}

impl<E> Answer<bool, E> for bool {
    fn answer(self) -> Result<bool, E> {
        Ok(self)
    }
}

impl<E> Answer<(), E> for () {
    fn answer(self) -> Result<(), E> {
        Ok(self)
    }
}

/// Returns the outcome of an edit from the answer of its method.
macro_rules! outcome {
    ($outcome:ident, $answer:expr,) => {
        $crate::edit_table::Answer::answer($answer).map(|()| $outcome::Done)
    };
    ($outcome:ident, $answer:expr, $variant:ident) => {
        $crate::edit_table::Answer::answer($answer).map(|value| $outcome::$variant(value.into()))
    };
}
pub(crate) use outcome;

/// Returns the docs of an edit: its method, unless the method is not public, and its outcome.
macro_rules! edit_docs {
    ($world:ident, $outcome:ident, $method:ident, $($variant:ident)?) => {
        concat!(
            "[`", stringify!($world), "::", stringify!($method), "`]. ",
            $crate::edit_table::edit_docs!($world, $outcome, , $($variant)?)
        )
    };
    ($world:ident, $outcome:ident, ,) => {
        $crate::edit_table::edit_docs!($world, $outcome, , Done)
    };
    ($world:ident, $outcome:ident, , $variant:ident) => {
        concat!("Its outcome is [`", stringify!($outcome), "::", stringify!($variant), "`].")
    };
}
pub(crate) use edit_docs;

/// Defines the edits of a world by a table; see the top of this file.
macro_rules! edits {
    (
        $(#[$about:meta])*
        pub enum $edit:ident for [$($generics:tt)*] $world:ident $(<$parameter:ident>)?
            -> $outcome:ident, $error:ty $(, after $settle:ident)?;
        $(
            $tag:literal $(#[doc = $doc:literal])* $variant:ident
                $(($one:ident: $one_type:ty))?
                $({ $($(#[doc = $about_field:literal])* $field:ident: $type:ty),+ $(,)? })?
                [$scope:expr] => $($method:ident)? $(($hidden:ident))? $(-> $answer:ident)?;
        )+
    ) => {
        $(#[$about])*
        #[non_exhaustive]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
        pub enum $edit {
            $(
                $(#[doc = $doc])*
                #[doc = $crate::edit_table::edit_docs!($world, $outcome, $($method)?, $($answer)?)]
                $variant
                    $(($one_type))?
                    $({ $($(#[doc = $about_field])* $field: $type),+ })?,
            )+
        }

        /// The bytes are a tag, which says which edit it is, then the fields of the edit.
        impl $crate::codec::Field for $edit {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($one))? $({ $($field),+ })? => {
                        out.push($tag);
                        $($crate::codec::Field::put($one, out);)?
                        $($($crate::codec::Field::put($field, out);)+)?
                    })+
                }
            }

            fn take(
                from: &mut $crate::codec::Reader<'_>,
            ) -> Result<Self, $crate::codec::DecodeError> {
                let at = from.at();
                match from.take::<u8>()? {
                    $($tag => {
                        $(let $one = from.take()?;)?
                        $($(let $field = from.take()?;)+)?
                        Ok(Self::$variant $(($one))? $({ $($field),+ })?)
                    })+
                    found => Err(from.error(at, $crate::codec::DecodeProblem::Tag { found })),
                }
            }

            fn heap_bytes(&self) -> usize {
                use $crate::codec::Field;
                match self {
                    $(Self::$variant $(($one))? $({ $($field),+ })? => {
                        0 $(+ Field::heap_bytes($one))? $($(+ Field::heap_bytes($field))+)?
                    })+
                }
            }
        }

        impl $crate::edit_table::Tabled for $edit {
            const NAMES: &'static [&'static str] = &[$(stringify!($variant)),+];

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => stringify!($variant),)+
                }
            }

            fn scope(&self) -> $crate::limits::EditScope {
                use $crate::limits::kinds::*;
                match self {
                    $(Self::$variant $(($one))? $({ $($field),+ })? => {
                        // Some fields have no part in the scope.
                        $(let _ = $one;)?
                        $($(let _ = $field;)+)?
                        $scope.of(stringify!($variant))
                    })+
                }
            }
        }

        impl<$($generics)*> $world $(<$parameter>)? {
            /// Makes an edit at once, as the function of the same name does.
            ///
            /// # Errors
            /// The edit is refused with an error of that function, and changes nothing.
            pub fn apply(&mut self, edit: $edit) -> Result<$outcome, $error> {
                $(self.$settle();)?
                match edit {
                    $($edit::$variant $(($one))? $({ $($field),+ })? => {
                        $crate::edit_table::outcome!(
                            $outcome,
                            self.$($method)? $($hidden)? ($($one)? $($($field),+)?),
                            $($answer)?
                        )
                    })+
                }
            }
        }
    };
}
pub(crate) use edits;
