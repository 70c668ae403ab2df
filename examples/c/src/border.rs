//! The border between C and Rust: pointers become references, slices and places to write to, each
//! checked; handles are entered by one call at a time; no panic passes.
//!
//! # The caller's promises
//!
//! The head of the header states them: a pointer that is not null points to as many values as the
//! call says, which live and are not written by others until it returns; a handle is one that this
//! library gave out and that was not freed. All `SAFETY` comments of this package rest on them.
//! What breaks no promise gives a status, never undefined behaviour: null, an address that is not
//! aligned, a length that no memory has, a handle of another type, a handle that is in use.

use crate::status::{Answer, Fault, FpStatus};
use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

// WebAssembly has no panics that unwind: there one is a trap, which the host catches.
#[cfg(not(any(panic = "unwind", target_family = "wasm")))]
compile_error!("a profile with `panic = \"abort\"` would end the game at a panic of the library");

/// Runs a call within the border. Returns its status, and keeps the words of a refusal.
pub(crate) fn border(call: impl FnOnce() -> Answer) -> FpStatus {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => FpStatus::Ok,
        Ok(Err(fault)) => fault.keep(),
        Err(panic) => Fault::new(FpStatus::Panic, words_of(panic.as_ref())).keep(),
    }
}

/// Returns what a panic said.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
    format!("panic: {words}")
}

fn check<T>(pointer: *const T, name: &str) -> Answer {
    let problem = match pointer {
        _ if pointer.is_null() => "null",
        _ if !pointer.is_aligned() => "not aligned",
        _ => return Ok(()),
    };
    Err(Fault::new(FpStatus::Pointer, format_args!("{name} is {problem}")))
}

/// Checks that a list of this many values can be in memory.
fn check_list<T>(pointer: *const T, count: usize, name: &str) -> Answer {
    let most = isize::MAX as usize / size_of::<T>();
    if count > most {
        let words = format_args!("{name} cannot have {count} values, more than {most}");
        return Err(Fault::new(FpStatus::Length, words));
    }
    if count == 0 { Ok(()) } else { check(pointer, name) }
}

/// Copies a value that the caller has filled in.
///
/// # Safety
/// The caller's promises. `T` has no bits that are invalid.
pub(crate) unsafe fn value<T: Copy>(pointer: *const T, name: &str) -> Answer<T> {
    check(pointer, name)?;
    // SAFETY: checked, and by the caller's promises a value is there.
    Ok(unsafe { pointer.read() })
}

/// As [`value`]; `None` for null.
///
/// # Safety
/// As of [`value`].
pub(crate) unsafe fn value_or_none<T: Copy>(pointer: *const T, name: &str) -> Answer<Option<T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as of this function.
    unsafe { value(pointer, name) }.map(Some)
}

/// Returns a list that the caller has filled in. Null stands for an empty one.
///
/// # Safety
/// The caller's promises, for as long as `'a`. `T` has no bits that are invalid.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, count: usize, name: &str) -> Answer<&'a [T]> {
    check_list(pointer, count, name)?;
    if count == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned, of a possible length, and by the caller's promises values.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns positions, of three numbers each.
///
/// # Safety
/// As of [`list`].
pub(crate) unsafe fn positions<'a>(pointer: *const i32, count: usize) -> Answer<&'a [[i32; 3]]> {
    // SAFETY: as of this function; no count that is possible is lost.
    let numbers = unsafe { list(pointer, count.saturating_mul(3), "positions") }?;
    Ok(numbers.as_chunks().0)
}

/// Returns a text that ends with a byte of 0.
///
/// # Safety
/// The caller's promises, for as long as `'a`.
pub(crate) unsafe fn text<'a>(pointer: *const core::ffi::c_char, name: &str) -> Answer<&'a str> {
    check(pointer, name)?;
    // SAFETY: not null, and by the caller's promises a text that ends.
    let text = unsafe { core::ffi::CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Fault::value(format_args!("{name} is not UTF-8")))
}

/// A place of the caller for a value, which may hold nothing yet.
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Writes the value.
    pub(crate) fn put(&self, value: T) {
        if !self.0.is_null() {
            // SAFETY: made by `out` or `out_or_none`, so checked and promised by the caller.
            unsafe { self.0.write(value) };
        }
    }
}

/// Returns a place for a value.
///
/// # Safety
/// The caller's promises, until the place is dropped.
pub(crate) unsafe fn out<T>(pointer: *mut T, name: &str) -> Answer<Out<T>> {
    check(pointer, name)?;
    Ok(Out(pointer))
}

/// As [`out`]; what is written to null is dropped.
///
/// # Safety
/// As of [`out`].
pub(crate) unsafe fn out_or_none<T>(pointer: *mut T, name: &str) -> Answer<Out<T>> {
    if pointer.is_null() {
        return Ok(Out(pointer));
    }
    // SAFETY: as of this function.
    unsafe { out(pointer, name) }
}

/// Room of the caller for a list, and the place for its length.
pub(crate) struct Room<T> {
    first: *mut T,
    capacity: usize,
    length: Out<usize>,
}

impl<T: Copy> Room<T> {
    /// Writes a list and its length.
    ///
    /// # Errors
    /// There is not room for all of it. Only its length is written then.
    pub(crate) fn fill(&self, values: &[T]) -> Answer {
        self.length.put(values.len());
        if values.len() > self.capacity {
            let (needed, capacity) = (values.len(), self.capacity);
            let words = format_args!("{needed} values do not fit into {capacity}");
            return Err(Fault::new(FpStatus::Buffer, words));
        }
        // SAFETY: made by `room`, so there is room for `capacity` values, unless there are none.
        unsafe { ptr::copy(values.as_ptr(), self.first, values.len()) };
        Ok(())
    }

    /// Writes a list that was taken out of a world, and empties it.
    ///
    /// # Errors
    /// As of [`fill`](Room::fill); the list stays as it is.
    pub(crate) fn deliver(&self, values: &mut Vec<T>) -> Answer {
        self.fill(values)?;
        values.clear();
        Ok(())
    }
}

/// Returns room for a list. Null stands for none, with a capacity of 0.
///
/// # Safety
/// The caller's promises, until the room is dropped.
pub(crate) unsafe fn room<T>(
    first: *mut T,
    capacity: usize,
    length: *mut usize,
) -> Answer<Room<T>> {
    check_list(first, capacity, "out")?;
    // SAFETY: as of this function.
    let length = unsafe { out(length, "length") }?;
    // A copy of no values asks for an address that is aligned and not null.
    let first = if capacity == 0 { ptr::dangling_mut() } else { first };
    Ok(Room { first, capacity, length })
}

/// What a handle of C stands for.
pub(crate) trait Handle {
    /// What it holds.
    type Inner;
    /// What the first word of the memory of such a handle is.
    const MARK: u64;
    const NAME: &'static str;
}

/// The memory behind a handle.
#[repr(C)]
struct Held<T> {
    mark: u64,
    /// `IDLE`, `IN_USE` or `POISONED`.
    use_of: AtomicU8,
    inner: T,
}

const IDLE: u8 = 0;
const IN_USE: u8 = 1;
const POISONED: u8 = 2;

/// A handle that a call is using: no other call enters it meanwhile.
pub(crate) struct Entered<'a, T>(&'a mut Held<T>);

impl<T> Deref for Entered<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.inner
    }
}

impl<T> DerefMut for Entered<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0.inner
    }
}

impl<T> Drop for Entered<'_, T> {
    fn drop(&mut self) {
        let next = if std::thread::panicking() { POISONED } else { IDLE };
        self.0.use_of.store(next, Ordering::Release);
    }
}

/// Gives out a new handle.
pub(crate) fn give<H: Handle>(inner: H::Inner) -> *mut H {
    let held = Held { mark: H::MARK, use_of: AtomicU8::new(IDLE), inner };
    Box::into_raw(Box::new(held)).cast()
}

/// Checks a handle's type by its first word.
///
/// # Safety
/// The caller's promises.
unsafe fn check_handle<H: Handle>(handle: *const H) -> Answer<*mut Held<H::Inner>> {
    let held = handle.cast::<Held<H::Inner>>().cast_mut();
    check(held, H::NAME)?;
    // SAFETY: every handle that this library gives out begins with such a word.
    let mark = unsafe { held.cast::<u64>().read() };
    if mark == H::MARK {
        return Ok(held);
    }
    Err(Fault::new(FpStatus::Handle, format_args!("this is no handle of a {}", H::NAME)))
}

/// Takes a handle into use, from `IDLE`, or also from `POISONED` to free it.
///
/// # Safety
/// The handle is of this type.
unsafe fn take_into_use<T>(held: *mut Held<T>, to_free: bool) -> Answer {
    // SAFETY: only the atomic is borrowed, which calls on several threads may do at once.
    let use_of = unsafe { &(*held).use_of };
    let order = (Ordering::Acquire, Ordering::Relaxed);
    match use_of.compare_exchange(IDLE, IN_USE, order.0, order.1) {
        Ok(_) => Ok(()),
        Err(POISONED) if to_free => Ok(()),
        Err(POISONED) => Err(Fault::new(FpStatus::Poisoned, "an earlier call on it panicked")),
        Err(_) => Err(Fault::new(FpStatus::Busy, "another call is using the handle")),
    }
}

/// Enters a handle until what is returned is dropped.
///
/// # Safety
/// The caller's promises, for as long as `'a`.
pub(crate) unsafe fn enter<'a, H: Handle>(handle: *const H) -> Answer<Entered<'a, H::Inner>>
where
    H::Inner: 'a,
{
    // SAFETY: as of this function.
    let held = unsafe { check_handle(handle) }?;
    // SAFETY: the type is checked.
    unsafe { take_into_use(held, false) }?;
    // SAFETY: in use by this call alone, so that nothing else refers to it.
    Ok(Entered(unsafe { &mut *held }))
}

/// Frees a handle; null is none.
///
/// # Safety
/// The caller's promises; the handle is not used again.
pub(crate) unsafe fn free<H: Handle>(handle: *mut H) -> Answer {
    if handle.is_null() {
        return Ok(());
    }
    // SAFETY: as of this function.
    let held = unsafe { check_handle(handle.cast_const()) }?;
    // SAFETY: the type is checked.
    unsafe { take_into_use(held, true) }?;
    // SAFETY: given out by `give` as a box, and in use by this call alone.
    let mut held = unsafe { Box::from_raw(held) };
    held.mark = 0;
    drop(held);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number;
    struct Other;
    impl Handle for Number {
        type Inner = Vec<u32>;
        const MARK: u64 = 1;
        const NAME: &'static str = "number";
    }
    impl Handle for Other {
        type Inner = Vec<u32>;
        const MARK: u64 = 2;
        const NAME: &'static str = "other";
    }

    fn push(handle: *mut Number, value: Option<u32>) -> FpStatus {
        border(|| {
            // SAFETY: the tests keep the promises.
            let mut numbers = unsafe { enter(handle) }?;
            numbers.push(value.expect("a value"));
            Ok(())
        })
    }

    #[test]
    fn a_panic_is_caught_and_poisons_the_handle() {
        let handle = give::<Number>(vec![1]);
        assert_eq!(push(handle, Some(2)), FpStatus::Ok);
        assert_eq!(push(handle, None), FpStatus::Panic);
        assert_eq!(crate::status::last_words(), "panic: a value");
        assert_eq!(push(handle, Some(3)), FpStatus::Poisoned);
        // SAFETY: it is not used again.
        assert_eq!(border(|| unsafe { free(handle) }), FpStatus::Ok);
    }

    #[test]
    fn handles_of_another_type_and_in_use_are_refused() {
        let handle = give::<Number>(vec![]);
        // SAFETY: a handle of this library.
        let other = unsafe { enter(handle.cast::<Other>()) };
        assert_eq!(other.map(|_| ()).unwrap_err().status, FpStatus::Handle);
        // SAFETY: the handle lives.
        let entered = unsafe { enter(handle) }.unwrap();
        assert_eq!(push(handle, Some(1)), FpStatus::Busy);
        drop(entered);
        assert_eq!(push(handle, Some(1)), FpStatus::Ok);
        // SAFETY: it is not used again.
        assert_eq!(border(|| unsafe { free(handle) }), FpStatus::Ok);
        // SAFETY: null is none.
        assert_eq!(border(|| unsafe { free(ptr::null_mut::<Number>()) }), FpStatus::Ok);
    }

    #[test]
    fn lists_and_rooms_are_checked() {
        let numbers = [1u32, 2, 3];
        let bytes = numbers.as_ptr().cast::<u8>().wrapping_add(1).cast::<u32>();
        // SAFETY: what is null, not aligned or too long is not read.
        unsafe {
            assert!(list::<u32>(ptr::null(), 0, "a").unwrap().is_empty());
            let of = |answer: Answer<&[u32]>| answer.unwrap_err().status;
            assert_eq!(of(list(ptr::null(), 1, "a")), FpStatus::Pointer);
            assert_eq!(of(list(bytes, 1, "a")), FpStatus::Pointer);
            assert_eq!(of(list(numbers.as_ptr(), usize::MAX / 4, "a")), FpStatus::Length);
            assert_eq!(positions(ptr::null(), usize::MAX).unwrap_err().status, FpStatus::Length);
        }
        let (mut place, mut length) = ([9u32; 2], 0);
        // SAFETY: there is room for two.
        let two = unsafe { room(place.as_mut_ptr(), 2, &mut length) }.unwrap();
        assert_eq!(two.fill(&numbers).unwrap_err().status, FpStatus::Buffer);
        let mut values = vec![5, 6];
        assert!(two.deliver(&mut values).is_ok() && values.is_empty());
        assert_eq!((place, length), ([5, 6], 2));
    }
}
