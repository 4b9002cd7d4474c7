//! Schema definitions of messages: type, position and JSON name of each field.

use std::marker::PhantomData;

/// The type of a field or list element.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// Nothing but that it was chosen in a union.
    Void,
    /// One bit.
    Bool,
    /// A number.
    Int8,
    /// A number.
    UInt8,
    /// A number.
    Int16,
    /// A number.
    UInt16,
    /// A number.
    Int32,
    /// A number.
    UInt32,
    /// A number.
    Int64,
    /// A number.
    UInt64,
    /// A number.
    Float32,
    /// A number.
    Float64,
    /// An enumerant, stored as a number of 16 bits.
    Enum(&'static [&'static str]),
    /// A string.
    Text,
    /// Bytes.
    Data,
    /// A struct of its own; by a function, since structs may hold their like.
    Struct(fn() -> &'static Spec),
    List(&'static FieldKind),
}

impl FieldKind {
    /// Size of a value in the data section of its struct in bits; `None` for pointers.
    pub const fn bits(self) -> Option<u32> {
        Some(match self {
            FieldKind::Void => 0,
            FieldKind::Bool => 1,
            FieldKind::Int8 | FieldKind::UInt8 => 8,
            FieldKind::Int16 | FieldKind::UInt16 | FieldKind::Enum(_) => 16,
            FieldKind::Int32 | FieldKind::UInt32 | FieldKind::Float32 => 32,
            FieldKind::Int64 | FieldKind::UInt64 | FieldKind::Float64 => 64,
            FieldKind::Text | FieldKind::Data | FieldKind::Struct(_) | FieldKind::List(_) => return None,
        })
    }
}

/// The description of a struct.
#[derive(Debug)]
pub struct Spec {
    /// Name of the struct.
    pub name: &'static str,
    /// Words of data.
    pub words: u16,
    /// Number of pointers.
    pub pointers: u16,
    /// The union among its fields.
    pub union: Option<Union>,
    /// The fields, in the order in which JSON shows them.
    pub fields: &'static [FieldSpec],
}

/// Fields of which one is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Union {
    /// JSON name of the object around the selected union field; empty if there is none.
    pub name: &'static str,
    /// The bit position of the union tag, the number of the active field.
    pub at: u32,
}

/// The description of a field.
#[derive(Debug)]
pub struct FieldSpec {
    /// Name in JSON and errors.
    pub name: &'static str,
    pub kind: FieldKind,
    /// Its first bit in the data, or the number of its pointer.
    pub place: u32,
    /// Its number in the union, if it is in one.
    pub tag: Option<u16>,
    /// Whether a bit is stored inverted: its default is true.
    pub inverted: bool,
}

/// A type that describes a struct; there are no values of it.
pub trait Struct: FieldValue + 'static {
    /// The description.
    const SPEC: &'static Spec;
}

/// A type that names a field type.
pub trait FieldValue {
    const KIND: FieldKind;
}

/// A value in the data section of a struct.
pub trait Plain: FieldValue {
    /// The type of a value.
    type Scalar;
    /// The value that is encoded by these bits.
    fn from_bits(bits: u64) -> Self::Scalar;
    /// The bits that encode a value.
    fn bits(value: Self::Scalar) -> u64;
}

/// A number of which there are lists.
pub trait NumberField: Plain<Scalar = Self> + bytemuck::Pod {}

/// A string.
pub enum TextField {}

/// Bytes.
pub enum Data {}

/// Nothing but that it was chosen in a union.
pub(crate) enum Void {}

pub struct List<T>(PhantomData<T>);

impl FieldValue for TextField {
    const KIND: FieldKind = FieldKind::Text;
}

impl FieldValue for Data {
    const KIND: FieldKind = FieldKind::Data;
}

impl FieldValue for Void {
    const KIND: FieldKind = FieldKind::Void;
}

impl<T: FieldValue> FieldValue for List<T> {
    const KIND: FieldKind = FieldKind::List(&T::KIND);
}

impl Plain for Void {
    type Scalar = ();

    fn from_bits(_: u64) {}

    fn bits((): ()) -> u64 {
        0
    }
}

impl FieldValue for bool {
    const KIND: FieldKind = FieldKind::Bool;
}

impl Plain for bool {
    type Scalar = bool;

    fn from_bits(bits: u64) -> bool {
        bits != 0
    }

    fn bits(value: bool) -> u64 {
        u64::from(value)
    }
}

macro_rules! numbers {
    ($($type:ident $kind:ident: $from:expr, $to:expr;)*) => {$(
        impl FieldValue for $type {
            const KIND: FieldKind = FieldKind::$kind;
        }

        impl Plain for $type {
            type Scalar = $type;

            #[inline]
            fn from_bits(bits: u64) -> $type {
                $from(bits)
            }

            #[inline]
            fn bits(value: $type) -> u64 {
                $to(value)
            }
        }

        impl NumberField for $type {}
    )*};
}

numbers! {
    i8 Int8: |bits| bits as i8, |value: i8| u64::from(value as u8);
    u8 UInt8: |bits| bits as u8, u64::from;
    i16 Int16: |bits| bits as i16, |value: i16| u64::from(value as u16);
    u16 UInt16: |bits| bits as u16, u64::from;
    i32 Int32: |bits| bits as i32, |value: i32| u64::from(value as u32);
    u32 UInt32: |bits| bits as u32, u64::from;
    i64 Int64: |bits| bits as i64, |value: i64| value as u64;
    u64 UInt64: |bits| bits, |value| value;
    f32 Float32: |bits| f32::from_bits(bits as u32), |value: f32| u64::from(value.to_bits());
    f64 Float64: f64::from_bits, f64::to_bits;
}

/// A field of the struct `S` that holds a `T`.
pub struct MessageField<S, T> {
    index: usize,
    types: PhantomData<fn() -> (S, T)>,
}

impl<S, T> Clone for MessageField<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for MessageField<S, T> {}

impl<S: Struct, T: FieldValue> MessageField<S, T> {
    /// The field with this number in the description of its struct.
    pub const fn at(index: usize) -> Self {
        MessageField { index, types: PhantomData }
    }

    /// Its description.
    #[inline]
    pub fn spec(self) -> &'static FieldSpec {
        &S::SPEC.fields[self.index]
    }
}

/// The index of a name; the number of names if it is missing.
pub(crate) const fn index_of(names: &[&str], name: &str) -> usize {
    let mut index = 0;
    while index < names.len() && !same(names[index].as_bytes(), name.as_bytes()) {
        index += 1;
    }
    index
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Describes structs:
///
/// ```text
/// /// An attribute of a schema.
/// Attribute: 1 word, 6 pointers {
///     CELL_VAL_NUM "cellValNum" at 0: u32,            // its first bit
///     NULLABLE "nullable" at 32: bool,
///     NAME "name" at pointer 0: Text,
/// }
/// ```
///
/// A quoted name after that of the struct is its name in error messages. The first line ends with the name of the
/// union and the position of its tag, `, union "data" at 0`; each field of the union states the tag that selects it,
/// `at 16 if 2: i8`. A bit whose default is true is followed by `= true`. For each struct the macro generates a type
/// with the fields as constants.
macro_rules! messages {
    ($(
        $(#[$doc:meta])*
        $name:ident $($called:literal)?: $words:literal $word:ident, $pointers:literal $pointer_word:ident
            $(, union $union:literal at $union_at:literal)? {
            $($field:ident $json:literal at $($pointer:ident)? $place:literal $(if $tag:literal)?: $type:ty $(= $inverted:literal)?,)+
        }
    )+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) enum $name {}

        impl $crate::encoding::field::Struct for $name {
            const SPEC: &'static $crate::encoding::field::Spec = {
                #[allow(unused_imports, reason = "not every struct has all of it")]
                use $crate::encoding::field::{FieldSpec, Spec, Union, FieldValue};
                static SPEC: Spec = Spec {
                    name: messages!(@name $name $($called)?),
                    words: $words,
                    pointers: $pointers,
                    union: messages!(@union $($union $union_at)?),
                    fields: &[$(FieldSpec {
                        name: $json,
                        kind: <$type as FieldValue>::KIND,
                        place: $place,
                        tag: messages!(@tag $($tag)?),
                        inverted: messages!(@inverted $($inverted)?),
                    }),+],
                };
                &SPEC
            };
        }

        impl $crate::encoding::field::FieldValue for $name {
            const KIND: $crate::encoding::field::FieldKind =
                $crate::encoding::field::FieldKind::Struct(|| <$name as $crate::encoding::field::Struct>::SPEC);
        }

        #[allow(dead_code, missing_docs, reason = "a description is whole; the names are those of the fields")]
        impl $name {
            const NAMES: &'static [&'static str] = &[$($json),+];
            $(pub(crate) const $field: $crate::encoding::field::MessageField<$name, $type> =
                $crate::encoding::field::MessageField::at($crate::encoding::field::index_of(Self::NAMES, $json));)+
        }
    )+};
    (@name $name:ident) => { stringify!($name) };
    (@name $name:ident $called:literal) => { $called };
    (@union) => { None };
    (@union $name:literal $at:literal) => { Some(Union { name: $name, at: $at }) };
    (@tag) => { None };
    (@tag $tag:literal) => { Some($tag) };
    (@inverted) => { false };
    (@inverted $inverted:literal) => { $inverted };
}
pub(crate) use messages;
