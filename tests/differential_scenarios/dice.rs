//! Deterministic pseudo-random numbers, the same in both runs of a scenario.

/// A source of numbers.
pub struct Dice(u64);

impl Dice {
    /// One of many.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Less than `most`.
    pub fn less(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    /// Less than `most`.
    pub fn below(&mut self, most: i32) -> i32 {
        self.less(most as usize) as i32
    }
}
