//! Single values whose type is known at run time only.

use std::fmt;

use crate::datatype::Datatype;
use crate::error::{Error, Result};
use tiledb_core::calendar::parse_datetime;
use tiledb_core::types::NumberKind;

/// One value whose type is known at run time only: the bound of a range, the operand of a condition, a fill value.
///
/// Numbers, texts, bytes and Booleans convert into it. It is converted to the datatype of the field that it is used for; a value
/// that the datatype cannot represent is an error. Texts that stand for dates are read as ISO 8601:
///
/// ```
/// use tiledb::{Datatype, Value};
///
/// assert_eq!(Value::from(7).to_bytes(Datatype::Int16)?, 7_i16.to_le_bytes());
/// assert_eq!(Value::from("1970-01-02").to_bytes(Datatype::DatetimeDay)?, 1_i64.to_le_bytes());
/// assert!(Value::from(300).to_bytes(Datatype::Uint8).is_err());
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A signed integer; of a date, units since 1970-01-01 UTC.
    Int(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A floating-point number.
    Float(f64),
    /// A Boolean.
    Bool(bool),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// The largest integer up to which a double represents all.
const MAX_EXACT: i128 = 1 << 53;

impl Value {
    /// The little-endian bytes of the value in a datatype.
    ///
    /// # Errors
    /// If the datatype cannot represent it.
    pub fn to_bytes(&self, datatype: Datatype) -> Result<Vec<u8>> {
        self.bytes(datatype).ok_or_else(|| self.misfit(datatype))
    }

    #[cold]
    pub(crate) fn misfit(&self, datatype: Datatype) -> Error {
        Error::invalid(format!("{self} cannot be represented as a value of datatype {datatype}"))
    }

    /// The value that little-endian bytes of a datatype represent; all bytes of texts and bytes.
    pub fn from_bytes(datatype: Datatype, bytes: &[u8]) -> Value {
        let physical = datatype.engine().physical();
        if datatype == Datatype::Bool {
            return Value::Bool(bytes.first().is_some_and(|byte| *byte != 0));
        }
        if datatype.is_string() || datatype == Datatype::GeomWkt {
            return text(physical.size(), bytes).map_or_else(|| Value::Bytes(bytes.to_vec()), Value::Text);
        }
        if datatype.engine().is_opaque() {
            return Value::Bytes(bytes.to_vec());
        }
        let size = physical.size();
        let mut word = [0; 8];
        let given = bytes.len().min(size);
        word[..given].copy_from_slice(&bytes[..given]);
        let bits = u64::from_le_bytes(word);
        match physical.kind() {
            NumberKind::Unsigned => Value::Unsigned(bits),
            NumberKind::Signed => {
                let shift = 64 - 8 * size as u32;
                Value::Int((bits as i64) << shift >> shift)
            }
            NumberKind::Real if size == 4 => Value::Float(f64::from(f32::from_bits(bits as u32))),
            NumberKind::Real => Value::Float(f64::from_bits(bits)),
        }
    }

    fn bytes(&self, datatype: Datatype) -> Option<Vec<u8>> {
        let physical = datatype.engine().physical();
        let size = physical.size();
        if datatype.is_string() || datatype == Datatype::GeomWkt {
            return match self {
                Value::Text(text) => Some(units(size, text)),
                Value::Bytes(bytes) if bytes.len().is_multiple_of(size) => Some(bytes.clone()),
                _ => None,
            };
        }
        if datatype.engine().is_opaque() {
            return match self {
                Value::Text(text) => Some(text.as_bytes().to_vec()),
                Value::Bytes(bytes) => Some(bytes.clone()),
                _ => None,
            };
        }
        self.number(datatype).map(|word| word[..size].to_vec())
    }

    /// The little-endian bytes of the value in a datatype of numbers, as the first of a word.
    pub(crate) fn number(&self, datatype: Datatype) -> Option<[u8; 8]> {
        let physical = datatype.engine().physical();
        let size = physical.size();
        if physical.kind() == NumberKind::Real {
            // A text is rounded once.
            if let (Value::Text(text), 4) = (self, size) {
                return text.trim().parse::<f32>().ok().map(|number| u64::from(number.to_bits()).to_le_bytes());
            }
            let number = self.float()?;
            let bits = if size == 4 { u64::from((number as f32).to_bits()) } else { number.to_bits() };
            return Some(bits.to_le_bytes());
        }
        let number = self.integer(datatype)?;
        let (low, high) = match physical.kind() {
            _ if datatype == Datatype::Bool => (0, 1),
            NumberKind::Signed => (-(1_i128 << (8 * size - 1)), (1_i128 << (8 * size - 1)) - 1),
            _ => (0, (1_i128 << (8 * size)) - 1),
        };
        (low..=high).contains(&number).then(|| (number as u64).to_le_bytes())
    }

    fn float(&self) -> Option<f64> {
        match self {
            Value::Float(number) => Some(*number),
            Value::Int(number) => (i128::from(*number).abs() <= MAX_EXACT).then_some(*number as f64),
            Value::Unsigned(number) => (i128::from(*number) <= MAX_EXACT).then_some(*number as f64),
            Value::Text(text) => text.trim().parse().ok(),
            Value::Bool(_) | Value::Bytes(_) => None,
        }
    }

    fn integer(&self, datatype: Datatype) -> Option<i128> {
        match self {
            Value::Int(number) => Some((*number).into()),
            Value::Unsigned(number) => Some((*number).into()),
            Value::Float(number) => {
                (number.fract() == 0.0 && number.abs() <= MAX_EXACT as f64).then_some(*number as i128)
            }
            Value::Bool(value) => (datatype == Datatype::Bool).then_some((*value).into()),
            Value::Text(text) if datatype.is_datetime() => {
                parse_datetime(datatype.engine(), text.trim()).map(Into::into)
            }
            Value::Text(text) if datatype == Datatype::Bool => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Some(1),
                "false" | "0" => Some(0),
                _ => None,
            },
            Value::Text(text) => text.trim().parse().ok(),
            Value::Bytes(_) => None,
        }
    }

    /// The number, if the value is one that a 64-bit signed integer represents.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            Value::Unsigned(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The number, if the value is one that a 64-bit unsigned integer represents.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Unsigned(number) => Some(*number),
            _ => None,
        }
    }

    /// The value as a floating-point number, if it is a number; large integers are rounded.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Unsigned(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if the value is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The bytes that a text such as `0x41ff` spells.
pub(crate) fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.strip_prefix("0x")?.as_bytes().as_chunks::<2>();
    let digit = |digit: &u8| char::from(*digit).to_digit(16).map(|digit| digit as u8);
    let bytes = pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    if rest.is_empty() { bytes } else { None }
}

/// The units of a text in 1, 2 or 4 bytes each.
fn units(size: usize, text: &str) -> Vec<u8> {
    match size {
        1 => text.as_bytes().to_vec(),
        2 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect(),
    }
}

/// The text of units of 1, 2 or 4 bytes each; `None` if they are invalid.
fn text(size: usize, bytes: &[u8]) -> Option<String> {
    match size {
        1 => std::str::from_utf8(bytes).ok().map(str::to_owned),
        2 => {
            let (units, rest) = bytes.as_chunks::<2>();
            let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
            if rest.is_empty() { String::from_utf16(&units).ok() } else { None }
        }
        _ => {
            let (units, rest) = bytes.as_chunks::<4>();
            let text = units.iter().map(|unit| char::from_u32(u32::from_le_bytes(*unit))).collect();
            if rest.is_empty() { text } else { None }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(number) => number.fmt(f),
            Value::Unsigned(number) => number.fmt(f),
            Value::Float(number) => number.fmt(f),
            Value::Bool(value) => value.fmt(f),
            Value::Text(text) => write!(f, "'{text}'"),
            Value::Bytes(bytes) => {
                f.write_str("0x")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

macro_rules! from_numbers {
    ($($variant:ident: $($type:ty)+;)+) => {
        $($(
            impl From<$type> for Value {
                fn from(value: $type) -> Value {
                    Value::$variant(value.into())
                }
            }
        )+)+
    };
}

from_numbers! {
    Int: i8 i16 i32 i64;
    Unsigned: u8 u16 u32 u64;
    Float: f32 f64;
    Bool: bool;
    Text: &str String &String;
    Bytes: Vec<u8> &[u8];
}

impl From<&Value> for Value {
    fn from(value: &Value) -> Value {
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_every_datatype_come_back() {
        for &datatype in Datatype::ALL {
            for pattern in [0_u64, 1, 0x41, 0x7fff_ffff_ffff_ffff, u64::MAX] {
                let bytes = &pattern.to_le_bytes()[..datatype.size()];
                let value = Value::from_bytes(datatype, bytes);
                if datatype == Datatype::Bool || matches!(value, Value::Float(number) if number.is_nan()) {
                    continue;
                }
                assert_eq!(value.to_bytes(datatype).unwrap(), bytes, "{datatype} {value:?}");
            }
        }
    }

    #[test]
    fn values_that_do_not_fit_are_errors() {
        for (value, datatype) in [
            (Value::from(128), Datatype::Int8),
            (Value::from(-1), Datatype::Uint64),
            (Value::from(1.5), Datatype::Int32),
            (Value::from(i64::MAX), Datatype::Float64),
            (Value::from(2), Datatype::Bool),
            (Value::from(1), Datatype::StringUtf8),
            (Value::from("x"), Datatype::Int32),
            (Value::from("2024-13-01"), Datatype::DatetimeDay),
        ] {
            assert!(value.to_bytes(datatype).is_err(), "{value:?} {datatype}");
        }
        assert_eq!(Value::from(60.0).to_bytes(Datatype::Int32).unwrap(), 60_i32.to_le_bytes());
        assert_eq!(Value::from(60).to_bytes(Datatype::Float32).unwrap(), 60_f32.to_le_bytes());
    }
}
