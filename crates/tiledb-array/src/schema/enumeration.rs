//! Enumerations: lists of values that attribute cells refer to by index.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use tiledb_core::budget::StructureMemory;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{CellValNum, Datatype, HasName, Name};
use tiledb_core::wire::{WireReader, WireWriter};

/// The only version of enumeration files.
const VERSION: u32 = 0;

/// Reads the values of an enumeration from its file.
pub type EnumerationSource = Arc<dyn Fn(&EnumerationRef) -> Result<Enumeration> + Send + Sync>;

/// Reference of a schema to an enumeration: its name and the file of its values, which are loaded on first use and
/// shared by clones.
#[derive(Clone)]
pub struct EnumerationRef {
    /// The name of the enumeration.
    pub name: Name,
    /// The file's name in `__schema/__enumerations`.
    pub path: Name,
    values: Arc<OnceLock<Arc<Enumeration>>>,
    source: Option<EnumerationSource>,
}

impl HasName for EnumerationRef {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl EnumerationRef {
    /// A reference to a file.
    pub fn new(name: Name, path: Name) -> EnumerationRef {
        EnumerationRef { name, path, values: Arc::default(), source: None }
    }

    /// A reference to values that are there.
    pub fn of(enumeration: Arc<Enumeration>) -> EnumerationRef {
        let values = Arc::new(OnceLock::from(Arc::clone(&enumeration)));
        EnumerationRef { name: enumeration.name.clone(), path: enumeration.path.clone(), values, source: None }
    }

    /// Sets where the values are loaded from.
    pub fn set_source(&mut self, source: &EnumerationSource) {
        self.source = Some(Arc::clone(source));
    }

    /// The values, if they were read.
    pub fn loaded(&self) -> Option<&Arc<Enumeration>> {
        self.values.get()
    }

    /// The values.
    ///
    /// # Errors
    /// If they cannot be read, or the file holds another enumeration.
    pub fn values(&self) -> Result<Arc<Enumeration>> {
        if let Some(values) = self.values.get() {
            return Ok(Arc::clone(values));
        }
        let Some(source) = &self.source else { bail!("ArraySchema: Enumeration '{}' is not loaded.", self.name) };
        let values = source(self)?;
        if (&values.name, &values.path) != (&self.name, &self.path) {
            bail!(
                "ArraySchema: The file '{}' of enumeration '{}' holds '{}' of file '{}'",
                self.path,
                self.name,
                values.name,
                values.path
            );
        }
        Ok(Arc::clone(self.values.get_or_init(|| Arc::new(values))))
    }
}

impl fmt::Debug for EnumerationRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnumerationRef").field("name", &self.name).field("path", &self.path).finish_non_exhaustive()
    }
}

/// An enumeration with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    name: Name,
    path: Name,
    datatype: Datatype,
    cell_val_num: CellValNum,
    ordered: bool,
    data: Vec<u8>,
    /// Start of each value; empty for values of one size.
    offsets: Vec<u64>,
    /// The indexes of the values in the order of their bytes.
    sorted: Vec<u32>,
}

impl Enumeration {
    /// An enumeration with a new file name. `data` holds the concatenated values; `offsets` are their starts if
    /// `cell_val_num` is variable, and `None` otherwise.
    ///
    /// # Errors
    /// If data and offsets do not fit together or a value occurs twice.
    pub fn new(
        name: &str,
        datatype: Datatype,
        cell_val_num: u32,
        ordered: bool,
        data: &[u8],
        offsets: Option<&[u64]>,
    ) -> Result<Enumeration> {
        if name.is_empty() {
            bail!("Enumeration: Enumeration name must not be empty");
        }
        let Some(cell_val_num) = CellValNum::from_number(cell_val_num) else {
            bail!(
                "Enumeration: Invalid cell_val_num in Enumeration: '{name}' cannot have {cell_val_num} values per cell"
            );
        };
        let size = datatype.size().max(1) as u64;
        let mut ends = offsets.unwrap_or_default().iter().copied().chain([data.len() as u64]);
        if let Some(end) = ends.find(|end| cell_val_num.is_var() && !end.is_multiple_of(size)) {
            bail!(
                "Enumeration: Offset {end} of enumeration '{name}' is not a multiple of the {size} bytes of a value; give offsets in bytes"
            );
        }
        let path = Name::new(&format!("__{:032x}_{VERSION}", tiledb_core::env::unique_number()));
        let offsets = offsets.unwrap_or_default().to_vec();
        let parts = Enumeration {
            name: Name::new(name),
            path,
            datatype,
            cell_val_num,
            ordered,
            data: data.to_vec(),
            offsets,
            sorted: Vec::new(),
        };
        parts.checked()
    }

    /// Sets the file name.
    #[must_use]
    pub fn in_file(self, path: &str) -> Enumeration {
        Enumeration { path: Name::new(path), ..self }
    }

    /// Checks that data and offsets fit together, and sorts the values.
    fn checked(mut self) -> Result<Enumeration> {
        if self.is_var() {
            if self.offsets.is_empty() && !self.data.is_empty() {
                bail!(
                    "Enumeration: Var sized enumeration values require a non-zero offsets size. Enumeration: '{}'",
                    self.name
                );
            }
            if self.offsets.last().is_some_and(|&last| last > self.data.len() as u64) {
                bail!(
                    "Enumeration: Invalid data input, data_size is smaller than the last provided offset. Enumeration '{}' has {} \
                     bytes of values",
                    self.name,
                    self.data.len()
                );
            }
            if self.offsets.windows(2).any(|pair| pair[0] > pair[1]) {
                bail!("Enumeration: The offsets of enumeration '{}' must not descend", self.name);
            }
        } else if !self.data.len().is_multiple_of(self.value_size()?) {
            bail!(
                "Enumeration: Invalid data size is not a multiple of the cell size. Enumeration '{}' has {} bytes of values",
                self.name,
                self.data.len()
            );
        }
        let Ok(count) = u32::try_from(self.len()) else {
            bail!("Enumeration: Enumeration '{}' has {} values, more than 2^32", self.name, self.len());
        };
        let mut sorted: Vec<u32> = (0..count).collect();
        sorted.sort_unstable_by(|&a, &b| self.bytes_of(a).cmp(self.bytes_of(b)));
        if let Some(pair) = sorted.windows(2).find(|pair| self.bytes_of(pair[0]) == self.bytes_of(pair[1])) {
            let value = String::from_utf8_lossy(self.bytes_of(pair[0]));
            bail!("Enumeration: Invalid duplicated value in enumeration '{value}'");
        }
        self.sorted = sorted;
        Ok(self)
    }

    /// A copy of this enumeration with more values and a new file name.
    ///
    /// # Errors
    /// As [`Enumeration::new`], and if the presence of offsets does not match the type.
    pub fn extend(&self, data: &[u8], offsets: Option<&[u64]>) -> Result<Enumeration> {
        let mut all = [self.data(), data].concat();
        if !self.is_var() {
            if offsets.is_some() {
                bail!(
                    "Enumeration: Offsets buffer provided when extending a fixed sized enumeration. Pass null for '{}'",
                    self.name
                );
            }
            all.shrink_to_fit();
            return self.with_values(&all, None);
        }
        let Some(more) = offsets.filter(|offsets| !offsets.is_empty()) else {
            bail!(
                "Enumeration: The offsets buffer is required for this enumeration extension. Enumeration: '{}'",
                self.name
            );
        };
        let base = self.data.len() as u64;
        let shifted = more.iter().map(|&offset| offset.saturating_add(base));
        let offsets: Vec<u64> = self.offsets.iter().copied().chain(shifted).collect();
        self.with_values(&all, Some(&offsets))
    }

    fn with_values(&self, data: &[u8], offsets: Option<&[u64]>) -> Result<Enumeration> {
        Enumeration::new(&self.name, self.datatype, self.cell_val_num.number(), self.ordered, data, offsets)
    }

    /// True if this holds all values of `other` at the same indexes, and perhaps more.
    pub fn is_extension_of(&self, other: &Enumeration) -> bool {
        let same = self.name == other.name
            && self.datatype == other.datatype
            && self.cell_val_num == other.cell_val_num
            && self.ordered == other.ordered;
        same && self.data.starts_with(&other.data) && self.offsets.starts_with(&other.offsets)
    }

    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The file's name.
    pub fn path(&self) -> &Name {
        &self.path
    }

    /// The type of the values.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Elements per value.
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// True if values have any number of elements.
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// True if the order of the values has a meaning.
    pub fn ordered(&self) -> bool {
        self.ordered
    }

    /// The values, one after another.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Start of each value; empty unless values have variable lengths.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match self.value_size() {
            _ if self.is_var() => self.offsets.len(),
            Ok(size) => self.data.len() / size,
            Err(_) => 0,
        }
    }

    /// Bytes of one value of a fixed size.
    fn value_size(&self) -> Result<usize> {
        let elements = self.cell_val_num.fixed().unwrap_or(1) as usize;
        match elements.checked_mul(self.datatype.size()) {
            Some(size) => Ok(size),
            None => bail!("Enumeration: Invalid cell_val_num in Enumeration"),
        }
    }

    /// The value with this index.
    pub fn value(&self, index: usize) -> Option<&[u8]> {
        (index < self.len()).then(|| self.data.get(self.span_of(index)).unwrap_or_default())
    }

    fn span_of(&self, index: usize) -> Range<usize> {
        if self.is_var() {
            let start = self.offsets.get(index).map_or(0, |&offset| offset as usize);
            return start..self.offsets.get(index + 1).map_or(self.data.len(), |&offset| offset as usize);
        }
        let size = self.value_size().unwrap_or(0);
        index * size..(index + 1) * size
    }

    fn bytes_of(&self, index: u32) -> &[u8] {
        self.data.get(self.span_of(index as usize)).unwrap_or_default()
    }

    /// The index of the value with these bytes.
    pub fn index_of(&self, value: &[u8]) -> Option<usize> {
        let at = self.sorted.binary_search_by(|&index| self.bytes_of(index).cmp(value)).ok()?;
        self.sorted.get(at).map(|&index| index as usize)
    }

    /// Reads an enumeration from the payload of its generic tile.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub fn read(payload: &[u8]) -> Result<Enumeration> {
        Enumeration::decode(memory::copied("an enumeration", payload)?, StructureMemory::unlimited())
    }

    /// As [`Enumeration::read`], in the memory of the payload and within that of the structure.
    ///
    /// # Errors
    /// As [`Enumeration::read`], and if the memory does not suffice.
    pub fn decode(mut payload: Vec<u8>, mut memory: StructureMemory) -> Result<Enumeration> {
        let r = &mut WireReader::new("enumeration", &payload);
        let mut parts = Enumeration::read_head(r)?;
        let size = r.length64()?;
        let start = r.position();
        r.bytes(size)?;
        if parts.is_var() {
            let size = r.length64()?;
            if !size.is_multiple_of(8) {
                return Err(r.corrupt(format_args!("{size} bytes of offsets")));
            }
            memory.charge(size)?;
            parts.offsets = r.words(size / 8)?;
        }
        payload.truncate(start + size);
        payload.drain(..start);
        payload.shrink_to_fit();
        parts.data = payload;
        memory.charge(size_of::<u32>().saturating_mul(parts.len()))?;
        parts.checked()
    }

    /// Checks the beginning of a payload: values of a fixed size differ from one another.
    ///
    /// # Errors
    /// If it does not follow the format, or repeats values.
    pub fn check_prefix(r: &mut WireReader<'_>, _: StructureMemory) -> Result<()> {
        let parts = Enumeration::read_head(r)?;
        let size = r.length64()?;
        let values = r.available();
        let values = values.get(..size).unwrap_or(values);
        if !parts.is_var() {
            let mut cells = values.chunks_exact(parts.value_size()?.max(1));
            let mut before = cells.next();
            for cell in cells {
                if before.replace(cell) == Some(cell) {
                    return Err(r.corrupt("a value that is repeated"));
                }
            }
        }
        r.bytes(size).map(drop)
    }

    /// What precedes the values.
    fn read_head(r: &mut WireReader<'_>) -> Result<Enumeration> {
        let version = r.u32()?;
        if version > VERSION {
            bail!(Unsupported, "Enumeration version {version} is newer than this library's, which is {VERSION}");
        }
        let name = Name::new(r.str32()?);
        let path = Name::new(r.str32()?);
        let datatype = Datatype::from_number(u32::from(r.u8()?))?;
        let Some(cell_val_num) = CellValNum::from_number(r.u32()?) else {
            bail!(Corrupt, "Enumeration '{name}' has no elements per value");
        };
        let ordered = r.u8()? != 0;
        let (data, offsets, sorted) = Default::default();
        Ok(Enumeration { name, path, datatype, cell_val_num, ordered, data, offsets, sorted })
    }

    /// Memory of what is not part of the payload: the offsets as numbers, and the order of the values.
    pub fn index_memory(&self) -> usize {
        size_of_val(self.offsets()) + size_of_val(self.sorted.as_slice())
    }

    /// The bytes of the enumeration, as the payload of a generic tile.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut w = WireWriter::new();
        w.u32(VERSION).str32(&self.name).str32(&self.path);
        w.u8(self.datatype.number()).u32(self.cell_val_num.number()).u8(u8::from(self.ordered));
        w.u64(self.data.len() as u64).bytes(&self.data);
        if self.is_var() {
            w.u64(8 * self.offsets.len() as u64).words(&self.offsets);
        }
        w.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colours() -> Enumeration {
        Enumeration::new("colour", Datatype::StringAscii, u32::MAX, false, b"redblue", Some(&[0, 3, 7])).unwrap()
    }

    #[test]
    fn values_are_looked_up_by_index_and_back() {
        let colours = colours();
        assert_eq!(colours.len(), 3);
        assert_eq!(colours.value(1), Some(&b"blue"[..]));
        assert_eq!(colours.value(2), Some(&b""[..]));
        assert_eq!(colours.value(3), None);
        assert_eq!(colours.index_of(b"red"), Some(0));
        assert_eq!(colours.index_of(b""), Some(2));
        assert_eq!(colours.index_of(b"r"), None);
    }

    #[test]
    fn bytes_come_back() {
        let fixed = Enumeration::new("n", Datatype::Int16, 2, true, &[1, 0, 2, 0, 3, 0, 4, 0], None).unwrap();
        let empty = Enumeration::new("e", Datatype::StringUtf8, u32::MAX, false, b"", None).unwrap();
        for enumeration in [colours(), fixed, empty] {
            assert_eq!(Enumeration::read(&enumeration.write().unwrap()).unwrap(), enumeration);
        }
        let bytes = colours().write().unwrap();
        for cut in 0..bytes.len() {
            assert!(Enumeration::read(&bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let var = |data: &[u8], offsets: Option<&[u64]>| {
            Enumeration::new("e", Datatype::StringAscii, u32::MAX, false, data, offsets)
                .map_err(|e| e.text().to_owned())
        };
        assert_eq!(
            var(b"abab", Some(&[0, 2])).unwrap_err(),
            "Enumeration: Invalid duplicated value in enumeration 'ab'"
        );
        assert!(var(b"ab", Some(&[0, 3])).is_err());
        assert!(var(b"abcd", Some(&[0, 3, 2])).is_err());
        assert!(var(b"ab", None).is_err());
        assert!(Enumeration::new("e", Datatype::Int32, 1, false, &[0; 5], None).is_err());
        assert!(Enumeration::new("e", Datatype::Int32, 0, false, &[], None).is_err());
    }

    #[test]
    fn an_extension_keeps_the_indexes() {
        let more = colours().extend(b"green", Some(&[0])).unwrap();
        assert!(more.is_extension_of(&colours()) && !colours().is_extension_of(&more));
        assert_eq!(more.index_of(b"green"), Some(3));
        assert_eq!(more.index_of(b"blue"), Some(1));
        assert_ne!(more.path(), colours().path());
        assert!(colours().extend(b"red", Some(&[0])).is_err());
        assert!(colours().extend(b"x", None).is_err());
    }
}
