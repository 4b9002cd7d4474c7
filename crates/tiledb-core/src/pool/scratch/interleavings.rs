//! Scratch memory under many schedules.

use super::*;
use crate::sync::{explore, thread};

const SIZE: usize = 20_000;

fn is_filled(buffer: &[u8], value: u8) -> bool {
    buffer.iter().all(|&byte| byte == value)
}

#[test]
fn buffer_has_one_owner_and_retained_bytes_are_limited() {
    explore(|| {
        clear();
        set_retained_limit(u64::MAX);
        set_retained_limit((rounded(SIZE) * SHELVES) as u64);
        thread::scope(|scope| {
            for thread in 0..3u8 {
                scope.spawn(move || {
                    for _ in 0..2 {
                        let mut buffer = scratch(SIZE).unwrap();
                        buffer.fill(thread);
                        thread::yield_now();
                        assert!(is_filled(&buffer, thread), "another thread has the buffer");
                    }
                });
            }
        });
        let retained = STACK.each_ref().map(|shelf| retained_bytes(&shelf.try_lock().unwrap()));
        assert!(retained.iter().all(|bytes| [0, rounded(SIZE)].contains(bytes)), "{retained:?}");
    });
}

#[test]
fn limit_that_falls_while_buffers_are_returned_is_respected() {
    explore(|| {
        clear();
        set_retained_limit(u64::MAX);
        let buffers = [scratch(SIZE).unwrap(), scratch(SIZE).unwrap()];
        thread::scope(|scope| {
            buffers.into_iter().for_each(|buffer| _ = scope.spawn(|| drop(buffer)));
            scope.spawn(|| set_retained_limit(0));
        });
        let retained: usize = STACK.iter().map(|shelf| retained_bytes(&shelf.try_lock().unwrap())).sum();
        assert_eq!(retained, 0);
        set_retained_limit(u64::MAX);
    });
}
