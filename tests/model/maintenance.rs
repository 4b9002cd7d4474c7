//! What maintenance drops of the past.

use super::schema::Schema;
use super::{ALWAYS, Change, Event, Model, Window};

/// Changes that were merged into one file, which is visible in windows with all of its times only. Sparse cells retain their own
/// (format, "Time travel").
#[derive(Clone, Debug, Default)]
pub struct Merge {
    pub until: u64,
    /// The changes until this time have been removed.
    removed: u64,
}

impl Merge {
    /// Whether a window may contain a part of what was merged only.
    pub fn cuts(&self, (start, end): Window) -> bool {
        self.removed > 0 && (start > 0 || end < self.removed)
    }
}

impl Model {
    /// The latest of the events that are of some kind.
    fn last(&self, is_kind: impl Fn(&Event) -> bool) -> u64 {
        self.events.iter().filter(|event| is_kind(event)).map(|event| event.time).max().unwrap_or(0)
    }

    /// Fragments with times up to `until` are merged, from which deleted cells are dropped if `purges` is set (format, "Deletes").
    pub fn consolidate(&mut self, until: u64, purges: bool) {
        let written = self.last(|event| matches!(event.change, Change::Write(_)));
        self.merged.until = written.min(until).max(self.merged.until);
        if purges {
            self.purged = self.last(|event| matches!(event.change, Change::Delete(_))).max(self.purged);
        }
    }

    pub fn vacuum(&mut self) {
        self.merged.removed = self.merged.until;
        self.forget_dropped();
    }

    /// Values of dropped attributes are not merged (measured). Until a vacuum, or a merge into several fragments, they are read from the
    /// sources (difference b).
    pub fn forget_dropped(&mut self) {
        let is_dropped = |attribute: &usize| {
            let has = |schema: &Schema| schema.attributes.contains(attribute);
            let had = |time: u64| self.schemas(time.saturating_sub(1)).into_iter().chain(self.schemas(time)).any(has);
            self.during(ALWAYS).any(|event| !event.schemas().iter().all(has) && had(event.time))
        };
        self.lost = (0..self.fills.len()).filter(is_dropped).collect();
    }

    pub fn consolidate_entries(&mut self) {
        self.merged_entries.until = self.last(|event| matches!(event.change, Change::Put(..)));
    }

    pub fn vacuum_entries(&mut self) {
        self.merged_entries.removed = self.merged_entries.until;
    }
}
