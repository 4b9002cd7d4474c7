//! A simulated local file system as a process uses it.

use std::sync::Arc;

use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_storage::vfs::{Backend, DirEntry, FileSink, ReadAt, ReadFile, Stat, Uri};

use super::process::Process;
use super::store::{Files, Node};

/// What kind of storage it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A local file system. Names are durable when a call returns, or only at some later time.
    Local { syncs_directories: bool },
    /// An object store.
    Objects,
}

/// The file system for one process.
pub struct Disk(pub Arc<Process>);

fn path_of(uri: &Uri) -> String {
    let path = uri.path().trim_matches('/');
    if !path.contains("//") {
        return path.to_owned();
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.join("/")
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn missing(what: &str, path: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("Cannot {what} '{path}': No such file or directory"))
}

fn failed(what: &str, path: &str) -> Error {
    Error::new(ErrorKind::Io, format!("Cannot {what} '{path}'"))
}

fn stat(files: &Files, path: &str) -> Stat {
    match files.get(path) {
        Some(Some(bytes)) => Stat::File(bytes.len() as u64),
        Some(None) => Stat::Dir,
        None => Stat::Missing,
    }
}

impl Disk {
    fn is_durable(&self) -> bool {
        self.0.world().medium != Medium::Local { syncs_directories: false }
    }

    /// Changes names in one step.
    fn apply(&self, nodes: Vec<(String, Option<Node>)>) {
        let origin = (self.0.world().scheduler.steps(), self.0.actor());
        self.0.world().store.files().apply(origin, nodes, self.is_durable());
    }

    fn stat_path(&self, path: &str) -> Stat {
        stat(&self.0.world().store.files(), path)
    }

    /// Creates the directories that lead to a path, one after the other.
    fn make_parents(&self, path: &str) -> Result<()> {
        let slashes: Vec<usize> = path.match_indices('/').map(|(slash, _)| slash).collect();
        for slash in slashes {
            let directory = &path[..slash];
            match self.stat_path(directory) {
                Stat::Dir => (),
                Stat::File(_) => return Err(failed("create a directory", directory)),
                Stat::Missing => {
                    self.0.call("mkdir", directory)?;
                    if self.stat_path(directory) == Stat::Missing {
                        self.apply(vec![(directory.to_owned(), Some(None))]);
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts a file at a path, whose directory must exist by now.
    fn place(&self, path: &str, content: Arc<Vec<u8>>) -> Result<()> {
        if self.stat_path(parent(path)) != Stat::Dir {
            return Err(missing("create", path));
        }
        if self.stat_path(path) == Stat::Dir {
            return Err(failed("replace a directory by", path));
        }
        self.apply(vec![(path.to_owned(), Some(Some(content)))]);
        Ok(())
    }

    fn open_file(&self, what: &str, uri: &Uri) -> Result<ReadFile> {
        let path = path_of(uri);
        self.0.call(what, &path)?;
        let content = self.0.world().store.files().get(&path);
        let Some(Some(bytes)) = content else { return Err(missing("open", &path)) };
        Ok(ReadFile::new(OpenFile { bytes, path }))
    }

    fn rename(&self, what: &str, from: &Uri, to: &Uri) -> Result<()> {
        let (from, to) = (path_of(from), path_of(to));
        self.make_parents(&to)?;
        self.0.call(what, &format!("{from} to {to}"))?;
        let mut nodes = Vec::new();
        {
            let files = self.0.world().store.files();
            let Some(node) = files.get(&from) else { return Err(missing("rename", &from)) };
            let is_dir = node.is_none();
            match (is_dir, stat(&files, &to)) {
                (true, Stat::File(_)) | (false, Stat::Dir) => return Err(failed("rename onto", &to)),
                (true, Stat::Dir) if files.below(&to).next().is_some() => {
                    return Err(failed("rename onto a directory that is not empty", &to));
                }
                _ => (),
            }
            nodes.push((from.clone(), None));
            nodes.push((to.clone(), Some(node)));
            for (path, node) in files.below(&from) {
                nodes.push((path.clone(), None));
                nodes.push((format!("{to}{}", &path[from.len()..]), Some(node.clone())));
            }
        }
        self.apply(nodes);
        Ok(())
    }

    /// Copies a file or a directory, entry by entry.
    fn copy(&self, from: &str, to: &str) -> Result<()> {
        let entries: Vec<(String, Node)> = {
            let files = self.0.world().store.files();
            let own = files.get(from).map(|node| (from.to_owned(), node));
            own.into_iter().chain(files.below(from).map(|(path, node)| (path.clone(), node.clone()))).collect()
        };
        if entries.is_empty() {
            return Err(missing("copy", from));
        }
        self.make_parents(to)?;
        for (path, node) in &entries {
            let target = format!("{to}{}", &path[from.len()..]);
            self.0.call("copy", &target)?;
            self.apply(vec![(target, Some(node.clone()))]);
        }
        Ok(())
    }
}

impl Backend for Disk {
    fn stat(&self, uri: &Uri) -> Result<Stat> {
        let path = path_of(uri);
        self.0.call("stat", &path)?;
        Ok(self.stat_path(&path))
    }

    fn size(&self, uri: &Uri) -> Result<u64> {
        match self.stat(uri)? {
            Stat::File(size) => Ok(size),
            Stat::Dir => Err(failed("get the size of", &path_of(uri))),
            Stat::Missing => Err(missing("get the size of", &path_of(uri))),
        }
    }

    fn list(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let path = path_of(directory);
        self.0.call("list", &path)?;
        let step = self.0.listed_step();
        let files = self.0.world().store.files().below_at(&path, step);
        let depth = if path.is_empty() { 0 } else { path.len() + 1 };
        let mut entries: Vec<DirEntry> = Vec::new();
        for (name, size) in files {
            let rest = &name[depth..];
            let (first, is_below) = rest.split_once('/').map_or((rest, false), |(first, _)| (first, true));
            if entries.last().is_some_and(|last| last.name() == first) {
                continue;
            }
            if is_below {
                continue;
            }
            let is_dir = size.is_none();
            entries.push(DirEntry { uri: directory.join(first), size: size.filter(|_| !is_dir).unwrap_or(0), is_dir });
        }
        Ok(entries)
    }

    fn list_recursive(&self, directory: &Uri) -> Result<Vec<DirEntry>> {
        let path = path_of(directory);
        self.0.call("list recursively", &path)?;
        let files = self.0.world().store.files();
        if stat(&files, &path) != Stat::Dir {
            return Err(missing("list", &path));
        }
        let entry = |(name, node): (&String, &Node)| DirEntry {
            uri: directory.join(name[path.len()..].trim_start_matches('/')),
            size: node.as_ref().map_or(0, |bytes| bytes.len() as u64),
            is_dir: node.is_none(),
        };
        Ok(files.below(&path).map(entry).collect())
    }

    fn open(&self, uri: &Uri) -> Result<ReadFile> {
        self.open_file("open", uri)
    }

    fn create(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        let path = path_of(uri);
        self.make_parents(&path)?;
        self.0.call("create", &path)?;
        self.place(&path, Arc::default())?;
        Ok(Box::new(OpenSink::new(self, path, true)))
    }

    fn put(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let path = path_of(uri);
        self.make_parents(&path)?;
        self.0.call("put", &path)?;
        self.place(&path, Arc::new(bytes.to_vec()))
    }

    fn put_unseen(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut sink = self.create(uri)?;
        let written = sink.write(bytes).and_then(|()| sink.finish(true));
        if written.is_err() {
            sink.abandon();
        }
        written
    }

    fn append(&self, uri: &Uri) -> Result<Box<dyn FileSink>> {
        let path = path_of(uri);
        self.make_parents(&path)?;
        self.0.call("append", &path)?;
        if self.stat_path(&path) == Stat::Missing {
            self.place(&path, Arc::default())?;
        }
        Ok(Box::new(OpenSink::new(self, path, false)))
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        self.make_parents(&path)?;
        self.0.call("touch", &path)?;
        match self.stat_path(&path) {
            Stat::File(_) => Ok(()),
            _ => self.place(&path, Arc::default()),
        }
    }

    fn make_dir(&self, uri: &Uri) -> Result<bool> {
        let path = path_of(uri);
        self.0.call("mkdir", &path)?;
        if self.stat_path(&path) != Stat::Missing || self.stat_path(parent(&path)) != Stat::Dir {
            return Ok(false);
        }
        self.apply(vec![(path, Some(None))]);
        Ok(true)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.make_parents(&format!("{}/", path_of(uri)))
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        self.0.call("remove", &path)?;
        match self.stat_path(&path) {
            Stat::File(_) => self.apply(vec![(path, None)]),
            Stat::Missing => return Err(missing("remove", &path)),
            Stat::Dir => return Err(failed("remove", &path)),
        }
        Ok(())
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        self.0.call("remove directory", &path)?;
        if self.stat_path(&path) != Stat::Dir {
            return Err(missing("remove directory", &path));
        }
        // Others may add entries meanwhile.
        loop {
            let last = self.0.world().store.files().below(&path).last().map(|(entry, _)| entry.clone());
            let Some(entry) = last else { break };
            self.0.call("remove", &entry)?;
            if self.0.world().store.files().below(&entry).next().is_none() {
                self.apply(vec![(entry, None)]);
            }
        }
        self.0.call("rmdir", &path)?;
        if self.0.world().store.files().below(&path).next().is_some() {
            return Err(failed("remove the directory, which is not empty,", &path));
        }
        self.apply(vec![(path, None)]);
        Ok(())
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<()> {
        let path = path_of(uri);
        self.0.call("rmdir", &path)?;
        let is_empty = self.0.world().store.files().below(&path).next().is_none();
        if is_empty && self.stat_path(&path) == Stat::Dir {
            self.apply(vec![(path, None)]);
        }
        Ok(())
    }

    fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.rename("rename", from, to)
    }

    fn move_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.rename("rename", from, to)
    }

    fn can_publish(&self, _directory: &Uri) -> Result<bool> {
        Ok(true)
    }

    fn publish(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.rename("publish", from, to)
    }

    fn exchange(&self, a: &Uri, b: &Uri) -> Result<()> {
        let (a, b) = (path_of(a), path_of(b));
        self.0.call("exchange", &format!("{a} and {b}"))?;
        let contents = {
            let files = self.0.world().store.files();
            [&a, &b].map(|path| files.get(path).ok_or_else(|| missing("exchange", path)))
        };
        let [of_a, of_b] = contents;
        let (of_a, of_b) = (of_a?, of_b?);
        self.apply(vec![(a, Some(of_b)), (b, Some(of_a))]);
        Ok(())
    }

    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.copy(&path_of(from), &path_of(to))
    }

    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.copy(&path_of(from), &path_of(to))
    }
}

struct OpenFile {
    bytes: Arc<Vec<u8>>,
    path: String,
}

impl ReadAt for OpenFile {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn check(&self, offset: u64, bytes: u64) -> Result<()> {
        match offset.checked_add(bytes).is_some_and(|end| end <= self.len()) {
            true => Ok(()),
            false => Err(failed("read beyond the end of", &self.path)),
        }
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<()> {
        self.check(offset, out.len() as u64)?;
        let start = offset as usize;
        out.copy_from_slice(&self.bytes[start..start + out.len()]);
        Ok(())
    }
}

struct OpenSink {
    disk: Disk,
    path: String,
    /// What the process has buffered.
    pending: Vec<u8>,
    is_new: bool,
}

impl OpenSink {
    fn new(disk: &Disk, path: String, is_new: bool) -> OpenSink {
        OpenSink { disk: Disk(Arc::clone(&disk.0)), path, pending: Vec::new(), is_new }
    }
}

impl FileSink for OpenSink {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.disk.0.call("write", &self.path)?;
        // As to a file without a name, where it was removed.
        self.disk.0.world().store.files().append(&self.path, &std::mem::take(&mut self.pending));
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        self.disk.0.call("sync", &self.path)?;
        self.disk.0.world().store.files().sync(&self.path);
        Ok(())
    }

    fn finish(&mut self, is_durable: bool) -> Result<()> {
        if is_durable { self.sync() } else { self.flush() }
    }

    fn abandon(&mut self) {
        if self.is_new && self.disk.0.call("remove", &self.path).is_ok() {
            self.disk.apply(vec![(self.path.clone(), None)]);
        }
    }
}
