//! JSON output of statistics.

use crate::sort;
use std::fmt::Write;

/// An object of two: the timers, each with its sum and its average in seconds, and the counters. As libtiledb does it,
/// names come in descending order.
pub(super) fn object(timers: &mut [(String, f64)], counters: &mut [(String, u64)], indent: &str) -> String {
    sort::by(timers, |a, b| b.0.cmp(&a.0));
    sort::by(counters, |a, b| b.0.cmp(&a.0));
    let timers = members(timers.iter().map(|(name, seconds)| (name, short(*seconds))), indent);
    let counters = members(counters.iter().map(|(name, count)| (name, count.to_string())), indent);
    let (open, close) = (format!("{indent}{{\n"), format!("{indent}}}"));
    format!(
        "{open}{indent}  \"timers\": {{\n{timers}{indent}  }},\n{indent}  \"counters\": {{\n{counters}{indent}  }}\n{close}"
    )
}

/// `"Context.name": value` lines.
fn members<'a>(values: impl Iterator<Item = (&'a String, String)>, indent: &str) -> String {
    let mut text = String::new();
    for (name, value) in values {
        let comma = if text.is_empty() { "" } else { ",\n" };
        _ = write!(text, "{comma}{indent}    \"Context.{name}\": {value}");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// A number with six digits that count, as C++ streams print it.
fn short(value: f64) -> String {
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let places = usize::try_from(5 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.places$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

/// Strips trailing zeros of a fraction.
fn trimmed(digits: &str) -> String {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.0122983, "0.0122983"),
            (2.91e-7, "2.91e-07"),
            (9.999999e-5, "0.0001"),
            (1.0, "1"),
            (12.5, "12.5"),
            (123456.7, "123457"),
            (1234567.0, "1.23457e+06"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }
}
