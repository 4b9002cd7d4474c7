//! Which filter is where: the steps of a pipeline for a tile.

use super::options::Filter;
use super::pipeline::{Pipeline, Shape};
use super::step::Step;
use super::{
    aes_256_gcm, bit_shuffle, bit_width_reduction, byte_shuffle, bzip2, checksum_md5, checksum_sha256, delta,
    dictionary, double_delta, gzip, lz4, positive_delta, rle, scale_float, webp, xor, zstd,
};
use crate::crypto::EncryptionKey;
use crate::error::{Result, bail};
use crate::types::Datatype;

/// The steps of one tile, in the order of writing.
pub(super) type Steps<'a> = Vec<Box<dyn Step + 'a>>;

/// The steps of a pipeline for a tile, with the starts of its cells on writing. Filters that change
/// nothing for this tile are not among them; encryption comes last where there is a key.
pub(super) fn of_tile<'a>(
    pipeline: &Pipeline,
    shape: &Shape,
    key: &'a EncryptionKey,
    starts: &'a [u64],
) -> Result<Steps<'a>> {
    let mut steps = Vec::with_capacity(pipeline.filters().len() + 1);
    let mut datatype = shape.datatype;
    for filter in pipeline.filters() {
        if shape.is_var && filter.encodes_text(shape.datatype, shape.version) {
            if !steps.is_empty() {
                bail!("Only the first filter of variable-sized text may be {}", filter.kind());
            }
            steps.push(text(filter, starts));
        } else {
            steps.extend(of_filter(filter, datatype, shape, pipeline.checks_checksums())?);
        }
        datatype = filter.output_datatype(datatype);
    }
    if let EncryptionKey::Aes256(key) = key {
        steps.push(aes_256_gcm::step(key));
    }
    Ok(steps)
}

/// The filters that encode text as strings.
fn text<'a>(filter: &Filter, starts: &'a [u64]) -> Box<dyn Step + 'a> {
    match filter {
        Filter::Rle { .. } => rle::of_strings(starts),
        _ => dictionary::of_strings(starts),
    }
}

/// The table of filters: `None` for those that do nothing to values of this type.
fn of_filter<'a>(
    filter: &Filter,
    datatype: Datatype,
    shape: &Shape,
    check: bool,
) -> Result<Option<Box<dyn Step + 'a>>> {
    Ok(Some(match *filter {
        Filter::None | Filter::Aes256Gcm => return Ok(None),
        Filter::Gzip { level } => gzip::step(level),
        Filter::Zstd { level } => zstd::step(level),
        Filter::Lz4 { level } => lz4::step(level),
        Filter::Bzip2 { level } => bzip2::step(level),
        Filter::Rle { .. } => rle::step(shape.cell_size),
        Filter::Delta { reinterpret, .. } => delta::step(datatype, reinterpret)?,
        Filter::DoubleDelta { reinterpret, .. } => double_delta::step(datatype, reinterpret)?,
        Filter::BitWidthReduction { max_window } => {
            return Ok(bit_width_reduction::step(datatype, shape.version, max_window));
        }
        Filter::PositiveDelta { max_window } => return Ok(positive_delta::step(datatype, shape.version, max_window)),
        Filter::ByteShuffle => byte_shuffle::step(datatype),
        Filter::BitShuffle => bit_shuffle::step(datatype),
        Filter::Xor => xor::step(datatype),
        Filter::ScaleFloat { factor, offset, byte_width } => {
            scale_float::step(datatype, factor, offset, byte_width as usize)?
        }
        Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
            webp::step(format, quality, lossless, (y_extent, x_extent))?
        }
        Filter::ChecksumMd5 => checksum_md5::step(check),
        Filter::ChecksumSha256 => checksum_sha256::step(check),
        Filter::Dictionary { .. } => bail!(
            "[TileDB::Filter] Error: CompressionFilter error; Dictionary encoding only applies to variable length strings"
        ),
    }))
}
