//! The cost of stored cells: their size, and the modeled time to decode them.

use tiledb_filters::codec::decode_work::DecodeWork;
use tiledb_filters::filter::Filter;

/// What a recommendation is to achieve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The least size on disk.
    Smallest,
    /// Fast scans of data that have to be read from object stores or slow disks.
    Balanced,
    /// Fast scans of data in memory or on local disks.
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
            // 500 MB/s
            Objective::Fastest => 2_000,
        }
    }
}

impl Objective {
    /// As [`Objective::read`], for a query that reads a few cells: the size alone does not decide how fast one is.
    pub(super) fn read_slice(self) -> u64 {
        match self {
            Objective::Smallest => Objective::Balanced.read(),
            other => other.read(),
        }
    }
}

/// Costs of the cells of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Size on disk in bytes.
    pub stored: u64,
    /// Modeled processor time to decode them in nanoseconds.
    pub decode: u64,
}

impl Estimate {
    /// The estimate for `wanted` cells, where it is one for `cells`.
    pub fn scaled(self, (wanted, cells): (u64, u64)) -> Estimate {
        let scaled = |number: u64| {
            let number = u128::from(number) * u128::from(wanted) / u128::from(cells.max(1));
            u64::try_from(number).unwrap_or(u64::MAX)
        };
        Estimate { stored: scaled(self.stored), decode: scaled(self.decode) }
    }

    /// Time to read and decode in picoseconds.
    pub(super) fn total(self, objective: Objective) -> u64 {
        self.stored.saturating_mul(objective.read()).saturating_add(self.decode.saturating_mul(1000))
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

/// Picoseconds of processor time.
#[derive(Clone, Copy, Default)]
struct Rates {
    /// For each byte of the output.
    output: u64,
    /// For each byte of the input.
    input: u64,
    /// For each sequence of `ZSTD` and `LZ4`.
    sequence: u64,
    /// For each literal that `ZSTD` codes.
    literal: u64,
}

/// The rates of a decoder.
///
/// Measured by `measured_rates` with 64 KiB chunks on an x86-64 processor with AVX2. Only their ratios matter.
fn rates(filter: &Filter) -> Rates {
    let bytes = |output, input| Rates { output, input, ..Rates::default() };
    match filter {
        Filter::None => bytes(0, 0),
        Filter::Zstd { .. } => Rates { output: 90, sequence: 6_500, literal: 730, ..Rates::default() },
        Filter::Lz4 { .. } => Rates { output: 30, sequence: 5_500, ..Rates::default() },
        Filter::Gzip { .. } => bytes(700, 2_000),
        Filter::Bzip2 { .. } => bytes(9_000, 28_000),
        Filter::Rle { .. } => bytes(60, 250),
        Filter::DoubleDelta { .. } => bytes(150, 50),
        Filter::BitWidthReduction { .. } => bytes(50, 30),
        Filter::PositiveDelta { .. } | Filter::ByteShuffle | Filter::Delta { .. } | Filter::Xor => bytes(80, 0),
        Filter::BitShuffle => bytes(190, 0),
        Filter::Dictionary { .. } => bytes(200, 400),
        Filter::Aes256Gcm => bytes(400, 0),
        Filter::ChecksumMd5 => bytes(1_300, 0),
        Filter::ChecksumSha256 => bytes(800, 0),
        // Not candidates.
        Filter::ScaleFloat { .. } => bytes(300, 0),
        Filter::Webp { .. } => bytes(20_000, 0),
    }
}

/// Picoseconds to decode `input` bytes to `output` bytes.
pub(super) fn decode(filter: &Filter, input: u64, output: u64, work: DecodeWork) -> u64 {
    let rates = rates(filter);
    let terms = [
        (output, rates.output),
        (input, rates.input),
        (work.sequences, rates.sequence),
        (work.coded_literals, rates.literal),
    ];
    terms.iter().fold(0, |sum: u64, (count, rate)| sum.saturating_add(count.saturating_mul(*rate)))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use tiledb_core::types::{CURRENT_VERSION, Datatype};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_filters::filter::{FilterType, Pipeline, TileShape};

    /// Prints what [`rates`] is derived from: times to decode 16 MiB of ascending numbers with random steps, and of
    /// random bytes of few bits.
    /// `cargo test --release -p tiledb-maintain measured_rates -- --ignored --nocapture`
    #[test]
    #[ignore = "measures"]
    #[allow(clippy::print_stdout, reason = "its purpose")]
    fn measured_rates() {
        use FilterType::{
            BitShuffle, BitWidthReduction, ByteShuffle, Bzip2, ChecksumMd5, ChecksumSha256, Delta, DoubleDelta, Gzip,
            Lz4, PositiveDelta, Rle, Xor, Zstd,
        };
        // The default level -1 does not code literals.
        let new_filter = |kind| if kind == Zstd { Filter::Zstd { level: 3 } } else { Filter::new(kind) };
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
        let mut state = 1u64;
        let mut random = |bits: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> (64 - bits)
        };
        for (name, bits) in [("ascending", 1u32), ("ascending", 4), ("ascending", 12), ("bytes", 2), ("bytes", 6)] {
            let mut value = 0u64;
            let mut cell = || match name {
                "ascending" => {
                    value = value.wrapping_add(random(bits));
                    value.to_le_bytes()
                }
                _ => std::array::from_fn(|_| random(bits) as u8),
            };
            let cells: Vec<u8> = (0..2 << 20).flat_map(|_| cell()).collect();
            let shape = TileShape { datatype: Datatype::Uint64, cell_size: 8, is_var: false, version: CURRENT_VERSION };
            for kinds in lists.clone() {
                let pipeline = Pipeline::new(kinds.iter().map(|&kind| new_filter(kind)).collect());
                let mut stored = Vec::new();
                let mut out = vec![0; cells.len()];
                if pipeline.forward(&shape, &EncryptionKey::None, &cells, None, &mut stored).is_err() {
                    continue; // POSITIVE_DELTA of bytes that descend
                }
                let mut best = u128::MAX;
                for _ in 0..5 {
                    let begun = Instant::now();
                    pipeline.reverse(&shape, &EncryptionKey::None, &stored, &mut out).unwrap();
                    best = best.min(begun.elapsed().as_nanos());
                }
                let rate = best * 1000 / out.len() as u128;
                let ratio = stored.len() as f64 / out.len() as f64;
                let work = pipeline.decode_work(&stored).unwrap();
                let [sequences, literals] =
                    [work.sequences, work.coded_literals].map(|count| count as f64 / out.len() as f64);
                println!(
                    "{name}, {bits} bits, {kinds:?}: {rate} ps, {ratio:.3} B, {sequences:.4} sequences, {literals:.3} literals"
                );
            }
        }
    }
}
