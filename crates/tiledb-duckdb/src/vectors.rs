//! Arrays of Arrow as vectors of DuckDB.
//!
//! A vector has room for [`capacity`] values, the child of a list for as many as were reserved.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;
use libduckdb_sys as ffi;

use crate::columns::Conversion;

/// The value of dates and times that are not one.
const NOT_A_TIME: i64 = i64::MIN;

/// The values that a vector holds.
pub(crate) fn capacity() -> usize {
    // SAFETY: has no precondition.
    unsafe { ffi::duckdb_vector_size() as usize }
}

/// A vector, of the type of a column, with room for so many values.
pub(crate) struct Vector {
    raw: ffi::duckdb_vector,
    room: usize,
}

impl Vector {
    /// A column of a chunk.
    ///
    /// # Safety
    /// The chunk has the column and lives as long as the vector.
    pub(crate) unsafe fn of_chunk(chunk: ffi::duckdb_data_chunk, column: usize) -> Vector {
        // SAFETY: as the caller promises.
        Vector { raw: unsafe { ffi::duckdb_data_chunk_get_vector(chunk, column as u64) }, room: capacity() }
    }

    /// Fills the vector with values, which are of the type that the conversion is for.
    pub(crate) fn fill(&self, conversion: &Conversion, values: &ArrayRef) -> Result<(), String> {
        if values.len() > self.room {
            return Err(format!("{} values in a vector of {}", values.len(), self.room));
        }
        match conversion {
            Conversion::Copied(width) => self.copy(values, *width),
            Conversion::Bool => self.store(values.as_boolean().values().iter().map(u8::from)),
            Conversion::Date => {
                let days = values.as_primitive_opt::<Int64Type>().ok_or("no days")?;
                let known =
                    days.values().iter().map(|day| if *day == NOT_A_TIME { Ok(0) } else { i32::try_from(*day) });
                let known: Result<Vec<i32>, _> = known.collect();
                self.store(known.map_err(|_| "a date is out of the range of DATE")?.into_iter());
                return self.set_times(days.values(), days.nulls());
            }
            Conversion::Seconds(length) => {
                let units = values.as_primitive_opt::<Int64Type>().ok_or("no times")?;
                let seconds = units
                    .values()
                    .iter()
                    .map(|unit| if *unit == NOT_A_TIME { Some(0) } else { unit.checked_mul(*length) });
                let seconds: Option<Vec<i64>> = seconds.collect();
                self.store(seconds.ok_or("a time is out of the range of TIMESTAMP_S")?.into_iter());
                return self.set_times(units.values(), units.nulls());
            }
            Conversion::Timestamp => {
                self.copy(values, 8);
                let data = values.to_data();
                let times = data.buffers().first().map_or(&[][..], |buffer| buffer.typed_data::<i64>());
                let times = times.get(data.offset()..data.offset() + values.len()).ok_or("no times")?;
                return self.set_times(times, values.nulls());
            }
            Conversion::Text => {
                let texts = values.as_string_opt::<i64>().ok_or("no texts")?;
                self.assign((0..texts.len()).map(|row| texts.value(row).as_bytes()));
            }
            Conversion::Bytes => {
                let bytes = values.as_binary_opt::<i64>().ok_or("no bytes")?;
                self.assign((0..bytes.len()).map(|row| bytes.value(row)));
            }
            Conversion::FixedBytes => {
                let bytes = values.as_fixed_size_binary_opt().ok_or("no bytes")?;
                self.assign((0..bytes.len()).map(|row| bytes.value(row)));
            }
            Conversion::Enumeration(places) => return self.fill_places(values, places),
            Conversion::Decoded(conversion) => {
                let dictionary = values.as_any_dictionary_opt().ok_or("no dictionary")?;
                let decoded = taken(dictionary.values(), dictionary.keys())?;
                return self.fill(conversion, &decoded);
            }
            Conversion::Array(conversion, length) => {
                let lists = values.as_fixed_size_list_opt().ok_or("no lists")?;
                // SAFETY: a vector of arrays has a child with room for the values of all of its arrays.
                let child = Vector {
                    raw: unsafe { ffi::duckdb_array_vector_get_child(self.raw) },
                    room: self.room.saturating_mul(*length),
                };
                child.fill(conversion, lists.values())?;
            }
            Conversion::List(conversion) => return self.fill_lists(conversion, values),
        }
        self.set_validity(values.nulls())
    }

    /// Where the values are.
    fn data<T>(&self) -> *mut T {
        // SAFETY: a vector.
        unsafe { ffi::duckdb_vector_get_data(self.raw) }.cast()
    }

    fn copy(&self, values: &ArrayRef, width: usize) {
        let data = values.to_data();
        let Some(buffer) = data.buffers().first() else { return };
        let from = data.offset() * width;
        let Some(bytes) = buffer.as_slice().get(from..from + values.len() * width) else { return };
        // SAFETY: the vector has room for as many values of this width.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.data::<u8>(), bytes.len()) };
    }

    /// Stores values, of which there are at most as many as the vector has room for.
    fn store<T>(&self, values: impl Iterator<Item = T>) {
        let data = self.data::<T>();
        for (row, value) in values.take(self.room).enumerate() {
            // SAFETY: the row is within the room; the callers store values of the type of the vector.
            unsafe { data.add(row).write(value) };
        }
    }

    fn assign<'a>(&self, values: impl Iterator<Item = &'a [u8]>) {
        for (row, value) in values.take(self.room).enumerate() {
            // SAFETY: the row is within the room; DuckDB copies the bytes.
            unsafe {
                let start = value.as_ptr().cast();
                ffi::duckdb_vector_assign_string_element_len(self.raw, row as u64, start, value.len() as u64);
            }
        }
    }

    fn set_validity(&self, nulls: Option<&NullBuffer>) -> Result<(), String> {
        let Some(nulls) = nulls.filter(|nulls| nulls.null_count() > 0) else { return Ok(()) };
        // SAFETY: a vector; its validity then has a bit for each value that it has room for.
        let words = unsafe {
            ffi::duckdb_vector_ensure_validity_writable(self.raw);
            ffi::duckdb_vector_get_validity(self.raw)
        };
        if words.is_null() {
            return Err("DuckDB has no memory for null values".to_owned());
        }
        let chunks = nulls.inner().bit_chunks();
        for (index, word) in chunks.iter_padded().take(nulls.len().div_ceil(64)).enumerate() {
            // SAFETY: the word has bits of values that there is room for.
            unsafe { words.add(index).write(word) };
        }
        Ok(())
    }

    /// The validity of times, of which "not a time" is null as well.
    fn set_times(&self, times: &[i64], nulls: Option<&NullBuffer>) -> Result<(), String> {
        if !times.contains(&NOT_A_TIME) {
            return self.set_validity(nulls);
        }
        let known: NullBuffer = times.iter().map(|time| *time != NOT_A_TIME).collect::<Vec<bool>>().into();
        self.set_validity(NullBuffer::union(nulls, Some(&known)).as_ref())
    }

    fn fill_places(&self, values: &ArrayRef, places: &[u32]) -> Result<(), String> {
        let DataType::Dictionary(key, _) = values.data_type() else { return Err("no dictionary".to_owned()) };
        match **key {
            DataType::Int8 => self.store_places::<Int8Type>(values, places),
            DataType::Int16 => self.store_places::<Int16Type>(values, places),
            DataType::Int32 => self.store_places::<Int32Type>(values, places),
            DataType::Int64 => self.store_places::<Int64Type>(values, places),
            DataType::UInt8 => self.store_places::<UInt8Type>(values, places),
            DataType::UInt16 => self.store_places::<UInt16Type>(values, places),
            DataType::UInt32 => self.store_places::<UInt32Type>(values, places),
            DataType::UInt64 => self.store_places::<UInt64Type>(values, places),
            _ => return Err(format!("indexes of {key}")),
        }
        // An index beyond the values is null.
        self.set_validity(values.nulls())
    }

    /// Stores the places of indexes in the width that DuckDB has for a type of so many values.
    fn store_places<K: ArrowDictionaryKeyType>(&self, values: &ArrayRef, places: &[u32]) {
        let keys = values.as_dictionary::<K>().keys().values();
        // The index of a null cell may be any number.
        let place = |key: &K::Native| places.get(key.as_usize()).copied().unwrap_or(0);
        match places.len() {
            ..=0xff => self.store(keys.iter().map(|key| place(key) as u8)),
            0x100..=0xffff => self.store(keys.iter().map(|key| place(key) as u16)),
            _ => self.store(keys.iter().map(place)),
        }
    }

    fn fill_lists(&self, conversion: &Conversion, values: &ArrayRef) -> Result<(), String> {
        let lists = values.as_list_opt::<i64>().ok_or("no lists")?;
        let offsets = lists.value_offsets();
        let (Some(&first), Some(&end)) = (offsets.first(), offsets.last()) else { return Ok(()) };
        let room = (end - first) as usize;
        let first = first as usize;
        // SAFETY: a vector of lists; its child has room for what was reserved.
        let child = unsafe {
            let reserved = ffi::duckdb_list_vector_reserve(self.raw, room as u64);
            if reserved != ffi::DuckDBSuccess
                || ffi::duckdb_list_vector_set_size(self.raw, room as u64) != ffi::DuckDBSuccess
            {
                return Err(format!("DuckDB has no memory for {room} values of lists"));
            }
            Vector { raw: ffi::duckdb_list_vector_get_child(self.raw), room }
        };
        child.fill(conversion, &lists.values().slice(first, room))?;
        self.store(offsets.windows(2).map(|pair| ffi::duckdb_list_entry {
            offset: (pair[0] - offsets[0]) as u64,
            length: (pair[1] - pair[0]) as u64,
        }));
        self.set_validity(values.nulls())
    }
}

/// The values of a dictionary at indexes.
fn taken(values: &ArrayRef, keys: &dyn Array) -> Result<ArrayRef, String> {
    arrow_select::take::take(values, keys, None).map_err(|error| error.to_string())
}
