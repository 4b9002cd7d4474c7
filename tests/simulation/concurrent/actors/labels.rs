//! Dimension labels: they are written, read with the cells that they select, and their array is maintained.

use std::sync::Arc;

use tiledb_array::fragment::read_time;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::types::QueryType;

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::{Subject, Work};
use super::{Operation, operation};
use crate::array::{TestArray, TestConsolidation};
use crate::journal::Opening;
use crate::judge::{self, Returned};
use crate::labels::{self, LabelWrite};
use crate::world::START;

#[derive(Clone, Debug)]
struct WriteLabels {
    time: Option<u64>,
    write: LabelWrite,
}

#[derive(Debug)]
struct ReadLabels {
    /// The end of the window after the start; now if there is none.
    end: Option<u64>,
    range: (i64, i64),
    /// How many are read at a time.
    count: usize,
}

#[derive(Debug)]
struct ConsolidateLabels;

#[derive(Debug)]
struct VacuumLabels;

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    if !drawing.shape.has_label {
        return None;
    }
    let time = drawing.time();
    let random = &mut drawing.generator.random;
    match random.below(8) {
        0..=2 => operation(WriteLabels { time, write: LabelWrite::draw(&drawing.shape, random) }),
        3 => operation(ConsolidateLabels),
        4 => operation(VacuumLabels),
        _ => {
            let end = random.one_in(3).then(|| random.below(30));
            let range = labels::draw_range(&drawing.shape, random);
            operation(ReadLabels { end, range, count: 1 + random.below(9) as usize })
        }
    }
}

impl Operation for WriteLabels {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let time = self.time.map_or(0, |time| START + time);
        let write = || site.array().write_labels(site.resources, time, &self.write);
        site.commit(Subject::Labels, vec![self.write.change()], write)
    }

    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        let part = |write: LabelWrite| -> Arc<dyn Operation> { Arc::new(WriteLabels { write, ..self.clone() }) };
        self.write.halves().into_iter().map(part).collect()
    }
}

impl Operation for ReadLabels {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let end = self.end.map_or_else(read_time, |end| START + end);
        read(site, site.array(), end, None, (self.range, self.count))
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        site.has_removed() && (error.kind() == ErrorKind::NotFound || error.text().contains("vacuum"))
    }
}

impl Operation for ConsolidateLabels {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let consolidation = TestConsolidation { parameters: Vec::new(), picks: None };
        site.maintain(Work::MergeLabels, || site.array().label_array().consolidate(site.resources, &consolidation))
    }

    fn may_fail(&self, _error: &Error, site: &Site<'_>) -> bool {
        site.has_others()
    }
}

impl Operation for VacuumLabels {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        site.maintain(Work::VacuumLabels, || site.array().label_array().vacuum(site.resources, "fragments"))
    }

    fn may_fail(&self, _error: &Error, site: &Site<'_>) -> bool {
        site.has_others()
    }
}

/// Reads the labels of an array, or a copy of it that was made between two steps, and the cells with labels in a range.
fn read(
    site: &Site<'_>,
    array: &TestArray,
    end: u64,
    copied: Option<Opening>,
    (range, count): ((i64, i64), usize),
) -> Result<()> {
    let begin = site.steps();
    let window = (0, end);
    let open = array.open(site.resources, QueryType::Read, window)?;
    let opening = copied.unwrap_or((begin, site.steps()));
    let read = array.read_labels(&open, range, count)?;
    // Their array is opened when they are first read.
    let label_opening = copied.unwrap_or((begin, site.steps()));
    site.judge_labels(|labels| labels::judge(labels, label_opening, window, &read.labels));
    if let Some((range, read, rows)) = &read.cells {
        let (selection, options) = labels::selection(&array.shape, window, *range);
        site.judge((opening.0.min(site.begin), opening.1), |model| {
            let returned = Returned { schema: read.schema(), rows, submits: read.submits() };
            judge::rows(&array.shape, model, opening, (&selection, &options), returned)
                .map_err(|text| format!("labels {range:?}: {text}"))
        });
    }
    Ok(())
}

/// Reads all labels when all is quiet.
///
/// # Errors
/// As the engine.
pub fn judge_labels(site: &Site<'_>, array: &TestArray, copied: Option<Opening>) -> Result<()> {
    match array.shape.has_label {
        true => read(site, array, u64::MAX, copied, ((0, i64::MAX), 100)),
        false => Ok(()),
    }
}
