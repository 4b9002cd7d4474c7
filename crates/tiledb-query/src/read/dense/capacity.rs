//! Capacity of result buffers: how much of a dense read is estimated to fit into the buffers of a step.

use super::context::DenseContext;
use super::result_parts::{BufferFit, ResultBox};
use crate::read::estimate::sum::{CellSizes, SizeSum};
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_cells::columns::output::OutputColumn;
use tiledb_cells::space::grid::{CoordSpan, Grid, Odometer};
use tiledb_cells::space::range_boxes;
use tiledb_cells::space::selection::Selection;
use tiledb_core::error::Result;
use tiledb_core::types::Layout;

/// Buffer capacity for one field.
pub struct FieldCapacity<'a> {
    sizes: CellSizes<'a>,
    /// Bytes for fixed cells or the starts of variable ones, values of these, and validity.
    fixed: u64,
    values: u64,
    validity: u64,
}

/// Buffer capacity for a step.
pub struct BatchCapacity<'a> {
    pub context: &'a DenseContext,
    pub selection: &'a Selection,
    pub fields: &'a [FieldCapacity<'a>],
}

impl BatchCapacity<'_> {
    /// The capacity of the buffers of fields.
    pub fn of_columns<'a>(fields: &[&'a Field], columns: &[OutputColumn<'_>]) -> Vec<FieldCapacity<'a>> {
        let capacity = |(field, column): (&&'a Field, &OutputColumn<'_>)| {
            let data = column.data.len() as u64;
            let (fixed, values) = match &column.offsets {
                Some(offsets) => (offsets.bytes() as u64, data),
                None => (data, 0),
            };
            let validity = column.validity.as_ref().map_or(0, |validity| validity.len() as u64);
            FieldCapacity { sizes: CellSizes::of_field(field), fixed, values, validity }
        };
        fields.iter().zip(columns).map(capacity).collect()
    }

    /// The coordinates of a part, range by range.
    fn spans(&self, part: &ResultBox) -> Vec<Vec<CoordSpan>> {
        (0..part.low.len()).map(|d| self.selection.spans(d, part.low[d], part.counts[d])).collect()
    }

    /// The fragments that have cells in some range of every dimension.
    fn touched(&self, spans: &[Vec<CoordSpan>]) -> Vec<&Fragment> {
        let touches = |domain: &[CoordSpan]| {
            let meets =
                |(side, spans): (&CoordSpan, &Vec<CoordSpan>)| spans.iter().any(|span| span.intersect(*side).is_some());
            domain.iter().zip(spans).all(meets)
        };
        let DenseContext { fragments, domains, singles, .. } = self.context;
        let dense = fragments.iter().zip(domains.boxes()).filter(|(_, domain)| touches(domain));
        let singles = singles.fragments().iter().filter(|single| touches(&single.domain));
        dense.map(|(fragment, _)| &**fragment).chain(singles.map(|single| &*single.fragment)).collect()
    }

    /// True if the estimate of a fixed field does not depend on the fragments' tiles.
    fn is_plain(&self, field: &FieldCapacity<'_>) -> bool {
        let bounds = self.selection.bounds();
        let covers = |domain: &Vec<CoordSpan>| domain.iter().zip(&bounds).all(|(domain, side)| domain.contains(*side));
        let is_single = (0..bounds.len()).all(|d| self.selection.range_count(d) == 1);
        !field.sizes.is_var
            && (is_single || self.context.has_one_schema() && self.context.domains.boxes().iter().any(covers))
    }
}

impl BufferFit for BatchCapacity<'_> {
    fn grid(&self) -> &Grid {
        &self.context.grid
    }

    fn selection(&self) -> &Selection {
        self.selection
    }

    fn boxes(&self, boxes: &mut dyn Iterator<Item = ResultBox>) -> Result<u64> {
        let all = self.selection.counts();
        let all = ResultBox { low: vec![0; all.len()], counts: all };
        let fragments = self.touched(&self.spans(&all));
        let plain: Vec<bool> = self.fields.iter().map(|field| self.is_plain(field)).collect();
        let mut sums = vec![SizeSum::default(); self.fields.len()];
        let mut count = 0;
        for part in boxes {
            let spans: Vec<CoordSpan> = self.spans(&part).into_iter().flatten().collect();
            for ((sum, field), &is_plain) in sums.iter_mut().zip(self.fields).zip(&plain) {
                sum.add(&match is_plain {
                    true => SizeSum::of_cells(part.cells(), &field.sizes),
                    false => SizeSum::of_dense_box(&self.context.grid, &fragments, &spans, &field.sizes)?,
                });
                if let Some(full) = sum.excess(field.fixed, field.values, field.validity) {
                    self.context.stats.add(full, 1);
                    return Ok(count);
                }
            }
            count += 1;
        }
        Ok(count)
    }

    fn note(&self, left: u64, taken: u64) {
        range_boxes::count(&self.context.stats, left, taken);
    }

    fn all(&self, part: &ResultBox) -> bool {
        let fits = |field: &FieldCapacity<'_>| {
            let sum = SizeSum::of_cells(part.cells(), &field.sizes);
            self.is_plain(field) && !sum.exceeds(field.fixed, field.values, field.validity)
        };
        self.fields.iter().all(fits)
    }

    fn part(&self, part: &ResultBox) -> Result<bool> {
        let mut var = Vec::new();
        for field in self.fields {
            if field.sizes.is_var {
                var.push(field);
            } else if SizeSum::of_cells(part.cells(), &field.sizes).exceeds(field.fixed, field.values, field.validity) {
                return Ok(false);
            }
        }
        if var.is_empty() {
            return Ok(true);
        }
        let spans = self.spans(part);
        let fragments = self.touched(&spans);
        for field in var {
            let mut sum = SizeSum::default();
            let mut boxes = Odometer::new(spans.iter().map(|spans| spans.len() as u64).collect(), Layout::RowMajor);
            while let Some(position) = boxes.position() {
                let spans: Vec<CoordSpan> = spans.iter().zip(position).map(|(spans, &at)| spans[at as usize]).collect();
                sum.add(&SizeSum::of_dense_box(&self.context.grid, &fragments, &spans, &field.sizes)?);
                boxes.advance();
            }
            sum.raise(part.cells(), &field.sizes);
            let size = sum.rounded(&field.sizes);
            if size.offsets > field.fixed || size.data > field.values || size.validity > field.validity {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
