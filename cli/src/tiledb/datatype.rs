//! Datatypes of cells, and the representation of their values.

use std::fmt;

use super::error::{Error, Result};
use super::handle::{lent, text};
use super::sys;

/// A datatype by its number in the C interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datatype(pub u32);

/// How the bytes of a value are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DatatypeKind {
    /// Signed integer; size in bytes.
    Signed(usize),
    /// A number without one.
    Unsigned(usize),
    /// A real number.
    Real(usize),
    /// Text; size of a code unit in bytes.
    Text(usize),
    /// 0 or 1.
    Bool,
    Bytes,
}

impl Datatype {
    /// Milliseconds since 1970.
    pub const DATETIME_MS: Self = Self(25);

    pub const INT32: Self = Self(0);
    pub const INT64: Self = Self(1);
    pub const FLOAT32: Self = Self(2);
    pub const FLOAT64: Self = Self(3);
    pub const CHAR: Self = Self(4);
    pub const INT8: Self = Self(5);
    pub const UINT8: Self = Self(6);
    pub const INT16: Self = Self(7);
    pub const UINT16: Self = Self(8);
    pub const UINT32: Self = Self(9);
    pub const UINT64: Self = Self(10);
    pub const STRING_ASCII: Self = Self(11);
    pub const STRING_UTF8: Self = Self(12);
    pub const DATETIME_YEAR: Self = Self(18);
    pub const DATETIME_DAY: Self = Self(21);
    pub const DATETIME_SEC: Self = Self(24);
    pub const TIME_SEC: Self = Self(33);
    pub const BOOL: Self = Self(41);

    /// The datatype of a name of the interface, in capital letters or small ones.
    pub fn named(name: &str) -> Result<Self> {
        let (upper, mut number) = (text(&name.to_ascii_uppercase())?, 0);
        // SAFETY: the text lives, the variable is ours.
        let code = unsafe { sys::tiledb_datatype_from_str(upper.as_ptr(), &raw mut number) };
        if code == 0 { Ok(Self(number)) } else { Err(Error::usage(format!("{name:?} is no datatype; INT64 is one"))) }
    }

    /// How its values are read.
    pub fn kind(self) -> DatatypeKind {
        match self.0 {
            0 => DatatypeKind::Signed(4),
            1 | 18..=39 => DatatypeKind::Signed(8),
            2 => DatatypeKind::Real(4),
            3 => DatatypeKind::Real(8),
            4 | 11 | 12 | 43 => DatatypeKind::Text(1),
            5 => DatatypeKind::Signed(1),
            6 => DatatypeKind::Unsigned(1),
            7 => DatatypeKind::Signed(2),
            8 => DatatypeKind::Unsigned(2),
            9 => DatatypeKind::Unsigned(4),
            10 => DatatypeKind::Unsigned(8),
            13 | 15 => DatatypeKind::Text(2),
            14 | 16 => DatatypeKind::Text(4),
            41 => DatatypeKind::Bool,
            _ => DatatypeKind::Bytes,
        }
    }

    /// Bytes of one value.
    pub fn size(self) -> usize {
        match self.kind() {
            DatatypeKind::Signed(size)
            | DatatypeKind::Unsigned(size)
            | DatatypeKind::Real(size)
            | DatatypeKind::Text(size) => size,
            DatatypeKind::Bool | DatatypeKind::Bytes => 1,
        }
    }

    /// Whether its values are texts or bytes, of which a cell has any number.
    pub fn is_text(self) -> bool {
        matches!(self.kind(), DatatypeKind::Text(_) | DatatypeKind::Bytes)
    }

    /// The number of values that an enumeration has at most whose indexes are of this datatype.
    pub fn max_index(self) -> u64 {
        match self.kind() {
            DatatypeKind::Signed(size) => (1 << (8 * size as u32 - 1)) - 1,
            DatatypeKind::Unsigned(size) if size < 8 => (1 << (8 * size as u32)) - 1,
            DatatypeKind::Unsigned(_) => u64::MAX,
            _ => 0,
        }
    }

    /// Moments since 1970: how many of its units make a second, or a second is how many of them. None for other types.
    pub fn unit(self) -> Option<Unit> {
        match self.0 {
            18 => Some(Unit::Years),
            19 => Some(Unit::Months),
            20 => Some(Unit::Seconds(7 * 86_400)),
            21 => Some(Unit::Seconds(86_400)),
            22 => Some(Unit::Seconds(3_600)),
            23 => Some(Unit::Seconds(60)),
            24 => Some(Unit::Seconds(1)),
            25..=30 => Some(Unit::Digits(3 * (self.0 - 24))),
            _ => None,
        }
    }
}

/// Unit of a date or time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Years since 1970.
    Years,
    /// Months since 1970-01.
    Months,
    /// A number of seconds.
    Seconds(i64),
    /// A fraction of a second with this many digits.
    Digits(u32),
}

impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = std::ptr::null();
        // SAFETY: the variable is ours; the name is a constant of the library.
        let code = unsafe { sys::tiledb_datatype_to_str(self.0, &raw mut name) };
        if code == 0 { f.write_str(&lent(name)) } else { write!(f, "datatype {}", self.0) }
    }
}
