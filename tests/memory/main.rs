//! The memory of worlds and of loading, by the allocator's count. A program of its own, since the
//! allocator counts the whole process; its tests run one at a time.

mod held;
mod loading;

use peak_alloc::PeakAlloc;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Each test holds this while it counts.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
