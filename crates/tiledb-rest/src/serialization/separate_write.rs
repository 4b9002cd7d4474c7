//! State of a write whose submits contain separate fields, which a server passes to the process that takes the next
//! submit.

use super::global_write;
use crate::encoding::{Builder, View};
use crate::messages::{self, FragmentMetadata, UnorderedWriterState};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::{SeparateWriteState, WriteDraft};
use tiledb_core::error::{Result, bail};
use tiledb_storage::vfs::Uri;

/// Puts a write into a message.
///
/// # Errors
/// If a part of its files waits in memory, or memory does not suffice for the message.
pub(super) fn fill(
    out: &mut Builder<'_, UnorderedWriterState>,
    draft: &WriteDraft,
    separate: &SeparateWriteState,
    array: &Uri,
    schema: &ArraySchema,
) -> Result<()> {
    if !separate.order.is_empty() {
        out.set_numbers(UnorderedWriterState::CELL_POS, &separate.order)?;
    }
    if !separate.excluded.is_empty() {
        out.set_numbers(UnorderedWriterState::COORD_DUPS, &separate.excluded)?;
    }
    let Some(fragment) = &draft.fragment else { return Ok(()) };
    if fragment.fields.iter().flat_map(|field| &field.files).any(|file| file.upload.is_some() || file.pending_bytes > 0)
    {
        bail!("Cannot hand on the write; fields that come apart are not sent to this store in parts");
    }
    let mut out = out.child(UnorderedWriterState::FRAG_META)?;
    global_write::fill_fragment(&mut out, fragment, array, schema, None)?;
    // The next fields begin at the first tile.
    out.set(FragmentMetadata::TILE_INDEX_BASE, 0);
    Ok(())
}

/// The write of a message; none that has not begun.
///
/// # Errors
/// If the message breaks a rule.
pub(super) fn of(
    view: View<'_, UnorderedWriterState>,
    query: View<'_, messages::Query>,
    schema: &ArraySchema,
) -> Result<Option<WriteDraft>> {
    let mut written = Vec::new();
    for name in query.items(messages::Query::WRITTEN_BUFFERS)?.iter() {
        written.push(name?.to_owned());
    }
    if written.is_empty() {
        return Ok(None);
    }
    let order = view.items(UnorderedWriterState::CELL_POS)?.to_vec()?;
    let excluded = view.items(UnorderedWriterState::COORD_DUPS)?.to_vec()?;
    let fragment = match view.child(UnorderedWriterState::FRAG_META)? {
        Some(view) => global_write::fragment_of(view, schema, view.get(FragmentMetadata::SPARSE_TILE_NUM))?,
        None => None,
    };
    let cells = order.len() as u64;
    Ok(Some(WriteDraft {
        fragment,
        cells,
        last: None,
        separate: Some(SeparateWriteState { order, excluded, written }),
    }))
}
