//! The FFI boundary between C and Rust: the only `unsafe` code of the C interface.
//!
//! The parameters of a C function are transparent wrappers ([`In`], [`Out`], [`Str`], ...): plain C types in the headers,
//! validated when Rust accesses them. Its body is a closure that one of the functions of `call` runs, which converts panics and
//! errors. So every C function is two or three lines of safe Rust.
#![allow(unsafe_code, reason = "pointers that come from C are checked and read here and nowhere else")]

mod arg;
mod file;
mod foreign;
mod handle;
mod inside;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod itanium;
mod length;
mod older;
mod status;
mod text;

pub(crate) use arg::{Buffer, BufferArray, Bytes, CEnum, In, InConst, Out, OutBytes, OutConstHandle, OutHandle};
pub(crate) use arg::{OutMutPtr, OutPtr, OutStr, OutWords, Slice, Str, TextBuffer};
pub(crate) use file::CFile;
pub(crate) use foreign::call_user;
pub(crate) use handle::{ConstHandle, Constant, Handle, live_handles};
pub(crate) use inside::Inside;
pub(crate) use older::{ByteOrPointer, LastArgument, without_context};
pub(crate) use status::*;
pub(crate) use text::OutText;
