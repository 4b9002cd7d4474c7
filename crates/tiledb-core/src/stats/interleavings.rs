//! Counters under many schedules.

use super::*;
use crate::sync::{explore, thread};

#[test]
fn counts_of_all_threads_add_up_and_a_context_is_listed_once() {
    explore(|| {
        *CONTEXTS.lock() = Vec::new();
        let context = Stats::new();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let query = context.child();
                    query.add(Counter::VfsReads, 2);
                    context.add(Counter::VfsReads, 1);
                    assert_eq!(query.get(Counter::VfsReads), Some(2));
                });
            }
        });
        assert_eq!(context.get(Counter::VfsReads), Some(9));
        let contexts = std::mem::take(&mut *CONTEXTS.lock());
        assert_eq!(contexts.iter().filter(|context| context.strong_count() > 0).count(), 1);
    });
}

#[test]
fn contexts_that_count_for_the_first_time_together_are_all_listed() {
    explore(|| {
        *CONTEXTS.lock() = Vec::new();
        let contexts: [Stats; 4] = std::array::from_fn(|_| Stats::new());
        thread::scope(|scope| {
            for context in &contexts {
                scope.spawn(|| context.add(Counter::VfsReads, 1));
            }
            scope.spawn(dump_all);
        });
        let listed = std::mem::take(&mut *CONTEXTS.lock());
        assert_eq!(listed.len(), 4);
    });
}

#[test]
fn reset_loses_no_count_that_follows_it() {
    explore(|| {
        let context = Stats::unlisted();
        context.add(Counter::VfsReads, 100);
        reset();
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| context.add(Counter::VfsReads, 1));
            }
        });
        assert_eq!(context.get(Counter::VfsReads), Some(2));
    });
}
