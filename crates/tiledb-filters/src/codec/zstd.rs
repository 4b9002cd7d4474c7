//! Zstandard: one frame per call, with the content size in its header.
#![expect(unsafe_code, reason = "the compressor writes into uninitialised memory")]

use std::ffi::c_void;

use zstd_safe::{CCtx, DCtx, SafeResult, WriteBuf};

use super::{ObjectPool, spare_capacity};
use tiledb_core::error::{Error, ErrorKind, Result, bail};

/// Levels below this one mean [`DEFAULT_LEVEL`]; those from here to -1 are zstd's fast ones.
const LEAST_LEVEL: i32 = -7;
const DEFAULT_LEVEL: i32 = 3;

static COMPRESSORS: ObjectPool<CCtx<'static>> = ObjectPool::new(32);
static DECOMPRESSORS: ObjectPool<DCtx<'static>> = ObjectPool::new(32);

/// Appends `src` as one frame.
///
/// # Errors
/// If memory is short.
pub fn compress(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let level = if level < LEAST_LEVEL { DEFAULT_LEVEL } else { level };
    let mut context = match COMPRESSORS.take(|_| true).or_else(CCtx::try_create) {
        Some(context) => context,
        None => return Err(no_memory()),
    };
    let fill = |place, capacity| {
        let result = context.compress(&mut SpareCapacity { place, capacity }, src, level);
        result.map_err(|code| match is_memory(code) {
            true => no_memory(),
            false => Error::internal(format!("ZSTD compression failed: {}", zstd_safe::get_error_name(code))),
        })
    };
    // SAFETY: zstd returns how many bytes it has written.
    unsafe { spare_capacity::append(out, bound(src.len()), fill) }?;
    COMPRESSORS.put(context);
    Ok(())
}

/// Decompresses one frame, which must fill `dst` exactly.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let mut context = match DECOMPRESSORS.take(|_| true).or_else(DCtx::try_create) {
        Some(context) => context,
        None => return Err(no_memory()),
    };
    let len = dst.len();
    let result = context.decompress(dst, src);
    DECOMPRESSORS.put(context);
    match result {
        Ok(written) if written == len => Ok(()),
        Ok(written) => bail!(Corrupt, "ZSTD decompression gave {written} bytes instead of {len}"),
        Err(code) if is_memory(code) => Err(no_memory()),
        Err(code) => bail!(Corrupt, "ZSTD decompression failed: {}", zstd_safe::get_error_name(code)),
    }
}

/// Whether zstd's error (a negative number) says that memory is short.
fn is_memory(code: usize) -> bool {
    const MEMORY_ALLOCATION: usize = 64;
    code == MEMORY_ALLOCATION.wrapping_neg()
}

#[cold]
fn no_memory() -> Error {
    Error::new(ErrorKind::OutOfMemory, "ZSTD has no memory left for its work")
}

/// The most bytes that `len` bytes can become.
pub fn bound(len: usize) -> usize {
    zstd_safe::compress_bound(len)
}

/// The spare end of a vector.
struct SpareCapacity {
    place: *mut u8,
    capacity: usize,
}

// SAFETY: `place` is valid for writes of `capacity` bytes during the call; no byte is claimed to be initialized.
unsafe impl WriteBuf for SpareCapacity {
    fn as_slice(&self) -> &[u8] {
        &[]
    }

    fn capacity(&self) -> usize {
        self.capacity
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.place
    }

    unsafe fn filled_until(&mut self, _: usize) {}

    unsafe fn write_from<F>(&mut self, f: F) -> SafeResult
    where
        F: FnOnce(*mut c_void, usize) -> SafeResult,
    {
        f(self.place.cast(), self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_states_its_content_size() {
        let mut frame = Vec::new();
        compress(-1, &[1; 1000], &mut frame).unwrap();
        assert_eq!(zstd_safe::get_frame_content_size(&frame).unwrap(), Some(1000));
        let mut empty = Vec::new();
        compress(-1, &[], &mut empty).unwrap();
        assert_eq!(empty, [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0]);
    }
}
