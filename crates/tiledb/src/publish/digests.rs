//! SHA-256 digests of published files.

use std::collections::BTreeMap;

use super::tree::PublishedTree;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::memory;
use tiledb_filters::crypto::Sha256Hasher;
use tiledb_storage::vfs::{DirectoryIndex, INDEX_NAME, IndexEntry, IndexFolder, ReadFile, Uri, Vfs};

/// Bytes of a file that are read at once.
const PIECE_BYTES: u64 = 8 << 20;

/// The digest of a file, read in pieces.
///
/// # Errors
/// If storage fails.
pub(super) fn digest_of(file: &ReadFile) -> Result<[u8; 32]> {
    let mut hasher = Sha256Hasher::new()?;
    let mut offset = 0;
    while offset < file.len() {
        let size = PIECE_BYTES.min(file.len() - offset);
        let mut piece = memory::zeroed("a piece of a file", usize::try_from(size).unwrap_or(usize::MAX))?;
        file.read_at(offset, &mut piece)?;
        hasher.update(&piece)?;
        offset += size;
    }
    hasher.finish()
}

/// Digests that the former indexes of a folder list, with the sizes of the files.
#[derive(Default)]
pub(super) struct KnownDigests(BTreeMap<String, (u64, [u8; 32])>);

impl KnownDigests {
    /// Those of the index of a folder, and of the arrays and groups in it. Indexes that are none are ignored.
    ///
    /// # Errors
    /// If storage fails.
    pub(super) fn load(vfs: &Vfs, root: &Uri, tree: &PublishedTree) -> Result<KnownDigests> {
        let mut known = KnownDigests::default();
        let folders = tree.arrays.iter().chain(&tree.groups).map(String::as_str).chain([""]);
        for folder in folders {
            let uri = if folder.is_empty() { root.clone() } else { root.join_relative(folder)? };
            match vfs.read(&uri.join(INDEX_NAME)) {
                Ok(bytes) => {
                    let index = DirectoryIndex::parse(&bytes).unwrap_or_default();
                    known.add(folder, &index.entries);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(known)
    }

    fn add(&mut self, folder: &str, entries: &IndexFolder) {
        for (name, entry) in entries {
            let name = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            match entry {
                IndexEntry::Folder(inner) => self.add(&name, inner),
                // Files of arrays and groups keep their contents, others may be replaced.
                IndexEntry::File(size, Some(digest)) if name.split('/').any(|part| part.starts_with("__")) => {
                    self.0.insert(name, (*size, **digest));
                }
                IndexEntry::File(..) | IndexEntry::Linked => {}
            }
        }
    }

    /// Sets the digests of all files: those that are known, the others by reading the file from the first of the folders
    /// that has it.
    ///
    /// # Errors
    /// If storage fails.
    pub(super) fn complete(&self, vfs: &Vfs, folders: &[&Uri], tree: &mut PublishedTree) -> Result<()> {
        let mut unknown = Vec::new();
        for (name, file) in &mut tree.files {
            file.digest = self.0.get(name).filter(|(size, _)| *size == file.size).map(|(_, digest)| *digest);
            if file.digest.is_none() {
                unknown.push((name, file));
            }
        }
        let Some(first) = folders.first() else { return Ok(()) };
        let digests = vfs.map(first, unknown.len(), |at| {
            let (name, file) = &unknown[at];
            let mut missing = None;
            for folder in folders {
                match vfs.open(&folder.join_relative(name)?) {
                    Ok(open) if open.len() == file.size => return digest_of(&open),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::NotFound => missing = Some(error),
                    Err(error) => return Err(error),
                }
            }
            let changed =
                || tiledb_core::error::Error::new(ErrorKind::Io, format!("'{name}' changed while it was read"));
            Err(missing.unwrap_or_else(changed))
        })?;
        for ((_, file), digest) in unknown.into_iter().zip(digests) {
            file.digest = Some(digest);
        }
        Ok(())
    }
}
