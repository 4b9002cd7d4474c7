//! How the tool reads and prints the values of datatypes.

use tiledb::Datatype;

use super::error::{Error, Result};

/// How the bytes of a value are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DatatypeKind {
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

/// Unit of a date or time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Years since 1970.
    Years,
    /// Months since 1970-01.
    Months,
    /// A number of seconds.
    Seconds(i64),
    /// A fraction of a second with this many digits.
    Digits(u32),
}

/// Properties of datatypes beside those of the crate.
pub(crate) trait DatatypeExt: Copy {
    /// The datatype of a name, in capital letters or small ones.
    fn named(name: &str) -> Result<Self>;

    /// The datatype that is `steps` finer than this one: from seconds to thousandths, millionths.
    fn finer(self, steps: u32) -> Self;

    /// How its values are read.
    fn kind(self) -> DatatypeKind;

    /// Whether its values are texts or bytes, of which a cell has any number.
    fn is_text(self) -> bool;

    /// The number of values that an enumeration has at most whose indexes are of this datatype.
    fn max_index(self) -> u64;

    /// Moments since 1970: how many of its units make a second, or a second is how many of them. None for other types.
    fn unit(self) -> Option<Unit>;
}

impl DatatypeExt for Datatype {
    fn named(name: &str) -> Result<Self> {
        name.parse().map_err(|_| Error::usage(format!("{name:?} is no datatype; INT64 is one")))
    }

    fn finer(self, steps: u32) -> Self {
        Self::ALL
            .iter()
            .copied()
            .find(|other| u32::from(other.number()) == u32::from(self.number()) + steps)
            .unwrap_or(self)
    }

    fn kind(self) -> DatatypeKind {
        match self {
            Self::Char | Self::StringAscii | Self::StringUtf8 | Self::GeomWkt => DatatypeKind::Text(1),
            Self::StringUtf16 | Self::StringUcs2 => DatatypeKind::Text(2),
            Self::StringUtf32 | Self::StringUcs4 => DatatypeKind::Text(4),
            Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Uint64 => DatatypeKind::Unsigned(self.size()),
            Self::Float32 | Self::Float64 => DatatypeKind::Real(self.size()),
            Self::Bool => DatatypeKind::Bool,
            Self::Any | Self::Blob | Self::GeomWkb => DatatypeKind::Bytes,
            _ => DatatypeKind::Signed(self.size()),
        }
    }

    fn is_text(self) -> bool {
        matches!(self.kind(), DatatypeKind::Text(_) | DatatypeKind::Bytes)
    }

    fn max_index(self) -> u64 {
        match self.kind() {
            DatatypeKind::Signed(size) => (1 << (8 * size as u32 - 1)) - 1,
            DatatypeKind::Unsigned(size) if size < 8 => (1 << (8 * size as u32)) - 1,
            DatatypeKind::Unsigned(_) => u64::MAX,
            _ => 0,
        }
    }

    fn unit(self) -> Option<Unit> {
        match self {
            Self::DatetimeYear => Some(Unit::Years),
            Self::DatetimeMonth => Some(Unit::Months),
            Self::DatetimeWeek => Some(Unit::Seconds(7 * 86_400)),
            Self::DatetimeDay => Some(Unit::Seconds(86_400)),
            Self::DatetimeHr => Some(Unit::Seconds(3_600)),
            Self::DatetimeMin => Some(Unit::Seconds(60)),
            Self::DatetimeSec => Some(Unit::Seconds(1)),
            _ if self.is_datetime() => Some(Unit::Digits(3 * u32::from(self.number() - Self::DatetimeSec.number()))),
            _ => None,
        }
    }
}
