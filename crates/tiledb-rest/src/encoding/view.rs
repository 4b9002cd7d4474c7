//! Typed zero-copy views of structs and lists in a message.

use std::marker::PhantomData;

use tiledb_core::error::Result;
use tiledb_core::memory;

use super::field::{Data, FieldValue, List, MessageField, NumberField, Plain, Struct, TextField};
use super::raw::{Raw, RawList};
use super::segments::Message;

impl Message<'_> {
    /// The root struct, interpreted as a `T`.
    ///
    /// # Errors
    /// If there is none, or its pointer leads outside the message.
    pub(crate) fn root<T: Struct>(&self) -> Result<View<'_, T>> {
        Ok(View::new(self.raw_root(T::SPEC)?))
    }
}

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

    /// A number or a bit; the default if the struct is too short to contain it.
    #[inline]
    pub fn get<V: Plain>(self, field: MessageField<T, V>) -> V::Scalar {
        V::from_bits(self.raw.plain(field.spec()))
    }

    /// The number of the field that is chosen in the struct's union.
    pub fn which(self) -> u16 {
        self.raw.which()
    }

    /// Whether this field of the union is selected; true for fields outside of unions.
    pub fn is<V: FieldValue>(self, field: MessageField<T, V>) -> bool {
        self.raw.is_chosen(field.spec())
    }

    /// Whether something is there: a pointer is not null.
    pub fn has<V: FieldValue>(self, field: MessageField<T, V>) -> bool {
        self.raw.has(field.spec())
    }

    /// A string; nothing where none was set.
    ///
    /// # Errors
    /// It is not within the message, not ended, or no UTF-8.
    pub fn text(self, field: MessageField<T, TextField>) -> Result<Option<&'a str>> {
        self.raw.text(field.spec())
    }

    /// Bytes; nothing where none were set.
    ///
    /// # Errors
    /// They are not within the message.
    pub fn data(self, field: MessageField<T, Data>) -> Result<Option<&'a [u8]>> {
        self.raw.data(field.spec())
    }

    /// A struct; nothing where none was set.
    ///
    /// # Errors
    /// It is not within the message.
    pub fn child<V: Struct>(self, field: MessageField<T, V>) -> Result<Option<View<'a, V>>> {
        Ok(self.raw.child(field.spec(), V::SPEC)?.map(View::new))
    }

    /// A list; nothing where none was set.
    ///
    /// # Errors
    /// It is not within the message, or holds something else.
    pub fn list<V: FieldValue>(self, field: MessageField<T, List<V>>) -> Result<Option<ListView<'a, V>>> {
        Ok(self.raw.list(field.spec())?.map(ListView::new))
    }

    /// A list, empty where none was set.
    ///
    /// # Errors
    /// As [`list`](View::list).
    pub fn items<V: FieldValue>(self, field: MessageField<T, List<V>>) -> Result<ListView<'a, V>> {
        let none = || RawList::empty(self.raw.message, self.raw.spec, field.spec());
        Ok(ListView::new(self.raw.list(field.spec())?.unwrap_or_else(none)))
    }
}

/// A list in a message.
pub struct ListView<'a, T> {
    raw: RawList<'a>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for ListView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListView<'_, T> {}

impl<'a, T: FieldValue> ListView<'a, T> {
    pub(super) fn new(raw: RawList<'a>) -> Self {
        ListView { raw, of: PhantomData }
    }

    /// How many elements there are.
    pub fn len(self) -> usize {
        self.raw.list.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.raw.list.count == 0
    }
}

impl<'a, T: Element> ListView<'a, T> {
    /// The elements.
    pub fn iter(self) -> impl ExactSizeIterator<Item = T::Item<'a>> {
        (0..self.raw.list.count).map(move |index| T::element(&self.raw, index))
    }

    /// An element, if the index is in bounds.
    pub fn get(self, index: usize) -> Option<T::Item<'a>> {
        (index < self.len()).then(|| T::element(&self.raw, index as u32))
    }
}

impl<T: NumberField> ListView<'_, T> {
    /// The numbers in memory of their own.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn to_vec(self) -> Result<Vec<T>> {
        let mut numbers = memory::with_capacity("numbers of a message", self.len())?;
        numbers.extend(self.raw.bytes().chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
        Ok(numbers)
    }
}

impl<'a> ListView<'a, u8> {
    pub fn bytes(self) -> &'a [u8] {
        self.raw.bytes()
    }
}

/// Element types of lists.
pub trait Element: FieldValue + Sized {
    /// What an element is read as.
    type Item<'a>;

    #[doc(hidden)]
    fn element<'a>(list: &RawList<'a>, index: u32) -> Self::Item<'a>;
}

impl<T: Struct> Element for T {
    type Item<'a> = View<'a, T>;

    fn element<'a>(list: &RawList<'a>, index: u32) -> View<'a, T> {
        View::new(list.element(index, T::SPEC))
    }
}

impl Element for TextField {
    /// The string, empty where none was set.
    type Item<'a> = Result<&'a str>;

    fn element<'a>(list: &RawList<'a>, index: u32) -> Result<&'a str> {
        list.text(index)
    }
}

impl<T: FieldValue> Element for List<T> {
    /// The list, empty where none was set.
    type Item<'a> = Result<ListView<'a, T>>;

    fn element<'a>(list: &RawList<'a>, index: u32) -> Result<ListView<'a, T>> {
        Ok(ListView::new(list.list(index)?))
    }
}

macro_rules! elements {
    ($($type:ident)*) => {$(
        impl Element for $type {
            type Item<'a> = $type;

            fn element<'a>(list: &RawList<'a>, index: u32) -> $type {
                let each = size_of::<$type>();
                let bytes = list.bytes().get(index as usize * each..(index as usize + 1) * each);
                bytes.map(bytemuck::pod_read_unaligned).unwrap_or_default()
            }
        }
    )*};
}

elements!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
