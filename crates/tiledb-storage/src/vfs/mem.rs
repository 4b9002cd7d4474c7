//! In-memory files: the contents of `mem://` live as long as their context.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Backend, DirEntry, FileSink, ReadAt, ReadFile, Stat, Uri};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::memory;

/// Directories (`None`) and files by path: no leading, trailing or doubled slash; the root is not listed.
type Tree = BTreeMap<String, Option<Arc<Vec<u8>>>>;

/// A file system in memory.
#[derive(Clone, Default)]
pub(super) struct Mem(Arc<RwLock<Tree>>);

impl Mem {
    fn tree(&self) -> RwLockReadGuard<'_, Tree> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn tree_mut(&self) -> RwLockWriteGuard<'_, Tree> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A writer at the end of the file at `path`, which is made, or emptied if it is to be `new`.
    fn start(&self, path: String, new: bool) -> Result<Box<dyn FileSink>> {
        let mut tree = self.tree_mut();
        if find(&tree, &path) == Stat::Dir {
            let text = "[TileDB::MemFS] Error: Cannot append contents, the path is a directory";
            return Err(Error::new(ErrorKind::Io, text));
        }
        if new || !matches!(find(&tree, &path), Stat::File(_)) {
            put(&mut tree, &path, Some(Arc::default()))?;
        }
        Ok(Box::new(MemWriter { tree: Arc::clone(&self.0), path, new }))
    }
}

/// The key of a URI in the tree.
fn path_of(uri: &Uri) -> String {
    let parts: Vec<&str> = uri.path().split('/').filter(|part| !part.is_empty()).collect();
    parts.join("/")
}

fn find(tree: &Tree, path: &str) -> Stat {
    match tree.get(path) {
        Some(Some(bytes)) => Stat::File(bytes.len() as u64),
        Some(None) => Stat::Dir,
        None if path.is_empty() => Stat::Dir,
        None => Stat::Missing,
    }
}

/// Puts a file or a directory in the tree and makes its parents.
fn put(tree: &mut Tree, path: &str, content: Option<Arc<Vec<u8>>>) -> Result<()> {
    for (slash, _) in path.match_indices('/') {
        match find(tree, &path[..slash]) {
            Stat::File(_) => {
                let text = "MemFS: Failed to create file, the parent directory doesn't exist.";
                return Err(Error::new(ErrorKind::Io, text));
            }
            Stat::Dir => {}
            Stat::Missing => _ = tree.insert(path[..slash].to_owned(), None),
        }
    }
    match (find(tree, path), &content) {
        (Stat::Dir, _) => return Err(failed(ErrorKind::Io, "It is a directory", path)),
        (Stat::File(_), None) => return Err(failed(ErrorKind::Io, "It is a file", path)),
        _ => tree.insert(path.to_owned(), content),
    };
    Ok(())
}

/// The items below `path`, in the order of the names, each with its path.
fn below<'a>(tree: &'a Tree, path: &str) -> impl Iterator<Item = (&'a String, &'a Option<Arc<Vec<u8>>>)> {
    let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
    let start = Bound::Excluded(prefix.clone());
    tree.range((start, Bound::Unbounded)).take_while(move |(name, _)| name.starts_with(&prefix))
}

fn entry(directory: &Uri, path: &str, name: &str, content: &Option<Arc<Vec<u8>>>) -> DirEntry {
    let relative = name.strip_prefix(path).unwrap_or(name).trim_start_matches('/');
    DirEntry {
        uri: directory.join(relative),
        size: content.as_ref().map_or(0, |bytes| bytes.len() as u64),
        is_dir: content.is_none(),
    }
}

#[cold]
fn failed(kind: ErrorKind, what: &str, path: &str) -> Error {
    Error::new(kind, format!("MemFS: {what}: '{path}'"))
}

#[cold]
fn cannot_remove(stat: Stat, path: &str) -> Error {
    match stat {
        Stat::Missing => Error::new(ErrorKind::NotFound, format!("MemFS: File not found, remove failed for : {path}")),
        _ => Error::new(ErrorKind::Io, "MemFS: Remove failed, wrong file type"),
    }
}

#[cold]
fn missing(what: &str, path: &str) -> Error {
    failed(ErrorKind::NotFound, what, path)
}

impl Backend for Mem {
    fn stat(&self, uri: &Uri) -> Result<Stat> {
        Ok(find(&self.tree(), &path_of(uri)))
    }

    fn size(&self, uri: &Uri) -> Result<u64> {
        let path = path_of(uri);
        match find(&self.tree(), &path) {
            Stat::File(size) => Ok(size),
            Stat::Dir => {
                Err(Error::new(ErrorKind::Io, "[TileDB::MemFS] Error: Cannot get size, the path is a directory"))
            }
            Stat::Missing => Err(Error::new(ErrorKind::NotFound, format!("MemFS: Cannot get file size of :{path}"))),
        }
    }

    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let path = path_of(directory);
        let depth = if path.is_empty() { 0 } else { path.len() + 1 };
        let tree = self.tree();
        let direct = below(&tree, &path).filter(|(name, _)| !name[depth..].contains('/'));
        Ok(direct.map(|(name, content)| entry(directory, &path, name, content)).collect())
    }

    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let path = path_of(directory);
        let tree = self.tree();
        if find(&tree, &path) != Stat::Dir {
            return Err(missing("Cannot list, there is no such directory", &path));
        }
        Ok(below(&tree, &path).map(|(name, content)| entry(directory, &path, name, content)).collect())
    }

    fn open(&self, uri: &Uri) -> Result<ReadFile> {
        let path = path_of(uri);
        match self.tree().get(&path) {
            Some(Some(bytes)) => Ok(ReadFile::new(MemFile { bytes: Arc::clone(bytes), path: path.into() })),
            _ => Err(missing("Cannot open file, there is no such file", &path)),
        }
    }

    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        self.start(path_of(uri), true)
    }

    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        self.start(path_of(uri), false)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        let mut tree = self.tree_mut();
        if matches!(find(&tree, &path), Stat::File(_)) {
            return Ok(());
        }
        put(&mut tree, &path, Some(Arc::default()))
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        let mut tree = self.tree_mut();
        match find(&tree, &path) {
            // Whatever it is, as with the original.
            Stat::Dir | Stat::File(_) => Ok(()),
            Stat::Missing => put(&mut tree, &path, None),
        }
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        let mut tree = self.tree_mut();
        match find(&tree, &path) {
            Stat::File(_) => _ = tree.remove(&path),
            other => return Err(cannot_remove(other, &path)),
        }
        Ok(())
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        let mut tree = self.tree_mut();
        match find(&tree, &path) {
            Stat::Dir => {}
            other => return Err(cannot_remove(other, &path)),
        }
        let names: Vec<String> = below(&tree, &path).map(|(name, _)| name.clone()).collect();
        for name in names {
            tree.remove(&name);
        }
        tree.remove(&path);
        Ok(())
    }

    fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.transfer(&path_of(from), &path_of(to), true)
    }

    fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.transfer(&path_of(from), &path_of(to), true)
    }

    fn can_publish(&self, _directory: &Uri) -> Result<bool> {
        Ok(true)
    }

    fn publish(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.transfer(&path_of(from), &path_of(to), true)
    }

    fn exchange(&self, a: &Uri, b: &Uri) -> Result<()> {
        let (a, b, mut tree) = (path_of(a), path_of(b), self.tree_mut());
        let content = |path: &String| match tree.get(path) {
            Some(Some(bytes)) => Ok(Arc::clone(bytes)),
            _ => Err(missing("Cannot exchange, there is no such file", path)),
        };
        let (of_a, of_b) = (content(&a)?, content(&b)?);
        tree.insert(a, Some(of_b));
        tree.insert(b, Some(of_a));
        Ok(())
    }

    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (from, to) = (path_of(from), path_of(to));
        if self.stat_path(&from) == Stat::Dir {
            return Err(failed(ErrorKind::Io, "Cannot copy a directory as a file", &from));
        }
        self.copy(&from, &to)
    }

    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (from, mut to) = (path_of(from), path_of(to));
        if matches!(self.stat_path(&from), Stat::File(_)) && self.stat_path(&to) == Stat::Dir {
            to = format!("{to}/{}", from.rsplit('/').next().unwrap_or_default());
        }
        self.copy(&from, &to)
    }
}

impl Mem {
    fn stat_path(&self, path: &str) -> Stat {
        find(&self.tree(), path)
    }

    fn copy(&self, from: &str, to: &str) -> Result<()> {
        if self.stat_path(from) != Stat::Missing && from == to {
            return Err(failed(ErrorKind::Io, "Cannot copy onto itself", from));
        }
        let parent = to.rsplit_once('/').map_or("", |(parent, _)| parent);
        if self.stat_path(parent) == Stat::Missing {
            return Err(missing("Cannot copy, there is no such directory", parent));
        }
        self.transfer(from, to, false)
    }

    /// Copies or moves a file or a directory with all it holds.
    fn transfer(&self, from: &str, to: &str, remove: bool) -> Result<()> {
        let mut tree = self.tree_mut();
        let source = find(&tree, from);
        if source == Stat::Missing {
            return Err(Error::new(ErrorKind::NotFound, format!("MemFS: Move failed, file not found: {from}")));
        }
        if from == to {
            return Ok(());
        }
        if source == Stat::Dir && (from.is_empty() || to.strip_prefix(from).is_some_and(|rest| rest.starts_with('/'))) {
            return Err(failed(ErrorKind::Io, "Cannot move or copy a directory into itself", from));
        }
        if remove && source == Stat::Dir && below(&tree, to).next().is_some() {
            return Err(failed(ErrorKind::Io, "Cannot move, the directory is not empty", to));
        }
        let mut items: Vec<(String, Option<Arc<Vec<u8>>>)> = Vec::new();
        items.extend(tree.get(from).map(|content| (String::new(), content.clone())));
        if source == Stat::Dir {
            items.extend(below(&tree, from).map(|(name, content)| (name[from.len()..].to_owned(), content.clone())));
        }
        for (rest, content) in items {
            let target = format!("{to}{rest}");
            if content.is_some() || find(&tree, &target) != Stat::Dir {
                put(&mut tree, &target, content)?;
            }
            if remove {
                tree.remove(&format!("{from}{rest}"));
            }
        }
        Ok(())
    }
}

struct MemFile {
    bytes: Arc<Vec<u8>>,
    path: Box<str>,
}

impl ReadAt for MemFile {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.len() => Ok(()),
            _ => Err(self.exceeded(offset, bytes)),
        }
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        match self.bytes.get(start..start.saturating_add(out.len())) {
            Some(bytes) => out.copy_from_slice(bytes),
            None => return Err(self.exceeded(offset, out.len() as u64)),
        }
        Ok(())
    }
}

impl MemFile {
    #[cold]
    fn exceeded(&self, offset: u64, bytes: u64) -> Error {
        let (len, path) = (self.bytes.len(), &self.path);
        let text = format!(
            "MemFS: Cannot read from file; Read exceeds file size: offset {offset}, nbytes {bytes}, \
             file_size {len}, URI mem://{path}"
        );
        Error::new(ErrorKind::Io, text)
    }
}

struct MemWriter {
    tree: Arc<RwLock<Tree>>,
    path: String,
    new: bool,
}

impl FileSink for MemWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        let Some(Some(content)) = tree.get_mut(&self.path) else {
            return Err(missing("Cannot write, the file was removed", &self.path));
        };
        // In place, unless a reader holds a snapshot of the file.
        let content = Arc::make_mut(content);
        memory::reserve("a file in memory", content, bytes.len())?;
        content.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, _durable: bool) -> Result<()> {
        Ok(())
    }

    fn abandon(&mut self) {
        if self.new {
            self.tree.write().unwrap_or_else(PoisonError::into_inner).remove(&self.path);
        }
    }
}
