//! Consolidations in all modes, with random parameters.

use std::sync::Arc;

use tiledb_core::error::{Error, ErrorKind, Result};

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::Work;
use super::{Operation, operation};
use crate::array::TestConsolidation;
use crate::history::Step;

#[derive(Clone, Debug)]
struct Consolidate {
    mode: &'static str,
    consolidation: TestConsolidation,
    purges: bool,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let mode = match drawing.generator.habits.maintains {
        true => drawing.generator.random.pick(&["fragments", "commits"]),
        false => drawing.generator.random.pick(&[
            "fragments",
            "fragments",
            "fragments",
            "commits",
            "fragment_meta",
            "array_meta",
        ]),
    };
    let Step::Consolidate(mut consolidation, effect) = drawing.generator.consolidate() else { return None };
    if mode != "fragments" {
        consolidation = TestConsolidation { parameters: Vec::new(), picks: None };
    }
    consolidation.parameters.push(("sm.consolidation.mode", mode.to_owned()));
    operation(Consolidate { mode, consolidation, purges: effect.purges && mode == "fragments" })
}

/// A consolidation in a mode, with the usual parameters.
pub fn consolidate(mode: &'static str) -> Arc<dyn Operation> {
    let parameters = vec![("sm.consolidation.mode", mode.to_owned())];
    Arc::new(Consolidate { mode, consolidation: TestConsolidation { parameters, picks: None }, purges: false })
}

impl Operation for Consolidate {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let work = match self.mode {
            "fragments" => Work::Merge { purges: self.purges },
            "array_meta" => Work::MergeMetadata,
            _ => Work::MergeCommits,
        };
        site.maintain(work, || site.array().consolidate(site.resources, &self.consolidation))
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        let has = |texts: &[&str]| texts.iter().any(|text| error.text().contains(text));
        let is_small = |name: &str| self.consolidation.parameters.iter().any(|parameter| parameter.0.ends_with(name));
        // As libtiledb, if a cell, or those of a dense tile, exceed the buffers, and if no cell is left.
        (is_small("buffer_size") || self.purges) && has(&["read 0 cells"])
            || is_small("total_budget") && error.kind() == ErrorKind::Budget
            // A merge would change which of several cells is read.
            || has(&["could supersede"])
            || self.consolidation.picks.is_some() && has(&["was created before these fragments"])
            || site.was_disturbed() && has(&["required fragments"])
            || site.has_others()
    }

    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        let mut smaller: Vec<Arc<dyn Operation>> = Vec::new();
        for (name, _) in &self.consolidation.parameters {
            // Those of steps are valid together only.
            let is_other = |other: &str| match name.contains(".step") {
                true => !other.contains(".step"),
                false => other != *name,
            };
            let mut fewer = self.clone();
            fewer.consolidation.parameters.retain(|parameter| is_other(parameter.0));
            if !name.ends_with(".mode") && !name.ends_with("purge_deleted_cells") {
                smaller.push(Arc::new(fewer));
            }
        }
        smaller
    }
}
