//! Rules of which Arrow types can be written to a field, and how their values are converted.

use super::column::{ColumnShape, shape_of};
use super::import::ImportedType;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{ArrowConversion, CellValNum, Datatype, PhysicalType};

/// Arrow layout of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnLayout {
    /// One value per cell.
    Values(ArrowConversion),
    /// A fixed number of bytes per cell.
    Bytes(usize),
    /// A fixed number of values per cell, in a child array.
    Fixed(usize, ArrowConversion),
    /// Bytes between offsets of 32 bits, or of 64.
    Text { wide: bool },
    /// Bytes that views lead to.
    Views,
    /// Values of a child between offsets of 32 bits, or of 64.
    Lists { wide: bool, values: ArrowConversion },
}

/// Conversion of a column's cells to those of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnConversion {
    pub layout: ColumnLayout,
    /// Bytes of a value of the field.
    pub size: usize,
    /// Bytes of a cell of the field; `None` for cells of variable length.
    pub cell: Option<usize>,
    /// Arrow binary becomes text, which must be validated.
    pub is_new_text: bool,
}

impl ColumnConversion {
    /// The conversion of a type; `None` if it would change values.
    pub(crate) fn of(datatype: Datatype, count: CellValNum, imported: &ImportedType) -> Option<ColumnConversion> {
        let shape = shape_of(datatype, count.fixed());
        let size = datatype.size();
        let cell = count.fixed().map(|count| (count as usize).saturating_mul(size));
        let format = imported.format.as_str();
        let has_children = imported.children.len() == usize::from(format.starts_with('+'));
        if imported.dictionary.is_some() || !has_children {
            return None;
        }
        let of_child = |child: Option<&ImportedType>| {
            let child = child.filter(|child| child.children.is_empty() && child.dictionary.is_none())?;
            datatype.from_arrow(&child.format)
        };
        let layout = match (shape, format) {
            (ColumnShape::Single, _) => ColumnLayout::Values(datatype.from_arrow(format)?),
            (ColumnShape::Bytes(_) | ColumnShape::Text, "u" | "z") => ColumnLayout::Text { wide: false },
            (ColumnShape::Bytes(_) | ColumnShape::Text, "U" | "Z") => ColumnLayout::Text { wide: true },
            (ColumnShape::Bytes(_) | ColumnShape::Text, "vu" | "vz") => ColumnLayout::Views,
            (ColumnShape::Bytes(_) | ColumnShape::Text, _) => {
                ColumnLayout::Bytes(format.strip_prefix("w:")?.parse().ok()?)
            }
            (ColumnShape::Fixed(_) | ColumnShape::List, "+l") => {
                ColumnLayout::Lists { wide: false, values: of_child(imported.children.first())? }
            }
            (ColumnShape::Fixed(_) | ColumnShape::List, "+L") => {
                ColumnLayout::Lists { wide: true, values: of_child(imported.children.first())? }
            }
            (ColumnShape::Fixed(_) | ColumnShape::List, _) => {
                ColumnLayout::Fixed(format.strip_prefix("+w:")?.parse().ok()?, of_child(imported.children.first())?)
            }
        };
        let fits = match layout {
            ColumnLayout::Bytes(count) => cell.is_none_or(|cell| cell == count),
            ColumnLayout::Fixed(count, _) => cell.is_none_or(|cell| cell == count.saturating_mul(size)),
            _ => true,
        };
        let is_new_text = shape == ColumnShape::Text && datatype.is_arrow_text() && !matches!(format, "u" | "U" | "vu");
        fits.then_some(ColumnConversion { layout, size, cell, is_new_text })
    }
}

/// The integer type of dictionary indexes.
pub(crate) fn index_of(format: &str) -> Option<PhysicalType> {
    match format {
        "c" => Some(PhysicalType::I8),
        "C" => Some(PhysicalType::U8),
        "s" => Some(PhysicalType::I16),
        "S" => Some(PhysicalType::U16),
        "i" => Some(PhysicalType::I32),
        "I" => Some(PhysicalType::U32),
        "l" => Some(PhysicalType::I64),
        "L" => Some(PhysicalType::U64),
        _ => None,
    }
}

/// Types without parameters.
const NAMES: &[(&str, &str)] = &[
    ("n", "null"),
    ("b", "bool"),
    ("c", "int8"),
    ("C", "uint8"),
    ("s", "int16"),
    ("S", "uint16"),
    ("i", "int32"),
    ("I", "uint32"),
    ("l", "int64"),
    ("L", "uint64"),
    ("e", "float16"),
    ("f", "float32"),
    ("g", "float64"),
    ("u", "utf8"),
    ("U", "large_utf8"),
    ("vu", "utf8_view"),
    ("z", "binary"),
    ("Z", "large_binary"),
    ("vz", "binary_view"),
    ("tdD", "date32"),
    ("tdm", "date64"),
    ("tts", "time32[s]"),
    ("ttm", "time32[ms]"),
    ("ttu", "time64[us]"),
    ("ttn", "time64[ns]"),
    ("tDs", "duration[s]"),
    ("tDm", "duration[ms]"),
    ("tDu", "duration[us]"),
    ("tDn", "duration[ns]"),
    ("+s", "struct"),
    ("+m", "map"),
    ("+r", "run_end_encoded"),
];

/// The name of a type, as pyarrow writes it.
pub(crate) fn name_of(imported: &ImportedType) -> String {
    let format = imported.format.as_str();
    let child = || imported.children.first().map_or_else(String::new, name_of);
    if let Some(values) = &imported.dictionary {
        return format!("dictionary of {} with indexes of {}", name_of(values), plain_name(format));
    }
    match format {
        "+l" => format!("list of {}", child()),
        "+L" => format!("large_list of {}", child()),
        "+vl" | "+vL" => format!("list_view of {}", child()),
        _ => match (format.strip_prefix("+w:"), format.strip_prefix("w:")) {
            (Some(count), _) => format!("fixed_size_list of {count} {}", child()),
            (_, Some(count)) => format!("fixed_size_binary of {count}"),
            _ => plain_name(format),
        },
    }
}

fn plain_name(format: &str) -> String {
    let known = NAMES.iter().find(|(own, _)| *own == format).map(|(_, name)| (*name).to_owned());
    let timestamp = || {
        let (unit, zone) = format.strip_prefix("ts")?.split_once(':')?;
        let unit = if unit == "s" { "s".to_owned() } else { format!("{unit}s") };
        Some(if zone.is_empty() { format!("timestamp[{unit}]") } else { format!("timestamp[{unit}, {zone}]") })
    };
    known.or_else(timestamp).unwrap_or_else(|| format!("a type of format '{format}'"))
}

/// The type that cells are exported as.
pub(crate) fn expected_type(datatype: Datatype, count: CellValNum) -> String {
    let value = plain_name(datatype.arrow_format());
    match shape_of(datatype, count.fixed()) {
        ColumnShape::Single => value,
        ColumnShape::Bytes(count) => format!("fixed_size_binary of {count}"),
        ColumnShape::Fixed(count) => format!("fixed_size_list of {count} {value}"),
        ColumnShape::Text if datatype.is_arrow_text() => "large_utf8".to_owned(),
        ColumnShape::Text => "large_binary".to_owned(),
        ColumnShape::List => format!("large_list of {value}"),
    }
}

/// The error for a type that a field does not take.
///
/// # Errors
/// Always.
pub(crate) fn refuse<T>(field: &str, (datatype, count): (Datatype, CellValNum), imported: &ImportedType) -> Result<T> {
    let cells = match count.fixed() {
        None => " of variable length".to_owned(),
        Some(1) => String::new(),
        Some(count) => format!(" with {count} values per cell"),
    };
    let expected = expected_type(datatype, count);
    let actual = name_of(imported);
    let remedy = match imported.format.as_str() {
        "+r" => format!("decode the runs, to {expected}"),
        _ => format!("cast the column to {expected}"),
    };
    bail!("Arrow: column '{field}' is {actual}, but field '{field}' is {}{cells}; {remedy}", datatype.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(format: &str) -> ImportedType {
        ImportedType { format: format.to_owned(), ..ImportedType::default() }
    }

    fn list(format: &str, child: &str) -> ImportedType {
        ImportedType { children: vec![imported(child)], ..imported(format) }
    }

    #[test]
    fn types_are_taken_that_keep_all_values() {
        let of = |datatype, count, kind: &ImportedType| {
            ColumnConversion::of(datatype, count, kind).map(|conversion| conversion.layout)
        };
        let one = CellValNum::ONE;
        let var = CellValNum::VAR;
        let three = CellValNum::from_number(3).unwrap();
        assert_eq!(of(Datatype::Int32, one, &imported("i")), Some(ColumnLayout::Values(ArrowConversion::Same)));
        assert_eq!(of(Datatype::Int32, one, &imported("l")), None);
        assert_eq!(of(Datatype::StringUtf8, var, &imported("vu")), Some(ColumnLayout::Views));
        assert_eq!(of(Datatype::StringUtf8, var, &imported("w:4")), Some(ColumnLayout::Bytes(4)));
        assert_eq!(of(Datatype::Blob, three, &imported("w:4")), None);
        assert_eq!(of(Datatype::Blob, three, &imported("z")), Some(ColumnLayout::Text { wide: false }));
        assert_eq!(of(Datatype::Int64, three, &list("+w:3", "l")), Some(ColumnLayout::Fixed(3, ArrowConversion::Same)));
        assert_eq!(of(Datatype::Int64, three, &list("+w:2", "l")), None);
        assert_eq!(of(Datatype::Int64, var, &list("+l", "i")), None);
        assert_eq!(of(Datatype::Int64, var, &imported("+l")), None);
        let lists = ColumnLayout::Lists { wide: true, values: ArrowConversion::Bits };
        assert_eq!(of(Datatype::Bool, var, &list("+L", "b")), Some(lists));
    }

    #[test]
    fn refusals_name_both_types_and_the_remedy() {
        let three = (Datatype::Float32, CellValNum::from_number(3).unwrap());
        let error = refuse::<()>("a", three, &list("+l", "g")).unwrap_err();
        assert_eq!(
            error.text(),
            "Arrow: column 'a' is list of float64, but field 'a' is FLOAT32 with 3 values per cell; cast the column to \
             fixed_size_list of 3 float32"
        );
        let error = refuse::<()>("t", (Datatype::TimeUs, CellValNum::ONE), &imported("tsm:UTC")).unwrap_err();
        assert!(error.text().contains("timestamp[ms, UTC]") && error.text().ends_with("time64[us]"), "{error}");
    }
}
