//! Counters of a query's fields, updated at each submit.

use tiledb_array::schema::ArraySchema;
use tiledb_cells::columns::buffers::Buffers;
use tiledb_cells::columns::zipped::COORDS;
use tiledb_core::stats::{Counter, Stats};

/// The counters of fields with a buffer, of reads or of writes.
pub struct FieldCounters {
    attributes: [Counter; 4],
    dimensions: [Counter; 3],
    /// Zipped coordinates.
    zipped: Option<Counter>,
}

/// Those of reads.
pub const READ_FIELDS: FieldCounters = FieldCounters {
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
pub const WRITE_FIELDS: FieldCounters = FieldCounters {
    attributes: [
        Counter::WriterAttributes,
        Counter::WriterAttributesFixed,
        Counter::WriterAttributesVar,
        Counter::WriterAttributesNullable,
    ],
    dimensions: [Counter::WriterDimensions, Counter::WriterDimensionsFixed, Counter::WriterDimensionsVar],
    zipped: None,
};

impl FieldCounters {
    /// Counts the fields that have buffers, by kind.
    pub fn count(&self, buffers: &Buffers, schema: &ArraySchema, stats: &Stats) {
        for buffer in &buffers.fields {
            let Some(field) = schema.field(&buffer.name) else {
                if let Some(zipped) = self.zipped.filter(|_| buffer.name.as_str() == COORDS) {
                    stats.add(self.dimensions[0], 1);
                    stats.add(zipped, 1);
                }
                continue;
            };
            let is_var = usize::from(field.is_var());
            if field.is_dimension {
                stats.add(self.dimensions[0], 1);
                stats.add(self.dimensions[1 + is_var], 1);
                continue;
            }
            stats.add(self.attributes[0], 1);
            stats.add(self.attributes[1 + is_var], 1);
            if field.nullable {
                stats.add(self.attributes[3], 1);
            }
        }
    }
}
