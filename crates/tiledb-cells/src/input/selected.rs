//! Selected cells of a field of a tile.

use super::decode_context::{DecodeContext, within_budget};
use super::decoded::{DecodedTile, Purpose, decode_field, decoded_size, kind_of};
use super::encoded::read_encoded;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_core::error::Result;

/// Reads the `selected` cells of a field of a tile, which ascend: only chunks with any of them are decoded. `None` if the memory for
/// all of its cells at the same time does not suffice.
///
/// # Errors
/// If the tile cannot be read, or is corrupt.
pub fn read_selected(
    fragment: &Fragment,
    field: &Field,
    tile: u64,
    cells: usize,
    selected: &[u32],
    access: DecodeContext<'_>,
) -> Result<Option<DecodedTile>> {
    if let Some(encoded) = read_encoded(fragment, field, tile, cells, access)? {
        return within_budget(encoded.decode(field, Some(selected), access));
    }
    // Of the values of variable cells all may be selected.
    let need = decoded_size(fragment, field, tile, cells)?.saturating_mul(2);
    let decoded = within_budget(access.lease(kind_of(field), need, || {
        let cells = decode_field(fragment, field, tile, cells, access, Purpose::Selection(selected))?;
        cells.select(selected, field.cell_size())
    }))?;
    if decoded.is_some() {
        access.count_field(field);
    }
    Ok(decoded.map(|decoded| DecodedTile::new(decoded.fit())))
}
