//! What a call answers: a status, and the words of the last refusal on each thread.

use floodplain::recording::{RecordingError, ReplayError};
#[cfg(feature = "store")]
use floodplain::save_file::SaveError;
use floodplain::water::{MirrorError, SubmergedError};
use floodplain::{DecodeError, LimitError, RulesError, blast, humidity, water, world};
use std::cell::RefCell;
use std::fmt::Display;

/// What a call came to. Of every status but `FP_STATUS_OK`, `fp_last_error` has the words, and the
/// call has changed nothing, unless its document says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum FpStatus {
    /// Done.
    Ok = 0,
    /// A pointer is null, or not aligned for what it points to.
    Pointer = 1,
    /// A handle of another type, or one that was freed.
    Handle = 2,
    /// The handle is in use by a call on another thread.
    Busy = 3,
    /// A call on this handle panicked, so its state is not known: only free it.
    Poisoned = 4,
    /// This call panicked: a bug of the library. The handles that it held are poisoned.
    Panic = 5,
    /// The room given is too small. The length or count says how much is needed.
    Buffer = 6,
    /// A list of a length that cannot be.
    Length = 7,
    /// A world of this kind does not do this.
    Kind = 8,
    /// A number that names nothing: of a kind, an edit, a face, a shape, a rule.
    Tag = 9,
    /// The `struct_size` of a struct is that of another version.
    Size = 10,
    /// A value out of its range: of rules, of a cell, of an edit.
    Value = 11,
    /// Bytes that are none of this form, or are damaged.
    Decode = 12,
    /// An edit beyond the limits that were given.
    Limit = 13,
    /// The chunk of a cell is not loaded, or a chunk or column is not there.
    NotLoaded = 14,
    /// A cell or a chunk beyond the bounds of the world.
    OutOfBounds = 15,
    /// A cell is solid ground.
    Solid = 16,
    /// A chunk is loaded already.
    ChunkPresent = 17,
    /// The world refuses the edit for another reason.
    Refused = 18,
    /// There is none: no body, no water, nothing to take back.
    None = 19,
    /// A mirror missed an update, or was not sent its chunks yet, or would hold too many.
    Gap = 20,
    /// Not while the world is recorded, or only then.
    Recording = 21,
    /// A replay differs from what was recorded.
    Differs = 22,
    /// The disk, or the file: missing, there already, in use, damaged.
    File = 23,
}

/// A call that was refused: its status, and why in words.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: FpStatus,
    pub(crate) words: String,
}

/// What a function within the border answers.
pub(crate) type Answer<T = ()> = Result<T, Fault>;

thread_local! {
    /// The words of the last refusal on this thread.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

impl Fault {
    pub(crate) fn new(status: FpStatus, words: impl Display) -> Fault {
        Fault { status, words: words.to_string() }
    }

    /// Keeps the words for `fp_last_error`. Returns the status.
    pub(crate) fn keep(self) -> FpStatus {
        // A thread that ends has no place for them.
        LAST.try_with(|last| *last.borrow_mut() = self.words).unwrap_or_default();
        self.status
    }

    pub(crate) fn kind(words: impl Display) -> Fault {
        Fault::new(FpStatus::Kind, words)
    }

    pub(crate) fn tag(what: &str, found: u32) -> Fault {
        Fault::new(FpStatus::Tag, format_args!("{found} is no {what}"))
    }

    pub(crate) fn value(words: impl Display) -> Fault {
        Fault::new(FpStatus::Value, words)
    }

    pub(crate) fn absent(chunk: [i32; 3]) -> Fault {
        let [x, y, z] = chunk;
        Fault::new(FpStatus::NotLoaded, format_args!("chunk [{x}, {y}, {z}] is not loaded"))
    }
}

/// Returns the words of the last refusal on this thread.
pub(crate) fn last_words() -> String {
    LAST.try_with(|last| last.borrow().clone()).unwrap_or_default()
}

macro_rules! faults {
    ($($error:ty => $status:ident;)+) => {$(
        impl From<$error> for Fault {
            fn from(error: $error) -> Fault {
                Fault::new(FpStatus::$status, error)
            }
        }
    )+};
}
faults! {
    DecodeError => Decode;
    LimitError => Limit;
    MirrorError => Gap;
    RecordingError => Decode;
    SubmergedError => Value;
    RulesError => Value;
    water::CellError => Value;
    world::PaletteError => Value;
}

#[cfg(feature = "store")]
faults! {
    SaveError => File;
}

impl From<ReplayError> for Fault {
    fn from(error: ReplayError) -> Fault {
        let status = match error {
            ReplayError::Differs(_) => FpStatus::Differs,
            ReplayError::Beyond { .. } => FpStatus::Value,
            _ => FpStatus::Decode,
        };
        Fault::new(status, error)
    }
}

/// Returns the status of an edit that a world of water refuses.
pub(crate) fn of_water(error: &water::EditError) -> FpStatus {
    use water::EditError as E;
    match error {
        E::NotLoaded(_) | E::ChunkAbsent(_) => FpStatus::NotLoaded,
        E::OutOfBounds(_) | E::ChunkOutOfBounds(_) => FpStatus::OutOfBounds,
        E::Solid(_) => FpStatus::Solid,
        E::ChunkPresent(_) => FpStatus::ChunkPresent,
        E::Height(_) | E::Rate(_) | E::Rules(_) => FpStatus::Value,
        _ => FpStatus::Refused,
    }
}

/// Returns the status of an edit that a world of humidity refuses.
pub(crate) fn of_humidity(error: &humidity::EditError) -> FpStatus {
    use humidity::EditError as E;
    match error {
        E::NotLoaded(_) | E::ChunkAbsent(_) => FpStatus::NotLoaded,
        E::OutOfBounds(_) | E::ChunkOutOfBounds(_) => FpStatus::OutOfBounds,
        E::ChunkPresent(_) => FpStatus::ChunkPresent,
        E::Humidity { .. } | E::Impermeability { .. } => FpStatus::Value,
        _ => FpStatus::Refused,
    }
}

/// Returns the status of an edit that a world of pressure refuses.
pub(crate) fn of_blast(error: &blast::EditError) -> FpStatus {
    use blast::EditError as E;
    match error {
        E::ChunkAbsent(_) => FpStatus::NotLoaded,
        E::OutOfBounds(_) | E::ChunkOutOfBounds(_) => FpStatus::OutOfBounds,
        E::Solid(_) => FpStatus::Solid,
        E::ChunkPresent(_) => FpStatus::ChunkPresent,
        E::Pressure { .. } | E::Radius { .. } | E::Strength { .. } | E::Weight { .. } => {
            FpStatus::Value
        }
        _ => FpStatus::Refused,
    }
}

/// Returns the status of an edit that a world of materials refuses.
pub(crate) fn of_materials(error: &world::EditError) -> FpStatus {
    use world::EditError as E;
    match error {
        E::Water(error) => of_water(error),
        E::Soil(error) => of_humidity(error),
        E::Blast(error) => of_blast(error),
        E::NotLoaded(_) | E::ChunkAbsent(_) => FpStatus::NotLoaded,
        E::OutOfBounds(_) | E::ChunkOutOfBounds(_) => FpStatus::OutOfBounds,
        E::ChunkPresent(_) => FpStatus::ChunkPresent,
        E::Material(_) | E::Moisture { .. } | E::Pressure { .. } | E::Radius { .. } => {
            FpStatus::Value
        }
        _ => FpStatus::Refused,
    }
}
