//! Lists read where they lie.

use std::marker::PhantomData;

use crate::error::{Result, bail};
use crate::memory;

use super::field::{FieldSpec, Kind, List, Number, Spec, Struct, Text, Value};
use super::pointer::{self, ListAt, Place, Size, StructAt};
use super::segments::Message;
use super::view::{Raw, View, deeper, failure, text_at};

/// A list in a message, of what `T` describes.
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

impl<'a, T: Value> ListView<'a, T> {
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

    /// One of the elements, if there are so many.
    pub fn get(self, index: usize) -> Option<T::Item<'a>> {
        (index < self.len()).then(|| T::element(&self.raw, index as u32))
    }
}

impl<T: Number> ListView<'_, T> {
    /// The numbers in memory of their own.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn to_vec(self) -> Result<Vec<T>> {
        let mut numbers = memory::with_room("numbers of a message", self.len())?;
        numbers.extend(self.raw.bytes().chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>));
        Ok(numbers)
    }
}

impl<'a> ListView<'a, u8> {
    /// The bytes.
    pub fn bytes(self) -> &'a [u8] {
        self.raw.bytes()
    }
}

/// What lists hold.
pub trait Element: Value + Sized {
    /// What is given for an element.
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

impl Element for Text {
    /// The string, empty where none was set.
    type Item<'a> = Result<&'a str>;

    fn element<'a>(list: &RawList<'a>, index: u32) -> Result<&'a str> {
        list.text(index)
    }
}

impl<T: Value> Element for List<T> {
    /// The list, empty where none was set.
    type Item<'a> = Result<ListView<'a, T>>;

    fn element<'a>(list: &RawList<'a>, index: u32) -> Result<ListView<'a, T>> {
        Ok(ListView::new(list.list(index)?))
    }
}

macro_rules! numbers {
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

numbers!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// A list in a message, without its type.
#[derive(Clone, Copy)]
pub struct RawList<'a> {
    message: &'a Message<'a>,
    pub(super) list: ListAt,
    /// What its elements are.
    kind: Kind,
    /// The field that it belongs to.
    of: (&'static Spec, &'static FieldSpec),
    depth: u16,
}

impl<'a> RawList<'a> {
    /// The list that the pointer at `place` leads to.
    pub(super) fn at(
        message: &'a Message<'a>,
        of: (&'static Spec, &'static FieldSpec),
        kind: Kind,
        place: Place,
        depth: u16,
    ) -> Result<Option<Self>> {
        let fault = |fault| failure(of.0, of.1, fault);
        let Kind::List(&kind) = kind else { bail!(Internal, "{}.{} is no list", of.0.name, of.1.name) };
        let Some(list) = pointer::to_list(message, place).map_err(fault)? else { return Ok(None) };
        let fits = match kind {
            Kind::Struct(_) => matches!(list.size, Size::Struct { .. }),
            Kind::Text | Kind::Data | Kind::List(_) => list.size == Size::Pointer,
            Kind::Void => list.size == Size::Void,
            Kind::Bool => list.size == Size::Bit,
            number => list.size == Size::Bytes((number.bits().unwrap_or_default() / 8) as u8),
        };
        if !fits && list.count != 0 {
            return Err(fault("the elements of the list are of another kind".to_owned()));
        }
        // The structs of a list are one further in; whether they may be is told once for all of them.
        let depth = deeper(message, depth).map_err(fault)?;
        let inner = matches!(kind, Kind::Struct(_)) && list.count != 0;
        let depth = if inner { deeper(message, depth).map_err(fault)? } else { depth };
        Ok(Some(RawList { message, list, kind, of, depth }))
    }

    /// A list of nothing.
    pub(super) fn empty(message: &'a Message<'a>, spec: &'static Spec, field: &'static FieldSpec) -> Self {
        let list = ListAt { place: Place { segment: 0, word: 0 }, count: 0, size: Size::Void };
        let kind = if let Kind::List(kind) = field.kind { *kind } else { Kind::Void };
        RawList { message, list, kind, of: (spec, field), depth: 0 }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// A struct of a list of structs.
    pub(super) fn element(&self, index: u32, spec: &'static Spec) -> Raw<'a> {
        let (words, pointers) = match self.list.size {
            Size::Struct { words, pointers } => (words, pointers),
            _ => (0, 0),
        };
        let word = self.list.place.word + index * (u32::from(words) + u32::from(pointers));
        let place = Place { segment: self.list.place.segment, word };
        Raw::element(self.message, spec, StructAt { place, words, pointers }, self.depth)
    }

    /// The bytes of a list of numbers.
    pub(super) fn bytes(&self) -> &'a [u8] {
        let Size::Bytes(each) = self.list.size else { return &[] };
        let Place { segment, word } = self.list.place;
        let count = self.list.count as usize * usize::from(each);
        self.message.bytes_at(segment, word as usize * 8, count).unwrap_or_default()
    }

    fn pointer(&self, index: u32) -> Place {
        Place { segment: self.list.place.segment, word: self.list.place.word + index }
    }

    /// A string of a list of strings.
    pub(super) fn text(&self, index: u32) -> Result<&'a str> {
        let text = text_at(self.message, self.pointer(index));
        Ok(text.map_err(|fault| failure(self.of.0, self.of.1, fault))?.unwrap_or_default())
    }

    /// A list of a list of lists.
    pub(super) fn list(&self, index: u32) -> Result<RawList<'a>> {
        let list = RawList::at(self.message, self.of, self.kind, self.pointer(index), self.depth)?;
        let kind = if let Kind::List(kind) = self.kind { *kind } else { Kind::Void };
        Ok(list.unwrap_or(RawList { kind, ..RawList::empty(self.message, self.of.0, self.of.1) }))
    }
}
