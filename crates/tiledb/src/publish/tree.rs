//! The files of a folder by the arrays and groups that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use crate::copy::{ObjectIndex, is_web_file};
use tiledb_core::error::Result;
use tiledb_storage::vfs::{DirectoryIndex, IndexEntry, Uri, Vfs};

/// Maximum number of files of inner arrays and groups that the index of a folder lists itself; they save requests, but all of
/// them are read by whoever opens only one. Above it links to their own indexes are listed.
const MAX_EMBEDDED_FILES: usize = 2_000;

#[derive(Clone, Debug, Default)]
pub(super) struct PublishedFile {
    pub size: u64,
    pub digest: Option<[u8; 32]>,
}

/// The files below a folder by their relative names, and the arrays and groups that they are parts of.
#[derive(Debug, Default)]
pub(super) struct PublishedTree {
    pub files: BTreeMap<String, PublishedFile>,
    /// Folders of arrays, without those of dimension labels.
    pub arrays: BTreeSet<String>,
    pub groups: BTreeSet<String>,
}

impl PublishedTree {
    /// Lists a folder.
    ///
    /// # Errors
    /// If storage fails.
    pub(super) fn list(vfs: &Vfs, root: &Uri) -> Result<PublishedTree> {
        let entries = vfs.list_recursive(root)?.into_iter().filter(|entry| !entry.is_dir);
        let named = entries.filter_map(|entry| Some((entry.uri.names_below(root)?.into_owned(), entry.size)));
        Ok(PublishedTree::of(named.map(|(name, size)| (name, PublishedFile { size, digest: None }))))
    }

    fn of(files: impl Iterator<Item = (String, PublishedFile)>) -> PublishedTree {
        let files: BTreeMap<_, _> = files.filter(|(name, _)| !is_web_file(name)).collect();
        let ObjectIndex { arrays, groups, .. } = ObjectIndex::of(files.keys().map(String::as_str));
        let is_inner = |folder: &String| ancestors(folder).any(|above| arrays.contains(above));
        let outer = |folders: &BTreeSet<String>| folders.iter().filter(|folder| !is_inner(folder)).cloned().collect();
        PublishedTree { arrays: outer(&arrays), groups: outer(&groups), files }
    }

    /// The files that a source has, too. Details of groups, which a copy may write anew, are those of this tree.
    ///
    /// # Errors
    /// The name of a file that is not here.
    pub(super) fn restricted_to(mut self, source: &PublishedTree) -> Result<PublishedTree, String> {
        let is_detail = |name: &str| name.split('/').any(|part| part == "__group");
        let has = |name: &String, file: &PublishedFile| self.files.get(name).is_some_and(|own| own.size == file.size);
        if let Some((name, _)) = source.files.iter().find(|(name, file)| !is_detail(name) && !has(name, file)) {
            return Err(name.clone());
        }
        let files = std::mem::take(&mut self.files).into_iter();
        Ok(PublishedTree::of(files.filter(|(name, _)| is_detail(name) || source.files.contains_key(name))))
    }

    /// The indexes of all folders that get one, as JSON: inner ones first, that of the root last.
    ///
    /// # Errors
    /// For names that no index can list.
    pub(super) fn indexes(&self) -> Result<Vec<(String, String)>> {
        let mut roots: BTreeSet<&str> = self.arrays.iter().chain(&self.groups).map(String::as_str).collect();
        roots.insert("");
        // The files of each root, and the roots directly inside.
        let mut own: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in self.files.keys() {
            let owner = ancestors(name).find(|folder| roots.contains(folder)).unwrap_or_default();
            own.entry(owner).or_default().push(name);
        }
        let mut inside: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for root in roots.iter().filter(|root| !root.is_empty()) {
            let owner = ancestors(root).find(|folder| roots.contains(folder)).unwrap_or_default();
            inside.entry(owner).or_default().push(root);
        }
        let mut deepest_first: Vec<&str> = roots.iter().copied().collect();
        deepest_first.sort_by_key(|root| std::cmp::Reverse((!root.is_empty(), root.matches('/').count())));
        let mut made: BTreeMap<&str, (DirectoryIndex, usize)> = BTreeMap::new();
        let mut encoded = Vec::new();
        for root in deepest_first {
            let mut index = DirectoryIndex::default();
            let files = own.remove(root).unwrap_or_default();
            for name in &files {
                let file = &self.files[*name];
                index.insert(below(name, root), IndexEntry::File(file.size, file.digest.map(Box::new)))?;
            }
            let inner = inside.remove(root).unwrap_or_default();
            let inner: Vec<_> = inner.iter().filter_map(|name| Some((*name, made.remove(name)?))).collect();
            let count = inner.iter().fold(files.len(), |sum, (_, (_, count))| sum + count);
            for (name, (indexed, _)) in inner {
                let entry =
                    if count > MAX_EMBEDDED_FILES { IndexEntry::Linked } else { IndexEntry::Folder(indexed.entries) };
                index.insert(below(name, root), entry)?;
            }
            encoded.push((root.to_owned(), index.to_json()));
            made.insert(root, (index, count));
        }
        Ok(encoded)
    }
}

/// The folders above a name, the nearest first, the root as an empty text at the end.
fn ancestors(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| match name.rsplit_once('/') {
        Some((above, _)) => Some(above),
        None => (!name.is_empty()).then_some(""),
    })
    .skip(1)
}

/// A name relative to one of its folders.
fn below<'a>(name: &'a str, folder: &str) -> &'a str {
    name.strip_prefix(folder).unwrap_or(name).trim_start_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_storage::vfs::IndexLookup;

    fn tree(names: &[&str]) -> PublishedTree {
        let file = |name: &&str| ((*name).to_owned(), PublishedFile { size: name.len() as u64, digest: None });
        PublishedTree::of(names.iter().map(file))
    }

    #[test]
    fn each_array_and_group_gets_an_index() {
        let names = [
            "__tiledb_group.tdb",
            "__group/__1_1_a",
            "a/__schema/__1_1_b",
            "a/__labels/l/__schema/__1_1_c",
            "a/__tiledb_index.json",
            "folder/b/__schema/__1_1_d",
            "index.html",
            "readme.txt",
            "__tiledb_viewer/engine/tiledb.wasm",
        ];
        let tree = tree(&names);
        assert_eq!((tree.arrays.len(), tree.groups.len(), tree.files.len()), (2, 1, 6));
        let indexes = tree.indexes().unwrap();
        let folders: Vec<&str> = indexes.iter().map(|(folder, _)| folder.as_str()).collect();
        assert_eq!(folders, ["folder/b", "a", ""]);
        let whole = DirectoryIndex::parse(indexes[2].1.as_bytes()).unwrap();
        assert_eq!(whole.find(&["folder", "b", "__schema", "__1_1_d"]), IndexLookup::File(25));
        assert_eq!(whole.find(&["a", "__labels", "l", "__schema", "__1_1_c"]), IndexLookup::File(29));
        assert_eq!(whole.find(&["index.html"]), IndexLookup::Missing);
    }

    #[test]
    fn large_trees_are_linked() {
        let many: Vec<String> = (0..MAX_EMBEDDED_FILES).map(|number| format!("a/__schema/{number}")).collect();
        let mut names: Vec<&str> = many.iter().map(String::as_str).collect();
        let root =
            |names: &[&str]| DirectoryIndex::parse(tree(names).indexes().unwrap().pop().unwrap().1.as_bytes()).unwrap();
        assert!(matches!(root(&names).find(&["a"]), IndexLookup::Folder(_)));
        names.push("__tiledb_group.tdb");
        assert_eq!(root(&names).find(&["a"]), IndexLookup::Linked(1));
    }

    #[test]
    fn files_that_the_source_has_no_more_are_not_listed() {
        let there = ["__schema/s", "__fragments/old/a", "__fragments/new/a", "g/__tiledb_group.tdb", "g/__group/new"];
        let source = tree(&["__schema/s", "__fragments/new/a", "g/__tiledb_group.tdb", "g/__group/other"]);
        let listed = tree(&there).restricted_to(&source).unwrap();
        assert!(!listed.files.contains_key("__fragments/old/a") && listed.files.contains_key("g/__group/new"));
        assert_eq!(tree(&there[..2]).restricted_to(&source).unwrap_err(), "__fragments/new/a");
    }
}
