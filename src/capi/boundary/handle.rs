//! Handles of the C interface: slots in slabs whose memory is only reused for handles and never unmapped.
//!
//! A C handle is the address of a [`Slot`]: one atomic word (live flag, closing flag, pin count), a shared pointer to the
//! object, and the type of the handle, which determines the type of the object. Each use of a handle checks that the address is
//! an aligned slot of a known slab, before anything is read from it; then it pins the slot, checks the type, and returns a
//! guard. Freeing sets the closing flag; the last unpin drops the object. So a handle may be freed during a call that uses it,
//! and a stale, foreign or wild pointer is rejected, or at worst refers to a newer handle of the same type: freed slots are
//! reused last. Calls take no lock.

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use tiledb_core::fork::{Lock, lock_with_spare};

/// A type of handle: the implementing type has its C name, [`Handle::Object`] is the object.
pub(crate) trait Handle: Sized + 'static {
    /// The object of a handle of this type.
    type Object: Send + Sync + 'static;
    /// The error for an argument that is not a handle of this type.
    const INVALID: &'static str;
    /// The object of a process constant at this address, if the type has such constants.
    fn constant(_address: *const Self) -> Option<Arc<Self::Object>> {
        None
    }
}

/// A process constant that C knows by address; never freed.
#[repr(C, align(64))]
pub struct Constant(u8);

impl Constant {
    /// A constant; it has no content, only an address.
    pub(crate) const fn new(content: u8) -> Constant {
        Constant(content)
    }
}

/// The exported pointer to a process constant, initialised at compile time: `const T *`.
///
/// It is atomic so that it is in writable memory, as in libtiledb. A program's linker copies the section of an exported
/// variable: were this one read-only after relocation, so would be the program's copy, and libtiledb, which sets the
/// variable when it is loaded, could not replace this library.
#[repr(transparent)]
pub struct ConstHandle<T>(AtomicPtr<T>);

impl<T> ConstHandle<T> {
    /// The handle of a constant.
    pub(crate) const fn new(constant: &'static Constant) -> Self {
        ConstHandle(AtomicPtr::new(std::ptr::from_ref(constant).cast_mut().cast()))
    }

    /// The pointer as C sees it.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.0.load(Ordering::Relaxed)
    }
}

const LIVE: u64 = 1;
const CLOSING: u64 = 2;
const PIN: u64 = 1 << 32;

/// One handle: 64 bytes, so that pins of neighbours do not share a cache line.
#[repr(C, align(64))]
struct Slot {
    state: AtomicU64,
    /// From `Arc::into_raw` of the kind's object; owned by the slot from `insert` to `reclaim`.
    object: UnsafeCell<*const ()>,
    /// What the object is: the content of handles of this type.
    held: UnsafeCell<Held>,
}

/// The type of a handle, and how its object is dropped.
#[derive(Clone, Copy)]
struct Held {
    handle: TypeId,
    drop: unsafe fn(*const ()),
}

// SAFETY: `object` and `held` are written only while the slot is free or being reclaimed, when no
// other thread may touch it, and read only under a pin.
unsafe impl Sync for Slot {}

const FIRST_SLAB: usize = 64;
const SLABS: usize = 26;

/// Slab `i` holds `FIRST_SLAB << i` slots; null until it is needed.
static SLAB: [AtomicPtr<Slot>; SLABS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLABS];

/// Free slots, the longest free first.
static FREE: Lock<VecDeque<&'static Slot>> = Lock::new(VecDeque::new(), VecDeque::new);

/// How many handles live in the whole process.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How many handles live in the whole process.
pub(crate) fn live_handles() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// The slab that contains an address, and the offset of the address in it.
fn slab_at(address: usize) -> Option<(*const Slot, usize)> {
    for (number, slab) in SLAB.iter().enumerate() {
        let base = slab.load(Ordering::Acquire).cast_const();
        if base.is_null() {
            return None;
        }
        let offset = address.wrapping_sub(base as usize);
        if offset < (FIRST_SLAB << number) * size_of::<Slot>() {
            return Some((base, offset));
        }
    }
    None
}

/// The slot at this address, if it is one.
fn slot_at(address: usize) -> Option<&'static Slot> {
    let (base, offset) = slab_at(address)?;
    // SAFETY: the slot is within the slab, which lives as long as the process.
    offset.is_multiple_of(size_of::<Slot>()).then(|| unsafe { &*base.add(offset / size_of::<Slot>()) })
}

/// True if the address is in memory of handles, where callers have no variables.
pub(super) fn is_in_slab(address: usize) -> bool {
    slab_at(address).is_some()
}

/// Puts an object into a free slot and gives the handle C gets.
pub(super) fn insert<H: Handle>(object: Arc<H::Object>) -> *mut H {
    let Some(slot) = take_slot() else { return ptr::null_mut() };
    COUNT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the slot came from the free list, so it is ours alone until `state` says otherwise.
    unsafe {
        *slot.object.get() = Arc::into_raw(object).cast();
        *slot.held.get() = Held { handle: TypeId::of::<H>(), drop: drop_object::<H::Object> };
    }
    slot.state.store(LIVE, Ordering::Release);
    ptr::from_ref(slot).cast_mut().cast()
}

/// Takes the slot that has been free for longest; adds a slab, twice as large as the last one, if none is free. `None` if
/// there are as many slabs as there can be.
fn take_slot() -> Option<&'static Slot> {
    loop {
        let number = {
            let mut free = FREE.lock_across_fork();
            match free.pop_front() {
                Some(slot) => return Some(slot),
                None => SLAB.iter().position(|slab| slab.load(Ordering::Relaxed).is_null())?,
            }
        };
        add_slab(number);
    }
}

/// Adds slab `number` to the free list, unless another thread does so first. It is allocated while the lock is not held.
fn add_slab(number: usize) {
    let nothing = Held { handle: TypeId::of::<()>(), drop: drop_nothing };
    let new_slot =
        || Slot { state: AtomicU64::new(0), object: UnsafeCell::new(ptr::null()), held: UnsafeCell::new(nothing) };
    let slab: Box<[Slot]> = (0..FIRST_SLAB << number).map(|_| new_slot()).collect();
    // Capacity for every slot of all slabs: returning one to the list never allocates.
    let slots = FIRST_SLAB * ((2 << number) - 1);
    let mut free = lock_with_spare(slots, || FREE.lock_across_fork());
    if SLAB[number].load(Ordering::Relaxed).is_null() {
        let slab: &'static [Slot] = Box::leak(slab);
        free.extend(slab);
        SLAB[number].store(slab.as_ptr().cast_mut(), Ordering::Release);
    } else {
        drop(free);
        drop(slab);
    }
}

unsafe fn drop_nothing(_: *const ()) {}

/// # Safety
/// `object` must come from `Arc::<T>::into_raw` and own its count.
unsafe fn drop_object<T>(object: *const ()) {
    // SAFETY: the caller's promise.
    drop(unsafe { Arc::from_raw(object.cast::<T>()) });
}

impl Slot {
    /// Keeps the object if it is that of a live handle of this type.
    fn pin<H: Handle>(&'static self) -> bool {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            if state & (LIVE | CLOSING) != LIVE {
                return false;
            }
            match self.state.compare_exchange_weak(state, state + PIN, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        // SAFETY: it is not written while the slot is pinned.
        let is_kind = unsafe { (*self.held.get()).handle } == TypeId::of::<H>();
        if !is_kind {
            self.unpin();
        }
        is_kind
    }

    fn unpin(&'static self) {
        let before = self.state.fetch_sub(PIN, Ordering::AcqRel);
        if before & CLOSING != 0 && before >> 32 == 1 {
            self.reclaim();
        }
    }

    /// Takes the object out, gives the slot back and drops the object.
    fn reclaim(&'static self) {
        // SAFETY: the closing flag is set and the last pin is gone, so no other thread can pin the
        // slot again before `state` is stored: object and drop function are ours.
        let (object, held) = unsafe { (self.object.get().replace(ptr::null()), self.held.get().read()) };
        COUNT.fetch_sub(1, Ordering::Relaxed);
        self.state.store(0, Ordering::Release);
        FREE.lock_across_fork().push_back(self);
        // SAFETY: `insert` stored the two together.
        unsafe { (held.drop)(object) };
    }
}

/// The guard of a handle in use: it derefs to the object, which stays alive as long as the guard.
pub(crate) struct Pinned<H: Handle>(Source<H>);

enum Source<H: Handle> {
    Slot { slot: &'static Slot, kind: PhantomData<H> },
    Constant(Arc<H::Object>),
}

impl<H: Handle> Pinned<H> {
    /// The guard of the handle at this address, if it is a live one of the kind.
    pub(super) fn new(address: *const H) -> Option<Pinned<H>> {
        if address.is_null() {
            return None;
        }
        if let Some(slot) = slot_at(address as usize) {
            return slot.pin::<H>().then(|| Pinned(Source::Slot { slot, kind: PhantomData }));
        }
        H::constant(address).map(|object| Pinned(Source::Constant(object)))
    }

    /// A share of the object, which then outlives the handle.
    pub(crate) fn share(&self) -> Arc<H::Object> {
        match &self.0 {
            // SAFETY: under our pin the pointer stays valid, and it came from `Arc::into_raw` of
            // this kind's object; the count is raised before a second owner is made of it.
            Source::Slot { slot, .. } => unsafe {
                let object = slot.object.get().read().cast::<H::Object>();
                Arc::increment_strong_count(object);
                Arc::from_raw(object)
            },
            Source::Constant(object) => Arc::clone(object),
        }
    }

    /// Marks the handle as closing: it is refused from now on and goes with its last guard. False
    /// for a constant.
    pub(super) fn close(self) -> bool {
        match &self.0 {
            Source::Slot { slot, .. } => {
                slot.state.fetch_or(CLOSING, Ordering::AcqRel);
                true
            }
            Source::Constant(_) => false,
        }
    }
}

impl<H: Handle> Deref for Pinned<H> {
    type Target = H::Object;

    fn deref(&self) -> &H::Object {
        match &self.0 {
            // SAFETY: as in `share`; the object lives until the last pin is gone.
            Source::Slot { slot, .. } => unsafe { &*slot.object.get().read().cast::<H::Object>() },
            Source::Constant(object) => object,
        }
    }
}

impl<H: Handle> Drop for Pinned<H> {
    fn drop(&mut self) {
        if let Source::Slot { slot, .. } = &self.0 {
            slot.unpin();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Apple;
    impl Handle for Apple {
        type Object = String;
        const INVALID: &'static str = "no apple";
    }
    struct Pear;
    impl Handle for Pear {
        type Object = u8;
        const INVALID: &'static str = "no pear";
    }

    #[test]
    fn only_live_handles_of_the_kind_are_accepted() {
        let apple = insert::<Apple>(Arc::new("apple".to_owned()));
        assert_eq!(*Pinned::new(apple).unwrap(), "apple");
        assert!(Pinned::<Pear>::new(apple.cast()).is_none());
        assert!(Pinned::<Apple>::new(apple.wrapping_byte_add(8)).is_none());
        let local = 0u64;
        assert!(Pinned::<Apple>::new(ptr::from_ref(&local).cast()).is_none());
        assert!(Pinned::<Apple>::new(ptr::null()).is_none());
        assert!(Pinned::new(apple).unwrap().close());
        assert!(Pinned::new(apple).is_none());
    }

    #[test]
    fn a_handle_freed_beside_a_call_lives_until_the_call_ends() {
        let apple = insert::<Apple>(Arc::new("late".to_owned()));
        let in_use = Pinned::new(apple).unwrap();
        assert!(Pinned::new(apple).unwrap().close());
        assert!(Pinned::new(apple).is_none());
        assert_eq!(*in_use, "late");
    }

    #[test]
    fn threads_that_race_to_add_slabs_get_distinct_slots() {
        struct Fig;
        impl Handle for Fig {
            type Object = usize;
            const INVALID: &'static str = "no fig";
        }
        let figs: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8_usize)
                .map(|thread| {
                    scope.spawn(move || {
                        let insert = |number| insert::<Fig>(Arc::new(thread * 1000 + number)) as usize;
                        (0..1000).map(insert).collect::<Vec<_>>()
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let distinct: std::collections::HashSet<usize> = figs.iter().copied().collect();
        assert_eq!(distinct.len(), 8000);
        for (number, fig) in figs.iter().enumerate() {
            let pinned = Pinned::new(*fig as *const Fig).unwrap();
            assert_eq!(*pinned, number);
            assert!(pinned.close());
        }
        let slabs = SLAB.iter().filter(|slab| !slab.load(Ordering::Acquire).is_null()).count();
        let free = FREE.lock_across_fork();
        assert!(free.len() >= 1000 && free.capacity() >= FIRST_SLAB * ((1 << slabs) - 1));
    }

    #[test]
    fn many_threads_may_race_to_free() {
        let dropped = Arc::new(());
        struct Plum;
        impl Handle for Plum {
            type Object = Arc<()>;
            const INVALID: &'static str = "no plum";
        }
        for _ in 0..200 {
            let plum = insert::<Plum>(Arc::new(Arc::clone(&dropped))) as usize;
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(move || {
                        if let Some(pinned) = Pinned::<Plum>::new(plum as *const Plum) {
                            pinned.close();
                        }
                    });
                }
            });
        }
        assert_eq!(Arc::strong_count(&dropped), 1);
    }
}
