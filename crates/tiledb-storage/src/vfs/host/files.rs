//! What the host program supplies, and what it is asked for.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cache::RangeStore;
use crate::vfs::Uri;
use crate::vfs::directory_index::{DirectoryIndex, INDEX_NAME};
use crate::vfs::indexed::{FoundIndex, IndexSource};
use tiledb_core::error::{Error, ErrorKind, Result};

/// Maximum size of all cached ranges.
const CACHE_BYTES: u64 = 256 << 20;

/// Requests for ranges of a file with at most this gap are one request.
const MAX_GAP: u64 = 16 << 10;

/// What an operation needs to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostRequest {
    /// The index of a directory, at this address; [`HostFiles::supply_index`].
    Index(Uri),
    /// Ranges of a file of this size, which ascend; [`HostFiles::supply`].
    Ranges(Uri, u64, Vec<Range<u64>>),
}

/// The files of a context whose bytes the host program supplies. A clone shares them.
#[derive(Clone)]
pub struct HostFiles(Arc<Mutex<State>>);

struct State {
    ranges: RangeStore,
    indexes: HashMap<Uri, FoundIndex>,
    requested_indexes: Vec<Uri>,
    /// By address, with the size of the file.
    requested: BTreeMap<String, (Uri, u64, Vec<Range<u64>>)>,
}

impl Default for HostFiles {
    fn default() -> HostFiles {
        HostFiles(Arc::new(Mutex::new(State {
            ranges: RangeStore::new(CACHE_BYTES),
            indexes: HashMap::new(),
            requested_indexes: Vec::new(),
            requested: BTreeMap::new(),
        })))
    }
}

impl HostFiles {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins or repeats an operation. Operations are numbered, and what they read stays cached until they are finished, as all before
    /// `oldest` are.
    pub fn begin(&self, operation: u64, oldest: u64) {
        let mut state = self.state();
        state.ranges.begin(operation, oldest);
        state.requested_indexes.clear();
        state.requested.clear();
    }

    /// What the operation needs to go on, once: then the program supplies it and repeats the operation. Empty if nothing is missing.
    pub fn take_requests(&self) -> Vec<HostRequest> {
        let mut state = self.state();
        let indexes = std::mem::take(&mut state.requested_indexes);
        let requested = std::mem::take(&mut state.requested);
        let ranges = requested.into_values().map(|(uri, size, ranges)| HostRequest::Ranges(uri, size, merged(ranges)));
        indexes.into_iter().map(HostRequest::Index).chain(ranges).collect()
    }

    /// Whether the operation needs anything to go on.
    pub fn is_waiting(&self) -> bool {
        let state = self.state();
        !state.requested.is_empty() || !state.requested_indexes.is_empty()
    }

    /// Supplies bytes of a file of this size.
    pub fn supply(&self, uri: &Uri, size: u64, start: u64, bytes: Vec<u8>) {
        self.state().ranges.insert(uri, size, start, bytes);
    }

    /// Supplies the index of a directory, or the reason why there is none.
    ///
    /// # Errors
    /// If the index is invalid.
    pub fn supply_index(&self, address: &Uri, bytes: std::result::Result<&[u8], &str>) -> Result<()> {
        let Some(directory) = address.parent() else {
            return Err(Error::invalid(format!("'{address}' is no index of a directory")));
        };
        let index = match bytes {
            Ok(bytes) => {
                let parsed = DirectoryIndex::parse(bytes);
                let parsed = parsed.map_err(|error| error.context(format_args!("HTTP: Cannot list '{directory}'")));
                FoundIndex::Index(Arc::new(parsed?))
            }
            Err(reason) => FoundIndex::Absent(reason.into()),
        };
        self.state().indexes.insert(directory, index);
        Ok(())
    }

    /// Forgets the indexes of a directory, of those below it and of those above it, which may have changed. Files never do.
    pub fn forget_indexes(&self, directory: &Uri) {
        let directory = directory.without_trailing_slash();
        let is_above = |a: &Uri, b: &Uri| b.relative_to(a).is_some() || a == b;
        self.state().indexes.retain(|other, _| !is_above(&directory, other) && !is_above(other, &directory));
    }

    /// Forgets all files and indexes of a directory.
    pub fn forget(&self, directory: &Uri) {
        self.forget_indexes(directory);
        self.state().ranges.forget(|uri| uri.relative_to(directory).is_some());
    }

    /// Fills `out` with the bytes of a file of this size, or requests `fetched`, which contains them.
    pub(super) fn read(&self, uri: &Uri, size: u64, offset: u64, out: &mut [u8], fetched: Range<u64>) -> Result<()> {
        let mut state = self.state();
        if state.ranges.read(uri, offset, out).is_empty() {
            return Ok(());
        }
        state.want(uri, size, fetched)
    }

    /// Requests what is missing of a range.
    pub(super) fn demand(&self, uri: &Uri, size: u64, range: Range<u64>) -> Result<()> {
        self.state().want(uri, size, range)
    }
}

impl State {
    fn want(&mut self, uri: &Uri, size: u64, range: Range<u64>) -> Result<()> {
        let gaps = self.ranges.gaps(uri, range);
        if gaps.is_empty() {
            return Ok(());
        }
        let (_, _, ranges) =
            self.requested.entry(uri.as_str().to_owned()).or_insert_with(|| (uri.clone(), size, Vec::new()));
        ranges.extend(gaps);
        let requested = self.requested.values().flat_map(|(.., ranges)| ranges);
        let bytes = requested.fold(0, |sum: u64, range| sum.saturating_add(range.end - range.start));
        if !self.ranges.has_room(bytes) {
            self.requested.clear();
            let text = format!(
                "HTTP: Cannot read '{uri}'; the operation needs more than {} bytes of files at a time. Read fewer cells or fields at once",
                self.ranges.limit()
            );
            return Err(Error::new(ErrorKind::OutOfMemory, text));
        }
        Err(pending(uri))
    }
}

#[cold]
fn pending(uri: &Uri) -> Error {
    Error::new(ErrorKind::Pending, format!("HTTP: Bytes of '{uri}' were not supplied yet"))
}

impl IndexSource for HostFiles {
    fn get(&self, directory: &Uri) -> Result<FoundIndex> {
        let mut state = self.state();
        if let Some(index) = state.indexes.get(directory) {
            return Ok(index.clone());
        }
        let index = directory.join(INDEX_NAME);
        let error = pending(&index);
        if !state.requested_indexes.contains(&index) {
            state.requested_indexes.push(index);
        }
        Err(error)
    }

    fn cached(&self, directory: &Uri) -> Option<Arc<DirectoryIndex>> {
        match self.state().indexes.get(directory) {
            Some(FoundIndex::Index(index)) => Some(Arc::clone(index)),
            _ => None,
        }
    }
}

/// The ranges in order, with small gaps filled.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(MAX_GAP) => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
