//! A small deterministic random number generator.

/// SplitMix64: the same seed gives the same sequence everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // Scrambled, since neighbouring states would give the same numbers one place on.
        Random(Random(seed.wrapping_mul(0xd134_2543_de82_ef95)).next())
    }

    #[allow(clippy::should_implement_trait, reason = "an endless sequence: an iterator would return options")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % ((high - low) as u64 + 1)) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[(self.next() % items.len() as u64) as usize]
    }
}
