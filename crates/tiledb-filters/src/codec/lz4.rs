//! LZ4: raw blocks without frame or length.
#![expect(unsafe_code, reason = "LZ4 is a C library")]

use std::ffi::c_int;

use super::spare_capacity;
use tiledb_core::error::{Result, bail};

/// Appends `src` as one block; the level has no effect.
///
/// # Errors
/// For more than 2 GB, or if memory is short.
pub fn compress(_level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let Ok(len) = c_int::try_from(src.len()) else {
        bail!("LZ4 cannot compress {} bytes at once", src.len());
    };
    let fill = |place: *mut u8, capacity: usize| {
        // SAFETY: `src` is readable for `len` bytes, `place` is writable for `capacity`.
        let written = unsafe { lz4_sys::LZ4_compress_default(src.as_ptr().cast(), place.cast(), len, clamp(capacity)) };
        if written <= 0 {
            bail!(Internal, "LZ4 compression of {len} bytes failed: code {written}");
        }
        Ok(written as usize)
    };
    // SAFETY: LZ4 returns how many bytes it has written.
    unsafe { spare_capacity::append(out, bound(src.len()), fill) }
}

/// Decompresses one block, which must fill `dst` exactly.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let Ok(len) = c_int::try_from(src.len()) else {
        bail!(Corrupt, "LZ4 cannot decompress {} bytes at once", src.len());
    };
    // SAFETY: `src` is readable for `len` bytes, `dst` writable for its length; this variant checks both ends.
    let written =
        unsafe { lz4_sys::LZ4_decompress_safe(src.as_ptr().cast(), dst.as_mut_ptr().cast(), len, clamp(dst.len())) };
    match usize::try_from(written) {
        Ok(written) if written == dst.len() => Ok(()),
        Ok(written) => bail!(Corrupt, "LZ4 decompression gave {written} bytes instead of {}", dst.len()),
        Err(_) => bail!(Corrupt, "LZ4 decompression to {} bytes failed: code {written}", dst.len()),
    }
}

/// The most bytes that `len` bytes can become.
pub fn bound(len: usize) -> usize {
    len + len / 255 + 16
}

/// A length as LZ4 takes it.
fn clamp(len: usize) -> c_int {
    c_int::try_from(len).unwrap_or(c_int::MAX)
}
