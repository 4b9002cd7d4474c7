//! Responses of several length-prefixed messages, read as a stream.

use std::io::Read;

use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::limits::storage::RESERVED_MESSAGE_BYTES;
use tiledb_core::memory;

/// Reads frames: 8 bytes of length, little-endian, and as many bytes.
pub(super) struct FrameReader<R> {
    reader: R,
    most: u64,
    /// Number of complete frames.
    count: u64,
}

impl<R: Read> FrameReader<R> {
    /// A reader of frames of at most `most` bytes.
    pub(super) fn new(reader: R, most: u64) -> FrameReader<R> {
        FrameReader { reader, most, count: 0 }
    }

    /// The next frame; none at the end.
    ///
    /// # Errors
    /// `Io` if the response ends inside a frame or is interrupted; `Corrupt` for an impossible length.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut length = Vec::new();
        take(&mut self.reader, 8, &mut length)?;
        let Ok(length) = <[u8; 8]>::try_from(length.as_slice()) else {
            return if length.is_empty() { Ok(None) } else { Err(self.cut(length.len() as u64, 8)) };
        };
        let length = u64::from_le_bytes(length);
        if length > self.most {
            let text = format!(
                "Message {} of the answer is said to have {length} bytes; at most {} are taken",
                self.count, self.most
            );
            return Err(Error::corrupt(text));
        }
        let mut frame = Vec::new();
        take(&mut self.reader, length, &mut frame)?;
        if frame.len() as u64 != length {
            return Err(self.cut(frame.len() as u64, length));
        }
        self.count += 1;
        Ok(Some(frame))
    }

    #[cold]
    fn cut(&self, got: u64, length: u64) -> Error {
        let text = format!("The answer ends inside message {}: {got} of {length} bytes came", self.count);
        Error::new(ErrorKind::Io, text)
    }
}

/// Reads up to `count` bytes; memory grows with the received bytes, not with the stated length.
///
/// # Errors
/// If the response is interrupted, or memory does not suffice.
pub(super) fn take(reader: &mut impl Read, count: u64, out: &mut Vec<u8>) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let step = left.min(RESERVED_MESSAGE_BYTES.count().max(out.len()) as u64) as usize;
        memory::reserve("an answer", out, step)?;
        let start = out.len();
        out.resize(start + step, 0);
        let got = fill(reader, &mut out[start..]);
        out.truncate(start + got.as_ref().copied().unwrap_or_default());
        let got = got.map_err(|error| Error::new(ErrorKind::Io, format!("The answer breaks off: {error}")))?;
        left -= got as u64;
        if got < step {
            break;
        }
    }
    Ok(())
}

/// Reads until `out` is full or the stream ends.
fn fill(reader: &mut impl Read, out: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < out.len() {
        match reader.read(&mut out[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_frames_are_read_and_truncated_frames_are_errors() {
        let frame = |bytes: &[u8]| [&(bytes.len() as u64).to_le_bytes(), bytes].concat();
        let whole = [frame(b"abc"), frame(b""), frame(b"defg")].concat();
        for end in 0..=whole.len() {
            let mut frames = FrameReader::new(&whole[..end], 100);
            let mut got = Vec::new();
            let result = loop {
                match frames.next() {
                    Ok(Some(frame)) => got.push(frame),
                    other => break other,
                }
            };
            let ends = [0, 11, 19, 31];
            assert_eq!(result.is_ok(), ends.contains(&end), "{end}");
            assert_eq!(got.len(), ends.iter().filter(|&&whole| whole != 0 && whole <= end).count());
        }
        let mut huge = FrameReader::new(&[255; 20][..], 1 << 40);
        assert_eq!(huge.next().unwrap_err().kind(), ErrorKind::Corrupt);
        let said = (1u64 << 39).to_le_bytes();
        assert!(FrameReader::new(&said[..], 1 << 40).next().unwrap_err().text().contains("0 of 549755813888 bytes"));
    }
}
