//! The files of a simulated machine, and what a crash leaves of them.
//!
//! As journaling file systems do it: the contents of a file are durable when they are synced, and names are made durable in the order of
//! their changes. A crash undoes any number of the last changes of names that are not durable, and what was not synced of a file is
//! missing, partly or completely.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::random::Random;

/// A directory (`None`) or a file.
pub type Node = Option<Arc<Vec<u8>>>;

#[derive(Default)]
pub struct Store(Mutex<Files>);

/// Files by path: no leading, trailing or doubled slash; the root is not listed.
#[derive(Default)]
pub struct Files {
    tree: BTreeMap<String, Node>,
    /// How to undo the changes of names that are not durable, oldest first.
    undo: Vec<Vec<(String, Option<Node>)>>,
    /// Files with contents that are not synced.
    unsynced: BTreeSet<String>,
    changes: Vec<Change>,
}

/// A file that appeared or disappeared.
#[derive(Clone, Debug)]
pub struct Change {
    /// The number of the scheduler's step.
    pub step: u64,
    pub actor: usize,
    pub path: String,
    pub is_removal: bool,
    /// The size of the file that was there before, none of a directory.
    before: Option<Option<u64>>,
}

/// The size of a file, none of a directory.
fn size_of(node: &Node) -> Option<u64> {
    node.as_ref().map(|bytes| bytes.len() as u64)
}

impl Store {
    pub fn files(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Files {
    pub fn get(&self, path: &str) -> Option<Node> {
        if path.is_empty() { Some(None) } else { self.tree.get(path).cloned() }
    }

    /// The entries below a directory, in the order of their paths.
    pub fn below<'a>(&'a self, path: &str) -> impl Iterator<Item = (&'a String, &'a Node)> + use<'a> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let start = Bound::Excluded(prefix.clone());
        self.tree.range((start, Bound::Unbounded)).take_while(move |(name, _)| name.starts_with(&prefix))
    }

    /// All changes so far, of files that mean something alone: commits, schemas, metadata.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The entries below a directory as they were after a step, with the sizes of files.
    pub fn below_at(&self, path: &str, step: u64) -> BTreeMap<String, Option<u64>> {
        self.with_prefix_at(&if path.is_empty() { String::new() } else { format!("{path}/") }, step)
    }

    /// The entries whose paths begin with a prefix as they were after a step, with the sizes of files.
    pub fn with_prefix_at(&self, prefix: &str, step: u64) -> BTreeMap<String, Option<u64>> {
        let start = (Bound::Included(prefix.to_owned()), Bound::Unbounded);
        let below = self.tree.range(start).take_while(|(name, _)| name.starts_with(prefix));
        let mut entries: BTreeMap<String, Option<u64>> =
            below.map(|(name, node)| (name.clone(), size_of(node))).collect();
        let later = self.changes.iter().rev().take_while(|change| change.step > step);
        for change in later.filter(|change| change.path.starts_with(prefix)) {
            match change.before {
                Some(size) => entries.insert(change.path.clone(), size),
                None => entries.remove(&change.path),
            };
        }
        entries
    }

    /// Applies changes of names in one atomic step, which is durable at once or not.
    pub fn apply(&mut self, (step, actor): (u64, usize), nodes: Vec<(String, Option<Node>)>, is_durable: bool) {
        let mut undo = Vec::new();
        for (path, node) in nodes {
            let is_removal = node.is_none();
            let before = match node {
                Some(node) => self.tree.insert(path.clone(), node),
                None => self.tree.remove(&path),
            };
            let size = before.as_ref().map(size_of);
            self.changes.push(Change { step, actor, path: path.clone(), is_removal, before: size });
            undo.push((path, before));
        }
        undo.reverse();
        match is_durable {
            // Names are durable in the order of their changes.
            true => self.undo.clear(),
            false => self.undo.push(undo),
        }
    }

    /// Makes all names durable.
    pub fn make_durable(&mut self) {
        self.undo.clear();
    }

    /// Appends to a file. False if it was removed.
    pub fn append(&mut self, path: &str, bytes: &[u8]) -> bool {
        let Some(Some(content)) = self.tree.get_mut(path) else { return false };
        Arc::make_mut(content).extend_from_slice(bytes);
        self.unsynced.insert(path.to_owned());
        true
    }

    /// Makes the contents of a file durable.
    pub fn sync(&mut self, path: &str) {
        self.unsynced.remove(path);
    }

    /// The machine loses its power. Returns the paths that are lost.
    pub fn crash(&mut self, random: &mut Random) -> Vec<String> {
        let mut changed = Vec::new();
        for _ in 0..random.below(self.undo.len() as u64 + 1) {
            for (path, before) in self.undo.pop().unwrap_or_default() {
                match before {
                    Some(node) => self.tree.insert(path.clone(), node),
                    None => self.tree.remove(&path),
                };
                changed.push(path);
            }
        }
        self.undo.clear();
        for path in std::mem::take(&mut self.unsynced) {
            if let Some(Some(content)) = self.tree.get_mut(&path) {
                let length = random.below(content.len() as u64 + 1) as usize;
                Arc::make_mut(content).truncate(length);
            }
        }
        // Directories of which the parents are gone.
        let is_orphan =
            |path: &String| path.match_indices('/').any(|(slash, _)| !self.tree.contains_key(&path[..slash]));
        let orphans: Vec<String> = self.tree.keys().filter(|path| is_orphan(path)).cloned().collect();
        for path in orphans {
            self.tree.remove(&path);
            changed.push(path);
        }
        changed.retain(|path| !self.tree.contains_key(path));
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Option<Node> {
        Some(Some(Arc::new(text.as_bytes().to_vec())))
    }

    #[test]
    fn crash_undoes_the_last_names_and_truncates_what_is_not_synced() {
        let mut lengths = BTreeSet::new();
        for seed in 0..200 {
            let mut files = Files::default();
            files.apply((0, 0), vec![("a".to_owned(), Some(None))], true);
            for (name, text) in [("a/1", "x"), ("a/2", "y"), ("a/3", "")] {
                files.apply((1, 0), vec![(name.to_owned(), file(text))], false);
            }
            files.append("a/3", b"12345");
            files.apply((2, 0), vec![("a/1".to_owned(), None)], false);
            files.crash(&mut Random(seed));
            let names: Vec<&str> = files.below("a").map(|(path, _)| path.as_str()).collect();
            let states: [&[&str]; 5] = [&[], &["a/1"], &["a/1", "a/2"], &["a/1", "a/2", "a/3"], &["a/2", "a/3"]];
            assert!(states.contains(&&names[..]), "{names:?}");
            if let Some(Some(content)) = files.get("a/3") {
                lengths.insert(content.len());
            }
        }
        assert_eq!(lengths.len(), 6);
    }
}
