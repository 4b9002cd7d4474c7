//! Recommends maintenance that would pay off.

use crate::tiledb::{Fragment, FragmentInfo, Result, Schema};

/// Counts on which the recommendations are based.
pub struct Gains {
    fragments: usize,
    unconsolidated: u32,
    old: usize,
    /// Consolidated fragments that can be vacuumed.
    pub merged: usize,
    /// Orphaned fragments of killed writers.
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
