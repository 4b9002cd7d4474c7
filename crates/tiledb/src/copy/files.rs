//! Copies files concurrently, each in parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};

use super::ends::below;
use super::errors::about;
use super::file_roles::CopyPhase;
use super::plan::{PlannedFile, UNFINISHED};
use super::progress::CopyProgress;
use crate::error::{Error, ErrorKind, Result};
use crate::vfs::{Vfs, VfsReader, VfsWriter};
use tiledb_core::limits::copy::{
    CONCURRENT_LARGE_FILES, CONCURRENT_PIECES, CONCURRENT_SMALL_FILES, MAX_METADATA_BYTES, PIECE_BYTES,
};

/// Source, target and options of the copy.
pub(super) struct Copier<'a, 'p> {
    pub vfs: &'a Vfs,
    pub from: &'a str,
    pub to: &'a str,
    /// Compare files that the target has.
    pub is_checked: bool,
    /// Compare only.
    pub is_dry: bool,
    pub progress: &'a CopyProgress<'p>,
    pub created: &'a CreatedFiles,
}

/// The names of the files that the copy has created in the target.
#[derive(Default)]
pub(super) struct CreatedFiles(Mutex<BTreeSet<String>>);

impl CreatedFiles {
    fn add(&self, name: &str) {
        lock(&self.0).insert(name.to_owned());
    }

    fn has(&self, name: &str) -> bool {
        lock(&self.0).contains(name)
    }

    /// Takes those out that are not selected.
    pub(super) fn take_others(&self, is_selected: impl Fn(&str) -> bool) -> Vec<String> {
        let mut names = lock(&self.0);
        let (selected, others) = std::mem::take(&mut *names).into_iter().partition(|name| is_selected(name));
        *names = selected;
        Vec::from_iter::<BTreeSet<String>>(others)
    }
}

#[derive(Default)]
pub(super) struct CopyStats {
    pub files: AtomicU64,
    pub bytes: AtomicU64,
    pub already_there: AtomicU64,
    pub differing: AtomicU64,
}

impl Copier<'_, '_> {
    /// Copies all, turn by turn.
    pub(super) fn run(&self, files: &[PlannedFile], done: &CopyStats) -> Result<()> {
        self.progress.begin(files.iter().map(|file| file.size).sum());
        let mut metadata = None;
        let is_together = |a: &PlannedFile, b: &PlannedFile| a.phase == b.phase && details(a) == details(b);
        for phase in files.chunk_by(is_together) {
            let Some(first) = phase.first() else { continue };
            let what = first.phase;
            let new_details = details(first).filter(|_| self.is_new_detail(first));
            if let Some(folder) = new_details {
                self.clear_staged(folder)?;
            }
            // Later group files are changes to earlier ones. On a disk it costs nothing to commit fragments in the
            // order of their timestamps, so that concurrent readers see an earlier state.
            let is_ordered = what == CopyPhase::Group || (what > CopyPhase::Footers && self.is_local());
            if what > CopyPhase::Footers && metadata.is_none() {
                metadata = Some(self.read_metadata(files)?);
            }
            let piece_bytes = PIECE_BYTES.bytes();
            let (small, large): (Vec<&PlannedFile>, Vec<&PlannedFile>) =
                phase.iter().partition(|file| file.size <= piece_bytes);
            for (files, limit) in [(small, CONCURRENT_SMALL_FILES.count()), (large, CONCURRENT_LARGE_FILES.count())] {
                let width = if is_ordered { 1 } else { limit };
                let ahead = if self.from.starts_with("file://") {
                    1
                } else {
                    CONCURRENT_PIECES.count() / width.min(files.len()).max(1)
                };
                self.for_each_file(&files, width, |file, buffer| {
                    let metadata = metadata.as_ref().and_then(|metadata| metadata.get(file.name.as_str()));
                    self.one(file, metadata, buffer, ahead.max(1) as u64, done)
                })?;
            }
            if let Some(folder) = new_details {
                self.publish_staged(folder)?;
            }
        }
        if self.is_dry { Ok(()) } else { self.clear() }
    }

    /// Removes the folder of incomplete files, where storage has folders.
    pub(super) fn clear(&self) -> Result<()> {
        let is_present = self.is_local() && self.vfs.is_dir(&self.unfinished())?;
        if is_present { self.vfs.remove_dir(&self.unfinished()) } else { Ok(()) }
    }

    fn is_local(&self) -> bool {
        self.to.starts_with("file://")
    }

    fn unfinished(&self) -> String {
        format!("{}/{UNFINISHED}", self.to)
    }

    /// Reads all metadata files before any is written: a file that is removed from the source afterwards is not missed,
    /// so that the target does not end up with a part of the commits.
    fn read_metadata<'f>(&self, files: &'f [PlannedFile]) -> Result<BTreeMap<&'f str, Vec<u8>>> {
        let mut remaining = MAX_METADATA_BYTES.bytes();
        let is_selected = |file: &&PlannedFile| {
            let is_missing =
                file.phase > CopyPhase::Footers && file.size > 0 && file.target_size != Some(file.size) && !self.is_dry;
            let fits = is_missing && file.size <= remaining;
            remaining -= if fits { file.size } else { 0 };
            fits
        };
        let selected: Vec<&'f PlannedFile> = files.iter().filter(is_selected).collect();
        let metadata = Mutex::new(BTreeMap::new());
        self.for_each_file(&selected, CONCURRENT_SMALL_FILES.count(), |file, _| {
            let from = format!("{}/{}", self.from, file.name);
            let mut bytes = vec![0; file.size as usize];
            open(self.vfs, &from)?.read_at(0, &mut bytes).map_err(|error| about(error, &from))?;
            lock(&metadata).insert(file.name.as_str(), bytes);
            self.progress.add(0)
        })?;
        Ok(metadata.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Processes for_each_file files concurrently; the first failure ends it. Each worker has its own buffers.
    fn for_each_file<'f>(
        &self,
        files: &[&'f PlannedFile],
        width: usize,
        each: impl Fn(&'f PlannedFile, &mut Vec<u8>) -> Result<()> + Sync,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        let work = || {
            let mut buffer = Vec::new();
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = each(file, &mut buffer) {
                    next.store(files.len(), Ordering::Relaxed);
                    // The first failure is reported.
                    lock(&failure).get_or_insert(error);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..width.min(files.len()) {
                // This thread copies what no other one could be started for.
                if Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn one(
        &self,
        file: &PlannedFile,
        metadata: Option<&Vec<u8>>,
        buffer: &mut Vec<u8>,
        ahead: u64,
        done: &CopyStats,
    ) -> Result<()> {
        let (from, to) = (format!("{}/{}", self.from, file.name), format!("{}/{}", self.to, file.name));
        let add = |number: &AtomicU64, by: u64| number.fetch_add(by, Ordering::Relaxed) + by;
        let step = |bytes: u64| self.progress.add(bytes);
        step(0)?;
        let is_fixed = file.phase.is_fixed();
        if let Some(target_size) = file.target_size {
            let is_whole = target_size == file.size;
            // Schemas identify the array.
            if (is_fixed || (self.is_checked && is_whole)) && !self.is_same(&from, &to, target_size, buffer)? {
                if is_fixed {
                    let text = format!("{to} is not that of {}: another array is there", self.from);
                    let text = format!("{text}; copy to another place, or remove it first");
                    return Err(Error::new(ErrorKind::AlreadyExists, text));
                }
                add(&done.differing, 1);
            } else if is_whole {
                add(&done.already_there, u64::from(!self.created.has(&file.name)));
                return step(file.size);
            }
        }
        if self.is_dry {
            add(&done.files, 1);
            add(&done.bytes, file.size);
            return step(file.size);
        }
        if file.target_size.is_none() {
            self.created.add(&file.name);
        }
        self.write(file, (&from, &to), metadata, ahead, &step)?;
        add(&done.files, 1);
        add(&done.bytes, file.size);
        Ok(())
    }

    /// Writes a file of the target.
    fn write(
        &self,
        file: &PlannedFile,
        (from, to): (&str, &str),
        metadata: Option<&Vec<u8>>,
        ahead: u64,
        step: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<()> {
        if file.size == 0 {
            self.in_folder(to)?;
            return self.vfs.touch(to).map_err(|error| about(error, to));
        }
        // A growing file on a disk is visible: metadata files are written to a temporary name until they are complete.
        let place = match self.is_local() && file.phase != CopyPhase::Data {
            true => format!("{}/{}", self.unfinished(), file.name),
            false => to.to_owned(),
        };
        self.in_folder(&place)?;
        match metadata {
            Some(bytes) => self.put(&place, bytes).and_then(|()| step(file.size))?,
            None => self.copy(from, &place, file.size, ahead, step)?,
        }
        if place != *to && !self.is_new_detail(file) {
            self.in_folder(to)?;
            self.vfs.move_file(&place, to).map_err(|error| about(error, to))?;
        }
        Ok(())
    }

    /// Whether the details of a group on a disk are the first ones there. Their folder makes a folder a group, so that it is
    /// renamed with all of them.
    fn is_new_detail(&self, file: &PlannedFile) -> bool {
        let is_missing = |folder: &str| self.vfs.is_dir(&format!("{}/{folder}", self.to)).is_ok_and(|exists| !exists);
        self.is_local() && !self.is_dry && details(file).is_some_and(is_missing)
    }

    /// Removes what a killed copy has left of a folder that is not in its place yet.
    fn clear_staged(&self, folder: &str) -> Result<()> {
        let staged = format!("{}/{folder}", self.unfinished());
        if self.vfs.is_dir(&staged)? { self.vfs.remove_dir(&staged) } else { Ok(()) }
    }

    /// Renames a folder whose files are complete.
    fn publish_staged(&self, folder: &str) -> Result<()> {
        let to = format!("{}/{folder}", self.to);
        self.in_folder(&to)?;
        self.vfs.move_dir(&format!("{}/{folder}", self.unfinished()), &to).map_err(|error| about(error, &to))
    }

    /// The place where a new group is created before it is one in the target.
    pub(super) fn group_draft(&self, name: &str) -> Result<String> {
        let draft = below(&self.unfinished(), name);
        if self.vfs.is_dir(&draft)? {
            self.vfs.remove_dir(&draft)?;
        }
        if self.is_local() {
            self.vfs.create_dir(&draft)?;
        }
        Ok(draft)
    }

    /// Makes a folder of the target the group that its draft is, with all of its members at once.
    pub(super) fn publish_group(&self, name: &str) -> Result<()> {
        let folder = if name.is_empty() { "__group".to_owned() } else { format!("{name}/__group") };
        if self.is_local() {
            self.publish_staged(&folder)?;
        } else {
            let (from, to) = (below(&self.unfinished(), &folder), below(self.to, &folder));
            for entry in self.vfs.list_recursive(&from)?.iter().filter(|entry| !entry.is_dir()) {
                let mut bytes = vec![0; entry.size() as usize];
                open(self.vfs, entry.uri())?.read_at(0, &mut bytes).map_err(|error| about(error, entry.uri()))?;
                let file = entry.uri().rsplit_once('/').map_or("", |(_, file)| file);
                self.put(&below(&to, file), &bytes)?;
            }
        }
        let marker = below(&below(self.to, name), "__tiledb_group.tdb");
        self.vfs.touch(&marker).map_err(|error| about(error, &marker))?;
        self.vfs.remove_dir(&below(&self.unfinished(), name))
    }

    /// Writes a file that is in memory.
    fn put(&self, to: &str, bytes: &[u8]) -> Result<()> {
        let mut file = create(self.vfs, to)?;
        file.append_bytes(bytes).and_then(|()| file.finish()).map_err(|error| about(error, to))
    }

    /// Makes the folder of a file, where storage has folders.
    fn in_folder(&self, uri: &str) -> Result<()> {
        match uri.rsplit_once('/') {
            Some((folder, _)) if self.is_local() => self.vfs.create_dir(folder),
            _ => Ok(()),
        }
    }

    /// Copies piece by piece; pieces of remote storage are read concurrently, and written in order.
    fn copy(
        &self,
        from: &str,
        to: &str,
        size: u64,
        ahead: u64,
        step: &(dyn Fn(u64) -> Result<()> + Sync),
    ) -> Result<()> {
        let piece_bytes = PIECE_BYTES.bytes();
        let written = Mutex::new(Written { file: None, end: 0, failure: None });
        let phase = Condvar::new();
        let pieces = size.div_ceil(piece_bytes);
        let workers = ahead.clamp(1, pieces.max(1));
        let next = AtomicU64::new(0);
        let work = || {
            let read = open(self.vfs, from);
            let mut buffer = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= pieces {
                    return;
                }
                let at = number * piece_bytes;
                let some = piece(&mut buffer, (size - at).min(piece_bytes));
                let read_bytes = match &read {
                    Ok(file) => file.read_at(at, some).map_err(|error| about(error, from)),
                    Err(error) => Err(Error::new(error.kind(), error.message())),
                };
                let mut out = lock(&written);
                while out.end != at && out.failure.is_none() {
                    out = phase.wait(out).unwrap_or_else(PoisonError::into_inner);
                }
                if out.failure.is_none() {
                    let done =
                        read_bytes.and_then(|()| out.write(self.vfs, to, some)).and_then(|()| step(some.len() as u64));
                    out.failure = done.err();
                }
                phase.notify_all();
                if out.failure.is_some() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..workers {
                if Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let Written { file, failure, .. } = written.into_inner().unwrap_or_else(PoisonError::into_inner);
        match (file, failure) {
            (None, failure) => failure.map_or(Ok(()), Err),
            (Some(file), None) => file.finish().map_err(|error| about(error, to)),
            (Some(file), Some(error)) => {
                drop(file);
                // A part of a file is of no use to readers; that it stays is no harm to the next copy.
                _ = self.vfs.remove_file(to);
                Err(error)
            }
        }
    }

    /// Whether the first bytes of two files are equal.
    fn is_same(&self, a: &str, b: &str, size: u64, buffer: &mut Vec<u8>) -> Result<bool> {
        if size == 0 {
            return Ok(true);
        }
        let one = open(self.vfs, a)?;
        let other = open(self.vfs, b)?;
        let mut second = Vec::new();
        let piece_bytes = PIECE_BYTES.bytes();
        let mut at = 0;
        while at < size {
            let bytes = (size - at).min(piece_bytes);
            let (first, second) = (piece(buffer, bytes), piece(&mut second, bytes));
            one.read_at(at, first).map_err(|error| about(error, a))?;
            other.read_at(at, second).map_err(|error| about(error, b))?;
            if first != second {
                return Ok(false);
            }
            at += first.len() as u64;
        }
        Ok(true)
    }
}

/// The folder of the details of a group that has a file.
fn details(file: &PlannedFile) -> Option<&str> {
    let folder = file.name.rsplit_once('/').map(|(folder, _)| folder);
    folder.filter(|folder| file.phase == CopyPhase::Group && below("", folder).ends_with("/__group"))
}

/// A file that is being written.
struct Written {
    file: Option<VfsWriter>,
    end: u64,
    failure: Option<Error>,
}

impl Written {
    fn write(&mut self, vfs: &Vfs, to: &str, bytes: &[u8]) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(create(vfs, to)?),
        };
        file.append_bytes(bytes).map_err(|error| about(error, to))?;
        self.end += bytes.len() as u64;
        Ok(())
    }
}

fn open(vfs: &Vfs, uri: &str) -> Result<VfsReader> {
    vfs.open(uri).map_err(|error| about(error, uri))
}

fn create(vfs: &Vfs, uri: &str) -> Result<VfsWriter> {
    vfs.create(uri).map_err(|error| about(error, uri))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer for a piece.
fn piece(buffer: &mut Vec<u8>, bytes: u64) -> &mut [u8] {
    buffer.resize(bytes as usize, 0);
    buffer
}
