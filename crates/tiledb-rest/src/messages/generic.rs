//! Maps from names to structs, and the enumerations.

use std::marker::PhantomData;

use crate::encoding::{Field, FieldSpec, Kind, List, Plain, Spec, Struct, Text, Value};

/// Names and what each stands for.
pub struct Map<V>(PhantomData<V>);

/// A name and what it stands for.
pub struct MapEntry<V>(PhantomData<V>);

impl<V: Struct> Map<V> {
    /// The names with what they stand for.
    pub const ENTRIES: Field<Map<V>, List<MapEntry<V>>> = Field::at(0);
}

impl<V: Struct> Value for Map<V> {
    const KIND: Kind = Kind::Struct(|| Self::SPEC);
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
    pub const KEY: Field<MapEntry<V>, Text> = Field::at(0);
    /// What it stands for.
    pub const VALUE: Field<MapEntry<V>, V> = Field::at(1);
}

impl<V: Struct> Value for MapEntry<V> {
    const KIND: Kind = Kind::Struct(|| Self::SPEC);
}

impl<V: Struct> Struct for MapEntry<V> {
    const SPEC: &'static Spec = &Spec {
        name: "Map.Entry",
        words: 0,
        pointers: 2,
        union: None,
        fields: &[
            FieldSpec { name: "key", kind: Kind::Text, place: 0, tag: None, inverted: false },
            FieldSpec { name: "value", kind: V::KIND, place: 1, tag: None, inverted: false },
        ],
    };
}

/// What an object is: 0 an array, 1 a group.
pub enum ObjectType {}

impl Value for ObjectType {
    const KIND: Kind = Kind::Enum(&["array", "group"]);
}

impl Plain for ObjectType {
    type Value = u16;

    fn from_bits(bits: u64) -> u16 {
        bits as u16
    }

    fn bits(value: u16) -> u64 {
        u64::from(value)
    }
}
