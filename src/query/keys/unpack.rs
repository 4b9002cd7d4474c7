//! Coordinates of cells from their sort keys, where a key is a single word that holds integers in full.

/// How the coordinate of one dimension is unpacked from a key.
#[derive(Clone, Copy, Debug)]
pub struct Unpack {
    /// Bytes of a coordinate.
    pub size: usize,
    /// Where its bits lie in the key.
    pub shift: u32,
    pub mask: u64,
    /// The order-preserving image of the domain's lower bound, which keys count from.
    pub low: u64,
    /// The order-preserving image of 0: signed numbers have their sign bit flipped.
    pub zero: u64,
}

impl Unpack {
    /// The coordinate, in its first `size` bytes.
    #[inline]
    pub fn value(&self, key: u64) -> [u8; 8] {
        (((key >> self.shift) & self.mask).wrapping_add(self.low) ^ self.zero).to_le_bytes()
    }

    /// The coordinates of cells, one after another.
    pub fn copy(&self, keys: impl Iterator<Item = u64>, out: &mut [u8]) {
        match self.size {
            1 => self.copy_cells::<1>(keys, out),
            2 => self.copy_cells::<2>(keys, out),
            4 => self.copy_cells::<4>(keys, out),
            _ => self.copy_cells::<8>(keys, out),
        }
    }

    fn copy_cells<const W: usize>(&self, keys: impl Iterator<Item = u64>, out: &mut [u8]) {
        for (out, key) in out.as_chunks_mut::<W>().0.iter_mut().zip(keys) {
            out.copy_from_slice(&self.value(key)[..W]);
        }
    }
}
