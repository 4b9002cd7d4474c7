//! The writer.

/// Appends the primitives of the format to a byte vector.
#[derive(Default)]
pub struct Writer {
    bytes: Vec<u8>,
}

/// Declares one method per primitive.
macro_rules! primitives {
    ($($type:ident)+) => {$(
        /// Appends the value, little-endian.
        pub fn $type(&mut self, value: $type) -> &mut Self {
            self.bytes(&value.to_le_bytes())
        }
    )+};
}

impl Writer {
    /// An empty writer.
    pub fn new() -> Writer {
        Writer::default()
    }

    /// Appends bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
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

    /// Appends 64-bit words.
    pub fn words(&mut self, words: &[u64]) -> &mut Self {
        self.bytes(bytemuck::cast_slice(words))
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True if nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}
