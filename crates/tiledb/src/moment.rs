//! Dates as texts: ISO 8601 to units since 1970-01-01 and back.

use crate::datatype::Datatype;

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

/// Seconds of a day.
const DAY: i128 = 86_400;

/// Years beyond this are rejected: 64 bits of weeks reach the year 2 * 10^17.
const MAX_YEAR: i128 = 1_000_000_000_000_000_000_000;

/// The day since 1970-01-01 of a date of the proleptic Gregorian calendar. Years are counted from March, so that the leap day is
/// the last one.
fn day(year: i128, month: i128, of_month: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + of_month - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The units since 1970 of a text such as `2024`, `2024-05`, `2024-05-31`, `2024-05-31T12:30`, `2024-05-31 12:30:15.25Z`, if it is
/// a whole number of units; a number counts units, except years.
pub(crate) fn parse(datatype: Datatype, text: &str) -> Option<i64> {
    let unit = unit(datatype)?;
    if !matches!(unit, Unit::Years)
        && let Ok(number) = text.parse()
    {
        return Some(number);
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let (sign, date) = date.strip_prefix('-').map_or((1, date), |date| (-1, date));
    let mut parts = date.split('-').map(str::parse::<i128>);
    let year = sign * parts.next()?.ok().filter(|year| *year < MAX_YEAR)?;
    let month = parts.next().unwrap_or(Ok(1)).ok().filter(|month| (1..=12).contains(month))?;
    let of_month = parts.next().unwrap_or(Ok(1)).ok().filter(|of_month| (1..=31).contains(of_month))?;
    let length = day(year + month / 12, month % 12 + 1, 1) - day(year, month, 1);
    if parts.next().is_some() || of_month > length {
        return None;
    }
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut seconds = day(year, month, of_month) * DAY;
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
            if unit <= DAY && (seconds.rem_euclid(unit) > 0 || has_more(0)) {
                return None;
            }
            seconds.div_euclid(unit)
        }
        Unit::Digits(digits) => {
            if has_more(digits as usize) {
                return None;
            }
            let digits_text: String = fraction.chars().chain(std::iter::repeat('0')).take(digits as usize).collect();
            seconds.checked_mul(10_i128.pow(digits))?.checked_add(digits_text.parse().ok()?)?
        }
    };
    i64::try_from(units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(parse(datatype, text), expected, "{datatype} {text}");
        }
    }
}
