//! Argument types of C functions. Each is a transparent wrapper of a C type, which the headers show in its place, and
//! is validated before anything is read or written through it.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;

use super::handle::{Handle, Pinned, insert};
use super::length::byte_length;
use crate::structs::tiledb_range_t;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::text_of_path;

/// The text for a null output pointer.
pub(super) const NO_OUTPUT: &str = "C API: Invalid output pointer for object";

macro_rules! wrapper {
    ($(#[$doc:meta])* $name:ident<$T:ident>($inner:ty)) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $name<$T>(pub(super) $inner);

        impl<$T> Clone for $name<$T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$T> Copy for $name<$T> {}
    };
}

wrapper! {
    /// A handle: `T *`.
    In<T>(*mut T)
}
wrapper! {
    /// A handle that is only read: `const T *`.
    InConst<T>(*const T)
}
wrapper! {
    /// Receives a handle, or passes one to be freed: `T **`.
    OutHandle<T>(*mut *mut T)
}
wrapper! {
    /// Receives the handle of a constant: `const T **`.
    OutConstHandle<T>(*mut *const T)
}
wrapper! {
    /// Receives a plain value: `T *`. Alignment is not assumed.
    Out<T>(*mut T)
}
wrapper! {
    /// An array of plain values: `const T *`.
    Slice<T>(*const T)
}

impl<H: Handle> In<H> {
    /// The handle's guard.
    ///
    /// # Errors
    /// If the pointer is null or no live handle of this type.
    pub(crate) fn get(self) -> Result<Pinned<H>> {
        InConst(self.0.cast_const()).get()
    }

    /// The handle's guard, or `None`.
    pub(crate) fn pinned(self) -> Option<Pinned<H>> {
        Pinned::new(self.0)
    }

    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<H: Handle> InConst<H> {
    /// The handle's guard.
    ///
    /// # Errors
    /// If the pointer is null or no live handle of this type.
    pub(crate) fn get(self) -> Result<Pinned<H>> {
        Pinned::new(self.0).ok_or_else(|| Error::invalid(H::INVALID))
    }

    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<H: Handle> OutHandle<H> {
    /// Refuses a null output pointer.
    ///
    /// # Errors
    /// For a null pointer.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid(NO_OUTPUT)) } else { Ok(()) }
    }

    /// Stores null: there is no such object.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set_null(self) -> Result<()> {
        set(self.0, ptr::null_mut())
    }

    /// Stores null, if there is a place for it: what C finds after an error from here on.
    pub(crate) fn clear(self) {
        let _ = self.set_null();
    }

    /// Makes a handle of the object and stores it.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, object: impl Into<Arc<H::Object>>) -> Result<()> {
        self.check()?;
        // SAFETY: a non-null output pointer of the caller is valid for a write.
        unsafe { self.0.write_unaligned(insert(object.into())) };
        Ok(())
    }

    /// The place of a later handle, where the caller has an array of them.
    pub(crate) fn nth(self, place: usize) -> OutHandle<H> {
        OutHandle(self.0.wrapping_add(place))
    }

    /// Frees the handle it points to and sets the pointer to null. False if there was no live
    /// handle of this type; then the pointer stays as it is.
    pub(crate) fn free(self) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: a non-null `T **` of the caller is valid for reads and writes.
        let handle = unsafe { self.0.read_unaligned() };
        let freed = Pinned::<H>::new(handle).is_some_and(Pinned::close);
        if freed {
            self.clear();
        }
        freed
    }
}

impl<H> OutConstHandle<H> {
    /// Stores the address of a constant.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, constant: *const H) -> Result<()> {
        set(self.0, constant)
    }
}

/// Writes through a caller's output pointer.
pub(super) fn set<T>(out: *mut T, value: T) -> Result<()> {
    if out.is_null() {
        return Err(Error::invalid(NO_OUTPUT));
    }
    // SAFETY: a non-null output pointer of the caller is valid for a write of its type.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

impl<T> Out<T> {
    /// Stores the value.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, value: T) -> Result<()> {
        set(self.0, value)
    }

    /// The place of a later value, where the caller has an array of them; null stays null.
    pub(crate) fn nth(self, place: usize) -> Out<T> {
        if self.0.is_null() { self } else { Out(self.0.wrapping_add(place)) }
    }

    /// Stores the value, or does nothing for a null pointer.
    pub(crate) fn set_if_wanted(self, value: T) {
        let _ = set(self.0, value);
    }

    /// Refuses a null output pointer, with an error.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid(NO_OUTPUT)) } else { Ok(()) }
    }

    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The variables there, to be used by later calls.
    pub(crate) fn recorded(self) -> UserPtr<T> {
        // SAFETY: the function's documentation demands of the caller what `UserPtr` does.
        unsafe { UserPtr::new(self.0) }
    }
}

impl<T: Number> Out<T> {
    /// The value it points to: for variables that are input and output.
    ///
    /// # Errors
    /// For a null pointer.
    pub(crate) fn get(self) -> Result<T> {
        self.check()?;
        // SAFETY: a non-null in-out pointer of the caller is valid for a read; any bits are a number.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl Out<tiledb_range_t> {
    /// The bytes of both ends of the caller's range, borrowed as long as the argument.
    ///
    /// # Errors
    /// For a null pointer, or a length that exceeds the address space.
    pub(crate) fn ends(&self) -> Result<(&[u8], &[u8])> {
        self.check()?;
        // SAFETY: a non-null range of the caller is valid for a read; any bits are pointers and numbers.
        let range = unsafe { self.0.read_unaligned() };
        let end = |what, bytes, len| Ok(Bytes(bytes, PhantomData).opt(what, len)?.unwrap_or_default());
        Ok((end("range.min", range.min, range.min_size)?, end("range.max", range.max, range.max_size)?))
    }
}

/// Plain numbers: any bit pattern is a value.
pub(crate) trait Number: bytemuck::Pod {}
impl Number for u8 {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for i32 {}
impl Number for usize {}

impl<T: Number> Slice<T> {
    /// A copy of the `len` values.
    ///
    /// # Errors
    /// For a null pointer, or a length that exceeds the address space.
    pub(crate) fn get(self, what: &str, len: u64) -> Result<Vec<T>> {
        let bytes = byte_length(what, len, size_of::<T>())?;
        if self.0.is_null() {
            bail!("C API: argument `{what}` may not be nullptr");
        }
        // SAFETY: the caller promises `len` values behind a non-null pointer; read as bytes, so
        // alignment does not matter.
        let bytes = unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), bytes) };
        Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
    }
}

impl<T> Slice<T> {
    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl Slice<*const c_char> {
    /// The `len` paths or URIs of an array of strings.
    ///
    /// # Errors
    /// For a null pointer, a null text, or a length that exceeds the address space.
    pub(crate) fn paths(self, what: &str, len: u64) -> Result<Vec<String>> {
        let len = byte_length(what, len, size_of::<*const c_char>())? / size_of::<*const c_char>();
        if self.0.is_null() {
            bail!("C API: argument `{what}` may not be nullptr");
        }
        // SAFETY: the caller promises `len` pointers to NUL-ended texts; each is checked for null.
        (0..len)
            .map(|i| Str(unsafe { self.0.add(i).read_unaligned() }, PhantomData).path(what).map(Cow::into_owned))
            .collect()
    }
}

/// An enumeration by value: `tiledb_layout_t`. Any bit pattern may arrive and is legal.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct CEnum<E: Copy>(MaybeUninit<E>);

impl<E: Copy> CEnum<E> {
    /// The number that arrived.
    pub(crate) fn number(self) -> u32 {
        const { assert!(size_of::<E>() == 4, "C enumerations have 32 bits") };
        // SAFETY: C passed 32 initialised bits; they are read as a number, never as `E`.
        unsafe { self.0.as_ptr().cast::<u32>().read() }
    }
}

/// Text from the caller, borrowed for the call: `const char *`. Its lifetime is a parameter of the function that C calls:
/// nothing in there can take it for longer.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Str<'a>(*const c_char, PhantomData<&'a c_char>);

impl<'a> Str<'a> {
    /// The text.
    ///
    /// # Errors
    /// For null (naming the argument) and for text that is not UTF-8.
    pub(crate) fn get(self, what: &str) -> Result<&'a str> {
        match self.opt()? {
            Some(text) => Ok(text),
            None => bail!("C API: argument `{what}` may not be nullptr"),
        }
    }

    /// The text, or `None` for null.
    ///
    /// # Errors
    /// For text that is not UTF-8.
    pub(crate) fn opt(self) -> Result<Option<&'a str>> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller promises a NUL-ended text that lives through the call, for which it is borrowed.
        match unsafe { CStr::from_ptr(self.0) }.to_str() {
            Ok(text) => Ok(Some(text)),
            Err(error) => bail!("C API: a text argument is not UTF-8 ({error}); pass UTF-8 text"),
        }
    }

    /// The path or URI, whatever its bytes.
    ///
    /// # Errors
    /// For null (naming the argument).
    pub(crate) fn path(self, what: &str) -> Result<Cow<'a, str>> {
        match self.opt_path() {
            Some(text) => Ok(text),
            None => bail!("C API: argument `{what}` may not be nullptr"),
        }
    }

    /// The path or URI, whatever its bytes, or `None` for null.
    pub(crate) fn opt_path(self) -> Option<Cow<'a, str>> {
        // SAFETY: as in `opt`.
        (!self.0.is_null()).then(|| text_of_path(unsafe { CStr::from_ptr(self.0) }.to_bytes()))
    }

    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// Bytes from the caller, borrowed for the call like a [`Str`]: `const void *`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Bytes<'a>(*const c_void, PhantomData<&'a c_void>);

impl<'a> Bytes<'a> {
    /// The `len` bytes, or `None` for null.
    ///
    /// # Errors
    /// For a length that exceeds the address space.
    pub(crate) fn opt(self, what: &str, len: u64) -> Result<Option<&'a [u8]>> {
        let len = byte_length(what, len, 1)?;
        // SAFETY: the caller promises `len` readable bytes behind a non-null pointer through the call.
        Ok((!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0.cast(), len) }))
    }

    /// True for a null pointer.
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A buffer of the caller that is filled, or recorded for later calls: `void *`.
#[repr(transparent)]
pub struct Buffer<'a>(*mut c_void, PhantomData<&'a mut c_void>);

impl Buffer<'_> {
    /// Copies the bytes to the front of the buffer.
    ///
    /// # Errors
    /// For a null pointer.
    pub(crate) fn fill(self, what: &str, bytes: &[u8]) -> Result<()> {
        if self.0.is_null() {
            bail!("C API: argument `{what}` may not be nullptr");
        }
        // SAFETY: the caller promises room for the documented number of bytes, which is `bytes.len()`.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.cast(), bytes.len()) };
        Ok(())
    }

    /// The caller's bytes, to be read during the call.
    ///
    /// # Errors
    /// For a null pointer, or a length that exceeds the address space.
    pub(crate) fn get(&self, what: &str, len: u64) -> Result<&[u8]> {
        match Bytes(self.0, PhantomData).opt(what, len)? {
            Some(bytes) => Ok(bytes),
            None => bail!("C API: argument `{what}` may not be nullptr"),
        }
    }

    /// The caller's memory, to be written in place during the call.
    ///
    /// # Errors
    /// For a null pointer, or a length that exceeds the address space.
    pub(crate) fn get_mut(&mut self, what: &str, len: u64) -> Result<&mut [u8]> {
        let len = byte_length(what, len, 1)?;
        if self.0.is_null() {
            bail!("C API: argument `{what}` may not be nullptr");
        }
        // SAFETY: the caller promises `len` bytes through the call; zeroing makes them initialised.
        unsafe {
            ptr::write_bytes(self.0.cast::<u8>(), 0, len);
            Ok(std::slice::from_raw_parts_mut(self.0.cast(), len))
        }
    }

    /// The pointer itself, for data of the caller that is passed back to it.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.0.cast()
    }

    /// The memory, to be used by later calls.
    pub(crate) fn recorded(self) -> UserPtr<u8> {
        // SAFETY: the function's documentation demands of the caller what `UserPtr` does.
        unsafe { UserPtr::new(self.0.cast()) }
    }

    /// True for a null pointer.
    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

/// An array of buffers that are filled, some of which may be null: `void **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct BufferArray<'a>(*mut *mut c_void, PhantomData<&'a mut c_void>);

impl BufferArray<'_> {
    /// Refuses a null array, with an error.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid(NO_OUTPUT)) } else { Ok(()) }
    }

    /// Copies the bytes to the front of a buffer, unless the array or the buffer is null.
    pub(crate) fn fill(self, index: usize, bytes: &[u8]) {
        if !self.0.is_null() {
            // SAFETY: the caller promises a pointer at each documented index of a non-null array.
            let buffer = Buffer(unsafe { self.0.wrapping_add(index).read_unaligned() }, PhantomData);
            let _ = buffer.fill("buffer", bytes);
        }
    }
}

/// Room of the caller for text: `char *`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct TextBuffer(*mut c_char);

impl TextBuffer {
    /// Copies the bytes to the front; see [`Buffer::fill`].
    ///
    /// # Errors
    /// For a null pointer.
    pub(crate) fn fill(self, what: &str, bytes: &[u8]) -> Result<()> {
        Buffer(self.0.cast(), PhantomData).fill(what, bytes)
    }
}

/// Where a borrowed text goes: `const char **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutStr(*mut *const c_char);

impl OutStr {
    /// Stores a text that lives in the handle it belongs to.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, text: &CStr) -> Result<()> {
        set(self.0, text.as_ptr())
    }

    /// Stores the address of text with a length of its own.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set_bytes(self, text: &[u8]) -> Result<()> {
        set(self.0, text.as_ptr().cast())
    }

    /// Stores null: there is no such text.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set_null(self) -> Result<()> {
        set(self.0, ptr::null())
    }

    /// Refuses a null output pointer, with an error.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid(NO_OUTPUT)) } else { Ok(()) }
    }
}

/// Where the address of borrowed bytes goes: `const void **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutPtr(*mut *const c_void);

impl OutPtr {
    /// Stores the address of bytes that live in the handle they belong to.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, bytes: &[u8]) -> Result<()> {
        set(self.0, bytes.as_ptr().cast())
    }

    /// Refuses a null output pointer, with an error.
    pub(crate) fn check(self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid(NO_OUTPUT)) } else { Ok(()) }
    }

    /// Stores null: there is no such value.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set_null(self) -> Result<()> {
        set(self.0, ptr::null())
    }

    /// Stores null, if there is a place for it.
    pub(crate) fn clear(self) {
        let _ = self.set_null();
    }
}

/// Where the address of a recorded buffer goes: `void **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutMutPtr(*mut *mut c_void);

impl OutMutPtr {
    /// Stores an address the caller gave earlier.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, address: *mut u8) -> Result<()> {
        set(self.0, address.cast())
    }
}

/// Where the address of a recorded array of words goes: `uint64_t **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutWords(*mut *mut u64);

impl OutWords {
    /// Stores an address the caller gave earlier.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, address: *mut u64) -> Result<()> {
        set(self.0, address)
    }
}

/// Where the address of a recorded byte array goes: `uint8_t **`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutBytes(*mut *mut u8);

impl OutBytes {
    /// Stores an address the caller gave earlier.
    ///
    /// # Errors
    /// For a null output pointer.
    pub(crate) fn set(self, address: *mut u8) -> Result<()> {
        set(self.0, address)
    }
}
