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

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::{CURRENT_VERSION, Datatype};
    use tiledb_filters::filter::{Filter, FilterType};

    const SHAPE: TileShape =
        TileShape { datatype: Datatype::Int32, cell_size: 4, is_var: false, version: CURRENT_VERSION };

    fn piece(cells: impl Iterator<Item = i32>) -> Piece {
        Piece { data: cells.flat_map(i32::to_le_bytes).collect(), starts: None }
    }

    fn pipeline(kinds: &[FilterType]) -> Pipeline {
        Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect())
    }

    fn size(pipeline: &Pipeline, pieces: &[&Piece]) -> u64 {
        let encode = |piece: &&Piece| {
            let mut out = Vec::new();
            pipeline.forward(&SHAPE, &EncryptionKey::None, &piece.data, None, &mut out).unwrap();
            out.len() as u64
        };
        pieces.iter().map(encode).sum()
    }

    #[test]
    fn cost_has_the_stored_size_and_the_time_of_each_filter() {
        use FilterType::{ByteShuffle, DoubleDelta, Lz4};
        let pieces = [piece((0..5000).map(|cell| cell * cell % 777)), piece((0..900).map(|cell| 3 * cell))];
        let pieces: Vec<&Piece> = pieces.iter().collect();
        let original = 4 * 5900;
        let cost = |kinds: &[FilterType]| cost_of(&pipeline(kinds), &SHAPE, &pieces).unwrap().unwrap();
        let none = cost(&[]);
        // A pipeline without filters stores chunks with headers, which need no decoding.
        assert_eq!((none.stored, none.decode), (size(&pipeline(&[]), &pieces), 0));
        assert!(none.stored > original);
        for kinds in [&[Lz4][..], &[ByteShuffle, Lz4], &[DoubleDelta, ByteShuffle, Lz4]] {
            let mut output = original;
            let mut decode = 0;
            for (at, &kind) in kinds.iter().enumerate() {
                let stages = pipeline(&kinds[..=at]);
                let (input, work) = encoded(&stages, &SHAPE, &pieces).unwrap().unwrap();
                assert_eq!(input, size(&stages, &pieces));
                decode += cost::decode(&Filter::new(kind), input, output, work);
                output = input;
            }
            assert_eq!(cost(kinds), Cost { stored: size(&pipeline(kinds), &pieces), decode }, "{kinds:?}");
        }
        let of_each: u64 =
            pieces.iter().map(|piece| cost_of(&pipeline(&[Lz4]), &SHAPE, &[piece]).unwrap().unwrap().decode).sum();
        assert_eq!(cost(&[Lz4]).decode, of_each, "sequences of all pieces are counted");
    }

    #[test]
    fn values_that_a_filter_rejects_have_no_cost() {
        let ascending = piece(0..100);
        let descending = piece((0..100).rev());
        let filters = pipeline(&[FilterType::PositiveDelta, FilterType::Lz4]);
        assert!(cost_of(&filters, &SHAPE, &[&ascending]).unwrap().is_some());
        assert!(cost_of(&filters, &SHAPE, &[&ascending, &descending]).unwrap().is_none());
        assert!(cost_of(&pipeline(&[]), &SHAPE, &[]).unwrap().is_some_and(|cost| cost == Cost::default()));
    }
}
