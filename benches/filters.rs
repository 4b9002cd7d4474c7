//! Speed of every filter, of statistics and of the sort, beside what they cannot beat:
//! `cargo bench --bench filters [NAME]`. docs/performance.md says how to read the table.
#![allow(clippy::print_stdout, reason = "prints its table")]
#![allow(clippy::expect_used, reason = "a benchmark may stop where an engine may not")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tiledb_cells::sort;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{CURRENT_VERSION, CellValNum, Datatype};
use tiledb_filters::codec::{bzip2, gzip, lz4, zstd};
use tiledb_filters::crypto::{Digest, EncryptionKey};
use tiledb_filters::filter::{CHUNK_SIZE, DEFAULT_LEVEL, Filter, FilterType, Pipeline, TileShape};
use tiledb_filters::tile::{StatsOptions, stats_kind, tile_stats};
use tiledb_storage::resources::Resources;

/// Bytes of the tile: more than the second-level cache holds, less than the third.
const TILE: usize = 4 << 20;
const SORTED: usize = 4 << 20;

fn main() {
    let pattern = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let is_chosen = |name: &str| name.to_lowercase().contains(&pattern.to_lowercase());
    println!("{:<32} {:>8} {:>8} {:>8} {:>8}   of the limit", "GB/s", "forward", "reverse", "limits", "");
    let types = [Datatype::Uint8, Datatype::Int16, Datatype::Int32, Datatype::Int64, Datatype::Float64];
    for datatype in types {
        let tile = ascending(datatype);
        for kind in FilterType::all() {
            let name = format!("{} {}", kind.name(), datatype.name());
            if is_chosen(&name) {
                filter(&name, kind, datatype, &tile);
            }
        }
        if is_chosen(&format!("statistics {}", datatype.name())) {
            statistics(datatype, &tile);
        }
    }
    if is_chosen("sort") {
        sorting();
    }
}

/// Values that ascend by small random steps, and often stay.
fn ascending(datatype: Datatype) -> Vec<u8> {
    let mut state = 1u64;
    let mut value = 0u64;
    let size = datatype.size();
    let cells = (0..TILE / size).flat_map(|_| {
        value += (random(&mut state) >> 61).saturating_sub(3);
        // Narrow values start again, where a filter of ascending values starts a window.
        let limit = 1u64 << (8 * size.min(4) - 1);
        let word = if datatype == Datatype::Float64 { (value as f64).to_bits() } else { value % limit };
        word.to_le_bytes().into_iter().take(size)
    });
    cells.collect()
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state
}

/// One filter over the tile, and its limits: the codec or digest alone on the chunks, else a copy.
fn filter(name: &str, kind: FilterType, datatype: Datatype, tile: &[u8]) {
    let pipeline = Pipeline::new(vec![Filter::new(kind)]);
    let shape = TileShape { datatype, cell_size: datatype.size(), is_var: false, version: CURRENT_VERSION };
    let key = EncryptionKey::None;
    let mut filtered = Vec::new();
    if pipeline.forward(&shape, &key, tile, None, &mut filtered).is_err() {
        return;
    }
    let mut back = vec![0; tile.len()];
    let forward = speed(tile.len(), || {
        filtered.clear();
        pipeline.forward(&shape, &key, black_box(tile), None, &mut filtered)
    });
    let reverse = speed(tile.len(), || pipeline.reverse(&shape, &key, black_box(&filtered), &mut back));
    let limits = match kind {
        FilterType::Zstd => alone(tile, |src, out| zstd::compress(DEFAULT_LEVEL, src, out), zstd::decompress),
        FilterType::Gzip => alone(tile, |src, out| gzip::compress(DEFAULT_LEVEL, src, out), gzip::decompress),
        FilterType::Lz4 => alone(tile, |src, out| lz4::compress(0, src, out), lz4::decompress),
        FilterType::Bzip2 => alone(tile, |src, out| bzip2::compress(DEFAULT_LEVEL, src, out), bzip2::decompress),
        FilterType::ChecksumMd5 => digests(tile, Digest::Md5),
        FilterType::ChecksumSha256 => digests(tile, Digest::Sha256),
        _ => {
            let copy = speed(tile.len(), || {
                black_box(&mut back).copy_from_slice(black_box(tile));
                Ok(())
            });
            (copy, copy)
        }
    };
    line(name, (forward, reverse), limits);
}

fn line(name: &str, (forward, reverse): (f64, f64), limits: (f64, f64)) {
    let fraction = |speed: f64, limit: f64| format!("{:.0} %", 100.0 * speed / limit);
    println!(
        "{name:<32} {forward:8.2} {reverse:8.2} {:8.2} {:8.2}   {} {}",
        limits.0,
        limits.1,
        fraction(forward, limits.0),
        fraction(reverse, limits.1)
    );
}

/// A codec alone, on the chunks.
fn alone(
    tile: &[u8],
    compress: impl Fn(&[u8], &mut Vec<u8>) -> Result<()>,
    decompress: impl Fn(&[u8], &mut [u8]) -> Result<()>,
) -> (f64, f64) {
    let mut packed = vec![Vec::new(); tile.len().div_ceil(CHUNK_SIZE)];
    let forward = speed(tile.len(), || {
        tile.chunks(CHUNK_SIZE).zip(&mut packed).try_for_each(|(chunk, packed)| {
            packed.clear();
            compress(chunk, packed)
        })
    });
    let mut back = vec![0; tile.len()];
    let reverse = speed(tile.len(), || {
        back.chunks_mut(CHUNK_SIZE).zip(&packed).try_for_each(|(chunk, packed)| decompress(packed, chunk))
    });
    (forward, reverse)
}

/// A digest alone, which is made both ways.
fn digests(tile: &[u8], digest: Digest) -> (f64, f64) {
    let mut out = Vec::new();
    let speed = speed(tile.len(), || {
        out.clear();
        tile.chunks(CHUNK_SIZE).try_for_each(|chunk| digest.append(chunk, &mut out))
    });
    (speed, speed)
}

/// Minimum, maximum and sum: of all cells, and of those that one in eight is null; the limit is a read.
fn statistics(datatype: Datatype, tile: &[u8]) {
    let mut state = 1;
    let nulls: Vec<u8> = (0..tile.len() / datatype.size()).map(|_| u8::from(random(&mut state) >> 61 != 0)).collect();
    let of = |validity: Option<&[u8]>| {
        let kind = stats_kind(datatype, CellValNum::ONE, validity.is_some(), false);
        speed(tile.len(), || {
            tile_stats(datatype, CellValNum::ONE, black_box(tile), None, validity, StatsOptions::WHOLE, kind)
                .map(|stats| _ = black_box(stats))
        })
    };
    let read = speed(tile.len(), || {
        let words = black_box(tile).as_chunks::<8>().0;
        black_box(words.iter().fold(0, |sum, word| sum ^ u64::from_le_bytes(*word)));
        Ok(())
    });
    line(&format!("statistics {} (all, nullable)", datatype.name()), (of(None), of(Some(&nulls))), (read, read));
}

/// Random keys of 40 bits, by one thread and by all.
fn sorting() {
    let mut state = 1;
    let keys: Vec<u64> = (0..SORTED).map(|_| random(&mut state) >> 24).collect();
    for threads in [1, 0] {
        let mut config = Config::new();
        if threads > 0 {
            config.set("sm.compute_concurrency_level", &threads.to_string()).expect("a known parameter");
        }
        let resources = Resources::new(config).expect("a context");
        // 1000 "bytes" per key turn GB/s into millions of keys per second.
        let speed = speed(keys.len() * 1000, || {
            sort(&keys, SORTED.ilog2(), resources.pools(), resources.cancel()).map(|sorted| _ = black_box(sorted))
        });
        println!("sort {SORTED} keys, {} threads: {speed:.1} million per second", resources.pools().compute());
    }
}

/// GB/s of the best of the runs in a fifth of a second.
fn speed(bytes: usize, mut run: impl FnMut() -> Result<()>) -> f64 {
    let (start, mut best) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_millis(200) {
        let begin = Instant::now();
        run().expect("what worked once works again");
        best = best.min(begin.elapsed());
    }
    bytes as f64 / best.as_secs_f64() / 1e9
}
