//! The unwritten end of a byte vector, for C libraries to write into.
#![expect(unsafe_code, reason = "bytes that a C library has written are declared initialised")]

use tiledb_core::error::{Error, Result};

/// Lets `fill` write at most `room` bytes behind the end of `out`; it gets the place and the room
/// and returns how many bytes it has written there, which become part of `out`.
///
/// # Safety
/// The first bytes at the pointer, as many as `fill` returns, must have been written.
pub(super) unsafe fn append(
    out: &mut Vec<u8>,
    room: usize,
    fill: impl FnOnce(*mut u8, usize) -> Result<usize>,
) -> Result<()> {
    out.try_reserve(room).map_err(|_| Error::out_of_memory("compressed data", room))?;
    let written = fill(out.spare_capacity_mut().as_mut_ptr().cast(), room)?;
    if written > room {
        return Err(Error::internal(format!("A compressor says it wrote {written} bytes into {room}")));
    }
    // SAFETY: `room` bytes were reserved, and the caller vouches for `written` of them.
    unsafe { out.set_len(out.len() + written) };
    Ok(())
}
