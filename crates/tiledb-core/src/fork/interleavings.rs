//! Locks and values of processes under many schedules.

use std::cell::Cell;
use std::sync::Arc;

use super::*;
use crate::sync::atomic::AtomicUsize;
use crate::sync::{exhaust, explore, thread};

/// A value that notices when two threads change it at once: the change has a switch of threads in its midst.
#[derive(Default)]
struct Watched(Cell<u32>);

impl Watched {
    fn add(&mut self) {
        let before = self.0.get();
        thread::yield_now();
        self.0.set(before + 1);
    }
}

#[test]
fn lock_admits_one_thread_at_a_time() {
    explore(|| {
        let lock: Lock<Watched> = Lock::default();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    lock.lock().add();
                    if let Some(mut guard) = lock.try_lock() {
                        guard.add();
                    }
                    lock.lock().add();
                });
            }
        });
        let count = lock.try_lock().unwrap().0.get();
        assert!((6..=9).contains(&count), "{count}");
    });
}

#[test]
fn lock_of_a_thread_of_the_parent_is_made_new_by_one_thread_and_admits_one_at_a_time() {
    explore(|| {
        let lock: Lock<Watched> = Lock::default();
        lock.lock().add();
        // As in a child whose parent's thread held the lock.
        lock.state.generation.store(generation().wrapping_add(1), Ordering::SeqCst);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| lock.lock().add());
            }
        });
        assert_eq!(lock.lock().0.get(), 3, "the old value counts, or a thread made it new after another one");
    });
}

#[test]
fn value_of_the_parent_is_not_used_and_threads_of_the_child_share_one() {
    exhaust(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let value = PerProcess::new();
        // As in a child: the first value is that of another generation.
        let of_parent =
            Own { generation: generation().wrapping_add(1), value: Live::new(&count), next: PerProcess::new() };
        value.0.store(Box::into_raw(Box::new(of_parent)), Ordering::SeqCst);
        let first = value.0.load(Ordering::SeqCst);
        // SAFETY: the list owns the entry.
        let of_parent = ptr::from_ref(unsafe { &(*first).value }) as usize;
        let get = || ptr::from_ref(value.get_or_init(|| Live::new(&count))) as usize;
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(get);
            (get(), other.join().unwrap())
        });
        assert!(one == other && one != of_parent);
        assert_eq!(count.load(Ordering::Relaxed), 2);
        drop(value);
        // That of the parent is not dropped.
        assert_eq!(count.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn locked_collection_grows_without_losing_items_of_other_threads() {
    explore(|| {
        let lock: Lock<Vec<usize>> = Lock::default();
        thread::scope(|scope| {
            for number in 0..3 {
                let lock = &lock;
                scope.spawn(move || {
                    for item in [number, 10 + number] {
                        let mut items = lock_with_spare(1, || lock.lock());
                        let capacity = items.capacity();
                        items.push(item);
                        assert_eq!(items.capacity(), capacity, "the vector allocated under its lock");
                    }
                });
            }
        });
        let mut items = std::mem::take(&mut *lock.lock());
        items.sort_unstable();
        assert_eq!(items, [0, 1, 2, 10, 11, 12]);
    });
}

#[test]
fn fork_holds_exactly_the_listed_locks_and_finds_them_consistent() {
    explore(|| {
        // Static as far as the schedule goes on; the list of locks ends with it.
        ACROSS_FORK.store(ptr::null_mut(), Ordering::Relaxed);
        let locks: &'static [Lock<[u32; 2]>] = Box::leak(Box::new([Lock::default(), Lock::default()]));
        let change = |lock: &'static Lock<[u32; 2]>| {
            let mut pair = lock.lock_across_fork();
            pair[0] += 1;
            thread::yield_now();
            pair[1] += 1;
        };
        change(&locks[0]);
        thread::scope(|scope| {
            scope.spawn(move || change(&locks[0]));
            scope.spawn(move || change(&locks[1]));
            scope.spawn(move || change(&locks[1]));
            scope.spawn(move || {
                before_fork();
                each(ACQUIRED.load(Ordering::Relaxed), |state| {
                    assert!(state.take(generation()).is_err(), "the fork does not hold a listed lock");
                });
                // SAFETY: the fork holds this lock, which was listed before, so that no thread changes its value.
                let [first, second] = unsafe { *locks[0].value.get() };
                assert_eq!(first, second);
                after_fork();
            });
        });
        let listed = Cell::new(0);
        each(ACROSS_FORK.load(Ordering::Acquire), |_| listed.set(listed.get() + 1));
        assert_eq!(listed.get(), 2, "each lock is listed once");
        for (lock, count) in locks.iter().zip([2, 2]) {
            assert_eq!(*lock.try_lock().unwrap(), [count; 2]);
        }
    });
}

/// Counts the values that live.
struct Live(Arc<AtomicUsize>);

impl Live {
    fn new(count: &Arc<AtomicUsize>) -> Live {
        count.fetch_add(1, Ordering::Relaxed);
        Live(Arc::clone(count))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[test]
fn value_of_a_process_is_one_for_all_threads_and_others_are_dropped() {
    exhaust(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let value = PerProcess::new();
        let get = || ptr::from_ref(value.get_or_init(|| Live::new(&count))) as usize;
        let (one, other) = thread::scope(|scope| {
            let other = scope.spawn(get);
            (get(), other.join().unwrap())
        });
        assert_eq!(one, other);
        assert_eq!(count.load(Ordering::Relaxed), 1);
        drop(value);
        assert_eq!(count.load(Ordering::Relaxed), 0);
    });
}
