//! Dictionaries of columns, which become enumerations.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use tiledb::Datatype;

use super::arrow_types::of_value;
use crate::model::{DatatypeExt, NewEnumeration};

/// Maximum number of bytes of the values of an enumeration, with their offsets. Readers load an enumeration as a whole, and by
/// default not more than 10 MiB (`sm.enumerations_max_size`).
const MAX_BYTES: usize = 8 << 20;

/// The different values of the dictionaries of one column, in the order in which they occur.
pub(super) struct DictionaryValues {
    keys: Datatype,
    datatype: Datatype,
    is_var: bool,
    is_ordered: bool,
    data: Vec<u8>,
    offsets: Vec<u64>,
    known: HashSet<Vec<u8>>,
    /// The dictionary that was added last: batches often share one.
    last: Option<ArrayRef>,
    is_too_large: bool,
}

impl DictionaryValues {
    /// None yet of a column; `None` for a column without a dictionary, or with one whose values suit no enumeration.
    pub(super) fn new(kind: &DataType, datatype: Datatype, is_ordered: bool) -> Option<Self> {
        let DataType::Dictionary(keys, values) = kind else { return None };
        let is_var = match **values {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
            _ if width(values).is_some_and(|width| width == datatype.size()) => false,
            _ => return None,
        };
        let keys = of_value(keys).filter(|_| keys.is_dictionary_key_type())?;
        Some(Self {
            keys,
            datatype,
            is_var,
            is_ordered,
            data: Vec::new(),
            offsets: Vec::new(),
            known: HashSet::new(),
            last: None,
            is_too_large: false,
        })
    }

    /// Whether an enumeration of the values would be too large to load.
    pub(super) fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// Adds the values of the dictionary of a column that are not known yet.
    pub(super) fn add(&mut self, column: &dyn Array) {
        let Some(dictionary) = column.as_any_dictionary_opt() else { return };
        let values = dictionary.values();
        if self.is_too_large || self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, values)) {
            return;
        }
        let (known, offsets, data) = (&mut self.known, &mut self.offsets, &mut self.data);
        let mut is_too_large = false;
        each_value(values, &mut |value| {
            if is_too_large || known.contains(value) {
                return;
            }
            known.insert(value.to_vec());
            offsets.push(data.len() as u64);
            data.extend_from_slice(value);
            is_too_large = data.len() + 8 * offsets.len() > MAX_BYTES;
        });
        self.is_too_large = is_too_large;
        self.last = Some(Arc::clone(values));
    }

    /// The enumeration, and the datatype of its indexes; `None` if it would be too large to load.
    pub(super) fn finish(self, name: &str) -> Option<(NewEnumeration, Datatype)> {
        if self.is_too_large {
            return None;
        }
        let count = self.offsets.len() as u64;
        // Several dictionaries together may have more values than an index of each counts.
        let wider = [self.keys, Datatype::Int16, Datatype::Int32];
        let keys = wider.into_iter().find(|keys| count <= keys.max_index()).unwrap_or(Datatype::Int32);
        let offsets = if self.is_var { self.offsets } else { Vec::new() };
        let enumeration = NewEnumeration {
            name: name.to_owned(),
            datatype: self.datatype,
            values: if self.is_var { crate::model::VAR } else { 1 },
            is_ordered: self.is_ordered,
            data: self.data,
            offsets,
        };
        Some((enumeration, keys))
    }
}

/// Bytes of a value of fixed size whose representation is the same in Arrow and in TileDB.
fn width(kind: &DataType) -> Option<usize> {
    match kind {
        DataType::Boolean | DataType::Float16 => None,
        kind => kind.primitive_width(),
    }
}

/// Calls a function with the bytes of each value that is not null.
pub(super) fn each_value(values: &dyn Array, take: &mut dyn FnMut(&[u8])) {
    macro_rules! each {
        ($cells:expr) => {
            $cells.iter().flatten().for_each(|value| take(value.as_ref()))
        };
    }
    match values.data_type() {
        DataType::Utf8 => each!(values.as_string::<i32>()),
        DataType::LargeUtf8 => each!(values.as_string::<i64>()),
        DataType::Utf8View => each!(values.as_string_view()),
        DataType::Binary => each!(values.as_binary::<i32>()),
        DataType::LargeBinary => each!(values.as_binary::<i64>()),
        DataType::BinaryView => each!(values.as_binary_view()),
        kind => {
            let data = values.to_data();
            let (Some(width), Some(buffer)) = (width(kind), data.buffers().first()) else { return };
            let bytes = buffer.as_slice().get(data.offset() * width..(data.offset() + data.len()) * width);
            let cells = bytes.unwrap_or_default().chunks_exact(width).enumerate();
            cells.filter(|(at, _)| values.is_valid(*at)).for_each(|(_, value)| take(value));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{DictionaryArray, Int8Array, StringArray};

    fn column(values: Vec<Option<&str>>) -> DictionaryArray<Int8Type> {
        DictionaryArray::new(Int8Array::from(vec![Some(0), None]), Arc::new(StringArray::from(values)))
    }

    fn empty() -> DictionaryValues {
        let kind = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        DictionaryValues::new(&kind, Datatype::StringUtf8, true).unwrap()
    }

    #[test]
    fn values_are_united_in_order() {
        let mut values = empty();
        values.add(&column(vec![Some("b"), Some("a"), None, Some("b")]));
        values.add(&column(vec![Some("c"), Some("a"), Some("")]));
        let (enumeration, keys) = values.finish("x").unwrap();
        assert_eq!((enumeration.data.as_slice(), enumeration.offsets.as_slice()), (&b"bac"[..], &[0, 1, 2, 3][..]));
        assert!(enumeration.is_ordered && keys == Datatype::Int8);
    }

    #[test]
    fn indexes_are_wide_enough() {
        let mut values = empty();
        for part in 0..2 {
            let texts: Vec<String> = (0..100).map(|text| format!("{part} {text}")).collect();
            values.add(&column(texts.iter().map(|text| Some(text.as_str())).collect()));
        }
        assert!(values.finish("x").unwrap().1 == Datatype::Int16);
    }

    #[test]
    fn large_dictionaries_become_no_enumeration() {
        let text = "x".repeat(1 << 20);
        let texts: Vec<String> = (0..9).map(|number| format!("{number}{text}")).collect();
        let mut values = empty();
        values.add(&column(texts.iter().map(|text| Some(text.as_str())).collect()));
        assert!(values.finish("x").is_none());
    }
}
