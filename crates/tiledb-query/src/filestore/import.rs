//! Imports files and buffers into filestores.

use super::{CONTENTS, FILE_SIZE, extent_for, open, piece, region, tile_extent};
use crate::Query;
use std::sync::Arc;
use tiledb_array::array::{Array, OpenArray};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Datatype, Layout, QueryType, bytes_of_path};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{ReadFile, Uri};

/// MIME type that a file is declared to have; its content is not inspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MimeType {
    /// Any bytes.
    Bytes,
    /// A TIFF image.
    Tiff,
    /// A PDF document.
    Pdf,
}

impl MimeType {
    /// The type with the number of C.
    ///
    /// # Errors
    /// For other numbers.
    pub fn from_number(number: u32) -> Result<MimeType> {
        match number {
            0 => Ok(MimeType::Bytes),
            1 => Ok(MimeType::Tiff),
            2 => Ok(MimeType::Pdf),
            _ => bail!("C API: Invalid mime type"),
        }
    }

    fn text(self) -> &'static str {
        match self {
            MimeType::Bytes => "application/octet-stream",
            MimeType::Tiff => "image/tiff",
            MimeType::Pdf => "application/pdf",
        }
    }
}

/// Stores a file in a filestore, as its latest content. An empty file changes nothing.
///
/// # Errors
/// If there is no such file or filestore, or a storage operation fails.
pub fn import_file(resources: &Resources, array: &Uri, file: &Uri, mime: MimeType) -> Result<()> {
    let (handle, open) = open(resources, array, QueryType::Write as u32)?;
    let source = resources.vfs().size(file).and_then(|size| match size {
        0 => Ok(None),
        _ => Ok(Some(resources.vfs().open(file)?)),
    })?;
    let Some(source) = source else { return handle.close() };
    write_tiles(&open, &source)?;
    let (name, extension) = file.last_part().rsplit_once('.').unwrap_or((file.last_part(), ""));
    describe(&handle, source.len(), name, extension, mime)?;
    handle.close()
}

/// Stores bytes of the caller in a filestore, as its latest content. No bytes change nothing.
///
/// # Errors
/// If there is no such filestore, or a storage operation fails.
pub fn import_bytes(resources: &Resources, array: &Uri, bytes: &[u8], mime: MimeType) -> Result<()> {
    let size = bytes.len() as u64;
    let (handle, open) = open(resources, array, QueryType::Write as u32)?;
    if size == 0 {
        return handle.close();
    }
    let mut query = Query::new(&open, QueryType::Write)?;
    query.set_layout(Layout::RowMajor)?;
    query.set_subarray(&region(&open, 0, size)?)?;
    query.submit_from(CONTENTS, bytes)?;
    query.finalize()?;
    describe(&handle, size, "", "", mime)?;
    handle.close()
}

/// Writes a file in whole tiles of the extent that suits it, the rest of the last one as zeros, piece by piece.
fn write_tiles(array: &Arc<OpenArray>, source: &ReadFile) -> Result<()> {
    let size = source.len();
    let extent = tile_extent(array).unwrap_or(1);
    let rounded = |size: u64, to: u64| size.checked_next_multiple_of(to);
    let Some(total) = rounded(size, extent_for(size)).and_then(|size| rounded(size, extent)) else {
        bail!("C API: A file of {size} bytes is too large for a filestore");
    };
    let most = piece(array, total)?;
    let mut buffer = memory::zeroed("a piece of a file", usize::try_from(most).unwrap_or(usize::MAX))?;
    let mut query = Query::new(array, QueryType::Write)?;
    query.set_layout(Layout::GlobalOrder)?;
    query.set_subarray(&region(array, 0, total)?)?;
    let mut done = 0;
    while done < total {
        let bytes = most.min(total - done);
        let filled = size.saturating_sub(done).min(bytes) as usize;
        source.read_at(done, &mut buffer[..filled])?;
        buffer[filled..].fill(0);
        query.submit_from(CONTENTS, &buffer[..bytes as usize])?;
        done += bytes;
    }
    query.finalize()
}

/// Puts the metadata of a file.
fn describe(array: &Array, size: u64, name: &str, extension: &str, mime: MimeType) -> Result<()> {
    let text = Datatype::StringUtf8.number().into();
    array.put_metadata(Some(FILE_SIZE), Datatype::Uint64.number().into(), Some(&size.to_le_bytes()))?;
    array.put_metadata(Some("mime_type"), text, Some(mime.text().as_bytes()))?;
    array.put_metadata(Some("mime_encoding"), text, Some(b"binary"))?;
    array.put_metadata(Some("original_file_name"), text, Some(&bytes_of_path(name)))?;
    array.put_metadata(Some("file_extension"), text, Some(&bytes_of_path(extension)))
}
