//! Read-only context of a dense read.

use std::sync::Arc;

use super::single_cells::{SingleCells, SingleFragment};
use crate::read::spec::ReadSpec;
use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::space::box_index::BoxIndex;
use tiledb_cells::space::cover::intersect;
use tiledb_cells::space::grid::{CoordSpan, Grid};
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::Result;
use tiledb_core::pool::ProgressCounter;
use tiledb_core::stats::Stats;
use tiledb_core::types::NamedList;

/// Read-only context of a read.
pub struct DenseContext {
    pub array: Arc<OpenArray>,
    pub grid: Grid,
    /// Dense fragments that touch the selection, from the earliest to the latest.
    pub fragments: Vec<Arc<Fragment>>,
    /// Their non-empty domains.
    pub domains: BoxIndex,
    has_one_schema: bool,
    /// Single cells among them, written by early releases.
    pub singles: Lease<SingleCells>,
    /// The memory that the read may take.
    pub budget: Budget,
    pub stats: Stats,
    /// Counts a cell of a field as a step.
    pub tally: ProgressCounter,
    /// The fields that a condition compares.
    pub compared: NamedList<Field>,
}

impl DenseContext {
    /// For a read of cells inside these bounds.
    ///
    /// # Errors
    /// If a fragment cannot be read.
    pub fn new(spec: &ReadSpec, grid: Grid, bounds: &[CoordSpan]) -> Result<DenseContext> {
        let array = spec.array.clone();
        let budget = spec.memory(0)?;
        let compared = spec.condition.as_ref().map_or(Vec::new(), |program| program.columns().to_vec()).into();
        let fragments = Vec::new();
        let domains = BoxIndex::new(Vec::new());
        let tally = spec.tally.clone();
        let singles = budget.lease(MemoryKind::Ranges, 0, || Ok(SingleCells::default()))?;
        let mut context = DenseContext {
            grid,
            fragments,
            domains,
            has_one_schema: true,
            singles,
            budget,
            array,
            stats: spec.stats.clone(),
            tally,
            compared,
        };
        context.find_fragments(bounds)?;
        Ok(context)
    }

    /// To the tiles.
    pub fn access(&self) -> DecodeContext<'_> {
        DecodeContext::new(&self.array, &self.budget, &self.stats)
    }

    /// True if all fragments have all the fields of the array.
    pub fn has_one_schema(&self) -> bool {
        self.has_one_schema
    }

    /// The smallest box around the domains of all fragments; `None` without fragments.
    pub fn hull(&self) -> Option<Vec<CoordSpan>> {
        let join =
            |hull: Vec<CoordSpan>, domain: &Vec<CoordSpan>| hull.iter().zip(domain).map(|(a, b)| a.join(*b)).collect();
        let mut domains =
            self.domains.boxes().iter().chain(self.singles.fragments().iter().map(|single| &single.domain));
        let first = domains.next()?.clone();
        Some(domains.fold(first, join))
    }

    fn find_fragments(&mut self, bounds: &[CoordSpan]) -> Result<()> {
        let mut singles = Vec::new();
        let mut domains = Vec::new();
        for fragment in self.array.fragments()? {
            let ranges = fragment.non_empty_domain().iter();
            let spans: Option<Vec<CoordSpan>> =
                self.grid.axes().iter().zip(ranges).map(|(axis, range)| axis.span_cut(range)).collect();
            let Some(spans) = spans.filter(|spans| intersect(spans, bounds).is_some()) else { continue };
            if !fragment.is_dense() {
                singles.push(SingleFragment { fragment: fragment.clone(), after: self.fragments.len(), domain: spans });
                continue;
            }
            self.fragments.push(fragment.clone());
            domains.push(spans);
        }
        self.domains = BoxIndex::new(domains);
        let is_same = |fragment: &Arc<Fragment>| Arc::ptr_eq(fragment.schema(), self.array.schema());
        self.has_one_schema = self.fragments.iter().all(is_same);
        if !singles.is_empty() {
            self.singles = SingleCells::load(self.access(), &self.array, &self.grid, singles, bounds)?;
        }
        Ok(())
    }
}
