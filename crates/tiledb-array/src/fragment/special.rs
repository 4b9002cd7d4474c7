//! Special fields of consolidated fragments: timestamps of cells, and timestamps and conditions of their deletion.

use std::sync::Arc;

use crate::schema::{ArraySchema, Field};
use tiledb_core::types::{CellValNum, Datatype, Name};

/// Timestamps of cells, in milliseconds since 1970; in fragments consolidated from several.
pub const TIMESTAMPS: &str = "__timestamps";
/// Timestamps of deletions; the greatest number for cells that are not deleted.
pub const DELETE_TIMESTAMPS: &str = "__delete_timestamps";
/// Which of the fragment's processed conditions deleted a cell; the greatest number for a living one.
pub const DELETE_CONDITIONS: &str = "__delete_condition_index";

/// A special field at this position after the dimensions. Special fields are `UINT64` cells with the filters of
/// coordinates.
fn field(schema: &ArraySchema, name: &str, place: usize) -> Field {
    Field {
        name: Name::new(name),
        datatype: Datatype::Uint64,
        cell_val_num: CellValNum::ONE,
        nullable: false,
        index: schema.field_count_in_fragment() + place,
        dimension_index: None,
        attribute_index: None,
        is_dimension: false,
        fill: Arc::new([0xff; 8]),
        fill_valid: true,
        filters: schema.coords_filters().clone(),
    }
}

/// The special fields of a fragment, in the order of its tables.
pub fn special_fields(schema: &ArraySchema, timestamps: bool, deletes: bool) -> Vec<Field> {
    let names = [(timestamps, TIMESTAMPS), (deletes, DELETE_TIMESTAMPS), (deletes, DELETE_CONDITIONS)];
    let present = names.into_iter().filter(|name| name.0).enumerate();
    present.map(|(place, (_, name))| field(schema, name, place)).collect()
}
