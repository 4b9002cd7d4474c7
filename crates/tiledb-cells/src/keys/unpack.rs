//! Decoding of coordinates from their sort keys.

use tiledb_core::types::PhysicalType;

/// How the coordinate of a dimension is decoded from the words of a key.
#[derive(Clone, Copy, Debug)]
pub enum CoordEncoding {
    /// An integer, which one of the words holds in full.
    Whole { word: usize, unpack: CoordUnpack },
    /// A floating-point number: zeros and NaNs with different bits have the same key.
    Real(PhysicalType),
    /// A string, whose first bytes a word has.
    Text { word: usize },
}

/// How an integer coordinate is unpacked from a word of a key.
#[derive(Clone, Copy, Debug)]
pub struct CoordUnpack {
    /// Bytes of a coordinate.
    pub size: usize,
    /// The position of its bits in the word.
    pub shift: u32,
    pub mask: u64,
    /// The order-preserving image of the domain's lower bound, which keys count from.
    pub low: u64,
    /// The order-preserving image of 0: signed numbers have their sign bit flipped.
    pub zero: u64,
}

impl CoordUnpack {
    /// The coordinate, in its first `size` bytes.
    #[inline]
    pub fn value(&self, word: u64) -> [u8; 8] {
        (((word >> self.shift) & self.mask).wrapping_add(self.low) ^ self.zero).to_le_bytes()
    }

    /// The coordinates of cells, one after another.
    pub fn copy(&self, words: impl Iterator<Item = u64>, out: &mut [u8]) {
        copy_values(self.size, words.map(|word| self.value(word)), out);
    }
}

/// Copies the first `size` bytes of values, one after another.
pub fn copy_values(size: usize, values: impl Iterator<Item = [u8; 8]>, out: &mut [u8]) {
    match size {
        1 => copy_cells::<1>(values, out),
        2 => copy_cells::<2>(values, out),
        4 => copy_cells::<4>(values, out),
        _ => copy_cells::<8>(values, out),
    }
}

fn copy_cells<const W: usize>(values: impl Iterator<Item = [u8; 8]>, out: &mut [u8]) {
    for (out, value) in out.as_chunks_mut::<W>().0.iter_mut().zip(values) {
        out.copy_from_slice(&value[..W]);
    }
}
