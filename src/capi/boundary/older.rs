//! Arguments of functions that have fewer parameters in older releases of libtiledb.
//!
//! A program that was compiled against the headers of such a release passes fewer arguments. Where the arguments themselves
//! show it, the function takes them as the program means them.

use std::ffi::c_void;
use std::ptr;

use super::arg::{In, Out, OutHandle};
use super::handle::{Handle, is_in_slab};
use crate::handles::tiledb_ctx_t;

/// The register of an argument: of all 64 bits where callers extend an 8-bit argument to at least 32 bits.
///
/// The System V ABI of x86-64 does not say so, but GCC, Clang and rustc do as callers, and rely on it as callees. Callers on
/// 64-bit ARM leave anything in these bits, and other architectures pass arguments otherwise: there, 8 bits.
#[cfg(all(target_arch = "x86_64", target_pointer_width = "64", unix))]
type Register = usize;
#[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64", unix)))]
type Register = u8;

/// A byte that an older release does not have as a parameter, followed by a pointer: `uint8_t`. In a call of the older form
/// the register of the byte has the pointer.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct ByteOrPointer(Register);

impl ByteOrPointer {
    /// The byte and the pointer of a call in the current form, where `next` is the pointer, or in the older form, where the
    /// byte is `absent`.
    ///
    /// Bits 8 to 31 tell them apart: in the current form they are 0. They are in a pointer, too, if it is null or, as
    /// addresses are random, with a probability of 2^-24.
    pub(crate) fn with<T>(self, next: OutHandle<T>, absent: u8) -> (u8, OutHandle<T>) {
        #[allow(clippy::unnecessary_cast, reason = "the type depends on the target")]
        let register = self.0 as usize;
        match register & 0xffff_ff00 {
            0 => (register as u8, next),
            _ => (absent, OutHandle(ptr::with_exposed_provenance_mut(register))),
        }
    }
}

/// The last argument of a function, which is in the place of its last but one in calls without a context.
pub(crate) trait LastArgument: Sized {
    /// The argument, if it can be one.
    fn from_pointer(pointer: *mut c_void) -> Option<Self>;
}

impl<H: Handle> LastArgument for In<H> {
    fn from_pointer(pointer: *mut c_void) -> Option<Self> {
        let handle = In(pointer.cast());
        handle.pinned().is_some().then_some(handle)
    }
}

/// An output variable, which is not in a handle.
impl<H: Handle> LastArgument for OutHandle<H> {
    fn from_pointer(pointer: *mut c_void) -> Option<Self> {
        (!is_in_slab(pointer.addr())).then(|| OutHandle(pointer.cast()))
    }
}

/// An output variable, which is not in a handle.
impl<T> LastArgument for Out<T> {
    fn from_pointer(pointer: *mut c_void) -> Option<Self> {
        (!is_in_slab(pointer.addr())).then(|| Out(pointer.cast()))
    }
}

/// The arguments of a call without a context: the first argument is a handle of the type that follows the context in the
/// current form, and the second can be the last one. `None` for a call with a context, whatever it is.
pub(crate) fn without_context<H: Handle, L: LastArgument>(ctx: In<tiledb_ctx_t>, handle: In<H>) -> Option<(In<H>, L)> {
    let first = In::<H>(ctx.0.cast());
    let last = first.pinned().and_then(|_| L::from_pointer(handle.0.cast()))?;
    Some((first, last))
}
