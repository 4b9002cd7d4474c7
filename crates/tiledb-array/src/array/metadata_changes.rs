//! Pending changes of metadata, written when the array or group is closed.
//!
//! They are stored in file format, in insertion order: most programs put keys in ascending order, so that nothing is left to
//! do when the file is written. Otherwise the changes are sorted when they are read.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::metadata::{ENTRY_MEMORY, MetadataEntry, check_stored, entry};
use super::{Metadata, MetadataValue};
use crate::schema::timestamped_name;
use tiledb_core::error::Result;
use tiledb_core::limits::fragment::METADATA_COMPACTION_BYTES;
use tiledb_core::memory;
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{Datatype, FormatVersion};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Values put and deleted since opening; the last change of a key wins.
#[derive(Default)]
pub struct MetadataChanges {
    /// The entries in file format.
    log: Vec<u8>,
    /// Offset of each entry.
    starts: Vec<usize>,
    /// Some key does not come after the one before it.
    unordered: bool,
    /// Size of the log in bytes after replaced entries were last removed.
    compacted: usize,
}

impl MetadataChanges {
    /// Records a value of whole cells; without bytes the value is empty.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn put(&mut self, key: &str, datatype: Datatype, bytes: &[u8]) -> Result<()> {
        self.record(&MetadataEntry { key: key.as_bytes(), value: Some(MetadataValue::new(datatype, bytes)) })
    }

    /// Records that a key goes, whether there is one or not.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn delete(&mut self, key: &str) -> Result<()> {
        self.record(&MetadataEntry { key: key.as_bytes(), value: None })
    }

    /// True if nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// The changes in the order of keys; `None` for a deleted one.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn sorted(&self) -> Result<Vec<(&str, Option<MetadataValue<'_>>)>> {
        let mut sorted = memory::with_capacity("metadata", self.starts.len())?;
        for &start in &*self.order()? {
            let change = self.at(start)?;
            // Callers pass keys as strings.
            sorted.push((str::from_utf8(change.key).unwrap_or_default(), change.value));
        }
        Ok(sorted)
    }

    /// The values that were put, as all there are.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn values(&self) -> Result<Metadata> {
        Metadata::of(self.payload()?.into_owned())
    }

    /// Appends later changes.
    ///
    /// # Errors
    /// If an allocation fails.
    pub fn append(&mut self, other: &MetadataChanges) -> Result<()> {
        other.starts.iter().try_for_each(|&start| self.record(&other.at(start)?))
    }

    /// Writes the changes into a file of the array or group at `parent`, of this format version and as of `time`; none where
    /// there are no changes.
    ///
    /// # Errors
    /// If a storage operation fails.
    pub fn write(
        &self,
        resources: &Resources,
        parent: &Uri,
        version: FormatVersion,
        time: u64,
        key: &EncryptionKey,
    ) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let _timer = resources.stats().timer(Timer::WriteMetadata);
        let payload = self.payload()?;
        let bytes = generic::store(&payload, version, key, resources.stats(), Counter::MetadataWritten)?;
        check_stored(resources, parent, payload.len() + self.starts.len() * ENTRY_MEMORY, bytes.len())?;
        resources.vfs().put(&parent.join("__meta").join(&timestamped_name(time, time)), &bytes)
    }

    /// The entries in the order of keys.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn payload(&self) -> Result<Cow<'_, [u8]>> {
        if !self.unordered {
            return Ok(Cow::Borrowed(&self.log));
        }
        let mut w = WireWriter::new();
        self.order()?.iter().try_for_each(|&start| self.at(start).map(|change| change.write(&mut w)))?;
        w.finish().map(Cow::Owned)
    }

    /// Appends a change. The first of two changes of a key, one after the other, is taken back.
    fn record(&mut self, change: &MetadataEntry<'_>) -> Result<()> {
        if self.unordered && self.log.len() > METADATA_COMPACTION_BYTES.count() + 2 * self.compacted {
            self.compact()?;
        }
        memory::reserve("metadata", &mut self.log, change.size())?;
        memory::reserve("metadata", &mut self.starts, 1)?;
        if let Some(&last) = self.starts.last() {
            match self.key_at(last).cmp(change.key) {
                Ordering::Less => {}
                Ordering::Greater => self.unordered = true,
                Ordering::Equal => {
                    self.log.truncate(last);
                    self.starts.pop();
                }
            }
        }
        self.starts.push(self.log.len());
        change.append(&mut self.log);
        Ok(())
    }

    /// Removes replaced entries.
    fn compact(&mut self) -> Result<()> {
        let mut compacted = MetadataChanges::default();
        memory::reserve("metadata", &mut compacted.log, self.log.len())?;
        self.order()?.iter().try_for_each(|&start| compacted.record(&self.at(start)?))?;
        compacted.compacted = compacted.log.len();
        *self = compacted;
        Ok(())
    }

    fn at(&self, start: usize) -> Result<MetadataEntry<'_>> {
        entry(&mut WireReader::new("metadata", &self.log[start..]))
    }

    fn key_at(&self, start: usize) -> &[u8] {
        self.at(start).map_or(&[], |change| change.key)
    }

    /// Offsets of the last change of each key, sorted by key.
    fn order(&self) -> Result<Cow<'_, [usize]>> {
        if !self.unordered {
            return Ok(Cow::Borrowed(&self.starts));
        }
        let first = self.starts.first().map_or(&[][..], |&start| self.key_at(start));
        let common = |most: usize, &start: &usize| {
            self.key_at(start).iter().zip(&first[..most]).take_while(|(a, b)| a == b).count()
        };
        let shared = self.starts.iter().fold(first.len(), common);
        // The bytes after the common prefix nearly always decide, without comparing keys.
        let word = |start: usize| {
            let mut word = [0; 8];
            let rest = self.key_at(start).get(shared..).unwrap_or_default();
            let len = rest.len().min(8);
            word[..len].copy_from_slice(&rest[..len]);
            u64::from_be_bytes(word)
        };
        let mut places = memory::collect("metadata", self.starts.iter().map(|&start| (word(start), start)))?;
        places.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.key_at(a.1).cmp(self.key_at(b.1))).then(a.1.cmp(&b.1))
        });
        places.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0 && self.key_at(later.1) == self.key_at(earlier.1);
            if same {
                *earlier = *later;
            }
            same
        });
        memory::collect("metadata", places.iter().map(|&(_, start)| start)).map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use tiledb_core::limits::simulation::SimulatedLimits;

    proptest! {
        #[test]
        fn the_last_change_of_a_key_counts(
            changes in prop::collection::vec(("[ab]{0,3}|same-[a-c]{0,10}", prop::option::of(0u8..200)), 0..60),
            cut in 0usize..60,
            limits in prop::option::of(any::<u64>()),
        ) {
            let mut made = [MetadataChanges::default(), MetadataChanges::default()];
            let mut expected = BTreeMap::new();
            SimulatedLimits::of_option(limits).run(|| for (number, (key, value)) in changes.iter().enumerate() {
                let made = &mut made[usize::from(number >= cut)];
                match value {
                    Some(value) => made.put(key, Datatype::Uint8, &vec![*value; usize::from(*value)]).unwrap(),
                    None => made.delete(key).unwrap(),
                }
                if number % 7 == 3 {
                    made.compact().unwrap();
                }
                expected.insert(key.as_str(), *value);
            });
            let [mut all, later] = made;
            all.append(&later).unwrap();
            let sorted: Vec<_> = all.sorted().unwrap();
            let shown: Vec<_> = sorted.iter().map(|(key, value)| (*key, value.map(|value| value.bytes().to_vec()))).collect();
            let expected: Vec<_> =
                expected.into_iter().map(|(key, value)| (key, value.map(|value| vec![value; usize::from(value)]))).collect();
            prop_assert_eq!(&shown, &expected);
            prop_assert_eq!(all.values().unwrap().len(), expected.iter().filter(|(_, value)| value.is_some()).count());
        }
    }

    #[test]
    fn what_is_replaced_again_and_again_takes_no_more_room() {
        let mut changes = MetadataChanges::default();
        for round in 0..2000 {
            for key in ["b", "a"] {
                changes.put(key, Datatype::Uint8, &[round as u8; 10_000]).unwrap();
            }
        }
        assert!(changes.log.capacity() < 4 * METADATA_COMPACTION_BYTES.count(), "{}", changes.log.capacity());
        assert_eq!(changes.sorted().unwrap().iter().map(|(key, _)| *key).collect::<Vec<_>>(), ["a", "b"]);
    }
}
