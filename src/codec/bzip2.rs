//! bzip2: one stream per call.
#![expect(unsafe_code, reason = "bzip2 in Rust keeps the calls of the C library")]

use std::ffi::{c_int, c_uint};

use libbz2_rs_sys::{BZ_OK, BZ2_bzBuffToBuffCompress, BZ2_bzBuffToBuffDecompress};

use super::spare;
use crate::error::{Result, bail};

/// The level taken for those that bzip2 does not have.
const DEFAULT_LEVEL: c_int = 1;

/// Appends `src` as one stream; levels are 1 to 9, in 100 KB per block.
///
/// # Errors
/// For more than 4 GB, or if memory is short.
pub fn compress(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let level = if (1..=9).contains(&level) { level } else { DEFAULT_LEVEL };
    let len = length(src)?;
    let fill = |place: *mut u8, room: usize| {
        let mut written = c_uint::try_from(room).unwrap_or(c_uint::MAX);
        // SAFETY: `src` is readable for `len` bytes and is not written to, `place` is writable for `written`.
        let code = unsafe {
            let source = src.as_ptr().cast_mut().cast();
            BZ2_bzBuffToBuffCompress(place.cast(), &raw mut written, source, len, level, 0, 0)
        };
        match code {
            BZ_OK => Ok(written as usize),
            code => bail!(Internal, "BZIP2 compression of {len} bytes failed: code {code}"),
        }
    };
    // SAFETY: bzip2 sets `written` to the bytes it has written.
    unsafe { spare::append(out, bound(src.len()), fill) }
}

/// Decompresses one stream, which must fill `dst` exactly.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let mut written = length(dst)?;
    let mut nothing = 0u8;
    // A slice without bytes may point anywhere; bzip2 asks for a pointer to something.
    let place = if dst.is_empty() { &raw mut nothing } else { dst.as_mut_ptr() };
    let len = length(src)?;
    // SAFETY: `src` is readable for `len` bytes and is not written to, `place` is writable for `written`.
    let code = unsafe {
        let source = src.as_ptr().cast_mut().cast();
        BZ2_bzBuffToBuffDecompress(place.cast(), &raw mut written, source, len, 0, 0)
    };
    match code {
        BZ_OK if written as usize == dst.len() => Ok(()),
        BZ_OK => bail!(Corrupt, "BZIP2 decompression gave {written} bytes instead of {}", dst.len()),
        code => bail!(Corrupt, "BZIP2 decompression to {} bytes failed: code {code}", dst.len()),
    }
}

/// The most bytes that `len` bytes can become.
pub fn bound(len: usize) -> usize {
    len + len / 100 + 600
}

/// A length as bzip2 takes it.
fn length(bytes: &[u8]) -> Result<c_uint> {
    match c_uint::try_from(bytes.len()) {
        Ok(len) => Ok(len),
        Err(_) => bail!("BZIP2 cannot take {} bytes at once", bytes.len()),
    }
}
