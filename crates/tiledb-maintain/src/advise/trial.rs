//! Sampled cells, and the size of an array that has them with another schema: measured by writing it to memory.

use std::sync::Arc;

use super::sample::{find, spread};
use crate::maintain::cell_buffers::CellBuffers;
use crate::maintain::dense;
use crate::maintain::memory_shares::{cell_count, columns, of_reader};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::{ArraySchema, Field};
use tiledb_cells::Subarray;
use tiledb_cells::columns::input::Inputs;
use tiledb_cells::write::spec::WriteSpec;
use tiledb_cells::write::writer;
use tiledb_core::budget::Budget;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::Stats;
use tiledb_core::types::{CellRange, Layout, NdRange, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_query::read::dense::reader::DenseReader;
use tiledb_query::read::sparse::reader::SparseReader;
use tiledb_query::read::spec::{CellVersions, QueryReader, ReadSpec};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Consecutive cells of a sparse array that are sampled together. Pipelines filter chunks of 64 KiB, so that larger tiles
/// are hardly encoded better.
const WINDOW_CELLS: u64 = 1 << 15;
/// Maximum number of windows.
const WINDOWS: u64 = 4;
/// Maximum number of cells of all windows, and of bytes of their values.
const SAMPLE_CELLS: u64 = 1 << 16;
const SAMPLE_BYTES: u64 = 4 << 20;
/// The memory that a writer of sampled cells plans with.
const WRITER_BYTES: u64 = 64 << 20;

/// Reads the first cells of a region, of the whole array if there is none, as a reader sees them.
///
/// # Errors
/// If they cannot be read.
pub(super) fn read_cells(
    array: &Arc<OpenArray>,
    region: Option<&[CellRange]>,
    layout: Layout,
    cells: u64,
) -> Result<CellBuffers> {
    let schema = array.schema();
    let stored = |field: &&Field| !(schema.is_dense() && field.is_dimension);
    let fields: Vec<Field> = schema.fields().iter().filter(stored).cloned().collect();
    let spec = ReadSpec {
        array: array.clone(),
        layout,
        subarray: match region {
            Some(region) => dense::subarray(schema, region)?,
            None => Subarray::new(schema),
        },
        config: array.config().clone(),
        share: of_reader(array.config())?,
        fields: fields.iter().map(|field| field.name.clone()).collect(),
        condition: None,
        versions: CellVersions::Latest,
        stats: Stats::unlisted(),
        tally: ProgressCounter::default(),
    };
    let mut reader: Box<dyn QueryReader> = match schema.is_dense() {
        true => Box::new(DenseReader::new(&spec)?),
        false => Box::new(SparseReader::new(&spec)?),
    };
    let mut buffers = columns(array, &fields, 1, cells)?;
    buffers.clear(usize::MAX);
    buffers.fill(reader.as_mut())?;
    Ok(buffers)
}

/// How many windows of how many cells are sampled of `total` cells of a size.
fn sample_size(total: u64, row_bytes: u64) -> (u64, u64) {
    let cells = (SAMPLE_BYTES / row_bytes.max(1)).clamp(1, SAMPLE_CELLS);
    if total <= cells {
        return (1, total);
    }
    let count = cells.div_ceil(WINDOW_CELLS).clamp(2, WINDOWS);
    (count, (cells / count).max(1))
}

/// Windows of consecutive cells of a sparse array in global order, spread over its tiles.
///
/// # Errors
/// If they cannot be read.
pub(super) fn windows(array: &Arc<OpenArray>, row_bytes: u64) -> Result<Vec<CellBuffers>> {
    let total = cell_count(array)?;
    let (mut all, (count, cells)) = (Vec::new(), sample_size(total, row_bytes));
    if count == 1 {
        all.push(read_cells(array, None, Layout::GlobalOrder, total)?);
    } else {
        let fragments: Vec<&Fragment> = array.fragments()?.iter().map(Arc::as_ref).collect();
        let tiles = fragments.iter().fold(0u64, |sum, fragment| sum.saturating_add(fragment.tile_count()));
        let mut regions: Vec<NdRange> = Vec::new();
        for tile in spread(tiles, count) {
            array.resources().cancel().check()?;
            let Some((fragment, tile)) = find(&fragments, tile) else { break };
            let Some(region) = region_of(array.schema(), fragment, tile, cells)? else { continue };
            // Fragments that cover the same region are merged: they have one window.
            if !regions.contains(&region) {
                all.push(read_cells(array, Some(&region), Layout::GlobalOrder, cells)?);
                regions.push(region);
            }
        }
    }
    all.retain(|window| window.cells > 0);
    Ok(all)
}

/// The box around as many tiles of a fragment, from this one on, as have a number of cells; `None` without boxes inside the domain.
fn region_of(schema: &ArraySchema, fragment: &Fragment, tile: u64, cells: u64) -> Result<Option<NdRange>> {
    let tree = fragment.rtree()?;
    let dimensions = schema.domain().dimensions();
    let count = cells.div_ceil(fragment.schema().capacity().max(1));
    let mut region: Option<NdRange> = None;
    for tile in tile..tile.saturating_add(count).min(fragment.tile_count()) {
        let Some(leaf) = usize::try_from(tile).ok().and_then(|tile| tree.leaf(tile)) else { return Ok(None) };
        match &mut region {
            Some(region) => {
                for ((side, other), dimension) in region.iter_mut().zip(&leaf).zip(dimensions) {
                    side.expand(dimension.datatype(), other);
                }
            }
            None => region = Some(leaf),
        }
    }
    let is_inside = |region: &NdRange| {
        let mut sides = region.iter().zip(dimensions);
        sides.all(|(side, dimension)| {
            dimension.domain().is_none_or(|domain| domain.contains(dimension.datatype(), side))
        })
    };
    Ok(region.filter(is_inside))
}

/// Sizes of a written sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TrialSize {
    /// Bytes of all data files.
    pub(super) data: u64,
    /// Bytes of the metadata files of fragments.
    pub(super) metadata: u64,
    pub(super) tiles: u64,
    pub(super) fragments: u64,
}

impl TrialSize {
    pub(super) fn total(self) -> u64 {
        self.data + self.metadata
    }

    pub(super) fn plus(self, other: TrialSize) -> TrialSize {
        TrialSize {
            data: self.data + other.data,
            metadata: self.metadata + other.metadata,
            tiles: self.tiles + other.tiles,
            fragments: self.fragments + other.fragments,
        }
    }
}

/// Writes cells as fragments of an array in memory, which is freed with the result. `None` if the schema is not valid or
/// does not accept the cells. `region` is the box that is written, of a dense array.
///
/// # Errors
/// If memory does not suffice, or the operation is cancelled.
pub(super) fn write(
    resources: &Resources,
    schema: &ArraySchema,
    fragments: &[Inputs<'_>],
    region: Option<&[CellRange]>,
) -> Result<Option<Arc<OpenArray>>> {
    resources.cancel().check()?;
    match try_write(resources, schema, fragments, region) {
        Ok(array) => Ok(Some(array)),
        Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::Cancelled) => Err(error),
        Err(_) => Ok(None),
    }
}

fn try_write(
    resources: &Resources,
    schema: &ArraySchema,
    fragments: &[Inputs<'_>],
    region: Option<&[CellRange]>,
) -> Result<Arc<OpenArray>> {
    let memory = Resources::new(resources.config().clone())?.with_cancel(resources.cancel().clone());
    let uri = Uri::parse("mem://sample")?;
    let key = &EncryptionKey::None;
    let mut schema = schema.clone();
    schema.replace_labels(Vec::new());
    create(&memory, &uri, &schema, key)?;
    for inputs in fragments {
        let array = Arc::new(OpenArray::open(&memory, &uri, QueryType::Write, (0, u64::MAX), key)?);
        let mut writer = writer(WriteSpec {
            layout: if schema.is_dense() { Layout::RowMajor } else { Layout::Unordered },
            subarray: match region {
                Some(region) => dense::subarray(array.schema(), region)?,
                None => Subarray::new(array.schema()),
            },
            config: memory.config().clone(),
            budget: Budget::advisory(WRITER_BYTES),
            merged: None,
            stats: Stats::unlisted(),
            array,
        })?;
        writer.check(inputs)?;
        writer.write(inputs)?;
    }
    OpenArray::open(&memory, &uri, QueryType::Read, (0, u64::MAX), key).map(Arc::new)
}

/// The size of cells with a schema, each of `all` in an array of its own; `None` as [`write`].
///
/// # Errors
/// As [`write`].
pub(super) fn size<'a>(
    resources: &Resources,
    schema: &ArraySchema,
    all: &mut dyn Iterator<Item = (Inputs<'a>, Option<&'a [CellRange]>)>,
) -> Result<Option<TrialSize>> {
    let mut sum = TrialSize::default();
    for (inputs, region) in all {
        let Some(array) = write(resources, schema, &[inputs], region)? else { return Ok(None) };
        sum = sum.plus(size_of(&array)?);
    }
    Ok(Some(sum))
}

/// The size of an array.
pub(super) fn size_of(array: &OpenArray) -> Result<TrialSize> {
    array.fragments()?.iter().try_fold(TrialSize::default(), |sum, fragment| {
        Ok(sum.plus(TrialSize {
            data: fragment.data_size(),
            metadata: fragment.metadata_size()?,
            tiles: fragment.tile_count(),
            fragments: 1,
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_a_bounded_size() {
        for total in [0, 1, 1_000, 50_000, 1 << 20, u64::MAX] {
            for row_bytes in [0, 1, 60, 1_000, 1 << 20, 1 << 40] {
                let (count, cells) = sample_size(total, row_bytes);
                assert!((1..=WINDOWS).contains(&count) && cells <= total);
                let sampled = u128::from(count) * u128::from(cells);
                assert!(sampled <= u128::from(SAMPLE_CELLS), "{sampled} cells of {total}");
                // At least a cell of each window.
                let bytes = sampled * u128::from(row_bytes);
                assert!(bytes <= u128::from(SAMPLE_BYTES.max(count * row_bytes)), "{bytes} bytes of {total} cells");
            }
        }
        assert_eq!(sample_size(1_000, 8), (1, 1_000));
        assert_eq!(sample_size(1 << 20, 8), (2, WINDOW_CELLS));
    }
}
