//! Datatypes of the columns of Arrow and Parquet files.

use arrow_schema::{DataType, Field, TimeUnit};
use tiledb::Datatype;

use crate::model::{DatatypeExt, Error, Result, VAR};

/// Datatype of a column, and its number of values per cell.
pub(super) struct ColumnType {
    pub datatype: Datatype,
    pub values: u32,
}

/// The datatype of a column: from TileDB's metadata, or inferred.
pub(super) fn column_type(field: &Field) -> Result<ColumnType> {
    let known = match field.metadata().get("tiledb.datatype") {
        Some(name) => {
            Some(Datatype::named(name).map_err(|error| Error::failed(format!("column {:?}: {error}", field.name())))?)
        }
        None => None,
    };
    let (found, known) = match field.data_type() {
        // The datatype of the metadata is that of the indexes.
        DataType::Dictionary(_, values) => (of_cells(values), None),
        kind => (of_cells(kind), known),
    };
    match (found, known) {
        (Some((inferred, values)), known) => Ok(ColumnType { datatype: known.unwrap_or(inferred), values }),
        (None, _) => Err(unsupported(field)),
    }
}

/// The datatype and the number of values of a cell.
fn of_cells(kind: &DataType) -> Option<(Datatype, u32)> {
    match kind {
        DataType::List(values) | DataType::LargeList(values) => Some((of_value(values.data_type())?, VAR)),
        DataType::FixedSizeList(values, count) => {
            Some((of_value(values.data_type())?, u32::try_from(*count).ok().filter(|count| *count > 0)?))
        }
        DataType::FixedSizeBinary(count) => {
            Some((Datatype::Char, u32::try_from(*count).ok().filter(|count| *count > 0)?))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some((Datatype::StringUtf8, VAR)),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some((Datatype::Char, VAR)),
        _ => Some((of_value(kind)?, 1)),
    }
}

/// The datatype of a value of fixed size.
pub(super) fn of_value(kind: &DataType) -> Option<Datatype> {
    let digits = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    };
    Some(match kind {
        DataType::Int8 => Datatype::Int8,
        DataType::Int16 => Datatype::Int16,
        DataType::Int32 => Datatype::Int32,
        DataType::Int64 => Datatype::Int64,
        DataType::UInt8 => Datatype::Uint8,
        DataType::UInt16 => Datatype::Uint16,
        DataType::UInt32 => Datatype::Uint32,
        DataType::UInt64 => Datatype::Uint64,
        DataType::Float32 => Datatype::Float32,
        DataType::Float64 => Datatype::Float64,
        DataType::Boolean => Datatype::Bool,
        DataType::Date32 => Datatype::DatetimeDay,
        DataType::Date64 => Datatype::DatetimeMs,
        DataType::Timestamp(unit, _) => Datatype::DatetimeSec.finer(digits(unit)),
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Duration(unit) => {
            Datatype::TimeSec.finer(digits(unit))
        }
        _ => return None,
    })
}

/// The error for a column without a datatype, which names the innermost part that has none.
fn unsupported(field: &Field) -> Error {
    let (path, kind) = innermost(field);
    let name = field.name();
    if path == *name {
        let remedy = match kind {
            DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => {
                "cast it to float64, or to a string"
            }
            DataType::Float16 => "cast it to float32",
            DataType::Null => "leave it out, or cast it to a string",
            DataType::Dictionary(..) => "decode its dictionary, or cast it",
            _ => "cast it",
        };
        return Error::failed(format!("no datatype suits the type {kind} of column {name:?}: {remedy}"));
    }
    Error::failed(format!(
        "column {name:?} is nested: its part {path:?} has the type {kind}; cells have no parts: \
         make a column of each part (in pyarrow Table.flatten, in pandas json_normalize)"
    ))
}

/// The first part of a nested column that has no parts itself, with its path: `a.b` of a struct, `a[]` of a list.
fn innermost(field: &Field) -> (String, DataType) {
    let (mut path, mut kind) = (field.name().clone(), field.data_type().clone());
    loop {
        let (step, next) = match &kind {
            DataType::Struct(parts) => match parts.first() {
                Some(part) => (format!(".{}", part.name()), part.data_type().clone()),
                None => break,
            },
            DataType::List(values)
            | DataType::LargeList(values)
            | DataType::ListView(values)
            | DataType::LargeListView(values)
            | DataType::FixedSizeList(values, _)
            | DataType::Map(values, _) => ("[]".to_owned(), values.data_type().clone()),
            DataType::Union(parts, _) if !parts.is_empty() => {
                let part = parts.iter().next().map(|(_, part)| part.clone());
                let Some(part) = part else { break };
                (format!(".{}", part.name()), part.data_type().clone())
            }
            _ => break,
        };
        path += &step;
        kind = next;
    }
    (path, kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn error(kind: DataType) -> String {
        column_type(&Field::new("a", kind, true)).err().map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn nested_columns_are_named_by_path() {
        let inner = Field::new("c", DataType::Utf8, true);
        let list = Field::new(
            "b",
            DataType::List(Arc::new(Field::new("item", DataType::Struct([inner.into()].into()), true))),
            true,
        );
        let text = error(DataType::Struct([list.into()].into()));
        assert!(text.contains("\"a.b[].c\" has the type Utf8"), "{text}");
        let empty = error(DataType::Struct(Default::default()));
        assert!(empty.contains("column \"a\""), "{empty}");
        // Lists of texts have two variable lengths.
        let texts = error(DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))));
        assert!(texts.contains("\"a[]\" has the type Utf8"), "{texts}");
    }

    #[test]
    fn types_without_datatype_have_a_remedy() {
        assert!(error(DataType::Decimal128(10, 2)).contains("float64"));
        assert!(error(DataType::Float16).contains("float32"));
        assert!(error(DataType::FixedSizeBinary(0)).contains("no datatype"));
        assert!(error(DataType::Null).contains("leave it out"));
        assert_eq!(error(DataType::FixedSizeBinary(16)), "");
        assert_eq!(error(DataType::List(Arc::new(Field::new("item", DataType::Int32, true)))), "");
    }
}
