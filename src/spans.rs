//! Spans of the crate `profiling`, which a game's profiler shows if the feature of that name and
//! the backend of the game are turned on. Otherwise the spans expand to nothing.

/// Opens a span that lasts until the end of the block.
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
