//! Serialization of writes, and of the fragments that they created.

use super::super::format::required;
use super::super::{global_write, separate_write, subarray};
use crate::encoding::{Builder, View};
use crate::messages::{self, UnorderedWriterState, Writer, WrittenFragmentInfo};
use tiledb_array::fragment::FragmentName;
use tiledb_cells::write::spec::CommittedFragment;
use tiledb_cells::{Subarray, WriteDraft, allows_separate_fields};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Layout, Name};
use tiledb_query::Query;

/// Serializes a write, with the state of a suspended one.
pub(super) fn fill(out: &mut Builder<'_, messages::Query>, query: &Query, draft: Option<&WriteDraft>) -> Result<()> {
    let config = query.config();
    let mut writer = out.child(messages::Query::WRITER)?;
    writer.set(Writer::CHECK_COORD_DUPS, config.bool("sm.check_coord_dups")?);
    writer.set(Writer::CHECK_COORD_OOB, config.bool("sm.check_coord_oob")?);
    writer.set(Writer::DEDUP_COORDS, config.bool("sm.dedup_coords")?);
    subarray::fill(&mut writer.child(Writer::SUBARRAY_RANGES)?, query.subarray(), query.layout())?;
    if let Some(draft) = draft.filter(|draft| draft.separate.is_none()) {
        let array = query.array();
        let region = query.subarray().single_box();
        let region = region.as_ref().filter(|_| array.schema().is_dense());
        let mut state = writer.child(Writer::GLOBAL_WRITE_STATE_V1)?;
        global_write::fill(&mut state, draft, array.uri(), array.schema(), region)?;
    }
    if query.layout() == Layout::Unordered {
        let mut state = writer.child(Writer::UNORDERED_WRITER_STATE)?;
        state.set(UnorderedWriterState::IS_COORDS_PASS, !query.has_written_all() && draft.is_none());
        if let Some((draft, separate)) = draft.and_then(|draft| Some((draft, draft.separate.as_ref()?))) {
            separate_write::fill(&mut state, draft, separate, query.array().uri(), query.array().schema())?;
        }
    }
    Ok(())
}

/// The state from which a write resumes.
pub(super) fn draft_of(view: View<'_, messages::Query>, query: &Query) -> Result<Option<WriteDraft>> {
    let Some(writer) = view.child(messages::Query::WRITER)? else { return Ok(None) };
    let schema = query.array().schema();
    match query.layout() {
        Layout::GlobalOrder => {
            let state = writer.child(Writer::GLOBAL_WRITE_STATE_V1)?;
            state.map(|state| global_write::of(state, schema)).transpose()
        }
        Layout::Unordered if allows_separate_fields(query.config()) => {
            let state = writer.child(Writer::UNORDERED_WRITER_STATE)?;
            state.map_or(Ok(None), |state| separate_write::of(state, view, schema))
        }
        _ => Ok(None),
    }
}

/// The part of a dense array that is written.
pub(super) fn subarray_of(view: View<'_, messages::Query>, query: &Query) -> Result<Option<Subarray>> {
    let Some(writer) = view.child(messages::Query::WRITER)? else { return Ok(None) };
    let message = writer.child(Writer::SUBARRAY_RANGES)?;
    let message = message.filter(|_| query.array().schema().is_dense());
    message.map(|message| subarray::of(message, query.array().schema())).transpose()
}

/// Puts the fragments that were written into a message: the last parts of their names.
pub(super) fn fill_written(
    out: &mut Builder<'_, messages::Query>,
    query: &Query,
    draft: Option<&WriteDraft>,
) -> Result<()> {
    let written = query.written();
    if !written.is_empty() {
        let mut list = out.list(messages::Query::WRITTEN_FRAGMENT_INFO, written.len())?;
        for (index, fragment) in written.iter().enumerate() {
            let mut message = list.get(index)?;
            let name = fragment.uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            message.set_text(WrittenFragmentInfo::URI, name)?;
            let (first, last) = fragment.timestamps;
            message.set_numbers(WrittenFragmentInfo::TIMESTAMP_RANGE, &[first, last])?;
        }
    }
    if let Some(separate) = draft.and_then(|draft| draft.separate.as_ref()) {
        out.set_texts(messages::Query::WRITTEN_BUFFERS, separate.written.iter().map(String::as_str))?;
    } else if query.has_written_all() {
        let names: Vec<&str> = query.all_buffers().map(|field| field.name.as_str()).collect();
        out.set_texts(messages::Query::WRITTEN_BUFFERS, names)?;
    }
    Ok(())
}

/// The fragments that were written, of the array of the query.
pub(super) fn written_of(view: View<'_, messages::Query>, query: &Query) -> Result<Vec<CommittedFragment>> {
    let list = view.items(messages::Query::WRITTEN_FRAGMENT_INFO)?;
    let mut written = memory::with_capacity("the fragments that were written", list.len())?;
    for message in list.iter() {
        let name = required("WrittenFragmentInfo.uri", message.text(WrittenFragmentInfo::URI)?)?;
        if name.contains('/') || FragmentName::parse(name).is_err() {
            bail!(Corrupt, "WrittenFragmentInfo.uri: '{name}' is no name of a fragment");
        }
        let times = message.items(WrittenFragmentInfo::TIMESTAMP_RANGE)?;
        let (Some(first), Some(last)) = (times.get(0), times.get(1)) else {
            bail!(Corrupt, "WrittenFragmentInfo.timestampRange: two times are expected");
        };
        let uri = query.array().uri().join("__fragments").join(name);
        written.push(CommittedFragment { uri: Name::of_path(uri.as_str()), timestamps: (first, last) });
    }
    Ok(written)
}
