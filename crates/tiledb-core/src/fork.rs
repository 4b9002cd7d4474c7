//! What stays right in a child after `fork`, where of all threads only the one that forked exists.
//!
//! There are two tools. A [`Lock`] is free in a child whoever held it in the parent, and a [`PerProcess`] value begins
//! anew in it. Both count how often this process's line of ancestors forked: that number is another one in a child.
#![allow(unsafe_code, reason = "a lock and a list that no thread of the parent can leave closed in a child")]

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// How often this process's line of ancestors forked.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// A number that is another one in a forked child; never 0.
fn generation() -> u32 {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if !REGISTERED.load(Ordering::Relaxed) && !REGISTERED.swap(true, Ordering::Relaxed) {
        // SAFETY: the handlers touch atomics only; the library stays mapped.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
    }
    GENERATION.load(Ordering::Relaxed).wrapping_add(1).max(1)
}

/// A small lock, held for a few instructions only.
///
/// In a child it is free where a thread of the parent held it. That thread may have been amid a change, so that the value
/// is given up there, unseen and undropped, for a new one. A static lock can be [kept](Lock::lock_kept) through a fork: it
/// is taken before and given back after it.
pub struct Lock<T> {
    holder: Holder,
    value: UnsafeCell<T>,
    /// What takes the place of a value that is given up.
    fresh: fn() -> T,
}

/// Who holds a lock, and its place in the list of those that are kept through a fork.
struct Holder {
    /// The generation of the holder, or 0.
    generation: AtomicU32,
    is_listed: AtomicBool,
    next: AtomicPtr<Holder>,
}

// SAFETY: the value is reached only through the guard, and `holder` lets one guard exist at a time in a process.
unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// A lock around `value`; `fresh` makes another one where this is given up.
    pub const fn new(value: T, fresh: fn() -> T) -> Self {
        let holder = Holder {
            generation: AtomicU32::new(0),
            is_listed: AtomicBool::new(false),
            next: AtomicPtr::new(ptr::null_mut()),
        };
        Lock { holder, value: UnsafeCell::new(value), fresh }
    }

    /// Waits for the lock.
    pub fn lock(&self) -> LockGuard<'_, T> {
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            std::thread::yield_now();
        }
    }

    /// As [`Lock::lock`]; from now on the lock is taken before a fork and given back after it, so that its value is whole
    /// in the child.
    pub fn lock_across_fork(&'static self) -> LockGuard<'static, T> {
        self.holder.list();
        self.lock()
    }

    /// The lock, if nobody else has it.
    pub fn try_lock(&self) -> Option<LockGuard<'_, T>> {
        let own = generation();
        match self.holder.take(own) {
            Ok(()) => Some(LockGuard { lock: self, value: PhantomData }),
            Err(found) if found == own => None,
            Err(found) => {
                // Its holder exists in the parent only.
                let taken = self.holder.generation.compare_exchange(found, own, Ordering::Acquire, Ordering::Relaxed);
                taken.ok()?;
                // SAFETY: the lock is ours. The old value may be half changed: nobody looks at it any more.
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

impl Holder {
    fn take(&self, own: u32) -> Result<(), u32> {
        self.generation.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).map(|_| ())
    }

    fn release(&self) {
        self.generation.store(0, Ordering::Release);
    }

    /// Enters the list, once.
    fn list(&'static self) {
        if self.is_listed.load(Ordering::Relaxed) || self.is_listed.swap(true, Ordering::Relaxed) {
            return;
        }
        let own = ptr::from_ref(self).cast_mut();
        let mut first = KEPT.load(Ordering::Relaxed);
        loop {
            self.next.store(first, Ordering::Relaxed);
            match KEPT.compare_exchange_weak(first, own, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(found) => first = found,
            }
        }
    }
}

/// The one who holds a [`Lock`].
pub struct LockGuard<'a, T> {
    lock: &'a Lock<T>,
    /// Shared between threads only where the value may be.
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
        self.lock.holder.release();
    }
}

/// The first of the locks that are kept through a fork; they are static, and never leave the list.
static KEPT: AtomicPtr<Holder> = AtomicPtr::new(ptr::null_mut());

/// The first of those that were taken for the fork that is going on. One thread forks at a time: the C library sees to that.
static TAKEN: AtomicPtr<Holder> = AtomicPtr::new(ptr::null_mut());

fn each(first: *mut Holder, visit: impl Fn(&Holder)) {
    let mut next = first;
    // SAFETY: only static locks are in the list.
    while let Some(holder) = unsafe { next.as_ref() } {
        visit(holder);
        next = holder.next.load(Ordering::Relaxed);
    }
}

extern "C" fn before_fork() {
    let first = KEPT.load(Ordering::Acquire);
    each(first, |holder| {
        while holder.take(generation()).is_err() {
            std::thread::yield_now();
        }
    });
    TAKEN.store(first, Ordering::Relaxed);
}

extern "C" fn after_fork() {
    each(TAKEN.load(Ordering::Relaxed), Holder::release);
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    after_fork();
}

/// A value that a process has for itself: a forked child begins with a new one, and leaves that of its parent alone.
pub struct PerProcess<T>(AtomicPtr<Own<T>>);

struct Own<T> {
    generation: u32,
    value: T,
    /// That of the next child in this line.
    next: PerProcess<T>,
}

// SAFETY: values are only lent, and only shared.
unsafe impl<T: Send + Sync> Send for PerProcess<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for PerProcess<T> {}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        PerProcess::new()
    }
}

impl<T> PerProcess<T> {
    /// No value yet.
    pub const fn new() -> Self {
        PerProcess(AtomicPtr::new(ptr::null_mut()))
    }

    /// The value of this process, made if there is none yet. No lock is needed, which a child might inherit.
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        let own = generation();
        let mut place = self;
        loop {
            let found = place.0.load(Ordering::Acquire);
            // SAFETY: what is in the list stays there as long as `self`.
            match unsafe { found.as_ref() } {
                Some(entry) if entry.generation == own => return &entry.value,
                Some(entry) => place = &entry.next,
                None => break,
            }
        }
        let mut new = Box::new(Own { generation: own, value: init(), next: PerProcess::new() });
        match place.0.compare_exchange(ptr::null_mut(), &raw mut *new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: the list owns the entry from now on, which stays there as long as `self`.
            Ok(_) => unsafe { &(*Box::into_raw(new)).value },
            // Another thread was faster, which is of this process.
            // SAFETY: as above.
            Err(found) => unsafe { &(*found).value },
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let mut next = std::mem::replace(self.0.get_mut(), ptr::null_mut());
        while !next.is_null() {
            // SAFETY: it came from a box, and nobody borrows from `self` any more.
            let mut entry = unsafe { Box::from_raw(next) };
            next = std::mem::replace(entry.next.0.get_mut(), ptr::null_mut());
            if entry.generation != generation() {
                // A thread of the parent may have been amid a change.
                std::mem::forget(entry);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `body` in a child and gives the number it ends with.
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
        let lock = Lock::new(0u64, || 0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| *lock.lock() += 1));
            }
        });
        let held = lock.lock();
        assert_eq!(*held, 40_000);
        assert!(lock.try_lock().is_none());
    }

    #[test]
    fn a_lock_that_another_thread_held_is_free_and_new_in_a_child() {
        let lock = Lock::new(7, || 1);
        assert_eq!(in_a_child(|| *lock.lock()), 7);
        let held = lock.lock();
        assert_eq!(in_a_child(|| *lock.lock()), 1);
        assert_eq!(*held, 7);
    }

    #[test]
    fn a_kept_lock_is_whole_in_a_child() {
        static KEPT: Lock<[i32; 2]> = Lock::new([3, 3], || [0, 1]);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut value = KEPT.lock_across_fork();
                    value[0] += 1;
                    value[1] += 1;
                }
            });
            let is_whole = || {
                let value = KEPT.lock_across_fork();
                i32::from(value[0] == value[1])
            };
            KEPT.lock_across_fork();
            let whole = (0..50).filter(|_| in_a_child(is_whole) == 1).count();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(whole, 50);
        });
    }

    #[test]
    fn a_child_has_a_value_of_its_own() {
        let value = PerProcess::new();
        assert_eq!(*value.get_or_init(|| 5), 5);
        assert_eq!(in_a_child(|| *value.get_or_init(|| 6) + *value.get_or_init(|| 7)), 12);
        assert_eq!(*value.get_or_init(|| 8), 5);
    }
}
