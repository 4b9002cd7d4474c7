//! Submits of reads.

use std::sync::Arc;

use super::counts::READ_FIELDS;
use super::progress::{QueryState, Status};
use super::state::Transfer;
use crate::read;
use crate::read::parameters::OnlyCoordinates;
use crate::read::spec::{CellVersions, EmptyReader, ReadProgress, ReadSpec};
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Dimension;
use tiledb_cells::columns::zipped::Zip;
use tiledb_cells::space::ranges::RangeSet;
use tiledb_core::budget::BudgetShare;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::{Counter, Stats, Timer};
use tiledb_core::types::{CellRange, Layout};

impl Transfer {
    /// Reads the next results.
    pub fn submit_read(&mut self) -> Result<()> {
        if matches!(self.run.machine, QueryState::Reading(_)) && self.run.status == Status::Completed {
            return Ok(());
        }
        self.run.check_known()?;
        self.fields.buffers.check_complete(|name| self.request.needs(name))?;
        self.check_disjoint()?;
        let result = self.begin_read().and_then(|()| self.step());
        if result.is_err() && self.run.is_reading() {
            self.run.status = Status::Failed;
        }
        result
    }

    /// Rejects buffers that overlap where results can reach: GDAL states larger sizes than it has, with adjacent
    /// buffers.
    fn check_disjoint(&mut self) -> Result<()> {
        let buffers = &mut self.fields.buffers;
        let others = &self.aggregates.buffers;
        buffers.check_disjoint(others).or_else(|overlap| {
            let cells = self.request.dense_cells().ok_or(overlap)?;
            let schema = self.request.array.schema();
            buffers.limit(|name| {
                let field = schema.field(name).filter(|field| !field.is_var())?;
                Some([cells.saturating_mul(field.cell_size() as u64), cells])
            });
            buffers.check_disjoint(others)
        })
    }

    /// Makes the reader and computes aggregates, unless that was done.
    fn begin_read(&mut self) -> Result<()> {
        let only_aggregates = self.fields.buffers.is_empty() && !self.aggregates.is_empty();
        if !self.run.is_reading() {
            if !only_aggregates {
                self.check_reader()?;
            }
            self.check_current_domain()?;
            self.clip_to_current_domain(only_aggregates)?;
        }
        if !self.run.is_reading() && !only_aggregates {
            let spec = self.read_spec()?;
            let needs_condition = spec.condition.is_none() && self.request.config.settings::<OnlyCoordinates>()?.0;
            let mut reader = read::reader(spec)?;
            if let Some(position) = &self.run.from {
                reader.resume_from(position)?;
            }
            if needs_condition && self.request.array.schema().is_dense() {
                bail!(
                    "DenseReader: sm.query.dense.qc_coords_mode requires a query condition: call tiledb_query_set_condition"
                );
            }
            if let Some(watch) = &self.request.watch {
                watch.tally.expect(reader.steps());
            }
            self.run.machine = QueryState::Reading(reader);
        }
        if !self.aggregates.is_empty() {
            let mut aggregates = std::mem::take(&mut self.aggregates);
            // Tiles that are delivered, too, count once.
            let stats = if only_aggregates { self.request.stats.clone() } else { Stats::unlisted() };
            let computed = aggregates.compute(|| Ok(ReadSpec { stats: stats.clone(), ..self.read_spec()? }));
            self.aggregates = aggregates;
            computed?;
        }
        if only_aggregates {
            self.run.machine = QueryState::Reading(Box::new(EmptyReader));
        }
        Ok(())
    }

    /// Checks the preconditions of a reader.
    fn check_reader(&self) -> Result<()> {
        let schema = self.request.array.schema();
        let by_order = matches!(self.request.layout, Layout::RowMajor | Layout::ColMajor);
        if !self.aggregates.is_empty() && by_order && !schema.is_dense() {
            bail!(
                "Reader: Cannot initialize reader; Reader cannot process aggregates: the array is sparse, use \
                 TILEDB_UNORDERED or TILEDB_GLOBAL_ORDER"
            );
        }
        let nullable = |name: &str| schema.field(name).filter(|field| field.nullable);
        let cell_size = |name: &str| nullable(name).map(|field| if field.is_var() { 0 } else { field.cell_size() });
        self.fields.buffers.check_validity(self.request.offsets.extra, cell_size)
    }

    /// Ranges that were set must lie inside the current domain; dimensions without ranges are not checked.
    fn check_current_domain(&self) -> Result<()> {
        let schema = self.request.array.schema();
        let chosen = self.request.array.current_domain();
        let Some(current) = chosen.rectangle().and_then(|rectangle| rectangle.complete()) else { return Ok(()) };
        let dimensions = schema.domain().dimensions();
        for ((dimension, set), bounds) in dimensions.iter().zip(self.request.subarray.sets()).zip(&current) {
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

    /// Sparse reads in global or no order return nothing from outside the current domain, even if older fragments
    /// extend beyond it. Those in row- or column-major order return all; aggregates alone have no order.
    fn clip_to_current_domain(&mut self, only_aggregates: bool) -> Result<()> {
        let by_order = matches!(self.request.layout, Layout::RowMajor | Layout::ColMajor) && !only_aggregates;
        if self.request.array.schema().is_dense() || by_order {
            return Ok(());
        }
        let chosen = self.request.array.current_domain();
        let Some(current) = chosen.rectangle().and_then(|rectangle| rectangle.complete()) else { return Ok(()) };
        let dimensions = self.request.array.schema().domain().dimensions();
        let holds = |(dimension, (bounds, side)): (&Arc<Dimension>, (&CellRange, &CellRange))| {
            bounds.contains(dimension.datatype(), side)
        };
        let is_inside = |fragment: &Arc<Fragment>| {
            dimensions.iter().zip(current.iter().zip(fragment.non_empty_domain())).all(holds)
        };
        if self.request.array.fragments()?.iter().all(is_inside) {
            return Ok(());
        }
        for (dimension, range) in current.iter().enumerate() {
            if self.request.subarray.sets().get(dimension).is_some_and(RangeSet::is_default)
                && let Some(part) = self.request.subarray.within(dimension, range)
            {
                self.request.subarray = part;
            }
        }
        Ok(())
    }

    fn read_spec(&self) -> Result<ReadSpec> {
        Ok(ReadSpec {
            array: self.request.array.clone(),
            layout: self.request.layout,
            subarray: self.request.subarray.without_reversed(),
            config: self.request.config.clone(),
            fields: self.fields.buffers.columns(&Zip::new(self.request.array.schema())).into(),
            condition: self.filter.program(&self.request)?,
            share: BudgetShare::ALL,
            versions: CellVersions::Latest,
            stats: self.request.stats.clone(),
            tally: self.request.watch.as_ref().map_or(ProgressCounter::default(), |watch| watch.tally.clone()),
        })
    }

    fn step(&mut self) -> Result<()> {
        let _timer = self.request.stats.timer(Timer::Read);
        self.request.stats.add(Counter::ReaderLoops, 1);
        self.request.stats.add(Counter::ReaderInnerLoops, 1);
        READ_FIELDS.count(&self.fields.buffers, self.request.array.schema(), &self.request.stats);
        let array = &self.request.array;
        let zip = Zip::new(array.schema());
        let mut outputs =
            self.fields.buffers.outputs(self.request.offsets, &zip, |name| self.request.value_size(name))?;
        let QueryState::Reading(reader) = &mut self.run.machine else { return Ok(()) };
        self.run.is_lost = true;
        let progress = reader.step(&mut outputs)?;
        let filled = outputs.close()?;
        self.fields.buffers.report(&filled, &zip)?;
        self.run.is_lost = false;
        if !self.request.array.schema().is_dense() {
            let cells = filled.iter().map(|column| column.cells).max();
            self.request.stats.add(Counter::ReaderResults, cells.unwrap_or(0) as u64);
        }
        self.run.has_results = filled.iter().any(|column| column.cells > 0);
        self.run.buffers_are_full = progress == ReadProgress::Incomplete;
        self.run.status = if self.run.buffers_are_full { Status::Incomplete } else { Status::Completed };
        if self.run.status != Status::Completed {
            return Ok(());
        }
        if let Some(watch) = &self.request.watch {
            watch.tally.end();
        }
        self.aggregates.deliver()
    }
}
