//! The files of an array, classified.

use std::collections::{BTreeMap, BTreeSet};

use tiledb_array::fragment::{FragmentName, METADATA_FILE};
use tiledb_core::error::Result;
use tiledb_storage::vfs::{Uri, Vfs};

#[derive(Clone, Debug)]
pub(super) struct ListedFile {
    pub(super) uri: Uri,
    /// The last part of its name.
    pub(super) name: String,
    pub(super) size: u64,
}

pub(super) struct FragmentFolder {
    pub(super) name: FragmentName,
    pub(super) files: Vec<ListedFile>,
}

impl FragmentFolder {
    pub(super) fn has_metadata(&self) -> bool {
        self.files.iter().any(|file| file.name == METADATA_FILE)
    }
}

/// The files of an array without those of its dimension labels.
#[derive(Default)]
pub(super) struct ArrayListing {
    pub(super) schemas: Vec<ListedFile>,
    pub(super) enumerations: Vec<ListedFile>,
    /// Files of `__commits`, or their equivalent in old arrays.
    pub(super) commits: Vec<ListedFile>,
    pub(super) footers: Vec<ListedFile>,
    pub(super) metadata: Vec<ListedFile>,
    /// By name.
    pub(super) fragments: BTreeMap<String, FragmentFolder>,
    /// Folders in `__labels`.
    pub(super) labels: BTreeSet<String>,
    pub(super) others: Vec<ListedFile>,
    /// Bytes of all files.
    pub(super) bytes: u64,
}

impl ArrayListing {
    /// Lists the array at `uri`.
    ///
    /// # Errors
    /// If there is none or a storage operation fails.
    pub(super) fn of(vfs: &Vfs, uri: &Uri) -> Result<ArrayListing> {
        let mut listing = ArrayListing::default();
        let root = uri.without_trailing_slash();
        for entry in vfs.list_recursive(uri)? {
            let Some(path) = entry.uri.names_below(&root).map(|path| path.trim_start_matches('/').to_owned()) else {
                continue;
            };
            if let Some(label) = path.strip_prefix("__labels/").and_then(|path| path.split('/').next())
                && !listing.labels.contains(label)
            {
                listing.labels.insert(label.to_owned());
            }
            let file = ListedFile { name: entry.name().into_owned(), uri: entry.uri.clone(), size: entry.size };
            listing.put(&path, file, entry.is_dir);
        }
        Ok(listing)
    }

    fn put(&mut self, path: &str, file: ListedFile, is_dir: bool) {
        let parts: Vec<&str> = path.split('/').collect();
        let fragment = match parts[..] {
            ["__fragments", name, ..] if is_dir || parts.len() > 2 => Some((name, 2, true)),
            [name, ..] if is_dir || parts.len() > 1 => Some((name, 1, false)),
            _ => None,
        };
        let name = fragment.and_then(|(name, depth, is_new)| Some((FragmentName::parse(name).ok()?, depth, is_new)));
        if let Some((name, depth, is_new)) = name
            && name.version().has_commits_folder() == is_new
        {
            let folder =
                self.fragments.entry(name.as_str().to_owned()).or_insert(FragmentFolder { name, files: Vec::new() });
            if !is_dir {
                self.bytes = self.bytes.saturating_add(file.size);
                if parts.len() == depth + 1 { folder.files.push(file) } else { self.others.push(file) }
            }
            return;
        }
        if is_dir || parts[0] == "__labels" {
            return;
        }
        self.bytes = self.bytes.saturating_add(file.size);
        let is_commit =
            |name: &str| [".wrt", ".ok", ".vac", ".con", ".ign", ".del"].iter().any(|end| name.ends_with(end));
        match parts[..] {
            ["__schema", _] | ["__array_schema.tdb"] => self.schemas.push(file),
            ["__schema", "__enumerations", _] => self.enumerations.push(file),
            ["__commits", _] => self.commits.push(file),
            ["__fragment_meta", _] => self.footers.push(file),
            ["__meta", _] => self.metadata.push(file),
            [name] if name.starts_with("__") && is_commit(name) => self.commits.push(file),
            [name] if name.starts_with("__") && name.ends_with(".meta") => self.footers.push(file),
            _ => self.others.push(file),
        }
    }
}
