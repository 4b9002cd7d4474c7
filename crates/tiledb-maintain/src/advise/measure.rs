//! Encodes a sample with a pipeline.

use super::cost::{self, Cost};
use super::sample::Piece;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_filters::codec::decode_work::DecodeWork;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Pipeline, TileShape};

/// The cost of pieces with a pipeline; `None` if a filter rejects them.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn cost_of(pipeline: &Pipeline, shape: &TileShape, pieces: &[&Piece]) -> Result<Option<Cost>> {
    let original = pieces.iter().map(|piece| piece.data.len() as u64).sum();
    let mut output = original;
    let mut decode = 0u64;
    let filters = pipeline.filters();
    for count in 1..=filters.len() {
        // Size after this stage. Those between stages are measured like those of whole pipelines, chunk headers included.
        let Some((input, work)) = encoded(&Pipeline::new(filters[..count].to_vec()), shape, pieces)? else {
            return Ok(None);
        };
        decode = decode.saturating_add(cost::decode(&filters[count - 1], input, output, work));
        output = input;
    }
    let stored = match filters.len() {
        0 => encoded(pipeline, shape, pieces)?.map_or(original, |(size, _)| size),
        _ => output,
    };
    Ok(Some(Cost { stored, decode }))
}

/// The size of pieces after a pipeline, and what its last filter needs to decode them; `None` if a filter rejects them.
fn encoded(pipeline: &Pipeline, shape: &TileShape, pieces: &[&Piece]) -> Result<Option<(u64, DecodeWork)>> {
    let mut size = 0u64;
    let mut work = DecodeWork::default();
    let mut out = Vec::new();
    for piece in pieces {
        out.clear();
        let starts = piece.starts.as_deref();
        match pipeline.forward(shape, &EncryptionKey::None, &piece.data, starts, &mut out) {
            Ok(()) => {
                size += out.len() as u64;
                work += pipeline.decode_work(&out)?;
            }
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::Cancelled) => return Err(error),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some((size, work)))
}
