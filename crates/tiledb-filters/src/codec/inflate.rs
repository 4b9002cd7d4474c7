//! Streaming decompression of gzip, zlib and raw deflate.
#![expect(unsafe_code, reason = "zlib is a C library")]

use std::ffi::c_int;

use super::gzip::new_stream;
use tiledb_core::error::{Error, ErrorKind, Result, bail};

/// Detects gzip or zlib by the first bytes.
const EITHER: c_int = 15 + 32;
/// Reads deflate without a frame around it.
const BARE: c_int = -15;

/// A stream that is being decompressed.
pub struct Inflate {
    /// Boxed, since zlib stores a pointer to the stream.
    stream: Box<libz_sys::z_stream>,
    is_over: bool,
}

// SAFETY: nothing in a stream belongs to a thread.
unsafe impl Send for Inflate {}

impl Inflate {
    /// Detects the format from the first two bytes.
    ///
    /// # Errors
    /// If an allocation fails.
    pub fn new(begin: [u8; 2]) -> Result<Inflate> {
        let is_zlib = begin[0] & 15 == 8 && u16::from_be_bytes(begin).is_multiple_of(31);
        let window = if is_zlib || begin == [0x1f, 0x8b] { EITHER } else { BARE };
        let mut stream = Box::new(new_stream());
        // SAFETY: the stream is initialised, and stays where it is until it is ended.
        let code = unsafe {
            libz_sys::inflateInit2_(
                &raw mut *stream,
                window,
                libz_sys::zlibVersion(),
                size_of::<libz_sys::z_stream>() as c_int,
            )
        };
        match code {
            libz_sys::Z_OK => Ok(Inflate { stream, is_over: false }),
            libz_sys::Z_MEM_ERROR => Err(Error::new(ErrorKind::OutOfMemory, "zlib has no memory left for its work")),
            _ => bail!(Internal, "zlib cannot be started: code {code}"),
        }
    }

    /// Whether the end of the stream has been reached.
    pub fn is_finished(&self) -> bool {
        self.is_over
    }

    /// Decompresses more; returns how many bytes of `src` were consumed and how many of `dst` were written.
    ///
    /// # Errors
    /// For invalid data.
    pub fn step(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(usize, usize)> {
        if self.is_over {
            return Ok((0, 0));
        }
        let most = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        let stream = &mut *self.stream;
        (stream.next_in, stream.avail_in) = (src.as_ptr().cast_mut(), most(src.len()));
        (stream.next_out, stream.avail_out) = (dst.as_mut_ptr(), most(dst.len()));
        // SAFETY: the pointers of the stream are valid for the stated lengths; zlib does not write to its input.
        let code = unsafe { libz_sys::inflate(stream, libz_sys::Z_NO_FLUSH) };
        let used = (most(src.len()) - stream.avail_in) as usize;
        let written = (most(dst.len()) - stream.avail_out) as usize;
        match code {
            libz_sys::Z_STREAM_END => self.is_over = true,
            libz_sys::Z_OK | libz_sys::Z_BUF_ERROR => {}
            _ => bail!(Corrupt, "zlib cannot read the stream: code {code}"),
        }
        Ok((used, written))
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        // SAFETY: the stream was initialised, and is not used again.
        unsafe { libz_sys::inflateEnd(&raw mut *self.stream) };
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn inflated(mut src: &[u8], step: usize) -> Result<Vec<u8>> {
        let mut inflate = Inflate::new([src[0], src[1]])?;
        let (mut out, mut capacity) = (Vec::new(), [0; 7]);
        while !inflate.is_finished() {
            let (used, written) = inflate.step(&src[..step.min(src.len())], &mut capacity)?;
            if used == 0 && written == 0 {
                bail!(Corrupt, "cut");
            }
            src = &src[used..];
            out.extend_from_slice(&capacity[..written]);
        }
        Ok(out)
    }

    #[test]
    fn streams_of_every_form_are_read_in_pieces() {
        let text: Vec<u8> = (0..5000u32).flat_map(|number| (number / 7).to_le_bytes()).collect();
        let level = flate2::Compression::default();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), level);
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), level);
        let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), level);
        for writer in [&mut gzip as &mut dyn Write, &mut zlib, &mut bare] {
            writer.write_all(&text).unwrap();
        }
        for bytes in [gzip.finish().unwrap(), zlib.finish().unwrap(), bare.finish().unwrap()] {
            for step in [1, 10, 100_000] {
                assert_eq!(inflated(&bytes, step).unwrap(), text);
            }
            inflated(&bytes[..bytes.len() / 2], 100).unwrap_err();
        }
        assert_eq!(inflated(&[0x1f, 0x8b, 1, 2, 3, 4], 100).unwrap_err().kind(), ErrorKind::Corrupt);
    }
}
