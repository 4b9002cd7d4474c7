//! Changes of metadata, gathered while an array or group is open for writing.

use std::collections::HashMap;

use super::metadata::Change;
use super::{Metadata, MetadataValue};
use crate::crypto::EncryptionKey;
use crate::error::{Error, Result};
use crate::resources::Resources;
use crate::schema::timestamped_name;
use crate::stats::{Counter, Timer};
use crate::tile::generic;
use crate::types::Datatype;
use crate::vfs::Uri;
use crate::wire::Writer;

/// A value that was put.
struct Put {
    datatype: Datatype,
    /// Whole ones.
    cells: Box<[u8]>,
}

/// What was put and deleted since opening; the last change of a key counts.
#[derive(Default)]
pub struct MetadataChanges {
    /// `None` for a deleted key.
    entries: HashMap<Box<str>, Option<Put>>,
}

impl MetadataChanges {
    /// Records a value of whole cells; without bytes the value is empty.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn put(&mut self, key: &str, datatype: Datatype, bytes: &[u8]) -> Result<()> {
        let cells = MetadataValue::new(datatype, bytes).bytes();
        let mut own = Vec::new();
        own.try_reserve_exact(cells.len()).map_err(|_| Error::out_of_memory("a metadata value", cells.len()))?;
        own.extend_from_slice(cells);
        self.entries.insert(key.into(), Some(Put { datatype, cells: own.into() }));
        Ok(())
    }

    /// Records that a key goes, whether there is one or not.
    pub fn delete(&mut self, key: &str) {
        self.entries.insert(key.into(), None);
    }

    /// True if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The changes in the order of keys; `None` for a deleted one.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<MetadataValue<'_>>)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        entries
            .into_iter()
            .map(move |(key, put)| (&**key, put.as_ref().map(|put| MetadataValue::new(put.datatype, &put.cells))))
    }

    /// The values that were put, as all there are.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn values(&self) -> Result<Metadata> {
        Metadata::of(self.payload()?)
    }

    /// Takes other changes over, which are later.
    pub fn append(&mut self, other: MetadataChanges) {
        self.entries.extend(other.entries);
    }

    /// Writes the changes into a file of the array or group at `parent`, as of `time`; none where
    /// there are no changes.
    ///
    /// # Errors
    /// If the storage refuses.
    pub fn write(&self, resources: &Resources, parent: &Uri, time: u64, key: &EncryptionKey) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let _timer = resources.stats().timer(Timer::WriteMetadata);
        let bytes = generic::store(&self.payload()?, key, resources.stats(), Counter::MetadataWritten)?;
        resources.vfs().put(&parent.join("__meta").join(&timestamped_name(time, time)), &bytes)
    }

    /// The entries in the order of keys.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn payload(&self) -> Result<Vec<u8>> {
        let mut w = Writer::new();
        for (key, value) in self.iter() {
            Change { key: key.as_bytes(), value }.write(&mut w);
        }
        w.finish()
    }
}
