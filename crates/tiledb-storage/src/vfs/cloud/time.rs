//! Dates in signatures, headers and responses.
//!
//! Own code: signatures need formats that httpdate does not write, and a calendar library is larger than this and [`tiledb_core::calendar`].

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tiledb_core::calendar::CalendarDate;

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

/// A date and time in UTC: year, month, day, hour, minute, second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) days: [u64; 3],
    pub(super) hours: [u64; 3],
}

impl Date {
    /// The date of a time after 1970.
    pub(super) fn of(time: SystemTime) -> Date {
        let seconds = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        let date = CalendarDate::of_day((seconds / 86_400).into());
        let second = seconds % 86_400;
        Date {
            days: [date.year, date.month, date.day].map(|part| part as u64),
            hours: [second / 3_600, second / 60 % 60, second % 60],
        }
    }

    /// The number of days since 1970-01-01.
    fn days_since_epoch(&self) -> i128 {
        let [year, month, day] = self.days.map(i128::from);
        CalendarDate { year, month, day }.days()
    }

    /// The time of a date; `None` before 1970 and for dates that are none.
    fn time(&self) -> Option<SystemTime> {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let seconds = u64::try_from(self.days_since_epoch()).ok()? * 86_400 + hour * 3_600 + minute * 60 + second;
        UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
    }

    /// `20130524`.
    pub(super) fn day(&self) -> String {
        let [year, month, day] = self.days;
        format!("{year:04}{month:02}{day:02}")
    }

    /// `Fri, 24 May 2013 00:00:00 GMT`.
    pub(super) fn http(&self) -> String {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        // 1970-01-01 was a Thursday.
        let week_day = self.days_since_epoch().rem_euclid(7) as u64;
        let name =
            |names: &'static str, index: u64| names.get(index as usize * 3..index as usize * 3 + 3).unwrap_or("");
        let (week_day, month) = (name("ThuFriSatSunMonTueWed", week_day), name(MONTHS, month.saturating_sub(1)));
        format!("{week_day}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    }

    /// `2013-05-24T00:00:00Z`.
    pub(super) fn iso(&self) -> String {
        let ([year, month, day], [hour, minute, second]) = (self.days, self.hours);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// `20130524T000000Z`.
    pub(super) fn basic(&self) -> String {
        let [hour, minute, second] = self.hours;
        format!("{}T{hour:02}{minute:02}{second:02}Z", self.day())
    }
}

/// Signed difference `to - from`.
pub(super) fn seconds_between(from: SystemTime, to: SystemTime) -> i64 {
    let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
    since(to) - since(from)
}

/// The time that `2013-05-24T00:00:00Z` says, also with parts of a second, and with `UTC` or `+02:00` at its end.
pub(super) fn iso(text: &str) -> Option<SystemTime> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u64>().ok();
    let days = [number(0, 4)?, number(5, 7)?, number(8, 10)?];
    let time = Date { days, hours: [number(11, 13)?, number(14, 16)?, number(17, 19)?] }.time()?;
    let zone = text.get(19..)?.trim_start_matches(|letter: char| letter == '.' || letter.is_ascii_digit());
    let Some(ahead) = zone.strip_prefix('+').or_else(|| zone.strip_prefix('-')) else {
        return matches!(zone, "" | "Z" | "UTC").then_some(time);
    };
    let (hours, minutes) = ahead.split_at_checked(2)?;
    let minutes = minutes.trim_start_matches(':').parse::<u64>().ok()?;
    let ahead = Duration::from_secs(hours.parse::<u64>().ok()? * 3_600 + minutes.min(59) * 60);
    if zone.starts_with('+') { time.checked_sub(ahead) } else { time.checked_add(ahead) }
}

/// The time that the header `date` says: `Fri, 24 May 2013 00:00:00 GMT`.
pub(super) fn header(text: &str) -> Option<SystemTime> {
    let mut words = text.split_once(", ")?.1.split_ascii_whitespace();
    let day = words.next()?.parse().ok()?;
    let name = words.next().filter(|name| name.len() == 3)?;
    let month = MONTHS.find(name).filter(|at| at % 3 == 0)? as u64 / 3 + 1;
    let year = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok());
    let mut part = || clock.next().flatten();
    Date { days: [year, month, day], hours: [part()?, part()?, part()?] }.time()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written() {
        let date = |seconds| Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).basic();
        assert_eq!(date(0), "19700101T000000Z");
        assert_eq!(date(951_782_399), "20000228T235959Z");
        assert_eq!(date(951_782_400), "20000229T000000Z");
        assert_eq!(date(1_369_353_600), "20130524T000000Z");
        assert_eq!(date(4_107_542_400), "21000301T000000Z");
        let date = |seconds| Date::of(UNIX_EPOCH + Duration::from_secs(seconds)).http();
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(date(951_782_399), "Mon, 28 Feb 2000 23:59:59 GMT");
        assert_eq!(date(1_369_353_600), "Fri, 24 May 2013 00:00:00 GMT");
        assert_eq!(date(4_107_542_400), "Mon, 01 Mar 2100 00:00:00 GMT");
    }

    #[test]
    fn dates_are_read() {
        let seconds = |time: Option<SystemTime>| time.map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs());
        for day in (0..60_000).step_by(7) {
            let time = UNIX_EPOCH + Duration::from_secs(day * 86_400 + 12_345);
            assert_eq!(Date::of(time).time(), Some(time));
            assert_eq!(iso(&Date::of(time).iso()), Some(time));
        }
        for text in
            ["2013-05-24T00:00:00Z", "2013-05-24T00:00:00.123Z", "2013-05-24T00:00:00UTC", "2013-05-24T02:30:00+02:30"]
        {
            assert_eq!(seconds(iso(text)), Some(1_369_353_600), "{text}");
        }
        assert_eq!(seconds(iso("2013-05-23T23:00:00-0100")), Some(1_369_353_600));
        assert_eq!(seconds(header("Fri, 24 May 2013 00:00:00 GMT")), Some(1_369_353_600));
        for text in [
            "",
            "2013-05-24",
            "2013-13-24T00:00:00Z",
            "2013-05-24T00:00:00X",
            "1013-05-24T00:00:00Z",
            "é".repeat(20).as_str(),
        ] {
            assert_eq!(iso(text), None, "{text}");
        }
        assert_eq!((header("24 May 2013"), header("Fri, 24 Mai 2013 00:00:00 GMT")), (None, None));
    }
}
