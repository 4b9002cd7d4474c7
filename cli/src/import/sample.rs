//! Rows that are sampled from a file of unknown length: blocks of consecutive rows, evenly spread.

/// Maximum number of sampled blocks.
const BLOCKS: usize = 8;
/// Rows of a block, at least and at most: as many as a tile has, where this suffices to compare filters.
const BLOCK_ROWS: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 12;
/// Rows that are kept or not together.
const PART_ROWS: u64 = 256;
/// Of all rows, at most one of so many is used, but at least so many rows: what is recommended by them is to take a small part of
/// the time of the import.
const USED_SHARE: u64 = 64;
const LEAST_USED: u64 = 1 << 11;
/// Maximum size of the sampled rows, unless a part of a block is larger.
const BYTES: usize = 16 << 20;

/// Sampled rows.
pub(crate) struct RowSample<T> {
    /// Rows of a block: filters depend on runs of rows.
    block: u64,
    /// Every block of which the number is a multiple of this one is sampled.
    stride: u64,
    /// Rows, each with its number and its size.
    rows: Vec<(u64, usize, T)>,
    bytes: usize,
}

impl<T> RowSample<T> {
    /// A sample for tiles of this many rows.
    pub(crate) fn new(tile: u64) -> Self {
        Self { block: tile.clamp(*BLOCK_ROWS.start(), *BLOCK_ROWS.end()), stride: 1, rows: Vec::new(), bytes: 0 }
    }

    /// Rows of a block.
    pub(crate) fn block(&self) -> u64 {
        self.block
    }

    /// How many of the rows from this one on are in the same part of a block, and whether they are sampled.
    pub(crate) fn next(&self, row: u64) -> (u64, bool) {
        let left = self.block - row % self.block;
        let last = self.rows.last().map(|(last, ..)| last / self.block);
        // Of a block of large rows, a part suffices.
        let is_full = self.bytes > BYTES && last == Some(row / self.block);
        let is_sampled = !is_full && (row / self.block).is_multiple_of(self.stride);
        (left.min(PART_ROWS - row % self.block % PART_ROWS), is_sampled)
    }

    /// Adds rows of a part of a block, of which this is the first.
    pub(crate) fn add(&mut self, row: u64, bytes: usize, rows: T) {
        let (block_rows, block) = (self.block, row / self.block);
        self.bytes += bytes;
        self.rows.push((row, bytes, rows));
        while block > 0 && (block / self.stride >= BLOCKS as u64 || self.bytes > BYTES && self.stride <= block) {
            self.stride *= 2;
            let stride = self.stride;
            self.rows.retain(|(row, ..)| (row / block_rows).is_multiple_of(stride));
            self.bytes = self.rows.iter().map(|(_, bytes, _)| bytes).sum();
        }
    }

    /// The rows that are used of a file with `count` rows, in its order: the beginning of each block.
    pub(crate) fn into_rows(self, count: u64) -> impl Iterator<Item = T> {
        let block = self.block;
        let blocks = self.rows.chunk_by(|(a, ..), (b, ..)| a / block == b / block).count().max(1) as u64;
        let used = (count / USED_SHARE).max(LEAST_USED).div_ceil(blocks);
        self.rows.into_iter().filter(move |(row, ..)| row % block / PART_ROWS * PART_ROWS < used).map(|(.., rows)| rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of 1,024 rows that are sampled of rows with a size, added in parts.
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
        let mut blocks: Vec<u64> = sample.into_rows(rows).map(|row| row >> 10).collect();
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
        // Four parts of a block with 2 MiB each.
        assert_eq!(sampled(4 << 10, 2 << 20), [0, 2]);
        assert_eq!(sampled(1 << 10, 16 << 20), [0]);
        assert_eq!(sampled(100 << 10, 16 << 20), [0]);
        // At no time are more bytes held than those of the limit and of a block.
        let (mut sample, bytes) = (RowSample::new(1 << 10), 3_000);
        for row in 0..200_000 {
            if sample.next(row).1 {
                sample.add(row, bytes, ());
            }
            assert!(sample.bytes <= BYTES + bytes * (1 << 10), "{}", sample.bytes);
            assert_eq!(sample.bytes, sample.rows.len() * bytes);
        }
    }

    #[test]
    fn a_small_share_of_the_rows_is_used() {
        for rows in [0, 1, 100, 2_048, 10_000, 100_000, 1_000_000, 10_000_000] {
            let mut sample = RowSample::new(10_000);
            let mut row = 0;
            while row < rows {
                let (same, is_sampled) = sample.next(row);
                let count = same.min(rows - row);
                assert!(count > 0);
                if is_sampled {
                    sample.add(row, 1, count);
                }
                row += count;
            }
            let used: u64 = sample.into_rows(rows).sum();
            let wanted = (rows / USED_SHARE).max(LEAST_USED);
            let most = wanted + BLOCKS as u64 * PART_ROWS;
            assert!(used <= most && used <= BLOCKS as u64 * BLOCK_ROWS.end(), "{used} of {rows}");
            assert!(used >= rows.min(wanted).min(4 * BLOCK_ROWS.end()), "{used} of {rows}");
        }
    }
}
