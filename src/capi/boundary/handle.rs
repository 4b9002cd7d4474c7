//! Handles: slots in slabs whose memory is recycled for handles only and never unmapped.
//!
//! What C holds is the address of a [`Slot`]. A slot is one atomic word (live, closing, pins), a
//! shared pointer to the object, and the type of the handle, which alone says what the object is. Using a handle checks that the address is an aligned slot of
//! a known slab - before anything is read from it -, pins the slot, checks the type, and gives a
//! guard. Freeing sets the closing flag; the last unpin drops the object. So a handle may be freed
//! beside a running call, and a stale, foreign or wild pointer is refused, or at worst meets a newer
//! handle of the same kind: freed slots are reused last. There is no lock on the way of a call.

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use tiledb_core::fork::Lock;

/// A type of handle: its C name is the implementing type, its content is [`Handle::Object`].
pub(crate) trait Handle: Sized + 'static {
    /// What a handle of this type holds.
    type Object: Send + Sync + 'static;
    /// The error for an argument that is no handle of this type.
    const INVALID: &'static str;
    /// The object of a process constant at this address, where the type has such constants.
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
/// It is atomic so that it lies in writable memory, as in libtiledb. A program's linker copies the section of an exported variable: were
/// this one read-only after relocation, so would be the program's copy, and libtiledb, which sets the variable when it is loaded, could
/// not take our place.
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

/// The slot at this address, if it is one.
fn slot_at(address: usize) -> Option<&'static Slot> {
    for (number, slab) in SLAB.iter().enumerate() {
        let base = slab.load(Ordering::Acquire);
        if base.is_null() {
            return None;
        }
        let offset = address.wrapping_sub(base as usize);
        if offset < (FIRST_SLAB << number) * size_of::<Slot>() {
            let index = offset / size_of::<Slot>();
            // SAFETY: `index` lies within the slab, which lives as long as the process.
            return offset.is_multiple_of(size_of::<Slot>()).then(|| unsafe { &*base.add(index) });
        }
    }
    None
}

/// Puts an object into a free slot and gives the handle C gets.
pub(super) fn insert<H: Handle>(object: Arc<H::Object>) -> *mut H {
    let slot = {
        let mut free = FREE.lock_across_fork();
        if free.is_empty() {
            grow(&mut free);
        }
        free.pop_front()
    };
    let Some(slot) = slot else { return ptr::null_mut() };
    COUNT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: the slot came from the free list, so it is ours alone until `state` says otherwise.
    unsafe {
        *slot.object.get() = Arc::into_raw(object).cast();
        *slot.held.get() = Held { handle: TypeId::of::<H>(), drop: drop_object::<H::Object> };
    }
    slot.state.store(LIVE, Ordering::Release);
    ptr::from_ref(slot).cast_mut().cast()
}

/// Adds one slab, twice as large as the last, to the free list.
fn grow(free: &mut VecDeque<&'static Slot>) {
    let Some(number) = SLAB.iter().position(|slab| slab.load(Ordering::Relaxed).is_null()) else { return };
    let nothing = Held { handle: TypeId::of::<()>(), drop: drop_nothing };
    let new_slot =
        || Slot { state: AtomicU64::new(0), object: UnsafeCell::new(ptr::null()), held: UnsafeCell::new(nothing) };
    let slab: &'static [Slot] = Box::leak((0..FIRST_SLAB << number).map(|_| new_slot()).collect());
    free.extend(slab);
    SLAB[number].store(slab.as_ptr().cast_mut(), Ordering::Release);
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
        // SAFETY: under the pin nobody writes it.
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
