//! What worlds hold and what loading takes, by the allocator's count. A program of its own, for the
//! allocator counts for the whole process; its tests run one at a time.

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
