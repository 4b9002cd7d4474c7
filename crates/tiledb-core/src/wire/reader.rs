//! Bounds-checked reader of little-endian primitives.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind, Result, bail};
use crate::memory;
use crate::types::text_of_path;

/// A cursor over bytes that came from a file. Errors name what was being read and where.
#[derive(Clone)]
pub struct WireReader<'a> {
    what: &'a str,
    bytes: &'a [u8],
    /// Number of bytes, of which the first are there.
    total: usize,
    position: usize,
}

/// Declares one method per primitive.
macro_rules! primitives {
    ($($type:ident)+) => {$(
        /// The next value of this type, little-endian.
        ///
        /// # Errors
        /// If too few bytes are left.
        #[inline]
        pub fn $type(&mut self) -> Result<$type> {
            let bytes = self.bytes(size_of::<$type>())?;
            let mut value = [0; size_of::<$type>()];
            value.copy_from_slice(bytes);
            Ok($type::from_le_bytes(value))
        }
    )+};
}

impl<'a> WireReader<'a> {
    /// A reader over `bytes`; `what` names them in errors, such as `array schema`.
    pub fn new(what: &'a str, bytes: &'a [u8]) -> WireReader<'a> {
        WireReader { what, bytes, total: bytes.len(), position: 0 }
    }

    /// A reader over the first of `total` bytes. Where they end, errors are [`ErrorKind::Incomplete`].
    pub fn of_prefix(what: &'a str, bytes: &'a [u8], total: usize) -> WireReader<'a> {
        WireReader { what, bytes, total: total.max(bytes.len()), position: 0 }
    }

    /// The position from the start of the bytes.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Number of unread bytes.
    pub fn remaining(&self) -> usize {
        self.total - self.position
    }

    /// The unread bytes that are there.
    pub fn available(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// True at the end.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// If fewer bytes remain, or the process is out of memory.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Result<&'a [u8]> {
        memory::check()?;
        let end = self.position.checked_add(len).filter(|&end| end <= self.bytes.len());
        match end.and_then(|end| self.bytes.get(self.position..end)) {
            Some(bytes) => {
                self.position += len;
                Ok(bytes)
            }
            None => Err(self.too_few(len)),
        }
    }

    #[cold]
    fn too_few(&self, len: usize) -> Error {
        if self.bytes.len() < self.total && len <= self.remaining() {
            return Error::new(ErrorKind::Incomplete, format!("{}: the bytes so far end within it", self.what));
        }
        self.corrupt(format_args!("{len} bytes expected, {} left", self.remaining()))
    }

    primitives! { u8 u16 u32 u64 i32 i64 f32 f64 }

    /// A 64-bit length of bytes that must be available.
    ///
    /// # Errors
    /// If fewer bytes remain.
    pub fn length64(&mut self) -> Result<usize> {
        let len = self.u64()?;
        self.checked_length(len, 1)
    }

    /// A count of items of at least `item_size` bytes each, which must fit into the remaining bytes.
    ///
    /// # Errors
    /// If they cannot fit.
    #[inline]
    pub fn count64(&mut self, item_size: usize) -> Result<usize> {
        let count = self.u64()?;
        self.checked_length(count, item_size)
    }

    /// As [`WireReader::count64`] for a 32-bit count.
    ///
    /// # Errors
    /// If they cannot fit.
    #[inline]
    pub fn count32(&mut self, item_size: usize) -> Result<usize> {
        let count = u64::from(self.u32()?);
        self.checked_length(count, item_size)
    }

    fn checked_length(&self, count: u64, item_size: usize) -> Result<usize> {
        let room = self.remaining() / item_size.max(1);
        match usize::try_from(count) {
            Ok(count) if count <= room => Ok(count),
            _ => Err(self.corrupt(format_args!("{count} items stated, room for {room}"))),
        }
    }

    /// Text with a 32-bit length prefix.
    ///
    /// # Errors
    /// If it is truncated or not UTF-8.
    pub fn str32(&mut self) -> Result<&'a str> {
        let len = self.count32(1)?;
        self.text(len)
    }

    /// Text with a 64-bit length prefix.
    ///
    /// # Errors
    /// If it is truncated or not UTF-8.
    #[inline]
    pub fn str64(&mut self) -> Result<&'a str> {
        let len = self.length64()?;
        self.text(len)
    }

    /// A path or URI with a 64-bit length prefix; any bytes are accepted.
    ///
    /// # Errors
    /// If it is truncated.
    pub fn path64(&mut self) -> Result<Cow<'a, str>> {
        let len = self.length64()?;
        Ok(text_of_path(self.bytes(len)?))
    }

    fn text(&mut self, len: usize) -> Result<&'a str> {
        match std::str::from_utf8(self.bytes(len)?) {
            Ok(text) => Ok(text),
            Err(error) => bail!(Corrupt, "{}: text at byte {} is not UTF-8: {error}", self.what, self.position - len),
        }
    }

    /// `count` 64-bit words.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn words(&mut self, count: usize) -> Result<Vec<u64>> {
        let len = count
            .checked_mul(8)
            .ok_or_else(|| self.corrupt(format_args!("{count} words of 8 bytes exceed the address space")))?;
        let bytes = self.bytes(len)?;
        memory::collect("words of a file", bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned))
    }

    /// An error about these bytes at the present position.
    pub fn corrupt(&self, text: impl std::fmt::Display) -> Error {
        Error::corrupt(format!("{}: at byte {} of {}: {text}", self.what, self.position, self.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_beyond_the_end_is_an_error() {
        let mut reader = WireReader::new("test", &[0xff, 0xff, 0xff, 0xff, 1]);
        assert!(reader.clone().str32().is_err());
        assert!(reader.clone().count32(8).is_err());
        assert_eq!(reader.u32().unwrap(), u32::MAX);
        assert_eq!(reader.u8().unwrap(), 1);
        assert!(reader.u8().unwrap_err().text().contains("test: at byte 5 of 5"));
    }

    #[test]
    fn prefix_ends_incomplete_and_its_total_is_checked() {
        let mut reader = WireReader::of_prefix("test", &[3, 0, 0, 0, 1, 2], 7);
        assert_eq!(reader.clone().u32().unwrap(), 3);
        assert_eq!(reader.count32(1).unwrap(), 3);
        assert_eq!(reader.remaining(), 3);
        assert_eq!(reader.available(), [1, 2]);
        assert_eq!(reader.bytes(3).unwrap_err().kind(), ErrorKind::Incomplete);
        assert_eq!(reader.bytes(4).unwrap_err().kind(), ErrorKind::Corrupt);
        assert!(WireReader::of_prefix("test", &[4, 0, 0, 0], 7).count32(1).is_err());
    }
}
