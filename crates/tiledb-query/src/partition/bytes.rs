//! Result bytes per cell, by which the number of parts is chosen.

use std::sync::Arc;

use tiledb_array::array::OpenArray;
use tiledb_array::fragment::Fragment;
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};

/// Number of fragments sampled for the average length of variable cells.
const MAX_SAMPLED_FRAGMENTS: usize = 64;
/// Bytes of the offset of a variable cell.
const OFFSET: u64 = 8;

/// Average bytes per cell of these fields in result buffers; without fields, of all attributes, and of all
/// dimensions of sparse arrays.
///
/// # Errors
/// For an unknown field, and if the metadata of a fragment cannot be read.
pub(super) fn of_cell(array: &OpenArray, fields: Option<&[String]>) -> Result<f64> {
    let schema = array.schema();
    let Some(names) = fields else {
        let all = schema.fields().iter().filter(|field| !field.is_dimension || !schema.is_dense());
        return all.map(|field| of_field(array, field)).sum();
    };
    let of_name = |name: &String| match schema.field(name) {
        Some(field) => of_field(array, field),
        None => bail!("Partition: '{}' has no field '{name}'", array.uri()),
    };
    names.iter().map(of_name).sum()
}

fn of_field(array: &OpenArray, field: &Field) -> Result<f64> {
    let fixed = u64::from(field.nullable) + if field.is_var() { OFFSET } else { field.cell_size() as u64 };
    let values = if field.is_var() { mean_values(array, field)? } else { 0.0 };
    Ok(fixed as f64 + values)
}

/// The bytes of values of a cell of a variable field, on the average.
fn mean_values(array: &OpenArray, field: &Field) -> Result<f64> {
    let fragments = array.fragments()?;
    let sampled: Vec<&Arc<Fragment>> =
        fragments.iter().step_by(fragments.len().div_ceil(MAX_SAMPLED_FRAGMENTS).max(1)).collect();
    let resources = array.resources();
    let lengths = resources.pools().map(sampled.len(), usize::MAX, resources.cancel(), |index| {
        let fragment = sampled[index];
        let Some(stored) = fragment.stored(field) else { return Ok((0, 0)) };
        (0..fragment.tile_count()).try_fold((0u64, 0u64), |(bytes, cells), tile| {
            let own = fragment.var_tile_size(stored, tile)?;
            Ok((bytes.saturating_add(own), cells.saturating_add(fragment.cells_in_tile(tile))))
        })
    })?;
    let (bytes, cells) = lengths
        .into_iter()
        .fold((0u64, 0u64), |(bytes, cells), own| (bytes.saturating_add(own.0), cells.saturating_add(own.1)));
    Ok(if cells == 0 { field.fill.len() as f64 } else { bytes as f64 / cells as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::array::create;
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    #[test]
    fn cells_have_the_bytes_of_all_fields_or_of_those_that_are_named() {
        for (kind, of_all) in [(ArrayType::Dense, 5.0), (ArrayType::Sparse, 7.0)] {
            let resources = Resources::new(Config::new()).unwrap();
            let key = EncryptionKey::None;
            let uri = Uri::parse(&format!("mem://bytes_of_cells/{kind:?}")).unwrap();
            let dimension = Dimension::new("d", Datatype::Int16, Some(&[1, 0, 8, 0]), Some(&[4, 0])).unwrap();
            let mut schema = ArraySchema::new(kind);
            schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
            let mut attribute = Attribute::new("a", Datatype::Int32);
            attribute.set_nullable(true);
            schema.add_attribute(Arc::new(attribute)).unwrap();
            create(&resources, &uri, &schema, &key).unwrap();
            let array = OpenArray::open(&resources, &uri, QueryType::Read, (0, 9), &key).unwrap();
            assert_eq!(of_cell(&array, None).unwrap(), of_all, "{kind:?}");
            let named = |names: &[&str]| {
                of_cell(&array, Some(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()))
            };
            assert_eq!(named(&["d", "a"]).unwrap(), 7.0);
            assert_eq!(named(&["d"]).unwrap(), 2.0);
            assert!(named(&["b"]).unwrap_err().text().contains("no field 'b'"));
        }
    }
}
