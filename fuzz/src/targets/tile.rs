//! Tiles through filters. An input is a mode, a shape, the filters with their options, and data: cells to
//! encode and decode, or filtered bytes to decode.

use std::ops::Range;

use tiledb_core::types::{Datatype, FormatVersion};
use tiledb_filters::codec::{StringTarget, StringWords};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{ChunkIndex, Filter, FilterType, Pipeline, StoredChunk, TileShape, WebpFormat};

use super::input::Input;

/// Bytes of a tile at most: four chunks.
const TILE: usize = 1 << 18;
const KEY: EncryptionKey = EncryptionKey::Aes256([7; 32]);

/// A tile through one filter.
pub fn one(kind: FilterType, bytes: &[u8]) {
    let input = &mut Input(bytes);
    let mode = input.byte();
    let shape = shape(input);
    let filter = filter(kind, input);
    let key = if kind == FilterType::Aes256Gcm { KEY } else { EncryptionKey::None };
    run(mode, &shape, &[filter], &key, input);
}

/// A tile of variable-sized text through one filter.
pub fn one_of_strings(kind: FilterType, bytes: &[u8]) {
    let input = &mut Input(bytes);
    let mode = input.byte();
    let version = version(input);
    let datatype = [Datatype::StringAscii, Datatype::StringUtf8][input.below(2)];
    let shape = TileShape { datatype, cell_size: 1, is_var: true, version };
    run(mode, &shape, &[Filter::new(kind)], &EncryptionKey::None, input);
}

/// A tile through up to seven filters, maybe encrypted.
pub fn several(bytes: &[u8]) {
    let input = &mut Input(bytes);
    let mode = input.byte();
    let shape = shape(input);
    let count = input.byte();
    let key = if count & 8 == 0 { EncryptionKey::None } else { KEY };
    let kinds: Vec<FilterType> = FilterType::all().collect();
    let filters: Vec<Filter> = (0..count % 8)
        .map(|_| {
            let kind = kinds[usize::from(input.byte()) % kinds.len()];
            filter(kind, input)
        })
        .collect();
    run(mode, &shape, &filters, &key, input);
}

/// By its two lowest bits the mode says what the data are; the next bit makes the tile one chunk, the one
/// after it tiles to decode large.
fn run(mode: u8, shape: &TileShape, filters: &[Filter], key: &EncryptionKey, input: &mut Input) {
    let mut pipeline = Pipeline::new(filters.to_vec());
    if mode & 4 != 0 {
        pipeline.set_max_chunk_size(0);
    }
    match mode & 3 {
        0 => {
            let size = size(mode, input);
            let range = range(input, size);
            decode(&pipeline, shape, key, input.0, size, range);
        }
        1 => {
            // As before, but in one sound chunk.
            let (size, meta) = (size(mode, input), input.short());
            let range = range(input, size);
            let chunk = one_chunk(size, meta.min(input.0.len()), input.0);
            decode(&pipeline, shape, key, &chunk, size, range);
        }
        _ => {
            let flips: Vec<(usize, u8)> = (0..mode >> 5).map(|_| (input.short(), input.byte())).collect();
            let (data, starts) = cells(shape, input);
            let range = range(input, data.len());
            let starts = starts.as_deref();
            if let Some(filtered) = round_trip(&pipeline, shape, key, &data, starts, range.clone()) {
                let changed = flip(filtered, &flips);
                decode(&pipeline, shape, key, &changed, data.len(), range);
            }
        }
    }
}

/// Bytes of a decoded tile.
fn size(mode: u8, input: &mut Input) -> usize {
    if mode & 8 == 0 { input.short() } else { input.short() * 4 }
}

fn shape(input: &mut Input) -> TileShape {
    let version = version(input);
    let datatype = Datatype::all().nth(usize::from(input.byte()) % 44).unwrap_or(Datatype::Any);
    let (cell, is_var) = match input.byte() {
        255 => (0, false),
        254 => (usize::MAX, false),
        byte @ 0..128 => (datatype.size() * (usize::from(byte % 4) + 1), false),
        _ => (datatype.size(), true),
    };
    TileShape { datatype, cell_size: cell, is_var, version }
}

fn version(input: &mut Input) -> FormatVersion {
    FormatVersion::from_number(input.version()).unwrap_or(tiledb_core::types::CURRENT_VERSION)
}

/// A filter with options, as a schema may state them.
fn filter(kind: FilterType, input: &mut Input) -> Filter {
    let mut filter = Filter::new(kind);
    match &mut filter {
        Filter::Gzip { level } | Filter::Zstd { level } | Filter::Lz4 { level } | Filter::Bzip2 { level } => {
            // Mostly levels that there are.
            *level = match input.byte() {
                255 => i32::from_le_bytes(input.array()),
                byte => i32::from(byte % 32) - 6,
            };
        }
        Filter::DoubleDelta { reinterpret, .. } | Filter::Delta { reinterpret, .. } => {
            *reinterpret = Datatype::all().nth(usize::from(input.byte())).unwrap_or(Datatype::Any);
        }
        Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => {
            *max_window = u32::from_le_bytes(input.array());
        }
        Filter::ScaleFloat { factor, offset, byte_width } => {
            *factor = f64::from_le_bytes(input.array());
            *offset = f64::from_le_bytes(input.array());
            *byte_width = 1 << (input.byte() % 4);
        }
        Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
            let flags = input.byte();
            *format = WebpFormat::from_number(flags & 7).unwrap_or(WebpFormat::Rgb);
            *lossless = flags & 8 != 0;
            *quality = f32::from(input.byte());
            *y_extent = input.short() as u16;
            *x_extent = input.short() as u16;
        }
        _ => {}
    }
    filter
}

/// A range within `size`.
fn range(input: &mut Input, size: usize) -> Range<usize> {
    let (a, b) = (input.below(size + 1), input.below(size + 1));
    a.min(b)..a.max(b)
}

/// Cells made of the rest of the input, maybe repeated beyond the size of a chunk, and the starts of
/// variable-sized ones.
fn cells(shape: &TileShape, input: &mut Input) -> (Vec<u8>, Option<Vec<u64>>) {
    let repeat = usize::from(input.byte());
    let lengths: [u8; 8] = input.array();
    let repeats = if repeat < 224 { 1 } else { 1 << (repeat % 16) };
    let mut data = input.0.repeat(repeats.min(TILE / input.0.len().max(1)).max(1));
    data.truncate(TILE);
    if !shape.is_var {
        return (data, None);
    }
    let (mut starts, mut end) = (Vec::new(), 0);
    for length in lengths.into_iter().cycle() {
        if end >= data.len() || starts.len() > TILE / 4 {
            break;
        }
        starts.push(end as u64);
        // Zero now and then, small mostly, more than a chunk at most.
        end += match length {
            0..128 => usize::from(length % 32),
            _ => usize::from(length - 127) * 600,
        };
        if lengths == [0; 8] {
            break;
        }
    }
    (data, Some(starts))
}

/// A filtered tile of one chunk, whose first `meta` bytes are metadata.
fn one_chunk(original: usize, meta: usize, bytes: &[u8]) -> Vec<u8> {
    let mut chunk = 1u64.to_le_bytes().to_vec();
    for number in [original, bytes.len() - meta, meta] {
        chunk.extend_from_slice(&(number as u32).to_le_bytes());
    }
    chunk.extend_from_slice(bytes);
    chunk
}

fn flip(mut bytes: Vec<u8>, flips: &[(usize, u8)]) -> Vec<u8> {
    for &(at, mask) in flips {
        let at = at % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= mask;
        }
    }
    bytes
}

/// Encodes and decodes; what was encoded, unless a filter refused the cells.
fn round_trip(
    pipeline: &Pipeline,
    shape: &TileShape,
    key: &EncryptionKey,
    data: &[u8],
    starts: Option<&[u64]>,
    range: Range<usize>,
) -> Option<Vec<u8>> {
    let mut filtered = Vec::new();
    pipeline.forward(shape, key, data, starts, &mut filtered).ok()?;
    let mut back = vec![0xA5; data.len()];
    let is_lossy = |filter: &Filter| matches!(filter.kind(), FilterType::ScaleFloat | FilterType::Webp);
    let lossy = pipeline.filters().iter().any(is_lossy);
    match pipeline.reverse(shape, key, &filtered, &mut back) {
        Ok(()) => assert!(lossy || back == data, "{shape:?} {pipeline:?}: other cells come back"),
        // A filter that loses bits behind one that cannot bear it.
        Err(_) if lossy && pipeline.filters().len() > 1 => return Some(filtered),
        Err(error) => panic!("{shape:?} {pipeline:?}: what was encoded does not come back: {error}"),
    }
    if let Some(starts) = starts
        && encodes_text(pipeline, shape)
    {
        let mut places = vec![1; starts.len()];
        if let Err(error) =
            pipeline.reverse_strings(shape, key, &filtered, StringTarget::Starts(&mut places, data.len()))
        {
            panic!("{shape:?} {pipeline:?}: starts do not come back: {error}");
        }
        assert!(places == starts, "{shape:?} {pipeline:?}: other starts come back");
    }
    pieces(pipeline, shape, key, &filtered, &back, range);
    Some(filtered)
}

fn encodes_text(pipeline: &Pipeline, shape: &TileShape) -> bool {
    pipeline.encodes_strings(shape.datatype, tiledb_core::types::CellValNum::VAR, shape.version) && shape.is_var
}

/// Decodes any bytes, whole and in pieces: the pieces must agree with the whole.
fn decode(
    pipeline: &Pipeline,
    shape: &TileShape,
    key: &EncryptionKey,
    filtered: &[u8],
    size: usize,
    range: Range<usize>,
) {
    let mut whole = vec![0; size];
    let sound = pipeline.reverse(shape, key, filtered, &mut whole).is_ok();
    if encodes_text(pipeline, shape) {
        let cells = range.len().min(1 << 12);
        let _ = pipeline.reverse_strings(shape, key, filtered, StringTarget::Starts(&mut vec![0; cells], size));
        let encoded = StringTarget::Encoded(&mut vec![0; cells], &mut StringWords::default(), size);
        let _ = pipeline.reverse_strings(shape, key, filtered, encoded);
    }
    if sound {
        pieces(pipeline, shape, key, filtered, &whole, range);
    } else {
        let mut piece = vec![0; range.len()];
        let _ = pipeline.reverse_range(shape, key, filtered, size, range, &mut piece);
    }
}

/// A range of a sound tile, and each of its chunks.
fn pieces(
    pipeline: &Pipeline,
    shape: &TileShape,
    key: &EncryptionKey,
    filtered: &[u8],
    whole: &[u8],
    range: Range<usize>,
) {
    let mut piece = vec![0xA5; range.len()];
    if let Err(error) = pipeline.reverse_range(shape, key, filtered, whole.len(), range.clone(), &mut piece) {
        panic!("{shape:?} {pipeline:?}: a range of a sound tile: {error}");
    }
    assert!(piece == whole[range.clone()], "{shape:?} {pipeline:?}: other bytes in a range");
    let index = match ChunkIndex::new(filtered, whole.len()) {
        Ok(index) => index,
        Err(error) => panic!("{shape:?} {pipeline:?}: the chunks of a sound tile: {error}"),
    };
    for chunk in index.overlapping(range) {
        let (meta, data) = (&filtered[chunk.meta.clone()], &filtered[chunk.data.clone()]);
        let mut piece = vec![0xA5; chunk.tile.len()];
        let stored = StoredChunk { meta, data, is_verified: false };
        if let Err(error) = pipeline.reverse_chunk(shape, key, stored, &mut piece) {
            panic!("{shape:?} {pipeline:?}: a chunk of a sound tile: {error}");
        }
        assert!(piece == whole[chunk.tile.clone()], "{shape:?} {pipeline:?}: other bytes in a chunk");
    }
}
