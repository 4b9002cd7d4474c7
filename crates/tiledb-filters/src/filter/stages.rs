//! Construction of the stages of a pipeline for a tile: the table of filters.

use super::options::Filter;
use super::pipeline::{Pipeline, TileShape};
use super::stage::FilterStage;
use super::tile_digests::DigestsOfChunks;
use super::{
    aes_256_gcm, bit_shuffle, bit_width_reduction, byte_shuffle, bzip2, checksum_md5, checksum_sha256, delta,
    dictionary, double_delta, gzip, lz4, positive_delta, rle, scale_float, webp, xor, zstd,
};
use crate::crypto::EncryptionKey;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Datatype;

/// The stages of one tile, in the order of writing.
pub(super) type Stages<'a> = Vec<Box<dyn FilterStage + 'a>>;

/// The stages of a pipeline for a tile, with the starts of its cells for writes. Filters that do not change
/// this tile are omitted; encryption is the last stage if there is a key.
pub(super) fn of_tile<'a>(
    pipeline: &Pipeline,
    shape: &TileShape,
    key: &'a EncryptionKey,
    starts: &'a [u64],
    digests: DigestsOfChunks,
) -> Result<Stages<'a>> {
    let mut stages = Vec::with_capacity(pipeline.filters().len() + 1);
    let mut datatype = shape.datatype;
    for (number, filter) in pipeline.filters().iter().enumerate() {
        if shape.is_var && filter.encodes_text(shape.datatype, shape.version) {
            if !stages.is_empty() {
                bail!("Only the first filter of variable-sized text may be {}", filter.kind());
            }
            stages.push(text(filter, starts));
        } else {
            let compute = match digests {
                DigestsOfChunks::All => true,
                DigestsOfChunks::AllButLast => number + 1 < pipeline.filters().len(),
                DigestsOfChunks::None => false,
            };
            stages.extend(of_filter(filter, datatype, shape, compute)?);
        }
        datatype = filter.output_datatype(datatype);
    }
    if let EncryptionKey::Aes256(key) = key {
        stages.push(aes_256_gcm::stage(key));
    }
    Ok(stages)
}

/// The filters that encode text as strings.
fn text<'a>(filter: &Filter, starts: &'a [u64]) -> Box<dyn FilterStage + 'a> {
    match filter {
        Filter::Rle { .. } => rle::of_strings(starts),
        _ => dictionary::of_strings(starts),
    }
}

/// The table of filters: `None` for those that do nothing to values of this type.
fn of_filter<'a>(
    filter: &Filter,
    datatype: Datatype,
    shape: &TileShape,
    compute_digests: bool,
) -> Result<Option<Box<dyn FilterStage + 'a>>> {
    Ok(Some(match *filter {
        Filter::None | Filter::Aes256Gcm => return Ok(None),
        Filter::Gzip { level } => gzip::stage(level),
        Filter::Zstd { level } => zstd::stage(level),
        Filter::Lz4 { level } => lz4::stage(level),
        Filter::Bzip2 { level } => bzip2::stage(level),
        Filter::Rle { .. } => rle::stage(shape.cell_size),
        Filter::Delta { reinterpret, .. } => delta::stage(datatype, reinterpret)?,
        Filter::DoubleDelta { reinterpret, .. } => double_delta::stage(datatype, reinterpret)?,
        Filter::BitWidthReduction { max_window } => {
            return Ok(bit_width_reduction::stage(datatype, shape.version, max_window));
        }
        Filter::PositiveDelta { max_window } => return Ok(positive_delta::stage(datatype, shape.version, max_window)),
        Filter::ByteShuffle => byte_shuffle::stage(datatype),
        Filter::BitShuffle => bit_shuffle::stage(datatype),
        Filter::Xor => xor::stage(datatype),
        Filter::ScaleFloat { factor, offset, byte_width } => {
            scale_float::stage(datatype, factor, offset, byte_width as usize)?
        }
        Filter::Webp { quality, format, lossless, y_extent, x_extent } => {
            webp::stage(format, quality, lossless, (y_extent, x_extent))?
        }
        Filter::ChecksumMd5 => checksum_md5::stage(compute_digests),
        Filter::ChecksumSha256 => checksum_sha256::stage(compute_digests),
        Filter::Dictionary { .. } => bail!(
            "[TileDB::Filter] Error: CompressionFilter error; Dictionary encoding only applies to variable length strings"
        ),
    }))
}
