//! Where C meets Rust: the only `unsafe` code of the C face.
//!
//! A C function's parameters are transparent wrappers ([`In`], [`Out`], [`Str`], ...) that print as
//! plain C in the headers and check themselves in Rust; its body is a closure run by one of the
//! barriers of `call`. So every function of the face is safe Rust of two or three lines.
#![allow(unsafe_code, reason = "pointers that come from C are checked and read here and nowhere else")]

mod arg;
mod file;
mod foreign;
mod handle;
mod inside;
mod status;
mod text;

pub(crate) use arg::{Buffer, Bytes, CEnum, In, InConst, Out, OutBytes, OutConstHandle, OutHandle};
pub(crate) use arg::{OutMutPtr, OutPtr, OutStr, OutWords, Slice, Str, TextBuffer};
pub(crate) use file::CFile;
pub(crate) use foreign::call_user;
pub(crate) use handle::{ConstHandle, Constant, Handle, live_handles};
pub(crate) use inside::Inside;
pub(crate) use status::*;
pub(crate) use text::OutText;
