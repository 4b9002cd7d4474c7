//! The small enumerations of the data model. Discriminants are the numbers of the format and of C.

use crate::error::{Result, bail};

/// Declares an enumeration with its numbers and texts in one table.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $number:literal $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vdoc])* $variant = $number,)+ }

        impl $name {
            /// The value with this number.
            ///
            /// # Errors
            /// For a number that names none.
            pub fn from_number(number: u32) -> Result<Self> {
                match number {
                    $($number => Ok($name::$variant),)+
                    _ => bail!(concat!("Invalid ", $what, " ({})"), number),
                }
            }

            /// The value with this text.
            ///
            /// # Errors
            /// For a text that names none.
            pub fn from_name(name: &str) -> Result<Self> {
                match name {
                    $($text => Ok($name::$variant),)+
                    _ => bail!(concat!("'{}' is no ", $what), name),
                }
            }

            /// The number in files and in C.
            pub fn number(self) -> u8 {
                self as u8
            }

            /// The text of the value.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
        }
    };
}

numbered! {
    /// Dense arrays have a value in every cell, sparse ones store coordinates.
    ArrayType, "array type" {
        /// Every cell of the domain has a value.
        Dense = 0 "dense",
        /// Only written cells exist.
        Sparse = 1 "sparse",
    }
}

numbered! {
    /// An order of cells or tiles.
    Layout, "layout" {
        /// The last dimension varies fastest.
        RowMajor = 0 "row-major",
        /// The first dimension varies fastest.
        ColMajor = 1 "col-major",
        /// Tiles in tile order, inside them cells in cell order.
        GlobalOrder = 2 "global-order",
        /// Any order.
        Unordered = 3 "unordered",
        /// Along the Hilbert curve (sparse cells only).
        Hilbert = 4 "hilbert",
    }
}

numbered! {
    /// Purpose of an open array or a query.
    QueryType, "query type" {
        Read = 0 "READ",
        Write = 1 "WRITE",
        /// Deleting cells by a condition.
        Delete = 2 "DELETE",
        /// Updating cells by a condition (experimental).
        Update = 3 "UPDATE",
        /// Changing the array itself, alone.
        ModifyExclusive = 4 "MODIFY_EXCLUSIVE",
    }
}

numbered! {
    /// Encryption algorithm of an array.
    EncryptionType, "encryption type" {
        /// Stored in plain text.
        NoEncryption = 0 "NO_ENCRYPTION",
        /// AES-256-GCM with a key of 32 bytes.
        Aes256Gcm = 1 "AES_256_GCM",
    }
}

numbered! {
    /// The order of a dimension label's values.
    DataOrder, "data order" {
        /// No order.
        Unordered = 0 "unordered",
        /// Ascending.
        Increasing = 1 "increasing",
        /// Descending.
        Decreasing = 2 "decreasing",
    }
}

numbered! {
    /// Kind of object at a URI.
    ObjectType, "object type" {
        /// Not a TileDB object.
        Invalid = 0 "INVALID",
        Group = 1 "GROUP",
        Array = 2 "ARRAY",
    }
}
