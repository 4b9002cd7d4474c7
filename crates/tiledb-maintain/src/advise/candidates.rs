//! Candidate pipelines by what they filter.

use super::cost::Objective;
use tiledb_array::schema::Field;
use tiledb_core::types::{Datatype, FormatVersion};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};

/// What a pipeline filters, as far as the choice of candidates depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartContent {
    /// Integers, dates and times.
    Integers,
    Floats,
    /// Variable-length strings that RLE and DICTIONARY encode as a whole.
    Strings,
    /// Everything else, such as characters and blobs.
    Bytes,
    Offsets,
    Validity,
}

impl PartContent {
    /// The content of the values of a field.
    pub(super) fn of(field: &Field, version: FormatVersion) -> PartContent {
        let datatype = field.datatype;
        let encodes = |filter| Pipeline::new(vec![filter]).encodes_strings(datatype, field.cell_val_num, version);
        match datatype {
            _ if datatype.is_float() => PartContent::Floats,
            _ if encodes(Filter::new(FilterType::Rle)) && encodes(Filter::new(FilterType::Dictionary)) => {
                PartContent::Strings
            }
            _ if datatype.is_integer() || datatype.is_datetime() || datatype.is_time() => PartContent::Integers,
            _ => PartContent::Bytes,
        }
    }
}

/// The pipelines to be compared, the simplest first: of equal ones the first is taken.
///
/// Filters that the format version lacks are left out.
pub(super) fn candidates(
    content: PartContent,
    datatype: Datatype,
    objective: Objective,
    version: FormatVersion,
) -> Vec<Pipeline> {
    use FilterType::{
        BitShuffle, BitWidthReduction, ByteShuffle, Delta, Dictionary, DoubleDelta, PositiveDelta, Rle, Xor,
    };
    // Encodings that a codec may follow, and whether they save space without one.
    let encodings: &[(&[FilterType], bool)] = match content {
        PartContent::Integers if datatype.size() == 1 => {
            &[(&[], false), (&[Rle], true), (&[BitShuffle], false), (&[Delta], false)]
        }
        PartContent::Integers => &[
            (&[], false),
            (&[Rle], true),
            (&[BitWidthReduction], true),
            (&[DoubleDelta], true),
            (&[Delta], false),
            (&[ByteShuffle], false),
            (&[BitShuffle], false),
            (&[Delta, ByteShuffle], false),
            (&[Delta, BitShuffle], false),
        ],
        PartContent::Floats => &[
            (&[], false),
            (&[Rle], true),
            (&[ByteShuffle], false),
            (&[BitShuffle], false),
            (&[Xor], false),
            (&[Xor, ByteShuffle], false),
            (&[Xor, BitShuffle], false),
        ],
        PartContent::Strings => &[(&[], false), (&[Rle], true), (&[Dictionary], true)],
        PartContent::Bytes => &[(&[], false), (&[Rle], true)],
        PartContent::Offsets => &[
            (&[], false),
            (&[DoubleDelta], true),
            (&[PositiveDelta, BitWidthReduction], true),
            (&[Delta], false),
            (&[Delta, ByteShuffle], false),
            (&[ByteShuffle], false),
        ],
        PartContent::Validity => &[(&[], false), (&[Rle], true), (&[BitShuffle], false)],
    };
    let fast = Filter::new(FilterType::Lz4);
    let strong = Filter::Zstd { level: 3 };
    let codecs: &[Filter] = match objective {
        Objective::Smallest => &[strong],
        Objective::Balanced | Objective::Fastest => &[fast, strong],
    };
    let mut all = Vec::new();
    for &(encoding, is_complete) in encodings {
        let encoding: Vec<Filter> = encoding.iter().map(|&kind| Filter::new(kind)).collect();
        if encoding.is_empty() || is_complete {
            all.push(Pipeline::new(encoding.clone()));
        }
        for codec in codecs {
            let mut filters = encoding.clone();
            filters.push(*codec);
            all.push(Pipeline::new(filters));
        }
    }
    all.retain(|pipeline| pipeline.features(datatype).iter().all(|feature| feature.since() <= version));
    all.sort_by_key(|pipeline| pipeline.filters().len());
    all
}

/// A candidate, and for the least size the same with the highest level, which takes too long to compare all candidates with it.
pub(super) fn with_levels(candidate: Pipeline, objective: Objective) -> Vec<Pipeline> {
    let is_zstd = |filter: &Filter| matches!(filter, Filter::Zstd { .. });
    let mut all = vec![candidate];
    if objective == Objective::Smallest && all[0].filters().iter().any(is_zstd) {
        let level = |filter: &Filter| if is_zstd(filter) { Filter::Zstd { level: 9 } } else { *filter };
        let mut pipeline = Pipeline::new(all[0].filters().iter().map(level).collect());
        pipeline.set_max_chunk_size(all[0].max_chunk_size());
        all.push(pipeline);
    }
    all
}

/// True for pipelines whose filters are a decision of the user: they change values, or depend on the shape of tiles.
pub(super) fn is_chosen(pipeline: &Pipeline) -> bool {
    pipeline.filters().iter().any(|filter| matches!(filter, Filter::ScaleFloat { .. } | Filter::Webp { .. }))
}

/// The candidate with the checksums of the current pipeline, which no recommendation removes.
pub(super) fn with_checksums(candidate: Pipeline, current: &Pipeline) -> Pipeline {
    let is_checksum = |filter: &&Filter| matches!(filter, Filter::ChecksumMd5 | Filter::ChecksumSha256);
    let mut pipeline = candidate;
    pipeline.set_max_chunk_size(current.max_chunk_size());
    current.filters().iter().filter(is_checksum).for_each(|filter| pipeline.push(*filter));
    pipeline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highest_level_is_compared_for_the_least_size() {
        let zstd = |level| Pipeline::new(vec![Filter::new(FilterType::Rle), Filter::Zstd { level }]);
        let mut chunked = zstd(3);
        chunked.set_max_chunk_size(777);
        let all = with_levels(chunked.clone(), Objective::Smallest);
        assert_eq!((all.len(), &all[0]), (2, &chunked));
        assert_eq!((all[1].filters(), all[1].max_chunk_size()), (zstd(9).filters(), 777));
        assert_eq!(with_levels(zstd(3), Objective::Balanced).len(), 1);
        assert_eq!(with_levels(Pipeline::new(vec![Filter::new(FilterType::Lz4)]), Objective::Smallest).len(), 1);
    }
}
