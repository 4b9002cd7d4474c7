//! Maintenance by policy.

use std::sync::Arc;

use tiledb_core::error::{Error, ErrorKind, Result};

use super::super::plan::{Drawing, LEASE};
use super::super::site::Site;
use super::super::state::Work;
use super::{Operation, operation};
use crate::array::Parameters;
use crate::history::{PURGE, Step};

#[derive(Clone, Debug)]
struct Maintain {
    /// Milliseconds before fragments are merged.
    grace: u64,
    parameters: Parameters,
    /// Whether it is what follows a write.
    is_after_write: bool,
    /// How often it runs, as with `--watch`, and milliseconds in between.
    runs: (u64, u64),
}

/// So many times more fragments than their bound are merged whatever their age.
const CROWDED: usize = 10;

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let Step::Maintain(mut parameters) = drawing.generator.maintain() else { return None };
    let random = &mut drawing.generator.random;
    let grace = random.pick(&[0, 0, 10_000, 60_000]);
    parameters.push(("sm.maintenance.lease_ms", LEASE.to_string()));
    parameters.push(("sm.maintenance.retention_ms", random.pick(&[0, 0, 500]).to_string()));
    parameters.push(("sm.maintenance.write_grace_ms", grace.to_string()));
    let is_after_write = random.one_in(3);
    if is_after_write {
        parameters.push(("sm.maintenance.after_write", "true".to_owned()));
    }
    let runs = (if random.one_in(4) { 1 + random.below(4) } else { 1 }, random.below(LEASE));
    operation(Maintain { grace, parameters, is_after_write, runs })
}

/// Merges all fragments and purges deleted cells that are older than the grace period.
pub fn purge_by_policy(grace: u64) -> Arc<dyn Operation> {
    let grace_parameter = ("sm.maintenance.write_grace_ms", grace.to_string());
    let parameters =
        vec![("sm.maintenance.max_fragments", "1".to_owned()), (PURGE, "true".to_owned()), grace_parameter];
    Arc::new(Maintain { grace, parameters, is_after_write: false, runs: (1, 0) })
}

impl Operation for Maintain {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let value =
            |name: &str| self.parameters.iter().find(|parameter| parameter.0 == name).map(|parameter| &parameter.1);
        let bound = value("sm.maintenance.max_fragments").and_then(|bound| bound.parse().ok()).unwrap_or(0);
        // Merges in pieces make many fragments.
        let is_split = value("sm.consolidation.max_fragment_size").is_some();
        let crowd = if is_split { 0 } else { bound * CROWDED };
        let purges = value(PURGE).is_some();
        for run in 0..self.runs.0 {
            site.sleep(if run > 0 { self.runs.1 } else { 0 });
            site.maintain(Work::Policy { grace: self.grace, crowd, purges }, || match self.is_after_write {
                true => site.array().maintain_after_write(site.resources, &self.parameters),
                false => site.array().maintain(site.resources, &self.parameters),
            })?;
        }
        Ok(())
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        let has = |texts: &[&str]| texts.iter().any(|text| error.text().contains(text));
        has(&["could supersede", "holds the lease"])
            || (site.was_disturbed() || site.has_outlasted_lease())
                && has(&["expired or was removed", "required fragments"])
            || error.kind() == ErrorKind::Budget
            || site.has_others()
    }

    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        let without = |name: &&str| -> Arc<dyn Operation> {
            let parameters = self.parameters.iter().filter(|parameter| parameter.0 != *name).cloned().collect();
            Arc::new(Maintain { parameters, ..self.clone() })
        };
        let once: Arc<dyn Operation> = Arc::new(Maintain { runs: (1, 0), ..self.clone() });
        let once = Some(once).filter(|_| self.runs.0 > 1);
        ["sm.consolidation.max_fragment_size"]
            .iter()
            .filter(|name| self.parameters.iter().any(|parameter| parameter.0 == **name))
            .map(without)
            .chain(once)
            .collect()
    }
}
