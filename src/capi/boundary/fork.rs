//! What must be right in a child after `fork`, and the set-up that runs once per process.

use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often this process's line of ancestors forked.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// A number that is another one in a forked child.
fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// A small lock that the fork handlers can take and give back: held for a few instructions only. In a child it is free
/// where a thread of the parent held it that does not exist there. So what is locked is either a value that is replaced
/// at a stroke, or one of [`locks`].
pub(crate) struct SpinLock<T> {
    /// 0, or one more than the generation of the holder.
    holder: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through the guard, and `holder` lets one guard exist at a time in a process.
unsafe impl<T: Send> Sync for SpinLock<T> {}

/// Taking and giving back a lock without a guard.
pub(super) trait RawLock: Sync {
    fn acquire(&self);
    /// To be called by the thread that acquired it, or by its only copy in a forked child.
    fn release(&self);
}

impl<T> SpinLock<T> {
    pub(crate) const fn new(value: T) -> Self {
        SpinLock { holder: AtomicU32::new(0), value: UnsafeCell::new(value) }
    }

    pub(crate) fn lock(&self) -> SpinGuard<'_, T>
    where
        T: Send,
    {
        self.acquire();
        SpinGuard(self)
    }
}

impl<T: Send> RawLock for SpinLock<T> {
    fn acquire(&self) {
        let own = generation().wrapping_add(1).max(1);
        let mut holder = 0;
        while let Err(found) = self.holder.compare_exchange_weak(holder, own, Ordering::Acquire, Ordering::Relaxed) {
            // A holder of another generation exists only in the parent.
            holder = if found == own { 0 } else { found };
            std::thread::yield_now();
        }
    }

    fn release(&self) {
        self.holder.store(0, Ordering::Release);
    }
}

pub(crate) struct SpinGuard<'a, T: Send>(&'a SpinLock<T>);

impl<T: Send> Deref for SpinGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard holds the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T: Send> DerefMut for SpinGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard holds the lock.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T: Send> Drop for SpinGuard<'_, T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// The locks of the boundary, in the order in which the fork handlers take them.
fn locks() -> [&'static dyn RawLock; 2] {
    [super::handle::free_list_lock(), super::text::texts_lock()]
}

extern "C" fn before_fork() {
    for lock in locks() {
        lock.acquire();
    }
}

extern "C" fn in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    after_fork();
}

extern "C" fn after_fork() {
    for lock in locks().iter().rev() {
        lock.release();
    }
}

thread_local! {
    /// How many barriers of this library are on this thread's stack.
    static DEPTH: Cell<u32> = const { Cell::new(UNKNOWN) };
}

/// The depth of a thread that never called the library.
const UNKNOWN: u32 = u32::MAX;

/// Lets the thread's own values come into being at its first call: later the system may have no memory for them, which
/// would end the process.
#[cold]
fn meet_thread() {
    std::hint::black_box(std::thread::current().id());
    #[cfg(target_os = "linux")]
    if is_main() && has_address_space(2 * STACK) {
        grow_stack();
    }
}

#[cfg(target_os = "linux")]
fn is_main() -> bool {
    // SAFETY: both only ask.
    unsafe { libc::getpid() == libc::gettid() }
}

/// Whether the process may map so many bytes more, whatever its heap has left.
#[cfg(target_os = "linux")]
fn has_address_space(bytes: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: new pages that nobody uses are mapped and given back.
    unsafe {
        let pages = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
        pages != libc::MAP_FAILED && libc::munmap(pages, bytes) == 0
    }
}

/// Stack that a call takes at most as a rule.
#[cfg(target_os = "linux")]
const STACK: usize = 256 << 10;

/// Lets the stack of the main thread grow, which it does as it is used and, unlike that of others, out of the same
/// memory as all the rest. One page of it is touched, where the processor is known well enough.
#[cfg(target_os = "linux")]
#[inline(never)]
fn grow_stack() {
    // SAFETY: what lies below the stack pointer belongs to nobody; the pointer is as before when the block ends.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("sub rsp, {size}", "mov byte ptr [rsp], 0", "add rsp, {size}", size = const STACK);
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("sub sp, sp, {size}", "strb wzr, [sp]", "add sp, sp, {size}", size = in(reg) STACK);
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box([0u8; STACK]);
}

/// Marks this thread as inside the library while it lives.
pub(super) struct Inside;

impl Inside {
    pub(super) fn enter() -> Inside {
        static SET_UP: Once = Once::new();
        SET_UP.call_once(set_up);
        DEPTH.with(|depth| {
            if depth.get() == UNKNOWN {
                depth.set(0);
                meet_thread();
            }
            depth.set(depth.get() + 1);
        });
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get() - 1));
    }
}

/// Registers the fork handlers and silences panics inside the library: they become errors.
fn set_up() {
    // SAFETY: the handlers only take and give back spin locks; the library stays mapped.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child)) };
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let worker = std::thread::current().name().is_some_and(|name| name.starts_with("tiledb-"));
        if !worker && matches!(DEPTH.with(Cell::get), 0 | UNKNOWN) {
            previous(info);
        }
    }));
}
