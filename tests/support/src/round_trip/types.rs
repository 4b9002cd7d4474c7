//! The 44 datatypes, with the properties that the scenarios need.

/// How the bits of a value read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Signed,
    Unsigned,
    Float,
    /// Characters, blobs and the like: never a number.
    Bytes,
}

/// A datatype: its number in the C interface, the bytes of a value and how they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub number: u64,
    pub size: usize,
    pub kind: Kind,
}

pub const ANY: u64 = 17;
pub const CHAR: u64 = 4;
pub const ASCII: u64 = 11;
pub const UTF8: u64 = 12;

impl Type {
    pub const fn of(number: u64) -> Type {
        use Kind::{Bytes, Float, Signed, Unsigned};
        let (size, kind) = match number {
            0 => (4, Signed),
            1 => (8, Signed),
            2 => (4, Float),
            3 => (8, Float),
            5 => (1, Signed),
            6 => (1, Unsigned),
            7 => (2, Signed),
            8 => (2, Unsigned),
            9 => (4, Unsigned),
            10 => (8, Unsigned),
            13 | 15 => (2, Bytes),
            14 | 16 => (4, Bytes),
            18..=39 => (8, Signed),
            41 => (1, Unsigned),
            _ => (1, Bytes),
        };
        Type { number, size, kind }
    }

    /// Integers, dates and times.
    pub fn is_integer(self) -> bool {
        matches!(self.kind, Kind::Signed | Kind::Unsigned)
    }

    /// The types whose tiles of strings RLE and DICTIONARY write in their string form.
    pub fn is_string(self) -> bool {
        self.number == ASCII || self.number == UTF8
    }

    /// A small number as bytes of this type; halves for floats, so that all arithmetic is exact.
    pub fn bytes(self, value: i64) -> Vec<u8> {
        match (self.kind, self.size) {
            (Kind::Float, 4) => (value as f32 * 0.5).to_le_bytes().to_vec(),
            (Kind::Float, _) => (value as f64 * 0.5).to_le_bytes().to_vec(),
            (_, size) => value.to_le_bytes()[..size].to_vec(),
        }
    }
}
