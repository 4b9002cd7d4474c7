//! What is counted of a query's fields at each submit.

use super::state::Query;
use crate::query::columns::zipped::COORDS;
use crate::stats::Counter;

/// The counters of fields with a buffer, of reads or of writes.
pub(super) struct FieldCounters {
    attributes: [Counter; 4],
    dimensions: [Counter; 3],
    /// Zipped coordinates.
    zipped: Option<Counter>,
}

/// Those of reads.
pub(super) const READ_FIELDS: FieldCounters = FieldCounters {
    attributes: [
        Counter::ReaderAttributes,
        Counter::ReaderAttributesFixed,
        Counter::ReaderAttributesVar,
        Counter::ReaderAttributesNullable,
    ],
    dimensions: [Counter::ReaderDimensions, Counter::ReaderDimensionsFixed, Counter::ReaderDimensionsVar],
    zipped: Some(Counter::ReaderDimensionsZipped),
};

/// Those of writes.
pub(super) const WRITE_FIELDS: FieldCounters = FieldCounters {
    attributes: [
        Counter::WriterAttributes,
        Counter::WriterAttributesFixed,
        Counter::WriterAttributesVar,
        Counter::WriterAttributesNullable,
    ],
    dimensions: [Counter::WriterDimensions, Counter::WriterDimensionsFixed, Counter::WriterDimensionsVar],
    zipped: None,
};

impl Query {
    /// Counts the fields that have buffers, by kind.
    pub(super) fn count_fields(&self, counters: &FieldCounters) {
        for buffer in &self.buffers.fields {
            let Some(field) = self.array.schema().field(&buffer.name) else {
                if let Some(zipped) = counters.zipped.filter(|_| buffer.name.as_str() == COORDS) {
                    self.stats.add(counters.dimensions[0], 1);
                    self.stats.add(zipped, 1);
                }
                continue;
            };
            let is_var = usize::from(field.is_var());
            if field.is_dimension {
                self.stats.add(counters.dimensions[0], 1);
                self.stats.add(counters.dimensions[1 + is_var], 1);
                continue;
            }
            self.stats.add(counters.attributes[0], 1);
            self.stats.add(counters.attributes[1 + is_var], 1);
            if field.nullable {
                self.stats.add(counters.attributes[3], 1);
            }
        }
    }
}
