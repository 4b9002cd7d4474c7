//! The kinds of filter and their numbers.

use std::fmt;

use tiledb_core::error::{Result, bail};

/// A kind of tile filter. The numbers are those of the format and of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say what each filter is; `Filter` describes them")]
pub enum FilterType {
    None = 0,
    Gzip = 1,
    Zstd = 2,
    Lz4 = 3,
    Rle = 4,
    Bzip2 = 5,
    DoubleDelta = 6,
    BitWidthReduction = 7,
    BitShuffle = 8,
    ByteShuffle = 9,
    PositiveDelta = 10,
    /// Encryption; it is never part of a list a user makes.
    Aes256Gcm = 11,
    ChecksumMd5 = 12,
    ChecksumSha256 = 13,
    Dictionary = 14,
    ScaleFloat = 15,
    Xor = 16,
    Webp = 18,
    Delta = 19,
}

/// Every kind with its text.
const TABLE: [(FilterType, &str); 19] = [
    (FilterType::None, "NONE"),
    (FilterType::Gzip, "GZIP"),
    (FilterType::Zstd, "ZSTD"),
    (FilterType::Lz4, "LZ4"),
    (FilterType::Rle, "RLE"),
    (FilterType::Bzip2, "BZIP2"),
    (FilterType::DoubleDelta, "DOUBLE_DELTA"),
    (FilterType::BitWidthReduction, "BIT_WIDTH_REDUCTION"),
    (FilterType::BitShuffle, "BITSHUFFLE"),
    (FilterType::ByteShuffle, "BYTESHUFFLE"),
    (FilterType::PositiveDelta, "POSITIVE_DELTA"),
    (FilterType::Aes256Gcm, "AES_256_GCM"),
    (FilterType::ChecksumMd5, "CHECKSUM_MD5"),
    (FilterType::ChecksumSha256, "CHECKSUM_SHA256"),
    (FilterType::Dictionary, "DICTIONARY_ENCODING"),
    (FilterType::ScaleFloat, "SCALE_FLOAT"),
    (FilterType::Xor, "XOR"),
    (FilterType::Webp, "WEBP"),
    (FilterType::Delta, "DELTA"),
];

impl FilterType {
    /// All filters that users can create: every kind except encryption.
    pub fn all() -> impl Iterator<Item = FilterType> {
        TABLE.iter().map(|row| row.0).filter(|&kind| kind != FilterType::Aes256Gcm)
    }

    /// The kind with this number, encryption included.
    ///
    /// # Errors
    /// For a number that names none.
    pub fn from_number(number: u32) -> Result<FilterType> {
        match TABLE.iter().find(|row| u32::from(row.0.number()) == number) {
            Some(row) => Ok(row.0),
            None => bail!("Invalid filter type {number}"),
        }
    }

    /// The kind with this text, encryption included.
    ///
    /// # Errors
    /// For a text that names none.
    pub fn from_name(name: &str) -> Result<FilterType> {
        match TABLE.iter().find(|row| row.1 == name) {
            Some(row) => Ok(row.0),
            None => bail!("'{name}' is no filter type"),
        }
    }

    /// The number in files and in C.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The text, such as `ZSTD`.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

impl fmt::Display for FilterType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
