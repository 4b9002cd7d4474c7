//! Ranges: of subarrays, of labels, of current domains.

use crate::encoding::{Data, List, TextField, Void, messages};

use super::generic::Map;
use super::values::Stats;

messages! {
    /// The ranges of a dimension, their bytes one after the other.
    SubarrayRanges: 1 word, 4 pointers {
        TYPE "type" at pointer 0: TextField,
        HAS_DEFAULT_RANGE "hasDefaultRange" at 0: bool,
        BUFFER "buffer" at pointer 1: Data,
        BUFFER_SIZES "bufferSizes" at pointer 2: List<u64>,
        BUFFER_START_SIZES "bufferStartSizes" at pointer 3: List<u64>,
    }

    /// Ranges of a dimension label.
    LabelSubarrayRanges: 1 word, 2 pointers {
        DIMENSION_ID "dimensionId" at 0: u32,
        NAME "name" at pointer 0: TextField,
        RANGES "ranges" at pointer 1: SubarrayRanges,
    }

    /// Subarray of a query.
    Subarray: 1 word, 6 pointers {
        LAYOUT "layout" at pointer 0: TextField,
        RANGES "ranges" at pointer 1: List<SubarrayRanges>,
        STATS "stats" at pointer 2: Stats,
        RELEVANT_FRAGMENTS "relevantFragments" at pointer 3: List<u32>,
        LABEL_RANGES "labelRanges" at pointer 4: List<LabelSubarrayRanges>,
        ATTRIBUTE_RANGES "attributeRanges" at pointer 5: Map<SubarrayRanges>,
        COALESCE_RANGES "coalesceRanges" at 0: bool = true,
    }

    /// A range for each dimension.
    NDRectangle: 0 words, 1 pointer {
        NDRANGES "ndranges" at pointer 0: List<SubarrayRanges>,
    }

    /// The part of the domain that is in use.
    CurrentDomain: 1 word, 2 pointers, union "" at 32 {
        VERSION "version" at 0: u32,
        TYPE "type" at pointer 0: TextField,
        EMPTY_CURRENT_DOMAIN "emptyCurrentDomain" at 0 if 0: Void,
        ND_RECTANGLE "ndRectangle" at pointer 1 if 1: NDRectangle,
    }
}
