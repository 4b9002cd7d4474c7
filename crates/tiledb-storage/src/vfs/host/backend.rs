//! Files and directories of the host program as a VFS backend.

use super::file::HostFile;
use super::files::HostFiles;
use crate::vfs::indexed::{Located, items_of, locate, missing, not_listed};
use crate::vfs::read_only::refuse_writes;
use crate::vfs::{Backend, Content, DirEntry, DirItem, ReadFile, Stat, Uri};
use tiledb_core::error::{Result, bail};

/// Maximum depth of folders of a recursive listing.
const MAX_DEPTH: usize = 32;

#[derive(Clone, Default)]
pub(in crate::vfs) struct HostBackend {
    pub(in crate::vfs) files: HostFiles,
}

impl HostBackend {
    /// The entries of a directory, with the sizes of files.
    fn items(&self, directory: &Uri) -> Result<Vec<(DirItem, Option<u64>)>> {
        match locate(&self.files, directory)? {
            Located::Missing | Located::File(_) => Ok(Vec::new()),
            Located::Folder(index, path) => Ok(items_of(&index, &path)),
            Located::NoIndex(reason) => Err(not_listed(directory, &reason)),
        }
    }

    /// Adds all files and folders below a directory.
    fn collect(&self, directory: &Uri, depth: usize, entries: &mut Vec<DirEntry>) -> Result<()> {
        if depth == 0 {
            bail!(Corrupt, "HTTP: Cannot list '{directory}'; its folders are too deep");
        }
        for entry in self.list(directory)? {
            let folder = entry.is_dir.then(|| entry.uri.clone());
            entries.push(entry);
            if let Some(folder) = folder {
                self.collect(&folder, depth - 1, entries)?;
            }
        }
        Ok(())
    }
}

impl Backend for HostBackend {
    fn stat(&self, uri: &Uri) -> Result<Stat> {
        match locate(&self.files, uri)? {
            Located::Missing => Ok(Stat::Missing),
            Located::File(size) => Ok(Stat::File(size)),
            Located::Folder(..) => Ok(Stat::Dir),
            Located::NoIndex(reason) => Err(not_listed(uri, &reason)),
        }
    }

    fn size(&self, uri: &Uri) -> Result<u64> {
        match self.stat(uri)? {
            Stat::File(size) => Ok(size),
            Stat::Missing | Stat::Dir => Err(missing(uri)),
        }
    }

    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let entry = |(DirItem { name, is_dir }, size): (DirItem, Option<u64>)| DirEntry {
            uri: directory.join(&name),
            size: size.unwrap_or_default(),
            is_dir,
        };
        Ok(self.items(directory)?.into_iter().map(entry).collect())
    }

    fn names(&self, directory: &Uri) -> Result<Vec<DirItem>> {
        Ok(self.items(directory)?.into_iter().map(|(item, _)| item).collect())
    }

    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        self.collect(directory, MAX_DEPTH, &mut entries)?;
        Ok(entries)
    }

    fn open(&self, uri: &Uri) -> Result<ReadFile> {
        Ok(ReadFile::new(HostFile::new(&self.files, uri, self.size(uri)?)))
    }

    fn open_persistent(&self, uri: &Uri, size: Option<u64>, _content: Content) -> Result<ReadFile> {
        match size {
            Some(size) => Ok(ReadFile::new(HostFile::new(&self.files, uri, size))),
            None => self.open(uri),
        }
    }

    fn first_of(&self, directory: &Uri, candidates: &[(&str, bool)]) -> Result<Option<usize>> {
        let names = self.names(directory)?;
        let is_there = |name: &str, is_dir: bool| names.iter().any(|item| item.name == name && item.is_dir == is_dir);
        Ok(candidates.iter().position(|(name, is_dir)| is_there(name, *is_dir)))
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn is_deferred(&self) -> bool {
        true
    }

    refuse_writes!();
}
