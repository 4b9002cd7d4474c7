//! Cells of Arrow arrays.
#![allow(unreachable_pub, reason = "a module of test programs")]

use arrow_array::cast::AsArray;
use arrow_array::types::Date32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

/// The bytes of a cell as TileDB has them.
pub fn raw(array: &dyn Array, row: usize) -> Option<Vec<u8>> {
    let all = |array: &ArrayRef| {
        (0..array.len()).map(|at| raw(array, at)).collect::<Option<Vec<_>>>().map(|all| all.concat())
    };
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Boolean => Some(vec![u8::from(array.as_boolean().value(row))]),
        DataType::Utf8 => Some(array.as_string::<i32>().value(row).into()),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row).into()),
        DataType::Binary => Some(array.as_binary::<i32>().value(row).to_vec()),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row).to_vec()),
        DataType::FixedSizeBinary(_) => Some(array.as_fixed_size_binary().value(row).to_vec()),
        DataType::List(_) => all(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => all(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => all(&array.as_fixed_size_list().value(row)),
        DataType::Dictionary(..) => raw(array.as_any_dictionary().keys(), row),
        DataType::Date32 => Some(i64::from(array.as_primitive::<Date32Type>().value(row)).to_le_bytes().to_vec()),
        kind => {
            let (data, size) = (array.to_data(), kind.primitive_width()?);
            let start = (data.offset() + row) * size;
            Some(data.buffers()[0].as_slice()[start..start + size].to_vec())
        }
    }
}
