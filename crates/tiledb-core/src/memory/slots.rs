//! A vector whose parts several threads write, without clearing its memory first.
#![expect(unsafe_code, reason = "the length of a vector whose items were written through slots")]

use std::mem::MaybeUninit;

use super::with_capacity;
use crate::error::Result;

/// Part of a vector, written from its beginning.
pub struct Slot<'a, T> {
    room: &'a mut [MaybeUninit<T>],
    written: usize,
}

impl<T: Copy> Slot<'_, T> {
    /// Writes the next item. Panics if the slot is full.
    #[inline(always)]
    pub fn push(&mut self, item: T) {
        self.room[self.written].write(item);
        self.written += 1;
    }
}

/// A vector of parts, one after the other, of at most these sizes. Each part has an owner, one of `owners`; `write` gets the slots of
/// each owner in the order of the parts. Parts after a slot that is not filled move up.
///
/// # Errors
/// If memory does not suffice, and those of `write`.
pub fn written_by<T: Copy>(
    what: &str,
    owners: usize,
    parts: impl Iterator<Item = (usize, usize)> + Clone,
    write: impl FnOnce(&mut [Vec<Slot<'_, T>>]) -> Result<()>,
) -> Result<Vec<T>> {
    let count = parts.clone().map(|(_, size)| size).sum();
    let mut items: Vec<T> = with_capacity(what, count)?;
    let mut slots: Vec<Vec<Slot<'_, T>>> = Vec::new();
    slots.resize_with(owners, Vec::new);
    let mut rest = &mut items.spare_capacity_mut()[..count];
    for (owner, size) in parts.clone() {
        let (room, more) = rest.split_at_mut(size);
        slots[owner].push(Slot { room, written: 0 });
        rest = more;
    }
    write(&mut slots)?;
    let written = |slots: Vec<Slot<'_, T>>| slots.iter().map(|slot| slot.written).collect::<Vec<_>>().into_iter();
    let mut written: Vec<_> = slots.into_iter().map(written).collect();
    let (mut start, mut end) = (0, 0);
    for (owner, size) in parts {
        let written = written[owner].next().unwrap_or(0);
        if start > end {
            items.spare_capacity_mut().copy_within(start..start + written, end);
        }
        (start, end) = (start + size, end + written);
    }
    // SAFETY: the first `end` items of the capacity were written by slots, or moved from places that were.
    unsafe { items.set_len(end) };
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn parts_lie_one_after_the_other() {
        let parts = [(1, 2), (0, 1), (1, 0), (0, 3)];
        let numbers = written_by("numbers", 2, parts.into_iter(), |owners| {
            for (owner, slots) in owners.iter_mut().enumerate() {
                for (at, slot) in slots.iter_mut().enumerate() {
                    (0..slot.room.len()).for_each(|item| slot.push((owner, at, item)));
                }
            }
            Ok(())
        });
        assert_eq!(numbers.unwrap(), [(1, 0, 0), (1, 0, 1), (0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 2)]);
        assert!(written_by::<u8>("numbers", 0, [].into_iter(), |_| Ok(())).unwrap().is_empty());
    }

    #[test]
    fn shorter_parts_move_up() {
        for sizes in [[0, 0, 0], [0, 2, 1], [3, 0, 3], [1, 2, 3], [3, 3, 3]] {
            let numbers = written_by("numbers", 3, (0..3).map(|part| (part, 3)), |owners| {
                for (owner, size) in sizes.into_iter().enumerate() {
                    (0..size).for_each(|item| owners[owner][0].push((owner, item)));
                }
                Ok(())
            });
            let expected: Vec<_> = (0..3).flat_map(|part| (0..sizes[part]).map(move |item| (part, item))).collect();
            assert_eq!(numbers.unwrap(), expected);
        }
    }

    #[test]
    fn failures_are_passed_on() {
        assert!(written_by::<u8>("numbers", 1, [(0, usize::MAX)].into_iter(), |_| Ok(())).is_err());
        let stopped = written_by::<u8>("numbers", 1, [(0, 1)].into_iter(), |_| Err(Error::internal("stopped")));
        assert!(stopped.is_err());
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_full_slot_takes_nothing() {
        let _ = written_by("numbers", 1, [(0, 1)].into_iter(), |owners| {
            (0..2).for_each(|item| owners[0][0].push(item));
            Ok(())
        });
    }
}
