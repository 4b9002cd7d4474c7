//! Fallible allocation: sizes that depend on data are reserved fallibly; small allocations fall back to an emergency
//! reserve.

mod pages;
mod reserve;
mod slots;

pub use pages::PageRun;
pub use slots::{Slot, written_by};

use crate::env;
use crate::error::{Error, ErrorKind, Result};
use crate::sort;

/// Checks for memory exhaustion; called at regular points of every operation.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`] if small allocations used the reserve and the system still has no memory.
#[inline]
pub fn check() -> Result<()> {
    if reserve::strained() && !reserve::relieved() { Err(exhausted()) } else { Ok(()) }
}

/// Checks at the start of an operation that there is memory, or enough of the reserve left to report errors, close
/// objects and free memory.
///
/// # Errors
/// As [`check`].
#[inline]
pub fn check_reserve() -> Result<()> {
    if reserve::strained() && reserve::is_low() { check() } else { Ok(()) }
}

#[cold]
fn exhausted() -> Error {
    Error::new(ErrorKind::OutOfMemory, "Out of memory; the system refuses any more to this process")
}

/// Checks whether the system could allocate this number of bytes at the moment.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`] if not.
pub fn probe(bytes: usize) -> Result<()> {
    with_capacity::<u8>("threads", bytes).map(|probe| drop(std::hint::black_box(probe)))
}

/// Allocates an empty vector with capacity for `count` items, whose number comes from data, a file or a caller.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`], naming `what`.
pub fn with_capacity<T>(what: &str, count: usize) -> Result<Vec<T>> {
    let mut items = Vec::new();
    if !env::has_memory() || items.try_reserve_exact(count).is_err() {
        return Err(out_of_memory::<T>(what, count));
    }
    Ok(items)
}

/// Reserves capacity for `more` items.
///
/// # Errors
/// As [`with_capacity`].
pub fn reserve<T>(what: &str, items: &mut Vec<T>, more: usize) -> Result<()> {
    if !env::has_memory() || items.try_reserve(more).is_err() {
        return Err(out_of_memory::<T>(what, items.len().saturating_add(more)));
    }
    Ok(())
}

/// Appends one of many items.
///
/// # Errors
/// As [`with_capacity`].
#[inline]
pub fn push<T>(what: &str, items: &mut Vec<T>, item: T) -> Result<()> {
    if items.len() == items.capacity() {
        reserve(what, items, 1)?;
    }
    items.push(item);
    Ok(())
}

/// `count` copies of `value`.
///
/// # Errors
/// As [`with_capacity`].
pub fn filled<T: Clone>(what: &str, value: T, count: usize) -> Result<Vec<T>> {
    let mut items = with_capacity(what, count)?;
    items.resize(count, value);
    Ok(items)
}

/// `count` zeros; memory that the system clears when it is touched is not written twice.
///
/// # Errors
/// As [`with_capacity`].
pub fn zeroed<T: bytemuck::Zeroable>(what: &str, count: usize) -> Result<Vec<T>> {
    if !env::has_memory() {
        return Err(out_of_memory::<T>(what, count));
    }
    bytemuck::try_zeroed_vec(count).map_err(|()| out_of_memory::<T>(what, count))
}

/// A copy of `items`.
///
/// # Errors
/// As [`with_capacity`].
pub fn copied<T: Clone>(what: &str, items: &[T]) -> Result<Vec<T>> {
    let mut copy = with_capacity(what, items.len())?;
    copy.extend_from_slice(items);
    Ok(copy)
}

/// Collects an iterator with a known length.
///
/// # Errors
/// As [`with_capacity`].
pub fn collect<T>(what: &str, items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut collected = with_capacity(what, items.size_hint().0)?;
    for item in items {
        push(what, &mut collected, item)?;
    }
    Ok(collected)
}

/// Stable sort of many items; first checks that the memory for it can be allocated: two indexes per item.
///
/// # Errors
/// As [`with_capacity`].
pub fn sort_by_key<T, K: Ord>(what: &str, items: &mut [T], key: impl FnMut(&T) -> K) -> Result<()> {
    drop(std::hint::black_box(with_capacity::<[usize; 2]>(what, items.len())?));
    sort::by_key(items, key);
    Ok(())
}

#[cold]
fn out_of_memory<T>(what: &str, count: usize) -> Error {
    Error::out_of_memory(what, count.saturating_mul(size_of::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_sizes_are_errors() {
        let error = with_capacity::<u64>("numbers", usize::MAX / 2).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
        assert!(error.text().contains("for numbers"), "{error}");
        assert!(filled("zeros", 0u8, isize::MAX as usize).is_err());
        assert_eq!(filled("ones", 1u8, 3).unwrap(), [1, 1, 1]);
    }

    #[test]
    fn collected_items_are_those_of_the_iterator() {
        assert_eq!(collect("numbers", (0..100).filter(|n| n % 2 == 0)).unwrap().len(), 50);
        assert_eq!(copied("numbers", &[1, 2, 3]).unwrap(), [1, 2, 3]);
    }
}
