//! Maps from names to structs, and the enumerations.

use std::marker::PhantomData;

use crate::encoding::{FieldKind, FieldSpec, FieldValue, List, MessageField, Plain, Spec, Struct, TextField};

/// A map from strings to `V`.
pub(crate) struct Map<V>(PhantomData<V>);

pub(crate) struct MapEntry<V>(PhantomData<V>);

impl<V: Struct> Map<V> {
    pub(crate) const ENTRIES: MessageField<Map<V>, List<MapEntry<V>>> = MessageField::at(0);
}

impl<V: Struct> FieldValue for Map<V> {
    const KIND: FieldKind = FieldKind::Struct(|| Self::SPEC);
}

impl<V: Struct> Struct for Map<V> {
    const SPEC: &'static Spec = &Spec {
        name: "Map",
        words: 0,
        pointers: 1,
        union: None,
        fields: &[FieldSpec { name: "entries", kind: List::<MapEntry<V>>::KIND, place: 0, tag: None, inverted: false }],
    };
}

impl<V: Struct> MapEntry<V> {
    /// The name.
    pub(crate) const KEY: MessageField<MapEntry<V>, TextField> = MessageField::at(0);
    pub(crate) const VALUE: MessageField<MapEntry<V>, V> = MessageField::at(1);
}

impl<V: Struct> FieldValue for MapEntry<V> {
    const KIND: FieldKind = FieldKind::Struct(|| Self::SPEC);
}

impl<V: Struct> Struct for MapEntry<V> {
    const SPEC: &'static Spec = &Spec {
        name: "Map.Entry",
        words: 0,
        pointers: 2,
        union: None,
        fields: &[
            FieldSpec { name: "key", kind: FieldKind::Text, place: 0, tag: None, inverted: false },
            FieldSpec { name: "value", kind: V::KIND, place: 1, tag: None, inverted: false },
        ],
    };
}

/// Type of an object: 0 array, 1 group.
pub(crate) enum ObjectType {}

impl FieldValue for ObjectType {
    const KIND: FieldKind = FieldKind::Enum(&["array", "group"]);
}

impl Plain for ObjectType {
    type Scalar = u16;

    fn from_bits(bits: u64) -> u16 {
        bits as u16
    }

    fn bits(value: u16) -> u64 {
        u64::from(value)
    }
}
