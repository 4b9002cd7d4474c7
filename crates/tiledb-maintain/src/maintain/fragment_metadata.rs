//! Consolidation of fragment metadata: the footers of all fragments in one file, so that an array opens with it alone.

use std::sync::Arc;

use super::consolidation_step::{SourceOrigin, StepSource};
use super::directories;
use tiledb_array::array::{FOOTER_MEMORY, FileRemoval, OpenArray};
use tiledb_array::fragment::{Fragment, FragmentName, times_of, timestamp_now};
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{Error, ErrorContext, Result};
use tiledb_core::types::QueryType;
use tiledb_core::wire::WireWriter;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The fragments whose footers are written together; bytes are those of the footers.
pub(super) fn sources(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Vec<StepSource>> {
    let array = open(resources, uri, key)?;
    let source = |fragment: &Arc<Fragment>| {
        let mut footer = WireWriter::new();
        fragment.write_footer(&mut footer);
        StepSource {
            origin: SourceOrigin::Existing(fragment.uri()),
            cells: fragment.cell_count(),
            bytes: footer.len() as u64,
        }
    };
    Ok(with_footers(&array)?.map(source).collect())
}

fn open(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<OpenArray> {
    OpenArray::open(resources, uri, QueryType::Read, (0, timestamp_now()), key)
}

fn with_footers(array: &OpenArray) -> Result<impl Iterator<Item = &Arc<Fragment>>> {
    Ok(array.fragments()?.iter().filter(|fragment| fragment.version().has_footer()))
}

/// Writes the footers of the fragments that count now; does nothing for fewer than two.
pub(super) fn consolidate(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<()> {
    let array = open(resources, uri, key)?;
    let fragments: Vec<_> = with_footers(&array)?.collect();
    let [first, .., last] = fragments.as_slice() else { return Ok(()) };
    let version = array.schemas().newest()?.version().of_new_fragments();
    let names: Vec<String> = fragments
        .iter()
        .map(|fragment| match version.has_relative_fragment_names() {
            true => fragment.name().to_string(),
            false => fragment.uri().to_string(),
        })
        .collect();
    let mut footers = WireWriter::new();
    let mut index = WireWriter::new();
    index.u32(u32::try_from(fragments.len()).map_err(|_| Error::invalid("There are more than 2^32 fragments"))?);
    let header = 4 + names.iter().map(|name| name.len() + 16).sum::<usize>();
    for (fragment, name) in fragments.iter().zip(&names) {
        index.str64(name).u64((header + footers.len()) as u64);
        fragment.write_footer(&mut footers);
    }
    index.append(footers);
    let mut bytes = Vec::new();
    let payload = index.finish()?;
    generic::write(&payload, version, key, &mut bytes)?;
    let memory = payload.len() + fragments.len() * FOOTER_MEMORY;
    let check = StructureBudget::of(resources.config())?.check_stored(memory, bytes.len());
    check.context(|| format!("Cannot write consolidated fragment metadata of '{uri}' that could not be read"))?;
    let (start, end) = (first.timestamps().0, last.timestamps().1);
    let name = format!("{}.meta", FragmentName::new(start, end.max(start), version));
    let folder = if version.has_commits_folder() { uri.join("__fragment_meta") } else { uri.clone() };
    resources.vfs().put(&folder.join(&name), &bytes)
}

/// Removes all consolidated metadata but the latest.
pub(super) fn vacuum(resources: &Resources, uri: &Uri, removal: &mut FileRemoval<'_>) -> Result<()> {
    let directory = directories::directory(resources, uri)?;
    let end = |file: &&Uri| times_of(file.last_part()).map_or(0, |times| times.1);
    let Some(latest) = directory.fragment_metas().iter().max_by_key(end) else { return Ok(()) };
    let others: Vec<Uri> = directory.fragment_metas().iter().filter(|file| *file != latest).cloned().collect();
    removal.expect(others.len());
    removal.files(&others)
}
