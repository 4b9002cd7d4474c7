//! Open directories: lookups relative to a descriptor save the path resolution from the root.

use std::path::Path;

use super::descriptor::DescriptorSlot;
use crate::vfs::{DirHandle, Stat};
use tiledb_core::platform::directory::{DirectoryHandle, Found};

/// An open directory, counted among the descriptors that stay open.
pub(super) struct LocalDirHandle {
    directory: DirectoryHandle,
    _place: DescriptorSlot,
}

impl LocalDirHandle {
    /// Opens a directory if the descriptor limit allows it to stay open.
    pub(super) fn open(path: &Path) -> Option<LocalDirHandle> {
        let place = DescriptorSlot::acquire()?;
        Some(LocalDirHandle { directory: DirectoryHandle::open(path).ok()?, _place: place })
    }
}

impl DirHandle for LocalDirHandle {
    fn stat(&self, path: &str) -> Option<Stat> {
        self.directory.look_up(path).ok().map(|entry| match entry {
            Found::Directory => Stat::Dir,
            Found::File(size) => Stat::File(size),
            Found::Missing => Stat::Missing,
        })
    }
}
