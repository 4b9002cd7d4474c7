//! Serialization of the global-order bounds of tiles, which sparse fragments have since format version 23. Their lists have an
//! entry for each field of the fragment, of which those of the first ones are those of the dimensions.

use crate::encoding::{Builder, List, MessageField, View};
use crate::messages::FragmentMetadata;
use tiledb_array::fragment::StoredBounds;
use tiledb_core::error::Result;
use tiledb_core::memory;

/// A list of tables, and the table of a dimension.
type TableField = (MessageField<FragmentMetadata, List<List<u8>>>, fn(&mut StoredBounds) -> &mut Vec<u8>);

/// Fixed cells or the starts of variable ones, then variable ones; of lower bounds, then of upper ones.
const TABLES: [TableField; 4] = [
    (FragmentMetadata::TILE_GLOBAL_ORDER_MIN_BUFFER, |bounds| &mut bounds.lower[0]),
    (FragmentMetadata::TILE_GLOBAL_ORDER_MIN_VAR_BUFFER, |bounds| &mut bounds.lower[1]),
    (FragmentMetadata::TILE_GLOBAL_ORDER_MAX_BUFFER, |bounds| &mut bounds.upper[0]),
    (FragmentMetadata::TILE_GLOBAL_ORDER_MAX_VAR_BUFFER, |bounds| &mut bounds.upper[1]),
];

/// Puts the bounds into a message about a fragment with so many fields; empty tables if they are not loaded.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn fill(
    out: &mut Builder<'_, FragmentMetadata>,
    fields: usize,
    loaded: Option<Vec<StoredBounds>>,
) -> Result<()> {
    let mut bounds = loaded.unwrap_or_default();
    bounds.resize(fields, StoredBounds::default());
    for (field, table) in TABLES {
        let mut list = out.list(field, fields)?;
        for (index, bounds) in bounds.iter_mut().enumerate() {
            list.set_numbers(index, table(bounds))?;
        }
    }
    Ok(())
}

/// The bounds in a message by dimension; `None` if it has none.
///
/// # Errors
/// If the message breaks a rule, or memory does not suffice.
pub(super) fn of(view: View<'_, FragmentMetadata>, dimensions: usize) -> Result<Option<Vec<StoredBounds>>> {
    let mut bounds = memory::filled("bounds of tiles", StoredBounds::default(), dimensions)?;
    for (field, table) in TABLES {
        for (bounds, numbers) in bounds.iter_mut().zip(view.items(field)?.iter()) {
            *table(bounds) = numbers?.to_vec()?;
        }
    }
    let has_any = bounds.iter().any(|bounds| !bounds.lower[0].is_empty() || !bounds.upper[0].is_empty());
    Ok(has_any.then_some(bounds))
}
