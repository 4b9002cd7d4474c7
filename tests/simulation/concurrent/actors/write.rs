//! Writers: dense and sparse, in any order, global order in several submits.

use std::sync::Arc;

use tiledb_core::error::Result;

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
    /// Milliseconds between two submits.
    idle: u64,
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let time = drawing.time();
    let write = drawing.generator.write();
    let idle = drawing.idle();
    operation(Write { time, write, idle })
}

/// A write now.
pub fn write(write: TestWrite) -> Arc<dyn Operation> {
    Arc::new(Write { time: None, write, idle: 0 })
}

impl Operation for Write {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let begin = site.steps();
        let time = self.time.map_or(0, |time| START + time);
        let mut write = self.write.clone();
        let mut open = site.array().begin_write(site.resources, time, &write)?;
        let attributes = open.attributes();
        site.check_schema((begin, site.steps()), u64::MAX, &attributes);
        write.restrict(&attributes, &site.array().shape);
        open.set_parts(&write);
        let change = Change::Write(write.cells());
        site.commit(Subject::Cells, vec![change], || {
            while open.submit()? {
                site.sleep(self.idle);
            }
            Ok(())
        })
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
