//! Options of filters by the names that they have in JSON.

use crate::error::Result;
use crate::schema::{Filter, FilterOption};

/// An option of some filters.
pub(super) struct NamedOption {
    /// Names of the filters.
    pub(super) filters: &'static [&'static str],
    pub(super) option: FilterOption,
    pub(super) name: &'static str,
}

/// All options that filters heed.
pub(super) static OPTIONS: [NamedOption; 10] = [
    named(&["GZIP", "ZSTD", "LZ4", "BZIP2"], FilterOption::CompressionLevel, "level"),
    named(&["BIT_WIDTH_REDUCTION"], FilterOption::BitWidthMaxWindow, "max_window"),
    named(&["POSITIVE_DELTA"], FilterOption::PositiveDeltaMaxWindow, "max_window"),
    named(&["SCALE_FLOAT"], FilterOption::ScaleFloatByteWidth, "byte_width"),
    named(&["SCALE_FLOAT"], FilterOption::ScaleFloatFactor, "factor"),
    named(&["SCALE_FLOAT"], FilterOption::ScaleFloatOffset, "offset"),
    named(&["WEBP"], FilterOption::WebpQuality, "quality"),
    named(&["WEBP"], FilterOption::WebpInputFormat, "input_format"),
    named(&["WEBP"], FilterOption::WebpLossless, "lossless"),
    named(&["DOUBLE_DELTA", "DELTA"], FilterOption::ReinterpretDatatype, "reinterpret"),
];

const fn named(filters: &'static [&'static str], option: FilterOption, name: &'static str) -> NamedOption {
    NamedOption { filters, option, name }
}

impl NamedOption {
    /// The options of a filter.
    pub(super) fn of(filter: &Filter) -> impl Iterator<Item = &'static NamedOption> {
        let name = filter.name();
        OPTIONS.iter().filter(move |option| option.filters.contains(&name))
    }

    /// The bytes of its value in a filter.
    pub(super) fn bytes(&self, filter: &Filter) -> Result<Vec<u8>> {
        filter.option(self.option)?.to_bytes(self.option.datatype())
    }
}
