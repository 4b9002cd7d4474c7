//! Serialization of array directories, with file names relative to the array.

use super::format::in_field;
use crate::encoding::{Builder, List, MessageField, TextField, View};
use crate::messages::{self, ConditionLocation, TimestampedUri};
use tiledb_array::array::{ArrayDirectory, DeleteCommit, DirectoryParts, MetadataFiles, OpenArray};
use tiledb_array::fragment::{FragmentName, times_of};
use tiledb_core::error::{ErrorContext, Result};
use tiledb_core::memory;
use tiledb_core::types::QueryType;
use tiledb_storage::vfs::Uri;

type Files = MessageField<messages::ArrayDirectory, List<TextField>>;

/// Serializes the directory of an open array.
pub(super) fn fill(out: &mut Builder<'_, messages::ArrayDirectory>, open: &OpenArray) -> Result<()> {
    let uri = open.uri();
    let directory = open.directory();
    let vfs = open.resources().vfs();
    let below = |file: &Uri| file.relative_to(uri).unwrap_or(file.last_part()).to_owned();
    // Including superseded files, and the files that list them.
    let folders = directory.fragments().iter().map(|name| below(&name.folder(uri)));
    let fragments = folders.chain(directory.vacuums().iter().map(|vacuum| below(&vacuum.1))).collect();
    set_files(out, messages::ArrayDirectory::UNFILTERED_FRAGMENT_URIS, fragments)?;
    let commits = directory.consolidated_commits(vfs)?;
    set_files(out, messages::ArrayDirectory::CONSOLIDATED_COMMIT_URIS, commits)?;
    let schemas: Vec<String> = open.schemas().names().iter().map(|name| schema_file(name)).collect();
    out.set_text(messages::ArrayDirectory::LATEST_ARRAY_SCHEMA_URI, &schema_file(open.schema().name()))?;
    set_files(out, messages::ArrayDirectory::ARRAY_SCHEMA_URIS, schemas)?;
    fill_metadata(out, open, &below)?;
    let metas = directory.fragment_metas().iter().map(below).collect();
    set_files(out, messages::ArrayDirectory::FRAGMENT_META_URIS, metas)?;
    let deletes: Vec<&DeleteCommit> = open.deletes().collect();
    if !deletes.is_empty() {
        let mut list = out.list(messages::ArrayDirectory::DELETE_AND_UPDATE_TILE_LOCATION, deletes.len())?;
        for (index, delete) in deletes.into_iter().enumerate() {
            let mut one = list.get(index)?;
            one.set_text(ConditionLocation::URI, &below(&delete.uri))?;
            one.set_text(ConditionLocation::CONDITION_MARKER, &delete.marker)?;
            one.set(ConditionLocation::OFFSET, delete.range.as_ref().map_or(0, |range| range.start));
        }
    }
    let (start, end) = open.timestamps();
    out.set(messages::ArrayDirectory::TIMESTAMP_START, start);
    out.set(messages::ArrayDirectory::TIMESTAMP_END, end);
    Ok(())
}

fn schema_file(name: &str) -> String {
    if times_of(name).is_some() { format!("__schema/{name}") } else { name.to_owned() }
}

fn set_files(out: &mut Builder<'_, messages::ArrayDirectory>, field: Files, files: Vec<String>) -> Result<()> {
    if files.is_empty() { Ok(()) } else { out.set_texts(field, files) }
}

/// The files of metadata, for reading.
fn fill_metadata(
    out: &mut Builder<'_, messages::ArrayDirectory>,
    open: &OpenArray,
    below: &dyn Fn(&Uri) -> String,
) -> Result<()> {
    if open.query_type() != QueryType::Read {
        return Ok(());
    }
    let files = open.metadata_files()?;
    let replaced = files.replaced.iter().map(below).collect();
    set_files(out, messages::ArrayDirectory::ARRAY_META_URIS_TO_VACUUM, replaced)?;
    let vacuums = files.vacuums.iter().map(below).collect();
    set_files(out, messages::ArrayDirectory::ARRAY_META_VAC_URIS_TO_VACUUM, vacuums)?;
    if files.files.is_empty() {
        return Ok(());
    }
    let mut list = out.list(messages::ArrayDirectory::ARRAY_META_URIS, files.files.len())?;
    for (index, file) in files.files.iter().enumerate() {
        let mut one = list.get(index)?;
        let (start, end) = times_of(file.last_part()).unwrap_or_default();
        one.set_text(TimestampedUri::URI, &below(file))?;
        one.set(TimestampedUri::TIMESTAMP_START, start);
        one.set(TimestampedUri::TIMESTAMP_END, end);
    }
    Ok(())
}

/// Deserializes the directory of the array at `uri`.
pub(super) fn of(view: View<'_, messages::ArrayDirectory>, uri: &Uri) -> Result<ArrayDirectory> {
    let mut parts = DirectoryParts::default();
    for name in view.items(messages::ArrayDirectory::ARRAY_SCHEMA_URIS)?.iter() {
        memory::push("names of schemas", &mut parts.schemas, last_of(name?).to_owned())?;
    }
    for name in view.items(messages::ArrayDirectory::UNFILTERED_FRAGMENT_URIS)?.iter() {
        let file = name?;
        let name = FragmentName::parse(last_of(file)).map_err(in_field("ArrayDirectory.unfilteredFragmentUris"))?;
        match file.ends_with(".vac") {
            true => memory::push("consolidations", &mut parts.vacuums, (name, file_of(uri, file)?))?,
            false => memory::push("names of fragments", &mut parts.fragments, name)?,
        }
    }
    for commit in view.items(messages::ArrayDirectory::CONSOLIDATED_COMMIT_URIS)?.iter() {
        memory::push("commits", &mut parts.commits, commit?.to_owned())?;
    }
    parts.fragment_metas = files(view, messages::ArrayDirectory::FRAGMENT_META_URIS, uri)?;
    let mut metadata = Vec::new();
    for file in view.items(messages::ArrayDirectory::ARRAY_META_URIS)?.iter() {
        let file = file.text(TimestampedUri::URI)?.unwrap_or_default();
        memory::push("files of metadata", &mut metadata, file_of(uri, file)?)?;
    }
    parts.metadata = MetadataFiles {
        files: metadata,
        replaced: files(view, messages::ArrayDirectory::ARRAY_META_URIS_TO_VACUUM, uri)?,
        vacuums: files(view, messages::ArrayDirectory::ARRAY_META_VAC_URIS_TO_VACUUM, uri)?,
    };
    for delete in view.items(messages::ArrayDirectory::DELETE_AND_UPDATE_TILE_LOCATION)?.iter() {
        memory::push("deletions", &mut parts.deletes, delete_of(delete, uri)?)?;
    }
    Ok(ArrayDirectory::from_parts(uri, parts))
}

fn delete_of(view: View<'_, ConditionLocation>, uri: &Uri) -> Result<DeleteCommit> {
    let file = view.text(ConditionLocation::URI)?.unwrap_or_default();
    let marker = view.text(ConditionLocation::CONDITION_MARKER)?.unwrap_or_default();
    let named = in_field("DeleteAndUpdateTileLocation.conditionMarker");
    let offset = view.get(ConditionLocation::OFFSET);
    Ok(DeleteCommit {
        name: FragmentName::parse(last_of(marker)).map_err(named)?,
        marker: marker.to_owned(),
        uri: file_of(uri, file)?,
        range: (offset > 0).then_some(offset..u64::MAX),
    })
}

fn files(view: View<'_, messages::ArrayDirectory>, field: Files, uri: &Uri) -> Result<Vec<Uri>> {
    let mut files = Vec::new();
    for file in view.items(field)?.iter() {
        memory::push("files of an array", &mut files, file_of(uri, file?)?)?;
    }
    Ok(files)
}

/// The URI of a file of an array; files outside the array's folder are rejected.
fn file_of(uri: &Uri, file: &str) -> Result<Uri> {
    uri.join_relative(file).context(|| "Cannot use the ArrayDirectory of the server".to_owned())
}

fn last_of(file: &str) -> &str {
    let file = file.trim_end_matches('/');
    file.rsplit('/').next().unwrap_or(file)
}
