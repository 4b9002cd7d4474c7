//! Fork-safe synchronization: a spin lock and a per-process value that stay usable in a child after `fork`, where only the
//! forking thread survives.
//!
//! A [`Lock`] that any thread of the parent held is unlocked in the child; a [`PerProcess`] value is created again in it. Both
//! compare generations: the number of forks in this process's line of ancestors, which differs between parent and child.
//!
//! Invariant: code that waits for a [`Lock`] allocates before it takes it ([`lock_with_spare`]), so that a slow allocator
//! never makes other threads spin. Caches that only use [`Lock::try_lock`] may allocate: no thread waits for them.
#![allow(unsafe_code, reason = "a lock and a list that no thread of the parent can leave closed in a child")]

use std::cell::UnsafeCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic as process;

use crate::platform;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use crate::sync::thread;

/// Number of forks in this process's line of ancestors.
static GENERATION: process::AtomicU32 = process::AtomicU32::new(0);

/// This process's generation: never 0, and different in a forked child. The first call registers the fork handlers.
#[inline]
fn generation() -> u32 {
    static REGISTERED: process::AtomicBool = process::AtomicBool::new(false);
    if !REGISTERED.load(Ordering::Relaxed) {
        register(&REGISTERED);
    }
    GENERATION.load(Ordering::Relaxed).wrapping_add(1).max(1)
}

/// Registers the fork handlers, once.
#[cold]
fn register(is_registered: &process::AtomicBool) {
    if !is_registered.swap(true, Ordering::Relaxed) {
        // They touch atomics only.
        platform::fork::register(before_fork, after_fork, in_child);
    }
}

/// A spin lock for critical sections of a few instructions.
///
/// If another thread of the parent held the lock during `fork`, the value may be half modified in the child: the child
/// discards it without reading or dropping it, and starts with a fresh one. A static lock can be held [across a
/// fork](Lock::lock_across_fork) instead: the fork handlers acquire it before `fork` and release it after.
pub struct Lock<T> {
    state: LockState,
    value: UnsafeCell<T>,
    /// Makes the value that replaces a discarded one.
    fresh: fn() -> T,
}

/// The state of a lock, and its node in the list of locks that are held across a fork.
struct LockState {
    /// Generation of the process that holds the lock; 0 if unlocked.
    generation: AtomicU32,
    is_listed: AtomicBool,
    next: AtomicPtr<LockState>,
}

// SAFETY: the value is reached only through the guard, and `state` lets one guard exist at a time in a process.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// Wraps `value`; `fresh` makes the replacement in a child that has to discard it.
    pub const fn new(value: T, fresh: fn() -> T) -> Self {
        let state = LockState {
            generation: AtomicU32::new(0),
            is_listed: AtomicBool::new(false),
            next: AtomicPtr::new(ptr::null_mut()),
        };
        Lock { state, value: UnsafeCell::new(value), fresh }
    }

    /// Acquires the lock, yielding to other threads while it is held elsewhere.
    pub fn lock(&self) -> LockGuard<'_, T> {
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            thread::yield_now();
        }
    }

    /// As [`Lock::lock`]; from the first call on, forks acquire the lock before and release it after, so that the child
    /// inherits a consistent value.
    pub fn lock_across_fork(&'static self) -> LockGuard<'static, T> {
        self.state.list();
        self.lock()
    }

    /// Acquires the lock if it is not held.
    pub fn try_lock(&self) -> Option<LockGuard<'_, T>> {
        let own = generation();
        match self.state.take(own) {
            Ok(()) => Some(LockGuard { lock: self, value: PhantomData }),
            Err(generation) if generation == own => None,
            Err(generation) => {
                // The holder is a thread of the parent, which does not exist in this process.
                let taken =
                    self.state.generation.compare_exchange(generation, own, Ordering::Acquire, Ordering::Relaxed);
                taken.ok()?;
                // SAFETY: this thread holds the lock. The old value, which may be half modified, is not read again.
                unsafe { ptr::write(self.value.get(), (self.fresh)()) };
                Some(LockGuard { lock: self, value: PhantomData })
            }
        }
    }
}

impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Lock::new(T::default(), T::default)
    }
}

impl LockState {
    #[inline]
    fn take(&self, own: u32) -> Result<(), u32> {
        self.generation.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).map(|_| ())
    }

    #[inline]
    fn release(&self) {
        self.generation.store(0, Ordering::Release);
    }

    /// Adds the lock to the list, once.
    fn list(&'static self) {
        if self.is_listed.load(Ordering::Relaxed) || self.is_listed.swap(true, Ordering::Relaxed) {
            return;
        }
        let own = ptr::from_ref(self).cast_mut();
        let mut first = ACROSS_FORK.load(Ordering::Relaxed);
        loop {
            self.next.store(first, Ordering::Relaxed);
            match ACROSS_FORK.compare_exchange_weak(first, own, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(current) => first = current,
            }
        }
    }
}

/// A collection that can be moved into a larger allocation.
pub trait Growable {
    fn len(&self) -> usize;
    fn capacity(&self) -> usize;
    fn with_capacity(count: usize) -> Self;
    /// Moves all items to the end of `larger`, which has capacity for them.
    fn move_to(&mut self, larger: &mut Self);
}

/// Implements [`Growable`] by a collection's own methods.
macro_rules! growable {
    (($($generics:tt)+) $type:ty, |$count:ident| $new:expr, |$from:ident, $to:ident| $move:expr) => {
        impl<$($generics)+> Growable for $type {
            fn len(&self) -> usize {
                self.len()
            }

            fn capacity(&self) -> usize {
                self.capacity()
            }

            fn with_capacity($count: usize) -> Self {
                $new
            }

            fn move_to(&mut self, larger: &mut Self) {
                let ($from, $to) = (self, larger);
                $move;
            }
        }
    };
}

growable!((T) Vec<T>, |count| Vec::with_capacity(count), |from, to| to.append(from));
growable!((T) VecDeque<T>, |count| VecDeque::with_capacity(count), |from, to| to.append(from));
growable!((T: Eq + Hash, S: BuildHasher + Default) HashSet<T, S>,
    |count| HashSet::with_capacity_and_hasher(count, S::default()), |from, to| to.extend(from.drain()));
growable!((K: Eq + Hash, V, S: BuildHasher + Default) HashMap<K, V, S>,
    |count| HashMap::with_capacity_and_hasher(count, S::default()), |from, to| to.extend(from.drain()));

/// Acquires a lock whose collection has spare capacity for `additional` items. Memory is allocated and freed only while
/// the lock is not held.
pub fn lock_with_spare<'a, T: Growable + 'a>(
    additional: usize,
    lock: impl Fn() -> LockGuard<'a, T>,
) -> LockGuard<'a, T> {
    loop {
        let guard = lock();
        let (len, capacity) = (guard.len(), guard.capacity());
        if capacity - len >= additional {
            return guard;
        }
        drop(guard);
        let mut larger = T::with_capacity(len.saturating_mul(2).max(len.saturating_add(additional)).max(LEAST_ITEMS));
        let mut guard = lock();
        // Other threads may have added items, or replaced the collection, in the meantime.
        if larger.capacity() > guard.capacity().max(guard.len()) {
            guard.move_to(&mut larger);
            std::mem::swap(&mut *guard, &mut larger);
        }
        // The lock is released before `larger`, now the old collection, is freed.
        drop(guard);
    }
}

/// Capacity of the first allocation of a [`Growable`] collection.
const LEAST_ITEMS: usize = 4;

/// Unlocks its [`Lock`] on drop.
pub struct LockGuard<'a, T> {
    lock: &'a Lock<T>,
    /// Makes the guard `Sync` only if the value is.
    value: PhantomData<T>,
}

impl<T> Deref for LockGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for LockGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard holds the lock.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for LockGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.state.release();
    }
}

/// Head of the list of locks that are held across a fork. They are static and never leave the list.
static ACROSS_FORK: AtomicPtr<LockState> = AtomicPtr::new(ptr::null_mut());

/// Head of the list at the start of the current fork. The C library lets only one thread fork at a time.
static ACQUIRED: AtomicPtr<LockState> = AtomicPtr::new(ptr::null_mut());

fn each(first: *mut LockState, visit: impl Fn(&LockState)) {
    let mut next = first;
    // SAFETY: only static locks are in the list.
    while let Some(state) = unsafe { next.as_ref() } {
        visit(state);
        next = state.next.load(Ordering::Relaxed);
    }
}

extern "C" fn before_fork() {
    let first = ACROSS_FORK.load(Ordering::Acquire);
    each(first, |state| {
        while state.take(generation()).is_err() {
            thread::yield_now();
        }
    });
    ACQUIRED.store(first, Ordering::Relaxed);
}

extern "C" fn after_fork() {
    each(ACQUIRED.load(Ordering::Relaxed), LockState::release);
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    after_fork();
}

/// A lazily created value for each process: a forked child creates its own and does not touch the parent's.
pub struct PerProcess<T>(AtomicPtr<Own<T>>);

struct Own<T> {
    generation: u32,
    value: T,
    /// The value of a descendant process.
    next: PerProcess<T>,
}

// SAFETY: callers obtain only shared references to values.
unsafe impl<T: Send + Sync> Send for PerProcess<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for PerProcess<T> {}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        PerProcess::new()
    }
}

impl<T> PerProcess<T> {
    /// Creates an empty cell.
    pub const fn new() -> Self {
        PerProcess(AtomicPtr::new(ptr::null_mut()))
    }

    /// Returns this process's value, creating it on first use. Lock-free: a child could inherit a held lock.
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        let own = generation();
        let mut node = self;
        loop {
            let initialized = node.0.load(Ordering::Acquire);
            // SAFETY: entries stay in the list as long as `self` lives.
            match unsafe { initialized.as_ref() } {
                Some(entry) if entry.generation == own => return &entry.value,
                Some(entry) => node = &entry.next,
                None => break,
            }
        }
        // The box gives its memory up before others see the address: moving it afterwards would invalidate what they have.
        let new = Box::into_raw(Box::new(Own { generation: own, value: init(), next: PerProcess::new() }));
        match node.0.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: the list now owns the entry, which lives as long as `self`.
            Ok(_) => unsafe { &(*new).value },
            // Another thread of this process won the race.
            Err(first) => {
                // SAFETY: the pointer came from a box, and nobody else has it.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: the list owns the entry, which lives as long as `self`.
                unsafe { &(*first).value }
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let mut next = std::mem::replace(self.0.get_mut(), ptr::null_mut());
        while !next.is_null() {
            // SAFETY: the pointer came from a box, and `self` is no longer borrowed.
            let mut entry = unsafe { Box::from_raw(next) };
            next = std::mem::replace(entry.next.0.get_mut(), ptr::null_mut());
            if entry.generation != generation() {
                // Leaked: a thread of the parent may have been modifying it during the fork.
                std::mem::forget(entry);
            }
        }
    }
}

#[cfg(test)]
#[cfg(shuttle)]
mod interleavings;

// Elsewhere nothing forks.
#[cfg(all(test, unix))]
mod tests {
    use std::hash::{BuildHasherDefault, DefaultHasher};

    use super::*;

    /// Runs `body` in a child process and returns its exit code.
    fn in_a_child(body: impl FnOnce() -> i32) -> i32 {
        // SAFETY: the child only runs `body`, which takes locks of this module, and ends.
        unsafe {
            match libc::fork() {
                0 => libc::_exit(body()),
                child => {
                    let mut status = 0;
                    libc::waitpid(child, &raw mut status, 0);
                    libc::WEXITSTATUS(status)
                }
            }
        }
    }

    #[test]
    fn one_thread_has_a_lock() {
        const ROUNDS: u64 = if cfg!(miri) { 50 } else { 10_000 };
        let lock = Lock::new(0u64, || 0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..ROUNDS).for_each(|_| *lock.lock() += 1));
            }
        });
        let guard = lock.lock();
        assert_eq!(*guard, 4 * ROUNDS);
        assert!(lock.try_lock().is_none());
    }

    #[test]
    fn collection_grows_while_its_lock_is_free() {
        const ROUNDS: usize = if cfg!(miri) { 12 } else { 500 };
        static SET: Lock<HashSet<usize, BuildHasherDefault<DefaultHasher>>> =
            Lock::new(HashSet::with_hasher(BuildHasherDefault::new()), HashSet::default);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for number in 0..ROUNDS {
                        let mut set = lock_with_spare(1, || SET.lock_across_fork());
                        let capacity = set.capacity();
                        assert!(set.insert(thread * ROUNDS + number));
                        // It may grow by a removed entry that is used again, not by an allocation.
                        assert!(set.capacity() <= capacity + 1, "the set allocated under its lock");
                        if number % 3 == 0 {
                            set.remove(&(thread * ROUNDS + number));
                        }
                    }
                });
            }
        });
        assert_eq!(SET.lock().len(), 4 * (ROUNDS - ROUNDS.div_ceil(3)));
        let queue: Lock<VecDeque<u8>> = Lock::default();
        assert!(lock_with_spare(100, || queue.lock()).capacity() >= 100);
    }

    #[test]
    #[cfg_attr(miri, ignore = "forks")]
    fn lock_of_another_thread_is_free_and_new_in_a_child() {
        let lock = Lock::new(7, || 1);
        assert_eq!(in_a_child(|| *lock.lock()), 7);
        let guard = lock.lock();
        assert_eq!(in_a_child(|| *lock.lock()), 1);
        assert_eq!(*guard, 7);
    }

    #[test]
    #[cfg_attr(miri, ignore = "forks")]
    fn lock_taken_across_a_fork_has_a_consistent_value_in_the_child() {
        static PAIR: Lock<[i32; 2]> = Lock::new([3, 3], || [0, 1]);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut value = PAIR.lock_across_fork();
                    value[0] += 1;
                    value[1] += 1;
                }
            });
            let is_whole = || {
                let value = PAIR.lock_across_fork();
                i32::from(value[0] == value[1])
            };
            PAIR.lock_across_fork();
            let whole = (0..50).filter(|_| in_a_child(is_whole) == 1).count();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(whole, 50);
        });
    }

    #[test]
    #[cfg_attr(miri, ignore = "forks")]
    fn a_child_has_a_value_of_its_own() {
        let value = PerProcess::new();
        assert_eq!(*value.get_or_init(|| 5), 5);
        assert_eq!(in_a_child(|| *value.get_or_init(|| 6) + *value.get_or_init(|| 7)), 12);
        assert_eq!(*value.get_or_init(|| 8), 5);
    }

    #[test]
    fn value_of_threads_that_race_is_made_by_one_of_them() {
        let value = PerProcess::new();
        let values = std::thread::scope(|scope| {
            let get = |thread: usize| *value.get_or_init(|| Box::new(thread)).as_ref();
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || get(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert!(values.iter().all(|other| *other == **value.get_or_init(|| unreachable!())));
    }
}
