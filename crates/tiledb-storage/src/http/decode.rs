//! Decompresses response bodies as they arrive.

use std::io::{self, ErrorKind, Read};

use zstd_safe::{DCtx, InBuffer, OutBuffer};

use tiledb_core::error::{Error, Result, bail};
use tiledb_core::limits::storage::RESPONSE_READ_BYTES;
use tiledb_core::memory;
use tiledb_filters::codec::inflate::Inflate;

/// The value of `Accept-Encoding` for a configured compressor: all supported encodings, one of them, or none.
///
/// # Errors
/// For a name that is none of these.
pub fn accepted(compressor: &str) -> Result<Option<&'static str>> {
    Ok(match compressor.to_ascii_lowercase().as_str() {
        "any" | "" => Some("deflate, gzip, zstd"),
        "deflate" => Some("deflate"),
        "gzip" => Some("gzip"),
        "zstd" => Some("zstd"),
        "none" => None,
        _ => bail!("'rest.http_compressor' is '{compressor}'; any, none, deflate, gzip and zstd are known"),
    })
}

/// Maximum number of compressed bytes that decode to nothing: a stream of empty blocks would never end.
const MOST_IDLE: usize = 1 << 20;

/// A response body, decompressed.
pub struct BodyDecoder<R> {
    inner: R,
    /// Received bytes that are not decompressed yet.
    room: Vec<u8>,
    arrived: std::ops::Range<usize>,
    encoding_state: Encoding,
}

enum Encoding {
    Plain,
    /// Zlib or raw deflate; the first two bytes decide which.
    Deflated(Option<Inflate>),
    /// The flag is set at the end of a frame.
    Zstd(DCtx<'static>, bool),
}

impl<R: Read> BodyDecoder<R> {
    /// # Errors
    /// For an encoding that was not requested.
    pub fn new(inner: R, encoding: Option<&str>) -> Result<BodyDecoder<R>> {
        let encoding_state = match encoding.map(|encoding| encoding.trim().to_ascii_lowercase()).as_deref() {
            None | Some("" | "identity") => Encoding::Plain,
            Some("gzip" | "x-gzip" | "deflate") => Encoding::Deflated(None),
            Some("zstd") => match DCtx::try_create() {
                Some(context) => Encoding::Zstd(context, true),
                None => return Err(Error::out_of_memory("an answer", RESPONSE_READ_BYTES.count())),
            },
            Some(other) => bail!(Io, "The answer is encoded as '{other}', which was not asked for"),
        };
        let room = if matches!(encoding_state, Encoding::Plain) {
            Vec::new()
        } else {
            memory::zeroed("an answer", RESPONSE_READ_BYTES.count())?
        };
        Ok(BodyDecoder { inner, room, arrived: 0..0, encoding_state })
    }

    /// Receives more bytes after those that are left; false at the end of the body.
    fn refill(&mut self) -> io::Result<bool> {
        if self.arrived.start > 0 {
            self.room.copy_within(self.arrived.clone(), 0);
            self.arrived = 0..self.arrived.len();
        }
        let count = self.inner.read(self.room.get_mut(self.arrived.end..).unwrap_or_default())?;
        self.arrived.end += count;
        Ok(count > 0)
    }

    /// One decompression step: bytes consumed, bytes written, and whether the stream may end here.
    fn step(&mut self, out: &mut [u8]) -> io::Result<(usize, usize, bool)> {
        let src = self.room.get(self.arrived.clone()).unwrap_or_default();
        match &mut self.encoding_state {
            Encoding::Plain => Ok((0, 0, true)),
            Encoding::Deflated(inflate) => {
                let inflate = match (inflate, src) {
                    (Some(inflate), _) => inflate,
                    (new, &[first, second, ..]) => new.insert(Inflate::new([first, second]).map_err(io::Error::other)?),
                    (None, _) => return Ok((0, 0, src.is_empty())),
                };
                let (used, written) = inflate.step(src, out).map_err(io::Error::other)?;
                Ok((used, written, inflate.is_finished()))
            }
            Encoding::Zstd(context, at_end) => {
                let (mut input, mut output) = (InBuffer::around(src), OutBuffer::around(out));
                let hint = context.decompress_stream(&mut output, &mut input).map_err(|code| {
                    let name = zstd_safe::get_error_name(code);
                    io::Error::new(ErrorKind::InvalidData, format!("zstd cannot read the stream: {name}"))
                })?;
                let (used, written) = (input.pos(), output.pos());
                if used > 0 || written > 0 {
                    *at_end = hint == 0;
                }
                Ok((used, written, *at_end))
            }
        }
    }
}

impl<R: Read> Read for BodyDecoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if matches!(self.encoding_state, Encoding::Plain) {
            return self.inner.read(out);
        }
        if out.is_empty() {
            return Ok(0);
        }
        let mut idle = 0;
        loop {
            let (used, written, may_end) = self.step(out)?;
            self.arrived.start += used;
            if written > 0 {
                return Ok(written);
            }
            idle += used;
            if idle > MOST_IDLE {
                let reason = format!("{MOST_IDLE} bytes of the compressed answer hold nothing");
                return Err(io::Error::new(ErrorKind::InvalidData, reason));
            }
            if used > 0 {
                continue;
            }
            if may_end && matches!(&self.encoding_state, Encoding::Deflated(Some(_))) {
                return Ok(0);
            }
            if !self.refill()? {
                let reason = "the compressed answer breaks off";
                return if may_end { Ok(0) } else { Err(io::Error::new(ErrorKind::UnexpectedEof, reason)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Gives a byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = out.len().min(1);
            self.0.read(&mut out[..len])
        }
    }

    fn decoded(bytes: &[u8], encoding: Option<&str>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        BodyDecoder::new(Slow(bytes), encoding).unwrap().read_to_end(&mut out)?;
        Ok(out)
    }

    #[test]
    fn every_requested_encoding_is_decoded() {
        let text: Vec<u8> = (0..50_000u32).flat_map(|number| (number / 3).to_le_bytes()).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&text).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        zlib.write_all(&text).unwrap();
        let mut zstd = Vec::new();
        tiledb_filters::codec::zstd::compress(3, &text, &mut zstd).unwrap();
        let forms = [("gzip", gzip.finish().unwrap()), ("deflate", zlib.finish().unwrap()), ("zstd", zstd)];
        for (encoding, bytes) in forms {
            assert_eq!(decoded(&bytes, Some(encoding)).unwrap(), text, "{encoding}");
            for cut in [1, 5, bytes.len() / 2, bytes.len() - 1] {
                decoded(&bytes[..cut], Some(encoding)).unwrap_err();
            }
            assert_eq!(decoded(&[], Some(encoding)).unwrap(), b"");
            decoded(b"no such stream, whoever looks at it", Some(encoding)).unwrap_err();
        }
        assert_eq!(decoded(&text, None).unwrap(), text);
        assert_eq!(decoded(b"ab", Some("identity")).unwrap(), b"ab");
        assert!(BodyDecoder::new(Slow(b""), Some("br")).is_err());
    }

    #[test]
    fn streams_of_nothing_come_to_an_end() {
        // Skippable frames of zstd, and empty stored blocks of deflate.
        let frames = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].repeat(1 << 18);
        let blocks = [&[0x78, 0x9c][..], &[0, 0, 0, 0xff, 0xff].repeat(1 << 19)].concat();
        for (encoding, bytes) in [("zstd", frames), ("deflate", blocks)] {
            let read = BodyDecoder::new(&bytes[..], Some(encoding)).unwrap().read(&mut [0; 16]);
            assert!(read.unwrap_err().to_string().contains("hold nothing"), "{encoding}");
        }
    }

    #[test]
    fn requested_encodings_follow_the_parameter() {
        assert_eq!(accepted("any").unwrap(), Some("deflate, gzip, zstd"));
        assert_eq!(accepted("GZIP").unwrap(), Some("gzip"));
        assert_eq!(accepted("none").unwrap(), None);
        assert!(accepted("lzma").is_err());
    }
}
