//! Writer of little-endian primitives.

use crate::error::{Error, Result};
use crate::memory;
use crate::types::bytes_of_path;

/// Appends the primitives of the format to a byte vector.
#[derive(Default)]
pub struct WireWriter {
    bytes: Vec<u8>,
    /// Bytes that there was no memory for; nothing is appended from then on.
    missing: usize,
}

/// Declares one method per primitive.
macro_rules! primitives {
    ($($type:ident)+) => {$(
        /// Appends the value, little-endian.
        #[inline]
        pub fn $type(&mut self, value: $type) -> &mut Self {
            self.bytes(&value.to_le_bytes())
        }
    )+};
}

impl WireWriter {
    /// An empty writer.
    pub fn new() -> WireWriter {
        WireWriter::default()
    }

    /// Appends raw bytes.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let room = self.bytes.capacity() - self.bytes.len();
        if bytes.len() > room
            && (self.missing > 0 || memory::reserve("a structure", &mut self.bytes, bytes.len()).is_err())
        {
            self.missing = self.bytes.len().saturating_add(bytes.len());
        } else if self.missing == 0 {
            self.bytes.extend_from_slice(bytes);
        }
        self
    }

    /// Appends what another one holds.
    pub fn append(&mut self, other: WireWriter) -> &mut Self {
        self.missing = self.missing.max(other.missing);
        self.bytes(&other.bytes)
    }

    primitives! { u8 u16 u32 u64 i32 i64 f32 f64 }

    /// Appends a 32-bit length and the text.
    pub fn str32(&mut self, text: &str) -> &mut Self {
        self.u32(text.len() as u32).bytes(text.as_bytes())
    }

    /// Appends a 64-bit length and the text.
    pub fn str64(&mut self, text: &str) -> &mut Self {
        self.u64(text.len() as u64).bytes(text.as_bytes())
    }

    /// Appends a 64-bit length and the bytes of a path or URI.
    pub fn path64(&mut self, text: &str) -> &mut Self {
        let bytes = bytes_of_path(text);
        self.u64(bytes.len() as u64).bytes(&bytes)
    }

    /// Appends 64-bit words.
    pub fn words(&mut self, words: &[u64]) -> &mut Self {
        self.bytes(bytemuck::cast_slice(words))
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes.
    ///
    /// # Errors
    /// If there was no memory for them.
    pub fn finish(self) -> Result<Vec<u8>> {
        match self.missing {
            0 => Ok(self.bytes),
            more => Err(Error::out_of_memory("what is to be written", more)),
        }
    }
}
