//! Times on the command line, as bounds of a time window: a date stands for its whole period.

use tiledb::{Datatype, datetime};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
/// Digits from which on a number is one of milliseconds: since September 2001.
const MILLISECOND_DIGITS: usize = 13;

/// The first and the last millisecond that a text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Period {
    first: u64,
    last: u64,
}

/// The bound of `--from`: the first millisecond of a date.
///
/// # Errors
/// What is accepted.
pub(crate) fn first_millisecond(text: &str) -> Result<u64, String> {
    Period::parse(text).map(|period| period.first)
}

/// The bound of `--to`: the last millisecond of a date.
///
/// # Errors
/// What is accepted.
pub(crate) fn last_millisecond(text: &str) -> Result<u64, String> {
    Period::parse(text).map(|period| period.last)
}

/// A number of milliseconds since 1970 as readable text.
pub(crate) fn readable(milliseconds: u64) -> String {
    match i64::try_from(milliseconds) {
        Ok(milliseconds) => datetime::format(Datatype::DatetimeMs, milliseconds),
        Err(_) => format!("{milliseconds}ms"),
    }
}

impl Period {
    fn parse(text: &str) -> Result<Period, String> {
        let text = text.trim();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let milliseconds = match text.strip_suffix("ms").map(str::trim_end) {
            Some(number) => Some(number),
            None => Some(text).filter(|text| is_number(text) && text.len() >= MILLISECOND_DIGITS),
        };
        let parts: Vec<&str> = text.split('-').collect();
        let period = match (milliseconds, parts.as_slice()) {
            (Some(number), _) if is_number(number) => number.parse().ok().map(Period::instant),
            (Some(_), _) => None,
            (None, [year]) if is_number(year) && year.len() == 4 => {
                Period::days(&format!("{year}-01-01"), &format!("{year}-12-31"))
            }
            (None, [number]) if is_number(number) => {
                return Err(format!("{number} is no year; write {number}ms for milliseconds since 1970"));
            }
            (None, [year, month]) if is_number(month) => {
                let days = (28..=31).rev().map(|day| format!("{year}-{month}-{day}"));
                let last = days.into_iter().find(|day| start(day).is_some());
                last.and_then(|last| Period::days(&format!("{year}-{month}-01"), &last))
            }
            (None, [_, _, day]) if is_number(day) => Period::days(text, text),
            (None, [_, _, _]) => start(text).map(Period::instant),
            _ => None,
        };
        period.ok_or_else(|| {
            "write a date in UTC from 1970 on, such as 2024, 2024-05 or 2024-05-31, a date and time, such as \
             2024-05-31T12:30:15.250, or milliseconds since 1970, such as 1717158615250ms"
                .to_owned()
        })
    }

    /// One millisecond.
    fn instant(at: u64) -> Period {
        Period { first: at, last: at }
    }

    /// Whole days.
    fn days(first: &str, last: &str) -> Option<Period> {
        Some(Period { first: start(first)?, last: start(last)?.checked_add(DAY - 1)? })
    }
}

/// The millisecond of a date and time, or the first one of a day.
fn start(text: &str) -> Option<u64> {
    u64::try_from(datetime::parse(Datatype::DatetimeMs, text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_periods_and_times_are_instants() {
        let time = |text: &str| start(text).unwrap_or_default();
        for (text, first, last) in [
            ("2027", "2027-01-01", "2027-12-31T23:59:59.999"),
            ("1970", "1970-01-01", "1970-12-31T23:59:59.999"),
            ("9999", "9999-01-01", "9999-12-31T23:59:59.999"),
            ("2024-02", "2024-02-01", "2024-02-29T23:59:59.999"),
            ("2023-02", "2023-02-01", "2023-02-28T23:59:59.999"),
            ("2024-12", "2024-12-01", "2024-12-31T23:59:59.999"),
            ("2024-05-31", "2024-05-31", "2024-05-31T23:59:59.999"),
            ("2024-05-31T12:30", "2024-05-31T12:30", "2024-05-31T12:30"),
            ("2024-05-31 12:30:15.25Z", "2024-05-31T12:30:15.250", "2024-05-31T12:30:15.250"),
        ] {
            assert_eq!((first_millisecond(text), last_millisecond(text)), (Ok(time(first)), Ok(time(last))), "{text}");
        }
    }

    #[test]
    fn milliseconds_have_a_unit_or_thirteen_digits() {
        for (text, milliseconds) in
            [("5ms", 5), ("2027 ms", 2027), ("1717113600000", 1_717_113_600_000), ("18446744073709551615", u64::MAX)]
        {
            assert_eq!(last_millisecond(text), Ok(milliseconds), "{text}");
        }
        for text in ["5", "20240531", "171711360000", "0"] {
            assert!(last_millisecond(text).is_err_and(|why| why.contains(&format!("{text}ms"))), "{text}");
        }
        for text in ["", "ms", "-5ms", "1.5ms", "18446744073709551616", "1969", "1969-12", "2024-13", "2024-5-32"] {
            assert!(last_millisecond(text).is_err_and(|why| why.contains("2024-05-31T12:30:15.250")), "{text}");
        }
        assert_eq!(
            (readable(1_250), readable(u64::MAX)),
            ("1970-01-01T00:00:01.250".to_owned(), format!("{}ms", u64::MAX))
        );
    }
}
