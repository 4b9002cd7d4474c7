//! The proleptic Gregorian calendar: dates as days since 1970-01-01, and datetimes as texts of ISO 8601.
//!
//! Years are counted from March, so that the leap day is the last day of a year; 400 years have 146,097 days (H. Hinnant,
//! "chrono-compatible low-level date algorithms"). 128 bits hold the seconds of every number of weeks.

use std::fmt;

use crate::types::Datatype;

/// Days from 1 March of the year 0 to 1970-01-01.
const EPOCH: i128 = 719_468;

/// Days of 400 years.
const ERA: i128 = 146_097;

/// Seconds of a day.
const DAY: i128 = 86_400;

/// Years beyond this are rejected: 64 bits of weeks reach the year 2 * 10^17.
const MAX_YEAR: i128 = 1_000_000_000_000_000_000_000;

/// A date; the month and the day count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalendarDate {
    pub year: i128,
    pub month: i128,
    pub day: i128,
}

impl CalendarDate {
    /// The date of a number of days since 1970-01-01.
    pub fn of_day(day: i128) -> CalendarDate {
        let day = day + EPOCH;
        let era = day.div_euclid(ERA);
        let of_era = day.rem_euclid(ERA);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        CalendarDate { year: 400 * era + year + next_year, month, day }
    }

    /// The number of days since 1970-01-01.
    pub fn days(self) -> i128 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        year.div_euclid(400) * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH
    }

    /// Whether there is such a date.
    pub fn is_valid(self) -> bool {
        if !(1..=12).contains(&self.month) {
            return false;
        }
        let first = CalendarDate { day: 1, ..self };
        let next = CalendarDate { year: self.year + self.month / 12, month: self.month % 12 + 1, day: 1 };
        (1..=next.days() - first.days()).contains(&self.day)
    }
}

/// `2024-05-31`.
impl fmt::Display for CalendarDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// The unit of a datatype of dates.
#[derive(Clone, Copy)]
enum Unit {
    Years,
    Months,
    /// A number of seconds.
    Seconds(i128),
    /// A fraction of a second with this many digits.
    Digits(u32),
}

fn unit(datatype: Datatype) -> Option<Unit> {
    Some(match datatype {
        Datatype::DatetimeYear => Unit::Years,
        Datatype::DatetimeMonth => Unit::Months,
        Datatype::DatetimeWeek => Unit::Seconds(7 * DAY),
        Datatype::DatetimeDay => Unit::Seconds(DAY),
        Datatype::DatetimeHr => Unit::Seconds(3_600),
        Datatype::DatetimeMin => Unit::Seconds(60),
        Datatype::DatetimeSec => Unit::Seconds(1),
        Datatype::DatetimeMs => Unit::Digits(3),
        Datatype::DatetimeUs => Unit::Digits(6),
        Datatype::DatetimeNs => Unit::Digits(9),
        Datatype::DatetimePs => Unit::Digits(12),
        Datatype::DatetimeFs => Unit::Digits(15),
        Datatype::DatetimeAs => Unit::Digits(18),
        _ => return None,
    })
}

/// The text of the smallest number, which stands for no date, as in NumPy.
const NOT_A_TIME: &str = "NaT";

/// Writes units since 1970 as far as the datatype reaches: `2024`, `2024-05`, `2024-05-31`, `2024-05-31T12:30:00`,
/// `2024-05-31T12:30:15.250`. A number of another datatype is written as such.
///
/// # Errors
/// Those of `out`.
pub fn write_datetime(datatype: Datatype, number: i64, out: &mut dyn fmt::Write) -> fmt::Result {
    let units = i128::from(number);
    let Some(unit) = unit(datatype) else { return write!(out, "{number}") };
    if number == i64::MIN {
        return out.write_str(NOT_A_TIME);
    }
    let (seconds, fraction) = match unit {
        Unit::Years => return write!(out, "{:04}", 1970 + units),
        Unit::Months => return write!(out, "{:04}-{:02}", 1970 + units.div_euclid(12), units.rem_euclid(12) + 1),
        Unit::Seconds(seconds) => (units * seconds, None),
        Unit::Digits(digits) => {
            let parts = 10_i128.pow(digits);
            (units.div_euclid(parts), Some((units.rem_euclid(parts), digits as usize)))
        }
    };
    write!(out, "{}", CalendarDate::of_day(seconds.div_euclid(DAY)))?;
    if matches!(unit, Unit::Seconds(seconds) if seconds >= DAY) {
        return Ok(());
    }
    let of_day = seconds.rem_euclid(DAY);
    write!(out, "T{:02}:{:02}:{:02}", of_day / 3_600, of_day / 60 % 60, of_day % 60)?;
    match fraction {
        Some((fraction, digits)) => write!(out, ".{fraction:0digits$}"),
        None => Ok(()),
    }
}

/// The units since 1970 of a text such as `2024`, `2024-05`, `2024-05-31`, `2024-05-31T12:30`, `2024-05-31 12:30:15.25Z`, if it is
/// a whole number of units, of which weeks may begin on any day; a number counts units, except years.
pub fn parse_datetime(datatype: Datatype, text: &str) -> Option<i64> {
    let unit = unit(datatype)?;
    if text == NOT_A_TIME {
        return Some(i64::MIN);
    }
    if !matches!(unit, Unit::Years)
        && let Ok(number) = text.parse()
    {
        return Some(number);
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let date = parse_date(date)?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut seconds = date.days() * DAY;
    for (at, part) in clock.split(':').filter(|part| !part.is_empty()).enumerate() {
        let worth = *[3_600, 60, 1].get(at)?;
        let limit = if at == 0 { 24 } else { 60 };
        seconds += worth * part.parse::<i128>().ok().filter(|part| (0..limit).contains(part))?;
    }
    let has_more = |digits: usize| fraction.bytes().skip(digits).any(|digit| digit != b'0');
    let units = match unit {
        Unit::Years => date.year - 1970,
        Unit::Months => (date.year - 1970) * 12 + date.month - 1,
        Unit::Seconds(unit) => {
            if unit <= DAY && (seconds.rem_euclid(unit) > 0 || has_more(0)) {
                return None;
            }
            seconds.div_euclid(unit)
        }
        Unit::Digits(digits) => {
            if has_more(digits as usize) {
                return None;
            }
            let padded: String = fraction.chars().chain(std::iter::repeat('0')).take(digits as usize).collect();
            seconds.checked_mul(10_i128.pow(digits))?.checked_add(padded.parse().ok()?)?
        }
    };
    i64::try_from(units).ok()
}

/// `2024`, `2024-05` or `2024-05-31`, of any year.
fn parse_date(text: &str) -> Option<CalendarDate> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let mut parts = text.split('-').map(str::parse::<i128>);
    let year = sign * parts.next()?.ok().filter(|year| *year < MAX_YEAR)?;
    let month = parts.next().unwrap_or(Ok(1)).ok()?;
    let day = parts.next().unwrap_or(Ok(1)).ok()?;
    let date = CalendarDate { year, month, day };
    (parts.next().is_none() && date.is_valid()).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(datatype: Datatype, number: i64) -> String {
        let mut text = String::new();
        write_datetime(datatype, number, &mut text).unwrap();
        text
    }

    fn assert_round_trip(datatype: Datatype, datetime: &str) {
        assert_eq!(text(datatype, parse_datetime(datatype, datetime).unwrap()), datetime);
    }

    #[test]
    fn dates_are_counted_from_1970() {
        for (datatype, text, expected) in [
            (Datatype::DatetimeYear, "2024", Some(54)),
            (Datatype::DatetimeMonth, "1969-11", Some(-2)),
            (Datatype::DatetimeDay, "2000-01-01", Some(10_957)),
            (Datatype::DatetimeDay, "7", Some(7)),
            (Datatype::DatetimeDay, "2024-05-31T12:30", None),
            (Datatype::DatetimeDay, "2023-02-29", None),
            (Datatype::DatetimeDay, "2024-02-29", Some(19_782)),
            (Datatype::DatetimeDay, "2024-13-01", None),
            (Datatype::DatetimeSec, "1969-12-31T23:59:59Z", Some(-1)),
            (Datatype::DatetimeMs, "1970-01-01 00:00:01.250", Some(1_250)),
            (Datatype::DatetimeMs, "1970-01-01 00:00:01.2501", None),
            (Datatype::Int64, "2024", None),
        ] {
            assert_eq!(parse_datetime(datatype, text), expected, "{datatype:?} {text}");
        }
    }

    #[test]
    fn datetimes_round_trip() {
        for text in ["1970-01-01", "1969-12-31", "2000-02-29", "2100-02-28", "1600-03-01", "0001-01-01"] {
            assert_round_trip(Datatype::DatetimeDay, text);
        }
        assert_round_trip(Datatype::DatetimeMs, "1969-12-31T23:59:59.999");
        assert_round_trip(Datatype::DatetimeUs, "2024-05-31T12:30:15.250000");
        assert_round_trip(Datatype::DatetimeMonth, "1969-11");
        assert_round_trip(Datatype::DatetimeYear, "2024");
    }

    #[test]
    fn datetimes_at_the_limits_round_trip() {
        for datatype in (18..=30).map(|number| Datatype::from_number(number).unwrap()) {
            for number in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX] {
                let text = text(datatype, number);
                assert_eq!(parse_datetime(datatype, &text), Some(number), "{datatype:?} {text}");
            }
        }
    }

    #[test]
    fn datetimes_are_not_rounded() {
        for (datatype, exact, inexact) in [
            (Datatype::DatetimeDay, "2024-05-31T00:00:00.000", "2024-05-31T12:30"),
            (Datatype::DatetimeHr, "2024-05-31T12:00", "2024-05-31T12:00:01"),
            (Datatype::DatetimeMin, "2024-05-31T12:30", "2024-05-31T12:30:00.001"),
            (Datatype::DatetimeSec, "2024-05-31T12:30:15.0", "2024-05-31T12:30:15.5"),
            (Datatype::DatetimeMs, "2024-05-31T12:30:15.250000", "2024-05-31T12:30:15.2501"),
        ] {
            assert!(parse_datetime(datatype, exact).is_some(), "{exact}");
            assert!(parse_datetime(datatype, inexact).is_none(), "{inexact}");
        }
    }
}
