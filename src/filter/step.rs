//! One filter at work on one chunk.

use super::compress::{Compressor, Head};
use super::pipeline::{Pipeline, Shape};
use super::scale::Scale;
use super::shuffle::Shuffle;
use super::strings::Strings;
use super::windows::Windows;
use super::{Filter, bit_shuffle, checksum, encrypt};
use crate::codec::Target;
use crate::codec::double_delta::Integers;
use crate::crypto::{Digest, EncryptionKey};
use crate::error::{Result, bail};
use crate::types::{Datatype, Physical};

/// A chunk on its way through the filters: the metadata of the filters so far, newest first, in
/// `parts` of these lengths, and the data. In reverse the parts are unknown and not needed.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    pub(super) meta: &'a [u8],
    pub(super) parts: &'a [usize],
    pub(super) data: &'a [u8],
}

impl<'a> Input<'a> {
    /// Every part: those of the metadata, then the data.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.meta;
        let data = self.data;
        let meta_parts = self.parts.iter().map(move |&len| {
            let (part, tail) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            rest = tail;
            part
        });
        meta_parts.chain(std::iter::once(data))
    }

    /// How many parts there are.
    pub(super) fn part_count(&self) -> usize {
        self.parts.len() + 1
    }
}

/// What a filter makes of a chunk.
#[derive(Default)]
pub(super) struct Output {
    pub(super) meta: Vec<u8>,
    pub(super) parts: Vec<usize>,
    pub(super) data: Vec<u8>,
}

impl Output {
    pub(super) fn as_input(&self) -> Input<'_> {
        Input { meta: &self.meta, parts: &self.parts, data: &self.data }
    }

    /// Puts the earlier filters' metadata behind the own.
    pub(super) fn pass_on(&mut self, input: &Input<'_>) {
        self.meta.extend_from_slice(input.meta);
        self.parts.extend_from_slice(input.parts);
    }

    pub(super) fn clear(&mut self) {
        self.meta.clear();
        self.parts.clear();
        self.data.clear();
    }
}

/// A filter with all it needs to work on the chunks of one tile.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Compress(Compressor),
    Checksum {
        digest: Digest,
        check: bool,
    },
    Encrypt(&'a [u8; 32]),
    Shuffle(Shuffle),
    BitShuffle {
        width: usize,
    },
    BitWidth(Windows),
    PositiveDelta(Windows),
    Scale(Scale),
    /// With the starts of the cells, on writing.
    Strings(Strings, &'a [u64]),
}

impl<'a> Step<'a> {
    /// The steps of a pipeline for a tile, in the order of writing. Filters that change nothing for
    /// this tile are not among them; encryption comes last where there is a key.
    pub(super) fn of_tile(
        pipeline: &Pipeline,
        shape: &Shape,
        key: &'a EncryptionKey,
        starts: &'a [u64],
    ) -> Result<Vec<Step<'a>>> {
        let mut steps = Vec::with_capacity(pipeline.filters().len() + 1);
        let mut datatype = shape.datatype;
        for filter in pipeline.filters() {
            match strings_of(filter, shape) {
                Some(strings) if steps.is_empty() => steps.push(Step::Strings(strings, starts)),
                Some(_) => bail!("Only the first filter of variable-sized text may be {}", filter.kind()),
                None => steps.extend(Step::of_filter(filter, datatype, shape, pipeline.checks_checksums())?),
            }
            datatype = filter.output_datatype(datatype);
        }
        if let EncryptionKey::Aes256(key) = key {
            steps.push(Step::Encrypt(key));
        }
        Ok(steps)
    }

    fn of_filter(filter: &Filter, datatype: Datatype, shape: &Shape, check: bool) -> Result<Option<Step<'a>>> {
        Ok(Some(match *filter {
            Filter::None | Filter::Aes256Gcm => return Ok(None),
            Filter::Gzip { level } => Step::Compress(Compressor::Gzip { level }),
            Filter::Zstd { level } => Step::Compress(Compressor::Zstd { level }),
            Filter::Lz4 { level } => Step::Compress(Compressor::Lz4 { level }),
            Filter::Rle { .. } => Step::Compress(Compressor::Rle { cell_size: shape.cell_size }),
            Filter::Bzip2 { level } => Step::Compress(Compressor::Bzip2 { level }),
            Filter::DoubleDelta { .. } => {
                Step::Compress(Compressor::DoubleDelta(integers(filter.output_datatype(datatype))))
            }
            Filter::Delta { .. } => {
                Step::Compress(Compressor::Delta { width: width(filter.output_datatype(datatype)) })
            }
            Filter::ChecksumMd5 => Step::Checksum { digest: Digest::Md5, check },
            Filter::ChecksumSha256 => Step::Checksum { digest: Digest::Sha256, check },
            Filter::ByteShuffle => Step::Shuffle(Shuffle::Bytes(datatype.size())),
            Filter::Xor => Step::Shuffle(Shuffle::Xor(datatype.size())),
            Filter::BitShuffle => Step::BitShuffle { width: datatype.size() },
            Filter::BitWidthReduction { max_window } => {
                let active = windows_take(datatype, shape) && datatype.size() > 1;
                return Ok(active.then(|| Step::BitWidth(Windows::new(datatype, max_window))));
            }
            Filter::PositiveDelta { max_window } => {
                let active = windows_take(datatype, shape) || datatype.is_byte();
                return Ok(active.then(|| Step::PositiveDelta(Windows::new(datatype, max_window))));
            }
            Filter::ScaleFloat { factor, offset, byte_width } if matches!(datatype.size(), 4 | 8) => {
                Step::Scale(Scale { factor, offset, float: datatype.size(), integer: byte_width as usize })
            }
            _ => bail!(Unsupported, "The filter {} is not supported for reading and writing yet", filter.kind()),
        }))
    }

    pub(super) fn forward(self, input: Input<'_>, output: &mut Output) -> Result<()> {
        match self {
            Step::Compress(compressor) => compressor.forward(input, output),
            Step::Checksum { digest, .. } => checksum::forward(digest, input, output),
            Step::Encrypt(key) => encrypt::forward(key, input, output),
            Step::Shuffle(shuffle) => shuffle.forward(input, output),
            Step::BitShuffle { width } => bit_shuffle::forward(width, input, output),
            Step::BitWidth(windows) => windows.narrow(input, output),
            Step::PositiveDelta(windows) => windows.differences(input, output),
            Step::Scale(scale) => scale.forward(input, output),
            Step::Strings(strings, starts) => strings.forward(starts, input, output),
        }
    }

    /// The size of the data before this step, as the metadata state it.
    pub(super) fn original_size(self, input: Input<'_>) -> Result<usize> {
        match self {
            Step::Compress(_) => Ok(Head::read(input.meta)?.data_size),
            Step::Encrypt(_) => encrypt::data_size(input.meta),
            Step::BitWidth(_) => Windows::original_size(input.meta),
            Step::Scale(scale) => Ok(scale.original_size(input.data)),
            Step::Strings(..) => Strings::original_size(input.meta),
            Step::Checksum { .. } | Step::Shuffle(_) | Step::BitShuffle { .. } | Step::PositiveDelta(_) => {
                Ok(input.data.len())
            }
        }
    }

    /// Undoes the step: fills `dst` exactly and appends the earlier filters' metadata to `meta`, at
    /// most `meta_limit` bytes.
    pub(super) fn reverse(self, input: Input<'_>, meta_limit: usize, meta: &mut Vec<u8>, dst: &mut [u8]) -> Result<()> {
        match self {
            Step::Compress(compressor) => compressor.reverse(input, meta_limit, meta, dst),
            Step::Checksum { digest, check } => checksum::reverse(digest, check, input, meta, dst),
            Step::Encrypt(key) => encrypt::reverse(key, input, meta, dst),
            Step::Shuffle(shuffle) => shuffle.reverse(input, meta, dst),
            Step::BitShuffle { width } => bit_shuffle::reverse(width, input, meta, dst),
            Step::BitWidth(windows) => windows.widen(input, meta, dst),
            Step::PositiveDelta(windows) => windows.sums(input, meta, dst),
            Step::Scale(scale) => scale.reverse(input, meta, dst),
            Step::Strings(strings, _) => strings.reverse(input, Target::Values(dst)),
        }
    }
}

/// Bytes of the values that DELTA and DOUBLE_DELTA see: characters of text are single bytes, however wide.
fn width(datatype: Datatype) -> usize {
    use Datatype::{StringUcs2, StringUcs4, StringUtf16, StringUtf32};
    match datatype {
        StringUtf16 | StringUtf32 | StringUcs2 | StringUcs4 => 1,
        _ => datatype.size(),
    }
}

/// The integers that DOUBLE_DELTA takes values of a type for.
fn integers(datatype: Datatype) -> Integers {
    let signed = matches!(datatype.physical(), Physical::I8 | Physical::I16 | Physical::I32 | Physical::I64);
    Integers { width: width(datatype), signed }
}

/// How a filter encodes variable-sized text as strings, if it does.
fn strings_of(filter: &Filter, shape: &Shape) -> Option<Strings> {
    match filter {
        _ if !shape.is_var || !filter.encodes_text(shape.datatype, shape.version) => None,
        Filter::Rle { .. } => Some(Strings::Rle),
        _ => Some(Strings::Dictionary),
    }
}

/// True for the types whose values are windowed integers: datetimes since the version that says so.
fn windows_take(datatype: Datatype, shape: &Shape) -> bool {
    let time = datatype.is_datetime() || datatype.is_time();
    datatype.is_integer() || time && shape.version.has_datetime_integer_filters()
}
