//! Recommends maintenance that would pay off.

use tiledb::Context;
use tiledb::maintenance::Objective;

use crate::model::{Advice, Fragment, FragmentInfo, Result, Schema, advise};
use crate::output;

/// Counts on which the recommendations are based.
pub(crate) struct Gains {
    fragments: usize,
    unconsolidated: usize,
    old: usize,
    /// Consolidated fragments that can be vacuumed.
    pub merged: usize,
    /// Orphaned fragments of killed writers.
    pub orphans: usize,
    /// Bytes of all cells now and with the recommended schema, if they were measured.
    schema: Option<[u64; 2]>,
}

/// A smaller gain is not reported, in percent: a sample is not exact.
const REPORTED: u64 = 5;

impl Gains {
    /// Counts.
    pub(crate) fn of(info: &FragmentInfo, schema: &Schema, fragments: &[Fragment], orphans: usize) -> Self {
        Self {
            fragments: fragments.len(),
            unconsolidated: info.unconsolidated(),
            old: fragments.iter().filter(|fragment| fragment.version < schema.version).count(),
            merged: info.to_vacuum(),
            orphans,
            schema: None,
        }
    }

    /// Measures what the recommended schema gains, by encoding a sample of the cells.
    pub(crate) fn measure_schema(&mut self, ctx: &Context, uri: &str, objective: Objective) -> Result<()> {
        self.schema = Some(Advice::total(&advise(ctx, uri, objective)?.0));
        Ok(())
    }

    /// In words.
    pub(crate) fn advice(&self) -> Vec<String> {
        let Self { fragments, unconsolidated, old, merged, orphans, schema } = *self;
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
        match schema {
            Some([now, then]) if then < now / 100 * (100 - REPORTED) => {
                let [now, then] = [now, then].map(output::bytes);
                all.push(format!("rewrite --profile balanced: {now} of cells could become {then}, by a sample"));
            }
            _ => (),
        }
        all
    }
}
