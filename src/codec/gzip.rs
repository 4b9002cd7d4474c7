//! GZIP, which in this format means zlib streams (RFC 1950), by libdeflate. What libdeflate refuses
//! to read, zlib itself has the last word on; and zlib takes the few bytes that libdeflate would not compress.
#![expect(unsafe_code, reason = "zlib is a C library")]

use std::ffi::c_void;

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
    if level > 0 && src.len() <= stored_by_libdeflate(level) {
        return compress_small(level, src, out);
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

/// Inputs of so many bytes libdeflate stores as they are at a level from 1 to 9. The tables of small fragments, which
/// are mostly zeros, would be a third larger for that.
fn stored_by_libdeflate(level: i32) -> usize {
    (55 - 4 * level) as usize
}

/// As [`compress`], for some bytes: by zlib with the least memory that it can do with.
fn compress_small(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    const WINDOW_BITS: i32 = 9;
    const MEMORY_LEVEL: i32 = 1;
    // What is stored costs 11 bytes, and zlib stores what it cannot make smaller.
    let room = src.len() + 64;
    let start = out.len();
    out.try_reserve(room).map_err(|_| Error::out_of_memory("compressed data", room))?;
    out.resize(start + room, 0);
    let mut stream = libz_sys::z_stream {
        next_in: src.as_ptr().cast_mut(),
        avail_in: src.len() as u32,
        total_in: 0,
        next_out: out[start..].as_mut_ptr(),
        avail_out: room as u32,
        total_out: 0,
        msg: std::ptr::null_mut(),
        state: std::ptr::null_mut(),
        zalloc: allocate,
        zfree: release,
        opaque: std::ptr::null_mut(),
        data_type: 0,
        adler: 0,
        reserved: 0,
    };
    // SAFETY: the stream names memory that is valid for the lengths beside it, and is ended before it goes.
    let code = unsafe {
        let code = libz_sys::deflateInit2_(
            &raw mut stream,
            level,
            libz_sys::Z_DEFLATED,
            WINDOW_BITS,
            MEMORY_LEVEL,
            libz_sys::Z_DEFAULT_STRATEGY,
            libz_sys::zlibVersion(),
            size_of::<libz_sys::z_stream>() as i32,
        );
        if code == libz_sys::Z_OK {
            let code = libz_sys::deflate(&raw mut stream, libz_sys::Z_FINISH);
            libz_sys::deflateEnd(&raw mut stream);
            code
        } else {
            code
        }
    };
    if code != libz_sys::Z_STREAM_END {
        bail!(Internal, "GZIP compression of {} bytes failed: zlib code {code}", src.len());
    }
    out.truncate(start + stream.total_out as usize);
    declare_usual_window(&mut out[start..]);
    Ok(())
}

/// Writes into the header of a stream that its window has the usual 32 KiB: many know zlib by that. The second byte
/// makes both a multiple of 31.
fn declare_usual_window(stream: &mut [u8]) {
    const USUAL: u8 = 0x78;
    if let [method, flags, ..] = stream {
        *method = USUAL;
        let level = *flags & 0xc0;
        *flags = level | (31 - u16::from_be_bytes([USUAL, level]) % 31) as u8;
    }
}

extern "C" fn allocate(_: *mut c_void, items: u32, size: u32) -> *mut c_void {
    // SAFETY: any two numbers may be passed; null tells zlib that there is no memory.
    unsafe { libc::calloc(items as usize, size as usize) }
}

extern "C" fn release(_: *mut c_void, memory: *mut c_void) {
    // SAFETY: zlib gives back what `allocate` gave it.
    unsafe { libc::free(memory) }
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

    #[test]
    fn some_bytes_are_compressed_too() {
        for level in 1..=9 {
            for length in 0..100 {
                let (zeros, counted) = (vec![0; length], (0..length as u8).collect::<Vec<u8>>());
                for (data, most) in [(zeros, 24), (counted, length + 16)] {
                    let mut packed = vec![7];
                    compress(level, &data, &mut packed).unwrap();
                    assert!(packed.len() - 1 <= most, "{length} bytes of level {level} became {}", packed.len() - 1);
                    let mut back = vec![1; length];
                    decompress(&packed[1..], &mut back).unwrap();
                    assert!(back == data);
                    decompress_with_zlib(&packed[1..], &mut back).unwrap();
                    assert_eq!(packed[1], 0x78);
                }
            }
        }
    }
}
