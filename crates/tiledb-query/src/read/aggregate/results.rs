//! Aggregate results of a read, from statistics of all selected cells.

use super::dense;
use super::sparse;
use super::totals::AggregatedField;
use crate::read::sparse::reader::SparseReader;
use crate::read::spec::{QueryReader, ReadSpec};
use tiledb_cells::aggregate::operation::{Aggregate, InputField};
use tiledb_cells::aggregate::result::AggregateResult;
use tiledb_cells::aggregate::summary::FieldSummary;
use tiledb_cells::space::selector::RangeSelector;
use tiledb_core::error::{Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{Layout, NamedList};

/// The results of aggregates over the cells of a read, whose fields do not matter. In sparse arrays a cell counts once
/// however many ranges contain it, in dense ones as often as it would be delivered.
///
/// # Errors
/// If the array, layout and subarray do not go together; from storage, and from stored bytes that are not valid.
pub fn aggregate(spec: &ReadSpec, aggregates: &[&Aggregate]) -> Result<Vec<AggregateResult>> {
    let aggregated = fields_of(aggregates);
    let fields = aggregated.iter().map(|field| field.name.clone()).collect();
    let spec = ReadSpec { fields, ..spec.clone() };
    let totals = if spec.array.schema().is_dense() {
        let _timer = spec.stats.timer(Timer::ReadAggregates);
        dense::totals(&spec, &aggregated)?
    } else {
        // The order of the cells does not matter.
        if spec.layout == Layout::GlobalOrder && has_several(&spec) {
            bail!(
                "ReaderBase: Cannot initialize reader; Multi-range subarrays with global order layout are not supported: use another layout"
            );
        }
        let reader = SparseReader::in_any_order(&ReadSpec { layout: Layout::Unordered, ..spec })?;
        reader.tally.expect(reader.steps());
        sparse::totals(reader, &aggregated)?
    };
    let none = FieldSummary::new(aggregates.first().map_or(Aggregate::Count.output(), |first| first.output()).shape);
    let result = |aggregate: &&Aggregate| {
        let place = aggregate.input().and_then(|(field, _)| aggregated.position(&field.name));
        aggregate.result(totals.cells, place.and_then(|place| totals.fields.get(place)).unwrap_or(&none))
    };
    Ok(aggregates.iter().map(result).collect())
}

fn has_several(spec: &ReadSpec) -> bool {
    RangeSelector::new(&spec.subarray).has_several()
}

/// The fields of aggregates, each once.
fn fields_of(aggregates: &[&Aggregate]) -> NamedList<AggregatedField> {
    let mut fields: NamedList<AggregatedField> = NamedList::default();
    for (InputField { name, shape, nullable }, wants) in aggregates.iter().filter_map(|aggregate| aggregate.input()) {
        match fields.get_mut(name) {
            Some(field) => {
                field.wants.extremes |= wants.extremes;
                field.wants.sum |= wants.sum;
                field.wants.nulls |= wants.nulls;
            }
            None => fields.push(AggregatedField { name: name.clone(), shape: *shape, nullable: *nullable, wants }),
        }
    }
    fields
}
