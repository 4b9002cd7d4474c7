//! The journal in a lease file: the consolidation that its maintainer may leave unfinished.

use std::fmt::Write;

use tiledb_array::fragment::FragmentName;

/// Size from which on a lease file is not read: journals name some thousands of fragments at most.
pub(super) const MAX_JOURNAL_BYTES: u64 = 16 << 20;

/// Ends the line of the process in the journal of a fenced commit.
const FENCED: &str = " fenced";

/// A consolidation that may have ended anywhere before its vacuum file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Journal {
    /// The created fragments are committed by prepared files only.
    pub(super) is_fenced: bool,
    /// Fragments that are being stored.
    pub(super) begun: Vec<FragmentName>,
    /// Fragments that may have been committed.
    pub(super) created: Vec<FragmentName>,
    /// Those that they replace.
    pub(super) replaced: Vec<FragmentName>,
}

impl Journal {
    pub(super) fn is_empty(&self) -> bool {
        self.begun.is_empty() && self.created.is_empty() && self.replaced.is_empty()
    }

    /// A fragment that a merge into the created ones cannot have replaced: one of them, or one with cells outside of their times. A
    /// journal that has one is not that of a maintainer, and to hide the fragment could hide the newest cells.
    pub(super) fn misplaced(&self) -> Option<&FragmentName> {
        let times = self.created.iter().map(FragmentName::timestamps);
        let merged = times.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
        let is_merged = |name: &FragmentName| {
            let (start, end) = name.timestamps();
            merged.0 <= start && end <= merged.1 && !self.created.contains(name)
        };
        self.replaced.iter().find(|name| !is_merged(name))
    }

    /// The contents of a lease file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let fence = if self.is_fenced { FENCED } else { "" };
        let mut text = format!("process {}{fence}\n", std::process::id());
        for (word, names) in [("begun", &self.begun), ("created", &self.created), ("replaced", &self.replaced)] {
            for name in names {
                // Writing into a string cannot fail.
                _ = writeln!(text, "{word} {name}");
            }
        }
        // An incomplete file is recognized.
        text.push_str("end\n");
        text.into_bytes()
    }

    /// Reads what [`Journal::to_bytes`] wrote; none if it is something else.
    pub(super) fn parse(bytes: &[u8]) -> Option<Journal> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix("end\n")?;
        let mut journal = Journal::default();
        for line in text.lines() {
            match line.split_once(' ')? {
                ("process", process) => journal.is_fenced = process.ends_with(FENCED),
                ("begun", name) => journal.begun.push(FragmentName::parse(name).ok()?),
                ("created", name) => journal.created.push(FragmentName::parse(name).ok()?),
                ("replaced", name) => journal.replaced.push(FragmentName::parse(name).ok()?),
                _ => return None,
            }
        }
        Some(journal)
    }
}
