//! Sources of the requested fields in the fragments of a sparse read.

use crate::read::spec::{CellVersions, ReadSpec};
use tiledb_array::fragment::{DELETE_CONDITIONS, DELETE_TIMESTAMPS, Fragment, TIMESTAMPS};
use tiledb_array::schema::Field;
use tiledb_core::types::Name;

/// Time and condition of the deletion of a cell that was not deleted.
pub const NOT_DELETED: u64 = u64::MAX;

/// Where a fragment has a requested field.
pub enum FieldSource {
    /// In its own tiles.
    Stored(Field),
    /// As the coordinates of this dimension.
    Coordinate(usize, Field),
    /// Nowhere: every cell has this value.
    Constant { value: Vec<u8>, valid: bool },
    /// Among the deletions that are computed when a tile is loaded, and that each loaded tile has.
    Deletion(DeletionColumn),
}

/// The two fields of a deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletionColumn {
    Time,
    Condition,
}

impl FieldSource {
    /// The field, if the fragment has it.
    pub fn field(&self) -> Option<&Field> {
        match self {
            FieldSource::Stored(field) | FieldSource::Coordinate(_, field) => Some(field),
            FieldSource::Constant { .. } | FieldSource::Deletion(_) => None,
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
    match (spec.array.schema().field(name), spec.versions, &**name) {
        (Some(field), ..) => source_of(fragment, field),
        (None, CellVersions::All, DELETE_TIMESTAMPS) => FieldSource::Deletion(DeletionColumn::Time),
        (None, CellVersions::All, DELETE_CONDITIONS) => FieldSource::Deletion(DeletionColumn::Condition),
        // Cells that were deleted are not delivered.
        (None, ..) => FieldSource::Constant { value: NOT_DELETED.to_le_bytes().to_vec(), valid: true },
    }
}

/// Where a fragment has a field of the array's schema, or of an older one.
pub fn source_of(fragment: &Fragment, field: &Field) -> FieldSource {
    source_at(fragment, field, u64::MAX)
}

/// The same as of a time, before which an attribute may not have been dropped yet.
pub fn source_at(fragment: &Fragment, field: &Field, time: u64) -> FieldSource {
    match fragment.stored_at(field, time) {
        Some(stored) => match stored.dimension_index {
            Some(dimension) => FieldSource::Coordinate(dimension, stored.clone()),
            None => FieldSource::Stored(stored.clone()),
        },
        None => FieldSource::Constant { value: field.fill.to_vec(), valid: field.fill_valid },
    }
}
