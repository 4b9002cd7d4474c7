//! Chunk layouts that several filters share.

pub(super) mod compressed;
pub(super) mod digests;
pub(super) mod integers;
pub(super) mod shuffled;
pub(super) mod text;
pub(super) mod windows;

use tiledb_core::error::{Result, bail};

/// A length as chunks store it.
pub(super) fn length(len: usize) -> Result<u32> {
    match u32::try_from(len) {
        Ok(len) => Ok(len),
        Err(_) => bail!("A chunk of {len} bytes is too large; give the filter list a chunk size"),
    }
}

/// Appends a length.
pub(super) fn put(out: &mut Vec<u8>, len: usize) -> Result<()> {
    out.extend_from_slice(&length(len)?.to_le_bytes());
    Ok(())
}

/// Splits `len` bytes off the front of `dst`, the remaining part of a chunk.
#[inline(always)]
pub(super) fn take_mut<'a>(dst: &mut &'a mut [u8], len: usize) -> Result<&'a mut [u8]> {
    let capacity = dst.len();
    match std::mem::take(dst).split_at_mut_checked(len) {
        Some((front, rest)) => {
            *dst = rest;
            Ok(front)
        }
        None => bail!(Corrupt, "A part of {len} bytes in a chunk that has room for {capacity}"),
    }
}

/// A chunk must have been filled.
#[inline(always)]
pub(super) fn finish(rest: &[u8]) -> Result<()> {
    if !rest.is_empty() {
        bail!(Corrupt, "The parts of a chunk are {} bytes short", rest.len());
    }
    Ok(())
}
