//! Imports streams, types and arrays through the Arrow C interfaces, validated as far as possible.
//!
//! # Safety contract
//!
//! The caller guarantees what cannot be checked: that non-null pointers are valid, strings up to their NUL, lists of
//! children and buffers for the stated counts, and buffers for as many bytes as type, length and offset require, all of
//! them until `release`. Everything else is checked: counts against types, signs, sums, nulls, released structures.
#![expect(unsafe_code, reason = "structures of C that others made")]

use std::ffi::{CStr, c_char, c_int};

use super::c_data::{ArrowArray, ArrowArrayStream, ArrowSchema};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

/// Runs callbacks of other libraries, so that their exceptions do not propagate.
pub(crate) type ForeignCall = fn(&mut dyn FnMut()) -> Result<()>;

/// Maximum nesting depth of types: a batch, a column, its values.
const DEEPEST: usize = 4;
/// Maximum length of a name or format.
const LONGEST: usize = 1 << 16;
/// Maximum number of buffers of a view column.
const MOST_BUFFERS: i64 = 1 << 24;

#[derive(Debug, Default)]
pub struct ImportedType {
    pub format: String,
    pub name: String,
    pub children: Vec<ImportedType>,
    pub dictionary: Option<Box<ImportedType>>,
}

/// An imported array; valid as long as its batch.
#[derive(Default)]
pub struct ImportedArray {
    /// How many there are.
    pub length: usize,
    /// Offset of the first value.
    pub offset: usize,
    /// Validity bitmap.
    nulls: Option<*const u8>,
    buffers: Vec<*const u8>,
    pub children: Vec<ImportedArray>,
    pub dictionary: Option<Box<ImportedArray>>,
}

/// An imported stream, released on drop.
pub struct ImportedStream {
    raw: ArrowArrayStream,
    foreign: ForeignCall,
}

/// An imported batch, released on drop.
pub struct ImportedBatch {
    raw: ArrowArray,
    foreign: ForeignCall,
    values: ImportedArray,
}

// SAFETY: the structures may be used by any thread, by one at a time; that is the contract of the Arrow C interfaces.
unsafe impl Send for ImportedStream {}

fn empty<T>() -> T
where
    T: Zeroed,
{
    // SAFETY: `Zeroed` says that zeros are a value: null pointers, no callbacks, numbers.
    unsafe { std::mem::zeroed() }
}

/// Structures of which all zeros are a value.
trait Zeroed {}
impl Zeroed for ArrowSchema {}
impl Zeroed for ArrowArray {}
impl Zeroed for ArrowArrayStream {}

impl ImportedStream {
    /// Takes ownership of a stream; the source is marked as released.
    ///
    /// # Errors
    /// If it was released before.
    pub fn take(from: UserPtr<u8>, foreign: ForeignCall) -> Result<ImportedStream> {
        let from = from.address().cast::<ArrowArrayStream>();
        // SAFETY: a caller's address refers to a stream, which is moved: only we release it.
        let raw = unsafe {
            let raw = from.read_unaligned();
            from.write_unaligned(empty());
            raw
        };
        if raw.release.is_none() {
            bail!("Arrow: the stream was released before; pass one that was not");
        }
        Ok(ImportedStream { raw, foreign })
    }

    fn call<T: Zeroed>(
        &mut self,
        what: &str,
        ask: Option<unsafe extern "C-unwind" fn(*mut ArrowArrayStream, *mut T) -> c_int>,
    ) -> Result<T> {
        let Some(ask) = ask else { bail!("Arrow: the stream lacks the callback {what}") };
        let mut out = empty();
        let mut code = 0;
        let stream = &raw mut self.raw;
        // SAFETY: the callback of the stream, with the stream and memory for its result.
        (self.foreign)(&mut || code = unsafe { ask(stream, &raw mut out) })?;
        if code == 0 { Ok(out) } else { Err(self.error(what, code)) }
    }

    /// The error of a failed callback.
    fn error(&mut self, what: &str, code: c_int) -> Error {
        let mut said = None;
        let stream = &raw mut self.raw;
        if let Some(ask) = self.raw.get_last_error {
            // SAFETY: the callback of the stream; its text is valid until the next call, and copied before.
            let _ = (self.foreign)(&mut || said = unsafe { text("error", ask(stream)) }.ok());
        }
        // The interface defines codes as values of `errno`.
        let system = || std::io::Error::from_raw_os_error(code).to_string();
        let said = said.filter(|said| !said.is_empty()).unwrap_or_else(system);
        Error::invalid(format!("Arrow: {what} of the stream failed with {code}: {said}"))
    }

    /// # Errors
    /// If the stream has no valid schema. At most `most` children are read.
    pub fn schema(&mut self, most: usize) -> Result<ImportedType> {
        let mut raw = self.call("get_schema", self.raw.get_schema)?;
        // SAFETY: what the callback gave, by the contract of this file.
        let imported = unsafe { ImportedType::read(&raw, DEEPEST, most) };
        if let Some(release) = raw.release {
            // SAFETY: released once, by the callback that came with it.
            let _ = (self.foreign)(&mut || unsafe { release(&raw mut raw) });
        }
        imported
    }

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// If the stream has one, or the batch is not of the type.
    pub fn next(&mut self, kind: &ImportedType) -> Result<Option<ImportedBatch>> {
        let raw: ArrowArray = self.call("get_next", self.raw.get_next)?;
        if raw.release.is_none() {
            return Ok(None);
        }
        let mut batch = ImportedBatch { raw, foreign: self.foreign, values: ImportedArray::default() };
        // SAFETY: what the callback gave, by the contract of this file.
        batch.values = unsafe { ImportedArray::read(&batch.raw, kind) }?;
        Ok(Some(batch))
    }
}

impl Drop for ImportedStream {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release.take() {
            self.raw.release = Some(release);
            let stream = &raw mut self.raw;
            // SAFETY: released once, by the callback that came with it.
            let _ = (self.foreign)(&mut || unsafe { release(stream) });
        }
    }
}

impl ImportedBatch {
    /// Its columns.
    pub fn values(&self) -> &ImportedArray {
        &self.values
    }
}

impl Drop for ImportedBatch {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release {
            let batch = &raw mut self.raw;
            // SAFETY: released once, by the callback that came with it; `values` are not used any more.
            let _ = (self.foreign)(&mut || unsafe { release(batch) });
        }
    }
}

/// A C string; empty for null.
unsafe fn text(what: &str, from: *const c_char) -> Result<String> {
    if from.is_null() {
        return Ok(String::new());
    }
    // SAFETY: a NUL-terminated text by the contract of this file; at most `LONGEST` bytes are read.
    let length = unsafe { libc::strnlen(from, LONGEST) };
    if length == LONGEST {
        bail!("Arrow: a {what} of the stream has {LONGEST} bytes or more");
    }
    // SAFETY: the NUL was found.
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// A structure that is there.
unsafe fn structure<'a, T>(at: *const T) -> Option<&'a T> {
    // SAFETY: not null, aligned, and there by the contract of this file.
    if at.is_aligned() { unsafe { at.as_ref() } } else { None }
}

/// A count that must not be negative.
fn count(what: &str, count: i64) -> Result<usize> {
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => bail!("Arrow: the stream gives {count} as {what}"),
    }
}

impl ImportedType {
    /// Reads a type, and at most `most` of its children.
    unsafe fn read(raw: &ArrowSchema, depth: usize, most: usize) -> Result<ImportedType> {
        if raw.release.is_none() {
            bail!("Arrow: the stream gives a type that was released");
        }
        if depth == 0 {
            bail!("Arrow: a type of the stream is nested more than {} deep; flatten the column", DEEPEST - 1);
        }
        // SAFETY: texts by the contract of this file.
        let (format, name) = unsafe { (text("format", raw.format)?, text("name", raw.name)?) };
        let children = count("the number of children of a type", raw.child_count)?;
        let mut imported = ImportedType { format, name, ..ImportedType::default() };
        if children > 0 && raw.children.is_null() {
            bail!("Arrow: type '{}' of the stream has {children} children and a null pointer to them", imported.format);
        }
        for at in 0..children.min(most) {
            // SAFETY: the index is less than the stated count, by the contract of this file.
            let child = unsafe { structure(raw.children.add(at).read_unaligned()) };
            let Some(child) = child else {
                bail!("Arrow: child {at} of type '{}' is null or not aligned", imported.format)
            };
            // SAFETY: a type, as this one. Of a column there are two children at most that anybody knows of.
            imported.children.push(unsafe { ImportedType::read(child, depth - 1, 2) }?);
        }
        // SAFETY: a type, as this one.
        if let Some(dictionary) = unsafe { structure(raw.dictionary) } {
            // SAFETY: as above.
            imported.dictionary = Some(Box::new(unsafe { ImportedType::read(dictionary, depth - 1, 2) }?));
        }
        Ok(imported)
    }

    /// How many buffers its values have; of views as many as these, or more.
    fn buffers(&self) -> (i64, bool) {
        match self.format.as_str() {
            "n" | "+r" => (0, false),
            "+s" => (1, false),
            "vu" | "vz" => (3, true),
            "u" | "U" | "z" | "Z" | "+vl" | "+vL" => (3, false),
            format if format.starts_with("+w:") || format.starts_with("+us:") => (1, false),
            _ => (2, false),
        }
    }
}

impl ImportedArray {
    /// Reads values of a type.
    unsafe fn read(raw: &ArrowArray, kind: &ImportedType) -> Result<ImportedArray> {
        if raw.release.is_none() {
            bail!("Arrow: column '{}' of the stream was released", kind.name);
        }
        let (length, offset) = (count("a length", raw.length)?, count("an offset", raw.offset)?);
        let name = &kind.name;
        if offset.checked_add(length).is_none_or(|end| end > isize::MAX as usize / 16) {
            bail!("Arrow: column '{name}' has {length} values behind {offset}, more than there can be");
        }
        let (buffers, or_more) = kind.buffers();
        let fits = raw.buffer_count == buffers || or_more && (buffers..MOST_BUFFERS).contains(&raw.buffer_count);
        if !fits {
            bail!("Arrow: column '{name}' of type '{}' has {} buffers, not {buffers}", kind.format, raw.buffer_count);
        }
        if raw.child_count != kind.children.len() as i64 || raw.dictionary.is_null() != kind.dictionary.is_none() {
            bail!("Arrow: column '{name}' does not have the children and dictionary of its type '{}'", kind.format);
        }
        let buffers = raw.buffer_count as usize;
        let children = kind.children.len();
        if buffers > 0 && raw.buffers.is_null() || children > 0 && raw.children.is_null() {
            bail!("Arrow: column '{name}' has a null pointer to its buffers or children");
        }
        let mut array = ImportedArray {
            length,
            offset,
            buffers: memory::with_capacity("Arrow buffers", buffers)?,
            ..ImportedArray::default()
        };
        for at in 0..buffers {
            // SAFETY: the index is less than the stated count, by the contract of this file.
            array.buffers.push(unsafe { raw.buffers.add(at).read_unaligned() }.cast());
        }
        array.nulls = array.buffers.first().copied().filter(|bits| !bits.is_null());
        if array.nulls.is_none() && raw.null_count > 0 {
            bail!("Arrow: column '{name}' has {} nulls and no validity buffer", raw.null_count);
        }
        for (at, kind) in kind.children.iter().enumerate() {
            // SAFETY: the index is less than the stated count, by the contract of this file.
            let child = unsafe { structure(raw.children.add(at).read_unaligned()) };
            let Some(child) = child else { bail!("Arrow: child {at} of column '{name}' is null or not aligned") };
            // SAFETY: values, as these.
            array.children.push(unsafe { ImportedArray::read(child, kind) }?);
        }
        // SAFETY: values, as these.
        if let Some((kind, dictionary)) = kind.dictionary.as_ref().zip(unsafe { structure(raw.dictionary) }) {
            // SAFETY: as above.
            array.dictionary = Some(Box::new(unsafe { ImportedArray::read(dictionary, kind) }?));
        }
        Ok(array)
    }

    /// How many buffers there are.
    pub fn buffer_count(&self) -> usize {
        self.buffers.len()
    }

    /// Bytes `first..first + count` of a buffer, within the size that type, length and offset require.
    ///
    /// # Errors
    /// If the buffer is null, or the range exceeds its possible size.
    pub fn buffer(&self, at: usize, first: usize, count: usize) -> Result<&[u8]> {
        if count == 0 {
            return Ok(&[]);
        }
        let Some(start) = self.buffers.get(at).filter(|start| !start.is_null()) else {
            bail!("Arrow: buffer {at} is null, although there are values")
        };
        if first.checked_add(count).is_none_or(|end| end > isize::MAX as usize) {
            bail!("Arrow: {count} bytes from {first} on are more than a buffer can have");
        }
        // SAFETY: not null, of a possible size, and as long as the type calls for by the contract of this file, until the batch is
        // released, which the borrow comes before.
        Ok(unsafe { std::slice::from_raw_parts(start.add(first), count) })
    }

    /// The validity of values `first..first + count`, counted with the offset: bytes whose bits say whether one is there, and the bit
    /// of the first; `None` if none is null.
    ///
    /// # Errors
    /// As [`ImportedArray::buffer`].
    pub fn validity(&self, first: usize, count: usize) -> Result<Option<(&[u8], usize)>> {
        if self.nulls.is_none() {
            return Ok(None);
        }
        Ok(Some((self.buffer(0, first / 8, (first % 8 + count).div_ceil(8))?, first % 8)))
    }
}
