//! Submitting reads.

use super::Status;
use super::read::{self, Progress, ReadSpec, Versions};
use super::state::{Machine, Query, value_size};
use super::{RangeSet, Subarray};
use crate::error::{Result, bail};
use crate::types::Layout;

impl Query {
    /// Reads the next results.
    pub(super) fn submit_read(&mut self) -> Result<()> {
        if matches!(self.machine, Machine::Reading(_)) && self.status == Status::Completed {
            return Ok(());
        }
        self.buffers.check_complete(|name| self.needs(name))?;
        self.buffers.check_disjoint(&self.aggregates.buffers)?;
        let result = self.run_read();
        if result.is_err() && self.is_begun() {
            self.status = Status::Failed;
        }
        result
    }

    /// True once something has been read.
    fn is_begun(&self) -> bool {
        matches!(self.machine, Machine::Reading(_))
    }

    fn run_read(&mut self) -> Result<()> {
        if !self.is_begun() {
            self.check_current_domain()?;
        }
        let only_aggregates = self.buffers.is_empty() && !self.aggregates.is_empty();
        if !self.is_begun() && !only_aggregates {
            let by_order = matches!(self.layout, Layout::RowMajor | Layout::ColMajor);
            if !self.aggregates.is_empty() && by_order && !self.array.schema().is_dense() {
                bail!("Reader: Cannot initialize reader; Reader cannot process aggregates");
            }
            let schema = self.array.schema();
            let nullable = |name: &str| schema.field(name).filter(|field| field.nullable);
            let cell_size = |name: &str| nullable(name).map(|field| if field.is_var() { 0 } else { field.cell_size() });
            self.buffers.check_validity(self.offsets.extra, cell_size)?;
            self.machine = Machine::Reading(read::reader(self.read_spec()?)?);
        }
        if !self.aggregates.is_empty() {
            let mut aggregates = std::mem::take(&mut self.aggregates);
            let computed = aggregates.compute(|| self.read_spec());
            self.aggregates = aggregates;
            computed?;
        }
        if only_aggregates {
            self.machine = Machine::Reading(Box::new(read::Nothing));
        }
        self.step()?;
        if self.status == Status::Completed {
            self.aggregates.deliver()?;
        }
        Ok(())
    }

    /// Ranges that were set must lie inside the current domain; dimensions without ranges are not looked at.
    fn check_current_domain(&self) -> Result<()> {
        let schema = self.array.schema();
        let chosen = self.array.current_domain();
        let Some(current) = chosen.rectangle().and_then(|rectangle| rectangle.complete()) else { return Ok(()) };
        let dimensions = schema.domain().dimensions();
        for ((dimension, set), bounds) in dimensions.iter().zip(self.subarray.sets()).zip(&current) {
            let datatype = dimension.datatype();
            let outside = set.ranges().iter().find(|range| !set.is_default() && !bounds.contains(datatype, range));
            if let Some(range) = outside {
                let texts: Vec<String> =
                    dimensions.iter().zip(&current).map(|(d, r)| r.display(d.datatype())).collect();
                bail!(
                    "Query: A range {} on dimension '{}' was set outside of the current domain [{}].",
                    range.display(datatype),
                    dimension.name(),
                    texts.join(",")
                );
            }
        }
        Ok(())
    }

    /// The part of the array to read. Sparse arrays in global or no order keep to a current domain that was chosen,
    /// even without ranges.
    fn domain_read(&self) -> Subarray {
        let mut part = self.subarray.clone();
        let by_order = matches!(self.layout, Layout::RowMajor | Layout::ColMajor);
        if self.array.schema().is_dense() || by_order {
            return part;
        }
        let chosen = self.array.chosen_domain().and_then(|chosen| chosen.rectangle()?.complete());
        for (dimension, range) in chosen.iter().flatten().enumerate() {
            if part.sets().get(dimension).is_some_and(RangeSet::is_default) {
                part = part.within(dimension, range).unwrap_or(part);
            }
        }
        part
    }

    fn read_spec(&self) -> Result<ReadSpec> {
        Ok(ReadSpec {
            array: self.array.clone(),
            layout: self.layout,
            subarray: self.domain_read(),
            config: self.config.clone(),
            fields: self.buffers.fields.iter().map(|field| field.name.clone()).collect(),
            condition: self.program()?,
            versions: Versions::Latest,
        })
    }

    fn step(&mut self) -> Result<()> {
        let _timer = self.stats.timer("Query.Reader.dowork");
        self.stats.counter_add("Query.Reader.loop_num", 1);
        let array = &self.array;
        let mut outputs = self.buffers.outputs(self.offsets, |name| value_size(array, name));
        let Machine::Reading(reader) = &mut self.machine else { return Ok(()) };
        let progress = reader.step(&mut outputs)?;
        self.buffers.report(&outputs)?;
        self.has_results = outputs.columns.iter().any(|column| column.cells > 0);
        (self.status, self.reason) = match progress {
            Progress::Done => (Status::Completed, None),
            Progress::Incomplete(reason) => (Status::Incomplete, Some(reason)),
        };
        Ok(())
    }
}
