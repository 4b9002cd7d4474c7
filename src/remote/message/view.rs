//! Structs read where they lie.

use std::marker::PhantomData;

use crate::error::{Error, Result};

use super::field::{Data, Field, FieldSpec, List, Plain, Spec, Struct, Text, Value};
use super::list::{ListView, RawList};
use super::pointer::{self, Checked, Fault, Place, Size, StructAt};
use super::segments::Message;

/// A struct in a message, described by `T`.
pub struct View<'a, T> {
    raw: Raw<'a>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<'a, T: Struct> View<'a, T> {
    pub(super) fn new(raw: Raw<'a>) -> Self {
        View { raw, of: PhantomData }
    }

    /// A number or a bit; the default where the struct is too short to have it.
    #[inline]
    pub fn get<V: Plain>(self, field: Field<T, V>) -> V::Value {
        V::from_bits(self.raw.plain(field.spec()))
    }

    /// The number of the field that is chosen in the struct's union.
    pub fn which(self) -> u16 {
        self.raw.which()
    }

    /// Whether this field of the union is chosen; true for what is in none.
    pub fn is<V: Value>(self, field: Field<T, V>) -> bool {
        self.raw.is_chosen(field.spec())
    }

    /// Whether something is there: a pointer is not null.
    pub fn has<V: Value>(self, field: Field<T, V>) -> bool {
        self.raw.has(field.spec())
    }

    /// A string; nothing where none was set.
    ///
    /// # Errors
    /// It is not within the message, not ended, or no UTF-8.
    pub fn text(self, field: Field<T, Text>) -> Result<Option<&'a str>> {
        self.raw.text(field.spec())
    }

    /// Bytes; nothing where none were set.
    ///
    /// # Errors
    /// They are not within the message.
    pub fn data(self, field: Field<T, Data>) -> Result<Option<&'a [u8]>> {
        self.raw.data(field.spec())
    }

    /// A struct; nothing where none was set.
    ///
    /// # Errors
    /// It is not within the message.
    pub fn child<V: Struct>(self, field: Field<T, V>) -> Result<Option<View<'a, V>>> {
        Ok(self.raw.child(field.spec(), V::SPEC)?.map(View::new))
    }

    /// A list; nothing where none was set.
    ///
    /// # Errors
    /// It is not within the message, or holds something else.
    pub fn list<V: Value>(self, field: Field<T, List<V>>) -> Result<Option<ListView<'a, V>>> {
        Ok(self.raw.list(field.spec())?.map(ListView::new))
    }

    /// A list, empty where none was set.
    ///
    /// # Errors
    /// As [`list`](View::list).
    pub fn items<V: Value>(self, field: Field<T, List<V>>) -> Result<ListView<'a, V>> {
        let none = || RawList::empty(self.raw.message, self.raw.spec, field.spec());
        Ok(ListView::new(self.raw.list(field.spec())?.unwrap_or_else(none)))
    }
}

/// A struct in a message, without its type.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a> {
    pub message: &'a Message<'a>,
    pub spec: &'static Spec,
    at: StructAt,
    depth: u16,
}

impl<'a> Raw<'a> {
    /// The struct that the pointer at `place` leads to.
    pub fn at(message: &'a Message<'a>, spec: &'static Spec, place: Place, depth: u16) -> Checked<Option<Self>> {
        let Some(at) = pointer::to_struct(message, place)? else { return Ok(None) };
        Ok(Some(Raw { message, spec, at, depth: deeper(message, depth)? }))
    }

    /// An element of a list of structs, which lies within the message.
    pub fn element(message: &'a Message<'a>, spec: &'static Spec, at: StructAt, depth: u16) -> Self {
        Raw { message, spec, at, depth }
    }

    /// So many bits of the data, 0 where the struct is shorter.
    fn bits(self, first: u32, count: u32) -> u64 {
        if first + count > u32::from(self.at.words) * 64 {
            return 0;
        }
        let word = self.message.word(self.at.place.segment, self.at.place.word + first / 64).unwrap_or_default();
        (word >> (first % 64)) & u64::MAX.checked_shr(64 - count).unwrap_or_default()
    }

    /// The bits of a value of a field.
    pub fn plain(self, field: &FieldSpec) -> u64 {
        self.bits(field.place, field.kind.bits().unwrap_or_default()) ^ u64::from(field.inverted)
    }

    pub fn which(self) -> u16 {
        self.spec.union.map_or(0, |union| self.bits(union.at, 16) as u16)
    }

    pub fn is_chosen(self, field: &FieldSpec) -> bool {
        field.tag.is_none_or(|tag| tag == self.which())
    }

    /// The pointer of a field that is set and chosen.
    fn pointer(self, field: &FieldSpec) -> Option<Place> {
        let there = field.place < u32::from(self.at.pointers) && self.is_chosen(field);
        let word = self.at.place.word + u32::from(self.at.words) + field.place;
        there.then_some(Place { segment: self.at.place.segment, word })
    }

    pub fn has(self, field: &FieldSpec) -> bool {
        let word = |place: Place| self.message.word(place.segment, place.word);
        self.pointer(field).and_then(word).unwrap_or_default() != 0
    }

    pub fn text(self, field: &'static FieldSpec) -> Result<Option<&'a str>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        text_at(self.message, place).map_err(|fault| failure(self.spec, field, fault))
    }

    pub fn data(self, field: &'static FieldSpec) -> Result<Option<&'a [u8]>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        bytes_at(self.message, place).map_err(|fault| failure(self.spec, field, fault))
    }

    pub fn child(self, field: &'static FieldSpec, spec: &'static Spec) -> Result<Option<Raw<'a>>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        Raw::at(self.message, spec, place, self.depth).map_err(|fault| failure(self.spec, field, fault))
    }

    pub fn list(self, field: &'static FieldSpec) -> Result<Option<RawList<'a>>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        RawList::at(self.message, (self.spec, field), field.kind, place, self.depth)
    }
}

/// One step further in.
pub(super) fn deeper(message: &Message<'_>, depth: u16) -> Checked<u16> {
    let limit = message.limits().depth;
    if depth >= limit {
        return Err(format!("structs and lists lie more than {limit} deep inside one another"));
    }
    Ok(depth + 1)
}

/// The string that the pointer at `place` leads to.
pub(super) fn text_at<'a>(message: &'a Message<'a>, place: Place) -> Checked<Option<&'a str>> {
    let Some(bytes) = bytes_at(message, place)? else { return Ok(None) };
    let Some((0, text)) = bytes.split_last() else { return Err("text is not ended by a NUL".to_owned()) };
    std::str::from_utf8(text).map(Some).map_err(|_| "text is no UTF-8".to_owned())
}

fn bytes_at<'a>(message: &'a Message<'a>, place: Place) -> Checked<Option<&'a [u8]>> {
    let Some(list) = pointer::to_list(message, place)? else { return Ok(None) };
    if list.size != Size::Bytes(1) && list.count != 0 {
        return Err("bytes are expected, and a list of something else is there".to_owned());
    }
    let bytes = message.bytes_at(list.place.segment, list.place.word as usize * 8, list.count as usize);
    Ok(Some(bytes.unwrap_or_default()))
}

/// What is wrong with a field.
#[cold]
pub(super) fn failure(spec: &Spec, field: &FieldSpec, fault: Fault) -> Error {
    Error::corrupt(format!("{}.{}: {fault}", spec.name, field.name))
}
