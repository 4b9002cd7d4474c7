//! A filter with its options, and its serialization in a pipeline.

use super::FilterType;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Datatype, FormatFeature, FormatVersion};
use tiledb_core::wire::{WireReader, WireWriter};

/// Level of a new filter, as in libtiledb. ZSTD takes it for one of Zstandard's fast levels; GZIP replaces it by 6 and
/// BZIP2 by 1, and the other filters ignore the level.
pub const DEFAULT_LEVEL: i32 = -1;

/// The pixel format of a WEBP filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the order of the colours")]
pub enum WebpFormat {
    /// To be set before use.
    None = 0,
    Rgb = 1,
    Bgr = 2,
    Rgba = 3,
    Bgra = 4,
}

impl WebpFormat {
    /// The format with this number.
    ///
    /// # Errors
    /// For a number that names none.
    pub fn from_number(number: u8) -> Result<WebpFormat> {
        use WebpFormat::*;
        match [None, Rgb, Bgr, Rgba, Bgra].get(usize::from(number)) {
            Some(&format) => Ok(format),
            Option::None => bail!("Invalid WebP input format {number}"),
        }
    }
}

/// One tile filter with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the options are described at `FilterOption`")]
pub enum Filter {
    /// Changes nothing.
    None,
    /// zlib streams.
    Gzip { level: i32 },
    /// Zstandard frames.
    Zstd { level: i32 },
    /// LZ4 blocks; the level has no effect.
    Lz4 { level: i32 },
    /// Runs of equal cells, or of equal strings.
    Rle { level: i32 },
    /// bzip2 streams.
    Bzip2 { level: i32 },
    /// Differences of differences in few bits.
    DoubleDelta { level: i32, reinterpret: Datatype },
    /// Integers less their window's minimum, in the least sufficient width.
    BitWidthReduction { max_window: u32 },
    /// Bits of equal significance side by side.
    BitShuffle,
    /// Bytes of equal significance side by side.
    ByteShuffle,
    /// Differences of ascending integers.
    PositiveDelta { max_window: u32 },
    /// Encryption with the array's key; the last filter of every pipeline of an encrypted array.
    Aes256Gcm,
    /// MD5 digests.
    ChecksumMd5,
    /// SHA-256 digests.
    ChecksumSha256,
    /// Strings by their number in a dictionary.
    Dictionary { level: i32 },
    /// Floats as rounded integers of `byte_width` bytes: `(x - offset) / factor`.
    ScaleFloat { factor: f64, offset: f64, byte_width: u64 },
    /// Each value XOR the one before it.
    Xor,
    /// WebP images.
    Webp { quality: f32, format: WebpFormat, lossless: bool, y_extent: u16, x_extent: u16 },
    /// Differences of successive values.
    Delta { level: i32, reinterpret: Datatype },
}

impl Filter {
    /// A filter of this kind with default options.
    pub fn new(kind: FilterType) -> Filter {
        let level = DEFAULT_LEVEL;
        let reinterpret = Datatype::Any;
        match kind {
            FilterType::None => Filter::None,
            FilterType::Gzip => Filter::Gzip { level },
            FilterType::Zstd => Filter::Zstd { level },
            FilterType::Lz4 => Filter::Lz4 { level },
            FilterType::Rle => Filter::Rle { level },
            FilterType::Bzip2 => Filter::Bzip2 { level },
            FilterType::DoubleDelta => Filter::DoubleDelta { level, reinterpret },
            FilterType::BitWidthReduction => Filter::BitWidthReduction { max_window: 256 },
            FilterType::BitShuffle => Filter::BitShuffle,
            FilterType::ByteShuffle => Filter::ByteShuffle,
            FilterType::PositiveDelta => Filter::PositiveDelta { max_window: 1024 },
            FilterType::Aes256Gcm => Filter::Aes256Gcm,
            FilterType::ChecksumMd5 => Filter::ChecksumMd5,
            FilterType::ChecksumSha256 => Filter::ChecksumSha256,
            FilterType::Dictionary => Filter::Dictionary { level },
            FilterType::ScaleFloat => Filter::ScaleFloat { factor: 1.0, offset: 0.0, byte_width: 8 },
            FilterType::Xor => Filter::Xor,
            FilterType::Webp => {
                Filter::Webp { quality: 100.0, format: WebpFormat::None, lossless: false, y_extent: 0, x_extent: 0 }
            }
            FilterType::Delta => Filter::Delta { level, reinterpret },
        }
    }

    /// The kind of filter.
    pub fn kind(&self) -> FilterType {
        match self {
            Filter::None => FilterType::None,
            Filter::Gzip { .. } => FilterType::Gzip,
            Filter::Zstd { .. } => FilterType::Zstd,
            Filter::Lz4 { .. } => FilterType::Lz4,
            Filter::Rle { .. } => FilterType::Rle,
            Filter::Bzip2 { .. } => FilterType::Bzip2,
            Filter::DoubleDelta { .. } => FilterType::DoubleDelta,
            Filter::BitWidthReduction { .. } => FilterType::BitWidthReduction,
            Filter::BitShuffle => FilterType::BitShuffle,
            Filter::ByteShuffle => FilterType::ByteShuffle,
            Filter::PositiveDelta { .. } => FilterType::PositiveDelta,
            Filter::Aes256Gcm => FilterType::Aes256Gcm,
            Filter::ChecksumMd5 => FilterType::ChecksumMd5,
            Filter::ChecksumSha256 => FilterType::ChecksumSha256,
            Filter::Dictionary { .. } => FilterType::Dictionary,
            Filter::ScaleFloat { .. } => FilterType::ScaleFloat,
            Filter::Xor => FilterType::Xor,
            Filter::Webp { .. } => FilterType::Webp,
            Filter::Delta { .. } => FilterType::Delta,
        }
    }

    /// True if this filter encodes variable-sized cells of this type as strings.
    pub(super) fn encodes_text(&self, datatype: Datatype, version: FormatVersion) -> bool {
        let ascii = match self {
            Filter::Rle { .. } => version.has_ascii_rle(),
            Filter::Dictionary { .. } => version.has_ascii_dictionary(),
            _ => return false,
        };
        match datatype {
            Datatype::StringAscii => ascii,
            Datatype::StringUtf8 => version.has_utf8_string_filters(),
            _ => false,
        }
    }

    /// The feature that an array uses with this filter, of those that some writable format version lacks.
    pub(super) fn feature(&self) -> Option<FormatFeature> {
        match *self {
            Filter::Delta { .. } => Some(FormatFeature::DeltaFilter),
            Filter::DoubleDelta { reinterpret, .. } if reinterpret != Datatype::Any => {
                Some(FormatFeature::DoubleDeltaReinterpret)
            }
            _ => None,
        }
    }

    /// True if this filter does not treat cells of one datatype as it treats those of the other.
    pub(super) fn distinguishes(&self, one: Datatype, other: Datatype) -> bool {
        match self {
            Filter::BitShuffle | Filter::ByteShuffle | Filter::Xor => one.size() != other.size(),
            Filter::BitWidthReduction { .. }
            | Filter::PositiveDelta { .. }
            | Filter::DoubleDelta { .. }
            | Filter::Delta { .. } => one != other,
            _ => false,
        }
    }

    /// The datatype the next filter sees where this one sees `datatype`.
    pub fn output_datatype(&self, datatype: Datatype) -> Datatype {
        match *self {
            Filter::DoubleDelta { reinterpret, .. } | Filter::Delta { reinterpret, .. } => match reinterpret {
                Datatype::Any => datatype,
                other => other,
            },
            Filter::ScaleFloat { byte_width, .. } => Datatype::signed_of(byte_width as usize).unwrap_or(datatype),
            Filter::Xor => Datatype::signed_of(datatype.size()).unwrap_or(datatype),
            Filter::Aes256Gcm => Datatype::Blob,
            _ => datatype,
        }
    }

    /// Reads one filter: its id, the length of its options, and those.
    ///
    /// # Errors
    /// If the id is unknown or the options are not those of the filter.
    pub fn read(r: &mut WireReader<'_>, version: FormatVersion) -> Result<Filter> {
        let id = r.u8()?;
        let len = r.count32(1)?;
        let Ok(kind) = FilterType::from_number(u32::from(id)) else {
            return Err(r.corrupt(format_args!("no filter has the number {id}")));
        };
        let mut options = WireReader::new("filter options", r.bytes(len)?);
        Filter::read_options(kind, &mut options, version)
    }

    fn read_options(kind: FilterType, r: &mut WireReader<'_>, version: FormatVersion) -> Result<Filter> {
        let mut filter = Filter::new(kind);
        match &mut filter {
            Filter::Gzip { level }
            | Filter::Zstd { level }
            | Filter::Lz4 { level }
            | Filter::Rle { level }
            | Filter::Bzip2 { level }
            | Filter::Dictionary { level } => *level = read_level(r)?,
            Filter::DoubleDelta { level, reinterpret } => {
                *level = read_level(r)?;
                if version.has_double_delta_reinterpret() {
                    *reinterpret = Datatype::from_number(u32::from(r.u8()?))?;
                }
            }
            Filter::Delta { level, reinterpret } => {
                *level = read_level(r)?;
                if version.has_delta_reinterpret() {
                    *reinterpret = Datatype::from_number(u32::from(r.u8()?))?;
                }
            }
            Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => *max_window = r.u32()?,
            Filter::ScaleFloat { factor, offset, byte_width } => {
                *factor = r.f64()?;
                *offset = r.f64()?;
                *byte_width = r.u64()?;
                if Datatype::signed_of(*byte_width as usize).is_none() {
                    return Err(r.corrupt(format_args!("a SCALE_FLOAT filter of {byte_width} bytes")));
                }
            }
            Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
                *quality = r.f32()?;
                *format = WebpFormat::from_number(r.u8()?)?;
                *lossless = r.u8()? != 0;
                *y_extent = r.u16()?;
                *x_extent = r.u16()?;
            }
            Filter::None
            | Filter::BitShuffle
            | Filter::ByteShuffle
            | Filter::Aes256Gcm
            | Filter::ChecksumMd5
            | Filter::ChecksumSha256
            | Filter::Xor => {}
        }
        Ok(filter)
    }

    /// Writes one filter, as [`Filter::read`] reads it.
    pub fn write(&self, w: &mut WireWriter, version: FormatVersion) {
        let mut options = WireWriter::new();
        self.write_options(&mut options, version);
        w.u8(self.kind().number()).u32(options.len() as u32).append(options);
    }

    fn write_options(&self, w: &mut WireWriter, version: FormatVersion) {
        match *self {
            Filter::Gzip { level } => w.u8(1).i32(level),
            Filter::Zstd { level } => w.u8(2).i32(level),
            Filter::Lz4 { level } => w.u8(3).i32(level),
            Filter::Rle { level } => w.u8(4).i32(level),
            Filter::Bzip2 { level } => w.u8(5).i32(level),
            Filter::DoubleDelta { level, reinterpret } => {
                w.u8(6).i32(level);
                match version.has_double_delta_reinterpret() {
                    true => w.u8(reinterpret.number()),
                    false => w,
                }
            }
            Filter::Dictionary { level } => w.u8(7).i32(level),
            Filter::Delta { level, reinterpret } => {
                w.u8(8).i32(level);
                match version.has_delta_reinterpret() {
                    true => w.u8(reinterpret.number()),
                    false => w,
                }
            }
            Filter::BitWidthReduction { max_window } | Filter::PositiveDelta { max_window } => w.u32(max_window),
            Filter::ScaleFloat { factor, offset, byte_width } => w.f64(factor).f64(offset).u64(byte_width),
            Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
                w.f32(quality).u8(format as u8).u8(u8::from(lossless)).u16(y_extent).u16(x_extent).u16(0)
            }
            Filter::None
            | Filter::BitShuffle
            | Filter::ByteShuffle
            | Filter::Aes256Gcm
            | Filter::ChecksumMd5
            | Filter::ChecksumSha256
            | Filter::Xor => w,
        };
    }
}

/// The compressor number and the level; the number repeats what the filter's id says.
fn read_level(r: &mut WireReader<'_>) -> Result<i32> {
    r.u8()?;
    r.i32()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::CURRENT_VERSION;

    #[test]
    fn every_filter_is_read_back() {
        for kind in FilterType::all() {
            let mut w = WireWriter::new();
            let filter = Filter::new(kind);
            filter.write(&mut w, CURRENT_VERSION);
            let bytes = w.finish().unwrap();
            let mut r = WireReader::new("test", &bytes);
            assert_eq!(Filter::read(&mut r, CURRENT_VERSION).unwrap(), filter);
            assert!(r.is_empty());
        }
    }

    #[test]
    fn options_lie_as_the_format_says() {
        let bytes = |filter: Filter, version: u32| {
            let mut w = WireWriter::new();
            filter.write(&mut w, FormatVersion::from_number(version).unwrap());
            w.finish().unwrap()
        };
        let delta = Filter::Delta { level: 5, reinterpret: Datatype::Int64 };
        assert_eq!(bytes(delta, 22), [19, 6, 0, 0, 0, 8, 5, 0, 0, 0, 1]);
        assert_eq!(bytes(delta, 18), [19, 5, 0, 0, 0, 8, 5, 0, 0, 0]);
        assert_eq!(bytes(Filter::Dictionary { level: -1 }, 22), [14, 5, 0, 0, 0, 7, 255, 255, 255, 255]);
        assert_eq!(bytes(Filter::new(FilterType::Webp), 22).len(), 5 + 12);
    }
}
