//! Formats values and ranges as text, for dumps and error messages.

use super::Dimension;
use tiledb_core::types::{Cell, CellRange, Datatype, dispatch};

/// A range of a dimension, such as `[1, 4]`.
pub(super) fn range_text(dimension: &Dimension, range: &CellRange) -> String {
    if range.is_var() {
        return range.display(dimension.datatype());
    }
    let end = |bytes| number_text(dimension.datatype(), bytes);
    format!("[{}, {}]", end(range.low()), end(range.high()))
}

/// A tile extent; of one byte, it is printed as the character it codes.
pub(super) fn extent_text(datatype: Datatype, extent: &[u8]) -> String {
    match (datatype, extent) {
        (Datatype::Int8 | Datatype::Uint8, &[byte]) => char::from(byte).to_string(),
        _ => number_text(datatype, extent),
    }
}

/// A number; floats as C++ prints them.
pub fn number_text(datatype: Datatype, bytes: &[u8]) -> String {
    if datatype.is_float() {
        return dispatch!(datatype.physical(), T => float_text(<T as Cell>::from_le(bytes).to_f64()));
    }
    dispatch!(datatype.physical(), T => <T as Cell>::from_le(bytes).to_string())
}

/// One value of a fill value: characters where they can be printed, their code otherwise.
pub(super) fn value_text(datatype: Datatype, bytes: &[u8]) -> String {
    if datatype.is_opaque() && datatype != Datatype::Any {
        return bytes.iter().map(|&byte| char::from(byte)).collect();
    }
    if !datatype.is_string() && datatype != Datatype::Any {
        return number_text(datatype, bytes);
    }
    let code = bytes.iter().rev().fold(0u32, |code, &byte| code << 8 | u32::from(byte));
    match char::from_u32(code) {
        Some(printable @ ' '..='~') => printable.to_string(),
        _ => format!("\\x{code:0width$x}", width = 2 * bytes.len()),
    }
}

/// A float with six significant digits, in the shorter of the two notations: what `%g` prints in C.
pub(super) fn float_text(value: f64) -> String {
    float_digits(value, 6)
}

/// As [`float_text`] with more or fewer digits, at least one.
pub fn float_digits(value: f64, digits: u8) -> String {
    let after_first = usize::from(digits.saturating_sub(1));
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan" } else { "nan" }.into();
    }
    if value.is_infinite() || value == 0.0 {
        return value.to_string();
    }
    let scientific = format!("{value:.after_first$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..i32::from(digits)).contains(&exponent) {
        let decimals = after_first.saturating_add_signed(-exponent as isize);
        return without_trailing_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.unsigned_abs())
}

fn without_trailing_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_c_prints_them() {
        let texts = [
            (0.1, "0.1"),
            (1e-7, "1e-07"),
            (123_456_789.0, "1.23457e+08"),
            (-0.0, "-0"),
            (1e5, "100000"),
            (1e6, "1e+06"),
            (999_999.5, "1e+06"),
            (100_000.5, "100000"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "4.94066e-324"),
            (f64::INFINITY, "inf"),
            (-f64::NAN, "-nan"),
        ];
        for (value, text) in texts {
            assert_eq!(float_text(value), text);
        }
    }

    #[test]
    fn values_as_characters_or_codes() {
        assert_eq!(value_text(Datatype::StringAscii, b"a"), "a");
        assert_eq!(value_text(Datatype::Char, &[0x80]), "\\x80");
        assert_eq!(value_text(Datatype::StringUtf16, &[0x62, 1]), "\\x0162");
        assert_eq!(value_text(Datatype::StringUcs4, &[0; 4]), "\\x00000000");
        assert_eq!(value_text(Datatype::Bool, &[1]), "1");
        assert_eq!(value_text(Datatype::DatetimeDay, &i64::MIN.to_le_bytes()), i64::MIN.to_string());
    }
}
