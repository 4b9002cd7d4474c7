//! GZIP, which in this format means zlib streams (RFC 1950), by libdeflate. What libdeflate refuses
//! to read, zlib itself has the last word on.
#![expect(unsafe_code, reason = "zlib is a C library")]

use libdeflater::{CompressionLvl, Compressor, Decompressor};

use super::Recycler;
use crate::error::{Error, Result, bail};

const DEFAULT_LEVEL: i32 = 6;
const BEST_LEVEL: i32 = 9;

static COMPRESSORS: Recycler<(i32, Compressor)> = Recycler::new(32);
static DECOMPRESSORS: Recycler<Decompressor> = Recycler::new(32);

/// Appends `src` as one zlib stream. Levels are zlib's, 0 to 9; lower ones mean 6.
///
/// # Errors
/// For a level above 9.
pub fn compress(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let level = if level < 0 { DEFAULT_LEVEL } else { level };
    if level > BEST_LEVEL {
        bail!("GZIP compression level {level} is not between -1 and {BEST_LEVEL}");
    }
    let (_, mut compressor) = match COMPRESSORS.take(|kept| kept.0 == level) {
        Some(kept) => kept,
        None => match CompressionLvl::new(level) {
            Ok(lvl) => (level, Compressor::new(lvl)),
            Err(_) => bail!(Internal, "libdeflate has no level {level}"),
        },
    };
    let start = out.len();
    let room = compressor.zlib_compress_bound(src.len());
    out.try_reserve(room).map_err(|_| Error::out_of_memory("compressed data", room))?;
    out.resize(start + room, 0);
    let result = compressor.zlib_compress(src, &mut out[start..]);
    COMPRESSORS.put((level, compressor));
    match result {
        Ok(written) => {
            out.truncate(start + written);
            Ok(())
        }
        Err(error) => bail!(Internal, "GZIP compression failed: {error}"),
    }
}

/// Decompresses one zlib stream, which must fill `dst` exactly.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let mut decompressor = DECOMPRESSORS.take(|_| true).unwrap_or_default();
    let result = decompressor.zlib_decompress(src, dst);
    DECOMPRESSORS.put(decompressor);
    match result {
        Ok(written) if written == dst.len() => Ok(()),
        Ok(written) => bail!(Corrupt, "GZIP decompression gave {written} bytes instead of {}", dst.len()),
        Err(_) => decompress_with_zlib(src, dst),
    }
}

/// As [`decompress`], by zlib.
fn decompress_with_zlib(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let mut written = dst.len() as libz_sys::uLong;
    // SAFETY: both pointers are valid for the lengths passed; zlib writes at most `written` bytes.
    let code =
        unsafe { libz_sys::uncompress(dst.as_mut_ptr(), &raw mut written, src.as_ptr(), src.len() as libz_sys::uLong) };
    match code {
        libz_sys::Z_OK if written as usize == dst.len() => Ok(()),
        libz_sys::Z_OK => bail!(Corrupt, "GZIP decompression gave {written} bytes instead of {}", dst.len()),
        _ => bail!(Corrupt, "GZIP decompression to {} bytes failed: zlib code {code}", dst.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zlib_reads_what_libdeflate_writes() {
        let data: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        for level in -1..=9 {
            let mut packed = Vec::new();
            compress(level, &data, &mut packed).unwrap();
            let mut back = vec![0; data.len()];
            decompress_with_zlib(&packed, &mut back).unwrap();
            assert!(back == data);
            assert!(decompress_with_zlib(&packed, &mut back[1..]).is_err());
        }
        assert!(compress(10, &data, &mut Vec::new()).is_err());
    }
}
