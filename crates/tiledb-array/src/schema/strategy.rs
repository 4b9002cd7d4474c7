//! Random valid schemas, for property tests.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;
use tiledb_core::types::{ArrayType, DataOrder, Datatype, Layout};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};

/// Filters that every type of value accepts.
pub(crate) fn pipeline() -> impl Strategy<Value = Pipeline> {
    let kinds = [FilterType::Zstd, FilterType::Gzip, FilterType::Lz4, FilterType::ByteShuffle, FilterType::BitShuffle];
    prop::collection::vec(select(kinds.to_vec()), 0..3)
        .prop_map(|kinds| Pipeline::new(kinds.into_iter().map(Filter::new).collect()))
}

/// A dimension of any type an array of `array_type` may have; dense ones are all of `INT32`.
pub(crate) fn dimension(array_type: ArrayType, index: usize) -> impl Strategy<Value = Arc<Dimension>> {
    let types: Vec<Datatype> = match array_type {
        ArrayType::Dense => vec![Datatype::Int32],
        ArrayType::Sparse => Datatype::all().filter(|datatype| datatype.is_of_dimensions()).collect(),
    };
    (select(types), any::<(u8, u8)>(), prop::option::of(1u8..), pipeline()).prop_map(
        move |(datatype, (a, b), extent, filters)| {
            let (low, high) = (a.min(b) / 2, a.max(b) / 2);
            let extent = extent.map(|extent| extent.min(high - low + 1));
            let bytes = |value: u8| value_bytes(datatype, value);
            let mut dimension = if datatype.coordinate_cells().is_var() {
                Dimension::new(&format!("d{index}"), datatype, None, None)
            } else {
                let domain = [bytes(low), bytes(high)].concat();
                Dimension::new(&format!("d{index}"), datatype, Some(&domain), extent.map(bytes).as_deref())
            }
            .expect("a valid dimension");
            dimension.set_filters(filters).expect("filters for every type");
            Arc::new(dimension)
        },
    )
}

/// A small number as bytes of the datatype.
fn value_bytes(datatype: Datatype, value: u8) -> Vec<u8> {
    match datatype {
        Datatype::Float32 => f32::from(value).to_le_bytes().to_vec(),
        Datatype::Float64 => f64::from(value).to_le_bytes().to_vec(),
        _ => u64::from(value).to_le_bytes()[..datatype.size()].to_vec(),
    }
}

/// An attribute of any type, fixed or variable, nullable or not, perhaps with a fill value.
pub(crate) fn attribute(index: usize) -> impl Strategy<Value = Arc<Attribute>> {
    let types: Vec<Datatype> = Datatype::all().collect();
    let number = prop_oneof![Just(1u32), 2u32..5, Just(u32::MAX)];
    let order = select(vec![DataOrder::Unordered, DataOrder::Increasing, DataOrder::Decreasing]);
    (select(types), number, any::<Option<u8>>(), any::<Option<bool>>(), order, pipeline()).prop_map(
        move |(datatype, number, fill, nullable, order, filters)| {
            let mut attribute = Attribute::new(&format!("a{index}"), datatype);
            if datatype != Datatype::Any {
                attribute.set_cell_val_num(number).expect("a positive number");
            }
            attribute.set_nullable(nullable.is_some());
            attribute.set_order(order);
            attribute.set_filters(filters).expect("filters for every type");
            if let Some(byte) = fill {
                let value = vec![byte; attribute.cell_size()];
                match nullable {
                    Some(valid) => attribute.set_fill_nullable(Some(&value), valid),
                    None => attribute.set_fill(Some(&value)),
                }
                .expect("a fill value of a cell's size");
            }
            Arc::new(attribute)
        },
    )
}

/// A schema that passes its check.
pub(crate) fn schema() -> impl Strategy<Value = ArraySchema> {
    select(vec![ArrayType::Dense, ArrayType::Sparse]).prop_flat_map(schema_of)
}

/// A schema of this type that passes its check.
pub(crate) fn schema_of(array_type: ArrayType) -> impl Strategy<Value = ArraySchema> {
    let dimensions = (1usize..4).prop_flat_map(move |n| (0..n).map(|i| dimension(array_type, i)).collect::<Vec<_>>());
    let attributes = (1usize..5).prop_flat_map(|n| (0..n).map(attribute).collect::<Vec<_>>());
    let orders = prop::array::uniform2(select(vec![Layout::RowMajor, Layout::ColMajor]));
    (dimensions, attributes, orders, 1u64..100_000, any::<bool>(), prop::array::uniform3(pipeline())).prop_map(
        move |(dimensions, attributes, [tile, cell], capacity, dups, [coords, offsets, validity])| {
            let mut schema = ArraySchema::new(array_type);
            let build = |schema: &mut ArraySchema| {
                schema.set_domain(Arc::new(Domain::of(dimensions)))?;
                attributes.into_iter().try_for_each(|attribute| schema.add_attribute(attribute))?;
                schema.set_tile_order(tile)?;
                schema.set_cell_order(cell)?;
                schema.set_capacity(capacity)?;
                schema.set_allows_dups(dups && array_type == ArrayType::Sparse)?;
                schema.set_offsets_filters(offsets);
                schema.set_validity_filters(validity);
                schema.set_coords_filters(coords)
            };
            build(&mut schema).expect("a valid schema");
            schema
        },
    )
}
