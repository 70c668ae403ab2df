//! Spans of the crate `profiling`, which a game's profiler shows: with the feature of that name,
//! and the backend that the game has turned on. Without either, they are nothing.

/// Opens a span up to the end of the block.
macro_rules! span {
    ($name:literal) => {
        #[cfg(feature = "profiling")]
        profiling::scope!($name);
    };
}

/// Does work in a span of its own.
macro_rules! spanned {
    ($name:literal, $work:expr) => {{
        $crate::spans::span!($name);
        $work()
    }};
}

pub(crate) use {span, spanned};
