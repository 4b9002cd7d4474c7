//! Builds messages in one growing segment; each part is appended.

use std::marker::PhantomData;

use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

use super::field::{
    Data, FieldKind, FieldSpec, FieldValue, List, MessageField, NumberField, Plain, Spec, Struct, TextField,
};

const WORD: usize = 8;
/// The table of one segment.
const HEAD: usize = WORD;
/// Maximum offset of a pointer in words.
const MOST_WORDS: usize = 1 << 29;

/// A message that is being built.
pub(crate) struct MessageBuilder {
    /// The table of segments, and the one segment, whose first word is the pointer to the root.
    bytes: Vec<u8>,
}

impl Default for MessageBuilder {
    fn default() -> Self {
        MessageBuilder::new()
    }
}

impl MessageBuilder {
    /// A message without a root.
    pub(crate) fn new() -> Self {
        MessageBuilder { bytes: vec![0; HEAD + WORD] }
    }

    /// Makes the root.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(crate) fn root<T: Struct>(&mut self) -> Result<Builder<'_, T>> {
        let at = self.structure(0, T::SPEC)?;
        Ok(Builder::new(self, at))
    }

    /// The message as bytes.
    pub(crate) fn capnp(mut self) -> Vec<u8> {
        let words = self.words() as u32;
        self.bytes[4..8].copy_from_slice(&words.to_le_bytes());
        self.bytes
    }

    /// The words of the segment.
    pub(super) fn words(&self) -> usize {
        self.bytes.len() / WORD - 1
    }

    /// Appends zeroed words.
    pub(super) fn take(&mut self, words: usize) -> Result<usize> {
        let at = self.words();
        if words >= MOST_WORDS - at.min(MOST_WORDS) {
            bail!("A message of more than 4 GiB cannot be written");
        }
        memory::reserve("a message", &mut self.bytes, words * WORD)?;
        self.bytes.resize(self.bytes.len() + words * WORD, 0);
        Ok(at)
    }

    /// The bytes from a word on.
    fn from(&mut self, word: usize) -> &mut [u8] {
        self.bytes.get_mut(HEAD + word * WORD..).unwrap_or_default()
    }

    pub(super) fn word(&self, word: usize) -> u64 {
        let bytes = self.bytes.get(HEAD + word * WORD..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    pub(super) fn set_word(&mut self, word: usize, value: u64) {
        if let Some(bytes) = self.from(word).first_chunk_mut() {
            *bytes = value.to_le_bytes();
        }
    }

    /// Sets bits of the data that begins at a word.
    fn set_bits(&mut self, data: usize, first: u32, count: u32, value: u64) {
        let word = data + first as usize / 64;
        let shift = first % 64;
        let mask = u64::MAX.checked_shr(64 - count).unwrap_or_default();
        self.set_word(word, (self.word(word) & !(mask << shift)) | ((value & mask) << shift));
    }

    /// Writes the number of a field of a union.
    fn choose(&mut self, data: usize, spec: &Spec, field: &FieldSpec) {
        if let (Some(tag), Some(union)) = (field.tag, spec.union) {
            self.set_bits(data, union.at, 16, u64::from(tag));
        }
    }

    /// Makes a struct that the pointer at `from` leads to.
    fn structure(&mut self, from: usize, spec: &Spec) -> Result<usize> {
        let at = self.take(usize::from(spec.words) + usize::from(spec.pointers))?;
        self.set_word(from, struct_pointer(from, at, spec));
        Ok(at)
    }

    /// Appends a list of structs, to which the pointer at `from` refers; returns the position of the first struct.
    fn structures(&mut self, from: usize, spec: &Spec, count: usize) -> Result<usize> {
        let words = count.checked_mul(size(spec)).filter(|words| *words < MOST_WORDS);
        let words = words.ok_or_else(|| Error::out_of_memory("a list of a message", usize::MAX))?;
        let at = self.take(words + 1)?;
        self.set_word(from, list_pointer(from, at, 7, words));
        self.set_word(at, ((count as u64) << 2) | sizes(spec));
        Ok(at + 1)
    }

    /// Appends bytes, padded to words; returns their position.
    pub(super) fn put(&mut self, bytes: &[u8], room: usize) -> Result<usize> {
        let at = self.take(room.div_ceil(WORD))?;
        self.from(at)[..bytes.len()].copy_from_slice(bytes);
        Ok(at)
    }

    /// Appends a list of `count` elements from their bytes; the pointer at `from` refers to it.
    fn elements(&mut self, from: usize, code: u64, count: usize, bytes: &[u8], room: usize) -> Result<usize> {
        if count >= MOST_WORDS {
            bail!("A list of {count} elements does not fit into a message");
        }
        let at = self.put(bytes, room)?;
        self.set_word(from, list_pointer(from, at, code, count));
        Ok(at)
    }

    fn text(&mut self, from: usize, text: &str) -> Result<()> {
        self.elements(from, 2, text.len() + 1, text.as_bytes(), text.len() + 1).map(|_| ())
    }

    fn numbers<T: NumberField>(&mut self, from: usize, numbers: &[T]) -> Result<()> {
        let bytes = bytemuck::cast_slice(numbers);
        self.elements(from, code(T::KIND), numbers.len(), bytes, bytes.len()).map(|_| ())
    }
}

/// The words of a struct.
pub(super) fn size(spec: &Spec) -> usize {
    usize::from(spec.words) + usize::from(spec.pointers)
}

/// The upper half of a pointer to a struct.
pub(super) fn sizes(spec: &Spec) -> u64 {
    (u64::from(spec.words) << 32) | (u64::from(spec.pointers) << 48)
}

/// The lower half of a pointer from `from` to `to`, without its type bits.
pub(super) fn offset(from: usize, to: usize) -> u64 {
    let words = to as i64 - from as i64 - 1;
    u64::from((words as u32) << 2)
}

/// The pointer at `from` to a struct at `to`.
fn struct_pointer(from: usize, to: usize, spec: &Spec) -> u64 {
    offset(from, to) | sizes(spec)
}

/// The pointer at `from` to a list at `to`; of a list of structs it says the words.
fn list_pointer(from: usize, to: usize, code: u64, count: usize) -> u64 {
    offset(from, to) | 1 | (code << 32) | ((count as u64) << 35)
}

/// The number that a pointer to a list says of its elements.
pub(super) fn code(kind: FieldKind) -> u64 {
    match kind.bits() {
        None => 6,
        Some(0) => 0,
        Some(1) => 1,
        Some(bits) => u64::from(bits.ilog2()) - 1,
    }
}

/// A struct of a message that is being built, described by `T`.
pub struct Builder<'b, T> {
    out: &'b mut MessageBuilder,
    at: usize,
    of: PhantomData<fn() -> T>,
}

impl<'b, T: Struct> Builder<'b, T> {
    fn new(out: &'b mut MessageBuilder, at: usize) -> Self {
        Builder { out, at, of: PhantomData }
    }

    /// Sets a number or a bit, and chooses its field if it is in a union.
    pub fn set<V: Plain>(&mut self, field: MessageField<T, V>, value: V::Scalar) {
        self.set_plain(field.spec(), V::bits(value));
    }

    fn set_plain(&mut self, field: &FieldSpec, bits: u64) {
        let count = field.kind.bits().unwrap_or_default();
        self.out.set_bits(self.at, field.place, count, bits ^ u64::from(field.inverted));
        self.out.choose(self.at, T::SPEC, field);
    }

    /// The word of a field's pointer.
    fn pointer(&mut self, field: &FieldSpec) -> usize {
        self.out.choose(self.at, T::SPEC, field);
        self.at + usize::from(T::SPEC.words) + field.place as usize
    }

    /// Sets a string.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn set_text(&mut self, field: MessageField<T, TextField>, text: &str) -> Result<()> {
        let from = self.pointer(field.spec());
        self.out.text(from, text)
    }

    /// Sets bytes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn set_data(&mut self, field: MessageField<T, Data>, data: &[u8]) -> Result<()> {
        let from = self.pointer(field.spec());
        self.out.elements(from, 2, data.len(), data, data.len()).map(|_| ())
    }

    /// Makes a struct.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn child<V: Struct>(&mut self, field: MessageField<T, V>) -> Result<Builder<'_, V>> {
        let from = self.pointer(field.spec());
        let at = self.out.structure(from, V::SPEC)?;
        Ok(Builder::new(self.out, at))
    }

    /// Makes a list of `count` structs, strings or lists, to be filled.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn list<V: FieldValue>(&mut self, field: MessageField<T, List<V>>, count: usize) -> Result<ListBuilder<'_, V>> {
        let from = self.pointer(field.spec());
        ListBuilder::make(self.out, from, count)
    }

    /// Sets a list of numbers.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn set_numbers<V: NumberField>(&mut self, field: MessageField<T, List<V>>, numbers: &[V]) -> Result<()> {
        let from = self.pointer(field.spec());
        self.out.numbers(from, numbers)
    }

    /// Sets a list of strings.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn set_texts<S: AsRef<str>>(
        &mut self,
        field: MessageField<T, List<TextField>>,
        texts: impl IntoIterator<Item = S, IntoIter: ExactSizeIterator>,
    ) -> Result<()> {
        let texts = texts.into_iter();
        let mut list = self.list(field, texts.len())?;
        texts.enumerate().try_for_each(|(index, text)| list.set_text(index, text.as_ref()))
    }
}

/// A list in a message that is being built.
pub struct ListBuilder<'b, T> {
    out: &'b mut MessageBuilder,
    /// Its first element.
    at: usize,
    count: usize,
    of: PhantomData<fn() -> T>,
}

impl<'b, T: FieldValue> ListBuilder<'b, T> {
    fn make(out: &'b mut MessageBuilder, from: usize, count: usize) -> Result<Self> {
        let at = match T::KIND {
            FieldKind::Struct(spec) => out.structures(from, spec(), count)?,
            kind => {
                let bits = kind.bits().map_or(64, |bits| bits as usize);
                out.elements(from, code(kind), count, &[], count.saturating_mul(bits).div_ceil(8))?
            }
        };
        Ok(ListBuilder { out, at, count, of: PhantomData })
    }

    fn check(&self, index: usize) -> Result<()> {
        if index < self.count { Ok(()) } else { Err(Error::internal(format!("Element {index} of {}", self.count))) }
    }
}

impl<T: Struct> ListBuilder<'_, T> {
    /// A struct of the list.
    ///
    /// # Errors
    /// If the index is out of bounds.
    pub fn get(&mut self, index: usize) -> Result<Builder<'_, T>> {
        self.check(index)?;
        Ok(Builder::new(self.out, self.at + index * size(T::SPEC)))
    }
}

impl ListBuilder<'_, TextField> {
    /// Sets a string of the list.
    ///
    /// # Errors
    /// If the index is out of bounds, or memory does not suffice.
    pub fn set_text(&mut self, index: usize, text: &str) -> Result<()> {
        self.check(index)?;
        self.out.text(self.at + index, text)
    }
}

impl<V: NumberField> ListBuilder<'_, List<V>> {
    /// Sets a list of numbers of the list.
    ///
    /// # Errors
    /// If the index is out of bounds, or memory does not suffice.
    pub fn set_numbers(&mut self, index: usize, numbers: &[V]) -> Result<()> {
        self.check(index)?;
        self.out.numbers(self.at + index, numbers)
    }
}

impl ListBuilder<'_, List<TextField>> {
    /// Sets a list of strings of the list.
    ///
    /// # Errors
    /// If the index is out of bounds, or memory does not suffice.
    pub fn set_texts<S: AsRef<str>>(&mut self, index: usize, texts: &[S]) -> Result<()> {
        self.check(index)?;
        let mut list = ListBuilder::<TextField>::make(self.out, self.at + index, texts.len())?;
        texts.iter().enumerate().try_for_each(|(index, text)| list.set_text(index, text.as_ref()))
    }
}
