//! Filters: compression, encoding and checksums of tiles.

use std::fmt;
use std::str::FromStr;

use crate::datatype::Datatype;
use crate::error::{Error, ErrorKind, Result};
use crate::value::Value;
use tiledb_filters::filter as engine;

/// One filter of a tile: a compressor, an encoding or a checksum.
///
/// ```
/// use tiledb::{Filter, FilterList};
///
/// let filters = FilterList::from([Filter::byte_shuffle(), Filter::zstd(5), Filter::checksum_sha256()]);
/// assert_eq!(filters.iter().map(Filter::name).collect::<Vec<_>>(), ["BYTESHUFFLE", "ZSTD", "CHECKSUM_SHA256"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter(pub(crate) engine::Filter);

/// The format of the pixels that [`Filter::webp`] compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WebpFormat {
    /// Red, green, blue.
    Rgb,
    /// Blue, green, red.
    Bgr,
    /// Red, green, blue, alpha.
    Rgba,
    /// Blue, green, red, alpha.
    Bgra,
}

impl Filter {
    /// zlib; levels are 1 to 9, -1 for the default.
    pub fn gzip(level: i32) -> Filter {
        Filter(engine::Filter::Gzip { level })
    }

    /// Zstandard; levels are -7 to 22, -1 for the default.
    pub fn zstd(level: i32) -> Filter {
        Filter(engine::Filter::Zstd { level })
    }

    /// LZ4.
    pub fn lz4() -> Filter {
        Filter(engine::Filter::Lz4 { level: engine::DEFAULT_LEVEL })
    }

    /// bzip2; levels are 1 to 9, -1 for the default.
    pub fn bzip2(level: i32) -> Filter {
        Filter(engine::Filter::Bzip2 { level })
    }

    /// Run-length encoding of cells, or of strings.
    pub fn rle() -> Filter {
        Filter(engine::Filter::Rle { level: engine::DEFAULT_LEVEL })
    }

    /// Dictionary encoding of strings.
    pub fn dictionary() -> Filter {
        Filter(engine::Filter::Dictionary { level: engine::DEFAULT_LEVEL })
    }

    /// Differences of successive integers.
    pub fn delta() -> Filter {
        Filter(engine::Filter::Delta { level: engine::DEFAULT_LEVEL, reinterpret: Datatype::Any.engine() })
    }

    /// Differences of differences of successive integers, in few bits.
    pub fn double_delta() -> Filter {
        Filter(engine::Filter::DoubleDelta { level: engine::DEFAULT_LEVEL, reinterpret: Datatype::Any.engine() })
    }

    /// Differences of ascending integers.
    pub fn positive_delta() -> Filter {
        Filter(engine::Filter::new(engine::FilterType::PositiveDelta))
    }

    /// Integers in as few bytes as their range needs.
    pub fn bit_width_reduction() -> Filter {
        Filter(engine::Filter::new(engine::FilterType::BitWidthReduction))
    }

    /// Bits of equal significance side by side.
    pub fn bit_shuffle() -> Filter {
        Filter(engine::Filter::BitShuffle)
    }

    /// Bytes of equal significance side by side.
    pub fn byte_shuffle() -> Filter {
        Filter(engine::Filter::ByteShuffle)
    }

    /// Each value XOR the one before it.
    pub fn xor() -> Filter {
        Filter(engine::Filter::Xor)
    }

    /// Floating-point numbers as integers of `byte_width` bytes: `(x - offset) / factor`, rounded. Lossy.
    pub fn scale_float(factor: f64, offset: f64, byte_width: u64) -> Filter {
        Filter(engine::Filter::ScaleFloat { factor, offset, byte_width })
    }

    /// WebP compression of images. The quality is 0 to 100; it is ignored if the compression is lossless.
    pub fn webp(format: WebpFormat, quality: f32, lossless: bool) -> Filter {
        let format = match format {
            WebpFormat::Rgb => engine::WebpFormat::Rgb,
            WebpFormat::Bgr => engine::WebpFormat::Bgr,
            WebpFormat::Rgba => engine::WebpFormat::Rgba,
            WebpFormat::Bgra => engine::WebpFormat::Bgra,
        };
        Filter(engine::Filter::Webp { quality, format, lossless, y_extent: 0, x_extent: 0 })
    }

    /// A SHA-256 checksum, which detects damage when a tile is read.
    pub fn checksum_sha256() -> Filter {
        Filter(engine::Filter::ChecksumSha256)
    }

    /// An MD5 checksum, which detects damage when a tile is read.
    pub fn checksum_md5() -> Filter {
        Filter(engine::Filter::ChecksumMd5)
    }

    /// The name of the filter, such as `ZSTD`.
    pub fn name(&self) -> &'static str {
        self.0.kind().name()
    }

    /// The level of a compressor.
    pub fn level(&self) -> Option<i32> {
        self.0.level()
    }
}

/// Declares the options by those of the engine, with the datatypes of their values.
macro_rules! filter_options {
    ($($(#[$doc:meta])* $name:ident = $datatype:ident,)+) => {
        /// An option of a filter, for programs that know the filter at run time only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FilterOption { $($(#[$doc])* $name,)+ }

        impl FilterOption {
            /// All options.
            pub const ALL: &'static [FilterOption] = &[$(FilterOption::$name,)+];

            /// The datatype of the value.
            pub fn datatype(self) -> Datatype {
                match self { $(FilterOption::$name => Datatype::$datatype,)+ }
            }

            fn engine(self) -> engine::FilterOption {
                match self { $(FilterOption::$name => engine::FilterOption::$name,)+ }
            }
        }
    };
}

filter_options! {
    /// The level of a compressor; -1 for its default.
    CompressionLevel = Int32,
    /// The number of bytes that share a minimum, of `BIT_WIDTH_REDUCTION`.
    BitWidthMaxWindow = Uint32,
    /// The number of bytes that share a first value, of `POSITIVE_DELTA`.
    PositiveDeltaMaxWindow = Uint32,
    /// The size of the stored integers in bytes, of `SCALE_FLOAT`.
    ScaleFloatByteWidth = Uint64,
    /// The divisor, of `SCALE_FLOAT`.
    ScaleFloatFactor = Float64,
    /// The number that is subtracted before the division, of `SCALE_FLOAT`.
    ScaleFloatOffset = Float64,
    /// The quality from 0 to 100, of `WEBP`.
    WebpQuality = Float32,
    /// The number of the format of pixels, of `WEBP`.
    WebpInputFormat = Uint8,
    /// 1 for lossless compression, of `WEBP`.
    WebpLossless = Uint8,
    /// The number of the datatype as which `DELTA` and `DOUBLE_DELTA` interpret cells ([`Datatype::number`]).
    ReinterpretDatatype = Uint8,
}

/// Options by name.
impl Filter {
    /// The value of an option.
    ///
    /// ```
    /// use tiledb::{Filter, FilterOption, Value};
    ///
    /// let filter: Filter = "ZSTD".parse()?;
    /// let filter = filter.with_option(FilterOption::CompressionLevel, 7)?;
    /// assert_eq!(filter.option(FilterOption::CompressionLevel)?, Value::Int(7));
    /// assert!(Filter::byte_shuffle().option(FilterOption::CompressionLevel).is_err());
    /// # Ok::<(), tiledb::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the filter has no such option.
    pub fn option(&self, option: FilterOption) -> Result<Value> {
        Ok(Value::from_bytes(option.datatype(), &self.0.option(Some(option.engine()))?))
    }

    /// Sets an option.
    ///
    /// # Errors
    /// If the filter has no such option, or does not accept the value.
    pub fn with_option(mut self, option: FilterOption, value: impl Into<Value>) -> Result<Filter> {
        let bytes = value.into().to_bytes(option.datatype())?;
        self.0
            .set_option(Some(option.engine()), Some(&bytes))
            .map_err(|error| Error::from(error).refined(ErrorKind::Schema))?;
        Ok(self)
    }
}

/// The filter of a name such as `ZSTD`, with the defaults of its options.
impl FromStr for Filter {
    type Err = Error;

    fn from_str(name: &str) -> Result<Filter> {
        Ok(Filter(engine::Filter::new(engine::FilterType::from_name(name)?)))
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level() {
            Some(level) if level != engine::DEFAULT_LEVEL => write!(f, "{}={level}", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

/// Size of chunks in bytes, unless it is set.
const DEFAULT_CHUNK_SIZE: u32 = engine::CHUNK_SIZE as u32;

/// A list of filters, applied in this order when a tile is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilterList {
    filters: Vec<Filter>,
    max_chunk_size: Option<u32>,
}

impl FilterList {
    /// A list without filters.
    pub fn new() -> FilterList {
        FilterList::default()
    }

    /// Appends a filter.
    #[must_use]
    pub fn with(mut self, filter: Filter) -> FilterList {
        self.filters.push(filter);
        self
    }

    /// Sets the size in bytes of the chunks that tiles are divided into before they are filtered; 65,536 unless it is set.
    #[must_use]
    pub fn with_max_chunk_size(self, bytes: u32) -> FilterList {
        FilterList { max_chunk_size: Some(bytes), ..self }
    }

    /// The filters, first to last.
    pub fn iter(&self) -> std::slice::Iter<'_, Filter> {
        self.filters.iter()
    }

    /// The number of filters.
    pub fn len(&self) -> usize {
        self.filters.len()
    }

    /// Whether there are no filters.
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// The size of chunks in bytes.
    pub fn max_chunk_size(&self) -> u32 {
        self.max_chunk_size.unwrap_or(DEFAULT_CHUNK_SIZE)
    }

    pub(crate) fn engine(&self) -> engine::Pipeline {
        let mut pipeline = engine::Pipeline::new(self.filters.iter().map(|filter| filter.0).collect());
        if let Some(bytes) = self.max_chunk_size {
            pipeline.set_max_chunk_size(bytes);
        }
        pipeline
    }

    pub(crate) fn of_engine(pipeline: &engine::Pipeline) -> FilterList {
        let filters = pipeline.filters().iter().copied().map(Filter).collect();
        let size = pipeline.max_chunk_size();
        FilterList { filters, max_chunk_size: (size != DEFAULT_CHUNK_SIZE).then_some(size) }
    }
}

impl<'a> IntoIterator for &'a FilterList {
    type Item = &'a Filter;
    type IntoIter = std::slice::Iter<'a, Filter>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FromIterator<Filter> for FilterList {
    fn from_iter<I: IntoIterator<Item = Filter>>(filters: I) -> FilterList {
        FilterList { filters: filters.into_iter().collect(), max_chunk_size: None }
    }
}

impl From<Filter> for FilterList {
    fn from(filter: Filter) -> FilterList {
        FilterList::new().with(filter)
    }
}

impl<const N: usize> From<[Filter; N]> for FilterList {
    fn from(filters: [Filter; N]) -> FilterList {
        filters.into_iter().collect()
    }
}

impl From<Vec<Filter>> for FilterList {
    fn from(filters: Vec<Filter>) -> FilterList {
        filters.into_iter().collect()
    }
}
