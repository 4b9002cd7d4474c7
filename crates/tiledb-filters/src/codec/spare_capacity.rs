//! Access to the spare capacity of a byte vector, for C libraries to write into.
#![expect(unsafe_code, reason = "bytes that a C library has written are declared initialised")]

use tiledb_core::error::{Error, Result};
use tiledb_core::memory;

/// Lets `fill` write up to `capacity` bytes into the spare capacity of `out`. `fill` gets the pointer and the capacity and
/// returns the number of bytes written, which are appended to `out`.
///
/// # Safety
/// `fill` must have initialized as many bytes at the pointer as it returns.
pub(super) unsafe fn append(
    out: &mut Vec<u8>,
    capacity: usize,
    fill: impl FnOnce(*mut u8, usize) -> Result<usize>,
) -> Result<()> {
    memory::reserve("compressed data", out, capacity)?;
    let written = fill(out.spare_capacity_mut().as_mut_ptr().cast(), capacity)?;
    if written > capacity {
        return Err(Error::internal(format!("A compressor says it wrote {written} bytes into {capacity}")));
    }
    // SAFETY: `capacity` bytes were reserved, and the caller guarantees that `written` of them are initialized.
    unsafe { out.set_len(out.len() + written) };
    Ok(())
}
