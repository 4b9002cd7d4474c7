//! Filestores: files stored in arrays. The bytes are the cells of a dense array with one dimension; size, name and type
//! of the file are metadata of the array.

mod export;
mod import;

use std::sync::Arc;

pub use export::{export_bytes, export_file, size};
pub use import::{MimeType, import_bytes, import_file};

use tiledb_array::array::{Array, OpenArray};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::Subarray;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{ArrayType, Datatype};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The dimension.
const POSITION: &str = "position";
/// The attribute.
const CONTENTS: &str = "contents";
/// The metadata.
const FILE_SIZE: &str = "file_size";

/// The tile extents by file size: the maximum size and its extent, in bytes.
const EXTENTS: [(u64, u64); 4] =
    [(1 << 20, 1 << 10), (100 << 20, 256 << 10), (1 << 30, 1 << 20), (u64::MAX, 100 << 20)];

/// The tile extent that suits a file of this size.
fn extent_for(size: u64) -> u64 {
    EXTENTS.iter().find(|(most, _)| size <= *most).map_or(EXTENTS[0].1, |row| row.1)
}

/// The schema of an array that suits a file; without one, a small file.
///
/// # Errors
/// If the size of the file cannot be determined.
pub fn schema(resources: &Resources, file: Option<&Uri>) -> Result<ArraySchema> {
    let extent = extent_for(file.map_or(Ok(0), |file| resources.vfs().size(file))?);
    let ends = [0, u64::MAX - extent - 1];
    let ends: &[u8] = bytemuck::cast_slice(&ends);
    let dimension = Dimension::new(POSITION, Datatype::Uint64, Some(ends), Some(&extent.to_le_bytes()))?;
    let mut schema = ArraySchema::new(ArrayType::Dense);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)])))?;
    schema.add_attribute(Arc::new(Attribute::new(CONTENTS, Datatype::Blob)))?;
    Ok(schema)
}

/// Opens the array of a filestore; `query_type` is the number of C.
fn open(resources: &Resources, array: &Uri, query_type: u32) -> Result<(Array, Arc<OpenArray>)> {
    let handle = Array::new(resources, array.as_str())?;
    handle.open(query_type)?;
    let open = handle.snapshot()?;
    if tile_extent(&open).is_none() {
        bail!(
            "C API: The array '{array}' is no filestore; create it with the schema of tiledb_filestore_schema_create"
        );
    }
    Ok((handle, open))
}

/// The tile extent; `None` where this is not the array of a filestore.
fn tile_extent(array: &OpenArray) -> Option<u64> {
    let schema = array.schema();
    let [dimension] = schema.domain().dimensions() else { return None };
    schema.attribute(CONTENTS).filter(|contents| contents.datatype().size() == 1)?;
    let extent = dimension.tile_extent().filter(|_| dimension.datatype() == Datatype::Uint64)?;
    bytemuck::try_pod_read_unaligned(extent).ok().filter(|extent| *extent > 0)
}

/// The cells from `start`, `count` of them, at least one.
fn region(array: &OpenArray, start: u64, count: u64) -> Result<Subarray> {
    let mut subarray = Subarray::new(array.schema());
    subarray.add_range(0, &start.to_le_bytes(), &start.saturating_add(count - 1).to_le_bytes())?;
    Ok(subarray)
}

/// How many bytes are copied at a time where this many are in all: whole tiles.
fn piece(array: &OpenArray, total: u64) -> Result<u64> {
    let extent = tile_extent(array).unwrap_or(1);
    let most = array.config().u64("filestore.buffer_size")?;
    if most < extent {
        bail!(
            "C API: The buffer size {most} of 'filestore.buffer_size' is less than the tile extent {extent}; raise it"
        );
    }
    Ok((most - most % extent).min(total.checked_next_multiple_of(extent).unwrap_or(total)))
}

#[cfg(test)]
mod tests;
