//! Schema evolutions: attributes are added, dropped, and added again.

use std::sync::Arc;

use tiledb_core::error::{Error, Result};

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::Subject;
use super::{Operation, operation};
use crate::array::TestEvolution;
use crate::history::STABLE;
use crate::journal::AFTER_ALL;
use crate::model::Change;
use crate::world::START;

/// Adds attributes that the array lacks, and drops those that it has.
#[derive(Debug)]
struct Evolve {
    time: Option<u64>,
    attributes: Vec<usize>,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let time = drawing.time();
    let count = drawing.shape.attributes.len();
    let random = &mut drawing.generator.random;
    let attributes: Vec<usize> = (STABLE..count).filter(|_| random.one_in(2)).collect();
    if attributes.is_empty() { None } else { operation(Evolve { time, attributes }) }
}

/// An evolution that adds attributes that the array lacks, and drops those that it has.
pub fn evolve(attributes: Vec<usize>) -> Arc<dyn Operation> {
    Arc::new(Evolve { time: None, attributes })
}

impl Evolve {
    fn changes(&self, schema: &[usize]) -> Vec<TestEvolution> {
        let change = |attribute: &usize| match schema.contains(attribute) {
            true => TestEvolution::Drop(*attribute),
            false => TestEvolution::Add(*attribute),
        };
        self.attributes.iter().map(change).collect()
    }
}

impl Operation for Evolve {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let time = self.time.map_or(0, |time| START + time);
        let schema = site.state().array.view(AFTER_ALL).schema(u64::MAX).attributes.clone();
        let changes = self.changes(&schema);
        site.commit(Subject::Schema(changes.clone()), vec![Change::Evolve(Vec::new())], || {
            site.array().evolve(site.resources, time, &changes)
        })
    }

    fn may_fail(&self, _error: &Error, site: &Site<'_>) -> bool {
        // Another one has evolved the schema meanwhile, or will have, as the times of both are.
        let state = site.state();
        let schemas = state.array.schemas_of((site.begin, u64::MAX));
        schemas.len() > 1
    }
}
