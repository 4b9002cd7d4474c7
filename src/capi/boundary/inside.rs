//! Whether a thread is inside the library, what it needs there, and the set-up that runs once per process.

use std::cell::Cell;
use std::sync::Once;

use tiledb_core::platform::library::{keep_loaded, release_relocations};

thread_local! {
    /// How many barriers of this library are on this thread's stack.
    static DEPTH: Cell<u32> = const { Cell::new(UNKNOWN) };
}

/// The depth of a thread that never called the library.
const UNKNOWN: u32 = u32::MAX;

/// Initializes the thread-local values of Rust's runtime at the first call of a thread: later the system may have no memory
/// for them, which would abort the process.
#[cold]
fn meet_thread() {
    std::hint::black_box(std::thread::current().id());
    #[cfg(target_os = "linux")]
    if is_on_main_stack() && may_grow_stack() && has_address_space(2 * STACK) {
        grow_stack();
    }
}

/// Whether this is the stack of the main thread, which alone grows on demand. The only thread of a forked child may be a copy of
/// another one, with its smaller stack, and a program may run on stacks that it has allocated.
#[cfg(target_os = "linux")]
fn is_on_main_stack() -> bool {
    // The system puts these random bytes at the top of that stack, and maps nothing else within 128 MiB below.
    // SAFETY: the function has no preconditions.
    let top = unsafe { libc::getauxval(libc::AT_RANDOM) };
    let here = 0u8;
    (top as usize).wrapping_sub((&raw const here).addr()) < 64 << 20
}

/// Whether the process may map this number of additional bytes, regardless of free memory in its heap.
#[cfg(target_os = "linux")]
fn has_address_space(bytes: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: maps and unmaps new pages that nothing else uses.
    unsafe {
        let pages = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
        pages != libc::MAP_FAILED && libc::munmap(pages, bytes) == 0
    }
}

/// Whether the limit of the stack (`ulimit -s`) permits to grow it. Arguments and environment take a quarter of it at most.
#[cfg(target_os = "linux")]
fn may_grow_stack() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) == 0 };
    // SAFETY: the function has no preconditions.
    let top = unsafe { libc::getauxval(libc::AT_RANDOM) };
    let here = 0u8;
    let used = (top as usize).wrapping_sub((&raw const here).addr());
    is_known && limit.rlim_cur / 2 >= (used + STACK) as u64
}

/// Stack size that suffices for nearly all calls.
#[cfg(target_os = "linux")]
const STACK: usize = 256 << 10;

/// Grows the stack of the main thread in advance: unlike the stacks of other threads it grows on demand, out of the same
/// memory as all other allocations. Touches one page, on the supported processors.
#[cfg(target_os = "linux")]
#[inline(never)]
fn grow_stack() {
    // SAFETY: memory below the stack pointer is unused; the block restores the pointer.
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
pub(crate) struct Inside;

impl Inside {
    pub(crate) fn enter() -> Inside {
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

/// Silences panics inside the library, which become errors, keeps the library loaded, and frees what only loading it needed.
fn set_up() {
    keep_loaded();
    release_relocations();
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let worker = std::thread::current().name().is_some_and(|name| name.starts_with("tiledb-"));
        if !worker && matches!(DEPTH.with(Cell::get), 0 | UNKNOWN) {
            previous(info);
        }
    }));
}
