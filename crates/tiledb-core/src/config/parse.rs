//! Parsing of parameter values: numbers and booleans, with libtiledb's error messages.

use super::params::{Parameter, ValueCheck};
use crate::error::{Error, Result, bail};

/// Checks a value at the time it is set.
pub(crate) fn check(rule: &ValueCheck, value: &str) -> Result<()> {
    match rule {
        ValueCheck::None => Ok(()),
        ValueCheck::Bool => parse_bool(value).map(drop),
        ValueCheck::BoolOrEmpty | ValueCheck::I64OrEmpty if value.is_empty() => Ok(()),
        ValueCheck::BoolOrEmpty => parse_bool(value).map(drop),
        ValueCheck::U32 => parse_u32(value).map(drop),
        ValueCheck::U64 => parse_u64(value).map(drop),
        ValueCheck::I64 | ValueCheck::I64OrEmpty => parse_i64(value).map(drop),
        ValueCheck::F32 => parse_f32(value).map(drop),
        ValueCheck::OneOf(values, _) if values.contains(&value) => Ok(()),
        ValueCheck::OneOf(_, refusal) => bail!("{}", refusal.replace("{}", value)),
    }
}

/// The same error with the parameter, its value and the accepted values.
#[cold]
pub(crate) fn of_parameter(error: &Error, parameter: &Parameter, value: &str) -> Error {
    let accepted = match parameter.check {
        ValueCheck::OneOf(values, _) => format!("; use one of '{}'", values.join("', '")),
        ValueCheck::None | ValueCheck::Bool | ValueCheck::BoolOrEmpty => BOOL.to_owned(),
        ValueCheck::U32 => U32.to_owned(),
        ValueCheck::U64 => U64.to_owned(),
        ValueCheck::I64 | ValueCheck::I64OrEmpty => I64.to_owned(),
        ValueCheck::F32 => REAL.to_owned(),
    };
    let text = format!("{}: parameter '{}' cannot be '{value}'{accepted}", error.text(), parameter.name);
    Error::new(error.kind(), text)
}

/// What an error message appends about the accepted values of each type; libtiledb's text for Booleans names them.
pub(crate) const BOOL: &str = "";
pub(crate) const U32: &str = "; use decimal digits, at most 4294967295";
pub(crate) const U64: &str = "; use decimal digits, at most 18446744073709551615";
const I64: &str = "; use decimal digits after an optional sign";
pub(crate) const REAL: &str = "; use a decimal number";

/// `true` or `false` in any case.
pub(crate) fn parse_bool(value: &str) -> Result<bool> {
    if value.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if value.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        bail!("[TileDB::Utils] Error: Failed to convert string to bool; Value not 'true' or 'false'")
    }
}

/// Decimal digits after an optional `+`.
pub(crate) fn parse_u64(value: &str) -> Result<u64> {
    integer(value, "uint64_t", &['+'])
}

/// Decimal digits after an optional `+`, at most `u32::MAX`.
pub(crate) fn parse_u32(value: &str) -> Result<u32> {
    integer(value, "uint32_t", &['+'])
}

/// Decimal digits after an optional sign.
pub(crate) fn parse_i64(value: &str) -> Result<i64> {
    integer(value, "int64_t", &['+', '-'])
}

/// A single-precision number; trailing text is ignored.
pub(crate) fn parse_f32(value: &str) -> Result<f32> {
    let number = real::<f32>(value, "float32_t")?;
    if number.is_infinite() && spelled_in_digits(value) || number.is_subnormal() {
        return out_of_range("float32_t");
    }
    Ok(number)
}

/// A double-precision number; trailing text is ignored.
pub(crate) fn parse_f64(value: &str) -> Result<f64> {
    let number = real::<f64>(value, "float64_t")?;
    if number.is_infinite() && spelled_in_digits(value) || number.is_subnormal() {
        return out_of_range("float64_t");
    }
    Ok(number)
}

fn integer<T: std::str::FromStr>(value: &str, kind: &str, signs: &[char]) -> Result<T> {
    let digits = value.strip_prefix(signs).unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        bail!("[TileDB::Utils] Error: Failed to convert string '{value}' to {kind}; Invalid argument");
    }
    let Ok(number) = value.parse() else {
        bail!("[TileDB::Utils] Error: Failed to convert string '{value}' to {kind}; Value out of range");
    };
    Ok(number)
}

/// Reads the number that `value` begins with; zero from a nonzero text is out of range.
fn real<T: std::str::FromStr + PartialEq + Default>(value: &str, kind: &str) -> Result<T> {
    let text = number_prefix(value);
    let Ok(number) = text.parse::<T>() else {
        bail!("[TileDB::Utils] Error: Failed to convert string to {kind}; Invalid argument");
    };
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    if number == T::default() && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        return out_of_range(kind);
    }
    Ok(number)
}

fn out_of_range<T>(kind: &str) -> Result<T> {
    bail!("[TileDB::Utils] Error: Failed to convert string to {kind}; Value out of range")
}

/// Whether the number is written in digits, not as `inf` or `infinity`.
fn spelled_in_digits(value: &str) -> bool {
    number_prefix(value).bytes().any(|byte| byte.is_ascii_digit())
}

/// The longest beginning of `value`, blanks skipped, that is a decimal number, `inf` or `nan`.
fn number_prefix(value: &str) -> &str {
    let value = value.trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c']);
    let bytes = value.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let word = |word: &str| bytes.get(sign..sign + word.len()).is_some_and(|b| b.eq_ignore_ascii_case(word.as_bytes()));
    if let Some(name) = ["infinity", "inf", "nan"].into_iter().find(|name| word(name)) {
        return value.get(..sign + name.len()).unwrap_or(value);
    }
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = sign + digits(sign);
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let exponent = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(exponent) > 0 {
            end = exponent + digits(exponent);
        }
    }
    value.get(..end).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.unwrap_err().text().replace("[TileDB::Utils] Error: Failed to convert string ", "")
    }

    #[test]
    fn integers_are_digits_after_a_sign() {
        assert_eq!(parse_u64("+1").unwrap(), 1);
        assert_eq!(parse_u64("007").unwrap(), 7);
        assert_eq!(parse_i64("-9223372036854775808").unwrap(), i64::MIN);
        for wrong in ["", "+", "-0", "-1", " 1", "1 ", "0x10", "1.5", "++1", "+-1", "1_0", "é"] {
            assert_eq!(text(parse_u64(wrong)), format!("'{wrong}' to uint64_t; Invalid argument"));
        }
        assert_eq!(text(parse_u32("4294967296")), "'4294967296' to uint32_t; Value out of range");
        assert_eq!(text(parse_i64("9223372036854775808")), "'9223372036854775808' to int64_t; Value out of range");
    }

    #[test]
    fn reals_may_be_followed_by_anything() {
        for (value, number) in
            [("1.5x", 1.5), (" 1", 1.0), ("1,5", 1.0), (".5", 0.5), ("5.", 5.0), ("1e", 1.0), ("+1e3", 1e3)]
        {
            assert_eq!(parse_f32(value).unwrap(), number);
        }
        assert!(parse_f32("NaN").unwrap().is_nan());
        assert_eq!(parse_f64("-infinity").unwrap(), f64::NEG_INFINITY);
        assert_eq!(parse_f32("0e-99").unwrap(), 0.0);
        for wrong in ["", ".", "e5", "x", "-"] {
            assert_eq!(text(parse_f32(wrong)), "to float32_t; Invalid argument");
        }
        for wrong in ["1e39", "1e400", "1e-50", "1e-40"] {
            assert_eq!(text(parse_f32(wrong)), "to float32_t; Value out of range");
        }
        assert_eq!(text(parse_f64("1e999")), "to float64_t; Value out of range");
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_panic(value in "\\PC*") {
            let _ = (parse_bool(&value), parse_u32(&value), parse_u64(&value), parse_i64(&value));
            let _ = (parse_f32(&value), parse_f64(&value));
        }

        #[test]
        fn numbers_come_back(u in any::<u64>(), i in any::<i64>(), f in any::<f64>()) {
            prop_assert_eq!(parse_u64(&u.to_string()).unwrap(), u);
            prop_assert_eq!(parse_i64(&i.to_string()).unwrap(), i);
            if f.is_normal() {
                prop_assert_eq!(parse_f64(&format!("{f:e}")).unwrap(), f);
            }
        }
    }
}
