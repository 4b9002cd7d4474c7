//! GZIP, which in this format means zlib streams (RFC 1950), by libdeflate. Streams that libdeflate rejects are decompressed
//! by zlib, whose result is final. Inputs of up to `SMALL` bytes are compressed by zlib, so that metadata files of small
//! fragments are byte-identical to those of libtiledb: programs print and compare their sizes.
#![expect(unsafe_code, reason = "zlib is a C library")]

use std::ffi::c_void;

use libdeflater::{CompressionLvl, Compressor, Decompressor};

use super::ObjectPool;
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::memory;

const DEFAULT_LEVEL: i32 = 6;
const BEST_LEVEL: i32 = 9;
const SMALL: usize = 4096;

static COMPRESSORS: ObjectPool<(i32, Compressor)> = ObjectPool::new(32);
static DEFLATERS: ObjectPool<Deflater> = ObjectPool::new(8);
static DECOMPRESSORS: ObjectPool<Decompressor> = ObjectPool::new(32);

/// Appends `src` as one zlib stream. Levels are zlib's, 0 to 9; lower ones mean 6.
///
/// # Errors
/// For a level above 9.
pub fn compress(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let level = if level < 0 { DEFAULT_LEVEL } else { level };
    if level > BEST_LEVEL {
        bail!("GZIP compression level {level} is not between -1 and {BEST_LEVEL}");
    }
    if src.len() <= SMALL {
        return compress_small(level, src, out);
    }
    let (_, mut compressor) = match COMPRESSORS.take(|cached| cached.0 == level) {
        Some(cached) => cached,
        None => match CompressionLvl::new(level) {
            Ok(lvl) => (level, construct(|| Compressor::new(lvl))?),
            Err(_) => bail!(Internal, "libdeflate has no level {level}"),
        },
    };
    let start = out.len();
    let capacity = compressor.zlib_compress_bound(src.len());
    memory::reserve("compressed data", out, capacity)?;
    out.resize(start + capacity, 0);
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

/// Constructs an object of libdeflate, which panics if an allocation fails.
fn construct<T>(make: impl FnOnce() -> T + std::panic::UnwindSafe) -> Result<T> {
    std::panic::catch_unwind(make).map_err(|_| no_memory())
}

#[cold]
fn no_memory() -> Error {
    Error::new(ErrorKind::OutOfMemory, "GZIP has no memory left for its work")
}

/// A stream to begin with.
pub(super) fn new_stream() -> libz_sys::z_stream {
    libz_sys::z_stream {
        next_in: std::ptr::null_mut(),
        avail_in: 0,
        total_in: 0,
        next_out: std::ptr::null_mut(),
        avail_out: 0,
        total_out: 0,
        msg: std::ptr::null_mut(),
        state: std::ptr::null_mut(),
        zalloc: allocate,
        zfree: release,
        opaque: std::ptr::null_mut(),
        data_type: 0,
        adler: 0,
        reserved: 0,
    }
}

/// A zlib stream with default window and memory level, reused for later inputs.
struct Deflater {
    level: i32,
    /// Boxed, since zlib stores a pointer to the stream.
    stream: Box<libz_sys::z_stream>,
}

// SAFETY: nothing in a stream belongs to a thread.
unsafe impl Send for Deflater {}

impl Deflater {
    fn new(level: i32) -> Result<Deflater> {
        let mut stream = Box::new(new_stream());
        // SAFETY: the stream is initialised, and stays where it is until it is ended.
        let code = unsafe {
            libz_sys::deflateInit_(
                &raw mut *stream,
                level,
                libz_sys::zlibVersion(),
                size_of::<libz_sys::z_stream>() as i32,
            )
        };
        match code {
            libz_sys::Z_OK => Ok(Deflater { level, stream }),
            libz_sys::Z_MEM_ERROR => Err(no_memory()),
            _ => bail!(Internal, "zlib has no level {level}: code {code}"),
        }
    }

    /// Compresses `src` as one stream into `dst` and returns its length.
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize> {
        let stream = &mut *self.stream;
        (stream.next_in, stream.avail_in) = (src.as_ptr().cast_mut(), src.len() as u32);
        (stream.next_out, stream.avail_out) = (dst.as_mut_ptr(), dst.len() as u32);
        // SAFETY: the pointers of the stream are valid for the stated lengths; zlib does not write to its input.
        let code = unsafe { libz_sys::deflate(stream, libz_sys::Z_FINISH) };
        let written = stream.total_out as usize;
        // SAFETY: the stream was initialised.
        unsafe { libz_sys::deflateReset(stream) };
        if code != libz_sys::Z_STREAM_END {
            bail!(Internal, "GZIP compression of {} bytes failed: zlib code {code}", src.len());
        }
        Ok(written)
    }
}

impl Drop for Deflater {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised, and is not used again.
        unsafe { libz_sys::deflateEnd(&raw mut *self.stream) };
    }
}

/// As [`compress`], for a few bytes.
fn compress_small(level: i32, src: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let mut deflater = match DEFLATERS.take(|cached| cached.level == level) {
        Some(cached) => cached,
        None => Deflater::new(level)?,
    };
    // Stored blocks cost 11 bytes, and zlib stores incompressible data.
    let capacity = src.len() + 64;
    let start = out.len();
    memory::reserve("compressed data", out, capacity)?;
    out.resize(start + capacity, 0);
    let written = deflater.compress(src, &mut out[start..])?;
    out.truncate(start + written);
    DEFLATERS.put(deflater);
    Ok(())
}

extern "C" fn allocate(_: *mut c_void, items: u32, size: u32) -> *mut c_void {
    // SAFETY: any two numbers are valid arguments; null signals an allocation failure to zlib.
    unsafe { libc::calloc(items as usize, size as usize) }
}

extern "C" fn release(_: *mut c_void, memory: *mut c_void) {
    // SAFETY: zlib returns memory that it obtained from `allocate`.
    unsafe { libc::free(memory) }
}

/// Decompresses one zlib stream, which must fill `dst` exactly.
///
/// # Errors
/// If it does not, or is corrupt.
pub fn decompress(src: &[u8], dst: &mut [u8]) -> Result<()> {
    let mut decompressor = match DECOMPRESSORS.take(|_| true) {
        Some(cached) => cached,
        None => construct(Decompressor::new)?,
    };
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
        libz_sys::Z_MEM_ERROR => Err(no_memory()),
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

    /// Output of zlib in a single call.
    fn by_zlib(level: i32, data: &[u8]) -> Vec<u8> {
        let mut packed = vec![0; data.len() + 64];
        let mut written = packed.len() as libz_sys::uLong;
        let length = data.len() as libz_sys::uLong;
        // SAFETY: both buffers live through the call and are as long as is said.
        let code = unsafe { libz_sys::compress2(packed.as_mut_ptr(), &raw mut written, data.as_ptr(), length, level) };
        assert_eq!(code, libz_sys::Z_OK);
        packed.truncate(written as usize);
        packed
    }

    #[test]
    fn small_tables_are_the_bytes_that_zlib_makes() {
        for length in [1000, SMALL, SMALL + 1] {
            let data: Vec<u8> = (0..length as u32).map(|i| (i / 8 * (i % 8 / 7)) as u8).collect();
            for level in 0..=9 {
                let mut packed = Vec::new();
                compress(level, &data, &mut packed).unwrap();
                assert_eq!(packed == by_zlib(level, &data), length <= SMALL || level == 0, "{length}, {level}");
            }
        }
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
                    assert_eq!(&packed[1..], by_zlib(level, &data));
                }
            }
        }
    }
}
