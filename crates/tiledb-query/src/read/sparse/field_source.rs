//! Sources of the requested fields in the fragments of a sparse read.

use crate::read::spec::ReadSpec;
use tiledb_array::fragment::{Fragment, TIMESTAMPS};
use tiledb_array::schema::Field;
use tiledb_core::types::Name;

/// Where a fragment has a requested field.
pub enum FieldSource {
    /// In its own tiles.
    Stored(Field),
    /// As the coordinates of this dimension.
    Coordinate(usize, Field),
    /// Nowhere: every cell has this value.
    Constant { value: Vec<u8>, valid: bool },
}

impl FieldSource {
    /// The field, if the fragment has it.
    pub fn field(&self) -> Option<&Field> {
        match self {
            FieldSource::Stored(field) | FieldSource::Coordinate(_, field) => Some(field),
            FieldSource::Constant { .. } => None,
        }
    }
}

/// Where a fragment has a field. Fragments older than an attribute have its fill value.
pub fn source(spec: &ReadSpec, fragment: &Fragment, name: &Name) -> FieldSource {
    if &**name == TIMESTAMPS && spec.array.schema().field(name).is_none() {
        return match fragment.field(name) {
            Some(field) => FieldSource::Stored(field.clone()),
            None => FieldSource::Constant { value: fragment.timestamps().0.to_le_bytes().to_vec(), valid: true },
        };
    }
    match spec.array.schema().field(name) {
        Some(wanted) => source_of(fragment, wanted),
        // Deletions are computed when a tile is loaded; other cells are not deleted.
        None => FieldSource::Constant { value: u64::MAX.to_le_bytes().to_vec(), valid: true },
    }
}

/// Where a fragment has a field of the array's schema, or of an older one.
pub fn source_of(fragment: &Fragment, wanted: &Field) -> FieldSource {
    source_at(fragment, wanted, u64::MAX)
}

/// The same as of a time, before which an attribute may not have been dropped yet.
pub fn source_at(fragment: &Fragment, wanted: &Field, time: u64) -> FieldSource {
    match fragment.stored_at(wanted, time) {
        Some(stored) => match stored.dimension_index {
            Some(dimension) => FieldSource::Coordinate(dimension, stored.clone()),
            None => FieldSource::Stored(stored.clone()),
        },
        None => FieldSource::Constant { value: wanted.fill.to_vec(), valid: wanted.fill_valid },
    }
}
