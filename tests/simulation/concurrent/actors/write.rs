//! Writers: dense and sparse, in any order, global order in several submits.

use std::sync::Arc;

use tiledb_core::error::{Error, Result};
use tiledb_core::types::QueryType;

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::Subject;
use super::{Operation, operation};
use crate::array::TestWrite;
use crate::model::Change;
use crate::world::START;

#[derive(Clone, Debug)]
pub struct Write {
    /// After the start; now if there is none.
    time: Option<u64>,
    write: TestWrite,
    /// Whether cells may be outside of the current domain, which is refused.
    exceeds_domain: bool,
    /// Milliseconds between two submits.
    idle: u64,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let time = drawing.time();
    let write = drawing.generator.write();
    let idle = drawing.idle();
    let exceeds_domain = drawing.generator.random.one_in(10);
    operation(Write { time, write, exceeds_domain, idle })
}

/// A write now.
pub fn write(write: TestWrite) -> Arc<dyn Operation> {
    Arc::new(Write { time: None, write, exceeds_domain: false, idle: 0 })
}

/// A write as of a time after the start.
pub fn write_as_of(time: u64, write: TestWrite) -> Arc<dyn Operation> {
    Arc::new(Write { time: Some(time), write, exceeds_domain: false, idle: 0 })
}

impl Operation for Write {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let begin = site.steps();
        let time = self.time.map_or(0, |time| START + time);
        let mut write = self.write.clone();
        let array = site.array().open(site.resources, QueryType::Write, (0, time))?;
        let schema = site.array().schema(&array)?;
        site.check_schema((begin, site.steps()), u64::MAX, &schema);
        write.restrict(&schema.attributes, &site.array().shape);
        if !self.exceeds_domain {
            write.clip(&schema.domain);
            if write.parts.is_empty() {
                return Ok(());
            }
        }
        let mut open = site.array().begin_write(&array, &write)?;
        let change = Change::Write(write.cells());
        site.commit(Subject::Cells, vec![change], || {
            while open.submit()? {
                site.sleep(self.idle);
            }
            Ok(())
        })
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        self.exceeds_domain && site.array().shape.current_domain.is_some() && error.text().contains("current domain")
    }

    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        let mut smaller: Vec<Arc<dyn Operation>> = Vec::new();
        if self.idle > 0 {
            smaller.push(Arc::new(Write { idle: 0, ..self.clone() }));
        }
        let count = self.write.cells().len();
        if self.write.ranges.is_empty() && count > 1 {
            if count > 3 {
                for half in 0..2 {
                    let mut write = self.clone();
                    let mut number = 0;
                    write.write.parts.iter_mut().for_each(|part| {
                        part.retain(|_| {
                            number += 1;
                            (number <= count / 2) == (half == 0)
                        });
                    });
                    write.write.parts.retain(|part| !part.is_empty());
                    smaller.push(Arc::new(write));
                }
            }
            for (number, part) in self.write.parts.iter().enumerate() {
                for cell in 0..part.len().min(8) {
                    let mut write = self.clone();
                    write.write.parts[number].remove(cell);
                    write.write.parts.retain(|part| !part.is_empty());
                    smaller.push(Arc::new(write));
                }
            }
        }
        smaller
    }
}
