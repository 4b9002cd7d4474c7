//! A single value, and its conversion from and to bytes, text and JSON.

use std::cmp::Ordering;
use std::fmt;

use tiledb::{Datatype, datetime};

use super::datatype::{DatatypeExt, DatatypeKind};
use super::error::{Error, Result};

/// A cell value, a range bound, or the operand of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// No value.
    Null,
    /// A number with a sign.
    Int(i64),
    /// A number without one.
    Unsigned(u64),
    /// A real number.
    Real(f64),
    /// A real number of four bytes.
    Short(f32),
    /// 0 or 1.
    Bool(bool),
    Text(String),
    /// Bytes that are not text.
    Bytes(Vec<u8>),
    /// A date of such a datatype.
    Moment(Datatype, i64),
    /// Several values in one cell.
    List(Vec<Value>),
}

/// The first bytes as an array of as many.
fn word<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut word = [0; N];
    let length = bytes.len().min(N);
    word[..length].copy_from_slice(&bytes[..length]);
    word
}

/// Bytes as they are shown: `0x` and two digits for each.
fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let (pairs, rest) = digits.as_chunks::<2>();
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|digit| digit as u8);
    let bytes = pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    if rest.is_empty() { bytes } else { None }
}

/// Decodes text; `None` if it is invalid.
fn text(size: usize, bytes: &[u8]) -> Option<String> {
    let units = bytes.chunks_exact(size);
    if !units.remainder().is_empty() {
        return None;
    }
    match size {
        1 => std::str::from_utf8(bytes).ok().map(str::to_owned),
        2 => String::from_utf16(&units.map(|unit| u16::from_le_bytes(word(unit))).collect::<Vec<_>>()).ok(),
        _ => units.map(|unit| char::from_u32(u32::from_le_bytes(word(unit)))).collect(),
    }
}

impl Value {
    /// A value of the crate.
    pub(crate) fn of(datatype: Datatype, value: &tiledb::Value) -> Self {
        match value {
            tiledb::Value::Int(number) if datatype.unit().is_some() => Self::Moment(datatype, *number),
            tiledb::Value::Int(number) => Self::Int(*number),
            tiledb::Value::Unsigned(number) => Self::Unsigned(*number),
            tiledb::Value::Float(number) if datatype == Datatype::Float32 => Self::Short(*number as f32),
            tiledb::Value::Float(number) => Self::Real(*number),
            tiledb::Value::Bool(value) => Self::Bool(*value),
            tiledb::Value::Text(text) => Self::Text(text.clone()),
            tiledb::Value::Bytes(bytes) => Self::Bytes(bytes.clone()),
            _ => Self::Null,
        }
    }

    /// As a value of the crate; none for null. Several values are no single one, and equal to none.
    pub(crate) fn plain(&self) -> Option<tiledb::Value> {
        match self {
            Self::Null => None,
            Self::Int(number) | Self::Moment(_, number) => Some((*number).into()),
            Self::Unsigned(number) => Some((*number).into()),
            Self::Real(number) => Some((*number).into()),
            Self::Short(number) => Some((*number).into()),
            Self::Bool(value) => Some((*value).into()),
            Self::Text(text) => Some(text.into()),
            Self::Bytes(bytes) => Some(bytes.clone().into()),
            Self::List(_) => Some(tiledb::Value::Bytes(Vec::new())),
        }
    }

    /// All values of a cell: one alone where the cell has one, or is a text.
    pub(crate) fn of_cell(datatype: Datatype, bytes: &[u8], is_var: bool) -> Self {
        match datatype.kind() {
            DatatypeKind::Text(_) | DatatypeKind::Bytes => Self::of_bytes(datatype, bytes),
            _ if !is_var && bytes.len() == datatype.size() => Self::of_bytes(datatype, bytes),
            _ => Self::List(bytes.chunks_exact(datatype.size()).map(|value| Self::of_bytes(datatype, value)).collect()),
        }
    }

    /// One value; text and bytes as a whole.
    pub(crate) fn of_bytes(datatype: Datatype, bytes: &[u8]) -> Self {
        match datatype.kind() {
            DatatypeKind::Signed(size) => {
                let shift = 64 - 8 * size as u32;
                let number = (i64::from_le_bytes(word(bytes)) << shift) >> shift;
                if datatype.unit().is_some() { Self::Moment(datatype, number) } else { Self::Int(number) }
            }
            DatatypeKind::Unsigned(_) => Self::Unsigned(u64::from_le_bytes(word(bytes))),
            DatatypeKind::Real(4) => Self::Short(f32::from_le_bytes(word(bytes))),
            DatatypeKind::Real(_) => Self::Real(f64::from_le_bytes(word(bytes))),
            DatatypeKind::Bool => Self::Bool(bytes.first().is_some_and(|&byte| byte != 0)),
            DatatypeKind::Text(size) => text(size, bytes).map_or_else(|| Self::Bytes(bytes.to_vec()), Self::Text),
            DatatypeKind::Bytes => Self::Bytes(bytes.to_vec()),
        }
    }

    /// Parses a value of a datatype.
    pub(crate) fn parse(datatype: Datatype, text: &str) -> Result<Vec<u8>> {
        let bad = || Error::usage(format!("{text:?} is no value of datatype {datatype}"));
        let trimmed = text.trim();
        match datatype.kind() {
            DatatypeKind::Signed(size) => {
                let number = match datatype.unit() {
                    Some(_) => datetime::parse(datatype, trimmed).ok_or_else(bad)?,
                    None => trimmed.parse().map_err(|_| bad())?,
                };
                let limit = 1_i128 << (8 * size - 1);
                if !(-limit..limit).contains(&i128::from(number)) {
                    return Err(bad());
                }
                Ok(number.to_le_bytes()[..size].to_vec())
            }
            DatatypeKind::Unsigned(size) => {
                let number: u64 = trimmed.parse().map_err(|_| bad())?;
                if u128::from(number) >= 1 << (8 * size) {
                    return Err(bad());
                }
                Ok(number.to_le_bytes()[..size].to_vec())
            }
            DatatypeKind::Real(4) => Ok(trimmed.parse::<f32>().map_err(|_| bad())?.to_le_bytes().to_vec()),
            DatatypeKind::Real(_) => Ok(trimmed.parse::<f64>().map_err(|_| bad())?.to_le_bytes().to_vec()),
            DatatypeKind::Bool => match trimmed.to_ascii_lowercase().as_str() {
                "true" | "1" => Ok(vec![1]),
                "false" | "0" => Ok(vec![0]),
                _ => Err(bad()),
            },
            DatatypeKind::Bytes => Ok(hexadecimal(text).unwrap_or_else(|| text.as_bytes().to_vec())),
            DatatypeKind::Text(1) => Ok(text.as_bytes().to_vec()),
            DatatypeKind::Text(2) => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            DatatypeKind::Text(_) => Ok(text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect()),
        }
    }

    /// The bytes of a value of a datatype.
    pub(crate) fn stored(&self, datatype: Datatype) -> Result<Vec<u8>> {
        let size = datatype.size();
        match self {
            Self::Int(number) | Self::Moment(_, number) => Ok(number.to_le_bytes()[..size].to_vec()),
            Self::Unsigned(number) => Ok(number.to_le_bytes()[..size].to_vec()),
            Self::Real(number) => Ok(number.to_le_bytes().to_vec()),
            Self::Short(number) => Ok(number.to_le_bytes().to_vec()),
            Self::Bytes(bytes) => Ok(bytes.clone()),
            other => Self::parse(datatype, &other.to_string()),
        }
    }

    /// The value as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Int(number) => (*number).into(),
            Self::Unsigned(number) => (*number).into(),
            Self::Bool(value) => (*value).into(),
            Self::Real(number) if number.is_finite() => (*number).into(),
            // The shortest text of a short number is not that of the long one.
            Self::Short(number) if number.is_finite() => {
                number.to_string().parse::<f64>().map_or(serde_json::Value::Null, Into::into)
            }
            Self::List(values) => values.iter().map(Self::json).collect(),
            other => other.to_string().into(),
        }
    }

    /// The value as a number, where it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Int(number) | Self::Moment(_, number) => Some(*number as f64),
            Self::Unsigned(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            Self::Short(number) => Some(f64::from(*number)),
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            _ => None,
        }
    }

    /// The value as the place of another in a list.
    pub(crate) fn index(&self) -> Option<usize> {
        match self {
            Self::Int(number) => usize::try_from(*number).ok(),
            Self::Unsigned(number) => usize::try_from(*number).ok(),
            Self::Bool(value) => Some(usize::from(*value)),
            _ => None,
        }
    }

    /// The order of two values of one datatype; none where one is null or no number.
    pub(crate) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a) | Self::Moment(_, a), Self::Int(b) | Self::Moment(_, b)) => Some(a.cmp(b)),
            (Self::Unsigned(a), Self::Unsigned(b)) => Some(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Some(a.cmp(b)),
            (Self::Bytes(a), Self::Bytes(b)) => Some(a.cmp(b)),
            (a, b) => a.number()?.partial_cmp(&b.number()?),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Int(number) => number.fmt(f),
            Self::Unsigned(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
            Self::Short(number) => number.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => {
                f.write_str("0x")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Self::Moment(datatype, number) => f.write_str(&datetime::format(*datatype, *number)),
            Self::List(values) => {
                f.write_str("[")?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;

    fn there_and_back(datatype: Datatype, text: &str) {
        let bytes = Value::parse(datatype, text).unwrap();
        assert_eq!(Value::of_bytes(datatype, &bytes).to_string(), text);
    }

    #[test]
    fn days_are_counted() {
        assert_eq!(Value::parse(Datatype::DatetimeDay, "2000-01-01").unwrap(), 10_957_i64.to_le_bytes());
        assert_eq!(Value::parse(Datatype::DatetimeDay, "7").unwrap(), 7_i64.to_le_bytes());
    }

    #[test]
    fn numbers_keep_to_their_type() {
        there_and_back(Datatype::Int8, "-128");
        there_and_back(Datatype::Uint64, "18446744073709551615");
        assert!(Value::parse(Datatype::Int8, "128").is_err());
        assert!(Value::parse(Datatype::Uint8, "256").is_err());
        assert!(Value::parse(Datatype::Uint8, "-1").is_err());
        assert!(Value::parse(Datatype::DatetimeDay, "2024-13-01").is_err());
    }

    #[test]
    fn text_of_wide_letters() {
        there_and_back(Datatype::StringUtf16, "häß");
        there_and_back(Datatype::StringUtf32, "häß");
    }
}
