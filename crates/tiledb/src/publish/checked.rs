//! Verification of a published array or group over the network.

use super::digests::digest_of;
use crate::context::Context;
use crate::error::{AtUri, Result};
use tiledb_core::error::{Error as EngineError, ErrorKind, Result as EngineResult};
use tiledb_storage::vfs::{DirectoryIndex, INDEX_NAME, IndexEntry, IndexFolder, Uri, Vfs};

/// Maximum number of indexes that lead to one another.
const MAX_LINKS: usize = 32;

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckSummary {
    /// The number of files.
    pub files: u64,
    /// The bytes that were compared with digests.
    pub bytes: u64,
    /// The number of indexes.
    pub indexes: u64,
    /// The files that differ from their index or cannot be read, and why.
    pub faults: Vec<(String, String)>,
}

/// Compares the files at an address with the index there: their sizes, and their contents where the index has digests.
///
/// # Errors
/// If there is no index, or it is invalid. What is wrong with single files is part of the result.
pub fn check(ctx: &Context, uri: &str) -> Result<CheckSummary> {
    let root = Uri::parse(uri).at(uri)?.without_trailing_slash();
    let _running = ctx.running()?;
    let vfs = ctx.resources().vfs();
    let mut summary = CheckSummary::default();
    let mut files = Vec::new();
    collect(vfs, &root, MAX_LINKS, &mut files, &mut summary).at(uri)?;
    let checked = vfs.map(&root, files.len(), |at| {
        let (file, size, digest) = &files[at];
        match check_file(vfs, file, *size, digest.as_deref()) {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            checked => Ok(checked.err().map(|error| error.text().to_owned())),
        }
    });
    for ((file, size, digest), fault) in files.iter().zip(checked.at(uri)?) {
        summary.files += 1;
        match fault {
            Some(fault) => summary.faults.push((file.to_string(), fault)),
            None if digest.is_some() => summary.bytes = summary.bytes.saturating_add(*size),
            None => {}
        }
    }
    Ok(summary)
}

type ListedFile = (Uri, u64, Option<Box<[u8; 32]>>);

/// Adds all files of the index of a folder, and of those that it links to.
fn collect(
    vfs: &Vfs,
    folder: &Uri,
    links: usize,
    files: &mut Vec<ListedFile>,
    summary: &mut CheckSummary,
) -> EngineResult<()> {
    if links == 0 {
        return Err(EngineError::new(
            ErrorKind::Corrupt,
            format!("'{folder}': the indexes lead to one another too deeply"),
        ));
    }
    let index = DirectoryIndex::parse(&vfs.read(&folder.join(INDEX_NAME))?)?;
    summary.indexes += 1;
    let mut linked = Vec::new();
    add(folder, index.entries, files, &mut linked);
    linked.iter().try_for_each(|folder| collect(vfs, folder, links - 1, files, summary))
}

fn add(folder: &Uri, entries: IndexFolder, files: &mut Vec<ListedFile>, linked: &mut Vec<Uri>) {
    for (name, entry) in entries {
        let uri = folder.join(&name);
        match entry {
            IndexEntry::File(size, digest) => files.push((uri, size, digest)),
            IndexEntry::Folder(inner) => add(&uri, inner, files, linked),
            IndexEntry::Linked => linked.push(uri),
        }
    }
}

fn check_file(vfs: &Vfs, uri: &Uri, size: u64, digest: Option<&[u8; 32]>) -> EngineResult<()> {
    let fault = |text: String| Err(EngineError::new(ErrorKind::Corrupt, text));
    let file = vfs.open(uri)?;
    if file.len() != size {
        return fault(format!("it has {} bytes, its index says {size}", file.len()));
    }
    match digest {
        Some(digest) if digest_of(&file)? != *digest => {
            fault("its contents differ from the digest in its index".to_owned())
        }
        _ => Ok(()),
    }
}
