//! Deletes of cells that meet a condition.

use std::sync::Arc;

use tiledb_core::error::Result;

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::Subject;
use super::{Operation, operation};
use crate::model::Change;
use crate::model::condition::Condition;
use crate::world::START;

#[derive(Clone, Debug)]
struct Delete {
    time: Option<u64>,
    condition: Condition,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    if drawing.shape.is_dense() {
        return None;
    }
    let time = drawing.time();
    operation(Delete { time, condition: drawing.generator.condition(0, true) })
}

/// A delete now.
pub fn delete(condition: Condition) -> Arc<dyn Operation> {
    Arc::new(Delete { time: None, condition })
}

impl Operation for Delete {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let time = self.time.map_or(0, |time| START + time);
        site.commit(Subject::Delete, vec![Change::Delete(self.condition.clone())], || {
            site.array().delete(site.resources, time, &self.condition)
        })
    }

    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        match &self.condition {
            Condition::And(parts) | Condition::Or(parts) => {
                let part = |condition: &Condition| -> Arc<dyn Operation> {
                    Arc::new(Delete { condition: condition.clone(), ..self.clone() })
                };
                parts.iter().map(part).collect()
            }
            _ => Vec::new(),
        }
    }
}
