//! A single value, and its conversion from and to bytes, text and JSON.

use std::cmp::Ordering;
use std::fmt;

use super::datatype::{Datatype, DatatypeKind, Unit};
use super::error::{Error, Result};

/// A cell value, a range bound, or the operand of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
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
pub fn hexadecimal(text: &str) -> Option<Vec<u8>> {
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
    /// All values of a cell: one alone where the cell has one, or is a text.
    pub fn of_cell(datatype: Datatype, bytes: &[u8], is_var: bool) -> Self {
        match datatype.kind() {
            DatatypeKind::Text(_) | DatatypeKind::Bytes => Self::of_bytes(datatype, bytes),
            _ if !is_var && bytes.len() == datatype.size() => Self::of_bytes(datatype, bytes),
            _ => Self::List(bytes.chunks_exact(datatype.size()).map(|value| Self::of_bytes(datatype, value)).collect()),
        }
    }

    /// One value; text and bytes as a whole.
    pub fn of_bytes(datatype: Datatype, bytes: &[u8]) -> Self {
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
    pub fn parse(datatype: Datatype, text: &str) -> Result<Vec<u8>> {
        let bad = || Error::usage(format!("{text:?} is no value of datatype {datatype}"));
        let trimmed = text.trim();
        match datatype.kind() {
            DatatypeKind::Signed(size) => {
                let number = match datatype.unit() {
                    // A number counts units; but a year is called by its number.
                    Some(unit) if unit == Unit::Years || trimmed.parse::<i64>().is_err() => {
                        parse_moment(unit, trimmed).ok_or_else(bad)?
                    }
                    _ => trimmed.parse().map_err(|_| bad())?,
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
    pub fn stored(&self, datatype: Datatype) -> Result<Vec<u8>> {
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
    pub fn json(&self) -> serde_json::Value {
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
    pub fn number(&self) -> Option<f64> {
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
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Int(number) => usize::try_from(*number).ok(),
            Self::Unsigned(number) => usize::try_from(*number).ok(),
            Self::Bool(value) => Some(usize::from(*value)),
            _ => None,
        }
    }

    /// The order of two values of one datatype; none where one is null or no number.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
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
            Self::Moment(datatype, number) => write_moment(*datatype, *number, f),
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

/// The year, month and day of a day since 1970-01-01, in the Gregorian calendar.
fn date(day: i128) -> (i128, i128, i128) {
    // Counted from a first of March, so that a leap day is the last of its year; in ages of 400 years.
    let day = day + 719_468;
    let (age, of_age) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_age - of_age / 1_460 + of_age / 36_524 - of_age / 146_096) / 365;
    let of_year = of_age - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * age + year + next, month, of_month)
}

/// The day since 1970-01-01 of a date.
fn day(year: i128, month: i128, of_month: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let (age, of_age) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + of_month - 1;
    age * 146_097 + of_age * 365 + of_age / 4 - of_age / 100 + of_year - 719_468
}

/// A date as ISO 8601 has it; `NaT` for the smallest number, as in NumPy.
fn write_moment(datatype: Datatype, number: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    // Weeks reach further than 64 bits count seconds.
    let wide = i128::from(number);
    let (seconds, fraction, digits) = match datatype.unit() {
        _ if number == i64::MIN => return f.write_str("NaT"),
        None => return write!(f, "{number}"),
        Some(Unit::Years) => return write!(f, "{:04}", 1970 + wide),
        Some(Unit::Months) => {
            return write!(f, "{:04}-{:02}", 1970 + wide.div_euclid(12), wide.rem_euclid(12) + 1);
        }
        Some(Unit::Seconds(seconds)) => (wide * i128::from(seconds), 0, 0),
        Some(Unit::Digits(digits)) => {
            let parts = 10_i128.pow(digits);
            (wide.div_euclid(parts), wide.rem_euclid(parts), digits as usize)
        }
    };
    let (year, month, of_month) = date(seconds.div_euclid(86_400));
    write!(f, "{year:04}-{month:02}-{of_month:02}")?;
    if matches!(datatype.unit(), Some(Unit::Seconds(unit)) if unit >= 86_400) {
        return Ok(());
    }
    let of_day = seconds.rem_euclid(86_400);
    write!(f, "T{:02}:{:02}:{:02}", of_day / 3_600, of_day / 60 % 60, of_day % 60)?;
    if digits > 0 {
        write!(f, ".{fraction:0digits$}")?;
    }
    Ok(())
}

/// A date from `2024`, `2024-05`, `2024-05-31`, `2024-05-31T12:30`, `2024-05-31 12:30:15.25`, if it is a whole number of units of at
/// most a day; `NaT` is none.
fn parse_moment(unit: Unit, text: &str) -> Option<i64> {
    if text == "NaT" {
        return Some(i64::MIN);
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let (sign, date) = date.strip_prefix('-').map_or((1, date), |date| (-1, date));
    let mut parts = date.split('-').map(str::parse::<i128>);
    // Weeks in 64 bits go as far as the year 2 * 10^17.
    let year = sign * parts.next()?.ok().filter(|year| *year < 1_000_000_000_000_000_000_000)?;
    let month = parts.next().unwrap_or(Ok(1)).ok().filter(|month| (1..=12).contains(month))?;
    let of_month = parts.next().unwrap_or(Ok(1)).ok().filter(|of_month| (1..=31).contains(of_month))?;
    if parts.next().is_some() {
        return None;
    }
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut seconds = day(year, month, of_month) * 86_400;
    for (at, part) in clock.split(':').filter(|part| !part.is_empty()).enumerate() {
        let worth = *[3_600, 60, 1].get(at)?;
        let limit = if at == 0 { 24 } else { 60 };
        seconds += worth * part.parse::<i128>().ok().filter(|part| (0..limit).contains(part))?;
    }
    let has_more = |digits: usize| fraction.bytes().skip(digits).any(|digit| digit != b'0');
    let units = match unit {
        Unit::Years => year - 1970,
        Unit::Months => (year - 1970) * 12 + month - 1,
        Unit::Seconds(unit) => {
            let unit = i128::from(unit);
            if unit <= 86_400 && (seconds.rem_euclid(unit) > 0 || has_more(0)) {
                return None;
            }
            seconds.div_euclid(unit)
        }
        Unit::Digits(digits) => {
            if has_more(digits as usize) {
                return None;
            }
            let kept: String = fraction.chars().chain(std::iter::repeat('0')).take(digits as usize).collect();
            seconds.checked_mul(10_i128.pow(digits))?.checked_add(kept.parse().ok()?)?
        }
    };
    i64::try_from(units).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;

    const DAY: Datatype = Datatype(21);
    const MICROSECOND: Datatype = Datatype(26);

    fn there_and_back(datatype: Datatype, text: &str) {
        let bytes = Value::parse(datatype, text).unwrap();
        assert_eq!(Value::of_bytes(datatype, &bytes).to_string(), text);
    }

    #[test]
    fn dates_come_back() {
        for text in ["1970-01-01", "1969-12-31", "2000-02-29", "2100-02-28", "1600-03-01", "0001-01-01"] {
            there_and_back(DAY, text);
        }
        there_and_back(Datatype::DATETIME_MS, "1969-12-31T23:59:59.999");
        there_and_back(MICROSECOND, "2024-05-31T12:30:15.250000");
        there_and_back(Datatype(19), "1969-11");
        there_and_back(Datatype(18), "2024");
    }

    #[test]
    fn dates_at_the_limits_come_back() {
        for datatype in (18..=30).map(Datatype) {
            for number in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX] {
                let text = Value::Moment(datatype, number).to_string();
                assert_eq!(
                    Value::parse(datatype, &text).ok(),
                    Some(number.to_le_bytes().to_vec()),
                    "{datatype:?} {text}"
                );
            }
        }
    }

    #[test]
    fn dates_are_not_rounded() {
        let number = |datatype: u32, text: &str| Value::parse(Datatype(datatype), text).ok();
        for (datatype, exact, inexact) in [
            (21, "2024-05-31T00:00:00.000", "2024-05-31T12:30"),
            (22, "2024-05-31T12:00", "2024-05-31T12:00:01"),
            (23, "2024-05-31T12:30", "2024-05-31T12:30:00.001"),
            (24, "2024-05-31T12:30:15.0", "2024-05-31T12:30:15.5"),
            (25, "2024-05-31T12:30:15.250000", "2024-05-31T12:30:15.2501"),
        ] {
            assert!(number(datatype, exact).is_some() && number(datatype, inexact).is_none(), "{inexact}");
        }
    }

    #[test]
    fn days_are_counted() {
        assert_eq!(Value::parse(DAY, "2000-01-01").unwrap(), 10_957_i64.to_le_bytes());
        assert_eq!(Value::parse(DAY, "7").unwrap(), 7_i64.to_le_bytes());
    }

    #[test]
    fn numbers_keep_to_their_type() {
        there_and_back(Datatype(5), "-128");
        there_and_back(Datatype(10), "18446744073709551615");
        assert!(Value::parse(Datatype(5), "128").is_err());
        assert!(Value::parse(Datatype(6), "256").is_err());
        assert!(Value::parse(Datatype(6), "-1").is_err());
        assert!(Value::parse(DAY, "2024-13-01").is_err());
    }

    #[test]
    fn text_of_wide_letters() {
        there_and_back(Datatype(13), "häß");
        there_and_back(Datatype(14), "häß");
    }
}
