//! Memory of Arrow buffers: allocated as words, so that every type is aligned.

use tiledb_core::error::Result;
use tiledb_core::memory;

/// Word-aligned bytes.
#[derive(Debug, Default)]
pub struct AlignedBuffer {
    words: Vec<u64>,
    len: usize,
}

impl AlignedBuffer {
    /// A buffer of words, of which `len` bytes are used.
    pub fn of_words(words: Vec<u64>, len: usize) -> AlignedBuffer {
        AlignedBuffer { len: len.min(words.len() * 8), words }
    }

    /// # Errors
    /// If memory does not suffice.
    pub fn copied(bytes: &[u8]) -> Result<AlignedBuffer> {
        let mut words = memory::filled("Arrow values", 0u64, bytes.len().div_ceil(8))?;
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Ok(AlignedBuffer { words, len: bytes.len() })
    }

    /// A bitmap with one bit for each byte, set if it is not 0; and the number of zeros.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn bits(bytes: &[u8]) -> Result<(AlignedBuffer, usize)> {
        let mut words = memory::filled("Arrow bits", 0u64, bytes.len().div_ceil(64))?;
        let mut set = 0;
        for (word, bytes) in words.iter_mut().zip(bytes.chunks(64)) {
            let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 1 | u64::from(byte != 0));
            set += bits.count_ones() as usize;
            *word = bits.to_le();
        }
        Ok((AlignedBuffer { words, len: bytes.len().div_ceil(8) }, bytes.len() - set))
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }

    pub fn address(&self) -> *const u8 {
        self.words.as_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_bits() {
        let bytes: Vec<u8> = (0..70).map(|at| u8::from(at % 3 == 0) * 7).collect();
        let (block, zeros) = AlignedBuffer::bits(&bytes).unwrap();
        assert_eq!((zeros, block.bytes().len()), (46, 9));
        for (at, &byte) in bytes.iter().enumerate() {
            assert_eq!(block.bytes()[at / 8] >> (at % 8) & 1 == 1, byte != 0, "{at}");
        }
    }
}
