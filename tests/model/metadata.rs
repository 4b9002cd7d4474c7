//! The metadata of an array or a group, and the members of a group.

use std::collections::BTreeMap;

use super::{Change, Model, Window, latest};

impl Model {
    /// Compares entries with those that a window shows: of each key the last change inside of it (format, "Metadata and groups").
    pub fn check_entries(&self, window: Window, entries: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
        let mut changes: BTreeMap<&String, Vec<_>> = BTreeMap::new();
        for event in self.during(window) {
            if let Change::Put(key, value) = &event.change {
                changes.entry(key).or_default().push((event, value.as_ref()));
            }
        }
        entries.keys().for_each(|key| _ = changes.entry(key).or_default());
        for (key, changes) in changes {
            let (last, may_lack) = latest(changes, self.merged_entries.cuts(window));
            let value = entries.get(key);
            if last.iter().all(|(_, other)| *other != value) && (value.is_some() || !may_lack) {
                return Err(format!("{key} is {value:?}, none of {last:?}"));
            }
        }
        Ok(())
    }
}
