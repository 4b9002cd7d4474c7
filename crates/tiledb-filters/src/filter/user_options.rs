//! Getting and setting filter options through the C interface: by option number and value bytes.

use super::{Filter, WebpFormat};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// An option of a filter, with the numbers of the C interface. Each variant states the type of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FilterOption {
    /// `i32`, of compressors: -1 or the compressor's own levels.
    CompressionLevel = 0,
    /// `u32`, of BIT_WIDTH_REDUCTION: bytes that share a minimum.
    BitWidthMaxWindow = 1,
    /// `u32`, of POSITIVE_DELTA: bytes that share a first value.
    PositiveDeltaMaxWindow = 2,
    /// `u64`, of SCALE_FLOAT: bytes of the stored integer, 1, 2, 4 or 8.
    ScaleFloatByteWidth = 3,
    /// `f64`, of SCALE_FLOAT: the divisor.
    ScaleFloatFactor = 4,
    /// `f64`, of SCALE_FLOAT: the number subtracted before the division.
    ScaleFloatOffset = 5,
    /// `f32`, of WEBP: 0 to 100.
    WebpQuality = 6,
    /// `u8`, of WEBP: a [`WebpFormat`].
    WebpInputFormat = 7,
    /// `u8`, of WEBP: 1 for lossless compression.
    WebpLossless = 8,
    /// `u8`, of compressors: the datatype that DELTA and DOUBLE_DELTA interpret the cells as; `ANY`
    /// for their own. Other compressors accept it without effect.
    ReinterpretDatatype = 9,
}

impl FilterOption {
    /// The option with this number.
    pub fn from_number(number: u32) -> Option<FilterOption> {
        use FilterOption::*;
        let all = [
            CompressionLevel,
            BitWidthMaxWindow,
            PositiveDeltaMaxWindow,
            ScaleFloatByteWidth,
            ScaleFloatFactor,
            ScaleFloatOffset,
            WebpQuality,
            WebpInputFormat,
            WebpLossless,
            ReinterpretDatatype,
        ];
        all.get(number as usize).copied()
    }

    /// Bytes of the value.
    pub fn value_size(self) -> usize {
        use FilterOption::*;
        match self {
            WebpInputFormat | WebpLossless | ReinterpretDatatype => 1,
            CompressionLevel | BitWidthMaxWindow | PositiveDeltaMaxWindow | WebpQuality => 4,
            ScaleFloatByteWidth | ScaleFloatFactor | ScaleFloatOffset => 8,
        }
    }
}

/// The first bytes of an option's value as a number; zeros if there are too few.
fn array<const N: usize>(value: &[u8]) -> [u8; N] {
    value.first_chunk().copied().unwrap_or([0; N])
}

impl Filter {
    /// The name of the filter in errors about options; `None` if it has none.
    fn area(&self) -> Option<&'static str> {
        match self {
            Filter::BitWidthReduction { .. } => Some("Bit width reduction"),
            Filter::PositiveDelta { .. } => Some("Positive delta"),
            Filter::ScaleFloat { .. } => Some("Float scaling"),
            Filter::Webp { .. } => Some("Webp"),
            _ if self.level().is_some() => Some("Compression"),
            _ => None,
        }
    }

    /// The compression level, of compressors.
    pub fn level(&self) -> Option<i32> {
        { *self }.level_mut().map(|level| *level)
    }

    fn level_mut(&mut self) -> Option<&mut i32> {
        match self {
            Filter::Gzip { level }
            | Filter::Zstd { level }
            | Filter::Lz4 { level }
            | Filter::Rle { level }
            | Filter::Bzip2 { level }
            | Filter::Dictionary { level }
            | Filter::DoubleDelta { level, .. }
            | Filter::Delta { level, .. } => Some(level),
            _ => None,
        }
    }

    /// An error about an option of this filter.
    fn option_error<T>(&self, what: &str) -> Result<T> {
        match self.area() {
            None => bail!("[TileDB::Filter] Error: Filter does not support options. It is {}", self.kind().name()),
            // Webp alone begins with a capital.
            Some(area @ "Webp") => {
                let (first, rest) = what.split_at(1);
                bail!("[TileDB::Filter] Error: {area} filter error; {}{rest}", first.to_uppercase())
            }
            Some(area) => bail!("[TileDB::Filter] Error: {area} filter error; {what}"),
        }
    }

    /// The value of an option, in as many bytes as `FilterOption::value_size` says.
    ///
    /// # Errors
    /// If the filter has no such option.
    pub fn option(&self, option: Option<FilterOption>) -> Result<Vec<u8>> {
        use FilterOption::*;
        Ok(match (*self, option) {
            (Filter::BitWidthReduction { max_window }, Some(BitWidthMaxWindow))
            | (Filter::PositiveDelta { max_window }, Some(PositiveDeltaMaxWindow)) => max_window.to_le_bytes().to_vec(),
            (Filter::ScaleFloat { byte_width, .. }, Some(ScaleFloatByteWidth)) => byte_width.to_le_bytes().to_vec(),
            (Filter::ScaleFloat { factor, .. }, Some(ScaleFloatFactor)) => factor.to_le_bytes().to_vec(),
            (Filter::ScaleFloat { offset, .. }, Some(ScaleFloatOffset)) => offset.to_le_bytes().to_vec(),
            (Filter::Webp { quality, .. }, Some(WebpQuality)) => quality.to_le_bytes().to_vec(),
            (Filter::Webp { format, .. }, Some(WebpInputFormat)) => vec![format as u8],
            (Filter::Webp { lossless, .. }, Some(WebpLossless)) => vec![u8::from(lossless)],
            (
                Filter::Delta { reinterpret, .. } | Filter::DoubleDelta { reinterpret, .. },
                Some(ReinterpretDatatype),
            ) => {
                vec![reinterpret.number()]
            }
            (_, Some(CompressionLevel | ReinterpretDatatype)) if self.level().is_some() => {
                match (self.level(), option) {
                    (Some(level), Some(CompressionLevel)) => level.to_le_bytes().to_vec(),
                    _ => vec![Datatype::Any.number()],
                }
            }
            _ => return self.option_error("unknown option"),
        })
    }

    /// Sets an option from the bytes of its value; `None` for a null pointer.
    ///
    /// # Errors
    /// If the filter has no such option, or the value is not allowed.
    pub fn set_option(&mut self, option: Option<FilterOption>, value: Option<&[u8]>) -> Result<()> {
        use FilterOption::*;
        let before = *self;
        let Some(value) = value else { return before.option_error("invalid option value") };
        match (&mut *self, option) {
            (Filter::BitWidthReduction { max_window }, Some(BitWidthMaxWindow))
            | (Filter::PositiveDelta { max_window }, Some(PositiveDeltaMaxWindow)) => {
                *max_window = u32::from_le_bytes(array(value));
            }
            (Filter::ScaleFloat { byte_width, .. }, Some(ScaleFloatByteWidth)) => {
                match u64::from_le_bytes(array(value)) {
                    width @ (1 | 2 | 4 | 8) => *byte_width = width,
                    width => {
                        return before.option_error(&format!("invalid byte width value. {width} is not 1, 2, 4 or 8"));
                    }
                }
            }
            (Filter::ScaleFloat { factor, .. }, Some(ScaleFloatFactor)) => match f64::from_le_bytes(array(value)) {
                value if value.is_normal() => *factor = value,
                _ => return before.option_error("invalid scale value."),
            },
            (Filter::ScaleFloat { offset, .. }, Some(ScaleFloatOffset)) => match f64::from_le_bytes(array(value)) {
                value if value.is_finite() => *offset = value,
                _ => return before.option_error("invalid offset value."),
            },
            (Filter::Webp { quality, .. }, Some(WebpQuality)) => match f32::from_le_bytes(array(value)) {
                value if (0.0..=100.0).contains(&value) => *quality = value,
                _ => return before.option_error("quality must be in range [0.0, 100.0]"),
            },
            (Filter::Webp { format, .. }, Some(WebpInputFormat)) => {
                match WebpFormat::from_number(u8::from_le_bytes(array(value))) {
                    Ok(value) => *format = value,
                    Err(_) => return before.option_error("invalid input format option setting"),
                }
            }
            (Filter::Webp { lossless, .. }, Some(WebpLossless)) => match u8::from_le_bytes(array(value)) {
                value @ 0..=1 => *lossless = value == 1,
                _ => {
                    return before.option_error("lossless compression must be either enabled (1) or disabled (0)");
                }
            },
            (filter, Some(CompressionLevel)) if filter.level().is_some() => {
                if let Some(level) = filter.level_mut() {
                    *level = i32::from_le_bytes(array(value));
                }
            }
            (filter, Some(ReinterpretDatatype)) if filter.level().is_some() => {
                let datatype = Datatype::from_number(u32::from(u8::from_le_bytes(array(value))))?;
                if let Filter::Delta { reinterpret, .. } | Filter::DoubleDelta { reinterpret, .. } = filter {
                    *reinterpret = datatype;
                }
            }
            _ => return before.option_error("unknown option"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::FilterType;

    #[test]
    fn what_is_set_is_got() {
        let mut options = 0;
        for kind in FilterType::all() {
            for number in 0..11 {
                let option = FilterOption::from_number(number);
                let mut filter = Filter::new(kind);
                let Ok(value) = filter.option(option) else {
                    assert!(filter.set_option(option, Some(&[1; 8])).is_err());
                    continue;
                };
                assert_eq!(value.len(), option.unwrap().value_size());
                filter.set_option(option, Some(&value)).unwrap();
                assert_eq!(filter, Filter::new(kind));
                assert!(filter.set_option(option, None).is_err());
                options += 1;
            }
        }
        assert_eq!(options, 8 * 2 + 1 + 1 + 3 + 3);
    }

    #[test]
    fn errors_read_as_the_original_ones() {
        let text = |kind, option, value: Option<&[u8]>| {
            Filter::new(kind).set_option(FilterOption::from_number(option), value).unwrap_err().text().to_owned()
        };
        let area = "[TileDB::Filter] Error: ";
        assert_eq!(text(FilterType::Xor, 0, None), format!("{area}Filter does not support options. It is XOR"));
        assert_eq!(text(FilterType::Gzip, 1, Some(&[1; 8])), format!("{area}Compression filter error; unknown option"));
        assert_eq!(text(FilterType::Webp, 6, None), format!("{area}Webp filter error; Invalid option value"));
        assert_eq!(
            text(FilterType::ScaleFloat, 3, Some(&[3, 0, 0, 0, 0, 0, 0, 0])),
            format!("{area}Float scaling filter error; invalid byte width value. 3 is not 1, 2, 4 or 8")
        );
        assert_eq!(
            text(FilterType::Webp, 8, Some(&[2])),
            format!("{area}Webp filter error; Lossless compression must be either enabled (1) or disabled (0)")
        );
    }
}
