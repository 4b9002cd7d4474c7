//! Speed of every filter on a tile of 8 MB, forward and reverse: `cargo bench --bench codecs [NAME]`.
#![allow(clippy::print_stdout, reason = "prints its table")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use tiledb_rs::crypto::EncryptionKey;
use tiledb_rs::filter::{Filter, FilterType, Pipeline, Shape};
use tiledb_rs::types::{CURRENT_VERSION, Datatype};

const TILE: usize = 8 << 20;

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!("{:<28} {:>8} {:>8} {:>8}", "GB/s", "forward", "reverse", "ratio");
    for datatype in [Datatype::Uint8, Datatype::Int16, Datatype::Int32, Datatype::Int64, Datatype::Float64] {
        let tile = ascending(datatype);
        for kind in FilterType::all() {
            let name = format!("{} {}", kind.name(), datatype.name());
            if wanted.as_ref().is_none_or(|wanted| name.to_lowercase().contains(&wanted.to_lowercase())) {
                measure(&name, Filter::new(kind), datatype, &tile);
            }
        }
    }
}

/// Values that ascend by small random steps, and often stay.
fn ascending(datatype: Datatype) -> Vec<u8> {
    let mut state = 1u64;
    let mut value = 0u64;
    let size = datatype.size();
    let cells = (0..TILE / size).flat_map(|_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let step = state >> 61;
        value += step.saturating_sub(3);
        // Narrow values start again, where a filter of ascending values starts a window.
        let limit = 1u64 << (8 * size.min(4) - 1);
        let word = if datatype == Datatype::Float64 { (value as f64).to_bits() } else { value % limit };
        word.to_le_bytes().into_iter().take(size)
    });
    cells.collect()
}

fn measure(name: &str, filter: Filter, datatype: Datatype, tile: &[u8]) {
    let pipeline = Pipeline::new(vec![filter]);
    let shape = Shape { datatype, cell_size: datatype.size(), is_var: false, version: CURRENT_VERSION };
    let key = EncryptionKey::None;
    let mut filtered = Vec::new();
    if pipeline.forward(&shape, &key, tile, None, &mut filtered).is_err() {
        return;
    }
    let mut back = vec![0; tile.len()];
    let forward = speed(tile.len(), || {
        filtered.clear();
        pipeline.forward(&shape, &key, black_box(tile), None, &mut filtered).is_ok()
    });
    let reverse = speed(tile.len(), || pipeline.reverse(&shape, &key, black_box(&filtered), &mut back).is_ok());
    println!("{name:<28} {forward:8.2} {reverse:8.2} {:8.2}", tile.len() as f64 / filtered.len() as f64);
}

/// GB/s of the best of the runs in a fifth of a second.
fn speed(bytes: usize, mut run: impl FnMut() -> bool) -> f64 {
    let (start, mut best) = (Instant::now(), Duration::MAX);
    while start.elapsed() < Duration::from_millis(200) {
        let begin = Instant::now();
        assert!(run(), "a filter that worked once does not any more");
        best = best.min(begin.elapsed());
    }
    bytes as f64 / best.as_secs_f64() / 1e9
}
