//! Schema evolutions: attributes are added, dropped, and added again; the current domain and the enumeration grow.

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
use crate::model::schema::Schema;
use crate::shape::{ArrayShape, COLORS};
use crate::world::START;

/// Adds attributes that the array lacks, and drops those that it has.
#[derive(Debug)]
struct Evolve {
    time: Option<u64>,
    attributes: Vec<usize>,
    /// Cells by which the current domain grows, at both ends of each dimension.
    growth: Option<Vec<(u8, u8)>>,
    extends_colors: bool,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let time = drawing.time();
    let count = drawing.shape.attributes.len();
    let random = &mut drawing.generator.random;
    let attributes: Vec<usize> = (STABLE..count).filter(|_| random.one_in(2)).collect();
    let mut cells = |_| (random.below(3) as u8, random.below(3) as u8);
    let dimensions = drawing.shape.dimensions.iter();
    let growth: Option<Vec<(u8, u8)>> =
        drawing.shape.current_domain.is_some().then(|| dimensions.map(&mut cells).collect());
    let growth = growth.filter(|_| random.one_in(2));
    let extends_colors = drawing.shape.has_colors() && random.one_in(4);
    let is_empty = attributes.is_empty() && growth.is_none() && !extends_colors;
    if is_empty { None } else { operation(Evolve { time, attributes, growth, extends_colors }) }
}

/// An evolution that adds attributes that the array lacks, and drops those that it has.
pub fn evolve(attributes: Vec<usize>) -> Arc<dyn Operation> {
    Arc::new(Evolve { time: None, attributes, growth: None, extends_colors: false })
}

impl Evolve {
    fn changes(&self, schema: &Schema, shape: &ArrayShape) -> Vec<TestEvolution> {
        let change = |attribute: &usize| match schema.attributes.contains(attribute) {
            true => TestEvolution::Drop(*attribute),
            false => TestEvolution::Add(*attribute),
        };
        let mut changes: Vec<TestEvolution> = self.attributes.iter().map(change).collect();
        if let Some(growth) = &self.growth {
            let mut domain = schema.domain.clone();
            for ((range, growth), dimension) in domain.iter_mut().zip(growth).zip(&shape.dimensions) {
                *range = (range.0.saturating_sub(growth.0), (range.1 + growth.1).min(dimension.side - 1));
            }
            changes.push(TestEvolution::Expand(domain));
        }
        if self.extends_colors && schema.labels.len() < COLORS.len() {
            changes.push(TestEvolution::Extend(schema.labels.len() + 1));
        }
        changes
    }
}

impl Operation for Evolve {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let time = self.time.map_or(0, |time| START + time);
        let schema = site.state().array.view(AFTER_ALL).schema(u64::MAX).clone();
        let changes = self.changes(&schema, &site.array().shape);
        if changes.is_empty() {
            return Ok(());
        }
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
