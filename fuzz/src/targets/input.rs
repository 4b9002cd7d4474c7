//! Values taken from a fuzzer's bytes, front to back; zeros when they run out.

/// What is left of the bytes.
pub struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut taken = [0; N];
        let len = N.min(self.0.len());
        taken[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        taken
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        u8::from_le_bytes(self.array())
    }

    /// The next number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        u32::from_le_bytes(self.array()) as usize % bound
    }

    /// A format version: the current one for 0, so that short inputs mean something, older ones after it, and the newest
    /// readable one last, so that seeds keep their versions.
    pub fn version(&mut self) -> u32 {
        match u32::from(self.byte() % 23) {
            22 => 23,
            older => 22 - older,
        }
    }

    /// A number of two bytes.
    pub fn short(&mut self) -> usize {
        usize::from(u16::from_le_bytes(self.array()))
    }
}
