//! The C interface of floodplain as a module of WebAssembly: its functions, room in memory for what
//! a caller in JavaScript passes, and the words of a panic. `js/` makes a package of it.

pub use floodplain_c::*;

use std::alloc::{Layout, alloc, dealloc};
use std::panic::set_hook;
use std::ptr;

#[link(wasm_import_module = "floodplain")]
unsafe extern "C" {
    /// Tells the host the words of a panic, in UTF-8. The trap that ends the call comes after it.
    fn panicked(words: *const u8, count: usize);
}

/// Makes panics tell their words to the host. To be called once, before all else.
#[unsafe(no_mangle)]
pub extern "C" fn fp_web_start() {
    set_hook(Box::new(|panic| {
        let words = panic.to_string();
        // SAFETY: the words live until the call returns.
        unsafe { panicked(words.as_ptr(), words.len()) };
    }));
}

/// Returns room for so many bytes, aligned for every type of the interface; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn fp_web_allocate(bytes: usize) -> *mut u8 {
    match layout(bytes) {
        // SAFETY: the layout has a size above 0.
        Some(layout) => unsafe { alloc(layout) },
        None => ptr::null_mut(),
    }
}

/// Frees what `fp_web_allocate` returned for so many bytes.
///
/// # Safety
/// It was returned for as many bytes, and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fp_web_free(pointer: *mut u8, bytes: usize) {
    if let (false, Some(layout)) = (pointer.is_null(), layout(bytes)) {
        // SAFETY: allocated with this layout, by the promise of this function.
        unsafe { dealloc(pointer, layout) }
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), align_of::<u64>()).ok()
}
