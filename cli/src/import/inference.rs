//! Datatype inference for columns.

use tiledb::Datatype;

use crate::model::{DatatypeExt, Value};

use super::json_rows::CellKind;
use super::propose::InferredColumn;

/// A type that all values of a column have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InferredType {
    /// No value yet.
    Nothing,
    /// `true` and `false`.
    Bool,
    /// Integers.
    Int,
    /// Unsigned integers, some of them beyond the signed range.
    Unsigned,
    /// Floating-point numbers.
    Real,
    /// Dates; with the number of fractional digits of seconds, or `None` for days.
    Moment(Option<u32>),
    Text,
    /// Bytes that are not UTF-8.
    Bytes,
}

/// Inference state of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnInference {
    pub guess: InferredType,
    /// Whether some cells are null.
    pub has_nulls: bool,
    /// Whether all cells so far are lists of numbers or booleans, and there are some.
    pub has_lists: bool,
    /// Minimum and maximum of integers, or of dates in seconds for dimensions.
    low: i64,
    high: i64,
    is_dimension: bool,
}

impl InferredType {
    pub(crate) fn datatype(self) -> Datatype {
        match self {
            Self::Bool => Datatype::Bool,
            Self::Int => Datatype::Int64,
            Self::Unsigned => Datatype::Uint64,
            Self::Real => Datatype::Float64,
            Self::Moment(None) => Datatype::DatetimeDay,
            Self::Moment(Some(digits)) => Datatype::DatetimeSec.finer(digits.div_ceil(3)),
            Self::Nothing | Self::Text => Datatype::StringUtf8,
            Self::Bytes => Datatype::Char,
        }
    }

    /// The type of a value.
    fn of(value: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(value) else { return Self::Bytes };
        match value.first() {
            Some(b't' | b'T' | b'f' | b'F') if is_bool(text) => return Self::Bool,
            Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'n' | b'N' | b'i' | b'I') => {}
            _ => return Self::Text,
        }
        if is_whole(text) {
            let is_int = || text.parse::<i64>().is_ok();
            let is_unsigned = || text.parse::<u64>().is_ok();
            return if is_int() {
                Self::Int
            } else if is_unsigned() {
                Self::Unsigned
            } else {
                Self::Text
            };
        }
        if is_real(text) {
            return Self::Real;
        }
        moment(text).map_or(Self::Text, Self::Moment)
    }

    /// The common type.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Nothing, a) | (a, Self::Nothing) => a,
            (Self::Int | Self::Unsigned, Self::Real) | (Self::Real, Self::Int | Self::Unsigned) => Self::Real,
            (Self::Moment(a), Self::Moment(b)) => Self::Moment(a.max(b)),
            (Self::Bytes, _) | (_, Self::Bytes) => Self::Bytes,
            _ => Self::Text,
        }
    }
}

impl ColumnInference {
    /// The initial state of a dimension or attribute column.
    pub(crate) fn new(is_dimension: bool) -> Self {
        Self {
            guess: InferredType::Nothing,
            has_nulls: false,
            has_lists: false,
            low: i64::MAX,
            high: i64::MIN,
            is_dimension,
        }
    }

    /// The inferred column.
    pub(crate) fn found(&self, name: &str) -> InferredColumn {
        // Lists without any value have no type of their own.
        let is_empty_list = self.has_lists && self.guess == InferredType::Nothing;
        let datatype = if is_empty_list { Datatype::Float64 } else { self.guess.datatype() };
        let units = |seconds: i64| match self.guess {
            InferredType::Moment(None) => seconds / 86_400,
            InferredType::Moment(Some(digits)) => seconds.saturating_mul(1000_i64.pow(digits.div_ceil(3))),
            _ => seconds,
        };
        let bounds = (self.low <= self.high).then(|| (units(self.low), units(self.high)));
        let has_nulls = self.has_nulls || self.guess == InferredType::Nothing && !self.has_lists;
        InferredColumn { name: name.to_owned(), datatype, has_nulls, bounds }
    }

    /// Takes a value of a JSON file into account, whose texts are no numbers.
    pub(crate) fn observe_json(&mut self, value: &[u8], kind: CellKind) {
        let has_values = self.guess != InferredType::Nothing;
        match kind {
            CellKind::Null => {}
            CellKind::Number | CellKind::Bool => self.observe(value),
            CellKind::List if self.has_lists || !has_values => {
                self.has_lists = true;
                let inner = value.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")).unwrap_or_default();
                inner.split(|byte| *byte == b',').filter(|item| !item.is_empty()).for_each(|item| self.observe(item));
            }
            CellKind::Text => {
                let is_moment = std::str::from_utf8(value).is_ok_and(|text| moment(text).is_some());
                if is_moment { self.observe(value) } else { self.guess = InferredType::Text }
            }
            CellKind::List | CellKind::Nested => {
                self.has_lists = false;
                self.guess = InferredType::Text;
            }
        }
    }

    /// Takes a value into account.
    pub(crate) fn observe(&mut self, value: &[u8]) {
        let guess = match self.guess {
            InferredType::Bytes => return,
            InferredType::Text if value.is_ascii() => return,
            guess => guess,
        };
        let own = InferredType::of(value);
        self.guess = match (guess, own) {
            // Large unsigned and negative integers have no common type.
            (InferredType::Int, InferredType::Unsigned) if self.low < 0 => InferredType::Text,
            (InferredType::Unsigned, InferredType::Int) => {
                if value.first() == Some(&b'-') {
                    InferredType::Text
                } else {
                    InferredType::Unsigned
                }
            }
            (InferredType::Int, InferredType::Unsigned) => InferredType::Unsigned,
            (guess, own) => guess.join(own),
        };
        let number = match own {
            InferredType::Int => std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
            InferredType::Moment(_) if self.is_dimension => seconds(value),
            _ => None,
        };
        if let Some(number) = number {
            self.low = self.low.min(number);
            self.high = self.high.max(number);
        }
    }
}

/// The seconds since 1970 of a date.
fn seconds(value: &[u8]) -> Option<i64> {
    let bytes = Value::parse(Datatype::DatetimeSec, std::str::from_utf8(value).ok()?).ok()?;
    bytes.try_into().map(i64::from_le_bytes).ok()
}

fn is_bool(text: &str) -> bool {
    ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// An optional sign and digits; a leading zero makes it text.
fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'))
}

/// A number with a point or an exponent, or `nan` or `inf`.
fn is_real(text: &str) -> bool {
    let plain = text.strip_prefix(['+', '-']).unwrap_or(text);
    if ["nan", "inf"].iter().any(|word| plain.eq_ignore_ascii_case(word)) {
        return true;
    }
    let has_letters = plain.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let has_form = plain.contains(['.', 'e', 'E']);
    has_letters && has_form && text.parse::<f64>().is_ok()
}

/// The number of fractional digits of a date's seconds: `2024-05-31`, `2024-05-31T12:30:15.25`.
fn moment(text: &str) -> Option<Option<u32>> {
    let bytes = text.as_bytes();
    let is_date = bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_date {
        return None;
    }
    let digits = match bytes.len() {
        10 => None,
        _ if !matches!(bytes[10], b'T' | b' ') || bytes.len() < 16 => return None,
        _ => Some(text.split_once('.').map_or(0, |(_, fraction)| fraction.trim_end_matches('Z').len() as u32)),
    };
    let fitting = digits.is_none_or(|digits| digits <= 9);
    (fitting && Value::parse(InferredType::Moment(digits).datatype(), text).is_ok()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(values: &[&str]) -> InferredType {
        let mut seen = ColumnInference::new(true);
        values.iter().for_each(|value| seen.observe(value.as_bytes()));
        seen.guess
    }

    #[test]
    fn columns_are_what_all_their_values_are() {
        assert_eq!(guess(&[]), InferredType::Nothing);
        assert_eq!(guess(&["1", "-5", "+3"]), InferredType::Int);
        assert_eq!(guess(&["1", "18446744073709551615"]), InferredType::Unsigned);
        assert_eq!(guess(&["18446744073709551615", "7"]), InferredType::Unsigned);
        assert_eq!(guess(&["-1", "18446744073709551615"]), InferredType::Text);
        assert_eq!(guess(&["18446744073709551615", "-1"]), InferredType::Text);
        assert_eq!(guess(&["1", "2.5", "-1e9", "nan", "-inf"]), InferredType::Real);
        assert_eq!(guess(&["true", "FALSE"]), InferredType::Bool);
        assert_eq!(guess(&["true", "1"]), InferredType::Text);
        assert_eq!(guess(&["2024-05-31", "1970-01-01"]), InferredType::Moment(None));
        assert_eq!(guess(&["2024-05-31", "1970-01-01 12:30"]), InferredType::Moment(Some(0)));
        assert_eq!(guess(&["2024-05-31T12:30:15.25Z"]), InferredType::Moment(Some(2)));
        assert_eq!(guess(&["2024-13-31"]), InferredType::Text);
        assert_eq!(guess(&["2024-05-31T"]), InferredType::Text);
        assert_eq!(guess(&["2024-05-31", "5"]), InferredType::Text);
    }

    #[test]
    fn what_would_not_come_back_as_it_was_is_text() {
        assert_eq!(guess(&["007"]), InferredType::Text);
        assert_eq!(guess(&["123456789012345678901"]), InferredType::Text);
        assert_eq!(guess(&["1_000"]), InferredType::Text);
        assert_eq!(guess(&["infinity"]), InferredType::Text);
        let mut seen = ColumnInference::new(true);
        seen.observe(&[b'a', 0xff]);
        assert_eq!(seen.guess, InferredType::Bytes);
    }

    #[test]
    fn dates_have_the_datatype_of_their_digits() {
        let names = [None, Some(0), Some(1), Some(3), Some(4), Some(6), Some(9)];
        let names = names.map(|digits| InferredType::Moment(digits).datatype().name());
        assert_eq!(
            names.map(|name| name.trim_start_matches("DATETIME_")),
            ["DAY", "SEC", "MS", "MS", "US", "US", "NS"]
        );
    }
}
