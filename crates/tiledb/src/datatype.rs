//! The enumerations of the data model.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use tiledb_core::types as engine;

/// Declares an enumeration that has the numbers and names of one of the engine.
macro_rules! mirrored {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The name of the value in the C interface, without its prefix.
            pub fn name(self) -> &'static str {
                self.engine().name()
            }

            #[allow(dead_code, reason = "not all enumerations are converted both ways")]
            pub(crate) fn engine(self) -> engine::$name {
                match self { $($name::$variant => engine::$name::$variant,)+ }
            }

            #[allow(dead_code, unreachable_patterns, reason = "not all enumerations are converted both ways")]
            pub(crate) fn of_engine(value: engine::$name) -> $name {
                match value { $(engine::$name::$variant => $name::$variant,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<$name> {
                let value = $name::ALL.iter().find(|value| value.name().eq_ignore_ascii_case(text));
                value.copied().ok_or_else(|| Error::invalid(format!("'{text}' is not a {}", stringify!($name))))
            }
        }
    };
}

mirrored! {
    /// The datatype of the values of a field.
    ///
    /// | datatypes | Rust type of a value |
    /// |---|---|
    /// | `Int8` to `Uint64`, `Float32`, `Float64` | `i8` to `u64`, `f32`, `f64` |
    /// | `DatetimeYear` to `DatetimeAs`, `TimeHr` to `TimeAs` | `i64`: units since 1970-01-01 UTC, or a duration |
    /// | `Bool` | `u8`, 0 or 1 |
    /// | `Char`, `StringAscii`, `StringUtf8`, `Blob`, `GeomWkb`, `GeomWkt`, `Any` | `u8`; texts and bytes have any number of values per cell |
    /// | `StringUtf16`, `StringUcs2` | `u16` |
    /// | `StringUtf32`, `StringUcs4` | `u32` |
    Datatype {
        /// 32-bit signed integers.
        Int32,
        /// 64-bit signed integers.
        Int64,
        /// Floating-point numbers of single precision.
        Float32,
        /// Floating-point numbers of double precision.
        Float64,
        /// Bytes of texts in an unknown encoding.
        Char,
        /// 8-bit signed integers.
        Int8,
        /// 8-bit unsigned integers.
        Uint8,
        /// 16-bit signed integers.
        Int16,
        /// 16-bit unsigned integers.
        Uint16,
        /// 32-bit unsigned integers.
        Uint32,
        /// 64-bit unsigned integers.
        Uint64,
        /// ASCII texts.
        StringAscii,
        /// UTF-8 texts.
        StringUtf8,
        /// UTF-16 texts.
        StringUtf16,
        /// UTF-32 texts.
        StringUtf32,
        /// UCS-2 texts.
        StringUcs2,
        /// UCS-4 texts.
        StringUcs4,
        /// Bytes without a type; deprecated.
        Any,
        /// Years since 1970.
        DatetimeYear,
        /// Months since January 1970.
        DatetimeMonth,
        /// Weeks since 1970-01-01.
        DatetimeWeek,
        /// Days since 1970-01-01.
        DatetimeDay,
        /// Hours since 1970-01-01.
        DatetimeHr,
        /// Minutes since 1970-01-01.
        DatetimeMin,
        /// Seconds since 1970-01-01.
        DatetimeSec,
        /// Milliseconds since 1970-01-01.
        DatetimeMs,
        /// Microseconds since 1970-01-01.
        DatetimeUs,
        /// Nanoseconds since 1970-01-01.
        DatetimeNs,
        /// Picoseconds since 1970-01-01.
        DatetimePs,
        /// Femtoseconds since 1970-01-01.
        DatetimeFs,
        /// Attoseconds since 1970-01-01.
        DatetimeAs,
        /// Durations in hours.
        TimeHr,
        /// Durations in minutes.
        TimeMin,
        /// Durations in seconds.
        TimeSec,
        /// Durations in milliseconds.
        TimeMs,
        /// Durations in microseconds.
        TimeUs,
        /// Durations in nanoseconds.
        TimeNs,
        /// Durations in picoseconds.
        TimePs,
        /// Durations in femtoseconds.
        TimeFs,
        /// Durations in attoseconds.
        TimeAs,
        /// Bytes.
        Blob,
        /// Booleans, a byte each.
        Bool,
        /// Geometries as well-known binary.
        GeomWkb,
        /// Geometries as well-known text.
        GeomWkt,
    }
}

impl Datatype {
    /// The number of the datatype in files and in the C interface.
    pub fn number(self) -> u8 {
        self.engine().number()
    }

    /// The size of one value in bytes.
    pub fn size(self) -> usize {
        self.engine().size()
    }

    /// Whether the values are dates: units since 1970-01-01 UTC.
    pub fn is_datetime(self) -> bool {
        self.engine().is_datetime()
    }

    /// Whether the values are durations.
    pub fn is_time(self) -> bool {
        self.engine().is_time()
    }

    /// Whether the values are units of a text.
    pub fn is_string(self) -> bool {
        self.engine().is_string()
    }

    /// Whether a dimension can have the datatype.
    pub fn is_of_dimensions(self) -> bool {
        self.engine().is_of_dimensions()
    }
}

mirrored! {
    /// Whether every cell of the domain exists.
    ArrayType {
        /// Every cell of the domain has values. Its coordinates are implied by its position.
        Dense,
        /// Only the cells that were written exist, each with its coordinates.
        Sparse,
    }
}

mirrored! {
    /// An order of cells or tiles.
    Layout {
        /// The last dimension varies fastest, as in C.
        RowMajor,
        /// The first dimension varies fastest, as in Fortran.
        ColMajor,
        /// The order in which cells are stored: tile by tile.
        GlobalOrder,
        /// Any order. Sparse reads are fastest in it.
        Unordered,
        /// Along a Hilbert curve; an order of the cells of sparse arrays.
        Hilbert,
    }
}

mirrored! {
    /// The order of the values of a dimension label.
    DataOrder {
        /// None.
        Unordered,
        /// Increasing along the dimension.
        Increasing,
        /// Decreasing along the dimension.
        Decreasing,
    }
}

/// The number of values in one cell of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellValNum {
    /// The same number in each cell.
    Fixed(u32),
    /// Any number.
    Var,
}

impl CellValNum {
    /// Whether cells have any number of values.
    pub fn is_var(self) -> bool {
        self == CellValNum::Var
    }

    pub(crate) fn number(self) -> u32 {
        match self {
            CellValNum::Fixed(number) => number,
            CellValNum::Var => engine::CellValNum::VAR.number(),
        }
    }

    pub(crate) fn of_engine(number: engine::CellValNum) -> CellValNum {
        number.fixed().map_or(CellValNum::Var, CellValNum::Fixed)
    }
}

/// What is stored at a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObjectType {
    /// An array.
    Array,
    /// A group.
    Group,
}

impl ObjectType {
    pub(crate) fn of_engine(kind: engine::ObjectType) -> Option<ObjectType> {
        match kind {
            engine::ObjectType::Array => Some(ObjectType::Array),
            engine::ObjectType::Group => Some(ObjectType::Group),
            engine::ObjectType::Invalid => None,
        }
    }

    pub(crate) fn engine(self) -> engine::ObjectType {
        match self {
            ObjectType::Array => engine::ObjectType::Array,
            ObjectType::Group => engine::ObjectType::Group,
        }
    }
}
