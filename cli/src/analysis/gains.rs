//! Which work on an array would gain something, and what.

use crate::tiledb::{Fragment, FragmentInfo, Result, Schema};

/// What there is to gain.
pub struct Gains {
    fragments: usize,
    unconsolidated: u32,
    old: usize,
    /// Fragments that wait for a vacuum.
    pub merged: usize,
    /// Folders of writers that did not come to their end.
    pub orphans: usize,
}

impl Gains {
    /// Counts.
    pub fn of(info: &FragmentInfo, schema: &Schema, fragments: &[Fragment], orphans: usize) -> Result<Self> {
        Ok(Self {
            fragments: fragments.len(),
            unconsolidated: info.unconsolidated()?,
            old: fragments.iter().filter(|fragment| fragment.version < schema.version).count(),
            merged: info.to_vacuum()?.len(),
            orphans,
        })
    }

    /// In words.
    pub fn advice(&self) -> Vec<String> {
        let Self { fragments, unconsolidated, old, merged, orphans } = *self;
        let mut all = Vec::new();
        if fragments > 1 {
            all.push(format!("consolidate: {fragments} fragments could become fewer, reads would open fewer files"));
        }
        if fragments > 1 && unconsolidated > 1 {
            all.push(format!("consolidate --mode fragment-meta: {unconsolidated} footers would be read from one file"));
        }
        if merged > 0 {
            all.push(format!("vacuum: {merged} fragments were merged into others and could go"));
        }
        if orphans > 0 {
            all.push(format!("sweep: {orphans} folders of writers that did not come to their end"));
        }
        if old > 0 {
            all.push(format!("consolidate: {old} fragments have an older format version than the schema"));
        }
        all
    }
}
