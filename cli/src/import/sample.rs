//! Rows that are sampled from a file of unknown length: blocks of consecutive rows, evenly spread.

/// Maximum number of sampled blocks.
const BLOCKS: usize = 8;
/// Maximum size of the sampled rows, unless a single block is larger.
const BYTES: usize = 64 << 20;

/// Sampled rows.
pub struct RowSample<T> {
    /// Rows of a block. Filters depend on runs of rows, so that blocks are as long as tiles.
    block: u64,
    /// Every block of which the number is a multiple of this one is sampled.
    stride: u64,
    /// Rows, each with the number of its block and its size.
    rows: Vec<(u64, usize, T)>,
    bytes: usize,
}

impl<T> RowSample<T> {
    /// A sample for tiles of this many rows.
    pub fn new(tile: u64) -> Self {
        Self { block: tile.clamp(1 << 10, 1 << 14), stride: 1, rows: Vec::new(), bytes: 0 }
    }

    /// Rows of a block.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// How many of the rows from this one on are in the same block, and whether they are sampled.
    pub fn next(&self, row: u64) -> (u64, bool) {
        (self.block - row % self.block, (row / self.block).is_multiple_of(self.stride))
    }

    /// Adds rows of a block, of which this is the first.
    pub fn add(&mut self, row: u64, bytes: usize, rows: T) {
        let block = row / self.block;
        self.bytes += bytes;
        self.rows.push((block, bytes, rows));
        while block > 0 && (block / self.stride >= BLOCKS as u64 || self.bytes > BYTES && self.stride <= block) {
            self.stride *= 2;
            let stride = self.stride;
            self.rows.retain(|(block, ..)| block.is_multiple_of(stride));
            self.bytes = self.rows.iter().map(|(_, bytes, _)| bytes).sum();
        }
    }

    /// The rows, in the order of the file.
    pub fn into_rows(self) -> impl Iterator<Item = T> {
        self.rows.into_iter().map(|(.., rows)| rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(rows: u64, bytes: usize) -> Vec<u64> {
        let mut sample = RowSample::new(1 << 10);
        let mut row = 0;
        while row < rows {
            let (same, is_sampled) = sample.next(row);
            if is_sampled {
                sample.add(row, bytes, row);
            }
            row += same.min(300);
        }
        let mut blocks: Vec<u64> = sample.into_rows().map(|row| row >> 10).collect();
        blocks.dedup();
        blocks
    }

    #[test]
    fn blocks_are_spread_evenly() {
        assert!(sampled(0, 1).is_empty());
        assert_eq!(sampled(1, 1), [0]);
        assert_eq!(sampled(8 << 10, 1), (0..8).collect::<Vec<_>>());
        assert_eq!(sampled(9 << 10, 1), [0, 2, 4, 6, 8]);
        for rows in [1_000_000, 10_000_000] {
            let blocks = sampled(rows, 1);
            let stride = blocks[1];
            assert!((4..=8).contains(&blocks.len()), "{}", blocks.len());
            assert!(blocks.windows(2).all(|pair| pair[1] - pair[0] == stride));
            assert!(rows >> 10 < blocks[blocks.len() - 1] + 2 * stride);
        }
    }

    #[test]
    fn memory_is_limited() {
        // Four parts of a block with 8 MiB each.
        assert_eq!(sampled(4 << 10, 8 << 20), [0, 2]);
        assert_eq!(sampled(1 << 10, 64 << 20), [0]);
        assert_eq!(sampled(100 << 10, 64 << 20), [0]);
    }
}
