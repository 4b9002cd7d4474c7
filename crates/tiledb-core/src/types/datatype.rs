//! The 44 datatypes of the format and their properties: size, kind, physical type.

use super::{CellValNum, NumberKind, PhysicalType};
use crate::error::{Result, bail};

/// The type of a field's values. The discriminants are the numbers of the format and of the C enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the format's own")]
pub enum Datatype {
    Int32 = 0,
    Int64 = 1,
    Float32 = 2,
    Float64 = 3,
    Char = 4,
    Int8 = 5,
    Uint8 = 6,
    Int16 = 7,
    Uint16 = 8,
    Uint32 = 9,
    Uint64 = 10,
    StringAscii = 11,
    StringUtf8 = 12,
    StringUtf16 = 13,
    StringUtf32 = 14,
    StringUcs2 = 15,
    StringUcs4 = 16,
    Any = 17,
    DatetimeYear = 18,
    DatetimeMonth = 19,
    DatetimeWeek = 20,
    DatetimeDay = 21,
    DatetimeHr = 22,
    DatetimeMin = 23,
    DatetimeSec = 24,
    DatetimeMs = 25,
    DatetimeUs = 26,
    DatetimeNs = 27,
    DatetimePs = 28,
    DatetimeFs = 29,
    DatetimeAs = 30,
    TimeHr = 31,
    TimeMin = 32,
    TimeSec = 33,
    TimeMs = 34,
    TimeUs = 35,
    TimeNs = 36,
    TimePs = 37,
    TimeFs = 38,
    TimeAs = 39,
    Blob = 40,
    Bool = 41,
    GeomWkb = 42,
    GeomWkt = 43,
}

/// Number and text of every datatype, in the order of the numbers.
const TABLE: [(Datatype, &str); 44] = [
    (Datatype::Int32, "INT32"),
    (Datatype::Int64, "INT64"),
    (Datatype::Float32, "FLOAT32"),
    (Datatype::Float64, "FLOAT64"),
    (Datatype::Char, "CHAR"),
    (Datatype::Int8, "INT8"),
    (Datatype::Uint8, "UINT8"),
    (Datatype::Int16, "INT16"),
    (Datatype::Uint16, "UINT16"),
    (Datatype::Uint32, "UINT32"),
    (Datatype::Uint64, "UINT64"),
    (Datatype::StringAscii, "STRING_ASCII"),
    (Datatype::StringUtf8, "STRING_UTF8"),
    (Datatype::StringUtf16, "STRING_UTF16"),
    (Datatype::StringUtf32, "STRING_UTF32"),
    (Datatype::StringUcs2, "STRING_UCS2"),
    (Datatype::StringUcs4, "STRING_UCS4"),
    (Datatype::Any, "ANY"),
    (Datatype::DatetimeYear, "DATETIME_YEAR"),
    (Datatype::DatetimeMonth, "DATETIME_MONTH"),
    (Datatype::DatetimeWeek, "DATETIME_WEEK"),
    (Datatype::DatetimeDay, "DATETIME_DAY"),
    (Datatype::DatetimeHr, "DATETIME_HR"),
    (Datatype::DatetimeMin, "DATETIME_MIN"),
    (Datatype::DatetimeSec, "DATETIME_SEC"),
    (Datatype::DatetimeMs, "DATETIME_MS"),
    (Datatype::DatetimeUs, "DATETIME_US"),
    (Datatype::DatetimeNs, "DATETIME_NS"),
    (Datatype::DatetimePs, "DATETIME_PS"),
    (Datatype::DatetimeFs, "DATETIME_FS"),
    (Datatype::DatetimeAs, "DATETIME_AS"),
    (Datatype::TimeHr, "TIME_HR"),
    (Datatype::TimeMin, "TIME_MIN"),
    (Datatype::TimeSec, "TIME_SEC"),
    (Datatype::TimeMs, "TIME_MS"),
    (Datatype::TimeUs, "TIME_US"),
    (Datatype::TimeNs, "TIME_NS"),
    (Datatype::TimePs, "TIME_PS"),
    (Datatype::TimeFs, "TIME_FS"),
    (Datatype::TimeAs, "TIME_AS"),
    (Datatype::Blob, "BLOB"),
    (Datatype::Bool, "BOOL"),
    (Datatype::GeomWkb, "GEOM_WKB"),
    (Datatype::GeomWkt, "GEOM_WKT"),
];

impl Datatype {
    /// Every datatype, in the order of the numbers.
    pub fn all() -> impl Iterator<Item = Datatype> {
        TABLE.iter().map(|row| row.0)
    }

    /// The datatype with this number.
    ///
    /// # Errors
    /// For a number that names none.
    pub fn from_number(number: u32) -> Result<Datatype> {
        match TABLE.get(number as usize) {
            Some(row) => Ok(row.0),
            None => bail!("Invalid Datatype ({number})"),
        }
    }

    /// The datatype with this text.
    ///
    /// # Errors
    /// For a text that names none.
    pub fn from_name(name: &str) -> Result<Datatype> {
        match TABLE.iter().find(|row| row.1 == name) {
            Some(row) => Ok(row.0),
            None => bail!("'{name}' is no datatype"),
        }
    }

    /// The number in files and in C.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The text, such as `STRING_ASCII`.
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Physical type of a value: the only match over all datatypes.
    pub fn physical(self) -> PhysicalType {
        use Datatype::*;
        match self {
            Int8 => PhysicalType::I8,
            Int16 => PhysicalType::I16,
            Int32 => PhysicalType::I32,
            Int64 => PhysicalType::I64,
            Char | Uint8 | StringAscii | StringUtf8 | Any | Blob | Bool | GeomWkb | GeomWkt => PhysicalType::U8,
            Uint16 | StringUtf16 | StringUcs2 => PhysicalType::U16,
            Uint32 | StringUtf32 | StringUcs4 => PhysicalType::U32,
            Uint64 => PhysicalType::U64,
            Float32 => PhysicalType::F32,
            Float64 => PhysicalType::F64,
            DatetimeYear | DatetimeMonth | DatetimeWeek | DatetimeDay | DatetimeHr | DatetimeMin | DatetimeSec
            | DatetimeMs | DatetimeUs | DatetimeNs | DatetimePs | DatetimeFs | DatetimeAs | TimeHr | TimeMin
            | TimeSec | TimeMs | TimeUs | TimeNs | TimePs | TimeFs | TimeAs => PhysicalType::I64,
        }
    }

    /// The numbers that statistics compare and add: those of `CHAR` have a sign.
    pub fn compared_as(self) -> PhysicalType {
        if self == Datatype::Char { PhysicalType::I8 } else { self.physical() }
    }

    /// Bytes of one value.
    pub fn size(self) -> usize {
        self.physical().size()
    }

    /// A point in time.
    pub fn is_datetime(self) -> bool {
        (Datatype::DatetimeYear..=Datatype::DatetimeAs).contains(&self)
    }

    /// A time of day.
    pub fn is_time(self) -> bool {
        (Datatype::TimeHr..=Datatype::TimeAs).contains(&self)
    }

    /// An integer proper: `INT8` to `UINT64`, without datetimes and byte types.
    pub fn is_integer(self) -> bool {
        use Datatype::*;
        matches!(self, Int8 | Int16 | Int32 | Int64 | Uint8 | Uint16 | Uint32 | Uint64)
    }

    /// `FLOAT32` or `FLOAT64`.
    pub fn is_float(self) -> bool {
        matches!(self, Datatype::Float32 | Datatype::Float64)
    }

    /// One of the seven string types (including `CHAR`, as in libtiledb).
    pub fn is_string(self) -> bool {
        use Datatype::*;
        matches!(self, Char | StringAscii | StringUtf8 | StringUtf16 | StringUtf32 | StringUcs2 | StringUcs4)
    }

    /// Text that is compared as a whole, whatever its length: `CHAR`, `STRING_ASCII`, `STRING_UTF8`.
    pub fn is_text(self) -> bool {
        matches!(self, Datatype::StringUtf8) || self.is_ascii()
    }

    /// Text of single bytes: `CHAR`, `STRING_ASCII`.
    pub fn is_ascii(self) -> bool {
        matches!(self, Datatype::Char | Datatype::StringAscii)
    }

    /// Text of characters wider than a byte.
    pub fn is_wide_text(self) -> bool {
        self.is_string() && !self.is_text()
    }

    /// Strings that filters may encode as such: `STRING_ASCII`, `STRING_UTF8`.
    pub fn is_encoded_text(self) -> bool {
        matches!(self, Datatype::StringAscii | Datatype::StringUtf8)
    }

    /// Numbers, datetimes and times.
    pub fn is_numeric(self) -> bool {
        !(self.is_string() || self.is_byte() || self == Datatype::Any)
    }

    /// Whether it can be the index type of an enumeration.
    pub fn is_index(self) -> bool {
        self.is_integer() || self == Datatype::Bool
    }

    /// Dimensions are integers, floats, datetimes, times of day or ASCII strings.
    pub fn is_of_dimensions(self) -> bool {
        self.is_integer() || self.is_float() || self.is_datetime() || self.is_time() || self == Datatype::StringAscii
    }

    /// Values of a coordinate: any number of characters, one of all else.
    pub fn coordinate_cells(self) -> CellValNum {
        if self == Datatype::StringAscii { CellValNum::VAR } else { CellValNum::ONE }
    }

    /// Bytes without a meaning here: `ANY`, `BLOB`, `GEOM_WKB`, `GEOM_WKT`.
    pub fn is_opaque(self) -> bool {
        matches!(self, Datatype::Any | Datatype::Blob | Datatype::GeomWkb | Datatype::GeomWkt)
    }

    /// The signed integer type of this size in bytes.
    pub fn signed_of(size: usize) -> Option<Datatype> {
        match size {
            1 => Some(Datatype::Int8),
            2 => Some(Datatype::Int16),
            4 => Some(Datatype::Int32),
            8 => Some(Datatype::Int64),
            _ => None,
        }
    }

    /// The widest type of the same kind of number: what sums have.
    pub fn widest(self) -> Datatype {
        match self.physical().kind() {
            NumberKind::Signed => Datatype::Int64,
            NumberKind::Unsigned => Datatype::Uint64,
            NumberKind::Real => Datatype::Float64,
        }
    }

    /// Types stored as plain bytes: `BLOB`, `GEOM_WKB`, `GEOM_WKT`, `BOOL`.
    pub fn is_byte(self) -> bool {
        use Datatype::*;
        matches!(self, Blob | GeomWkb | GeomWkt | Bool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_the_table_agree() {
        for (number, datatype) in Datatype::all().enumerate() {
            assert_eq!(datatype.number() as usize, number);
            assert_eq!(Datatype::from_number(number as u32).unwrap(), datatype);
        }
        assert!(Datatype::from_number(44).is_err());
    }
}
