//! The caller's memory: read and written byte by byte, at any alignment, as far as the caller says
//! that it reaches.
//!
//! # Safety
//!
//! The rule of every `unsafe` block of this crate, unless it states another: a pointer that came
//! from the caller is NULL, or points to what the header says it does, for the whole call. NULL is
//! checked before use, sizes and counts that the caller states before anything is touched by them.

use crate::misuse::Misuse;
use std::{mem::MaybeUninit, ptr};

/// A `#[repr(C)]` struct that begins with `struct_size: u32`.
///
/// # Safety
/// It has no padding, and any bytes are a valid value.
pub(crate) unsafe trait Growing: Copy {}

/// Length of `struct_size`.
const SIZE_FIELD: usize = size_of::<u32>();
/// By how much a caller's struct may be longer than ours. More is memory that was not initialised.
const MAX_GROWTH: usize = 4096;

/// Returns the size that the caller states for its struct.
pub(crate) unsafe fn stated_size<T: Growing>(theirs: *const T) -> Result<usize, Misuse> {
    if theirs.is_null() {
        return Err(Misuse::NULL);
    }
    // SAFETY: the module's rule; a struct that grows begins with its size.
    let size = unsafe { theirs.cast::<u32>().read_unaligned() } as usize;
    if (SIZE_FIELD..=size_of::<T>() + MAX_GROWTH).contains(&size) {
        Ok(size)
    } else {
        Err(Misuse {
            what: "struct_size is not that of a struct: use HD_INIT",
            number: size as u64,
            limit: size_of::<T>() as u64,
        })
    }
}

/// Writes as much of `value` as the caller's struct can hold, and zeros behind it; `struct_size`
/// stays the caller's.
pub(crate) unsafe fn write<T: Growing>(theirs: *mut T, value: &T) -> Result<(), Misuse> {
    // SAFETY: the module's rule.
    let size = unsafe { stated_size(theirs) }?;
    let known = size.min(size_of::<T>());
    let (to, from) = (theirs.cast::<u8>(), ptr::from_ref(value).cast::<u8>());
    // SAFETY: the module's rule; the caller's struct has `size` bytes, ours at least `known`.
    unsafe {
        ptr::copy_nonoverlapping(from.add(SIZE_FIELD), to.add(SIZE_FIELD), known - SIZE_FIELD);
        ptr::write_bytes(to.add(known), 0, size - known);
    }
    Ok(())
}

/// Reads the caller's struct; fields that it does not have are 0.
pub(crate) unsafe fn read<T: Growing>(theirs: *const T) -> Result<T, Misuse> {
    // SAFETY: the module's rule.
    let known = unsafe { stated_size(theirs) }?.min(size_of::<T>());
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the module's rule; both have `known` bytes, and any bytes are a value.
    unsafe {
        ptr::copy_nonoverlapping(theirs.cast::<u8>(), value.as_mut_ptr().cast::<u8>(), known);
        Ok(value.assume_init())
    }
}

/// Writes a value that does not grow.
pub(crate) unsafe fn put<T: Copy>(theirs: *mut T, value: T) -> Result<(), Misuse> {
    if theirs.is_null() {
        return Err(Misuse::NULL);
    }
    // SAFETY: the module's rule.
    unsafe { theirs.write_unaligned(value) };
    Ok(())
}

/// Reads a caller's text.
pub(crate) unsafe fn text(start: *const u8, length: usize) -> Result<String, Misuse> {
    // SAFETY: the module's rule.
    let bytes = unsafe { copy(start, length) }?;
    String::from_utf8(bytes).map_err(|error| Misuse {
        what: "a text is not UTF-8 from byte `number` on",
        number: error.utf8_error().valid_up_to() as u64,
        limit: 0,
    })
}

/// Copies `count` elements of any plain type out of the caller's array.
pub(crate) unsafe fn copy<T: Copy>(start: *const T, count: usize) -> Result<Vec<T>, Misuse> {
    let too_many = Misuse {
        what: "a count of elements is more than memory can hold",
        number: count as u64,
        limit: (isize::MAX as usize / size_of::<T>().max(1)) as u64,
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    if start.is_null() {
        return Err(Misuse::NULL);
    }
    if count as u64 > too_many.limit {
        return Err(too_many);
    }
    let mut all = Vec::<T>::new();
    all.try_reserve_exact(count).map_err(|_| too_many)?;
    // SAFETY: the module's rule; the list has the capacity, and all of its first `count` elements
    // are written.
    unsafe {
        ptr::copy_nonoverlapping(
            start.cast::<u8>(),
            all.as_mut_ptr().cast::<u8>(),
            count * size_of::<T>(),
        );
        all.set_len(count);
    }
    Ok(all)
}

/// Writes `values` to the start of the caller's array of `capacity` elements.
pub(crate) unsafe fn fill<T: Copy>(
    theirs: *mut T,
    capacity: usize,
    values: &[T],
) -> Result<(), Misuse> {
    if values.len() > capacity {
        return Err(Misuse::capacity(values.len(), capacity));
    }
    if values.is_empty() {
        return Ok(());
    }
    if theirs.is_null() {
        return Err(Misuse::NULL);
    }
    // SAFETY: the module's rule; the caller's array has `capacity` elements, which are enough.
    unsafe {
        ptr::copy_nonoverlapping(
            values.as_ptr().cast::<u8>(),
            theirs.cast::<u8>(),
            size_of_val(values),
        );
    }
    Ok(())
}
