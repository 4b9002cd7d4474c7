//! The cost of stored cells: their size, and the modeled time to decode them.

use tiledb_filters::filter::Filter;

/// What a recommendation is to achieve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The least size on disk.
    Smallest,
    /// Fast scans of data that have to be read from object stores or slow disks.
    Balanced,
    /// Fast scans of data in memory or on fast disks.
    Fastest,
}

impl Objective {
    /// Picoseconds to read a stored byte: the throughput of the storage that the objective assumes. For the smallest size a
    /// byte costs more than any decoder.
    fn read(self) -> u64 {
        match self {
            Objective::Smallest => 1_000_000,
            // 200 MB/s
            Objective::Balanced => 5_000,
            // 4 GB/s
            Objective::Fastest => 250,
        }
    }
}

/// Costs of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Size on disk in bytes.
    pub(super) stored: u64,
    /// Modeled processor time to decode it in picoseconds.
    pub(super) decode: u64,
}

impl Cost {
    pub(super) fn plus(self, other: Cost) -> Cost {
        Cost { stored: self.stored + other.stored, decode: self.decode + other.decode }
    }

    /// Time to read and decode in picoseconds.
    pub(super) fn total(self, objective: Objective) -> u64 {
        self.stored.saturating_mul(objective.read()).saturating_add(self.decode)
    }
}

/// Picoseconds to decode: for each byte of the output, and for each byte of the input.
///
/// Measured with 64 KiB chunks on a 2.4 GHz x86-64 processor with AVX2. Only their ratios matter.
fn rates(filter: &Filter) -> (u64, u64) {
    match filter {
        Filter::None => (0, 0),
        Filter::Zstd { .. } => (500, 1_500),
        Filter::Lz4 { .. } => (150, 400),
        Filter::Gzip { .. } => (900, 3_000),
        Filter::Bzip2 { .. } => (9_000, 30_000),
        Filter::Rle { .. } => (150, 300),
        Filter::DoubleDelta { .. } => (250, 100),
        Filter::BitWidthReduction { .. } | Filter::PositiveDelta { .. } => (150, 100),
        Filter::BitShuffle => (120, 0),
        Filter::ByteShuffle => (80, 0),
        Filter::Delta { .. } | Filter::Xor => (100, 0),
        Filter::Dictionary { .. } => (200, 400),
        Filter::Aes256Gcm => (400, 0),
        Filter::ChecksumMd5 => (1_600, 0),
        Filter::ChecksumSha256 => (2_500, 0),
        // Not candidates.
        Filter::ScaleFloat { .. } => (300, 0),
        Filter::Webp { .. } => (20_000, 0),
    }
}

/// Picoseconds to decode `input` bytes to `output` bytes.
pub(super) fn decode(filter: &Filter, input: u64, output: u64) -> u64 {
    let (of_output, of_input) = rates(filter);
    output.saturating_mul(of_output).saturating_add(input.saturating_mul(of_input))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use tiledb_core::types::{CURRENT_VERSION, Datatype};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_filters::filter::{FilterType, Pipeline, TileShape};

    /// Prints what [`rates`] is derived from: times to decode 16 MiB of ascending numbers with steps of 1, 4 and 12 random bits.
    /// `cargo test --release -p tiledb-maintain measured_rates -- --ignored --nocapture`
    #[test]
    #[ignore = "measures"]
    #[allow(clippy::print_stdout, reason = "its purpose")]
    fn measured_rates() {
        use FilterType::{
            BitShuffle, BitWidthReduction, ByteShuffle, Bzip2, ChecksumMd5, ChecksumSha256, Delta, DoubleDelta, Gzip,
            Lz4, PositiveDelta, Rle, Xor, Zstd,
        };
        let one = [
            Zstd,
            Lz4,
            Gzip,
            Bzip2,
            Rle,
            DoubleDelta,
            BitWidthReduction,
            PositiveDelta,
            BitShuffle,
            ByteShuffle,
            Delta,
            Xor,
            ChecksumMd5,
            ChecksumSha256,
        ];
        let two = [[ByteShuffle, Zstd], [ByteShuffle, Lz4], [BitShuffle, Lz4], [Delta, Zstd], [DoubleDelta, Lz4]];
        let lists = one.iter().map(|kind| vec![*kind]).chain(two.iter().map(|kinds| kinds.to_vec()));
        for bits in [1u32, 4, 12] {
            let (mut state, mut value) = (1u64, 0u64);
            let step = |_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                value = value.wrapping_add(state >> (64 - bits));
                value.to_le_bytes()
            };
            let cells: Vec<u8> = (0..2 << 20).flat_map(step).collect();
            let shape = TileShape { datatype: Datatype::Uint64, cell_size: 8, is_var: false, version: CURRENT_VERSION };
            for kinds in lists.clone() {
                let pipeline = Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect());
                let (mut stored, mut out) = (Vec::new(), vec![0; cells.len()]);
                pipeline.forward(&shape, &EncryptionKey::None, &cells, None, &mut stored).unwrap();
                let mut best = u128::MAX;
                for _ in 0..5 {
                    let begun = Instant::now();
                    pipeline.reverse(&shape, &EncryptionKey::None, &stored, &mut out).unwrap();
                    best = best.min(begun.elapsed().as_nanos());
                }
                let (rate, ratio) = (best * 1000 / out.len() as u128, stored.len() as f64 / out.len() as f64);
                println!("{bits} bits, {kinds:?}: {rate} ps for each byte, ratio {ratio:.3}");
            }
        }
    }
}
