//! Readers at past and present times, which hold arrays and incomplete queries open.

use std::sync::Arc;

use tiledb_array::fragment::read_time;
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::types::{Layout, QueryType};

use super::super::plan::Drawing;
use super::super::site::Site;
use super::{Operation, operation};
use crate::array::metadata_of;
use crate::judge::{self, Returned};
use crate::model::cells::Selection;
use crate::read::{OpenRead, ReadOptions};
use crate::world::{Medium, START};

/// Begins errors of the first step.
const OPENING: &str = "While the array is opened";

/// How often the array is listed.
const MAX_LISTINGS: usize = 4;

#[derive(Clone, Debug)]
pub struct Read {
    /// The end of the window after the start; now if there is none.
    end: Option<u64>,
    selection: Selection,
    pub options: ReadOptions,
    /// Whether ranges may be outside of the current domain, which is refused.
    exceeds_domain: bool,
    /// Milliseconds before the first submit, and between submits.
    idle: [u64; 2],
}

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let options = drawing.generator.read_options();
    let mut selection = drawing.generator.selection(options.layout);
    selection.condition = selection.condition.map(|_| drawing.generator.condition(0, false));
    let random = &mut drawing.generator.random;
    let end = random.one_in(3).then(|| if random.one_in(2) { random.below(30) } else { random.below(3_000) });
    selection.window.0 = if random.one_in(8) { START + random.below(30) } else { 0 };
    let idle = [drawing.idle(), drawing.idle()];
    let exceeds_domain = drawing.generator.random.one_in(10);
    operation(Read { end, selection, options, exceeds_domain, idle })
}

impl Read {
    /// Reads everything.
    pub fn all(dimensions: usize) -> Read {
        let options = ReadOptions { layout: Layout::Unordered, cells: 1000, budget: None, aggregates: Vec::new() };
        Read { end: None, selection: Selection::all(dimensions, (0, 0)), options, exceeds_domain: false, idle: [0, 0] }
    }
}

impl Operation for Read {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let begin = site.listed_since();
        let end = self.end.map_or_else(read_time, |end| START + end);
        let mut selection = self.selection.clone();
        selection.window = (selection.window.0.min(end), end);
        let array = site.array().open(site.resources, QueryType::Read, selection.window);
        let array = array.map_err(|error| error.context(OPENING))?;
        let opening = (begin, site.steps());
        if !self.exceeds_domain && !selection.clip(&site.array().schema(&array)?.domain) {
            return Ok(());
        }
        site.sleep(self.idle[0]);
        let mut read = OpenRead::new(site.array(), &array, &selection, &self.options)?;
        let mut rows = Vec::new();
        while let Some(more) = read.submit()? {
            rows.extend(more);
            site.sleep(self.idle[1]);
        }
        let entries = metadata_of(&array)?;
        // Listed when they are first used, on object stores, or if that failed before or listed files were vacuumed.
        let is_lazy = site.shared.plan.medium == Medium::Objects || site.had_failure() || site.has_removed();
        let listing = if is_lazy { (begin, site.steps()) } else { opening };
        let aggregates = read.aggregates();
        site.judge(opening, |model| {
            let read = Returned { schema: read.schema(), rows: &rows, submits: read.submits() };
            judge::rows(&site.array().shape, model, opening, (&selection, &self.options), read)?;
            if !model.may_be_doubled {
                judge::aggregates(&site.array().shape, model, &rows, &aggregates)?;
            }
            model.judge(listing, |view| view.check_entries(selection.window, &entries))
        });
        Ok(())
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        let is_gone = error.kind() == ErrorKind::NotFound || error.text().contains("vacuum");
        // Files of the snapshot were removed. An array is listed again if they are removed while it is opened.
        let removals = if error.text().contains(OPENING) { MAX_LISTINGS } else { 1 };
        let is_outside = self.exceeds_domain && site.array().shape.current_domain.is_some();
        is_outside && error.text().contains("current domain")
            || is_gone && (site.removals() >= removals || site.process.lateness() > 0)
            || self.options.budget.is_some() && error.kind() == ErrorKind::Budget
    }

    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        let plain = Read {
            selection: Selection::all(self.selection.ranges.len(), (0, 0)),
            options: ReadOptions { aggregates: Vec::new(), budget: None, ..self.options.clone() },
            idle: [0, 0],
            ..self.clone()
        };
        let busy = Read { idle: [0, 0], ..self.clone() };
        vec![Arc::new(plain), Arc::new(busy)]
            .into_iter()
            .filter(|other| format!("{other:?}") != format!("{self:?}"))
            .map(|other| other as Arc<dyn Operation>)
            .collect()
    }
}
