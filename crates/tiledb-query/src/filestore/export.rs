//! Exports filestores to files and buffers.

use std::sync::Arc;

use super::{CONTENTS, FILE_SIZE, open, piece, region};
use crate::{Query, Status};
use tiledb_array::array::OpenArray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Layout, QueryType};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The bytes of the file in a filestore.
///
/// # Errors
/// If there is no such filestore, or nothing was stored in it.
pub fn size(resources: &Resources, array: &Uri) -> Result<u64> {
    let (_handle, open) = open(resources, array, QueryType::Read as u32)?;
    size_of(&open)
}

fn size_of(array: &OpenArray) -> Result<u64> {
    let stored =
        array.metadata()?.get(FILE_SIZE).and_then(|value| bytemuck::try_pod_read_unaligned(value.bytes()).ok());
    match stored {
        Some(size) => Ok(size),
        None => bail!("C API: The array metadata doesn't contain the file_sizekey"),
    }
}

/// Copies the file in a filestore to `file`.
///
/// # Errors
/// If there is no such filestore, nothing was stored in it, or a storage operation fails.
pub fn export_file(resources: &Resources, file: &Uri, array: &Uri) -> Result<()> {
    let (_handle, open) = open(resources, array, QueryType::Read as u32)?;
    let size = size_of(&open)?;
    let most = piece(&open, size)?;
    let mut buffer = memory::zeroed("a piece of a file", usize::try_from(most.min(size)).unwrap_or(usize::MAX))?;
    let mut target = resources.vfs().create(file)?;
    let mut done = 0;
    while done < size {
        let count = most.min(size - done);
        let Some(piece) = buffer.get_mut(..count as usize) else {
            bail!(Internal, "A piece of {count} bytes is too large")
        };
        read(&open, done, piece)?;
        target.write(piece)?;
        done += count;
    }
    target.finish()
}

/// Copies `count` bytes of the file in a filestore, from `offset`, to memory that is requested once they are known to
/// exist.
///
/// # Errors
/// If there is no such filestore, nothing was stored in it, or it ends before that.
pub fn export_bytes<'a>(
    resources: &Resources,
    array: &Uri,
    offset: u64,
    count: u64,
    memory: impl FnOnce() -> Result<&'a mut [u8]>,
) -> Result<()> {
    let (_handle, open) = open(resources, array, QueryType::Read as u32)?;
    let size = size_of(&open)?;
    if offset.checked_add(count).is_none_or(|end| end > size) {
        bail!("C API: Cannot export {count} bytes from byte {offset} of a file of {size} bytes");
    }
    read(&open, offset, memory()?)
}

/// Fills `bytes` with cells; in as many submits as the memory budget makes necessary.
fn read(array: &Arc<OpenArray>, offset: u64, bytes: &mut [u8]) -> Result<()> {
    let count = bytes.len();
    if count == 0 {
        return Ok(());
    }
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    query.set_subarray(&region(array, offset, count as u64)?)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let filled = query.submit_into(CONTENTS, rest)? as usize;
        rest = rest.get_mut(filled..).unwrap_or_default();
        if filled == 0 || !rest.is_empty() && query.status() == Status::Completed {
            bail!(Corrupt, "C API: The filestore '{}' has {} of {count} bytes", array.uri(), count - rest.len());
        }
    }
    Ok(())
}
