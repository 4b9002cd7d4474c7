//! Vacuums in all modes.

use std::sync::Arc;

use tiledb_core::error::{Error, Result};

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::Work;
use super::{Operation, operation};

#[derive(Debug)]
struct Vacuum {
    mode: &'static str,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let modes = ["fragments", "fragments", "commits", "fragment_meta", "array_meta"];
    let mode = drawing.generator.random.pick(&modes);
    operation(Vacuum { mode: if drawing.generator.habits.maintains { "fragments" } else { mode } })
}

/// A vacuum in a mode.
pub fn vacuum(mode: &'static str) -> Arc<dyn Operation> {
    Arc::new(Vacuum { mode })
}

impl Operation for Vacuum {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let work = if self.mode == "array_meta" { Work::VacuumMetadata } else { Work::Vacuum };
        site.maintain(work, || site.array().vacuum(site.resources, self.mode))
    }

    fn may_fail(&self, _error: &Error, site: &Site<'_>) -> bool {
        site.has_others()
    }
}
